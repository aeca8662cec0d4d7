#include "schedulers/slurm/usable_from.hpp"

namespace batfill::slurm {

void UsableFrom::Nodes::find(const NodeSet& nodes, EndKey at, NodeSet& found) const {
    found = nodes;
    found.clear();
    for (const auto& [from, node] : by_moment_) {
        if (from > at) {
            break;
        }
        if (nodes.contains(node)) {
            found.insert(node);
        }
    }
}

EndKey UsableFrom::Nodes::enough_from(const NodeSet& nodes, int count) const {
    for (const auto& [from, node] : by_moment_) {
        if (nodes.contains(node) && --count == 0) {
            return from;
        }
    }
    return end_key::never;
}

const UsableFrom::Known& UsableFrom::known(bool whole, int cores, const std::vector<Amount>& amounts) {
    const FreeNodes& free = cluster_.free();
    if (known_.size() > most_kinds()) {
        known_.clear();
    }
    const auto [found, is_new] = known_.try_emplace(Kind(whole, cores, amounts));
    Known& known = found->second;
    const auto moment_of = [&](int node) { return free.has_from(node, cores, whole, amounts); };
    if (is_new || known.changes < free.forgotten_changes()) {
        known.from.clear();
        known.by_moment.clear();
        for (int node = 0; node < cluster_.size(); ++node) {
            known.from.push_back(moment_of(node));
            known.by_moment.emplace_back(known.from.back(), node);
        }
        std::sort(known.by_moment.begin(), known.by_moment.end());
    } else {
        for (std::size_t i = known.changes - free.forgotten_changes(); i < free.changed().size(); ++i) {
            const int node = free.changed()[i];
            EndKey& from = known.from[static_cast<std::size_t>(node)];
            const EndKey moment = moment_of(node);
            if (moment == from) {
                continue;
            }
            const auto old = std::lower_bound(known.by_moment.begin(), known.by_moment.end(), std::pair(from, node));
            const auto place =
                std::lower_bound(known.by_moment.begin(), known.by_moment.end(), std::pair(moment, node));
            if (place > old) {
                std::move(old + 1, place, old);
                *(place - 1) = {moment, node};
            } else {
                std::move_backward(place, old, old + 1);
                *place = {moment, node};
            }
            from = moment;
        }
    }
    known.changes = free.forgotten_changes() + free.changed().size();
    return known;
}

}  // namespace batfill::slurm
