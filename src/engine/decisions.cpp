#include <algorithm>
#include <functional>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/engine/engine_core.hpp"
#include "src/support/json.hpp"

// The decisions of algorithms: checked, noted and applied to the state.
namespace batfill {

void EngineCore::fail(JobIndex index, const std::string& rule) const {
    const std::string job = state_.jobs.has(index)       ? "job " + shown(state_.jobs[index].description().id)
                            : index < state_.jobs.size() ? "job number " + std::to_string(index) + ", which is over"
                                                         : "there is no job number " + std::to_string(index);
    fail(job + ": " + rule);
}

void EngineCore::fail(const std::string& what) const {
    throw DecisionError("algorithm " + choice_.algorithm() + " at " + state_.now.to_string() + ": " + what);
}

void EngineCore::start(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window,
                       std::vector<Amount> by_host) {
    fail_if(!was_told_of(index), index, "it cannot start, the algorithm was not told of it");
    fail_if(!state_.jobs.has(index) || state_.jobs[index].state != JobState::submitted, index,
            "it cannot start, it is not waiting");
    Job& job = state_.jobs[index];
    std::optional<Place> chosen;
    if (!state_.machine.windows().empty() && allocation == nullptr && !window) {
        chosen = state_.place_now(index, SchedulerState::PoolsAhead::ignored);
    }
    if (chosen) {
        window = chosen->window;
        allocation = chosen->hosts.empty() ? nullptr : &chosen->hosts;
    }
    if (job.request.is_booked()) {
        window = window ? window : state_.window_now(job.request);
        fail_if(!window || !state_.windows.is_open(*window), index,
                "it cannot start, no window of its reservation has room for it now");
    }
    if (!by_host.empty()) {
        take_amounts(index, *allocation, std::move(by_host));
    }
    if (window && state_.machine.windows()[*window].names_processors()) {
        take_processors_inside(index, allocation, *window);
    } else {
        take_processors(index, allocation, window);
    }
    leave_queue(index);
    for (const LicenseIndex license : job.request.licenses()) {
        --state_.copies_left[license];
    }
    if (job.request.details) {
        change_pools(job.request, window, -1);
        state_.limits.take(job.request);
    }
    if (window) {
        state_.windows.enter(*window, index, job.allocation, job.request.pools());
    }
    job.state = JobState::running;
    job.start = state_.now;
    if (records_outlived_estimates_) {
        break_guarantee(index, state_.now, GuaranteeBreakCause::estimate);
    }
    const RunningJob running{state_.estimated_end(index), index, job.processors()};
    const auto position = std::lower_bound(state_.running.begin(), state_.running.end(), running);
    state_.running.insert(position, running);
    if (predictor_) {
        predictor_->started(index, state_.predictions[index]);
    }
    if (dependencies_) {
        dependencies_->started(numbers_[index]);
    }
    decisions_.emplace_back(StartJob{numbers_[index], job.allocation, cores_by_host(job.request)});
    if (job.walltime_assumed) {
        to_be_stopped_.push_back(index);
        call_at(stop_of(job));
    }
    if (state_.later) {
        state_.later->started(state_, index);
    }
    algorithm_->started(state_, index);
}

bool EngineCore::start_if_possible(JobIndex index) {
    const std::optional<Place> place = waits(index) ? state_.place_now(index) : Place();
    if (place) {
        start(index, place->hosts.empty() ? nullptr : &place->hosts, place->window);
    }
    return place.has_value();
}

void EngineCore::kill(JobIndex index) {
    fail_if(!is_running(index), index, "it cannot be killed, it is not running");
    Job& job = state_.jobs[index];
    if (!job.kill_requested) {
        job.kill_requested = true;
        decisions_.emplace_back(KillJobs{{numbers_[index]}});
    }
}

void EngineCore::reject_waiting(JobIndex index, std::string reason) {
    require_waiting(index, "it cannot be rejected");
    break_guarantee(index, Time::infinity(), GuaranteeBreakCause::parked);
    leave_queue(index);
    state_.limits.leave(state_.jobs[index].request);
    reject(index, {numbers_[index], std::move(reason), RejectionCause::other});
}

void EngineCore::promise(JobIndex index, Time time) {
    fail_if(!algorithm_->gives_guarantees(), index,
            "it cannot be promised a start, expected an algorithm that declares gives_guarantees()");
    require_waiting(index, "it cannot be promised a start");
    fail_if(time < state_.now, index, "it is promised a start at ", time, ", expected one that is still to come");
    Job& job = state_.jobs[index];
    if (!choice_.gives_guarantees()) {
        return;
    }
    if (job.guaranteed_start.is_infinite()) {
        guarantees_.give(job, index, time);
    } else if (time <= job.guaranteed_start) {
        return;
    } else if (news_.machine_changed || !windows_.announced().empty()) {
        break_guarantee(index, time, news_.machine_changed ? GuaranteeBreakCause::loss : GuaranteeBreakCause::window,
                        windows_.announced());
    } else {
        fail(index, one_text("it was promised a start at ", job.guaranteed_start, ", and now at ", time,
                             ": expected no later one unless the machine changes or a window is announced"));
    }
}

// Nothing is left to end if the job is late already.
void EngineCore::end_promise(JobIndex index) {
    require_waiting(index, "its guarantee cannot end");
    break_guarantee(index, Time::infinity(), GuaranteeBreakCause::parked);
}

void EngineCore::because(JobIndex index, Reason reason) {
    if (explains() && was_told_of(index)) {
        wait_reasons_.because(index, std::move(reason));
    }
}

std::string EngineCore::name(JobIndex index) const {
    return wait_reasons_.name(state_.job(index).description().id);
}

void EngineCore::set_metadata(JobIndex index, std::string metadata) {
    fail_if(!registration_.is_known(index), index,  // unacknowledged jobs are the algorithm's own
            "it cannot have metadata, the algorithm was not told of it");
    fail_if(!state_.jobs.has(index), index, "it cannot have metadata any more");
    fail_if(metadata.find('"') != std::string::npos, index, "its metadata has a double quote, expected none");
    decisions_.emplace_back(SetJobMetadata{numbers_[index], std::move(metadata)});
}

// How many cores of each of its hosts a job takes, if it was laid out.
std::vector<Amount> EngineCore::cores_by_host(const Request& request) const {
    std::vector<Amount> cores;
    if (request.details && !request.details->by_host.empty()) {
        const std::vector<std::string>& capacities = state_.machine.resources().capacities();
        const auto at = std::ranges::find(capacities, "cores") - capacities.begin();
        for (int place = 0; place < request.processors && at < std::ssize(capacities); ++place) {
            cores.push_back(request.of_host(static_cast<std::size_t>(place))[static_cast<std::size_t>(at)]);
        }
    }
    return cores;
}

// A starting job takes so much of each of these hosts.
void EngineCore::take_amounts(JobIndex index, const ResourceSet& hosts, std::vector<Amount> by_host) {
    Job& job = state_.jobs[index];
    const std::vector<Amount>& least = job.request.per_host();
    fail_if(least.empty() || by_host.size() != static_cast<std::size_t>(hosts.size()) * least.size(), index,
            "it cannot start, expected amounts of each of its hosts, of a job that shares hosts");
    auto amounts = by_host.begin();
    for (const int host : hosts.numbers()) {
        const std::span<const Amount> taken(amounts, least.size());
        amounts += static_cast<std::ptrdiff_t>(least.size());
        fail_if(!std::ranges::equal(least, taken, std::less_equal()), index,
                "it cannot start, it would take less of host ", host, " than it asks for");
        fail_if(host >= state_.processors || !state_.hosts.has(host, taken), index, "it cannot start, host ", host,
                " does not have what it would take there");
    }
    job.request = job.request.with_amounts(std::move(by_host));
}

// Removes the processors of a starting job from the idle ones.
void EngineCore::take_processors(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window) {
    Job& job = state_.jobs[index];
    fail_if(job.request.details && !state_.has_of_pools(job.request, window), index,
            "it cannot start, too little is left of a pool or a limit that it takes of");
    if (state_.hosts.are_named()) {
        take_hosts(index, allocation, window);
        return;
    }
    fail_if(job.request.processors > state_.idle.count(), index, "it cannot start, it needs ", job.request.processors,
            " processors and ", state_.idle.count(), " are idle");
    fail_if(!state_.has_copies_of(job.request.licenses()), index,
            "it cannot start, all copies of one of its licences are in use");
    require_no_window_ahead(index, {{}, window});
    if (allocation == nullptr && job.request.placement != Placement::contiguous &&
        job.request.placement != Placement::best_effort_contiguous && job.request.placement != Placement::machine) {
        job.allocation = state_.idle.take_lowest(job.request.processors);
        return;
    }
    if (allocation != nullptr) {
        check_allocation(index, *allocation);
        job.allocation = *allocation;
    } else if (std::optional<ResourceSet> chosen = state_.processors_for(job.request)) {
        job.allocation = std::move(*chosen);
    } else {
        const bool is_of_machine = job.request.placement == Placement::machine;
        fail(index,
             one_text("it cannot start, no ", is_of_machine ? "machine has " : "block of ", job.request.processors,
                      " idle processors", is_of_machine ? " and may have its licences" : ""));
    }
    state_.idle.remove(job.allocation);
}

// As above, of those that a window has taken for jobs inside.
void EngineCore::take_processors_inside(JobIndex index, const ResourceSet* allocation, std::size_t window) {
    Job& job = state_.jobs[index];
    ResourceSet free = state_.free_inside(window);
    const std::string& name = state_.machine.windows()[window].name;
    fail_if(!state_.has_of_pools(job.request, window) || free.size() < job.request.processors, index,
            "it cannot start, window ", name, " has too little left for it");
    require_no_window_ahead(index, {{}, window});
    if (allocation == nullptr) {
        job.allocation = free.take_lowest(job.request.processors);
        return;
    }
    fail_if(allocation->size() != job.request.processors || !free.contains_all(*allocation), index,
            "it cannot start, it needs ", job.request.processors, " processors of ", free, ", which window ", name,
            " has left for it, and would get ", *allocation);
    job.allocation = *allocation;
}

// A job takes of the pools (`sign` -1), or gives back; not of those that its window has taken.
void EngineCore::change_pools(const Request& request, std::optional<std::size_t> window, int sign) {
    for (std::size_t pool = 0; pool < request.pools().size(); ++pool) {
        const bool is_inside = window && state_.machine.windows()[*window].names_pool(pool);
        state_.pools_left[pool] += is_inside ? 0 : sign * request.of_pool(pool);
    }
}

// As above, if hosts have names.
void EngineCore::take_hosts(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window) {
    Job& job = state_.jobs[index];
    ResourceSet hosts;
    if (allocation == nullptr && window) {
        hosts = state_.hosts_inside(job.request, *window);
        allocation = &hosts;
    }
    if (allocation != nullptr) {
        check_hosts(index, *allocation, window);
    } else if (std::optional<ResourceSet> chosen = state_.hosts.choose(job.request)) {
        hosts = std::move(*chosen);
        allocation = &hosts;
    } else {
        fail(index, "it cannot start, too few hosts have what it takes of each");
    }
    require_no_window_ahead(index, {*allocation, window});
    job.allocation = *allocation;
    state_.hosts.take(job.request, job.allocation);
    ResourceSet used = job.allocation;
    state_.idle.remove(used.intersection(state_.idle.set()));
}

// Why a host does not have what the job takes of each of its hosts.
std::string EngineCore::lack_on(const Request& request, int host) const {
    const Resources& resources = state_.machine.resources();
    const Resources::HostKind& kind = resources.kind_of(host);
    if (!kind.is_in_one_of(request.partitions())) {
        return "is not in its partition";
    }
    if (request.takes_whole_hosts() && !state_.hosts.is_empty(host)) {
        return "is in use";
    }
    if (!request.takes_whole_hosts() && !kind.is_shared) {
        return "is not shared";
    }
    for (std::size_t capacity = 0; capacity < request.per_host().size(); ++capacity) {
        const Amount free = state_.hosts.free(host, capacity);
        if (free < request.per_host()[capacity]) {
            return "has " + std::to_string(free) + " of " + resources.capacities()[capacity] + " left, and it takes " +
                   std::to_string(request.per_host()[capacity]);
        }
    }
    return "is lost or taken by a window";
}

void EngineCore::check_hosts(JobIndex index, const ResourceSet& hosts, std::optional<std::size_t> window) const {
    const Request& request = state_.jobs[index].request;
    fail_if(hosts.size() != request.processors, index, "it cannot start, it needs ", request.processors,
            " hosts and would get ", hosts.size());
    for (const int host : hosts.numbers()) {
        fail_if(host >= state_.processors, index, "it cannot start, there is no host ", host, ", the machine has ",
                state_.processors);
        fail_if(!state_.host_fits(request, host, window), index, "it cannot start, host ", host, " ",
                [&] { return lack_on(request, host); });
    }
}

// See Algorithm::follows_conditions().
void EngineCore::require_no_window_ahead(JobIndex index, const Place& place) const {
    if (algorithm_->follows_conditions()) {
        return;
    }
    if (const std::optional<std::size_t> ahead = state_.window_ahead(index, place)) {
        const Window& window = state_.machine.windows()[*ahead];
        fail(index, one_text("it cannot start, by its walltime it would run into window ", window.name,
                             ", which begins at ", window.from));
    }
}

void EngineCore::check_allocation(JobIndex index, const ResourceSet& allocation) const {
    const Request& request = state_.jobs[index].request;
    fail_if(allocation.size() != request.processors, index, "it cannot start, it needs ", request.processors,
            " processors and would get ", allocation.size());
    const char* const processors = "it cannot start, processors ";
    fail_if(!state_.idle.set().contains_all(allocation), index, processors, allocation, " are not all idle");
    fail_if(request.placement == Placement::contiguous && allocation.intervals().size() != 1, index, processors,
            allocation, " are not consecutive");
    if (request.placement == Placement::machine) {
        const Machine::Group& group = state_.machine.group_of(allocation.last());
        fail_if(!group.processors.contains_all(allocation) || !group.has_all(request.licenses()), index, processors,
                allocation, " are not of one machine that has what it needs");
    }
}

}  // namespace batfill
