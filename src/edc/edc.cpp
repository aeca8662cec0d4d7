#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>

#include "protocol/codec.hpp"
#include "src/edc/batsim_edc.hpp"
#include "src/session/session.hpp"
#include "src/support/log_lines.hpp"

namespace {

using namespace batfill;

// Logs to the standard error stream while it lives, as the standard output is Batsim's. The logger must not outlive the
// library, which Batsim unloads.
class Log {
 public:
    Log() : before_(spdlog::default_logger()) {
        auto log = std::make_shared<spdlog::logger>("batfill", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        log->set_formatter(log_lines());
        spdlog::set_default_logger(std::move(log));
    }
    ~Log() { spdlog::set_default_logger(before_); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

 private:
    std::shared_ptr<spdlog::logger> before_;
};

// A simulation of the Batsim that has loaded this library.
struct LoggedSession {
    Log log;
    Session session{{}, protocol::make_codec("batsim5")};
};

// Between init and deinit, unless there was an error.
std::unique_ptr<LoggedSession> simulation;

// Not with std::cerr: loaded with RTLD_DEEPBIND, as by Batsim, a library sees another one than the program, which
// nobody has initialised.
void say(const char* problem) {
    static_cast<void>(std::fprintf(stderr, "batfill: %s\n", problem));
}

// Calls work(), whose errors end the simulation.
std::uint8_t attempt(auto work) noexcept {
    try {
        work();
        return 0;
    } catch (const std::bad_alloc&) {
        say("not enough memory");
    } catch (const std::exception& problem) {
        say(problem.what());
    } catch (...) {
        say("an error that says nothing about itself");
    }
    simulation.reset();
    return 1;
}

std::string_view text_at(const std::uint8_t* data, std::uint32_t size) {
    return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

// The caller does not change the reply.
void hand_over(std::string_view reply, std::uint8_t** data, std::uint32_t* size) {
    *data = reinterpret_cast<std::uint8_t*>(const_cast<char*>(reply.data()));
    *size = static_cast<std::uint32_t>(reply.size());
}

}  // namespace

std::uint8_t batsim_edc_init(const std::uint8_t* init_data, std::uint32_t init_size, std::uint32_t* flags,
                             std::uint8_t** reply_data, std::uint32_t* reply_size) {
    return attempt([&] {
        refuse_if(simulation != nullptr, "batsim_edc_init: expected once in a simulation");
        simulation = std::make_unique<LoggedSession>();
        // What is said over a socket and by calls is the same, except for the first exchange. Over a socket, a number
        // precedes its texts: the size of the user's text, and the format of messages.
        protocol::Message first{Time(), {{Time(), protocol::Init{std::string(text_at(init_data, init_size))}}}};
        const std::string_view reply = simulation->session.answer(first);
        std::memcpy(flags, reply.data(), sizeof(*flags));
        hand_over(reply.substr(sizeof(*flags)), reply_data, reply_size);
    });
}

std::uint8_t batsim_edc_take_decisions(const std::uint8_t* what_happened, std::uint32_t what_happened_size,
                                       std::uint8_t** decisions, std::uint32_t* decisions_size) {
    return attempt([&] {
        refuse_if(simulation == nullptr,
                  "batsim_edc_take_decisions: expected after batsim_edc_init, and not after an error");
        Session& session = simulation->session;
        hand_over(session.answer(text_at(what_happened, what_happened_size)), decisions, decisions_size);
        if (session.ended()) {
            spdlog::info("{} jobs ({} rejected)", session.jobs(), session.rejected());
            session.log_statistics();
        }
    });
}

std::uint8_t batsim_edc_deinit() {
    simulation.reset();
    return 0;
}
