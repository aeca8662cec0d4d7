#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>

#include "tests/support/engine_rounds.hpp"

namespace batfill::tests {

// Counts rare events. A comparison in which they never happened shows little.
struct PredictionCounts {
    int shorter = 0;      // predictions that are shorter than the walltime
    int as_walltime = 0;  // the history says at least the walltime
    int raised = 0;       // raised to one second
    int without_user = 0;
    int corrected = 0;    // rounds in which a running job had outlived its prediction
    int more_often = 0;   // of these, corrections that are not the job's first
    int up_to_limit = 0;  // rounds with a correction that reached the walltime
};

// Assumed run times: walltimes, or the predictions of `prediction=last-two`. Keeps all ended jobs, and computes every
// correction from the start of the job.
class PlainPrediction {
 public:
    explicit PlainPrediction(bool is_used = false) : is_used_(is_used) {}

    const PredictionCounts& counts() const { return counts_; }

    // The input of a round. Completions come before submissions.
    void take_in(const Message& message) {
        for (const JobIndex job : message.ended) {
            ended_.emplace_back(jobs_.at(job).user, message.now - starts_.at(job));
            starts_.erase(job);
        }
        for (const auto& [index, job] : message.submitted) {
            jobs_[index] = job;
            predictions_[index] = is_used_ ? predicted(job) : *job.walltime;
        }
    }
    void start(JobIndex job, Time now) { starts_[job] = now; }

    Duration of(JobIndex job) const { return predictions_.at(job); }

    // The assumed end of a running job.
    Time end_of(JobIndex job, Time now) {
        const int minutes[] = {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000};
        const Time latest = starts_.at(job) + *jobs_.at(job).walltime;
        Time end = starts_.at(job) + predictions_.at(job);
        int corrections = 0;
        while (end <= now && end < latest) {
            end = std::min(end + Duration::seconds(60) * minutes[std::min(corrections, 10)], latest);
            ++corrections;
        }
        counts_.corrected += corrections > 0 ? 1 : 0;
        counts_.more_often += corrections > 1 ? 1 : 0;
        counts_.up_to_limit += corrections > 0 && end == latest ? 1 : 0;
        return end;
    }

 private:
    Duration predicted(const JobDescription& job) {
        std::vector<Duration> runs;
        for (const auto& [user, run] : ended_) {
            if (user == job.user) {
                runs.push_back(run);
            }
        }
        counts_.without_user += job.user.empty() ? 1 : 0;
        if (job.user.empty() || runs.size() < 2) {
            return *job.walltime;
        }
        const Duration sum = runs.back() + runs[runs.size() - 2];
        const long double half = static_cast<long double>(sum.count()) / 2;
        const Duration mean = Duration::microseconds(std::llrint(half));  // half to even
        counts_.raised += mean < Duration::seconds(1) ? 1 : 0;
        const Duration prediction = std::max(mean, Duration::seconds(1));
        (prediction < *job.walltime ? counts_.shorter : counts_.as_walltime) += 1;
        return std::min(prediction, *job.walltime);
    }

    bool is_used_;
    PredictionCounts counts_;
    std::map<JobIndex, JobDescription> jobs_;
    std::map<JobIndex, Duration> predictions_;
    std::map<JobIndex, Time> starts_;                      // of the running jobs
    std::vector<std::pair<std::string, Duration>> ended_;  // by user, in the order in which they ended
};

// Adds the counts of another stream.
inline void add(PredictionCounts& total, const PredictionCounts& counts) {
    total.shorter += counts.shorter;
    total.as_walltime += counts.as_walltime;
    total.raised += counts.raised;
    total.without_user += counts.without_user;
    total.corrected += counts.corrected;
    total.more_often += counts.more_often;
    total.up_to_limit += counts.up_to_limit;
}

}  // namespace batfill::tests
