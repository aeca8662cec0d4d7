#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/select_cons_tres.hpp"
#include "schedulers/slurm/select_linear.hpp"
#include "schedulers/slurm/settings.hpp"
#include "schedulers/slurm/usable_from.hpp"

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
        ReservationPlace inside = {};  // in which it would run
    };

    // The earliest start, and `choice`; none if there is none, perhaps also if it lies behind question.later. A time
    // before question.at means that moment.
    // Cost: for each group of running jobs that end together, O(nodes / 64), and a choice of nodes if enough may be
    // free; the groups double in length.
    std::optional<Seconds> find(const Question& question, Seconds now, Choice& choice);

    // The nodes that a job may take of those that running jobs have left at `time`. No start can come before there are
    // enough of them. Valid until the next question.
    // Cost: O(nodes that become usable between this time and that of the last question about the job).
    const NodeSet& usable_at(const Job& job, const Partition& partition, Seconds time) {
        look_at(job, partition);
        return usable_from_.at(end_key::of(time + 1, 0) - 1);
    }

    // Chooses nodes for a start now, among `candidates`. Returns false if it finds none.
    bool choose_now(const Job& job, const Partition& partition, const NodeSet& candidates, Choice& choice);

 private:
    std::optional<Seconds> find_linear(const Question& question, Seconds now, Choice& choice);
    std::optional<Seconds> find_cons_tres(const Question& question, Seconds now, Choice& choice);
    // As above, in groups of running jobs that end together. The first `ended` of them have been tried; before the
    // moment `enough`, there are too few nodes.
    std::optional<Seconds> find_in_groups(const Question& question, std::size_t ended, EndKey enough, Seconds now,
                                          Choice& choice);
    void look_at(const Job& job, const Partition& partition) {
        const bool is_linear = settings_.select == Select::linear;
        usable_from_.look_at(is_linear ? KindOfJob::any : job.kind, is_linear || tests_whole_nodes(job, partition));
    }
    // The group that holds the job whose end makes `enough`, or one before it: its begin, and its window behind `base`.
    // A group lasts until a job in the way behind its window, so none before this one holds that job: the jobs in the
    // way before it end inside of earlier windows.
    std::pair<std::size_t, Seconds> first_group(const Question& question, std::size_t first, EndKey enough,
                                                Seconds base) const;
    Seconds next_window(Seconds window) const {
        return window + (settings_.bf_window_linear > 0 ? settings_.bf_window_linear : window);
    }
    // Whether a test counts whole nodes.
    bool tests_whole_nodes(const Job& job, const Partition& partition) const;
    // The moment at which the first `ended` of the running jobs are over.
    EndKey moment(std::size_t ended) const {
        return ended == 0 ? end_key::now : end_key::of(cluster_.running()[ended - 1]);
    }
    // Chooses nodes once the first `ended` of the running jobs are over. `idle_now`: see ConsTres::choose().
    bool choose(const Question& question, std::size_t ended, Choice& choice, const NodeSet* idle_now = nullptr);
    template <class Choose>
    bool with_lightest(Choose choose);
    // The number of running jobs that end at or before `time`.
    std::size_t ended_at(Seconds time) const;
    // The first running job from this one on that holds a candidate; their number if there is none.
    std::size_t next_in_the_way(const Question& question, std::size_t from) const;
    // The end of the group of running jobs that begins at `begin`, below `last`; `begin` if nobody in it is in the way.
    std::size_t end_of_group(const Question& question, std::size_t begin, std::size_t last, Seconds window_end) const;
    // Whether at least `count` of the running jobs from `begin` to `end` hold a candidate.
    bool are_in_the_way(const Question& question, std::size_t begin, std::size_t end, std::size_t count) const;
    // When those of the running jobs from `begin` to `end` have left the chosen nodes that have to.
    Seconds start_behind(std::size_t begin, std::size_t end, Seconds now, const Choice& choice) const;
    // When a running job is expected to have left its nodes.
    Seconds expected_end(const RunningJob& running, Seconds now) const;

    const Settings& settings_;
    const Cluster& cluster_;
    bool is_26_11_;
    Linear linear_;
    ConsTres cons_tres_;
    UsableFrom usable_from_;
    NodeSet usable_;
    NodeSet tried_;
};

}  // namespace batfill::slurm
