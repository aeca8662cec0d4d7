#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "deadlines.hpp"
#include "generate.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "src/analysis/job_measures.hpp"
#include "src/campaign/campaign_results.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/json.hpp"
#include "src/support/text_table.hpp"
#include "swf.hpp"

namespace batfill::commands {

namespace {

namespace fs = std::filesystem;

using namespace campaign;

constexpr const char* usage =
    "batfill campaign FILE.yaml [-o FOLDER] [OPTION]...\n"
    "       batfill campaign --init LOG.swf[.gz] > FILE.yaml\n"
    "       batfill campaign merge FOLDER... -o FOLDER";
constexpr const char* campaign_summary =
    "Replays many workloads on many machines under many schedulers, as a file says: all of it in one process on all\n"
    "cores. Audits every schedule, goes on where it was stopped, and makes only what is not there yet. Leaves in the\n"
    "folder results.csv with a line for each metric of each run, and manifest.json that says what was run. --init\n"
    "prints an example for a log, with comments; docs/campaign.md describes the file.";
// Which part of the runs, from 1, and of how many.
struct Shard {
    std::size_t number = 1;
    std::size_t count = 1;
};

Shard shard_option(const Options& options) {
    Shard shard;
    if (!options.given("shard")) {
        return shard;
    }
    const auto text = options.get<std::string>("shard");
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, shard.number);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
        const auto second = std::from_chars(first.ptr + 1, end, shard.count);
        if (second.ec == std::errc() && second.ptr == end && shard.number >= 1 && shard.number <= shard.count) {
            return shard;
        }
    }
    throw UsageError("--shard: expected I/N with I in 1..N, found '" + text + "'");
}

// The folder for everything; `otherwise` if --output is not given.
std::string output_folder(const Options& options, const std::string& otherwise) {
    std::string folder = options.given("output") ? options.get<std::string>("output") : otherwise;
    if (folder.empty()) {
        throw UsageError("--output: expected the name of a folder, found ''");
    }
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
        throw InputError(folder + ": is a file, expected a folder: name another with -o");
    }
    return folder;
}

// How far values lie from their mean.
double standard_deviation(const std::vector<double>& values, double mean) {
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// For each scheduler the means of some metrics over all workloads and machines, and how much these differ.
void print_means(const Campaign& campaign, const std::vector<RunResult>& results) {
    const std::vector<std::pair<std::string, int>> shown{
        {"mean_wait", 0}, {"mean_bounded_slowdown", 2}, {"utilisation", 3}};  // and their decimals
    std::vector<std::vector<std::string>> lines{{"mean over the workloads (standard deviation)"}};
    for (const auto& [metric, decimals] : shown) {
        lines.front().push_back(metric);
    }
    for (std::size_t scheduler = 0; scheduler < campaign.schedulers.size(); ++scheduler) {
        std::vector<std::string>& line = lines.emplace_back(1, campaign.schedulers[scheduler].scheduler.name);
        for (const auto& [metric, decimals] : shown) {
            std::vector<double> values;
            for (std::size_t run = scheduler; run < results.size(); run += campaign.schedulers.size()) {
                for (const auto& [name, value] : results[run].values) {
                    if (name == metric) {
                        values.push_back(std::stod(value));
                    }
                }
            }
            const std::optional<double> mean = analysis::mean(values);
            line.push_back(!mean ? "-" : rounded(*mean, decimals));
            if (values.size() > 1) {
                line.back() += " (" + rounded(standard_deviation(values, *mean), decimals) + ')';
            }
        }
    }
    write_aligned(std::cout, lines);
}

// Schedulers that reject different jobs are not compared by the same ones.
void note_rejections(const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results) {
    std::vector<std::string> with_rejections;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const auto& [name, value] : results[i].values) {
            if (name == "rejected" && value != "0") {
                with_rejections.push_back(value + " in " + runs[i].prefix);
            }
        }
    }
    if (!with_rejections.empty()) {
        note("jobs rejected in " + std::to_string(with_rejections.size()) + " of " + std::to_string(runs.size()) +
             " runs (metric rejected), the first: " + with_rejections.front() +
             "; --dry-run prints the command that says why");
    }
}

void print_example(const std::string& log) {
    if (!fs::is_regular_file(log)) {
        throw InputError(log + ": there is no such file, expected a log (.swf or .swf.gz)");
    }
    std::string quoted;  // YAML has the escapes of JSON
    append_json_string(log, quoted);
    std::cout << "# A campaign of batfill: every workload on every machine under every scheduler.\n"
                 "# Run it with: batfill campaign THIS_FILE.yaml -o results\n"
                 "# Paths are seen from the folder of this file; lengths of time are in seconds.\n\n"
                 "workloads:\n"
                 "  # The options are those of `batfill swf`.\n"
                 "  - log: "
              << quoted
              << "\n"
                 "    split: 7                # weeks; without this and the next two lines the log is one workload\n"
                 "    count-from: first-job   # the first week is that of the first job\n"
                 "    periods: 4              # the first four of them; without this line all\n"
                 "    short-estimates: raise  # jobs that ran longer than they asked for\n"
                 "    # deadlines: {share: 0.2, seed: 1}    # the options of `batfill deadlines`\n"
                 "    # failures: {mtbf: 2592000, mttr: 86400, seed: 1}  # of `batfill generate failures`\n"
                 "  # A model instead of a log, with the options of `batfill generate lublin`:\n"
                 "  # - generate: lublin\n"
                 "  #   jobs: 1000\n"
                 "  #   processors: 128\n"
                 "  #   sweep: {load: [0.7, 0.9], seed: 1..5}  # every load with every seed\n\n"
                 "# own: as many processors as the workload says. Others: a number of hosts, a platform file, or\n"
                 "# the name of a platform that comes with batfill.\n"
                 "machines: [own]\n\n"
                 "schedulers:\n"
                 "  - fcfs\n"
                 "  - easy\n"
                 "  - conservative\n"
                 "  - algorithm: easy\n"
                 "    sweep: {order: [saf, spf]}\n\n"
                 "measure:\n"
                 "  tau: 10           # bound of the bounded slowdown\n"
                 "  warm-up: 0        # jobs submitted in this time after the first one do not count\n"
                 "  cool-down: 0      # nor those submitted in this time before the last one\n\n"
                 "schedules: false    # true keeps the jobs.csv of each run\n"
                 "reports: true       # a page for a browser for each workload; keeps the schedules, too\n";
}

int merge(const Arguments& arguments) {
    Options options;
    options.add_positional("folders", Value<std::vector<std::string>>().required());
    options.add("output,o", Value<std::string>("FOLDER").required(), "where results.csv goes; may be one of them");
    if (!options.parse(
            arguments, "batfill campaign merge FOLDER... -o FOLDER",
            "Puts together what --shard has divided: writes results.csv of the runs in all these folders.")) {
        return 0;
    }
    const auto folders = options.get<std::vector<std::string>>("folders");
    const std::string output = output_folder(options, "");
    const std::size_t runs = merge_shards(folders, output);
    std::cout << output << "/results.csv: " << runs << " runs\n";
    return 0;
}

std::string size_text(std::uintmax_t bytes) {
    constexpr double megabyte = 1e6;
    constexpr double gigabyte = 1e9;
    const auto size = static_cast<double>(bytes);
    if (size < megabyte) {
        return "less than 1 MB";
    }
    return size < 10 * gigabyte ? "about " + rounded(size / megabyte, 0) + " MB"
                                : "about " + rounded(size / gigabyte, 0) + " GB";
}

// What `parse` makes of arguments and of the options that the campaign file adds to them.
template <class Parse>
auto parsed(Parse parse, Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse(arguments, OptionsFrom::file).value();
}

void convert(const CampaignWorkload& workload, const fs::path& folder, std::ostream& out) {
    const std::string file = (folder / (workload.name + ".json")).string();
    SwfOptions options = parsed(parse_swf_options, {workload.path, "-o", file}, workload.options);
    if (options.conversion.conversion.split) {
        options.conversion.output = folder.string();
        options.conversion.name = workload.name;
    }
    print_converted_log(convert_log(options.conversion), options, out);
}

void draw(const CampaignWorkload& workload, const fs::path& folder, std::ostream& out) {
    const std::string file = (folder / (workload.name + ".json")).string();
    const Arguments model_options(workload.options.begin() + 1, workload.options.end());
    const std::string name = workload.name + ".json";
    if (workload.draws_machine()) {
        const std::string platform = workload.platform_name();
        const FarmFiles options =
            parsed(parse_farm_options, model_options, {"-o", file, "--platform", (folder / platform).string()});
        print_farm(write_farm(options), options.model, name, platform, out);
    } else {
        const LublinFile options = parsed(parse_lublin_options, model_options, {"-o", file});
        print_lublin_workload(write_lublin(options), name, out);
    }
}

// The operations that make the files of a campaign, which know the options that its file has for them.
Makers makers() {
    Makers makers;
    makers.convert_log = convert;
    makers.draw = draw;
    makers.draw_deadlines = [](const fs::path& file, const Arguments& more, std::ostream& out) {
        const DeadlineOptions options = parsed(parse_deadline_options, {file.string(), "-o", file.string()}, more);
        print_drawn_deadlines(draw_deadlines(options.draw), options, file.filename().string(), out);
    };
    makers.draw_failures = [](const Arguments& arguments) {
        const FailureOptions options = parsed(parse_failure_options, arguments, {});
        write_events(generate_failures(options.model), options.output);
    };
    makers.made = [](const std::string& folder, std::size_t workloads) {
        std::cout << folder << ": " << counted(workloads, "workload") << '\n' << std::flush;
    };
    return makers;
}

// Makes the table and the pages. Requires that all runs were replayed.
void make_results(const Campaign& campaign, const std::vector<CampaignRun>& runs, const RunList& list,
                  const std::string& program, const std::string& folder) {
    const std::vector<RunResult> results = results_of(runs, folder);
    write_results_table(list, results, folder);
    print_means(campaign, results);
    note_rejections(runs, results);
    if (campaign.reports) {
        write_pages(campaign, runs, results, program, folder, [](const report::ReportRequest& page) {
            std::cout << page.output << ": " << counted(page.prefixes.size(), "run") << '\n';
        });
    }
    std::cout << folder << "/results.csv: " << runs.size() << " runs\n";
}

// Replays what is missing of these runs, and says how it went.
void make_runs(const Campaign& campaign, const std::vector<CampaignRun>& runs, const std::string& folder,
               unsigned threads) {
    const std::vector<CampaignRun> missing = missing_runs(runs, folder);
    Progress progress(missing.size());
    const RunsOutcome outcome = replay_runs(campaign, missing, folder, threads, [&](std::size_t done) {
        progress.show(done, std::to_string(done) + " of " + std::to_string(missing.size()) + " runs");
    });
    std::cout << folder << ": " << counted(outcome.made, "run") << " made, " << runs.size() - missing.size()
              << " up to date, " << outcome.problems.size() << " failed\n"
              << std::flush;
    for (const std::string& problem : outcome.problems) {
        std::cerr << "batfill: " << problem << '\n';
    }
    if (const std::size_t failed = outcome.problems.size(); failed > 0) {
        throw InputError(counted(failed, "run") +
                         " failed, so there is no table of all: mend what is above and run the campaign again");
    }
}

// Replays what is missing of this shard; without shards, makes the table and the pages.
int run_campaign(const Campaign& campaign, const Options& options) {
    const std::string folder = output_folder(options, fs::path(campaign.path).stem().string());
    const Shard shard = shard_option(options);
    const unsigned threads = threads_option(options);
    const std::string program = hash_of_program(options.get<std::vector<std::string>>("plugin"));
    const Makers make = makers();
    const std::vector<MadeWorkload> workloads = make_workloads(campaign, folder, program, make);
    const std::vector<CampaignRun> runs = runs_of(campaign, workloads, folder, program, make);
    std::vector<CampaignRun> of_shard;
    for (std::size_t i = shard.number - 1; i < runs.size(); i += shard.count) {
        of_shard.push_back(runs[i]);
    }
    const bool pages = campaign.reports && shard.count == 1;
    const bool dry_run = options.given("dry-run");
    // In a dry run, a comment: what is printed is for a shell.
    std::cout << (dry_run ? "# " : "") << folder << ": " << counted(of_shard.size(), "run")
              << (shard.count > 1 ? " of " + std::to_string(runs.size()) + " in this shard" : "") << ", "
              << size_text(estimated_size(campaign, of_shard, workloads, folder, pages)) << " on disk\n"
              << std::flush;
    if (dry_run) {
        for (const CampaignRun& run : runs) {
            std::cout << commands_of(run, folder) << '\n';
        }
        return 0;
    }
    const RunList list = list_of_runs(campaign, runs);
    write_manifest(campaign, workloads, list, program, folder);
    make_runs(campaign, of_shard, folder, threads);
    if (shard.count == 1) {
        make_results(campaign, runs, list, program, folder);
    }
    return 0;
}

}  // namespace

int campaign(const Arguments& arguments) {
    if (!arguments.empty() && arguments.front() == "merge") {
        return merge({arguments.begin() + 1, arguments.end()});
    }
    Options options;
    options.add_positional("file", Value<std::string>());
    options.add("output,o", Value<std::string>("FOLDER"),
                "where everything goes; by default the name of the file without its ending");
    options.add("init", Value<std::string>("LOG"), "print an example for this log, and do nothing else");
    add_threads_option(options);
    options.add(
        "shard", Value<std::string>("I/N"),
        "make every Nth run only, beginning with the Ith, and no table: for a job array, with campaign merge at its "
        "end");
    options.add("dry-run", "make the workloads, and print the ordinary command of each run instead of running it");
    add_plugin_option(options);
    if (!options.parse(arguments, usage, campaign_summary)) {
        return 0;
    }
    if (options.given("init")) {
        if (options.given("file")) {
            throw UsageError("--init prints an example, expected no file to run beside it");
        }
        print_example(options.get<std::string>("init"));
        return 0;
    }
    if (!options.given("file")) {
        throw UsageError("expected a campaign file (usage: batfill campaign FILE.yaml [-o FOLDER] [OPTION]...)");
    }
    load_plugins(options);
    return run_campaign(campaign::read_campaign(options.get<std::string>("file")), options);
}

}  // namespace batfill::commands
