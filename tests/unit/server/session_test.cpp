#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "caught_log.hpp"
#include "decisions_of.hpp"
#include "src/server/server.hpp"
#include "src/session/session.hpp"
#include "src/support/json.hpp"

namespace batfill::tests::session_test {

using Catch::Matchers::Contains;

namespace {

// ---- Frames as Batsim writes them

std::string event(const std::string& time, const std::string& type, const std::string& data) {
    return R"({"timestamp":)" + time + R"(,"type":")" + type + R"(","data":)" + data + "}";
}

std::string message(const std::string& now, const std::vector<std::string>& events) {
    std::string list;
    for (const std::string& one : events) {
        list += (list.empty() ? "" : ",") + one;
    }
    return R"({"now":)" + now + R"(,"events":[)" + list + "]}";
}

std::string begins_data(int processors, const std::string& scheduler_configuration = "", int first_id = 0) {
    std::string resources;
    for (int i = 0; i < processors; ++i) {
        resources += std::string(i == 0 ? "" : ",") + R"({"id":)" + std::to_string(first_id + i) + R"(,"name":"node)" +
                     std::to_string(i) + R"(","state":"idle","properties":{},"zone_properties":{}})";
    }
    std::string quoted;
    for (const char c : scheduler_configuration) {
        quoted += c == '"' ? "\\\"" : std::string(1, c);
    }
    return R"({"config":{"redis-enabled":false,"sched-config":")" + quoted + R"("},"compute_resources":[)" + resources +
           R"(],"storage_resources":[],"workloads":{"w0":"own.json"},"profiles":{"w0":{}}})";
}

std::string begins(int processors, const std::string& scheduler_configuration = "") {
    return message("0", {event("0", "SIMULATION_BEGINS", begins_data(processors, scheduler_configuration))});
}

// `walltime` is the text of the field. If it is empty, the field is missing.
std::string submitted(const std::string& time, const std::string& id, int processors, const std::string& walltime) {
    return event(time, "JOB_SUBMITTED",
                 R"({"job_id":")" + id + R"(","job":{"id":")" + id + R"(","subtime":)" + time + R"(,"res":)" +
                     std::to_string(processors) + (walltime.empty() ? "" : R"(,"walltime":)" + walltime) +
                     R"(,"profile":"p"}})");
}

std::string completed(const std::string& time, const std::string& id,
                      const std::string& state = "COMPLETED_SUCCESSFULLY") {
    return event(time, "JOB_COMPLETED",
                 R"({"job_id":")" + id + R"(","job_state":")" + state + R"(","return_code":0,"alloc":"0"})");
}

std::string killed(const std::string& time, const std::string& id) {
    return event(time, "JOB_KILLED", R"({"job_ids":[")" + id + R"("],"job_progress":{}})");
}

std::string call(const std::string& time) {
    return event(time, "REQUESTED_CALL", "{}");
}

std::string machine(const std::string& time, const std::string& change, const std::string& processors) {
    return event(time, "NOTIFY", R"({"type":"event_machine_)" + change + R"(","resources":")" + processors + R"("})");
}

const std::string ends_data = "{}";

// A session, and the decisions of its replies in a short form.
class Dialogue {
 public:
    explicit Dialogue(const std::string& algorithm, const Parameters::Given& parameters = {})
        : session({algorithm, parameters}, protocol::make_codec("batsim4")) {}

    std::string answer(const std::string& frame) {
        const std::string reply(session.answer(frame));
        const protocol::Reply& read = reader_.read(reply);
        for (const protocol::ReplyEvent& event : read.events) {
            CHECK(event.timestamp <= read.now);
        }
        return tests::decisions_of(reply, reader_);
    }

    std::string log() const { return log_.text(); }

 private:
    CaughtLog log_;
    protocol::ReplyReader reader_;

 public:
    Session session;
};

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
        return message("0", {event("0", "SIMULATION_BEGINS",
                                   R"({"config":{},"compute_resources":[)" + resource(0, first) + "," +
                                       resource(1, second) + R"(],"workloads":{},"profiles":{}})")});
    };
    const std::string job = message("1", {submitted("1", "w0!a", 1, "10")});
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
    CHECK(batsim.answer(message("1", {submitted("1", "w0!a", 3, "10"), submitted("1", "w0!b", 2, "10"),
                                      submitted("1", "w0!c", 1, "5")})) == "start w0!a 0-2");
    CHECK(batsim.answer(message("11", {completed("11", "w0!a", "COMPLETED_WALLTIME_REACHED")})) ==
          "start w0!b 0-1; start w0!c 2");
    CHECK(batsim.answer(message("16", {completed("16", "w0!c"), completed("16", "w0!b")})) == "");
    CHECK(batsim.answer(message("16", {event("16", "SIMULATION_ENDS", ends_data)})) == "");
    CHECK(batsim.session.ended());
    CHECK_FALSE(batsim.session.running());
    CHECK(batsim.session.jobs() == 3);
    CHECK(batsim.session.rejected() == 0);
}

TEST_CASE("A session with easy backfills what does not delay the head of the queue", "[session]") {
    Dialogue batsim("easy");
    batsim.answer(begins(4));
    // The head b gets its 4 processors at 11: c is done by then, d is not.
    CHECK(batsim.answer(message("1", {submitted("1", "w0!a", 2, "10"), submitted("1", "w0!b", 4, "10"),
                                      submitted("1", "w0!d", 1, "11"), submitted("1", "w0!c", 1, "10")})) ==
          "start w0!a 0-1; start w0!c 2");
    CHECK(batsim.answer(message("5", {completed("5", "w0!c")})) == "");
    CHECK(batsim.answer(message("6", {completed("6", "w0!a")})) == "start w0!b 0-3");
    CHECK(batsim.answer(message("9", {completed("9", "w0!b")})) == "start w0!d 0");
}

TEST_CASE("A session with conservative asks for a call at a planned start that nothing else announces", "[session]") {
    Dialogue batsim("conservative", {{"compression", "none"}});
    batsim.answer(begins(4));
    CHECK(batsim.answer(message("0", {submitted("0", "w0!a", 4, "10"), submitted("0", "w0!b", 4, "10")})) ==
          "start w0!a 0-3");  // the end of a is certain to be reported
    CHECK(batsim.answer(message("4", {completed("4", "w0!a")})) == "call 10.000000");
    CHECK(batsim.answer(message("10", {call("10")})) == "start w0!b 0-3");
}

TEST_CASE("An early end moves the planned starts of conservative forward", "[session]") {
    Dialogue batsim("conservative");
    batsim.answer(begins(4));
    batsim.answer(message("0", {submitted("0", "w0!a", 4, "10"), submitted("0", "w0!b", 4, "10")}));
    CHECK(batsim.answer(message("4.5", {completed("4.25", "w0!a")})) == "start w0!b 0-3");
}

TEST_CASE("A late call still starts the planned jobs, and the plan after it holds", "[session]") {
    Dialogue batsim("conservative", {{"compression", "none"}});
    batsim.answer(begins(4));
    batsim.answer(message(
        "0", {submitted("0", "w0!a", 4, "10"), submitted("0", "w0!b", 3, "10"), submitted("0", "w0!c", 2, "5")}));
    CHECK(batsim.answer(message("1", {completed("1", "w0!a")})) == "call 10.000000");
    // c was planned at 20, the end of b. b starts 2 seconds late, and so does c.
    CHECK(batsim.answer(message("12", {call("10")})) == "start w0!b 0-2");
    CHECK(batsim.answer(message("20", {call("20")})) == "");
    CHECK(batsim.answer(message("22", {completed("22", "w0!b", "COMPLETED_WALLTIME_REACHED")})) == "start w0!c 0-1");
}

TEST_CASE("Calls that nobody asked for change nothing", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm);
        batsim.answer(begins(2));
        CHECK(batsim.answer(message("0", {call("0"), submitted("0", "w0!a", 2, "10"), submitted("0", "w0!b", 1, "5"),
                                          call("0")})) == "start w0!a 0-1");
        CHECK(batsim.answer(message("3", {call("3")})) == "");
        CHECK(batsim.answer(message("10", {completed("10", "w0!a"), call("10")})) == "start w0!b 0");
        CHECK(batsim.answer(message("12", {})) == "");
    }
}

TEST_CASE("Batsim's scheduler configuration chooses the algorithm, and the command line wins", "[session]") {
    const std::string configuration = R"({"algorithm":"conservative","params":{"compression":"none"}})";
    // a ends early. Only a plan without compression keeps b waiting for its planned start.
    const auto after_early_end = [&](Dialogue batsim, const std::string& algorithm) {
        batsim.answer(begins(2, configuration));
        CHECK(lines_with(batsim.log(), "algorithm " + algorithm) == 1);
        batsim.answer(message("0", {submitted("0", "w0!a", 2, "10"), submitted("0", "w0!b", 2, "10")}));
        return batsim.answer(message("3", {completed("3", "w0!a")}));
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
    CHECK(batsim.answer(message("2", {submitted("2", "w0!wide", 5, "10"), submitted("2", "w0!open", 1, ""),
                                      submitted("2", "w0!minus", 1, "-1"), submitted("2", "w0!zero", 1, "0"),
                                      submitted("2", "w0!none", 0, "10"), submitted("2", "w0!good", 4, "10")})) ==
          "reject w0!wide; reject w0!open; reject w0!minus; reject w0!zero; reject w0!none; start w0!good 0-3");
    CHECK(batsim.session.rejected() == 5);
    CHECK(lines_with(batsim.log(), "w0!wide rejected: it asks for 5 processors, the machine has 4") == 1);
    CHECK(lines_with(batsim.log(), "w0!open rejected: it has no walltime") == 1);
    CHECK(lines_with(batsim.log(), "w0!minus rejected: it has no walltime") == 1);
    CHECK(lines_with(batsim.log(), "w0!zero rejected: it has a walltime of 0") == 1);
    CHECK(lines_with(batsim.log(), "w0!none rejected: it asks for 0 processors") == 1);
    CHECK_THROWS_WITH(batsim.answer(message("3", {submitted("3", "w0!less", -1, "10")})),
                      Contains("event 0") && Contains("data.job.res") && Contains("-1"));
}

TEST_CASE("A job without walltime is killed at the assumed one", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm, {{"default-walltime", "7.5"}});
        batsim.answer(begins(2));
        CHECK(batsim.answer(message("1", {submitted("1", "w0!a", 2, ""), submitted("1", "w0!b", 2, "10")})) ==
              "start w0!a 0-1; call 8.500000");
        CHECK(batsim.answer(message("8", {call("8")})) == "");
        CHECK(batsim.answer(message("8.5", {call("8.5")})) == "kill w0!a");
        CHECK(batsim.answer(message("8.5", {})) == "");  // the kill is sent only once
        CHECK(batsim.answer(message("8.5", {completed("8.5", "w0!a", "COMPLETED_KILLED"), killed("8.5", "w0!a")})) ==
              "start w0!b 0-1");
    }
}

TEST_CASE("A job without walltime that ends before the assumed one is not killed", "[session]") {
    Dialogue batsim("easy", {{"default-walltime", "7"}});
    batsim.answer(begins(2));
    batsim.answer(message("0", {submitted("0", "w0!a", 2, "")}));
    CHECK(batsim.answer(message("6", {completed("6", "w0!a")})) == "");
    CHECK(batsim.answer(message("7", {call("7")})) == "");
}

TEST_CASE("A margin of walltimes makes no walltime of one that is 0 or missing", "[session]") {
    Dialogue batsim("easy", {{"walltime-margin", "5"}});
    batsim.answer(begins(2));
    CHECK(batsim.answer(message("0", {submitted("0", "w0!zero", 1, "0"), submitted("0", "w0!none", 1, ""),
                                      submitted("0", "w0!some", 1, "1")})) ==
          "reject w0!zero; reject w0!none; start w0!some 0");
    // An assumed walltime has no margin: the call for its end shows this.
    Dialogue assuming("easy", {{"walltime-margin", "5"}, {"default-walltime", "7"}});
    assuming.answer(begins(2));
    CHECK(assuming.answer(message("0", {submitted("0", "w0!none", 1, "")})) == "start w0!none 0; call 7.000000");
}

TEST_CASE("A killed job gives its processors back once", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm);
        batsim.answer(begins(4));
        batsim.answer(message("0", {submitted("0", "w0!a", 3, "10"), submitted("0", "w0!b", 1, "10"),
                                    submitted("0", "w0!c", 4, "10"), submitted("0", "w0!d", 3, "10")}));
        // Only a's three processors are idle now, not four, so c must wait for b.
        CHECK(batsim.answer(message("2", {completed("2", "w0!a", "COMPLETED_KILLED"), killed("2", "w0!a")})) == "");
        CHECK(batsim.answer(message("3", {killed("3", "w0!a")})) == "");
        CHECK(batsim.answer(message("4", {completed("4", "w0!b")})) == "start w0!c 0-3");
        // JOB_KILLED alone, as documented.
        CHECK(batsim.answer(message("5", {killed("5", "w0!c")})) == "start w0!d 0-2");
    }
}

TEST_CASE("A running job goes on when its processors become unavailable, and they come back when told", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm);
        batsim.answer(begins(4));
        CHECK(batsim.answer(message("0", {submitted("0", "w0!a", 2, "10"), submitted("0", "w0!b", 4, "10"),
                                          submitted("0", "w0!c", 3, "10")})) == "start w0!a 0-1");
        CHECK(batsim.answer(message("2", {machine("2", "unavailable", "0 3")})) == "");
        CHECK(batsim.answer(message("5", {machine("5", "unavailable", "3")})) == "");  // no change
        const std::string after_end = batsim.answer(message("6", {completed("6", "w0!a")}));
        CHECK(after_end == "");
        CHECK(batsim.answer(message("7", {machine("7", "available", "3")})) ==
              (algorithm == "fcfs" ? "" : "start w0!c 1-3"));  // b blocks it under fcfs only
        CHECK(batsim.answer(message("8", {machine("8", "available", "0")})) ==
              (algorithm == "fcfs" ? "start w0!b 0-3" : ""));
    }
}

TEST_CASE("A job may be submitted and start while most of the machine is unavailable", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        INFO(algorithm);
        Dialogue batsim(algorithm);
        batsim.answer(begins(4));
        batsim.answer(message("0", {machine("0", "unavailable", "0-3")}));
        CHECK(batsim.answer(message("1", {submitted("1", "w0!a", 1, "10")})) == "");
        CHECK(batsim.answer(message("2", {machine("2", "available", "2")})) == "start w0!a 2");
    }
}

TEST_CASE("Jobs that others register during the simulation are scheduled as all others", "[session]") {
    Dialogue batsim("fcfs");
    batsim.answer(begins(2));
    batsim.answer(message("0", {submitted("0", "w0!1", 2, "10")}));
    CHECK(batsim.answer(message("1", {submitted("1", "dyn!1", 1, "10"), submitted("1", "w0!2", 1, "10")})) == "");
    CHECK(batsim.answer(message("10", {completed("10", "w0!1")})) == "start dyn!1 0; start w0!2 1");
}

TEST_CASE("Events and fields that mean nothing to a scheduler are tolerated", "[session]") {
    Dialogue batsim("easy");
    batsim.answer(begins(2));
    CHECK(batsim.answer(message(
              "0", {event("0", "NOTIFY", R"({"type":"no_more_static_job_to_submit"})"),
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
    CHECK(batsim.session.answer(message("1.5", {submitted("1.25", "w0!\\u00e4", 1, "1")})) ==
          R"({"now":1.500000,"events":[{"timestamp":1.500000,"type":"EXECUTE_JOB",)"
          R"("data":{"job_id":"w0!)"
          "\u00e4"
          R"(","alloc":"0"}}]})");
    CHECK(batsim.session.answer(message("100000000000000000", {})) ==
          R"({"now":100000000000000000.000000,"events":[]})");
}

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
        return message("6", {event("6", type, data)});
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
        {message("4.999999", {}), "5.000000", "time goes back"},
        {message("6", {call("6.000001")}), "event 0 (\"REQUESTED_CALL\")", "timestamp"},
        {message("6", {call("6"), call("\"6\"")}), "event 1", "timestamp"},
        {message("6", {call("5.5"), call("6"), call("5.9")}), "event 2", "not before that of the event before it, 6"},
        // Fields, by type of event.
        {R"({"now":6,"events":[{"type":"NOTIFY","data":{}}]})", "event 0 (\"NOTIFY\")", "timestamp"},
        {R"({"now":6,"events":[{"timestamp":6,"data":{}}]})", "event 0", "type"},
        {R"({"now":6,"events":[{"timestamp":6,"type":"REQUESTED_CALL"}]})", "REQUESTED_CALL", "data"},
        {with("REQUESTED_CALL", "[]"), "REQUESTED_CALL", "data"},
        {with("NOTIFY", "{}"), "NOTIFY", "data.type"},
        {with("NOTIFY", R"({"type":"event_machine_available"})"), "NOTIFY", "data.resources"},
        {message("6", {machine("6", "unavailable", "3-1")}), "NOTIFY", "data.resources"},
        {message("6", {machine("6", "available", "4")}), "event_machine_available", "resource 4, expected at most 3"},
        {message("6", {machine("6", "unavailable", "2-2147483646")}), "event_machine_unavailable",
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
        {message("6", {submitted("6", "w0!waiting", 1, "1")}), "\"w0!waiting\"", "twice"},
        {message("6", {submitted("6", "w0!finished", 1, "1")}), "\"w0!finished\"", "twice"},
        {message("6", {submitted("6", "w0!n", 1, "1"), submitted("6", "w0!n", 1, "1")}), "\"w0!n\"", "twice"},
        {message("6", {completed("6", "w0!unknown")}), "\"w0!unknown\"", "unknown job"},
        {message("6", {completed("6", "a\\nb\\u0007")}), "\"a\\nb", "unknown job"},
        {message("6", {completed("6", "w0" + many_umlauts)}), many_umlauts.substr(0, 78) + "\"...", "unknown job"},
        {message("6", {completed("6", "w0!" + many_umlauts)}), many_umlauts.substr(0, 76) + "\"...", "unknown job"},
        {message("6", {completed("6", "w0!waiting")}), "\"w0!waiting\"", "not running"},
        {message("6", {completed("6", "w0!rejected")}), "\"w0!rejected\"", "not running"},
        {message("6", {completed("6", "w0!finished")}), "\"w0!finished\"", "not running"},
        {message("6", {completed("6", "w0!running"), completed("6", "w0!running")}), "\"w0!running\"", "not running"},
        {message("6", {submitted("6", "w0!n", 1, "1"), completed("6", "w0!n")}), "\"w0!n\"", "not running"},
        {message("6", {completed("6", "w0!running", "SUBMITTED")}), "\"w0!running\"",
         "with the state SUBMITTED, expected one such as COMPLETED_SUCCESSFULLY"},
        {message("6", {killed("6", "w0!unknown")}), "JOB_KILLED", "\"w0!unknown\""},
        // Order.
        {message("6", {event("6", "SIMULATION_BEGINS", begins_data(4))}), "SIMULATION_BEGINS", "twice"},
        {message("6", {event("6", "SIMULATION_ENDS", ends_data), call("6")}), "SIMULATION_ENDS", "follows"},
    };
}

std::string problem_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& problem) {
        return problem.what();
    }
    return {};
}

}  // namespace

TEST_CASE("Every malformed frame gives one line that says where and what", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        for (const Malformed& malformed : malformed_frames()) {
            Dialogue batsim(algorithm);
            batsim.answer(begins(4));
            batsim.answer(message("4", {submitted("4", "w0!finished", 4, "1"), submitted("4", "w0!rejected", 5, "1")}));
            REQUIRE(batsim.answer(message("5", {completed("5", "w0!finished"), submitted("5", "w0!running", 4, "9"),
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
    const auto begin_with = [](const std::string& data) {
        return message("0", {event("0", "SIMULATION_BEGINS", data)});
    };
    CHECK_THAT(problem_at_start(message("0", {submitted("0", "w0!a", 1, "1")})), Contains("not SIMULATION_BEGINS"));
    CHECK_THAT(problem_at_start(message("0", {event("0", "SIMULATION_ENDS", ends_data)})),
               Contains("not SIMULATION_BEGINS"));
    CHECK_THAT(problem_at_start(message("0", {call("0"), event("0", "SIMULATION_BEGINS", begins_data(1))})),
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
    batsim.answer(
        message("0", {event("0", "SIMULATION_BEGINS",
                            R"({"config":{},"compute_resources":[{"id":0,"name":"a"}],)"
                            R"("storage_resources":[{"id":1,"name":"disk"}],"workloads":{},"profiles":{}})")}));
    CHECK(batsim.answer(message("1", {machine("1", "unavailable", "1"), submitted("1", "w0!a", 1, "1")})) ==
          "start w0!a 0");
    CHECK_THAT(problem_of([&] { batsim.answer(message("2", {machine("2", "available", "1-2")})); }),
               Contains("expected at most 1"));
}

TEST_CASE("Nothing may follow the end of a simulation", "[session]") {
    Dialogue batsim("fcfs");
    batsim.answer(begins(2));
    batsim.answer(message("1", {event("1", "SIMULATION_ENDS", ends_data)}));
    CHECK_THAT(problem_of([&] { batsim.answer(message("2", {submitted("2", "w0!a", 1, "1")})); }),
               Contains("follows SIMULATION_ENDS"));
}

TEST_CASE("On a machine without processors every job is rejected", "[session]") {
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        Dialogue batsim(algorithm);
        batsim.answer(begins(0));
        CHECK(batsim.answer(message("1", {submitted("1", "w0!a", 1, "1")})) == "reject w0!a");
        CHECK(batsim.answer(message("2", {event("2", "SIMULATION_ENDS", ends_data)})) == "");
    }
}

TEST_CASE("A refusal is a frame of JSON that carries the problem, whatever it says", "[session]") {
    const auto codec = protocol::make_codec("batsim4");
    protocol::ReplyReader reader;
    const CaughtLog log;
    for (const std::string problem : {"plain", "with \"quotes\" and \\", "a line\nand \x01", ""}) {
        std::string frame = "what was there before";
        codec->encode_refusal(problem, frame);
        const protocol::Reply& reply = reader.read(frame);
        REQUIRE(reply.events.size() == 1);
        CHECK(std::get<protocol::Refusal>(reply.events.front().data).problem == problem);
        std::string text;
        append_json_string(problem, text);
        CHECK_THAT(frame, Contains(R"("type":"SCHEDULER_ERROR","data":{"message":)" + text + "}"));
    }
}

TEST_CASE("Nobody begins to speak a protocol that there is not", "[session]") {
    ServerOptions options;
    options.endpoint = "tcp://127.0.0.1:*";
    options.protocol = "batsim";
    CHECK_THROWS_WITH(run_server(options), "unknown protocol 'batsim', known: batsim4, batsim5");
}

namespace {

// SIMULATION_BEGINS of a Batsim that accepts registered jobs, except as `options` says.
std::string begins_with(int processors, const std::string& options) {
    std::string data = begins_data(processors);
    const std::string config = R"({"config":{)";
    return message("0", {event("0", "SIMULATION_BEGINS", config + options + "," + data.substr(config.size()))});
}

const std::string dynamic = R"("dynamic-jobs-enabled":true,"profile-reuse-enabled":true)";
const std::string no_more_jobs = R"({"type":"no_more_static_job_to_submit"})";

std::string submitted_with_all(const std::string& time, const std::string& id) {
    return event(time, "JOB_SUBMITTED",
                 R"({"job_id":"w0!)" + id + R"(","job":{"id":"w0!)" + id + R"(","subtime":)" + time +
                     R"(,"res":2,"walltime":100.5,"profile":"p","deadline":900,"queue":"q","user":"u",)"
                     R"("licenses":["l"]}})");
}

}  // namespace

TEST_CASE("A job whose processor is lost is killed and registered again", "[session][failures]") {
    const std::string acknowledged = GENERATE("false", "true");
    Dialogue batsim("fcfs", {{"on-failure", "requeue"}});
    CHECK(batsim.answer(begins_with(3, dynamic + R"(,"dynamic-jobs-acknowledged":)" + acknowledged)) == "");
    CHECK(batsim.answer(message("0", {submitted_with_all("0", "a"), event("0", "NOTIFY", no_more_jobs)})) ==
          "start w0!a 0-1");
    CHECK(batsim.answer(message("30.5", {machine("30.5", "unavailable", "1")})) == "kill w0!a");
    const std::string again =
        R"({"id":"w0!a#1","subtime":30.500000,"res":2,"walltime":100.500000,"profile":"p","deadline":900,"queue":"q","user":"u",)"
        R"("licenses":["l"]})";
    CHECK(batsim.answer(message("30.5", {completed("30.5", "w0!a", "COMPLETED_KILLED"), killed("30.5", "w0!a")})) ==
          "register w0!a#1 " + again + "; start w0!a#1 0 2");
    if (acknowledged == "true") {
        CHECK(batsim.answer(message("30.5", {submitted("30.5", "w0!a#1", 2, "100.5")})) == "");
    }
    CHECK(problem_of([&] { batsim.answer(message("31", {submitted("31", "w0!a#1", 2, "100.5")})); }) ==
          "job \"w0!a#1\" is submitted twice");
}

TEST_CASE("The frame that registers a job is Batsim's", "[session][failures]") {
    const CaughtLog log;
    Session session({"easy", {{"on-failure", "requeue"}}}, protocol::make_codec("batsim4"));
    session.answer(begins_with(2, dynamic));
    session.answer(message("0", {submitted("0", "w0!a", 2, "50")}));
    CHECK(session.answer(message("5", {machine("5", "unavailable", "0")})) ==
          R"({"now":5.000000,"events":[{"timestamp":5.000000,"type":"KILL_JOB","data":{"job_ids":["w0!a"]}}]})");
    CHECK(session.answer(message("5", {completed("5", "w0!a", "COMPLETED_KILLED"), killed("5", "w0!a")})) ==
          R"({"now":5.000000,"events":[{"timestamp":5.000000,"type":"REGISTER_JOB","data":{"job_id":"w0!a#1","job":)"
          R"({"id":"a#1","subtime":5,"res":2,"walltime":50,"profile":"p"}}}]})");
    session.answer(message("6", {event("6", "NOTIFY", no_more_jobs), machine("6", "available", "0")}));
    CHECK(
        session.answer(message("9", {completed("9", "w0!a#1")})) ==
        R"({"now":9.000000,"events":[{"timestamp":9.000000,"type":"NOTIFY","data":{"type":"registration_finished"}}]})");
    CHECK(session.jobs() == 2);
}

TEST_CASE("A Batsim that is to register jobs must let them be registered", "[session][failures]") {
    const auto problem_with = [](const std::string& options, const Parameters::Given& parameters) {
        Dialogue batsim("easy", parameters);
        return problem_of([&] { batsim.answer(begins_with(2, options)); });
    };
    const Parameters::Given requeue{{"on-failure", "requeue"}};
    const std::string problem =
        "SIMULATION_BEGINS: jobs cannot be registered with the profiles of others, expected a Batsim with "
        "--enable-dynamic-jobs and --enable-profile-reuse, as on-failure=requeue needs it";
    CHECK(problem_with(R"("dynamic-jobs-enabled":false)", requeue) == problem);
    CHECK(problem_with(R"("dynamic-jobs-enabled":true)", requeue) == problem);
    CHECK(problem_with(R"("profile-reuse-enabled":true)", requeue) == problem);
    Dialogue ready("easy", requeue);
    CHECK(ready.answer(begins_with(2, dynamic)) == "");
    Dialogue killing("easy", {{"on-failure", "kill"}});
    CHECK(killing.answer(begins_with(2, R"("dynamic-jobs-enabled":false)")) == "");
}

TEST_CASE("A Batsim that waits for jobs to be registered is told at once that none will be", "[session][failures]") {
    Dialogue batsim("fcfs");
    CHECK(batsim.answer(begins_with(2, dynamic)) == "registration_finished");
    CHECK(batsim.answer(message("0", {submitted("0", "w0!a", 1, "9")})) == "start w0!a 0");
}

TEST_CASE("The id of a job that is registered again must be free", "[session][failures]") {
    Dialogue batsim("fcfs", {{"on-failure", "requeue"}});
    batsim.answer(begins_with(2, dynamic));
    batsim.answer(message("0", {submitted("0", "w0!a", 1, "9"), submitted("0", "w0!a#1", 1, "9")}));
    batsim.answer(message("1", {machine("1", "unavailable", "0")}));
    CHECK(problem_of([&] { batsim.answer(message("1", {completed("1", "w0!a", "COMPLETED_KILLED")})); }) ==
          "job \"w0!a#1\" was to be registered, and is there already");
}

TEST_CASE("Jobs of the algorithm's own start when they are registered, or when Batsim has acknowledged them",
          "[session]") {
    const std::string first = R"(profile dynamic delay_1.000000 {"type":"delay","delay":1}; register dynamic!0 )"
                              R"({"id":"dynamic!0","subtime":0,"res":1,"walltime":6,"profile":"delay_1.000000"})";
    const std::string second = R"(profile dynamic delay_11.000000 {"type":"delay","delay":11}; register dynamic!1 )"
                               R"({"id":"dynamic!1","subtime":1,"res":1,"walltime":16,"profile":"delay_11.000000"})";
    const std::string options = R"("dynamic-jobs-enabled":true,"dynamic-jobs-acknowledged":)";
    Dialogue untold("submitter", {{"jobs", "2"}});
    CHECK(untold.answer(begins_with(1, options + "false")) == first + "; start dynamic!0 0");
    CHECK(untold.answer(message("1", {completed("1", "dynamic!0")})) ==
          second + "; start dynamic!1 0; registration_finished");
    CHECK(untold.answer(message("12", {completed("12", "dynamic!1")})) == "");
    Dialogue told("submitter", {{"jobs", "2"}});
    CHECK(told.answer(begins_with(1, options + "true")) == first);
    CHECK(told.answer(message("0.5", {submitted("0.5", "dynamic!0", 1, "6")})) == "start dynamic!0 0");
    CHECK(problem_of([&] { told.answer(message("0.6", {submitted("0.6", "dynamic!0", 1, "6")})); }) ==
          "job \"dynamic!0\" is submitted twice");
    CHECK(told.answer(message("1", {completed("1", "dynamic!0")})) == second + "; registration_finished");
    // A job of the workload that arrives first keeps its number.
    CHECK(told.answer(message("1", {submitted("1", "w0!a", 1, "9"), submitted("1", "dynamic!1", 1, "16")})) ==
          "start dynamic!1 0");
    CHECK(told.answer(message("12", {completed("12", "dynamic!1")})) == "start w0!a 0");
}

TEST_CASE("Jobs of the algorithm's own are never registered by a Batsim that cannot do so", "[session]") {
    const auto problem_with = [](const std::string& options, const Parameters::Given& parameters) {
        Dialogue batsim("submitter", parameters);
        return problem_of([&] { batsim.answer(begins_with(2, options)); });
    };
    CHECK(problem_with(R"("dynamic-jobs-enabled":false)", {}) ==
          "SIMULATION_BEGINS: jobs cannot be registered, expected a Batsim with --enable-dynamic-jobs, as algorithm "
          "submitter needs it");
    CHECK(problem_with(R"("dynamic-jobs-enabled":true)", {{"same-length", "yes"}}) ==
          "SIMULATION_BEGINS: jobs cannot be registered with the profiles of others, expected a Batsim with "
          "--enable-dynamic-jobs and --enable-profile-reuse, as algorithm submitter needs it");
    Dialogue none("submitter", {{"jobs", "0"}});
    CHECK(none.answer(begins_with(2, dynamic)) == "registration_finished");
    Dialogue taken("submitter", {{"jobs", "2"}});
    taken.answer(begins_with(1, R"("dynamic-jobs-enabled":true)"));
    taken.answer(message("0", {submitted("0", "dynamic!1", 1, "9")}));
    CHECK(problem_of([&] {
              taken.answer(message("1", {completed("1", "dynamic!0")}));
              taken.answer(message("2", {completed("2", "dynamic!1")}));
          }) == "job \"dynamic!1\" was to be registered, and is there already");
}

}  // namespace batfill::tests::session_test
