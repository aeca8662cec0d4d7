#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/node_set.hpp"

namespace batfill::slurm {

// From when on each node has what jobs of a kind take of it, as the running jobs end by their limits. It remembers that
// for each kind, and looks again only at nodes that have changed since.
class UsableFrom {
 public:
    // Requires: `cluster` outlives this object.
    explicit UsableFrom(const Cluster& cluster) : cluster_(cluster), usable_(cluster.size()) {}

    // The questions that follow, until the next start or end in the cluster, are about jobs of this kind. `whole`: they
    // take whole nodes. Cost: O(nodes) for a new kind, else O(nodes that have changed since the last question about
    // it).
    void look_at(int kind, bool whole);
    // The nodes that they may take once the jobs up to a moment are over. Valid until the next question.
    // Cost: O(nodes that are usable from a moment between this one and that of the last question).
    const NodeSet& at(EndKey moment);
    // The moment from which on at least `count` of these nodes are usable. Requires: count > 0.
    // Cost: O(nodes / 64), and as at().
    EndKey enough_from(const NodeSet& nodes, int count) const;

 private:
    struct Known {
        std::vector<EndKey> from;    // by node
        std::vector<int> by_moment;  // the nodes by their moments; those with equal ones by their numbers
        std::uint64_t changes = 0;   // of the nodes, that it knows
    };

    void make(Known& known, const KindOfJob& kind, bool whole) const;
    // A node is usable from another moment on.
    static void move(Known& known, int node, EndKey moment);
    // So many are remembered that they take 50 MB.
    std::size_t most_known() const { return 16 + (std::size_t{1} << 22) / static_cast<std::size_t>(cluster_.size()); }

    const Cluster& cluster_;
    std::vector<Known> known_;  // by kind, and by whether they take whole nodes
    std::size_t known_count_ = 0;
    std::size_t current_ = 0;
    NodeSet usable_;         // the first of current_.by_moment
    std::size_t place_ = 0;  // so many of them
};

}  // namespace batfill::slurm
