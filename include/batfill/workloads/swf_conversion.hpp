#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/deadlines.hpp>

namespace batfill {

// How many jobs of a log are odd in some way, before any cleaning, as counted in Table 1 of the paper on deadline-based
// backfilling. Requests count only where they are known.
struct SwfAnomalies {
    std::size_t no_run_time = 0;              // run time <= 0
    std::size_t no_processors = 0;            // allocated processors < 0
    std::size_t more_than_requested = 0;      // allocated > requested processors
    std::size_t over_requested_time = 0;      // run time > requested time
    std::size_t over_requested_time_60s = 0;  // run time > requested time + 60 s
    std::size_t no_requested_processors = 0;  // requested processors <= 0
    std::size_t no_requested_time = 0;        // requested time <= 0
    std::size_t out_of_order = 0;             // submitted before the job of the line above
};

SwfAnomalies count_anomalies(const SwfLog& log);

// How to cut a log into periods of equal length, numbered from 1. A job belongs to the one in which it was submitted.
struct SwfSplit {
    Duration period;                     // positive
    Duration begin;                      // of the first period, on the log's clock: SwfConversion::from, if set, else 0
    std::size_t skipped = 0;             // periods at the beginning that are left out
    std::optional<std::size_t> periods;  // how many are kept after the skipped ones; none: all
    // Keep jobs that started in one period and ended in another according to the log. An unknown wait counts as none.
    bool keep_crossing = false;

    // The number of the period that `instant` is in. Requires instant >= begin.
    std::size_t period_of(Duration instant) const;
    // When the period of this number begins, on the log's clock. Requires number > 0.
    Duration begin_of(std::size_t number) const;
    // Moves `begin` on by whole periods, so that the first job of the log that was submitted at or after it is in
    // period 1, whether that job is kept or not. Changes nothing if there is none. O(jobs).
    void count_from_first_job(const SwfLog& log);
};

// How to make a workload of a log. Jobs without a known run time or submission time are always dropped, those that ran
// for 0 s unless `keep_zero_run_times` is set, and those without allocated processors unless `keep_unallocated` is set.
struct SwfConversion {
    enum class Size {
        requested,  // or the allocated processors, where that is unknown
        allocated,
    };
    // What becomes of a job that requested no time.
    enum class MissingWalltime {
        exact,  // its walltime is its run time
        omit,   // it has no walltime
        given,  // its walltime is `given_walltime`
        drop,   // it is dropped
    };
    // What becomes of a job that ran longer than the time it requested.
    enum class ShortEstimates {
        cut,    // its walltime is what it requested, at which it is stopped
        raise,  // its walltime is its run time
        drop,   // it is dropped
    };
    // What the walltime of every job is, also of one that requested no time.
    enum class Estimates {
        log,     // the requested time
        exact,   // the run time
        factor,  // the run time times `estimate_factor`, rounded half to even to the microsecond
        modal,   // the run time rounded up to the next of the estimates that users choose most (docs/workloads.md)
    };

    std::vector<long long> excluded_queues;
    std::vector<long long> excluded_statuses;
    std::vector<long long> partitions;  // those that are kept; empty: all
    // What jobs of a queue have as their `queue`; jobs of all others have its number, if that is known.
    std::map<long long, std::string> queue_names;
    std::optional<Duration> from;   // keep jobs submitted at or after it, on the log's clock
    std::optional<Duration> until;  // keep jobs submitted before it, on the log's clock
    MissingWalltime missing_walltime = MissingWalltime::exact;
    Duration given_walltime;  // positive, where it is used
    // What is dropped for its estimate is dropped for that of the log, whatever replaces it.
    ShortEstimates short_estimates = ShortEstimates::cut;
    Estimates estimates = Estimates::log;
    Decimal estimate_factor = Decimal::of(1);  // at least 1
    // Drop jobs that are not in a period that is kept and, unless it keeps them, those that cross a period's end.
    std::optional<SwfSplit> split;
    std::optional<int> processors;      // `nb_res`, in units; none: what the header says, else the widest job
    std::optional<int> max_processors;  // drop wider jobs, in units
    int unit = 1;                       // processors allocated together: sizes are rounded up to whole units
    Size size = Size::requested;
    // Keep jobs that ran for 0 s, but not those that were cancelled (status 5): before they started, then. They run for
    // a microsecond, because Batsim knows no delay of 0.
    bool keep_zero_run_times = false;
    bool keep_unallocated = false;  // keep jobs without allocated processors whose size is what they requested
    bool shift = false;             // subtract the first kept job's submission time from all
};

struct SwfWorkload {
    struct Count {
        std::string what;
        std::size_t jobs = 0;
    };

    Workload workload;            // jobs by (submission, id), which is the order in which Batsim submits them
    std::vector<Count> dropped;   // one for every rule, in the order they were applied; a job counts once
    std::vector<Count> noted;     // kept jobs of which something was unknown or changed; only where jobs > 0
    std::string processors_from;  // where `nb_res` comes from
    // How long each job of the workload, in the same order, waited according to the log; none: unknown.
    std::vector<std::optional<Duration>> waits;
};

// What became of a workload's jobs on the machine that the log is of.
struct LoggedSchedule {
    Schedule schedule;              // in the order of completion
    std::size_t unknown_waits = 0;  // jobs left out because nobody knows when they started
    int most_in_use = 0;            // processors, at one instant
};

// Makes a workload of `delay` profiles: id = job number padded with zeros to one width, `res` = size, walltime =
// requested time unless `conversion` replaces it, user = its number in the log, queue = its name, if it is given one,
// or number. Unless estimates are raised, a run time longer than the walltime stays as it is.
// Lines of one job number: partial runs (status 2, 3, 4) are dropped where the job has a line of its own; others get
// "-2", "-3", ... after the number. Requires unit > 0. Throws InputError for a job of more than 2^31 - 2 processors.
// O(n log n).
SwfWorkload convert_swf(const SwfLog& log, const SwfConversion& conversion);

// The schedule of the log itself for a workload that convert_swf() has made without a split, to be measured and drawn
// beside those of algorithms: jobs start when the log says and run as long. Which processors they had no log tells;
// each gets the lowest idle ones, and what is more than the workload's machine, where the log says so, gets numbers
// behind its last. A job is COMPLETED_WALLTIME_REACHED if it ran at least as long as its walltime. O(n log n + the
// intervals of idle processors for each job).
LoggedSchedule schedule_of_log(const SwfWorkload& converted);

// A workload of the jobs of one period.
struct SwfPeriod {
    std::size_t number = 0;
    Workload workload;  // times from the beginning of the period; the profiles are those of its jobs
};

// Divides a workload that convert_swf() has made with this split and without shift. Periods without jobs are left out.
// O(n log n).
std::vector<SwfPeriod> split_into_periods(const Workload& workload, const SwfSplit& split);

}  // namespace batfill
