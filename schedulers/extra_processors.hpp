#pragma once

#include <vector>

#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

#include "schedulers/start_history.hpp"

namespace batfill {

// Which jobs count when `easy` computes the processors that a reserved job leaves over (the parameter `extra`):
// - all: all jobs that end by its start
// - needed: only as many of them as it needs, by estimated end, ties by start
// - needed-latest: as needed, but ties as in the simulator behind the paper
// - none: no job, so others start only if they end in time
class ExtraProcessors {
 public:
    explicit ExtraProcessors(const Parameters& parameters);

    bool counts_all() const { return counted_ == Counted::all; }
    bool counts_none() const { return counted_ == Counted::none; }

    // Sorts running jobs by estimated end. Keeps the first that together have `needed` processors, or all if they have
    // fewer. Does nothing if all or none count.
    // Cost: O(running jobs * log(running jobs)).
    void keep_counted(std::vector<RunningJob>& running, int needed, const StartHistory& starts) const;

 private:
    enum class Counted { all, needed, needed_latest, none };
    Counted counted_;
};

}  // namespace batfill
