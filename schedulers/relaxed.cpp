#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/planning/job_order.hpp>
#include <batfill/planning/queues.hpp>
#include <batfill/planning/reservation.hpp>

namespace batfill {

namespace {

// The number of a job's queue, "delta" in the paper. Jobs of unknown queues count as primary.
int queue_number(const std::string& queue) {
    if (queue == "background") {
        return -1;
    }
    if (queue == "challenge") {
        return 1;
    }
    return queue == "urgent" ? 2 : 0;
}

constexpr double microseconds_in_hour = 3.6e9;

double microseconds(Duration duration) {
    return static_cast<double>(duration.count());
}

// Equation 1 of the paper. A job's processors, queue and length do not change, so a round multiplies two numbers per
// job.
class Priority {
 public:
    explicit Priority(const Parameters& parameters)
        : alpha_(parameters.number("alpha")),
          beta_(parameters.number("beta")),
          gamma_(parameters.number("gamma")),
          r_(parameters.number("r")),
          period_(*parameters.seconds("priority-period")) {
        refuse_if(r_ <= 0, "parameter r must be more than 0");
    }

    // Notes a job. `length` is the run time that the priority assumes.
    // Requires: called once for each job, before it is ranked.
    void prepare(const Job& job, JobIndex index, Duration length) {
        known_.resize(std::size_t{index} + 1);
        known_[index].submit = microseconds(job.submit().since_zero());
        known_[index].factor = std::pow(microseconds(length) / microseconds_in_hour, beta_) *
                               std::pow(job.processors() / 32.0, gamma_) *
                               std::pow(r_, queue_number(job.description().queue));
    }

    // Sets the instant of the priorities: `now`, or the last multiple of the period.
    void compute(Time now) {
        const Duration since_zero = now.since_zero();
        const Microseconds since_multiple = period_ == Duration() ? 0 : since_zero.count() % period_.count();
        computed_at_ = microseconds(since_zero - Duration::microseconds(since_multiple));
    }

    double of(JobIndex job) const {
        const double wait = std::max(computed_at_ - known_[job].submit, 0.0) / microseconds_in_hour;
        const double priority = (alpha_ == 1 ? wait : std::pow(wait, alpha_)) * known_[job].factor;
        // Overflow times underflow is not a number and carries no information.
        return std::isnan(priority) ? 0 : rounded_score(priority, priority);
    }

 private:
    double alpha_;
    double beta_;
    double gamma_;
    double r_;
    Duration period_;
    struct Known {
        double submit;  // in microseconds
        double factor;
    };
    double computed_at_ = 0;    // in microseconds
    std::vector<Known> known_;  // by JobIndex
};

// Backfilling that may delay the first job, by a factor of its wait.
//
// Cost of a round: O(running jobs + waiting jobs), and O(log(waiting jobs)) for each job that it starts or might start.
class Relaxed : public Algorithm {
 public:
    explicit Relaxed(const Parameters& parameters)
        : omega_(parameters.number("omega")),
          by_walltime_(parameters.choice("basis") == "walltime"),
          actual_(parameters.choice("estimates") == "actual"),
          queues_(parameters),
          priority_(parameters) {
        refuse_if(by_walltime_ && omega_ < 1, "parameter omega must be at least 1 with basis=walltime");
    }

    bool needs_run_times() const override { return actual_; }
    bool estimates_are_run_times() const override { return actual_; }

    bool looks_ahead(const SchedulerState& state) const override { return !state.counts_processors(); }
    void begin(Round& round) override {
        refuse_if(actual_ && !round.state().machine.windows().empty(),
                  "parameter estimates=actual: not for machines with windows");
    }

    void submitted(Round& round, JobIndex job) override {
        priority_.prepare(round.state().job(job), job, known_length(round.state(), job));
    }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        passed_over_.clear();
        if (queues_.are_several(state.machine)) {
            const std::vector<std::vector<JobIndex>> queues = queues_.of(state);
            std::vector<std::optional<Top>> tops;
            tops.reserve(queues.size());
            for (const std::vector<JobIndex>& queue : queues) {
                tops.push_back(decide(round, queue));
            }
            for (std::size_t i = 0; i < queues.size(); ++i) {
                explain(round, tops[i], queues[i]);
            }
            return;
        }
        const WaitingQueue& queue = state.waiting;
        if (round.explains() || state.next_allowed(0, state.most_for_one_job()) < queue.size()) {
            const std::optional<Top> top = decide(round, queue.jobs());
            explain(round, top, queue.jobs());
        }
    }

    bool understands_resources() const override { return true; }
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Relaxed>(*this); }

    std::vector<Statistic> statistics() const override { return {{"backfilled", backfilled_}}; }

 private:
    // The first that cannot start. It could at `start`, and backfilled jobs may run until `latest_end`. With an
    // infinite omega, nobody looks when it could.
    struct Top {
        JobIndex job;
        Time start = Time::infinity();
        Time latest_end = Time::infinity();
    };

    // Returns the top job, if there is one and somebody looks at it.
    std::optional<Top> decide(Round& round, std::span<const JobIndex> queue) {
        const SchedulerState& state = round.state();
        const std::optional<JobIndex> first = start_in_order(round, queue);
        if (!first || (omega_ <= 0 && !round.explains())) {
            return std::nullopt;
        }
        const Top top = top_of(state, *first);
        if (omega_ > 0) {
            backfill(round, queue, top);
        }
        return top;
    }

    // The run time of a job, as known at its submission. Priorities, and the factor of the top job's walltime, use it.
    Duration known_length(const SchedulerState& state, JobIndex job) const {
        const Duration walltime = state.job(job).walltime;
        return actual_ ? state.estimate(job) : walltime;
    }

    // Starts jobs until one does not fit, and returns that job.
    std::optional<JobIndex> start_in_order(Round& round, std::span<const JobIndex> queue) {
        const SchedulerState& state = round.state();
        priority_.compute(state.now);
        if (!round.explains() && !queues_.are_several(state.machine) && !(state.later && state.limits.is_on())) {
            const std::optional<JobIndex> top = start_by_search(round);
            if (!top || !state.later || !state.lacks_only_unplanned(*top)) {
                return top;
            }
            queue = state.waiting.jobs();
        }
        ranked_.clear();
        for (const JobIndex job : queue) {
            ranked_.add(job, priority_.of(job));
        }
        std::optional<JobIndex> top;
        ranked_.for_each_until([&](JobIndex job) {
            if (round.start_if_possible(job)) {
                return true;
            }
            if (state.lacks_only_unplanned(job)) {
                passed_over_.push_back(job);
            } else {
                top = job;
            }
            return !top;
        });
        return top;
    }

    // The same for the whole queue, up to a job that is passed over because a pool lacks. Nobody asks who is passed
    // over. Most rounds start one job or none, so each start costs a search. Returns none, too, if no processor is left
    // for others.
    std::optional<JobIndex> start_by_search(Round& round) {
        const SchedulerState& state = round.state();
        std::optional<Ranked> last;
        for (int most = 0; (most = state.most_for_one_job()) > 0;) {
            last = first_after(state, most, last);
            if (!last || !may_start(state, last->job) || !round.start_if_possible(last->job)) {
                return last ? std::optional(last->job) : std::nullopt;
            }
        }
        return std::nullopt;
    }

    struct Ranked {
        double priority;
        std::size_t position;  // when it waited
        JobIndex job;
    };
    // The first job that is not passed over, of those that go after `last`, which has started; else of all.
    std::optional<Ranked> first_after(const SchedulerState& state, int most, const std::optional<Ranked>& last) {
        std::optional<Ranked> first;
        state.for_each_not_passed_over(most, [&](std::size_t position) {
            const JobIndex job = state.waiting.job(position);
            const double priority = priority_.of(job);
            const bool is_better = !first || priority > first->priority;
            if (is_better &&
                (!last || priority < last->priority || (priority == last->priority && position >= last->position))) {
                first = {priority, position, job};
            }
        });
        return first;
    }

    // Of several queues, this one; else the jobs that still wait.
    void backfill(Round& round, std::span<const JobIndex> queue, const Top& top) {
        const SchedulerState& state = round.state();
        const WaitingQueue& waiting = state.waiting;
        const auto add = [&](JobIndex job, Duration length) {
            if (job != top.job && state.now + length <= top.latest_end && may_start(state, job)) {
                ranked_.add(job, priority_.of(job));
            }
        };
        ranked_.clear();
        if (queues_.are_several(state.machine)) {
            for (const JobIndex job : queue) {
                if (state.job(job).state == JobState::submitted) {
                    add(job, state.estimate(job));
                }
            }
        } else {
            const int most = state.most_for_one_job();
            for (std::size_t at = 0; (at = state.next_allowed(at, most)) < waiting.size(); ++at) {
                const JobIndex job = waiting.job(at);
                add(job, state.estimate_at(at));
            }
        }
        ranked_.for_each_until([&](JobIndex job) {
            backfilled_ += round.start_if_possible(job) ? 1U : 0U;
            return state.most_for_one_job() > 0;
        });
    }

    // False only for a job that cannot start in this round, whoever else does.
    static bool may_start(const SchedulerState& state, JobIndex job) {
        return !state.later || (state.has_of_pools(state.job(job).request) && state.later->has_hosts_now(state, job));
    }

    void explain(Round& round, const std::optional<Top>& top, std::span<const JobIndex> queue) const {
        const auto has = [](const auto& jobs, JobIndex job) { return std::ranges::find(jobs, job) != jobs.end(); };
        round.explain([&](JobIndex job) {
            return !has(queue, job)         ? Reason()
                   : has(passed_over_, job) ? Reason{.rule = Reason::Rule::passed_over}
                   : top                    ? reason(round, job, *top)
                                            : Reason();
        });
    }

    Reason reason(const Round& round, JobIndex job, const Top& top) const {
        const SchedulerState& state = round.state();
        Reason reason{.rule = job == top.job                             ? Reason::Rule::top
                              : !state.can_start_now(job) || omega_ <= 0 ? Reason::Rule::behind_top
                                                                         : Reason::Rule::too_late,
                      .job = job == top.job ? "" : round.name(top.job),
                      .start = top.start,
                      .all_wait = omega_ <= 0,
                      .latest_end = omega_ <= 0 ? Time::infinity() : top.latest_end};
        if (reason.rule == Reason::Rule::too_late) {
            reason.end = state.now + state.estimate(job);
        }
        return reason;
    }

    Top top_of(const SchedulerState& state, JobIndex job) {
        const Time start = std::isinf(omega_) ? Time::infinity() : time_of_start(state, job);
        if (start.is_infinite()) {
            return {job};
        }
        const Duration wait = start - state.now;
        return {
            job, start,
            state.now + (by_walltime_ ? wait + product(omega_ - 1, known_length(state, job)) : product(omega_, wait))};
    }

    // The earliest time at which the top job can run, judging by the known ends of the running jobs.
    static Time time_of_start(const SchedulerState& state, JobIndex top) {
        if (state.later) {
            return state.later->earliest(state, top);
        }
        return Reservation(state, top).shadow_time();
    }

    // The product in whole microseconds, rounded down. A product that differs from a whole number only in the last bits
    // of a double counts as that number.
    static Duration product(double factor, Duration duration) {
        const double exact = factor * static_cast<double>(duration.count());
        const double nearest = std::nearbyint(exact);
        const double microseconds = std::abs(exact - nearest) <= 1e-12 * nearest ? nearest : std::floor(exact);
        return microseconds < 1e24 ? Duration::microseconds(static_cast<Microseconds>(microseconds))
                                   : Duration::microseconds(static_cast<Microseconds>(1e24));
    }

    double omega_;
    bool by_walltime_;
    bool actual_;
    Queues queues_;
    Priority priority_;
    RankedJobs ranked_;
    std::vector<JobIndex> passed_over_;  // in this round, before the top jobs, if somebody asks
    std::uint64_t backfilled_ = 0;
};

const Registration registration({
    "relaxed",
    "relaxed backfilling: jobs may delay the first one by a factor of its expected wait",
    "Ward, Mahood, West, Scheduling jobs on parallel systems using a relaxed backfill strategy, JSSPP 2002, figure 2",
    joined({{Parameter::number("omega", "1", "how far the first job may be delayed, as a factor of its wait", 0, true),
             Parameter::choice("basis", {"wait", "walltime"}, "wait",
                               "omega is a factor of the time until the first job can start, or of its walltime"),
             Parameter::number("alpha", "1", "exponent of the wait in hours"),
             Parameter::number("beta", "-1", "exponent of the walltime in hours"),
             Parameter::number("gamma", "1", "exponent of the processors divided by 32"),
             Parameter::number("r", "10", "factor between the queues background, primary, challenge, urgent"),
             Parameter::seconds("priority-period", "0",
                                "priorities are computed at multiples of this; 0: in each round"),
             Parameter::choice("estimates", {"requested", "actual"}, "requested",
                               "estimated run times: walltimes, or the actual run times (simulate only)")
                 .used_with({"prediction=none"}),
             Availability::plan_pools(), Queues::parameter()},
            RunTimePredictor::parameters()}),
    [](const Parameters& parameters) { return std::make_unique<Relaxed>(parameters); },
});

}  // namespace

}  // namespace batfill
