#pragma once

#include <string>
#include <variant>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/job_state.hpp>
#include <batfill/core/notification.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

// What a scheduler is told and what it decides, as the engine, the simulator and the daemon say it to each other. Names
// are Batsim's. Jobs are named by their number: in the engine in the order in which they arrive, in the simulator their
// number in the scenario. Who stands between two of them changes the number and passes the same object on.
namespace batfill {

// ---- Said in both directions

// Of all types but event_machine_available and event_machine_unavailable, which are a MachineChanged.
struct Notification {
    NotificationType type = NotificationType::other;
    std::string other_type;    // type `other`: its name
    std::string other_fields;  // type `other`: a JSON object with all that it says beside its name, or empty
};

// ---- Events: what a scheduler is told

struct JobSubmitted {
    JobIndex job = 0;
    SharedJobDescription description;
    // How long it would run if nothing stopped it, which only a simulator knows, and only if that is the same on all
    // hosts. Schedulers that are to be as blind as those of a real machine must not look.
    std::optional<Duration> run_time = {};
};

// A running job came to an end.
struct JobCompleted {
    JobIndex job = 0;
    JobState state = JobState::completed_successfully;  // one of the four completed_*
};

// KillJobs was done. Jobs of these that still ran end with it, unless their JobCompleted came before.
struct JobsKilled {
    std::vector<JobIndex> jobs;
};

// Processors became available or unavailable.
struct MachineChanged {
    ResourceSet processors;
    bool available = false;
};

// A SetResourceState was done, which has taken its time.
struct ResourceStateChanged {
    ResourceSet processors;
    int pstate = 0;
};

// The time of a CallMeLater has come.
struct RequestedCall {};

struct Event {
    Time timestamp;  // never after the time of the message that brings the event
    std::variant<JobSubmitted, JobCompleted, JobsKilled, MachineChanged, ResourceStateChanged, RequestedCall,
                 Notification>
        data;
};

// ---- Decisions: what a scheduler wants done

struct StartJob {
    JobIndex job = 0;
    ResourceSet allocation;  // as many processors as the job asked for
};

// Why a job is rejected, as far as the user can change that.
enum class RejectionCause { no_walltime, too_wide_for_machine, other };

struct RejectJob {
    JobIndex job = 0;
    std::string reason;  // for the log, as a predicate ("asks for ..."); may be empty
    RejectionCause cause = RejectionCause::other;
};

struct KillJobs {
    std::vector<JobIndex> jobs;  // not empty
};

// Asks for a message at `time`, which is in the future.
struct CallMeLater {
    Time time;
};

// Adds a profile to a workload, which need not be there, for jobs that are registered behind this.
struct RegisterProfile {
    std::string workload;
    std::string name;    // that no profile of the workload has, or has had
    std::string source;  // a JSON object, as the profiles of a workload of Batsim 4
};

// Submits a job that is in no workload: that of a killed job once more, or one of the scheduler's own. It may be
// started, or rejected, behind this in the same reply.
struct RegisterJob {
    JobIndex job = 0;  // a new number, the next one
    JobDescription description;
    std::string source;  // the job object in the words of a scheduler behind a socket; else empty
};

// `metadata` is a text of the user's own for the column of that name of jobs.csv, without double quotes.
struct SetJobMetadata {
    JobIndex job = 0;
    std::string metadata;
};

// Puts idle processors to sleep, or wakes sleeping ones: a ResourceStateChanged of the same processors tells when all
// of them are there.
struct SetResourceState {
    ResourceSet processors;  // not empty
    int pstate = 0;          // in which they sleep, or computing_pstate
};

using Decision = std::variant<StartJob, RejectJob, KillJobs, CallMeLater, RegisterProfile, RegisterJob, SetJobMetadata,
                              SetResourceState, Notification>;

}  // namespace batfill
