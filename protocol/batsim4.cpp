#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "protocol/codec.hpp"
#include "src/core/json.hpp"
#include "src/formats/job_json.hpp"

namespace batfill::protocol {

namespace {

Json json_text(const JsonValue& value) {
    Json text;
    append_json(value, text);
    return text;
}

// The `data` of an event while it is decoded.
struct EventData {
    Fields fields;
    WarnOnce& warn;
};

// ---- Decoding: one function per event type

std::string job_id(EventData& data) {
    return std::string(data.fields.text("job_id"));
}

std::vector<std::string> job_ids(EventData& data) {
    std::vector<std::string> ids;
    for (const auto& id : data.fields.array("job_ids").GetArray()) {
        if (!id.IsString()) {
            data.fields.fail("job_ids", "an array of texts");
        }
        ids.emplace_back(view(id));
    }
    return ids;
}

JobState job_state(EventData& data) {
    const auto state = parse_job_state(data.fields.text("job_state"));
    if (!state) {
        data.fields.fail("job_state", "a job state such as \"COMPLETED_SUCCESSFULLY\"");
    }
    return *state;
}

ResourceSet some_resources(EventData& data, std::string_view name) {
    ResourceSet set = data.fields.resources(name);
    if (set.empty()) {
        data.fields.fail(name, "at least one resource");
    }
    return set;
}

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
    return {job_id(data), job_state(data), data.fields.integer("return_code"), data.fields.resources("alloc")};
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

ResourceStateChanged resource_state_changed(EventData& data) {
    return {data.fields.resources("resources"), std::string(data.fields.text("state"))};
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
    ExecuteJob event{job_id(data), some_resources(data, "alloc"), {}};
    event.other = data.fields.rest();
    return event;
}

RejectJob reject_job(EventData& data) {
    return {job_id(data)};
}

KillJob kill_job(EventData& data) {
    KillJob event{job_ids(data)};
    if (event.job_ids.empty()) {
        data.fields.fail("job_ids", "at least one job");
    }
    return event;
}

CallMeLater call_me_later(EventData& data) {
    return {data.fields.time("timestamp")};
}

SetResourceState set_resource_state(EventData& data) {
    return {some_resources(data, "resources"), std::string(data.fields.text("state"))};
}

SetJobMetadata set_job_metadata(EventData& data) {
    return {job_id(data), std::string(data.fields.text("metadata"))};
}

ChangeJobState change_job_state(EventData& data) {
    return {job_id(data), job_state(data)};
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

template <class Data>
struct EventType {
    std::string_view name;
    Data (*decode)(EventData& data);
};

template <class Data, auto decode>
Data as(EventData& data) {
    return decode(data);
}

template <class Data, class Empty>
Data empty(EventData&) {
    return Empty{};
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

// How an error names an event: by its number and type.
std::string place(unsigned number, const JsonValue& event) {
    std::string text = "event " + std::to_string(number);
    if (event.IsObject()) {
        if (const auto type = event.FindMember("type"); type != event.MemberEnd() && type->value.IsString()) {
            text += " (" + quoted(view(type->value)) + ")";
        }
    }
    return text;
}

template <class OneEvent, std::size_t count>
OneEvent decode_event(const JsonValue& value, std::optional<Time> not_before, Time now,
                      const std::array<EventType<typename OneEvent::Data>, count>& types, WarnOnce& warn) {
    if (!value.IsObject()) {
        throw InputError("expected an object");
    }
    Fields fields(value, "");
    OneEvent event;
    event.timestamp = fields.time("timestamp");
    if (event.timestamp > now) {
        fields.fail("timestamp", "a time not after the message's now, " + now.to_string());
    }
    if (not_before && event.timestamp < *not_before) {
        fields.fail("timestamp", "a time not before that of the event before it, " + not_before->to_string());
    }
    const std::string_view name = fields.text("type");
    const auto type = std::find_if(types.begin(), types.end(), [&](const auto& known) { return known.name == name; });
    if (type == types.end()) {
        if (name != refusal_event) {
            warn.unknown("event", name);
        }
        const JsonValue* data = fields.find("data");
        event.data = UnknownEvent{std::string(name), data == nullptr ? Json() : json_text(*data)};
    } else {
        EventData data{Fields(fields.object("data"), "data."), warn};
        event.data = type->decode(data);
        data.fields.warn_of_unread(warn);
    }
    fields.warn_of_unread(warn);
    return event;
}

// A message or a reply.
template <class Envelope, class OneEvent, std::size_t count>
Envelope decode(std::string_view frame, const std::array<EventType<typename OneEvent::Data>, count>& types,
                JsonReader& reader, WarnOnce& warn) {
    if (frame.size() > max_frame_size) {
        throw InputError("a frame of " + std::to_string(frame.size()) + " bytes, expected at most " +
                         std::to_string(max_frame_size));
    }
    const JsonValue& root = reader.parse(frame);
    if (!root.IsObject()) {
        throw InputError("expected a JSON object with now and events");
    }
    Fields fields(root, "");
    Envelope envelope;
    envelope.now = fields.time("now");
    const JsonValue& events = fields.array("events");
    envelope.events.reserve(events.Size());
    for (const auto& event : events.GetArray()) {
        try {
            // Of a reply, Batsim applies at once what should have come before.
            const bool in_order = std::is_same_v<Envelope, Message> && !envelope.events.empty();
            const auto not_before = in_order ? std::optional(envelope.events.back().timestamp) : std::nullopt;
            envelope.events.push_back(decode_event<OneEvent>(event, not_before, envelope.now, types, warn));
        } catch (const InputError& error) {
            throw InputError(place(static_cast<unsigned>(&event - events.Begin()), event) + ": " + error.what());
        }
    }
    fields.warn_of_unread(warn);
    return envelope;
}

// ---- Encoding: one function per event type, which appends type and data

class Encoder {
 public:
    explicit Encoder(std::string& out) : out_(out) {}

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
        out_ += '}';
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
        text("state", event.state);
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
        event.when.append_to(out_);
    }
    void operator()(const SetResourceState& event) {
        begin("SET_RESOURCE_STATE");
        resources("resources", event.resources);
        text("state", event.state);
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
        json("job", event.source);
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

    // A message or a reply.
    template <class Envelope>
    void envelope(const Envelope& content) {
        out_ += R"({"now":)";
        content.now.append_to(out_);
        out_ += R"(,"events":[)";
        for (const auto& event : content.events) {
            separate();
            out_ += R"({"timestamp":)";
            event.timestamp.append_to(out_);
            std::visit([this](const auto& data) { this->event(data); }, event.data);
            out_ += '}';
        }
        out_ += "]}";
    }

 private:
    void event(const UnknownEvent& event) {
        text("type", event.type);
        if (!event.data.empty()) {
            json("data", event.data);
        }
    }
    template <class Data>
    void event(const Data& data) {
        (*this)(data);
        out_ += '}';
    }

    void begin(std::string_view type) { out_.append(R"(,"type":")").append(type).append(R"(","data":{)"); }
    // Writes a comma, unless what was written last opened an object or an array.
    void separate() {
        if (out_.back() != '{' && out_.back() != '[') {
            out_ += ',';
        }
    }
    // Writes a key. Requires a `field` that needs no escapes.
    void name(std::string_view field) {
        separate();
        out_ += '"';
        out_ += field;
        out_ += "\":";
    }
    void open(std::string_view field, char bracket) {
        name(field);
        out_ += bracket;
    }
    void text(std::string_view field, std::string_view value) {
        name(field);
        append_json_string(value, out_);
    }
    void boolean(std::string_view field, bool value) {
        name(field);
        out_ += value ? "true" : "false";
    }
    template <class Integer>
    void integer(std::string_view field, Integer value) {
        name(field);
        out_ += std::to_string(value);
    }
    void json(std::string_view field, const Json& value) {
        name(field);
        out_ += value;
    }
    void resources(std::string_view field, const ResourceSet& value) {
        open(field, '"');
        value.append_to(out_);
        out_ += '"';
    }
    void texts(std::string_view field, const std::vector<std::string>& values) {
        open(field, '[');
        for (const std::string& value : values) {
            separate();
            append_json_string(value, out_);
        }
        out_ += ']';
    }
    void properties(std::string_view field, const Properties& values) {
        open(field, '{');
        for (const auto& [key, value] : values) {
            separate();
            append_json_string(key, out_);
            out_ += ':';
            append_json_string(value, out_);
        }
        out_ += '}';
    }
    void machines(std::string_view field, const std::vector<Resource>& values) {
        open(field, '[');
        for (const Resource& machine : values) {
            separate();
            out_ += '{';
            integer("id", machine.id);
            text("name", machine.name);
            text("state", machine.state);
            properties("properties", machine.properties);
            properties("zone_properties", machine.zone_properties);
            out_ += '}';
        }
        out_ += ']';
    }
    // Writes the fields of `object`, which is empty or an object, into the object that is open.
    void fields_of(const Json& object) {
        if (object.size() > 2) {
            separate();
            out_.append(object, 1, object.size() - 2);
        }
    }

    std::string& out_;
};

class Batsim4Codec final : public Codec {
 public:
    Message decode_message(std::string_view frame) override {
        return decode<Message, Event>(frame, batsim_events, reader_, warn_);
    }
    void encode_message(const Message& message, std::string& frame) override {
        frame.clear();
        Encoder(frame).envelope(message);
    }
    Reply decode_reply(std::string_view frame) override {
        return decode<Reply, ReplyEvent>(frame, scheduler_events, reader_, warn_);
    }
    void encode_reply(const Reply& reply, std::string& frame) override {
        frame.clear();
        Encoder(frame).envelope(reply);
    }
    void encode_refusal(const std::string& problem, std::string& frame) override {
        frame = R"({"now":0.0,"events":[{"timestamp":0.0,"type":"SCHEDULER_ERROR","data":{"message":)";
        append_json_string(problem, frame);
        frame += "}}]}";
    }

 private:
    JsonReader reader_;
    WarnOnce warn_;
};

const ProtocolRegistration registration("batsim4", [] { return std::make_unique<Batsim4Codec>(); });

}  // namespace

}  // namespace batfill::protocol
