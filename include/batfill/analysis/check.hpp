#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/formats/external_events.hpp>
#include <batfill/formats/guarantees.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

struct CheckOptions {
    // By how much times that should agree may differ; not negative. Batsim prints doubles with six decimals, so that
    // start + execution may differ from finish in the last digit.
    Duration tolerance = Duration::microseconds(1);
    bool deadlines_bind = false;  // a missed deadline is a violation, not only counted
    // contiguous: the processors of every job must be consecutive; machine: of one machine. The others demand nothing.
    Placement placement = Placement::lowest;
    // Whether jobs go on when processors that they have become unavailable; if not, they must end there and then.
    bool jobs_survive_losses = true;
    // Whether a job may be rejected though the machine could run it: it has a walltime, asks for no licence, and is not
    // wider than the largest group of hosts that are alike. Always so where processors fail.
    bool rejections_allowed = false;
};

struct Violation {
    Time at;           // when the violation shows: a start, a finish or a submission
    std::string text;  // one line that names the job
};

struct CheckReport {
    std::size_t jobs = 0;  // in the schedule
    std::size_t rejected = 0;
    std::size_t deadlines = 0;  // jobs of the workloads that have one and finished
    std::size_t missed_deadlines = 0;
    std::size_t guarantees = 0;                // jobs of the schedule that were guaranteed a start
    std::size_t broken_guarantees = 0;         // of these jobs, those that did not start by then
    std::size_t listed_broken_guarantees = 0;  // of these, those whose guarantee a loss of processors had moved
    std::size_t resubmitted = 0;               // jobs of the schedule that are later runs of killed ones
    std::vector<Violation> violations;         // in the order of time, then of the schedule
};

// Audits a schedule of `workloads` on `platform` against the rules in docs/metrics.md: every job is there once and does
// not start before its submission; allocations have the requested size, are made of the platform's processors, and
// share no processor at any instant; execution times and final states are those that profile and walltime demand;
// columns agree; no more licences are in use than there are. A job that was killed may be there again, as a job of its
// own with "#1", "#2", ... behind the id, submitted when the run before had been killed. If `guarantees` is not null,
// they must be those of the schedule's jobs and must have been kept; those that `broken` lists, if that is not null,
// may have been broken as it says. Requires that there are guarantees if there are broken ones. `event_lists`, one for
// each file, are the external events of the run: no job may start on a processor that is unavailable. Throws InputError
// only for a platform whose licence properties cannot be read, and for events that name processors which the platform
// does not have, or which have gone, or come, already. There are at most a few violations per job. O(n log n +
// processors of all allocations and events, times the logarithm of the events).
CheckReport check_schedule(const Schedule& schedule, const std::vector<Workload>& workloads, const Platform& platform,
                           const CheckOptions& options, const std::vector<Guarantee>* guarantees = nullptr,
                           const std::vector<BrokenGuarantee>* broken = nullptr,
                           const std::vector<std::vector<ExternalEvent>>& event_lists = {});

// A schedule that need not be in memory: it calls the function that it is given with each of its jobs, in their order.
using ScheduleSource = std::function<void(const std::function<void(const ScheduledJob&)>& use)>;

// The same for such a schedule, which is gone through once. Of a job it keeps some 120 bytes.
CheckReport check_schedule(const ScheduleSource& schedule, const std::vector<Workload>& workloads,
                           const Platform& platform, const CheckOptions& options,
                           const std::vector<Guarantee>* guarantees = nullptr,
                           const std::vector<BrokenGuarantee>* broken = nullptr,
                           const std::vector<std::vector<ExternalEvent>>& event_lists = {});

}  // namespace batfill
