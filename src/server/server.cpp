#include "src/server/server.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

#include "protocol/codec.hpp"
#include "src/session/session.hpp"
#include "src/support/interruption.hpp"
#include "src/support/text.hpp"
#include "src/transport/request_socket.hpp"

namespace batfill {

namespace {

using Clock = std::chrono::steady_clock;

// How long the daemon waits for the peer's next message when it stops in the middle of a simulation.
constexpr std::chrono::seconds farewell{1};

// A lost peer counts as gone if nobody is connected for this long. ZeroMQ reconnects after 0.1 seconds.
constexpr std::chrono::seconds patience_with_lost_peer{5};

// A flood of messages must not keep the daemon from hearing signals.
constexpr int requests_between_signals = 64;

// A stranger must not be able to fill the log.
constexpr std::size_t max_strangers_logged = 10;

constexpr const char* stopped_by_signal = "the scheduler was stopped by a signal";
constexpr const char* stopped_in_simulation = "stopped by a signal in the middle of a simulation";
constexpr const char* not_enough_memory = "not enough memory for a message";
constexpr const char* expected_beginning =
    "expected the message that begins a simulation: SIMULATION_BEGINS of Batsim 4, or the first one of Batsim 5";

// Turns SIGINT, SIGTERM and SIGHUP into a descriptor to poll. A flag could miss a signal between two looks at it.
class StopSignals {
 public:
    StopSignals() {
        sigset_t stop;
        sigemptyset(&stop);
        sigaddset(&stop, SIGINT);
        sigaddset(&stop, SIGTERM);
        if (!is_ignored(SIGHUP)) {  // nohup ignores it
            sigaddset(&stop, SIGHUP);
        }
        pthread_sigmask(SIG_BLOCK, &stop, &before_);
        descriptor_ = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
    }
    ~StopSignals() {
        // Takes the pending signals: they would kill the process now.
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

// What users call a protocol.
std::string shown_protocol(const std::string& name) {
    return protocol::make_codec(name)->peer();
}

bool serves_wrench(const ServerOptions& options) {
    return options.protocol.empty() ? options.serves_wrench : options.protocol == protocol::wrench_protocol;
}

// WRENCH counts ports upwards without a limit. As in ZeroMQ, which both ends use there, they begin anew behind 65535.
std::string with_port_in_range(const std::string& endpoint) {
    const std::size_t colon = endpoint.rfind(':');
    const auto port = number_in<long>(std::string_view(endpoint).substr(colon == std::string::npos ? 0 : colon + 1));
    return endpoint.starts_with("tcp://") && port && *port > 65535
               ? endpoint.substr(0, colon + 1) + std::to_string(*port % 65536)
               : endpoint;
}

class Server {
 public:
    explicit Server(const ServerOptions& options)
        : options_(options),
          protocol_(options.protocol.empty() ? protocol::default_protocol : options.protocol),
          session_(new_session(protocol::make_codec(protocol_))),
          socket_(serves_wrench(options) ? with_port_in_range(options.endpoint) : options.endpoint,
                  options.curve_secret_key) {
        // The endpoint may leave the port open; the log shows the actual one.
        spdlog::info("listening on {}", socket_.endpoint());
    }

    void run() {
        last_heard_ = Clock::now();
        while (true) {
            int taken = 0;
            while (taken < requests_between_signals && socket_.receive(request_)) {
                ++taken;
                if (!take_request()) {
                    return;
                }
            }
            // Before waiting: the last update may have seen the loss already, and then nothing wakes wait().
            note_lost_peer();
            const bool more = taken == requests_between_signals;
            if (socket_.wait(signals_.descriptor(), more ? std::optional(std::chrono::milliseconds(0)) : time_left())) {
                stop();
                return;
            }
            if (const auto end = silence_limit(); end && Clock::now() >= *end) {
                idle();
                return;
            }
            note_lost_peer();
            if (!session_->running() || connection_) {
                socket_.connections().make_room(session_->running() ? connection_ : std::nullopt);
            }
            if (patience_ends_ && Clock::now() >= *patience_ends_) {
                log_summary();
                throw InputError("Batsim has gone in the middle of a simulation");
            }
        }
    }

 private:
    std::unique_ptr<Session> new_session(std::unique_ptr<protocol::Codec> codec) const {
        auto session = std::make_unique<Session>(options_.scheduler, std::move(codec),
                                                 options_.platform ? &*options_.platform : nullptr, options_.machine);
        if (options_.as_batsched) {
            session->decide_as_batsched(*options_.as_batsched);
        }
        return session;
    }

    void begin_anew(std::unique_ptr<protocol::Codec> codec) {
        session_.reset();
        session_ = new_session(std::move(codec));
        microseconds_.clear();
        peer_.clear();
    }

    // The instant at which the silence has lasted too long.
    std::optional<Clock::time_point> silence_limit() const {
        if (!options_.idle_timeout) {
            return std::nullopt;
        }
        return last_heard_ + std::chrono::microseconds(static_cast<long long>(options_.idle_timeout->count()));
    }

    // The time until the first time-out, and a millisecond more: it has passed then.
    std::optional<std::chrono::milliseconds> time_left() const {
        std::optional<Clock::time_point> end = patience_ends_;
        if (const auto idle = silence_limit()) {
            end = std::min(end.value_or(*idle), *idle);
        }
        if (!end) {
            return std::nullopt;
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*end - Clock::now());
        return std::max(left, std::chrono::milliseconds(0)) + std::chrono::milliseconds(1);
    }

    // Logs once that the peer of the simulation has gone. It may return over another connection, or another peer may
    // begin a simulation.
    void note_lost_peer() {
        if (session_->codec().has_connection_for_each_message()) {
            return;
        }
        if (session_->running() && !peer_is_lost_ && !socket_.connections().lives(connection_)) {
            peer_is_lost_ = true;
            spdlog::warn("the connection to Batsim is lost in the middle of a simulation");
        }
        const bool is_alone = session_->running() && peer_is_lost_ && !socket_.connections().any_lives();
        if (!is_alone || options_.keep_alive) {
            patience_ends_.reset();
        } else if (!patience_ends_) {
            patience_ends_ = Clock::now() + patience_with_lost_peer;
        }
    }

    // Answers the request. Returns false if this ended the simulation and with it the daemon.
    bool take_request() {
        const JoinedLogLines::Held held(options_.log_lines);
        const auto before = Clock::now();
        try {
            protocol::Message* const message = is_of_peer() ? &session_->codec().decode(frame()) : first_message();
            if (message == nullptr) {
                return true;
            }
            const std::string_view reply = session_->answer(*message);
            last_heard_ = Clock::now();
            microseconds_.push_back(std::chrono::duration<float, std::micro>(last_heard_ - before).count());
            socket_.answer(request_, reply);
        } catch (const Interrupted&) {
            spdlog::warn(stopped_in_simulation);
            refuse(stopped_by_signal);
            log_summary();
            return false;
        } catch (const std::bad_alloc&) {
            const std::size_t size = request_.frame.size();
            // Frees the memory of the message: the refusal and the error need some.
            request_.frame.rebuild();
            session_.reset();
            begin_anew(protocol::make_codec(protocol_));
            refuse(not_enough_memory);
            const std::string problem =
                std::string(not_enough_memory) + ", which has " + std::to_string(size) + " bytes";
            refuse_if<InputError>(!options_.keep_alive, problem);
            log_refused(problem);
            return true;
        } catch (const std::exception& problem) {
            refuse(one_line(problem.what()));
            if (!options_.keep_alive || !is_wrong_message(problem)) {
                throw;
            }
            log_refused(problem.what());
            if (!microseconds_.empty()) {
                log_summary();
            }
            begin_anew(protocol::make_codec(protocol_));
            return true;
        }
        if (session_->running() && peer_.empty() && !session_->codec().has_connection_for_each_message()) {
            peer_ = request_.envelope;
            socket_.connections().update();
            connection_ = socket_.connections().number_of(request_.frame);
            peer_is_lost_ = false;
        }
        if (session_->ended()) {
            log_summary();
            if (!options_.keep_alive) {
                return false;
            }
            begin_anew(protocol::make_codec(protocol_));
        }
        return true;
    }

    // Whether the request continues the simulation. Where nobody stays connected, all do that begin no other.
    bool is_of_peer() const {
        if (!request_.has_delimiter || !session_->running()) {
            return false;
        }
        return session_->codec().has_connection_for_each_message() ? !protocol::protocol_opened_by(frame())
                                                                   : request_.envelope == peer_;
    }

    // Whether the message is to blame, and not the algorithm.
    static bool is_wrong_message(const std::exception& problem) {
        return dynamic_cast<const InputError*>(&problem) != nullptr ||
               dynamic_cast<const UsageError*>(&problem) != nullptr;
    }
    static void log_refused(const std::string& problem) { spdlog::error("the simulation is refused: {}", problem); }

    // Decodes a message of a sender that is not the peer yet. A sender that begins a simulation becomes the peer. If
    // the peer is lost, so does a sender that continues the simulation: the peer may have reconnected. Refuses all
    // others, and then returns null.
    protocol::Message* first_message() {
        try {
            refuse_if<InputError>(!request_.has_delimiter,
                                  "expected a REQ socket, which puts an empty frame before each message");
            if (session_->running()) {
                socket_.connections().update();
                note_lost_peer();
                refuse_if<InputError>(!peer_is_lost_ || session_->codec().has_connection_for_each_message(),
                                      "this scheduler is in the middle of another simulation");
            }
            if (protocol::Message* const beginning = beginning_message()) {
                return beginning;
            }
            refuse_if<InputError>(!session_->running(), expected_beginning);
            protocol::Message& message = session_->codec().decode(frame());
            spdlog::warn("the simulation goes on over another connection");
            peer_.clear();
            return &message;
        } catch (const InputError& problem) {
            refuse_stranger(problem.what());
            if (++strangers_ <= max_strangers_logged) {
                spdlog::warn("a message of somebody else is refused: {}{}", problem.what(),
                             strangers_ == max_strangers_logged ? " (no more of these are logged)" : "");
            }
            return nullptr;
        }
    }

    // If the request begins a simulation in an allowed protocol, ends the old one and prepares the new one.
    protocol::Message* beginning_message() {
        const std::optional<std::string> opened = protocol::protocol_opened_by(frame());
        if (!opened) {
            return nullptr;
        }
        refuse_if<InputError>(
            options_.protocol.empty() && opened == protocol::wrench_protocol && !options_.serves_wrench,
            "a message of WRENCH, which starts its scheduler itself: expected batfill batsched, or "
            "--protocol wrench");
        refuse_if<InputError>(!options_.protocol.empty() && opened != options_.protocol, [&] {
            return "this scheduler serves " + shown_protocol(options_.protocol) + " only, found a message of " +
                   shown_protocol(*opened);
        });
        std::unique_ptr<protocol::Codec> codec = protocol::make_codec(*opened);
        protocol::Message& message = codec->decode(frame());
        if (message.events.empty() || !(std::holds_alternative<protocol::SimulationBegins>(message.events[0].data) ||
                                        std::holds_alternative<protocol::Init>(message.events[0].data))) {
            return nullptr;
        }
        if (session_->running()) {
            spdlog::warn("the simulation whose peer is lost ends, as another begins");
            log_summary();
        }
        protocol_ = *opened;
        begin_anew(std::move(codec));
        return &message;
    }

    std::string_view frame() const {
        refuse_if<InputError>(request_.has_several_frames, "a message of several frames, expected one frame");
        return request_.frame.to_string_view();
    }

    void stop() {
        if (!session_->running()) {
            spdlog::info("stopped by a signal");
            return;
        }
        spdlog::warn(stopped_in_simulation);
        dismiss(stopped_by_signal);
        log_summary();
    }

    // Ends the daemon after too long a silence.
    void idle() {
        const std::string what = "no message for " + options_.idle_timeout->to_shortest_string() + " seconds";
        if (!session_->running()) {
            spdlog::info(what);
            return;
        }
        dismiss(what);
        log_summary();
        throw InputError(what + " in the middle of a simulation");
    }

    // Answers the peer's next message, if it comes soon. Otherwise the peer would wait for ever.
    void dismiss(const std::string& why) {
        const auto limit = Clock::now() + farewell;
        while (!peer_is_lost_ && Clock::now() < limit) {
            if (socket_.receive(request_)) {  // a stranger may send more than can be read until the limit
                refuse(why);
                if (request_.envelope == peer_) {
                    return;
                }
                continue;
            }
            constexpr int no_descriptor = -1;
            socket_.wait(no_descriptor, std::chrono::milliseconds(10));
            note_lost_peer();
        }
    }

    void log_summary() {
        std::ranges::sort(microseconds_);
        const auto quantile = [&](double share) {
            const std::size_t last = microseconds_.size() - 1;
            return microseconds_[static_cast<std::size_t>(share * static_cast<double>(last))];
        };
        spdlog::info(
            "{} jobs ({} rejected), {} messages; microseconds per message: median {:.1f}, p99 {:.1f}, max {:.1f}",
            session_->jobs(), session_->rejected(), microseconds_.size(), quantile(0.5), quantile(0.99), quantile(1));
        session_->log_statistics();
    }

    void refuse(const std::string& why) { refuse(why, session_->codec()); }
    // A sender that begins a simulation hears the refusal in its own protocol.
    void refuse_stranger(const std::string& why) {
        const std::string_view frame = request_.frame.to_string_view();
        const std::optional<std::string> opened = protocol::protocol_opened_by(frame);
        if (!opened) {
            refuse(why);
            return;
        }
        const std::unique_ptr<protocol::Codec> codec = protocol::make_codec(*opened);
        try {
            codec->decode(frame);  // replies to Batsim 5 depend on it
        } catch (const InputError&) {
        }
        refuse(why, *codec);
    }
    void refuse(const std::string& why, protocol::Codec& codec) {
        std::string text;
        codec.encode_refusal(why, text);
        socket_.answer(request_, text);
    }

    const ServerOptions& options_;
    StopSignals signals_;   // must come before the socket, whose threads inherit the mask of signals
    std::string protocol_;  // the one that is spoken now
    std::unique_ptr<Session> session_;
    transport::RequestSocket socket_;
    transport::ReceivedMessage request_;
    std::vector<float> microseconds_;  // from the arrival of each message of this simulation to its reply
    Clock::time_point last_heard_;
    std::size_t strangers_ = 0;

    // Of the current simulation:
    std::vector<std::string> peer_;  // the envelope of its requests
    std::optional<transport::Connections::Number> connection_;
    bool peer_is_lost_ = false;
    // When a lost peer counts as gone; none while anybody is connected, and with keep_alive: another peer may begin a
    // simulation at any time.
    std::optional<Clock::time_point> patience_ends_;
};

}  // namespace

void run_server(const ServerOptions& options) {
    Server(options).run();
}

}  // namespace batfill
