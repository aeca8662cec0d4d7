#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <batfill/core/job_state.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

struct MetricsOptions {
    Duration tau = Duration::seconds(10);         // bound of the bounded slowdown; positive
    std::optional<int> processors;                // of the machine, positive; without it there is no utilisation
    std::vector<Machine::Counter> licenses{};     // of the machine, by name, each once, copies not negative
    Duration short_deadline = Duration::days(1);  // a deadline at most this long after the submission is short
};

// What the metrics need to know of a job that ran and came to an end, however it ended.
struct FinishedJob {
    std::string_view id;
    int processors = 0;  // requested
    int allocated = 0;   // how many processors it ran on
    Time submit;
    SmallOptional<Duration> walltime;  // none: the job has none
    Time start;
    Duration run;
    Time finish;
};

// What the metrics need to know of the schedule of a run, in less than half of its memory.
class MeasuredSchedule {
 public:
    // One of no jobs, with memory for as many as are expected.
    explicit MeasuredSchedule(std::string path, std::size_t expected_jobs = 0) : path_(std::move(path)) {
        finished_.reserve(expected_jobs);
    }
    // NOLINTNEXTLINE(google-explicit-constructor): whoever has a schedule may give it to whatever measures one.
    MeasuredSchedule(const Schedule& schedule);

    // Takes in the next job of the schedule. Costs what copying its id does.
    void add(const ScheduledJob& job);

    // Where it was read from, for messages.
    const std::string& path() const { return path_; }
    // The jobs that finished, in the order of the schedule. Their ids are valid as long as this object or a copy of it.
    const std::vector<FinishedJob>& finished() const { return finished_; }
    // The ids of the other jobs.
    const std::vector<std::string_view>& others() const { return others_; }
    // How many jobs there are, and how many of them are in this state.
    std::size_t jobs() const { return finished_.size() + others_.size(); }
    std::size_t jobs_in(JobState state) const { return in_state_[static_cast<std::size_t>(state)]; }
    // The first job that ran on a processor of this number or a larger one, and the largest processor that it ran on.
    struct Wide {
        std::string_view id;
        int last_processor;
    };
    std::optional<Wide> first_beyond(int processor) const;

 private:
    std::string_view keep(const std::string& id);

    std::string path_;
    std::vector<FinishedJob> finished_;
    std::vector<std::string_view> others_;
    std::array<std::size_t, all_job_states.size()> in_state_{};  // by state
    std::vector<Wide> widest_;  // the jobs with a larger processor than all before them
    // The texts of the ids, which copies share.
    std::shared_ptr<std::pmr::monotonic_buffer_resource> texts_ =
        std::make_shared<std::pmr::monotonic_buffer_resource>();
};

// The same as read_schedule(), which says what is read and what is thrown, of a schedule that is only measured.
MeasuredSchedule read_measured_schedule(const std::string& path);

// Full ids of jobs ("w0!17"). They refer to the texts in the jobs from which they were taken.
using JobIds = std::unordered_set<std::string_view>;

// The jobs that finished after a wait in at least one of `schedules`, which must outlive the result.
JobIds jobs_that_waited(const std::vector<MeasuredSchedule>& schedules);

// The metrics of one run, defined one by one in docs/metrics.md. Times are in seconds. A value is missing where no job
// counts for it, or where what it needs was not given: a workload, a baseline, the number of processors.
class Metrics {
 public:
    // The values of all metrics in the order of metric_names().
    explicit Metrics(std::vector<std::optional<double>> values) : values_(std::move(values)) {}

    // The metric that is called `name` in csv and json. Throws std::out_of_range if there is none of that name.
    std::optional<double> operator[](std::string_view name) const;
    const std::vector<std::optional<double>>& values() const { return values_; }

 private:
    std::vector<std::optional<double>> values_;
};

// The names of all metrics in the order in which they are shown.
std::vector<std::string> metric_names();

// Computes the metrics of a schedule; the result does not depend on the order of its jobs. `workloads`, if not empty,
// give deadlines and licences. Regular jobs count in the metrics of regular jobs if they are among `counted_regular`,
// or if it is null. The waits are compared with those of `baseline`, unless it is null. Throws InputError naming a job
// if a job of the schedule is in none of the workloads, or was submitted at another time or asks for other processors
// there, or if not the same jobs finished in the baseline. O(n log n).
Metrics compute_metrics(const MeasuredSchedule& schedule, const MetricsOptions& options,
                        const std::vector<Workload>& workloads = {}, const JobIds* counted_regular = nullptr,
                        const MeasuredSchedule* baseline = nullptr);

// Writes the csv file `path`, whole or not at all, with a line for every job that finished in all of `schedules`, in
// the order of the workloads: its id, its kind, whether it counts as in compute_metrics(), and its wait and stretch in
// each of the schedules, which have the names `labels`. Throws InputError if the file cannot be written. O(number of
// jobs * number of schedules).
void write_compared_jobs(const std::string& path, const std::vector<std::string>& labels,
                         const std::vector<MeasuredSchedule>& schedules, const std::vector<Workload>& workloads,
                         const JobIds* counted_regular);

// By what jobs can be divided into groups: by class of requested processors or of run time (docs/metrics.md has the
// classes), or by what the workload says of them.
enum class JobGrouping { width, length, user, queue };

inline constexpr std::array<std::pair<const char*, JobGrouping>, 4> job_groupings{{{"width", JobGrouping::width},
                                                                                   {"length", JobGrouping::length},
                                                                                   {"user", JobGrouping::user},
                                                                                   {"queue", JobGrouping::queue}}};

// What is measured of a group of finished jobs. Times are in seconds.
struct GroupMetrics {
    std::size_t jobs = 0;
    double processor_seconds = 0;  // of their processors in use
    std::optional<double> mean_wait;
    std::optional<double> median_wait;
    std::optional<double> max_wait;
    std::optional<double> mean_bounded_slowdown;
    std::optional<double> median_bounded_slowdown;
};

struct JobGroup {
    std::vector<std::string> names;  // in each of the groupings; empty where the workload has none
    GroupMetrics metrics;
};

// The finished jobs in groups that agree in all of `groupings`, in the order of these: classes from the smallest up,
// users and queues by name. Groups without jobs are left out. For users and queues, throws InputError naming a job that
// is in none of the workloads; without them, no workload is needed. O(n log n).
std::vector<JobGroup> measure_groups(const MeasuredSchedule& schedule, const MetricsOptions& options,
                                     const std::vector<JobGrouping>& groupings,
                                     const std::vector<Workload>& workloads = {});

// How confidence intervals are found: by bootstrap over weeks. All of these are positive but the seed.
struct IntervalOptions {
    std::size_t resamples = 2000;
    std::size_t block = 1;  // consecutive weeks that are drawn together
    std::uint64_t seed = 1;
};

struct Interval {
    double low;
    double high;
};

// A metric with its confidence interval of 95 %, and by how much it is above the baseline's.
struct MetricInterval {
    std::string metric;     // mean_wait or mean_bounded_slowdown
    std::size_t weeks = 0;  // in which jobs were submitted
    std::optional<double> value;
    std::optional<Interval> interval;
    std::optional<double> difference;
    std::optional<Interval> difference_interval;  // of the pairs of one job
};

// The intervals of each of these metrics, as docs/metrics.md defines them. A value is missing where no job finished or
// no baseline is given (null), an interval also if there are fewer than two blocks of weeks. Throws InputError naming a
// job if not the same jobs finished in the baseline. The result depends on the seed, and not on the order of the jobs.
// O(n log n + resamples * weeks).
std::vector<MetricInterval> measure_intervals(const MeasuredSchedule& schedule, const MetricsOptions& options,
                                              const IntervalOptions& how, const MeasuredSchedule* baseline = nullptr);

struct RunMetrics {
    std::string label;
    Metrics metrics;
};

enum class MetricsFormat {
    table,  // for people: a metric per line, a run per column, rounded; metrics that no run has are left out
    csv,    // a run per line, every metric a column, full precision, empty where missing
    json,   // an array with an object per run, full precision, null where missing
};

void write_metrics(std::ostream& out, const std::vector<RunMetrics>& runs, MetricsFormat format);

struct RunGroups {
    std::string label;
    std::vector<JobGroup> groups;  // of these groupings
};

// A line, or object, for every group of every run, in each format.
void write_groups(std::ostream& out, const std::vector<RunGroups>& runs, const std::vector<JobGrouping>& groupings,
                  MetricsFormat format);

struct RunIntervals {
    std::string label;
    std::vector<MetricInterval> intervals;  // of measure_intervals()
};

// A line, or object, for every metric of every run, in each format.
void write_intervals(std::ostream& out, const std::vector<RunIntervals>& runs, MetricsFormat format);

}  // namespace batfill
