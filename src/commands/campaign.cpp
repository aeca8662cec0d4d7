#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "deadlines.hpp"
#include "generate.hpp"
#include "import.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/campaign/campaign_results.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"
#include "src/support/progress.hpp"
#include "src/support/text_table.hpp"
#include "swf.hpp"

namespace batfill::commands {

namespace {

namespace fs = std::filesystem;

using namespace campaign;

constexpr const char* campaign_usage =
    "batfill campaign FILE.yaml [-o FOLDER] [OPTION]...\n"
    "       batfill campaign --init LOG.swf[.gz] > FILE.yaml\n"
    "       batfill campaign merge FOLDER... -o FOLDER";
constexpr const char* campaign_summary =
    "Replays the workloads of a file on its machines under its schedulers, in one process on all cores, and audits every\n"
    "schedule. Resumes after a stop, and runs only what is missing or has changed. Writes results.csv, with a line for each\n"
    "metric of each run, and manifest.json, which lists what was run. --init prints an example for a log, with comments;\n"
    "docs/campaign.md describes the file.";

// Which part of the runs, from 1, and of how many.
struct Shard {
    std::size_t number = 1;
    std::size_t count = 1;
};

// What the options of `batfill campaign` say.
struct CampaignRequest {
    std::string file;
    std::string folder;  // for everything
    Shard shard;
    unsigned threads = 1;
    std::vector<std::string> plugins;  // paths
    bool dry_run = false;
};

Shard shard_option(const Options& options) {
    if (!options.given("shard")) {
        return {};
    }
    const auto text = options.get<std::string>("shard");
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto number = number_in<std::size_t>(text.substr(0, slash));
    const auto count = number_in<std::size_t>(text.substr(std::min(slash + 1, text.size())));
    if (!number || !count || *number < 1 || *number > *count) {
        throw UsageError("--shard: expected I/N with I in 1..N, found '" + text + "'");
    }
    return {*number, *count};
}

// The folder of all output; `otherwise` if --output is not given.
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

int merge(const Arguments& arguments) {
    Options options;
    options.add_positional("folders", Value<std::vector<std::string>>().required());
    options.group("Output");
    options.add("output,o", Value<std::string>("FOLDER").required(), "where results.csv goes; may be one of them");
    if (!options.parse(arguments, "batfill campaign merge FOLDER... -o FOLDER",
                       "Puts together what --shard has divided: writes results.csv of the runs in all these folders.",
                       {"campaign merge shard-1 shard-2 -o all", "campaign merge all shard-3 -o all"})) {
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

// Parses the arguments, with the options that the campaign file adds.
template <class Parse>
auto parsed(Parse parse, Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse(arguments, OptionsFrom::file).value();
}

void convert(const CampaignWorkload& workload, const fs::path& folder, std::ostream& out) {
    const std::string file = (folder / (workload.name + ".json")).string();
    ConversionOptions options =
        workload.format.empty()
            ? parsed(parse_swf_options, {workload.path, "-o", file}, workload.options)
            : parsed(parse_import_options, {workload.format, workload.path, "-o", file}, workload.options);
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

// The operations that make the files of a campaign. They know the options in the campaign file.
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

// Makes the table and the pages, and prints the means.
// Requires: all runs were replayed.
void make_results(const Campaign& campaign, const std::vector<CampaignRun>& runs, const RunList& list,
                  const std::string& program, const std::string& folder) {
    const std::vector<RunResult> results = results_of(runs, folder);
    write_results_table(list, results, folder);
    write_aligned(std::cout, table_of_means(campaign, results));
    if (const std::vector<std::string> rejections = rejections_of(runs, results); !rejections.empty()) {
        note("jobs rejected in " + std::to_string(rejections.size()) + " of " + std::to_string(runs.size()) +
             " runs (metric rejected), the first: " + rejections.front() +
             "; --dry-run prints the command that says why");
    }
    if (campaign.reports) {
        write_pages(campaign, runs, results, program, folder, [](const report::ReportRequest& page) {
            std::cout << page.output << ": " << counted(page.prefixes.size(), "run") << '\n';
        });
    }
    std::cout << folder << "/results.csv: " << runs.size() << " runs\n";
}

void print_outcome(const RunsOutcome& outcome, const std::string& folder) {
    const std::size_t failed = outcome.problems.size();
    std::cout << folder << ": " << counted(outcome.made, "run") << " made, " << outcome.kept << " up to date, "
              << failed << " failed\n"
              << std::flush;
    for (const std::string& problem : outcome.problems) {
        std::cerr << "batfill: " << problem << '\n';
    }
    if (failed > 0) {
        throw InputError(counted(failed, "run") +
                         " failed, so there is no table of all: mend what is above and run the campaign again");
    }
}

// Replays the runs of the shard that have no result yet. Without shards, makes the table and the pages.
void run_campaign(const CampaignRequest& request) {
    const Campaign campaign = read_campaign(request.file);
    const auto& [number, count] = request.shard;
    const std::string& folder = request.folder;
    const std::string program = hash_of_program(request.plugins);
    const Makers make = makers();
    const std::vector<MadeWorkload> workloads = make_workloads(campaign, folder, program, make);
    const std::vector<CampaignRun> runs = runs_of(campaign, workloads, folder, program, make);
    std::vector<CampaignRun> of_shard;
    for (std::size_t i = number - 1; i < runs.size(); i += count) {
        of_shard.push_back(runs[i]);
    }
    const bool pages = campaign.reports && count == 1;
    // A shell reads the output of a dry run: this line is a comment.
    std::cout << (request.dry_run ? "# " : "") << folder << ": " << counted(of_shard.size(), "run")
              << (count > 1 ? " of " + std::to_string(runs.size()) + " in this shard" : "") << ", "
              << size_text(estimated_size(campaign, of_shard, workloads, folder, pages)) << " on disk\n"
              << std::flush;
    if (request.dry_run) {
        for (const CampaignRun& run : runs) {
            std::cout << commands_of(run, folder) << '\n';
        }
        return;
    }
    const RunList list = list_of_runs(campaign, runs);
    write_manifest(campaign, workloads, list, program, folder);
    print_outcome(replay_runs(campaign, of_shard, folder, request.threads, show_progress("runs")), folder);
    if (count == 1) {
        make_results(campaign, runs, list, program, folder);
    }
}

}  // namespace

int campaign(const Arguments& arguments) {
    if (!arguments.empty() && arguments.front() == "merge") {
        return merge({arguments.begin() + 1, arguments.end()});
    }
    Options options;
    options.add_positional("file", Value<std::string>());
    options.group("Input");
    options.add("init", Value<std::string>("LOG"), "print an example for this log, and do nothing else");
    add_plugin_option(options);
    options.group("Runs");
    options.add(
        "shard", Value<std::string>("I/N"),
        "run only every Nth run from the Ith on, without a table: for job arrays, with campaign merge at the end");
    options.add("dry-run", "make the workloads, and print the command of each run instead of running it");
    add_threads_option(options);
    options.group("Output");
    options.add("output,o", Value<std::string>("FOLDER"),
                "folder of all output; by default the name of the file without its ending");
    if (!options.parse(arguments, campaign_usage, campaign_summary,
                       {"campaign --init SP2.swf.gz > sp2.yaml", "campaign sp2.yaml -o sp2 --threads 4"})) {
        return 0;
    }
    if (options.given("init")) {
        if (options.given("file")) {
            throw UsageError("--init prints an example, expected no file to run beside it");
        }
        std::cout << example_campaign(options.get<std::string>("init"));
        return 0;
    }
    if (!options.given("file")) {
        throw UsageError("expected a campaign file (usage: batfill campaign FILE.yaml [-o FOLDER] [OPTION]...)");
    }
    load_plugins(options);
    const auto file = options.get<std::string>("file");
    run_campaign({file, output_folder(options, fs::path(file).stem().string()), shard_option(options),
                  threads_option(options), options.get<std::vector<std::string>>("plugin"), options.given("dry-run")});
    return 0;
}

}  // namespace batfill::commands
