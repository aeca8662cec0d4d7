#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "tests/support/batsim4_frames.hpp"
#include "tests/unit/session/dialogue.hpp"

namespace batfill::tests::session_test {

using Catch::Matchers::Contains;
using namespace batsim4;

namespace {

const std::string ends_data = "{}";

std::size_t lines_with(const std::string& text, const std::string& part) {
    std::istringstream stream(text);
    std::size_t count = 0;
    for (std::string line; std::getline(stream, line);) {
        count += line.find(part) != std::string::npos ? 1U : 0U;
    }
    return count;
}

}  // namespace

TEST_CASE("A session tries machines by the speeds of the platform that it is given, or by property", "[session]") {
    const auto begins_with = [](const std::string& first, const std::string& second) {
        const auto resource = [](int id, const std::string& properties) {
            return R"({"id":)" + std::to_string(id) + R"(,"name":"n)" + std::to_string(id) +
                   R"(","state":"idle","properties":{"machine":"m)" + std::to_string(id) + "\"" + properties +
                   R"(},"zone_properties":{}})";
        };
        return frame("0", {event("0", "SIMULATION_BEGINS",
                                 R"({"config":{},"compute_resources":[)" + resource(0, first) + "," +
                                     resource(1, second) + R"(],"workloads":{},"profiles":{}})")});
    };
    const std::string job = frame("1", {submitted("1", "w0!a", 1, "10")});
    Platform platform;
    platform.hosts = {{"n0", 1e9, {}, {}}, {"n1", 2e9, {}, {}}};
    const auto answer_with = [&](const Platform* known, const std::string& first) {
        Session session({"fcfs", {{"placement", "machine"}}}, protocol::make_codec("batsim4"), known);
        session.answer(first);
        return std::string(session.answer(job));
    };
    const CaughtLog log;
    CHECK_THAT(answer_with(nullptr, begins_with("", "")), Contains(R"("alloc":"0")"));
    CHECK_THAT(log.text(), Contains("no speeds of the machines are known"));
    CHECK_THAT(answer_with(nullptr, begins_with(R"(,"speed":"1e9")", R"(,"speed":"2e9")")), Contains(R"("alloc":"1")"));
    CHECK_THAT(answer_with(&platform, begins_with("", "")), Contains(R"("alloc":"1")"));
    platform.hosts[1].name = "other";
    CHECK_THROWS_WITH(answer_with(&platform, begins_with("", "")),
                      Contains("compute resource 1 is \"n1\", the platform has \"other\" there"));
    platform.hosts.pop_back();
    CHECK_THROWS_WITH(answer_with(&platform, begins_with("", "")), Contains("2 compute resources, the platform has 1"));
}
TEST_CASE("A session refuses an algorithm that needs the run times of jobs", "[session]") {
    Dialogue batsim("relaxed", {{"estimates", "actual"}});
    CHECK_THROWS_WITH(batsim.answer(begins(4)), Contains("relaxed: with these parameters it needs the run times"));
}
TEST_CASE("A session with fcfs starts jobs in the order of their submission", "[session]") {
    Dialogue batsim("fcfs");
    CHECK_FALSE(batsim.session.running());
    CHECK(batsim.answer(begins(4)) == "");
    CHECK(batsim.session.running());
    CHECK(batsim.answer(frame("1", {submitted("1", "w0!a", 3, "10"), submitted("1", "w0!b", 2, "10"),
                                    submitted("1", "w0!c", 1, "5")})) == "start w0!a 0-2");
    CHECK(batsim.answer(frame("11", {completed("11", "w0!a", "COMPLETED_WALLTIME_REACHED")})) ==
          "start w0!b 0-1; start w0!c 2");
    CHECK(batsim.answer(frame("16", {completed("16", "w0!c"), completed("16", "w0!b")})) == "");
    CHECK(batsim.answer(frame("16", {event("16", "SIMULATION_ENDS", ends_data)})) == "");
    CHECK(batsim.session.ended());
    CHECK_FALSE(batsim.session.running());
    CHECK(batsim.session.jobs() == 3);
    CHECK(batsim.session.rejected() == 0);
}
TEST_CASE("A session with easy backfills what does not delay the head of the queue", "[session]") {
    Dialogue batsim("easy");
    batsim.answer(begins(4));
    // The head b gets its 4 processors at 11: c is done by then, d is not.
    CHECK(batsim.answer(frame("1", {submitted("1", "w0!a", 2, "10"), submitted("1", "w0!b", 4, "10"),
                                    submitted("1", "w0!d", 1, "11"), submitted("1", "w0!c", 1, "10")})) ==
          "start w0!a 0-1; start w0!c 2");
    CHECK(batsim.answer(frame("5", {completed("5", "w0!c")})) == "");
    CHECK(batsim.answer(frame("6", {completed("6", "w0!a")})) == "start w0!b 0-3");
    CHECK(batsim.answer(frame("9", {completed("9", "w0!b")})) == "start w0!d 0");
}
TEST_CASE("A session with conservative asks for a call at a planned start that nothing else announces", "[session]") {
    Dialogue batsim("conservative", {{"compression", "none"}});
    batsim.answer(begins(4));
    CHECK(batsim.answer(frame("0", {submitted("0", "w0!a", 4, "10"), submitted("0", "w0!b", 4, "10")})) ==
          "start w0!a 0-3");  // the end of a is certain to be reported
    CHECK(batsim.answer(frame("4", {completed("4", "w0!a")})) == "call 10.000000");
    CHECK(batsim.answer(frame("10", {call("10")})) == "start w0!b 0-3");
}
TEST_CASE("An early end moves the planned starts of conservative forward", "[session]") {
    Dialogue batsim("conservative");
    batsim.answer(begins(4));
    batsim.answer(frame("0", {submitted("0", "w0!a", 4, "10"), submitted("0", "w0!b", 4, "10")}));
    CHECK(batsim.answer(frame("4.5", {completed("4.25", "w0!a")})) == "start w0!b 0-3");
}
TEST_CASE("A late call still starts the planned jobs, and the plan after it holds", "[session]") {
    Dialogue batsim("conservative", {{"compression", "none"}});
    batsim.answer(begins(4));
    batsim.answer(
        frame("0", {submitted("0", "w0!a", 4, "10"), submitted("0", "w0!b", 3, "10"), submitted("0", "w0!c", 2, "5")}));
    CHECK(batsim.answer(frame("1", {completed("1", "w0!a")})) == "call 10.000000");
    // c was planned at 20, the end of b. b starts 2 seconds late, and so does c.
    CHECK(batsim.answer(frame("12", {call("10")})) == "start w0!b 0-2");
    CHECK(batsim.answer(frame("20", {call("20")})) == "");
    CHECK(batsim.answer(frame("22", {completed("22", "w0!b", "COMPLETED_WALLTIME_REACHED")})) == "start w0!c 0-1");
}
TEST_CASE("Calls that nobody requested change nothing", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm);
        batsim.answer(begins(2));
        CHECK(batsim.answer(frame("0", {call("0"), submitted("0", "w0!a", 2, "10"), submitted("0", "w0!b", 1, "5"),
                                        call("0")})) == "start w0!a 0-1");
        CHECK(batsim.answer(frame("3", {call("3")})) == "");
        CHECK(batsim.answer(frame("10", {completed("10", "w0!a"), call("10")})) == "start w0!b 0");
        CHECK(batsim.answer(frame("12", {})) == "");
    }
}
TEST_CASE("Batsim's scheduler configuration chooses the algorithm, and the command line wins", "[session]") {
    const std::string configuration = R"({"algorithm":"conservative","params":{"compression":"none"}})";
    // a ends early. Only a plan without compression keeps b waiting for its planned start.
    const auto after_early_end = [&](Dialogue batsim, const std::string& algorithm) {
        batsim.answer(begins(2, configuration));
        CHECK(lines_with(batsim.log(), "algorithm " + algorithm) == 1);
        batsim.answer(frame("0", {submitted("0", "w0!a", 2, "10"), submitted("0", "w0!b", 2, "10")}));
        return batsim.answer(frame("3", {completed("3", "w0!a")}));
    };
    CHECK(after_early_end(Dialogue(""), "conservative") == "call 10.000000");
    CHECK(after_early_end(Dialogue("conservative"), "conservative") == "call 10.000000");
    CHECK(after_early_end(Dialogue("conservative", {{"compression", "submission"}}), "conservative") ==
          "start w0!b 0-1");
    CHECK(after_early_end(Dialogue("fcfs"), "fcfs") == "start w0!b 0-1");  // it has no parameter `compression`
}
TEST_CASE("A session without a usable algorithm says which ones there are", "[session]") {
    CHECK_THROWS_WITH(Dialogue("").answer(begins(2)),
                      Contains("no algorithm named") && Contains("easy, easy-sleeper, fcfs"));
    CHECK_THROWS_WITH(Dialogue("").answer(begins(2, "not for us")), Contains("no algorithm named"));
    CHECK_THROWS_AS(Dialogue("").answer(begins(2, R"({"algorithm":"best"})")), UsageError);
    CHECK_THROWS_WITH(Dialogue("").answer(begins(2, R"({"algorithm":"best"})")),
                      Contains("'best'") && Contains("known: bf-mod, "));
    CHECK_THROWS_WITH(Dialogue("easy").answer(begins(2, R"({"params":{"speed":1}})")),
                      Contains("speed") && Contains("default-walltime"));
    for (const std::string name : {R"(a\\nb)", R"(\\u0000)"}) {  // escaped twice: the configuration is a text in JSON
        CHECK_THROWS_WITH(Dialogue("").answer(begins(2, R"({"algorithm":")" + name + R"("})")),
                          Contains("control characters"));
        CHECK_THROWS_WITH(Dialogue("easy").answer(begins(2, R"({"params":{")" + name + R"(":1}})")),
                          Contains("control characters"));
    }
}
TEST_CASE("Jobs that can never run are rejected, with the reason in the log", "[session]") {
    Dialogue batsim("easy");
    batsim.answer(begins(4));
    CHECK(batsim.answer(frame("2", {submitted("2", "w0!wide", 5, "10"), submitted("2", "w0!open", 1, ""),
                                    submitted("2", "w0!minus", 1, "-1"), submitted("2", "w0!zero", 1, "0"),
                                    submitted("2", "w0!none", 0, "10"), submitted("2", "w0!good", 4, "10")})) ==
          "reject w0!wide; reject w0!open; reject w0!minus; reject w0!zero; reject w0!none; start w0!good 0-3");
    CHECK(batsim.session.rejected() == 5);
    CHECK(lines_with(batsim.log(), "w0!wide rejected: it asks for 5 processors, the machine has 4") == 1);
    CHECK(lines_with(batsim.log(), "w0!open rejected: it has no walltime") == 1);
    CHECK(lines_with(batsim.log(), "w0!minus rejected: it has no walltime") == 1);
    CHECK(lines_with(batsim.log(), "w0!zero rejected: it has a walltime of 0") == 1);
    CHECK(lines_with(batsim.log(), "w0!none rejected: it asks for 0 processors") == 1);
    CHECK_THROWS_WITH(batsim.answer(frame("3", {submitted("3", "w0!less", -1, "10")})),
                      Contains("event 0") && Contains("data.job.res") && Contains("-1"));
}
TEST_CASE("A job without walltime is killed at the assumed one", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm, {{"default-walltime", "7.5"}});
        batsim.answer(begins(2));
        CHECK(batsim.answer(frame("1", {submitted("1", "w0!a", 2, ""), submitted("1", "w0!b", 2, "10")})) ==
              "start w0!a 0-1; call 8.500000");
        CHECK(batsim.answer(frame("8", {call("8")})) == "");
        CHECK(batsim.answer(frame("8.5", {call("8.5")})) == "kill w0!a");
        CHECK(batsim.answer(frame("8.5", {})) == "");  // the kill is sent only once
        CHECK(batsim.answer(frame("8.5", {completed("8.5", "w0!a", "COMPLETED_KILLED"), killed("8.5", "w0!a")})) ==
              "start w0!b 0-1");
    }
}
TEST_CASE("A job without walltime that ends before the assumed one is not killed", "[session]") {
    Dialogue batsim("easy", {{"default-walltime", "7"}});
    batsim.answer(begins(2));
    batsim.answer(frame("0", {submitted("0", "w0!a", 2, "")}));
    CHECK(batsim.answer(frame("6", {completed("6", "w0!a")})) == "");
    CHECK(batsim.answer(frame("7", {call("7")})) == "");
}
TEST_CASE("A margin of walltimes makes no walltime of one that is 0 or missing", "[session]") {
    Dialogue batsim("easy", {{"walltime-margin", "5"}});
    batsim.answer(begins(2));
    CHECK(batsim.answer(frame("0", {submitted("0", "w0!zero", 1, "0"), submitted("0", "w0!none", 1, ""),
                                    submitted("0", "w0!some", 1, "1")})) ==
          "reject w0!zero; reject w0!none; start w0!some 0");
    // An assumed walltime has no margin: the call for its end shows this.
    Dialogue assuming("easy", {{"walltime-margin", "5"}, {"default-walltime", "7"}});
    assuming.answer(begins(2));
    CHECK(assuming.answer(frame("0", {submitted("0", "w0!none", 1, "")})) == "start w0!none 0; call 7.000000");
}
TEST_CASE("A killed job gives its processors back once", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm);
        batsim.answer(begins(4));
        batsim.answer(frame("0", {submitted("0", "w0!a", 3, "10"), submitted("0", "w0!b", 1, "10"),
                                  submitted("0", "w0!c", 4, "10"), submitted("0", "w0!d", 3, "10")}));
        // Only a's three processors are idle now, not four, so c must wait for b.
        CHECK(batsim.answer(frame("2", {completed("2", "w0!a", "COMPLETED_KILLED"), killed("2", "w0!a")})) == "");
        CHECK(batsim.answer(frame("3", {killed("3", "w0!a")})) == "");
        CHECK(batsim.answer(frame("4", {completed("4", "w0!b")})) == "start w0!c 0-3");
        // JOB_KILLED alone, as documented.
        CHECK(batsim.answer(frame("5", {killed("5", "w0!c")})) == "start w0!d 0-2");
    }
}
TEST_CASE("A running job keeps running when its processors become unavailable, and these come back when Batsim says it",
          "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm);
        batsim.answer(begins(4));
        CHECK(batsim.answer(frame("0", {submitted("0", "w0!a", 2, "10"), submitted("0", "w0!b", 4, "10"),
                                        submitted("0", "w0!c", 3, "10")})) == "start w0!a 0-1");
        CHECK(batsim.answer(frame("2", {machine("2", "unavailable", "0 3")})) == "");
        CHECK(batsim.answer(frame("5", {machine("5", "unavailable", "3")})) == "");  // no change
        const std::string after_end = batsim.answer(frame("6", {completed("6", "w0!a")}));
        CHECK(after_end == "");
        CHECK(batsim.answer(frame("7", {machine("7", "available", "3")})) ==
              (algorithm == "fcfs" ? "" : "start w0!c 1-3"));  // b blocks it under fcfs only
        CHECK(batsim.answer(frame("8", {machine("8", "available", "0")})) ==
              (algorithm == "fcfs" ? "start w0!b 0-3" : ""));
    }
}
TEST_CASE("A job may be submitted and start while most of the machine is unavailable", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm);
        batsim.answer(begins(4));
        batsim.answer(frame("0", {machine("0", "unavailable", "0-3")}));
        CHECK(batsim.answer(frame("1", {submitted("1", "w0!a", 1, "10")})) == "");
        CHECK(batsim.answer(frame("2", {machine("2", "available", "2")})) == "start w0!a 2");
    }
}
TEST_CASE("Jobs that others register during the simulation are scheduled as all others", "[session]") {
    Dialogue batsim("fcfs");
    batsim.answer(begins(2));
    batsim.answer(frame("0", {submitted("0", "w0!1", 2, "10")}));
    CHECK(batsim.answer(frame("1", {submitted("1", "dyn!1", 1, "10"), submitted("1", "w0!2", 1, "10")})) == "");
    CHECK(batsim.answer(frame("10", {completed("10", "w0!1")})) == "start dyn!1 0; start w0!2 1");
}
TEST_CASE("Events and fields that mean nothing to a scheduler are tolerated", "[session]") {
    Dialogue batsim("easy");
    batsim.answer(begins(2));
    CHECK(batsim.answer(
              frame("0", {event("0", "NOTIFY", R"({"type":"no_more_static_job_to_submit"})"),
                          event("0", "NOTIFY", R"({"type":"no_more_external_event_to_occur"})"),
                          event("0", "NOTIFY", R"({"type":"users_went_home","resources":[7],"mood":{"good":true}})"),
                          event("0", "RESOURCE_STATE_CHANGED", R"({"resources":"0","state":"1"})"),
                          event("0", "ANSWER", R"({"consumed_energy":1.5})"), event("0", "QUERY", R"({"requests":{}})"),
                          event("0", "FROM_JOB_MSG", R"({"job_id":"w0!x","msg":[1,2]})"),
                          event("0", "SUNRISE", R"({"colour":"red"})")})) == "");
    for (const std::string time : {"1", "2"}) {
        CHECK(batsim.answer(R"({"now":)" + time + R"(,"weather":"fine","events":[{"timestamp":)" + time +
                            R"(,"type":"SUNSET","data":{}},{"timestamp":)" + time +
                            R"(,"type":"JOB_SUBMITTED","data":{"job_id":"w0!)" + time +
                            R"(","more":1,"job":{"id":"w0!)" + time + R"(","subtime":)" + time +
                            R"(,"res":1,"walltime":9,"profile":"p","colour":"red"}}}]})") ==
              "start w0!" + time + (time == "1" ? " 0" : " 1"));
    }
    CHECK(lines_with(batsim.log(), "SUNRISE") == 1);
    CHECK(lines_with(batsim.log(), "SUNSET") == 1);  // it came twice
    CHECK(lines_with(batsim.log(), "weather") == 1);
    CHECK(lines_with(batsim.log(), "more") == 1);
}
TEST_CASE("A reply carries the clock of the message", "[session]") {
    Dialogue batsim("fcfs");
    CHECK(batsim.session.answer(begins(1)) == R"({"now":0.000000,"events":[]})");
    CHECK(batsim.session.answer(frame("1.5", {submitted("1.25", "w0!\\u00e4", 1, "1")})) ==
          R"({"now":1.500000,"events":[{"timestamp":1.500000,"type":"EXECUTE_JOB",)"
          R"("data":{"job_id":"w0!)"
          "\u00e4"
          R"(","alloc":"0"}}]})");
    CHECK(batsim.session.answer(frame("100000000000000000", {})) == R"({"now":100000000000000000.000000,"events":[]})");
}

}  // namespace batfill::tests::session_test
