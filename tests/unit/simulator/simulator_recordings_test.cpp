#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/remote/messages.hpp"
#include "src/support/json.hpp"
#include "tests/support/frame_scheduler.hpp"
#include "tests/support/recorded_run.hpp"
#include "tests/support/simulator_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::simulator_recordings_test {

// Repeats runs of the real Batsim on platforms without latency, message by message.

namespace {

struct Recording {
    explicit Recording(const std::string& path) {
        for (const RecordedFrame& frame : read_recording(path)) {
            (frame.from_batsim ? messages : replies).push_back(frame.text);
        }
    }
    std::vector<std::string> messages;  // those that Batsim sent
    std::vector<std::string> replies;
};

bool same_json(const JsonValue& a, const JsonValue& b) {
    if (a.IsNumber() && b.IsNumber()) {
        return a.GetDouble() == b.GetDouble();
    }
    if (a.IsArray() && b.IsArray()) {
        return std::equal(a.Begin(), a.End(), b.Begin(), b.End(), same_json);
    }
    if (a.IsObject() && b.IsObject()) {
        return a.MemberCount() == b.MemberCount() &&
               std::all_of(a.MemberBegin(), a.MemberEnd(), [&](const auto& member) {
                   const auto other = b.FindMember(member.name);
                   return other != b.MemberEnd() && same_json(member.value, other->value);
               });
    }
    return a == b;
}

// Removes the workload's path, which depends on where the run was recorded.
std::string without_paths(std::string text) {
    const std::string mark = R"("workloads":{"w0":")";
    const std::size_t at = text.find(mark);
    if (at != std::string::npos) {
        const std::size_t from = at + mark.size();
        text.erase(from, text.find('"', from) - from);
    }
    return text;
}

// Repeats the recorded scheduler's replies, and compares the messages that it receives.
class RepeatingScheduler : public FrameScheduler {
 public:
    explicit RepeatingScheduler(const Recording& recording) : recording_(recording) {}

    std::size_t exchanged() const { return next_; }

 private:
    std::string_view answer(const std::string& frame) override {
        REQUIRE(next_ < recording_.messages.size());
        const std::string ours = without_paths(frame);
        const std::string recorded = without_paths(recording_.messages[next_]);
        if (ours != recorded) {
            INFO("message " << next_ << "\nrecorded " << recorded.substr(0, 2000) << "\nours     "
                            << ours.substr(0, 2000));
            JsonReader recorded_reader;
            JsonReader our_reader;
            REQUIRE(same_json(recorded_reader.parse(recorded), our_reader.parse(ours)));
        }
        return recording_.replies[next_++];
    }

    const Recording& recording_;
    std::size_t next_ = 0;
};

void repeat(const Recording& recording, Workload workload, const Platform& platform) {
    REQUIRE(recording.messages.size() > 20);
    REQUIRE(recording.messages.size() == recording.replies.size());
    Scenario scenario;
    scenario.platform = platform;
    scenario.workloads.push_back(std::move(workload));
    Simulator simulator(scenario);
    RepeatingScheduler scheduler(recording);
    simulator.run(scheduler);
    CHECK(scheduler.exchanged() == recording.messages.size());
    CHECK(simulator.ended().size() == scenario.workloads[0].jobs.size());
}

void repeat(const std::string& recording_name, const std::string& workload_name, const Platform& platform) {
    repeat(Recording(test_data("batsim/captures/" + recording_name)),
           read_workload(test_data("batsim/inputs/workloads/" + workload_name), "w0", true), platform);
}

}  // namespace

TEST_CASE("Recorded runs where processors sleep and wake come out message by message",
          "[simulator][recorded][outside]") {
    if (!have_test_data("batsim/captures/energy-sleeper.jsonl")) {
        return;
    }
    const Platform platform =
        read_platform(test_data("batsim/inputs/platforms/energy_platform_homogeneous_no_net_128.xml"));
    repeat("energy-sleeper.jsonl", "test_delays.json", platform);
    // This run was recorded with jobs that communicate, on a platform without a network: communication took no time.
    Recording recording(test_data("batsim/captures/energy-idle-sleeper.jsonl"));
    const std::string communication = R"("com":1250000000.000000)";
    const std::size_t at = recording.messages[0].find(communication);
    REQUIRE(at != std::string::npos);
    recording.messages[0].replace(at, communication.size(), R"("com":0)");
    repeat(
        recording,
        parse_workload(R"({"nb_res":128,"jobs":[{"id":"0","subtime":0,"walltime":1000,"res":2,"profile":"ptask_prof"},)"
                       R"({"id":"1","subtime":100,"walltime":1000,"res":2,"profile":"ptask_prof"}],"profiles":)"
                       R"({"ptask_prof":{"type":"parallel_homogeneous","cpu":500000000,"com":0}}})",
                       "/w.json", "w0", true),
        platform);
}

TEST_CASE("A recorded run with many events at one instant comes out message by message",
          "[simulator][recorded][outside]") {
    if (have_test_data("batsim/captures/same-instants-300-easy.jsonl")) {
        repeat("same-instants-300-easy.jsonl", "same-instants-300.json", machine(16));
    }
}

TEST_CASE("A recorded run of 2,000 jobs comes out message by message", "[simulator][recorded][outside]") {
    if (have_test_data("batsim/captures/w2k-easy_bf.jsonl.gz")) {
        repeat("w2k-easy_bf.jsonl.gz", "w2k-0.90.json.gz",
               read_platform(test_data("batsim/inputs/platforms/p240.xml")));
    }
}

TEST_CASE("Messages carry every field that Batsim's carry", "[simulator]") {
    const std::string events = R"({"type":"power_cap","timestamp":2,"watts":[100,2.5]})"
                               "\n"
                               R"({"type":"machine_unavailable","timestamp":2,"resources":"2,1"})";
    Scenario scenario =
        scenario_of(machine(4),
                    {parse_workload(R"({"nb_res":4,"profiles":{"unused":{"type":"delay","delay":3},)"
                                    R"("p":{"type":"delay","delay":8,"x":{"y":1}},)"
                                    R"("q":{"type":"parallel_homogeneous","cpu":8e9,"com":0}},"jobs":[)"
                                    R"({"id":7,"subtime":0,"res":2,"walltime":20,"profile":"p","user":"u","z":[1.5]},)"
                                    R"({"id":"8","subtime":0,"res":1,"profile":"q"}]})",
                                    "/w.json", "w0", true)},
                    events);
    scenario.scheduler_configuration = "a \"b\"";
    scenario.platform.hosts[1].speed = 0.5e9;

    std::string beginning;
    Simulator simulator(scenario);
    write_beginning(simulator, beginning);
    CHECK_THAT(beginning, Catch::Contains(R"("profiles":{"w0":{"p":{"type":"delay","delay":8,"x":{"y":1}},"q":{)"));
    CHECK_THAT(beginning, Catch::Contains(R"("sched-config":"a \"b\"")"));
    CHECK_THAT(beginning, Catch::Contains(R"("workloads":{"w0":"/w.json"})"));
    CHECK_THAT(beginning, Catch::Contains(R"("forward-unknown-events":true)"));
    CHECK_THAT(beginning, Catch::Contains(R"({"id":3,"name":"node0003","state":"idle","properties":{"role":""},)"
                                          R"("zone_properties":{}})"));

    class Writer : public SimulatedScheduler {
     public:
        void begin(const Simulator& simulated, SchedulerReply&) override { simulator = &simulated; }
        void message(Time now, std::span<Event> happened, SchedulerReply& reply) override {
            write_message(*simulator, now, happened, frames.emplace_back());
            if (frames.size() == 1) {
                reply.decisions = {start(0, "0-1"), start(1, "3"), call("4")};
            } else if (frames.size() == 5) {
                reply.decisions = {kill({0, 1})};
            }
        }
        void end(Time) override {}
        const Simulator* simulator = nullptr;
        std::vector<std::string> frames;
    };
    Writer writer;
    simulator.run(writer);
    REQUIRE(writer.frames.size() == 6);
    CHECK(writer.frames[0] ==
          R"({"now":0.000000,"events":[{"timestamp":0.000000,"type":"JOB_SUBMITTED","data":{"job_id":"w0!7","job":)"
          R"({"id":"w0!7","subtime":0,"res":2,"walltime":20,"profile":"p","user":"u","z":[1.500000]}}},)"
          R"({"timestamp":0.000000,"type":"JOB_SUBMITTED","data":{"job_id":"w0!8","job":)"
          R"({"id":"w0!8","subtime":0,"res":1,"profile":"q"}}}]})");
    CHECK(writer.frames[1] == R"({"now":0.000000,"events":[{"timestamp":0.000000,"type":"NOTIFY","data":{"type":)"
                              R"("no_more_static_job_to_submit"}}]})");
    CHECK(writer.frames[2] ==
          R"({"now":2.000000,"events":[{"timestamp":2.000000,"type":"NOTIFY","data":{"type":)"
          R"("event_machine_unavailable","resources":"1-2"}},{"timestamp":2.000000,"type":"NOTIFY","data":{"type":)"
          R"("power_cap","timestamp":2,"watts":[100,2.500000]}}]})");
    CHECK(writer.frames[4] ==
          R"({"now":4.000000,"events":[{"timestamp":4.000000,"type":"REQUESTED_CALL","data":{}}]})");
    CHECK(writer.frames[5] ==
          R"({"now":4.000000,"events":[{"timestamp":4.000000,"type":"JOB_COMPLETED","data":{"job_id":"w0!7",)"
          R"("job_state":"COMPLETED_KILLED","return_code":-1,"alloc":"0-1"}},{"timestamp":4.000000,"type":)"
          R"("JOB_COMPLETED","data":{"job_id":"w0!8","job_state":"COMPLETED_KILLED","return_code":-2,"alloc":"3"}},)"
          R"({"timestamp":4.000000,"type":"JOB_KILLED","data":{"job_ids":["w0!7","w0!8"],"job_progress":{"w0!7":)"
          R"({"profile_name":"p","progress":0.500000},"w0!8":{"profile_name":"q","progress":0.500000}}}}]})");
}

TEST_CASE("Replies name known jobs and events that the simulator can follow", "[simulator]") {
    const Scenario scenario = scenario_of(machine(2), {workload_of(job("a", "0", 1, "9", "1"))});
    const Simulator simulator(scenario);
    protocol::ReplyReader reader;
    number_jobs(simulator, reader.ids());
    const auto take = [&](const std::string& event) {
        SchedulerReply reply;
        const auto refusal = take_reply(simulator, reader.read(R"({"now":5,"events":[{"timestamp":4,)" + event + "}]}"),
                                        reader.ids(), reply);
        REQUIRE_FALSE(refusal.has_value());
        CHECK(reply.now == at("5"));
        REQUIRE(reply.decisions.size() == 1);
        CHECK(reply.decisions[0].timestamp == at("4"));
        return reply.decisions[0].decision;
    };
    const auto start = std::get<StartJob>(take(R"("type":"EXECUTE_JOB","data":{"job_id":"w0!a","alloc":"1"})"));
    CHECK(start.job == JobNumber{0});
    CHECK(start.allocation.to_string() == "1");
    CHECK(std::get<RejectJob>(take(R"("type":"REJECT_JOB","data":{"job_id":"w0!a"})")).job == JobNumber{0});
    CHECK(std::get<KillJobs>(take(R"("type":"KILL_JOB","data":{"job_ids":["w0!a"]})")).jobs == numbers({0}));
    CHECK(std::get<CallMeLater>(take(R"("type":"CALL_ME_LATER","data":{"timestamp":6.5})")).time == at("6.5"));
    CHECK(std::get<SetJobMetadata>(take(R"("type":"SET_JOB_METADATA","data":{"job_id":"w0!a","metadata":"m"})"))
              .metadata == "m");
    const auto sets =
        std::get<SetResourceState>(take(R"("type":"SET_RESOURCE_STATE","data":{"resources":"0-2","state":"13"})"));
    CHECK(sets.processors == ResourceSet::range(0, 2));
    CHECK(sets.pstate == 13);
    CHECK(std::get<Notification>(take(R"("type":"NOTIFY","data":{"type":"registration_finished"})")).type ==
          NotificationType::registration_finished);
    CHECK(std::get<Notification>(take(R"("type":"NOTIFY","data":{"type":"continue_registration"})")).type ==
          NotificationType::continue_registration);
    const auto registers = std::get<RegisterJob>(
        take(R"("type":"REGISTER_JOB","data":{"job_id":"w0!a#1","job":{"id":"a#1","subtime":4,"res":1,)"
             R"("walltime":9,"profile":"d1","of_the_user":[1]}})"));
    CHECK(registers.job == JobNumber{1});
    CHECK(registers.description.id == "w0!a#1");
    CHECK(registers.description.walltime == Duration::seconds(9));
    CHECK(registers.source == R"({"id":"w0!a#1","subtime":4,"res":1,"walltime":9,"profile":"d1","of_the_user":[1]})");
    const auto profile =
        std::get<RegisterProfile>(take(R"("type":"REGISTER_PROFILE","data":{"workload_name":"own","profile_name":"p",)"
                                       R"("profile":{"type":"delay","delay":1}})"));
    CHECK(profile.workload == "own");
    CHECK(profile.name == "p");
    CHECK(profile.source == R"({"type":"delay","delay":1})");
    CHECK_THROWS_WITH(take(R"("type":"REGISTER_JOB","data":{"job_id":"w0!a","job":{"id":"a","subtime":4,"res":1,)"
                           R"("profile":"d1"}})"),
                      Catch::Contains("w0!a") && Catch::Contains("there already"));
    CHECK_THROWS_WITH(take(R"("type":"EXECUTE_JOB","data":{"job_id":"w0!b","alloc":"1"})"),
                      Catch::Contains("unknown job") && Catch::Contains("w0!b"));
    for (const char* const event : {R"("type":"QUERY","data":{"requests":{"consumed_energy":{}}})",
                                    R"("type":"ANSWER","data":{"estimate_waiting_time":1})",
                                    R"("type":"CHANGE_JOB_STATE","data":{"job_id":"w0!a","job_state":"REJECTED"})",
                                    R"("type":"TO_JOB_MSG","data":{"job_id":"w0!a","msg":"go"})"}) {
        INFO(event);
        CHECK_THROWS_WITH(take(event), Catch::Contains("cannot follow, expected EXECUTE_JOB"));
    }
}

}  // namespace batfill::tests::simulator_recordings_test
