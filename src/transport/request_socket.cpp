#include "src/transport/request_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

namespace batfill::transport {

namespace {

const std::string ipc = "ipc://";
const std::string abstract_ipc = "ipc://@";  // which is no file

constexpr const char* in_use = "it is in use, perhaps by another scheduler";

// Number of requests of one peer that may wait for the daemon. A Batsim sends one.
constexpr int max_requests_taken_in = 4;

// How long receive() waits, in milliseconds. Waiting within ZeroMQ takes half the system calls of wait().
constexpr int moment = 20;

// Milliseconds. A longer wait is repeated.
constexpr std::int64_t max_wait = 1'000'000;

// How long the destructor waits for answers to leave.
constexpr std::chrono::seconds sending_at_the_end{2};

std::string bindable(const std::string& endpoint) {
    // Batsim's documentation uses localhost, but ZeroMQ cannot listen on it.
    const std::string name = "tcp://localhost:";
    return endpoint.rfind(name, 0) == 0 ? "tcp://127.0.0.1:" + endpoint.substr(name.size()) : endpoint;
}

// ZeroMQ replaces whatever file it finds at the path of an ipc endpoint, even a socket at which another process
// listens. Only the socket file that a killed process left may go.
void check_path(const std::string& endpoint) {
    if (endpoint.rfind(ipc, 0) != 0) {
        return;
    }
    const std::string path = endpoint.substr(ipc.size());
    sockaddr_un address{};
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (!std::filesystem::exists(status) || path.size() >= sizeof(address.sun_path)) {
        return;
    }
    refuse_if(!std::filesystem::is_socket(status), "cannot listen on ", endpoint,
              ": there is a file that is not a socket");
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) {
        throw std::system_error(errno, std::generic_category(), "cannot open a socket");
    }
    // EAGAIN: so many wait for the other process that no more may.
    const bool someone_listens =
        connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 || errno == EAGAIN;
    close(probe);
    refuse_if(someone_listens, "cannot listen on ", endpoint, ": ", in_use);
}

}  // namespace

RequestSocket::RequestSocket(const std::string& endpoint, const std::string& secret_key) {
    check_path(endpoint);
    open_ = std::make_unique<Open>();
    prepare_for_endpoint(open_->socket, endpoint, "cannot listen on ");
    open_->socket.set(zmq::sockopt::maxmsgsize, max_received_frame);
    open_->socket.set(zmq::sockopt::rcvhwm, max_requests_taken_in);
    open_->socket.set(zmq::sockopt::rcvtimeo, moment);
    // Notices after about two minutes that a peer's machine has vanished. A peer that is merely stopped is not lost.
    open_->socket.set(zmq::sockopt::tcp_keepalive, 1);
    open_->socket.set(zmq::sockopt::tcp_keepalive_idle, 60);   // seconds
    open_->socket.set(zmq::sockopt::tcp_keepalive_intvl, 10);  // seconds
    open_->socket.set(zmq::sockopt::tcp_keepalive_cnt, 6);
    if (!secret_key.empty()) {
        open_->socket.set(zmq::sockopt::curve_server, true);
        open_->socket.set(zmq::sockopt::curve_secretkey, secret_key);
    }
    try {
        open_->socket.bind(bindable(endpoint));
    } catch (const zmq::error_t& problem) {
        throw UsageError("cannot listen on " + endpoint + ": " +
                         (problem.num() == EADDRINUSE ? in_use : problem.what()));
    }
    if (endpoint.starts_with(ipc) && !endpoint.starts_with(abstract_ipc)) {
        socket_file_ = this->endpoint().substr(ipc.size());
    }
}

// Anybody can connect, and libzmq 4.3.4 aborts the process if the first bytes of a connection come while its socket
// closes or stops listening: zmtp_engine_t::process_routing_id_msg asserts that the session has its pipe. So the socket
// stays open until the process ends.
RequestSocket::~RequestSocket() {
    try {
        // ZeroMQ's only thread works in order. When it begins to connect another socket, it has handed all answers to
        // the system, which delivers them even after the process has ended.
        zmq::socket_t last(open_->context, zmq::socket_type::pair);
        last.set(zmq::sockopt::linger, 0);
        prepare_for_endpoint(last, endpoint(), "cannot connect to ");
        Connections begun(open_->context, last);
        last.connect(endpoint());
        zmq::pollitem_t item{begun.handle(), 0, ZMQ_POLLIN, 0};
        zmq::poll(&item, 1, sending_at_the_end);
    } catch (const std::exception&) {
        // No memory for another socket. Earlier answers have most likely left.
    }
    if (!socket_file_.empty()) {
        std::error_code ignored;
        std::filesystem::remove(socket_file_, ignored);
    }
    // Keeps the open sockets reachable: a leak checker would report them otherwise.
    static Open* last_open = nullptr;
    open_->before = std::exchange(last_open, open_.get());
    (void)open_.release();
}

bool RequestSocket::wait(int descriptor, std::optional<std::chrono::milliseconds> timeout) {
    pollfd items[] = {{descriptor, POLLIN, 0},
                      {open_->socket.get(zmq::sockopt::fd), POLLIN, 0},
                      {open_->connections.descriptor(), POLLIN, 0}};
    const auto milliseconds = static_cast<int>(timeout ? std::min<std::int64_t>(timeout->count(), max_wait) : -1);
    poll(items, 3, milliseconds);
    if (items[2].revents != 0) {
        open_->connections.update();
    }
    return items[0].revents != 0;
}

bool RequestSocket::receive(ReceivedMessage& request) {
    frames_.clear();
    do {
        if (!open_->socket.recv(frames_.emplace_back(), zmq::recv_flags::none)) {
            return false;
        }
    } while (frames_.back().more());
    // The peer's own frames begin behind the first empty one; the very first frame is ZeroMQ's name of the peer.
    const auto last = frames_.end() - 1;
    const auto delimiter = std::find_if(std::min(frames_.begin() + 1, last), last,
                                        [](const zmq::message_t& frame) { return frame.empty(); });
    request.has_delimiter = delimiter != last;
    const auto first = request.has_delimiter ? delimiter + 1 : std::min(frames_.begin() + 1, last);
    request.envelope.clear();
    for (auto frame = frames_.begin(); frame != first; ++frame) {
        request.envelope.push_back(frame->to_string());
    }
    request.has_several_frames = first != last;
    request.frame = std::move(*first);
    return true;
}

void RequestSocket::answer(const ReceivedMessage& request, std::string_view frame) {
    for (const std::string& part : request.envelope) {
        open_->socket.send(zmq::buffer(part), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
    }
    open_->socket.send(zmq::buffer(frame), zmq::send_flags::dontwait);
}

}  // namespace batfill::transport
