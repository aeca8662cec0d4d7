#include <chrono>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/end_to_end/daemon.hpp"

// A peer that connects anew for each message, as WRENCH does.

using namespace batfill::tests;
using Catch::Matchers::Contains;

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
               Contains("SCHEDULER_ERROR"));
    CHECK(scheduler.wait() == 1);
    CHECK_THAT(scheduler.errors(), Contains("JOB_COMPLETED of the unknown job \"7\""));
}

TEST_CASE("serve refuses WRENCH, which starts its scheduler itself", "[daemon]") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "easy", "-s", ipc_endpoint(folder)});
    CHECK_THAT(ask_once(daemon.endpoint(), wrench_beginning), Contains("expected batfill batsched"));
    Peer(daemon.endpoint()).play_simulation();
}
