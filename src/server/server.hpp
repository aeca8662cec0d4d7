#pragma once

#include <optional>
#include <string>

#include <spdlog/common.h>

#include <batfill/choice/written_scheduler.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/platform.hpp>

#include "src/choice/batsched_choice.hpp"
#include "src/formats/named_platform.hpp"
#include "src/options/options.hpp"
#include "src/support/log_lines.hpp"

namespace batfill {

struct ServerOptions {
    std::string endpoint = "tcp://127.0.0.1:28000";  // for WRENCH, ports above 65535 begin anew, as in ZeroMQ
    WrittenScheduler scheduler;
    std::optional<Platform> platform;          // for Session
    MachineDetails machine;                    // for Session
    std::string protocol;                      // name, as in make_codec(); empty: that of the peer
    bool serves_wrench = false;                // without `protocol`: WRENCH, too
    std::optional<BatschedRules> as_batsched;  // for WRENCH: Session::decide_as_batsched()
    bool keep_alive = false;                   // serve one simulation after another
    std::optional<Duration> idle_timeout;      // end if no message comes for this time
    std::string curve_secret_key;              // empty: hear anybody who can connect
    JoinedLogLines* log_lines = nullptr;       // if given, one line for all that a message gives cause to log
};

// Serves until the simulation has ended (with keep_alive: until a signal), or until SIGINT, SIGTERM or SIGHUP. The peer
// that begins a simulation is the only one served until the simulation ends or that peer's connection is lost. Messages
// of other peers are refused and change nothing. Logs a summary of each simulation.
// Throws:
// - UsageError if it cannot listen on the endpoint, or the protocol is unknown
// - InputError or UsageError after a message of the peer that cannot be answered; the peer has received a refusal then.
//   With keep_alive this ends the simulation, and the log says so; the server goes on.
// - DecisionError of an algorithm, whose peer has received a refusal
// - InputError in the middle of a simulation if it hears nothing for `idle_timeout`, or, without keep_alive, if the
//   peer has gone
void run_server(const ServerOptions& options);

// Declares the options of `batfill serve`, except scheduler, machine and key.
void add_connection_options(options::Options& options, ServerOptions& server);

void add_log_level_option(options::Options& options, spdlog::level::level_enum& level);

}  // namespace batfill
