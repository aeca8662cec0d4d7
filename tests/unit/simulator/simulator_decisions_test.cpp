#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/remote/messages.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::simulator_decisions_test {

TEST_CASE("What a scheduler cannot ask for ends the simulation with an error", "[simulator]") {
    const Scenario scenario =
        scenario_of(machine(2), {workload_of(jobs_in("0: a 1x99 runs 10, b 2x99 runs 10; 7: c 1x99 runs 10"))});
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

TEST_CASE("A scheduler can name only jobs and processors that exist", "[simulator]") {
    Scenario scenario = scenario_of(machine(2), {workload_of(job("a", "0", 1, "99", "10"))});
    scenario.enable_dynamic_jobs = true;
    scenario.enable_profile_reuse = true;
    const auto error_of = [&](const TimedDecision& decision) { return play(scenario, {{1, {{decision}, ""}}}).error; };
    const std::string unknown = "the scheduler names job number 7 at 0.000000, expected a number below 1";
    CHECK(error_of(start(7, "0")) == unknown);
    CHECK(error_of(reject(7)) == unknown);
    CHECK(error_of(kill({0, 7})) == "the scheduler kills job w0!a, which has not started");
    CHECK(error_of(kill({7})) == unknown);
    CHECK(error_of(metadata(7, "some")) == unknown);
    CHECK(error_of(registers(7, "w0!b", 1, "d10")) ==
          "the scheduler registers job w0!b at 0.000000: it has number 7, expected 1");
    CHECK(error_of({Time(), StartJob{JobNumber{0}, ResourceSet::range(-1, -1)}}) ==
          "the scheduler starts job w0!a at 0.000000: processor -1 does not exist");
    CHECK(error_of({Time(), SetResourceState{ResourceSet::range(-1, -1), 1}}) ==
          "the scheduler sets the pstate of processors -1 to 1 at 0.000000: processor -1 does not exist");
}

TEST_CASE("A job that the scheduler registers waits at once, and is acknowledged only on request",
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
    CHECK(untold.simulation().ended() == numbers({0, 2, 1}));
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
    CHECK(
        waiting.error ==
        "the simulation stops at 10.000000 because the scheduler, which may register jobs, has never said registration_finished");
    CHECK(play(scenario, {{1, {{start(0, "0")}, ""}}, {3, {{finished()}, ""}}}).error.empty());
    const Played again =
        play(scenario, {{1, {{start(0, "0"), finished()}, ""}}, {3, {{registers(1, "w0!b", 1, "d10")}, ""}}});
    CHECK(again.error ==
          "the scheduler registers job w0!b at 10.000000: the scheduler said registration_finished before");
    const TimedDecision goes_on{Time(), Notification{NotificationType::continue_registration, {}, {}}};
    const Played going_on =
        play(scenario, {{1, {{start(0, "0"), finished()}, ""}},
                        {3, {{goes_on, registers(1, "w0!b", 1, "d10"), start(1, "0"), finished()}, ""}}});
    CHECK(going_on.error.empty());
    CHECK(going_on.simulation().ended() == numbers({0, 1}));
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
          "the scheduler registers job w0!a at 0.000000: a job of this id exists already");
    CHECK(error_of(1, registers(1, "w1!a", 1, "d10")) ==
          "the scheduler registers job w1!a at 0.000000: there is no such workload");
    CHECK(error_of(1, registers(1, "w0!b", 1, "d5")) ==
          "the scheduler registers job w0!b at 0.000000: there is no profile \"d5\" in its workload");
    // Like Batsim, it forgets a profile when the first job with it ends.
    CHECK(
        error_of(3, registers(1, "w0!b", 1, "d10")) ==
        "the scheduler registers job w0!b at 10.000000: a job with its profile has ended, expected a simulation with --enable-profile-reuse");
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
    CHECK(
        error_of({registers_profile("own", "p", source)}) ==
        "the scheduler registers profile \"p\" of workload \"own\" at 0.000000: expected a simulation with --enable-dynamic-jobs");
    scenario.enable_dynamic_jobs = true;
    const std::string again = ": the workload already has it";
    CHECK(error_of({registers_profile("w0", "d10", source)}) ==
          "the scheduler registers profile \"d10\" of workload \"w0\" at 0.000000" + again);
    CHECK(error_of({registers_profile("own", "p", source), registers_profile("own", "p", source)}) ==
          "the scheduler registers profile \"p\" of workload \"own\" at 0.000000" + again);
    CHECK(
        error_of({finished(), registers_profile("own", "p", source)}) ==
        "the scheduler registers profile \"p\" of workload \"own\" at 0.000000: the scheduler said registration_finished before");
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

TEST_CASE("a scheduler that leaves the workload out of a job's id gets an error with the whole id", "[simulator]") {
    const Scenario scenario = scenario_of(machine(1), {workload_of(job("001", "0", 1, "9", "5"))});
    const Simulator simulator(scenario);
    SchedulerReply reply;
    protocol::ReplyReader reader;
    number_jobs(simulator, reader.ids());
    const auto rejecting = [](const std::string& id) {
        return R"({"now":0,"events":[{"timestamp":0,"type":"REJECT_JOB","data":{"job_id":")" + id + R"("}}]})";
    };
    CHECK_THROWS_WITH(take_reply(simulator, reader.read(rejecting("001")), reader.ids(), reply),
                      Catch::Contains(R"(unknown job "001", expected "w0!001": the workload, '!' and the job)"));
    CHECK_THROWS_WITH(take_reply(simulator, reader.read(rejecting("002")), reader.ids(), reply),
                      Catch::EndsWith(R"(unknown job "002")"));
}

}  // namespace batfill::tests::simulator_decisions_test
