#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::simulator_events_test {

using Frames = std::vector<std::string>;

TEST_CASE("Of two events at one instant, the one that began to be waited for first comes first", "[simulator]") {
    // The wait for b's submission begins when a is submitted, that for a's end when a starts, and so on.
    const Scenario scenario =
        scenario_of(machine(4), {workload_of(jobs_in("0: a 1x99 runs 10; 5: b 1x99 runs 5; 10: c 1x99 runs 1"))});
    const Played played =
        play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{start(1, "1")}, ""}}, {3, {{start(2, "2")}, ""}}});
    CHECK(played.error.empty());
    CHECK(played.frames == Frames{"0: submitted w0!a", "5: submitted w0!b",
                                  "10: completed w0!a, submitted w0!c, completed w0!b, no_more_static_job_to_submit",
                                  "11: completed w0!c"});
    CHECK(played.ends == 1);
    CHECK(played.ended_at == at("11"));
    CHECK(played.simulation().results().messages == 5);
}

TEST_CASE("Jobs started by one reply end in its order, whatever their processors", "[simulator]") {
    const Scenario scenario =
        scenario_of(machine(4), {workload_of(jobs_in("0: a 1x99 runs 10, b 1x99 runs 10, c 1x10 runs 11"))});
    const Played played = play(scenario, {{1, {{start(2, "2"), start(1, "0"), start(0, "3")}, ""}}});
    CHECK(played.frames == Frames{"0: submitted w0!a, submitted w0!b, submitted w0!c",
                                  "0: no_more_static_job_to_submit",
                                  "10: stopped w0!c, completed w0!b, completed w0!a"});
}

TEST_CASE("Jobs submitted at one instant come in the order of their ids as text", "[simulator]") {
    const Scenario scenario = scenario_of(
        machine(1), {workload_of(jobs_in("1: 2 1x99 runs 10, 10 1x99 runs 10, 1 1x99 runs 10; 0: 9 1x99 runs 10"))});
    const Played played = play(scenario, {{1, {{reject(3)}, ""}}, {2, {{reject(0), reject(1), reject(2)}, ""}}});
    CHECK(played.frames == Frames{"0: submitted w0!9", "1: submitted w0!1, submitted w0!10, submitted w0!2",
                                  "1: no_more_static_job_to_submit"});
    CHECK(played.simulation().ended() == numbers({3, 0, 1, 2}));
}

TEST_CASE("Workloads take turns in the order in which they began to wait", "[simulator]") {
    SECTION("all at the beginning") {
        const Scenario scenario = scenario_of(
            machine(2), {workload_of(job("a", "0", 1, "99", "1")), workload_of(job("a", "0", 1, "99", "1"), "w1")});
        const Played played = play(scenario, {{1, {{start(1, "0"), start(0, "1")}, ""}}});
        CHECK(played.frames == Frames{"0: submitted w0!a, submitted w1!a, no_more_static_job_to_submit",
                                      "1: completed w1!a, completed w0!a"});
    }
    SECTION("later") {
        // At 7, w1 has waited since 1 and w0 since 2.
        const Scenario scenario =
            scenario_of(machine(1), {workload_of(jobs_in("2: a 1x99 runs 1; 7: b 1x99 runs 1")),
                                     workload_of(jobs_in("1: a 1x99 runs 1; 7: b 1x99 runs 1"), "w1")});
        const Played played =
            play(scenario, {{1, {{reject(2)}, ""}}, {2, {{reject(0)}, ""}}, {3, {{reject(1), reject(3)}, ""}}});
        CHECK(played.frames == Frames{"1: submitted w1!a", "2: submitted w0!a",
                                      "7: submitted w1!b, submitted w0!b, no_more_static_job_to_submit"});
    }
    SECTION("the last of them says that no more jobs come") {
        const Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, "99", "1")), workload_of(""),
                                                           workload_of(job("a", "3", 1, "99", "1"), "w2")});
        const Played played = play(scenario, {{1, {{reject(0)}, ""}}, {2, {{reject(1)}, ""}}});
        CHECK(played.frames == Frames{"0: submitted w0!a", "3: submitted w2!a", "3: no_more_static_job_to_submit"});
    }
}

TEST_CASE("Without jobs there is one message, and without workloads none", "[simulator]") {
    const Scenario no_jobs = scenario_of(machine(1), {workload_of("")});
    CHECK(play(no_jobs, {}).frames == Frames{"0: no_more_static_job_to_submit"});
    const Scenario no_workloads = scenario_of(machine(1), {});
    const Played played = play(no_workloads, {});
    CHECK(played.frames.empty());
    CHECK(played.ends == 1);
    CHECK(played.error.empty());
}

TEST_CASE("A job whose run time is 0 ends in a second message of the same instant", "[simulator]") {
    const Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "3", 1, "99", "1e-9"))});
    const Played played = play(scenario, {{1, {{start(0, "0")}, ""}}});
    CHECK(played.frames == Frames{"3: submitted w0!a", "3: no_more_static_job_to_submit", "3: completed w0!a"});
    CHECK(played.simulation().jobs()[0].end == at("3"));
}

TEST_CASE("Calls come one by one, in the order in which they were requested", "[simulator]") {
    const Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, "99", "10"))});
    const Played before = play(scenario, {{1, {{call("10"), start(0, "0"), call("10"), call("12")}, ""}}});
    CHECK(before.frames ==
          Frames{"0: submitted w0!a", "0: no_more_static_job_to_submit", "10: call, completed w0!a, call", "12: call"});
    // A pending call keeps the simulation running.
    CHECK(before.ended_at == at("12"));
}

TEST_CASE("Events of the machine come in order of time, and first those that bring processors", "[simulator][events]") {
    const std::string events = lost("4", "2 0-1") + "\n" + lost("9", "3") + back("9", "0") +
                               R"({"type":"power_cap","timestamp":9,"watts":100})"
                               "\n";
    const Scenario scenario = scenario_of(machine(4), {workload_of(job("a", "0", 1, "99", "9"))}, events);
    SECTION("running jobs go on") {
        const Played played = play(scenario, {{1, {{start(0, "1")}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.frames ==
              Frames{"0: submitted w0!a", "0: no_more_static_job_to_submit", "4: event_machine_unavailable 0-2",
                     "9: completed w0!a, event_machine_available 0, event_machine_unavailable 3, power_cap",
                     "9: no_more_external_event_to_occur"});
        CHECK(played.simulation().jobs()[0].state == JobState::completed_successfully);
    }
    SECTION("unavailable processors take no job") {
        const Played played = play(scenario, {{1, {{call("5")}, ""}}, {4, {{start(0, "2")}, ""}}});
        CHECK(played.error == "the scheduler starts job w0!a at 5.000000: processor 2 is unavailable");
        CHECK(played.ends == 1);
    }
    SECTION("available ones do again") {
        const Played played = play(scenario, {{4, {{start(0, "0")}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.ended_at == at("18"));
    }
}

TEST_CASE("An empty list of events is over at once", "[simulator][events]") {
    Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, "99", "1"))});
    scenario.event_lists.emplace_back();
    CHECK(play(scenario, {{1, {{reject(0)}, ""}}}).frames ==
          Frames{"0: submitted w0!a, no_more_external_event_to_occur, no_more_static_job_to_submit"});
}

TEST_CASE("Processors that are unavailable cannot become so, nor available ones available", "[simulator][events]") {
    const auto error_of = [](const std::string& type, const std::string& resources) {
        const Scenario scenario =
            scenario_of(machine(2), {workload_of("")}, lost("1", "0") + machine_event(type, "2.5", resources));
        return play(scenario, {}).error;
    };
    CHECK(error_of("machine_unavailable", "0") ==
          "event machine_unavailable at 2.500000: processor 0 is unavailable already");
    CHECK(error_of("machine_available", "0-1") ==
          "event machine_available at 2.500000: processor 1 is not unavailable");
    CHECK(error_of("machine_unavailable", "2") == "event machine_unavailable at 2.500000: processor 2 does not exist");
    CHECK(error_of("machine_available", "0").empty());
}

TEST_CASE("While a reply waits for its time, events gather with their own timestamps", "[simulator]") {
    const std::string jobs = jobs_in("0: a 1x99 runs 10; 5: b 1x99 runs 5");
    const Scenario scenario = scenario_of(machine(2), {workload_of(jobs)});
    SECTION("the reply is later than the message") {
        const Played played = play(scenario, {{1, {{start(0, "0")}, "20"}}, {2, {{start(1, "0")}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.frames == Frames{"0: submitted w0!a",
                                      "20: @5 submitted w0!b, @5 no_more_static_job_to_submit, @10 completed w0!a",
                                      "25: completed w0!b"});
    }
    SECTION("and so are its decisions, each applied at its time") {
        const Played played =
            play(scenario, {{1, {{later("2", call("3")), later("7.25", start(0, "0"))}, "8"}}, {2, {{reject(1)}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.frames == Frames{"0: submitted w0!a",
                                      "8: @3 call, @5 submitted w0!b, @5 no_more_static_job_to_submit",
                                      "17.25: completed w0!a"});
        CHECK(played.simulation().jobs()[0].start == at("7.25"));
    }
    SECTION("a reply began to wait before the job that its last action started") {
        const Played played = play(scenario, {{1, {{start(0, "0"), later("10", reject(1))}, "10"}}});
        CHECK(played.error.empty());
        CHECK(played.frames ==
              Frames{"0: submitted w0!a", "10: @5 submitted w0!b, @5 no_more_static_job_to_submit, completed w0!a"});
        CHECK(played.simulation().ended() == numbers({1, 0}));
        const Played with_another = play(scenario, {{1, {{start(0, "0"), call("30"), later("10", reject(1))}, "10"}}});
        CHECK(with_another.error.empty());
        CHECK(with_another.simulation().ended() == numbers({0, 1}));
    }
    SECTION("decisions with a time in the past are applied now") {
        const Played played = play(scenario, {{2, {{later("1", start(0, "0")), start(1, "1")}, "2"}}});
        CHECK(played.simulation().jobs()[0].start == at("5"));
        CHECK(played.frames.back() == "15: completed w0!a");
    }
    SECTION("a job's processors are free for an action of the instant at which it ends") {
        const Played played = play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{later("10", start(1, "0"))}, "10"}}});
        CHECK(played.error.empty());
        CHECK(played.simulation().jobs()[1].start == at("10"));
        CHECK(played.frames.back() == "15: completed w0!b");
    }
}

TEST_CASE("A simulation in which nothing can happen any more has come to a deadlock", "[simulator]") {
    const Scenario scenario =
        scenario_of(machine(2), {workload_of(jobs_in("0: a 1x99 runs 10; 3: b 1x99 runs 10, c 1x99 runs 10"))});
    const Played played = play(scenario, {{1, {{start(0, "0")}, ""}}});
    CHECK(played.deadlock);
    CHECK(played.error ==
          "the simulation stops at 10.000000 with 2 jobs that the scheduler never started, the first of them w0!b");
    CHECK(played.ends == 1);
    CHECK(played.simulation().ended() == numbers({0}));
}

TEST_CASE("Machine times count the periods that ended with a change", "[simulator]") {
    const std::string events = lost("4", "0 2") + back("9", "0 2");
    const Scenario scenario =
        scenario_of(machine(4), {workload_of(jobs_in("1: a 1x99 runs 5; 2: b 1x99 runs 10"))}, events);
    const Played played = play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{start(1, "1")}, ""}}});
    REQUIRE(played.error.empty());
    const MachineTimes& times = played.simulation().machine_times();
    // 0: idle until 1, computing until 4, unavailable until 9 although its job ended at 6; then idle, not counted.
    // 1: idle until 2, computing until 12. 2: idle until 4, unavailable until 9. 3 never changes.
    CHECK(times.idle == Duration::seconds(1 + 2 + 4));
    CHECK(times.computing == Duration::seconds(3 + 10));
    CHECK(times.unavailable == Duration::seconds(5 + 5));
}

TEST_CASE("Far futures are exact", "[simulator]") {
    const Scenario scenario = scenario_of(
        machine(1),
        {workload_of(jobs_in("100000000000000000: a 1x99 runs 10.000001; 100000000000000016: b 1x1e15 runs 1e14"))});
    const Played played = play(scenario, {{1, {{start(0, "0")}, ""}}, {3, {{start(1, "0")}, ""}}});
    CHECK(played.error.empty());
    CHECK(played.simulation().jobs()[0].end == at("100000000000000010.000001"));
    CHECK(played.simulation().jobs()[1].start == at("100000000000000016"));
    CHECK(played.ended_at == at("100100000000000016"));
}

TEST_CASE("Progress is reported up to the end", "[simulator]") {
    const Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, "99", "10"))});
    Simulator simulator(scenario);
    const Script script{{1, {{start(0, "0")}, ""}}};
    ScriptedScheduler scheduler(script);
    std::size_t ended = 0;
    Time now;
    simulator.run(scheduler, [&](std::size_t jobs, Time time) {
        ended = jobs;
        now = time;
    });
    CHECK(ended == 1);
    CHECK(now == at("10"));
}

}  // namespace batfill::tests::simulator_events_test
