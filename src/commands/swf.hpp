#pragma once

#include <iosfwd>
#include <optional>

#include <batfill/workloads/swf_conversion.hpp>

#include "command.hpp"
#include "options.hpp"

namespace batfill::commands {

// What the options of `batfill swf` say.
struct SwfOptions {
    LogConversion conversion;
    bool prints_json = false;
};

// None after printing the help. Throws UsageError.
std::optional<SwfOptions> parse_swf_options(const Arguments& arguments, OptionsFrom origin = OptionsFrom::command_line);

// What was dropped and what was kept, for people or as JSON.
void print_converted_log(const ConvertedLog& result, const SwfOptions& options, std::ostream& out);

}  // namespace batfill::commands
