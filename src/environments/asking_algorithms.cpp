#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/queues.hpp>
#include <batfill/planning/reservation.hpp>
#include <batfill/planning/trial.hpp>

#include "schedulers/easy/ranking.hpp"
#include "src/environments/episode.hpp"
#include "src/support/mapped.hpp"

namespace batfill::environments {

namespace {

// What the algorithms that ask an agent share.
class AskingAlgorithm : public Algorithm {
 public:
    explicit AskingAlgorithm(Episode& episode) : episode_(episode), queues_(episode.options().partitions_are_queues) {}

    bool needs_run_times() const override { return true; }  // rewards do
    bool understands_resources() const override { return true; }
    bool looks_ahead(const SchedulerState&) const override { return true; }
    void submitted(Round& round, JobIndex job) override { episode_.submitted(round.state(), job); }
    void started(const SchedulerState& state, JobIndex job) override {
        episode_.started(state, job);
        if (!to_decide_.empty()) {
            std::erase(to_decide_.front(), job);
        }
    }
    void completed(Round& round, std::span<const Completion> completions) override {
        for (const Completion& completion : completions) {
            episode_.ended(round.state(), completion.job);
        }
    }

 protected:
    const EnvironmentOptions& options() const { return episode_.options(); }

    // Calls decide() for each queue of the machine.
    void for_each_queue(const SchedulerState& state, auto decide) {
        if (!queues_.are_several(state.machine)) {
            decide();
            return;
        }
        for (to_decide_ = queues_.of(state); !to_decide_.empty(); to_decide_.erase(to_decide_.begin())) {
            decide();
        }
    }
    // The waiting jobs of the present queue, by submission. Valid until one starts.
    std::span<const JobIndex> queue(const SchedulerState& state) const {
        return to_decide_.empty() ? state.waiting.jobs() : std::span<const JobIndex>(to_decide_.front());
    }
    bool is_only_queue() const { return to_decide_.empty(); }

    // The first of these jobs, which the agent sees.
    Offer first_jobs(Trial& trial, const SchedulerState& state, std::span<const JobIndex> jobs, int idle) const {
        Offer offer{&state, jobs.first(std::min(options().queue, jobs.size())), idle, {}, {}};
        if (state.later) {
            for (const JobIndex job : offer.jobs) {
                offer.can_start.push_back(trial.may_start(job));
            }
        }
        return offer;
    }

    // Whether some job of the present queue, or with `or_later` of one behind it, can start now beside what is
    // reserved.
    bool can_start_one(Trial& trial, const SchedulerState& state, bool or_later) const {
        const auto can_one_of = [&](std::span<const JobIndex> jobs) {
            return std::ranges::any_of(jobs, [&](JobIndex job) { return trial.may_start(job); });
        };
        if (!state.later) {
            return next_small(state, 0) < state.waiting.size();
        }
        return can_one_of(queue(state)) ||
               (or_later && !is_only_queue() && std::any_of(to_decide_.begin() + 1, to_decide_.end(), can_one_of));
    }

    // Starts a job if it can start now beside what is reserved. Returns whether it did.
    static bool start(Trial& trial, JobIndex job) { return trial.start(job) == Trial::Answer::yes; }

    // The first position >= `from` of the present queue whose job is not too large to start now; its size if there is
    // none.
    std::size_t next_small(const SchedulerState& state, std::size_t from) const {
        const int most = state.most_for_one_job();
        if (is_only_queue()) {
            return state.waiting.next_fitting(from, most);
        }
        const std::vector<JobIndex>& jobs = to_decide_.front();
        while (from < jobs.size() && state.job(jobs[from]).processors() > most) {
            ++from;
        }
        return from;
    }

    // Reserves the earliest start of a job, and starts others of its queue in the order of submission unless they delay
    // it.
    void backfill(Trial& trial, const SchedulerState& state, JobIndex reserved) const {
        trial.reserve(reserved);
        for (std::size_t at = 0; (at = next_small(state, at)) < queue(state).size();) {
            const JobIndex job = queue(state)[at];
            if (job == reserved || !start(trial, job)) {
                ++at;  // otherwise the job has left the queue: the next one is at its place
            }
        }
    }

    Episode& episode_;

 private:
    Queues queues_;
    std::vector<std::vector<JobIndex>> to_decide_;  // in this round, if there are several: the present queue first
};

// Asks which job is first.
class Pick : public AskingAlgorithm {
 public:
    using AskingAlgorithm::AskingAlgorithm;

    void decide(Round& round) override {
        Trial trial(round);
        for_each_queue(round.state(), [&] { decide_queue(trial, round.state()); });
    }

 private:
    // A reservation may delay the queues behind this one, so the agent picks also where only their jobs can start.
    void decide_queue(Trial& trial, const SchedulerState& state) {
        const bool reserves = options().backfilling == Backfilling::easy;
        passed_over_.clear();
        while (!others(state).empty() && can_start_one(trial, state, reserves)) {
            const Offer offer = first_jobs(trial, state, others(state), state.idle.count());
            episode_.ask(offer);
            const JobIndex picked = offer.jobs[episode_.action];
            const Trial::Answer answer = trial.start(picked);
            if (answer == Trial::Answer::yes) {
                continue;
            }
            if (!reserves) {
                return;
            }
            if (answer == Trial::Answer::no) {
                backfill(trial, state, picked);
                return;
            }
            passed_over_.push_back(picked);
        }
    }

    // The jobs of the queue without those that are passed over.
    std::span<const JobIndex> others(const SchedulerState& state) {
        if (passed_over_.empty()) {
            return queue(state);
        }
        others_.clear();
        std::ranges::copy_if(queue(state), std::back_inserter(others_), [this](JobIndex job) {
            return std::ranges::find(passed_over_, job) == passed_over_.end();
        });
        return others_;
    }

    std::vector<JobIndex> passed_over_;  // in this round: only a limit kept them from starting when they were picked
    std::vector<JobIndex> others_;
};

// As above, but the picked job stays first until it starts, and each event has its round. At one instant, submissions
// come first. A job that ends holds its processors until its round. `easy` with head=kept, extra=none and
// rounds=strict-event decides alike, except for the order of jobs that end at one instant.
//
// RLScheduler's program decides that order by one list of running jobs. It sorts this list by the ends of the jobs
// before each event, and by their estimated ends for each reservation. Both sorts are stable, so each leaves its trace
// in the order of equal jobs.
class PickAndKeep : public AskingAlgorithm {
 public:
    using AskingAlgorithm::AskingAlgorithm;

    void completed(Round& round, std::span<const Completion> completions) override {
        AskingAlgorithm::completed(round, completions);
        for (const Completion& completion : completions) {
            std::ranges::find(running_, completion.job, &Running::job)->has_ended = true;
            withheld_ += completion.processors;
        }
    }
    void submitted(Round& round, JobIndex job) override {
        AskingAlgorithm::submitted(round, job);
        std::ranges::stable_sort(running_, {}, &Running::end);
        run(round);
    }
    void started(const SchedulerState& state, JobIndex job) override {
        AskingAlgorithm::started(state, job);
        running_.push_back({job, state.job(job).processors(), state.now + state.job(job).walltime,
                            state.now + state.run_time(job), false});
    }
    void decide(Round& round) override {
        while (withheld_ > 0) {
            std::ranges::stable_sort(running_, {}, &Running::end);
            const auto first = std::ranges::find_if(running_, &Running::has_ended);
            withheld_ -= first->processors;
            running_.erase(first);
            run(round);
        }
    }

 private:
    // A job that runs, or has ended and holds its processors.
    struct Running {
        JobIndex job;
        int processors;
        Time estimated_end;
        Time end;
        bool has_ended;
    };
    struct KeptJob {
        JobIndex job;
        Time start;  // by the estimates, when it was picked
    };

    void run(Round& round) {
        const SchedulerState& state = round.state();
        while (kept_ ? start(round, kept_->job) : !state.waiting.empty()) {
            kept_.reset();
            if (state.waiting.empty()) {
                return;
            }
            Trial trial(round);
            episode_.ask(first_jobs(trial, state, state.waiting.jobs(), idle(state)));
            const JobIndex picked = state.waiting.job(episode_.action);
            if (!start(round, picked)) {
                kept_ = KeptJob{picked, reserved_start(state, picked)};
                break;
            }
        }
        if (kept_ && options().backfilling == Backfilling::easy) {
            backfill_in_time(round);
        }
    }

    int idle(const SchedulerState& state) const { return state.idle.count() - withheld_; }

    bool start(Round& round, JobIndex job) const {
        const SchedulerState& state = round.state();
        return state.job(job).processors() <= idle(state) && round.start_if_possible(job);
    }

    // Sorts the running jobs if jobs are backfilled. Without backfilling nobody asks when the job will start.
    Time reserved_start(const SchedulerState& state, JobIndex job) {
        if (options().backfilling == Backfilling::none) {
            return Time::infinity();
        }
        std::ranges::stable_sort(running_, {}, &Running::estimated_end);
        const auto running = mapped(running_, [](const Running& one) {
            return RunningJob{one.estimated_end, one.job, one.processors};
        });
        return Reservation(state, job, running, withheld_).shadow_time();
    }

    // Starts the jobs that end before the start of the kept one.
    void backfill_in_time(Round& round) const {
        const SchedulerState& state = round.state();
        for (std::size_t at = 0; (at = state.waiting.next_fitting(at, idle(state))) < state.waiting.size();) {
            const bool ends_in_time = state.now + state.waiting.walltime(at) < kept_->start;
            if (!ends_in_time || !start(round, state.waiting.job(at))) {
                ++at;
            }
        }
    }

    std::vector<Running> running_;
    int withheld_ = 0;  // processors of those that have ended
    std::optional<KeptJob> kept_;
};

// Has an order of its own, in which jobs start until one cannot.
class OrderedAlgorithm : public AskingAlgorithm {
 public:
    explicit OrderedAlgorithm(Episode& episode)
        : AskingAlgorithm(episode),
          ranking_(JobOrder(Parameters("order", order_parameters(options().task), options().order), "order"),
                   Ranking::Ties::first, true) {}

    void submitted(Round& round, JobIndex job) override {
        AskingAlgorithm::submitted(round, job);
        ranking_.insert(round.state(), job);
    }
    void started(const SchedulerState& state, JobIndex job) override {
        AskingAlgorithm::started(state, job);
        ranking_.remove(job);
    }

 protected:
    // Starts jobs of the present queue. Returns the first that cannot start, and not only for a limit; none if there is
    // no such job, or no idle processor for others.
    std::optional<JobIndex> start_in_order(Trial& trial, const SchedulerState& state) {
        std::optional<JobIndex> reserved;
        const auto start_or_reserve = [&](JobIndex job) {
            if (trial.start(job) == Trial::Answer::no) {
                reserved = job;
            }
            return !reserved;
        };
        if (state.limits.is_on() || !is_only_queue()) {  // jobs that it passes over stay in the queue
            const std::vector<JobIndex> jobs(queue(state).begin(), queue(state).end());
            ranking_.for_each_of_queue_until(state, jobs, start_or_reserve);
        } else {
            ranking_.for_each_waiting_until(state, start_or_reserve);
        }
        return state.later || state.idle.count() > 0 ? reserved : std::nullopt;
    }

    Ranking ranking_;
};

// Asks which job is backfilled.
class Backfill : public OrderedAlgorithm {
 public:
    using OrderedAlgorithm::OrderedAlgorithm;

    void decide(Round& round) override {
        Trial trial(round);
        for_each_queue(round.state(), [&] { decide_queue(trial, round.state()); });
    }

 private:
    void decide_queue(Trial& trial, const SchedulerState& state) {
        const std::optional<JobIndex> reserved = start_in_order(trial, state);
        if (!reserved) {
            return;
        }
        trial.reserve(*reserved);
        const ReservedJob shown{state.job(*reserved).processors(), trial.start_of(*reserved)};
        while (find_candidates(state, *reserved, trial)) {
            episode_.ask({&state, candidates_, state.idle.count(), shown, {}});
            if (episode_.action == options().queue) {
                return;
            }
            trial.start(candidates_[episode_.action]);
        }
    }

    // Whether there are any.
    bool find_candidates(const SchedulerState& state, JobIndex reserved, Trial& trial) {
        const std::span<const JobIndex> jobs = queue(state);
        candidates_.clear();
        for (std::size_t at = 0; (at = next_small(state, at)) < jobs.size() && candidates_.size() < options().queue;
             ++at) {
            if (jobs[at] != reserved && trial.may_start(jobs[at])) {
                candidates_.push_back(jobs[at]);
            }
        }
        return !candidates_.empty();
    }

    std::vector<JobIndex> candidates_;
};

// Asks for the weights of the order.
class Weigh : public OrderedAlgorithm {
 public:
    using OrderedAlgorithm::OrderedAlgorithm;

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        if (state.waiting.empty()) {
            return;
        }
        Trial trial(round);
        const Microseconds period = state.now.since_zero().count() / options().period.count();
        if (period_ != period) {
            period_ = period;
            episode_.ask(first_jobs(trial, state, state.waiting.jobs(), state.idle.count()));
            ranking_.change_mixed(episode_.weights, state);
        }
        for_each_queue(state, [&] {
            if (const std::optional<JobIndex> reserved = start_in_order(trial, state)) {
                backfill(trial, state, *reserved);
            }
        });
    }

 private:
    std::optional<Microseconds> period_;  // of the weights
};

}  // namespace

std::unique_ptr<Algorithm> asking_algorithm(Episode& episode) {
    switch (episode.options().task) {
        case Task::backfill:
            return std::make_unique<Backfill>(episode);
        case Task::weights:
            return std::make_unique<Weigh>(episode);
        case Task::pick:
            break;
    }
    if (episode.options().head == Head::kept) {
        return std::make_unique<PickAndKeep>(episode);
    }
    return std::make_unique<Pick>(episode);
}

}  // namespace batfill::environments
