#include "schedulers/slurm/usable_from.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace batfill::slurm {

void UsableFrom::look_at(int kind, bool whole) {
    const FreeNodes& free = cluster_.free();
    const std::size_t wanted = static_cast<std::size_t>(kind) * 2 + (whole ? 1 : 0);
    const std::uint64_t changes = free.forgotten_changes() + free.changed().size();
    if (wanted >= known_.size()) {
        known_.resize(wanted + 1);
    }
    if (wanted == current_ && !known_[wanted].from.empty() && known_[wanted].changes == changes) {
        return;
    }
    if (known_[wanted].from.empty() && known_count_++ == most_known()) {
        known_.assign(known_.size(), {});
        known_count_ = 1;
    }
    Known& known = known_[wanted];
    const KindOfJob& of_job = cluster_.kind(kind);
    if (known.from.empty() || known.changes < free.forgotten_changes()) {
        make(known, of_job, whole);
    } else {
        for (std::size_t i = known.changes - free.forgotten_changes(); i < free.changed().size(); ++i) {
            const int node = free.changed()[i];
            move(known, node, free.has_from(node, of_job.cores, whole, of_job.amounts));
        }
    }
    known.changes = changes;
    current_ = wanted;
    place_ = 0;
    usable_.clear();
}

void UsableFrom::make(Known& known, const KindOfJob& kind, bool whole) const {
    known.from.clear();
    for (int node = 0; node < cluster_.size(); ++node) {
        known.from.push_back(cluster_.free().has_from(node, kind.cores, whole, kind.amounts));
    }
    known.by_moment.resize(known.from.size());
    std::iota(known.by_moment.begin(), known.by_moment.end(), 0);
    std::stable_sort(known.by_moment.begin(), known.by_moment.end(), [&](int a, int b) {
        return known.from[static_cast<std::size_t>(a)] < known.from[static_cast<std::size_t>(b)];
    });
}

void UsableFrom::move(Known& known, int node, EndKey moment) {
    EndKey& from = known.from[static_cast<std::size_t>(node)];
    if (moment == from) {
        return;
    }
    const auto place_of = [&](EndKey its_moment) {
        return std::partition_point(known.by_moment.begin(), known.by_moment.end(), [&](int other) {
            return std::pair(known.from[static_cast<std::size_t>(other)], other) < std::pair(its_moment, node);
        });
    };
    const auto old = place_of(from);
    const auto place = place_of(moment);
    if (place > old) {
        std::move(old + 1, place, old);
        *(place - 1) = node;
    } else {
        std::move_backward(place, old, old + 1);
        *place = node;
    }
    from = moment;
}

const NodeSet& UsableFrom::at(EndKey moment) {
    const Known& known = known_[current_];
    const auto is_usable = [&](std::size_t place) {
        return known.from[static_cast<std::size_t>(known.by_moment[place])] <= moment;
    };
    for (; place_ < known.by_moment.size() && is_usable(place_); ++place_) {
        usable_.insert(known.by_moment[place_]);
    }
    for (; place_ > 0 && !is_usable(place_ - 1); --place_) {
        usable_.erase(known.by_moment[place_ - 1]);
    }
    return usable_;
}

EndKey UsableFrom::enough_from(const NodeSet& nodes, int count) const {
    const Known& known = known_[current_];
    int missing = count - nodes.count_common(usable_);
    std::size_t place = place_;
    while (missing <= 0) {
        --place;
        missing += nodes.contains(known.by_moment[place]) ? 1 : 0;
    }
    while (missing > 0 && place < known.by_moment.size()) {
        missing -= nodes.contains(known.by_moment[place++]) ? 1 : 0;
    }
    return missing > 0 ? end_key::never : known.from[static_cast<std::size_t>(known.by_moment[place - 1])];
}

}  // namespace batfill::slurm
