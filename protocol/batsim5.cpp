// The JSON flavour of Batsim 5's protocol ("batprotocol"), as Batsim 5.0.0-rc2 writes and reads it. docs/protocol.md
// explains each event.

#include <cstdint>
#include <cstring>

#include "protocol/json_frames.hpp"
#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/place_in_errors.hpp"

namespace batfill::protocol {

namespace {

constexpr std::string_view batprotocol_version = "1.0.0";
constexpr std::string_view default_placement =
    R"("executor_placement_type":"PredefinedExecutorPlacementStrategyWrapper","executor_placement":{})";

// ---- Around the JSON

// In the first exchange over a socket, a number precedes the text: in Batsim's message the size of the user's text, in
// the reply the format of the scheduler's messages. The first characters of a JSON text never form such a number.
using Number = std::uint32_t;
constexpr Number json_format = 2;
constexpr Number least_of_characters = 0x09090909;

void append_number(Number number, std::string& out) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    out.append(bytes, sizeof(number));
}

// Whether the frame is a size followed by the user's text.
bool opens_batsim5(std::string_view frame) {
    Number size = 0;
    if (frame.size() < sizeof(size)) {
        return false;
    }
    std::memcpy(&size, frame.data(), sizeof(size));
    return size < least_of_characters && size == frame.size() - sizeof(size);
}

// Texts of both sides end with a zero byte: a text in memory has no other end.
std::string_view without_zero(std::string_view frame) {
    return frame.substr(0, frame.find_last_not_of('\0') + 1);
}

// ---- Decoding: one function per event type

using FromBatsim = Message::Event::Data;

int natural_number(Fields& fields, std::string_view name) {
    const JsonValue& value = fields.any(name);
    fields.fail_if(!value.IsInt() || value.GetInt() < 0, name, "an integer in 0..2147483647");
    return value.GetInt();
}

std::map<std::string, std::string> properties(Fields& fields, std::string_view name) {
    std::map<std::string, std::string> result;
    if (fields.find(name) == nullptr) {
        return result;
    }
    const std::string path = fields.path_of(name) + '.';
    for (const auto& object : fields.array(name).GetArray()) {
        fields.fail_if(!object.IsObject(), name, "an array of objects");
        const std::string_view key = Fields(object, path).text("key");
        const std::string value_path = path + std::string(key) + '.';
        result.emplace(key, Fields(object, value_path).text("value"));
    }
    return result;
}

void read_rest_of_host(Fields& fields, Host& host) {
    host.properties = properties(fields, "properties");
    host.zone_properties = properties(fields, "zone_properties");
    const int pstate = fields.integer("pstate", 0);  // the current one
    const JsonValue* speeds = fields.find("computation_speed");
    if (speeds == nullptr) {
        return;
    }
    fields.fail_if(!speeds->IsArray() || pstate < 0 || static_cast<unsigned>(pstate) >= speeds->Size() ||
                       !(*speeds)[static_cast<unsigned>(pstate)].IsNumber(),
                   "computation_speed", "an array of numbers, one for each pstate");
    host.speed = (*speeds)[static_cast<unsigned>(pstate)].GetDouble();
}

FromBatsim simulation_begins(EventData& data) {
    SimulationBegins begins;
    read_hosts(data, "event", "computation_hosts", "storage_hosts", "host", read_rest_of_host, begins);
    data.fields.ignore_rest();
    return begins;
}

FromBatsim job_submitted(EventData& data) {
    Fields fields(data.fields.object("job"), "event.job.");
    JobDescription job;
    job.id = data.fields.text("job_id");
    job.processors = natural_number(fields, "resource_request");
    if (const JsonValue* walltime = fields.find("walltime"); walltime != nullptr && !walltime->IsNull()) {
        const Duration length = fields.seconds("walltime");
        if (length >= Duration()) {
            job.walltime = length;
        }
    }
    if (const JsonValue* extra_data = fields.find("extra_data")) {
        job.other_fields = with_place_in_errors(
            "job " + in_quotes(job.id), [&] { return read_extra_data(*extra_data, "event.job.extra_data.", job); });
    }
    job.profile = fields.text("profile_id");
    // Batsim's clock is a sum. Rounding may put it before the submission.
    job.submit = std::min(data.fields.time("submission_time"), data.timestamp);
    data.fields.ignore("profile");
    return JobSubmitted{data.ids.number_of(job.id), std::move(job)};
}

FromBatsim job_completed(EventData& data) {
    data.fields.ignore("return_code");
    JobCompleted completed;
    data.job("job_id", completed.job);
    data.state("state", completed.state);
    return completed;
}

FromBatsim jobs_killed(EventData& data) {
    data.fields.ignore_rest();
    JobsKilled killed;
    data.jobs("job_ids", killed.jobs);
    return killed;
}

FromBatsim requested_call(EventData& data) {
    data.fields.ignore("call_me_later_id", "last_periodic_call");
    return RequestedCall{};
}

template <NotificationType type>
FromBatsim notification(EventData&) {
    return Event::Data(Notification{type, {}, {}});
}

// The `data` of an event is the user's own text. An event of Batsim 4's external event files about machines that become
// unavailable or available means the same here.
FromBatsim external_event(EventData& data) {
    data.fields.ignore_rest();
    data.fields.text("external_event_type");
    Fields event(data.fields.object("external_event"), "event.external_event.");
    const JsonValue* const text = event.find("data");
    if (text == nullptr || !text->IsString() || !view(*text).starts_with('{')) {
        return Ignored{};
    }
    JsonReader reader;
    const JsonValue* json = nullptr;
    try {
        json = &reader.parse(view(*text));
    } catch (const InputError&) {
        return Ignored{};
    }
    Fields fields(*json, "event.external_event.data.");
    const JsonValue* const type = fields.find("type");
    const std::string_view name = type != nullptr && type->IsString() ? view(*type) : "";
    if (name != "machine_unavailable" && name != "machine_available") {
        return Ignored{};
    }
    return MachineChanged{fields.resources("resources"), name == "machine_available"};
}

FromBatsim hosts_pstate_changed(EventData& data) {
    ResourceSet hosts = data.fields.resources("host_ids");
    return ResourceStateChanged{std::move(hosts), natural_number(data.fields, "pstate")};
}

constexpr EventFieldNames batsim5_names{"event_type", "event"};

// The timestamps of these three event types are not true: they repeat that of the previous message.
constexpr EventType batsim_events[] = {
    {"JobSubmittedEvent", job_submitted},
    {"JobCompletedEvent", job_completed},
    {"RequestedCallEvent", requested_call},
    {"JobsKilledEvent", jobs_killed},
    {"AllStaticJobsHaveBeenSubmittedEvent", notification<NotificationType::no_more_static_job_to_submit>},
    {"AllStaticExternalEventsHaveBeenInjectedEvent", notification<NotificationType::no_more_external_event_to_occur>},
    {"ExternalEventOccurredEvent", external_event, false},
    {"SimulationBeginsEvent", simulation_begins},
    {"SimulationEndsEvent", [](EventData&) { return FromBatsim(SimulationEnds{}); }},
    {"HostsPStateChangedEvent", hosts_pstate_changed, false},
    {"HostsTurnedOnOffEvent", ignored, false},
    {"ProbeDataEmittedEvent", ignored},
};

// ---- Encoding: one function for each decision that Batsim 5 knows

class Batsim5Reply : public FrameWriter<JobIds> {
 public:
    // `calls` counts the requested calls. The id of a call is its number.
    Batsim5Reply(std::string& frame, std::string_view now, const JobIds& ids, std::size_t& calls)
        : FrameWriter(frame, batsim5_names, now, ids), calls_(calls) {}

    // Batsim dies of a hello without a commit or without features.
    void operator()(const Hello& event) {
        begin_event("EDCHelloEvent");
        text("batprotocol_version", batprotocol_version);
        text("decision_component_name", event.name);
        text("decision_component_version", event.version);
        text("decision_component_commit", "");
        key("requested_simulation_features").open_object();
        boolean("dynamic_registration", event.dynamic_registration);
        boolean("profile_reuse", event.profile_reuse);
        boolean("acknowledge_dynamic_jobs", false);
        boolean("forward_profiles_on_job_submission", false);
        boolean("forward_profiles_on_jobs_killed", false);
        boolean("forward_profiles_on_simulation_begins", false);
        close_object();
    }
    void operator()(const StartJob& start) {
        begin("ExecuteJobEvent", start.job);
        key("allocation").open_object();
        resources("host_allocation", start.allocation);
        members(default_placement);
        close_object();
    }
    void operator()(const RejectJob& reject) { begin("RejectJobEvent", reject.job); }
    void operator()(const KillJobs& kill) {
        begin_event("KillJobsEvent");
        jobs("job_ids", kill.jobs);
    }
    void operator()(const CallMeLater& call) {
        begin_event("CallMeLaterEvent");
        text("call_me_later_id", std::to_string(++calls_));
        text("when_type", "OneShot");
        key("when").open_object();
        // Milliseconds of the far future have too many digits.
        const Microseconds time = call.time.since_zero().count();
        const bool seconds = call.time > Time::seconds(1'000'000'000'000'000);
        const Microseconds unit = seconds ? 1'000'000 : 1'000;
        key("time").integer(static_cast<std::uint64_t>(std::max<Microseconds>(time + unit - 1, 0) / unit));
        text("time_unit", seconds ? "Second" : "Millisecond");
        close_object();
    }
    void operator()(const RegisterJob& registers) {
        begin("RegisterJobEvent", registers.job);
        const JobDescription& job = registers.description;
        key("job").open_object();
        key("resource_request").integer(job.processors);
        key("walltime").raw(job.walltime ? job.walltime->to_string() : "null");
        std::string extra_data;
        append_extra_data(job, extra_data);
        text("extra_data", extra_data);
        text("profile_id", job.profile);
        close_object();
    }
    void operator()(const Notification& notification) {
        if (notification.type == NotificationType::registration_finished) {
            begin_event("FinishRegistrationEvent");
        }
    }
    void operator()(const auto&) {}

 private:
    void begin(std::string_view type, JobNumber number) {
        begin_event(type);
        job("job_id", number);
    }

    std::size_t& calls_;
};

class Batsim5Codec final : public Codec {
 public:
    Message& decode(std::string_view frame) override {
        answers_init_ = opens_batsim5(frame);
        if (answers_init_) {
            init_.events = {{Time(), Init{std::string(frame.substr(sizeof(Number)))}}};
            return init_;
        }
        Message& message = reader_.read(without_zero(frame), ids_);
        now_ = message.now;
        return message;
    }
    void encode(Time now, const std::vector<Decision>& decisions, std::string& frame) override {
        frame.clear();
        // Batsim waits for a reply's `now` that is later than its clock, even by less than a microsecond.
        const std::string time = now == now_ ? exact(reader_.exact_now()) : now.to_string();
        Batsim5Reply reply(frame, time, ids_, calls_);
        for (const Decision& decision : decisions) {
            std::visit(reply, decision);
        }
        reply.end();
        frame += '\0';
    }
    void encode(const Hello& hello, std::string& frame) override {
        frame.clear();
        append_number(json_format, frame);
        Batsim5Reply reply(frame, "0", ids_, calls_);
        reply(hello);
        reply.end();
        frame += '\0';
    }
    void encode_refusal(const std::string& problem, std::string& frame) override {
        frame.clear();
        if (answers_init_) {
            append_number(json_format, frame);
        }
        append_refusal(problem, batsim5_names, frame);
        frame += '\0';
    }
    const char* peer() const override { return "Batsim 5"; }
    bool follows(DecisionKind kind) const override {
        return kind != DecisionKind::registered_profile && kind != DecisionKind::metadata &&
               kind != DecisionKind::state;
    }

 private:
    FrameReader reader_{batsim_events, batsim5_names, true};
    Message init_;
    Time now_;                   // of the last message
    std::size_t calls_ = 0;      // requested so far
    bool answers_init_ = false;  // whether the last message was an Init
};

const ProtocolRegistration batsim5(
    "batsim5", [] { return std::make_unique<Batsim5Codec>(); }, opens_batsim5);

}  // namespace

}  // namespace batfill::protocol
