#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "simulator_fixture.hpp"
#include "src/remote/messages.hpp"

namespace batfill::tests::simulator_events_test {

using Frames = std::vector<std::string>;

TEST_CASE("Of two events at one instant, the one that began to be waited for first comes first", "[simulator]") {
    // The wait for b's submission begins when a is submitted, that for a's end when a starts, and so on.
    const Scenario scenario =
        scenario_of(machine(4), {workload_of(job("a", "0", 1, "99", "10") + "," + job("b", "5", 1, "99", "5") + "," +
                                             job("c", "10", 1, "99", "1"))});
    const Played played =
        play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{start(1, "1")}, ""}}, {3, {{start(2, "2")}, ""}}});
    CHECK(played.error.empty());
    CHECK(played.frames == Frames{"0: submitted w0!a", "5: submitted w0!b",
                                  "10: completed w0!a, submitted w0!c, completed w0!b, no_more_static_job_to_submit",
                                  "11: completed w0!c"});
    CHECK(played.ends == 1);
    CHECK(played.ended_at == at("11"));
    CHECK(played.simulation().messages() == 5);
}

TEST_CASE("Jobs started by one reply end in its order, whatever their processors", "[simulator]") {
    const Scenario scenario =
        scenario_of(machine(4), {workload_of(job("a", "0", 1, "99", "10") + "," + job("b", "0", 1, "99", "10") + "," +
                                             job("c", "0", 1, "10", "11"))});
    const Played played = play(scenario, {{1, {{start(2, "2"), start(1, "0"), start(0, "3")}, ""}}});
    CHECK(played.frames == Frames{"0: submitted w0!a, submitted w0!b, submitted w0!c",
                                  "0: no_more_static_job_to_submit",
                                  "10: stopped w0!c, completed w0!b, completed w0!a"});
}

TEST_CASE("Jobs submitted at one instant come in the order of their ids as text", "[simulator]") {
    const Scenario scenario =
        scenario_of(machine(1), {workload_of(job("2", "1", 1, "99", "10") + "," + job("10", "1", 1, "99", "10") + "," +
                                             job("1", "1", 1, "99", "10") + "," + job("9", "0", 1, "99", "10"))});
    const Played played = play(scenario, {{1, {{reject(3)}, ""}}, {2, {{reject(0), reject(1), reject(2)}, ""}}});
    CHECK(played.frames == Frames{"0: submitted w0!9", "1: submitted w0!1, submitted w0!10, submitted w0!2",
                                  "1: no_more_static_job_to_submit"});
    CHECK(played.simulation().ended() == std::vector<JobNumber>{3, 0, 1, 2});
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
        const Scenario scenario = scenario_of(
            machine(1), {workload_of(job("a", "2", 1, "99", "1") + "," + job("b", "7", 1, "99", "1")),
                         workload_of(job("a", "1", 1, "99", "1") + "," + job("b", "7", 1, "99", "1"), "w1")});
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

TEST_CASE("Calls come one by one, in the order in which they were asked for", "[simulator]") {
    const Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, "99", "10"))});
    const Played before = play(scenario, {{1, {{call("10"), start(0, "0"), call("10"), call("12")}, ""}}});
    CHECK(before.frames ==
          Frames{"0: submitted w0!a", "0: no_more_static_job_to_submit", "10: call, completed w0!a, call", "12: call"});
    // A pending call keeps the simulation running.
    CHECK(before.ended_at == at("12"));
}

TEST_CASE("Events of the machine are told in order of time, those that bring processors first", "[simulator][events]") {
    const std::string events = R"({"type":"machine_unavailable","timestamp":4,"resources":"2 0-1"})"
                               "\n\n"
                               R"({"type":"machine_unavailable","timestamp":9,"resources":"3"})"
                               "\n"
                               R"({"type":"machine_available","timestamp":9,"resources":"0"})"
                               "\n"
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
        const Scenario scenario = scenario_of(machine(2), {workload_of("")},
                                              R"({"type":"machine_unavailable","timestamp":1,"resources":"0"})"
                                              "\n"
                                              R"({"type":")" +
                                                  type + R"(","timestamp":2.5,"resources":")" + resources + "\"}\n");
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
    const std::string jobs = job("a", "0", 1, "99", "10") + "," + job("b", "5", 1, "99", "5");
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
        CHECK(played.simulation().ended() == std::vector<JobNumber>{1, 0});
        const Played with_another = play(scenario, {{1, {{start(0, "0"), call("30"), later("10", reject(1))}, "10"}}});
        CHECK(with_another.error.empty());
        CHECK(with_another.simulation().ended() == std::vector<JobNumber>{0, 1});
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

TEST_CASE("Walltimes stop jobs that do not end before them", "[simulator]") {
    const auto outcome = [](const std::string& walltime, const std::string& delay) {
        const Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, walltime, delay))});
        return play(scenario, {{1, {{start(0, "0")}, ""}}}).frames.back();
    };
    CHECK(outcome("10", "9.999999") == "9.999999: completed w0!a");
    CHECK(outcome("10", "10") == "10: stopped w0!a");
    CHECK(outcome("10", "11") == "10: stopped w0!a");
    CHECK(outcome("", "11") == "11: completed w0!a");
    CHECK(outcome("-1", "11") == "11: completed w0!a");
}

TEST_CASE("Jobs that return something else than 0 have failed, unless their walltime was reached", "[simulator]") {
    const Scenario scenario = scenario_of(
        machine(2), {parse_workload(R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":5,"ret":7}},"jobs":[)"
                                    R"({"id":"a","subtime":0,"res":1,"walltime":6,"profile":"p"},)"
                                    R"({"id":"b","subtime":0,"res":1,"walltime":5,"profile":"p"}]})",
                                    "/w.json", "w0")});
    CHECK(play(scenario, {{1, {{start(0, "0"), start(1, "1")}, ""}}}).frames.back() == "5: failed w0!a, stopped w0!b");
}

TEST_CASE("Jobs that compute take as long as the slowest of their processors", "[simulator]") {
    Platform platform = machine(3);
    platform.hosts[0].speed = 2e9;
    platform.hosts[1].speed = 0.5e9;
    platform.hosts[2].speed = 1e9;
    const auto outcome = [&](const std::string& walltime, const std::string& processors) {
        const int count = ResourceSet::parse(processors)->size();
        const Scenario scenario = scenario_of(
            platform,
            {parse_workload(R"({"nb_res":1,"profiles":{"p":{"type":"parallel_homogeneous","cpu":1e10,"com":0}},)"
                            R"("jobs":[{"id":"a","subtime":0,"res":)" +
                                std::to_string(count) + walltime + R"(,"profile":"p"}]})",
                            "/w.json", "w0")});
        return play(scenario, {{1, {{start(0, processors)}, ""}}}).frames.back();
    };
    CHECK(outcome("", "0") == "5: completed w0!a");
    CHECK(outcome("", "0 2") == "10: completed w0!a");
    CHECK(outcome("", "0-2") == "20: completed w0!a");
    // Unlike a delay, a job that ends exactly at its walltime has succeeded.
    CHECK(outcome(R"(,"walltime":20)", "1") == "20: completed w0!a");
    CHECK(outcome(R"(,"walltime":19.5)", "1") == "19.5: stopped w0!a");
}

TEST_CASE("Jobs that this simulator cannot run are refused before it begins", "[simulator]") {
    const auto error_of = [](const std::string& profile) {
        const Scenario scenario =
            scenario_of(machine(1), {parse_workload(R"({"nb_res":1,"profiles":{"p":)" + profile +
                                                        R"(},"jobs":[{"id":"a","subtime":0,"res":1,"profile":"p"}]})",
                                                    "/w.json", "w0")});
        try {
            Simulator simulator(scenario);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("runs");
    };
    CHECK(error_of(R"({"type":"delay","delay":1})") == "runs");
    CHECK(error_of(R"({"type":"parallel_homogeneous","cpu":1,"com":0})") == "runs");
    CHECK(error_of(R"({"type":"parallel_homogeneous","cpu":1,"com":5})") ==
          "/w.json: job w0!a: profile \"p\" of type parallel_homogeneous cannot be simulated, expected delay or "
          "parallel_homogeneous with com 0");
    CHECK(error_of(R"({"type":"composed","repeat":1,"seq":["p"]})") ==
          "/w.json: job w0!a: profile \"p\" of type composed cannot be simulated, expected delay or "
          "parallel_homogeneous with com 0");
}

TEST_CASE("A killed job ends before its kill is told, in one message", "[simulator][kill]") {
    const std::string jobs =
        job("a", "0", 1, "99", "10") + "," + job("b", "0", 1, "99", "10") + "," + job("c", "4", 1, "99", "10");
    const Scenario scenario = scenario_of(machine(3), {workload_of(jobs)});
    SECTION("several at once, in the order of the request") {
        const Played played =
            play(scenario, {{1, {{start(0, "0"), start(1, "1")}, ""}}, {2, {{kill({1, 0}), start(2, "0")}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.frames == Frames{"0: submitted w0!a, submitted w0!b", "4: submitted w0!c",
                                      "4: no_more_static_job_to_submit, ended w0!b, ended w0!a, killed w0!b w0!a",
                                      "14: completed w0!c"});
        CHECK(played.simulation().ended() == std::vector<JobNumber>{1, 0, 2});
        CHECK(played.simulation().jobs()[0].end == at("4"));
    }
    SECTION("a second kill is dropped") {
        const Played played =
            play(scenario, {{1, {{start(0, "0"), reject(1)}, ""}}, {2, {{kill({0}), kill({0}), reject(2)}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.frames.back() == "4: no_more_static_job_to_submit, ended w0!a, killed w0!a");
    }
    SECTION("in the reply that starts it") {
        const Played played =
            play(scenario, {{1, {{start(0, "0"), kill({0}), reject(1)}, ""}}, {3, {{reject(2)}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.frames == Frames{"0: submitted w0!a, submitted w0!b", "0: ended w0!a, killed w0!a",
                                      "4: submitted w0!c", "4: no_more_static_job_to_submit"});
        CHECK(played.simulation().jobs()[0].end == at("0"));
    }
    SECTION("that ended while the reply was waiting has no second end") {
        const Played played = play(
            scenario,
            {{1, {{start(0, "0"), reject(1)}, ""}}, {2, {{reject(2)}, ""}}, {3, {{later("12", kill({0}))}, "12"}}});
        CHECK(played.error.empty());
        CHECK(played.frames.back() == "12: @10 completed w0!a, killed w0!a");
    }
    SECTION("only after what the reply decides next") {
        const Played played =
            play(scenario, {{1, {{start(0, "0"), start(1, "1")}, ""}}, {2, {{kill({0}), reject(2), kill({1})}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.frames.back() ==
              "4: no_more_static_job_to_submit, ended w0!a, killed w0!a, ended w0!b, killed w0!b");
        CHECK(played.simulation().ended() == std::vector<JobNumber>{2, 0, 1});
    }
    SECTION("before what the reply decides after that") {
        const Played played =
            play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{kill({0}), reject(1), reject(2)}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.simulation().ended() == std::vector<JobNumber>{1, 0, 2});
    }
    SECTION("before what the reply decides later") {
        const Played played =
            play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{kill({0}), later("6", reject(1)), reject(2)}, "6"}}});
        CHECK(played.error.empty());
        CHECK(played.frames.back() == "6: @4 no_more_static_job_to_submit, @4 ended w0!a, @4 killed w0!a");
        CHECK(played.simulation().ended() == std::vector<JobNumber>{0, 1, 2});
    }
    SECTION("also where others have something to say") {
        const std::string submissions = jobs + "," + job("d", "4", 1, "99", "10");
        const Scenario more = scenario_of(machine(3), {workload_of(submissions), workload_of(jobs, "w1")});
        const Played played = play(more, {{1, {{start(0, "0"), reject(1), reject(4), reject(5)}, ""}},
                                          {2, {{kill({0}), reject(2), reject(3), reject(6)}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.simulation().ended() == std::vector<JobNumber>{1, 4, 5, 2, 0, 3, 6});
    }
    SECTION("at the instant of its end, it has ended") {
        const Played played = play(
            scenario,
            {{1, {{start(0, "0"), reject(1)}, ""}}, {2, {{reject(2)}, ""}}, {3, {{later("10", kill({0}))}, "10"}}});
        CHECK(played.error.empty());
        CHECK(played.frames.back() == "10: completed w0!a, killed w0!a");
        CHECK(played.simulation().jobs()[0].state == JobState::completed_successfully);
    }
}

TEST_CASE("The end that a killed job would have had leaves no trace", "[simulator][kill]") {
    const std::string jobs =
        job("a", "0", 1, "99", "10") + "," + job("b", "4", 1, "99", "10") + "," + job("c", "10", 1, "99", "1");
    const Scenario scenario = scenario_of(machine(1), {workload_of(jobs)});
    const Played played =
        play(scenario, {{1, {{start(0, "0"), kill({0})}, ""}}, {3, {{reject(1)}, ""}}, {4, {{reject(2)}, ""}}});
    CHECK(played.error.empty());
    CHECK(played.frames == Frames{"0: submitted w0!a", "0: ended w0!a, killed w0!a", "4: submitted w0!b",
                                  "10: submitted w0!c", "10: no_more_static_job_to_submit"});
}

TEST_CASE("What a scheduler cannot ask for ends the simulation with an error", "[simulator]") {
    const Scenario scenario =
        scenario_of(machine(2), {workload_of(job("a", "0", 1, "99", "10") + "," + job("b", "0", 2, "99", "10") + "," +
                                             job("c", "7", 1, "99", "10"))});
    const auto error_of = [&](const std::vector<TimedDecision>& decisions) {
        const Played played = play(scenario, {{1, {decisions, ""}}});
        CHECK(played.ends == 1);
        CHECK_FALSE(played.deadlock);
        return played.error;
    };
    CHECK(error_of({start(0, "0"), start(1, "0-1")}) ==
          "the scheduler starts job w0!b at 0.000000: processor 0 is busy");
    CHECK(error_of({start(0, "2")}) == "the scheduler starts job w0!a at 0.000000: processor 2 does not exist");
    CHECK(error_of({start(1, "1")}) == "the scheduler starts job w0!b at 0.000000: it needs 2 processors and gets 1");
    CHECK(error_of({start(0, "0-1")}) == "the scheduler starts job w0!a at 0.000000: it needs 1 processors and gets 2");
    CHECK(error_of({start(0, "0"), start(0, "1")}) == "the scheduler starts job w0!a at 0.000000: it is not waiting");
    CHECK(error_of({start(2, "0")}) == "the scheduler starts job w0!c at 0.000000: it is not waiting");
    CHECK(error_of({start(0, "0"), reject(0)}) == "the scheduler rejects job w0!a, which is not waiting");
    CHECK(error_of({call("0")}) == "the scheduler asks at 0.000000 for a call at 0.000000, which is not in the future");
    CHECK(error_of({kill({0})}) == "the scheduler kills job w0!a, which has not started");
    CHECK(error_of({reject(0), kill({0})}) == "the scheduler kills job w0!a, which has not started");
    const Played late = play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{reject(2)}, ""}}, {4, {{kill({0})}, ""}}});
    CHECK(late.error == "the scheduler kills job w0!a, which has ended");
}

TEST_CASE("A simulation in which nothing can happen any more has come to a deadlock", "[simulator]") {
    const Scenario scenario =
        scenario_of(machine(2), {workload_of(job("a", "0", 1, "99", "10") + "," + job("b", "3", 1, "99", "10") + "," +
                                             job("c", "3", 1, "99", "10"))});
    const Played played = play(scenario, {{1, {{start(0, "0")}, ""}}});
    CHECK(played.deadlock);
    CHECK(played.error ==
          "the simulation stops at 10.000000 with 2 jobs that the scheduler never started, the first of them w0!b");
    CHECK(played.ends == 1);
    CHECK(played.simulation().ended() == std::vector<JobNumber>{0});
}

TEST_CASE("A job that the scheduler registers waits at once, and is told only if that is asked for",
          "[simulator][failures]") {
    Scenario scenario = scenario_of(machine(2), {workload_of(job("a", "0", 1, "99", "10"))});
    scenario.enable_dynamic_jobs = true;
    scenario.enable_profile_reuse = true;
    const Script script{{1, {{start(0, "0"), registers(1, "w0!a#1", 2, "d10"), registers(2, "w0!b", 1, "d10")}, ""}},
                        {2, {{}, ""}},
                        {3, {{start(1, "0-1"), reject(2), finished()}, ""}}};
    const Played untold = play(scenario, script);
    CHECK(untold.error.empty());
    CHECK(untold.frames == std::vector<std::string>{"0: submitted w0!a", "0: no_more_static_job_to_submit",
                                                    "10: completed w0!a", "20: completed w0!a#1"});
    CHECK(untold.simulation().ended() == std::vector<JobNumber>{0, 2, 1});
    const SimulatedJob& registered = untold.simulation().jobs()[1];
    CHECK(registered.profile ==
          &untold.outcome->scenario().workloads[0].profiles.at(registered.job->description.profile));
    scenario.acknowledge_dynamic_jobs = true;
    const Played told = play(scenario, script);
    CHECK(told.frames == std::vector<std::string>{"0: submitted w0!a",
                                                  "0: no_more_static_job_to_submit, submitted w0!a#1, submitted w0!b",
                                                  "10: completed w0!a", "20: completed w0!a#1"});
}

TEST_CASE("A simulation with dynamic jobs ends only when no more will be registered", "[simulator][failures]") {
    Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, "99", "10"))});
    scenario.enable_dynamic_jobs = true;
    scenario.enable_profile_reuse = true;
    const Played waiting = play(scenario, {{1, {{start(0, "0")}, ""}}});
    CHECK(waiting.deadlock);
    CHECK(waiting.error ==
          "the simulation stops at 10.000000 because the scheduler, which may register jobs, has never said "
          "registration_finished");
    CHECK(play(scenario, {{1, {{start(0, "0")}, ""}}, {3, {{finished()}, ""}}}).error.empty());
    const Played again =
        play(scenario, {{1, {{start(0, "0"), finished()}, ""}}, {3, {{registers(1, "w0!b", 1, "d10")}, ""}}});
    CHECK(again.error == "the scheduler registers job w0!b at 10.000000: it has said registration_finished before");
    const TimedDecision goes_on{Time(), Notification{NotificationType::continue_registration, {}, {}}};
    const Played going_on =
        play(scenario, {{1, {{start(0, "0"), finished()}, ""}},
                        {3, {{goes_on, registers(1, "w0!b", 1, "d10"), start(1, "0"), finished()}, ""}}});
    CHECK(going_on.error.empty());
    CHECK(going_on.simulation().ended() == std::vector<JobNumber>{0, 1});
}

TEST_CASE("What a scheduler registers must be possible", "[simulator][failures]") {
    Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, "99", "10"))});
    const auto error_of = [&](std::size_t message, const TimedDecision& decision) {
        Script script{{1, {{start(0, "0")}, ""}}};
        script[message].decisions.push_back(decision);
        return play(scenario, script).error;
    };
    CHECK(error_of(1, registers(1, "w0!b", 1, "d10")) ==
          "the scheduler registers job w0!b at 0.000000: expected a simulation with --enable-dynamic-jobs");
    scenario.enable_dynamic_jobs = true;
    CHECK(error_of(1, registers(1, "w0!a", 1, "d10")) ==
          "the scheduler registers job w0!a at 0.000000: there is such a job already");
    CHECK(error_of(1, registers(1, "w1!a", 1, "d10")) ==
          "the scheduler registers job w1!a at 0.000000: there is no such workload");
    CHECK(error_of(1, registers(1, "w0!b", 1, "d5")) ==
          "the scheduler registers job w0!b at 0.000000: there is no profile \"d5\" in its workload");
    // Like Batsim, it forgets a profile when the first job with it ends.
    CHECK(error_of(3, registers(1, "w0!b", 1, "d10")) ==
          "the scheduler registers job w0!b at 10.000000: a job with its profile has ended, expected a simulation with "
          "--enable-profile-reuse");
}

TEST_CASE("Machine times count the periods that ended with a change", "[simulator]") {
    const std::string events = R"({"type":"machine_unavailable","timestamp":4,"resources":"0 2"})"
                               "\n"
                               R"({"type":"machine_available","timestamp":9,"resources":"0 2"})";
    const Scenario scenario = scenario_of(
        machine(4), {workload_of(job("a", "1", 1, "99", "5") + "," + job("b", "2", 1, "99", "10"))}, events);
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
    const Scenario scenario =
        scenario_of(machine(1), {workload_of(job("a", "100000000000000000", 1, "99", "10.000001") + "," +
                                             job("b", "100000000000000016", 1, "1e15", "1e14"))});
    const Played played = play(scenario, {{1, {{start(0, "0")}, ""}}, {3, {{start(1, "0")}, ""}}});
    CHECK(played.error.empty());
    CHECK(played.simulation().jobs()[0].end == at("100000000000000010.000001"));
    CHECK(played.simulation().jobs()[1].start == at("100000000000000016"));
    CHECK(played.ended_at == at("100100000000000016"));
}

TEST_CASE("Progress is told up to the end", "[simulator]") {
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

TEST_CASE("A job can have a profile that the scheduler registers, also in a workload of its own", "[simulator]") {
    Scenario scenario = scenario_of(machine(2), {workload_of(job("a", "0", 1, "99", "10"))});
    scenario.enable_dynamic_jobs = true;
    const std::string source = R"({"type":"delay","delay":3})";
    const Played played =
        play(scenario, {{0,
                         {{registers_profile("own", "p", source), registers(1, "own!b", 1, "p"), start(1, "0"),
                           registers_profile("w0", "p", R"({"type":"delay","delay":4})"), registers(2, "w0!c", 1, "p"),
                           start(2, "1"), finished()},
                          ""}},
                        {1, {{reject(0)}, ""}}});
    CHECK(played.error.empty());
    CHECK(played.frames == std::vector<std::string>{"0: submitted w0!a, no_more_static_job_to_submit",
                                                    "3: completed own!b", "4: completed w0!c"});
    CHECK(played.simulation().jobs()[1].profile->source == source);
}

TEST_CASE("What a scheduler registers of profiles must be possible", "[simulator]") {
    Scenario scenario = scenario_of(machine(2), {workload_of(job("a", "0", 1, "99", "10"))});
    const std::string source = R"({"type":"delay","delay":3})";
    const auto error_of = [&](const std::vector<TimedDecision>& decisions) {
        return play(scenario, {{0, {decisions, ""}}}).error;
    };
    CHECK(error_of({registers_profile("own", "p", source)}) ==
          "the scheduler registers profile \"p\" of workload \"own\" at 0.000000: expected a simulation with "
          "--enable-dynamic-jobs");
    scenario.enable_dynamic_jobs = true;
    const std::string again = ": there is such a profile already";
    CHECK(error_of({registers_profile("w0", "d10", source)}) ==
          "the scheduler registers profile \"d10\" of workload \"w0\" at 0.000000" + again);
    CHECK(error_of({registers_profile("own", "p", source), registers_profile("own", "p", source)}) ==
          "the scheduler registers profile \"p\" of workload \"own\" at 0.000000" + again);
    CHECK(error_of({finished(), registers_profile("own", "p", source)}) ==
          "the scheduler registers profile \"p\" of workload \"own\" at 0.000000: it has said registration_finished "
          "before");
    CHECK_THAT(error_of({registers_profile("own", "p", R"({"type":"delay","delay":0})")}),
               Catch::Contains("at 0.000000: field \"delay\": expected a number of seconds above 0"));
    CHECK(error_of({registers_profile("own", "p", source), registers(1, "own!b", 1, "q")}) ==
          "the scheduler registers job own!b at 0.000000: there is no profile \"q\" in its workload");
    CHECK_THAT(error_of({registers_profile("own", "p", R"({"type":"smpi"})"), registers(1, "own!b", 1, "p")}),
               Catch::Contains("job own!b: profile \"p\" of type smpi cannot be simulated"));
    // The profile is forgotten when the first job with it ends.
    const Played late = play(
        scenario, {{0, {{registers_profile("own", "p", source), registers(1, "own!b", 1, "p"), start(1, "0")}, ""}},
                   {1, {{start(0, "1")}, ""}},
                   {2, {{registers(2, "own!c", 1, "p")}, ""}}});
    CHECK_THAT(late.error, Catch::Contains("own!c at 3.000000: a job with its profile has ended"));
}

TEST_CASE("a scheduler that leaves the workload out of a job's id is told the whole id", "[simulator]") {
    const Scenario scenario = scenario_of(machine(1), {workload_of(job("001", "0", 1, "9", "5"))});
    const Simulator simulator(scenario);
    SchedulerReply reply;
    protocol::ReplyReader reader;
    const auto rejecting = [](const std::string& id) {
        return R"({"now":0,"events":[{"timestamp":0,"type":"REJECT_JOB","data":{"job_id":")" + id + R"("}}]})";
    };
    CHECK_THROWS_WITH(take_reply(simulator, reader.read(rejecting("001")), reader.ids(), reply),
                      Catch::Contains(R"(unknown job "001", expected "w0!001": the workload, '!' and the job)"));
    CHECK_THROWS_WITH(take_reply(simulator, reader.read(rejecting("002")), reader.ids(), reply),
                      Catch::EndsWith(R"(unknown job "002")"));
}

}  // namespace batfill::tests::simulator_events_test
