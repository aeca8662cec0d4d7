#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/shared_text.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// Numbers the jobs of a simulation in the order in which their submissions arrive.
using JobIndex = std::uint32_t;

// What a user says of a job when submitting it: all that a scheduler may know.
struct JobDescription {
    std::string id;                     // as in messages, "w0!17"
    Time submit;                        // the job's own submission time (`subtime`)
    int processors = 0;                 // requested, `res`
    SmallOptional<Duration> walltime;   // the estimate, an upper bound; none: no field, or negative
    SmallOptional<Time> deadline;       // an instant, not a length of time
    SharedText queue;                   // empty: none named
    SharedText user;                    // empty: unknown
    std::vector<std::string> licenses;  // names, as given
    SharedText profile;                 // name of the job's profile in its workload
    friend bool operator==(const JobDescription&, const JobDescription&) = default;
};

// A description as who hands a job on and who takes it share it. Nobody changes it, and a copy of this object is
// another reference to the same description. O(1), but for the first of a description that nobody else keeps.
class SharedJobDescription {
 public:
    SharedJobDescription() = default;  // refers to nothing, and may only be assigned to
    // NOLINTNEXTLINE(google-explicit-constructor): a description is one that nobody else keeps.
    SharedJobDescription(JobDescription description)
        : shared_(std::make_shared<const JobDescription>(std::move(description))) {}
    // Refers to one that the caller keeps where it is for as long as anybody refers to it, as a workload does.
    static SharedJobDescription kept_elsewhere(const JobDescription& description) {
        SharedJobDescription result;
        result.shared_ = std::shared_ptr<const JobDescription>(std::shared_ptr<void>(), &description);
        return result;
    }

    const JobDescription& operator*() const { return *shared_; }
    const JobDescription* operator->() const { return shared_.get(); }

 private:
    std::shared_ptr<const JobDescription> shared_;
};

}  // namespace batfill
