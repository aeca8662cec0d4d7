#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/node_set.hpp"

namespace batfill::slurm {

// What is free once some of the running jobs have ended: the first ones in the order of Cluster::running(). It
// remembers sets of nodes until the running jobs change, as many questions follow one another between two changes.
class FreeLater {
 public:
    // Requires: `cluster` outlives this object.
    explicit FreeLater(const Cluster& cluster);

    // Nodes without a core in use, and FreeNodes::by_cores(), once `ended` jobs are over. Valid until the next call.
    // Cost: O(1) if the running jobs have not changed since a question about as many; else O(nodes of these jobs).
    const NodeSet& idle(std::size_t ended) { return sets(ended).idle; }
    const std::vector<NodeSet>& by_cores(std::size_t ended) { return sets(ended).by_cores; }
    // All that is free then. Valid until the next call.
    // Cost: a copy of what is free, and O(nodes of a few jobs), if idle() has been asked about as many.
    const FreeNodes& free(std::size_t ended);

 private:
    struct Sets {
        NodeSet idle;
        std::vector<NodeSet> by_cores;
    };

    const Sets& sets(std::size_t ended);
    // Forgets everything if the running jobs have changed.
    void follow();
    void note();

    const Cluster& cluster_;
    std::uint64_t changes_;  // of the cluster, that it knows
    FreeNodes free_;
    std::size_t ended_ = 0;  // of free_
    std::vector<Sets> sets_;
    std::size_t known_ = 0;          // of sets_
    std::vector<FreeNodes> copies_;  // of free_, each `distance` jobs

    static constexpr std::size_t distance = 32;
};

}  // namespace batfill::slurm
