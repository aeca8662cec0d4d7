#pragma once

#include <span>
#include <vector>

#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill::farm {

// The heuristics by which bf-unmod and bf-mod order the waiting jobs, each a type of its own. Four of them give a job a
// score, and the sum is the job's priority. The fifth, Minimal Requirements, gives no score: it says on which machines
// a job can run, and is Placement::machine.
//
// Source: Techiouba, Capannini, Baraglia, Puppin, Pasquali, Ricci, Backfilling strategies for scheduling streams of
// jobs on computational farms, CoreGRID 2007, section 4.
//
// Times are in seconds.

// Jobs that have waited longer go first, so no job starves.
struct Aging {
    double age_factor;
    // `age` is the time since submission.
    double score(double age) const { return age_factor * age; }
};

// Jobs with a near deadline go first; jobs that have missed theirs go last.
struct Deadline {
    double k;  // more than 1: a job is urgent from k times its execution time before the deadline on
    double min;
    double max;
    // Score of a job, as if it started now and ran for `execution`, its estimate. `lateness` is the time from its
    // deadline to its end: negative if it ends before the deadline, minus infinity if it has none. The score is min
    // while the job is not urgent. It grows from then on, and is 0 if the job is late.
    double score(double lateness, double execution) const;
};

// Jobs that need scarce licences go first, to release them soon. A licence is critical while the waiting jobs request
// more copies than exist.
class Licenses {
 public:
    // Adds `requests` to the waiting requests for each of these licences: 1 for a job that enters the queue, -1 for one
    // that leaves.
    // Cost: O(licences).
    void add(std::span<const LicenseIndex> licenses, int requests);
    // Computes the scores of the licences.
    // Requires: called before anyone asks for scores.
    // Cost: O(licences of the machine).
    void weigh(std::span<const Machine::License> of_machine);
    // Score of a job that needs these licences.
    // Cost: O(licences).
    double score(std::span<const LicenseIndex> licenses) const;

 private:
    std::vector<long long> requests_;  // of the waiting jobs, by licence
    std::vector<double> scores_;       // by licence
};

// Short jobs go first, to release their processors and licences soon.
struct WaitMinimization {
    double boost;
    // `shortest` is the smallest execution time of all waiting jobs.
    double score(double execution, double shortest) const { return boost * shortest / execution; }
};

// The priorities of the waiting jobs at one instant. A round looks at every waiting job, so the data of all jobs lie
// next to each other, job by job.
class Priority {
 public:
    // The parameters age-factor, k, min, max, boost.
    static std::vector<Parameter> parameters();
    // Throws: UsageError if k is not more than 1, or max is less than min.
    explicit Priority(const Parameters& parameters);

    // Notes that a job was submitted, or left the queue.
    // Requires: called once for each job.
    // Cost: O(licences of the job).
    void submitted(const Job& job, JobIndex index);
    void left(JobIndex index);

    // Computes what all priorities of this round share.
    // Requires: called in each round before any job starts.
    // Cost: O(waiting jobs + licences), with a small constant.
    void prepare(const SchedulerState& state);
    // The priority of a job.
    // Requires: the job waited when prepare() was called.
    // Cost: O(licences of the job).
    double of(JobIndex job) const;

    std::span<const LicenseIndex> licenses_of(JobIndex job) const {
        const Known& known = known_[job];
        return {all_licenses_.data() + known.first_license, known.licenses};
    }

 private:
    struct Known {
        // In whole microseconds, so differences are exact.
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
    std::vector<LicenseIndex> all_licenses_;  // of all jobs, in sequence
};

}  // namespace batfill::farm
