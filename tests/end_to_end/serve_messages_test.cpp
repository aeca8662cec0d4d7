#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <zmq.hpp>

#include "tests/end_to_end/daemon.hpp"

namespace batfill::tests::serve_messages_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("A message that cannot be used is answered, and ends the daemon with status 1 and one line") {
    struct Case {
        std::vector<std::string> before;
        std::string frame;
        std::string problem;
    };
    const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
    const std::vector<Case> cases{
        {{beginning}, "", "JSON at byte 0"},
        {{beginning}, "no JSON", "JSON at byte"},
        {{beginning}, "\xff\xfe\"\n", "JSON at byte"},
        {{beginning}, deep, "nested"},
        {{beginning}, R"({"now":1,"events":[{"timestamp":1,"type":"JOB_KILLED","data":{}}]})", "data.job_ids"},
        {{beginning}, beginning, "SIMULATION_BEGINS comes twice"},
        {{beginning, submission, completion}, completion, "not running"},
        {{beginning, submission}, R"({"now":0.5,"events":[]})", "time goes back"},
    };
    const Folder folder;
    for (const Case& one : cases) {
        INFO(one.frame.substr(0, 200));
        Daemon daemon(folder, {"-a", "conservative", "-s", ipc_endpoint(folder)});
        Peer batsim(daemon.endpoint());
        for (const std::string& frame : one.before) {
            batsim.ask(frame);
        }
        CHECK_THAT(batsim.ask(one.frame), Contains("SCHEDULER_ERROR"));
        CHECK(daemon.wait() == 1);
        const std::vector<std::string> problems = problems_of(daemon.errors());
        REQUIRE(problems.size() == 1);
        CHECK_THAT(problems[0], StartsWith("batfill: ") && Contains(one.problem));
    }
}

TEST_CASE("A message of several frames is answered, and ends the daemon with status 1") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    batsim.ask(beginning);
    batsim.send(zmq::message_t(beginning), zmq::send_flags::sndmore);
    batsim.send(zmq::message_t(submission));
    CHECK_THAT(batsim.receive(), Contains("SCHEDULER_ERROR") && Contains("several frames"));
    daemon.check_ends_with_a_problem(1);
}

TEST_CASE("A frame above the codec's limit is answered, and ends the daemon with status 1") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    batsim.ask(beginning);
    batsim.send(zeros(100'000'000));
    CHECK_THAT(batsim.receive(), Contains("SCHEDULER_ERROR") && Contains("a frame of 100000000 bytes"));
    daemon.check_ends_with_a_problem(1);
}

TEST_CASE("A frame of one gigabyte is not taken in: its sender loses the connection, and the simulation goes on") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    batsim.ask(beginning);
    Peer stranger(daemon.endpoint());
    stranger.send(zeros(1'000'000'000));
    CHECK(daemon.peak_memory() < 200'000'000);
    batsim.play_rest();
    CHECK(daemon.wait() == 0);
}

TEST_CASE("A message that begins no simulation is refused and forgotten, however many come") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--keep-alive"});
    const std::string broken = R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{}}]})";
    const std::string late = R"({"now":0,"events":[{"timestamp":0,"type":"REQUESTED_CALL","data":{}},)" +
                             beginning.substr(beginning.find(R"({"timestamp")"));
    for (int i = 0; i < 2; ++i) {
        for (const std::string& frame : {std::string(), std::string("no JSON"), submission, broken, late, ending,
                                         std::string(R"({"now":0,"events":[]})"), beginning5}) {
            INFO(frame);
            CHECK_THAT(Peer(daemon.endpoint()).ask(frame), Contains("SCHEDULER_ERROR") && Contains("expected"));
        }
        Peer several(daemon.endpoint());
        several.send(zmq::message_t(beginning), zmq::send_flags::sndmore);
        several.send(zmq::message_t(submission));
        CHECK_THAT(several.receive(), Contains("SCHEDULER_ERROR") && Contains("several frames"));
        Peer large(daemon.endpoint());
        large.send(zeros(100'000'000));
        CHECK_THAT(large.receive(), Contains("SCHEDULER_ERROR"));
        // A message in the first version of ZeroMQ's protocol, with an empty envelope.
        const Stranger old(daemon.endpoint(), std::string("\x01\x00\x01\x01\x03\x00hi", 8));
        daemon.wait_for_error_text("refused: " + std::string(i == 0 ? "expected" : "a message of several frames"));
        Peer(daemon.endpoint()).play_simulation();
    }
    daemon.stop();
    CHECK(problems_of(daemon.errors()).empty());
}

TEST_CASE("A scheduler configuration that names nothing usable is answered, and ends the daemon with status 2") {
    const Folder folder;
    Daemon daemon(folder, {"-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    CHECK_THAT(batsim.ask(beginning), Contains("SCHEDULER_ERROR") && Contains("known: bf-mod, "));
    daemon.check_ends_with_a_problem(2);
}

TEST_CASE("With --keep-alive a simulation that must be refused ends alone, and the daemon serves the next") {
    const Folder folder;
    Daemon daemon(folder, {"-s", any_port, "--keep-alive"});
    const auto with_configuration = [](const std::string& text) {
        std::string frame = beginning;
        return frame.replace(frame.find(R"("config":{)"), 10, R"("config":{"sched-config":")" + text + '"');
    };
    const std::string easy = R"({\"algorithm\":\"easy\"})";
    for (const std::string& wrong : {beginning, with_configuration(R"({\"algorithm\":\"nope\"})")}) {
        CHECK_THAT(Peer(daemon.endpoint()).ask(wrong),
                   Contains(R"("type":"SCHEDULER_ERROR: )") && Contains("known: bf-mod, "));
        Peer batsim(daemon.endpoint());
        batsim.ask(with_configuration(easy));
        CHECK_THAT(batsim.ask("junk"), Contains("SCHEDULER_ERROR") && Contains("JSON at byte 0"));
        CHECK_THAT(batsim.ask(submission), Contains("SCHEDULER_ERROR") && Contains("that begins a simulation"));
        Peer next(daemon.endpoint());
        next.ask(with_configuration(easy));
        next.play_rest();
    }
    daemon.stop();
    CHECK_THAT(daemon.errors(), Contains("batfill: error: the simulation is refused: "));
}

TEST_CASE("The daemon speaks to Batsim 4 and 5, whichever connects") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--keep-alive"});
    const std::string zero(1, '\0');
    for (int i = 0; i < 2; ++i) {
        Peer(daemon.endpoint()).play_simulation();
        Peer batsim5(daemon.endpoint());
        CHECK_THAT(batsim5.ask(init5), StartsWith(std::string("\x02\0\0\0{\"now\":", 11)) && Contains("EDCHelloEvent"));
        // After its first message, it is the client that the daemon serves.
        CHECK_THAT(Peer(daemon.endpoint()).ask(init5), Contains("in the middle of another simulation"));
        CHECK(batsim5.ask(beginning5 + zero) == R"({"now":0,"events":[]})" + zero);
        CHECK_THAT(batsim5.ask(submission5 + zero), Contains(R"("host_allocation":"0-1")"));
        CHECK(batsim5.ask(ending5 + zero) == R"({"now":5,"events":[]})" + zero);
    }
    daemon.stop();
    CHECK(problems_of(daemon.errors()).empty());
}

TEST_CASE("A Batsim of the other version takes over when that of a simulation has died") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--keep-alive"});
    {
        Peer dies(daemon.endpoint());
        dies.ask(init5);
        dies.send(beginning5);
    }
    daemon.wait_for_error_text("the connection to Batsim is lost");
    Peer(daemon.endpoint()).play_simulation();
    daemon.stop();
    CHECK_THAT(daemon.errors(), Contains("warning: the simulation whose peer is lost ends, as another begins\n"));
}

TEST_CASE("With --protocol the daemon speaks to one version of Batsim only") {
    const Folder folder;
    Daemon four(folder, {"-a", "fcfs", "-s", any_port, "--protocol", "4"});
    CHECK_THAT(Peer(four.endpoint()).ask(init5), StartsWith(std::string("\x02\0\0\0{", 5)) &&
                                                     Contains("SCHEDULER_ERROR") &&
                                                     Contains("this scheduler serves Batsim 4 only"));
    Peer(four.endpoint()).play_simulation();
    CHECK(four.wait() == 0);
    Daemon five(folder, {"-a", "fcfs", "-s", any_port, "--protocol", "5"});
    CHECK_THAT(Peer(five.endpoint()).ask(beginning),
               StartsWith("{") && Contains("SCHEDULER_ERROR") && Contains("this scheduler serves Batsim 5 only"));
    five.stop();
    Daemon unnamed(folder, {"-s", any_port});
    CHECK_THAT(Peer(unnamed.endpoint()).ask(init5), StartsWith(std::string("\x02\0\0\0{", 5)) &&
                                                        Contains("SCHEDULER_ERROR") && Contains("no algorithm named"));
    CHECK(unnamed.wait() == 2);
}

}  // namespace batfill::tests::serve_messages_test
