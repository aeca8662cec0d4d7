#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/version.hpp>

#include "campaign_file.hpp"
#include "campaign_runs.hpp"
#include "campaign_workloads.hpp"
#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "platform_option.hpp"
#include "report.hpp"
#include "scheduler_argument.hpp"
#include "src/analysis/job_measures.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/library_file.hpp"
#include "src/support/sha256.hpp"
#include "src/support/text_table.hpp"

namespace batfill::commands {

namespace {

namespace fs = std::filesystem;

constexpr const char* usage =
    "batfill campaign FILE.yaml [-o FOLDER] [OPTION]...\n"
    "       batfill campaign --init LOG.swf[.gz] > FILE.yaml\n"
    "       batfill campaign merge FOLDER... -o FOLDER";
constexpr const char* campaign_summary =
    "Replays many workloads on many machines under many schedulers, as a file says: all of it in one process on all\n"
    "cores. Audits every schedule, goes on where it was stopped, and makes only what is not there yet. Leaves in the\n"
    "folder results.csv with a line for each metric of each run, and manifest.json that says what was run. --init\n"
    "prints an example for a log, with comments; docs/campaign.md describes the file.";
constexpr const char* manifest_name = "manifest.json";
constexpr std::size_t max_manifest_size = std::size_t{1} << 30;
constexpr std::size_t max_page_size = std::size_t{1} << 31;

// What a table of results needs of the runs, also where the campaign file is not at hand.
struct RunList {
    struct Row {
        std::string prefix;
        std::string key;
        std::vector<std::string> cells;  // of `columns`; empty where a column says nothing of the run
    };

    std::string campaign;  // hash of all that follows
    std::vector<std::string> columns;
    std::vector<Row> rows;
};

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

void add_columns(const Swept& swept, const std::string& prefix, std::vector<std::string>& columns) {
    for (const auto& [key, value] : swept) {
        const std::string column = prefix + key;
        if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
            columns.push_back(column);
        }
    }
}

RunList list_of_runs(const Campaign& campaign, const std::vector<CampaignRun>& runs) {
    RunList list;
    list.columns = {"workload", "period", "machine", "scheduler", "algorithm"};
    for (const CampaignWorkload& workload : campaign.workloads) {
        add_columns(workload.swept, "workload.", list.columns);
    }
    for (const CampaignScheduler& scheduler : campaign.schedulers) {
        add_columns(scheduler.swept, "scheduler.", list.columns);
    }
    std::string everything;
    for (const CampaignRun& run : runs) {
        const CampaignWorkload& workload = campaign.workloads[run.workload->entry];
        std::map<std::string, std::string> cells{{"workload", workload.name},
                                                 {"period", run.workload->period},
                                                 {"machine", run.machine->name},
                                                 {"scheduler", run.scheduler->scheduler.name},
                                                 {"algorithm", run.scheduler->scheduler.choice.algorithm}};
        for (const auto& [key, value] : workload.swept) {
            cells["workload." + key] = value;
        }
        for (const auto& [key, value] : run.scheduler->swept) {
            cells["scheduler." + key] = value;
        }
        RunList::Row row{run.prefix, run.key, {}};
        std::transform(list.columns.begin(), list.columns.end(), std::back_inserter(row.cells),
                       [&](const std::string& column) { return cells[column]; });
        everything += row.prefix + '\n' + row.key + '\n';
        list.rows.push_back(std::move(row));
    }
    list.campaign = sha256(everything);
    return list;
}

using JsonWriter = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void write_text(JsonWriter& json, const char* key, const std::string& value) {
    json.Key(key);
    json.String(value);
}

void write_manifest(const Campaign& campaign, const std::vector<MadeWorkload>& workloads, const RunList& list,
                    const std::string& program, const std::string& folder) {
    rapidjson::StringBuffer buffer;
    JsonWriter json(buffer);
    json.SetIndent(' ', 1);
    json.StartObject();
    write_text(json, "batfill", version);
    write_text(json, "program_sha256", program);
    write_text(json, "campaign_file", fs::path(campaign.path).filename().string());
    write_text(json, "campaign_file_sha256", sha256(campaign.text));
    json.Key("workloads");
    json.StartArray();
    for (const MadeWorkload& workload : workloads) {
        json.StartObject();
        write_text(json, "file", workload.file);
        write_text(json, "sha256", workload.sha256);
        json.Key("jobs");
        json.Uint64(workload.jobs);
        json.Key("processors");
        json.Int(workload.processors);
        json.EndObject();
    }
    json.EndArray();
    write_text(json, "runs_sha256", list.campaign);
    json.Key("columns");
    json.StartArray();
    for (const std::string& column : list.columns) {
        json.String(column);
    }
    json.EndArray();
    json.Key("runs");
    json.StartArray();
    for (const RunList::Row& row : list.rows) {
        json.StartObject();
        write_text(json, "prefix", row.prefix);
        write_text(json, "key", row.key);
        json.Key("cells");
        json.StartArray();
        for (const std::string& cell : row.cells) {
            json.String(cell);
        }
        json.EndArray();
        json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    OutputFile file(folder + '/' + manifest_name);
    file.write(buffer.GetString());
    file.write("\n");
    file.commit();
}

std::vector<std::string> texts(const JsonValue& array, const std::string& path) {
    std::vector<std::string> result;
    for (const JsonValue& element : array.GetArray()) {
        if (!element.IsString()) {
            throw InputError(path + ": expected texts in 'columns' and 'cells'");
        }
        result.emplace_back(view(element));
    }
    return result;
}

RunList read_manifest(const std::string& folder) {
    const std::string path = folder + '/' + manifest_name;
    const std::string text = InputFile(path).read_all(max_manifest_size);
    RunList list;
    try {
        JsonReader reader;
        const JsonValue& root = reader.parse(text);
        if (!root.IsObject()) {
            throw InputError("expected an object");
        }
        Fields fields(root, "");
        list.campaign = fields.text("runs_sha256");
        list.columns = texts(fields.array("columns"), path);
        for (const JsonValue& element : fields.array("runs").GetArray()) {
            if (!element.IsObject()) {
                throw InputError("expected objects in 'runs'");
            }
            Fields run(element, "runs: ");
            list.rows.push_back(
                {std::string(run.text("prefix")), std::string(run.text("key")), texts(run.array("cells"), path)});
            if (list.rows.back().cells.size() != list.columns.size()) {
                throw InputError("expected as many cells as columns in each run");
            }
        }
    } catch (const InputError& problem) {
        throw InputError(path + ": " + problem.what());
    }
    return list;
}

std::string csv_line(const std::vector<std::string>& cells) {
    std::string line;
    for (const std::string& cell : cells) {
        line += line.empty() ? "" : ",";
        if (!cell.empty()) {
            append_csv_field(cell, line);
        }
    }
    return line;
}

// Writes results.csv; requires as many results as there are rows.
void write_results_table(const RunList& list, const std::vector<RunResult>& results, const std::string& folder) {
    OutputFile file(folder + "/results.csv");
    std::vector<std::string> header = list.columns;
    header.insert(header.end(), {"metric", "value"});
    file.write(csv_line(header) + '\n');
    for (std::size_t i = 0; i < list.rows.size(); ++i) {
        std::string line = csv_line(list.rows[i].cells);
        const std::size_t end_of_cells = line.size();
        for (const auto& [metric, value] : results[i].values) {
            line.resize(end_of_cells);
            line.append(",").append(metric).append(",").append(value).append("\n");
            file.write(line);
        }
    }
    file.commit();
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
        std::cerr << "batfill: note: jobs rejected in " << with_rejections.size() << " of " << runs.size()
                  << " runs (metric rejected), the first: " << with_rejections.front()
                  << "; --dry-run prints the command that says why\n";
    }
}

// A hash of the program, its library and the plugins: others may give other results.
std::string hash_of_program(const Options& options) {
    std::string text = sha256_of_file("/proc/self/exe") + sha256_of_file(library_file());
    for (const std::string& plugin : options.get<std::vector<std::string>>("plugin")) {
        text += sha256_of_file(plugin);
    }
    return sha256(text);
}

// The last line of a page: a hash of what it is made of, and of all that stands above.
std::string last_line_of_page(const std::string& key, const std::string& page) {
    return "<!-- batfill campaign " + sha256(key + sha256(page)) + " -->\n";
}

bool page_is_kept(const std::string& path, const std::string& key) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        return false;
    }
    const std::string page = InputFile(path).read_all(max_page_size);
    const std::size_t size = last_line_of_page(key, "").size();
    return page.size() > size && page.ends_with(last_line_of_page(key, page.substr(0, page.size() - size)));
}

// The options of `batfill report` that make the same page, but for its last line.
std::string report_command(const ReportOptions& options) {
    Arguments arguments = options.prefixes;
    for (const std::string& workload : options.workloads) {
        arguments.insert(arguments.end(), {"-w", workload});
    }
    arguments.insert(arguments.end(),
                     {"-p", options.platform, "-o", options.output, "--tau", options.metrics.tau.to_string(),
                      "--short-deadline", options.metrics.short_deadline.to_string(), "--title", *options.title});
    return command_line(arguments);
}

// A page for each workload and machine, of the runs under all schedulers. Requires the result of each run.
void write_reports(const Campaign& campaign, const std::vector<CampaignRun>& runs,
                   const std::vector<RunResult>& results, const std::string& program, const std::string& folder) {
    const std::size_t schedulers = campaign.schedulers.size();
    for (std::size_t first = 0; first < runs.size(); first += schedulers) {
        const CampaignRun& run = runs[first];
        const fs::path pages = fs::path(folder) / "reports" / run.workload->name;
        std::string made_of = program;
        ReportOptions page;
        bool registers_jobs = false;  // of which no workload says anything
        for (std::size_t i = first; i < first + schedulers; ++i) {
            page.prefixes.push_back(folder + '/' + runs[i].prefix);
            const SchedulerChoice& choice = runs[i].scheduler->scheduler.choice;
            registers_jobs = registers_jobs || Engine(choice.algorithm, choice.parameters).algorithm().registers_jobs();
            made_of += '\n' + runs[i].key;
            for (const auto& [name, hash] : results[i].files) {
                made_of.append("\n").append(name).append(" ").append(hash);
            }
        }
        if (!registers_jobs) {
            page.workloads.push_back(folder + '/' + run.workload->file);
        }
        page.platform = run.platform;
        page.metrics = campaign.metrics;
        page.title = run.workload->name + " on " + run.machine->name;
        page.output = (pages / (run.machine->name + ".html")).string();
        page.command = report_command(page);
        const std::string key = sha256(made_of + '\n' + page.command);
        if (page_is_kept(page.output, key)) {
            continue;
        }
        create_folders(pages.string());
        set_machine(Machine(named_platform(page.platform).hosts), page.metrics);
        const std::string text = make_report(page);
        OutputFile file(page.output);
        file.write(text);
        file.write(last_line_of_page(key, text));
        file.commit();
        print_report(page, std::cout);
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
    const RunList list = read_manifest(folders.front());
    for (const std::string& folder : folders) {
        if (read_manifest(folder).campaign != list.campaign) {
            throw InputError(folder + '/' + manifest_name + ": is of another campaign, or another program, than " +
                             folders.front() + '/' + manifest_name);
        }
    }
    std::vector<RunResult> results;
    std::vector<std::string> missing;
    for (const RunList::Row& row : list.rows) {
        std::optional<RunResult> result;
        for (const std::string& folder : folders) {
            if (!result) {
                result = kept_result(folder, row.prefix, row.key);
            }
        }
        if (result) {
            results.push_back(std::move(*result));
        } else {
            missing.push_back(row.prefix);
        }
    }
    if (!missing.empty()) {
        throw InputError(std::to_string(missing.size()) + " of " + std::to_string(list.rows.size()) +
                         " runs are in none of the folders, the first: " + missing.front());
    }
    create_folders(output);
    write_results_table(list, results, output);
    std::cout << output << "/results.csv: " << results.size() << " runs\n";
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

// Makes the table and the pages. Requires that all runs were replayed.
void write_results_of_all(const Campaign& campaign, const std::vector<CampaignRun>& runs, const RunList& list,
                          const std::string& program, const std::string& folder) {
    std::vector<RunResult> results;
    results.reserve(runs.size());
    for (const CampaignRun& run : runs) {
        std::optional<RunResult> result = kept_result(folder, run.prefix, run.key);
        if (!result) {
            throw InputError(folder + '/' + run.prefix + "_result.csv: has gone or changed: run the campaign again");
        }
        results.push_back(std::move(*result));
    }
    write_results_table(list, results, folder);
    print_means(campaign, results);
    note_rejections(runs, results);
    if (campaign.reports) {
        write_reports(campaign, runs, results, program, folder);
    }
    std::cout << folder << "/results.csv: " << runs.size() << " runs\n";
}

// Replays what is missing of this shard; without shards, makes the table and the pages.
int run_campaign(const Campaign& campaign, const Options& options) {
    const std::string folder = output_folder(options, fs::path(campaign.path).stem().string());
    const Shard shard = shard_option(options);
    const unsigned threads = threads_option(options);
    const std::string program = hash_of_program(options);
    const std::vector<MadeWorkload> workloads = make_workloads(campaign, folder, program);
    const std::vector<CampaignRun> runs = runs_of(campaign, workloads, folder, program);
    std::vector<CampaignRun> of_shard;
    for (std::size_t i = shard.number - 1; i < runs.size(); i += shard.count) {
        of_shard.push_back(runs[i]);
    }
    const bool pages = campaign.reports && shard.count == 1;
    const bool dry_run = options.given("dry-run");
    // In a dry run, a comment: what is printed is for a shell.
    std::cout << (dry_run ? "# " : "") << folder << ": " << of_shard.size() << (of_shard.size() == 1 ? " run" : " runs")
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
    std::vector<CampaignRun> to_make;
    for (const CampaignRun& run : of_shard) {
        const std::optional<RunResult> kept = kept_result(folder, run.prefix, run.key);
        if (!kept || !schedule_is_kept(folder, run.prefix, *kept)) {
            to_make.push_back(run);
        }
    }
    const std::size_t up_to_date = of_shard.size() - to_make.size();
    const RunsOutcome outcome = replay_runs(campaign, to_make, folder, threads);
    std::cout << folder << ": " << outcome.made << (outcome.made == 1 ? " run made, " : " runs made, ") << up_to_date
              << " up to date, " << outcome.problems.size() << " failed\n"
              << std::flush;
    for (const std::string& problem : outcome.problems) {
        std::cerr << "batfill: " << problem << '\n';
    }
    if (!outcome.problems.empty()) {
        const std::size_t failed = outcome.problems.size();
        throw InputError(std::to_string(failed) + (failed == 1 ? " run" : " runs") +
                         " failed, so there is no table of all: mend what is above and run the campaign again");
    }
    if (shard.count > 1) {
        return 0;
    }
    write_results_of_all(campaign, runs, list, program, folder);
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
    return run_campaign(read_campaign(options.get<std::string>("file")), options);
}

}  // namespace batfill::commands
