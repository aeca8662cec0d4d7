#include "schedulers/slurm/select_linear.hpp"

#include <algorithm>

namespace batfill::slurm {

bool Linear::choose(const Job& job, const NodeSet& usable, const std::vector<Node>& nodes, Choice& choice) {
    if (usable.count() < job.nodes) {
        return false;
    }
    runs_.clear();
    for (int begin = usable.next(0); begin < usable.size();) {
        runs_.push_back({begin, usable.next_missing(begin)});
        begin = usable.next(runs_.back().end);
    }
    choice.nodes.clear();
    for (int missing = job.nodes; missing > 0;) {
        const auto best = std::max_element(runs_.begin(), runs_.end(), [&](const Run& a, const Run& b) {
            const bool a_is_enough = a.size() >= missing;
            const bool b_is_enough = b.size() >= missing;
            return a_is_enough != b_is_enough ? b_is_enough : (a_is_enough ? b.size() < a.size() : a.size() < b.size());
        });
        for (int node = best->begin; node < best->end && missing > 0; ++node) {
            choice.nodes.insert(node);
            --missing;
        }
        best->end = best->begin;
    }
    choice.cores.clear();
    choice.nodes.for_each([&](int node) { choice.cores.push_back(nodes[static_cast<std::size_t>(node)].cores); });
    return true;
}

}  // namespace batfill::slurm
