#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

// Events and decisions, as the engine, the simulator and the daemon exchange them. Names are Batsim's.
namespace batfill {

// ---- In both directions

// What a NOTIFY of Batsim's protocol says. The first four come from Batsim, the next two from a scheduler. Any other is
// an external event of the user's own, which Batsim only passes on to the scheduler.
enum class NotificationType : std::uint8_t {
    no_more_static_job_to_submit,
    no_more_external_event_to_occur,
    event_machine_available,
    event_machine_unavailable,
    registration_finished,
    continue_registration,
    other,
};

// Batsim's name of a type, such as "registration_finished". Requires: `type` is not `other`.
const char* to_string(NotificationType type);
// The type that Batsim's `name` denotes; `other` for every name that is not Batsim's.
NotificationType parse_notification_type(std::string_view name);

// Any type except event_machine_available and event_machine_unavailable, which are a MachineChanged.
struct Notification {
    NotificationType type = NotificationType::other;
    std::string other_type;    // type `other`: its name
    std::string other_fields;  // type `other`: a JSON object with everything besides its name, or empty
};

// ---- Events: what a scheduler hears

struct JobSubmitted {
    JobNumber job{};
    SharedJobDescription description;
    // How long the job would run if nothing stopped it. Only a simulator knows, and only if this is the same on all
    // hosts. A scheduler that imitates that of a real machine must not look.
    std::optional<Duration> run_time = {};
    // Nothing stops the job at its walltime, which is only what its user believes. Only a simulator says so.
    bool may_outlive_walltime = false;
};

// A running job ended.
struct JobCompleted {
    JobNumber job{};
    JobState state = JobState::completed_successfully;  // one of the four completed_*
};

// KillJobs was done. It ended those jobs that still ran, unless their JobCompleted came before.
struct JobsKilled {
    std::vector<JobNumber> jobs;
};

// Processors became available or unavailable.
struct MachineChanged {
    ResourceSet processors;
    bool available = false;
};

// A SetResourceState is complete; it took time.
struct ResourceStateChanged {
    ResourceSet processors;
    int pstate = 0;
};

// The time of a CallMeLater has come.
struct RequestedCall {};

struct Event {
    using Data = std::variant<JobSubmitted, JobCompleted, JobsKilled, MachineChanged, ResourceStateChanged,
                              RequestedCall, Notification>;
    Time timestamp;  // never after the time of the message that brings the event
    Data data;
};

// ---- Decisions: what a scheduler wants

struct StartJob {
    JobNumber job{};
    ResourceSet allocation;  // as many processors as the job requested
    // How many cores of each of its hosts it has, in their order, if the scheduler has decided that. Messages do not
    // say it.
    std::vector<Amount> cores = {};
};

// Why a job is rejected, as far as the user can change the reason.
enum class RejectionCause { no_walltime, too_wide_for_machine, other };

struct RejectJob {
    JobNumber job{};
    std::string reason;  // for the log, as a predicate ("asks for ..."); may be empty
    RejectionCause cause = RejectionCause::other;
};

struct KillJobs {
    std::vector<JobNumber> jobs;  // not empty
};

// Asks for a message at `time`.
// Requires: `time` is in the future.
struct CallMeLater {
    Time time;
};

// Adds a profile to a workload, which need not exist, for jobs that are registered after this.
struct RegisterProfile {
    std::string workload;
    std::string name;    // that no profile of the workload has or had
    std::string source;  // a JSON object, as in a workload of Batsim 4
};

// Submits a job that is in no workload: a killed job again, or one of the scheduler's own. Later decisions of the same
// reply may start or reject it.
struct RegisterJob {
    JobNumber job{};  // the next after all that exist
    JobDescription description;
    std::string source;  // the job object as a scheduler behind a socket wrote it; else empty
};

// Sets the column `metadata` of jobs.csv for a job.
// Requires: `metadata` has no double quotes.
struct SetJobMetadata {
    JobNumber job{};
    std::string metadata;
};

// Puts idle processors to sleep, or wakes sleeping ones. A ResourceStateChanged of the same processors reports when all
// of them have switched.
struct SetResourceState {
    ResourceSet processors;  // not empty
    int pstate = 0;          // the one to sleep in, or computing_pstate
};

using Decision = std::variant<StartJob, RejectJob, KillJobs, CallMeLater, RegisterProfile, RegisterJob, SetJobMetadata,
                              SetResourceState, Notification>;

}  // namespace batfill
