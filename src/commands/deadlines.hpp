#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include <batfill/workloads/deadlines.hpp>

#include "command.hpp"
#include "options.hpp"

namespace batfill::commands {

// What the options of `batfill deadlines` say.
struct DeadlineOptions {
    DeadlineDraw draw;
    std::string factor;  // as it was given
};

// None after printing the help. Throws UsageError.
std::optional<DeadlineOptions> parse_deadline_options(const Arguments& arguments,
                                                      OptionsFrom origin = OptionsFrom::command_line);

// `name` is what the output is called.
void print_drawn_deadlines(const DrawnDeadlines& drawn, const DeadlineOptions& options, const std::string& name,
                           std::ostream& out);

}  // namespace batfill::commands
