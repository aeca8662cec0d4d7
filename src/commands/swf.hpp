#pragma once

#include <iosfwd>
#include <optional>

#include <batfill/workloads/swf_conversion.hpp>

#include "command.hpp"
#include "options.hpp"

namespace batfill::commands {

// The options of `batfill swf`.
struct SwfOptions {
    LogConversion conversion;
    bool prints_json = false;
};

// Returns none after printing the help.
// Throws: UsageError.
std::optional<SwfOptions> parse_swf_options(const Arguments& arguments, OptionsFrom origin = OptionsFrom::command_line);

// Prints what the conversion dropped and kept, for people or as JSON.
void print_converted_log(const ConvertedLog& result, const SwfOptions& options, std::ostream& out);

}  // namespace batfill::commands
