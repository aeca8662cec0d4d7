#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/end_to_end/daemon.hpp"
#include "tests/support/skip.hpp"

namespace batfill::tests::serve_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// The local addresses in /proc/net/tcp and tcp6 that listen on this port.
std::vector<std::string> listening_addresses(unsigned port) {
    std::vector<std::string> addresses;
    for (const std::string path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream table(path);
        std::string line;
        std::getline(table, line);
        while (std::getline(table, line)) {
            std::istringstream columns(line);
            std::string number, local, remote, state;
            columns >> number >> local >> remote >> state;
            const std::size_t colon = local.find(':');
            if (state == "0A" && std::stoul(local.substr(colon + 1), nullptr, 16) == port) {
                addresses.push_back(local.substr(0, colon));
            }
        }
    }
    return addresses;
}

}  // namespace

TEST_CASE("The daemon serves a simulation, sums it up and ends with status 0") {
    const Folder folder;
    for (const std::string& endpoint : {any_port, ipc_endpoint(folder)}) {
        Daemon daemon(folder, {"-a", "easy", "-s", endpoint});
        Peer(daemon.endpoint()).play_simulation();
        CHECK(daemon.wait() == 0);
        CHECK(daemon.output().empty());
        const std::vector<std::string> log = lines_of(daemon.errors());
        REQUIRE(log.size() == 4);
        CHECK(log[1] == "batfill: info: simulation begins: 2 processors, algorithm easy");
        CHECK(log[2] == "batfill: info: at 1.000000: job w0!2 rejected: it asks for 3 processors, the machine has 2");
        CHECK_THAT(log[3],
                   StartsWith("batfill: info: 2 jobs (1 rejected), 4 messages; microseconds per message: median "));
    }
}

TEST_CASE("The daemon logs what an algorithm has counted") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "dbf", "-s", any_port});
    Peer batsim(daemon.endpoint());
    for (const std::string& message : {beginning, submission, completion, ending}) {
        batsim.ask(message);
    }
    CHECK(daemon.wait() == 0);
    const std::vector<std::string> log = lines_of(daemon.errors());
    REQUIRE(log.size() == 5);
    CHECK_THAT(log[4], StartsWith("batfill: info: statistics: regular_jobs 1, tentative_jobs 0, "));
}

TEST_CASE("The daemon understands localhost, and listens on the loopback address only") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", "tcp://localhost:*"});
    REQUIRE_THAT(daemon.endpoint(), StartsWith("tcp://127.0.0.1:"));
    const std::string port = daemon.endpoint().substr(std::string("tcp://127.0.0.1:").size());
    CHECK(listening_addresses(static_cast<unsigned>(std::stoul(port))) == std::vector<std::string>{"0100007F"});
    Peer("tcp://localhost:" + port).play_simulation();
    CHECK(daemon.wait() == 0);
}

TEST_CASE("Without an endpoint the daemon listens on Batsim's port of the loopback address") {
    const Folder folder;
    Process daemon(folder, {"serve", "-a", "fcfs"});
    // Another process may use the port.
    CHECK_THAT(daemon.wait_for_error_text("\n"),
               Contains("listening on tcp://127.0.0.1:28000\n") || Contains("cannot listen on tcp://127.0.0.1:28000:"));
    daemon.signal(SIGTERM);
    CHECK((daemon.wait() == 0 || daemon.wait() == 2));
}

TEST_CASE("With --keep-alive the daemon serves one simulation after another until a signal comes") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "conservative", "-s", ipc_endpoint(folder), "--keep-alive"});
    for (int i = 0; i < 2; ++i) {
        Peer(daemon.endpoint()).play_simulation();
    }
    daemon.stop();
    const std::vector<std::string> log = lines_of(daemon.errors());
    CHECK(std::count(log.begin(), log.end(),
                     "batfill: info: simulation begins: 2 processors, algorithm conservative") == 2);
    CHECK(log.back() == "batfill: info: stopped by a signal");
}

TEST_CASE("A signal ends a daemon that waits for a simulation") {
    const Folder folder;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
        daemon.signal(signal);
        CHECK(daemon.wait() == 0);
        CHECK(problems_of(daemon.errors()).empty());
    }
}

TEST_CASE("A signal in the middle of a simulation ends the daemon, which tells Batsim at its next message") {
    const Folder folder;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
        Peer batsim(daemon.endpoint());
        batsim.ask(beginning);
        daemon.signal(signal);
        daemon.wait_for_error_text("stopped by a signal in the middle of a simulation");
        CHECK_THAT(batsim.ask(submission), Contains("SCHEDULER_ERROR") && Contains("stopped by a signal"));
        CHECK(daemon.wait() == 0);
        CHECK(problems_of(daemon.errors()).empty());
        CHECK_THAT(daemon.errors(), Contains("0 jobs (0 rejected), 1 messages"));
    }
}

TEST_CASE("A signal ends the daemon also if Batsim says nothing more") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    batsim.ask(beginning);
    daemon.stop();
}

TEST_CASE("A suspended daemon resumes") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    daemon.signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    daemon.signal(SIGCONT);
    batsim.play_simulation();
    CHECK(daemon.wait() == 0);
}

TEST_CASE("An endpoint that is in use is a clear error") {
    const Folder folder;
    for (const std::string& endpoint : {any_port, ipc_endpoint(folder)}) {
        Daemon first(folder, {"-a", "fcfs", "-s", endpoint});
        Process second(folder, {"serve", "-a", "fcfs", "-s", first.endpoint()});
        CHECK(second.wait() == 2);
        CHECK(second.errors() ==
              "batfill: cannot listen on " + first.endpoint() + ": it is in use, perhaps by another scheduler\n");
        Peer(first.endpoint()).play_simulation();
        CHECK(first.wait() == 0);
    }
}

TEST_CASE("A socket file that a killed daemon left is used again, another file is not touched") {
    const Folder folder;
    {
        Daemon killed(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
        killed.signal(SIGKILL);
        CHECK(killed.wait() == 128 + SIGKILL);
    }
    REQUIRE(std::filesystem::exists(folder.file("socket")));
    Daemon next(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
    Peer(next.endpoint()).play_simulation();
    CHECK(next.wait() == 0);

    folder.write("notes", "mine");
    Process daemon(folder, {"serve", "-a", "fcfs", "-s", "ipc://" + folder.file("notes")});
    CHECK(daemon.wait() == 2);
    CHECK_THAT(daemon.errors(), Contains("not a socket"));
    CHECK(contents(folder.file("notes")) == "mine");
}

TEST_CASE("A daemon whose Batsim is gone ends") {
    const Folder folder;
    for (const std::string& endpoint : {any_port, ipc_endpoint(folder)}) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", endpoint});
        { Peer(daemon.endpoint()).ask(beginning); }
        CHECK(daemon.wait() == 1);
        CHECK_THAT(daemon.errors(), Contains("\nbatfill: Batsim has gone in the middle of a simulation\n"));
    }
}

TEST_CASE("A daemon that hears nothing ends after its time-out") {
    const Folder folder;
    Daemon before(folder, {"-a", "fcfs", "-s", any_port, "--idle-timeout", "1"});
    CHECK(before.wait() == 0);
    CHECK_THAT(before.errors(), Contains("no message for 1 seconds"));

    Daemon during(folder, {"-a", "fcfs", "-s", any_port, "--idle-timeout", "1.75", "--keep-alive"});
    Peer batsim(during.endpoint());
    batsim.ask(beginning);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(during.wait() == 1);
    CHECK(std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(1600));
    CHECK_THAT(during.errors(), Contains("\nbatfill: no message for 1.75 seconds in the middle of a simulation\n"));
}

TEST_CASE("A signal ends a daemon that is tuning, which tells Batsim") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "easy", "-P", "order=mixed", "-P", "weights=0,0,1,0,0,0", "-P", "period=10", "-P",
                           "evaluations=100000", "-s", any_port});
    Peer batsim(daemon.endpoint());
    batsim.ask(beginning);
    std::string jobs = R"({"now":1,"events":[)";
    std::string ends = R"({"now":9,"events":[)";
    for (int i = 0; i < 500; ++i) {
        const std::string id = std::to_string(i);
        jobs += std::string(i == 0 ? "" : ",") + R"({"timestamp":1,"type":"JOB_SUBMITTED","data":{"job_id":"w0!)" + id +
                R"(","job":{"id":")" + id + R"(","subtime":1,"res":1,"walltime":9,"profile":"p"}}})";
    }
    batsim.ask(jobs + "]}");
    for (int i = 0; i < 2; ++i) {
        const std::string id = std::to_string(i);
        ends += std::string(i == 0 ? "" : ",") + R"({"timestamp":9,"type":"JOB_COMPLETED","data":{"job_id":"w0!)" + id +
                R"(","job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":")" + id + R"("}})";
    }
    batsim.ask(ends + "]}");
    batsim.send(R"({"now":21,"events":[{"timestamp":21,"type":"JOB_COMPLETED","data":{"job_id":"w0!2",)"
                R"("job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":"0"}}]})");
    CHECK_FALSE(batsim.hears_within(std::chrono::milliseconds(200)));
    daemon.signal(SIGTERM);
    CHECK_THAT(batsim.receive(), Contains("SCHEDULER_ERROR") && Contains("stopped by a signal"));
    CHECK(daemon.wait() == 0);
}

TEST_CASE("A daemon that runs short of memory answers if it can, and ends with one line", "[outside]") {
#ifdef BATFILL_SANITIZED
    skip("needs a build without sanitizers, which take up terabytes of addresses");
#else
    const Folder folder;
    std::string frame = R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{"config":{},)"
                        R"("compute_resources":[{"id":0,"name":"a"}],"workloads":{"w0":"own"},"profiles":{"w0":{)";
    for (int i = 0; i < 300'000; ++i) {
        const std::string number = std::to_string(i);
        frame += (i == 0 ? "\"" : ",\"") + number + R"(":{"type":"delay","delay":)" + number + '}';
    }
    frame += "}}}}]}";
    bool refused = false;
    bool served = false;
    const std::size_t least = megabytes_to_load(folder);
    for (std::size_t megabytes = least + 40; megabytes <= least + 240; megabytes += 20) {
        INFO(megabytes << " MB");
        Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)}, {.memory = megabytes * 1'000'000});
        Peer batsim(daemon.endpoint());
        batsim.send(frame);
        const bool heard = batsim.hears_within(std::chrono::seconds(20));
        if (!heard) {
            // ZeroMQ's thread lacked memory. Without memory for the frame, it closes the connection. Without the
            // hundred bytes that it stores about the frame, it aborts the process.
            daemon.signal(SIGTERM);
            const int status = daemon.wait();
            INFO(daemon.errors());
            CHECK((status == 0 || status == 128 + SIGABRT));
        } else if (const std::string reply = batsim.receive(); reply == R"({"now":0.000000,"events":[]})") {
            served = true;
            CHECK(batsim.ask(R"({"now":5,"events":[{"timestamp":5,"type":"SIMULATION_ENDS","data":{}}]})") ==
                  R"({"now":5.000000,"events":[]})");
            CHECK(daemon.wait() == 0);
        } else {
            refused = true;
            CHECK_THAT(reply, Contains("SCHEDULER_ERROR") && Contains("not enough memory"));
            daemon.check_ends_with_a_problem(1);
        }
    }
    CHECK(refused);
    CHECK(served);
#endif
}

TEST_CASE("A wrong command line of the daemon gives one line with the known values, and status 2") {
    struct Case {
        std::vector<std::string> arguments;
        std::string problem;
    };
    const std::vector<Case> cases{
        {{"-a", "best"}, "unknown algorithm 'best', known: bf-mod, "},
        {{"-a", "easy", "-P", "speed=1"}, "default-walltime"},
        {{"-a", "conservative", "-P", "compression=fast"}, "known: planned-start, submission, order, start-now, none"},
        {{"-a", "easy", "-P", "default-walltime=0"}, "more than 0"},
        {{"-a", "easy", "-P", "default-walltime=soon"}, "not a number of seconds"},
        {{"-a", "easy", "-P", "nothing"}, "nothing"},
        {{"-a", "relaxed", "-P", "estimates=actual"}, "known in batfill simulate only"},
        {{"-a", "slurm", "-P", "timeout-check=30"}, "algorithm slurm: with these parameters it stops jobs itself"},
        {{"-a", "easy", "-l", "loud"}, "known: trace, debug, info, warning, error, off"},
        {{"-a", "easy", "-s", "28000"}, "cannot listen on 28000: expected tcp://ADDRESS:PORT or ipc://FILE"},
        {{"-a", "easy", "-s", "inproc://a"}, "cannot listen on inproc://a: expected tcp://ADDRESS:PORT or ipc://FILE"},
        {{"-a", "easy", "-s", "tcp://127.0.0.1:99999"}, "cannot listen on tcp://127.0.0.1:99999"},
        {{"-a", "easy", "-s", "ipc:///nowhere/socket"}, "cannot listen on ipc:///nowhere/socket"},
        {{"-a", "easy", "--speed"}, "--speed"},
        {{"-a", "easy", "--protocol", "3"}, "--protocol: unknown value '3', known: auto, 4, 5"},
        {{"-a", "easy", "--idle-timeout", "0"}, "idle-timeout"},
        {{"-a", "easy", "--idle-timeout", "1e18"}, "idle-timeout"},
        {{"-a", "easy", "-P", "order=mixed", "-P", "weights=1,0,0,0,0,0", "-P", "period=9", "-P",
          "evaluations=1000000"},
         "at most 100000"},
    };
    const Folder folder;
    for (const Case& one : cases) {
        INFO(one.problem);
        Process daemon(folder, with({"serve"}, one.arguments));
        CHECK(daemon.wait() == 2);
        CHECK(lines_of(daemon.errors()).size() == 1);
        CHECK_THAT(daemon.errors(), StartsWith("batfill: ") && Contains(one.problem));
    }
}

}  // namespace batfill::tests::serve_test
