#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <batfill/engine/parameters.hpp>
#include <batfill/formats/platform.hpp>

namespace batfill {

struct ServerOptions {
    std::string endpoint;
    SchedulerChoice choice;
    std::optional<Platform> platform;                  // for Session
    std::string protocol;                              // by its name, as in make_codec(); empty: that of the peer
    bool keep_alive = false;                           // serve one simulation after another
    std::optional<std::chrono::seconds> idle_timeout;  // end if no message comes for so long
    std::string curve_secret_key;                      // empty: anybody who can connect is heard
};

// Serves until the simulation has ended (with keep_alive: until a signal), or SIGINT or SIGTERM comes. Whoever begins a
// simulation is the only peer that is served until the simulation ends or the peer's connection is lost; what others
// send is refused and changes nothing. Logs a summary of each simulation. Throws UsageError if the endpoint cannot be
// listened on or the protocol is not known. Throws InputError after a message of the peer that cannot be answered; the
// peer has been sent a refusal then. In the middle of a simulation, throws InputError also if nothing is heard for
// `idle_timeout`, or if the peer has gone (not with keep_alive).
void run_server(const ServerOptions& options);

}  // namespace batfill
