#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/node_set.hpp"

namespace batfill::slurm {

// From when on each node has what a job takes of it, as the running jobs end by their limits. It remembers that for
// each kind of job, and looks again only at nodes that have changed since.
class UsableFrom {
 public:
    // Requires: `cluster` outlives this object.
    explicit UsableFrom(const Cluster& cluster) : cluster_(cluster) {}

    // The nodes that a job may take once the jobs up to a moment are over.
    class Nodes {
     public:
        explicit Nodes(const std::vector<std::pair<EndKey, int>>& by_moment) : by_moment_(by_moment) {}
        // Those of `nodes` that it may take then. Cost: O(nodes that anybody of its kind may take then).
        void find(const NodeSet& nodes, EndKey at, NodeSet& found) const;
        // The moment from which on at least `count` of `nodes` are such nodes. Cost: as find() for that moment.
        EndKey enough_from(const NodeSet& nodes, int count) const;

     private:
        const std::vector<std::pair<EndKey, int>>& by_moment_;
    };

    // Of a job that takes whole nodes, or of each at least the cores that it needs there. Valid until the next call.
    // Cost: O(nodes) for a new kind of job, else O(nodes that have changed since the last question about it).
    Nodes of(const Job& job, bool whole) {
        return Nodes(known(whole, job.nodes == 1 ? job.tasks : std::max(job.cores_each, 1), job.amounts).by_moment);
    }
    // Of a job that takes whole nodes, whatever it asks for on them.
    Nodes whole() { return Nodes(known(true, 1, {}).by_moment); }

 private:
    using Kind = std::tuple<bool, int, std::vector<Amount>>;  // whole nodes, cores, amounts
    struct Known {
        std::vector<EndKey> from;                       // by node
        std::vector<std::pair<EndKey, int>> by_moment;  // the same in the order of moments
        std::uint64_t changes = 0;                      // of the nodes, that it knows
    };

    const Known& known(bool whole, int cores, const std::vector<Amount>& amounts);
    std::size_t most_kinds() const { return 16 + (std::size_t{1} << 22) / static_cast<std::size_t>(cluster_.size()); }

    const Cluster& cluster_;
    std::map<Kind, Known> known_;
};

}  // namespace batfill::slurm
