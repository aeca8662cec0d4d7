// The JSON flavour of Batsim 5's protocol ("batprotocol"), as Batsim 5.0.0-rc2 writes and reads it. docs/protocol.md
// says what becomes of each event.

#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>

#include "protocol/json_frames.hpp"
#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"

namespace batfill::protocol {

namespace {

constexpr std::string_view batprotocol_version = "1.0.0";
constexpr std::string_view default_placement =
    R"("executor_placement_type":"PredefinedExecutorPlacementStrategyWrapper","executor_placement":{})";

// ---- What stands around the JSON

// In the first exchange over a socket, a number stands before the text: the size of the user's text in Batsim's
// message, the format of the scheduler's messages in the reply. Of the first characters of a JSON text no such number
// comes.
using Number = std::uint32_t;
constexpr Number json_format = 2;
constexpr Number least_of_characters = 0x09090909;

std::optional<Number> leading_number(std::string_view frame) {
    Number number = 0;
    if (frame.size() < sizeof(number)) {
        return std::nullopt;
    }
    std::memcpy(&number, frame.data(), sizeof(number));
    return number < least_of_characters ? std::optional(number) : std::nullopt;
}

void append_number(Number number, std::string& out) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    out.append(bytes, sizeof(number));
}

// Whether the frame is the user's text behind its size.
bool opens_simulation(std::string_view frame) {
    return leading_number(frame) == frame.size() - sizeof(Number);
}

// Batsim's texts end with a zero byte, and ours do, as a text in memory has no other end.
std::string_view without_zero(std::string_view frame) {
    return frame.substr(0, frame.find_last_not_of('\0') + 1);
}

// ---- Decoding: one function per event type

// The fields of the event that nobody has looked for, as an object even if there are none.
Json remaining(EventData& data) {
    Json object = data.fields.rest();
    return object.empty() ? "{}" : std::move(object);
}

std::int64_t integer_between(Fields& fields, std::string_view name, std::int64_t min, std::int64_t max) {
    const JsonValue& value = fields.any(name);
    if (!value.IsInt64() || value.GetInt64() < min || value.GetInt64() > max) {
        fields.fail(name, "an integer in " + std::to_string(min) + ".." + std::to_string(max));
    }
    return value.GetInt64();
}

Properties pairs(Fields& fields, std::string_view name, std::string_view first, std::string_view second) {
    Properties result;
    const std::string path = std::string(name) + '.';
    for (const auto& object : fields.array(name).GetArray()) {
        if (!object.IsObject()) {
            fields.fail(name, "an array of objects");
        }
        Fields pair(object, path);
        result.emplace_back(pair.text(first), pair.text(second));
    }
    return result;
}

// Of the pstate in which the host is.
double speed_of(const JsonValue& host, std::string_view path) {
    Fields fields(host, path);
    int pstate = 0;
    fields.optional("pstate", pstate);
    const JsonValue* speeds = fields.find("computation_speed");
    if (speeds == nullptr) {
        return 0;
    }
    if (!speeds->IsArray() || pstate < 0 || static_cast<unsigned>(pstate) >= speeds->Size() ||
        !(*speeds)[static_cast<unsigned>(pstate)].IsNumber()) {
        fields.fail("computation_speed", "an array of numbers, one for each pstate");
    }
    return (*speeds)[static_cast<unsigned>(pstate)].GetDouble();
}

std::vector<Resource> hosts(EventData& data, std::string_view name, std::string_view path, std::set<int>& ids) {
    std::vector<Resource> result;
    for (const auto& object : data.fields.array(name).GetArray()) {
        if (!object.IsObject()) {
            data.fields.fail(name, "an array of objects");
        }
        Fields fields(object, path);
        Resource host;
        host.id = fields.integer("id");
        if (host.id < 0 || !ids.insert(host.id).second) {
            fields.fail("id", "a number that no other host has");
        }
        host.name = fields.text("name");
        fields.optional("state", host.state);
        for (const auto& [field, properties] :
             {std::pair("properties", &host.properties), std::pair("zone_properties", &host.zone_properties)}) {
            if (fields.find(field) != nullptr) {
                *properties = pairs(fields, field, "key", "value");
            }
        }
        host.speed = speed_of(object, path);
        host.other = fields.rest();
        result.push_back(std::move(host));
    }
    return result;
}

SimulationBegins simulation_begins(EventData& data) {
    SimulationBegins begins;
    std::set<int> ids;
    begins.compute_resources = hosts(data, "computation_hosts", "event.computation_hosts.", ids);
    if (data.fields.find("storage_hosts") != nullptr) {
        begins.storage_resources = hosts(data, "storage_hosts", "event.storage_hosts.", ids);
    }
    if (data.fields.find("workloads") != nullptr) {
        begins.workloads = pairs(data.fields, "workloads", "name", "filename");
    }
    begins.profiles = data.fields.find("profiles") == nullptr ? "[]" : json_text(data.fields.array("profiles"));
    begins.other = data.fields.rest();
    return begins;
}

// All but the time of its submission.
JobDescription job(EventData& data) {
    Fields fields(data.fields.object("job"), "event.job.");
    JobDescription job;
    job.id = job_id(data);
    job.processors = static_cast<int>(integer_between(fields, "resource_request", 0, std::numeric_limits<int>::max()));
    if (const JsonValue* walltime = fields.find("walltime"); walltime != nullptr && !walltime->IsNull()) {
        const Duration length = fields.seconds("walltime");
        if (length >= Duration()) {
            job.walltime = length;
        }
    }
    if (const JsonValue* extra_data = fields.find("extra_data")) {
        read_extra_data(*extra_data, "event.job.extra_data.", job);
    }
    job.profile = fields.text("profile_id");
    return job;
}

JobSubmitted job_submitted(EventData& data) {
    JobSubmitted submitted{job(data), json_text(data.fields.object("job")), {}};
    submitted.job.submit = data.fields.time("submission_time");
    if (data.fields.find("profile") != nullptr) {
        submitted.profile = json_text(data.fields.object("profile"));
    }
    return submitted;
}

JobCompleted job_completed(EventData& data) {
    // Negative codes come without their sign, as numbers of 32 bits.
    const std::int64_t code = integer_between(data.fields, "return_code", std::numeric_limits<std::int32_t>::min(),
                                              std::numeric_limits<std::uint32_t>::max());
    return {job_id(data), job_state(data, "state"), static_cast<std::int32_t>(static_cast<std::uint32_t>(code)), {}};
}

JobKilled jobs_killed(EventData& data) {
    JobKilled killed{job_ids(data), {}};
    killed.progress = remaining(data);
    return killed;
}

RequestedCall requested_call(EventData& data) {
    RequestedCall call;
    call.id = data.fields.text("call_me_later_id");
    data.fields.optional("last_periodic_call", call.last_periodic);
    return call;
}

template <NotificationType type>
Notify notification(EventData&) {
    return {type, {}, {}, {}};
}

// The `data` of an event is the user's own text. If it is what Batsim 4 has in its files of external events for
// machines that become unavailable or available, it means the same here.
void read_machine_event(std::string_view text, Notify& event) {
    if (!text.starts_with('{')) {
        return;
    }
    JsonReader reader;
    const JsonValue* json = nullptr;
    try {
        json = &reader.parse(text);
    } catch (const InputError&) {
        return;
    }
    Fields fields(*json, "event.external_event.data.");
    const JsonValue* type = fields.find("type");
    if (type == nullptr || !type->IsString()) {
        return;
    }
    const std::string_view name = view(*type);
    if (name == "machine_unavailable" || name == "machine_available") {
        event.type = name == "machine_available" ? NotificationType::event_machine_available
                                                 : NotificationType::event_machine_unavailable;
        event.other_type.clear();
        event.resources = fields.resources("resources");
    }
}

Notify external_event(EventData& data) {
    Notify event;
    event.other = remaining(data);
    event.other_type = data.fields.text("external_event_type");
    Fields fields(data.fields.object("external_event"), "event.external_event.");
    if (const JsonValue* text = fields.find("data"); text != nullptr && text->IsString()) {
        read_machine_event(view(*text), event);
    }
    return event;
}

int pstate(EventData& data, std::string_view name) {
    return static_cast<int>(integer_between(data.fields, name, 0, std::numeric_limits<int>::max()));
}

ResourceStateChanged hosts_pstate_changed(EventData& data) {
    return {data.fields.resources("host_ids"), pstate(data, "pstate")};
}

HostsTurnedOnOff hosts_turned_on_off(EventData& data) {
    return {data.fields.resources("host_ids"), pstate(data, "state")};
}

UnknownEvent probe_data_emitted(EventData& data) {
    return {"ProbeDataEmittedEvent", remaining(data)};
}

Hello hello(EventData& data) {
    Hello hello;
    data.fields.text("batprotocol_version");
    hello.name = data.fields.text("decision_component_name");
    hello.version = data.fields.text("decision_component_version");
    hello.commit = data.fields.text("decision_component_commit");
    Fields features(data.fields.object("requested_simulation_features"), "event.requested_simulation_features.");
    features.optional("dynamic_registration", hello.dynamic_registration);
    features.optional("profile_reuse", hello.profile_reuse);
    features.optional("acknowledge_dynamic_jobs", hello.acknowledge_dynamic_jobs);
    features.optional("forward_profiles_on_job_submission", hello.forward_profiles_on_job_submission);
    features.optional("forward_profiles_on_jobs_killed", hello.forward_profiles_on_jobs_killed);
    features.optional("forward_profiles_on_simulation_begins", hello.forward_profiles_on_simulation_begins);
    features.warn_of_unread(data.warn);
    return hello;
}

ExecuteJob execute_job(EventData& data) {
    Fields allocation(data.fields.object("allocation"), "event.allocation.");
    ExecuteJob event{job_id(data), some_resources(allocation, "host_allocation"), {}};
    event.placement = allocation.rest();
    allocation.text("executor_placement_type");
    allocation.object("executor_placement");
    event.other = data.fields.rest();
    return event;
}

RejectJob reject_job(EventData& data) {
    return {job_id(data)};
}

KillJob kill_jobs(EventData& data) {
    return {some_job_ids(data)};
}

CallMeLater call_me_later(EventData& data) {
    CallMeLater call;
    call.id = data.fields.text("call_me_later_id");
    const std::string_view type = data.fields.text("when_type");
    Fields when(data.fields.object("when"), "event.when.");
    if (type == "Periodic") {
        call.period = when.rest();
        return call;
    }
    if (type != "OneShot") {
        data.fields.fail("when_type", R"("OneShot" or "Periodic")");
    }
    const std::string_view unit = when.text("time_unit");
    if (unit != "Second" && unit != "Millisecond") {
        when.fail("time_unit", R"("Second" or "Millisecond")");
    }
    const std::int64_t time = integer_between(when, "time", 0, 1'000'000'000'000'000'000);
    call.when = Time::at(Duration::microseconds(time) * (unit == "Second" ? 1'000'000 : 1'000));
    return call;
}

StopCallMeLater stop_call_me_later(EventData& data) {
    return {std::string(data.fields.text("call_me_later_id"))};
}

RegisterJob register_job(EventData& data) {
    return {job(data), json_text(data.fields.object("job"))};
}

RegisterProfile register_profile(EventData& data) {
    const JsonValue& profile = data.fields.object("profile");
    const JobIdParts id(Fields(profile, "event.profile.").text("id"));
    return {std::string(id.workload), std::string(id.name), json_text(profile)};
}

SetResourceState change_hosts_pstate(EventData& data) {
    return {some_resources(data.fields, "host_ids"), pstate(data, "pstate")};
}

TurnOnOffHosts turn_on_off_hosts(EventData& data) {
    return {some_resources(data.fields, "host_ids"), pstate(data, "state")};
}

UnknownEvent create_probe(EventData& data) {
    return {"CreateProbeEvent", remaining(data)};
}

UnknownEvent stop_probe(EventData& data) {
    return {"StopProbeEvent", remaining(data)};
}

constexpr EventFieldNames field_names{"event_type", "event"};

// The three whose timestamps are not true have that of what was sent before.
using FromBatsim = Event::Data;
constexpr std::array<EventType<FromBatsim>, 12> batsim_events{{
    {"JobSubmittedEvent", as<FromBatsim, job_submitted>},
    {"JobCompletedEvent", as<FromBatsim, job_completed>},
    {"RequestedCallEvent", as<FromBatsim, requested_call>},
    {"JobsKilledEvent", as<FromBatsim, jobs_killed>},
    {"AllStaticJobsHaveBeenSubmittedEvent",
     as<FromBatsim, notification<NotificationType::no_more_static_job_to_submit>>},
    {"AllStaticExternalEventsHaveBeenInjectedEvent",
     as<FromBatsim, notification<NotificationType::no_more_external_event_to_occur>>},
    {"ExternalEventOccurredEvent", as<FromBatsim, external_event>, false},
    {"SimulationBeginsEvent", as<FromBatsim, simulation_begins>},
    {"SimulationEndsEvent", empty<FromBatsim, SimulationEnds>},
    {"HostsPStateChangedEvent", as<FromBatsim, hosts_pstate_changed>, false},
    {"HostsTurnedOnOffEvent", as<FromBatsim, hosts_turned_on_off>, false},
    {"ProbeDataEmittedEvent", as<FromBatsim, probe_data_emitted>},
}};

using FromScheduler = ReplyEvent::Data;
constexpr std::array<EventType<FromScheduler>, 14> scheduler_events{{
    {"ExecuteJobEvent", as<FromScheduler, execute_job>},
    {"RejectJobEvent", as<FromScheduler, reject_job>},
    {"CallMeLaterEvent", as<FromScheduler, call_me_later>},
    {"KillJobsEvent", as<FromScheduler, kill_jobs>},
    {"EDCHelloEvent", as<FromScheduler, hello>},
    {"StopCallMeLaterEvent", as<FromScheduler, stop_call_me_later>},
    {"RegisterJobEvent", as<FromScheduler, register_job>},
    {"RegisterProfileEvent", as<FromScheduler, register_profile>},
    {"FinishRegistrationEvent", as<FromScheduler, notification<NotificationType::registration_finished>>},
    {"ForceSimulationStopEvent", empty<FromScheduler, ForceSimulationStop>},
    {"ChangeHostsPStateEvent", as<FromScheduler, change_hosts_pstate>},
    {"TurnOnOffHostsEvent", as<FromScheduler, turn_on_off_hosts>},
    {"CreateProbeEvent", as<FromScheduler, create_probe>},
    {"StopProbeEvent", as<FromScheduler, stop_probe>},
}};

bool has_true_timestamp(const Event::Data& data) {
    if (const auto* notify = std::get_if<Notify>(&data)) {
        return notify->type == NotificationType::no_more_static_job_to_submit ||
               notify->type == NotificationType::no_more_external_event_to_occur;
    }
    return !std::holds_alternative<ResourceStateChanged>(data) && !std::holds_alternative<HostsTurnedOnOff>(data);
}

// Events whose timestamps are not true get the last time at which they can have happened. A job is submitted no later
// than we are told, though Batsim's clock, a sum, may be behind the submission by a rounding.
void correct_times(Message& message) {
    Time next = message.now;
    for (std::size_t i = message.events.size(); i > 0; --i) {
        Event& event = message.events[i - 1];
        if (!has_true_timestamp(event.data)) {
            event.timestamp = next;
        }
        next = event.timestamp;
        if (auto* submitted = std::get_if<JobSubmitted>(&event.data)) {
            submitted->job.submit = std::min(submitted->job.submit, event.timestamp);
        }
    }
}

// ---- Encoding: one function per event type, which appends type and data

// An instant as it was received, which may have more decimals than a Time: Batsim waits for a reply's `now` if that is
// later than its clock, be it by less than a microsecond.
struct ExactTime {
    Time rounded;
    double seconds = 0;
};

class Encoder : public EventEncoder<Encoder> {
 public:
    Encoder(std::string& out, const ExactTime& now) : EventEncoder(out, field_names), now_(now) {}

    using EventEncoder::operator();

    void write_time(Time time) {
        if (time != now_.rounded) {
            EventEncoder::write_time(time);
            return;
        }
        std::array<char, 400> text;  // the largest double has 309 digits before the point
        out().append(text.data(),
                     std::to_chars(text.data(), text.data() + text.size(), now_.seconds, std::chars_format::fixed).ptr);
    }

    void operator()(const Notify& event) {
        switch (event.type) {
            case NotificationType::no_more_static_job_to_submit:
                begin("AllStaticJobsHaveBeenSubmittedEvent");
                break;
            case NotificationType::no_more_external_event_to_occur:
                begin("AllStaticExternalEventsHaveBeenInjectedEvent");
                break;
            case NotificationType::registration_finished:
                begin("FinishRegistrationEvent");
                break;
            default:
                begin("ExternalEventOccurredEvent");
                fields_of(event.other);
                if (event.other.empty()) {
                    leave_out();
                }
        }
    }

    void operator()(const SimulationBegins& event) {
        begin("SimulationBeginsEvent");
        hosts("computation_hosts", event.compute_resources);
        hosts("storage_hosts", event.storage_resources);
        pairs("workloads", event.workloads, "name", "filename");
        json("profiles", event.profiles);
        fields_of(event.other);
    }
    void operator()(const SimulationEnds&) { begin("SimulationEndsEvent"); }
    void operator()(const JobSubmitted& event) {
        begin("JobSubmittedEvent");
        text("job_id", event.job.id);
        json("job", event.source);
        name("submission_time");
        event.job.submit.append_to(out());
        if (!event.profile.empty()) {
            json("profile", event.profile);
        }
    }
    void operator()(const JobCompleted& event) {
        begin("JobCompletedEvent");
        text("job_id", event.job_id);
        text("state", to_string(event.state));
        integer("return_code", static_cast<std::uint32_t>(event.return_code));
    }
    void operator()(const JobKilled& event) {
        begin("JobsKilledEvent");
        texts("job_ids", event.job_ids);
        fields_of(event.progress);
    }
    void operator()(const RequestedCall& event) {
        begin("RequestedCallEvent");
        text("call_me_later_id", event.id);
        boolean("last_periodic_call", event.last_periodic);
    }
    void operator()(const ResourceStateChanged& event) {
        begin("HostsPStateChangedEvent");
        resources("host_ids", event.resources);
        json("pstate", std::to_string(event.pstate));
    }
    void operator()(const HostsTurnedOnOff& event) {
        begin("HostsTurnedOnOffEvent");
        resources("host_ids", event.resources);
        integer("state", event.state);
    }

    // Batsim dies of a hello without a commit or without features.
    void operator()(const Hello& event) {
        begin("EDCHelloEvent");
        text("batprotocol_version", batprotocol_version);
        text("decision_component_name", event.name);
        text("decision_component_version", event.version);
        text("decision_component_commit", event.commit);
        open("requested_simulation_features", '{');
        boolean("dynamic_registration", event.dynamic_registration);
        boolean("profile_reuse", event.profile_reuse);
        boolean("acknowledge_dynamic_jobs", event.acknowledge_dynamic_jobs);
        boolean("forward_profiles_on_job_submission", event.forward_profiles_on_job_submission);
        boolean("forward_profiles_on_jobs_killed", event.forward_profiles_on_jobs_killed);
        boolean("forward_profiles_on_simulation_begins", event.forward_profiles_on_simulation_begins);
        close('}');
    }
    void operator()(const ExecuteJob& event) {
        begin("ExecuteJobEvent");
        text("job_id", event.job_id);
        open("allocation", '{');
        resources("host_allocation", event.allocation);
        if (event.placement.empty()) {
            separate();
            out() += default_placement;
        } else {
            fields_of(event.placement);
        }
        close('}');
        fields_of(event.other);
    }
    void operator()(const RejectJob& event) {
        begin("RejectJobEvent");
        text("job_id", event.job_id);
    }
    void operator()(const KillJob& event) {
        begin("KillJobsEvent");
        texts("job_ids", event.job_ids);
    }
    void operator()(const CallMeLater& event) {
        begin("CallMeLaterEvent");
        text("call_me_later_id", event.id);
        if (!event.period.empty()) {
            text("when_type", "Periodic");
            json("when", event.period);
            return;
        }
        text("when_type", "OneShot");
        open("when", '{');
        // Milliseconds of the far future have too many digits.
        const Microseconds time = event.when.since_zero().count();
        const bool seconds = event.when > Time::seconds(1'000'000'000'000'000);
        const Microseconds unit = seconds ? 1'000'000 : 1'000;
        integer("time", static_cast<std::uint64_t>(std::max<Microseconds>(time + unit - 1, 0) / unit));
        text("time_unit", seconds ? "Second" : "Millisecond");
        close('}');
    }
    void operator()(const StopCallMeLater& event) {
        begin("StopCallMeLaterEvent");
        text("call_me_later_id", event.id);
    }
    void operator()(const RegisterJob& event) {
        begin("RegisterJobEvent");
        text("job_id", event.job.id);
        if (event.source.empty()) {
            job(event.job);
        } else {
            json("job", event.source);
        }
    }
    void operator()(const RegisterProfile& event) {
        begin("RegisterProfileEvent");
        json("profile", event.profile);
    }
    void operator()(const ForceSimulationStop&) { begin("ForceSimulationStopEvent"); }
    void operator()(const SetResourceState& event) {
        begin("ChangeHostsPStateEvent");
        resources("host_ids", event.resources);
        json("pstate", std::to_string(event.pstate));
    }
    void operator()(const TurnOnOffHosts& event) {
        begin("TurnOnOffHostsEvent");
        resources("host_ids", event.resources);
        integer("state", event.state);
    }

 private:
    void pairs(std::string_view field, const Properties& values, std::string_view first, std::string_view second) {
        open(field, '[');
        for (const auto& [key, value] : values) {
            separate();
            out() += '{';
            text(first, key);
            text(second, value);
            close('}');
        }
        close(']');
    }
    void hosts(std::string_view field, const std::vector<Resource>& values) {
        open(field, '[');
        for (const Resource& host : values) {
            separate();
            out() += '{';
            integer("id", host.id);
            text("name", host.name);
            text("state", host.state);
            pairs("properties", host.properties, "key", "value");
            pairs("zone_properties", host.zone_properties, "key", "value");
            fields_of(host.other);
            close('}');
        }
        close(']');
    }
    void job(const JobDescription& job) {
        open("job", '{');
        integer("resource_request", job.processors);
        name("walltime");
        if (job.walltime) {
            job.walltime->append_to(out());
        } else {
            out() += "null";
        }
        std::string extra_data;
        append_extra_data(job, extra_data);
        text("extra_data", extra_data);
        text("profile_id", job.profile);
        close('}');
    }

    ExactTime now_;
};

class Batsim5Codec final : public Codec {
 public:
    Message decode_message(std::string_view frame) override {
        answers_init_ = opens_simulation(frame);
        if (answers_init_) {
            return {Time(), {{Time(), Init{std::string(frame.substr(sizeof(Number)))}}}};
        }
        const JsonValue& root = parse_frame(without_zero(frame), reader_);
        Message message =
            EnvelopeDecoder<Message, Event, batsim_events.size()>(batsim_events, field_names, true, warn_).decode(root);
        now_ = {message.now, root["now"].GetDouble()};
        correct_times(message);
        return message;
    }
    void encode_message(const Message& message, std::string& frame) override {
        frame.clear();
        if (!message.events.empty()) {
            if (const auto* init = std::get_if<Init>(&message.events.front().data)) {
                append_number(static_cast<Number>(init->text.size()), frame);
                frame += init->text;
                return;
            }
        }
        Encoder(frame, {}).envelope(message);
        frame += '\0';
    }
    Reply decode_reply(std::string_view frame) override {
        if (const auto format = leading_number(frame)) {
            if ((*format & json_format) == 0) {
                throw InputError("the scheduler speaks format " + std::to_string(*format) + ", expected JSON, " +
                                 std::to_string(json_format));
            }
            frame.remove_prefix(sizeof(Number));
        }
        return EnvelopeDecoder<Reply, ReplyEvent, scheduler_events.size()>(scheduler_events, field_names, true, warn_)
            .decode(parse_frame(without_zero(frame), reader_));
    }
    void encode_reply(const Reply& reply, std::string& frame) override {
        frame.clear();
        if (!reply.events.empty() && std::holds_alternative<Hello>(reply.events.front().data)) {
            append_number(json_format, frame);
        }
        Encoder(frame, now_).envelope(reply);
        frame += '\0';
    }
    void encode_refusal(const std::string& problem, std::string& frame) override {
        frame.clear();
        if (answers_init_) {
            append_number(json_format, frame);
        }
        append_refusal(problem, field_names, frame);
        frame += '\0';
    }

 private:
    JsonReader reader_;
    WarnOnce warn_;
    ExactTime now_;              // of the last message
    bool answers_init_ = false;  // whether the last message was an Init
};

const ProtocolRegistration registration(
    "batsim5", [] { return std::make_unique<Batsim5Codec>(); }, opens_simulation);

}  // namespace

}  // namespace batfill::protocol
