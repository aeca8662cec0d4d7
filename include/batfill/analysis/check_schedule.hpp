#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <batfill/core/run_limits.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

struct CheckOptions {
    // Times that should agree may differ by this much; not negative. Batsim prints doubles with six decimals, so start
    // + execution may differ from finish in the last digit.
    Duration tolerance = Duration::microseconds(1);
    bool deadlines_bind = false;  // a missed deadline is a violation; otherwise it is only counted
    // contiguous: the processors of every job must be consecutive. machine: they must belong to one machine. Other
    // placements require nothing.
    Placement placement = Placement::lowest;
    // Whether jobs continue when their processors become unavailable. If not, they must end at that instant.
    bool jobs_survive_losses = true;
    // Whether a job may be rejected although the machine could run it: the job has a walltime, requests no licence, and
    // is not wider than the largest group of equal hosts; and all that it waits for can happen. Always allowed where
    // processors fail.
    bool rejections_allowed = false;
    // The scheduler decides by whole seconds, as Slurm: a start counts from the second in which it lies, and a
    // condition holds in the second in which it begins to hold. And of the tasks of an array, only the number that run
    // at once is limited, in whatever order. It may reject any job: others do not read the fields by which it does.
    // Jobs with the field `tasks` need not have equally many cores on each of their hosts.
    bool decided_by_seconds = false;
    // How long jobs hold what they have, if walltimes alone do not say it.
    RunLimits run_limits = {};
};

struct Violation {
    Time at;           // when the violation shows: a start, a finish or a submission
    std::string text;  // one line that names the job
};

struct CheckReport {
    std::size_t jobs = 0;  // number of jobs in the schedule
    std::size_t rejected = 0;
    // Finished jobs that have a deadline in the workloads.
    std::size_t deadlines = 0;
    std::size_t missed_deadlines = 0;
    std::size_t guarantees = 0;                // jobs of the schedule with a guaranteed start
    std::size_t broken_guarantees = 0;         // jobs with a guarantee that did not start by then
    std::size_t listed_broken_guarantees = 0;  // broken ones whose guarantee had moved, or ended
    std::size_t resubmitted = 0;               // jobs of the schedule that are later runs of killed jobs
    std::size_t unchecked_conditions = 0;      // of jobs that wait for others which no workload has
    std::vector<Violation> violations;         // by time, then in the order of the schedule
};

// Audits a schedule of `workloads` on `platform` against the rules in docs/metrics.md:
// - every job occurs once and does not start before its submission
// - an allocation has the requested size, consists of the platform's processors, and shares none with another job at
//   any instant
// - execution time and final state follow from profile and walltime
// - columns agree
// - no more licences are in use than exist, and no more than limits allow
// - no more of pools and of what hosts have is in use than exists. Of jobs with `tasks` whose cores on each host the
//   schedule does not say: at each instant, these have room somehow
// - a job with conditions (StatedNeeds::has_conditions()) starts no earlier than they allow
// - it is rejected if they never do
// - no job starts on an unavailable processor (`event_lists`: the external events of the run, one list per file)
//
// A killed job may occur again, as a job of its own with "#1", "#2", ... behind the id, submitted when the run before
// was killed.
//
// `guarantees`, if not null, must be those of the schedule's jobs, and the schedule must keep them. It may break those
// in `broken`, if not null, as listed there. There are at most a few violations per job.
//
// Requires: `guarantees` if there is `broken`.
// Throws: InputError
// - if the licence properties of the platform cannot be read
// - if an event names a processor that the platform does not have
// - if an event takes a processor that is unavailable already, or returns one that is available already
// Cost: O(n log n), and O(processors of all allocations and events * log(events)).
CheckReport check_schedule(const Schedule& schedule, const std::vector<Workload>& workloads, const Platform& platform,
                           const CheckOptions& options, const std::vector<Guarantee>* guarantees = nullptr,
                           const std::vector<BrokenGuarantee>* broken = nullptr,
                           const std::vector<std::vector<ExternalEvent>>& event_lists = {});

// A schedule that need not be in memory: it calls `use` with each of its jobs, in order.
using ScheduleSource = std::function<void(const std::function<void(const ScheduledJob&)>& use)>;

// As above, for such a schedule. Calls it once. Keeps about 120 bytes of each job.
CheckReport check_schedule(const ScheduleSource& schedule, const std::vector<Workload>& workloads,
                           const Platform& platform, const CheckOptions& options,
                           const std::vector<Guarantee>* guarantees = nullptr,
                           const std::vector<BrokenGuarantee>* broken = nullptr,
                           const std::vector<std::vector<ExternalEvent>>& event_lists = {});

}  // namespace batfill
