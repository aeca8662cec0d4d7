#include "schedulers/slurm/free_later.hpp"

#include <algorithm>
#include <cassert>

namespace batfill::slurm {

FreeLater::FreeLater(const Cluster& cluster) : cluster_(cluster), changes_(cluster.changes()), free_(cluster.free()) {
    note();
}

void FreeLater::follow() {
    if (changes_ != cluster_.changes()) {
        changes_ = cluster_.changes();
        free_ = cluster_.free();
        ended_ = 0;
        known_ = 0;
        note();
    }
}

void FreeLater::note() {
    if (known_ == sets_.size()) {
        sets_.emplace_back();
    }
    sets_[known_].idle = free_.idle();
    sets_[known_].by_cores = free_.by_cores();
    if (known_ % distance == 0) {
        if (known_ / distance == copies_.size()) {
            copies_.push_back(free_);
        } else {
            copies_[known_ / distance] = free_;
        }
    }
    ++known_;
}

const FreeLater::Sets& FreeLater::sets(std::size_t ended) {
    follow();
    if (ended >= known_) {
        free(ended);
    }
    return sets_[ended];
}

const FreeNodes& FreeLater::free(std::size_t ended) {
    follow();
    const std::vector<RunningJob>& running = cluster_.running();
    assert(ended <= running.size());
    // From a copy on the way, unless the jobs between are few.
    const std::size_t copy = std::min(ended, known_ - 1) / distance;
    if (ended_ > ended + distance || ended_ + distance < copy * distance) {
        free_ = copies_[copy];
        ended_ = copy * distance;
    }
    while (ended_ < ended) {
        free_.give_back(running[ended_], cluster_.job(running[ended_].job));
        if (++ended_ == known_) {
            note();
        }
    }
    while (ended_ > ended) {
        --ended_;
        free_.take(running[ended_], cluster_.job(running[ended_].job));
    }
    return free_;
}

}  // namespace batfill::slurm
