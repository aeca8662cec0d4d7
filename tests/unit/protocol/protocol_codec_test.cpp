#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "caught_log.hpp"
#include "protocol/batsim4.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/overloaded.hpp"

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
    const auto codec = make_codec("batsim4");
    Message& message = codec->decode(frame);
    REQUIRE(message.events.size() == 1);
    return std::get<Data>(std::move(message.events[0].data));
}

template <class Data>
Data only_decision(const std::string& frame) {
    ReplyReader reader;
    Reply& reply = reader.read(frame);
    REQUIRE(reply.events.size() == 1);
    return std::get<Data>(std::get<Decision>(std::move(reply.events[0].data)));
}

// What a scheduler writes for decisions on the jobs w0!0, w0!1, ...
std::string encoded(Time now, const std::vector<Decision>& decisions) {
    const auto codec = make_codec("batsim4");
    for (int i = 0; i < 10; ++i) {
        codec->ids().number_of("w0!" + std::to_string(i));
    }
    std::string frame;
    codec->encode(now, decisions, frame);
    return frame;
}

std::string message_error(const std::string& frame) {
    const auto codec = make_codec("batsim4");
    try {
        codec->decode(frame);
    } catch (const InputError& error) {
        CHECK(codec->ids().size() == 0);
        return error.what();
    }
    return "decoded";
}

std::string reply_error(const std::string& frame) {
    try {
        ReplyReader().read(frame);
    } catch (const InputError& error) {
        return error.what();
    }
    return "decoded";
}

// Draws replies with every kind of decision, awkward texts and nested JSON. The same seed draws the same.
class Generator {
 public:
    explicit Generator(unsigned seed) : random_(seed) {}

    std::vector<Decision> decisions(JobIds& ids) {
        std::vector<Decision> decisions;
        repeat(4, [&] { decisions.push_back(decision(ids)); });
        return decisions;
    }
    // Times that a double carries to the microsecond, as it does all times that Batsim sends.
    Duration duration() { return Duration::microseconds(static_cast<long long>(random_() % 4'000'000'000'000'000)); }
    Time time() { return Time::at(duration()); }

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

    JobDescription job() {
        JobDescription job;
        job.id = text();
        job.submit = time();
        job.processors = static_cast<int>(below(1000));
        job.profile = text() + "p";
        if (coin()) {
            job.walltime = duration();
        }
        if (coin()) {
            job.deadline = time();
        }
        job.queue = text();
        job.user = std::to_string(below(100));
        repeat(3, [&] { job.licenses.push_back(text()); });
        return job;
    }

    Decision decision(JobIds& ids) {
        const JobIndex drawn = ids.number_of(text());
        switch (below(9)) {
            case 0:
                return StartJob{drawn, some_resources()};
            case 1:
                return RejectJob{drawn, {}, {}};
            case 2: {
                KillJobs kill{{drawn}};
                repeat(3, [&] { kill.jobs.push_back(ids.number_of(text())); });
                return kill;
            }
            case 3:
                return CallMeLater{time()};
            case 4:
                return SetResourceState{some_resources(), static_cast<int>(below(20))};
            case 5:
                return SetJobMetadata{drawn, text()};
            case 6: {
                JobDescription description = job();
                const JobIndex number = ids.number_of(description.id);
                return RegisterJob{number, std::move(description), {}};
            }
            case 7:
                return RegisterProfile{text(), text(), object()};
            default:
                return Notification{NotificationType::registration_finished, {}, {}};
        }
    }

    std::mt19937_64 random_;
};

// All that a reply says.
std::string text_of(const Reply& reply, const JobIds& ids) {
    std::string text = reply.now.to_string();
    for (const ReplyEvent& event : reply.events) {
        text += '\n' + event.timestamp.to_string() + ' ';
        std::visit(Overloaded{[&](const StartJob& start) { text += ids.id(start.job) + start.allocation.to_string(); },
                              [&](const RejectJob& reject) { text += ids.id(reject.job); },
                              [&](const KillJobs& kill) {
                                  for (const JobIndex job : kill.jobs) {
                                      text += ids.id(job) + ' ';
                                  }
                              },
                              [&](const CallMeLater& call) { text += call.time.to_string(); },
                              [&](const SetResourceState& sets) {
                                  text += sets.processors.to_string() + std::to_string(sets.pstate);
                              },
                              [&](const SetJobMetadata& sets) { text += ids.id(sets.job) + sets.metadata; },
                              [&](const RegisterJob& registers) {
                                  text += ids.id(registers.job);
                                  append_job(registers.description, registers.description.id, text);
                              },
                              [&](const RegisterProfile& registers) {
                                  text += registers.workload + ' ' + registers.name + ' ' + registers.source;
                              },
                              [&](const Notification& notification) { text += to_string(notification.type); }},
                   std::get<Decision>(event.data));
    }
    return text;
}

}  // namespace

TEST_CASE("Decisions that are encoded are read as the same decisions") {
    const tests::CaughtLog log;
    std::string frame;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        Generator generator(seed);
        const auto codec = make_codec("batsim4");
        const std::vector<Decision> decisions = generator.decisions(codec->ids());
        Reply reply{generator.time(), {}};
        for (const Decision& decision : decisions) {
            reply.events.push_back({reply.now, decision});
        }
        codec->encode(reply.now, decisions, frame);
        INFO("seed " << seed << ": " << frame);
        ReplyReader reader;
        REQUIRE(text_of(reader.read(frame), reader.ids()) == text_of(reply, codec->ids()));
    }
    CHECK(log.text().empty());
}

TEST_CASE("Replies are printed with six decimals and canonical allocations") {
    CHECK(encoded(Time::seconds(1), {StartJob{1, *ResourceSet::parse("5 1 2 3")}, RejectJob{2, {}, {}},
                                     KillJobs{{3, 4}}, CallMeLater{Time::at(*Duration::parse("60.25"))}}) ==
          R"({"now":1.000000,"events":[)"
          R"({"timestamp":1.000000,"type":"EXECUTE_JOB","data":{"job_id":"w0!1","alloc":"1-3 5"}},)"
          R"({"timestamp":1.000000,"type":"REJECT_JOB","data":{"job_id":"w0!2"}},)"
          R"({"timestamp":1.000000,"type":"KILL_JOB","data":{"job_ids":["w0!3","w0!4"]}},)"
          R"({"timestamp":1.000000,"type":"CALL_ME_LATER","data":{"timestamp":60.250000}}]})");
    CHECK(encoded(Time(), {}) == R"({"now":0.000000,"events":[]})");
}

TEST_CASE("Jobs have numbers in the order in which frames first name them", "[codec]") {
    const tests::CaughtLog log;
    const auto codec = make_codec("batsim4");
    const auto completed = [](const std::string& id, const std::string& state) {
        return R"({"timestamp":1,"type":"JOB_COMPLETED","data":{"job_id":")" + id + R"(","job_state":")" + state +
               "\"}}";
    };
    const std::string good = completed("b", "COMPLETED_FAILED") + ',' + completed("a", "COMPLETED_FAILED");
    const auto message = [&](const std::string& events) { return R"({"now":1,"events":[)" + events + "]}"; };
    const auto job = [](const MessageEvent& event) { return std::get<JobCompleted>(event.data).job; };
    {
        const Message& first = codec->decode(message(good));
        CHECK(job(first.events[0]) == 0);
        CHECK(job(first.events[1]) == 1);
    }
    // What is refused leaves no trace.
    CHECK_THROWS_AS(codec->decode(message(completed("c", "COMPLETED_FAILED") + ',' + completed("d", "LOST"))),
                    InputError);
    CHECK(codec->ids().size() == 2);
    const Message& second = codec->decode(message(completed("d", "COMPLETED_FAILED") + ',' + good));
    CHECK(job(second.events[0]) == 2);
    CHECK(job(second.events[1]) == 0);
    CHECK(codec->ids().id(2) == "d");
    // What other schedulers hear gives no numbers.
    codec->decode(message(R"({"timestamp":1,"type":"FROM_JOB_MSG","data":{"job_id":"e","msg":1}})"));
    CHECK(codec->ids().size() == 3);
}

TEST_CASE("Times far in the future keep their value") {
    const std::string frame = R"({"now":100000000000000000.000000,"events":[{"timestamp":99999999999999984.000000,)"
                              R"("type":"REQUESTED_CALL","data":{}}]})";
    const auto codec = make_codec("batsim4");
    const Message& message = codec->decode(frame);
    CHECK(message.now == Time::seconds(100'000'000'000'000'000));
    CHECK(message.events[0].timestamp < message.now);
    CHECK(codec->decode(R"({"now":1e18,"events":[]})").now == Time::seconds(1'000'000'000'000'000'000));
    CHECK_THROWS_AS(codec->decode(R"({"now":1.1e18,"events":[]})"), InputError);
}

TEST_CASE("Times may be integers, decimals or have exponents") {
    ReplyReader reader;
    CHECK(reader.read(R"({"now":20.000030000000004,"events":[]})").now.to_string() == "20.000030");
    CHECK(reader.read(R"({"now":3,"events":[]})").now == Time::seconds(3));
    CHECK(reader.read(R"({"now":4.5e-05,"events":[]})").now.to_string() == "0.000045");
}

TEST_CASE("Numbers at the edges of what JSON can say keep their value") {
    const auto passed_on = [](const std::string& number) {
        return only_decision<RegisterProfile>(
                   frame_of("REGISTER_PROFILE",
                            R"({"workload_name":"w","profile_name":"p","profile":{"n":)" + number + "}}"))
            .source;
    };
    CHECK(passed_on("0e300") == R"({"n":0.000000})");
    CHECK(passed_on("0.1e-400") == R"({"n":0.000000})");
    CHECK(passed_on("-0") == R"({"n":0})");
    CHECK(passed_on("-9223372036854775808") == R"({"n":-9223372036854775808})");
    CHECK(passed_on("18446744073709551615") == R"({"n":18446744073709551615})");
    CHECK(passed_on("18446744073709551616") == R"({"n":18446744073709551616.000000})");
    CHECK(passed_on("1e22") == R"({"n":10000000000000000000000.000000})");
    CHECK(passed_on("1.7976931348623157e308").size() == 309 + 7 + 6);
    CHECK(message_error(frame_of("NEW", "9e308")).ends_with(": a number too large for a double"));
    CHECK(message_error(frame_of("NEW", "-9e308")).ends_with(": a number too large for a double"));
}

TEST_CASE("A submitted job is read with the fields that are ours, and all others mean nothing") {
    const tests::CaughtLog log;
    const auto event = only_event<JobSubmitted>(
        frame_of("JOB_SUBMITTED",
                 R"({"job_id":"w0!1","job":{ "id":"w0!1", "subtime":3.25, "res":4, "walltime":7, "profile":"p",)"
                 R"("deadline":99.5,"queue":2,"user":"ada","licenses":["x","y"],"colour":[1.5,null]},)"
                 R"("profile":{"type":"delay","delay":7}})"));
    CHECK(event.job == 0);
    const JobDescription& job = *event.description;
    CHECK(job.id == "w0!1");
    CHECK(job.submit.to_string() == "3.250000");
    CHECK(job.processors == 4);
    CHECK(job.walltime == Duration::seconds(7));
    CHECK(job.deadline->to_string() == "99.500000");
    CHECK(job.queue == "2");
    CHECK(job.user == "ada");
    CHECK(job.licenses == std::vector<std::string>{"x", "y"});
    CHECK(job.profile == "p");
    CHECK(log.text().empty());
}

TEST_CASE("A job without walltime, or with a negative one, has none") {
    const auto job = [](const std::string& walltime) {
        return *only_event<JobSubmitted>(
                    frame_of("JOB_SUBMITTED", R"({"job_id":"w0!1","job":{"id":1,"subtime":0,"res":1)" + walltime +
                                                  R"(,"profile":"p"}})"))
                    .description;
    };
    CHECK_FALSE(job("").walltime);
    CHECK_FALSE(job(R"(,"walltime":-1)").walltime);
    CHECK(job(R"(,"walltime":0.5)").walltime == Duration::microseconds(500'000));
    CHECK_FALSE(job("").deadline);
}

TEST_CASE("A registered job has the id of its event, whatever its object says") {
    const auto registers = only_decision<RegisterJob>(
        frame_of("REGISTER_JOB", R"({"job_id":"dyn!0","job":{"id":"0","subtime":1,"res":1,"profile":"p"}})"));
    CHECK(registers.job == 0);
    CHECK(registers.description.id == "dyn!0");
    CHECK(registers.source == R"({"id":"dyn!0","subtime":1,"res":1,"profile":"p"})");
}

TEST_CASE("Fields that no scheduler needs must be JSON, and no more", "[codec]") {
    const tests::CaughtLog log;
    const auto killed = only_event<JobsKilled>(frame_of("JOB_KILLED", R"({"job_ids":["w0!1"],"job_progress":[7]})"));
    CHECK(killed.jobs == std::vector<JobIndex>{0});
    const std::string completed = R"({"job_id":"a","job_state":"COMPLETED_FAILED","return_code":"x","alloc":[3]})";
    CHECK(only_event<JobCompleted>(frame_of("JOB_COMPLETED", completed)).state == JobState::completed_failed);
    CHECK(only_event<SimulationBegins>(
              frame_of("SIMULATION_BEGINS", R"({"config":{"redis-port":"x","redis-prefix":1},"compute_resources":[],)"
                                            R"("profiles":7,"workloads":[],"nb_resources":5})"))
              .hosts.empty());
    for (const char* type : {"QUERY", "ANSWER", "FROM_JOB_MSG"}) {
        INFO(type);
        only_event<Ignored>(frame_of(type, R"({"consumed_energy":12.5,"msg":{"a":[1]}})"));
    }
    CHECK(log.text().empty());
}

TEST_CASE("Notifications name machines where they are about machines") {
    const tests::CaughtLog log;
    const auto machines = only_event<MachineChanged>(
        frame_of("NOTIFY", R"({"type":"event_machine_unavailable","resources":"3 1-2","why":"fire"})"));
    CHECK(machines.processors == ResourceSet::range(1, 3));
    CHECK_FALSE(machines.available);
    CHECK(only_event<MachineChanged>(frame_of("NOTIFY", R"({"type":"event_machine_available","resources":""})"))
              .available);
    CHECK(only_event<Notification>(frame_of("NOTIFY", R"({"type":"no_more_static_job_to_submit"})")).type ==
          NotificationType::no_more_static_job_to_submit);
    CHECK(only_event<Notification>(frame_of("NOTIFY", R"({"timestamp":5,"type":"flood","resources":"all"})")).type ==
          NotificationType::other);
    CHECK(log.text().empty());
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
    const tests::CaughtLog log;
    const auto codec = make_codec("batsim4");
    for (int i = 0; i < 3; ++i) {
        const Message& message =
            codec->decode(R"({"now":1,"extra":1,"events":[{"timestamp":1,"type":"NEW","data":[1.5]},)"
                          R"({"timestamp":1,"type":"OLD"},)"
                          R"({"timestamp":1,"type":"SIMULATION_ENDS","data":{"mood":"good"},"id":4}]})");
        CHECK(std::holds_alternative<Ignored>(message.events[0].data));
        CHECK(std::holds_alternative<Ignored>(message.events[1].data));
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
    const tests::CaughtLog log;
    const auto codec = make_codec("batsim4");
    for (int i = 0; i < 1000; ++i) {
        codec->decode(frame_of("NEW_" + std::to_string(i) + "\\n", "{}"));
    }
    const std::string text = log.text();
    CHECK(std::count(text.begin(), text.end(), '\n') == 100);
}

TEST_CASE("The start of a simulation may lack options, which then have Batsim's defaults") {
    const auto begins = only_event<SimulationBegins>(frame_of(
        "SIMULATION_BEGINS", R"({"config":{"sched-config":"{\"a\":1}"},"compute_resources":[{"id":0,"name":"h"}],)"
                             R"("workloads":{"w0":"file.json"},"profiles":{"w0":{}}})"));
    CHECK(begins.options.scheduler_configuration == R"({"a":1})");
    CHECK_FALSE(begins.options.redis_enabled);
    CHECK_FALSE(begins.options.dynamic_jobs_enabled);
    CHECK_FALSE(begins.options.dynamic_jobs_acknowledged);
    CHECK_FALSE(begins.options.profile_reuse_enabled);
    REQUIRE(begins.hosts.size() == 1);
    CHECK(begins.hosts[0].first == 0);
    CHECK(begins.hosts[0].second.name == "h");
    CHECK(begins.last_resource == 0);
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
    const tests::CaughtLog log;
    for (const auto& [frame, expected] : cases) {
        INFO(frame);
        CHECK(message_error(frame) == expected);
        CHECK(reply_error(frame) == expected);
    }
}

TEST_CASE("The events of a message are in order of time, those of a reply need not be") {
    const std::string frame = R"({"now":9,"events":[{"timestamp":8,"type":"X"},{"timestamp":7.5,"type":"Y"}]})";
    const tests::CaughtLog log;
    CHECK(message_error(frame) ==
          R"(event 1 ("Y"): field "timestamp": expected a time not before that of the event before it, 8.000000, )"
          R"(found the number 7.5)");
    CHECK(ReplyReader().read(frame).events.size() == 2);
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
        {"JOB_COMPLETED", R"({"job_id":"a","job_state":"DONE","return_code":0,"alloc":"0"})",
         R"("data.job_state": expected a job state such as "COMPLETED_SUCCESSFULLY", found the text "DONE")"},
        {"JOB_KILLED", R"({"job_ids":"a","job_progress":{}})",
         R"("data.job_ids": expected an array, found the text "a")"},
        {"JOB_KILLED", R"({"job_ids":[1],"job_progress":{}})",
         R"("data.job_ids": expected an array of texts, found an array)"},
        {"NOTIFY", R"({})", R"("data.type": expected a text, found none)"},
        {"NOTIFY", R"({"type":"event_machine_available"})",
         R"("data.resources": expected resources such as "0-3 7", found none)"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0-"})",
         R"("data.resources": expected resources such as "0-3 7", found the text "0-")"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0","state":1})",
         R"("data.state": expected a text, found the number 1)"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0","state":"asleep"})",
         R"("data.state": expected the number of a pstate, as text, found the text "asleep")"},
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
        {"REGISTER_JOB", R"({"job_id":"a"})", R"("data.job": expected an object, found none)"},
        {"REGISTER_PROFILE", R"({"workload_name":"a","profile_name":"b"})",
         R"("data.profile": expected an object, found none)"},
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
    const tests::CaughtLog log;
    only_event<Ignored>(frame_of("NEW", bearable));
}

TEST_CASE("Frames larger than the limit are refused before they are parsed") {
    const std::string frame(max_frame_size + 1, '[');
    CHECK(message_error(frame) == "a frame of 67108865 bytes, expected at most 67108864");
    CHECK(reply_error(frame) == "a frame of 67108865 bytes, expected at most 67108864");
}

TEST_CASE("A codec that has refused a frame goes on with the next") {
    const auto codec = make_codec("batsim4");
    CHECK_THROWS_AS(codec->decode("[[["), InputError);
    CHECK(codec->decode(R"({"now":1,"events":[]})").now == Time::seconds(1));
}

}  // namespace batfill::tests::protocol_codec_test
