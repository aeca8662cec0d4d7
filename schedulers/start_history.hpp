#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

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

// Which jobs count when `easy` computes the processors that a reserved job leaves over (the parameter `extra`).
enum class Extra {
    all,            // all jobs that end by its start
    needed,         // only as many of them as it needs, by estimated end, ties by start
    needed_latest,  // as needed, but ties as in the simulator behind the paper
    none,           // no job, so others start only if they end in time
};

Parameter extra_parameter();

// Conditions of the parameters that count processors, wherever these lie (Parameter::only_with).
std::vector<std::string> placements_that_count();

// Sorts running jobs by estimated end. Keeps the first that together have `needed` processors, or all if they have
// fewer. Does nothing if all or none count.
// Cost: O(running jobs * log(running jobs)).
void keep_counted(std::vector<RunningJob>& running, int needed, Extra extra, const StartHistory& starts);

}  // namespace batfill
