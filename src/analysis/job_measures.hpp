#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>

// The measurements of finished jobs that papers use, in seconds or as ratios. They have no value if no job counts. They
// do not depend on the order of the jobs. Also the classes of width and length that divide jobs everywhere.
namespace batfill::analysis {

using FinishedJobs = std::vector<FinishedJob>;

// Returns what the metrics need of `job`. The result refers to the text of the job's id.
// Requires: job.finished().
FinishedJob finished_job(const ScheduledJob& job);

// When the job's wait begins.
inline Time waits_from(const FinishedJob& job) {
    return job.submit + Duration::microseconds(job.held);
}

inline Duration wait(const FinishedJob& job) {
    return job.start - waits_from(job);
}

// Returns part / whole. Rounds only once if both are below 2^53 microseconds.
inline double ratio(Duration part, Duration whole) {
    return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

enum class JobMeasure {
    wait,              // in seconds
    stretch,           // (wait + walltime) / walltime; no value without a walltime above 0
    slowdown,          // (wait + run) / run; no value if the job took no time
    bounded_slowdown,  // max((wait + run) / max(run, tau), 1)
};

// Returns the measure of one job.
// Requires: tau > 0 for the bounded slowdown.
std::optional<double> measure(const FinishedJob& job, JobMeasure what, Duration tau);

// Returns the measures of the jobs that have a value, in the order of the jobs.
std::vector<double> values_of(const FinishedJobs& jobs, JobMeasure what, Duration tau);

// A measure of many jobs.
struct JobStatistic {
    enum class Kind {
        mean,
        percentile,  // the smallest value that at least `percent` of the jobs do not exceed
        worst,       // mean of the largest `percent` of the values
        widest,      // mean of the `percent` of the jobs that are widest, as is_wider() orders them
    };
    JobMeasure measure;
    Kind kind;
    std::size_t percent = 100;  // above 0 and at most 100

    // The number of values that the percentage stands for, rounded up.
    std::size_t share_of(std::size_t values) const { return (values * percent + 99) / 100; }
};

inline constexpr JobStatistic mean_wait{JobMeasure::wait, JobStatistic::Kind::mean};
inline constexpr JobStatistic median_wait{JobMeasure::wait, JobStatistic::Kind::percentile, 50};
inline constexpr JobStatistic max_wait{JobMeasure::wait, JobStatistic::Kind::percentile, 100};
inline constexpr JobStatistic mean_stretch{JobMeasure::stretch, JobStatistic::Kind::mean};
inline constexpr JobStatistic max_stretch{JobMeasure::stretch, JobStatistic::Kind::percentile, 100};
inline constexpr JobStatistic mean_bounded_slowdown{JobMeasure::bounded_slowdown, JobStatistic::Kind::mean};
inline constexpr JobStatistic median_bounded_slowdown{JobMeasure::bounded_slowdown, JobStatistic::Kind::percentile, 50};

// Returns the statistic over the jobs that have a value; none if no job has one.
// Requires: tau > 0 for the bounded slowdown.
// Cost: O(n), or O(n log n) for a mean of anything but waits.
std::optional<double> measure(const FinishedJobs& jobs, const JobStatistic& statistic, Duration tau);

// Whether `a` comes before `b` among the widest jobs. Which of equally wide ones does, does not depend on the schedule.
bool is_wider(const FinishedJob& a, const FinishedJob& b);

// Sums of doubles depend on the order of the terms, so these add from the smallest up.
double sum(std::vector<double> values);
std::optional<double> mean(const std::vector<double>& values);
// In seconds. Rounds only once, as ratio().
std::optional<double> mean(const std::vector<Duration>& values);

// Classes of width: class 0 is 1 processor, or none; class i > 0 is 2^(i-1) + 1 to 2^i processors.
std::size_t width_class(int processors);
// The processors of a class: "1", "2", "3-4", "5-8", ...
std::string width_class_name(std::size_t width);

// Classes of run time: below 1 minute, 10 minutes, 1 hour, 4 hours, 1 day, and all longer ones.
inline constexpr std::array<const char*, 6> length_class_names{"< 1 min", "1-10 min", "10-60 min",
                                                               "1-4 h",   "4-24 h",   "from 1 d"};
std::size_t length_class(Duration run);

// The longest run time of each job in several runs, by its id: what classes of run time go by where runs are compared,
// so that a job that one run cuts short is in one class. Ids refer to texts of the jobs.
class LongestRuns {
 public:
    // Adds the jobs of one more run.
    void add(const FinishedJobs& jobs);
    // Requires: the job has been added.
    Duration of(const FinishedJob& job) const { return by_id_.at(job.id); }

 private:
    std::unordered_map<std::string_view, Duration> by_id_;  // only looked up
};

// How long jobs waited for limits, by id. Jobs that did not are missing.
using WaitsForLimits = std::unordered_map<std::string, Duration>;

// `for_limits`: null if it is not known.
// Requires: tau > 0.
// Cost: O(n log n).
GroupMetrics measure_group(const FinishedJobs& jobs, Duration tau, const WaitsForLimits* for_limits = nullptr);
// The share of all waiting; none if nobody waits.
std::optional<double> limit_wait_share(const FinishedJobs& jobs, const WaitsForLimits& for_limits);

// The time from the first submission to the last completion. None if it is 0.
std::optional<Duration> span_of(const FinishedJobs& jobs);

// The share of this many units (processors, licences) that the jobs use from the first submission to the last
// completion. `units_of` gives those of the job at a place. None without units or time.
std::optional<double> share_in_use(const FinishedJobs& jobs, double units, auto units_of) {
    const std::optional<Duration> span = span_of(jobs);
    if (units == 0 || !span) {
        return std::nullopt;
    }
    std::vector<double> in_use(jobs.size());
    for (std::size_t i = 0; i < in_use.size(); ++i) {
        in_use[i] = static_cast<double>(units_of(i)) * jobs[i].run.to_seconds();
    }
    return sum(std::move(in_use)) / (units * span->to_seconds());
}

// Checks that both runs are of the same workload.
// Throws: InputError, which names a job that finished in both runs but differs in submission time or requested
// processors.
// Cost: O(number of jobs).
void require_same_jobs(const MeasuredSchedule& one, const MeasuredSchedule& other);

// As above. Also throws if different jobs finished in the two runs: then their waits cannot be compared.
void require_same_finished_jobs(const MeasuredSchedule& baseline, const MeasuredSchedule& run);

}  // namespace batfill::analysis
