#include "src/campaign/run_campaign.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/version.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/metric_table.hpp"
#include "src/analysis/told_apart.hpp"
#include "src/campaign/campaign_pages.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/mapped.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"
#include "src/workloads/same_jobs.hpp"

namespace batfill::campaign {

namespace {

namespace fs = std::filesystem;

// The part of the runs that a table of results needs. Merging shards reads it without the campaign file.
struct RunList {
    struct Row {
        std::string prefix;
        std::string key;
        std::vector<std::string> cells;  // of `columns`; empty where a column says nothing of the run
    };

    std::string campaign;  // hash of all that follows
    std::vector<std::string> columns;
    std::vector<Row> rows;
    std::map<std::string, std::string> workloads;  // hashes by file, in the campaign's folder
    CampaignPages pages;
};

constexpr const char* manifest_name = "manifest.json";
constexpr const char* results_name = "results.csv";
constexpr std::size_t max_manifest_size = std::size_t{1} << 30;

void add_columns(const Swept& swept, const std::string& prefix, std::vector<std::string>& columns) {
    for (const auto& [key, value] : swept) {
        const std::string column = prefix + key;
        if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
            columns.push_back(column);
        }
    }
}

std::vector<std::string> texts(const JsonValue& array) {
    std::vector<std::string> result;
    for (const JsonValue& element : array.GetArray()) {
        refuse_if<InputError>(!element.IsString(), "expected texts in 'columns' and 'cells'");
        result.emplace_back(view(element));
    }
    return result;
}

RunList read_manifest(const std::string& folder) {
    const std::string path = folder + '/' + manifest_name;
    const std::string text = InputFile(path).read_all(max_manifest_size);
    return with_place_in_errors(path, [&] {
        JsonReader reader;
        const JsonValue& root = reader.parse(text);
        refuse_if<InputError>(!root.IsObject(), "expected an object");
        Fields fields(root, "");
        RunList list{std::string(fields.text("runs_sha256")), texts(fields.array("columns")), {}, {}, {}};
        for (const JsonValue& element : fields.array("workloads").GetArray()) {
            refuse_if<InputError>(!element.IsObject(), "expected objects in 'workloads'");
            Fields workload(element, "workloads: ");
            list.workloads.emplace(workload.text("file"), workload.text("sha256"));
        }
        list.pages = read_pages(fields);
        for (const JsonValue& element : fields.array("runs").GetArray()) {
            refuse_if<InputError>(!element.IsObject(), "expected objects in 'runs'");
            Fields run(element, "runs: ");
            list.rows.push_back(
                {std::string(run.text("prefix")), std::string(run.text("key")), texts(run.array("cells"))});
            refuse_if<InputError>(list.rows.back().cells.size() != list.columns.size(),
                                  "expected as many cells as columns in each run");
        }
        return list;
    });
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

std::string algorithm_of(const CampaignRun& run) {
    return run.scheduler == nullptr ? log_name : run.scheduler->scheduler.choice.algorithm();
}

RunList list_of_runs(const Campaign& campaign, const std::vector<CampaignRun>& runs) {
    RunList list;
    list.columns = {"workload", "period", "machine", "scheduler", "algorithm", "workload.log"};
    const auto add_all = [&](const auto& entries, const std::string& prefix) {
        std::ranges::for_each(entries, [&](const auto& entry) { add_columns(entry.swept, prefix, list.columns); });
    };
    add_all(campaign.workloads, "workload.");
    add_all(campaign.machines, "machine.");
    add_all(campaign.schedulers, "scheduler.");
    std::string everything;
    for (const CampaignRun& run : runs) {
        const CampaignWorkload& workload = campaign.workloads[run.workload->entry];
        std::map<std::string, std::string> cells{
            {"workload", workload.name},      {"period", run.workload->period},
            {"machine", run.machine->name},   {"scheduler", run.scheduler_name()},
            {"algorithm", algorithm_of(run)}, {"workload.log", workload.entry_name}};
        const auto set = [&](const Swept& swept, const std::string& prefix) {
            std::ranges::for_each(swept, [&](const auto& one) { cells[prefix + one.first] = one.second; });
        };
        set(workload.swept, "workload.");
        set(run.machine->swept, "machine.");
        set(run.scheduler == nullptr ? Swept() : run.scheduler->swept, "scheduler.");
        list.rows.push_back({run.prefix, run.key, mapped(list.columns, [&](const auto& name) { return cells[name]; })});
        everything += run.prefix + '\n' + run.key + '\n';
    }
    list.campaign = sha256(everything);
    return list;
}

// Writes FOLDER/manifest.json, which lists the runs and the program.
void write_manifest(const Campaign& campaign, const std::vector<MadeWorkload>& workloads, const RunList& list,
                    const std::string& program, const std::string& folder) {
    JsonWriter json(1);
    json.open_object();
    json.key("batfill").text(version);
    json.key("program_sha256").text(program);
    json.key("campaign_file").text(fs::path(campaign.path).filename().string());
    json.key("campaign_file_sha256").text(sha256(campaign.text));
    json.key("workloads").objects(workloads, [&](const MadeWorkload& workload) {
        json.key("file").text(workload.file);
        json.key("sha256").text(workload.sha256);
        json.key("jobs").integer(workload.jobs);
        json.key("processors").integer(workload.processors);
    });
    json.key("runs_sha256").text(list.campaign);
    if (campaign.reports) {
        write_pages(list.pages, json);
    }
    json.key("columns").texts(list.columns);
    json.key("runs").objects(list.rows, [&](const RunList::Row& row) {
        json.key("prefix").text(row.prefix);
        json.key("key").text(row.key);
        json.key("cells").texts(row.cells);
    });
    json.close_object();
    write_file(folder + '/' + manifest_name, json.written() + '\n');
}

// Returns the kept results of all runs, in their order.
// Throws: InputError if a result is missing or has changed.
std::vector<RunResult> results_of(const std::vector<CampaignRun>& runs, const std::string& folder) {
    return mapped(runs, [&](const CampaignRun& run) {
        std::optional<RunResult> result = kept_result(folder, run.prefix, run.key);
        refuse_if<InputError>(!result, folder, "/", run.prefix,
                              "_result.csv: has gone or changed: run the campaign again");
        return std::move(*result);
    });
}

// Writes FOLDER/results.csv.
// Requires: as many results as there are rows.
void write_results_table(const RunList& list, const std::vector<RunResult>& results, const std::string& folder) {
    OutputFile file(folder + '/' + results_name);
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

// Null if the metric has no value.
const std::string* value_of(const RunResult& result, std::string_view metric) {
    const auto found = std::ranges::find(result.values, metric, &NamedValues::value_type::first);
    return found == result.values.end() ? nullptr : &found->second;
}

// Weeks, or other periods, of logs, or else independent workloads.
Sample sample_of(const MadeCampaign& made) {
    return std::ranges::all_of(made.workloads, [](const MadeWorkload& workload) { return !workload.period.empty(); })
               ? Sample::weeks
               : Sample::workloads;
}

// What is shown on the terminal, with decimals.
constexpr std::array<std::pair<const char*, int>, 3> shown_metrics{
    {{"mean_wait", 0}, {"mean_bounded_slowdown", 2}, {"utilisation", 3}}};

// The results of a campaign by machine and scheduler, with the log's own schedule behind the schedulers, if some
// workload has it.
class ValuesByRow {
 public:
    using Values = analysis::ValuesOfRun;

    explicit ValuesByRow(const MadeCampaign& made)
        : made_(made), columns_(made.campaign.schedulers.size() + (made.campaign.has_own_schedules() ? 1 : 0)) {
        std::vector<std::string> hashes;
        for (std::size_t run = 0; run < made.runs.size(); ++run) {
            const CampaignRun& one = made.runs[run];
            const bool is_new = run == 0 || one.workload != made.runs[run - 1].workload;
            if (is_new) {
                hashes.push_back(one.workload->jobs_hash);
                runs_.emplace_back(made.campaign.machines.size() * columns_);
            }
            const auto machine = static_cast<std::size_t>(one.machine - made.campaign.machines.data());
            const std::size_t column = one.scheduler == nullptr
                                           ? columns_ - 1
                                           : static_cast<std::size_t>(one.scheduler - made.campaign.schedulers.data());
            runs_.back()[machine * columns_ + column] = run;
        }
        groups_ = {groups_of_equal(hashes), sample_of(made)};
    }

    std::size_t count() const { return made_.campaign.machines.size() * columns_; }
    std::size_t of_a_machine() const { return columns_; }
    const WorkloadGroups& groups() const { return groups_; }
    WorkloadGroups groups_with_jobs() const {
        WorkloadGroups found{{}, groups_.sample};
        const Values waits = values(0, "mean_wait");
        for (std::size_t i = 0; i < waits.size(); ++i) {
            if (waits[i]) {
                found.numbers.push_back(groups_.numbers[i]);
            }
        }
        return found;
    }

    bool is_of_log(std::size_t row) const { return row % columns_ == made_.campaign.schedulers.size(); }

    std::string name(std::size_t row) const {
        const std::string name = is_of_log(row) ? log_name : made_.campaign.schedulers[row % columns_].scheduler.name;
        const std::vector<CampaignMachine>& machines = made_.campaign.machines;
        return machines.size() == 1 ? name : machines[row / columns_].name + ": " + name;
    }

    Values values(std::size_t row, std::string_view metric) const {
        return mapped(runs_, [&](const auto& of_workload) -> std::optional<double> {
            const std::optional<std::size_t> run = of_workload[row];
            const std::string* const value = run ? value_of(made_.results[*run], metric) : nullptr;
            return value != nullptr ? std::optional(std::stod(*value)) : std::nullopt;
        });
    }

    // Which of the rows of a machine, whose first one this is, differ in a metric.
    analysis::ToldApart told_apart(std::size_t first, std::string_view metric,
                                   const analysis::ToldApart* only_where = nullptr) const {
        std::vector<Values> of_rows;
        for (std::size_t row = first; row < first + columns_; ++row) {
            of_rows.push_back(values(row, metric));
        }
        return told_apart_over(groups_, of_rows, only_where);
    }

    // Of workloads that have the log's own schedule, on the same machine.
    Values differences_to_log(std::size_t row, std::string_view metric) const {
        return analysis::difference(values(row, metric), values(row - row % columns_ + columns_ - 1, metric));
    }

 private:
    const MadeCampaign& made_;
    std::size_t columns_;
    std::vector<std::vector<std::optional<std::size_t>>> runs_;  // by workload, then by row
    WorkloadGroups groups_;
};

// The mean of the values and, if there is one, its confidence interval.
std::string mean_text(const GroupedMean& mean, int decimals) {
    std::string text = mean.mean ? rounded(*mean.mean, decimals) : "-";
    if (mean.interval) {
        text += " [" + rounded(mean.interval->low, decimals) + ", " + rounded(mean.interval->high, decimals) + ']';
    }
    return text;
}

}  // namespace

WorkloadGroups groups_of(const MadeCampaign& made) {
    return ValuesByRow(made).groups_with_jobs();
}

MarkedTable table_of_means(const MadeCampaign& made) {
    const ValuesByRow rows(made);
    const bool has_intervals = reason_for_no_intervals(rows.groups_with_jobs()).empty();
    MarkedTable table{{{{has_intervals ? "mean over the workloads [95 % interval]" : "mean over the workloads"}}}, {}};
    for (std::size_t row = 0; row < rows.count(); ++row) {
        table.lines.push_back({{rows.name(row)}});
    }
    for (const auto& [metric, decimals] : shown_metrics) {
        table.lines.front().push_back({metric});
    }
    for (std::size_t first = 0; first < rows.count(); first += rows.of_a_machine()) {
        const analysis::ToldApart mean_waits = rows.told_apart(first, "mean_wait");
        for (const auto& [metric, decimals] : shown_metrics) {
            std::vector<std::optional<double>> means;
            std::vector<GroupedMean> shown;
            for (std::size_t i = 0; i < rows.of_a_machine(); ++i) {
                shown.push_back(mean_over_groups(rows.values(first + i, metric), rows.groups()));
                shown.back().interval =
                    analysis::possible_part(shown.back().interval, metric, shown.back().mean.value_or(0));
                means.push_back(shown.back().mean);
            }
            const std::vector<analysis::Mark> marks = analysis::marks_of(means, analysis::find_metric(metric)->goal,
                                                                         rows.told_apart(first, metric, &mean_waits));
            for (std::size_t i = 0; i < rows.of_a_machine(); ++i) {
                table.lines[1 + first + i].push_back({mean_text(shown[i], decimals), marks[i]});
            }
        }
        if (table.meaning.empty() || mean_waits.any()) {
            table.meaning =
                analysis::meaning_of_marks(mean_waits, analysis::has_marks(table.lines), MetricsFormat::table);
        }
    }
    if (made.campaign.machines.size() > 1 && !table.meaning.empty()) {
        table.meaning += " Each machine counts as a table.";
    }
    return table;
}

std::vector<std::vector<std::string>> table_of_differences_to_log(const MadeCampaign& made) {
    if (!made.campaign.has_own_schedules()) {
        return {};
    }
    const ValuesByRow rows(made);
    std::vector<std::vector<std::string>> lines{{"difference to the log [95 % interval, paired]"}};
    for (const auto& [metric, decimals] : shown_metrics) {
        lines.front().emplace_back(metric);
    }
    for (std::size_t row = 0; row < rows.count(); ++row) {
        if (rows.is_of_log(row)) {
            continue;
        }
        std::vector<std::string>& line = lines.emplace_back(1, rows.name(row));
        for (const auto& [metric, decimals] : shown_metrics) {
            line.push_back(mean_text(mean_over_groups(rows.differences_to_log(row, metric), rows.groups()), decimals));
        }
    }
    return lines;
}

std::vector<std::string> notes_on_logs(const MadeCampaign& made) {
    std::vector<std::string> notes;
    std::size_t with_log = 0;
    for (std::size_t entry = 0; entry < made.campaign.workloads.size(); ++entry) {
        std::size_t jobs = 0;
        std::size_t started = 0;
        for (const MadeWorkload& workload : made.workloads) {
            if (workload.entry == entry && !workload.own_schedule.empty()) {
                ++with_log;
                jobs += workload.jobs;
                started += workload.jobs_in_log;
            }
        }
        if (started < jobs) {
            notes.push_back(made.campaign.workloads[entry].subject +
                            ": own-schedule: " + std::to_string(jobs - started) + " of " + counted(jobs, "job") +
                            " did not start in the log, and no result counts them");
        }
    }
    if (with_log > 0 && with_log < made.workloads.size()) {
        notes.push_back("only " + std::to_string(with_log) + " of " + counted(made.workloads.size(), "workload") +
                        " have the log's own schedule: its means are over these, those of schedulers over all");
    }
    return notes;
}

std::vector<std::string> rejections_of(const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results) {
    std::vector<std::string> rejections;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string* const rejected = value_of(results[i], "rejected");
        if (rejected != nullptr && *rejected != "0") {
            rejections.push_back(*rejected + " in " + runs[i].prefix);
        }
    }
    return rejections;
}

std::size_t merge_shards(const std::vector<std::string>& folders, const std::string& output,
                         const std::function<void(const report::ReportRequest&)>& page) {
    const RunList list = read_manifest(folders.front());
    for (const std::string& folder : folders) {
        if (read_manifest(folder).campaign != list.campaign) {
            throw InputError(folder + '/' + manifest_name + ": is of another campaign, or another program, than " +
                             folders.front() + '/' + manifest_name);
        }
    }
    PageSources sources;
    std::vector<std::string> missing;
    for (const RunList::Row& row : list.rows) {
        const auto has_result = [&](const std::string& folder) {
            std::optional<RunResult> result = kept_result(folder, row.prefix, row.key);
            if (result) {
                sources.prefixes.push_back(folder + '/' + row.prefix);
                sources.keys.push_back(row.key);
                sources.results.push_back(std::move(*result));
            }
            return result.has_value();
        };
        if (std::ranges::none_of(folders, has_result)) {
            missing.push_back(row.prefix);
        }
    }
    if (!missing.empty()) {
        throw InputError(std::to_string(missing.size()) + " of " + std::to_string(list.rows.size()) +
                         " runs are in none of the folders, the first: " + missing.front());
    }
    create_folders(output);
    write_results_table(list, sources.results, output);
    sources.made_file = [&](const std::string& file) {
        const auto known = list.workloads.find(file);
        for (const std::string& folder : folders) {
            std::string path = folder;
            path.append("/").append(file);
            if (known == list.workloads.end() ? fs::is_regular_file(path) : has_sha256(path, known->second)) {
                return path;
            }
        }
        throw InputError(file + ": is in none of the folders as the campaign has made it");
    };
    make_pages(list.pages, sources, output, page);
    return list.rows.size();
}

MadeCampaign run_campaign(const CampaignRequest& request, const CampaignWatch& watch) {
    const auto& [number, count] = request.shard;
    const std::string& folder = request.folder;
    const std::string program = hash_of_program(request.plugins);
    MadeCampaign made;
    made.campaign = read_campaign(request.file, request.own_algorithms);
    for (const char* const name : {manifest_name, results_name}) {
        refuse_if(canonical_path(folder + '/' + name) == canonical_path(request.file), request.file,
                  ": the campaign would write over its own file, expected another folder (-o)");
    }
    made.workloads = make_workloads(made.campaign, folder, program, watch.made);
    made.runs = runs_of(made.campaign, made.workloads, folder, program);
    for (std::size_t i = number - 1; i < made.runs.size(); i += count) {
        made.of_shard.push_back(made.runs[i]);
    }
    made.size =
        estimated_size(made.campaign, made.of_shard, made.workloads, folder, made.campaign.reports && count == 1);
    if (watch.begins) {
        watch.begins(made);
    }
    if (request.dry_run) {
        return made;
    }
    RunList list = list_of_runs(made.campaign, made.runs);
    list.pages = pages_of(made.campaign, made.runs, program);
    write_manifest(made.campaign, made.workloads, list, program, folder);
    made.outcome = replay_runs(made.campaign, made.of_shard, folder, request.threads, watch.progress, watch.in_run,
                               !request.plugins.empty(), request.elsewhere);
    if (count == 1 && made.outcome.problems.empty()) {
        made.results = results_of(made.runs, folder);
        write_results_table(list, made.results, folder);
    }
    if (watch.replayed) {
        watch.replayed(made);
    }
    if (!made.results.empty()) {
        const auto in_folder = [&](const std::string& file) { return folder + '/' + file; };
        const PageSources sources{
            mapped(made.runs, [&](const CampaignRun& run) { return in_folder(run.prefix); }),
            mapped(made.runs, &CampaignRun::key),
            made.results,
            in_folder,
        };
        make_pages(list.pages, sources, folder, watch.page);
    }
    return made;
}

}  // namespace batfill::campaign
