#include <algorithm>
#include <iterator>
#include <utility>

#include <batfill/planning/delay.hpp>
#include <batfill/planning/plan_algorithm.hpp>

#include "src/planning/profile_event_counter.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

PlanAlgorithm::PlanAlgorithm(bool counts_events)
    : events_(counts_events ? std::make_unique<ProfileEventCounter>() : nullptr) {}

PlanAlgorithm::PlanAlgorithm(const Parameters& parameters, bool counts_events) : PlanAlgorithm(counts_events) {
    planned_pools_ = parameters.text("plan-pools");
}

PlanAlgorithm::PlanAlgorithm(const PlanAlgorithm&) = default;
PlanAlgorithm::~PlanAlgorithm() = default;

Parameter PlanAlgorithm::count_events() {
    return Parameter::boolean("count-events", "count the profile events that plain compressions would examine; slower");
}

void PlanAlgorithm::begin_round(const SchedulerState& state) {
    if (!has_plan_) {
        has_plan_ = true;
        plan_.reset(state, planned_pools_);
    }
    plan_.advance(state.now);
    to_place_.clear();
    if (!parked_.empty()) {
        to_place_.swap(parked_);
    }
    if (!happened_.empty()) {
        happened_.clear();
    }
}

bool PlanAlgorithm::is_parked(JobIndex job) const {
    const auto has_it = [=](const std::vector<JobIndex>& jobs) { return std::ranges::find(jobs, job) != jobs.end(); };
    return has_it(parked_) || has_it(to_place_);
}

void PlanAlgorithm::end_round(const SchedulerState& state) {
    // Started jobs have left the plan, so equal numbers mean equal sets.
    if (plan_.by_start().size() + parked_.size() == state.waiting.size()) {
        return;
    }
    for (const JobIndex job : state.waiting.jobs()) {
        if (!plan_.contains(job) && !is_parked(job)) {
            throw BrokenRule(job, "it waits and has no place in the plan, expected one for every waiting job");
        }
    }
    for (const JobIndex job : plan_.by_start()) {
        if (state.job(job).state != JobState::submitted) {
            throw BrokenRule(job, "it is in the plan, expected only jobs that wait");
        }
    }
}

void PlanAlgorithm::started(const SchedulerState&, JobIndex job) {
    if (plan_.contains(job)) {
        throw BrokenRule(job, "it has started and is still in the plan, expected that it leaves the plan before");
    }
}

std::optional<Time> PlanAlgorithm::guaranteed_start(const SchedulerState& state, JobIndex job) const {
    if (state.job(job).state == JobState::running) {
        return state.job(job).start;
    }
    if (is_parked(job)) {
        return std::nullopt;
    }
    if (!plan_.contains(job)) {
        throw BrokenRule(job, "it was submitted and has no place in the plan, expected one for every waiting job");
    }
    const Time planned = plan_.planned_start(job);
    return planned.is_infinite() ? std::nullopt : std::optional(planned);
}

Plan::Entry PlanAlgorithm::entry_of(const Round& round, JobIndex index) {
    const Job& job = round.state().job(index);
    return {index, job.walltime, job.submit(), &job.request};
}

Time PlanAlgorithm::place(const Round& round, JobIndex index, Time from) {
    note(round, Reason::Event::Kind::submitted, index);
    look_at_scarce_pools(round.state());
    return plan_.place(entry_of(round, index), from);
}

std::optional<Time> PlanAlgorithm::start_if_placed(const Job& job, Time now) const {
    if (!has_plan_) {
        return now;  // nothing has happened yet, so the whole machine is free
    }
    if (!parked_.empty()) {
        return std::nullopt;
    }
    const Time start = plan_.earliest({0, job.walltime, job.submit(), &job.request}, now);
    return start.is_infinite() ? std::nullopt : std::optional(start);
}

bool PlanAlgorithm::start_if_idle(Round& round, JobIndex job) {
    const SchedulerState& state = round.state();
    if (!state.can_start_in(state.job(job).request, plan_.place_held(job))) {
        return false;
    }
    round.start(job, plan_.start(job));
    return true;
}

void PlanAlgorithm::replan(const Round& round, NotBefore not_before) {
    note(round,
         not_before == NotBefore::now ? Reason::Event::Kind::machine_changed : Reason::Event::Kind::could_not_start);
    const SchedulerState& state = round.state();
    const std::vector<JobIndex> order = plan_.by_start();
    std::vector<Time> starts;
    for (const JobIndex job : order) {
        const Time planned = plan_.planned_start(job);
        starts.push_back(not_before == NotBefore::planned_start && !planned.is_infinite() ? planned : round.now());
    }
    plan_.reset(state, planned_pools_);
    for (std::size_t i = 0; i < order.size(); ++i) {
        place(round, order[i], starts[i]);
        plan_.look_again_at(order[i]);
    }
}

bool PlanAlgorithm::give_back(const Round& round, std::span<const Completion> completions) {
    bool early = false;
    for (const Completion& completion : completions) {
        if (completion.expected_end > round.now()) {
            early = true;
            note(round, Reason::Event::Kind::ended_early, completion.job);
            plan_.give_back(round.state(), completion);
        }
    }
    begin_planning(round);
    return early;
}

void PlanAlgorithm::completed(Round& round, std::span<const Completion> completions) {
    if (give_back(round, completions)) {
        compress(round);
    }
}

void PlanAlgorithm::place_parked(const Round& round) {
    std::vector<JobIndex> jobs = std::exchange(to_place_, {});
    std::ranges::sort(jobs, [&](JobIndex a, JobIndex b) { return round.state().jobs.submitted_before(a, b); });
    for (const JobIndex job : jobs) {
        plan_.place(entry_of(round, job), round.now());
        unparked(round, job);
    }
}

void PlanAlgorithm::begin_planning(const Round& round) {
    const bool is_window_new = plan_.learn_windows(round.now());
    if (!to_place_.empty()) {
        place_parked(round);
    }
    look_at_scarce_pools(round.state());
    if (is_window_new) {
        plan_.make_room();
        note(round, Reason::Event::Kind::window_announced);
    }
}

// Whether only a pool that is not planned keeps a due job from starting.
bool PlanAlgorithm::is_due_but_lacks_pool(const SchedulerState& state, JobIndex job) const {
    const Request& request = state.job(job).request;
    const Place& place = plan_.place_held(job);
    return !state.has_of_pools(request, place.window) && state.has_processors_in(request, place);
}

// Parks those of the due jobs that only such a pool keeps from starting. The others then move into their places.
// Returns whether there was one.
bool PlanAlgorithm::park(Round& round, std::span<const JobIndex> due) {
    const SchedulerState& state = round.state();
    std::vector<JobIndex> lacking;
    std::ranges::copy_if(due, std::back_inserter(lacking), [&](JobIndex job) {
        return state.job(job).state == JobState::submitted && is_due_but_lacks_pool(state, job);
    });
    for (const JobIndex job : lacking) {
        plan_.remove(job);
        parked(round, job);
        round.end_promise(job);
        note(round, Reason::Event::Kind::parked, job);
        explained_.erase(job);
    }
    parked_.insert(parked_.end(), lacking.begin(), lacking.end());
    if (!lacking.empty()) {
        compress_beside_parked(round);
    }
    return !lacking.empty();
}

void PlanAlgorithm::sort_due(const SchedulerState& state, std::vector<JobIndex>& due) {
    const JobTable* const by_id = state.jobs.ordered_by_id();
    if (by_id == nullptr) {
        return;
    }
    std::ranges::sort(due, [&](JobIndex a, JobIndex b) {
        const Time start_of_a = plan_.planned_start(a);
        const Time start_of_b = plan_.planned_start(b);
        return start_of_a != start_of_b ? start_of_a < start_of_b : by_id->submitted_before(a, b);
    });
}

bool PlanAlgorithm::place_anew(JobIndex job) {
    const Time before = plan_.planned_start(job);
    plan_.cancel({&job, 1});
    plan_.place_again(job);
    return plan_.planned_start(job) != before;
}

void PlanAlgorithm::decide(Round& round) {
    const SchedulerState& state = round.state();
    begin_planning(round);
    // A late job may end too late for a window before which it was planned: it has to be placed behind that.
    const auto would_run_into_window = [&](JobIndex job) {
        using PoolsAhead = SchedulerState::PoolsAhead;
        const Request& request = state.job(job).request;
        return state.can_start_in(request, plan_.place_held(job)) &&
               state.window_ahead(
                   job, plan_.place_held(job),
                   plan_.timeline().takes_of_planned_pools(request) ? PoolsAhead::looked_at : PoolsAhead::ignored);
    };
    bool late;
    do {
        late = false;
        const std::vector<JobIndex>& by_start = plan_.by_start();
        due_.assign(by_start.begin(), std::ranges::find_if(by_start, [&](JobIndex job) {
                        return plan_.planned_start(job) > round.now();
                    }));
        if (due_.empty()) {
            break;
        }
        sort_due(state, due_);
        for (const JobIndex job : due_) {
            const bool behind = plan_.planned_start(job) < round.now();
            const bool leaves_place = (behind && would_run_into_window(job)) || start_if_idle(round, job);
            late |= behind && leaves_place;
        }
        if (late) {
            replan(round, NotBefore::planned_start);
        }
        late |= park(round, due_);
    } while (late);
    round.explain([&](JobIndex job) {
        return plan_.contains(job) ? reason(round, job)
                                   : Reason{.rule = is_parked(job) ? Reason::Rule::parked : Reason::Rule::none};
    });
}

// The planned start of a job, what moved it, and the planned job that keeps it from starting now.
Reason PlanAlgorithm::reason(const Round& round, JobIndex job) {
    const auto [known, is_new] = explained_.try_emplace(job);
    Reason& last = known->second;
    Reason reason{.rule = kind_of_place(job), .start = plan_.planned_start(job), .moves = last.moves};
    if (!is_new && last.start != reason.start) {
        reason.moves = {reason.moves.number + 1, last.start, round.now(), what_happened()};
    }
    last = reason;
    reason.has_passed = reason.start < round.now();
    reason.never = Availability::never(round.state(), job);
    reason.hosts = plan_.place_held(job).hosts;
    add_delay(round, job, reason);
    return reason;
}

// The planned job that would start later if this one started now, if there is one.
void PlanAlgorithm::add_delay(const Round& round, JobIndex job, Reason& reason) const {
    const SchedulerState& state = round.state();
    const Duration walltime = state.job(job).walltime;
    if (reason.start <= state.now || !state.can_start(state.job(job).request)) {
        return;
    }
    std::vector<LaterJob> planned;
    for (const auto& [one, start, place] : plan_.places()) {
        if (start < state.now + walltime) {
            planned.push_back({one, start, start + state.job(one).walltime, place});
        }
    }
    const Delay delay = find_delay(state, job, walltime, planned, plan_.timeline());
    if (delay.of != nullptr) {
        reason.job = round.name(delay.of->job);
        reason.delayed_start = delay.of->start;
        reason.shortage = delay.shortage;
    }
}

void PlanAlgorithm::note(const Round& round, Reason::Event::Kind kind, std::optional<JobIndex> job) {
    if (round.explains()) {
        Reason::Event& event = happened_[kind];
        event.kind = kind;
        event.jobs += job ? 1U : 0U;
        event.job = event.jobs == 1 ? round.name(*job) : "";
    }
}

// The events of this round that may have moved planned starts. A new plan is enough.
std::vector<Reason::Event> PlanAlgorithm::what_happened() const {
    if (!happened_.empty() && happened_.rbegin()->first >= Reason::Event::Kind::machine_changed) {
        return {happened_.rbegin()->second};
    }
    return mapped(happened_, [](const auto& one) { return one.second; });
}

void PlanAlgorithm::count_compression(const Round& round, std::span<const JobIndex> jobs, Scan scan, Time than,
                                      std::optional<JobIndex> until) {
    if (events_) {
        events_->count(plan_, round.state(), jobs, than, scan, until);
    }
}

std::vector<Statistic> PlanAlgorithm::counts(std::vector<Statistic> more) const {
    more.insert(more.begin(), {{"compressions", compressions_}, {"moves", moves_}});
    if (events_) {
        const ProfileEventCounter::Counts& counts = events_->counts();
        more.push_back({"profile_events", counts.instants});
        more.push_back({"profile_starts_and_ends", counts.starts_and_ends});
        if (counts.placed_anew) {
            more.push_back({"profile_starts_and_ends_anew", *counts.placed_anew});
        }
    }
    return more;
}

}  // namespace batfill
