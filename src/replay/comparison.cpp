#include "comparison.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <set>

#include <batfill/core/error.hpp>

#include "src/formats/named_platform.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/names.hpp"
#include "src/support/parallel.hpp"
#include "src/workloads/any_workload.hpp"

namespace batfill {

namespace {

std::vector<std::string> names_of(const std::vector<std::string>& paths) {
    std::vector<std::string> names;
    std::transform(paths.begin(), paths.end(), std::back_inserter(names), workload_name);
    return std::set<std::string>(names.begin(), names.end()).size() < names.size() ? paths : names;
}

std::optional<double> measure(const Replay& replay, const NamedScheduler& scheduler, const ReplayMetric& metric) {
    try {
        return replay.measure(scheduler.choice, metric);
    } catch (const std::bad_alloc&) {
        throw;  // the replay is not to blame
    } catch (const std::exception& problem) {
        throw InputError(replay.scenario().workloads.front().path + " under " + scheduler.name + ": " + problem.what());
    }
}

}  // namespace

Comparison compare(const ComparisonRequest& request, const std::function<void(std::size_t, std::size_t)>& progress) {
    Comparison comparison;
    for (const NamedScheduler& scheduler : request.schedulers) {
        comparison.schedulers.push_back(scheduler.name);
    }
    const std::size_t columns = request.schedulers.size();
    const Platform platform = named_platform(request.platform, request.master_host);
    std::vector<Replay> replays;
    for (const std::string& path : request.workloads) {
        replays.emplace_back(platform, read_any_workload(path, "w0", request.note));
    }
    for (std::string& name : names_of(request.workloads)) {
        comparison.rows.push_back({std::move(name), std::vector<std::optional<double>>(columns)});
    }
    const std::size_t total = replays.size() * columns;
    for_each_in_parallel(
        total, request.threads,
        [&](std::size_t number) {
            const std::size_t row = number / columns;
            const std::size_t column = number % columns;
            comparison.rows[row].values[column] = measure(replays[row], request.schedulers[column], request.metric);
        },
        [&](std::size_t done) { progress(done, total); });
    return comparison;
}

void write_csv(const Comparison& comparison, const std::string& path) {
    OutputFile file(path);
    std::string line = "workload";
    for (const std::string& scheduler : comparison.schedulers) {
        line += ',' + csv_text(scheduler);
    }
    file.write(line + '\n');
    for (const Comparison::Row& row : comparison.rows) {
        line = csv_text(row.workload);
        for (const std::optional<double>& value : row.values) {
            line += ',' + (value ? exact(*value) : "");
        }
        file.write(line + '\n');
    }
    file.commit();
}

}  // namespace batfill
