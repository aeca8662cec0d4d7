#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/deadlines.hpp>

namespace batfill {

// Counts odd jobs in a log before any cleaning. The first five are those of Table 1 of the paper on deadline-based
// backfilling. Requests count only where they are known.
std::vector<RuleCount> count_anomalies(const SwfLog& log);

// How to cut a log into periods of equal length, numbered from 1. A job belongs to the period of its submission.
struct SwfSplit {
    Duration period;                     // positive
    Duration begin;                      // of the first period, on the log's clock: SwfConversion::from if set, else 0
    std::size_t skipped = 0;             // number of periods left out at the beginning
    std::optional<std::size_t> periods;  // number of periods kept after the skipped ones; none: all
    // Keep jobs that, according to the log, started in one period and ended in another. An unknown wait counts as 0.
    bool keep_crossing = false;

    // The number of the period of `instant`.
    // Requires: instant >= begin.
    std::size_t period_of(Duration instant) const;
    // When the period of this number begins, on the log's clock.
    // Requires: number > 0.
    Duration begin_of(std::size_t number) const {
        return begin + Duration::microseconds(period.count() * (number - 1));
    }
    // Moves `begin` forward by whole periods, until period 1 has a job. Dropped jobs count, too. Changes nothing if no
    // job of the log was submitted at or after `begin`.
    // Cost: O(jobs).
    void count_from_first_job(const SwfLog& log);
};

// How to make a workload of a log. Always drops jobs without a known run time or submission time. Drops jobs that ran
// for 0 s unless `keep_zero_run_times` is set, and jobs without allocated processors unless `keep_unallocated` is set.
struct SwfConversion {
    enum class Size {
        requested,  // or the allocated processors if unknown
        allocated,
    };
    // What happens to a job that requested no time.
    enum class MissingWalltime {
        exact,  // its walltime is its run time
        omit,   // it has no walltime
        given,  // its walltime is `given_walltime`
        drop,   // it is dropped
    };
    // What happens to a job that ran longer than it requested.
    enum class ShortEstimates {
        cut,      // its walltime is what it requested; it is stopped then
        raise,    // its walltime is its run time
        drop,     // it is dropped
        believe,  // its walltime is what it requested, and no job is stopped at its walltime
    };
    // The walltime of every job, also of one that requested no time.
    enum class Estimates {
        log,     // the requested time
        exact,   // the run time
        factor,  // the run time times `estimate_factor`, rounded half to even to the microsecond
        modal,   // the run time rounded up to the next popular estimate of users (docs/workloads.md)
    };

    std::vector<long long> excluded_queues;
    std::vector<std::string> excluded_queue_names;  // of a log that names its queues
    std::vector<std::string> kept_queue_names;      // as above; empty: all
    std::vector<long long> excluded_statuses;
    std::vector<long long> partitions;  // kept ones; empty: all
    // The `queue` of jobs of these queues. Other jobs have the queue's number, if it is known.
    std::map<long long, std::string> queue_names;
    std::optional<Duration> from;   // keep jobs submitted at or after this, on the log's clock
    std::optional<Duration> until;  // keep jobs submitted before this, on the log's clock
    MissingWalltime missing_walltime = MissingWalltime::exact;
    Duration given_walltime;  // positive, where it is used
    // A job is dropped for its estimate in the log, whatever replaces this estimate.
    ShortEstimates short_estimates = ShortEstimates::cut;
    Estimates estimates = Estimates::log;
    Decimal estimate_factor = Decimal::of(1);  // at least 1
    // Drop jobs outside the kept periods and, unless it keeps them, those that cross the end of a period.
    std::optional<SwfSplit> split;
    std::optional<int> processors;      // `nb_res`, in units; none: the header's, else the widest job
    std::optional<int> max_processors;  // drop wider jobs, in units
    int unit = 1;                       // processors allocated together: sizes are rounded up to whole units
    Size size = Size::requested;
    // Keep jobs that ran for 0 s, except cancelled ones (status 5), which never started. They run for a microsecond,
    // because Batsim does not support a delay of 0.
    bool keep_zero_run_times = false;
    bool keep_unallocated = false;  // keep jobs without allocated processors whose size is the requested one
    bool shift = false;             // subtract the first kept job's submission time from all
    // The offered load to reach by scaling the gaps between submissions. None: leave them.
    // - The load is the work of the jobs that fit on the machine, divided by what the machine can do from the first
    //   submission to the last. The work of a job is its processors times its run time, at most its walltime unless
    //   that is believed.
    // - With a split, one factor holds inside all periods: that of the kept jobs of all periods, as without a split.
    //   Each job stays in its period.
    // Requires: more than 0.
    std::optional<Decimal> load;
};

// How the gaps between submissions were scaled.
struct LoadScaling {
    double before = 0;  // the offered load of the log
    double after = 0;
    Duration first;        // the first submission, which stays
    Duration span_before;  // more than 0
    Duration span_after;

    // What gaps are multiplied by.
    double factor() const { return span_after.to_seconds() / span_before.to_seconds(); }
    // Where the submission at `instant` goes.
    // Requires: instant >= first.
    Duration submit(Duration instant) const;
    // `gap` * span_after / span_before, rounded to the microsecond.
    // Requires: the gap is not negative.
    Duration scaled(Duration gap) const;
};

// Scales the gaps between the submissions of a workload of delays as SwfConversion::load does. The load is that of the
// jobs that fit on the machine, from the first submission to the last. In a workload that believes walltimes, a run
// time counts also beyond the walltime. offered_load() follows other rules: all jobs, from time 0, up to the walltime.
// Requires: load > 0; jobs by submission.
// Throws: InputError, which names the workload's path, if no gap can be scaled: there are no jobs that fit on the
// machine, or all are submitted at one instant.
// Cost: O(n log n).
LoadScaling scale_load(Workload& workload, Decimal load);

// What hosts of the log's machine had at least, by what jobs took of them.
struct HostsOfLog {
    std::string partition;
    StatedNeeds::Amounts capacity;  // the largest amount of each name that a job took of a host
    long long widest = 0;           // the largest number of hosts, or of processors if these are not counted in hosts
    std::size_t jobs = 0;
};

// An amount of hosts times the run time of jobs, in the log and in the workload, as far as it becomes per_host.
struct AmountBalance {
    struct Change {
        std::string why;
        double amount_seconds;  // negative: less than in the log
    };

    std::string name;  // "cores"
    double of_log = 0;
    std::vector<Change> changes;  // of_log and these sum up to of_workload, but for rounding
    double of_workload = 0;

    // How much more of it the jobs of the workload have than they had in the log, as a share of that.
    double growth() const;
};

// What a conversion did.
struct ConversionSummary {
    std::vector<RuleCount> dropped;  // one for each rule, in the order of application; a job counts once
    std::vector<RuleCount> noted;    // kept jobs with something unknown or changed; only where jobs > 0
    std::size_t kept = 0;            // number of jobs
    double misfits = 0;              // share of hosts times run time that jobs had who fit on no hosts of the machine
    int processors = 0;              // `nb_res`
    std::string processors_from;     // where it comes from
    bool processors_are_known = false;  // given, or in the header of the log; else those of the widest job
    std::optional<LoadScaling> scaled;  // none: not scaled
    std::optional<HostsOfLog> hosts;    // of accounting data that were read for `per_host`
    // Of a log that was read for `partition`, by name. The empty name has the jobs without one, if others have one.
    std::vector<HostsOfLog> partitions;
    // Of a log that was read for `memory_pool`: what the machine had at least, by what jobs had at once by the log.
    std::vector<std::pair<std::string, Amount>> pools;
    // Of a log that was read for `per_host`: its cores, GPUs and memory (MiB).
    std::vector<AmountBalance> balances;
    // Where the fields that the log was read with stand, and how many kept jobs have them.
    std::vector<RuleCount> columns;
    // Processor time that was allocated to the kept jobs, divided by what they requested, as far as both are known.
    // None if sizes are the allocated ones, or nothing is known.
    std::optional<double> allocated_ratio;
    // Of a log that was read with conditions on other jobs: the conditions of the kept jobs, by what became of them;
    // RuleCount::jobs counts conditions. None: it was not.
    std::optional<std::vector<RuleCount>> conditions;
    // How many of them are `ok` on a job that reaches its walltime when run: it has not completed successfully then,
    // and the job that waits for it is rejected.
    std::size_t never_ok = 0;
};

// From this ratio on, requested sizes give another load than the machine had.
inline constexpr double large_allocated_ratio = 1.5;

struct SwfWorkload {
    Workload workload;  // jobs by (submission, id), the order in which Batsim submits them
    ConversionSummary summary;
    // How long each job of the workload, in the same order, waited according to the log. None: unknown.
    std::vector<std::optional<Duration>> waits;
};

// "5681 (run time <= 0 or unknown), 2 (queue is debug)", by the rules that dropped jobs; "none" if no rule did.
std::string reasons_of(const std::vector<RuleCount>& dropped);

// Throws: InputError, which names the log and the rules that dropped its jobs, if none is kept.
void require_kept_jobs(const SwfLog& log, const ConversionSummary& summary);

// What happened to a workload's jobs on the machine of the log.
struct LoggedSchedule {
    Schedule schedule;              // in the order of completion
    std::size_t unknown_waits = 0;  // jobs left out because their starts are unknown
    int most_in_use = 0;            // largest number of processors in use at one instant
};

// Makes a workload of `delay` profiles. For each job,
// - id is its name in the log, or the job number, padded with zeros to a common width
// - `res` is the size
// - walltime is the requested time unless `conversion` replaces it; a longer run time stays as it is, unless estimates
//   are raised
// - user and queue are their names, if they have some, or else the numbers
// - other fields are those of the log
//
// A log that was read with conditions on other jobs gives jobs the field `after`, as far as these jobs are kept, and in
// the same period of a split. Conditions on others hold, and are counted. So are those that are left out: on jobs that
// were submitted after the waiting one had started, on the waiting job itself, and in circles those on jobs that come
// later. Of several runs of a job the last that was submitted before the waiting job started counts, for `start` the
// first.
//
// Several lines may have the same job number. Drops partial runs (status 2, 3, 4) if the job has a line of its own.
// Other lines get "-2", "-3", ... after the number, or ":2", ":3", ... after the name, unless the log has such a name.
//
// Requires: unit > 0.
// Throws: InputError for a job of more than 2^31 - 2 processors.
// Cost: O(n log n).
SwfWorkload convert_swf(const SwfLog& log, const SwfConversion& conversion);

// The schedule of the log itself, for a workload that convert_swf() made without a split. It can be measured and
// plotted beside schedules of algorithms. Jobs start when the log says and run as long. No log tells which processors
// they had: each gets the lowest idle ones. If the log has more in use than the workload's machine has, the extra
// processors get the numbers after its last. A job is COMPLETED_WALLTIME_REACHED if it ran at least as long as its
// walltime.
// Throws: InputError, which names the job, if more than 2^31 - 1 processors are in use at once.
// Cost: O(n log n), and O(intervals of idle processors) for each job.
LoggedSchedule schedule_of_log(const SwfWorkload& converted);

// A workload of the jobs of one period.
struct SwfPeriod {
    std::size_t number = 0;
    Workload workload;                   // times from the beginning of the period; has the profiles of its jobs
    std::size_t dropped_conditions = 0;  // on jobs of other periods
    Time begin = {};                     // of the period, in the time of the whole workload
};

// Divides a workload that convert_swf() made with this split and without shift, and scales the gaps in each period if
// `scaled` says how. Omits periods without jobs. Conditions on jobs of other periods hold: they are dropped.
// Cost: O(n log n).
std::vector<SwfPeriod> split_into_periods(const Workload& workload, const SwfSplit& split,
                                          const std::optional<LoadScaling>& scaled = {});

// The machine that the user gave for a log, and how the log's jobs and hosts go with it.
struct GivenMachine {
    struct HostsAlike {
        std::string capacity;    // "cores:64,memory:257000"; empty: none known
        std::string partitions;  // "cpu,long"; empty: none
        std::size_t hosts = 0;
    };

    std::string path;
    std::string kind;  // what printed the file: "scontrol show node"
    std::size_t hosts = 0;
    std::vector<HostsAlike> groups;  // the largest first
    // What was left out of the file, or is less than it may be, and the number of hosts that this concerns.
    std::vector<std::pair<std::string, std::size_t>> notes;
    // Queues of the log that no host names: hosts without a queue take their jobs. By name.
    std::vector<std::string> open_queues;
    // Hosts that the log names for jobs that the rules of the conversion keep, and the machine lacks. By name.
    std::vector<std::string> missing_hosts;
};

// How to convert a log, and which files to write.
struct LogConversion {
    std::string log;                           // path
    std::optional<AccountingData> accounting;  // read this instead
    ResourceFields fields;                     // of a log of SWF
    SwfConversion conversion;
    // Dates that stand for conversion.from and .until, "2024-03-01" or "2024-03-01 12:00:00".
    std::optional<std::string> from_date;
    std::optional<std::string> until_date;
    std::string time_zone;              // of these dates, and of the origin of SWF; empty: that of the data, else UTC
    bool count_from_first_job = false;  // see SwfSplit; needs a split
    WorkloadFormat format = WorkloadFormat::batsim4;
    std::optional<std::string> output;    // path of the workload, or with a split of a new folder; none: not written
    std::string name;                     // in that folder: "SP2" gives "SP2-week-007.json"
    std::optional<std::string> header;    // path for the log's comments; none: not written
    std::optional<std::string> schedule;  // path for the jobs.csv of the log's own schedule; none: not written
    std::optional<std::string> platform;  // path for the machine that the log must have had at least, or for `machine`
    // Path of what a batch system prints of its nodes, or of a platform: the machine of the log, whose hosts are its
    // size. Jobs that do not fit there are dropped, each by a rule that says why.
    std::optional<std::string> machine;
    // Path for the limits of Slurm in these dumps of sacctmgr; none: not written. Needs one of the dumps.
    std::optional<std::string> limits;
    std::optional<std::string> qos_dump;
    std::optional<std::string> assoc_dump;
    bool keeps_workload = false;  // the result has the workload
};

// What became of the limits of Slurm.
struct ConvertedLimits {
    std::size_t kept = 0;                                            // lines
    std::vector<std::pair<std::string, std::string>> left_out = {};  // "qos normal: maxwall=1:00:00", and why
};

struct ConvertedLog {
    SwfLog log;
    ConversionSummary summary;
    std::vector<SwfPeriod> periods;          // without those that have no jobs; empty without a split
    std::optional<LoggedSchedule> schedule;  // if it was written
    std::string machine;                     // of what the platform is made, if it was written
    std::optional<GivenMachine> given;       // the machine that the user gave
    std::optional<SwfWorkload> workload;     // without a split, if it was asked for
    std::optional<ConvertedLimits> limits;   // if they were written
};

// No job of a log is left for an output. The exception knows what the conversion did, for its table.
class NothingKept : public InputError {
 public:
    NothingKept(const std::string& problem, ConvertedLog converted)
        : InputError(problem), converted_(std::make_shared<const ConvertedLog>(std::move(converted))) {}
    const ConvertedLog& converted() const { return *converted_; }

 private:
    std::shared_ptr<const ConvertedLog> converted_;
};

// Reads the log or the accounting data.
// Throws: as read_swf() and read_accounting().
SwfLog read_log(const LogConversion& request);

// Converts a log to a workload, or with a split to one per period, and writes the files. Each file appears whole or not
// at all, and the header and the schedule only after the workloads.
// Requires: no schedule with a split; no platform of a log without fields; a machine only of accounting data that are
// read for `per_host` and `keeps_hosts`, without conversion.processors.
// Throws: InputError as read_swf(), convert_swf() and schedule_of_log(), for a file that cannot be written, and for a
// date if nobody knows when the log begins (a log of SWF says UnixStartTime). UsageError for a text that is no date.
// NothingKept for an output without jobs, unless the log has none. InputError for a machine that cannot be read, for
// one of data that do not say hosts, and for a platform of it that would lose something.
// Cost: that of convert_swf(), split_into_periods() and schedule_of_log().
ConvertedLog convert_log(const LogConversion& request);

}  // namespace batfill
