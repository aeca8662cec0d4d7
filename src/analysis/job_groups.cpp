#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <ostream>
#include <utility>
#include <vector>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/limit_waits.hpp"
#include "src/analysis/tables.hpp"
#include "src/analysis/workload_jobs.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

namespace {

using analysis::FinishedJobs;

// The rank of a group and its displayed name. Size classes rank by size; users, queues and partitions all rank 0: they
// sort by name.
using PlacedName = std::pair<std::size_t, std::string>;

// `run` is the job's run time for its class.
PlacedName name_in(JobGrouping grouping, const FinishedJob& job, Duration run, const JobDescription* description) {
    switch (grouping) {
        case JobGrouping::width: {
            const std::size_t width = analysis::width_class(job.processors);
            return {width, analysis::width_class_name(width)};
        }
        case JobGrouping::length: {
            const std::size_t length = analysis::length_class(run);
            return {length, analysis::length_class_names.at(length)};
        }
        case JobGrouping::user:
            return {0, description->user};
        case JobGrouping::queue:
            return {0, description->queue};
        case JobGrouping::partition:
            return {0, description->needs ? description->needs->partition.value_or("") : ""};
    }
    return {};
}

const char* name_of(JobGrouping grouping) {
    return std::ranges::find(job_groupings, grouping, &decltype(job_groupings)::value_type::second)->first;
}

// `longest`: null if a job's own run time counts.
std::vector<JobGroup> groups_of(const MeasuredSchedule& schedule, const MetricsOptions& options,
                                const std::vector<JobGrouping>& groupings, const std::vector<Workload>& workloads,
                                const analysis::LongestRuns* longest) {
    const bool with_workload = std::any_of(groupings.begin(), groupings.end(), needs_workload);
    const analysis::WorkloadJobs submitted(workloads);
    const bool has_limits = !options.limits.empty() && !workloads.empty();
    const analysis::WaitsForLimits for_limits =
        has_limits ? analysis::waits_for_limits(schedule, options, submitted) : analysis::WaitsForLimits();
    std::map<std::vector<PlacedName>, FinishedJobs> groups;
    for (const FinishedJob& job : schedule.finished()) {
        const JobDescription* const description =
            with_workload ? submitted.require(job, schedule.path()).description : nullptr;
        const Duration run = longest == nullptr ? job.run : longest->of(job);
        const auto name = [&](JobGrouping grouping) { return name_in(grouping, job, run, description); };
        groups[mapped(groupings, name)].push_back(job);
    }
    return mapped(groups, [&](const auto& group) {
        return JobGroup{mapped(group.first, &PlacedName::second),
                        analysis::measure_group(group.second, options.tau, has_limits ? &for_limits : nullptr)};
    });
}

}  // namespace

std::size_t analysis::width_class(int processors) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(std::max(processors, 1) - 1)));
}

std::string analysis::width_class_name(std::size_t width) {
    const std::uint64_t last = std::uint64_t{1} << width;
    const std::uint64_t first = width == 0 ? 1 : last / 2 + 1;
    return first == last ? std::to_string(last) : std::to_string(first) + "-" + std::to_string(last);
}

std::size_t analysis::length_class(Duration run) {
    constexpr std::array<long long, 5> bounds{60, 600, 3600, 4LL * 3600, 24LL * 3600};
    const auto* const above =
        std::find_if(bounds.begin(), bounds.end(), [&](long long bound) { return run < Duration::seconds(bound); });
    return static_cast<std::size_t>(above - bounds.begin());
}

void analysis::LongestRuns::add(const FinishedJobs& jobs) {
    by_id_.reserve(jobs.size());
    for (const FinishedJob& job : jobs) {
        look_for_interruption();
        Duration& longest = by_id_.emplace(job.id, job.run).first->second;
        longest = std::max(longest, job.run);
    }
}

std::optional<double> analysis::limit_wait_share(const FinishedJobs& jobs, const WaitsForLimits& for_limits) {
    Duration all;
    Duration held;
    for (const FinishedJob& job : jobs) {
        all = all + wait(job);
        const auto found = for_limits.find(std::string(job.id));
        held = held + (found == for_limits.end() ? Duration() : found->second);
    }
    return all > Duration() ? std::optional(ratio(held, all)) : std::nullopt;
}

GroupMetrics analysis::measure_group(const FinishedJobs& jobs, Duration tau, const WaitsForLimits* for_limits) {
    Microseconds used = 0;
    for (const FinishedJob& job : jobs) {
        used += job.run.count() * job.allocated;
    }
    return {jobs.size(),
            Duration::microseconds(used).to_seconds(),
            measure(jobs, mean_wait, tau),
            measure(jobs, median_wait, tau),
            measure(jobs, max_wait, tau),
            measure(jobs, mean_bounded_slowdown, tau),
            measure(jobs, median_bounded_slowdown, tau),
            for_limits != nullptr ? limit_wait_share(jobs, *for_limits) : std::nullopt};
}

std::vector<JobGroup> measure_groups(const MeasuredSchedule& schedule, const MetricsOptions& options,
                                     const std::vector<JobGrouping>& groupings,
                                     const std::vector<Workload>& workloads) {
    return groups_of(schedule, options, groupings, workloads, nullptr);
}

std::vector<std::vector<JobGroup>> measure_groups(const std::vector<MeasuredSchedule>& runs,
                                                  const MetricsOptions& options,
                                                  const std::vector<JobGrouping>& groupings,
                                                  const std::vector<Workload>& workloads) {
    analysis::LongestRuns longest;
    for (const MeasuredSchedule& run : runs) {
        longest.add(run.finished());
    }
    return mapped(runs,
                  [&](const MeasuredSchedule& run) { return groups_of(run, options, groupings, workloads, &longest); });
}

void write_groups(std::ostream& out, const std::vector<RunGroups>& runs, const std::vector<JobGrouping>& groupings,
                  MetricsFormat format) {
    using analysis::Number;
    using analysis::Unit;
    analysis::Rows rows{{{"run", "run"}}, {}};
    for (const JobGrouping grouping : groupings) {
        rows.columns.push_back({name_of(grouping), name_of(grouping)});
    }
    const std::vector<analysis::Column> measures{
        {"jobs", "jobs"},
        {"processor_seconds", "processor time (s)"},
        {"mean_wait", "mean wait (s)"},
        {"median_wait", "median"},
        {"max_wait", "max"},
        {"mean_bounded_slowdown", "mean bounded slowdown"},
        {"median_bounded_slowdown", "median"},
    };
    rows.columns.insert(rows.columns.end(), measures.begin(), measures.end());
    const bool shows_limits = std::ranges::any_of(runs, [](const RunGroups& run) {
        return std::ranges::any_of(run.groups,
                                   [](const JobGroup& group) { return group.metrics.limit_wait_share.has_value(); });
    });
    if (shows_limits) {
        rows.columns.push_back({"limit_wait_share", "waiting for limits"});
    }
    for (const RunGroups& run : runs) {
        for (const JobGroup& group : run.groups) {
            std::vector<analysis::Cell>& row = rows.rows.emplace_back();
            row.emplace_back(run.label);
            row.insert(row.end(), group.names.begin(), group.names.end());
            const GroupMetrics& metrics = group.metrics;
            row.insert(row.end(),
                       {Number{static_cast<double>(metrics.jobs), Unit::count},
                        Number{metrics.processor_seconds, Unit::seconds}, Number{metrics.mean_wait, Unit::seconds},
                        Number{metrics.median_wait, Unit::seconds}, Number{metrics.max_wait, Unit::seconds},
                        Number{metrics.mean_bounded_slowdown, Unit::ratio},
                        Number{metrics.median_bounded_slowdown, Unit::ratio}});
            if (shows_limits) {
                row.emplace_back(Number{metrics.limit_wait_share, Unit::share});
            }
        }
    }
    analysis::write_rows(out, rows, format);
}

}  // namespace batfill
