#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include <batfill/analysis/intervals.hpp>
#include <batfill/core/error.hpp>

#include "src/campaign/run_campaign.hpp"
#include "src/commands/inputs.hpp"
#include "src/support/progress.hpp"
#include "src/support/text.hpp"
#include "src/support/text_table.hpp"

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

std::optional<Shard> shard_in(const std::string& text) {
    const auto [first, second] = cut(text, '/');
    const auto number = number_in<std::size_t>(first);
    const auto count = number_in<std::size_t>(second);
    return number && count && 1 <= *number && *number <= *count ? std::optional(Shard{*number, *count}) : std::nullopt;
}

std::string folder_for_output(const std::string& name) {
    refuse_if(name.empty(), "expected the name of a folder, found ''");
    std::error_code ignored;
    refuse_if<InputError>(fs::exists(name, ignored) && !fs::is_directory(name, ignored), name,
                          ": is a file, expected a folder: name another with -o");
    return name;
}

void print_page(const report::ReportRequest& page) {
    std::cout << one_line(page.output) << ": " << counted(page.prefixes.size() + (page.log ? 1 : 0), "run") << '\n';
}

void merge(const Arguments& arguments) {
    std::vector<std::string> folders;
    std::string output;
    Options options;
    options.add_positional("folders", text(folders).required());
    options.group("Output");
    options.add("output,o", value(output, "FOLDER", folder_for_output).required(),
                "where results.csv goes; may be one of them");
    parse(
        options, arguments,
        {"batfill campaign merge FOLDER... -o FOLDER",
         "Puts together what --shard has divided: writes results.csv of the runs in all these folders, and the pages.",
         {"campaign merge shard-1 shard-2 -o all", "campaign merge all shard-3 -o all"}});
    const std::size_t runs = merge_shards(folders, output, print_page);
    std::cout << one_line(output) << "/results.csv: " << runs << " runs\n";
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

// Prints what was made and, of a whole campaign, the means. Prints what failed on the standard error stream.
void print_replayed(const MadeCampaign& made, const std::string& folder) {
    const RunsOutcome& outcome = made.outcome;
    std::cout << one_line(folder) << ": " << counted(outcome.made, "run") << " made, " << outcome.kept
              << " up to date, " << outcome.problems.size() << " failed\n"
              << std::flush;
    for (const std::string& problem : outcome.problems) {
        std::cerr << "batfill: " << one_line(problem) << '\n';
    }
    std::ranges::for_each(outcome.notes.texts(), note);
    if (made.results.empty()) {
        return;
    }
    const MarkedTable means = table_of_means(made);
    analysis::write_lines(std::cout, means.lines, MetricsFormat::table, means.meaning);
    if (const auto differences = table_of_differences_to_log(made); !differences.empty()) {
        write_aligned(std::cout, differences);
    }
    std::ranges::for_each(notes_on_logs(made), note);
    note(reason_for_no_intervals(groups_of(made)));
    if (const auto rejections = rejections_of(made.runs, made.results); !rejections.empty()) {
        note("jobs rejected in " + std::to_string(rejections.size()) + " of " + std::to_string(made.runs.size()) +
             " runs (metric rejected), the first: " + rejections.front() +
             "; --dry-run prints the command that says why");
    }
}

CampaignWatch printing(const CampaignRequest& request) {
    CampaignWatch watch;
    watch.made = [](const std::string& folder, std::size_t workloads) {
        std::cout << one_line(folder) << ": " << counted(workloads, "workload") << '\n' << std::flush;
    };
    watch.begins = [&request](const MadeCampaign& made) {
        // A shell reads the output of a dry run: this line is a comment.
        std::cout << (request.dry_run ? "# " : "") << one_line(request.folder) << ": "
                  << counted(made.of_shard.size(), "run")
                  << (request.shard.count > 1 ? " of " + std::to_string(made.runs.size()) + " in this shard" : "")
                  << ", " << size_text(made.size) << " on disk\n"
                  << std::flush;
    };
    watch.progress = show_progress("runs");
    watch.replayed = [&request](const MadeCampaign& made) { print_replayed(made, request.folder); };
    watch.page = print_page;
    return watch;
}

void run(const CampaignRequest& request) {
    const MadeCampaign made = run_campaign(request, printing(request));
    if (request.dry_run) {
        for (const CampaignRun& run : made.runs) {
            std::cout << commands_of(run, request.folder) << '\n';
        }
    } else if (const std::size_t failed = made.outcome.problems.size(); failed > 0) {
        throw InputError(counted(failed, "run") +
                         " failed, so there is no table of all: mend what is above and run the campaign again");
    } else if (!made.results.empty()) {
        std::cout << one_line(request.folder) << "/results.csv: " << made.runs.size() << " runs\n";
    }
}

}  // namespace

void campaign(const Arguments& arguments) {
    if (!arguments.empty() && arguments.front() == "merge") {
        return merge({arguments.begin() + 1, arguments.end()});
    }
    CampaignRequest request;
    std::string log;
    Options options;
    options.add_positional("file", text(request.file));
    options.group("Input");
    options.add("init", text(log, "LOG"), "print an example for this log, and do nothing else");
    add_plugin_option(options, &request.plugins);
    options.group("Runs");
    options.add(
        "shard", value(request.shard, "I/N", shard_in, "I/N with I in 1..N"),
        "run only every Nth run from the Ith on, without a table: for job arrays, with campaign merge at the end");
    options.add("dry-run", request.dry_run,
                "make the workloads, and print the command of each run instead of running it");
    add_threads_option(options, request.threads);
    options.group("Output");
    options.add("output,o", value(request.folder, "FOLDER", folder_for_output),
                "folder of all output; by default the name of the file without its ending");
    parse(options, arguments,
          {campaign_usage,
           campaign_summary,
           {"campaign --init SP2.swf.gz > sp2.yaml", "campaign sp2.yaml -o sp2 --threads 4"}});
    if (options.given("init")) {
        refuse_if(options.given("file"), "--init prints an example, expected no file to run beside it");
        std::cout << example_campaign(log);
        return;
    }
    refuse_if(!options.given("file"),
              "expected a campaign file (usage: batfill campaign FILE.yaml [-o FOLDER] [OPTION]...)");
    if (!options.given("output")) {
        request.folder = folder_for_output(fs::path(request.file).stem().string());
    }
    run(request);
}

}  // namespace batfill::commands
