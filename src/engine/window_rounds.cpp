#include "src/engine/window_rounds.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace batfill {

namespace {

void change_pools(SchedulerState& state, std::size_t window, int sign) {
    const std::vector<Amount>& pools = state.machine.windows()[window].pool_amounts;
    for (std::size_t pool = 0; pool < pools.size(); ++pool) {
        state.pools_left[pool] += sign * pools[pool];
    }
}

void begin_window(SchedulerState& state, std::size_t window) {
    change_pools(state, window, -1);
    state.idle.remove(state.windows.begin(window, state.idle.set()));
}

// Jobs that have outlived their walltimes inside are outside from now on.
void end_window(SchedulerState& state, std::size_t window) {
    change_pools(state, window, 1);
    ResourceSet used;
    for (const RunningJob& running : state.running) {
        const Job& job = state.jobs[running.job];
        used.insert(job.allocation);
        if (state.windows.window_of(running.job) == window) {
            const std::vector<Amount>& held = job.request.pools();
            for (std::size_t pool = 0; pool < held.size(); ++pool) {
                const bool was_inside = state.machine.windows()[window].names_pool(pool);
                state.pools_left[pool] -= was_inside ? held[pool] : 0;
            }
        }
    }
    ResourceSet freed = state.windows.end(window);
    used.insert(state.unavailable);
    for (const ResourceSet* others : {&used, &state.asleep, &state.falling_asleep, &state.waking}) {
        freed.remove(*others);
    }
    state.idle.insert(freed);
}

Amount held_of(const std::vector<Amount>& amounts, std::size_t column) {
    return amounts.empty() ? 0 : amounts[column];
}

// The jobs that nobody has asked to kill, by start, ties by submission.
std::vector<JobIndex> running_by_start(const SchedulerState& state) {
    std::vector<JobIndex> jobs;
    for (const RunningJob& running : state.running) {
        if (!state.jobs[running.job].kill_requested) {
            jobs.push_back(running.job);
        }
    }
    std::ranges::sort(jobs, [&](JobIndex a, JobIndex b) {
        return state.jobs[a].start != state.jobs[b].start ? state.jobs[a].start < state.jobs[b].start
                                                          : state.jobs.submitted_before(a, b);
    });
    return jobs;
}

// What a job holds of the machine outside the window in which it runs: processors and then each pool.
std::vector<Amount> held_outside(const SchedulerState& state, JobIndex index) {
    const Request& request = state.jobs[index].request;
    const std::optional<std::size_t> inside = state.windows.window_of(index);
    const Window none;
    const Window& window = inside ? state.machine.windows()[*inside] : none;
    std::vector<Amount> held{window.names_processors() ? 0 : request.processors};
    for (std::size_t pool = 0; pool < state.pools_left.size(); ++pool) {
        held.push_back(window.names_pool(pool) ? 0 : request.of_pool(pool));
    }
    return held;
}

// Those that hold something before this window does: by begin, then line.
std::vector<std::size_t> windows_before(const SchedulerState& state, std::size_t number) {
    std::vector<std::size_t> before = state.windows.open();
    std::erase_if(before, [&](std::size_t window) { return state.machine.windows()[window].until <= state.now; });
    for (const std::size_t window : state.windows.beginning(state.now)) {
        if (window < number) {
            before.push_back(window);
        }
    }
    return before;
}

// The jobs that must go for a window of processors or pools: the youngest, of those that hold some of what is lacking
// and run in no other window, until this window and those before it have their due.
std::vector<JobIndex> jobs_in_the_way(const SchedulerState& state, std::size_t number) {
    const auto amounts_of = [&](std::size_t window) {
        const Window& one = state.machine.windows()[window];
        std::vector<Amount> amounts{one.processors};
        for (std::size_t pool = 0; pool < state.pools_left.size(); ++pool) {
            amounts.push_back(held_of(one.pool_amounts, pool));
        }
        return amounts;
    };
    std::vector<Amount> lacking{-state.processors};
    for (const Resources::Pool& pool : state.machine.resources().pools()) {
        lacking.push_back(-pool.total);
    }
    const auto change = [&lacking](const std::vector<Amount>& amounts, auto function) {
        std::ranges::transform(lacking, amounts, lacking.begin(), function);
    };
    const std::vector<Amount> wanted = amounts_of(number);
    change(wanted, std::plus());
    for (const std::size_t other : windows_before(state, number)) {
        change(amounts_of(other), std::plus());
    }
    std::vector<JobIndex> running = running_by_start(state);
    for (const JobIndex job : running) {
        change(held_outside(state, job), std::plus());
    }
    std::vector<JobIndex> killed;
    std::ranges::reverse(running);
    for (const JobIndex job : running) {
        const std::vector<Amount> held = held_outside(state, job);
        bool is_in_the_way = false;
        for (std::size_t column = 0; column < lacking.size(); ++column) {
            is_in_the_way |= wanted[column] > 0 && lacking[column] > 0 && held[column] > 0;
        }
        if (is_in_the_way && !state.windows.window_of(job)) {
            killed.push_back(job);
            change(held, std::minus());
        }
    }
    return killed;
}

// A window of hosts kills all that run there.
std::vector<JobIndex> killed_by(const SchedulerState& state, std::size_t number) {
    const Window& window = state.machine.windows()[number];
    if (!window.all_hosts && window.hosts.empty()) {
        return jobs_in_the_way(state, number);
    }
    std::vector<JobIndex> jobs = running_by_start(state);
    std::erase_if(jobs, [&](JobIndex job) {
        return !window.all_hosts && state.jobs[job].allocation.count_common(window.hosts) == 0;
    });
    return jobs;
}

}  // namespace

void WindowRounds::begin(const SchedulerState& state) {
    passed_ = announced_until_ = last_round_ = killed_at_ = state.now - Duration::microseconds(1);
    has_windows_ = !state.machine.windows().empty();
}

void WindowRounds::pass_instants(SchedulerState& state, Time until) {
    std::vector<std::tuple<Time, bool, std::size_t>> changes;
    for (const std::size_t window : state.windows.beginning(passed_, until)) {
        changes.emplace_back(state.machine.windows()[window].from, true, window);
    }
    for (const std::size_t window : state.windows.ending(passed_, until)) {
        changes.emplace_back(state.machine.windows()[window].until, false, window);
    }
    std::ranges::sort(changes);
    for (const auto& [at, begins, window] : changes) {
        begins ? begin_window(state, window) : end_window(state, window);
        close_hosts(state);
    }
    passed_ = until;
}

void WindowRounds::close_hosts(SchedulerState& state) {
    ResourceSet closed = state.unavailable;
    closed.insert(state.windows.closed());
    state.hosts.set_unavailable(std::move(closed));
}

std::vector<JobIndex> WindowRounds::find_to_be_killed(SchedulerState& state) {
    std::vector<JobIndex> killed;
    if (std::exchange(killed_at_, state.now) == state.now) {
        return killed;
    }
    std::vector<std::size_t> beginning = state.windows.beginning(state.now);
    std::ranges::sort(beginning);
    for (const std::size_t number : beginning) {
        const Window::Running running = state.machine.windows()[number].running;
        if (running == Window::Running::finish) {
            continue;
        }
        for (const JobIndex job : killed_by(state, number)) {
            state.jobs[job].kill_requested = true;
            being_killed_.emplace(job, Kill{++kills_, running == Window::Running::requeue});
            killed.push_back(job);
        }
    }
    return killed;
}

std::optional<std::size_t> WindowRounds::ended(JobIndex index, JobState end) {
    if (being_killed_.empty()) {
        return std::nullopt;
    }
    const auto kill = being_killed_.extract(index);
    const bool submits_again = kill && end == JobState::completed_killed && kill.mapped().submits_again;
    return submits_again ? std::optional(kill.mapped().number) : std::nullopt;
}

void WindowRounds::note_announced(const SchedulerState& state) {
    const std::vector<std::size_t> announced = state.windows.announced(announced_until_, state.now);
    announced_ = announced.empty() ? "" : state.machine.windows()[announced.front()].name;
    announced_until_ = state.now;
}

}  // namespace batfill
