#include "schedulers/slurm/usable_from.hpp"

#include <algorithm>

namespace batfill::slurm {

EndKey UsableFrom::Nodes::enough_from(const NodeSet& nodes, int count) const {
    // The `count` earliest so far, the latest of them in front.
    std::vector<EndKey> earliest;
    if (count == 1) {
        EndKey first = end_key::never;
        nodes.for_each([&](int node) { first = std::min(first, from_[static_cast<std::size_t>(node)]); });
        return first;
    }
    nodes.for_each([&](int node) { earliest.push_back(from_[static_cast<std::size_t>(node)]); });
    if (earliest.size() < static_cast<std::size_t>(count)) {
        return end_key::never;
    }
    const auto last = earliest.begin() + (count - 1);
    std::nth_element(earliest.begin(), last, earliest.end());
    return *last;
}

const std::vector<EndKey>& UsableFrom::from(bool whole, int cores, const std::vector<Amount>& amounts) {
    const FreeNodes& free = cluster_.free();
    const std::uint64_t changes = free.forgotten_changes() + free.changed().size();
    if (known_.size() > most_kinds) {
        known_.clear();
    }
    const auto [found, is_new] = known_.try_emplace(Kind(whole, cores, amounts));
    Known& known = found->second;
    const auto look_at = [&](int node) {
        known.from[static_cast<std::size_t>(node)] = free.has_from(node, cores, whole, amounts);
    };
    if (is_new || known.changes < free.forgotten_changes()) {
        known.from.resize(static_cast<std::size_t>(cluster_.size()));
        for (int node = 0; node < cluster_.size(); ++node) {
            look_at(node);
        }
    } else {
        const auto since = static_cast<std::ptrdiff_t>(known.changes - free.forgotten_changes());
        std::for_each(free.changed().begin() + since, free.changed().end(), look_at);
    }
    known.changes = changes;
    return known.from;
}

}  // namespace batfill::slurm
