#pragma once

#include <optional>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
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
    // Cost: for each group of running jobs that end together, a choice of nodes.
    std::optional<Seconds> find(const Question& question, Seconds now, Choice& choice);

    // Chooses nodes for a start now, among `candidates`. Returns false if it finds none.
    bool choose_now(const Job& job, const Partition& partition, const NodeSet& candidates, Choice& choice);

 private:
    std::optional<Seconds> find_linear(const Question& question, Seconds now, Choice& choice);
    std::optional<Seconds> find_in_groups(const Question& question, Seconds now, Choice& choice);
    // Whether a test counts whole nodes.
    bool tests_whole_nodes(const Question& question) const;
    bool choose(const Question& question, const FreeNodes& free, Choice& choice, const NodeSet* idle_now = nullptr);
    void imagine_away(const RunningJob& running) { imagined_.give_back(running, cluster_.job(running.job).amounts); }
    // Imagines the next running jobs away that end together. Returns whether they are the last.
    bool imagine_group_away(const Question& question);
    void widen_window();
    // When those that were imagined away have left the chosen nodes.
    Seconds start_behind_those(const Choice& choice, Seconds now) const;

    const Settings& settings_;
    const Cluster& cluster_;
    bool is_26_11_;
    Linear linear_;
    ConsTres cons_tres_;
    FreeNodes imagined_;

    // Of a question.
    std::vector<const RunningJob*> imagined_away_;
    std::vector<RunningJob>::const_iterator next_;  // the next one to be imagined away
    Seconds window_ = 0;                            // running jobs that end in it end together
    std::optional<Seconds> window_begin_;
};

}  // namespace batfill::slurm
