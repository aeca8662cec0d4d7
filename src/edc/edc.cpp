#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>

#include "batsim_edc.hpp"
#include "protocol/codec.hpp"
#include "src/session/session.hpp"

namespace {

using namespace batfill;

// Logs to the standard error stream while it lives, as the standard output is Batsim's. The logger must not outlive the
// library, which Batsim unloads.
class Log {
 public:
    Log() : before_(spdlog::default_logger()) {
        auto log = std::make_shared<spdlog::logger>("batfill", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        log->set_pattern("batfill: %l: %v");
        spdlog::set_default_logger(std::move(log));
    }
    ~Log() { spdlog::set_default_logger(before_); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

 private:
    std::shared_ptr<spdlog::logger> before_;
};

// A simulation of the Batsim that has loaded this library. What is said over a socket and by calls is the same, but
// that a number stands before the texts of the first exchange there: the size of the user's text, and the format of
// messages.
class Simulation {
 public:
    // Returns the format, and leaves the rest of the reply to reply().
    std::uint32_t greet(std::string_view text) {
        protocol::Message first{Time(), {{Time(), protocol::Init{std::string(text)}}}};
        std::uint32_t format = 0;
        const std::string_view hello = session_.answer(first);
        std::memcpy(&format, hello.data(), sizeof(format));
        reply_.assign(hello.substr(sizeof(format)));
        return format;
    }

    void answer(std::string_view message) {
        reply_.assign(session_.answer(message));
        if (session_.ended()) {
            spdlog::info("{} jobs ({} rejected)", session_.jobs(), session_.rejected());
            if (const std::vector<Statistic> statistics = session_.statistics(); !statistics.empty()) {
                spdlog::info("statistics: {}", text_of(statistics));
            }
        }
    }

    std::string& reply() { return reply_; }

 private:
    Log log_;
    Session session_{{}, protocol::make_codec("batsim5")};
    std::string reply_;
};

// Between init and deinit, unless there was an error.
std::unique_ptr<Simulation> simulation;

// Not with std::cerr: loaded with RTLD_DEEPBIND, as by Batsim, a library sees another one than the program, which
// nobody has initialised.
void say(const char* problem) {
    static_cast<void>(std::fputs(("batfill: " + std::string(problem) + "\n").c_str(), stderr));
}

// Calls work(), whose errors end the simulation.
template <class Work>
std::uint8_t attempt(Work work) noexcept {
    try {
        try {
            work();
            return 0;
        } catch (const std::bad_alloc&) {
            simulation.reset();
            say("not enough memory");
        } catch (const std::exception& problem) {
            simulation.reset();
            say(problem.what());
        }
    } catch (...) {
        simulation.reset();
        static_cast<void>(std::fputs("batfill: an error that says nothing about itself\n", stderr));
    }
    return 1;
}

std::string_view text_at(const std::uint8_t* data, std::uint32_t size) {
    return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

void hand_over(std::string& reply, std::uint8_t** data, std::uint32_t* size) {
    *data = reinterpret_cast<std::uint8_t*>(reply.data());
    *size = static_cast<std::uint32_t>(reply.size());
}

}  // namespace

std::uint8_t batsim_edc_init(const std::uint8_t* init_data, std::uint32_t init_size, std::uint32_t* flags,
                             std::uint8_t** reply_data, std::uint32_t* reply_size) {
    return attempt([&] {
        if (simulation) {
            throw UsageError("batsim_edc_init: expected once in a simulation");
        }
        simulation = std::make_unique<Simulation>();
        *flags = simulation->greet(text_at(init_data, init_size));
        hand_over(simulation->reply(), reply_data, reply_size);
    });
}

std::uint8_t batsim_edc_take_decisions(const std::uint8_t* what_happened, std::uint32_t what_happened_size,
                                       std::uint8_t** decisions, std::uint32_t* decisions_size) {
    return attempt([&] {
        if (!simulation) {
            throw UsageError("batsim_edc_take_decisions: expected after batsim_edc_init, and not after an error");
        }
        simulation->answer(text_at(what_happened, what_happened_size));
        hand_over(simulation->reply(), decisions, decisions_size);
    });
}

std::uint8_t batsim_edc_deinit() {
    simulation.reset();
    return 0;
}
