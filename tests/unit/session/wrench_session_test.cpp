#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>

#include "src/choice/batsched_choice.hpp"
#include "src/session/session.hpp"
#include "tests/support/batsim4_frames.hpp"
#include "tests/support/caught_log.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/unit/session/dialogue.hpp"

// What WRENCH and the scheduler that it starts in batsched's place say to each other.

namespace batfill::tests::wrench_session_test {

using Catch::Matchers::Contains;

namespace {

std::string message(const std::string& now, const std::string& type, const std::string& data) {
    return R"({"events":[{"data":)" + data + R"(,"timestamp":)" + now + R"(,"type":")" + type + R"("}],"now":)" + now +
           "}";
}
std::string begins(int nodes) {
    std::string hosts;
    for (int node = 0; node < nodes; ++node) {
        hosts += (node == 0 ? "" : ",") + (R"({"core":10,"id":")" + std::to_string(node) + R"(","name":"Host)" +
                                           std::to_string(node + 1) + R"(","state":"idle"})");
    }
    return message("0.0", "SIMULATION_BEGINS",
                   R"({"allow_time_sharing":false,"config":{"redis-enabled":false},"nb_resources":)" +
                       std::to_string(nodes) + R"(,"resources_data":[)" + hosts + "]}");
}
std::string submitted(const std::string& now, const std::string& id, int nodes, const std::string& walltime) {
    return message(now, "JOB_SUBMITTED",
                   R"({"job":{"core":10,"id":")" + id + R"(","res":)" + std::to_string(nodes) + R"(,"walltime":)" +
                       walltime + R"(},"job_id":")" + id + R"("})");
}
std::string ended(const std::string& now, const std::string& id, const std::string& state = "COMPLETED_SUCCESSFULLY") {
    return message(now, "JOB_COMPLETED",
                   R"({"job_id":")" + id + R"(","job_state":")" + state + R"(","kill_reason":"","status":"SUCCESS"})");
}
std::string question(const std::string& now, const std::string& id, int nodes, const std::string& walltime) {
    return message(now, "QUERY",
                   R"({"requests":{"estimate_waiting_time":{"job":{"id":")" + id + R"(","res":)" +
                       std::to_string(nodes) + R"(,"walltime":)" + walltime + R"(},"job_id":")" + id + R"("}}})");
}
// Jobs with their nodes.
std::string starts(const std::string& now, const std::vector<std::pair<std::string, std::string>>& jobs) {
    std::string events;
    for (const auto& [id, nodes] : jobs) {
        events += events.empty() ? "" : ",";
        events += R"({"timestamp":)" + now + R"(,"type":"EXECUTE_JOB","data":{"job_id":")" + id + R"(","alloc":")" +
                  nodes + R"("}})";
    }
    return R"({"now":)" + now + R"(,"events":[)" + events + "]}";
}
std::string starts(const std::string& now, const std::string& id, const std::string& nodes) {
    return starts(now, {{id, nodes}});
}
std::string nothing(const std::string& now) {
    return R"({"now":)" + now + R"(,"events":[]})";
}
std::string answered(const std::string& now, const std::string& id, const std::string& start) {
    return R"({"now":)" + now + R"(,"events":[{"timestamp":)" + now +
           R"(,"type":"ANSWER","data":{"estimate_waiting_time":{"job_id":")" + id + R"(","estimated_waiting_time":)" +
           start + "}}}]}";
}

Session session_with(const std::string& algorithm, const Parameters::Given& parameters) {
    return Session({algorithm, parameters}, protocol::make_codec(protocol::wrench_protocol));
}
Session session_of(const std::string& algorithm, const std::string& margin = "5") {
    Parameters::Given parameters{{"walltime-margin", margin}};
    if (algorithm == "conservative") {
        parameters.emplace_back("compression", "submission");
    }
    return session_with(algorithm, parameters);
}
// The parameters of `-v VARIANT -o ORDER`, without a delay.
Session session_in_order(const std::string& variant, const std::string& order, const std::string& policy = "basic") {
    BatschedOptions options;
    options.variant = variant;
    options.queue_order = order;
    options.selection_policy = policy;
    options.rjms_delay = "0";
    const WrittenScheduler choice = batsched_choice(options);
    Session session = session_with(choice.algorithm, choice.parameters);
    session.decide_as_batsched(batsched_rules(options));
    return session;
}

// Wants a round in every second, for ever. Starts the waiting jobs one by one, or none.
class Restless : public Algorithm {
 public:
    explicit Restless(bool starts) : starts_(starts) {}
    void decide(Round& round) override {
        if (starts_ && round.state().running.empty() && !round.state().waiting.empty()) {
            round.start(round.state().waiting.job(0));
        }
    }
    Time next_wake(Time after) const override { return after + Duration::seconds(1); }

 private:
    bool starts_;
};
Session session_of_restless(bool starts) {
    AlgorithmDescription description;
    description.name = "restless";
    description.make = [starts](const Parameters&) { return std::make_unique<Restless>(starts); };
    WrittenScheduler scheduler{"restless", {}};
    scheduler.own = std::make_shared<const AlgorithmDescription>(with_common_parameters(std::move(description)));
    return Session(std::move(scheduler), protocol::make_codec(protocol::wrench_protocol));
}

}  // namespace

TEST_CASE("The present goes back to WRENCH with all its digits", "[session]") {
    const QuietLog quiet;
    Session session = session_of("conservative");
    CHECK(session.answer(begins(4)) == nothing("0.0"));
    CHECK(session.answer(submitted("1.0000000000000002", "2", 4, "301.0")) == starts("1.0000000000000002", "2", "0-3"));
    CHECK(session.answer(ended("897.0011999999998", "2")) == nothing("897.0011999999998"));
    CHECK(session.answer(message("897.0011999999998", "SIMULATION_ENDS", "null")) == nothing("897.0011999999998"));
    CHECK(session.ended());
}

TEST_CASE("A question is answered with the start in the plan, and changes nothing", "[session]") {
    const QuietLog quiet;
    Session session = session_of("conservative");
    session.answer(begins(4));
    // Before the first job.
    CHECK(session.answer(question("0.5", "my_job", 4, "400")) == answered("0.5", "my_job", "0.5"));
    // Job 1 is over at 1 + 300 + 5, job 2 follows it with 200 + 5.
    session.answer(submitted("1.0", "1", 3, "300"));
    CHECK(session.answer(submitted("1.0", "2", 4, "200")) == nothing("1.0"));
    CHECK(session.answer(question("1.25", "one", 1, "299")) == answered("1.25", "one", "1.25"));  // beside job 1
    CHECK(session.answer(question("2.0", "long", 1, "301")) == answered("2.0", "long", "511.000000"));
    CHECK(session.answer(question("2.0", "wide", 5, "1")) == answered("2.0", "wide", "-1"));
    CHECK(session.answer(ended("2.0", "1")) == starts("2.0", "2", "0-3"));
    CHECK(session.answer(question("3.0", "long", 1, "301")) == answered("3.0", "long", "207.000000"));
    CHECK(session.jobs() == 2);
}

TEST_CASE("Without a plan, a question is answered as if all jobs took their walltimes", "[session]") {
    const QuietLog quiet;
    for (const std::string algorithm : {"easy", "fcfs", "filler"}) {
        INFO(algorithm);
        Session session = session_of(algorithm, "0");
        session.answer(begins(4));
        session.answer(submitted("0.0", "1", 3, "300"));
        session.answer(submitted("0.0", "2", 4, "200"));
        CHECK(session.answer(question("1.0", "q", 2, "50")) == answered("1.0", "q", "500.000000"));
        const std::string narrow = algorithm == "fcfs" ? "500.000000" : "1.0";
        CHECK(session.answer(question("1.0", "q", 1, "50")) == answered("1.0", "q", narrow));
        CHECK(session.answer(ended("2.0", "1")) == starts("2.0", "2", "0-3"));
    }
}

TEST_CASE("A question has an answer also under an algorithm that asks for calls without end", "[session]") {
    const QuietLog quiet;
    Session idle = session_of_restless(false);
    idle.answer(begins(4));
    CHECK(idle.answer(question("1.0", "q", 1, "50")) == answered("1.0", "q", "-1"));
    // The end of job 1 comes after more calls than a question follows.
    Session busy = session_of_restless(true);
    busy.answer(begins(4));
    busy.answer(submitted("0.0", "1", 1, "1000000"));
    CHECK(busy.answer(question("1.0", "q", 1, "50")) == answered("1.0", "q", "1000000.000000"));
    busy.answer(submitted("2.0", "2", 1, "5"));
    CHECK(busy.answer(question("2.0", "q", 1, "50")) == answered("2.0", "q", "1000005.000000"));
}

TEST_CASE("A user ends a job that waits: it never starts, and others move up", "[session]") {
    const QuietLog quiet;
    for (const std::string algorithm : {"conservative", "easy", "fcfs", "pc", "dc", "dbf", "relaxed", "filler"}) {
        INFO(algorithm);
        Session session = session_of(algorithm);
        session.answer(begins(4));
        CHECK(session.answer(submitted("0.0", "1", 2, "1000")) == starts("0.0", "1", "0-1"));
        CHECK(session.answer(submitted("0.0", "2", 4, "100")) == nothing("0.0"));
        // It would delay job 2; `filler` delays it.
        const bool delays = algorithm == "filler";
        CHECK(session.answer(submitted("0.0", "3", 2, "5000")) ==
              (delays ? starts("0.0", "3", "2-3") : nothing("0.0")));
        CHECK(session.answer(ended("1.0", "2", "COMPLETED_KILLED")) ==
              (delays ? nothing("1.0") : starts("1.0", "3", "2-3")));
        CHECK(session.answer(ended("1.0", "2", "COMPLETED_KILLED")) == nothing("1.0"));  // again
        CHECK(session.answer(ended("9.0", "1")) == nothing("9.0"));
        CHECK(session.answer(ended("9.0", "1")) == nothing("9.0"));
        CHECK(session.answer(ended("10.0", "3")) == nothing("10.0"));
        CHECK_THROWS_WITH(session.answer(ended("10.0", "4")), Contains("JOB_COMPLETED of the unknown job \"4\""));
    }
}

TEST_CASE("Jobs of one instant wait in the order of their ids as text, where batsched sorts its queue", "[session]") {
    const QuietLog quiet;
    for (const std::string variant : {"conservative_bf", "easy_bf", "filler", "fcfs_fast", "easy_bf_fast"}) {
        INFO(variant);
        Session session = session_in_order(variant, "fcfs");
        session.answer(begins(1));
        session.answer(submitted("0.0", "1", 1, "1000"));
        session.answer(submitted("0.0", "2", 1, "100"));
        session.answer(submitted("0.0", "10", 1, "100"));
        CHECK(session.answer(ended("1.0", "1")) == starts("1.0", variant.ends_with("_fast") ? "2" : "10", "0"));
    }
}

TEST_CASE("Jobs that the queue order holds equal go by id as text, whenever they came", "[session]") {
    const QuietLog quiet;
    for (const std::string variant : {"conservative_bf", "easy_bf", "filler", "sequencer"}) {
        for (const std::string order : {"asc_size", "desc_size", "asc_walltime", "desc_walltime"}) {
            INFO(variant << ' ' << order);
            Session session = session_in_order(variant, order);
            session.answer(begins(2));
            session.answer(submitted("0.0", "1", 2, "1000"));
            session.answer(submitted("1.0", "9", 1, "100"));
            session.answer(submitted("2.0", "10", 1, "100"));
            const bool one_by_one = variant == "sequencer";
            CHECK(session.answer(ended("3.0", "1")) ==
                  (one_by_one ? starts("3.0", "10", "0") : starts("3.0", {{"10", "0"}, {"9", "1"}})));
        }
        for (const std::string order : {"fcfs", "lcfs", "desc_slowdown", "desc_bounded_slowdown"}) {
            INFO(variant << ' ' << order);
            Session session = session_in_order(variant, order);
            session.answer(begins(1));
            session.answer(submitted("0.0", "1", 1, "1000"));
            for (const char* const id : {"2", "10"}) {
                session.answer(submitted("1.0", id, 1, "100"));
            }
            session.answer(submitted("2.0", "0", 1, "100"));
            CHECK(session.answer(ended("3.0", "1")) == starts("3.0", order == "lcfs" ? "0" : "10", "0"));
        }
    }
}

TEST_CASE("Plans and reservations hold particular nodes, the lowest, as in batsched", "[session]") {
    const QuietLog quiet;
    for (const bool counts_nodes : {false, true}) {
        INFO(counts_nodes);
        // 9 and 10 are planned at 100, on nodes 0 and 1. When node 0 is free, 10 goes first by its id, but would hold
        // it until 150.
        Session planned = session_in_order("conservative_bf", "fcfs", counts_nodes ? "contiguous" : "basic");
        planned.answer(begins(2));
        for (const char* const id : {"1", "2", "9", "10"}) {
            planned.answer(submitted("0.0", id, 1, "100"));
        }
        CHECK(planned.answer(ended("50.0", "1")) == starts("50.0", counts_nodes ? "10" : "9", "0"));
        // 3 has nodes 0 and 1 from 100 on. Of the three that are free then, 4 may have the last only.
        Session reserved = counts_nodes ? session_of("easy", "0") : session_in_order("easy_bf", "fcfs");
        reserved.answer(begins(3));
        reserved.answer(submitted("0.0", "1", 1, "10"));
        reserved.answer(submitted("0.0", "2", 2, "100"));
        reserved.answer(submitted("0.0", "3", 2, "100"));
        reserved.answer(submitted("0.0", "4", 1, "1000"));
        CHECK(reserved.answer(ended("5.0", "1")) == (counts_nodes ? starts("5.0", "4", "0") : nothing("5.0")));
    }
}

TEST_CASE("conservative_bf places jobs again in its queue order, and delays none", "[session]") {
    const QuietLog quiet;
    Session session = session_in_order("conservative_bf", "asc_size");
    session.answer(begins(4));
    session.answer(submitted("0.0", "1", 4, "1000"));
    // From 1000 on: job 2 until 1100, job 3 after it, and job 4 until 1300 beside them.
    session.answer(submitted("1.0", "2", 3, "100"));
    session.answer(submitted("2.0", "3", 2, "100"));
    session.answer(submitted("3.0", "4", 1, "300"));
    CHECK(session.answer(question("3.0", "q", 1, "100")) == answered("3.0", "q", "1100.000000"));
    // Job 4 moves first, then job 3, and both start. Job 2 follows job 3.
    CHECK(session.answer(ended("10.0", "1")) == starts("10.0", {{"4", "0"}, {"3", "1-2"}}));
    CHECK(session.answer(question("10.0", "q", 3, "1")) == answered("10.0", "q", "210.000000"));
}

TEST_CASE("What WRENCH may not say ends in an error that names the event", "[session]") {
    const QuietLog quiet;
    const auto problem = [](const std::string& wrong) -> std::string {
        Session session = session_of("easy");
        session.answer(begins(2));
        try {
            session.answer(wrong);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(problem(message("1.0", "JOB_SUBMITTED", "null")), Contains("JOB_SUBMITTED") && Contains("data.job_id"));
    CHECK_THAT(problem(submitted("1.0", "1", 1, R"("x")")), Contains("job \"1\"") && Contains("walltime"));
    CHECK_THAT(problem(message("1.0", "QUERY", R"({"requests":{}})")), Contains("estimate_waiting_time"));
    CHECK_THAT(problem(begins(2)), Contains("SIMULATION_BEGINS"));
}

namespace {

// The problem with the message that begins a simulation; empty if there is none.
std::string problem_at_begin(const std::string& protocol, const std::string& first, const WrittenScheduler& scheduler,
                             const std::string& windows = "") {
    MachineDetails machine;
    machine.windows = "calendar.json";
    machine.windows_text = windows;
    Session session(scheduler, protocol::make_codec(protocol), nullptr, machine);
    try {
        session.answer(first);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

std::string window(const std::string& running) {
    return R"({"name":"m","from":100,"until":200,"hosts":"all","running":")" + running + "\"}\n";
}

}  // namespace

TEST_CASE("What needs decisions that WRENCH does not follow is refused when its simulation begins", "[session]") {
    const QuietLog quiet;
    const auto problem = [](const WrittenScheduler& scheduler, const std::string& windows = "") {
        return problem_at_begin(protocol::wrench_protocol, begins(4), scheduler, windows);
    };
    const std::string end = ", which WRENCH does not follow, expected a peer that does, as Batsim 4";
    CHECK(problem({"easy", {}}).empty());
    CHECK(problem({"easy", {}}, window("kill")) == "calendar.json:1: window \"m\" needs kills and calls" + end);
    CHECK(problem({"easy", {}}, "\n" + window("requeue")) ==
          "calendar.json:2: window \"m\" needs kills, calls and registered jobs" + end);
    CHECK(problem({"conservative", {}}, window("finish")) == "calendar.json:1: window \"m\" needs calls" + end);
    CHECK(problem({"easy", {{"on-failure", "kill"}}}) == "on-failure=kill needs kills" + end);
    CHECK(problem({"easy", {{"on-failure", "requeue"}}}) == "on-failure=requeue needs kills and registered jobs" + end);
    CHECK(problem({"killer", {}}) == "algorithm killer needs kills" + end);
    CHECK(problem({"killer2", {}}) == "algorithm killer2 needs kills" + end);
    CHECK(problem({"submitter", {}}) == "algorithm submitter needs registered jobs and registered profiles" + end);
    CHECK(problem({"easy-sleeper", {}}) == "algorithm easy-sleeper needs changes of the state of processors" + end);
}

TEST_CASE("Batsim 5 follows kills and calls for windows, and no profiles", "[session]") {
    const QuietLog quiet;
    const auto problem = [](const WrittenScheduler& scheduler, const std::string& windows = "") {
        return problem_at_begin("batsim5", std::string(4, '\0'), scheduler, windows);
    };
    CHECK(problem({"easy", {}}, window("requeue")).empty());
    CHECK(problem({"killer", {}}).empty());
    CHECK(
        problem({"submitter", {}}) ==
        "algorithm submitter needs registered profiles, which Batsim 5 does not follow, expected a peer that does, as "
        "Batsim 4");
}

TEST_CASE("The first decision of a kind that WRENCH does not follow is logged, if only now it is known", "[session]") {
    const CaughtLog log;
    Session session = session_of_restless(true);
    session.answer(begins(2));
    session.answer(submitted("1.0", "1", 2, "10"));
    session.answer(submitted("2.0", "2", 2, "10"));
    const std::string text = log.text();
    const std::string warning = "at 1.000000: WRENCH does not follow calls; only the first is logged";
    CHECK_THAT(text, Contains(warning));
    CHECK(text.find("does not follow", text.find(warning) + warning.size()) == std::string::npos);
}

TEST_CASE("A machine that the algorithm refuses is refused before Batsim's options, as a wrong message", "[session]") {
    const QuietLog quiet;
    const std::string refused =
        "algorithm filler: not for machines with pools, capacities, partitions, windows or limits: "
        "it does not declare understands_resources()";
    CHECK(problem_at_begin("batsim4", batsim4::begins(2), {"filler", {}}, window("requeue")) == refused);
    const auto with_details = [](MachineDetails machine) {
        Session session({"filler", {}}, protocol::make_codec("batsim4"), nullptr, std::move(machine));
        return problem_of([&] { session.answer(batsim4::begins(2)); });
    };
    MachineDetails pool;
    pool.pools = {{"power", 5}};
    CHECK(with_details(pool) == refused);
    MachineDetails capacity;
    capacity.capacity = "cores:4";
    CHECK(with_details(capacity) == refused);
}

}  // namespace batfill::tests::wrench_session_test
