#pragma once

#include <vector>

#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

#include "schedulers/start_history.hpp"

namespace batfill {

// What counts for the processors that a reserved job of `easy` leaves over (the parameter `extra`):
//   all            all jobs that have ended by its start
//   needed         only as many of them as it needs, by their estimated ends, ties by their starts
//   needed-latest  the same, ties as in the simulator behind the paper
class ExtraProcessors {
 public:
    explicit ExtraProcessors(const Parameters& parameters);

    bool counts_all() const { return counted_ == Counted::all; }

    // Sorts running jobs by estimated end, and keeps the first that together have `needed` processors; all if they have
    // fewer. Does nothing if all count. O(running jobs * log(running jobs)).
    void keep_counted(std::vector<RunningJob>& running, int needed, const StartHistory& starts) const;

 private:
    enum class Counted { all, needed, needed_latest };
    Counted counted_;
};

}  // namespace batfill
