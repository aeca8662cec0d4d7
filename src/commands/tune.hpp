#pragma once

#include <optional>

#include "options.hpp"
#include "src/support/command_line.hpp"
#include "src/tuning/tune.hpp"

namespace batfill::commands {

// The options of `batfill tune`. Returns none after printing the help. Loads the plugins that the options name.
// Throws: UsageError; InputError for policy files and plugins that cannot be read.
std::optional<TuneRequest> parse_tune_options(const Arguments& arguments,
                                              OptionsFrom origin = OptionsFrom::command_line);

}  // namespace batfill::commands
