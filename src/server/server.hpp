#pragma once

#include <optional>
#include <string>

#include <batfill/platform.hpp>
#include <batfill/scheduler_choice.hpp>

#include "protocol/codec.hpp"

namespace batfill {

struct ServerOptions {
    std::string endpoint;
    SchedulerChoice choice;
    std::optional<Platform> platform;                   // for Session
    std::string protocol = protocol::default_protocol;  // by its name, as in make_codec()
    bool keep_alive = false;                            // serve one simulation after another
};

// Serves until the simulation has ended (with keep_alive: until a signal), or SIGINT or SIGTERM comes. Logs a summary
// of each simulation. Throws UsageError if the endpoint cannot be listened on or the protocol is not known, InputError
// after a message that cannot be answered; its sender has then been sent a refusal.
void run_server(const ServerOptions& options);

}  // namespace batfill
