#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace batfill
