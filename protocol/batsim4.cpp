#include "protocol/batsim4.hpp"

#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/numbers.hpp"

namespace batfill::protocol {

namespace {

using FromBatsim = MessageEvent::Data;
using FromScheduler = ReplyEvent::Data;

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

FromBatsim simulation_begins(EventData& data) {
    SimulationBegins begins;
    Fields fields(data.fields.object("config"), "data.config.");
    begins.options.redis_enabled = fields.boolean("redis-enabled", false);
    begins.options.dynamic_jobs_enabled = fields.boolean("dynamic-jobs-enabled", false);
    begins.options.dynamic_jobs_acknowledged = fields.boolean("dynamic-jobs-acknowledged", false);
    begins.options.profile_reuse_enabled = fields.boolean("profile-reuse-enabled", false);
    begins.options.scheduler_configuration = fields.text("sched-config", "");
    fields.ignore("redis-hostname", "redis-port", "redis-prefix", "profiles-forwarded-on-submission",
                  "forward-unknown-events");
    fields.warn_of_unread(data.warn);
    read_hosts(data, host_format, begins);
    data.fields.ignore("allow_compute_sharing", "allow_storage_sharing", "nb_compute_resources", "nb_storage_resources",
                       "nb_resources", "workloads", "profiles");
    return begins;
}

FromBatsim job_submitted(EventData& data) {
    JobDescription description = job(data);
    data.fields.ignore("profile");
    return JobSubmitted{data.ids.number_of(description.id), std::move(description)};
}

FromBatsim job_completed(EventData& data) {
    data.fields.ignore("return_code", "alloc");  // the engine knows which processors a job has
    return JobCompleted{job_number(data), job_state(data, "job_state")};
}

FromBatsim job_killed(EventData& data) {
    data.fields.ignore("job_progress");
    return JobsKilled{job_numbers(data)};
}

FromBatsim notify(EventData& data) {
    const NotificationType type = parse_notification_type(data.fields.text("type"));
    data.fields.ignore_rest();
    if (type == NotificationType::event_machine_available || type == NotificationType::event_machine_unavailable) {
        return MachineChanged{data.fields.resources("resources"), type == NotificationType::event_machine_available};
    }
    return Notification{type, {}, {}};
}

FromBatsim resource_state_changed(EventData& data) {
    ResourceSet resources = data.fields.resources("resources");
    return ResourceStateChanged{std::move(resources), pstate(data)};
}

constexpr EventType<FromBatsim> batsim_events[] = {
    {"JOB_SUBMITTED", job_submitted},
    {"JOB_COMPLETED", job_completed},
    {"REQUESTED_CALL", [](EventData&) { return FromBatsim(RequestedCall{}); }},
    {"NOTIFY", notify},
    {"JOB_KILLED", job_killed},
    {"SIMULATION_BEGINS", simulation_begins},
    {"SIMULATION_ENDS", [](EventData&) { return FromBatsim(SimulationEnds{}); }},
    {"RESOURCE_STATE_CHANGED", resource_state_changed},
    {"QUERY", ignored<FromBatsim>},
    {"ANSWER", ignored<FromBatsim>},
    {"FROM_JOB_MSG", ignored<FromBatsim>},
};

ResourceSet some_resources(EventData& data, std::string_view name) {
    ResourceSet set = data.fields.resources(name);
    if (set.empty()) {
        data.fields.fail(name, "at least one resource");
    }
    return set;
}

FromScheduler start_job(EventData& data) {
    data.fields.ignore_rest();  // the simulator does not use them
    const JobNumber job = job_number(data);
    return StartJob{job, some_resources(data, "alloc")};
}

FromScheduler reject_job(EventData& data) {
    return RejectJob{job_number(data), {}, RejectionCause::other};
}

FromScheduler kill_jobs(EventData& data) {
    KillJobs kill{job_numbers(data)};
    if (kill.jobs.empty()) {
        data.fields.fail("job_ids", "at least one job");
    }
    return kill;
}

FromScheduler call_me_later(EventData& data) {
    return CallMeLater{data.fields.time("timestamp")};
}

FromScheduler set_resource_state(EventData& data) {
    ResourceSet resources = some_resources(data, "resources");
    return SetResourceState{std::move(resources), pstate(data)};
}

FromScheduler set_job_metadata(EventData& data) {
    const JobNumber job = job_number(data);
    return SetJobMetadata{job, std::string(data.fields.text("metadata"))};
}

// Batsim reports the job under the id of the event.
FromScheduler register_job(EventData& data) {
    JobDescription description = job(data);
    std::string source;
    append_job(data.fields.object("job"), description.id, source);
    const JobNumber number = data.ids.number_of(description.id);
    return RegisterJob{number, std::move(description), std::move(source)};
}

FromScheduler register_profile(EventData& data) {
    return RegisterProfile{std::string(data.fields.text("workload_name")),
                           std::string(data.fields.text("profile_name")), json_text(data.fields.object("profile"))};
}

FromScheduler notification(EventData& data) {
    const NotificationType type = parse_notification_type(data.fields.text("type"));
    data.fields.ignore_rest();
    if (type == NotificationType::registration_finished || type == NotificationType::continue_registration) {
        return Decision(Notification{type, {}, {}});
    }
    return Ignored{};
}

constexpr EventType<FromScheduler> scheduler_events[] = {
    {"EXECUTE_JOB", start_job},
    {"REJECT_JOB", reject_job},
    {"CALL_ME_LATER", call_me_later},
    {"KILL_JOB", kill_jobs},
    {"SET_RESOURCE_STATE", set_resource_state},
    {"SET_JOB_METADATA", set_job_metadata},
    {"REGISTER_JOB", register_job},
    {"REGISTER_PROFILE", register_profile},
    {"NOTIFY", notification},
    {"CHANGE_JOB_STATE", ignored<FromScheduler>},
    {"QUERY", ignored<FromScheduler>},
    {"ANSWER", ignored<FromScheduler>},
    {"TO_JOB_MSG", ignored<FromScheduler>},
};

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
    Message& decode(std::string_view frame) override { return reader_.read(frame, ids_); }
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
    FrameReader<Message> reader_{batsim_events, batsim4_field_names, true};
};

bool opens_simulation(std::string_view frame) {
    return frame.find(R"("SIMULATION_BEGINS")") != std::string_view::npos;
}

const ProtocolRegistration registration(
    "batsim4", [] { return std::make_unique<Batsim4Codec>(); }, opens_simulation);

}  // namespace

// Decisions need not be in order: Batsim applies one whose time has passed at once.
ReplyReader::ReplyReader() : reader_(scheduler_events, batsim4_field_names, false) {}

}  // namespace batfill::protocol
