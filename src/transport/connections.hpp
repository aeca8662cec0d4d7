#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <zmq.hpp>

namespace batfill::transport {

// ZeroMQ disconnects the sender of a larger frame before the frame is received. The codec's own limit is lower; the
// sender of a frame above that one gets a message.
inline constexpr std::int64_t max_received_frame = std::int64_t{256} << 20;

// Returns a context for sockets. Checks that threads can be started: ZeroMQ starts two with its first socket, and would
// end the process if it cannot.
// Throws: std::system_error if no thread can be started.
zmq::context_t new_context();

// Checks an endpoint, and lets the socket speak IPv6 if the endpoint has an address of it: tcp://[::1]:28000. ZeroMQ
// would take any port number, negative ones too, modulo 65536.
// Requires: `socket` is not bound or connected yet.
// Throws: UsageError, which begins with `problem`, if
// - the endpoint is neither a TCP nor an IPC endpoint
// - the port of a TCP endpoint is neither a number up to 65535 nor `*`
void prepare_for_endpoint(zmq::socket_t& socket, const std::string& endpoint, const std::string& problem);

// The connections of a ZeroMQ socket. The socket itself does not report lost connections.
class Connections {
 public:
    // Identifies one connection; later connections get other numbers. Several messages of a peer come over the same
    // connection.
    using Number = std::uint64_t;

    // Watches `socket`.
    // Requires: `socket` is not bound or connected yet. Both arguments outlive this object.
    Connections(zmq::context_t& context, zmq::socket_t& socket);
    ~Connections();
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;

    // Poll these: they become readable when update() has something to do, and also when the socket has begun to
    // connect. The descriptor signals only once; call update() then.
    void* handle() { return events_.handle(); }
    int descriptor() const { return events_.get(zmq::sockopt::fd); }
    // Processes what has happened since the last call.
    void update();
    // If connections have found no free descriptor, closes the oldest quarter of the others, but not `kept`.
    // Otherwise ZeroMQ would try to accept them without a pause.
    void make_room(std::optional<Number> kept);

    // Returns the connection over which a message came, as of the last update(). None if it is unknown: then nobody can
    // tell whether it lives.
    // Requires: the last update() was later than the message's arrival.
    std::optional<Number> number_of(zmq::message_t& message) const;
    // Returns whether the connection was not known to be lost at the last update().
    bool lives(std::optional<Number> connection) const;
    // Returns whether any connection lived at the last update().
    bool any_lives() const { return !by_descriptor_.empty(); }
    // Returns whether any connection was lost up to the last update().
    bool any_lost() const { return any_lost_; }
    // Returns whether a connection ended before its peers could talk.
    bool handshake_failed() const { return handshake_failed_; }

 private:
    zmq::socket_t& socket_;
    zmq::socket_t events_;
    std::map<int, Number> by_descriptor_;  // of living connections
    Number last_ = 0;
    bool any_lost_ = false;
    bool handshake_failed_ = false;
    bool lacks_descriptors_ = false;
    std::set<int> closing_;  // descriptors that make_room() has shut down and ZeroMQ still has
};

// A pair of CURVE keys, in ZeroMQ's text form of 40 characters.
struct CurveKeys {
    std::string public_key;
    std::string secret_key;
};
CurveKeys new_curve_keys();
// Reads a key from the file at `path`, which holds it in one line.
// Throws: InputError if the file holds something else, or is no regular file.
std::string read_curve_key(const std::string& path);
// As above, for a secret key. If the file does not exist, makes a new key, in a file that only its owner may read.
// Processes that make the same file at the same time agree on one key.
// Throws: InputError, with the command that corrects it, if others may read or write the file.
std::string read_or_make_secret_curve_key(const std::string& path);
// Returns the public key that belongs to a secret one.
std::string curve_public_key(const std::string& secret_key);

}  // namespace batfill::transport
