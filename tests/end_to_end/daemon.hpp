#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.hpp>

#include "tests/support/lines.hpp"
#include "tests/support/process.hpp"

// A listening daemon, a simulation in the messages of Batsim 4 and 5, and clients that play or disturb it.
namespace batfill::tests {

inline const std::string beginning =
    R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{"config":{},"compute_resources":[)"
    R"({"id":0,"name":"a"},{"id":1,"name":"b"}],"storage_resources":[],"workloads":{"w0":"own"},"profiles":{"w0":{}}}}]})";
inline const std::string submission =
    R"({"now":1,"events":[{"timestamp":1,"type":"JOB_SUBMITTED","data":{"job_id":"w0!1","job":{"id":"w0!1",)"
    R"("subtime":1,"res":2,"walltime":9,"profile":"p"}}},{"timestamp":1,"type":"JOB_SUBMITTED","data":{"job_id":"w0!2",)"
    R"("job":{"id":"w0!2","subtime":1,"res":3,"walltime":9,"profile":"p"}}}]})";
inline const std::string completion =
    R"({"now":5,"events":[{"timestamp":5,"type":"JOB_COMPLETED","data":{"job_id":"w0!1",)"
    R"("job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":"0-1"}}]})";
inline const std::string ending = R"({"now":5,"events":[{"timestamp":5,"type":"SIMULATION_ENDS","data":{}}]})";

// The same simulation in the messages of Batsim 5.
inline const std::string init5("\0\0\0\0", 4);
inline const std::string beginning5 =
    R"({"now":0.0,"events":[{"timestamp":0.0,"event_type":"SimulationBeginsEvent","event":{"computation_hosts":[)"
    R"({"id":0,"name":"a"},{"id":1,"name":"b"}]}}]})";
inline const std::string submission5 =
    R"({"now":1.0,"events":[{"timestamp":1.0,"event_type":"JobSubmittedEvent","event":{"job_id":"w0!1","job":)"
    R"({"resource_request":2,"walltime":9.0,"extra_data":"","profile_id":"w0!p"},"submission_time":1.0}}]})";
inline const std::string ending5 =
    R"({"now":5.0,"events":[{"timestamp":5.0,"event_type":"SimulationEndsEvent","event":{}}]})";

// The lines of the error stream that are not info or warnings.
inline std::vector<std::string> problems_of(const std::string& errors) {
    std::vector<std::string> lines = lines_of(errors);
    std::erase_if(lines, [](const std::string& line) {
        return line.rfind("batfill: info: ", 0) == 0 || line.rfind("batfill: warning: ", 0) == 0;
    });
    return lines;
}

// A listening daemon.
class Daemon : public Process {
 public:
    Daemon(const Folder& folder, const Arguments& arguments, const Limits& limits = {})
        : Process(folder, with({"serve"}, arguments), limits) {
        const std::string mark = "listening on ";
        const std::string text = wait_for_error_text(mark);
        const std::size_t from = text.find(mark) + mark.size();
        endpoint_ = text.substr(from, text.find('\n', from) - from);
    }
    const std::string& endpoint() const { return endpoint_; }

    // Ends it by a signal.
    void stop() {
        signal(SIGTERM);
        CHECK(wait() == 0);
    }
    // Checks that it ends with this status and one line about the problem.
    void check_ends_with_a_problem(int status) {
        CHECK(wait() == status);
        CHECK(problems_of(errors()).size() == 1);
    }

 private:
    std::string endpoint_;
};

// Zero bytes, which take no memory while they are only read.
inline zmq::message_t zeros(std::size_t size) {
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
inline const std::vector<std::string> junk{
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
        socket_.set(zmq::sockopt::ipv6, endpoint.starts_with("tcp://["));
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

inline std::string ipc_endpoint(const Folder& folder) {
    return "ipc://" + folder.file("socket");
}

inline const std::string any_port = "tcp://127.0.0.1:*";

}  // namespace batfill::tests
