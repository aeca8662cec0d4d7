#pragma once

#include <span>
#include <vector>

#include <batfill/parameters.hpp>
#include <batfill/state.hpp>

namespace batfill::farm {

// The heuristics by which bf-unmod and bf-mod order the waiting jobs, each a piece of its own: Techiouba, Capannini,
// Baraglia, Puppin, Pasquali, Ricci, Backfilling strategies for scheduling streams of jobs on computational farms,
// CoreGRID 2008, section 4. Four of them give a job a score; the priority of the job is the sum. The fifth, Minimal
// Requirements, gives none: it says on which machines a job can run, and is Placement::machine.
//
// Times are in seconds.

// Jobs that have waited longer go first, so that none starves.
struct Aging {
    double age_factor;
    // `age` is the time since submission.
    double score(double age) const { return age_factor * age; }
};

// Jobs whose deadline comes near go first, those that have missed it last.
struct Deadline {
    double k;  // more than 1: within k times its execution time of the deadline a job becomes urgent
    double min;
    double max;
    // Of a job that would end that long after its deadline (negative: before) if it started now, and runs for
    // `execution` by the estimate: min while it is not urgent, then growing, 0 when it is late.
    double score(double lateness, double execution) const;
    double score_without_deadline() const { return min; }
};

// Jobs that need scarce licences go first, to release them soon. A licence is critical while the waiting jobs request
// more copies than there are.
class Licenses {
 public:
    // Counts what the waiting jobs request. O(waiting jobs * licences of each + licences).
    void count(const SchedulerState& state);
    // Of a job that needs these. O(licences).
    double score(std::span<const CounterIndex> licenses) const;

 private:
    std::vector<long long> requests_;  // by licence
    std::vector<double> scores_;       // by licence
};

// Short jobs go first, to release what they hold soon.
struct WaitMinimization {
    double boost;
    // `shortest` is the smallest execution time of all waiting jobs.
    double score(double execution, double shortest) const { return boost * shortest / execution; }
};

// The priorities of the waiting jobs at one instant.
class Priority {
 public:
    // The parameters age-factor, k, min, max, boost.
    static std::vector<Parameter> parameters();
    // Throws UsageError where k is not more than 1, or max is less than min.
    explicit Priority(const Parameters& parameters);

    // To be called in each round before any job starts. O(waiting jobs * licences of each + licences).
    void prepare(const SchedulerState& state);
    // Of a job that waited then. O(licences of the job).
    double of(const SchedulerState& state, JobIndex job) const;

 private:
    Aging aging_;
    Deadline deadline_;
    Licenses licenses_;
    WaitMinimization wait_minimization_;
    double shortest_ = 0;
};

}  // namespace batfill::farm
