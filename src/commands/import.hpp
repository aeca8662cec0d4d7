#pragma once

#include <optional>

#include "command.hpp"
#include "conversion_options.hpp"
#include "options.hpp"

namespace batfill::commands {

// Returns none after printing the help.
// Throws: UsageError.
std::optional<ConversionOptions> parse_import_options(const Arguments& arguments,
                                                      OptionsFrom origin = OptionsFrom::command_line);

}  // namespace batfill::commands
