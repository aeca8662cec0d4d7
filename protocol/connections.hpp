#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <zmq.hpp>

namespace batfill::protocol {

// A frame larger than this loses its sender the connection before it is taken in; the codec's own limit, which is
// lower, is answered with a message.
inline constexpr std::int64_t max_received_frame = std::int64_t{256} << 20;

// Throws std::system_error if no thread can be started: ZeroMQ, which starts two with its first socket, would end the
// process instead. To be called before the first socket is made.
void require_threads();

// Throws UsageError, which begins with `problem`, if an endpoint has no transport, or if the port of a TCP endpoint is
// neither a number up to 65535 nor `*`: ZeroMQ would take any number, negative ones too, modulo 65536.
void require_endpoint(const std::string& endpoint, const std::string& problem);

// The connections of a ZeroMQ socket, which tells nobody when one is lost.
class Connections {
 public:
    // One connection, so that no later one is taken for it. Several messages of a peer come over the same one.
    using Number = std::uint64_t;

    // Watches `socket`, before it is bound or connected. Both must outlive this object.
    Connections(zmq::context_t& context, zmq::socket_t& socket);
    ~Connections();
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;

    // To be polled for: readable when update() has something to do, which is also so when the socket has begun to
    // connect. The descriptor tells so only once, so that update() has to be called then.
    void* handle() { return events_.handle(); }
    int descriptor() const { return events_.get(zmq::sockopt::fd); }
    // Takes note of what has happened since the last call.
    void update();

    // The connection over which a message came, as of the last update(), which has to be later than the message's
    // arrival. None if it is not known: then nobody can tell whether it lives.
    std::optional<Number> number_of(zmq::message_t& message) const;
    // Whether it had not been lost at the last update().
    bool lives(Number connection) const;
    // Whether any lived then.
    bool any_lives() const { return !by_descriptor_.empty(); }
    // Whether any has been lost up to the last update().
    bool any_lost() const { return any_lost_; }
    // Whether one has ended before its peers could talk.
    bool handshake_failed() const { return handshake_failed_; }

 private:
    zmq::socket_t& socket_;
    zmq::socket_t events_;
    std::map<int, Number> by_descriptor_;  // of those that live
    Number last_ = 0;
    bool any_lost_ = false;
    bool handshake_failed_ = false;
};

// A pair of CURVE keys, in ZeroMQ's text form of 40 characters.
struct CurveKeys {
    std::string public_key;
    std::string secret_key;
};
CurveKeys new_curve_keys();
// Reads the key that the file at `path` holds in one line. Throws InputError if it holds something else.
std::string read_curve_key(const std::string& path);
// The same of a secret key. Throws InputError, with the command that corrects it, if others may read or write the file.
// Makes a new key, in a file for its owner only, if there is no such file. Processes that make the same file at the
// same time agree on one key.
std::string read_or_make_secret_curve_key(const std::string& path);
// The public key that belongs to a secret one.
std::string curve_public_key(const std::string& secret_key);

}  // namespace batfill::protocol
