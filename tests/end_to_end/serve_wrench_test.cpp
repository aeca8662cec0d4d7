#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/end_to_end/daemon.hpp"

// A peer that connects anew for each message, as WRENCH does.

using namespace batfill::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string wrench_beginning =
    R"({"events":[{"data":{"allow_time_sharing":false,"config":{"redis-enabled":false},"nb_resources":2,)"
    R"("resources_data":[{"core":10,"id":"0","name":"Host1","state":"idle"},)"
    R"({"core":10,"id":"1","name":"Host2","state":"idle"}]},"timestamp":0.0,"type":"SIMULATION_BEGINS"}],"now":0.0})";
const std::string wrench_submission =
    R"({"events":[{"data":{"job":{"core":4,"id":"2","res":2,"walltime":301.0},"job_id":"2"},"timestamp":0.0,)"
    R"("type":"JOB_SUBMITTED"}],"now":0.0})";
const std::string wrench_ending = R"({"events":[{"data":null,"timestamp":1.5,"type":"SIMULATION_ENDS"}],"now":1.5})";

std::string ask_once(const std::string& endpoint, const std::string& frame) {
    return Peer(endpoint).ask(frame);
}

}  // namespace

TEST_CASE("batsched: connections for each message, and silence between them", "[daemon]") {
    const Folder folder;
    const std::string endpoint = ipc_endpoint(folder);
    Process scheduler(folder, {"batsched", "-v", "conservative_bf", "-o", "fcfs", "-s", endpoint, "--rjms_delay", "5",
                               "--verbosity=silent"});
    CHECK(ask_once(endpoint, wrench_beginning) == R"({"now":0.0,"events":[]})");
    // Longer than a daemon waits for a Batsim whose connection is lost.
    std::this_thread::sleep_for(std::chrono::seconds(6));
    CHECK(ask_once(endpoint, wrench_submission) ==
          R"({"now":0.0,"events":[{"timestamp":0.0,"type":"EXECUTE_JOB","data":{"job_id":"2","alloc":"0-1"}}]})");
    CHECK_THAT(ask_once(endpoint, wrench_beginning), Contains("in the middle of another simulation"));
    CHECK(ask_once(endpoint, wrench_ending) == R"({"now":1.5,"events":[]})");
    CHECK(scheduler.wait() == 0);
    CHECK(scheduler.errors().empty());
}

TEST_CASE("batsched: what it cannot answer is on the error stream, also of a silent one", "[daemon]") {
    const Folder folder;
    const std::string endpoint = ipc_endpoint(folder);
    Process scheduler(folder, {"batsched", "-v", "easy_bf", "-s", endpoint, "--verbosity=silent"});
    ask_once(endpoint, wrench_beginning);
    CHECK_THAT(ask_once(endpoint, R"({"events":[{"data":{"job_id":"7","job_state":"COMPLETED_KILLED"},)"
                                  R"("timestamp":1.0,"type":"JOB_COMPLETED"}],"now":1.0})"),
               Contains("SCHEDULER_ERROR") && StartsWith(R"({"now":1.0,)"));  // for an earlier time, WRENCH would sleep
    CHECK(scheduler.wait() == 1);
    CHECK_THAT(scheduler.errors(), Contains("JOB_COMPLETED of the unknown job \"7\""));
}

TEST_CASE("batsched: one line of the log at most for each message", "[daemon]") {
    const Folder folder;
    const std::string endpoint = ipc_endpoint(folder);
    Process scheduler(folder, {"batsched", "-v", "conservative_bf", "-s", endpoint});
    scheduler.wait_for_error_text("listening on ");
    ask_once(endpoint, wrench_beginning);
    ask_once(endpoint, wrench_submission);
    const auto too_wide = [](const std::string& id) {
        return R"({"data":{"job":{"core":4,"id":")" + id + R"(","res":3,"walltime":301.0},"job_id":")" + id +
               R"("},"timestamp":1.0,"type":"JOB_SUBMITTED"})";
    };
    ask_once(endpoint, R"({"events":[)" + too_wide("3") + "," + too_wide("4") + R"(],"now":1.0})");
    ask_once(endpoint, wrench_ending);
    CHECK(scheduler.wait() == 0);
    const std::vector<std::string> lines = lines_of(scheduler.errors());
    REQUIRE(lines.size() == 4);
    CHECK(lines[1] == "batfill: info: simulation begins: 2 processors, algorithm conservative");
    CHECK(lines[2] ==
          "batfill: info: at 1.000000: job 3 rejected: it asks for 3 hosts, the machine has 2; at 1.000000: job 4 "
          "rejected: it asks for 3 hosts, the machine has 2");
    CHECK_THAT(lines[3], Contains("3 jobs (2 rejected), 4 messages; ") && Contains("; statistics: compressions 0, "));
}

TEST_CASE("serve: WRENCH with an algorithm of a plugin", "[daemon]") {
    const Folder folder;
    const std::string plugin = std::string(BATFILL_PLUGINS) + "/first_fit.so";
    Daemon daemon(folder, {"--protocol", "wrench", "--plugin", plugin, "-a", "example-first-fit", "-P",
                           "walltime-margin=5", "-s", ipc_endpoint(folder)});
    CHECK_THAT(ask_once(daemon.endpoint(), beginning),
               Contains("this scheduler serves WRENCH only, found a message of Batsim 4"));
    CHECK(ask_once(daemon.endpoint(), wrench_beginning) == R"({"now":0.0,"events":[]})");
    CHECK_THAT(ask_once(daemon.endpoint(), wrench_submission), Contains(R"("job_id":"2","alloc":"0-1")"));
    CHECK(ask_once(daemon.endpoint(), wrench_ending) == R"({"now":1.5,"events":[]})");
    CHECK(daemon.wait() == 0);
}

TEST_CASE("serve refuses WRENCH, which starts its scheduler itself", "[daemon]") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "easy", "-s", ipc_endpoint(folder)});
    CHECK_THAT(ask_once(daemon.endpoint(), wrench_beginning), Contains("expected batfill batsched"));
    Peer(daemon.endpoint()).play_simulation();
}
