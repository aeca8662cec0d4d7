#include <algorithm>
#include <utility>

#include <batfill/planning/trial.hpp>

namespace batfill {

Trial::Trial(Round& round, int free, std::span<const RunningJob> running) : Trial(round) {
    if (later_ == nullptr) {
        free_ = free;
        later_ = &own_.emplace(round.state().machine, round.now(), "all");
        own_->timeline().reset(round.now(), free, running);
    }
}

Trial::~Trial() {
    if (later_ == nullptr || own_) {
        return;
    }
    for (const LaterJob& one : reserved_) {
        later_->timeline().give(round_.state().job(one.job).request, one.place, one.start, one.end);
    }
}

bool Trial::may_start(JobIndex job) {
    const SchedulerState& state = round_.state();
    if (later_ != nullptr) {
        make_reservations();
        return later_->could_start(state, job);
    }
    return !reservation_ || reservation_->may_admit(state.job(job).processors(), state.estimate(job));
}

Trial::Answer Trial::start(JobIndex job) {
    if (later_ != nullptr) {
        return start_beside_later(job);
    }
    const bool is_started = reservation_ ? reservation_->start_if_admitted(round_, job) : round_.start_if_possible(job);
    return is_started ? Answer::yes : Answer::no;
}

Trial::Answer Trial::start_beside_later(JobIndex job) {
    const SchedulerState& state = round_.state();
    const Request& request = state.job(job).request;
    if ((own_ && request.processors > free_) || !later_->has_hosts_now(state, job)) {
        return Answer::no;
    }
    make_reservations();
    const std::optional<Place> place = later_->place_now(state, job);
    if (!place) {
        return Answer::no;
    }
    if (!state.has_of_pools(request, place->window)) {
        return Answer::passed_over;
    }
    if (place->hosts.empty() && !state.has_processors_in(request, *place)) {
        return Answer::no;  // enough are free, but not side by side
    }
    round_.start(job, *place);
    if (own_) {
        own_->timeline().take(request, *place, state.now, state.now + state.estimate(job));
        free_ -= request.processors;
    }
    return Answer::yes;
}

void Trial::reserve(JobIndex job) {
    if (later_ == nullptr) {
        reservation_.emplace(round_.state(), job);
    }
    to_reserve_.push_back(job);
}

void Trial::make_reservations() {
    const SchedulerState& state = round_.state();
    for (const JobIndex job : std::exchange(to_reserve_, {})) {
        const Duration estimate = state.estimate(job);
        const Time start = later_ != nullptr ? later_->earliest(state, job) : reservation_->shadow_time();
        if (start.is_infinite()) {
            continue;
        }
        LaterJob& reserved = reserved_.emplace_back(LaterJob{job, start, start + estimate});
        if (later_ != nullptr) {
            reserved.place = later_->choose(state, job, start);
            later_->timeline().take(state.job(job).request, reserved.place, start, reserved.end);
        }
    }
}

std::span<const LaterJob> Trial::reserved() {
    make_reservations();
    return reserved_;
}

Time Trial::start_of(JobIndex reserved) {
    const std::span<const LaterJob> all = this->reserved();
    const auto found = std::ranges::find(all, reserved, &LaterJob::job);
    return found != all.end() ? found->start : Time::infinity();
}

Delay Trial::delay(JobIndex job) {
    const SchedulerState& state = round_.state();
    make_reservations();
    if (!state.has_of_pools(state.job(job).request)) {
        return {};
    }
    return find_delay(state, job, state.estimate(job), reserved_, later_->timeline());
}

Reason::Never Trial::never(JobIndex job) const {
    return Availability::never(round_.state(), job);
}

}  // namespace batfill
