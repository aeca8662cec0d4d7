#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>

#include "protocol/codec.hpp"
#include "src/support/json.hpp"

namespace batfill::tests::protocol_codec_test {

using namespace batfill::protocol;

namespace {

// A message or reply of one event with this type and data.
std::string frame_of(std::string_view type, std::string_view data) {
    std::string frame = R"({"now":10,"events":[{"timestamp":5.5,"type":")";
    return frame.append(type).append(R"(","data":)").append(data).append("}]}");
}

template <class Data>
Data only_event(const std::string& frame) {
    const Message message = make_codec("batsim4")->decode_message(frame);
    REQUIRE(message.events.size() == 1);
    return std::get<Data>(message.events[0].data);
}

template <class Data>
Data only_reply_event(const std::string& frame) {
    const Reply reply = make_codec("batsim4")->decode_reply(frame);
    REQUIRE(reply.events.size() == 1);
    return std::get<Data>(reply.events[0].data);
}

std::string encoded_message(const Message& message) {
    std::string frame;
    make_codec("batsim4")->encode_message(message, frame);
    return frame;
}

std::string encoded_reply(const Reply& reply) {
    std::string frame;
    make_codec("batsim4")->encode_reply(reply, frame);
    return frame;
}

std::string message_error(const std::string& frame) {
    try {
        make_codec("batsim4")->decode_message(frame);
    } catch (const InputError& error) {
        return error.what();
    }
    return "decoded";
}

std::string reply_error(const std::string& frame) {
    try {
        make_codec("batsim4")->decode_reply(frame);
    } catch (const InputError& error) {
        return error.what();
    }
    return "decoded";
}

// Captures the log while it lives.
class CaughtLog {
 public:
    CaughtLog() : previous_(spdlog::default_logger()) {
        auto logger =
            std::make_shared<spdlog::logger>("caught", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
        logger->set_pattern("%l: %v");
        spdlog::set_default_logger(std::move(logger));
    }
    ~CaughtLog() { spdlog::set_default_logger(previous_); }
    CaughtLog(const CaughtLog&) = delete;
    CaughtLog& operator=(const CaughtLog&) = delete;

    std::string text() const { return text_.str(); }

 private:
    std::ostringstream text_;
    std::shared_ptr<spdlog::logger> previous_;
};

// Generates messages and replies with every event type, awkward texts and nested JSON. Equal seeds give equal ones.
class Generator {
 public:
    explicit Generator(unsigned seed) : random_(seed) {}

    Message message() {
        Message message;
        message.now = time();
        repeat(4, [&] { message.events.push_back({before(message.now), event()}); });
        std::stable_sort(message.events.begin(), message.events.end(),
                         [](const Event& a, const Event& b) { return a.timestamp < b.timestamp; });
        return message;
    }

    Reply reply() {
        Reply reply;
        reply.now = time();
        repeat(4, [&] { reply.events.push_back({before(reply.now), reply_event()}); });
        return reply;
    }

 private:
    unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
    bool coin() { return below(2) == 0; }

    template <class Function>
    void repeat(unsigned most, Function f) {
        for (unsigned left = below(most + 1); left > 0; --left) {
            f();
        }
    }

    std::string text() {
        static const std::vector<std::string> parts{"w0!",  "17",   " ", "\"", "\\", "\n",
                                                    "\t",   "\x01", "/", "é",  "€",  "𝄞",
                                                    "{",    "}",    "[", "]",  ",",  std::string(1, '\0'),
                                                    "\x7f", "a"};
        std::string result;
        repeat(5, [&] { result += parts[below(static_cast<unsigned>(parts.size()))]; });
        return result;
    }

    // Times that a double represents to the microsecond, like all times of Batsim.
    Duration duration() { return Duration::microseconds(static_cast<long long>(random_() % 4'000'000'000'000'000)); }
    Time time() { return Time::at(duration()); }
    Time before(Time now) {
        const Time drawn = time();
        return drawn < now ? drawn : now;
    }

    ResourceSet some_resources() {
        ResourceSet set = ResourceSet::range(0, static_cast<int>(below(3)));
        repeat(4, [&] {
            const int first = static_cast<int>(below(1000));
            set.insert(ResourceSet::range(first, first + static_cast<int>(below(5))));
        });
        return set;
    }

    std::string quoted_text() {
        std::string result;
        append_json_string(text(), result);
        return result;
    }

    Json object(int depth = 0) {
        Json result = "{";
        repeat(3, [&] { result += (result.size() > 1 ? "," : "") + quoted_text() + ":" + json(depth + 1); });
        return result + "}";
    }

    Json json(int depth = 0) {
        switch (below(depth < 4 ? 8 : 6)) {
            case 0:
                return "null";
            case 1:
                return coin() ? "true" : "false";
            case 2:
                return std::to_string(static_cast<long long>(random_()));
            case 3:
                return std::to_string(random_());
            case 4:
                return quoted_text();
            case 5:
                return duration().to_string();
            case 6: {
                Json result = "[";
                repeat(3, [&] { result += (result.size() > 1 ? "," : "") + json(depth + 1); });
                return result + "]";
            }
            default:
                return object(depth);
        }
    }

    // Fields that the codec passes on unchanged. No event has fields of these names.
    Json other() {
        Json result;
        repeat(2, [&] {
            result += (result.empty() ? "{\"other" : ",\"other") + std::to_string(below(100)) + "\":" + json();
        });
        return result.empty() ? result : result + "}";
    }

    std::vector<std::string> texts() {
        std::vector<std::string> result;
        repeat(3, [&] { result.push_back(text()); });
        return result;
    }

    Properties properties() {
        Properties result;
        repeat(3, [&] { result.emplace_back(text(), text()); });
        return result;
    }

    JobState state() { return static_cast<JobState>(below(8)); }

    // A job, and the JSON object for it.
    std::pair<JobDescription, Json> job() {
        JobDescription job;
        job.id = text();
        job.submit = time();
        job.processors = static_cast<int>(below(1000));
        job.profile = text();
        Json source = R"({"id":)" + quoted_text() + R"(,"subtime":)" + job.submit.to_string() + R"(,"res":)" +
                      std::to_string(job.processors) + R"(,"profile":)";
        append_json_string(job.profile, source);
        if (coin()) {
            job.walltime = duration();
            source += R"(,"walltime":)" + job.walltime->to_string();
        }
        if (coin()) {
            job.deadline = time();
            source += R"(,"deadline":)" + job.deadline->to_string();
        }
        if (coin()) {
            job.queue = text();
            source += R"(,"queue":)";
            append_json_string(job.queue, source);
        }
        if (coin()) {
            job.user = std::to_string(below(100));
            source += R"(,"user":)" + job.user.text();
        }
        if (coin()) {
            source += R"(,"licenses":[)";
            job.licenses = texts();
            for (const std::string& license : job.licenses) {
                source += source.back() == '[' ? "" : ",";
                append_json_string(license, source);
            }
            source += ']';
        }
        return {job, source + R"(,"more":)" + json() + "}"};
    }

    SimulationBegins simulation_begins() {
        SimulationBegins begins;
        begins.allow_compute_sharing = coin();
        begins.allow_storage_sharing = coin();
        begins.config = {coin(), text(), static_cast<int>(below(65536)), text(), coin(), coin(), coin(), coin(),
                         text(), coin()};
        int id = 0;
        repeat(4, [&] { begins.compute_resources.push_back({id++, text(), text(), properties(), properties()}); });
        repeat(2, [&] { begins.storage_resources.push_back({id++, text(), text(), properties(), properties()}); });
        begins.workloads = properties();
        begins.profiles = object();
        return begins;
    }

    Notify notify() {
        switch (below(4)) {
            case 0:
                return {NotificationType::event_machine_available, "", some_resources(), other()};
            case 1:
                return {NotificationType::event_machine_unavailable, "", ResourceSet(), other()};
            case 2:
                return {NotificationType::registration_finished, "", std::nullopt, other()};
            default:
                return {NotificationType::other, text(), std::nullopt, other()};
        }
    }

    Event::Data event() {
        switch (below(12)) {
            case 0:
                return simulation_begins();
            case 1:
                return SimulationEnds();
            case 2: {
                const auto [description, source] = job();
                return JobSubmitted{description, source, coin() ? object() : ""};
            }
            case 3:
                return JobCompleted{text(), state(), static_cast<int>(below(5)) - 2, some_resources()};
            case 4:
                return JobKilled{texts(), object()};
            case 5:
                return RequestedCall();
            case 6:
                return notify();
            case 7:
                return ResourceStateChanged{some_resources(), static_cast<int>(below(20))};
            case 8:
                return Query{object()};
            case 9:
                return Answer{object()};
            case 10:
                return FromJobMessage{text(), json()};
            default:
                return UnknownEvent{"SURPRISE", coin() ? json() : ""};
        }
    }

    ReplyEvent::Data reply_event() {
        switch (below(14)) {
            case 0:
                return ExecuteJob{text(), some_resources(), other()};
            case 1:
                return RejectJob{text()};
            case 2: {
                KillJob kill{texts()};
                kill.job_ids.push_back(text());
                return kill;
            }
            case 3:
                return CallMeLater{time()};
            case 4:
                return SetResourceState{some_resources(), static_cast<int>(below(20))};
            case 5:
                return SetJobMetadata{text(), text()};
            case 6:
                return ChangeJobState{text(), state()};
            case 7: {
                const auto [description, source] = job();
                return RegisterJob{description, source};
            }
            case 8:
                return RegisterProfile{text(), text(), object()};
            case 9:
                return notify();
            case 10:
                return Query{object()};
            case 11:
                return Answer{object()};
            case 12:
                return ToJobMessage{text(), text()};
            default:
                return UnknownEvent{"SURPRISE", coin() ? json() : ""};
        }
    }

    std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("What is encoded decodes to the same message") {
    const auto codec = make_codec("batsim4");
    CaughtLog log;
    std::string frame;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        Generator generator(seed);
        const Message message = generator.message();
        codec->encode_message(message, frame);
        INFO("seed " << seed << ": " << frame);
        REQUIRE(codec->decode_message(frame) == message);
        const Reply reply = generator.reply();
        codec->encode_reply(reply, frame);
        INFO(frame);
        REQUIRE(codec->decode_reply(frame) == reply);
    }
}

TEST_CASE("Messages are printed as Batsim prints them") {
    JobSubmitted submitted;
    submitted.job.id = "w0!7";
    submitted.source = R"({"id":"w0!7","subtime":3,"res":2,"profile":"short"})";
    const JobCompleted completed{"w0!3", JobState::completed_walltime_reached, -1, *ResourceSet::parse("0-1 3")};
    const Message message{Time::seconds(12),
                          {{Time::seconds(10), submitted},
                           {Time::at(*Duration::parse("11.5")), completed},
                           {Time::seconds(12), RequestedCall()}}};
    CHECK(encoded_message(message) == R"({"now":12.000000,"events":[)"
                                      R"({"timestamp":10.000000,"type":"JOB_SUBMITTED","data":{"job_id":"w0!7",)"
                                      R"("job":{"id":"w0!7","subtime":3,"res":2,"profile":"short"}}},)"
                                      R"({"timestamp":11.500000,"type":"JOB_COMPLETED","data":{"job_id":"w0!3",)"
                                      R"("job_state":"COMPLETED_WALLTIME_REACHED","return_code":-1,"alloc":"0-1 3"}},)"
                                      R"({"timestamp":12.000000,"type":"REQUESTED_CALL","data":{}}]})");
    CHECK(encoded_message({}) == R"({"now":0.000000,"events":[]})");
}

TEST_CASE("Replies are printed with six decimals and canonical allocations") {
    const Reply reply{
        Time::seconds(1),
        {{Time::seconds(1), ExecuteJob{"w0!1", *ResourceSet::parse("5 1 2 3"), R"({"mapping":{"0":"0"}})"}},
         {Time::seconds(1), RejectJob{"w0!2"}},
         {Time::seconds(1), KillJob{{"w0!3", "w0!4"}}},
         {Time::seconds(1), CallMeLater{Time::at(*Duration::parse("60.25"))}}}};
    CHECK(encoded_reply(reply) ==
          R"({"now":1.000000,"events":[)"
          R"({"timestamp":1.000000,"type":"EXECUTE_JOB","data":{"job_id":"w0!1","alloc":"1-3 5","mapping":{"0":"0"}}},)"
          R"({"timestamp":1.000000,"type":"REJECT_JOB","data":{"job_id":"w0!2"}},)"
          R"({"timestamp":1.000000,"type":"KILL_JOB","data":{"job_ids":["w0!3","w0!4"]}},)"
          R"({"timestamp":1.000000,"type":"CALL_ME_LATER","data":{"timestamp":60.250000}}]})");
}

TEST_CASE("Times far in the future keep their value") {
    const std::string frame = R"({"now":100000000000000000.000000,"events":[{"timestamp":99999999999999984.000000,)"
                              R"("type":"REQUESTED_CALL","data":{}}]})";
    const auto codec = make_codec("batsim4");
    const Message message = codec->decode_message(frame);
    CHECK(message.now == Time::seconds(100'000'000'000'000'000));
    CHECK(message.events[0].timestamp < message.now);
    CHECK(codec->decode_message(encoded_message(message)) == message);
    CHECK(codec->decode_message(R"({"now":1e18,"events":[]})").now == Time::seconds(1'000'000'000'000'000'000));
    CHECK_THROWS_AS(codec->decode_message(R"({"now":1.1e18,"events":[]})"), InputError);
}

TEST_CASE("Times may be integers, decimals or have exponents") {
    const auto codec = make_codec("batsim4");
    CHECK(codec->decode_reply(R"({"now":20.000030000000004,"events":[]})").now.to_string() == "20.000030");
    CHECK(codec->decode_reply(R"({"now":3,"events":[]})").now == Time::seconds(3));
    CHECK(codec->decode_reply(R"({"now":4.5e-05,"events":[]})").now.to_string() == "0.000045");
}

TEST_CASE("Numbers at the edges of what JSON can say keep their value") {
    CaughtLog log;
    const auto passed_on = [](const std::string& number) {
        return only_event<UnknownEvent>(frame_of("NEW", "[" + number + "]")).data;
    };
    CHECK(passed_on("0e300") == "[0.000000]");
    CHECK(passed_on("0.1e-400") == "[0.000000]");
    CHECK(passed_on("-0") == "[0]");
    CHECK(passed_on("-9223372036854775808") == "[-9223372036854775808]");
    CHECK(passed_on("18446744073709551615") == "[18446744073709551615]");
    CHECK(passed_on("18446744073709551616") == "[18446744073709551616.000000]");
    CHECK(passed_on("1e22") == "[10000000000000000000000.000000]");
    CHECK(passed_on("1.7976931348623157e308").size() == 309 + 7 + 2);
    CHECK(message_error(frame_of("NEW", "9e308")).ends_with(": a number too large for a double"));
    CHECK(message_error(frame_of("NEW", "-9e308")).ends_with(": a number too large for a double"));
}

TEST_CASE("A submitted job is read with the fields that are ours, and keeps all others in its source") {
    const auto event = only_event<JobSubmitted>(
        frame_of("JOB_SUBMITTED",
                 R"({"job_id":"w0!1","job":{ "id":"w0!1", "subtime":3.25, "res":4, "walltime":7, "profile":"p",)"
                 R"("deadline":99.5,"queue":2,"user":"ada","licenses":["x","y"],"colour":[1.5,null]},)"
                 R"("profile":{"type":"delay","delay":7}})"));
    CHECK(event.job.id == "w0!1");
    CHECK(event.job.submit.to_string() == "3.250000");
    CHECK(event.job.processors == 4);
    CHECK(event.job.walltime == Duration::seconds(7));
    CHECK(event.job.deadline->to_string() == "99.500000");
    CHECK(event.job.queue == "2");
    CHECK(event.job.user == "ada");
    CHECK(event.job.licenses == std::vector<std::string>{"x", "y"});
    CHECK(event.job.profile == "p");
    CHECK(event.source == R"({"id":"w0!1","subtime":3.250000,"res":4,"walltime":7,"profile":"p","deadline":99.500000,)"
                          R"("queue":2,"user":"ada","licenses":["x","y"],"colour":[1.500000,null]})");
    CHECK(event.profile == R"({"type":"delay","delay":7})");
}

TEST_CASE("A job without walltime, or with a negative one, has none") {
    const auto job = [](const std::string& walltime) {
        return only_event<JobSubmitted>(
                   frame_of("JOB_SUBMITTED",
                            R"({"job_id":"w0!1","job":{"id":1,"subtime":0,"res":1)" + walltime + R"(,"profile":"p"}})"))
            .job;
    };
    CHECK_FALSE(job("").walltime);
    CHECK_FALSE(job(R"(,"walltime":-1)").walltime);
    CHECK(job(R"(,"walltime":0.5)").walltime == Duration::microseconds(500'000));
    CHECK_FALSE(job("").deadline);
}

TEST_CASE("A registered job has the id of its event, whatever its object says") {
    const auto event = only_reply_event<RegisterJob>(
        frame_of("REGISTER_JOB", R"({"job_id":"dyn!0","job":{"id":"0","subtime":1,"res":1,"profile":"p"}})"));
    CHECK(event.job.id == "dyn!0");
    CHECK(event.source == R"({"id":"0","subtime":1,"res":1,"profile":"p"})");
}

TEST_CASE("Events that only carry what others said pass it on") {
    CHECK(only_event<Answer>(frame_of("ANSWER", R"({"consumed_energy":12.5})")).data ==
          R"({"consumed_energy":12.500000})");
    CHECK(only_event<FromJobMessage>(frame_of("FROM_JOB_MSG", R"({"job_id":"w0!1","msg":{"a":[1]}})")).message ==
          R"({"a":[1]})");
    CHECK(only_event<JobKilled>(frame_of("JOB_KILLED",
                                         R"({"job_ids":["w0!1"],"job_progress":{"w0!1":{"profile_name":"s",)"
                                         R"("current_task_index":1,"current_task":{"progress":0.5}}}})"))
              .progress ==
          R"({"w0!1":{"profile_name":"s","current_task_index":1,"current_task":{"progress":0.500000}}})");
    CHECK(only_reply_event<ToJobMessage>(frame_of("TO_JOB_MSG", R"({"job_id":"w0!1","msg":"go"})")).message == "go");
    CHECK(only_reply_event<Query>(frame_of("QUERY", R"({"requests":{"consumed_energy":{}}})")).requests ==
          R"({"consumed_energy":{}})");
}

TEST_CASE("Notifications name machines where they are about machines, and pass other fields on") {
    const auto machines = only_event<Notify>(
        frame_of("NOTIFY", R"({"type":"event_machine_unavailable","resources":"3 1-2","why":"fire"})"));
    CHECK(machines.resources == ResourceSet::range(1, 3));
    CHECK(machines.other == R"({"why":"fire"})");
    const auto external = only_event<Notify>(frame_of("NOTIFY", R"({"timestamp":5,"type":"flood","resources":"all"})"));
    CHECK(external.type == NotificationType::other);
    CHECK(external.other_type == "flood");
    CHECK_FALSE(external.resources);
    CHECK(external.other == R"({"timestamp":5,"resources":"all"})");
}

TEST_CASE("A codec is found by the name of its protocol", "[codec]") {
    CHECK(make_codec(default_protocol) != nullptr);
    CHECK_THROWS_AS(make_codec("batsim"), UsageError);
    CHECK_THROWS_WITH(make_codec("batsim"), "unknown protocol 'batsim', known: " + known_protocols());
    CHECK_THROWS_AS(ProtocolRegistration(
                        "batsim4", [] { return std::unique_ptr<Codec>(); }, [](std::string_view) { return false; }),
                    std::logic_error);
}

TEST_CASE("Unknown events and fields are tolerated, and logged once per name") {
    CaughtLog log;
    const auto codec = make_codec("batsim4");
    for (int i = 0; i < 3; ++i) {
        const Message message =
            codec->decode_message(R"({"now":1,"extra":1,"events":[{"timestamp":1,"type":"NEW","data":[1.5]},)"
                                  R"({"timestamp":1,"type":"OLD"},)"
                                  R"({"timestamp":1,"type":"SIMULATION_ENDS","data":{"mood":"good"},"id":4}]})");
        CHECK(std::get<UnknownEvent>(message.events[0].data) == UnknownEvent{"NEW", "[1.500000]"});
        CHECK(std::get<UnknownEvent>(message.events[1].data) == UnknownEvent{"OLD", ""});
        CHECK(std::holds_alternative<SimulationEnds>(message.events[2].data));
    }
    CHECK(log.text() ==
          "warning: unknown event \"NEW\" (said once)\n"
          "warning: unknown event \"OLD\" (said once)\n"
          "warning: unknown field \"data.mood\" (said once)\n"
          "warning: unknown field \"id\" (said once)\n"
          "warning: unknown field \"extra\" (said once)\n");
}

TEST_CASE("However many unknown names there are, the log stays short") {
    CaughtLog log;
    const auto codec = make_codec("batsim4");
    for (int i = 0; i < 1000; ++i) {
        codec->decode_message(frame_of("NEW_" + std::to_string(i) + "\\n", "{}"));
    }
    const std::string text = log.text();
    CHECK(std::count(text.begin(), text.end(), '\n') == 100);
}

TEST_CASE("The start of a simulation may lack options, which then have Batsim's defaults") {
    const auto begins = only_event<SimulationBegins>(frame_of(
        "SIMULATION_BEGINS", R"({"config":{"sched-config":"{\"a\":1}"},"compute_resources":[{"id":0,"name":"h"}],)"
                             R"("workloads":{"w0":"file.json"},"profiles":{"w0":{}}})"));
    Configuration config;
    config.sched_config = R"({"a":1})";
    CHECK(begins.config == config);
    CHECK(begins.compute_resources == std::vector<Resource>{{0, "h", "", {}, {}}});
    CHECK(begins.workloads == Properties{{"w0", "file.json"}});
    CHECK(begins.profiles == R"({"w0":{}})");
}

TEST_CASE("Frames that are not messages give one line that says what is wrong where") {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "JSON at byte 0: The document is empty."},
        {"nonsense", "JSON at byte 1: Invalid value."},
        {R"({"now":1,"events":[]} x)", "JSON at byte 22: expected the end"},
        {R"({"now":1,"events":[)", "JSON at byte 19: Invalid value."},
        {std::string(R"({"now":1,"events":[]})") + '\0' + "x", "JSON at byte 21: expected the end"},
        {"{\"now\":1,\"events\":[\"\xff\"]}", "JSON at byte 20: Invalid encoding in string."},
        {R"({"now":1,"events":["\ud834"]})", "JSON at byte 20: The surrogate pair in string is invalid."},
        {R"({"now":1,"events":["\udd1e"]})", "JSON at byte 27: a lone surrogate in a string"},
        {"{\"now\":1,\"events\":[\"\xe2", "JSON at byte 20: Invalid encoding in string."},
        {R"({"now":1e999,"events":[]})", "JSON at byte 7: Number too big to be stored in double."},
        {R"({"now":NaN,"events":[]})", "JSON at byte 7: Invalid value."},
        {"[]", "expected a JSON object with now and events"},
        {R"({"events":[]})", R"(field "now": expected a number of seconds, at most 1e18, found none)"},
        {R"({"now":"1","events":[]})",
         R"(field "now": expected a number of seconds, at most 1e18, found the text "1")"},
        {R"({"now":1e300,"events":[]})",
         R"(field "now": expected a number of seconds, at most 1e18, found the number 1e+300)"},
        {R"({"now":1})", R"(field "events": expected an array, found none)"},
        {R"({"now":1,"events":{}})", R"(field "events": expected an array, found an object)"},
        {R"({"now":1,"events":[{"timestamp":1,"type":"SIMULATION_ENDS","data":{}},7]})", "event 1: expected an object"},
        {R"({"now":1,"events":[{"type":"SIMULATION_ENDS","data":{}}]})",
         R"(event 0 ("SIMULATION_ENDS"): field "timestamp": expected a number of seconds, at most 1e18, found none)"},
        {R"({"now":1,"events":[{"timestamp":1.5,"type":"SIMULATION_ENDS","data":{}}]})",
         R"(event 0 ("SIMULATION_ENDS"): field "timestamp": expected a time not after the message's now, 1.000000, )"
         R"(found the number 1.5)"},
        {R"({"now":1,"events":[{"timestamp":1,"data":{}}]})", R"(event 0: field "type": expected a text, found none)"},
        {R"({"now":1,"events":[{"timestamp":1,"type":3,"data":{}}]})",
         R"(event 0: field "type": expected a text, found the number 3)"},
        {R"({"now":1,"events":[{"timestamp":2,"type":"A\nB"}]})",
         R"(event 0 ("A\nB"): field "timestamp": expected a time not after the message's now, 1.000000, found the number 2)"},
    };
    CaughtLog log;
    for (const auto& [frame, expected] : cases) {
        INFO(frame);
        CHECK(message_error(frame) == expected);
        CHECK(reply_error(frame) == expected);
    }
}

TEST_CASE("The events of a message are in order of time, those of a reply need not be") {
    const std::string frame = R"({"now":9,"events":[{"timestamp":8,"type":"X"},{"timestamp":7.5,"type":"Y"}]})";
    CaughtLog log;
    CHECK(message_error(frame) ==
          R"(event 1 ("Y"): field "timestamp": expected a time not before that of the event before it, 8.000000, )"
          R"(found the number 7.5)");
    CHECK(make_codec("batsim4")->decode_reply(frame).events.size() == 2);
}

TEST_CASE("Missing and mistyped fields of Batsim's events are named with what was expected") {
    const std::string job = R"("id":"w0!1","subtime":0,"res":1,"profile":"p")";
    const std::string begins = R"("config":{},"workloads":{},"profiles":{})";
    const std::vector<std::vector<std::string>> cases{
        {"SIMULATION_ENDS", "[]", R"("data": expected an object, found an array)"},
        {"JOB_SUBMITTED", R"({})", R"("data.job": expected an object, found none)"},
        {"JOB_SUBMITTED", R"({"job_id":7,"job":{)" + job + "}}",
         R"("data.job_id": expected a text, found the number 7)"},
        {"JOB_SUBMITTED", R"({"job_id":"w0!1","job":[]})", R"("data.job": expected an object, found an array)"},
        {"JOB_SUBMITTED", R"({"job_id":"w0!1","job":{}})",
         R"("data.job.id": expected a text or an integer, found none)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{"id":1,"subtime":"0"}})",
         R"("data.job.subtime": expected a number of seconds, at most 1e18, found the text "0")"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{"id":1,"subtime":0,"res":1.0}})",
         R"("data.job.res": expected an integer of 32 bits, found the number 1)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{"id":1,"subtime":0,"res":-1}})",
         R"("data.job.res": expected an integer from 0, found the number -1)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{"id":1,"subtime":0,"res":1}})",
         R"("data.job.profile": expected a text, found none)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"walltime":null}})",
         R"("data.job.walltime": expected a number of seconds, at most 1e18, found null)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"deadline":"soon"}})",
         R"("data.job.deadline": expected a number of seconds, at most 1e18, found the text "soon")"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"queue":[]}})",
         R"("data.job.queue": expected a text or a number, found an array)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"licenses":"x"}})",
         R"("data.job.licenses": expected an array, found the text "x")"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"licenses":[1]}})",
         R"("data.job.licenses": expected an array of texts, found an array)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(},"profile":1})",
         R"("data.profile": expected an object, found the number 1)"},
        {"JOB_COMPLETED", R"({"job_id":"a","job_state":"DONE","return_code":0,"alloc":"0"})",
         R"("data.job_state": expected a job state such as "COMPLETED_SUCCESSFULLY", found the text "DONE")"},
        {"JOB_COMPLETED", R"({"job_id":"a","job_state":"REJECTED","alloc":"0"})",
         R"("data.return_code": expected an integer of 32 bits, found none)"},
        {"JOB_COMPLETED", R"({"job_id":"a","job_state":"REJECTED","return_code":0,"alloc":"3-1"})",
         R"("data.alloc": expected resources such as "0-3 7", found the text "3-1")"},
        {"JOB_COMPLETED", R"({"job_id":"a","job_state":"REJECTED","return_code":0,"alloc":[3]})",
         R"("data.alloc": expected resources such as "0-3 7", found an array)"},
        {"JOB_KILLED", R"({"job_ids":"a","job_progress":{}})",
         R"("data.job_ids": expected an array, found the text "a")"},
        {"JOB_KILLED", R"({"job_ids":[1],"job_progress":{}})",
         R"("data.job_ids": expected an array of texts, found an array)"},
        {"JOB_KILLED", R"({"job_ids":["a"]})", R"("data.job_progress": expected an object, found none)"},
        {"NOTIFY", R"({})", R"("data.type": expected a text, found none)"},
        {"NOTIFY", R"({"type":"event_machine_available"})",
         R"("data.resources": expected resources such as "0-3 7", found none)"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0-"})",
         R"("data.resources": expected resources such as "0-3 7", found the text "0-")"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0","state":1})",
         R"("data.state": expected a text, found the number 1)"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0","state":"asleep"})",
         R"("data.state": expected the number of a pstate, as text, found the text "asleep")"},
        {"QUERY", R"({"requests":[]})", R"("data.requests": expected an object, found an array)"},
        {"FROM_JOB_MSG", R"({"job_id":"a"})", R"("data.msg": expected a value, found none)"},
        {"SIMULATION_BEGINS", R"({})", R"("data.config": expected an object, found none)"},
        {"SIMULATION_BEGINS", R"({"config":{"sched-config":{}}})",
         R"("data.config.sched-config": expected a text, found an object)"},
        {"SIMULATION_BEGINS", R"({"config":{"redis-enabled":0}})",
         R"("data.config.redis-enabled": expected true or false, found the number 0)"},
        {"SIMULATION_BEGINS", "{" + begins + "}", R"("data.compute_resources": expected an array, found none)"},
        {"SIMULATION_BEGINS", "{" + begins + R"(,"compute_resources":[1]})",
         R"("data.compute_resources": expected an array of objects, found an array)"},
        {"SIMULATION_BEGINS", "{" + begins + R"(,"compute_resources":[{"id":0,"name":"a"},{"id":0,"name":"b"}]})",
         R"("data.compute_resources.id": expected a number that no other resource has, found the number 0)"},
        {"SIMULATION_BEGINS", "{" + begins + R"(,"compute_resources":[{"id":0,"name":"a","properties":{"b":1}}]})",
         R"("data.compute_resources.properties": expected an object with texts, found an object)"},
        {"SIMULATION_BEGINS", "{" + begins + R"(,"compute_resources":[],"nb_resources":1})",
         R"("data.nb_resources": expected the number of resources listed, 0, found the number 1)"},
        {"SIMULATION_BEGINS", R"({"config":{},"compute_resources":[],"profiles":{}})",
         R"("data.workloads": expected an object, found none)"},
    };
    for (const auto& row : cases) {
        INFO(row[0] << " " << row[1]);
        CHECK(message_error(frame_of(row[0], row[1])) == "event 0 (\"" + row[0] + "\"): field " + row[2]);
    }
}

TEST_CASE("Missing and mistyped fields of the scheduler's events are named with what was expected") {
    const std::vector<std::vector<std::string>> cases{
        {"EXECUTE_JOB", R"({"alloc":"0"})", R"("data.job_id": expected a text, found none)"},
        {"EXECUTE_JOB", R"({"job_id":"a","alloc":""})",
         R"("data.alloc": expected at least one resource, found the text "")"},
        {"EXECUTE_JOB", R"({"job_id":"a","alloc":"0;1"})",
         R"("data.alloc": expected resources such as "0-3 7", found the text "0;1")"},
        {"REJECT_JOB", R"({"job_id":null})", R"("data.job_id": expected a text, found null)"},
        {"KILL_JOB", R"({"job_ids":[]})", R"("data.job_ids": expected at least one job, found an array)"},
        {"CALL_ME_LATER", R"({"timestamp":"5"})",
         R"("data.timestamp": expected a number of seconds, at most 1e18, found the text "5")"},
        {"SET_RESOURCE_STATE", R"({"resources":"0","state":"-1"})",
         R"("data.state": expected the number of a pstate, as text, found the text "-1")"},
        {"SET_RESOURCE_STATE", R"({"resources":"0"})", R"("data.state": expected a text, found none)"},
        {"SET_JOB_METADATA", R"({"job_id":"a"})", R"("data.metadata": expected a text, found none)"},
        {"CHANGE_JOB_STATE", R"({"job_id":"a","job_state":true})", R"("data.job_state": expected a text, found true)"},
        {"REGISTER_JOB", R"({"job_id":"a"})", R"("data.job": expected an object, found none)"},
        {"REGISTER_PROFILE", R"({"workload_name":"a","profile_name":"b"})",
         R"("data.profile": expected an object, found none)"},
        {"QUERY", R"({})", R"("data.requests": expected an object, found none)"},
        {"TO_JOB_MSG", R"({"job_id":"a","msg":{}})", R"("data.msg": expected a text, found an object)"},
    };
    for (const auto& row : cases) {
        INFO(row[0] << " " << row[1]);
        CHECK(reply_error(frame_of(row[0], row[1])) == "event 0 (\"" + row[0] + "\"): field " + row[2]);
    }
}

TEST_CASE("Frames nested too deeply are refused, however deep") {
    for (const std::size_t depth : {std::size_t{200}, std::size_t{10'000}, std::size_t{1'000'000}}) {
        const std::string arrays = std::string(depth, '[') + std::string(depth, ']');
        CHECK(message_error(arrays) == "JSON at byte 129: nested deeper than 128");
        CHECK(message_error(frame_of("NEW", arrays)).ends_with(": nested deeper than 128"));
    }
    const std::string bearable = std::string(100, '[') + std::string(100, ']');
    CaughtLog log;
    CHECK(only_event<UnknownEvent>(frame_of("NEW", bearable)).data == bearable);
}

TEST_CASE("Frames larger than the limit are refused before they are parsed") {
    const std::string frame(max_frame_size + 1, '[');
    CHECK(message_error(frame) == "a frame of 67108865 bytes, expected at most 67108864");
    CHECK(reply_error(frame) == "a frame of 67108865 bytes, expected at most 67108864");
}

TEST_CASE("A codec that has refused a frame goes on with the next") {
    const auto codec = make_codec("batsim4");
    CHECK_THROWS_AS(codec->decode_message("[[["), InputError);
    CHECK(codec->decode_message(R"({"now":1,"events":[]})").now == Time::seconds(1));
}

}  // namespace batfill::tests::protocol_codec_test
