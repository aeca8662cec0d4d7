#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// Conditions of the parameters of `easy` that count processors, wherever these lie (Parameter::only_with).
inline std::vector<std::string> placements_that_count() {
    return {"placement=lowest", "placement=best-effort-contiguous"};
}

// Which jobs count when `easy` computes the processors that a reserved job leaves over (the parameter `extra`).
enum class Extra {
    all,            // all jobs that end by its start
    needed,         // only as many of them as it needs, by estimated end, ties by start
    needed_latest,  // as needed, but ties as in the simulator behind the paper
    none,           // no job, so others start only if they end in time
};

// How the jobs of `easy` started: in which round, in which order, and whether they were backfilled.
class StartHistory {
 public:
    // The parameter `extra`.
    static Parameter extra() {
        return Parameter::choice(
                   "extra", {"all", "needed", "needed-latest", "none"}, "all",
                   "extra processors: from all jobs that end by the reserved start, only from those that the reserved job needs, or none")
            .used_with({"reservations=1"})
            .used_with(placements_that_count());
    }

    // Requires: nobody asks for a start unless `is_kept`.
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

    // The number of the start of a job, of all starts.
    // Requires: the job has started.
    // Cost: O(1).
    std::uint64_t number_of(JobIndex job) const { return starts_[job].number; }

    // Sorts running jobs by estimated end. Keeps the first that together have `needed` processors, or all if they have
    // fewer. Does nothing if all or none count.
    // Cost: O(running jobs * log(running jobs)).
    void keep_counted(std::vector<RunningJob>& running, int needed, Extra extra) const {
        if (extra == Extra::all || extra == Extra::none) {
            return;
        }
        std::ranges::sort(running, [&](const RunningJob& a, const RunningJob& b) {
            if (a.end != b.end) {
                return a.end < b.end;
            }
            return extra == Extra::needed ? number_of(a.job) < number_of(b.job)
                                          : counts_before(starts_[a.job], starts_[b.job]);
        });
        int sum = 0;
        const auto last = std::ranges::find_if(running, [&](const RunningJob& job) {
            sum += job.processors;
            return sum >= needed;
        });
        running.erase(last == running.end() ? last : std::next(last), running.end());
    }

 private:
    struct Start {
        std::uint64_t round = 0;
        bool backfilled = false;
        std::uint64_t number = 0;  // of all starts
    };

    // Whether `a` counts before `b` in this round with extra=needed-latest, if both jobs have the same estimated end.
    // The simulator behind the paper keeps a list of running jobs, which begins with the jobs of its latest round.
    // Within a round, backfilled jobs stand first, in the order in which they started; the others follow in reverse
    // order. Jobs that the present round has started come after the list, in the order in which they started.
    bool counts_before(const Start& a, const Start& b) const {
        const bool a_is_new = a.round == round_;
        const bool b_is_new = b.round == round_;
        if (a_is_new != b_is_new) {
            return b_is_new;
        }
        if (a.round != b.round) {
            return a.round > b.round;
        }
        if (a.backfilled != b.backfilled) {
            return a.backfilled;
        }
        return a_is_new || a.backfilled ? a.number < b.number : a.number > b.number;
    }

    bool is_kept_;
    std::vector<Start> starts_;  // by JobIndex
    std::uint64_t last_number_ = 0;
    std::uint64_t round_ = 0;  // counts from 1
    bool backfilling_ = false;
};

}  // namespace batfill
