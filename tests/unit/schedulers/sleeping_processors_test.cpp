#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/algorithm.hpp>
#include <batfill/replay/outcome.hpp>

#include "protocol/batsim4.hpp"
#include "src/session/session.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/recorded_run.hpp"
#include "tests/support/simulator_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::sleeping_processors_test {

// Processors that sleep and wake: the platform's properties, the engine, the simulator and the algorithm.

using Frames = std::vector<std::string>;

namespace {

std::string refusal_of(const std::string& sleep_pstates) {
    const std::vector<Host> hosts{{"n", 1, {{"sleep_pstates", sleep_pstates}}, {}}};
    try {
        Machine(hosts).require_sleep_states();
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

// The error of a simulation with four processors that sleep, after this first reply.
std::string error_after(const std::vector<TimedDecision>& decisions, Platform platform = machine_that_sleeps(4)) {
    const Scenario scenario = scenario_of(std::move(platform), {workload_of(job("a", "1", 1, "9", "1"))});
    const Script script{{0, {decisions, ""}}};
    return play(scenario, script).error;
}

// Does in each round what a test says.
class Switcher : public Algorithm {
 public:
    using Step = std::function<void(Round&)>;
    Switcher(Step step, bool says_so) : step_(std::move(step)), says_so_(says_so) {}
    void decide(Round& round) override { step_(round); }
    bool switches_processors() const override { return says_so_; }

 private:
    Step step_;
    bool says_so_;
};

// The error after a job is submitted to four processors; the last one cannot sleep.
std::string error_of_step(const Switcher::Step& step, bool says_so = true) {
    const AlgorithmDescription description =
        with_common_parameters({"switcher", "does what a test says", "none", {}, [=](const Parameters&) {
                                    return std::make_unique<Switcher>(step, says_so);
                                }});
    Engine engine(description, {});
    std::vector<Host> hosts = machine_that_sleeps(4).hosts;
    hosts[3].properties.clear();
    engine.begin(Time(), Machine(hosts));
    JobDescription job;
    job.id = "w0!a";
    job.processors = 1;
    job.walltime = Duration::seconds(9);
    engine.arrive(Time());
    engine.take_in({Time(), JobSubmitted{JobNumber{0}, job}});
    try {
        engine.decide();
    } catch (const DecisionError& error) {
        return error.what();
    }
    return "none";
}

std::string text_of(const protocol::Message& reply) {
    std::string said;
    for (const protocol::Message::Event& event : reply.events) {
        const auto& decision = std::get<Decision>(event.data);
        said += said.empty() ? "" : "; ";
        if (const auto* start = std::get_if<StartJob>(&decision)) {
            said += "start " + start->allocation.to_string();
        } else if (const auto* sets = std::get_if<SetResourceState>(&decision)) {
            said += "pstate " + std::to_string(sets->pstate) + " " + sets->processors.to_string();
        } else if (const auto* later = std::get_if<CallMeLater>(&decision)) {
            said += "call " + brief(later->time);
        }
    }
    return said;
}

}  // namespace

TEST_CASE("The property sleep_pstates says which processors can sleep, and in which pstate", "[machine]") {
    std::vector<Host> hosts = batfill::tests::machine(5).hosts;
    hosts[0].properties["sleep_pstates"] = "13:14:15";
    hosts[1].properties["sleep_pstates"] = "1:2:3, 4:5:6";
    hosts[3].properties["sleep_pstates"] = "13:5:6";
    const Machine sleepy(hosts);
    REQUIRE(sleepy.sleep_states().size() == 2);
    CHECK(sleepy.sleep_states()[0].pstate == 1);
    CHECK(sleepy.sleep_states()[0].processors.to_string() == "1");
    CHECK(sleepy.sleep_states()[1].pstate == 13);
    CHECK(sleepy.sleep_states()[1].processors.to_string() == "0 3");
    CHECK(sleepy.can_sleep().to_string() == "0-1 3");
    CHECK(sleep_pstates_of(hosts[1]) == SleepPstates{1, 2, 3});
    CHECK(Machine(4).can_sleep().empty());
    // A host that sleeps in the pstate in which it computes cannot be put to sleep, and refuses nothing.
    hosts[0].properties["sleep_pstates"] = "0:2:3";
    CHECK(Machine(hosts).can_sleep().to_string() == "1 3");
    CHECK_NOTHROW(Machine(hosts).require_sleep_states());
    for (const char* const bad : {"13", "1:2", "1:2:3:4", "1:2:x", "-1:1:2", "a:b:c", "1:2:", "1;2;3"}) {
        CHECK(refusal_of(bad) == "platform: host n: property sleep_pstates is '" + std::string(bad) +
                                     "', expected three numbers of pstates, SLEEP:OFF:ON");
    }
}

TEST_CASE("A platform file says how fast a host is in each of its pstates", "[platform]") {
    const Platform platform =
        parse_platform(R"(<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>)"
                       R"(<host id="a" speed="4f,1e-9f,0.5f,0.2f"><prop id="sleep_pstates" value="1:2:3"/></host>)"
                       R"(<host id="b" speed="4f,2f" pstate="1"/><host id="c" speed="1f"/></zone></platform>)",
                       "p.xml");
    CHECK(platform.hosts[0].pstate_speeds == std::vector<double>{4, 1e-9, 0.5, 0.2});
    CHECK(platform.hosts[1].pstate == 1);
    CHECK(platform.hosts[2].pstate_speeds.empty());
    CHECK(Machine(platform.hosts).can_sleep().to_string() == "0");
}

TEST_CASE("easy-sleeper puts processors to sleep that were idle for a while, and wakes what the queue needs",
          "[schedules]") {
    // 4 processors fall asleep in 2 s and wake in 5; idle-time 10. a (2) runs 0-8; 2 and 3 are asleep at 12.
    // At 14, b (3) has two processors and wakes 2, until 19. At 15, c (1) takes the one extra, so b also needs 3, which
    // wakes until 20. At 16, e (1) finds no extra. At 17 c has ended: one is extra again, and e runs until 21. So b has
    // its three processors, 1 to 3, from 20 to 26. Processor 0 falls asleep from 31 to 33. At 32, d (4) needs it: it
    // wakes from 33 to 38.
    const std::string jobs = jobs_in(R"(
         0: a 2x9 runs 8
        14: b 3x20 runs 6
        15: c 1x3 runs 2
        16: e 1x30 runs 4
        32: d 4x20 runs 1
    )");
    const Outcome outcome =
        run(scenario_of(machine_that_sleeps(4), {workload_of(jobs)}), {"easy-sleeper", {{"idle-time", "10"}}});
    const Simulator& simulator = outcome.simulation();
    std::map<std::string, std::string> starts;
    for (const SimulatedJob& simulated : simulator.jobs()) {
        starts[simulated.job->description.id.substr(3)] =
            brief(simulated.start) + " on " + simulated.allocation.to_string();
    }
    CHECK(starts == std::map<std::string, std::string>{
                        {"a", "0 on 0-1"}, {"b", "20 on 1-3"}, {"c", "15 on 0"}, {"d", "38 on 0-3"}, {"e", "17 on 0"}});
    // All processors fall asleep again from 49.
    CHECK(brief(simulator.results().now) == "51");
    CHECK(batfill::text_of(outcome.statistics()) == "put-to-sleep 7, woken 3");
    CHECK(simulator.results().processor_switches == 10);
    CHECK(simulator.results().grouped_switches == 6);
    // 2 and 3 sleep from 12 to 14 and 15. 0 is woken just after it fell asleep. The last sleep does not end.
    CHECK(simulator.machine_times().sleeping == Duration::seconds(5));
    CHECK(simulator.machine_times().falling_asleep == Duration::seconds(14));
    CHECK(simulator.machine_times().waking == Duration::seconds(15));
}

TEST_CASE("easy-sleeper is easy where nothing can sleep", "[schedules]") {
    const std::string jobs = jobs_in("0: a 3x10 runs 9.5; 1: b 4x5 runs 4; 2: c 1x8.000001 runs 1, d 1x8 runs 8");
    for (const char* const algorithm : {"easy", "easy-sleeper"}) {
        const Outcome outcome = run(scenario_of(batfill::tests::machine(4), {workload_of(jobs)}), {algorithm, {}});
        const Simulator& simulator = outcome.simulation();
        std::string starts;
        for (const SimulatedJob& simulated : simulator.jobs()) {
            starts += brief(simulated.start) + " ";
        }
        CHECK(starts == "0 10 14 2 ");
        CHECK(simulator.results().processor_switches == 0);
    }
}

TEST_CASE("Processors sleep and wake in the simulator in the time that their pstates say", "[simulator]") {
    const Scenario scenario = scenario_of(machine_that_sleeps(4), {workload_of(job("a", "1", 1, "9", "1"))});
    const Script script{{0, {{sets_pstate("0-1", 1), sets_pstate("3", 1)}, ""}},
                        {1, {{start(0, "2")}, ""}},
                        {3, {{sets_pstate("1 3", 0)}, ""}}};
    const Played played = play(scenario, script);
    CHECK(played.error == "");
    CHECK(played.frames == Frames{"1: submitted w0!a", "1: no_more_static_job_to_submit",
                                  "2: pstate 1 0-1, pstate 1 3, completed w0!a", "7: pstate 0 1 3"});
}

TEST_CASE("A processor that is unavailable sleeps and wakes on, and is what it is when it comes back", "[simulator]") {
    const std::string events = lost("1", "0") + back("4", "0");
    const Scenario scenario = scenario_of(machine_that_sleeps(2), {workload_of(job("a", "5", 1, "9", "1"))}, events);
    const Script script{{0, {{sets_pstate("0", 1)}, ""}}, {5, {{start(0, "0")}, ""}}};
    const Played played = play(scenario, script);
    CHECK(played.frames == Frames{"1: event_machine_unavailable 0", "2: pstate 1 0", "4: event_machine_available 0",
                                  "4: no_more_external_event_to_occur", "5: submitted w0!a"});
    CHECK(played.error == "the scheduler starts job w0!a at 5.000000: processor 0 is asleep");
}

TEST_CASE("What a scheduler wants of pstates must be possible", "[simulator]") {
    const std::string sets = "the scheduler sets the pstate of processors ";
    CHECK(error_after({sets_pstate("0", 0)}) ==
          sets + "0 to 0 at 0.000000: processor 0 is idle, expected that it is asleep");
    CHECK(error_after({sets_pstate("0-1", 1), sets_pstate("1", 0)}) ==
          sets + "1 to 0 at 0.000000: processor 1 is falling asleep, expected that it is asleep");
    CHECK(error_after({sets_pstate("3-4", 1)}) == sets + "3-4 to 1 at 0.000000: processor 4 does not exist");
    CHECK(error_after({sets_pstate("2", 2)}) ==
          sets + "2 to 2 at 0.000000: processor 2 has pstate 1 to sleep in; it can be set to this one or 0");
    CHECK(error_after({sets_pstate("0", 1)}, batfill::tests::machine(4)) ==
          sets + "0 to 1 at 0.000000: processor 0 cannot sleep, expected a host with a property sleep_pstates");
    Platform platform = machine_that_sleeps(4);
    platform.hosts[1].pstate_speeds.resize(2);
    platform.hosts[2].pstate = 2;
    CHECK(error_after({sets_pstate("1", 1)}, platform) ==
          sets + "1 to 1 at 0.000000: processor 1 has no speed in pstate 2 that says how long this takes");
    CHECK(
        error_after({sets_pstate("2", 1)}, platform) ==
        sets +
            "2 to 1 at 0.000000: processor 2 starts in pstate 2, only those that start in 0 can be put to sleep here");
}

TEST_CASE("An algorithm puts to sleep only idle processors that can sleep, and wakes only sleeping ones", "[rogue]") {
    const auto set = [](const char* text) { return ResourceSet::parse(text).value(); };
    const std::string it = "algorithm switcher at 0.000000: it ";
    CHECK(error_of_step([&](Round& round) { round.put_to_sleep(set("0-2")); }) == "none");
    CHECK(error_of_step([&](Round& round) {
              round.put_to_sleep({});
              round.wake({});
          }) == "none");
    CHECK(error_of_step([&](Round& round) { round.put_to_sleep(set("2-3")); }) ==
          it + "puts to sleep processors 2-3, not all of which can do that now");
    CHECK(error_of_step([&](Round& round) {
              round.start(0);
              round.put_to_sleep(set("0"));
          }) == it + "puts to sleep processors 0, not all of which can do that now");
    CHECK(error_of_step([&](Round& round) {
              round.put_to_sleep(set("0"));
              round.wake(set("0"));
          }) == it + "wakes processors 0, not all of which can do that now");
    CHECK(error_of_step([&](Round& round) { round.put_to_sleep(set("0")); }, false) ==
          it + "puts to sleep processors 0, expected an algorithm that declares switches_processors()");
}

TEST_CASE("A session puts processors to sleep and wakes them with SET_RESOURCE_STATE", "[session]") {
    const QuietLog quiet;
    protocol::ReplyReader reader;
    Session session({"easy-sleeper", {{"idle-time", "30"}}}, protocol::make_codec("batsim4"));
    const auto say = [&](const std::string& now, const std::string& type, const std::string& data) {
        const std::string frame = R"({"now":)" + now + R"(,"events":[{"timestamp":)" + now + R"(,"type":")" + type +
                                  R"(","data":)" + data + "}]}";
        return text_of(reader.read(session.answer(frame)));
    };
    const std::string host = R"("properties":{"sleep_pstates":"13:14:15"}})";
    CHECK(say("0", "SIMULATION_BEGINS",
              R"({"config":{},"compute_resources":[{"id":0,"name":"a",)" + host + R"(,{"id":1,"name":"b",)" + host +
                  R"(],"workloads":{},"profiles":{}})") == "");
    const auto submitted = [](const std::string& id, int processors) {
        return R"({"job_id":"w0!)" + id + R"(","job":{"id":"w0!)" + id + R"(","subtime":0,"walltime":9,"res":)" +
               std::to_string(processors) + R"(,"profile":"p"}})";
    };
    CHECK(say("0", "JOB_SUBMITTED", submitted("0", 1)) == "start 0; call 30");
    CHECK(say("5", "JOB_COMPLETED",
              R"({"job_id":"w0!0","job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":"0"})") == "");
    CHECK(say("30", "REQUESTED_CALL", "{}") == "pstate 13 1; call 35");
    CHECK(say("31", "JOB_SUBMITTED", submitted("1", 2)) == "");
    CHECK(say("36.1", "RESOURCE_STATE_CHANGED", R"({"resources":"1","state":"13"})") == "pstate 0 1");
    CHECK(say("40", "RESOURCE_STATE_CHANGED", R"({"resources":"0","state":"7"})") == "");  // nobody requested it
    CHECK(say("187.62", "RESOURCE_STATE_CHANGED", R"({"resources":"1","state":"0"})") == "start 0-1");
}

TEST_CASE("On recorded messages, easy-sleeper puts the idle machine to sleep and wakes what the next job needs",
          "[session][recorded][outside]") {
    if (!have_test_data("batsim/captures/energy-idle-sleeper.jsonl")) {
        return;
    }
    const QuietLog quiet;
    protocol::ReplyReader reader;
    Session session({"easy-sleeper", {{"idle-time", "25"}}}, protocol::make_codec("batsim4"));
    std::string said;
    std::size_t messages = 0;
    // Batsim's messages up to the second job also fit the replies of easy-sleeper.
    for (const RecordedFrame& frame : read_recording(test_data("batsim/captures/energy-idle-sleeper.jsonl"))) {
        if (frame.from_batsim && ++messages <= 8) {
            const protocol::Message& reply = reader.read(session.answer(frame.text));
            said += brief(reply.now) + ": " + text_of(reply) + "\n";
        }
    }
    CHECK(said == "0: \n0: start 0-1; call 25\n5: \n30: pstate 13 0-127\n36.1: \n60: \n90: \n100: pstate 0 0-1\n");
}

TEST_CASE("An algorithm that puts processors to sleep is for Batsim 4 only", "[batsim5]") {
    Session session({"easy-sleeper", {}}, protocol::make_codec("batsim5"));
    CHECK_THROWS_WITH(
        session.answer(std::string(4, '\0')),
        "algorithm easy-sleeper needs changes of the state of processors, which Batsim 5 does not follow, expected a peer that does, as Batsim 4");
}

}  // namespace batfill::tests::sleeping_processors_test
