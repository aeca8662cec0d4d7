#include "src/replay/comparison.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/analysis/metric_table.hpp"
#include "src/formats/named_platform.hpp"
#include "src/replay/notes.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/names.hpp"
#include "src/support/parallel.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text_files.hpp"
#include "src/workloads/named_workload.hpp"
#include "src/workloads/same_jobs.hpp"

namespace batfill {

namespace {

std::vector<std::string> names_of(const std::vector<std::string>& paths) {
    const std::vector<std::string> names = mapped(paths, workload_name);
    return std::set<std::string>(names.begin(), names.end()).size() < names.size() ? paths : names;
}

// The weeks of a log, as `batfill swf --split 7` makes them without other options.
std::vector<SwfPeriod> weeks_of_log(const std::string& path, const SwfSplit& split, const Note& note) {
    LogConversion request;
    request.log = path;
    request.conversion.split = split;
    ConvertedLog converted = convert_log(request);
    note(path + ": " + counted(converted.periods.size(), "week") + ", " + std::to_string(converted.summary.kept) +
         " of " + counted(converted.log.jobs.size(), "job") +
         " kept, dropped: " + reasons_of(converted.summary.dropped));
    return std::move(converted.periods);
}

std::vector<SwfPeriod> weeks_of(const std::string& path, const Note& note) {
    SwfSplit split;
    split.period = Duration::days(7);
    if (is_log(path)) {
        return weeks_of_log(path, split, note);
    }
    Workload workload = read_workload(path, "w0");
    std::ranges::stable_sort(workload.jobs, {}, [](const WorkloadJob& job) { return job.description.submit; });
    if (!workload.jobs.empty() && workload.jobs.front().description.submit < Time()) {
        throw InputError(path + ": job " + shown(workload.jobs.front().description.id) +
                         " is submitted before 0, expected none for --weeks, which count from there");
    }
    std::vector<SwfPeriod> weeks = split_into_periods(workload, split);
    note(path + ": " + counted(weeks.size(), "week") +
         ", with the jobs that run into the next one: a workload does not say when jobs ran");
    return weeks;
}

Platform platform_of(const ComparisonRequest& request, const Workload& workload) {
    return request.platform ? named_platform(*request.platform, request.master_host)
                            : homogeneous_platform(workload.processors);
}

Metrics measure(const Replay& replay, const NamedScheduler& scheduler, const ComparisonRequest& request) {
    const std::string& path = replay.scenario().workloads.front().path;
    return with_place_in_errors(path + " under " + scheduler.name, [&] {
        if (!request.metric) {
            MetricsOptions options;
            options.tau = request.tau;
            options.short_deadline = request.short_deadline;
            options.set_machine(replay.machine());
            return replay.measure_all(scheduler.choice, options, request.run);
        }
        std::vector<std::optional<double>> values(analysis::all_metrics().size());
        const auto place =
            static_cast<std::size_t>(analysis::find_metric(request.metric->name()) - analysis::all_metrics().data());
        values[place] = replay.measure(scheduler.choice, *request.metric, request.run);
        return Metrics(std::move(values));
    });
}

void note_surprises(const std::vector<Replay>& replays, const ComparisonRequest& request) {
    ReplayNotes notes;
    for (const NamedScheduler& scheduler : request.schedulers) {
        for (const Replay& replay : replays) {
            notes.add_run(replay.scenario().workloads.front(), scheduler.choice.common().placement,
                          request.fields_are_read);
        }
    }
    std::ranges::for_each(notes.texts(), request.note);
}

}  // namespace

PreparedReplays prepare_replays(const ComparisonRequest& request) {
    PreparedReplays prepared;
    const std::vector<std::string> names_of_files = names_of(request.workloads);
    for (std::size_t i = 0; i < request.workloads.size(); ++i) {
        const std::string& path = request.workloads[i];
        if (!request.weeks) {
            Workload workload = read_named_workload(path, "w0", request.note);
            Platform platform = platform_of(request, workload);
            prepared.replays.emplace_back(std::move(platform), std::move(workload));
            prepared.names.push_back(names_of_files[i]);
            continue;
        }
        for (SwfPeriod& week : weeks_of(path, request.note)) {
            Platform platform = platform_of(request, week.workload);
            prepared.names.push_back(names_of_files[i] + "-week-" + std::to_string(week.number));
            week.workload.path = path + " week " + std::to_string(week.number);
            prepared.replays.emplace_back(std::move(platform), std::move(week.workload));
        }
    }
    return prepared;
}

Comparison compare(const ComparisonRequest& request, const std::function<void(std::size_t, std::size_t)>& progress) {
    PreparedReplays prepared = prepare_replays(request);
    note_surprises(prepared.replays, request);
    return compare(prepared.replays, std::move(prepared.names), request, progress);
}

Comparison compare(const std::vector<Replay>& replays, std::vector<std::string> names, const ComparisonRequest& request,
                   const std::function<void(std::size_t, std::size_t)>& progress) {
    Comparison comparison;
    comparison.schedulers = mapped(request.schedulers, &NamedScheduler::name);
    const std::size_t columns = request.schedulers.size();
    const std::size_t total = replays.size() * columns;
    std::vector<std::optional<Metrics>> measured(total);
    for_each_in_parallel(
        total, request.threads,
        [&](std::size_t number) {
            measured[number] = measure(replays[number / columns], request.schedulers[number % columns], request);
        },
        [&](std::size_t done) { progress(done, total); });
    const std::vector<std::size_t> groups = groups_of_equal(
        mapped(replays, [](const Replay& replay) { return hash_of_jobs(replay.scenario().workloads.front()); }));
    for (std::size_t row = 0; row < replays.size(); ++row) {
        Comparison::Row& added = comparison.rows.emplace_back(Comparison::Row{std::move(names[row]), {}, groups[row]});
        for (std::size_t column = 0; column < columns; ++column) {
            added.values.push_back(std::move(*measured[row * columns + column]));
        }
    }
    return comparison;
}

}  // namespace batfill
