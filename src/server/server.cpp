#include "server.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <batfill/error.hpp>

#include "protocol/codec.hpp"
#include "request_socket.hpp"
#include "session.hpp"
#include "src/core/interruption.hpp"

namespace batfill {

namespace {

using Clock = std::chrono::steady_clock;

// How long a peer in the middle of a simulation gets to send the message whose answer tells it to stop.
constexpr std::chrono::seconds farewell{1};

// A flood of messages must not keep the daemon from hearing signals.
constexpr int requests_between_signals = 64;

// A stranger must not be able to fill the log.
constexpr std::size_t max_strangers_logged = 10;

constexpr const char* stopped_by_signal = "the scheduler was stopped by a signal";
constexpr const char* stopped_in_simulation = "stopped by a signal in the middle of a simulation";
constexpr const char* not_enough_memory = "not enough memory for a message";

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

class Server {
 public:
    explicit Server(const ServerOptions& options)
        : options_(options),
          protocol_(options.protocol.empty() ? protocol::default_protocol : options.protocol),
          codec_(protocol::make_codec(protocol_)),
          socket_(options.endpoint, options.curve_secret_key) {
        // If the endpoint leaves the port open, this tells which one it is.
        spdlog::info("listening on {}", socket_.endpoint());
        begin_anew();
    }

    void run() {
        last_heard_ = Clock::now();
        while (true) {
            int taken = 0;
            while (taken < requests_between_signals && socket_.receive(request_)) {
                ++taken;
                if (!is_stranger() && !take_request()) {
                    return;
                }
            }
            // Before waiting: whoever looked at the connections last may have seen the loss, which then wakes nobody.
            note_lost_peer();
            const bool more = taken == requests_between_signals;
            if (socket_.wait(signals_.descriptor(), more ? std::optional(std::chrono::milliseconds(0)) : time_left())) {
                stop();
                return;
            }
            if (options_.idle_timeout && Clock::now() - last_heard_ >= *options_.idle_timeout) {
                idle();
                return;
            }
        }
    }

 private:
    void begin_anew() {
        session_.emplace(options_.choice, *codec_, options_.platform ? &*options_.platform : nullptr);
        timings_ = Timings();
        peer_.clear();
    }

    // Until the time-out. The millisecond more makes sure that it is over then.
    std::optional<std::chrono::milliseconds> time_left() const {
        if (!options_.idle_timeout) {
            return std::nullopt;
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(last_heard_ + *options_.idle_timeout - Clock::now());
        return std::max(left, std::chrono::milliseconds(0)) + std::chrono::milliseconds(1);
    }

    // Logs once that the peer of the simulation has gone. It may be back over another connection, or another may begin.
    void note_lost_peer() {
        if (session_->running() && !peer_is_lost_ && !socket_.lives(connection_)) {
            peer_is_lost_ = true;
            spdlog::warn("the connection to Batsim is lost in the middle of a simulation");
        }
    }

    // Whether the request is of somebody who is not served now; then it has been refused.
    bool is_stranger() {
        if (!request_.has_delimiter) {
            refuse_stranger("expected a REQ socket, which puts an empty frame before each message");
            return true;
        }
        if (!session_->running() || request_.envelope == peer_) {
            return false;
        }
        socket_.look_at_connections();
        note_lost_peer();
        if (!peer_is_lost_) {
            refuse_stranger("this scheduler is in the middle of another simulation");
            return true;
        }
        return false;
    }

    void refuse_stranger(const char* why) {
        refuse(why);
        if (++strangers_ <= max_strangers_logged) {
            spdlog::warn("a message of somebody else is refused: {}{}", why,
                         strangers_ == max_strangers_logged ? " (no more of these are logged)" : "");
        }
    }

    // Answers. Returns false if that was the end of the simulation and of the daemon.
    bool take_request() {
        const auto before = Clock::now();
        try {
            if (session_->running() && request_.envelope != peer_) {
                take_over();
            } else if (!session_->running()) {
                speak(opened_protocol().value_or(protocol_));
            }
            const std::string_view reply = session_->answer(frame());
            last_heard_ = Clock::now();
            timings_.add(last_heard_ - before);
            socket_.answer(request_, reply);
        } catch (const Interrupted&) {
            spdlog::warn(stopped_in_simulation);
            refuse(stopped_by_signal);
            timings_.log(*session_);
            return false;
        } catch (const std::bad_alloc&) {
            const std::size_t size = request_.frame.size();
            // What the message took up so far is needed for the refusal, and for the error.
            request_.frame.rebuild();
            session_.reset();
            codec_.reset();
            codec_ = protocol::make_codec(protocol_);
            refuse(not_enough_memory);
            throw InputError(std::string(not_enough_memory) + ", which has " + std::to_string(size) + " bytes");
        } catch (const std::exception& problem) {
            refuse(one_line(problem.what()));
            throw;
        }
        if (session_->running() && peer_.empty()) {
            peer_ = request_.envelope;
            connection_ = socket_.connection_of(request_);
            peer_is_lost_ = false;
        }
        if (session_->ended()) {
            timings_.log(*session_);
            if (!options_.keep_alive) {
                return false;
            }
            begin_anew();
        }
        return true;
    }

    // The protocol in which the request opens a simulation, if it does so in one that may be spoken.
    std::optional<std::string> opened_protocol() const {
        std::optional<std::string> opened = protocol::protocol_opened_by(frame());
        if (!options_.protocol.empty() && opened != options_.protocol) {
            opened.reset();
        }
        return opened;
    }

    // Requires that no simulation is running.
    void speak(const std::string& protocol) {
        if (protocol != protocol_) {
            protocol_ = protocol;
            session_.reset();
            codec_ = protocol::make_codec(protocol_);
            begin_anew();
        }
    }

    // The peer of the simulation is lost, and another connection has something to say: either it begins a simulation,
    // or the peer had to connect again.
    void take_over() {
        if (const std::optional<std::string> opened = opened_protocol()) {
            spdlog::warn("the simulation whose peer is lost ends, as another begins");
            timings_.log(*session_);
            begin_anew();
            speak(*opened);
        } else {
            spdlog::warn("the simulation goes on over another connection");
            peer_.clear();
        }
    }

    std::string_view frame() const {
        if (request_.has_several_frames) {
            throw InputError("a message of several frames, expected one frame of JSON");
        }
        return request_.frame.to_string_view();
    }

    void stop() {
        if (!session_->running()) {
            spdlog::info("stopped by a signal");
            return;
        }
        spdlog::warn(stopped_in_simulation);
        dismiss(stopped_by_signal);
        timings_.log(*session_);
    }

    // Nothing was heard for too long.
    void idle() {
        const std::string what = "no message for " + std::to_string(options_.idle_timeout->count()) + " seconds";
        if (!session_->running()) {
            spdlog::info(what);
            return;
        }
        dismiss(what);
        timings_.log(*session_);
        throw InputError(what + " in the middle of a simulation");
    }

    // Answers the peer's next message, if it comes soon, so that it does not wait for ever.
    void dismiss(const std::string& why) {
        const auto limit = Clock::now() + farewell;
        while (!peer_is_lost_ && Clock::now() < limit) {
            while (socket_.receive(request_)) {
                refuse(why);
                if (request_.envelope == peer_) {
                    return;
                }
            }
            constexpr int no_descriptor = -1;
            socket_.wait(no_descriptor, std::chrono::milliseconds(10));
            note_lost_peer();
        }
    }

    void refuse(const std::string& why) {
        std::string text;
        codec_->encode_refusal(why, text);
        socket_.answer(request_, text);
    }

    const ServerOptions& options_;
    StopSignals signals_;   // must come before the socket, whose threads inherit the mask of signals
    std::string protocol_;  // the one that is spoken now
    std::unique_ptr<protocol::Codec> codec_;
    RequestSocket socket_;
    ReceivedMessage request_;
    std::optional<Session> session_;
    Timings timings_;
    Clock::time_point last_heard_;
    std::size_t strangers_ = 0;

    // Of the simulation that runs:
    std::vector<std::string> peer_;  // the envelope of its requests
    std::optional<protocol::Connections::Number> connection_;
    bool peer_is_lost_ = false;
};

}  // namespace

void run_server(const ServerOptions& options) {
    Server(options).run();
}

}  // namespace batfill
