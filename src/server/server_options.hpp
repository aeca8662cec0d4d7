#pragma once

#include <spdlog/common.h>

#include "src/options/options.hpp"
#include "src/server/server.hpp"

// The options of a daemon, whoever gives their values: a command line, or a call.
namespace batfill {

// Declares the options of `batfill serve`, except scheduler, machine and key.
void add_connection_options(options::Options& options, ServerOptions& server);

// Declares --log-level.
void add_log_level_option(options::Options& options, spdlog::level::level_enum& level);

}  // namespace batfill
