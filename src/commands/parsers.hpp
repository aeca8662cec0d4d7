#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include <batfill/workloads/deadlines.hpp>
#include <batfill/workloads/models.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "command.hpp"
#include "options.hpp"
#include "src/campaign/campaign_workloads.hpp"
#include "src/tuning/tune.hpp"

// The commands whose options also stand in campaign files, and in calls of the Python package: what they read, and how
// they print what was made of it.
namespace batfill::commands {

struct ConversionOptions {
    LogConversion conversion;
    bool prints_json = false;
};

struct DeadlineOptions {
    DeadlineDraw draw;
    std::string factor;  // as the user gave it
};

struct FailureOptions {
    FailureModel model;
    std::string output;
};

// Each parses the arguments of one command, after its name and that of a model. Returns none after printing the help.
// Throws: UsageError. parse_tune_options() loads plugins, and throws InputError for policy files and plugins that
// cannot be read.
template <class Read>
using Parser = std::optional<Read>(const Arguments& arguments, OptionsFrom origin);
Parser<ConversionOptions> parse_swf_options;
Parser<ConversionOptions> parse_import_options;
Parser<DeadlineOptions> parse_deadline_options;
Parser<FailureOptions> parse_failure_options;
Parser<FarmFiles> parse_farm_options;
Parser<LublinFile> parse_lublin_options;
Parser<TuneRequest> parse_tune_options;

// The operations that make the files of a campaign. They know the options in the campaign file.
campaign::Makers makers();

// Adds the options that swf and import have in common. parse() then names the workload by the path of the log.
// Requires: an option, or a rule before this call, sets this path.
void add_conversion_options(Options& options, ConversionOptions& read);

// Converts a log, prints what that dropped and kept, for people or as JSON, and returns it.
// Throws: as convert_log(), after printing if nothing is kept.
ConvertedLog convert_and_print(const ConversionOptions& options, std::ostream& out);

// Print what was generated. The names are those of the outputs.
void print_drawn_deadlines(const DrawnDeadlines& drawn, const DeadlineOptions& options, const std::string& name,
                           std::ostream& out);
void print_farm(const Farm& farm, const FarmModel& model, const std::string& workload_name,
                const std::string& platform_name, std::ostream& out);
void print_lublin_workload(const Workload& workload, const std::string& name, std::ostream& out);

}  // namespace batfill::commands
