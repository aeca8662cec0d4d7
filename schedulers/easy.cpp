#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/job_order.hpp>
#include <batfill/engine/reservation.hpp>
#include <batfill/engine/run_time_predictor.hpp>

#include "schedulers/easy_orders.hpp"
#include "schedulers/event_rounds.hpp"
#include "schedulers/extra_processors.hpp"
#include "schedulers/multifactor.hpp"
#include "schedulers/several_reservations.hpp"
#include "schedulers/start_history.hpp"
#include "src/engine/weight_tuner.hpp"

namespace batfill {

namespace {

// EASY backfilling: only the first job that does not fit has a reservation. The others may start if they do not delay
// it.
// Cost of a round: O(running jobs + waiting jobs), and O(log(waiting jobs)) for each job that it starts or might start.
// With a number of reservations other than 1, see SeveralReservations. With rounds=event, each event costs a round.
class Easy : public Algorithm {
 public:
    explicit Easy(const Parameters& parameters)
        : orders_(parameters),
          rounds_(parameters),
          extra_(parameters),
          starts_(rounds_.is_on() || !extra_.counts_all()),
          reservations_(*parameters.whole_number("reservations")),
          test_limit_(parameters.whole_number("test-limit")) {
        refuse_what_does_not_go_together(parameters);
    }

    void completed(Round& round, std::span<const Completion> completions) override {
        orders_.ended(round.state(), completions);
        rounds_.completed(round.now(), completions, starts_);
    }
    void machine_changed(Round& round, std::span<const Completion> completions) override {
        completed(round, completions);
        rounds_.machine_changed();
    }
    void submitted(Round& round, JobIndex job) override {
        orders_.submitted(round.state(), job);
        if (rounds_.is_on() && (rounds_.follow_every_submission() || fits(round.state(), job))) {
            run(round);
        }
    }
    void predictions_expired(Round& round) override {
        if (rounds_.is_on()) {
            run(round);
        }
    }
    void withdrawn(const SchedulerState&, JobIndex job) override { orders_.withdrawn(job); }
    void started(const SchedulerState& state, JobIndex job) override {
        orders_.started(state, job);
        starts_.add(job);
    }

    std::vector<Statistic> statistics() const override { return orders_.statistics(); }

    // Decides by Algorithm 1 of the paper: once, or, with rounds=event, after each event.
    void decide(Round& round) override {
        orders_.tune(round.state());
        rounds_.for_each_round(round.now(), [&] { run(round); });
    }

 private:
    // Decides once. With a number of reservations other than 1, SeveralReservations takes the place of Algorithm 1.
    void run(Round& round) {
        const SchedulerState& state = round.state();
        const int free = rounds_.free(state);
        if (free == 0) {
            return;
        }
        orders_.prepare(state.now);
        starts_.begin_round();
        if (reservations_ == 1) {
            algorithm_1(round);
        } else {
            SeveralReservations(round, free, rounds_.running(state), {reservations_, test_limit_.value_or(no_limit)})
                .start_and_backfill(orders_);
        }
    }

    // Algorithm 1 of the paper, with the numbers of its lines. Q is the queue of waiting jobs.
    void algorithm_1(Round& round) {
        const SchedulerState& state = round.state();
        std::optional<JobIndex> reserved;
        orders_.for_each_in_primary_order(state, [&](JobIndex job) {   // 1: for job j in Q
            if (!fits(state, job) || !round.start_if_possible(job)) {  // 2-4: if j can start, it does and leaves Q
                reserved = job;                                        // 5: else it is the one to reserve
            }
            return !reserved;  // 7: break
        });
        if (!reserved || !may_backfill(state)) {
            return;
        }
        Reservation reservation = reserve(state, *reserved);  // 6: shadow time and extra processors
        starts_.begin_backfilling();
        for_each_other(state, *reserved, reservation, [&](JobIndex job) {  // 10-12: L = Q - [reserved job], in order
            reservation.start_if_admitted(round, job);                     // 13: starts if it delays no reservation
            return rounds_.free(state) > 0;
        });
    }

    bool fits(const SchedulerState& state, JobIndex job) const {
        return state.job(job).processors() <= rounds_.free(state);
    }

    // Whether a job other than the reserved one could start.
    bool may_backfill(const SchedulerState& state) const { return state.waiting.size() > 1 && rounds_.free(state) > 0; }

    Reservation reserve(const SchedulerState& state, JobIndex job) const {
        if (extra_.counts_all() && rounds_.withheld() == 0) {
            return {state, job};
        }
        std::vector<RunningJob> running = rounds_.running(state);
        extra_.keep_counted(running, state.job(job).processors() - rounds_.free(state), starts_);
        return {state, job, running, rounds_.withheld()};
    }

    // Calls take(job) for all waiting jobs except the reserved one, in the backfill order. Stops when that returns
    // false or at the test limit.
    template <typename Take>
    void for_each_other(const SchedulerState& state, JobIndex reserved, const Reservation& reservation, Take take) {
        std::uint64_t tests_left = test_limit_.value_or(no_limit);
        const auto test = [&](JobIndex job) { return tests_left-- > 0 && take(job); };
        if (orders_.backfills_by_submission()) {
            for_each_candidate(state, reserved, reservation, test);
            return;
        }
        std::vector<JobIndex> candidates;
        for_each_candidate(state, reserved, reservation, [&](JobIndex job) {
            candidates.push_back(job);
            return true;
        });
        orders_.for_each_in_backfill_order(state, candidates, test);
    }

    // As above, in the order of the queue. Skips jobs that cannot start now, because they cannot start later in the
    // round either. With a test limit it passes them, too, because they count as tests.
    template <typename Take>
    void for_each_candidate(const SchedulerState& state, JobIndex reserved, const Reservation& reservation, Take take) {
        const WaitingQueue& queue = state.waiting;
        int most = largest_candidate(state);
        for (std::size_t at = 0; (at = queue.next_fitting(at, most)) < queue.size();) {
            const JobIndex job = queue.job(at);
            const bool is_candidate =
                job != reserved && (test_limit_ || reservation.may_admit(queue.processors(at), state.estimate_at(at)));
            if (is_candidate && !take(job)) {
                return;
            }
            if (at < queue.size() && queue.job(at) == job) {
                ++at;
            } else {  // it has started, and the jobs after it have moved up
                most = largest_candidate(state);
            }
        }
    }
    int largest_candidate(const SchedulerState& state) const {
        return test_limit_ ? std::numeric_limits<int>::max() : std::min(state.most_for_one_job(), rounds_.free(state));
    }

    void refuse_what_does_not_go_together(const Parameters& parameters) const {
        const std::string extra = "extra=" + parameters.choice("extra");
        if (!extra_.counts_all() && reservations_ != 1) {
            throw UsageError("parameter " + extra + " goes with reservations=1 only");
        }
        const std::string& placement = parameters.choice("placement");
        if (placement == "contiguous" || placement == "machine") {
            const std::string counts = !extra_.counts_all() ? extra
                                       : rounds_.is_on()    ? "rounds=" + parameters.choice("rounds")
                                       : reservations_ != 1 ? "reservations other than 1"
                                                            : "";
            if (!counts.empty()) {
                throw UsageError("parameter " + counts +
                                 " counts processors, so it does not go with placement=" + placement);
            }
        }
    }

    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

    EasyOrders orders_;
    EventRounds rounds_;
    ExtraProcessors extra_;
    StartHistory starts_;
    std::uint64_t reservations_;
    std::optional<std::uint64_t> test_limit_;
};

std::vector<Parameter> parameters() {
    const std::vector<std::string> also{"predicted", "multifactor"};
    std::vector<Parameter> parameters{
        JobOrder::order("order", "fcfs", "which waiting job goes first, and has the reservation if it does not fit",
                        also),
        JobOrder::order("backfill-order", "fcfs", "order in which the others are tried", also),
        JobOrder::weights(),
        JobOrder::scales(),
        Parameter::seconds("threshold", "", "jobs that have waited longer go before all others, by submission"),
        Parameter::choice("ties", {"first", "last"}, "first",
                          "which of two equal scores goes first: the earlier or the later arrival"),
        Parameter::choice(
            "extra", {"all", "needed", "needed-latest"}, "all",
            "extra processors: from all jobs that end by the reserved start, or only from those that the reserved job needs"),
        Parameter::choice(
            "rounds", {"instant", "event", "every-event"}, "instant",
            "decide once for all events of an instant, or after each; after a submission only if the new job fits, or after every one"),
        Parameter::whole_number("reservations", "1", "number of jobs that have a reservation", true),
        Parameter::whole_number("test-limit", "",
                                "number of jobs tried after the first that cannot start (all if not given)")};
    for (const std::vector<Parameter>& more :
         {RunTimePredictor::parameters(), WeightTuner::parameters(), MultifactorPriority::parameters()}) {
        parameters.insert(parameters.end(), more.begin(), more.end());
    }
    return parameters;
}

const Registration registration({
    "easy",
    "EASY backfilling: the first waiting job has a reservation, others start if they do not delay it",
    "Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; as in Legrand, Trystram, Zrigui, Adapting batch scheduling to workload characteristics: what can we expect from online learning?, IPDPS 2019, algorithm 1",
    parameters(),
    [](const Parameters& parameters) { return std::make_unique<Easy>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine},
});

}  // namespace

}  // namespace batfill
