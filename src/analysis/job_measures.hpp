#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>

// The measurements of finished jobs that papers use, in seconds or as ratios. They have no value if no job counts. They
// do not depend on the order of the jobs.
namespace batfill::analysis {

using FinishedJobs = std::vector<FinishedJob>;

// Returns what the metrics need of `job`. The result refers to the text of the job's id.
// Requires: job.finished().
FinishedJob finished_job(const ScheduledJob& job);

inline Duration wait(const FinishedJob& job) {
    return job.start - job.submit;
}

// Returns part / whole. Rounds only once if both are below 2^53 microseconds.
inline double ratio(Duration part, Duration whole) {
    return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

// (wait + walltime) / walltime; no value without a walltime above 0.
std::optional<double> stretch(const FinishedJob& job);

// (wait + run) / run; no value if the job took no time.
std::optional<double> slowdown(const FinishedJob& job);

// Whether `a` comes before `b` among the widest jobs. Which of equally wide ones does, does not depend on the schedule.
bool is_wider(const FinishedJob& a, const FinishedJob& b);

// max((wait + run) / max(run, tau), 1).
// Requires: tau > 0.
double bounded_slowdown(const FinishedJob& job, Duration tau);

// Sums of doubles depend on the order of the terms, so these add from the smallest up.
double sum(std::vector<double> values);
std::optional<double> mean(const std::vector<double>& values);

std::optional<double> mean_wait(const FinishedJobs& jobs);
std::optional<double> max_wait(const FinishedJobs& jobs);
// The shortest wait that at least `percent` of the jobs do not exceed.
// Requires: 0 < percent <= 100.
// Cost: O(n).
std::optional<double> wait_percentile(const FinishedJobs& jobs, std::size_t percent);
// The mean wait of the `percent` of the jobs that waited longest or are widest, rounded up to whole jobs.
std::optional<double> mean_wait_of_worst(const FinishedJobs& jobs, std::size_t percent);
std::optional<double> mean_wait_of_widest(const FinishedJobs& jobs, std::size_t percent);
std::optional<double> mean_stretch(const FinishedJobs& jobs);
std::optional<double> max_stretch(const FinishedJobs& jobs);
std::optional<double> mean_slowdown(const FinishedJobs& jobs);
std::optional<double> mean_bounded_slowdown(const FinishedJobs& jobs, Duration tau);
// The smallest bounded slowdown that at least `percent` of the jobs do not exceed.
// Requires: 0 < percent <= 100.
// Cost: O(n).
std::optional<double> bounded_slowdown_percentile(const FinishedJobs& jobs, Duration tau, std::size_t percent);
std::optional<double> makespan(const FinishedJobs& jobs);

// The time from the first submission to the last completion. None if it is 0.
std::optional<Duration> span_of(const FinishedJobs& jobs);

// Checks that both runs are of the same workload.
// Throws: InputError, which names a job that finished in both runs but differs in submission time or requested
// processors.
// Cost: O(number of jobs).
void require_same_jobs(const MeasuredSchedule& one, const MeasuredSchedule& other);

// As above. Also throws if different jobs finished in the two runs: then their waits cannot be compared.
void require_same_finished_jobs(const MeasuredSchedule& baseline, const MeasuredSchedule& run);

}  // namespace batfill::analysis
