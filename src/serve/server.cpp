#include "server.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <vector>

#include <batfill/error.hpp>
#include <spdlog/spdlog.h>
#include <zmq.hpp>

#include "session.hpp"

namespace batfill {

namespace {

using Clock = std::chrono::steady_clock;

// How long a peer in the middle of a simulation gets to send the message whose answer tells it to stop.
constexpr std::chrono::seconds farewell{1};

// SIGINT and SIGTERM as something to poll for, so that none is missed between two looks at a flag.
class StopSignals {
   public:
    StopSignals() {
        sigset_t stop;
        sigemptyset(&stop);
        sigaddset(&stop, SIGINT);
        sigaddset(&stop, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &stop, &before_);
        descriptor_ = signalfd(-1, &stop, SFD_CLOEXEC);
    }
    ~StopSignals() {
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
        spdlog::info("{} jobs ({} rejected), {} messages; microseconds per message: median {:.1f}, p99 {:.1f}, "
                     "max {:.1f}",
                     session.jobs(), session.rejected(), microseconds_.size(), quantile(0.5), quantile(0.99),
                     quantile(1));
    }

   private:
    std::vector<float> microseconds_;
};

std::string bindable(const std::string& endpoint) {
    // Batsim's documentation speaks of localhost, which can be connected to but not listened on.
    const std::string name = "tcp://localhost:";
    return endpoint.rfind(name, 0) == 0 ? "tcp://127.0.0.1:" + endpoint.substr(name.size()) : endpoint;
}

class Server {
   public:
    explicit Server(const ServerOptions& options)
        : options_(options), socket_(context_, zmq::socket_type::rep), codec_(protocol::make_batsim4_codec()) {
        socket_.set(zmq::sockopt::linger, 2000);  // lets the last reply leave
        try {
            socket_.bind(bindable(options.endpoint));
        } catch (const zmq::error_t& problem) {
            throw UsageError("cannot listen on " + options.endpoint + ": " +
                             (problem.num() == EADDRINUSE ? "it is in use, perhaps by another scheduler"
                                                          : problem.what()));
        }
        spdlog::info("listening on {}", options.endpoint);
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
        Session session(options_.choice, *codec_);
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
                socket_.send(zmq::buffer(refusal(problem.what())), zmq::send_flags::none);
                throw;
            }
        }
        timings.log(session);
        return true;
    }

    // Waits for a message; false if a signal came first.
    bool wait() {
        zmq::pollitem_t items[] = {{nullptr, signals_.descriptor(), ZMQ_POLLIN, 0},
                                   {socket_.handle(), 0, ZMQ_POLLIN, 0}};
        zmq::poll(items, 2);
        return (items[0].revents & ZMQ_POLLIN) == 0;
    }

    // The message, which has come; valid until the next call.
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
            socket_.send(zmq::buffer(refusal(why)), zmq::send_flags::none);
        }
    }

    const ServerOptions& options_;
    StopSignals signals_;  // before the context: its threads inherit the mask
    zmq::context_t context_;
    zmq::socket_t socket_;
    zmq::message_t message_;
    std::unique_ptr<protocol::Codec> codec_;
};

}  // namespace

void run_server(const ServerOptions& options) { Server(options).run(); }

}  // namespace batfill
