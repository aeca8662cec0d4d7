#pragma once

#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/node_set.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// The choice of nodes of select/cons_tres: by cores, memory and other resources of nodes. Its scratch memory lasts.
class ConsTres {
 public:
    explicit ConsTres(Version version) : version_(version) {}

    // Chooses nodes for a job among `usable` ones, which have what it takes of each of them at the moment `at`, by
    // their free cores then. Returns false if it finds none; `choice` then has no meaning. `whole`: the job holds all
    // cores of its nodes. With `idle_now`, a job of several nodes takes them as bf_busy_nodes says: those first that
    // are not idle now, and perhaps more than it asks for. Cost: O(nodes) for a try; for a job of several nodes, a try
    // for each node that is left out.
    bool choose(const Job& job, bool whole, const NodeSet& usable, const FreeNodes& free, EndKey at, Choice& choice,
                const NodeSet* idle_now = nullptr);

 private:
    // Neighbours that are all usable: [begin, end).
    struct Run {
        int begin;
        int end;
        int cores;
        bool is_empty = false;
    };
    // What is still to find.
    struct Wanted {
        int cores;
        int nodes;
        int spread;  // cores that the nodes still to come may give together
        static Wanted of(const Job& job) { return {job.tasks, job.nodes, job.tasks}; }
        bool is_found() const { return nodes <= 0 && cores <= 0; }
    };

    // Sets usable_, cores_ and their number. Returns false if they cannot be enough.
    bool find_usable(const Job& job, const NodeSet& usable, const FreeNodes& free, EndKey at);
    // Whether the usable nodes with the most cores have enough together. Else no nodes have.
    bool may_find(const Job& job) const;
    // One try with the usable nodes.
    bool try_usable(const Job& job, bool whole, Choice& choice);
    void take_busy(const Job& job, bool whole, Wanted& wanted, Choice& choice);
    void take_runs(bool whole, Wanted& wanted, Choice& choice);
    void take_run(Run& run, bool whole, Wanted& wanted, Choice& choice);
    // Tries again and again with the weakest nodes left out.
    bool try_stronger(const Job& job, bool whole, Choice& choice);
    bool try_stronger_22_05(const Job& job, bool whole, Choice& choice);
    // Sets the cores of the chosen nodes.
    void note_cores(bool whole, const FreeNodes& free, EndKey at, Choice& choice) const;
    Run* best_run(const Wanted& wanted);
    // Takes a node, with all of its cores or with as many as leave one for each node to come. Returns false, and
    // changes nothing, if that is none.
    bool take(int node, bool whole, Wanted& wanted, Choice& choice);
    int cores(int node) const { return capped_ > 0 ? capped_ : cores_[static_cast<std::size_t>(node)]; }

    Version version_;
    const NodeSet* idle_now_ = nullptr;  // with bf_busy_nodes
    NodeSet usable_;
    int usable_count_ = 0;
    int capped_ = 0;               // all usable nodes count as many cores; 0: those that are free
    std::vector<int> cores_;       // free cores of the usable nodes
    std::vector<int> with_cores_;  // number of usable nodes with so many
    std::vector<int> taken_;       // of the chosen nodes
    std::vector<Run> runs_;
    std::vector<int> by_cores_;
};

}  // namespace batfill::slurm
