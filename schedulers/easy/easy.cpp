#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/planning/reservation.hpp>
#include <batfill/planning/trial.hpp>

#include "schedulers/easy/backfill_walk.hpp"
#include "schedulers/easy/easy_orders.hpp"
#include "schedulers/easy/imitations.hpp"
#include "schedulers/easy/walk.hpp"

namespace batfill {

namespace {

// EASY backfilling: only the first job that does not fit has a reservation. The others may start if they do not delay
// it.
// Cost of a round: O(running jobs + waiting jobs), and O(log(waiting jobs)) for each job that it starts or might start.
// With another number of reservations, or where more is free than processors, see walk.hpp. With rounds=event, each
// event costs a round.
class Easy : public Algorithm {
 public:
    explicit Easy(const Parameters& parameters)
        : orders_(parameters),
          rounds_(parameters),
          head_(parameters),
          backfill_(parameters),
          extra_(parameters.choice<Extra>("extra")),
          starts_(rounds_.are_imitated() || extra_ != Extra::all),
          queues_(parameters),
          reservations_(*parameters.whole_number("reservations")),
          imitation_(imitation_of(parameters)) {
        if (const std::optional<Duration> period = parameters.seconds("period")) {
            period_ = "parameter period=" + period->to_shortest_string();
        }
    }

    void begin(Round& round) override {
        const std::string refused = imitation_.empty() && orders_.tunes() ? period_ : imitation_;
        refuse_if(!round.state().machine.is_plain() && !refused.empty(), refused,
                  ": not for machines with pools, capacities, partitions, windows or limits");
    }
    bool understands_resources() const override { return true; }
    bool looks_ahead(const SchedulerState& state) const override { return !state.counts_processors(); }
    void require_dependencies() const override {
        refuse_if(!imitation_.empty(), imitation_,
                  ": not for jobs that wait for others (the fields after, begin and array_limit)");
    }

    // Decides by Algorithm 1 of the paper: once, or, with rounds=event, after each event.
    void decide(Round& round) override {
        orders_.tune(round.state());
        if (round.state().later) {
            orders_.prepare(round.now());
            walk(round);
            return;
        }
        if (rounds_.are_imitated()) {  // there may be no event after which to decide
            round.explain([](JobIndex) { return Reason{.rule = Reason::Rule::no_decision}; });
        }
        rounds_.for_each_round(round.now(), [&] { run(round); });
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
        if (rounds_.are_imitated() && (rounds_.follow_every_submission() || fits(round.state(), job))) {
            run(round);
        }
    }
    void predictions_expired(Round& round) override {
        if (rounds_.are_imitated()) {
            run(round);
        }
    }
    void withdrawn(const SchedulerState&, JobIndex job) override {
        orders_.withdrawn(job);
        head_.left_queue(job);
    }
    void started(const SchedulerState& state, JobIndex job) override {
        orders_.started(state, job);
        head_.left_queue(job);
        starts_.add(job);
    }

    // A search for weights cannot be copied.
    std::unique_ptr<Algorithm> copy() const override {
        return orders_.tunes() ? nullptr : std::make_unique<Easy>(*this);
    }

    std::vector<Statistic> statistics() const override { return orders_.statistics(); }

 private:
    // "parameter rounds=event": the first parameter that imitates another scheduler, which only counts processors.
    // Empty if there is none.
    static std::string imitation_of(const Parameters& parameters) {
        for (const auto& [name, plain] : {std::pair("head", "best"), {"extra", "all"}, {"rounds", "instant"}}) {
            if (const std::string& value = parameters.choice(name); value != plain) {
                return std::string("parameter ") + name + '=' + value;
            }
        }
        return {};
    }

    // Algorithm 1 of the paper, with the numbers of its lines. Q is the queue of waiting jobs.
    void algorithm_1(Round& round) {
        std::optional<JobIndex> reserved;
        for_each_in_order(round.state(), [&](JobIndex job) {  // 1: for job j in Q
            if (!start(round, job)) {                         // 2-4: if j can start, it does and leaves Q
                reserved = job;                               // 5: else it is the one to reserve
            }
            return !reserved;  // 7: break
        });
        if (reserved && round.state().lacks_only_unplanned(*reserved)) {
            reserved = pass_over(round);
        }
        if (!reserved) {
            explain_passed_over(round);
            return;
        }
        keep_head(round.state(), *reserved);
        const bool may_backfill = round.state().waiting.size() > 1 && rounds_.free(round.state()) > 0;
        if (!may_backfill && !round.explains()) {
            return;
        }
        Reservation reservation = reserve(round.state(), *reserved);  // 6: shadow time and extra processors
        const auto start_if_admitted = [&](JobIndex job) {            // 10-12: L = Q - j, in order
            reservation.start_if_admitted(round, job);                // 13: starts if it delays no reservation
        };
        if (may_backfill) {
            starts_.begin_backfilling();
            backfill_.for_each(round.state(), orders_, rounds_, *reserved, passed_over_, reservation,
                               start_if_admitted);
        }
        reservation.explain(round, *reserved);
        explain_passed_over(round);
    }

    // The first job that cannot start is one that only a limit keeps from starting. Passes over such jobs, and starts
    // others, up to the first that cannot start for another reason. Returns that one.
    std::optional<JobIndex> pass_over(Round& round) {
        const SchedulerState& state = round.state();
        if (!backfill_.has_limit() && !round.explains()) {
            if (orders_.starts_by_submission()) {
                return start_by_submission(round);
            }
            if (const Ranking* const order = orders_.searched(state)) {
                return start_by_search(round, *order);
            }
            const std::optional<JobIndex> first = first_of_others(state);
            if (!first || !state.can_start(state.job(*first).request)) {
                return first;
            }
        }
        const std::vector<JobIndex> jobs(state.waiting.jobs().begin(), state.waiting.jobs().end());
        std::optional<JobIndex> reserved;
        orders_.for_each_of_in_primary_order(state, jobs, [&](JobIndex job) {
            if (start(round, job)) {
                return true;
            }
            if (state.lacks_only_unplanned(job)) {
                passed_over_.push_back(job);
            } else {
                reserved = job;
            }
            return !reserved;
        });
        std::ranges::sort(passed_over_);
        return reserved;
    }

    // The same where the primary order is that of the queue, and nobody needs to know who was passed over.
    std::optional<JobIndex> start_by_submission(Round& round) {
        const SchedulerState& state = round.state();
        const WaitingQueue& queue = state.waiting;
        std::size_t at = 0;
        do {
            at = queue.next_not_passed_over(at, state.most_for_one_job(), state.limits);
        } while (at < queue.size() && start(round, queue.job(at)));
        return at < queue.size() ? std::optional(queue.job(at)) : std::nullopt;
    }

    // The same in an order of scores. Most rounds start one job or none, so each start costs a search.
    std::optional<JobIndex> start_by_search(Round& round, const Ranking& order) {
        const SchedulerState& state = round.state();
        std::optional<Ranking::Scored> last;
        while (true) {
            const std::optional<JobIndex> first = order.first_after(state, last, [&](const auto& take) {
                state.for_each_not_passed_over(state.most_for_one_job(),
                                               [&](std::size_t position) { take(state.waiting.job(position)); });
            });
            if (!first) {
                return first;
            }
            last = order.with_score(*first);
            if (!start(round, *first)) {
                return first;
            }
        }
    }

    // The first of the jobs that are not passed over as long as nobody starts. If it cannot start either, there is no
    // need to rank all.
    std::optional<JobIndex> first_of_others(const SchedulerState& state) {
        std::vector<JobIndex> others;
        state.for_each_not_passed_over(state.most_for_one_job(),
                                       [&](std::size_t position) { others.push_back(state.waiting.job(position)); });
        std::optional<JobIndex> first;
        orders_.for_each_of_in_primary_order(state, others, [&](JobIndex job) {
            first = job;
            return false;
        });
        return first;
    }

    // Those before the reserved job, and those behind it.
    void explain_passed_over(Round& round) const {
        if (round.state().limits.is_on()) {
            round.explain([&](JobIndex job) {
                return std::ranges::binary_search(passed_over_, job) || round.state().lacks_only_unplanned(job)
                           ? Reason{.rule = Reason::Rule::passed_over}
                           : Reason();
            });
        }
    }

    // Decides once. If no processor is idle, only who asks why a job waits looks for the head.
    void run(Round& round) {
        const SchedulerState& state = round.state();
        const int free = rounds_.free(state);
        const bool may_start = free > 0 || head_.is_kept();
        if (!may_start && !round.explains()) {
            return;
        }
        orders_.prepare(state.now);
        passed_over_.clear();
        if (may_start) {
            starts_.begin_round();
        }
        if (reservations_ == 1) {
            algorithm_1(round);
        } else {
            walk(round);
        }
    }

    // With any number of reservations, on any machine.
    void walk(Round& round) {
        const SchedulerState& state = round.state();
        const std::vector<RunningJob> with_held =
            rounds_.are_imitated() ? rounds_.running(state) : std::vector<RunningJob>();
        Trial trial(round, rounds_.free(state), rounds_.are_imitated() ? with_held : state.running);
        Walk(round, trial, orders_, queues_, reservations_, backfill_.most_tests()).decide();
    }

    // Passes the kept head and then the waiting jobs, in the primary order, to `take` until that returns false.
    void for_each_in_order(const SchedulerState& state, auto take) {
        if (!head_.job() || take(*head_.job())) {
            orders_.for_each_in_primary_order(state, take);
        }
    }

    bool fits(const SchedulerState& state, JobIndex job) const {
        return state.job(job).processors() <= rounds_.free(state);
    }
    bool start(Round& round, JobIndex job) { return fits(round.state(), job) && round.start_if_possible(job); }

    // With head=kept, makes the reserved job the kept head if there is none.
    void keep_head(const SchedulerState& state, JobIndex reserved) {
        if (head_.is_kept() && !head_.job()) {
            head_.keep(reserved, reserve_by_estimates(state, reserved).shadow_time());
        }
    }

    // The reservation, as `extra` and `head` change it. A kept head may start at the instant of its reservation only if
    // all others end before that.
    Reservation reserve(const SchedulerState& state, JobIndex job) const {
        if (head_.job()) {
            return {state, head_.start(), rounds_.withheld(), true};
        }
        Reservation reservation = reserve_by_estimates(state, job);
        if (extra_ == Extra::none) {
            return {state, reservation.shadow_time(), rounds_.withheld()};
        }
        return reservation;
    }
    Reservation reserve_by_estimates(const SchedulerState& state, JobIndex job) const {
        if (extra_ == Extra::all && rounds_.withheld() == 0) {
            return {state, job};
        }
        std::vector<RunningJob> running = rounds_.running(state);
        starts_.keep_counted(running, state.job(job).processors() - rounds_.free(state), extra_);
        return {state, job, running, rounds_.withheld()};
    }

    EasyOrders orders_;
    EventRounds rounds_;
    KeptHead head_;
    BackfillWalk backfill_;
    Extra extra_;
    StartHistory starts_;
    Queues queues_;
    std::uint64_t reservations_;
    std::vector<JobIndex> passed_over_;  // in this round, before the reserved job, if it matters; increasing
    std::string imitation_;
    std::string period_;  // likewise "parameter period=3600"; empty: none
};

const Registration registration({
    "easy",
    "EASY backfilling: the first waiting job has a reservation, others start if they do not delay it",
    "Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; as in Legrand, Trystram, Zrigui, Adapting batch scheduling to workload characteristics: what can we expect from online learning?, IPDPS 2019, algorithm 1",
    joined({EasyOrders::parameters(),
            {StartHistory::extra(), KeptHead::parameter(), EventRounds::parameter(), Availability::plan_pools(),
             Queues::parameter(),
             Parameter::whole_number("reservations", "1", "number of jobs that have a reservation", true)
                 .used_with({"placement=lowest", "placement=best-effort-contiguous", "placement=snug",
                             "placement=fullest"}),
             BackfillWalk::test_limit()},
            RunTimePredictor::parameters(),
            WeightTuner::parameters(),
            MultifactorPriority::parameters()}),
    [](const Parameters& parameters) { return std::make_unique<Easy>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine, Placement::snug,
     Placement::fullest},
});

}  // namespace

}  // namespace batfill
