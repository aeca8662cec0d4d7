#include "campaign_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/version.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/sha256.hpp"

namespace batfill::campaign {

namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.json";
constexpr std::size_t max_manifest_size = std::size_t{1} << 30;

void add_columns(const Swept& swept, const std::string& prefix, std::vector<std::string>& columns) {
    for (const auto& [key, value] : swept) {
        const std::string column = prefix + key;
        if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
            columns.push_back(column);
        }
    }
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

}  // namespace

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

void write_manifest(const Campaign& campaign, const std::vector<MadeWorkload>& workloads, const RunList& list,
                    const std::string& program, const std::string& folder) {
    PrettyJson json(1);
    json.open_object();
    json.key("batfill").text(version);
    json.key("program_sha256").text(program);
    json.key("campaign_file").text(fs::path(campaign.path).filename().string());
    json.key("campaign_file_sha256").text(sha256(campaign.text));
    json.key("workloads").objects(workloads, [&](const MadeWorkload& workload) {
        json.key("file").text(workload.file);
        json.key("sha256").text(workload.sha256);
        json.key("jobs").integer(workload.jobs);
        json.key("processors").integer(static_cast<std::uint64_t>(workload.processors));
    });
    json.key("runs_sha256").text(list.campaign);
    json.key("columns").texts(list.columns);
    json.key("runs").objects(list.rows, [&](const RunList::Row& row) {
        json.key("prefix").text(row.prefix);
        json.key("key").text(row.key);
        json.key("cells").texts(row.cells);
    });
    json.close_object();
    write_file(folder + '/' + manifest_name, std::string(json.view()) + '\n');
}

std::vector<RunResult> results_of(const std::vector<CampaignRun>& runs, const std::string& folder) {
    std::vector<RunResult> results;
    results.reserve(runs.size());
    for (const CampaignRun& run : runs) {
        std::optional<RunResult> result = kept_result(folder, run.prefix, run.key);
        if (!result) {
            throw InputError(folder + '/' + run.prefix + "_result.csv: has gone or changed: run the campaign again");
        }
        results.push_back(std::move(*result));
    }
    return results;
}

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

namespace {

// Null if the metric has no value.
const std::string* value_of(const RunResult& result, std::string_view metric) {
    const auto found = std::find_if(result.values.begin(), result.values.end(),
                                    [&](const auto& named) { return named.first == metric; });
    return found == result.values.end() ? nullptr : &found->second;
}

// The mean of the values and, from two on, its confidence interval.
std::string mean_text(const std::vector<double>& values, int decimals) {
    const std::optional<double> mean = analysis::mean(values);
    if (!mean) {
        return "-";
    }
    if (values.size() < 2) {
        return rounded(*mean, decimals);
    }
    const Interval interval = *interval_of_mean(values);
    return rounded(*mean, decimals) + " [" + rounded(interval.low, decimals) + ", " + rounded(interval.high, decimals) +
           ']';
}

}  // namespace

std::vector<std::vector<std::string>> table_of_means(const Campaign& campaign, const std::vector<RunResult>& results) {
    constexpr std::array<std::pair<const char*, int>, 3> shown{
        // with decimals
        {{"mean_wait", 0}, {"mean_bounded_slowdown", 2}, {"utilisation", 3}}};
    std::vector<std::vector<std::string>> lines{{"mean over the workloads [95 % interval]"}};
    for (const CampaignScheduler& scheduler : campaign.schedulers) {
        lines.push_back({scheduler.scheduler.name});
    }
    for (const auto& [metric, decimals] : shown) {
        lines.front().emplace_back(metric);
        for (std::size_t scheduler = 0; scheduler < campaign.schedulers.size(); ++scheduler) {
            std::vector<double> values;
            for (std::size_t run = scheduler; run < results.size(); run += campaign.schedulers.size()) {
                if (const std::string* const value = value_of(results[run], metric)) {
                    values.push_back(std::stod(*value));
                }
            }
            lines[scheduler + 1].push_back(mean_text(values, decimals));
        }
    }
    return lines;
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

std::size_t merge_shards(const std::vector<std::string>& folders, const std::string& output) {
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
    return results.size();
}

}  // namespace batfill::campaign
