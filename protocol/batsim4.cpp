#include <charconv>
#include <set>

#include "protocol/json_frames.hpp"
#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"

namespace batfill::protocol {

namespace {

// ---- Decoding: one function per event type

JobDescription job(EventData& data) {
    JobDescription description = read_job(data.fields.object("job"), "data.job.");
    description.id = job_id(data);
    return description;
}

Properties properties(Fields& fields, std::string_view name) {
    Properties result;
    for (const auto& member : fields.object(name).GetObject()) {
        if (!member.value.IsString()) {
            fields.fail(name, "an object with texts");
        }
        result.emplace_back(view(member.name), view(member.value));
    }
    return result;
}

std::vector<Resource> resources(EventData& data, std::string_view name, std::string_view path, std::set<int>& ids) {
    std::vector<Resource> result;
    for (const auto& object : data.fields.array(name).GetArray()) {
        if (!object.IsObject()) {
            data.fields.fail(name, "an array of objects");
        }
        Fields fields(object, path);
        Resource resource;
        resource.id = fields.integer("id");
        if (resource.id < 0 || !ids.insert(resource.id).second) {
            fields.fail("id", "a number that no other resource has");
        }
        resource.name = fields.text("name");
        fields.optional("state", resource.state);
        if (fields.find("properties") != nullptr) {
            resource.properties = properties(fields, "properties");
        }
        if (fields.find("zone_properties") != nullptr) {
            resource.zone_properties = properties(fields, "zone_properties");
        }
        fields.warn_of_unread(data.warn);
        result.push_back(std::move(resource));
    }
    return result;
}

Configuration configuration(EventData& data) {
    Fields fields(data.fields.object("config"), "data.config.");
    Configuration config;
    fields.optional("redis-enabled", config.redis_enabled);
    fields.optional("redis-hostname", config.redis_hostname);
    fields.optional("redis-port", config.redis_port);
    fields.optional("redis-prefix", config.redis_prefix);
    fields.optional("profiles-forwarded-on-submission", config.profiles_forwarded_on_submission);
    fields.optional("dynamic-jobs-enabled", config.dynamic_jobs_enabled);
    fields.optional("dynamic-jobs-acknowledged", config.dynamic_jobs_acknowledged);
    fields.optional("profile-reuse-enabled", config.profile_reuse_enabled);
    fields.optional("sched-config", config.sched_config);
    fields.optional("forward-unknown-events", config.forward_unknown_events);
    fields.warn_of_unread(data.warn);
    return config;
}

void check_count(EventData& data, std::string_view name, std::size_t count) {
    if (const auto* value = data.fields.find(name);
        value != nullptr && (!value->IsUint64() || value->GetUint64() != count)) {
        data.fields.fail(name, "the number of resources listed, " + std::to_string(count));
    }
}

SimulationBegins simulation_begins(EventData& data) {
    SimulationBegins begins;
    data.fields.optional("allow_compute_sharing", begins.allow_compute_sharing);
    data.fields.optional("allow_storage_sharing", begins.allow_storage_sharing);
    begins.config = configuration(data);
    std::set<int> ids;
    begins.compute_resources = resources(data, "compute_resources", "data.compute_resources.", ids);
    if (data.fields.find("storage_resources") != nullptr) {
        begins.storage_resources = resources(data, "storage_resources", "data.storage_resources.", ids);
    }
    check_count(data, "nb_compute_resources", begins.compute_resources.size());
    check_count(data, "nb_storage_resources", begins.storage_resources.size());
    check_count(data, "nb_resources", begins.compute_resources.size() + begins.storage_resources.size());
    begins.workloads = properties(data.fields, "workloads");
    begins.profiles = json_text(data.fields.object("profiles"));
    return begins;
}

JobSubmitted job_submitted(EventData& data) {
    JobSubmitted submitted;
    submitted.job = job(data);
    submitted.source = json_text(data.fields.object("job"));
    if (data.fields.find("profile") != nullptr) {
        submitted.profile = json_text(data.fields.object("profile"));
    }
    return submitted;
}

JobCompleted job_completed(EventData& data) {
    return {job_id(data), job_state(data, "job_state"), data.fields.integer("return_code"),
            data.fields.resources("alloc")};
}

JobKilled job_killed(EventData& data) {
    return {job_ids(data), json_text(data.fields.object("job_progress"))};
}

Notify notify(EventData& data) {
    Notify event;
    const std::string_view name = data.fields.text("type");
    event.type = parse_notification_type(name);
    if (event.type == NotificationType::other) {
        event.other_type = name;
    }
    if (event.type == NotificationType::event_machine_available ||
        event.type == NotificationType::event_machine_unavailable) {
        event.resources = data.fields.resources("resources");
    }
    event.other = data.fields.rest();
    return event;
}

// A number of a pstate, which is a text.
int pstate(EventData& data) {
    const std::string_view text = data.fields.text("state");
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) {
        data.fields.fail("state", "the number of a pstate, as text");
    }
    return number;
}

ResourceStateChanged resource_state_changed(EventData& data) {
    ResourceSet resources = data.fields.resources("resources");
    return {std::move(resources), pstate(data)};
}

Query query(EventData& data) {
    return {json_text(data.fields.object("requests"))};
}

Answer answer(EventData& data) {
    Json answers = data.fields.rest();
    return {answers.empty() ? "{}" : std::move(answers)};
}

FromJobMessage from_job_message(EventData& data) {
    return {job_id(data), json_text(data.fields.any("msg"))};
}

ExecuteJob execute_job(EventData& data) {
    ExecuteJob event{job_id(data), some_resources(data.fields, "alloc"), {}};
    event.other = data.fields.rest();
    return event;
}

RejectJob reject_job(EventData& data) {
    return {job_id(data)};
}

KillJob kill_job(EventData& data) {
    return {some_job_ids(data)};
}

CallMeLater call_me_later(EventData& data) {
    return {data.fields.time("timestamp"), {}, {}};
}

SetResourceState set_resource_state(EventData& data) {
    ResourceSet resources = some_resources(data.fields, "resources");
    return {std::move(resources), pstate(data)};
}

SetJobMetadata set_job_metadata(EventData& data) {
    return {job_id(data), std::string(data.fields.text("metadata"))};
}

ChangeJobState change_job_state(EventData& data) {
    return {job_id(data), job_state(data, "job_state")};
}

RegisterJob register_job(EventData& data) {
    return {job(data), json_text(data.fields.object("job"))};
}

RegisterProfile register_profile(EventData& data) {
    return {std::string(data.fields.text("workload_name")), std::string(data.fields.text("profile_name")),
            json_text(data.fields.object("profile"))};
}

ToJobMessage to_job_message(EventData& data) {
    return {job_id(data), std::string(data.fields.text("msg"))};
}

using FromBatsim = Event::Data;
constexpr std::array<EventType<FromBatsim>, 11> batsim_events{{
    {"JOB_SUBMITTED", as<FromBatsim, job_submitted>},
    {"JOB_COMPLETED", as<FromBatsim, job_completed>},
    {"REQUESTED_CALL", empty<FromBatsim, RequestedCall>},
    {"NOTIFY", as<FromBatsim, notify>},
    {"JOB_KILLED", as<FromBatsim, job_killed>},
    {"SIMULATION_BEGINS", as<FromBatsim, simulation_begins>},
    {"SIMULATION_ENDS", empty<FromBatsim, SimulationEnds>},
    {"RESOURCE_STATE_CHANGED", as<FromBatsim, resource_state_changed>},
    {"QUERY", as<FromBatsim, query>},
    {"ANSWER", as<FromBatsim, answer>},
    {"FROM_JOB_MSG", as<FromBatsim, from_job_message>},
}};

using FromScheduler = ReplyEvent::Data;
constexpr std::array<EventType<FromScheduler>, 13> scheduler_events{{
    {"EXECUTE_JOB", as<FromScheduler, execute_job>},
    {"REJECT_JOB", as<FromScheduler, reject_job>},
    {"CALL_ME_LATER", as<FromScheduler, call_me_later>},
    {"KILL_JOB", as<FromScheduler, kill_job>},
    {"SET_RESOURCE_STATE", as<FromScheduler, set_resource_state>},
    {"SET_JOB_METADATA", as<FromScheduler, set_job_metadata>},
    {"CHANGE_JOB_STATE", as<FromScheduler, change_job_state>},
    {"REGISTER_JOB", as<FromScheduler, register_job>},
    {"REGISTER_PROFILE", as<FromScheduler, register_profile>},
    {"NOTIFY", as<FromScheduler, notify>},
    {"QUERY", as<FromScheduler, query>},
    {"ANSWER", as<FromScheduler, answer>},
    {"TO_JOB_MSG", as<FromScheduler, to_job_message>},
}};

constexpr EventFieldNames field_names{"type", "data"};

// ---- Encoding: one function per event type, which appends type and data

class Encoder : public EventEncoder<Encoder> {
 public:
    explicit Encoder(std::string& out) : EventEncoder(out, field_names) {}

    using EventEncoder::operator();

    void operator()(const Notify& event) {
        begin("NOTIFY");
        text("type", event.type == NotificationType::other ? event.other_type : to_string(event.type));
        if (event.resources) {
            resources("resources", *event.resources);
        }
        fields_of(event.other);
    }
    void operator()(const Query& event) {
        begin("QUERY");
        json("requests", event.requests);
    }
    void operator()(const Answer& event) {
        begin("ANSWER");
        fields_of(event.data);
    }

    void operator()(const SimulationBegins& event) {
        begin("SIMULATION_BEGINS");
        integer("nb_resources", event.compute_resources.size() + event.storage_resources.size());
        integer("nb_compute_resources", event.compute_resources.size());
        integer("nb_storage_resources", event.storage_resources.size());
        boolean("allow_compute_sharing", event.allow_compute_sharing);
        boolean("allow_storage_sharing", event.allow_storage_sharing);
        open("config", '{');
        boolean("redis-enabled", event.config.redis_enabled);
        text("redis-hostname", event.config.redis_hostname);
        integer("redis-port", event.config.redis_port);
        text("redis-prefix", event.config.redis_prefix);
        boolean("profiles-forwarded-on-submission", event.config.profiles_forwarded_on_submission);
        boolean("dynamic-jobs-enabled", event.config.dynamic_jobs_enabled);
        boolean("dynamic-jobs-acknowledged", event.config.dynamic_jobs_acknowledged);
        boolean("profile-reuse-enabled", event.config.profile_reuse_enabled);
        text("sched-config", event.config.sched_config);
        boolean("forward-unknown-events", event.config.forward_unknown_events);
        close('}');
        machines("compute_resources", event.compute_resources);
        machines("storage_resources", event.storage_resources);
        properties("workloads", event.workloads);
        json("profiles", event.profiles);
    }
    void operator()(const SimulationEnds&) { begin("SIMULATION_ENDS"); }
    void operator()(const JobSubmitted& event) {
        begin("JOB_SUBMITTED");
        text("job_id", event.job.id);
        json("job", event.source);
        if (!event.profile.empty()) {
            json("profile", event.profile);
        }
    }
    void operator()(const JobCompleted& event) {
        begin("JOB_COMPLETED");
        text("job_id", event.job_id);
        text("job_state", to_string(event.state));
        integer("return_code", event.return_code);
        resources("alloc", event.allocation);
    }
    void operator()(const JobKilled& event) {
        begin("JOB_KILLED");
        texts("job_ids", event.job_ids);
        json("job_progress", event.progress);
    }
    void operator()(const RequestedCall&) { begin("REQUESTED_CALL"); }
    void operator()(const ResourceStateChanged& event) {
        begin("RESOURCE_STATE_CHANGED");
        resources("resources", event.resources);
        text("state", std::to_string(event.pstate));
    }
    void operator()(const FromJobMessage& event) {
        begin("FROM_JOB_MSG");
        text("job_id", event.job_id);
        json("msg", event.message);
    }

    void operator()(const ExecuteJob& event) {
        begin("EXECUTE_JOB");
        text("job_id", event.job_id);
        resources("alloc", event.allocation);
        fields_of(event.other);
    }
    void operator()(const RejectJob& event) {
        begin("REJECT_JOB");
        text("job_id", event.job_id);
    }
    void operator()(const KillJob& event) {
        begin("KILL_JOB");
        texts("job_ids", event.job_ids);
    }
    void operator()(const CallMeLater& event) {
        begin("CALL_ME_LATER");
        name("timestamp");
        event.when.append_to(out());
    }
    void operator()(const SetResourceState& event) {
        begin("SET_RESOURCE_STATE");
        resources("resources", event.resources);
        text("state", std::to_string(event.pstate));
    }
    void operator()(const SetJobMetadata& event) {
        begin("SET_JOB_METADATA");
        text("job_id", event.job_id);
        text("metadata", event.metadata);
    }
    void operator()(const ChangeJobState& event) {
        begin("CHANGE_JOB_STATE");
        text("job_id", event.job_id);
        text("job_state", to_string(event.state));
    }
    void operator()(const RegisterJob& event) {
        begin("REGISTER_JOB");
        text("job_id", event.job.id);
        if (event.source.empty()) {
            name("job");
            append_job(event.job, JobIdParts(event.job.id).name, out());
        } else {
            json("job", event.source);
        }
    }
    void operator()(const RegisterProfile& event) {
        begin("REGISTER_PROFILE");
        text("workload_name", event.workload_name);
        text("profile_name", event.profile_name);
        json("profile", event.profile);
    }
    void operator()(const ToJobMessage& event) {
        begin("TO_JOB_MSG");
        text("job_id", event.job_id);
        text("msg", event.message);
    }

 private:
    void properties(std::string_view field, const Properties& values) {
        open(field, '{');
        for (const auto& [key, value] : values) {
            separate();
            append_json_string(key, out());
            out() += ':';
            append_json_string(value, out());
        }
        close('}');
    }
    void machines(std::string_view field, const std::vector<Resource>& values) {
        open(field, '[');
        for (const Resource& machine : values) {
            separate();
            out() += '{';
            integer("id", machine.id);
            text("name", machine.name);
            text("state", machine.state);
            properties("properties", machine.properties);
            properties("zone_properties", machine.zone_properties);
            close('}');
        }
        close(']');
    }
};

class Batsim4Codec final : public Codec {
 public:
    Message decode_message(std::string_view frame) override {
        return EnvelopeDecoder<Message, Event, batsim_events.size()>(batsim_events, field_names, true, warn_)
            .decode(parse_frame(frame, reader_));
    }
    void encode_message(const Message& message, std::string& frame) override {
        frame.clear();
        Encoder(frame).envelope(message);
    }
    Reply decode_reply(std::string_view frame) override {
        // Of a reply, Batsim applies at once what should have come before.
        return EnvelopeDecoder<Reply, ReplyEvent, scheduler_events.size()>(scheduler_events, field_names, false, warn_)
            .decode(parse_frame(frame, reader_));
    }
    void encode_reply(const Reply& reply, std::string& frame) override {
        frame.clear();
        Encoder(frame).envelope(reply);
    }
    void encode_refusal(const std::string& problem, std::string& frame) override {
        frame.clear();
        append_refusal(problem, field_names, frame);
    }

 private:
    JsonReader reader_;
    WarnOnce warn_;
};

bool opens_simulation(std::string_view frame) {
    return frame.find(R"("SIMULATION_BEGINS")") != std::string_view::npos;
}

const ProtocolRegistration registration(
    "batsim4", [] { return std::make_unique<Batsim4Codec>(); }, opens_simulation);

}  // namespace

}  // namespace batfill::protocol
