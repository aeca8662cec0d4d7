#pragma once

#include <span>
#include <vector>

#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill::farm {

// The heuristics by which bf-unmod and bf-mod order the waiting jobs, each a piece of its own: Techiouba, Capannini,
// Baraglia, Puppin, Pasquali, Ricci, Backfilling strategies for scheduling streams of jobs on computational farms,
// CoreGRID 2007, section 4. Four of them give a job a score; the priority of the job is the sum. The fifth, Minimal
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
    // Of a job that would end that long after its deadline (negative: before; minus infinity: it has none) if it
    // started now, and runs for `execution` by the estimate: min while it is not urgent, then growing, 0 when it is
    // late.
    double score(double lateness, double execution) const;
};

// Jobs that need scarce licences go first, to release them soon. A licence is critical while the waiting jobs request
// more copies than there are.
class Licenses {
 public:
    // A job has come that needs these, or has left the queue. O(licences).
    void add(std::span<const CounterIndex> licenses, int requests);
    // To be called before scores are asked for. O(licences of the machine).
    void weigh(std::span<const Machine::Counter> counters);
    // Of a job that needs these. O(licences).
    double score(std::span<const CounterIndex> licenses) const;

 private:
    std::vector<long long> requests_;  // by licence, of the waiting jobs
    std::vector<double> scores_;       // by licence
};

// Short jobs go first, to release what they hold soon.
struct WaitMinimization {
    double boost;
    // `shortest` is the smallest execution time of all waiting jobs.
    double score(double execution, double shortest) const { return boost * shortest / execution; }
};

// The priorities of the waiting jobs at one instant. What they are made of is kept beside each other, job by job, since
// a round looks at every waiting job.
class Priority {
 public:
    // The parameters age-factor, k, min, max, boost.
    static std::vector<Parameter> parameters();
    // Throws UsageError where k is not more than 1, or max is less than min.
    explicit Priority(const Parameters& parameters);

    // To be called once for each job, and when it leaves the queue. O(licences of the job).
    void submitted(const Job& job, JobIndex index);
    void left(JobIndex index);

    // To be called in each round before any job starts. O(waiting jobs + licences), with a small constant.
    void prepare(const SchedulerState& state);
    // Of a job that waited then. O(licences of the job).
    double of(JobIndex job) const;

    std::span<const CounterIndex> licenses_of(JobIndex job) const {
        const Known& known = known_[job];
        return {all_licenses_.data() + known.first_license, known.licenses};
    }

 private:
    struct Known {
        // Microseconds, whole numbers, so that differences are exact.
        double submit;
        double execution;
        double deadline;  // infinite: none
        std::size_t first_license;
        std::size_t licenses;
    };

    Aging aging_;
    Deadline deadline_;
    Licenses licenses_;
    WaitMinimization wait_minimization_;
    double now_ = 0;                          // microseconds
    double shortest_ = 0;                     // seconds
    std::vector<Known> known_;                // by JobIndex
    std::vector<CounterIndex> all_licenses_;  // of all jobs, one after the other
};

}  // namespace batfill::farm
