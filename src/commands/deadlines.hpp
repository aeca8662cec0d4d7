#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include <batfill/workloads/deadlines.hpp>

#include "command.hpp"
#include "options.hpp"

namespace batfill::commands {

// The options of `batfill deadlines`.
struct DeadlineOptions {
    DeadlineDraw draw;
    std::string factor;  // as the user gave it
};

// Returns none after printing the help.
// Throws: UsageError.
std::optional<DeadlineOptions> parse_deadline_options(const Arguments& arguments,
                                                      OptionsFrom origin = OptionsFrom::command_line);

// `name` is the name of the output.
void print_drawn_deadlines(const DrawnDeadlines& drawn, const DeadlineOptions& options, const std::string& name,
                           std::ostream& out);

}  // namespace batfill::commands
