#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::simulator_jobs_test {

using Frames = std::vector<std::string>;

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

TEST_CASE("Walltimes that are only believed stop no job, nor its later run", "[simulator]") {
    Workload workload = workload_of(job("a", "0", 1, "10", "30"));
    workload.believes_walltimes = true;
    Scenario scenario = scenario_of(machine(1), {std::move(workload)});
    CHECK(play(scenario, {{1, {{start(0, "0")}, ""}}}).frames.back() == "30: completed w0!a");
    scenario.event_lists.push_back(parse_external_events(lost("5", "0") + back("6", "0"), "/events", true));
    const Outcome outcome = run(scenario, {"easy", {{"on-failure", "requeue"}, {"prediction", "clairvoyant"}}});
    const std::vector<SimulatedJob>& jobs = outcome.simulation().jobs();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].state == JobState::completed_killed);
    CHECK(jobs[1].state == JobState::completed_successfully);
    CHECK(jobs[1].end - jobs[1].start == Duration::seconds(30));
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
    CHECK(
        error_of(R"({"type":"parallel_homogeneous","cpu":1,"com":5})") ==
        "/w.json: job w0!a: profile \"p\" of type parallel_homogeneous cannot be simulated, expected delay or parallel_homogeneous with com 0");
    CHECK(
        error_of(R"({"type":"composed","repeat":1,"seq":["p"]})") ==
        "/w.json: job w0!a: profile \"p\" of type composed cannot be simulated, expected delay or parallel_homogeneous with com 0");
}

TEST_CASE("A killed job ends before its kill is reported, in one message", "[simulator][kill]") {
    const std::string jobs = jobs_in("0: a 1x99 runs 10, b 1x99 runs 10; 4: c 1x99 runs 10");
    const Scenario scenario = scenario_of(machine(3), {workload_of(jobs)});
    SECTION("several at once, in the order of the request") {
        const Played played =
            play(scenario, {{1, {{start(0, "0"), start(1, "1")}, ""}}, {2, {{kill({1, 0}), start(2, "0")}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.frames == Frames{"0: submitted w0!a, submitted w0!b", "4: submitted w0!c",
                                      "4: no_more_static_job_to_submit, ended w0!b, ended w0!a, killed w0!b w0!a",
                                      "14: completed w0!c"});
        CHECK(played.simulation().ended() == numbers({1, 0, 2}));
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
        CHECK(played.simulation().ended() == numbers({2, 0, 1}));
    }
    SECTION("before what the reply decides after that") {
        const Played played =
            play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{kill({0}), reject(1), reject(2)}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.simulation().ended() == numbers({1, 0, 2}));
    }
    SECTION("before what the reply decides later") {
        const Played played =
            play(scenario, {{1, {{start(0, "0")}, ""}}, {2, {{kill({0}), later("6", reject(1)), reject(2)}, "6"}}});
        CHECK(played.error.empty());
        CHECK(played.frames.back() == "6: @4 no_more_static_job_to_submit, @4 ended w0!a, @4 killed w0!a");
        CHECK(played.simulation().ended() == numbers({0, 1, 2}));
    }
    SECTION("also where others have something to say") {
        const std::string submissions = jobs + "," + job("d", "4", 1, "99", "10");
        const Scenario more = scenario_of(machine(3), {workload_of(submissions), workload_of(jobs, "w1")});
        const Played played = play(more, {{1, {{start(0, "0"), reject(1), reject(4), reject(5)}, ""}},
                                          {2, {{kill({0}), reject(2), reject(3), reject(6)}, ""}}});
        CHECK(played.error.empty());
        CHECK(played.simulation().ended() == numbers({1, 4, 5, 2, 0, 3, 6}));
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
    const std::string jobs = jobs_in("0: a 1x99 runs 10; 4: b 1x99 runs 10; 10: c 1x99 runs 1");
    const Scenario scenario = scenario_of(machine(1), {workload_of(jobs)});
    const Played played =
        play(scenario, {{1, {{start(0, "0"), kill({0})}, ""}}, {3, {{reject(1)}, ""}}, {4, {{reject(2)}, ""}}});
    CHECK(played.error.empty());
    CHECK(played.frames == Frames{"0: submitted w0!a", "0: ended w0!a, killed w0!a", "4: submitted w0!b",
                                  "10: submitted w0!c", "10: no_more_static_job_to_submit"});
}

}  // namespace batfill::tests::simulator_jobs_test
