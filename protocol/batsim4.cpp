#include "protocol/batsim4.hpp"

#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/numbers.hpp"

namespace batfill::protocol {

namespace {

// ---- Decoding: one function per event type

JobDescription job(EventData& data) {
    JobDescription description = read_job(data.fields.object("job"), "data.job.");
    description.id = data.fields.text("job_id");
    return description;
}

// The number of a pstate, which Batsim writes as a text.
int pstate(EventData& data) {
    const auto number = number_in<int>(data.fields.text("state"));
    if (!number || *number < 0) {
        data.fields.fail("state", "the number of a pstate, as text");
    }
    return *number;
}

std::map<std::string, std::string> properties(Fields& fields, std::string_view name) {
    std::map<std::string, std::string> result;
    if (fields.find(name) == nullptr) {
        return result;
    }
    for (const auto& member : fields.object(name).GetObject()) {
        if (!member.value.IsString()) {
            fields.fail(name, "an object with texts");
        }
        result.emplace(view(member.name), view(member.value));
    }
    return result;
}

void read_rest_of_host(Fields& fields, Host&, WarnOnce& warn) {
    fields.ignore("state");
    fields.warn_of_unread(warn);
}

constexpr HostFormat host_format{"data",     "compute_resources", "storage_resources",
                                 "resource", properties,          read_rest_of_host};

Options options(EventData& data) {
    Fields fields(data.fields.object("config"), "data.config.");
    Options options;
    fields.optional("redis-enabled", options.redis_enabled);
    fields.optional("dynamic-jobs-enabled", options.dynamic_jobs_enabled);
    fields.optional("dynamic-jobs-acknowledged", options.dynamic_jobs_acknowledged);
    fields.optional("profile-reuse-enabled", options.profile_reuse_enabled);
    fields.optional("sched-config", options.scheduler_configuration);
    fields.ignore("redis-hostname", "redis-port", "redis-prefix", "profiles-forwarded-on-submission",
                  "forward-unknown-events");
    fields.warn_of_unread(data.warn);
    return options;
}

SimulationBegins simulation_begins(EventData& data) {
    SimulationBegins begins;
    begins.options = options(data);
    read_hosts(data, host_format, begins);
    data.fields.ignore("allow_compute_sharing", "allow_storage_sharing", "nb_compute_resources", "nb_storage_resources",
                       "nb_resources", "workloads", "profiles");
    return begins;
}

JobSubmitted job_submitted(EventData& data) {
    JobDescription description = job(data);
    data.fields.ignore("profile");
    return {data.ids.number_of(description.id), std::move(description)};
}

JobCompleted job_completed(EventData& data) {
    data.fields.ignore("return_code", "alloc");  // the engine knows which processors a job has
    return {job_number(data), job_state(data, "job_state")};
}

JobsKilled job_killed(EventData& data) {
    data.fields.ignore("job_progress");
    return {job_numbers(data)};
}

MessageEvent::Data notify(EventData& data) {
    const NotificationType type = parse_notification_type(data.fields.text("type"));
    data.fields.ignore_rest();
    if (type == NotificationType::event_machine_available || type == NotificationType::event_machine_unavailable) {
        return MachineChanged{data.fields.resources("resources"), type == NotificationType::event_machine_available};
    }
    return Notification{type, {}, {}};
}

ResourceStateChanged resource_state_changed(EventData& data) {
    ResourceSet resources = data.fields.resources("resources");
    return {std::move(resources), pstate(data)};
}

using FromBatsim = MessageEvent::Data;
constexpr std::array<EventType<FromBatsim>, 11> batsim_events{{
    {"JOB_SUBMITTED", as<FromBatsim, job_submitted>},
    {"JOB_COMPLETED", as<FromBatsim, job_completed>},
    {"REQUESTED_CALL", empty<FromBatsim, RequestedCall>},
    {"NOTIFY", notify},
    {"JOB_KILLED", as<FromBatsim, job_killed>},
    {"SIMULATION_BEGINS", as<FromBatsim, simulation_begins>},
    {"SIMULATION_ENDS", empty<FromBatsim, SimulationEnds>},
    {"RESOURCE_STATE_CHANGED", as<FromBatsim, resource_state_changed>},
    {"QUERY", ignored<FromBatsim>},
    {"ANSWER", ignored<FromBatsim>},
    {"FROM_JOB_MSG", ignored<FromBatsim>},
}};

// Ignores fields of the scheduler's events that the simulator does not use.
ResourceSet some_resources(EventData& data, std::string_view name) {
    ResourceSet set = data.fields.resources(name);
    if (set.empty()) {
        data.fields.fail(name, "at least one resource");
    }
    return set;
}

Decision start_job(EventData& data) {
    data.fields.ignore_rest();
    const JobNumber job = job_number(data);
    return StartJob{job, some_resources(data, "alloc")};
}

Decision reject_job(EventData& data) {
    return RejectJob{job_number(data), {}, RejectionCause::other};
}

Decision kill_jobs(EventData& data) {
    KillJobs kill{job_numbers(data)};
    if (kill.jobs.empty()) {
        data.fields.fail("job_ids", "at least one job");
    }
    return kill;
}

Decision call_me_later(EventData& data) {
    return CallMeLater{data.fields.time("timestamp")};
}

Decision set_resource_state(EventData& data) {
    ResourceSet resources = some_resources(data, "resources");
    return SetResourceState{std::move(resources), pstate(data)};
}

Decision set_job_metadata(EventData& data) {
    const JobNumber job = job_number(data);
    return SetJobMetadata{job, std::string(data.fields.text("metadata"))};
}

// Batsim reports the job under the id of the event.
Decision register_job(EventData& data) {
    JobDescription description = job(data);
    std::string source;
    append_job(data.fields.object("job"), description.id, source);
    const JobNumber number = data.ids.number_of(description.id);
    return RegisterJob{number, std::move(description), std::move(source)};
}

Decision register_profile(EventData& data) {
    return RegisterProfile{std::string(data.fields.text("workload_name")),
                           std::string(data.fields.text("profile_name")), json_text(data.fields.object("profile"))};
}

ReplyEvent::Data notification(EventData& data) {
    const NotificationType type = parse_notification_type(data.fields.text("type"));
    data.fields.ignore_rest();
    if (type == NotificationType::registration_finished || type == NotificationType::continue_registration) {
        return Decision(Notification{type, {}, {}});
    }
    return Ignored{};
}

using FromScheduler = ReplyEvent::Data;
constexpr std::array<EventType<FromScheduler>, 13> scheduler_events{{
    {"EXECUTE_JOB", as<FromScheduler, start_job>},
    {"REJECT_JOB", as<FromScheduler, reject_job>},
    {"CALL_ME_LATER", as<FromScheduler, call_me_later>},
    {"KILL_JOB", as<FromScheduler, kill_jobs>},
    {"SET_RESOURCE_STATE", as<FromScheduler, set_resource_state>},
    {"SET_JOB_METADATA", as<FromScheduler, set_job_metadata>},
    {"REGISTER_JOB", as<FromScheduler, register_job>},
    {"REGISTER_PROFILE", as<FromScheduler, register_profile>},
    {"NOTIFY", notification},
    {"CHANGE_JOB_STATE", ignored<FromScheduler>},
    {"QUERY", ignored<FromScheduler>},
    {"ANSWER", ignored<FromScheduler>},
    {"TO_JOB_MSG", ignored<FromScheduler>},
}};

// ---- Encoding of replies: one function per decision

class Batsim4Reply : public ReplyWriter {
 public:
    using ReplyWriter::ReplyWriter;

    void operator()(const StartJob& start) {
        begin("EXECUTE_JOB", start.job);
        resources("alloc", start.allocation);
    }
    void operator()(const RejectJob& reject) { begin("REJECT_JOB", reject.job); }
    void operator()(const KillJobs& kill) { begin("KILL_JOB", kill.jobs); }
    void operator()(const CallMeLater& call) {
        begin("CALL_ME_LATER");
        name("timestamp");
        call.time.append_to(out());
    }
    void operator()(const SetResourceState& sets) {
        begin("SET_RESOURCE_STATE");
        resources("resources", sets.processors);
        text("state", std::to_string(sets.pstate));
    }
    void operator()(const SetJobMetadata& sets) {
        begin("SET_JOB_METADATA", sets.job);
        text("metadata", sets.metadata);
    }
    void operator()(const RegisterJob& registers) {
        begin("REGISTER_JOB", registers.job);
        name("job");
        append_job(registers.description, JobIdParts(registers.description.id).name, out());
    }
    void operator()(const RegisterProfile& registers) {
        begin("REGISTER_PROFILE");
        text("workload_name", registers.workload);
        text("profile_name", registers.name);
        json("profile", registers.source);
    }
    void operator()(const Notification& notification) {
        begin("NOTIFY");
        text("type", to_string(notification.type));
    }
};

class Batsim4Codec final : public Codec {
 public:
    Message& decode(std::string_view frame) override {
        EnvelopeDecoder<Message, MessageEvent, batsim_events.size()>(batsim_events, batsim4_field_names, true,
                                                                     reader_.warn, ids_)
            .decode(parse_frame(frame, reader_.json), message_);
        return message_;
    }
    using Codec::encode;
    void encode(Time now, const std::vector<Decision>& decisions, std::string& frame) override {
        frame.clear();
        write_reply(Batsim4Reply(frame, batsim4_field_names, now.to_string(), ids_), decisions);
    }
    void encode_refusal(const std::string& problem, std::string& frame) override {
        frame.clear();
        append_refusal(problem, batsim4_field_names, frame);
    }

 private:
    ReaderState reader_;
    Message message_;
};

bool opens_simulation(std::string_view frame) {
    return frame.find(R"("SIMULATION_BEGINS")") != std::string_view::npos;
}

const ProtocolRegistration registration(
    "batsim4", [] { return std::make_unique<Batsim4Codec>(); }, opens_simulation);

}  // namespace

Reply& ReplyReader::read(std::string_view frame) {
    ids_.shrink(0);
    // Decisions need not be in order: Batsim applies one whose time has passed at once.
    EnvelopeDecoder<Reply, ReplyEvent, scheduler_events.size()>(scheduler_events, batsim4_field_names, false,
                                                                state_.warn, ids_)
        .decode(parse_frame(frame, state_.json), reply_);
    return reply_;
}

}  // namespace batfill::protocol
