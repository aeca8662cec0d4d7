#pragma once

#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>

#include "src/analysis/measure_options.hpp"
#include "src/commands/command.hpp"
#include "src/commands/parse.hpp"
#include "src/formats/platform_options.hpp"
#include "src/options/file_rules.hpp"

// Options that several commands share, and checks of what they give.
namespace batfill::commands {

// Adds --plugin, for every command that takes an algorithm. parse() loads the plugins, and adds their paths to `paths`
// unless it is null.
// Requires: the caller looks up no algorithm before parse().
void add_plugin_option(Options& options, std::vector<std::string>* paths = nullptr);

// Adds --platform, --processors and the options of add_machine_details(), which describe the machine of `metrics`.
// `platform` and `windows`, unless they are null, get the values of these options.
// Throws: parse() then throws InputError as named_platform().
void add_machine_options(Options& options, MetricsOptions& metrics, std::string* platform = nullptr,
                         std::string* windows = nullptr);

// Adds --threads, by default the number of cores.
void add_threads_option(Options& options, unsigned& threads);

// Adds --metrics, which chooses the metrics of a table.
void add_metrics_option(Options& options, std::vector<std::string>& chosen);

// Adds --by, the groups of jobs that a table shows in place of metrics.
void add_groupings_option(Options& options, std::vector<JobGrouping>& groupings);

void add_table_format_option(Options& options, MetricsFormat& format);

// Adds --output, a file that the command always writes.
void add_output_option(Options& options, std::string& output, const std::string& help);

// Returns the content of a file of settings, up to 1 MB.
// Throws: InputError.
std::string short_text_in(const std::string& path);

// The names of the metrics of replays, for a help: one per line, since some are longer than a line has room beside
// others.
std::string metric_names_help();

// Prints a note on the standard error stream, unless it is empty.
void note(const std::string& text);

}  // namespace batfill::commands
