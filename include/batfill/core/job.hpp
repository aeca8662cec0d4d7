#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/core/resources.hpp>
#include <batfill/core/shared_text.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// The states of a job that Batsim distinguishes. A job waits while it is `submitted`. It leaves the system in one of
// the states after `running`: rejected before it starts, or ended in some way after it started.
enum class JobState : std::uint8_t {
    not_submitted,
    submitted,
    running,
    completed_successfully,
    completed_failed,
    completed_walltime_reached,
    completed_killed,
    rejected,
};
// In the order of their numbers.
inline constexpr std::array all_job_states{
    JobState::not_submitted,          JobState::submitted,        JobState::running,
    JobState::completed_successfully, JobState::completed_failed, JobState::completed_walltime_reached,
    JobState::completed_killed,       JobState::rejected,
};

// Batsim's word for a state, such as "COMPLETED_KILLED", in messages and in jobs.csv.
const char* to_string(JobState state);
// The state that Batsim's `word` denotes; no value if there is none.
std::optional<JobState> parse_job_state(std::string_view word);
// Batsim's words for all states, "NOT_SUBMITTED, SUBMITTED, ...", for error messages.
std::string known_job_states();

// Whether the job ran and ended: one of the four states completed_*.
constexpr bool has_completed(JobState state) {
    return state >= JobState::completed_successfully && state <= JobState::completed_killed;
}
// Whether the job has neither completed nor been rejected.
constexpr bool is_unfinished(JobState state) {
    return state <= JobState::running;
}

// The engine's index of a job: the order in which submissions arrive.
using JobIndex = std::uint32_t;

// The number by which events and decisions name a job. It belongs to whoever sends the events to the engine: in the
// simulator it is the job's place in the scenario, in a conversation with Batsim the order in which frames first name
// the jobs. The engine alone knows which index belongs to which number.
enum class JobNumber : std::uint32_t {};

// What a user states about a job at its submission. A scheduler may know no more.
struct JobDescription {
    std::string id;                     // as in messages, "w0!17"
    Time submit;                        // the job's own submission time (`subtime`)
    int processors = 0;                 // requested, `res`
    SmallOptional<Duration> walltime;   // the estimate, an upper bound; none: missing or negative in the input
    SmallOptional<Time> deadline;       // an instant, not a length of time
    SharedText queue;                   // empty: none named
    SharedText user;                    // empty: unknown
    std::vector<std::string> licenses;  // names, as given
    SharedText profile;                 // name of the job's profile in its workload
    Shared<StatedNeeds> needs = {};     // of pools, of each host, and its partition, if it names one of them
    // The fields that batfill does not know, as members of a JSON object: "gpus":4,"account":"physics". Empty: none.
    // Of Batsim 5's `extra_data`, its members; unless it is not an object: then it is the first member here.
    SharedText other_fields;
    friend bool operator==(const JobDescription&, const JobDescription&) = default;
};

// An immutable job description that the sender and the receiver of a job share. A copy of this object refers to the
// same description.
// Cost: O(1), except to make the first one from a description that nobody else keeps.
class SharedJobDescription {
 public:
    SharedJobDescription() = default;  // refers to nothing; may only be assigned to
    // NOLINTNEXTLINE(google-explicit-constructor): a description is one that nobody else keeps.
    SharedJobDescription(JobDescription description)
        : shared_(std::make_shared<const JobDescription>(std::move(description))) {}
    // Refers to a description that the caller keeps, at the same address, for as long as anybody refers to it.
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

// Why the guaranteed start of a job moved later: processors became unavailable, or another job outlived its estimate.
// Or why its guarantee ended: the job was due, and a pool that is not planned kept it from starting. Or a window was
// announced.
enum class GuaranteeBreakCause { loss, estimate, parked, window };

}  // namespace batfill
