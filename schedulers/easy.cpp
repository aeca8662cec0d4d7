#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/job_order.hpp>
#include <batfill/engine/job_tournament.hpp>
#include <batfill/engine/ranked_jobs.hpp>
#include <batfill/engine/reservation.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/engine/weight_tuner.hpp>

#include "schedulers/multifactor.hpp"
#include "schedulers/profile_of_round.hpp"

namespace batfill {

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

// How equal scores are ordered. With `last`, in the primary order what arrived last goes first, and the backfill order
// follows the primary one.
using Ties = JobTournament::Ties;

// What counts for the processors that a reserved job leaves over.
enum class Extra {
    all,            // all jobs that have ended by its start
    needed,         // only as many as it needs, by their ends, ties in the order in which they started
    needed_latest,  // the same, ties as `counts_before` says
};

// One of the two orders of the waiting jobs.
class Ranking {
 public:
    // Whether first() will be asked for, which has to know of jobs that wait no longer.
    enum class First { is_not_asked_for, is_asked_for };

    // `multifactor` gives the scores if the order is that; it is prepared before they are asked for.
    Ranking(const JobOrder& order, Ties ties, First first, const MultifactorPriority* multifactor)
        : order_(order), multifactor_(order.is_multifactor() ? multifactor : nullptr), ties_(ties) {
        if (first == First::is_asked_for && multifactor_ == nullptr && !is_submission_order()) {
            tournament_.emplace(ties);
        }
    }

    // Whether the order is that of the queue.
    bool is_submission_order() const { return order_.is_submission_order() && ties_ == Ties::first; }

    // Whether first() costs a score for each job.
    bool looks_at_all_for_first() const { return !tournament_; }

    // A job has come; to be called once for each. O(log(waiting jobs)).
    void insert(const SchedulerState& state, JobIndex job) {
        if (is_submission_order()) {
            return;
        }
        const JobScore score = order_.score(state, job);
        if (tournament_) {
            tournament_->insert(job, state.job(job).submit(), score);
        } else {
            scores_.resize(std::max(scores_.size(), std::size_t{job} + 1));
            scores_[job] = score;
        }
    }
    // A job waits no longer. O(log(waiting jobs)).
    void remove(JobIndex job) {
        if (tournament_) {
            tournament_->remove(job);
        }
    }

    // The first of all waiting jobs; requires that there is one, and that the order is not that of the queue. As
    // JobTournament, but a score for each job under `multifactor`.
    JobIndex first(const SchedulerState& state) {
        if (tournament_) {
            return *tournament_->first(state.now);
        }
        // They are given by submission.
        std::optional<JobIndex> first;
        double highest = 0;
        for (const JobIndex job : state.waiting.jobs()) {
            const double score = multifactor_->of(job);
            if (!first || score > highest || (score == highest && ties_ == Ties::last)) {
                first = job;
                highest = score;
            }
        }
        return *first;
    }

    // Ranks by another order from now on, if by one that is mixed.
    void change_mixed(const MixedWeights& weights, const SchedulerState& state) {
        if (!order_.is_mixed()) {
            return;
        }
        order_ = order_.with_weights(weights);
        for (const JobIndex job : state.waiting.jobs()) {
            const JobScore score = order_.score(state, job);
            if (tournament_) {
                tournament_->change(job, score);
            } else {
                scores_[job] = score;
            }
        }
    }

    void clear() { ranked_.clear(); }
    // As RankedJobs. Requires that the order is not that of the queue.
    void add(JobIndex job, Time now) {
        if (multifactor_ != nullptr) {
            ranked_.add(job, multifactor_->of(job));
        } else {
            ranked_.add(job, score(job).at(now));
        }
    }
    template <typename Take>
    void for_each_until(Time now, Take take) {
        ranked_.for_each_until(take,
                               [&](JobIndex a, JobIndex b) { return JobScore::compare(score(a), score(b), now); });
    }

 private:
    const JobScore& score(JobIndex job) const { return tournament_ ? tournament_->score(job) : scores_[job]; }

    JobOrder order_;
    const MultifactorPriority* multifactor_;
    Ties ties_;
    std::optional<JobTournament> tournament_;  // of the waiting jobs, if their first is asked for
    std::vector<JobScore> scores_;             // by JobIndex; empty if there is a tournament
    RankedJobs ranked_;
};

Ties ties_of(const Parameters& parameters) {
    return parameters.choice("ties") == "last" ? Ties::last : Ties::first;
}

Extra extra_of(const Parameters& parameters) {
    const std::string& name = parameters.choice("extra");
    return name == "needed-latest" ? Extra::needed_latest : name == "needed" ? Extra::needed : Extra::all;
}

// When a job started.
struct Start {
    std::uint64_t round = 0;
    bool backfilled = false;
    std::uint64_t number = 0;  // of all starts
};

// Whether, of two jobs with the same estimated end, `a` counts before `b` in this round with extra=needed-latest. The
// simulator behind the paper puts what it starts at the front of its list of running jobs, those that it backfills in
// one round last and the other way round; what it has started in the round that it is in comes after the list.
bool counts_before(const Start& a, const Start& b, std::uint64_t round) {
    const bool a_is_new = a.round == round;
    const bool b_is_new = b.round == round;
    if (a_is_new != b_is_new) {
        return b_is_new;
    }
    if (a.round != b.round) {
        return a.round > b.round;
    }
    if (a.backfilled != b.backfilled) {
        return a.backfilled;
    }
    return a_is_new || a.backfilled ? a.number < b.number : a.number > b.number;
}

// Aggressive backfilling: only the first job that does not fit has a reservation, and the others may start if they do
// not delay it. A round costs O(running jobs + waiting jobs), and O(log(waiting jobs)) for each job that it starts or
// might start; with more than one reservation, also what ProfileOfRound costs for each job that is looked at. With
// rounds=event, each event costs a round.
class Easy : public Algorithm {
 public:
    explicit Easy(const Parameters& parameters)
        : ties_(ties_of(parameters)),
          multifactor_(MultifactorPriority::from(parameters, {"order", "backfill-order"})),
          primary_(JobOrder(parameters, "order"), ties_, Ranking::First::is_asked_for, multifactor_.get()),
          backfill_(JobOrder(parameters, "backfill-order"), ties_, Ranking::First::is_not_asked_for,
                    multifactor_.get()),
          threshold_(parameters.seconds("threshold")),
          extra_(extra_of(parameters)),
          round_for_each_event_(parameters.choice("rounds") == "event"),
          reservations_(*parameters.whole_number("reservations")),
          test_limit_(parameters.whole_number("test-limit")),
          tuner_(WeightTuner::from("easy", parameters)) {
        JobOrder::refuse_unused_weights(parameters, {"order", "backfill-order"});
        refuse_what_does_not_go_together(parameters);
    }

    void completed(Round& round, std::span<const Completion> completions) override {
        if (tuner_) {
            tuner_->ended(round.state(), completions);
        }
        if (multifactor_) {
            multifactor_->ended(round.state(), completions);
        }
        if (round_for_each_event_) {
            take_in_one_by_one(round.now(), completions);
        }
    }
    void machine_changed(Round& round, std::span<const Completion> completions) override {
        completed(round, completions);
        machine_has_changed_ = true;
    }

    void submitted(Round& round, JobIndex job) override {
        if (multifactor_) {
            multifactor_->submitted(round.state(), job);
        }
        primary_.insert(round.state(), job);
        backfill_.insert(round.state(), job);
        if (round_for_each_event_ && round.state().job(job).processors() <= free(round.state())) {
            start_and_backfill(round);
        }
    }

    void withdrawn(const SchedulerState&, JobIndex job) override { primary_.remove(job); }

    void started(const SchedulerState& state, JobIndex job) override {
        primary_.remove(job);
        if (multifactor_) {
            multifactor_->started(state, job);
        }
        if (extra_ != Extra::all || round_for_each_event_) {
            starts_.resize(std::max(starts_.size(), std::size_t{job} + 1));
            starts_[job] = {round_, backfilling_, ++last_start_number_};
        }
    }

    void decide(Round& round) override {
        if (const auto better = tuner_ ? tuner_->tune(round.state()) : std::nullopt) {
            primary_.change_mixed(*better, round.state());
            backfill_.change_mixed(*better, round.state());
        }
        if (!round_for_each_event_) {
            start_and_backfill(round);
            return;
        }
        for (const Completion& completion : std::exchange(completions_, {})) {
            if (completion.expected_end > round.now()) {
                std::erase_if(still_held_, [&](const RunningJob& job) { return job.job == completion.job; });
                withheld_ -= completion.processors;
            }
            start_and_backfill(round);
        }
        if (std::exchange(machine_has_changed_, false)) {
            start_and_backfill(round);
        }
    }

    std::vector<Statistic> statistics() const override {
        return tuner_ ? tuner_->statistics() : std::vector<Statistic>();
    }

 private:
    void refuse_what_does_not_go_together(const Parameters& parameters) const {
        if (tuner_ && (multifactor_ || RunTimePredictor::is_asked_for(parameters))) {
            throw UsageError("parameter period replays jobs without their users, so it does not go with " +
                             std::string(multifactor_ ? "the order multifactor" : "prediction"));
        }
        const std::string extra = "extra=" + parameters.choice("extra");
        if (extra_ != Extra::all && reservations_ != 1) {
            throw UsageError("parameter " + extra + " goes with reservations=1 only");
        }
        const std::string& placement = parameters.choice("placement");
        if (placement == "contiguous" || placement == "machine") {
            const std::string counts = extra_ != Extra::all    ? extra
                                       : round_for_each_event_ ? "rounds=event"
                                       : reservations_ != 1    ? "reservations other than 1"
                                                               : "";
            if (!counts.empty()) {
                throw UsageError("parameter " + counts +
                                 " counts processors, so it does not go with placement=" + placement);
            }
        }
    }

    // ---- rounds=event. Submissions come first, so what has ended too early is handed out afterwards, job by job.

    void take_in_one_by_one(Time now, std::span<const Completion> completions) {
        completions_.assign(completions.begin(), completions.end());
        std::sort(completions_.begin(), completions_.end(), [this](const Completion& a, const Completion& b) {
            return starts_[a.job].number < starts_[b.job].number;
        });
        for (const Completion& completion : completions_) {
            if (completion.expected_end > now) {
                still_held_.push_back({completion.expected_end, completion.job, completion.processors});
                withheld_ += completion.processors;
            }
        }
    }

    // How many processors may be used now.
    int free(const SchedulerState& state) const { return state.idle_count - withheld_; }

    // ---- A round.

    void start_and_backfill(Round& round) {
        if (free(round.state()) == 0) {
            return;
        }
        if (multifactor_) {
            multifactor_->prepare(round.now());
        }
        ++round_;
        backfilling_ = false;
        if (reservations_ != 1) {
            reserve_and_backfill(round);
        } else if (const std::optional<JobIndex> head = start_in_order(round)) {
            backfill(round, *head);
        }
    }

    // Starts jobs until one does not fit, and returns that one.
    std::optional<JobIndex> start_in_order(Round& round) {
        const SchedulerState& state = round.state();
        std::optional<JobIndex> head;
        const auto start = [&](JobIndex job) {
            if (state.job(job).processors() > free(state) || !round.start_if_possible(job)) {
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
        // Mostly the first job of a deep queue does not fit, and then no other has to be ranked.
        while (!queue.empty() && start(primary_.first(state))) {
            if (primary_.looks_at_all_for_first() && !queue.empty()) {
                rank(state, queue.jobs());
                primary_.for_each_until(state.now, start);
                break;
            }
        }
        return head;
    }

    // Ranks jobs that are not over the threshold, which are given in the order of the queue.
    void rank(const SchedulerState& state, std::span<const JobIndex> jobs) {
        primary_.clear();
        const auto add = [&](JobIndex job) { primary_.add(job, state.now); };
        if (ties_ == Ties::last) {
            std::for_each(jobs.rbegin(), jobs.rend(), add);
        } else {
            std::for_each(jobs.begin(), jobs.end(), add);
        }
    }

    // Puts jobs that are given in the order of the queue into the primary order. O(jobs * log(jobs)).
    std::vector<JobIndex> in_primary_order(const SchedulerState& state, std::span<const JobIndex> jobs) {
        if (primary_.is_submission_order()) {
            return {jobs.begin(), jobs.end()};
        }
        const auto others =
            std::find_if(jobs.begin(), jobs.end(), [&](JobIndex job) { return !over_threshold(state, job); });
        std::vector<JobIndex> order(jobs.begin(), others);
        rank(state, jobs.subspan(order.size()));
        primary_.for_each_until(state.now, [&](JobIndex job) {
            order.push_back(job);
            return true;
        });
        return order;
    }

    // Whether the job goes before all others. Those that do have waited longest, so they stand first in the queue.
    bool over_threshold(const SchedulerState& state, JobIndex job) const {
        return threshold_ && state.now - state.job(job).submit() > *threshold_;
    }

    void backfill(Round& round, JobIndex head) {
        const SchedulerState& state = round.state();
        const WaitingQueue& queue = state.waiting;
        if (queue.size() < 2 || free(state) == 0) {
            return;
        }
        Reservation reservation = reservation_of(state, head);
        backfilling_ = true;
        if (backfill_.is_submission_order() && ties_ == Ties::first && !test_limit_) {
            backfill_by_submission(round, head, reservation);
            return;
        }
        // What may not start now, may not when less is left; but it counts as looked at.
        const int most =
            test_limit_ ? std::numeric_limits<int>::max() : std::min(state.most_for_one_job(), free(state));
        candidates_.clear();
        for (std::size_t at = 0; (at = queue.next_fitting(at, most)) < queue.size(); ++at) {
            if (queue.job(at) != head &&
                (test_limit_ || reservation.may_admit(queue.processors(at), state.estimate_at(at)))) {
                candidates_.push_back(queue.job(at));
            }
        }
        if (ties_ == Ties::last) {
            candidates_ = in_primary_order(state, candidates_);
        }
        std::uint64_t left = test_limit_.value_or(no_limit);
        for_each_to_backfill_until(state.now, [&](JobIndex job) {
            if (left-- == 0) {
                return false;
            }
            reservation.start_if_admitted(round, job);
            return free(state) > 0;
        });
    }

    // What is left needs no list: with fewer free processors more of the queue can be passed over.
    void backfill_by_submission(Round& round, JobIndex head, Reservation& reservation) {
        const SchedulerState& state = round.state();
        const WaitingQueue& queue = state.waiting;
        int most = std::min(state.most_for_one_job(), free(state));
        for (std::size_t at = 0; most > 0 && (at = queue.next_fitting(at, most)) < queue.size();) {
            const JobIndex job = queue.job(at);
            if (job == head || !reservation.may_admit(queue.processors(at), state.estimate_at(at)) ||
                !reservation.start_if_admitted(round, job)) {
                ++at;
            } else {
                most = std::min(state.most_for_one_job(), free(state));
            }
        }
    }

    // Lets the candidates come in the backfill order. They are given in the order that decides between equal scores.
    template <typename Take>
    void for_each_to_backfill_until(Time now, Take take) {
        if (backfill_.is_submission_order()) {
            std::all_of(candidates_.begin(), candidates_.end(), take);
            return;
        }
        backfill_.clear();
        for (const JobIndex job : candidates_) {
            backfill_.add(job, now);
        }
        backfill_.for_each_until(now, take);
    }

    Reservation reservation_of(const SchedulerState& state, JobIndex head) {
        if (extra_ == Extra::all && !round_for_each_event_) {
            return {state, head};
        }
        fill_running(state);
        if (extra_ != Extra::all) {
            leave_only_needed(state, head);
        }
        return {state, head, running_, withheld_};
    }

    // Lists the jobs that run or count as running by their ends.
    void fill_running(const SchedulerState& state) {
        running_.assign(state.running.begin(), state.running.end());
        for (const RunningJob& job : still_held_) {
            const auto earlier = [](const RunningJob& a, const RunningJob& b) { return a.end < b.end; };
            running_.insert(std::upper_bound(running_.begin(), running_.end(), job, earlier), job);
        }
    }

    // Leaves of the running jobs only as many as free processors for this one, beside what is free now, by their ends.
    void leave_only_needed(const SchedulerState& state, JobIndex head) {
        std::sort(running_.begin(), running_.end(), [&](const RunningJob& a, const RunningJob& b) {
            if (a.end != b.end) {
                return a.end < b.end;
            }
            return extra_ == Extra::needed ? starts_[a.job].number < starts_[b.job].number
                                           : counts_before(starts_[a.job], starts_[b.job], round_);
        });
        int sum = free(state);
        const auto last = std::find_if(running_.begin(), running_.end(), [&](const RunningJob& job) {
            sum += job.processors;
            return sum >= state.job(head).processors();
        });
        running_.erase(last == running_.end() ? last : std::next(last), running_.end());
    }

    // ---- reservations other than 1.

    void reserve_and_backfill(Round& round) {
        const SchedulerState& state = round.state();
        fill_running(state);
        ProfileOfRound profile(state.now, free(state), running_);
        std::uint64_t left = test_limit_.value_or(no_limit);
        std::uint64_t reserved = 0;
        bool one_could_not_start = false;
        // Counts a job as looked at, if it comes after one that could not start; returns whether it may be.
        const auto look = [&] {
            if (one_could_not_start && left == 0) {
                return false;
            }
            left -= one_could_not_start ? 1 : 0;
            return true;
        };
        const auto start = [&](JobIndex job) {
            const Job& candidate = state.job(job);
            const bool can_start =
                candidate.processors() <= free(state) && profile.can_start(candidate, state.estimate(job));
            if (can_start) {
                profile.take(candidate, state.estimate(job));
                round.start(job);
            }
            return can_start;
        };

        const std::vector<JobIndex> order = in_primary_order(state, state.waiting.jobs());
        auto next = order.begin();
        for (; next != order.end() && free(state) > 0 && !(one_could_not_start && reserved == reservations_); ++next) {
            if (!look()) {
                return;
            }
            if (!start(*next)) {
                one_could_not_start = true;
                if (reservations_ > 0) {
                    profile.reserve(state.job(*next), state.estimate(*next));
                    ++reserved;
                }
            }
        }
        if (free(state) == 0) {
            return;
        }
        candidates_.assign(next, order.end());
        if (ties_ == Ties::first) {
            std::sort(candidates_.begin(), candidates_.end(),
                      [&](JobIndex a, JobIndex b) { return state.submitted_before(a, b); });
        }
        for_each_to_backfill_until(state.now, [&](JobIndex job) {
            if (!look()) {
                return false;
            }
            start(job);
            return free(state) > 0;
        });
    }

    Ties ties_;
    std::unique_ptr<MultifactorPriority> multifactor_;  // null: neither order is that
    Ranking primary_;
    Ranking backfill_;
    std::optional<Duration> threshold_;
    Extra extra_;
    bool round_for_each_event_;
    std::uint64_t reservations_;
    std::optional<std::uint64_t> test_limit_;
    std::unique_ptr<WeightTuner> tuner_;  // null: the weights stay as they are

    // Of one round, kept for their memory.
    std::vector<JobIndex> candidates_;
    std::vector<RunningJob> running_;

    // With an extra other than all and rounds=event: when the jobs started, by JobIndex.
    std::vector<Start> starts_;
    std::uint64_t last_start_number_ = 0;
    std::uint64_t round_ = 0;  // counts from 1
    bool backfilling_ = false;

    // With rounds=event, of the message that is being handled: its completions, and of these the jobs that ended early
    // and are not handled yet, whose processors are withheld.
    std::vector<Completion> completions_;
    std::vector<RunningJob> still_held_;
    int withheld_ = 0;
    bool machine_has_changed_ = false;
};

std::vector<Parameter> parameters() {
    const std::vector<std::string> also{"predicted", "multifactor"};
    std::vector<Parameter> parameters{
        JobOrder::order("order", "fcfs", "which waiting job goes first, and gets the reservation if it does not fit",
                        also),
        JobOrder::order("backfill-order", "fcfs", "in which order the others are tried", also),
        JobOrder::weights(),
        JobOrder::scales(),
        Parameter::seconds("threshold", "", "jobs that have waited longer go before all others, by submission"),
        Parameter::choice("ties", {"first", "last"}, "first",
                          "which of equal scores goes first: who arrived first or last"),
        Parameter::choice("extra", {"all", "needed", "needed-latest"}, "all",
                          "beside a reserved job: what all jobs free that end by its start, or only those it needs"),
        Parameter::choice("rounds", {"instant", "event"}, "instant",
                          "decide once for all events of an instant, or after each"),
        Parameter::whole_number("reservations", "1", "how many jobs that cannot start have a reservation", true),
        Parameter::whole_number("test-limit", "",
                                "how many jobs are looked at after the first that cannot start (all if not given)"),
        RunTimePredictor::parameter()};
    const std::vector<Parameter> of_tuning = WeightTuner::parameters();
    parameters.insert(parameters.end(), of_tuning.begin(), of_tuning.end());
    const std::vector<Parameter> of_multifactor = MultifactorPriority::parameters();
    parameters.insert(parameters.end(), of_multifactor.begin(), of_multifactor.end());
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
