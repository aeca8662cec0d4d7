#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/engine/job_order.hpp>

namespace batfill {

// Waiting jobs in the order of their scores at one instant, largest first. Most rounds start few jobs or none, so
// nothing stays sorted between rounds: a round ranks only the jobs that it may start, and takes only as many as it
// looks at.
class RankedJobs {
 public:
    void clear() {
        ranked_.clear();
        largest_error_ = 0;
    }

    // Adds a job. Call it in the order of the queue, which decides between equal scores.
    // Cost: O(1).
    void add(JobIndex job, double score) { ranked_.push_back({score, ranked_.size(), job}); }
    void add(JobIndex job, JobScore::Approximation score) {
        add(job, score.value);
        largest_error_ = std::max(largest_error_, score.error);
    }

    std::size_t size() const { return ranked_.size(); }

    // Passes the added jobs to `take`, first to last, until it returns false. `compare`, like JobScore::compare of two
    // jobs, decides where approximations are too close.
    // Requires: no job is added during the call, and clear() is called before the next one is added.
    // Cost: O(jobs added), and O(log(jobs added)) for each job taken.
    template <typename Take, typename Compare>
    void for_each_until(Take take, Compare compare) {
        const auto goes_after = [&](const Ranked& a, const Ranked& b) {
            int compared = JobScore::Approximation::compare({a.score, largest_error_}, {b.score, largest_error_});
            if (compared == 0 && largest_error_ > 0) {
                compared = compare(a.job, b.job);
            }
            return compared != 0 ? compared < 0 : a.place > b.place;
        };
        std::make_heap(ranked_.begin(), ranked_.end(), goes_after);
        for (auto end = ranked_.end(); end != ranked_.begin();) {
            std::pop_heap(ranked_.begin(), end--, goes_after);
            if (!take(end->job)) {
                break;
            }
        }
    }
    // As above, for exact scores: they compare as the numbers that were added.
    template <typename Take>
    void for_each_until(Take take) {
        assert(largest_error_ == 0);
        for_each_until(take, [](JobIndex, JobIndex) { return 0; });
    }

 private:
    struct Ranked {
        double score;
        std::size_t place;  // in the queue
        JobIndex job;
    };

    std::vector<Ranked> ranked_;
    double largest_error_ = 0;
};

}  // namespace batfill
