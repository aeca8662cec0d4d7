#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "src/transport/connections.hpp"

namespace batfill::transport {

struct ReceivedMessage {
    // The frames that ZeroMQ puts before the peer's own. They identify a connection: all requests of a socket have the
    // same ones until the socket connects again, and no two sockets share them.
    std::vector<std::string> envelope;
    // Whether the peer put an empty frame before its own, as every REQ socket does. A peer without it is not Batsim.
    bool has_delimiter = true;
    bool has_several_frames = false;
    zmq::message_t frame;  // the first of the peer's own
};

// The socket of a daemon. It takes requests from any number of peers and answers each request on its own, in any order
// or not at all.
class RequestSocket {
 public:
    // Listens on the endpoint. With a secret key (CURVE, 40 characters), it hears only peers that know its public key.
    // Throws:
    // - UsageError if it cannot listen on the endpoint
    // - std::system_error if there are not enough descriptors, or not enough memory for ZeroMQ
    RequestSocket(const std::string& endpoint, const std::string& secret_key);
    // Sends all answers that peers still take. Connections stay open until the process ends; the definition says why.
    ~RequestSocket();
    RequestSocket(const RequestSocket&) = delete;
    RequestSocket& operator=(const RequestSocket&) = delete;

    // The endpoint it listens on, with the port if the caller left that open.
    std::string endpoint() const { return open_->socket.get(zmq::sockopt::last_endpoint); }

    // Waits until a request may have come, `descriptor` can be read, or a connection was made or lost; at most for
    // `timeout`, if given. Returns whether `descriptor` can be read.
    // Requires: receive() has returned false, because this waits for the next request; otherwise `timeout` is 0.
    // Cost: one system call.
    bool wait(int descriptor, std::optional<std::chrono::milliseconds> timeout);
    // Takes a request. Returns false if none comes within 20 ms.
    bool receive(ReceivedMessage& request);
    // Sends an answer. It is lost if the peer does not take it.
    void answer(const ReceivedMessage& request, std::string_view frame);

    // wait() updates them.
    Connections& connections() { return open_->connections; }

 private:
    struct Open {
        zmq::context_t context = new_context();
        // A ROUTER does not remember whom it owes an answer. A REP does, and drops the answer when another peer's
        // connection reaches it in the wrong state.
        zmq::socket_t socket{context, zmq::socket_type::router};
        Connections connections{context, socket};
        Open* before = nullptr;
    };

    std::unique_ptr<Open> open_;  // on the heap, as it outlives this object
    std::string socket_file_;     // of an ipc endpoint, removed at the end; else empty
    std::vector<zmq::message_t> frames_;
};

}  // namespace batfill::transport
