#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include <spdlog/spdlog.h>

#include <batfill/planning/plan_algorithm.hpp>

#include "src/support/json.hpp"

namespace batfill {

namespace {

using JobList = std::vector<JobIndex>;

std::optional<Time> deadline(const Round& round, JobIndex job) {
    return round.state().job(job).description().deadline;
}

// Jobs without a deadline are regular. The algorithm places them like conservative backfilling, but ahead of
// deadline-driven jobs whose allocation is still tentative, as long as those meet their deadlines. As in the paper, L1
// is the list of these tentative jobs, and L0 is all other waiting jobs. Line numbers are those of its Algorithm 1.
//
// Cost: that of conservative backfilling while L1 is empty. Otherwise, a regular submission or a message with early
// completions costs a search and two profile changes for each job of L1. Each job that must leave L1 to meet its
// deadline costs at most as much again.
class DeadlineBased : public PlanAlgorithm {
 public:
    explicit DeadlineBased(const Parameters& parameters)
        : PlanAlgorithm(parameters), strict_(parameters.choice("repair") == "strict") {}

    void submitted(Round& round, JobIndex job) override {
        begin_planning(round);
        if (deadline(round, job)) {
            submit_deadline_driven(round, job);
        } else {
            submit_regular(round, job);
        }
    }

    void parked(const Round&, JobIndex job) override {
        without_promise_.insert(job);
        if (std::erase(L1_, job) > 0) {
            parked_from_L1_.insert(job);
        }
    }
    void unparked(const Round& round, JobIndex job) override {
        if (parked_from_L1_.erase(job) > 0) {
            insert(round, L1_, job);
        } else {
            plan().look_again_at(job);  // L1 was in the way of its place
        }
    }
    void compress_beside_parked(const Round&) override { compress_together(); }

    // The paper does not say what early completions do. Here they compress L0 as if L1 did not exist, and then L1.
    void completed(Round& round, std::span<const Completion> completions) override {
        judge(round, completions);
        if (std::none_of(completions.begin(), completions.end(),
                         [&](const Completion& completion) { return completion.expected_end > round.now(); })) {
            return;
        }
        // Parked jobs are placed while everybody else is where he was; so are those in the way of new windows.
        const bool begins_planning = must_begin_planning(round);
        if (begins_planning) {
            give_back(round, completions);
        }
        place_again(round, [&] {
            if (begins_planning) {
                compress_together();
            } else {
                PlanAlgorithm::completed(round, completions);
            }
        });
    }
    void waiting_jobs_ended(Round& round) override {
        const bool begins_planning = must_begin_planning(round);
        begin_planning(round);
        place_again(round, [&] { begins_planning ? compress_together() : compress(round); });
    }
    void withdrawn(const SchedulerState& state, JobIndex job) override {
        PlanAlgorithm::withdrawn(state, job);
        std::erase(L1_, job);
        parked_from_L1_.erase(job);
        without_promise_.erase(job);
        hopeless_.erase(job);
    }
    void machine_changed(Round& round, std::span<const Completion> completions) override {
        judge(round, completions);
        PlanAlgorithm::machine_changed(round, completions);
    }

    void started(const SchedulerState& state, JobIndex job) override {
        PlanAlgorithm::started(state, job);
        std::erase(L1_, job);
        without_promise_.erase(job);
    }

    // None for a tentative job: others may still get its place.
    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex job) const override {
        const bool tentative = std::find(L1_.begin(), L1_.end(), job) != L1_.end();
        return tentative ? std::nullopt : PlanAlgorithm::guaranteed_start(state, job);
    }

    bool understands_resources() const override { return true; }
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<DeadlineBased>(*this); }

    std::vector<Statistic> statistics() const override {
        return {count_.regular,          count_.tentative,   count_.hopeless, count_.runs,
                count_.undone,           count_.allocations, count_.moves,    count_.repairs,
                count_.moves_by_repairs, count_.met,         count_.missed,   count_.missed_hopeless};
    }

 protected:
    void compress(Round&) override { plan().move_all_earlier(); }
    Reason::Rule kind_of_place(JobIndex job) const override {
        return std::ranges::find(L1_, job) != L1_.end() ? Reason::Rule::tentative
               : hopeless_.contains(job)                ? Reason::Rule::hopeless
                                                        : Reason::Rule::planned;
    }

 private:
    // The state before a run of Algorithm 1. With repair=strict, the run is undone if it loses a deadline.
    class Trial {
     public:
        Trial(DeadlineBased& algorithm, Round& round) : algorithm_(algorithm), round_(round) {
            ++algorithm.count_.runs.value;
            if (!algorithm.strict_ || algorithm.L1_.empty()) {
                return;
            }
            tentative_ = algorithm.L1_;
            places_ = algorithm.plan().places();
            std::copy_if(tentative_.begin(), tentative_.end(), std::back_inserter(in_time_), [&](JobIndex job) {
                return !algorithm_.late(round_, job) && !algorithm_.without_promise_.contains(job);
            });
        }
        // Only a job that was in L1 can have lost its deadline: a run never moves a job of L0 later.
        bool lost_a_deadline() const {
            return std::ranges::any_of(in_time_, [&](JobIndex job) { return algorithm_.late(round_, job); });
        }
        // Restores the plan and L1. A job that was submitted in this run is left unplaced.
        void undo() const {
            ++algorithm_.count_.undone.value;
            algorithm_.plan().restore(places_);
            algorithm_.L1_ = tentative_;
        }

     private:
        DeadlineBased& algorithm_;
        Round& round_;
        JobList tentative_;
        std::vector<Plan::PlannedJob> places_;
        JobList in_time_;
    };

    // Whether the present allocation of a waiting job violates its deadline (ct > d in the paper).
    bool late(const Round& round, JobIndex job) const {
        const std::optional<Time> d = deadline(round, job);
        return d && plan().planned_start(job) + round.state().job(job).walltime > *d;
    }

    void submit_deadline_driven(Round& round, JobIndex job) {
        place(round, job, round.now());
        if (!late(round, job)) {
            ++count_.tentative.value;
            insert(round, L1_, job);
            return;
        }
        ++count_.hopeless.value;
        hopeless_.insert(job);
        spdlog::debug("at {}: job {} cannot meet its deadline {}: the plan has room for it from {} on",
                      round.now().to_string(), shown(round.state().job(job).description().id),
                      deadline(round, job)->to_string(), plan().planned_start(job).to_string());
        // L1 was in the way of its place. It no longer is, because the job now belongs to L0.
        plan().look_again_at(job);
    }

    void submit_regular(Round& round, JobIndex Jr) {
        ++count_.regular.value;
        const Trial trial(*this, round);
        plan().cancel(L1_);               // 1-3
        JobList Ltmp(1, Jr);              // 4
        place(round, Jr, round.now());    // 5
        allocate_tentative(round, Ltmp);  // 6-35
        if (trial.lost_a_deadline()) {
            trial.undo();
            Ltmp.assign(1, Jr);
            plan().place_again(Jr);
            plan().look_again_at(Jr);  // as a hopeless job, it was placed behind L1
        }
        start_due(round, Ltmp);  // 36-48
    }

    // Lines 6-35: allocates L1, and moves the jobs that would be late from L1 to Ltmp.
    // Requires: L1 is cancelled and Ltmp is allocated.
    void allocate_tentative(Round& round, JobList& Ltmp) {
        const auto is_late = [&](JobIndex job) { return late(round, job); };
        // Each pass allocates L1 up to the first late job (6-9, 18-20). It skips the jobs behind that one, because line
        // 13 would cancel them at once. It skips the jobs of Ltmp before the joining job, because they would get the
        // same places again.
        for (std::size_t allocated = 0; allocated < L1_.size();) {
            const JobIndex Ji = L1_[allocated];
            allocate_again({&L1_[allocated], 1});
            ++allocated;
            if (is_late(Ji)) {
                ++count_.moves.value;
                plan().cancel(std::span(L1_).first(allocated));                       // 13
                L1_.erase(L1_.begin() + static_cast<std::ptrdiff_t>(allocated) - 1);  // 11
                const std::size_t position = insert(round, Ltmp, Ji);                 // 10
                const std::span behind = std::span(Ltmp).subspan(position);
                plan().cancel(behind.subspan(1));  // 13
                allocate_again(behind);            // 15-17
                allocated = 0;
            }
        }
        const auto last_late = std::find_if(Ltmp.rbegin(), Ltmp.rend(), is_late);
        if (last_late != Ltmp.rend()) {  // 22
            ++count_.repairs.value;
            const Time S_max = round.state().job(*last_late).submit();  // 23
            plan().cancel(Ltmp);                                        // 26-28
            plan().cancel(L1_);
            const auto rest = std::find_if(L1_.begin(), L1_.end(),
                                           [&](JobIndex Jj) { return round.state().job(Jj).submit() >= S_max; });
            count_.moves_by_repairs.value += static_cast<std::uint64_t>(rest - L1_.begin());
            std::for_each(L1_.begin(), rest, [&](JobIndex Jj) { insert(round, Ltmp, Jj); });  // 24
            L1_.erase(L1_.begin(), rest);                                                     // 25
            allocate_again(Ltmp);                                                             // 29-31
            allocate_again(L1_);                                                              // 32-34
        }
    }

    // Lines 36-48. The rest of Ltmp is in L0, because it is no longer in L1. In two cases decide() makes all starts, in
    // the order of the plan, as in conservative backfilling:
    // - L1 is empty, so no tentative job must start now to keep its place. A machine with pools is different: the order
    //   of starts decides who gets a pool that is not planned.
    // - A job has outlived its estimate, so not every due job finds its processors.
    void start_due(Round& round, const JobList& Ltmp) {
        const SchedulerState& state = round.state();
        if ((L1_.empty() && state.machine.is_plain()) ||
            (!state.running.empty() && state.running.front().end <= round.now())) {
            return;
        }
        const auto start_if_due = [&](JobIndex Ji) {
            if (plan().planned_start(Ji) == round.now()) {
                start_if_idle(round, Ji);
            }
        };
        std::for_each(Ltmp.begin(), Ltmp.end(), start_if_due);
        const JobList L1 = L1_;  // a copy, because a job that starts leaves L1_
        std::for_each(L1.begin(), L1.end(), start_if_due);
    }

    // Get_Allocation for cancelled jobs, one by one.
    void allocate_again(std::span<const JobIndex> jobs) {
        count_.allocations.value += jobs.size();
        for (const JobIndex job : jobs) {
            plan().place_again(job);
        }
    }

    // Compresses the plan without tentative jobs, and then places these.
    void place_again(Round& round, const std::function<void()>& compress_others) {
        const Trial trial(*this, round);
        JobList Ltmp;
        plan().cancel(L1_);
        compress_others();
        allocate_tentative(round, Ltmp);
        if (trial.lost_a_deadline()) {
            trial.undo();
            Ltmp.clear();
            compress_together();
        }
        start_due(round, Ltmp);
    }

    // Compresses the plan: L0, and L1 unless it is cancelled. Forgets failed searches before and after, because L1 may
    // have been or will be in the way of L0.
    void compress_together() {
        plan().look_again_at_all();
        plan().move_all_earlier();
        plan().look_again_at_all();
    }

    // Inserts a job into a list that is in the order of submission. Returns the job's position in it.
    static std::size_t insert(const Round& round, JobList& list, JobIndex job) {
        const auto before = [&](JobIndex a, JobIndex b) { return round.state().jobs.submitted_before(a, b); };
        const auto position = list.insert(std::upper_bound(list.begin(), list.end(), job, before), job);
        return static_cast<std::size_t>(position - list.begin());
    }

    // Counts the deadlines that were met and missed.
    void judge(const Round& round, std::span<const Completion> completions) {
        for (const Completion& completion : completions) {
            const std::optional<Time> d = deadline(round, completion.job);
            if (!d) {
                continue;
            }
            const bool hopeless = hopeless_.erase(completion.job) > 0;
            if (round.now() <= *d) {
                ++count_.met.value;
                continue;
            }
            ++count_.missed.value;
            count_.missed_hopeless.value += hopeless ? 1 : 0;
            spdlog::debug("at {}: job {} has missed its deadline {}, {}", round.now().to_string(),
                          shown(round.state().job(completion.job).description().id), d->to_string(),
                          hopeless ? "as was certain when it was submitted" : "which its first allocation met");
        }
    }

    bool strict_;
    JobList L1_;                   // by submission time, ties by order of arrival
    std::set<JobIndex> hopeless_;  // hopeless jobs that have not ended
    std::set<JobIndex> parked_from_L1_;
    std::set<JobIndex> without_promise_;  // jobs that wait and were parked once: strict promises them nothing any more
    struct {
        Statistic regular{"regular_jobs", 0};
        Statistic tentative{"tentative_jobs", 0};
        Statistic hopeless{"hopeless_jobs", 0};
        Statistic runs{"runs", 0};
        Statistic undone{"runs_undone", 0};
        Statistic allocations{"allocations", 0};
        Statistic moves{"moves", 0};
        Statistic repairs{"repairs", 0};
        Statistic moves_by_repairs{"moves_by_repairs", 0};
        Statistic met{"deadlines_met", 0};
        Statistic missed{"deadlines_missed", 0};
        Statistic missed_hopeless{"deadlines_missed_hopeless", 0};
    } count_;
};

const Registration registration({
    "dbf",
    "deadline-based backfilling: jobs with a deadline let others go first as long as they meet it",
    "N'takpe, Suter, Don't Hurry Be Happy: A Deadline-Based Backfilling Approach, JSSPP 2017, section 4, Algorithm 1",
    {Parameter::choice(
         "repair", {"paper", "strict"}, "paper",
         "paper: as published, where a later decision may lose a deadline that could be met; strict: such a decision is undone"),
     Availability::plan_pools()},
    [](const Parameters& parameters) { return std::make_unique<DeadlineBased>(parameters); },
});

}  // namespace

}  // namespace batfill
