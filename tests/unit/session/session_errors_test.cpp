#include <functional>
#include <string>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "tests/support/batsim4_frames.hpp"
#include "tests/unit/session/dialogue.hpp"

namespace batfill::tests::session_errors_test {

using Catch::Matchers::Contains;
using namespace batsim4;

namespace {

const std::string ends_data = "{}";

}  // namespace

namespace {

// An unusable frame, and parts of the error for it.
struct Malformed {
    std::string frame;
    std::string place;
    std::string expected;
};

// Frames at time 5, after a beginning with 4 processors and w0!running (started), w0!waiting, w0!finished and
// w0!rejected.
std::vector<Malformed> malformed_frames() {
    const auto with = [](const std::string& type, const std::string& data) {
        return frame("6", {event("6", type, data)});
    };
    std::string many_umlauts;
    for (int i = 0; i < 100; ++i) {
        many_umlauts += "\u00e4";
    }
    const std::string good = R"("job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":"0")";
    return {
        // Not a message.
        {"", "JSON at byte 0", ""},
        {"   ", "JSON at byte", ""},
        {"{", "JSON at byte 1", ""},
        {"{\"now\":6,\"events\":[]}}", "JSON at byte", ""},
        {"\xff\xfe", "JSON at byte 0", ""},
        {"[]", "", "expected a JSON object"},
        {"null", "", "expected a JSON object"},
        {R"({"events":[]})", "now", "expected"},
        {R"({"now":"6","events":[]})", "now", "expected"},
        {R"({"now":1e400,"events":[]})", "JSON at byte", ""},
        {R"({"now":1e19,"events":[]})", "now", "expected"},
        {R"({"now":6})", "events", "expected"},
        {R"({"now":6,"events":{}})", "events", "expected"},
        {R"({"now":6,"events":[3]})", "event 0", "expected an object"},
        {std::string(10'000, '[') + std::string(10'000, ']'), "JSON at byte", "nest"},
        {R"({"now":6,"events":)" + std::string(10'000, '[') + std::string(10'000, ']') + "}", "JSON at byte", "nest"},
        // Times.
        {frame("4.999999", {}), "5.000000", "time goes back"},
        {frame("6", {call("6.000001")}), "event 0 (\"REQUESTED_CALL\")", "timestamp"},
        {frame("6", {call("6"), call("\"6\"")}), "event 1", "timestamp"},
        {frame("6", {call("5.5"), call("6"), call("5.9")}), "event 2", "not before that of the event before it, 6"},
        // Fields, by type of event.
        {R"({"now":6,"events":[{"type":"NOTIFY","data":{}}]})", "event 0 (\"NOTIFY\")", "timestamp"},
        {R"({"now":6,"events":[{"timestamp":6,"data":{}}]})", "event 0", "type"},
        {R"({"now":6,"events":[{"timestamp":6,"type":"REQUESTED_CALL"}]})", "REQUESTED_CALL", "data"},
        {with("REQUESTED_CALL", "[]"), "REQUESTED_CALL", "data"},
        {with("NOTIFY", "{}"), "NOTIFY", "data.type"},
        {with("NOTIFY", R"({"type":"event_machine_available"})"), "NOTIFY", "data.resources"},
        {frame("6", {machine("6", "unavailable", "3-1")}), "NOTIFY", "data.resources"},
        {frame("6", {machine("6", "available", "4")}), "event_machine_available", "resource 4, expected at most 3"},
        {frame("6", {machine("6", "unavailable", "2-2147483646")}), "event_machine_unavailable",
         "resource 2147483646, expected at most 3"},
        {with("JOB_SUBMITTED", "{}"), "JOB_SUBMITTED", "data.job"},
        {with("JOB_SUBMITTED", R"({"job_id":"w0!n"})"), "JOB_SUBMITTED", "data.job"},
        {with("JOB_SUBMITTED", R"({"job_id":7,"job":{}})"), "JOB_SUBMITTED", "data.job"},
        {with("JOB_SUBMITTED", R"({"job_id":"w0!n","job":{"id":"w0!n","res":1,"profile":"p"}})"), "JOB_SUBMITTED",
         "data.job.subtime"},
        {with("JOB_SUBMITTED", R"({"job_id":"w0!n","job":{"id":"w0!n","subtime":1,"profile":"p"}})"), "JOB_SUBMITTED",
         "data.job.res"},
        {with("JOB_SUBMITTED", R"({"job_id":"w0!n","job":{"id":"w0!n","subtime":1,"res":1.5,"profile":"p"}})"),
         "JOB_SUBMITTED", "data.job.res"},
        {with("JOB_SUBMITTED", R"({"job_id":"w0!n","job":{"id":"w0!n","subtime":1,"res":4294967297,"profile":"p"}})"),
         "JOB_SUBMITTED", "data.job.res"},
        {with("JOB_SUBMITTED", R"({"job_id":"w0!n","job":{"id":"w0!n","subtime":1,"res":1}})"), "JOB_SUBMITTED",
         "data.job.profile"},
        {with("JOB_SUBMITTED",
              R"({"job_id":"w0!n","job":{"id":"w0!n","subtime":1,"res":1,"walltime":"9","profile":"p"}})"),
         "JOB_SUBMITTED", "data.job.walltime"},
        {with("JOB_COMPLETED", "{" + good + "}"), "JOB_COMPLETED", "data.job_id"},
        {with("JOB_COMPLETED", R"({"job_id":"w0!running","job_state":"DONE","return_code":0,"alloc":"0"})"),
         "JOB_COMPLETED", "data.job_state"},
        {with("JOB_KILLED", R"({"job_progress":{}})"), "JOB_KILLED", "data.job_ids"},
        {with("JOB_KILLED", R"({"job_ids":[7],"job_progress":{}})"), "JOB_KILLED", "data.job_ids"},
        // Jobs.
        {frame("6", {submitted("6", "w0!waiting", 1, "1")}), "\"w0!waiting\"", "twice"},
        {frame("6", {submitted("6", "w0!finished", 1, "1")}), "\"w0!finished\"", "twice"},
        {frame("6", {submitted("6", "w0!n", 1, "1"), submitted("6", "w0!n", 1, "1")}), "\"w0!n\"", "twice"},
        {frame("6", {completed("6", "w0!unknown")}), "\"w0!unknown\"", "unknown job"},
        {frame("6", {completed("6", "a\\nb\\u0007")}), "\"a\\nb", "unknown job"},
        {frame("6", {completed("6", "w0" + many_umlauts)}), many_umlauts.substr(0, 78) + "\"...", "unknown job"},
        {frame("6", {completed("6", "w0!" + many_umlauts)}), many_umlauts.substr(0, 76) + "\"...", "unknown job"},
        {frame("6", {completed("6", "w0!waiting")}), "\"w0!waiting\"", "not running"},
        {frame("6", {completed("6", "w0!rejected")}), "\"w0!rejected\"", "not running"},
        {frame("6", {completed("6", "w0!finished")}), "\"w0!finished\"", "not running"},
        {frame("6", {completed("6", "w0!running"), completed("6", "w0!running")}), "\"w0!running\"", "not running"},
        {frame("6", {submitted("6", "w0!n", 1, "1"), completed("6", "w0!n")}), "\"w0!n\"", "not running"},
        {frame("6", {completed("6", "w0!running", "SUBMITTED")}), "\"w0!running\"",
         "with the state SUBMITTED, expected one such as COMPLETED_SUCCESSFULLY"},
        {frame("6", {killed("6", "w0!unknown")}), "JOB_KILLED", "\"w0!unknown\""},
        // Order.
        {frame("6", {event("6", "SIMULATION_BEGINS", begins_data(4))}), "SIMULATION_BEGINS", "twice"},
        {frame("6", {event("6", "SIMULATION_ENDS", ends_data), call("6")}), "SIMULATION_ENDS", "follows"},
    };
}

}  // namespace
TEST_CASE("Every malformed frame gives one line that says where and what", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        for (const Malformed& malformed : malformed_frames()) {
            Dialogue batsim(algorithm);
            batsim.answer(begins(4));
            batsim.answer(frame("4", {submitted("4", "w0!finished", 4, "1"), submitted("4", "w0!rejected", 5, "1")}));
            REQUIRE(batsim.answer(frame("5", {completed("5", "w0!finished"), submitted("5", "w0!running", 4, "9"),
                                              submitted("5", "w0!waiting", 4, "9")})) == "start w0!running 0-3");
            INFO(algorithm << ": " << malformed.frame.substr(0, 300));
            const std::string problem = problem_of([&] { batsim.answer(malformed.frame); });
            CHECK_THAT(problem,
                       !Catch::Matchers::Equals("") && Contains(malformed.place) && Contains(malformed.expected));
            CHECK(problem.size() < 300);
            CHECK(problem.find('\n') == std::string::npos);
        }
    }
}
TEST_CASE("A session must begin with SIMULATION_BEGINS, and that must make sense", "[session]") {
    const auto problem_at_start = [](const std::string& frame) {
        Dialogue batsim("fcfs");
        return problem_of([&] { batsim.answer(frame); });
    };
    const auto begin_with = [](const std::string& data) { return frame("0", {event("0", "SIMULATION_BEGINS", data)}); };
    CHECK_THAT(problem_at_start(frame("0", {submitted("0", "w0!a", 1, "1")})), Contains("not SIMULATION_BEGINS"));
    CHECK_THAT(problem_at_start(frame("0", {event("0", "SIMULATION_ENDS", ends_data)})),
               Contains("not SIMULATION_BEGINS"));
    CHECK_THAT(problem_at_start(frame("0", {call("0"), event("0", "SIMULATION_BEGINS", begins_data(1))})),
               Contains("not SIMULATION_BEGINS"));
    CHECK_THAT(problem_at_start(begin_with("{}")), Contains("SIMULATION_BEGINS") && Contains("data.config"));
    CHECK_THAT(problem_at_start(begin_with(R"({"config":{}})")), Contains("data.compute_resources"));
    CHECK_THAT(problem_at_start(begin_with(begins_data(2, "", 1))),
               Contains("SIMULATION_BEGINS") && Contains("resource 2"));
    CHECK_THAT(problem_at_start(begin_with(R"({"config":{"redis-enabled":true},"compute_resources":[],"workloads":{},)"
                                           R"("profiles":{}})")),
               Contains("Redis"));
    CHECK_THAT(problem_at_start(begin_with(R"({"config":{},"compute_resources":[{"id":0,"name":"a"},)"
                                           R"({"id":0,"name":"b"}],"workloads":{},"profiles":{}})")),
               Contains("data.compute_resources.id"));
}
TEST_CASE("An event of a machine may name the storage, which is not scheduled", "[session]") {
    Dialogue batsim("fcfs");
    batsim.answer(frame("0", {event("0", "SIMULATION_BEGINS",
                                    R"({"config":{},"compute_resources":[{"id":0,"name":"a"}],)"
                                    R"("storage_resources":[{"id":1,"name":"disk"}],"workloads":{},"profiles":{}})")}));
    CHECK(batsim.answer(frame("1", {machine("1", "unavailable", "1"), submitted("1", "w0!a", 1, "1")})) ==
          "start w0!a 0");
    CHECK_THAT(problem_of([&] { batsim.answer(frame("2", {machine("2", "available", "1-2")})); }),
               Contains("expected at most 1"));
}
TEST_CASE("Nothing may follow the end of a simulation", "[session]") {
    Dialogue batsim("fcfs");
    batsim.answer(begins(2));
    batsim.answer(frame("1", {event("1", "SIMULATION_ENDS", ends_data)}));
    CHECK_THAT(problem_of([&] { batsim.answer(frame("2", {submitted("2", "w0!a", 1, "1")})); }),
               Contains("follows SIMULATION_ENDS"));
}
TEST_CASE("On a machine without processors every job is rejected", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        Dialogue batsim(algorithm);
        batsim.answer(begins(0));
        CHECK(batsim.answer(frame("1", {submitted("1", "w0!a", 1, "1")})) == "reject w0!a");
        CHECK(batsim.answer(frame("2", {event("2", "SIMULATION_ENDS", ends_data)})) == "");
    }
}
TEST_CASE("A refusal is a frame of JSON that carries the problem, whatever it says", "[session]") {
    const auto codec = protocol::make_codec("batsim4");
    protocol::ReplyReader reader;
    const CaughtLog log;
    for (const std::string problem : {"plain", "with \"quotes\" and \\", "a line\nand \x01", ""}) {
        std::string frame = "what was there before";
        codec->encode_refusal(problem, frame);
        const protocol::Message& reply = reader.read(frame);
        REQUIRE(reply.events.size() == 1);
        CHECK(std::get<protocol::Refusal>(reply.events.front().data).problem == problem);
        std::string text;
        append_json_string(problem, text);
        std::string type;
        append_json_string("SCHEDULER_ERROR: " + one_line(problem), type);
        CHECK_THAT(frame, Contains(R"("type":)" + type + R"(,"data":{"message":)" + text + "}"));
    }
}

}  // namespace batfill::tests::session_errors_test
