#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/reservation.hpp>
#include <batfill/engine/run_time_predictor.hpp>

#include "schedulers/easy_orders.hpp"
#include "schedulers/event_rounds.hpp"
#include "schedulers/several_reservations.hpp"
#include "schedulers/start_history.hpp"

namespace batfill {

namespace {

// EASY backfilling: only the first job that does not fit has a reservation. The others may start if they do not delay
// it.
// Cost of a round: O(running jobs + waiting jobs), and O(log(waiting jobs)) for each job that it starts or might start.
// With a number of reservations other than 1, see several_reservations.hpp. With rounds=event, each event costs a
// round.
class Easy : public Algorithm {
 public:
    explicit Easy(const Parameters& parameters)
        : orders_(parameters),
          rounds_(parameters),
          extra_(parameters.choice<Extra>("extra")),
          keeps_head_(parameters.choice("head") == "kept"),
          starts_(rounds_.is_on() || extra_ != Extra::all),
          reservations_(*parameters.whole_number("reservations")),
          test_limit_(parameters.whole_number("test-limit")) {}

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
    void withdrawn(const SchedulerState&, JobIndex job) override {
        orders_.withdrawn(job);
        if (kept_ == job) {
            kept_.reset();
        }
    }
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
    // Decides once.
    void run(Round& round) {
        const SchedulerState& state = round.state();
        const int free = rounds_.free(state);
        if (free == 0 && !keeps_head_) {
            return;
        }
        orders_.prepare(state.now);
        starts_.begin_round();
        if (reservations_ == 1) {
            algorithm_1(round);
        } else {
            decide_with_several_reservations(round, orders_, free, rounds_.running(state), reservations_, most_tests());
        }
    }

    // Algorithm 1 of the paper, with the numbers of its lines. Q is the queue of waiting jobs.
    void algorithm_1(Round& round) {
        const SchedulerState& state = round.state();
        const std::optional<JobIndex> reserved = start_in_order(round);
        if (!reserved) {
            return;
        }
        if (keeps_head_ && !kept_) {
            kept_ = reserved;
            kept_start_ = reserve(state, *reserved).shadow_time();
        }
        if (state.waiting.size() == 1 || rounds_.free(state) == 0) {
            return;
        }
        starts_.begin_backfilling();
        if (extra_ == Extra::none) {
            backfill_before_start(round, *reserved);
            return;
        }
        Reservation reservation = reserve(state, *reserved);  // 6: shadow time and extra processors
        const auto may_start = [&](int processors, Duration estimate) {
            return reservation.may_admit(processors, estimate);
        };
        for_each_other(state, *reserved, may_start, [&](JobIndex job) {  // 10-12: L = Q - [reserved job], in order
            reservation.start_if_admitted(round, job);                   // 13: starts if it delays no reservation
            return rounds_.free(state) > 0;
        });
    }

    // Starts jobs in the primary order until one does not fit, and returns that job. A kept head comes before all.
    std::optional<JobIndex> start_in_order(Round& round) {
        const SchedulerState& state = round.state();
        std::optional<JobIndex> reserved;
        const auto start = [&](JobIndex job) {
            if (!fits(state, job) || !round.start_if_possible(job)) {  // 2-4: if j can start, it does and leaves Q
                reserved = job;                                        // 5: else it is the one to reserve
            }
            return !reserved;  // 7: break
        };
        if (kept_ && start(*kept_)) {
            kept_.reset();
        }
        if (!reserved) {
            orders_.for_each_in_primary_order(state, start);  // 1: for job j in Q
        }
        return reserved;
    }

    // Starts the jobs that end by the start of the reserved job; with head=kept, before the start that it had when it
    // became the head.
    void backfill_before_start(Round& round, JobIndex reserved) {
        const SchedulerState& state = round.state();
        const Time start = kept_ ? kept_start_ : reserve(state, reserved).shadow_time();
        const auto ends_in_time = [&](int, Duration estimate) {
            return kept_ ? state.now + estimate < start : state.now + estimate <= start;
        };
        for_each_other(state, reserved, ends_in_time, [&](JobIndex job) {
            if (fits(state, job) && ends_in_time(0, state.estimate(job))) {
                round.start_if_possible(job);
            }
            return rounds_.free(state) > 0;
        });
    }

    bool fits(const SchedulerState& state, JobIndex job) const {
        return state.job(job).processors() <= rounds_.free(state);
    }

    Reservation reserve(const SchedulerState& state, JobIndex job) const {
        if (extra_ == Extra::all && rounds_.withheld() == 0) {
            return {state, job};
        }
        std::vector<RunningJob> running = rounds_.running(state);
        starts_.keep_counted(running, state.job(job).processors() - rounds_.free(state), extra_);
        return {state, job, running, rounds_.withheld()};
    }

    // Calls take(job) for all waiting jobs except the reserved one, in the backfill order. Stops when that returns
    // false or at the test limit. Skips jobs for which may_start(processors, estimate) is false.
    template <typename MayStart, typename Take>
    void for_each_other(const SchedulerState& state, JobIndex reserved, MayStart may_start, Take take) {
        std::uint64_t tests_left = most_tests();
        const auto test = [&](JobIndex job) { return tests_left-- > 0 && take(job); };
        if (orders_.backfills_by_submission()) {
            for_each_candidate(state, reserved, may_start, test);
            return;
        }
        std::vector<JobIndex> candidates;
        for_each_candidate(state, reserved, may_start, [&](JobIndex job) {
            candidates.push_back(job);
            return true;
        });
        orders_.for_each_in_backfill_order(state, candidates, test);
    }

    // As above, in the order of the queue. Skips jobs that cannot start now, because they cannot start later in the
    // round either. With a test limit it passes them, too, because they count as tests.
    template <typename MayStart, typename Take>
    void for_each_candidate(const SchedulerState& state, JobIndex reserved, MayStart may_start, Take take) {
        const WaitingQueue& queue = state.waiting;
        int most = largest_candidate(state);
        for (std::size_t at = 0; (at = queue.next_fitting(at, most)) < queue.size();) {
            const JobIndex job = queue.job(at);
            const bool is_candidate =
                job != reserved && (test_limit_ || may_start(queue.processors(at), state.estimate_at(at)));
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

    std::uint64_t most_tests() const { return test_limit_.value_or(std::numeric_limits<std::uint64_t>::max()); }

    EasyOrders orders_;
    EventRounds rounds_;
    Extra extra_;
    bool keeps_head_;
    std::optional<JobIndex> kept_;  // the head that remains the head until it starts; only if keeps_head_
    Time kept_start_;               // its start by the estimates, when it became the head
    StartHistory starts_;
    std::uint64_t reservations_;
    std::optional<std::uint64_t> test_limit_;
};

const Registration registration({
    "easy",
    "EASY backfilling: the first waiting job has a reservation, others start if they do not delay it",
    "Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; as in Legrand, Trystram, Zrigui, Adapting batch scheduling to workload characteristics: what can we expect from online learning?, IPDPS 2019, algorithm 1",
    joined({EasyOrders::parameters(),
            {StartHistory::extra(),
             Parameter::choice(
                 "head", {"best", "kept"}, "best",
                 "the first job: in each round anew, or one that keeps its place and reservation until it starts")
                 .used_with({"extra=none"}),
             EventRounds::parameter(),
             Parameter::whole_number("reservations", "1", "number of jobs that have a reservation", true)
                 .used_with(placements_that_count()),
             Parameter::whole_number("test-limit", "",
                                     "number of jobs tried after the first that cannot start (all if not given)")},
            RunTimePredictor::parameters(),
            WeightTuner::parameters(),
            MultifactorPriority::parameters()}),
    [](const Parameters& parameters) { return std::make_unique<Easy>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine},
});

}  // namespace

}  // namespace batfill
