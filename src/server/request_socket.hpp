#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "protocol/connections.hpp"

namespace batfill {

struct ReceivedMessage {
    // What ZeroMQ puts before the peer's own frames. It is the same for all requests of one socket of the peer, unless
    // that has to connect again, and tells it from all others.
    std::vector<std::string> envelope;
    // Whether the peer put an empty frame before its own, as every REQ socket does. A peer that does not is no Batsim.
    bool has_delimiter = true;
    bool has_several_frames = false;
    zmq::message_t frame;  // the first of its own
};

// The socket of a daemon: it takes requests of any number of peers, and answers each of them by itself, in any order or
// not at all. It never blocks except in wait().
class RequestSocket {
 public:
    // Listens. With a secret key (CURVE, 40 characters) only peers that know its public key are heard. Throws
    // UsageError if the endpoint cannot be listened on, std::system_error if there is not enough memory for ZeroMQ.
    RequestSocket(const std::string& endpoint, const std::string& secret_key);
    // Lets all answers leave that peers take. Connections stay open until the process ends, see the definition.
    ~RequestSocket();
    RequestSocket(const RequestSocket&) = delete;
    RequestSocket& operator=(const RequestSocket&) = delete;

    // The endpoint listened on, with the port if that was left open.
    std::string endpoint() const { return socket_->get(zmq::sockopt::last_endpoint); }

    // Waits until a request may have come, `descriptor` can be read, or a connection was made or lost, and tells
    // whether `descriptor` can be read; for `timeout` at most, if there is one. To be called after receive() has
    // returned false, as it waits for the next request; else with a timeout of 0. One system call.
    bool wait(int descriptor, std::optional<std::chrono::milliseconds> timeout);
    // Takes a request. Returns false if there is none.
    bool receive(ReceivedMessage& request);
    // Sends an answer; what the peer does not take is lost.
    void answer(const ReceivedMessage& request, std::string_view frame);

    // The connection over which a request has just come, if that can be told.
    std::optional<protocol::Connections::Number> connection_of(ReceivedMessage& request);
    // Takes note of lost connections; wait() does so, too.
    void look_at_connections() { connections_->update(); }
    // Whether a connection was not known to be lost when that was done last.
    bool lives(std::optional<protocol::Connections::Number> connection) const;
    // Whether there was any connection then, be it of strangers.
    bool anybody_is_connected() const { return connections_->any_lives(); }

 private:
    // On the heap, as they outlive this object.
    std::unique_ptr<zmq::context_t> context_;
    std::unique_ptr<zmq::socket_t> socket_;
    std::unique_ptr<protocol::Connections> connections_;
    std::string socket_file_;  // of an ipc endpoint, to be removed at the end; else empty
    std::vector<zmq::message_t> frames_;
};

}  // namespace batfill
