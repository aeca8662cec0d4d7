#pragma once

#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/node_set.hpp"

namespace batfill::slurm {

// The choice of nodes of select/linear: whole nodes, whatever a job asks for on them. Its scratch memory lasts.
class Linear {
 public:
    // Chooses nodes for a job among `usable` ones, which are idle then: in the smallest run of neighbours that is
    // enough; without one, the largest run whole, and so on with the rest. The first run wins among equal ones. Returns
    // false if there are too few; `choice` then has no meaning. Cost: O(nodes / 64 + runs), for each run that is taken
    // whole.
    bool choose(const Job& job, const NodeSet& usable, const std::vector<Node>& nodes, Choice& choice);

 private:
    struct Run {
        int begin;
        int end;
        int size() const { return end - begin; }
    };

    std::vector<Run> runs_;
};

}  // namespace batfill::slurm
