#include "src/engine/engine_core.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>
#include <variant>

#include <batfill/core/error.hpp>

#include "src/engine/foreign_code.hpp"
#include "src/support/json.hpp"
#include "src/support/overloaded.hpp"
#include "src/support/place_in_errors.hpp"

namespace batfill {

// Calls the algorithm. Turns a broken rule into a DecisionError, too.
template <class Call>
decltype(auto) EngineCore::call_algorithm(Call call) const {
    return call_foreign_code(choice_.algorithm(), [&]() -> decltype(auto) {
        try {
            return call();
        } catch (const BrokenRule& broken) {
            fail(broken.job(), broken.what());
        }
    });
}

EngineCore::EngineCore(const SchedulerChoice& choice)
    : choice_(choice),
      failures_(choice.common()),
      predictor_(RunTimePredictor::from(choice.description().parameters, choice.parameters())),
      algorithm_(choice.make_algorithm()) {
    state_.placement = choice.common().placement;
}

void EngineCore::begin(Time now, Machine machine, bool acknowledges_jobs, JobNumber first_free) {
    assert(state_.jobs.empty());
    numbers_.begin(first_free);
    registration_.begin(acknowledges_jobs);
    news_.is_beginning = algorithm_->registers_jobs();
    state_.now = now;
    state_.machine = std::move(machine);
    if (state_.placement == Placement::machine) {
        state_.machine.require_groups();
    }
    state_.machine.require_resources();
    begin_resources();
    if (algorithm_->switches_processors()) {
        state_.machine.require_sleep_states();
    }
    state_.processors = state_.machine.processors();
    state_.idle.reset(state_.machine, state_.placement, ResourceSet::range(0, state_.processors - 1));
    state_.copies_left = mapped(state_.machine.licenses(), &Machine::License::copies);
    last_round_ = now;
    windows_.begin(state_);
    begin_availability();
    make_scarce([this](std::size_t pool) {
        return explains() || state_.hosts.are_named() || state_.placement == Placement::contiguous ||
               std::ranges::any_of(state_.machine.windows(), [=](const Window& one) { return one.names_pool(pool); });
    });
    Round round(*this);
    call_algorithm([&] { algorithm_->begin(round); });
}

// What is free of pools and on named hosts.
void EngineCore::begin_resources() {
    if (state_.machine.is_plain()) {
        return;
    }
    const Resources& resources = state_.machine.resources();
    const char* const what = ": not for machines with pools, capacities, partitions, windows or limits";
    refuse_if(!call_algorithm([&] { return algorithm_->understands_resources(); }), "algorithm ", choice_.algorithm(),
              what, ": it does not declare understands_resources()");
    refuse_if(state_.placement == Placement::machine, "parameter placement=machine", what);
    refuse_if(predictor_ != nullptr, "parameter prediction", what);
    state_.pools_left = mapped(resources.pools(), &Resources::Pool::total);
    state_.windows = WindowsNow(state_.machine);
    state_.limits = LimitsNow(state_.machine);
    if (!resources.has_named_hosts()) {
        return;
    }
    const bool is_given =
        std::ranges::find(choice_.parameters().given(), "placement", &Parameters::Given::value_type::first) !=
        choice_.parameters().given().end();
    state_.placement = is_given ? state_.placement : Placement::snug;
    refuse_if(state_.placement == Placement::contiguous || state_.placement == Placement::best_effort_contiguous,
              "parameter placement=", to_string(state_.placement),
              ": hosts have names (capacities, partitions or windows), expected snug, lowest or fullest");
    state_.hosts = HostsNow(state_.machine);
}

void EngineCore::begin_availability() {
    if (state_.machine.is_plain()) {
        return;
    }
    const Parameters& parameters = choice_.parameters();
    const std::string plan_pools = parameters.knows("plan-pools") ? parameters.text("plan-pools") : "all";
    Availability::planned(state_.machine.resources(), plan_pools);  // refuses a pool that does not exist
    if (!state_.later && call_algorithm([&] { return algorithm_->looks_ahead(state_); })) {
        state_.later = std::make_unique<Availability>(state_.machine, state_.now, plan_pools);
    }
    if (state_.later) {
        state_.later->reset(state_);
    }
}

// These pools are scarce from now on.
template <class IsScarce>
void EngineCore::make_scarce(IsScarce is_scarce) {
    std::vector<std::size_t>& scarce = state_.scarce_pools;
    const std::size_t before = scarce.size();
    for (std::size_t pool = 0; pool < state_.pools_left.size(); ++pool) {
        const auto at = std::ranges::lower_bound(scarce, pool);
        if ((at == scarce.end() || *at != pool) && is_scarce(pool)) {
            scarce.insert(at, pool);
        }
    }
    if (scarce.size() != before) {
        begin_availability();
    }
}

// Those of which a new job takes more than the share of its processors.
void EngineCore::find_scarce_pools(const Request& request) {
    make_scarce([&](std::size_t pool) {
        const Amount share = state_.machine.resources().pools()[pool].total / state_.processors;
        return request.of_pool(pool) > share * request.processors;
    });
}

void EngineCore::explain(const std::vector<std::string>& ids, const std::string& prefix) {
    wait_reasons_ = WaitReasons({ids.begin(), ids.end()}, prefix);
    make_scarce([this](std::size_t) { return explains(); });
}

std::unique_ptr<EngineCore> EngineCore::copy() const {
    std::unique_ptr<EngineCore> copy(new EngineCore(*this));
    return copy->algorithm_ ? std::move(copy) : nullptr;
}

// Whatever else could change the plan before the job has its place, only a round knows.
std::optional<Time> EngineCore::start_in_plan(Time now, const JobDescription& description) const {
    if (!choice_.gives_guarantees() || predictor_ || !state_.machine.windows().empty() || !state_.pools_left.empty() ||
        state_.limits.is_on() || description.needs || is_any_held()) {
        return std::nullopt;
    }
    Job job;
    describe(job, SharedJobDescription::kept_elsewhere(description));
    return call_algorithm([&] {
        auto resolved = resolve(JobNumber(), description);
        auto* const request = std::get_if<Request>(&resolved);
        if (request == nullptr) {
            return std::optional(Time::infinity());
        }
        job.request = std::move(*request);
        return algorithm_->start_in_plan(job, now);
    });
}

void EngineCore::arrive(Time now) {
    refuse_if<std::logic_error>(now < state_.now, "the clock of a scheduler does not go back");
    state_.now = now;
    if (news_.completions.empty()) {  // else their round is still to come
        state_.jobs.forget_ended();
    }
    windows_.pass(state_, now - Duration::microseconds(1));
    if (predictor_ && predictor_->corrects_at_expiry()) {
        predictor_->correct(state_, now);
    }
    while (!calls_.empty() && *calls_.begin() <= now) {
        calls_.erase(calls_.begin());
    }
}

void EngineCore::take_in(Event&& event) {
    std::visit(Overloaded{[this](JobSubmitted& submission) {
                              if (const auto known = numbers_.find(submission.job)) {
                                  acknowledged(*known, submission);
                              } else if (dependencies_ && dependencies_->has_turn(submission)) {
                                  take_turn(std::move(submission));
                              } else {
                                  news_.submissions.push_back(add_submitted(std::move(submission)));
                              }
                          },
                          [this](const JobCompleted& completion) { completed(completion.job, completion.state); },
                          [this](const JobsKilled& kill) { killed(kill); },
                          [this](const MachineChanged& change) { machine_changed(change); },
                          [this](const ResourceStateChanged& change) { resource_state_changed(change); },
                          [](const RequestedCall&) {},  // the following round suffices
                          [this](const Notification& notification) {
                              if (notification.type == NotificationType::no_more_static_job_to_submit) {
                                  registration_.all_submitted();
                              }
                          }},
               event.data);
}

JobIndex EngineCore::add_submitted(JobSubmitted&& submission) {
    Job& job = add_job(submission.job, std::move(submission.description));
    job.may_outlive_walltime = submission.may_outlive_walltime && !job.walltime_assumed;
    if (choice_.needs_run_times()) {
        refuse_if<InputError>(
            !submission.run_time, "job ", [&] { return shown(job.description().id); },
            ": its run time is unknown before it ends, and algorithm ", choice_.algorithm(),
            " with these parameters needs it");
        state_.run_times.push_back(*submission.run_time);
    }
    return static_cast<JobIndex>(state_.jobs.size() - 1);
}

Job& EngineCore::add_job(JobNumber number, SharedJobDescription description) {
    numbers_.add(number);
    Job& job = state_.jobs.emplace_back();
    describe(job, std::move(description));
    return job;
}

std::optional<Duration> EngineCore::assumed_walltime(const JobDescription& job) const {
    const std::optional<Duration> by_default = choice_.common().default_walltime;
    return by_default ? by_default : algorithm_->assumed_walltime(job);
}

void EngineCore::describe(Job& job, SharedJobDescription description) const {
    job.shared_description = std::move(description);
    if (job.description().walltime) {
        job.walltime = *job.description().walltime + choice_.common().walltime_margin;
    } else if (const std::optional<Duration> assumed = assumed_walltime(job.description())) {
        job.walltime = *assumed;
        job.walltime_assumed = true;
    }
}

bool EngineCore::is_running(std::optional<JobIndex> index) const {
    return index && state_.jobs.has(*index) && state_.jobs[*index].state == JobState::running;
}

bool EngineCore::is_waiting(std::optional<JobIndex> index) const {
    return index && state_.jobs.has(*index) && state_.jobs[*index].state == JobState::submitted &&
           !registration_.is_unacknowledged(*index);
}

void EngineCore::completed(JobNumber number, JobState state) {
    const std::optional<JobIndex> known = numbers_.find(number);
    refuse_if<std::logic_error>(!(is_running(known) || is_waiting(known)) || !has_completed(state),
                                "only a running or waiting job can end, and only with a state that is an end");
    const JobIndex index = *known;
    if (is_waiting(index)) {
        state_.jobs[index].state = state;
        state_.jobs[index].start = Time::infinity();
        news_.ended_waiting.push_back(index);
        state_.limits.leave(state_.jobs[index].request);
        if (dependencies_) {
            dependencies_->ended(number, state, state_.now);
        }
        return;
    }
    Job& job = state_.jobs[index];
    const auto at = std::lower_bound(state_.running.begin(), state_.running.end(),
                                     RunningJob{state_.estimated_end(index), index, 0});
    news_.completions.push_back({index, at->end, at->processors, {}, state_.windows.window_of(index)});
    state_.running.erase(at);
    if (predictor_) {
        predictor_->ended(index, job, state, state_.now);
    }
    if (!failures_.ended(state_, index, state, windows_.ended(index, state)) && dependencies_) {
        dependencies_->ended(number, state, state_.now);
    }
    job.state = state;
    if (job.request.details || state_.hosts.are_named()) {
        give_resources(job);
        state_.limits.give(job.request);
        state_.limits.leave(job.request);
    }
    if (const std::optional<std::size_t> window = news_.completions.back().window) {
        state_.windows.leave(*window, index, job.allocation, job.request.pools());
        if (state_.machine.windows()[*window].names_processors()) {
            job.allocation = {};  // the window keeps its processors
        }
    }
    job.allocation.remove(state_.unavailable);
    state_.idle.insert(state_.windows.take_of(std::move(job.allocation)));
    job.allocation = {};
    for (const LicenseIndex license : job.request.licenses()) {
        ++state_.copies_left[license];
    }
    if (job.walltime_assumed) {
        std::erase(to_be_stopped_, index);
    }
}

// Returns what an ended job held of pools and hosts. Leaves the hosts that nobody uses now as its allocation.
void EngineCore::give_resources(Job& job) {
    if (job.request.details) {
        change_pools(job.request, news_.completions.back().window, 1);
    }
    if (state_.hosts.are_named()) {
        news_.completions.back().hosts = job.allocation;
        job.allocation = state_.hosts.give(job.request, job.allocation);
    }
}

// Batsim 4 has already reported the end of a killed job, with JOB_COMPLETED. Its documentation says otherwise.
void EngineCore::killed(const JobsKilled& killed) {
    for (const JobNumber number : killed.jobs) {
        if (is_running(numbers_.find(number))) {
            completed(number, JobState::completed_killed);
        }
    }
}

void EngineCore::machine_changed(const MachineChanged& change) {
    refuse_if(!choice_.description().takes_event_files, "algorithm ", choice_.algorithm(),
              ": it does not know external events, expected that no processor is lost or comes back");
    const ResourceSet known = change.processors.intersection(ResourceSet::range(0, state_.processors - 1));
    if (change.available) {
        state_.unavailable.remove(known);
    } else {
        ResourceSet lost = known;
        lost.remove(state_.unavailable);
        failures_.lost(lost);
        state_.unavailable.insert(known);
    }
    ResourceSet idle = ResourceSet::range(0, state_.processors - 1);
    for (const ResourceSet* others : {&state_.unavailable, &state_.asleep, &state_.falling_asleep, &state_.waking}) {
        idle.remove(*others);
    }
    idle.remove(state_.windows.closed());
    for (RunningJob& running : state_.running) {
        const Job& job = state_.jobs[running.job];
        running.processors = job.processors() - job.allocation.count_common(state_.unavailable);
        idle.remove(job.allocation);
    }
    state_.idle.reset(state_.machine, state_.placement, state_.windows.take_of(std::move(idle)));
    WindowRounds::close_hosts(state_);
    news_.machine_changed = true;
}

std::variant<Request, RejectJob> EngineCore::resolve(JobNumber number, const JobDescription& job) const {
    const auto refused = [number](std::string reason, RejectionCause cause = RejectionCause::other) {
        return RejectJob{number, std::move(reason), cause};
    };
    const bool may_be_booked = job.needs && state_.machine.has_bookings();
    if (may_be_booked && job.needs->wrong_booking) {
        with_place_in_errors("job " + shown(job.id), [&] { require_booking(*job.needs); });
    }
    const std::optional<StatedNeeds> stated = algorithm_->stated(job);
    auto resolved = stated ? state_.machine.resolve(job, state_.placement, &*stated)
                           : state_.machine.resolve(job, state_.placement);
    if (auto* const reason = std::get_if<std::string>(&resolved)) {
        return refused(std::move(*reason));
    }
    const Request& request = std::get<Request>(resolved);
    if (auto reason = state_.machine.reason_to_refuse(request)) {
        return refused(*std::move(reason), request.processors > state_.processors ? RejectionCause::too_wide_for_machine
                                                                                  : RejectionCause::other);
    }
    if (!job.walltime && !assumed_walltime(job)) {
        return refused("has no walltime, and no default-walltime is set", RejectionCause::no_walltime);
    }
    if (job.walltime && *job.walltime <= Duration()) {
        return refused("has a walltime of 0");
    }
    if (auto reason = failures_.reason_to_reject(state_, request)) {
        return refused(*std::move(reason));
    }
    if (may_be_booked) {
        resolved = with_windows(job, request);
        if (auto* const reason = std::get_if<std::string>(&resolved)) {
            return refused(std::move(*reason));
        }
    }
    if (state_.limits.is_on()) {
        if (auto reason = state_.limits.reason_to_refuse(job, std::get<Request>(resolved))) {
            return refused(*std::move(reason));
        }
    }
    if (auto reason = algorithm_->refuse(job)) {
        return refused(*std::move(reason));
    }
    return std::get<Request>(std::move(resolved));
}

std::variant<Request, std::string> EngineCore::with_windows(const JobDescription& job, Request request) const {
    const Duration walltime = job.walltime ? *job.walltime : assumed_walltime(job).value_or(Duration());
    return state_.machine.with_windows(std::move(request), *job.needs, walltime, state_.now);
}

void EngineCore::admit(Round& round, JobIndex index) {
    Job& job = state_.jobs[index];
    registration_.admitted(index);
    auto resolved = resolve(numbers_[index], job.description());
    if (auto* const rejection = std::get_if<RejectJob>(&resolved)) {
        job.request = {job.description().processors, state_.placement};
        reject(index, std::move(*rejection));
        return algorithm_->rejected(state_, index);
    }
    job.request = std::get<Request>(std::move(resolved));
    if (state_.limits.is_on()) {
        job.request = state_.limits.enter(job.description(), std::move(job.request));
    }
    if (job.request.details) {
        find_scarce_pools(job.request);
    }
    if (predictor_ || algorithm_->estimates_are_run_times()) {
        state_.predictions.resize(state_.jobs.size());
        state_.predictions[index] = predictor_ ? predictor_->predict(state_, index) : state_.run_time(index);
    }
    state_.waiting.insert(index, state_.jobs, &state_.limits);
    wait_reasons_.submitted(index, job.description().id);
    algorithm_->submitted(round, index);
    if (choice_.gives_guarantees()) {
        guarantees_.give(job, index, algorithm_->guaranteed_start(state_, index).value_or(Time::infinity()));
    }
    fail_if(job.guaranteed_start < state_.now, index, "it was guaranteed a start at ", job.guaranteed_start,
            ", expected one that is still to come");
}

void EngineCore::reject(JobIndex index, RejectJob&& rejection) {
    state_.jobs[index].state = JobState::rejected;
    wait_reasons_.rejected(state_, index, rejection.reason);
    if (dependencies_) {
        dependencies_->ended(rejection.job, JobState::rejected, state_.now);
    }
    decisions_.emplace_back(std::move(rejection));
}

void EngineCore::take_turn(JobSubmitted&& submission) {
    if (Dependencies::has_conditions(submission)) {
        algorithm_->require_dependencies();
    }
    numbers_.keep(submission.job);
    dependencies_->take(std::move(submission));
}

void EngineCore::admit(JobSubmitted&& job) {
    Round round(*this);
    admit(round, add_submitted(std::move(job)));
}

void EngineCore::hold(const JobSubmitted& job) {
    wait_reasons_.held(job.job, *job.description);
}

std::optional<RejectJob> EngineCore::refused(const JobSubmitted& job) const {
    auto resolved = resolve(job.job, *job.description);
    auto* const rejection = std::get_if<RejectJob>(&resolved);
    return rejection != nullptr ? std::optional(std::move(*rejection)) : std::nullopt;
}

void EngineCore::reject(JobSubmitted&& job, RejectJob&& rejection) {
    const JobIndex index = add_submitted(std::move(job));
    registration_.admitted(index);
    reject(index, std::move(rejection));
}

std::vector<Decision>& EngineCore::decide() {
    decisions_.clear();
    if (const std::vector<JobIndex> killed = windows_.to_be_killed(state_); !killed.empty()) {
        decisions_.emplace_back(KillJobs{numbers_of(killed)});
    }
    if (windows_.awaits_ends()) {
        return decisions_;
    }
    windows_.pass(state_, state_.now);
    if (failures_.has_requeued()) {
        requeue_killed_jobs();
    }
    const std::vector<JobIndex> failed = failures_.to_be_killed(state_);
    const bool changed =
        !news_.empty() || windows_.is_due(state_) || (dependencies_ && dependencies_->is_due(state_.now));
    call_algorithm([&] {
        if (changed || algorithm_->next_wake(last_round_) <= state_.now ||
            (predictor_ && predictor_->next_expiry() <= state_.now)) {
            run_round();
        }
    });
    stop_overlong_jobs();
    // Once all jobs were submitted and nothing will happen any more, jobs may still be held.
    if (is_any_held() && registration_.are_all_submitted() && !is_any_present() && !algorithm_->registers_jobs() &&
        dependencies_->next_instant().is_infinite()) {
        dependencies_->reject_hopeless(*this);
    }
    if (algorithm_->follows_conditions()) {
        reject_all_that_wait();
    }
    if (!failed.empty()) {
        decisions_.emplace_back(KillJobs{numbers_of(failed)});
    }
    if (registers_jobs() && !algorithm_->registers_jobs()) {
        finish_registration();
    }
    return decisions_;
}

void EngineCore::follow_dependencies(FindJob find) {
    if (!algorithm_->follows_conditions()) {
        dependencies_ = std::make_unique<Dependencies>(std::move(find));
    }
}

std::optional<Time> EngineCore::eligible_since(JobNumber job) const {
    if (dependencies_) {
        return dependencies_->eligible_since(job);
    }
    const auto found = eligible_since_.find(job);
    return found != eligible_since_.end() ? std::optional(found->second) : std::nullopt;
}

// Once nothing will happen any more, jobs may still wait for others.
void EngineCore::reject_all_that_wait() {
    const auto waits_for_others = [&](JobIndex index) {
        const Shared<StatedNeeds>& needs = state_.jobs[index].description().needs;
        return needs && !needs->after.empty();
    };
    if (state_.waiting.empty() || !state_.running.empty() || !registration_.are_all_submitted() ||
        !algorithm_->next_wake(state_.now).is_infinite() || !state_.windows.next_round(state_.now).is_infinite() ||
        !std::ranges::all_of(state_.waiting.jobs(), waits_for_others)) {
        return;
    }
    const std::vector<JobIndex> waiting(state_.waiting.jobs().begin(), state_.waiting.jobs().end());
    for (const JobIndex index : waiting) {
        std::string awaited;
        for (const Dependency& one : state_.jobs[index].description().needs->after) {
            awaited += (awaited.empty() ? "" : ", ") + one.to_string();
        }
        reject_waiting(index, "waits for " + awaited + ", which will never happen");
        algorithm_->withdrawn(state_, index);
    }
}

void EngineCore::leave_queue(JobIndex index) {
    state_.waiting.remove(index, state_.jobs);
    if (state_.later) {
        state_.later->left_queue(index);
    }
}

// `reason`: why a waiting job is rejected, as a predicate; none if it is not.
template <class Reason>
void EngineCore::reject_waiting(GuaranteeBreakCause cause, const std::string& window, Reason reason) {
    const std::vector<JobIndex> waiting(state_.waiting.jobs().begin(), state_.waiting.jobs().end());
    for (const JobIndex index : waiting) {
        if (std::optional<std::string> found = reason(state_.jobs[index])) {
            break_guarantee(index, Time::infinity(), cause, window);
            reject_waiting(index, *std::move(found));
            algorithm_->withdrawn(state_, index);
        }
    }
}

void EngineCore::run_round() {
    if (state_.now >= records_state_from_) {
        recorded_state_ = to_string(state_);
        records_state_from_ = Time::infinity();
    }
    windows_.begin_round(state_);
    Round round(*this);
    if (predictor_) {
        predictor_->correct(state_, state_.now + Duration::microseconds(1));
    }
    if (state_.later) {
        state_.later->begin_round(state_);
    }
    algorithm_->begin_round(state_);
    const bool is_end_of_window = windows_.is_due(state_) && !state_.windows.ending(state_.now).empty();
    if (is_end_of_window && state_.machine.has_bookings()) {
        reject_over_bookings();
    }
    withdraw_ended_jobs();
    if (state_.later) {
        news_.machine_changed ? state_.later->reset(state_) : state_.later->ended(state_, news_.completions);
    }
    if (news_.machine_changed) {
        reject_waiting(GuaranteeBreakCause::loss, {},
                       [this](const Job& job) { return failures_.reason_to_reject(state_, job.request); });
        algorithm_->machine_changed(round, news_.completions);
    } else if (!news_.completions.empty()) {
        algorithm_->completed(round, news_.completions);
    } else if (is_end_of_window) {
        algorithm_->window_ended(round);
    }
    if (!news_.ended_waiting.empty() && !news_.machine_changed) {
        algorithm_->waiting_jobs_ended(round);
    }
    if (predictor_ && predictor_->take_expired()) {
        algorithm_->predictions_expired(round);
    }
    for (const JobIndex job : news_.submissions) {
        admit(round, job);
    }
    if (dependencies_) {
        dependencies_->take_turns(*this, state_.now);
    }
    do {
        is_deciding_ = true;
        algorithm_->decide(round);
        is_deciding_ = false;
    } while (dependencies_ && dependencies_->admit_eligible_after_starts(*this, state_.now));
    algorithm_->end_round(state_);
    wait_reasons_.end_round(state_, dependencies_.get());
    if (news_.machine_changed) {
        note_broken_guarantees(GuaranteeBreakCause::loss);
    }
    if (!windows_.announced().empty()) {
        note_broken_guarantees(GuaranteeBreakCause::window, windows_.announced());
    }
    windows_.end_round(state_.now);
    if (records_outlived_estimates_) {
        note_broken_guarantees(GuaranteeBreakCause::estimate);
    }
    news_.clear();
    last_round_ = state_.now;
    ask_for_wake();
}

void EngineCore::ask_for_wake() {
    if (dependencies_ && !dependencies_->next_instant().is_infinite()) {
        call_at(dependencies_->next_instant());
    }
    // Nobody starts or is killed in a window as long as nobody is there.
    if (const Time next = state_.windows.next_round(state_.now);
        !next.is_infinite() && (is_any_present() || is_any_held())) {
        call_at(next);
    }
    const Time expiry = predictor_ ? predictor_->find_next_expiry(state_) : Time::infinity();
    const Time wake = std::min(algorithm_->next_wake(state_.now), expiry);
    if (wake.is_infinite()) {
        return;
    }
    if (wake <= state_.now) {
        fail("it wants to be woken at " + wake.to_string() + ", expected a later time");
    }
    // A job may outlive its prediction, or its limit. Then nothing is reported at that time.
    const bool a_job_ends_then = !predictor_ && choice_.run_limits().are_none() &&
                                 std::ranges::binary_search(state_.running, wake, {}, &RunningJob::end);
    if (!a_job_ends_then) {
        call_at(wake);
    }
}

// Requires: `time` is in the future. Two requests for the same time send one call.
void EngineCore::call_at(Time time) {
    assert(time > state_.now);
    if (calls_.insert(time).second) {
        decisions_.emplace_back(CallMeLater{time});
    }
}

// When a running job with an assumed walltime is to be killed.
Time EngineCore::stop_of(const Job& job) const {
    const RunLimits& limits = choice_.run_limits();
    return limits.are_none() ? job.expected_end() : limits.stop(job.start, job.walltime);
}

void EngineCore::stop_overlong_jobs() {
    for (const JobIndex index : to_be_stopped_) {
        if (stop_of(state_.jobs[index]) <= state_.now) {
            kill(index);
        }
    }
}

// A job that ended in the message of its submission is not in the queue yet.
void EngineCore::withdraw_ended_jobs() {
    for (const JobIndex index : news_.ended_waiting) {
        if (std::erase(news_.submissions, index) == 0) {
            leave_queue(index);
            wait_reasons_.withdrawn(index);
            algorithm_->withdrawn(state_, index);
        }
    }
}

// At the end of a window: waiting jobs of its bookings that no window can hold any more.
void EngineCore::reject_over_bookings() {
    const std::vector<std::size_t> ending = state_.windows.ending(state_.now);
    const std::vector<Window>& windows = state_.machine.windows();
    reject_waiting(GuaranteeBreakCause::window, windows[ending.front()].name, [&](const Job& job) {
        const Shared<StatedNeeds>& needs = job.description().needs;
        const bool is_for_one = needs && needs->booking && std::ranges::any_of(ending, [&](std::size_t window) {
                                    return windows[window].is_for(*needs->booking);
                                });
        const auto inside = is_for_one ? with_windows(job.description(), job.request) : Request();
        const auto* const reason = std::get_if<std::string>(&inside);
        return reason != nullptr ? std::optional(*reason + ": the reservation is over") : std::nullopt;
    });
}

void EngineCore::note_broken_guarantees(GuaranteeBreakCause cause, const std::string& window) {
    for (const JobIndex index : state_.waiting.jobs()) {
        if (!state_.jobs[index].guaranteed_start.is_infinite()) {
            break_guarantee(index, algorithm_->guaranteed_start(state_, index).value_or(Time::infinity()), cause,
                            window);
        }
    }
}

void EngineCore::break_guarantee(JobIndex index, Time new_start, GuaranteeBreakCause cause, const std::string& window) {
    guarantees_.move(state_.jobs[index], numbers_[index], state_.now, new_start, cause, window);
}

std::vector<Statistic> EngineCore::statistics() const {
    std::vector<Statistic> statistics = call_algorithm([&] { return algorithm_->statistics(); });
    if (predictor_) {
        predictor_->append_statistics(statistics);
    }
    failures_.append_statistics(statistics);
    return statistics;
}

}  // namespace batfill
