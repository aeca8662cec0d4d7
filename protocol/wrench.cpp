// The JSON in which WRENCH (https://wrench-project.org) speaks to the batsched that it starts: that of an early Batsim,
// with questions. docs/serve.md says what is different.

#include <utility>

#include "protocol/json_frames.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/place_in_errors.hpp"

namespace batfill::protocol {

namespace {

constexpr EventFieldNames names{"type", "data"};

// ---- What WRENCH says

// Hosts have the numbers of their places in the list. All their cores are one resource.
Message::Event::Data begins(EventData& data) {
    SimulationBegins result;
    for (const auto& object : data.fields.array("resources_data").GetArray()) {
        data.fields.fail_if(!object.IsObject(), "resources_data", "an array of objects");
        Host host;
        host.name = Fields(object, "data.resources_data.").text("name");
        result.hosts.emplace_back(static_cast<int>(result.hosts.size()), std::move(host));
    }
    result.last_resource = static_cast<int>(result.hosts.size()) - 1;
    data.fields.ignore_rest();
    return result;
}

// A job is submitted at the time of its event.
JobDescription described(const JsonValue& object, std::string_view path, std::string_view id, Time submit) {
    Fields fields(object, path);
    JobDescription job;
    job.id = id;
    job.submit = submit;
    job.processors = fields.integer("res");
    fields.fail_if(job.processors < 0, "res", "an integer from 0");
    job.walltime = fields.seconds("walltime");
    return job;
}

Message::Event::Data submitted(EventData& data) {
    const std::string_view id = data.fields.text("job_id");
    JobDescription job = with_place_in_errors(
        "job " + in_quotes(id), [&] { return described(data.fields.object("job"), "data.job.", id, data.timestamp); });
    data.fields.ignore_rest();
    return Event::Data(JobSubmitted{data.ids.number_of(id), std::move(job)});
}

Message::Event::Data completed(EventData& data) {
    JobCompleted result;
    data.job("job_id", result.job);
    data.state("job_state", result.state);
    data.fields.ignore_rest();
    return Event::Data(result);
}

Message::Event::Data ends(EventData& data) {
    data.fields.ignore_rest();
    return SimulationEnds();
}

Message::Event::Data asks(EventData& data) {
    const JsonValue& requests = data.fields.object("requests");
    const JsonValue& request = Fields(requests, "data.requests.").object("estimate_waiting_time");
    Fields fields(request, "data.requests.estimate_waiting_time.");
    const std::string_view id = fields.text("job_id");
    return Question{described(fields.object("job"), "data.requests.estimate_waiting_time.job.", id, data.timestamp)};
}

constexpr EventType said[] = {{"SIMULATION_BEGINS", begins},
                              {"JOB_SUBMITTED", submitted},
                              {"JOB_COMPLETED", completed},
                              {"QUERY", asks},
                              {"SIMULATION_ENDS", ends}};

// ---- What it hears. It ignores all but starts and answers without a word.

class WrenchCodec final : public Codec {
 public:
    Message& decode(std::string_view frame) override {
        Message& message = reader_.read(frame, ids_);
        now_ = message.now;
        return message;
    }

    using Codec::encode;
    void encode(Time now, const std::vector<Decision>& decisions, std::string& frame) override {
        frame.clear();
        const std::string time = text_of(now);
        FrameWriter writer(frame, names, time, ids_);
        for (const Decision& decision : decisions) {
            if (const auto* const start = std::get_if<StartJob>(&decision)) {
                writer.begin_event("EXECUTE_JOB");
                writer.job("job_id", start->job);
                writer.resources("alloc", start->allocation);
            } else if (const auto* const reject = std::get_if<RejectJob>(&decision)) {
                writer.begin_event("REJECT_JOB");
                writer.job("job_id", reject->job);
            }
        }
        writer.end();
    }
    void encode_answers(Time now, const std::vector<Answer>& answers, std::string& frame) override {
        frame.clear();
        const std::string time = text_of(now);
        FrameWriter writer(frame, names, time, ids_);
        for (const Answer& answer : answers) {
            writer.begin_event("ANSWER");
            writer.key("estimate_waiting_time").open_object();
            writer.text("job_id", answer.job);
            writer.key("estimated_waiting_time").raw(answer.start ? text_of(*answer.start) : "-1");
            writer.close_object();
        }
        writer.end();
    }
    void encode_refusal(const std::string& problem, std::string& frame) override {
        frame.clear();
        append_refusal(problem, names, frame, present());
    }
    const char* peer() const override { return "WRENCH"; }
    bool follows(DecisionKind) const override { return false; }
    bool has_connection_for_each_message() const override { return true; }
    bool has_ends_at_any_time() const override { return true; }
    bool has_ids_in_any_order() const override { return true; }

 private:
    // The present is as WRENCH wrote it: for a time before its own, however little, it would sleep.
    std::string present() const {
        const std::string text = exact(reader_.exact_now());
        return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    std::string text_of(Time time) const { return time == now_ ? present() : time.to_string(); }

    FrameReader reader_{said, names, true};
    Time now_;
};

bool opens_wrench(std::string_view frame) {
    return frame.find(R"("SIMULATION_BEGINS")") != std::string_view::npos &&
           frame.find(R"("resources_data")") != std::string_view::npos &&
           frame.find(R"("compute_resources")") == std::string_view::npos;
}

const ProtocolRegistration wrench(
    wrench_protocol, [] { return std::make_unique<WrenchCodec>(); }, opens_wrench);

}  // namespace

}  // namespace batfill::protocol
