#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <batfill/algorithm.hpp>
#include <batfill/job_order.hpp>
#include <batfill/ranked_jobs.hpp>
#include <batfill/reservation.hpp>
#include <batfill/weight_tuner.hpp>

namespace batfill {

namespace {

// One of the two orders of the waiting jobs.
class Ranking {
 public:
    explicit Ranking(const JobOrder& order) : order_(order) {}

    bool is_submission_order() const { return order_.is_submission_order(); }

    // To be called once for each job that is ranked later. O(1).
    void prepare(const SchedulerState& state, JobIndex job) {
        if (!is_submission_order()) {
            scores_.resize(std::size_t{job} + 1);
            scores_[job] = order_.score(state.job(job));
        }
    }

    // Ranks by another order from now on, if by one that is mixed.
    void change_mixed(const MixedWeights& weights, const SchedulerState& state) {
        if (order_.is_mixed()) {
            order_ = order_.with_weights(weights);
            for (const JobIndex job : state.waiting.jobs()) {
                scores_[job] = order_.score(state.job(job));
            }
        }
    }

    void clear() { ranked_.clear(); }
    // Jobs are to be added in the order of the queue.
    void add(JobIndex job, Time now) { ranked_.add(job, is_submission_order() ? 0 : scores_[job].at(now)); }
    // As RankedJobs.
    template <typename Take>
    void for_each_until(Take take) {
        if (is_submission_order()) {
            ranked_.for_each_as_added_until(take);
        } else {
            ranked_.for_each_until(take);
        }
    }

 private:
    JobOrder order_;
    std::vector<JobScore> scores_;  // by JobIndex
    RankedJobs ranked_;
};

// Aggressive backfilling: only the first job that does not fit has a reservation, and the others may start if they do
// not delay it. A round costs O(running jobs + waiting jobs), and O(log(waiting jobs)) for each job that it starts or
// might start.
class Easy : public Algorithm {
 public:
    explicit Easy(const Parameters& parameters)
        : primary_(JobOrder(parameters, "order")),
          backfill_(JobOrder(parameters, "backfill-order")),
          threshold_(parameters.seconds("threshold")),
          tuner_(WeightTuner::from("easy", parameters)) {
        JobOrder::refuse_unused_weights(parameters, {"order", "backfill-order"});
    }

    void completed(Round& round, std::span<const Completion> completions) override {
        if (tuner_) {
            tuner_->ended(round.state(), completions);
        }
    }
    void machine_changed(Round& round, std::span<const Completion> completions) override {
        completed(round, completions);
    }

    void submitted(Round& round, JobIndex job) override {
        primary_.prepare(round.state(), job);
        backfill_.prepare(round.state(), job);
    }

    void decide(Round& round) override {
        if (const auto better = tuner_ ? tuner_->tune(round.state()) : std::nullopt) {
            primary_.change_mixed(*better, round.state());
            backfill_.change_mixed(*better, round.state());
        }
        if (round.state().idle_count == 0) {
            return;
        }
        if (const std::optional<JobIndex> head = start_in_order(round)) {
            backfill(round, *head);
        }
    }

    std::vector<Statistic> statistics() const override {
        return tuner_ ? tuner_->statistics() : std::vector<Statistic>();
    }

 private:
    // Starts jobs until one does not fit, and returns that one.
    std::optional<JobIndex> start_in_order(Round& round) {
        const SchedulerState& state = round.state();
        std::optional<JobIndex> head;
        const auto start = [&](JobIndex job) {
            if (!round.start_if_possible(job)) {
                head = job;
            }
            return !head;
        };
        const WaitingQueue& queue = state.waiting;
        while (!queue.empty() && (primary_.is_submission_order() || over_threshold(state, queue.job(0)))) {
            if (!start(queue.job(0))) {
                return head;
            }
        }
        primary_.clear();
        for (const JobIndex job : queue.jobs()) {
            primary_.add(job, state.now);
        }
        primary_.for_each_until(start);
        return head;
    }

    // Whether the job goes before all others. Those that do have waited longest, so they stand first in the queue.
    bool over_threshold(const SchedulerState& state, JobIndex job) const {
        return threshold_ && state.now - state.job(job).submit() > *threshold_;
    }

    void backfill(Round& round, JobIndex head) {
        const SchedulerState& state = round.state();
        const WaitingQueue& queue = state.waiting;
        if (queue.size() < 2 || state.idle_count == 0) {
            return;
        }
        Reservation reservation(state, head);
        // What may not start now, may not when less is left.
        backfill_.clear();
        const int most = state.most_for_one_job();
        for (std::size_t at = 0; (at = queue.next_fitting(at, most)) < queue.size(); ++at) {
            if (queue.job(at) != head && reservation.may_admit(queue.processors(at), queue.walltime(at))) {
                backfill_.add(queue.job(at), state.now);
            }
        }
        backfill_.for_each_until([&](JobIndex job) {
            reservation.start_if_admitted(round, job);
            return state.idle_count > 0;
        });
    }

    Ranking primary_;
    Ranking backfill_;
    std::optional<Duration> threshold_;
    std::unique_ptr<WeightTuner> tuner_;  // null: the weights stay as they are
};

std::vector<Parameter> parameters() {
    std::vector<Parameter> parameters{
        JobOrder::order("order", "fcfs", "which waiting job goes first, and gets the reservation if it does not fit"),
        JobOrder::order("backfill-order", "fcfs", "in which order the others are tried"), JobOrder::weights(),
        JobOrder::scales(),
        Parameter::seconds("threshold", "", "jobs that have waited longer go before all others, by submission")};
    const std::vector<Parameter> of_tuning = WeightTuner::parameters();
    parameters.insert(parameters.end(), of_tuning.begin(), of_tuning.end());
    return parameters;
}

const Registration registration({
    "easy",
    "EASY backfilling: the first waiting job has a reservation, others start if they do not delay it",
    "Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; as in Legrand, Trystram, Zrigui, Adapting batch scheduling "
    "to workload characteristics: what can we expect from online learning?, IPDPS 2019, algorithm 1",
    parameters(),
    [](const Parameters& parameters) { return std::make_unique<Easy>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine},
});

}  // namespace

}  // namespace batfill
