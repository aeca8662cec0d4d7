#include "server.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.hpp>

#include <batfill/error.hpp>

#include "session.hpp"

namespace batfill {

namespace {

using Clock = std::chrono::steady_clock;

// How long a peer in the middle of a simulation gets to send the message whose answer tells it to stop.
constexpr std::chrono::seconds farewell{1};

constexpr const char* in_use = "it is in use, perhaps by another scheduler";

// Turns SIGINT and SIGTERM into something to poll for, so that none is missed between two looks at a flag.
class StopSignals {
 public:
    StopSignals() {
        sigset_t stop;
        sigemptyset(&stop);
        sigaddset(&stop, SIGINT);
        sigaddset(&stop, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &stop, &before_);
        descriptor_ = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
    }
    ~StopSignals() {
        // The signals that came have done their work; if they were left pending, they would kill the process now.
        signalfd_siginfo taken;
        while (read(descriptor_, &taken, sizeof(taken)) > 0) {
        }
        close(descriptor_);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    int descriptor() const { return descriptor_; }

 private:
    int descriptor_;
    sigset_t before_{};
};

// The time that each message took, from its arrival to the reply.
class Timings {
 public:
    void add(Clock::duration duration) {
        microseconds_.push_back(std::chrono::duration<float, std::micro>(duration).count());
    }
    void log(const Session& session) {
        std::sort(microseconds_.begin(), microseconds_.end());
        const auto quantile = [&](double share) {
            const std::size_t last = microseconds_.size() - 1;
            return microseconds_[static_cast<std::size_t>(share * static_cast<double>(last))];
        };
        spdlog::info(
            "{} jobs ({} rejected), {} messages; microseconds per message: median {:.1f}, p99 {:.1f}, "
            "max {:.1f}",
            session.jobs(), session.rejected(), microseconds_.size(), quantile(0.5), quantile(0.99), quantile(1));
        if (const std::vector<Statistic> statistics = session.statistics(); !statistics.empty()) {
            spdlog::info("statistics: {}", text_of(statistics));
        }
    }

 private:
    std::vector<float> microseconds_;
};

std::string bindable(const std::string& endpoint) {
    // Batsim's documentation speaks of localhost, which can be connected to but not listened on.
    const std::string name = "tcp://localhost:";
    return endpoint.rfind(name, 0) == 0 ? "tcp://127.0.0.1:" + endpoint.substr(name.size()) : endpoint;
}

// ZeroMQ would accept any number, negative ones too, and take it modulo 65536.
void check_port(const std::string& endpoint) {
    const std::string port = endpoint.substr(endpoint.rfind(':') + 1);
    const bool is_number =
        !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
    if (endpoint.rfind("tcp://", 0) == 0 && port != "*" && (!is_number || std::stoi(port) > 65535)) {
        throw UsageError("cannot listen on " + endpoint + ": expected a port from 0 to 65535, or *");
    }
}

// ZeroMQ replaces whatever file it finds at the path of an ipc endpoint, even a socket at which another process
// listens. Only the socket file that a killed process left may go.
void check_path(const std::string& endpoint) {
    const std::string scheme = "ipc://";
    if (endpoint.rfind(scheme, 0) != 0) {
        return;
    }
    const std::string path = endpoint.substr(scheme.size());
    sockaddr_un address{};
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (!std::filesystem::exists(status) || path.size() >= sizeof(address.sun_path)) {
        return;
    }
    if (!std::filesystem::is_socket(status)) {
        throw UsageError("cannot listen on " + endpoint + ": there is a file that is not a socket");
    }
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool someone_listens = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(probe);
    if (someone_listens) {
        throw UsageError("cannot listen on " + endpoint + ": " + in_use);
    }
}

class Server {
 public:
    explicit Server(const ServerOptions& options)
        : options_(options), socket_(context_, zmq::socket_type::rep), codec_(protocol::make_codec(options.protocol)) {
        socket_.set(zmq::sockopt::linger, 2000);  // milliseconds, so that the last reply leaves
        check_port(options.endpoint);
        check_path(options.endpoint);
        try {
            socket_.bind(bindable(options.endpoint));
        } catch (const zmq::error_t& problem) {
            throw UsageError("cannot listen on " + options.endpoint + ": " +
                             (problem.num() == EADDRINUSE ? in_use : problem.what()));
        }
        // If the endpoint leaves the port open, this tells which one it is.
        spdlog::info("listening on {}", socket_.get(zmq::sockopt::last_endpoint));
    }

    void run() {
        do {
            if (!serve_simulation()) {
                return;
            }
        } while (options_.keep_alive);
    }

 private:
    // Returns false if a signal came.
    bool serve_simulation() {
        Session session(options_.choice, *codec_, options_.platform ? &*options_.platform : nullptr);
        Timings timings;
        while (!session.ended()) {
            if (!wait()) {
                if (session.running()) {
                    spdlog::warn("stopped by a signal in the middle of a simulation");
                    dismiss("the scheduler was stopped by a signal");
                    timings.log(session);
                } else {
                    spdlog::info("stopped by a signal");
                }
                return false;
            }
            const auto before = Clock::now();
            try {
                const std::string_view reply = session.answer(receive());
                timings.add(Clock::now() - before);
                socket_.send(zmq::buffer(reply), zmq::send_flags::none);
            } catch (const std::exception& problem) {
                refuse(problem.what());
                throw;
            }
        }
        timings.log(session);
        return true;
    }

    // Waits for a message. Returns false if a signal came first.
    bool wait() {
        zmq::pollitem_t items[] = {{nullptr, signals_.descriptor(), ZMQ_POLLIN, 0},
                                   {socket_.handle(), 0, ZMQ_POLLIN, 0}};
        zmq::poll(items, 2);
        return (items[0].revents & ZMQ_POLLIN) == 0;
    }

    // Receives the message that has come; valid until the next call.
    std::string_view receive() {
        (void)socket_.recv(message_, zmq::recv_flags::none);
        if (message_.more()) {
            while (message_.more()) {
                (void)socket_.recv(message_, zmq::recv_flags::none);
            }
            throw InputError("a message of several frames, expected one frame of JSON");
        }
        return message_.to_string_view();
    }

    // Answers the peer's next message, if it comes soon, so that it does not wait for ever.
    void dismiss(const std::string& why) {
        zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
        if (zmq::poll(&item, 1, farewell) > 0) {
            (void)socket_.recv(message_, zmq::recv_flags::none);
            refuse(why);
        }
    }

    void refuse(const std::string& why) {
        std::string frame;
        codec_->encode_refusal(why, frame);
        socket_.send(zmq::buffer(frame), zmq::send_flags::none);
    }

    const ServerOptions& options_;
    StopSignals signals_;  // must come before the context, whose threads inherit the mask of signals
    zmq::context_t context_;
    zmq::socket_t socket_;
    zmq::message_t message_;
    std::unique_ptr<protocol::Codec> codec_;
};

}  // namespace

void run_server(const ServerOptions& options) {
    Server(options).run();
}

}  // namespace batfill
