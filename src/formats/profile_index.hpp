#pragma once

#include <string>
#include <unordered_map>

#include <batfill/core/shared_text.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

// Finds the profiles of a workload's jobs. Jobs that share the text of a name, as those that were read together do,
// share the search, too: O(1) for all but the first of them, without a look at the text.
class ProfileIndex {
 public:
    explicit ProfileIndex(const Workload& workload) : profiles_(workload.profiles) {}

    // Null if there is no profile of this name. Requires that the texts of all names asked for live until the last
    // call, as a workload's do.
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
