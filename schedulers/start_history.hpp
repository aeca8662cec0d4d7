#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <batfill/core/job.hpp>

namespace batfill {

// When a job started.
struct Start {
    std::uint64_t round = 0;
    bool backfilled = false;
    std::uint64_t number = 0;  // of all starts
};

// How the jobs of `easy` started: in which round, in which order, and whether they were backfilled.
class StartHistory {
 public:
    // Requires: nobody calls of() unless `is_kept`.
    explicit StartHistory(bool is_kept) : is_kept_(is_kept) {}

    void begin_round() {
        ++round_;
        backfilling_ = false;
    }
    // Marks the jobs that start in the rest of the round as backfilled.
    void begin_backfilling() { backfilling_ = true; }
    // Notes that a job starts now.
    // Cost: amortised O(1).
    void add(JobIndex job) {
        if (is_kept_) {
            starts_.resize(std::max(starts_.size(), std::size_t{job} + 1));
            starts_[job] = {round_, backfilling_, ++last_number_};
        }
    }

    std::uint64_t round() const { return round_; }
    // The start of a job.
    // Requires: the job has started.
    // Cost: O(1).
    const Start& of(JobIndex job) const { return starts_[job]; }

 private:
    bool is_kept_;
    std::vector<Start> starts_;  // by JobIndex
    std::uint64_t last_number_ = 0;
    std::uint64_t round_ = 0;  // counts from 1
    bool backfilling_ = false;
};

}  // namespace batfill
