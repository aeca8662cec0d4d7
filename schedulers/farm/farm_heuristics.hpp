#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/planning/job_order.hpp>

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
    double score(double lateness, double execution) const {
        if (lateness > 0) {
            return 0;
        }
        const double overestimate = k * execution;
        const double since_threshold = lateness + overestimate;
        return since_threshold < 0 ? min : min + (max - min) / overestimate * since_threshold;
    }
};

// Jobs that need scarce licences go first, to release them soon. A licence is critical while the waiting jobs request
// more copies than exist.
class Licenses {
 public:
    // Adds `requests` to the waiting requests for each of these licences: 1 for a job that enters the queue, -1 for one
    // that leaves.
    // Cost: O(licences).
    void add(std::span<const LicenseIndex> licenses, int requests) {
        for (const LicenseIndex license : licenses) {
            requests_.resize(std::max(requests_.size(), license + 1));
            requests_[license] += requests;
        }
    }
    // Computes the scores of the licences.
    // Requires: called before anyone asks for scores.
    // Cost: O(licences of the machine).
    void weigh(std::span<const Machine::License> of_machine) {
        requests_.resize(of_machine.size());
        scores_.assign(of_machine.size(), 0);
        const auto is_critical = [&](LicenseIndex license) { return requests_[license] > of_machine[license].copies; };
        int non_critical = 0;
        for (LicenseIndex license = 0; license < of_machine.size(); ++license) {
            non_critical += requests_[license] > 0 && !is_critical(license) ? 1 : 0;
        }
        const double weight = std::max(non_critical, 1);
        for (LicenseIndex license = 0; license < of_machine.size(); ++license) {
            if (requests_[license] > 0) {
                const double ratio =
                    static_cast<double>(requests_[license]) / static_cast<double>(of_machine[license].copies);
                scores_[license] = is_critical(license) ? weight * ratio : ratio;
            }
        }
    }
    // Score of a job that needs these licences.
    // Cost: O(licences).
    double score(std::span<const LicenseIndex> licenses) const {
        double score = 0;
        for (const LicenseIndex license : licenses) {
            score += scores_[license];
        }
        return score;
    }

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
    static std::vector<Parameter> parameters() {
        return {Parameter::number("age-factor", "0.01", "score for each second since submission", 0),
                Parameter::number("k", "2", "a job is urgent within k times its walltime of the deadline"),
                Parameter::number("min", "1", "score of jobs with a distant deadline, or none"),
                Parameter::number("max", "10", "score of jobs that will just meet their deadline"),
                Parameter::number("boost", "1", "score of the waiting job with the smallest walltime", 0)};
    }
    // Throws: UsageError if k is not more than 1, or max is less than min.
    explicit Priority(const Parameters& parameters)
        : aging_{parameters.number("age-factor")},
          deadline_{parameters.number("k"), parameters.number("min"), parameters.number("max")},
          wait_minimization_{parameters.number("boost")} {
        refuse_if(deadline_.k <= 1, "parameter k must be more than 1");
        refuse_if(deadline_.max < deadline_.min, "parameter max must not be less than parameter min");
    }

    // Notes that a job was submitted, or left the queue.
    // Requires: called once for each job.
    // Cost: O(licences of the job).
    void submitted(const Job& job, JobIndex index) {
        known_.resize(std::size_t{index} + 1);
        const std::span<const LicenseIndex> licenses = job.request.licenses();
        const std::optional<Time>& deadline = job.description().deadline;
        known_[index] = {microseconds(job.submit().since_zero()), microseconds(job.walltime),
                         deadline ? microseconds(deadline->since_zero()) : std::numeric_limits<double>::infinity(),
                         all_licenses_.size(), licenses.size()};
        all_licenses_.insert(all_licenses_.end(), licenses.begin(), licenses.end());
        licenses_.add(licenses, 1);
    }
    void left(JobIndex index) { licenses_.add(licenses_of(index), -1); }

    // Computes what all priorities of this round share.
    // Requires: called in each round before any job starts.
    // Cost: O(waiting jobs + licences), with a small constant.
    void prepare(const SchedulerState& state) {
        licenses_.weigh(state.machine.licenses());
        now_ = microseconds(state.now.since_zero());
        shortest_ = state.waiting.shortest_walltime().to_seconds();
    }
    // The priority of a job.
    // Requires: the job waited when prepare() was called.
    // Cost: O(licences of the job).
    double of(JobIndex job) const {
        const Known& known = known_[job];
        const double execution = known.execution / 1e6;
        return rounded_sum(std::array{
            aging_.score((now_ - known.submit) / 1e6),
            deadline_.score((now_ + known.execution - known.deadline) / 1e6, execution),
            licenses_.score(licenses_of(job)),
            wait_minimization_.score(execution, shortest_),
        });
    }

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

    static double microseconds(Duration duration) { return static_cast<double>(duration.count()); }

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
