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

#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

inline constexpr Duration default_tau = Duration::seconds(10);
inline constexpr Duration default_short_deadline = Duration::days(1);

struct MetricsOptions {
    Duration tau = default_tau;                        // bound of the bounded slowdown; positive
    std::optional<int> processors;                     // of the machine, positive; none: no utilisation is computed
    std::vector<Machine::License> licenses{};          // of the machine, by name, each once; copies not negative
    Resources resources{};                             // of the machine
    std::vector<Window> windows{};                     // of the machine; charts show them, no metric counts them
    Limits limits{};                                   // of the machine
    Duration short_deadline = default_short_deadline;  // a deadline at most this long after the submission is short

    void set_machine(const Machine& machine) {
        processors = machine.processors();
        licenses = machine.licenses();
        resources = machine.resources();
        windows = machine.windows();
        limits = machine.limits();
    }
};

// What the metrics need to know of a job that ran and ended, in whatever way.
struct FinishedJob {
    std::string_view id;
    int processors = 0;  // requested
    int allocated = 0;   // number of processors that it ran on
    // How long after the submission its wait begins, in microseconds; see MeasuredSchedule::count_waits_from().
    std::int64_t held = 0;
    Time submit;
    SmallOptional<Duration> walltime;  // none: the job has no walltime
    Time start;
    Duration run;
    Time finish;
};

// What the metrics need to know of the schedule of a run. Takes less than half of the schedule's memory.
class MeasuredSchedule {
 public:
    // Makes an empty schedule with memory for the expected jobs. Keeps the hosts of jobs if it is to be measured on a
    // machine on which they tell what jobs take.
    explicit MeasuredSchedule(std::string path, std::size_t expected_jobs = 0, const Resources& machine = {})
        : path_(std::move(path)), keeps_hosts_(machine.has_shared_hosts()) {
        finished_.reserve(expected_jobs);
    }
    // NOLINTNEXTLINE(google-explicit-constructor): whoever has a schedule may give it to whatever measures one.
    MeasuredSchedule(const Schedule& schedule, const Resources& machine = {});

    // Adds the next job of the schedule.
    // Cost: that of copying its id.
    void add(const ScheduledJob& job);

    // Lets the waits of these jobs begin when they became eligible, instead of at their submission: waits, and what is
    // made of them, such as stretches, slowdowns and queues. Jobs that never did stay as they are. `path` is that of
    // the file that says so, for messages. Throws: InputError, which names the job, for one that the schedule does not
    // have, or that became eligible before its submission, or more than 200,000 years after it. Cost: O(jobs).
    void count_waits_from(const std::vector<EligibleTime>& eligible, const std::string& path);

    // The file that it was read from, for messages.
    const std::string& path() const { return path_; }
    // The finished jobs, in the order of the schedule. Their ids are valid as long as this object or a copy of it.
    const std::vector<FinishedJob>& finished() const { return finished_; }
    // The hosts of each of them; empty if they are not kept.
    const std::vector<ResourceSet>& hosts() const { return hosts_; }
    // How many cores each of them had of each of its hosts, in their order, where the scheduler has decided that.
    // Empty if they are not kept.
    const std::vector<Shared<std::vector<Amount>>>& cores() const { return cores_; }
    // The ids of the other jobs.
    const std::vector<std::string_view>& others() const { return others_; }
    // Number of jobs; number of jobs in this state.
    std::size_t jobs() const { return finished_.size() + others_.size(); }
    std::size_t jobs_in(JobState state) const { return in_state_[static_cast<std::size_t>(state)]; }
    // The first job that ran on processor `processor` or a higher one, and the highest processor that it ran on.
    struct Wide {
        std::string_view id;
        int last_processor;
    };
    std::optional<Wide> first_beyond(int processor) const;
    // The highest number of a processor that a job ran on, plus 1; 0 without such a job.
    int most_processors() const { return widest_.empty() ? 0 : widest_.back().last_processor + 1; }

 private:
    std::string_view keep(const std::string& id);

    std::string path_;
    bool keeps_hosts_ = false;
    std::vector<FinishedJob> finished_;
    std::vector<ResourceSet> hosts_;
    std::vector<Shared<std::vector<Amount>>> cores_;
    std::vector<std::string_view> others_;
    std::array<std::size_t, all_job_states.size()> in_state_{};  // by state
    std::vector<Wide> widest_;                                   // each job with a higher processor than all before it
    // The texts of the ids. Copies share them.
    std::shared_ptr<std::pmr::monotonic_buffer_resource> texts_ =
        std::make_shared<std::pmr::monotonic_buffer_resource>();
};

// Checks that the machine of `options` has all processors of the jobs: a schedule of a larger machine would have a
// utilisation above 1.
// Throws: InputError, which names a job that ran on another processor.
// Cost: O(number of jobs).
void require_machine_of(const MeasuredSchedule& schedule, const MetricsOptions& options);

// As read_schedule() of TakenJobs::possible, for a schedule that is only measured.
MeasuredSchedule read_measured_schedule(const std::string& path, const Resources& machine = {});

// Full ids of jobs ("w0!17"). They refer to texts in the jobs that they come from.
using JobIds = std::unordered_set<std::string_view>;

// The jobs that finished after a wait in at least one of `schedules`.
// Requires: `schedules` outlive the result.
JobIds jobs_that_waited(const std::vector<MeasuredSchedule>& schedules);

// The metrics of one run; docs/metrics.md defines each. Times are in seconds. A value is missing if no job counts for
// it, or if its input was not given: a workload, a baseline, the number of processors.
class Metrics {
 public:
    // The values of all metrics in the order of names(). `resources` are the pools and capacities of the machine.
    explicit Metrics(std::vector<std::optional<double>> values, std::vector<std::string> resources = {})
        : values_(std::move(values)), resources_(std::move(resources)) {}

    // The metric that csv and json call `name`.
    // Throws: std::out_of_range if no metric has this name.
    std::optional<double> operator[](std::string_view name) const;
    const std::vector<std::optional<double>>& values() const { return values_; }
    // Those of metric_names(), then "utilisation_of_NAME" for each of the resources.
    std::vector<std::string> names() const;
    const std::vector<std::string>& resources() const { return resources_; }

 private:
    std::vector<std::optional<double>> values_;
    std::vector<std::string> resources_;
};

// The names of the metrics that all runs have, in the order in which they are shown.
std::vector<std::string> metric_names();
// The metrics that `list` names, with commas between them: names, and "paper" for the mean wait, its 99th percentile,
// the mean bounded slowdown, the utilisation and the makespan. Those of resources are not looked up.
// Throws: UsageError for an unknown name, which lists the known ones, for one that is there twice, and for none.
std::vector<std::string> chosen_metrics(const std::string& list);

// Computes the metrics of a schedule. The order of its jobs does not matter.
// - `workloads`, if not empty, give deadlines and licences.
// - A regular job counts in the metrics of regular jobs if it is among `counted_regular`, or if that is null.
// - The waits are compared with those of `baseline`, unless it is null.
//
// Throws: InputError, which names a job,
// - if a job of the schedule is in no workload, or has another submission time or number of processors there
// - if the same jobs did not finish in the baseline
// Cost: O(n log n).
Metrics compute_metrics(const MeasuredSchedule& schedule, const MetricsOptions& options,
                        const std::vector<Workload>& workloads = {}, const JobIds* counted_regular = nullptr,
                        const MeasuredSchedule* baseline = nullptr);

// Writes the csv file `path`, whole or not at all. It has a line for every job that finished in all of `schedules`, in
// the order of the workloads: id, kind, whether the job counts as in compute_metrics(), and its wait and stretch in
// each schedule. `labels` are the names of the schedules.
// Throws: InputError if the file cannot be written.
// Cost: O(number of jobs * number of schedules).
void write_compared_jobs(const std::string& path, const std::vector<std::string>& labels,
                         const std::vector<MeasuredSchedule>& schedules, const std::vector<Workload>& workloads,
                         const JobIds* counted_regular);

// How jobs are grouped: by class of requested processors or of run time (docs/metrics.md lists the classes), or by the
// user, queue or partition that the workload gives.
enum class JobGrouping { width, length, user, queue, partition };

inline constexpr std::array<std::pair<const char*, JobGrouping>, 5> job_groupings{
    {{"width", JobGrouping::width},
     {"length", JobGrouping::length},
     {"user", JobGrouping::user},
     {"queue", JobGrouping::queue},
     {"partition", JobGrouping::partition}}};
// Whether only the workload tells the groups of jobs.
constexpr bool needs_workload(JobGrouping grouping) {
    return grouping != JobGrouping::width && grouping != JobGrouping::length;
}

// The metrics of a group of finished jobs. Times are in seconds.
struct GroupMetrics {
    std::size_t jobs = 0;
    double processor_seconds = 0;  // in use
    std::optional<double> mean_wait;
    std::optional<double> median_wait;
    std::optional<double> max_wait;
    std::optional<double> mean_bounded_slowdown;
    std::optional<double> median_bounded_slowdown;
    std::optional<double> limit_wait_share;  // of all waiting of the group; none: the machine has no limits
};

struct JobGroup {
    std::vector<std::string> names;  // one for each grouping; empty where the workload has none
    GroupMetrics metrics;
};

// Groups the finished jobs by all of `groupings` and sorts the groups by them, in that order: classes from the smallest
// up, the others by name. Omits groups without jobs.
// Throws: InputError, which names the job, if a grouping needs workloads and a job is in none.
// Cost: O(n log n).
std::vector<JobGroup> measure_groups(const MeasuredSchedule& schedule, const MetricsOptions& options,
                                     const std::vector<JobGrouping>& groupings,
                                     const std::vector<Workload>& workloads = {});
// As above for each of several runs of a workload, to compare them: classes of run time go by the longest one of each
// job in any run, so that a job that one run cuts short is in the same class in all.
std::vector<std::vector<JobGroup>> measure_groups(const std::vector<MeasuredSchedule>& runs,
                                                  const MetricsOptions& options,
                                                  const std::vector<JobGrouping>& groupings,
                                                  const std::vector<Workload>& workloads = {});

struct RunMetrics {
    std::string label;
    Metrics metrics;
};

enum class MetricsFormat {
    table,     // for people: a line per metric, a column per run, rounded; omits metrics that no run has
    csv,       // a line per run, a column per metric, full precision, empty where missing
    json,      // an array with an object per run, full precision, null where missing
    markdown,  // as table
    latex,     // as markdown, for the package booktabs
};

// The format of this name: "csv".
// Throws: UsageError, which lists the names.
MetricsFormat metrics_format(const std::string& name);

// Writes the metrics of `chosen`, in its order; if it is empty, all.
// Requires: `chosen` has names of metric_names().
void write_metrics(std::ostream& out, const std::vector<RunMetrics>& runs, MetricsFormat format,
                   const std::vector<std::string>& chosen = {});

struct RunGroups {
    std::string label;
    std::vector<JobGroup> groups;  // of these groupings
};

// Writes a line, or object, for every group of every run, in any format.
void write_groups(std::ostream& out, const std::vector<RunGroups>& runs, const std::vector<JobGrouping>& groupings,
                  MetricsFormat format);

}  // namespace batfill
