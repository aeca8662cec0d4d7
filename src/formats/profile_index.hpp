#pragma once

#include <string>
#include <unordered_map>

#include <batfill/core/shared_text.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

// Finds the profiles of a workload's jobs. Jobs that were read together share the text of a name, and so share the
// search.
// Cost: O(1) for all but the first job of a shared text, without a look at the text.
class ProfileIndex {
 public:
    explicit ProfileIndex(const Workload& workload) : profiles_(workload.profiles) {}

    // Returns null if no profile has this name.
    // Requires: the texts of all requested names live until the last call, as a workload's do.
    const JobProfile* find(const SharedText& name) {
        const auto [known, is_new] = found_.try_emplace(&name.text());
        if (is_new) {
            const auto profile = profiles_.find(name);
            known->second = profile == profiles_.end() ? nullptr : &profile->second;
        }
        return known->second;
    }

 private:
    const std::map<std::string, JobProfile>& profiles_;
    std::unordered_map<const std::string*, const JobProfile*> found_;
};

}  // namespace batfill
