#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <zmq.hpp>

#include "tests/end_to_end/daemon.hpp"
#include "tests/support/skip.hpp"

namespace batfill::tests::serve_peers_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("What strangers send before a simulation changes nothing") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port});
    for (int i = 0; i < 20; ++i) {
        for (const std::string& bytes : junk) {
            CHECK(Stranger(daemon.endpoint(), bytes).connected());
        }
    }
    Peer(daemon.endpoint()).play_simulation();
    CHECK(daemon.wait() == 0);
    CHECK(problems_of(daemon.errors()).empty());
}

TEST_CASE("What strangers send in the middle of a simulation changes nothing, and signals are heard") {
    const Folder folder;
    for (const std::string& bytes : junk) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", any_port});
        Peer batsim(daemon.endpoint());
        batsim.ask(beginning);
        std::vector<std::unique_ptr<Stranger>> strangers;
        for (int i = 0; i < 10; ++i) {
            strangers.push_back(std::make_unique<Stranger>(daemon.endpoint(), bytes));
            CHECK(strangers.back()->connected());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        batsim.play_rest();
        CHECK(daemon.wait() == 0);
        CHECK(problems_of(daemon.errors()).empty());

        Daemon stopped(folder, {"-a", "fcfs", "-s", any_port});
        Stranger stranger(stopped.endpoint(), bytes);
        stopped.stop();
    }
}

TEST_CASE("A stranger that sends on and on keeps neither a signal nor the limit on idle time from ending the daemon") {
    const Folder folder;
    for (const bool by_signal : {true, false}) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--idle-timeout", by_signal ? "100" : "1"});
        Peer batsim(daemon.endpoint());
        batsim.ask(beginning);
        const auto begin = std::chrono::steady_clock::now();
        std::atomic<bool> stop = false;
        std::thread stranger([&] {
            Peer peer(daemon.endpoint(), zmq::socket_type::dealer);
            while (!stop && std::chrono::steady_clock::now() < begin + std::chrono::seconds(20)) {
                peer.send(zmq::message_t(4), zmq::send_flags::dontwait);
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
        daemon.wait_for_error_text("a message of somebody else is refused");
        if (by_signal) {
            daemon.signal(SIGTERM);
        }
        CHECK(daemon.wait() == (by_signal ? 0 : 1));
        CHECK(std::chrono::steady_clock::now() < begin + std::chrono::seconds(15));
        stop = true;
        stranger.join();
    }
}

TEST_CASE("A daemon that ends while strangers connect ends as it would without them") {
    const Folder folder;
    constexpr int rounds = 10;
    for (int i = 0; i < rounds; ++i) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", any_port});
        std::atomic<bool> stop = false;
        std::thread strangers([&] {
            while (!stop) {
                for (const std::string& bytes : junk) {
                    Stranger(daemon.endpoint(), bytes);
                }
            }
        });
        Peer batsim(daemon.endpoint());
        batsim.play_simulation();
        CHECK(daemon.wait() == 0);
        stop = true;
        strangers.join();
        INFO(daemon.errors());
        CHECK(problems_of(daemon.errors()).empty());
    }
}

TEST_CASE("The peer that began a simulation is served, others are refused as long as it lives") {
    const Folder folder;
    for (const std::string& endpoint : {any_port, ipc_endpoint(folder)}) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", endpoint});
        Peer batsim(daemon.endpoint());
        batsim.ask(beginning);
        for (const std::string& frame : {beginning, submission, std::string("no JSON")}) {
            CHECK_THAT(Peer(daemon.endpoint()).ask(frame),
                       Contains("SCHEDULER_ERROR") && Contains("in the middle of another simulation"));
        }
        Peer without_delimiter(daemon.endpoint(), zmq::socket_type::dealer);
        CHECK_THAT(without_delimiter.ask(submission), Contains("SCHEDULER_ERROR") && Contains("REQ socket"));
        batsim.play_rest();
        CHECK(daemon.wait() == 0);
        CHECK(problems_of(daemon.errors()).empty());
        CHECK_THAT(daemon.errors(), Contains("warning: a message of somebody else is refused: this scheduler is"));
    }
}

TEST_CASE("A peer with several frames in its envelope, as behind a proxy, is served") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port});
    zmq::context_t context;
    zmq::socket_t front(context, zmq::socket_type::router);
    front.bind("tcp://127.0.0.1:*");
    zmq::socket_t back(context, zmq::socket_type::dealer);
    back.connect(daemon.endpoint());
    const std::string entrance = front.get(zmq::sockopt::last_endpoint);
    std::atomic<bool> stop = false;
    std::thread proxy([&] {
        const auto pass_on = [](zmq::socket_t& from, zmq::socket_t& to) {
            zmq::message_t frame;
            do {
                (void)from.recv(frame);
                const bool more = frame.more();
                to.send(frame, more ? zmq::send_flags::sndmore : zmq::send_flags::none);
                if (!more) {
                    return;
                }
            } while (true);
        };
        while (!stop) {
            zmq::pollitem_t items[] = {{front.handle(), 0, ZMQ_POLLIN, 0}, {back.handle(), 0, ZMQ_POLLIN, 0}};
            zmq::poll(items, 2, std::chrono::milliseconds(10));
            if (items[0].revents != 0) {
                pass_on(front, back);
            }
            if (items[1].revents != 0) {
                pass_on(back, front);
            }
        }
    });
    Peer(entrance).play_simulation();
    CHECK(daemon.wait() == 0);
    stop = true;
    proxy.join();
}

TEST_CASE("With --keep-alive, a simulation whose Batsim died ends when another begins") {
    const Folder folder;
    for (const std::string& endpoint : {any_port, ipc_endpoint(folder)}) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", endpoint, "--keep-alive"});
        {
            Peer dies(daemon.endpoint());
            dies.ask(beginning);
            dies.send(submission);
        }
        daemon.wait_for_error_text("the connection to Batsim is lost");
        Peer(daemon.endpoint()).play_simulation();
        Peer(daemon.endpoint()).play_simulation();
        daemon.stop();
        CHECK_THAT(daemon.errors(), Contains("warning: the simulation whose peer is lost ends, as another begins\n"));
        CHECK(problems_of(daemon.errors()).empty());
    }
}

TEST_CASE("A Batsim that died before its first message was looked at is missed, too") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--keep-alive"});
    {
        Peer dies(daemon.endpoint(), zmq::socket_type::dealer);
        CHECK_THAT(dies.ask("from no REQ socket"), Contains("expected a REQ socket"));  // so it is connected
        daemon.signal(SIGSTOP);
        dies.send(zmq::message_t(), zmq::send_flags::sndmore);
        dies.send(beginning);
        // The daemon's system receives the message, but nothing shows when.
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    daemon.signal(SIGCONT);
    daemon.wait_for_error_text("the connection to Batsim is lost");
    Peer(daemon.endpoint()).play_simulation();
    daemon.stop();
}

TEST_CASE("A thousand simulations, one after the other, leave the daemon's memory as it was after a hundred",
          "[outside]") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "conservative", "-s", any_port, "--keep-alive"});
    for (int i = 0; i < 100; ++i) {
        Peer(daemon.endpoint()).play_simulation();
    }
    [[maybe_unused]] const long long after_a_hundred = daemon.peak_memory();
    for (int i = 100; i < 1000; ++i) {
        Peer(daemon.endpoint()).play_simulation();
    }
    [[maybe_unused]] const long long growth = daemon.peak_memory() - after_a_hundred;
    daemon.stop();
#ifdef BATFILL_SANITIZED
    skip("the growth of memory needs a build without sanitizers, which keep what was freed");
#else
    // A leak of 500 bytes per simulation would exceed this.
    CHECK(growth < 450'000);
#endif
}

TEST_CASE("Half a message whose rest never comes holds nobody up") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port});
    // The greeting of ZeroMQ's protocol 3 without security, the name of a REQ socket, and only 10 bytes of a frame of
    // 100.
    std::string half("\xff\0\0\0\0\0\0\0\x01\x7f\x03\x00NULL", 16);
    half.resize(64, '\0');
    half += std::string("\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03REQ", 27);
    half += std::string("\x01\0", 2) + std::string("\0\x64", 2) + beginning.substr(0, 10);
    const Stranger stops_before(daemon.endpoint(), half);
    Peer batsim(daemon.endpoint());
    batsim.ask(beginning);
    const Stranger stops_during(daemon.endpoint(), half);
    batsim.play_rest();
    CHECK(daemon.wait() == 0);
    CHECK(problems_of(daemon.errors()).empty());
}

TEST_CASE("A peer that takes none of its replies does not hold up the end of the daemon") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port});
    Peer slow(daemon.endpoint(), zmq::socket_type::dealer);
    const std::string call = R"({"now":1,"events":[{"timestamp":1,"type":"REQUESTED_CALL","data":{}}]})";
    for (int i = 0; i < 20'000; ++i) {
        slow.send(zmq::message_t(), zmq::send_flags::sndmore);
        slow.send(i == 0 ? beginning : call);
    }
    // The peer's own queue may hold what the daemon does not read, so the signal is all that can be waited for.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    daemon.stop();
    CHECK(problems_of(daemon.errors()).empty());
}

TEST_CASE("A peer that has lost its connection can go on over another") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port});
    { Peer(daemon.endpoint()).ask(beginning); }
    daemon.wait_for_error_text("the connection to Batsim is lost");
    Peer(daemon.endpoint()).play_rest();
    CHECK(daemon.wait() == 0);
    CHECK_THAT(daemon.errors(), Contains("the simulation goes on over another connection"));
}

TEST_CASE("What a stranger says while the peer is lost changes nothing") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port});
    { Peer(daemon.endpoint()).ask(beginning); }
    daemon.wait_for_error_text("the connection to Batsim is lost");
    CHECK_THAT(Peer(daemon.endpoint()).ask("hi"), Contains("SCHEDULER_ERROR") && Contains("JSON at byte 0"));
    Peer(daemon.endpoint()).play_rest();
    CHECK(daemon.wait() == 0);
    CHECK(problems_of(daemon.errors()).empty());
}

TEST_CASE("More strangers than the daemon may have files do not keep a simulation away, nor end it") {
    const Folder folder;
    Limits limits;
    limits.files = 40;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--keep-alive"}, limits);
    std::vector<std::unique_ptr<Stranger>> strangers;
    const auto fill = [&] {
        for (int i = 0; i < 60; ++i) {
            strangers.push_back(std::make_unique<Stranger>(daemon.endpoint(), ""));
        }
    };
    fill();
    Peer(daemon.endpoint()).play_simulation();
    Peer batsim(daemon.endpoint());
    batsim.ask(beginning);
    fill();
    batsim.play_rest();
    daemon.stop();
    CHECK_THAT(daemon.errors(), !Contains("lost"));
}

TEST_CASE("An endpoint may have an address of IPv6", "[outside]") {
    const Folder folder;
    const int probe = socket(AF_INET6, SOCK_STREAM, 0);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    const bool has_ipv6 = probe >= 0 && bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(probe);
    if (!has_ipv6) {
        skip("this machine has no loopback address of IPv6");
        return;
    }
    Daemon daemon(folder, {"-a", "fcfs", "-s", "tcp://[::1]:*", "--keep-alive"});
    CHECK_THAT(daemon.endpoint(), StartsWith("tcp://[::1]:"));
    Peer(daemon.endpoint()).play_simulation();
    const std::string workload = folder.write(
        "w.json",
        R"({"nb_res":1,"profiles":{"d":{"type":"delay","delay":1}},"jobs":[{"id":"1","subtime":0,"res":1,"walltime":2,"profile":"d"}]})");
    Process simulation(folder,
                       {"simulate", "-p", "1", "-w", workload, "-e", folder.file("out"), "-s", daemon.endpoint()});
    CHECK(simulation.wait() == 0);
    daemon.stop();
}

}  // namespace batfill::tests::serve_peers_test
