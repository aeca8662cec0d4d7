#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "src/remote/messages.hpp"
#include "src/simulator/double_clock.hpp"
#include "src/simulator/embedded_scheduler.hpp"
#include "tests/support/batsim5_recordings.hpp"
#include "tests/support/batsim5_replies.hpp"
#include "tests/support/process.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::batsim5_simulator_test {

// The simulator with the rules of Batsim 5: cases by hand for each rule, and recorded runs.

namespace {

Scenario like_batsim5(std::vector<Workload> workloads, int processors = 4) {
    Scenario scenario = scenario_of(machine(processors), std::move(workloads));
    scenario.rules = simulator_rules("batsim5");
    return scenario;
}

// An event as far as both Batsim and the simulator have a word for it, of a frame of either. Their numbers and words
// for it differ.
std::string brief_event(Fields& event, bool batsim5) {
    const std::string type(event.text(batsim5 ? "event_type" : "type"));
    Fields data(event.object(batsim5 ? "event" : "data"), "");
    const auto id = [&] { return std::string(data.text("job_id")); };
    if (type == "JOB_SUBMITTED" || type == "JobSubmittedEvent") {
        return "submitted " + id();
    }
    if (type == "JOB_COMPLETED" || type == "JobCompletedEvent") {
        const auto code = static_cast<std::int32_t>(data.any("return_code").GetInt64());  // without its sign
        return id() + ' ' + std::string(data.text(batsim5 ? "state" : "job_state")) + ' ' + std::to_string(code);
    }
    if (type == "JOB_KILLED" || type == "JobsKilledEvent") {
        return "killed " + protocol::json_text(data.array("job_ids"));
    }
    if (type == "REQUESTED_CALL" || type == "RequestedCallEvent") {
        return "call";
    }
    if (type == "SIMULATION_ENDS" || type == "SimulationEndsEvent") {
        return "end";
    }
    if (type == "NOTIFY") {
        return std::string(data.text("type"));
    }
    if (type == "AllStaticJobsHaveBeenSubmittedEvent") {
        return "no_more_static_job_to_submit";
    }
    return type == "AllStaticExternalEventsHaveBeenInjectedEvent" ? "no_more_external_event_to_occur" : type;
}

std::string brief(std::string_view frame, bool batsim5) {
    JsonReader reader;
    Fields message(reader.parse(frame.substr(0, frame.find_last_not_of('\0') + 1)), "");
    std::string text = message.time("now").to_string() + ':';
    for (const JsonValue& value : message.array("events").GetArray()) {
        Fields event(value, "");
        text += "\n  " + event.time("timestamp").to_string() + ' ' + brief_event(event, batsim5);
    }
    return text;
}

// Repeats the recorded scheduler's replies, and compares the messages that it receives.
class RecordedScheduler : public SimulatedScheduler {
 public:
    explicit RecordedScheduler(const std::string& name)
        : messages_(read_batsim5_recording(test_data("batsim5/recordings/" + name + ".jsonl"))) {
        REQUIRE(messages_.size() > 3);
    }

    void begin(const Simulator& simulator, SchedulerReply& reply) override {
        simulator_ = &simulator;
        number_jobs(simulator, reader_.ids());
        CHECK_FALSE(messages_[next_++].from_batsim);  // the scheduler's answer to the user's text
        const protocol::Message& begins = codec_->decode(messages_[next_++].text);
        const auto& resources = std::get<protocol::SimulationBegins>(begins.events.front().data).hosts;
        const std::vector<Host>& hosts = simulator.scenario().platform.hosts;
        REQUIRE(resources.size() == hosts.size());
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            CHECK(resources[i].first == static_cast<int>(i));
            CHECK(resources[i].second.name == hosts[i].name);
        }
        answer(reply);
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        write_message(*simulator_, now, events, frame_);
        compare();
        answer(reply);
    }
    void end(Time now) override {
        protocol::write_end(now, frame_);
        compare();
    }
    bool all_said() const { return next_ + 1 == messages_.size(); }

 private:
    void compare() {
        INFO("message " << next_);
        REQUIRE(next_ < messages_.size());
        REQUIRE(brief(frame_, false) == brief(messages_[next_++].text, true));
    }
    void answer(SchedulerReply& reply) {
        REQUIRE(next_ < messages_.size());
        const auto refusal = take_reply(*simulator_, reader_.read(messages_[next_++].text), reader_.ids(), reply);
        REQUIRE_FALSE(refusal.has_value());
    }

    std::vector<RecordedMessage> messages_;
    std::unique_ptr<protocol::Codec> codec_ = protocol::make_codec("batsim5");
    Batsim5ReplyReader reader_;
    const Simulator* simulator_ = nullptr;
    std::string frame_;
    std::size_t next_ = 0;
};

struct Files {
    std::string jobs;
    std::string schedule;
};

Files written_files(const Outcome& outcome) {
    const Folder folder;
    const std::string prefix = folder.file("out-");
    write_files(outcome, prefix);
    return {contents(prefix + "jobs.csv"), contents(prefix + "schedule.json")};
}

// Removes the version, if the text has it.
std::string without_version(std::string text) {
    const std::size_t at = text.find("  \"batsim_version\"");
    return at == std::string::npos ? text : text.erase(at, text.find('\n', at) + 1 - at);
}

}  // namespace

TEST_CASE("Recorded runs of Batsim 5 come out message by message, and their files to the byte",
          "[simulator][batsim5][recorded][outside]") {
    if (!have_batsim5_recordings()) {
        return;
    }
    const auto [recording, workload, has_files] = GENERATE(table<std::string, std::string, bool>({
        {"calls_ms", "rejected", true},
        {"calls_oneshot", "rejected", true},
        {"delays_easy", "delays", true},
        {"delays_fcfs", "delays", true},
        {"kill_killer", "delays", true},
        {"process_forward_profiles", "long", true},
        {"process_late_replies", "delays", false},
        {"process_mode_json", "delays", false},
        {"rejected_all", "rejected", true},
        {"rejected_fcfs", "rejected", true},
        {"same_instant_fcfs", "same_instant", true},
        {"walltime_fcfs", "walltime", true},
        {"no_workload", "", false},
    }));
    INFO(recording);
    Scenario scenario;
    scenario.rules = simulator_rules("batsim5");
    scenario.platform = read_platform(test_data("batsim5/in/nolat4.xml"));
    number_hosts(scenario.platform, scenario.rules);
    if (!workload.empty()) {
        scenario.workloads.push_back(read_workload(test_data("batsim5/in/" + workload + ".json"), "w0", true));
    }
    RecordedScheduler scheduler(recording);
    const Outcome outcome = run(scenario, scheduler);
    CHECK(scheduler.all_said());
    if (has_files) {
        const Files files = written_files(outcome);
        CHECK(files.jobs == contents(test_data("batsim5/out/" + recording + "_jobs.csv")));
        CHECK(without_version(files.schedule) ==
              without_version(contents(test_data("batsim5/out/" + recording + "_schedule.json"))));
    }
}

TEST_CASE("A delay equal to the walltime reaches it, in Batsim 5 as in 4", "[simulator][batsim5]") {
    Scenario scenario = like_batsim5({workload_of(jobs_in("1: a 1x10 runs 10, b 1x10.000001 runs 10"))});
    const std::vector<std::string> told{"1: submitted w0!a, submitted w0!b", "1: no_more_static_job_to_submit",
                                        "11: stopped w0!a, completed w0!b"};
    const Script script{{1, {{start(0, "0"), start(1, "1")}, ""}}};
    CHECK(play(scenario, script).frames == told);
    scenario.rules = simulator_rules("batsim4");
    CHECK(play(scenario, script).frames == told);
}

TEST_CASE("Batsim 5 numbers hosts by the numbers in their names", "[simulator][batsim5]") {
    Platform platform;
    for (const char* name : {"n1", "n10", "n2", "n02", "a3b2", "a3b12", "a03b12", "n", "n2x",
                             "n99999999999999999999999", "n100000000000000000000000"}) {
        platform.hosts.push_back({name, 1e9, {}, {}});
    }
    const auto names = [&] {
        std::string text;
        for (const Host& host : platform.hosts) {
            text += (text.empty() ? "" : " ") + host.name;
        }
        return text;
    };
    const std::string before = names();
    number_hosts(platform, simulator_rules("batsim4"));
    CHECK(names() == before);
    number_hosts(platform, simulator_rules("batsim5"));
    CHECK(names() == "a3b2 a03b12 a3b12 n n1 n02 n2 n2x n10 n99999999999999999999999 n100000000000000000000000");
    platform =
        parse_platform(R"(<platform version="4.1"><zone id="z" routing="None"><host id="master_host" speed="1Gf"/>)"
                       R"(<host id="n9" speed="1Gf"/><host id="n10" speed="1Gf"/><host id="n2" speed="1Gf"/>)"
                       R"(<host id="n1" speed="1Gf"/></zone></platform>)",
                       "/p.xml");
    number_hosts(platform, simulator_rules("batsim4"));
    CHECK(names() == "n1 n10 n2 n9");
    number_hosts(platform, simulator_rules("batsim5"));
    CHECK(names() == "n1 n2 n9 n10");
}

TEST_CASE("Calls come at whole milliseconds, and at once if their time has come", "[simulator][batsim5]") {
    Scenario scenario = like_batsim5({workload_of(job("a", "1", 1, "20", "3"))});
    const Script script{{1, {{start(0, "0"), call("0.5"), call("1"), call("1.0000001"), call("1.999001")}, ""}}};
    CHECK(play(scenario, script).frames == std::vector<std::string>{"1: submitted w0!a",
                                                                    "1: no_more_static_job_to_submit, call, call, call",
                                                                    "2: call", "4: completed w0!a"});
    scenario.rules = simulator_rules("batsim4");
    CHECK_THAT(play(scenario, script).error, Catch::Contains("which is not in the future"));
    const Script future{{1, {{start(0, "0"), call("1.999001")}, ""}}};
    CHECK(play(scenario, future).frames == std::vector<std::string>{"1: submitted w0!a",
                                                                    "1: no_more_static_job_to_submit", "1.999001: call",
                                                                    "4: completed w0!a"});
}

TEST_CASE("A call that comes at once comes after what the reply decides next", "[simulator][batsim5]") {
    Scenario scenario = like_batsim5({workload_of(job("a", "1", 1, "20", "3"))});
    scenario.enable_dynamic_jobs = true;
    scenario.acknowledge_dynamic_jobs = true;
    scenario.enable_profile_reuse = true;
    const Script script{
        {1, {{call("1"), registers(1, "w0!b", 1, "d3"), start(0, "0"), start(1, "1"), finished()}, ""}}};
    CHECK(play(scenario, script).frames ==
          std::vector<std::string>{"1: submitted w0!a", "1: no_more_static_job_to_submit, submitted w0!b, call",
                                   "4: completed w0!a, completed w0!b"});
}

TEST_CASE("Jobs of time 0 come before a call that the first reply asks for", "[simulator][batsim5]") {
    const Scenario scenario = like_batsim5({workload_of(job("a", "0", 1, "20", "3"))});
    const Script script{{0, {{call("0")}, ""}}, {1, {{start(0, "0")}, ""}}};
    CHECK(play(scenario, script).frames ==
          std::vector<std::string>{"0: submitted w0!a, no_more_static_job_to_submit, call", "3: completed w0!a"});
}

TEST_CASE("Batsim 5 counts the makespan from time 0, or from a submission before that", "[simulator][batsim5]") {
    const auto makespan_of = [](const std::string& submit) {
        const Scenario scenario = like_batsim5({workload_of(job("a", submit, 1, "20", "3"))});
        const Played played = play(scenario, {{1, {{start(0, "0")}, ""}}});
        REQUIRE(played.error.empty());
        const std::string schedule = written_files(*played.outcome).schedule;
        const std::string name = "\"makespan\": ";
        const std::size_t at = schedule.find(name) + name.size();
        return schedule.substr(at, schedule.find(',', at) - at);
    };
    CHECK(makespan_of("5") == "8.000000");
    CHECK(makespan_of("0") == "3.000000");
    CHECK(makespan_of("-2") == "5.000000");
}

TEST_CASE("To Batsim 5 a machine that is unavailable is still idle or computing", "[simulator][batsim5][events]") {
    Scenario scenario = scenario_of(machine_that_sleeps(5),
                                    {workload_of(jobs_in("1: a 1x99 runs 5; 2: b 1x99 runs 10; 20: c 3x99 runs 1"))},
                                    lost("3", "0-3") + back("9", "0-3"));
    scenario.rules = simulator_rules("batsim5");
    const Script script{{1, {{start(0, "0")}, ""}},
                        {2, {{start(1, "1"), sets_pstate("3", 1)}, ""}},
                        {6, {{sets_pstate("3", 0)}, ""}},
                        {10, {{start(2, "0-2")}, ""}}};
    const Played played = play(scenario, script);
    CHECK(played.frames ==
          std::vector<std::string>{"1: submitted w0!a", "2: submitted w0!b", "3: event_machine_unavailable 0-3",
                                   "4: pstate 1 3", "6: completed w0!a", "9: event_machine_available 0-3",
                                   "9: no_more_external_event_to_occur", "12: completed w0!b", "14: pstate 0 3",
                                   "20: submitted w0!c", "20: no_more_static_job_to_submit", "21: completed w0!c"});
    const MachineTimes& times = played.simulation().machine_times();
    // 0: idle until 1, then computing until the start at 20. 1: idle until 2, then computing until 20. 2: idle until
    // 20. 3: idle until 2, falls asleep until 4, sleeps until 9, wakes until 14. 4 never changes.
    CHECK(times.idle == Duration::seconds(1 + 2 + 20 + 2));
    CHECK(times.computing == Duration::seconds(19 + 18));
    CHECK(times.unavailable == Duration());
    CHECK(times.falling_asleep == Duration::seconds(2));
    CHECK(times.sleeping == Duration::seconds(5));
    CHECK(times.waking == Duration::seconds(5));
}

TEST_CASE("Jobs of one instant come one by one where the clock of doubles is behind it", "[simulator][batsim5]") {
    // Three times 0.2 and the rest of 0.8 add up to 70000.79999999999.
    std::string jobs;
    for (const char* id : {"x", "y", "z"}) {
        jobs += job(id, "70000", 1, "20", "0.2") + ",";
    }
    jobs += jobs_in("70000.8: b 1x20 runs 1, c 1x20 runs 1, d 1x20 runs 1");
    Script script{{1, {{start(0, "0")}, ""}}, {2, {{start(1, "0")}, ""}}, {3, {{start(2, "0")}, ""}}};
    std::vector<std::string> told{"70000: submitted w0!x, submitted w0!y, submitted w0!z", "70000.2: completed w0!x",
                                  "70000.4: completed w0!y", "70000.6: completed w0!z", "70000.8: submitted w0!b"};
    SECTION("behind short replies") {
        script[5] = {{start(3, "0")}, ""};
        script[8] = {{start(4, "1"), start(5, "2")}, ""};
        told.insert(told.end(),
                    {"70000.8: submitted w0!c", "70000.8: submitted w0!d", "70000.8: no_more_static_job_to_submit",
                     "70001.8: completed w0!b, completed w0!c, completed w0!d"});
    }
    SECTION("several at once behind a long reply") {
        jobs += "," + job("e", "70000.8", 1, "20", "1");
        script[5] = {{start(3, "0"), call("70009"), call("70009")}, ""};
        script[6] = {{start(4, "1"), start(5, "2"), start(6, "3")}, ""};
        told.insert(told.end(),
                    {"70000.8: submitted w0!c, submitted w0!d, submitted w0!e, no_more_static_job_to_submit",
                     "70001.8: completed w0!b, completed w0!c, completed w0!d, completed w0!e", "70009: call, call"});
    }
    const Scenario scenario = like_batsim5({workload_of(jobs)});
    CHECK(play(scenario, script).frames == told);
}

TEST_CASE("A reply in JSON moves the clock of doubles up to twelve decimals", "[simulator][batsim5]") {
    // 0.2 and the rest of 0.9, which is 0.7, add up to 0.8999999999999999. JSON shows it as 0.9.
    const std::string jobs = jobs_in("0.2: a 1x20 runs 0.7; 0.9: b 1x20 runs 1, c 1x20 runs 1, d 1x20 runs 1");
    Scenario scenario = like_batsim5({workload_of(jobs)});
    const Script script{{1, {{start(0, "0")}, ""}}, {3, {{start(1, "0"), start(2, "1"), start(3, "2")}, ""}}};
    CHECK(play(scenario, script).frames ==
          std::vector<std::string>{"0.2: submitted w0!a", "0.9: submitted w0!b, completed w0!a",
                                   "0.9: submitted w0!c, submitted w0!d, no_more_static_job_to_submit",
                                   "1.9: completed w0!b, completed w0!c, completed w0!d"});
    scenario.rules = simulator_rules("batsim4");
    const Script together{{1, {{start(0, "0")}, ""}}, {2, {{start(1, "0"), start(2, "1"), start(3, "2")}, ""}}};
    CHECK(play(scenario, together).frames ==
          std::vector<std::string>{
              "0.2: submitted w0!a",
              "0.9: submitted w0!b, submitted w0!c, submitted w0!d, completed w0!a, no_more_static_job_to_submit",
              "1.9: completed w0!b, completed w0!c, completed w0!d"});
}

TEST_CASE("A library that speaks JSON is called as often as Batsim 5 called it",
          "[simulator][batsim5][recorded][outside]") {
    if (!have_test_data("batsim/found/split-repro.json")) {
        return;
    }
    Scenario scenario = like_batsim5({read_workload(test_data("batsim/found/split-repro.json"), "w0")}, 100);
    CHECK(run(scenario, {"fcfs", {}}).simulation().results().messages + 1 == 34);  // with the one at the end
}

TEST_CASE("The clock of doubles adds the shortest sleep and takes it off the others", "[simulator][batsim5]") {
    DoubleClock clock;
    clock.sleep_until(1, 0.2);
    clock.sleep(2, 0.2 + 5e-10);
    clock.sleep(3, 0.9);
    clock.wake({1});
    CHECK(clock.now() == 0.2);
    clock.wake({2});  // the rest of its sleep is below a nanosecond
    CHECK(clock.now() == 0.2);
    clock.sleep_until(4, 0.9);
    clock.sleep_until(5, 0.1);
    clock.wake({5});
    CHECK(clock.now() == 0.2);
    clock.forget(3);
    clock.wake({3, 77});
    CHECK(clock.now() == 0.2);
    clock.wake({4});
    CHECK(clock.now() == 0.2 + (0.9 - 0.2));
    CHECK(clock.now() < 0.9);
    clock.sleep(6, 1e-10);
    clock.sleep(7, 0.5);
    CHECK(clock.go_on_to(0.9));
    CHECK(clock.now() == 0.9);
    CHECK_FALSE(clock.go_on_to(0.3));
    CHECK(clock.now() == 0.9);
    clock.wake({6});  // its sleep was over by then
    CHECK(clock.now() == 0.9);
    clock.wake({7});
    CHECK(clock.now() == 0.9 + (0.5 - (0.9 - (0.2 + (0.9 - 0.2)))));
}

}  // namespace batfill::tests::batsim5_simulator_test
