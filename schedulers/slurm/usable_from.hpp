#pragma once

#include <cstdint>
#include <map>
#include <tuple>
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
        explicit Nodes(const std::vector<EndKey>& from) : from_(from) {}
        // Leaves those of `nodes` that it may take then. Cost: O(nodes).
        void keep(NodeSet& nodes, EndKey at) const {
            nodes.keep_if([&](int node) { return from_[static_cast<std::size_t>(node)] <= at; });
        }
        // The moment from which on at least `count` of `nodes` are such nodes. Cost: O(nodes).
        EndKey enough_from(const NodeSet& nodes, int count) const;

     private:
        const std::vector<EndKey>& from_;
    };

    // Of a job that takes whole nodes, or of each at least the cores that it needs there. Valid until the next call.
    // Cost: O(nodes) for a new kind of job, else O(nodes that have changed since the last question about it).
    Nodes of(const Job& job, bool whole) {
        return Nodes(from(whole, job.nodes == 1 ? job.tasks : std::max(job.cores_each, 1), job.amounts));
    }
    // Of a job that takes whole nodes, whatever it asks for on them.
    Nodes whole() { return Nodes(from(true, 1, {})); }

 private:
    using Kind = std::tuple<bool, int, std::vector<Amount>>;  // whole nodes, cores, amounts
    struct Known {
        std::vector<EndKey> from;
        std::uint64_t changes = 0;  // of the nodes, that it knows
    };

    const std::vector<EndKey>& from(bool whole, int cores, const std::vector<Amount>& amounts);

    static constexpr std::size_t most_kinds = 8192;

    const Cluster& cluster_;
    std::map<Kind, Known> known_;
};

}  // namespace batfill::slurm
