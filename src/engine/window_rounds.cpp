#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "src/engine/engine_core.hpp"

// Windows begin and end, and kill jobs at their beginnings.
namespace batfill {

bool EngineCore::is_window_round() const {
    return state_.windows.is_on() && last_window_round_ != state_.now && state_.windows.begins_a_round_at(state_.now);
}

// Hosts in windows have nothing free, like those that are unavailable.
void EngineCore::update_closed_hosts() {
    if (state_.hosts.is_on()) {
        ResourceSet closed = state_.unavailable;
        closed.insert(state_.windows.closed());
        state_.hosts.set_unavailable(std::move(closed));
    }
}

// Those that begin or end after the last call and until this instant, in the order of time; ends come first.
void EngineCore::pass_windows(Time until) {
    if (until <= windows_at_) {
        return;
    }
    std::vector<std::tuple<Time, bool, std::size_t>> changes;
    for (const std::size_t window : state_.windows.beginning(windows_at_, until)) {
        changes.emplace_back(state_.machine.windows()[window].from, true, window);
    }
    for (const std::size_t window : state_.windows.ending(windows_at_, until)) {
        changes.emplace_back(state_.machine.windows()[window].until, false, window);
    }
    std::ranges::sort(changes);
    for (const auto& [at, begins, window] : changes) {
        begins ? begin_window(window) : end_window(window);
    }
    windows_at_ = until;
}

void EngineCore::begin_window(std::size_t window) {
    const std::vector<Amount>& pools = state_.machine.windows()[window].pool_amounts;
    for (std::size_t pool = 0; pool < pools.size(); ++pool) {
        state_.pools_left[pool] -= pools[pool];
    }
    state_.idle.remove(state_.windows.begin(window, state_.idle.set()));
    update_closed_hosts();
}

void EngineCore::end_window(std::size_t window) {
    const std::vector<Amount>& pools = state_.machine.windows()[window].pool_amounts;
    for (std::size_t pool = 0; pool < pools.size(); ++pool) {
        state_.pools_left[pool] += pools[pool];
    }
    // Jobs that have outlived their walltimes inside are outside from now on.
    for (auto inside = state_.inside.begin(); inside != state_.inside.end();) {
        const bool is_over = inside->second == window;
        if (is_over) {
            const std::vector<Amount>& held = state_.jobs[inside->first].request.needs->pools;
            for (std::size_t pool = 0; pool < held.size(); ++pool) {
                const bool was_inside = state_.machine.windows()[window].names_pool(pool);
                state_.pools_left[pool] -= was_inside ? held[pool] : 0;
            }
        }
        inside = is_over ? state_.inside.erase(inside) : std::next(inside);
    }
    ResourceSet freed = state_.windows.end(window);
    for (const ResourceSet* others : {&state_.unavailable, &state_.asleep, &state_.falling_asleep, &state_.waking}) {
        freed.remove(*others);
    }
    for (const RunningJob& running : state_.running) {
        freed.remove(state_.jobs[running.job].allocation);
    }
    state_.idle.insert(freed);
    update_closed_hosts();
}

// Notes that a job ended. Returns whether a window killed it and submits it again.
bool EngineCore::ends_for_window(JobIndex index, JobState state) {
    awaited_ends_.erase(index);
    return state == JobState::completed_killed && requeued_for_windows_.contains(index);
}

// Once in an instant, before the first round: windows that begin now, in the order of their lines.
void EngineCore::kill_for_windows() {
    if (killed_for_windows_at_ == state_.now) {
        return;
    }
    std::vector<std::size_t> beginning = state_.windows.beginning(state_.now - Duration::microseconds(1), state_.now);
    std::ranges::sort(beginning);
    const std::size_t before = decisions_.size();
    for (const std::size_t window : beginning) {
        if (state_.machine.windows()[window].running != Window::Running::finish) {
            kill_for_window(window);
        }
    }
    killed_for_windows_at_ = state_.now;
    if (decisions_.size() == before) {
        return;
    }
    KillJobs all;
    for (auto decision = decisions_.begin() + static_cast<std::ptrdiff_t>(before); decision != decisions_.end();
         ++decision) {
        const std::vector<JobNumber>& jobs = std::get<KillJobs>(*decision).jobs;
        all.jobs.insert(all.jobs.end(), jobs.begin(), jobs.end());
    }
    decisions_.resize(before);
    decisions_.emplace_back(std::move(all));
}

namespace {

Amount held_of(const std::vector<Amount>& amounts, std::size_t column) {
    return amounts.empty() ? 0 : amounts[column];
}

}  // namespace

// The jobs that nobody has asked to kill, by start, ties by submission.
std::vector<JobIndex> EngineCore::running_by_start() const {
    std::vector<JobIndex> jobs;
    for (const RunningJob& running : state_.running) {
        if (!state_.jobs[running.job].kill_requested) {
            jobs.push_back(running.job);
        }
    }
    std::ranges::sort(jobs, [this](JobIndex a, JobIndex b) {
        return state_.jobs[a].start != state_.jobs[b].start ? state_.jobs[a].start < state_.jobs[b].start
                                                            : state_.jobs.submitted_before(a, b);
    });
    return jobs;
}

// What a job holds of the machine outside the window in which it runs: processors and then each pool.
std::vector<Amount> EngineCore::held_outside(JobIndex index) const {
    const Request& request = state_.jobs[index].request;
    const std::optional<std::size_t> inside = state_.window_of(index);
    const Window none;
    const Window& window = inside ? state_.machine.windows()[*inside] : none;
    std::vector<Amount> held{window.names_processors() ? 0 : request.processors};
    for (std::size_t pool = 0; pool < state_.pools_left.size(); ++pool) {
        held.push_back(window.names_pool(pool) ? 0 : held_of(request.needs_or_none().pools, pool));
    }
    return held;
}

// The jobs that must go for a window of processors or pools: the youngest, of those that hold some of what is lacking
// and run in no other window, until this window and those before it have their due.
std::vector<JobIndex> EngineCore::jobs_in_the_way(std::size_t number) const {
    const auto amounts_of = [this](const Window& window) {
        std::vector<Amount> amounts{window.processors};
        for (std::size_t pool = 0; pool < state_.pools_left.size(); ++pool) {
            amounts.push_back(held_of(window.pool_amounts, pool));
        }
        return amounts;
    };
    std::vector<Amount> lacking{-state_.processors};
    for (const Resources::Pool& pool : state_.machine.resources().pools()) {
        lacking.push_back(-pool.total);
    }
    const auto change = [&lacking](const std::vector<Amount>& amounts, auto function) {
        std::ranges::transform(lacking, amounts, lacking.begin(), function);
    };
    const std::vector<Amount> wanted = amounts_of(state_.machine.windows()[number]);
    change(wanted, std::plus());
    for (const std::size_t other : windows_before(number)) {
        change(amounts_of(state_.machine.windows()[other]), std::plus());
    }
    std::vector<JobIndex> running = running_by_start();
    for (const JobIndex job : running) {
        change(held_outside(job), std::plus());
    }
    std::vector<JobIndex> killed;
    std::ranges::reverse(running);
    for (const JobIndex job : running) {
        const std::vector<Amount> held = held_outside(job);
        bool is_in_the_way = false;
        for (std::size_t column = 0; column < lacking.size(); ++column) {
            is_in_the_way |= wanted[column] > 0 && lacking[column] > 0 && held[column] > 0;
        }
        if (is_in_the_way && !state_.window_of(job)) {
            killed.push_back(job);
            change(held, std::minus());
        }
    }
    return killed;
}

// A window of hosts kills all that run there.
void EngineCore::kill_for_window(std::size_t number) {
    const Window& window = state_.machine.windows()[number];
    std::vector<JobIndex> jobs;
    if (window.all_hosts) {
        jobs = running_by_start();
    } else if (window.hosts.empty()) {
        jobs = jobs_in_the_way(number);
    } else {
        jobs = running_by_start();
        std::erase_if(jobs, [&](JobIndex job) { return state_.jobs[job].allocation.count_common(window.hosts) == 0; });
    }
    KillJobs decision;
    for (const JobIndex job : jobs) {
        state_.jobs[job].kill_requested = true;
        killed_for_windows_[job] = ++window_kills_;
        awaited_ends_.insert(job);
        if (window.running == Window::Running::requeue) {
            requeued_for_windows_.insert(job);
        }
        decision.jobs.push_back(numbers_[job]);
    }
    if (!decision.jobs.empty()) {
        decisions_.emplace_back(std::move(decision));
    }
}

// At the end of a window: waiting jobs of its reservations that no window can hold any more.
void EngineCore::reject_over_reservations() {
    std::vector<std::size_t> ending = state_.windows.ending(state_.now - Duration::microseconds(1), state_.now);
    if (ending.empty()) {
        return;
    }
    const std::vector<JobIndex> waiting(state_.waiting.jobs().begin(), state_.waiting.jobs().end());
    for (const JobIndex index : waiting) {
        const JobDescription& job = state_.jobs[index].description();
        const bool is_for_one =
            job.needs && job.needs->reservation && std::ranges::any_of(ending, [&](std::size_t window) {
                return state_.machine.windows()[window].is_for(*job.needs->reservation);
            });
        if (!is_for_one) {
            continue;
        }
        const auto inside = with_windows(job, state_.jobs[index].request.needs);
        if (const auto* const reason = std::get_if<std::string>(&inside)) {
            break_guarantee(index, Time::infinity(), GuaranteeBreakCause::window,
                            state_.machine.windows()[ending.front()].name);
            state_.waiting.remove(index, state_.jobs);
            reject(index, {numbers_[index], *reason + ": the reservation is over", RejectionCause::other});
            algorithm_->withdrawn(state_, index);
        }
    }
}

// Those that hold something before this window does: by begin, then line.
std::vector<std::size_t> EngineCore::windows_before(std::size_t number) const {
    std::vector<std::size_t> before;
    for (const std::size_t window : state_.windows.open()) {
        if (state_.machine.windows()[window].until > state_.now) {
            before.push_back(window);
        }
    }
    for (const std::size_t window : state_.windows.beginning(state_.now - Duration::microseconds(1), state_.now)) {
        if (window < number) {
            before.push_back(window);
        }
    }
    return before;
}

}  // namespace batfill
