#pragma once

#include <cstddef>
#include <optional>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/free_later.hpp"
#include "schedulers/slurm/select_cons_tres.hpp"
#include "schedulers/slurm/select_linear.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// When and where a job could start beside the running jobs, which end at their limits. It knows nothing of plans.
class EarliestStart {
 public:
    // Requires: both outlive this object.
    EarliestStart(const Settings& settings, const Cluster& cluster);

    // What backfill asks about a job.
    struct Question {
        const Job& job;
        const Partition& partition;
        const NodeSet& candidates;
        Seconds at;                    // the moment that it tries
        std::optional<Seconds> later;  // the moment that it would try next
        bool now_only;                 // only a start now is of use
    };

    // The earliest start, and `choice`; none if there is none. A time before question.at means that moment.
    // Cost: for each group of running jobs that end together, O(nodes / 64), and a choice of nodes if enough may be
    // free; the groups double in length.
    std::optional<Seconds> find(const Question& question, Seconds now, Choice& choice);

    // A moment before which no start can come, whatever the candidates in this partition.
    // Cost: O(nodes / 64), a few times.
    Seconds not_before(const Job& job, const Partition& partition);

    // Chooses nodes for a start now, among `candidates`. Returns false if it finds none.
    bool choose_now(const Job& job, const Partition& partition, const NodeSet& candidates, Choice& choice);

 private:
    std::optional<Seconds> find_linear(const Question& question, Seconds now, Choice& choice);
    std::optional<Seconds> find_cons_tres(const Question& question, Seconds now, Choice& choice);
    // As above, in groups of running jobs that end together. The first `ended` of them have been tried.
    std::optional<Seconds> find_in_groups(const Question& question, std::size_t ended, Seconds now, Choice& choice);
    // Whether a test counts whole nodes.
    bool tests_whole_nodes(const Job& job, const Partition& partition) const;
    // Whether enough nodes may be free among these once the first `ended` of the running jobs are over. Else there are
    // not.
    bool may_be_enough(const Job& job, bool whole, const NodeSet& candidates, std::size_t ended);
    // The least number of ended jobs with which enough may be; 1 more than run if there is none, and at least 1.
    std::size_t first_enough(const Job& job, bool whole, const NodeSet& candidates);
    // Chooses nodes once the first `ended` of the running jobs are over. `idle_now`: see ConsTres::choose().
    bool choose(const Question& question, std::size_t ended, Choice& choice, const NodeSet* idle_now = nullptr);
    // The number of running jobs that end at or before `time`.
    std::size_t ended_at(Seconds time) const;
    // The first running job from this one on that holds a candidate; their number if there is none.
    std::size_t next_in_the_way(const Question& question, std::size_t from) const;
    // The end of the group of running jobs that begins at `begin`, below `last`; `begin` if nobody in it is in the way.
    std::size_t end_of_group(const Question& question, std::size_t begin, std::size_t last, Seconds window_end) const;
    // Number of running jobs from `begin` to `end` that hold a candidate.
    std::size_t in_the_way(const Question& question, std::size_t begin, std::size_t end) const;
    // When those of the running jobs from `begin` to `end` have left the chosen nodes that have to.
    Seconds start_behind(std::size_t begin, std::size_t end, Seconds now, const Choice& choice) const;
    // When a running job is expected to have left its nodes.
    Seconds expected_end(const RunningJob& running, Seconds now) const;

    const Settings& settings_;
    const Cluster& cluster_;
    bool is_26_11_;
    Linear linear_;
    ConsTres cons_tres_;
    FreeLater free_later_;
    NodeSet with_all_memory_;
};

}  // namespace batfill::slurm
