#include "src/engine/wait_reasons.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "src/engine/lack.hpp"

namespace batfill {

namespace {

// What would be free without windows, while running jobs end one by one.
struct Free {
    ResourceSet processors;
    std::vector<long long> copies;
    std::vector<Amount> pools;
    HostsNow hosts;

    explicit Free(const SchedulerState& state)
        : processors(state.idle.set()), copies(state.copies_left), pools(state.pools_left), hosts(state.hosts) {
        if (!state.windows.is_on()) {
            return;
        }
        processors = ResourceSet::range(0, state.processors - 1);
        for (const ResourceSet* others : {&state.unavailable, &state.asleep, &state.falling_asleep, &state.waking}) {
            processors.remove(*others);
        }
        std::ranges::transform(state.machine.resources().pools(), pools.begin(), &Resources::Pool::total);
        for (const RunningJob& running : state.running) {
            const Job& job = state.job(running.job);
            processors.remove(job.allocation);
            change_pools(job.request, -1);
        }
        if (hosts.is_on()) {
            hosts.set_unavailable(state.unavailable);
        }
    }

    void change_pools(const Request& request, int sign) {
        if (!request.pools().empty()) {
            std::ranges::transform(pools, request.pools(), pools.begin(),
                                   [sign](Amount a, Amount b) { return a + sign * b; });
        }
    }

    // A running job gives back what it holds, or takes it again.
    void change(const SchedulerState& state, const Job& job, int sign) {
        ResourceSet own = job.allocation;
        own.remove(state.unavailable);
        sign > 0 ? processors.insert(own) : processors.remove(own);
        for (const LicenseIndex license : job.request.licenses()) {
            copies[license] += sign;
        }
        if (hosts.is_on()) {
            sign > 0 ? hosts.give(job.request, job.allocation) : hosts.take(job.request, job.allocation);
        }
        change_pools(job.request, sign);
    }

    bool fits(const Machine& machine, const Request& request) const {
        return has_place_for(machine, request) && has_copies_of(request.licenses()) && has_of_pools(request);
    }

    bool has_copies_of(std::span<const LicenseIndex> licenses) const {
        return std::ranges::all_of(licenses, [this](LicenseIndex license) { return copies[license] > 0; });
    }

    bool has_of_pools(const Request& request) const {
        return request.pools().empty() || std::ranges::equal(request.pools(), pools, std::ranges::less_equal{});
    }

    bool has_place_for(const Machine& machine, const Request& request) const {
        switch (request.placement) {
            case Placement::contiguous:
                return processors.lowest_block(request.processors).has_value();
            case Placement::machine:
                return std::ranges::any_of(machine.groups(), [&](const Machine::Group& group) {
                    return group.has_all(request.licenses()) &&
                           processors.count_common(group.processors) >= request.processors;
                });
            case Placement::lowest:
            case Placement::best_effort_contiguous:
            case Placement::snug:
            case Placement::fullest:
                break;
        }
        return hosts.is_on() ? hosts.fits(request) : processors.size() >= request.processors;
    }
};

// A window that a waiting job would run into, and what it would lack when that begins, beside what runs by the
// estimates. Of hosts, it lacks those of all such windows so far.
struct RunInto {
    const Window* window;
    Shortage shortage;
};

// The announced windows that begin before a job that is not booked would end by its walltime, if it started now.
class WindowsAhead {
 public:
    WindowsAhead(const SchedulerState& state, const Job& job)
        : state_(state), job_(job), windows_(state.machine.windows()) {}

    // The first one that the job would run into.
    std::optional<RunInto> first() {
        const Time last = state_.now + job_.walltime - Duration::microseconds(1);
        for (const std::size_t number : state_.windows.beginning(state_.now, last)) {
            if (windows_[number].announced > state_.now) {
                continue;
            }
            if (std::optional<Shortage> shortage = shortage_at(windows_[number])) {
                return RunInto{&windows_[number], *std::move(shortage)};
            }
        }
        return std::nullopt;
    }

 private:
    // Column 0 is processors; pools follow.
    static Amount amount_of(const std::vector<Amount>& amounts, std::size_t column) {
        return amounts.empty() ? Amount{0} : amounts[column - 1];
    }
    static Amount of_window(const Window& window, std::size_t column) {
        return column == 0 ? Amount{window.processors} : amount_of(window.pool_amounts, column);
    }
    static Amount of_job(const Job& one, std::size_t column) {
        return column == 0 ? Amount{one.processors()} : amount_of(one.request.pools(), column);
    }

    // What a running job holds at this instant; what is lost and in use counts once.
    Amount held_at(Time instant, const RunningJob& running, std::size_t column) const {
        const Job& one = state_.job(running.job);
        const int lost = column == 0 ? one.allocation.count_common(state_.unavailable) : 0;
        return running.end > instant ? of_job(one, column) - lost : 0;
    }

    Amount left_at(Time instant, std::size_t column) const {
        Amount left = column == 0 ? state_.processors - state_.unavailable.size()
                                  : state_.machine.resources().pools()[column - 1].total;
        for (const RunningJob& running : state_.running) {
            const std::optional<std::size_t> place = state_.windows.window_of(running.job);
            const Amount held = held_at(instant, running, column);
            if (!place || windows_[*place].until <= instant || of_window(windows_[*place], column) == 0) {
                left -= held;
            }
        }
        for (const Window& window : windows_) {
            const bool has_it = window.announced <= state_.now && window.from <= instant && instant < window.until;
            left -= has_it ? of_window(window, column) : 0;
        }
        return std::max(left, Amount{0});
    }

    Amount hosts_beside_closing() const {
        Amount left = 0;
        for (int host = 0; host < state_.processors; ++host) {
            left += !closing_.contains(host) && state_.hosts.fits(job_.request, host) ? 1 : 0;
        }
        return left;
    }

    std::optional<Shortage> shortage_at(const Window& window) {
        const std::vector<Resources::Pool>& pools = state_.machine.resources().pools();
        for (std::size_t column = 0; column <= pools.size(); ++column) {
            const Amount needed = of_job(job_, column);
            const Amount left = needed > 0 && of_window(window, column) > 0 ? left_at(window.from, column) : needed;
            if (left < needed) {
                const bool is_of_pool = column > 0;
                return Shortage{is_of_pool ? Shortage::Of::pool : Shortage::Of::processors,
                                is_of_pool ? pools[column - 1].name : "", needed, left, window.from};
            }
        }
        closing_.insert(window.hosts);
        if (window.hosts.empty() || hosts_beside_closing() >= job_.processors()) {
            return std::nullopt;
        }
        for (const Window& other : windows_) {
            if (other.from == window.from && other.announced <= state_.now) {
                closing_.insert(other.hosts);
            }
        }
        return Shortage{Shortage::Of::hosts, "", job_.processors(), hosts_beside_closing(), window.from};
    }

    const SchedulerState& state_;
    const Job& job_;
    const std::vector<Window>& windows_;
    ResourceSet closing_;  // the hosts of the windows so far
};

// A window, with what it takes of what the job may need. None: it takes nothing of it.
std::optional<WaitReason::Window> in_the_way(const Window& window, const SchedulerState& state,
                                             const Request& request) {
    const Resources& resources = state.machine.resources();
    WaitReason::Window found{.name = window.name, .from = window.from, .until = window.until};
    if (window.processors > 0) {
        found.processors = window.processors;
        return found;
    }
    const std::vector<int> numbers = window.hosts.numbers();
    if (std::ranges::any_of(numbers, [&](int host) { return resources.kind_of(host).suits(request); })) {
        found.hosts = window.hosts;
        found.all_hosts = window.hosts.size() == state.processors;
        return found;
    }
    const std::vector<Amount>& needed = request.pools();
    for (std::size_t pool = 0; pool < needed.size(); ++pool) {
        if (needed[pool] > 0 && window.names_pool(pool)) {
            found.pools.emplace_back(resources.pools()[pool].name, window.pool_amounts[pool]);
        }
    }
    return found.pools.empty() ? std::nullopt : std::optional(std::move(found));
}

// See WaitReason::windows. `until`: when the job would end, outside bookings.
WaitReason::Windows windows_beside(const SchedulerState& state, const Job& job, Time until) {
    const std::vector<Window>& windows = state.machine.windows();
    const std::vector<std::size_t>& own = job.request.windows();
    for (const std::size_t number : own) {
        until = std::max(until, windows[number].announced <= state.now ? windows[number].until : until);
    }
    WaitReason::Windows found;
    for (std::size_t number = 0; number < windows.size(); ++number) {
        const Window& window = windows[number];
        if (window.announced > state.now || window.until <= state.now || window.from >= until) {
            continue;
        }
        const bool is_own = std::ranges::find(own, number) != own.end();
        std::optional<WaitReason::Window> one =
            is_own ? WaitReason::Window{.name = window.name, .is_own = true, .from = window.from, .until = window.until}
                   : in_the_way(window, state, job.request);
        if (one && found.first.size() < WaitReason::Windows::most) {
            found.first.push_back(std::move(*one));
        } else {
            found.others += one ? 1U : 0U;
        }
    }
    return found;
}

// The answer is the same, but for when it began. How many jobs wait behind is no part of it, nor what is idle beyond
// what the job needs, nor since when it could start.
bool agree(const WaitReason& a, const WaitReason& b) {
    const bool fits = a.kind == WaitReason::Kind::passed_over;
    const bool is_held = a.kind == WaitReason::Kind::dependency;
    const bool same_lack = a.lack == b.lack && (is_held || (a.idle == b.idle && a.possible == b.possible));
    return a.kind == b.kind && (fits || same_lack) && a.license == b.license && a.holders == b.holders &&
           a.windows == b.windows && a.place == b.place && a.because == b.because;
}

}  // namespace

std::string instant_text(Time time) {
    return time.is_infinite() ? "never" : time.since_zero().to_shortest_string();
}

std::string place_text(const ResourceSet& hosts) {
    constexpr std::size_t most_intervals = 4;
    if (hosts.empty()) {
        return "";
    }
    if (hosts.intervals().size() > most_intervals) {
        return " on " + std::to_string(hosts.size()) + " hosts";
    }
    return (hosts.size() == 1 ? " on host " : " on hosts ") + hosts.to_string();
}

const char* to_string(Waiting::Kind kind) {
    constexpr std::array names{"processors", "place",  "licence",     "pool",    "hosts",
                               "dependency", "window", "passed over", "started", "rejected"};
    return names.at(static_cast<std::size_t>(kind));
}

void WaitReasons::submitted(JobIndex index, const std::string& id) {
    if (ids_.contains(id)) {
        waiting_.push_back(index);
    }
}

void WaitReasons::held(JobNumber number, const JobDescription& job) {
    if (ids_.contains(job.id)) {
        held_.push_back({number, name(job.id), job.processors});
    }
}

void WaitReasons::withdrawn(JobIndex index) {
    std::erase(waiting_, index);
}

void WaitReasons::rejected(const SchedulerState& state, JobIndex index, const std::string& reason) {
    const JobDescription& job = state.job(index).description();
    if (!ids_.contains(job.id)) {
        return;
    }
    std::erase(waiting_, index);
    WaitReason rejection;
    rejection.job = name(job.id);
    rejection.time = state.now;
    rejection.kind = WaitReason::Kind::rejected;
    rejection.needed = job.processors;
    rejection.idle = state.idle.count();
    rejection.rejection = reason;
    record(std::move(rejection));
}

void WaitReasons::end_round(const SchedulerState& state, const Dependencies* dependencies) {
    std::erase_if(held_, [&](const HeldJob& job) { return !dependencies->is_held(job.number); });
    for (const HeldJob& job : held_) {
        WaitReason reason;
        reason.job = job.name;
        reason.time = state.now;
        reason.kind = WaitReason::Kind::dependency;
        reason.needed = job.processors;
        reason.idle = state.idle.count();
        reason.lack.conditions = dependencies->missing(job.number, state.now);
        reason.possible = Time::infinity();
        record(std::move(reason));
    }
    for (const JobIndex index : waiting_) {
        record(reason_of(state, index));
    }
    std::erase_if(waiting_, [&](JobIndex index) { return state.job(index).state != JobState::submitted; });
    because_.clear();
}

WaitReason WaitReasons::reason_of(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    WaitReason reason;
    reason.job = name(job.description().id);
    reason.time = state.now;
    reason.needed = job.processors();
    reason.idle = state.idle.count();
    if (job.state != JobState::submitted) {
        reason.kind = WaitReason::Kind::started;
        return reason;
    }
    const std::span<const JobIndex> queue = state.waiting.jobs();
    reason.place = static_cast<std::size_t>(std::ranges::find(queue, index) - queue.begin()) + 1;
    reason.waiting = queue.size();
    reason.because = because_[index];
    if (!job.request.is_booked()) {
        find_lack(
            state, job, [&](JobIndex other) { return name(state.job(other).description().id); }, reason);
        if (reason.kind == WaitReason::Kind::passed_over && state.windows.is_on()) {
            if (const std::optional<RunInto> ahead = WindowsAhead(state, job).first()) {
                reason.kind = WaitReason::Kind::window;
                reason.lack.next_window = ahead->window->name;
                reason.lack.then = ahead->shortage;
            }
        }
    } else {  // what is free outside is not for it
        using OfReservation = WaitReason::Lack::OfReservation;
        const bool can_start = state.place_now(index, SchedulerState::PoolsAhead::looked_at).has_value();
        const bool one_is_open = std::ranges::any_of(job.request.windows(),
                                                     [&](std::size_t window) { return state.windows.is_open(window); });
        reason.kind = can_start ? WaitReason::Kind::passed_over : WaitReason::Kind::window;
        reason.lack.of_reservation = can_start     ? OfReservation::has_room
                                     : one_is_open ? OfReservation::no_room
                                                   : OfReservation::no_open_window;
    }
    reason.possible = reason.kind == WaitReason::Kind::passed_over ? state.now : Time::infinity();
    if (reason.kind != WaitReason::Kind::passed_over && reason.kind != WaitReason::Kind::window) {
        find_holders(state, job.request, reason);
    }
    if (state.windows.is_on()) {
        reason.windows =
            windows_beside(state, job, (reason.possible.is_infinite() ? state.now : reason.possible) + job.walltime);
    }
    return reason;
}

void WaitReasons::find_holders(const SchedulerState& state, const Request& request, WaitReason& reason) const {
    Free free(state);
    auto end = state.running.begin();
    Time instant = state.now;
    while (!free.fits(state.machine, request)) {
        if (end == state.running.end()) {
            return;
        }
        instant = std::max(end->end, state.now);
        for (; end != state.running.end() && end->end <= instant; ++end) {
            free.change(state, state.job(end->job), 1);
        }
    }
    reason.possible = instant;
    // One after another takes back what it had, if that is not missed.
    for (auto running = state.running.begin(); running != end; ++running) {
        const Job& job = state.job(running->job);
        free.change(state, job, -1);
        if (!free.fits(state.machine, request)) {
            free.change(state, job, 1);
            reason.holders.push_back({name(job.description().id), running->processors, running->end});
        }
    }
}

void WaitReasons::record(WaitReason reason) {
    const auto [last, is_first] = last_.try_emplace(reason.job, reasons_.size());
    if (!is_first) {
        if (WaitReason& before = reasons_[last->second]; agree(before, reason)) {
            ++before.rounds;
            return;
        }
        last->second = reasons_.size();
    }
    reasons_.push_back(std::move(reason));
}

}  // namespace batfill
