#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/notification.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

// The messages between Batsim and a scheduler, independent of their form on the wire (see codec.hpp). Names are those
// of the Batsim 4 protocol; docs/protocol.md explains each event. Events and fields that only Batsim 5 has keep its
// names; the same page explains how batfill handles them.
namespace batfill::protocol {

// The text of one JSON value without white space between tokens. This program passes it on without interpreting it.
// Decoding prints numbers as Batsim does (integers unchanged, all others with six decimals).
using Json = std::string;

// Names and values in the order of the message.
using Properties = std::vector<std::pair<std::string, std::string>>;

// ---- Events that travel both ways

struct Notify {
    NotificationType type = NotificationType::other;
    std::string other_type;                // type `other`: its name; empty for others
    std::optional<ResourceSet> resources;  // always set for the two event_machine_ types, never for others
    Json other;                            // object with all remaining fields; empty if there are none
    friend bool operator==(const Notify&, const Notify&) = default;
};

// QUERY: `requests` is an object, one member per request, such as {"consumed_energy":{}}.
struct Query {
    Json requests;
    friend bool operator==(const Query&, const Query&) = default;
};

// ANSWER: `data` is an object, one member per answered request, such as {"consumed_energy":12500.000000}.
struct Answer {
    Json data;
    friend bool operator==(const Answer&, const Answer&) = default;
};

// An event of a type that this program does not know or use. `data` is any JSON value, or empty if the event had none.
struct UnknownEvent {
    std::string type;
    Json data;
    friend bool operator==(const UnknownEvent&, const UnknownEvent&) = default;
};

// ---- Events from Batsim to the scheduler

// The first event of Batsim 5, before the simulation begins: the user's text for the scheduler. The scheduler answers
// with Hello.
struct Init {
    std::string text;
    friend bool operator==(const Init&, const Init&) = default;
};

struct Resource {
    int id = 0;
    std::string name;
    std::string state;  // "idle", "sleeping", ...; Batsim 5 has capitals
    Properties properties;
    Properties zone_properties;
    double speed = 0;  // flops per second; 0: not said, as by Batsim 4
    Json other = {};   // object with all remaining fields of Batsim 5; empty if there are none
    friend bool operator==(const Resource&, const Resource&) = default;
};

// The options of the simulation that Batsim sends to the scheduler. The initial values are Batsim's own defaults.
struct Configuration {
    bool redis_enabled = false;
    std::string redis_hostname = "127.0.0.1";
    int redis_port = 6379;
    std::string redis_prefix = "default";
    bool profiles_forwarded_on_submission = false;
    bool dynamic_jobs_enabled = false;
    bool dynamic_jobs_acknowledged = false;
    bool profile_reuse_enabled = false;
    std::string sched_config;  // the user's text for the scheduler (--sched-cfg), passed on as it is
    bool forward_unknown_events = false;
    friend bool operator==(const Configuration&, const Configuration&) = default;
};

// The wire's nb_resources, nb_compute_resources and nb_storage_resources are the sizes of the lists.
struct SimulationBegins {
    bool allow_compute_sharing = false;
    bool allow_storage_sharing = true;
    Configuration config;
    std::vector<Resource> compute_resources;  // ids are distinct, not negative, and not those of storage_resources
    std::vector<Resource> storage_resources;
    Properties workloads;  // name ("w0") and file of each
    Json profiles = "{}";  // object: workload name -> profile name -> profile; of Batsim 5 an array of profiles
    Json other;            // object with all remaining fields of Batsim 5; empty if there are none
    friend bool operator==(const SimulationBegins&, const SimulationBegins&) = default;
};

struct SimulationEnds {
    friend bool operator==(const SimulationEnds&, const SimulationEnds&) = default;
};

// JOB_SUBMITTED. Encoding prints `source`, and only the id of `job`.
struct JobSubmitted {
    JobDescription job;  // what `source` says; its id is the event's `job_id`
    Json source;         // the job object, with fields unknown to this program
    Json profile;        // the job's profile; empty unless Batsim forwards profiles
    friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
};

// The return code is -1 or -2 for kills of several kinds. Only `state` tells what happened.
struct JobCompleted {
    std::string job_id;
    JobState state = JobState::completed_successfully;
    int return_code = 0;
    ResourceSet allocation;
    friend bool operator==(const JobCompleted&, const JobCompleted&) = default;
};

// JOB_KILLED: the answer to KILL_JOB. The JobCompleted of jobs that were running comes just before it.
struct JobKilled {
    std::vector<std::string> job_ids;
    Json progress = "{}";  // object: job id -> how far each of its tasks was; of Batsim 5 progresses and profiles
    friend bool operator==(const JobKilled&, const JobKilled&) = default;
};

struct RequestedCall {
    std::string id;              // id of the CallMeLater; Batsim 4 has none
    bool last_periodic = false;  // whether it is the last of a finite number of periodic calls
    friend bool operator==(const RequestedCall&, const RequestedCall&) = default;
};

struct ResourceStateChanged {
    ResourceSet resources;
    int pstate = 0;
    friend bool operator==(const ResourceStateChanged&, const ResourceStateChanged&) = default;
};

struct HostsTurnedOnOff {
    ResourceSet resources;
    int state = 0;  // the number of the new pstate
    friend bool operator==(const HostsTurnedOnOff&, const HostsTurnedOnOff&) = default;
};

// FROM_JOB_MSG: a job with a `send` profile sends a message to the scheduler. `message` is any JSON value.
struct FromJobMessage {
    std::string job_id;
    Json message;
    friend bool operator==(const FromJobMessage&, const FromJobMessage&) = default;
};

// One event; `timestamp` is never after the message's `now`.
struct Event {
    using Data =
        std::variant<SimulationBegins, SimulationEnds, JobSubmitted, JobCompleted, JobKilled, RequestedCall, Notify,
                     ResourceStateChanged, Query, Answer, FromJobMessage, UnknownEvent, Init, HostsTurnedOnOff>;
    Time timestamp;
    Data data;
    friend bool operator==(const Event&, const Event&) = default;
};

// What Batsim sends. The events are in the order of time.
struct Message {
    Time now;
    std::vector<Event> events;
    friend bool operator==(const Message&, const Message&) = default;
};

// ---- Events from the scheduler to Batsim

// The answer to Init. It names the scheduler and the features that it requests from Batsim, which are command-line
// options of Batsim 4.
struct Hello {
    std::string name;
    std::string version;
    std::string commit;
    bool dynamic_registration = false;
    bool profile_reuse = false;
    bool acknowledge_dynamic_jobs = false;
    bool forward_profiles_on_job_submission = false;
    bool forward_profiles_on_jobs_killed = false;
    bool forward_profiles_on_simulation_begins = false;
    friend bool operator==(const Hello&, const Hello&) = default;
};

// `allocation` is not empty.
struct ExecuteJob {
    std::string job_id;
    ResourceSet allocation;
    Json other;  // object with all remaining fields, such as mapping or storage_mapping; empty if there are none
    Json placement = {};  // Batsim 5: object that says where on its hosts the job runs; empty: by default
    friend bool operator==(const ExecuteJob&, const ExecuteJob&) = default;
};

struct RejectJob {
    std::string job_id;
    friend bool operator==(const RejectJob&, const RejectJob&) = default;
};

// `job_ids` is not empty.
struct KillJob {
    std::vector<std::string> job_ids;
    friend bool operator==(const KillJob&, const KillJob&) = default;
};

// CALL_ME_LATER: Batsim sends a RequestedCall at `when`. Batsim 4 aborts if that is not after its clock. Batsim 5 calls
// only at whole milliseconds, and `when` is rounded up to one.
struct CallMeLater {
    Time when;
    std::string id = {};  // id of the RequestedCall, not used before; Batsim 4 has none
    Json period = {};     // Batsim 5: object with all fields of a periodic call, under its names; then `when` is 0
    friend bool operator==(const CallMeLater&, const CallMeLater&) = default;
};

struct SetResourceState {
    ResourceSet resources;  // not empty
    int pstate = 0;
    friend bool operator==(const SetResourceState&, const SetResourceState&) = default;
};

// `state` is the number of a pstate.
struct TurnOnOffHosts {
    ResourceSet resources;  // not empty
    int state = 0;
    friend bool operator==(const TurnOnOffHosts&, const TurnOnOffHosts&) = default;
};

// Ends periodic calls. Other calls cannot be cancelled.
struct StopCallMeLater {
    std::string id;
    friend bool operator==(const StopCallMeLater&, const StopCallMeLater&) = default;
};

// Only the end of the simulation follows.
struct ForceSimulationStop {
    friend bool operator==(const ForceSimulationStop&, const ForceSimulationStop&) = default;
};

// SET_JOB_METADATA: `metadata` goes into the jobs' CSV; without double quotes.
struct SetJobMetadata {
    std::string job_id;
    std::string metadata;
    friend bool operator==(const SetJobMetadata&, const SetJobMetadata&) = default;
};

struct ChangeJobState {
    std::string job_id;
    JobState state = JobState::submitted;
    friend bool operator==(const ChangeJobState&, const ChangeJobState&) = default;
};

// REGISTER_JOB. Encoding prints `source`, and only the id of `job`. If `source` is empty, it prints `job`.
struct RegisterJob {
    JobDescription job;  // what `source` says; its id is the event's `job_id` ("workload!name")
    Json source;         // the job object, in which `id` may lack the workload's name; or empty
    friend bool operator==(const RegisterJob&, const RegisterJob&) = default;
};

struct RegisterProfile {
    std::string workload_name;
    std::string profile_name;
    Json profile;
    friend bool operator==(const RegisterProfile&, const RegisterProfile&) = default;
};

// TO_JOB_MSG: the scheduler sends a message to a job with a `recv` profile.
struct ToJobMessage {
    std::string job_id;
    std::string message;
    friend bool operator==(const ToJobMessage&, const ToJobMessage&) = default;
};

// One event; `timestamp` is never after the reply's `now` (Batsim aborts).
struct ReplyEvent {
    using Data = std::variant<ExecuteJob, RejectJob, KillJob, CallMeLater, SetResourceState, SetJobMetadata,
                              ChangeJobState, RegisterJob, RegisterProfile, Notify, Query, Answer, ToJobMessage,
                              UnknownEvent, Hello, TurnOnOffHosts, StopCallMeLater, ForceSimulationStop>;
    Time timestamp;
    Data data;
    friend bool operator==(const ReplyEvent&, const ReplyEvent&) = default;
};

// What the scheduler sends: exactly one reply for each Message, even if it decides nothing.
struct Reply {
    Time now;
    std::vector<ReplyEvent> events;
    friend bool operator==(const Reply&, const Reply&) = default;
};

}  // namespace batfill::protocol
