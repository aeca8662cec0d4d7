#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <batfill/job.hpp>

namespace batfill {

// Waiting jobs in the order of their scores at one instant, larger ones first. Most rounds start few jobs or none, so
// nothing is kept sorted from round to round: a round ranks only the jobs that it may start, and takes only as many as
// it looks at.
class RankedJobs {
 public:
    void clear() { ranked_.clear(); }

    // Jobs are to be added in the order of the queue, which decides between equal scores. O(1).
    void add(JobIndex job, double score) { ranked_.push_back({score, ranked_.size(), job}); }

    std::size_t size() const { return ranked_.size(); }

    // Lets the jobs that were added come one by one, first to last, until `take` returns false. None may be added
    // meanwhile, and clear() must follow before the next are. O(jobs added), and O(log(jobs added)) for each that
    // comes.
    template <typename Take>
    void for_each_until(Take take) {
        std::make_heap(ranked_.begin(), ranked_.end());
        for (auto end = ranked_.end(); end != ranked_.begin() && take(ranked_.front().job); --end) {
            std::pop_heap(ranked_.begin(), end);
        }
    }

 private:
    struct Ranked {
        double score;
        std::size_t place;  // in the queue
        JobIndex job;
        // The first has the highest rank.
        bool operator<(const Ranked& other) const {
            return score != other.score ? score < other.score : place > other.place;
        }
    };

    std::vector<Ranked> ranked_;
};

}  // namespace batfill
