#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include <batfill/workloads/models.hpp>

#include "command.hpp"
#include "options.hpp"

namespace batfill::commands {

// The options of `batfill generate failures`.
struct FailureOptions {
    FailureModel model;
    std::string output;
};

// Returns none after printing the help. `arguments` are those after the model's name.
// Throws: UsageError.
std::optional<FailureOptions> parse_failure_options(const Arguments& arguments,
                                                    OptionsFrom origin = OptionsFrom::command_line);
std::optional<FarmFiles> parse_farm_options(const Arguments& arguments, OptionsFrom origin = OptionsFrom::command_line);
std::optional<LublinFile> parse_lublin_options(const Arguments& arguments,
                                               OptionsFrom origin = OptionsFrom::command_line);

// Prints what was generated. The names are those of the outputs.
void print_farm(const Farm& farm, const FarmModel& model, const std::string& workload_name,
                const std::string& platform_name, std::ostream& out);
void print_lublin_workload(const Workload& workload, const std::string& name, std::ostream& out);

// The models, each in its own file. They follow the contract of Command::run.
int failures(const Arguments&);
int farm(const Arguments&);
int lublin(const Arguments&);

}  // namespace batfill::commands
