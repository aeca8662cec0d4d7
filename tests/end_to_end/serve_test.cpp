#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.hpp>

#include "process.hpp"
#include "skip.hpp"

namespace batfill::tests::serve_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

const std::string beginning =
    R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{"config":{},"compute_resources":[)"
    R"({"id":0,"name":"a"},{"id":1,"name":"b"}],"storage_resources":[],"workloads":{"w0":"own"},"profiles":{"w0":{}}}}]})";
const std::string submission =
    R"({"now":1,"events":[{"timestamp":1,"type":"JOB_SUBMITTED","data":{"job_id":"w0!1","job":{"id":"w0!1",)"
    R"("subtime":1,"res":2,"walltime":9,"profile":"p"}}},{"timestamp":1,"type":"JOB_SUBMITTED","data":{"job_id":"w0!2",)"
    R"("job":{"id":"w0!2","subtime":1,"res":3,"walltime":9,"profile":"p"}}}]})";
const std::string completion = R"({"now":5,"events":[{"timestamp":5,"type":"JOB_COMPLETED","data":{"job_id":"w0!1",)"
                               R"("job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":"0-1"}}]})";
const std::string ending = R"({"now":5,"events":[{"timestamp":5,"type":"SIMULATION_ENDS","data":{}}]})";

// The same simulation in the messages of Batsim 5.
const std::string init5("\0\0\0\0", 4);
const std::string beginning5 =
    R"({"now":0.0,"events":[{"timestamp":0.0,"event_type":"SimulationBeginsEvent","event":{"computation_hosts":[)"
    R"({"id":0,"name":"a"},{"id":1,"name":"b"}]}}]})";
const std::string submission5 =
    R"({"now":1.0,"events":[{"timestamp":1.0,"event_type":"JobSubmittedEvent","event":{"job_id":"w0!1","job":)"
    R"({"resource_request":2,"walltime":9.0,"extra_data":"","profile_id":"w0!p"},"submission_time":1.0}}]})";
const std::string ending5 = R"({"now":5.0,"events":[{"timestamp":5.0,"event_type":"SimulationEndsEvent","event":{}}]})";

// A listening daemon.
class Daemon : public Process {
 public:
    Daemon(const Folder& folder, std::vector<std::string> arguments, const Limits& limits = {})
        : Process(folder, with_serve(std::move(arguments)), limits) {
        const std::string mark = "listening on ";
        const std::string text = wait_for_error_text(mark);
        const std::size_t from = text.find(mark) + mark.size();
        endpoint_ = text.substr(from, text.find('\n', from) - from);
    }
    const std::string& endpoint() const { return endpoint_; }

 private:
    static std::vector<std::string> with_serve(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "serve");
        return arguments;
    }

    std::string endpoint_;
};

// Zero bytes, which take no memory while they are only read.
zmq::message_t zeros(std::size_t size) {
    void* data = std::calloc(size, 1);
    REQUIRE(data != nullptr);
    return {data, size, [](void* memory, void*) { std::free(memory); }};
}

// A client without ZeroMQ. Sends `bytes` to a daemon that listens on TCP.
class Stranger {
 public:
    Stranger(const std::string& endpoint, std::string_view bytes) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(endpoint.substr(endpoint.rfind(':') + 1))));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
        send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    ~Stranger() { close(socket_); }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;
    bool connected() const { return connected_; }

 private:
    int socket_;
    bool connected_ = false;
};

// Bytes of such clients: a TLS hello, a greeting of the first version of ZeroMQ's protocol, HTTP, and nothing.
const std::vector<std::string> junk{
    std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(506, 'x'),
    [] {
        std::string greeting;
        for (int i = 0; i < 32; ++i) {
            greeting += std::string("\x01\x00", 2);
        }
        return greeting;
    }(),
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", ""};

// A client in the role of Batsim.
class Peer {
 public:
    explicit Peer(const std::string& endpoint, zmq::socket_type type = zmq::socket_type::req,
                  const std::string& server_key = "")
        : socket_(context_, type) {
        socket_.set(zmq::sockopt::linger, 0);
        socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(std::chrono::milliseconds(patience).count()));
        if (!server_key.empty()) {
            std::array<char, 41> public_key{};
            std::array<char, 41> secret_key{};
            REQUIRE(zmq_curve_keypair(public_key.data(), secret_key.data()) == 0);
            socket_.set(zmq::sockopt::curve_serverkey, server_key);
            socket_.set(zmq::sockopt::curve_publickey, public_key.data());
            socket_.set(zmq::sockopt::curve_secretkey, secret_key.data());
        }
        socket_.connect(endpoint);
    }

    void send(const std::string& frame) { socket_.send(zmq::buffer(frame), zmq::send_flags::none); }
    void send(zmq::message_t frame, zmq::send_flags flags = zmq::send_flags::none) {
        socket_.send(std::move(frame), flags);
    }
    // Returns the reply. The test fails if none arrives.
    std::string receive() {
        zmq::message_t reply;
        REQUIRE(socket_.recv(reply, zmq::recv_flags::none).has_value());
        return reply.to_string();
    }
    // Whether a reply arrives within this time.
    bool hears_within(std::chrono::milliseconds time) {
        zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
        return zmq::poll(&item, 1, time) > 0;
    }
    std::string ask(const std::string& frame) {
        send(frame);
        return receive();
    }
    void play_simulation() {
        CHECK(ask(beginning) == R"({"now":0.000000,"events":[]})");
        play_rest();
    }
    void play_rest() {
        CHECK(ask(submission) == R"({"now":1.000000,"events":[{"timestamp":1.000000,"type":"REJECT_JOB","data":)"
                                 R"({"job_id":"w0!2"}},{"timestamp":1.000000,"type":"EXECUTE_JOB","data":)"
                                 R"({"job_id":"w0!1","alloc":"0-1"}}]})");
        CHECK(ask(completion) == R"({"now":5.000000,"events":[]})");
        CHECK(ask(ending) == R"({"now":5.000000,"events":[]})");
    }

 private:
    zmq::context_t context_;
    zmq::socket_t socket_;
};

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

// The lines of the error stream that are not info or warnings.
std::vector<std::string> problems_of(const std::string& errors) {
    std::vector<std::string> lines = lines_of(errors);
    std::erase_if(lines, [](const std::string& line) {
        return line.rfind("batfill: info: ", 0) == 0 || line.rfind("batfill: warning: ", 0) == 0;
    });
    return lines;
}

std::string ipc_endpoint(const Folder& folder) {
    return "ipc://" + folder.file("socket");
}

const std::string any_port = "tcp://127.0.0.1:*";

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
    daemon.signal(SIGTERM);
    CHECK(daemon.wait() == 0);
    const std::vector<std::string> log = lines_of(daemon.errors());
    CHECK(std::count(log.begin(), log.end(),
                     "batfill: info: simulation begins: 2 processors, algorithm conservative") == 2);
    CHECK(log.back() == "batfill: info: stopped by a signal");
}

TEST_CASE("A signal ends a daemon that waits for a simulation") {
    const Folder folder;
    for (const int signal : {SIGINT, SIGTERM}) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
        daemon.signal(signal);
        CHECK(daemon.wait() == 0);
        CHECK(problems_of(daemon.errors()).empty());
    }
}

TEST_CASE("A signal in the middle of a simulation ends the daemon, and Batsim is told with its next message") {
    const Folder folder;
    for (const int signal : {SIGINT, SIGTERM}) {
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
    daemon.signal(SIGTERM);
    CHECK(daemon.wait() == 0);
}

TEST_CASE("A daemon that was suspended goes on") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    daemon.signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    daemon.signal(SIGCONT);
    batsim.play_simulation();
    CHECK(daemon.wait() == 0);
}

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
        Daemon daemon(folder, {"-a", "conservative", "-s", ipc_endpoint(folder), "--keep-alive"});
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
    CHECK(daemon.wait() == 1);
    CHECK(problems_of(daemon.errors()).size() == 1);
}

TEST_CASE("A frame above the codec's limit is answered, and ends the daemon with status 1") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    batsim.ask(beginning);
    batsim.send(zeros(100'000'000));
    CHECK_THAT(batsim.receive(), Contains("SCHEDULER_ERROR") && Contains("a frame of 100000000 bytes"));
    CHECK(daemon.wait() == 1);
    CHECK(problems_of(daemon.errors()).size() == 1);
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
    daemon.signal(SIGTERM);
    CHECK(daemon.wait() == 0);
    CHECK(problems_of(daemon.errors()).empty());
}

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

TEST_CASE("A scheduler configuration that names nothing usable is answered, and ends the daemon with status 2") {
    const Folder folder;
    Daemon daemon(folder, {"-s", ipc_endpoint(folder)});
    Peer batsim(daemon.endpoint());
    CHECK_THAT(batsim.ask(beginning), Contains("SCHEDULER_ERROR") && Contains("known: bf-mod, "));
    CHECK(daemon.wait() == 2);
    CHECK(problems_of(daemon.errors()).size() == 1);
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

    std::ofstream(folder.file("notes")) << "mine";
    Process daemon(folder, {"serve", "-a", "fcfs", "-s", "ipc://" + folder.file("notes")});
    CHECK(daemon.wait() == 2);
    CHECK_THAT(daemon.errors(), Contains("not a socket"));
    CHECK(contents(folder.file("notes")) == "mine");
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
        stopped.signal(SIGTERM);
        CHECK(stopped.wait() == 0);
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
        daemon.signal(SIGTERM);
        CHECK(daemon.wait() == 0);
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
    daemon.signal(SIGTERM);
    CHECK(daemon.wait() == 0);
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
    daemon.signal(SIGTERM);
    CHECK(daemon.wait() == 0);
#ifdef BATFILL_SANITIZED
    skip("the growth of memory needs a build without sanitizers, which keep what was freed");
#else
    // A leak of 500 bytes per simulation would exceed this.
    CHECK(growth < 450'000);
#endif
}

TEST_CASE("Half a message, of which the rest never comes, holds nobody up") {
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
    daemon.signal(SIGTERM);
    CHECK(daemon.wait() == 0);
    CHECK(problems_of(daemon.errors()).empty());
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
    daemon.signal(SIGTERM);
    CHECK(daemon.wait() == 0);
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
    daemon.signal(SIGTERM);
    CHECK(daemon.wait() == 0);
    CHECK_THAT(daemon.errors(), Contains("warning: the simulation whose peer is lost ends, as another begins\n"));
}

TEST_CASE("With --protocol the daemon speaks to one version of Batsim only") {
    const Folder folder;
    Daemon four(folder, {"-a", "fcfs", "-s", any_port, "--protocol", "4"});
    CHECK_THAT(Peer(four.endpoint()).ask(init5), Contains("SCHEDULER_ERROR") && Contains("SIMULATION_BEGINS"));
    Peer(four.endpoint()).play_simulation();
    CHECK(four.wait() == 0);
    Daemon five(folder, {"-a", "fcfs", "-s", any_port, "--protocol", "5"});
    CHECK_THAT(Peer(five.endpoint()).ask(beginning), Contains("SCHEDULER_ERROR") && Contains("expected the message"));
    five.signal(SIGTERM);
    CHECK(five.wait() == 0);
    Daemon unnamed(folder, {"-s", any_port});
    CHECK_THAT(Peer(unnamed.endpoint()).ask(init5), StartsWith(std::string("\x02\0\0\0{", 5)) &&
                                                        Contains("SCHEDULER_ERROR") && Contains("no algorithm named"));
    CHECK(unnamed.wait() == 2);
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

    Daemon during(folder, {"-a", "fcfs", "-s", any_port, "--idle-timeout", "1", "--keep-alive"});
    Peer batsim(during.endpoint());
    batsim.ask(beginning);
    CHECK(during.wait() == 1);
    CHECK_THAT(during.errors(), Contains("\nbatfill: no message for 1 seconds in the middle of a simulation\n"));
}

TEST_CASE("With a CURVE key the daemon hears only those who know the public one") {
    const Folder folder;
    const std::string key = folder.file("key");
    std::string public_key;
    for (int run = 0; run < 2; ++run) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--curve-secret-key", key});
        const std::string mark = "public CURVE key, which peers have to know: ";
        const std::string log = daemon.errors();
        REQUIRE_THAT(log, Contains(mark));
        const std::string told = log.substr(log.find(mark) + mark.size(), 40);
        CHECK((run == 0 || told == public_key));
        public_key = told;
        Peer stranger(daemon.endpoint());
        stranger.send(beginning);
        CHECK_FALSE(stranger.hears_within(std::chrono::milliseconds(300)));
        Peer(daemon.endpoint(), zmq::socket_type::req, public_key).play_simulation();
        CHECK(daemon.wait() == 0);
    }
    using std::filesystem::perms;
    CHECK(std::filesystem::status(key).permissions() == (perms::owner_read | perms::owner_write));

    std::ofstream(folder.file("no-key")) << "secret\n";
    std::filesystem::permissions(folder.file("no-key"), perms::owner_read);
    Process refused(folder, {"serve", "-a", "fcfs", "-s", any_port, "--curve-secret-key", folder.file("no-key")});
    CHECK(refused.wait() == 1);
    CHECK_THAT(refused.errors(), Contains("no-key: expected one line with a CURVE key"));
}

TEST_CASE("A secret CURVE key that others may use is refused with the command that corrects it") {
    using std::filesystem::perms;
    const Folder folder;
    const std::string key = folder.file("key");
    std::ofstream(key) << "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6\n";
    for (const perms more : {perms::group_read, perms::others_read, perms::others_write}) {
        std::filesystem::permissions(key, perms::owner_read | perms::owner_write | more);
        Process refused(folder, {"serve", "-a", "fcfs", "-s", any_port, "--curve-secret-key", key});
        CHECK(refused.wait() == 1);
        CHECK_THAT(refused.errors(), Contains("key: others than its owner may use this secret key") &&
                                         EndsWith("`chmod 600 " + key + "`\n"));
    }
    std::filesystem::permissions(key, perms::owner_read);
    const Daemon accepted(folder, {"-a", "fcfs", "-s", any_port, "--curve-secret-key", key});
}

TEST_CASE("Daemons that make the same CURVE key at once have the same key") {
    constexpr int daemons = 8;
    const Folder folder;
    const std::string mark = "public CURVE key, which peers have to know: ";
    std::vector<std::unique_ptr<Folder>> logs;
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < daemons; ++i) {
        logs.push_back(std::make_unique<Folder>());
        processes.push_back(std::make_unique<Process>(
            *logs.back(),
            std::vector<std::string>{"serve", "-a", "fcfs", "-s", any_port, "--curve-secret-key", folder.file("key")}));
    }
    std::set<std::string> keys;
    for (const auto& process : processes) {
        const std::string log = process->wait_for_error_text("listening");
        keys.insert(log.substr(log.find(mark) + mark.size(), 40));
    }
    CHECK(keys.size() == 1);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.file(".")), {}) == 1);
}

TEST_CASE("A simulation with a wrong CURVE key, or none, is told that the key may be wrong") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--curve-secret-key", folder.file("key")});
    std::ofstream(folder.file("w.json")) << R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                            R"({"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p"}]})";
    std::ofstream(folder.file("wrong")) << "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\n";
    const auto errors_of = [&](const std::vector<std::string>& more) {
        const Folder own;
        std::vector<std::string> arguments{
            "simulate", "-p", "1", "-w", folder.file("w.json"), "-e", own.file("out"), "-s", daemon.endpoint()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Process simulation(own, arguments);
        CHECK(simulation.wait() == 1);
        return simulation.errors();
    };
    CHECK_THAT(errors_of({"--curve-server-key", folder.file("wrong")}),
               Contains("perhaps --curve-server-key is not its public key"));
    CHECK_THAT(errors_of({}), Contains("wants a CURVE key (--curve-server-key)"));
}

TEST_CASE("A signal ends a daemon that is tuning, and Batsim is told") {
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
            CHECK(daemon.wait() == 1);
            CHECK(problems_of(daemon.errors()).size() == 1);
        }
    }
    CHECK(refused);
    CHECK(served);
#endif
}

TEST_CASE("A wrong command line of the daemon is one line with what is known, and status 2") {
    struct Case {
        std::vector<std::string> arguments;
        std::string problem;
    };
    const std::vector<Case> cases{
        {{"-a", "best"}, "unknown algorithm 'best', known: bf-mod, "},
        {{"-a", "easy", "-P", "speed=1"}, "default-walltime"},
        {{"-a", "conservative", "-P", "compression=fast"}, "known: planned-start, submission, start-now, none"},
        {{"-a", "easy", "-P", "default-walltime=0"}, "more than 0"},
        {{"-a", "easy", "-P", "default-walltime=soon"}, "not a number of seconds"},
        {{"-a", "easy", "-P", "nothing"}, "nothing"},
        {{"-a", "relaxed", "-P", "estimates=actual"}, "known in batfill simulate only"},
        {{"-a", "easy", "-l", "loud"}, "known: trace, debug, info, warning, error, off"},
        {{"-a", "easy", "-s", "28000"}, "cannot listen on 28000"},
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
        std::vector<std::string> arguments = one.arguments;
        arguments.insert(arguments.begin(), "serve");
        Process daemon(folder, arguments);
        CHECK(daemon.wait() == 2);
        CHECK(lines_of(daemon.errors()).size() == 1);
        CHECK_THAT(daemon.errors(), StartsWith("batfill: ") && Contains(one.problem));
    }
}

}  // namespace batfill::tests::serve_test
