#pragma once

#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/decimal.hpp>
#include <batfill/formats/workload.hpp>

#include "options.hpp"
#include "src/formats/named_platform.hpp"

// Options that several commands share, and checks of what they give.
namespace batfill::commands {

// Adds --plugin, for every command that takes an algorithm. parse() loads the plugins, and adds their paths to `paths`
// unless it is null.
// Requires: the caller looks up no algorithm before parse().
void add_plugin_option(Options& options, std::vector<std::string>* paths = nullptr);

// What the help of a command calls the value of --platform.
inline constexpr const char* platform_value = "PLATFORM";
inline constexpr const char* platform_help =
    "the machine: a SimGrid platform file, the name of a platform that comes with batfill, or a number of hosts";

// Adds --master-host.
void add_master_host_option(Options& options, std::string& master_host);

// Adds --platform, --master-host and --processors, which describe the machine of `metrics`. `platform`, unless it is
// null, gets the value of --platform.
// Throws: parse() then throws InputError as read_platform().
void add_machine_options(Options& options, MetricsOptions& metrics, std::string* platform = nullptr);

// Adds --tau, the bound of the bounded slowdown.
void add_tau_option(Options& options, Duration& tau);

// Adds --tau and --short-deadline.
void add_measure_options(Options& options, Duration& tau, Duration& short_deadline);

// Adds --threads, by default the number of cores.
void add_threads_option(Options& options, unsigned& threads);

// Adds --metrics, which chooses the metrics of a table.
void add_metrics_option(Options& options, std::vector<std::string>& chosen);

// Adds --format, the format of a table of metrics.
void add_table_format_option(Options& options, MetricsFormat& format);

// The longest timeout that users may set. The clocks that count them must not overflow.
inline constexpr Duration longest_timeout = Duration::days(366);

// Adds --output, a file that the command always writes.
void add_output_option(Options& options, std::string& output, const std::string& help);

// Throws: InputError if the folder for files with this prefix does not exist.
void require_writable_folder(const std::string& prefix);

// Returns `path`, the name of a file to write. A name without an ending (/dev/stdout) fits any content.
// Throws: UsageError if the name has an ending, before .gz, that is none of `endings`. InputError as above.
std::string path_ending_in(const std::vector<std::string>& endings, const std::string& path);
inline const std::vector<std::string> page_endings{".html", ".htm", ".html.gz", ".htm.gz"};

// The name of a file to write.
template <class Field>
Value output_file(Field& field, const std::string& name, const std::vector<std::string>& endings) {
    return value(field, name, [endings](const std::string& path) { return path_ending_in(endings, path); });
}

// A Batsim format of a workload.
template <class Field>
Value workload_format(Field& format) {
    return word(format, "FORMAT", {{"batsim4", WorkloadFormat::batsim4}, {"batsim5", WorkloadFormat::batsim5}});
}
// The help of --format, the format of a written workload.
inline constexpr const char* workload_format_help = "format of the workload: batsim4 (default) or batsim5";

// The number from `least` to `most` that `text` is exactly. None for another text.
std::optional<Decimal> decimal_in(const std::string& text, const char* least, const char* most);

// As above, for a factor.
// Throws: UsageError for a number of more than six decimals, which a Decimal would round.
std::optional<Decimal> factor_in(const std::string& text, const char* least, const char* most);

// An offered load.
template <class Field, class Parse>
Value load(Field& field, Parse parse) {
    return value(field, "L", parse, "a share of the machine in 0.001..10 (0.9 is 90 %)");
}

// Returns K of "factor:K".
// Throws: UsageError unless K is from 1 to 1000000 and has at most six decimals.
Decimal estimate_factor(const std::string& text);

// Walltimes: one of the words, or "factor:K", which sets `factor` to K.
// Requires: the last word is "factor:K".
template <class How>
Value estimates(How& how, Decimal& factor, const Words<How>& words) {
    return {"HOW", [&how, &factor, words](const std::string& text) {
                if (text.starts_with("factor:")) {
                    factor = estimate_factor(text);
                    how = words.back().second;
                } else {
                    how = meaning_of(text, words);
                }
            }};
}

// Returns the content of a file of settings, up to 1 MB.
// Throws: InputError.
std::string short_text_in(const std::string& path);

// The names of the metrics of replays, for a help: one per line, since some are longer than a line has room beside
// others.
std::string metric_names_help();

// Prints a note on the standard error stream.
void note(const std::string& text);

// Checks the values of the options `name` and `other`, as far as they are given.
// Throws: UsageError if both name the same file.
void require_other_file(const std::string& name, const std::optional<std::string>& path, const std::string& other,
                        const std::optional<std::string>& other_path);

// Checks a file that the option `name` makes the command write, if it is given.
// Throws: UsageError if it is one of the inputs. Inputs that are no files, such as names of algorithms, are ignored.
void require_no_input(const std::string& name, const std::optional<std::string>& path,
                      const std::vector<std::string>& inputs);

}  // namespace batfill::commands
