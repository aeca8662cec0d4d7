#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/engine/timeline.hpp>

namespace batfill {

namespace {

Time next_instant(Time time) {
    return time + Duration::microseconds(1);
}

// More than any host has.
constexpr Amount everything = Amount{1} << 60;

std::vector<std::size_t> numbers_of(const std::vector<bool>& flags) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (flags[i]) {
            numbers.push_back(i);
        }
    }
    return numbers;
}

// Two stretches, of which each may be empty, and what lies between them.
AmountProfile::Stretch with_both(const AmountProfile::Stretch& a, const AmountProfile::Stretch& b) {
    if (a.begin >= a.end || b.begin >= b.end) {
        return a.begin >= a.end ? b : a;
    }
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// As next_stretch(); only where the placement compares stretches, it is whole.
AmountProfile::Stretch stretch_around(const AmountProfile& profile, const Request& request,
                                      std::span<const Amount> needed, Duration length, Time at) {
    return request.placement == Placement::snug ? profile.next_stretch(needed, at)
                                                : profile.next_free(needed, at, at + length);
}

}  // namespace

Timeline::Timeline(const Machine& machine, Time now, const std::vector<bool>& planned_pools)
    : machine_(&machine),
      origin_(now),
      planned_pools_(numbers_of(planned_pools)),
      counted_(machine, now, planned_pools_),
      is_all_counted_(!machine.resources().has_named_hosts() && !machine.has_bookings()) {
    add_hosts(now);
    knows_window_.resize(machine.windows().size());
    by_announcement_.resize(machine.windows().size());
    std::iota(by_announcement_.begin(), by_announcement_.end(), std::size_t{0});
    std::ranges::stable_sort(by_announcement_, {},
                             [&](std::size_t window) { return machine.windows()[window].announced; });
}

void Timeline::add_hosts(Time now) {
    hosts_.clear();
    index_.reset();
    forget_changes();
    const int hosts = machine_->resources().has_named_hosts() ? machine_->processors() : 0;
    not_rising_.assign((static_cast<std::size_t>(hosts) + 63) / 64, 0);
    how_many_not_rising_ = 0;
    later_.assign(static_cast<std::size_t>(hosts), 0);
    for (int host = 0; host < hosts; ++host) {
        std::vector<Amount> amounts{1};
        const std::vector<Amount>& capacity = machine_->resources().kind_of(host).capacity;
        amounts.insert(amounts.end(), capacity.begin(), capacity.end());
        hosts_.emplace_back(now, amounts);
    }
}

void Timeline::index_hosts() {
    if (!hosts_.empty()) {
        index_.emplace(machine_->resources(), std::vector<Amount>{outside_windows, 1}, hosts_, origin_);
    }
}

void Timeline::reset(const SchedulerState& state) {
    origin_ = state.now;
    std::vector<std::size_t> pools;
    std::ranges::set_intersection(planned_pools_, state.scarce_pools, std::back_inserter(pools));
    counted_ = CountedProfile(*machine_, state.now, pools);
    add_hosts(state.now);
    ResourceSet unusable = state.unavailable;
    for (const ResourceSet* others : {&state.asleep, &state.falling_asleep, &state.waking}) {
        unusable.insert(*others);
    }
    take_for_ever(unusable);
    ++version_;
    left_inside_.clear();
    knows_window_.assign(machine_->windows().size(), false);
    next_news_ = 0;
    later_windows_.clear();
    learn_windows(state.now);
    soonest_ = state.now;
    const Time soonest = state.machine.is_plain() ? state.now : next_instant(state.now);
    for (const RunningJob& running : state.running) {
        const Job& job = state.job(running.job);
        take_or_give(job.request, running.processors, {job.allocation, state.windows.window_of(running.job)}, state.now,
                     std::max(running.end, soonest), -1);
    }
}

std::vector<std::size_t> Timeline::add_scarce_pools(const SchedulerState& state) {
    std::vector<std::size_t> added;
    for (const std::size_t pool : state.scarce_pools) {
        if (std::ranges::binary_search(planned_pools_, pool) && !counted_.has_pool(pool)) {
            const auto& [name, total] = machine_->resources().pools()[pool];
            counted_.add_pool(pool, name, total);
            for (auto& [window, left] : left_inside_) {
                left.add_pool(pool, name, 0);
            }
            added.push_back(counted_.column_of(pool));
            for (const RunningJob& running : state.running) {
                take_of(added.back(), state.job(running.job).request, origin_,
                        std::max(running.end, next_instant(soonest_)));
            }
            ++version_;
        }
    }
    return added;
}

bool Timeline::takes_of_planned_pools(const Request& request) const {
    return std::ranges::any_of(planned_pools_, [&](std::size_t pool) { return request.of_pool(pool) > 0; });
}

void Timeline::reset(Time now, int free, std::span<const RunningJob> running) {
    origin_ = now;
    counted_ = CountedProfile(*machine_, now, {});
    counted_.take_for_ever(machine_->processors() - free);
    for (const RunningJob& job : running) {
        counted_.add({job.processors}, job.processors, std::max(job.end, now + Duration::microseconds(1)),
                     Time::infinity(), 1);
    }
}

void Timeline::advance_all(Time now) {
    version_ += now > origin_ ? 1U : 0U;
    origin_ = now;
    counted_.advance(now);  // a host forgets what is over when it changes
    for (auto& [window, left] : left_inside_) {
        left.advance(now);
    }
    begin_windows();
}

bool Timeline::has_news(Time now) const {
    for (std::size_t next = next_news_; next < by_announcement_.size(); ++next) {
        const Window& window = machine_->windows()[by_announcement_[next]];
        if (window.announced > now || window.until > now) {
            return window.announced <= now;
        }
    }
    return false;
}

bool Timeline::learn_next_windows(Time now) {
    bool is_one_new = false;
    for (; next_news_ < by_announcement_.size(); ++next_news_) {
        const std::size_t number = by_announcement_[next_news_];
        const Window& window = machine_->windows()[number];
        if (window.announced > now) {
            break;
        }
        if (window.until > now) {
            knows_window_[number] = true;
            is_one_new = true;
            take_window(number);
        }
    }
    return is_one_new;
}

void Timeline::take_window(std::size_t number) {
    ++version_;
    const Window& window = machine_->windows()[number];
    counted_.take(window);
    if (!window.booked_for.empty()) {
        left_inside_.insert_or_assign(number, counted_.taken_by(window, origin_));
    }
    if (hosts_.empty() || window.hosts.empty()) {
        return;
    }
    std::vector<Amount> taken(machine_->resources().capacities().size() + 1);
    taken.front() = taken_by_window;
    for (const int host : window.hosts.numbers()) {
        AmountProfile& profile = hosts_[static_cast<std::size_t>(host)];
        profile.add(window.from, window.until, taken, -1);
        if (index_) {
            index_->change(hosts_, host, origin_, window.from, window.until, taken, -1);
        }
        if (window.from > origin_) {
            begins_later(host, 1);
        }
    }
    if (window.from > origin_) {
        later_windows_.push_back(number);
    }
    forget_changes();
}

// Windows that have begun are no longer to begin.
void Timeline::begin_windows() {
    std::erase_if(later_windows_, [this](std::size_t number) {
        const Window& window = machine_->windows()[number];
        if (window.from > origin_) {
            return false;
        }
        for (const int host : window.hosts.numbers()) {
            begins_later(host, -1);
        }
        forget_changes();
        return true;
    });
}

void Timeline::begin_round(const SchedulerState& state) {
    const bool is_further_round = origin_ == state.now;
    advance(state.now);
    learn_windows(state.now);
    soonest_ = is_further_round ? next_instant(state.now) : state.now;
    if (is_further_round) {
        return;  // such jobs have this instant since the first round
    }
    for (const RunningJob& running : state.running) {
        if (running.end > state.now) {
            break;
        }
        const Job& job = state.job(running.job);
        take_or_give(job.request, running.processors, {job.allocation, state.windows.window_of(running.job)}, state.now,
                     next_instant(state.now), -1);
    }
}

void Timeline::started(const SchedulerState& state, JobIndex job) {
    take(state.job(job).request, {state.job(job).allocation, state.windows.window_of(job)}, state.now,
         state.estimated_end(job));
}

void Timeline::ended(const SchedulerState& state, const Completion& completion) {
    give(state.job(completion.job).request, completion.processors, completion.place(), state.now,
         std::max(completion.expected_end, soonest_));
}

std::vector<Amount> Timeline::needed_of_host(const Request& request) const {
    const std::vector<Amount>& per_host = request.per_host();
    std::vector<Amount> needed(machine_->resources().capacities().size() + 1, AmountProfile::not_needed);
    needed.front() = per_host.empty() ? 1 : outside_windows;
    for (std::size_t capacity = 0; capacity < per_host.size(); ++capacity) {
        if (per_host[capacity] > 0) {
            needed[capacity + 1] = per_host[capacity];
        }
    }
    return needed;
}

void Timeline::taken_of(const Request& request, int host, std::vector<Amount>& taken) const {
    const std::vector<Amount>& amounts =
        request.takes_whole_hosts() ? machine_->resources().kind_of(host).capacity : request.per_host();
    taken.resize(amounts.size() + 1);
    taken.front() = 1;
    std::ranges::copy(amounts, taken.begin() + 1);
}

template <class Use>
void Timeline::each_taken(const Request& request, const ResourceSet& hosts, Use use) const {
    const bool takes_whole_hosts = request.takes_whole_hosts();
    std::vector<Amount> taken;
    std::size_t kind = 0;  // that of the last host
    for (const int host : hosts.numbers()) {
        const std::size_t last_kind = std::exchange(kind, machine_->resources().kind_number_of(host));
        if (taken.empty() || (takes_whole_hosts && kind != last_kind)) {
            taken_of(request, host, taken);
        }
        use(host, taken);
    }
}

void Timeline::change(const Request& request, int processors, const Place& place, Time from, Time until, int sign) {
    if (from >= until) {
        return;
    }
    ++version_;
    if (place.window) {
        // Who outlives the window holds the rest outside.
        const Window& window = machine_->windows()[*place.window];
        const Time end = std::clamp(window.until, from, until);
        left_inside_.at(*place.window).add_part(window, true, request, processors, from, end, sign);
        counted_.add_part(window, false, request, processors, from, end, sign);
        counted_.add(request, processors, end, until, sign);
    } else {
        counted_.add(request, processors, from, until, sign);
    }
    if (!hosts_.empty()) {
        change_hosts(request, place.hosts, from, until, sign);
    }
}

void Timeline::change_hosts(const Request& request, const ResourceSet& hosts, Time from, Time until, int sign) {
    change_profiles(request, hosts, from, until, sign);
    if (index_) {
        change_index(request, hosts, from, until, sign);
    }
}

void Timeline::change_profiles(const Request& request, const ResourceSet& hosts, Time from, Time until, int sign) {
    if (changed_.size() > 4 * hosts_.size()) {
        forget_changes();
    }
    each_taken(request, hosts, [&](int host, const std::vector<Amount>& taken) {
        AmountProfile& profile = hosts_[static_cast<std::size_t>(host)];
        profile.advance(origin_);
        profile.add(from, until, taken, sign);
        if (from > origin_) {
            begins_later(host, -sign);
        }
        changed_.push_back(host);
    });
}

void Timeline::change_index(const Request& request, const ResourceSet& hosts, Time from, Time until, int sign) {
    each_taken(request, hosts, [&](int host, const std::vector<Amount>& changed) {
        index_->change(hosts_, host, origin_, from, until, changed, sign);
    });
}

void Timeline::begins_later(int host, int jobs) {
    int& later = later_[static_cast<std::size_t>(host)];
    const bool was_rising = later == 0;
    later += jobs;
    if (was_rising && later != 0) {
        HostIndex::insert(not_rising_, host);
        ++how_many_not_rising_;
    } else if (!was_rising && later == 0) {
        HostIndex::erase(not_rising_, host);
        --how_many_not_rising_;
    }
}

void Timeline::take_for_ever(const ResourceSet& hosts) {
    if (hosts_.empty()) {
        return counted_.take_for_ever(hosts.size());
    }
    const std::vector<Amount> amounts(machine_->resources().capacities().size() + 1, everything);
    for (const int host : hosts.numbers()) {
        hosts_[static_cast<std::size_t>(host)].add(origin_, Time::infinity(), amounts, -1);
    }
}

bool Timeline::suits(const Request& request, int host) const {
    return machine_->resources().kind_of(host).suits(request);
}

bool Timeline::fits(const Request& request, Duration length, Time at) const {
    if (is_inside(request)) {
        return window_for(request, length, at).has_value();
    }
    if (!counted_.fits(request, length, at)) {
        return false;
    }
    if (hosts_.empty()) {
        return true;
    }
    const std::vector<Amount> needed = needed_of_host(request);
    int missing = request.processors;
    for (int host = 0; host < machine_->processors() && missing > 0; ++host) {
        if (suits(request, host)) {
            const AmountProfile& profile = hosts_[static_cast<std::size_t>(host)];
            missing -= is_rising(host)                               ? profile.has_at(needed, at) ? 1 : 0
                       : profile.has_during(needed, at, at + length) ? 1
                                                                     : 0;
        }
    }
    return missing <= 0;
}

std::optional<Shortage> Timeline::shortage(const Request& request, Duration length, Time at) const {
    if (is_inside(request)) {
        const std::vector<std::size_t>& windows = request.windows();
        const auto window = std::ranges::find_if(windows, [&](std::size_t one) { return is_during(one, request, at); });
        return window == windows.end() ? std::nullopt : view(*window).shortage(request, length, at);
    }
    std::optional<Shortage> shortage = counted_.shortage(request, length, at);
    if (shortage || hosts_.empty()) {
        return shortage;
    }
    const std::vector<Amount> needed = needed_of_host(request);
    Amount left = 0;
    for (int host = 0; host < machine_->processors(); ++host) {
        const AmountProfile& profile = hosts_[static_cast<std::size_t>(host)];
        left += suits(request, host) && profile.has_during(needed, at, at + length) ? 1 : 0;
    }
    if (left < request.processors) {
        shortage = {.of = Shortage::Of::hosts, .needed = request.processors, .left = left, .at = at};
    }
    return shortage;
}

bool Timeline::fits_on(const Request& request, const Place& place, Duration length, Time at) const {
    if (is_inside(request)) {
        return is_during(*place.window, request, at) && view(*place.window).fits_on(request, place, length, at);
    }
    const std::vector<Amount> needed = needed_of_host(request);
    const ResourceSet::Numbers numbers = place.hosts.numbers();
    return counted_.fits(request, length, at) && std::ranges::all_of(numbers, [&](int host) {
               return hosts_[static_cast<std::size_t>(host)].has_during(needed, at, at + length);
           });
}

bool Timeline::fits_now(const Request& request, Duration length, const FittingHosts& now) const {
    if (now.count < request.processors || !counted_.fits(request, length, origin_)) {
        return false;
    }
    const std::vector<Amount> needed = needed_of_host(request);
    int spare = now.count - request.processors;
    HostIndex::each_host(not_rising_, [&](int host) {
        const auto number = static_cast<std::size_t>(host);
        if (spare >= 0 && HostIndex::has(now.hosts, host) &&
            !hosts_[number].has_during(needed, origin_, origin_ + length)) {
            --spare;
        }
    });
    return spare >= 0;
}

// A change of the number of hosts that allow a start.
struct Timeline::Allowance {
    Time at;
    bool is_end;  // the host allows starts up to `at`; else from then on
    bool operator<(const Allowance& other) const { return std::tie(at, is_end) < std::tie(other.at, other.is_end); }
};

// Adds those of one host for starts in [from, before). From `own_from` on, it has what is needed.
void Timeline::allow_starts(std::vector<Allowance>& changes, const AmountProfile& profile,
                            std::span<const Amount> needed, Duration length, Time from, Time before, Time own_from) {
    const Time last_end = before.is_infinite() ? own_from : std::min(own_from, before + length);
    for (Time at = from; at < before;) {
        const auto [first, end] = profile.next_free(needed, at, last_end);
        if (first >= before) {
            return;
        }
        if (end >= last_end) {
            changes.push_back({first, false});
            return;
        }
        if (first + length <= end) {
            changes.push_back({first, false});
            changes.push_back({end - length, true});
        }
        at = end;
    }
}

Time Timeline::earliest_of_all(const Request& request, Duration length, Time from, Time before) const {
    from = std::max(from, origin_);
    if (is_inside(request)) {
        return earliest_inside(request, length, from, before);
    }
    if (hosts_.empty()) {
        return counted_.earliest(request, length, from, before);
    }
    const std::vector<Amount> needed = needed_of_host(request);
    if (all_are_rising()) {
        std::vector<Time> firsts(hosts_.size());
        for (int host = 0; host < machine_->processors(); ++host) {
            firsts[static_cast<std::size_t>(host)] = first_on(request, needed, host, from);
        }
        return earliest_of(firsts, request, length, from, before);
    }
    if (index_) {
        return earliest_in_index(request, needed, length, from, before, nullptr);
    }
    if (request.processors == 1 && !counted_.takes_of_pools(request)) {
        return earliest_on_one(request, needed, length, from, before);
    }
    std::vector<Allowance> changes;
    for (int host = 0; host < machine_->processors(); ++host) {
        const AmountProfile& profile = hosts_[static_cast<std::size_t>(host)];
        if (is_rising(host)) {
            const Time first = first_on(request, needed, host, from);
            if (first < before) {
                changes.push_back({first, false});
            }
        } else if (suits(request, host)) {
            allow_starts(changes, profile, needed, length, from, before);
        }
    }
    std::ranges::sort(changes, std::less<>());
    return earliest_of(changes, request, length, before);
}

Time Timeline::earliest_without_place(const Planned& job, Time first, Time last) {
    if (job.start.is_infinite()) {
        return earliest(job.request, job.length, first, last);
    }
    if (index_ && !job.place.window) {
        const std::vector<Amount> needed = needed_of_host(job.request);
        if (has_its_own(job, needed)) {
            const Own own{index_->bits_of(job.place.hosts), job.start};
            const Time end = job.start + job.length;
            counted_.add(job.request, job.request.processors, job.start, end, 1);
            const Time start = earliest_in_index(job.request, needed, job.length, std::max(first, origin_), last, &own);
            counted_.add(job.request, job.request.processors, job.start, end, -1);
            return start;
        }
    }
    give(job.request, job.place, job.start, job.start + job.length);
    const Time start = earliest(job.request, job.length, first, last);
    take(job.request, job.place, job.start, job.start + job.length);
    return start;
}

bool Timeline::nobody_needs(const Request& request, int host, Time from, Time until) const {
    const AmountProfile& profile = hosts_[static_cast<std::size_t>(host)];
    return request.takes_whole_hosts() ? profile.least(0, from, until) >= 0
                                       : machine_->windows().empty() && profile.negative_until() <= from;
}

bool Timeline::has_its_own(const Planned& job, std::span<const Amount> needed) const {
    std::vector<Amount> least;
    return std::ranges::all_of(job.place.hosts.numbers(), [&](int host) {
        if (nobody_needs(job.request, host, job.start, job.start + job.length)) {
            return true;
        }
        taken_of(job.request, host, least);
        std::ranges::transform(needed, least, least.begin(), [](Amount need, Amount taken) {
            return need == AmountProfile::not_needed ? need : need - taken;
        });
        return hosts_[static_cast<std::size_t>(host)].has_during(least, job.start, job.start + job.length);
    });
}

HostIndex::Search Timeline::search_of(const Request& request, std::span<const Amount> needed, Duration length,
                                      const Own* own) {
    return {.request = request,
            .needed = needed,
            .length = length,
            .own = own != nullptr ? &own->hosts : nullptr,
            .own_from = own != nullptr ? own->from : Time()};
}

Time Timeline::earliest_in_index(const Request& request, std::span<const Amount> needed, Duration length, Time from,
                                 Time before, const Own* own) const {
    const HostIndex::Search search = search_of(request, needed, length, own);
    HostIndex::Bits hosts;
    while (from < before) {
        const auto [begin, end] = index_->next(search, from, before, hosts);
        if (begin.is_infinite()) {
            break;
        }
        const Time start = earliest_among(hosts, request, needed, length, begin, end, own);
        if (!start.is_infinite()) {
            return start;
        }
        from = end;
    }
    return Time::infinity();
}

Time Timeline::earliest_among(const HostIndex::Bits& hosts, const Request& request, std::span<const Amount> needed,
                              Duration length, Time from, Time before, const Own* own) const {
    // Of one host, only the first start counts, and only if it is before those of the others.
    const bool is_one = request.processors == 1 && !counted_.takes_of_pools(request);
    Time first = before;
    int left = HostIndex::count(hosts);  // hosts that may allow some start
    std::vector<Allowance> changes;
    changes.reserve(is_one ? 2 : 2 * static_cast<std::size_t>(left));
    HostIndex::each_host(hosts, [&](int host) {
        if (first > from && left >= request.processors) {
            const bool is_own = own != nullptr && HostIndex::has(own->hosts, host);
            const std::size_t before_host = changes.size();
            allow_starts(changes, hosts_[static_cast<std::size_t>(host)], needed, length, from, first,
                         is_own ? own->from : Time::infinity());
            left -= changes.size() == before_host ? 1 : 0;
        }
        if (is_one && !changes.empty()) {
            first = changes.front().at;
            changes.clear();
        }
    });
    if (is_one) {
        return first < before ? first : Time::infinity();
    }
    if (left < request.processors) {
        return Time::infinity();
    }
    std::ranges::sort(changes, std::less<>());
    return earliest_of(changes, request, length, before);
}

Time Timeline::move_earlier(const Planned& job, Time start) {
    const Time end = start + job.length;
    if (is_all_counted_) {  // nothing changes where the old and the new place overlap
        const Time freed = std::max(end, job.start);
        take(job.request, job.place, start, std::min(end, job.start));
        if (!job.start.is_infinite()) {
            give(job.request, job.place, freed, job.start + job.length);
        }
        return freed;
    }
    if (index_ && !job.start.is_infinite() && !job.place.window && !is_inside(job.request)) {
        move_hosts_earlier(job, start);
        return std::max(end, job.start);
    }
    if (!job.start.is_infinite()) {
        give(job.request, job.place, job.start, job.start + job.length);
    }
    job.place = choose(job.request, job.length, start);
    take(job.request, job.place, start, end);
    return job.start;
}

// Most jobs keep most hosts, and move by little. There, the index hears only of what changes: not of the time in which
// the old and the new place overlap.
void Timeline::move_hosts_earlier(const Planned& job, Time start) {
    const Request& request = job.request;
    const Time end = start + job.length;
    const Time old_end = job.start + job.length;
    const Time taken_until = std::min(end, job.start);
    const Time given_from = std::max(end, job.start);
    ++version_;
    counted_.add(request, request.processors, start, taken_until, -1);
    counted_.add(request, request.processors, given_from, old_end, 1);
    const Own own{index_->bits_of(job.place.hosts), job.start};
    const ResourceSet old_hosts = std::move(job.place.hosts);
    change_profiles(request, old_hosts, job.start, old_end, 1);
    job.place = choose(request, job.length, start, nullptr, &own);
    change_profiles(request, job.place.hosts, start, end, -1);
    const ResourceSet kept = old_hosts.intersection(job.place.hosts);
    ResourceSet left = old_hosts;
    left.remove(kept);
    ResourceSet added = job.place.hosts;
    added.remove(kept);
    change_index(request, left, job.start, old_end, 1);
    change_index(request, added, start, end, -1);
    change_index(request, kept, start, taken_until, -1);
    change_index(request, kept, given_from, old_end, 1);
}

// Of all hosts, each is asked only for a start before those of the others.
Time Timeline::earliest_on_one(const Request& request, std::span<const Amount> needed, Duration length, Time from,
                               Time before) const {
    Time first = Time::infinity();
    for (int host = 0; host < machine_->processors() && first > from; ++host) {
        if (suits(request, host)) {
            const AmountProfile& profile = hosts_[static_cast<std::size_t>(host)];
            first = std::min(first, profile.earliest(needed, length, from, std::min(first, before)));
        }
    }
    return first;
}

// A sweep over the intervals of starts that each host allows, and within those of enough hosts the first that the pools
// allow.
Time Timeline::earliest_of(const std::vector<Allowance>& changes, const Request& request, Duration length,
                           Time before) const {
    int allow = 0;
    Time since;  // enough hosts allow starts from then on
    for (const Allowance& change : changes) {
        if (!change.is_end) {
            since = ++allow == request.processors ? change.at : since;
        } else if (allow-- == request.processors) {
            const Time start = counted_.earliest(request, length, since, before);
            if (start <= change.at) {
                return start;
            }
        }
    }
    return allow >= request.processors ? counted_.earliest(request, length, since, before) : Time::infinity();
}

GivenHosts::Need Timeline::need_of_host(const Request& request, Duration length) const {
    return {*index_, needed_of_host(request), length};
}

void Timeline::add_to(GivenHosts& given, const Holding& holding) const {
    each_taken(holding.request, holding.hosts, [&](int number, const std::vector<Amount>& taken) {
        given.add(*index_, hosts_[static_cast<std::size_t>(number)],
                  {number, std::max(holding.from, origin_), holding.until}, taken);
    });
}

AmountProfile::Stretch Timeline::opened_starts(GivenHosts& given, std::size_t first, const Holding& planned,
                                               const GivenHosts::Need& need, Duration length,
                                               const AmountProfile::Stretch& known) const {
    AmountProfile::Stretch opened{Time::infinity(), origin_};
    // Where the job has its own place, more is free for it than the hosts have.
    const bool has_own = given.has_some_of(planned.hosts);
    if (!has_own && !given.may_help(need)) {
        return opened;
    }
    const HostIndex::Bits own = has_own ? index_->bits_of(planned.hosts) : HostIndex::Bits();
    AmountProfile::Stretch covered = known;  // with what is opened so far
    for (const std::size_t number : given.that_may_help(need, first, has_own ? &own : nullptr)) {
        const GivenHosts::Host& host = given.hosts()[number];
        const Time from = std::max(host.from - length, origin_);
        const Time until = std::min(host.until, planned.from);
        if (from >= until || (covered.begin <= from && until <= covered.end)) {
            continue;
        }
        if (planned.request.partitions().empty() || suits(planned.request, host.number)) {
            const bool is_own = has_own && HostIndex::has(own, host.number);
            // A first start in `covered` adds nothing if none can be behind it.
            const Time before = until <= covered.end ? std::min(until, covered.begin) : until;
            const AmountProfile::Stretch one =
                opened_starts_on(given, host, is_own ? &planned : nullptr, need.amounts, length, {from, until}, before);
            opened.begin = std::min(opened.begin, one.begin);
            opened.end = std::max(opened.end, one.end);
            covered = with_both(known, opened);
        }
    }
    return opened;
}

AmountProfile::Stretch Timeline::opened_starts_on(const GivenHosts& given, const GivenHosts::Host& host,
                                                  const Holding* own, std::span<const Amount> needed, Duration length,
                                                  const AmountProfile::Stretch& among, Time before) const {
    const bool is_new = given.is_new();
    const AmountProfile* profile = &hosts_[static_cast<std::size_t>(host.number)];
    std::optional<AmountProfile> without_job;
    Time own_from = Time::infinity();
    // Who gives a whole host back that the job has then needed it, too.
    const auto has_been_needed = [&] {
        return is_new && own->request.takes_whole_hosts() && host.from < own->until && own->from < host.until;
    };
    if (own != nullptr && !has_been_needed() && nobody_needs(own->request, host.number, own->from, own->until)) {
        own_from = own->from;
    } else if (own != nullptr) {
        std::vector<Amount> taken;
        taken_of(own->request, host.number, taken);
        without_job = *profile;
        without_job->add(own->from, own->until, taken, 1);
        profile = &*without_job;
    }
    // A start is opened if the job would run at one of these instants.
    AmountProfile::Stretch freed{host.from, host.until};
    if (is_new && own_from.is_infinite()) {
        freed = profile->freed(needed, given.taken_on(host), host.from, host.until);
    } else if (is_new) {
        freed = profile->freed(needed, given.taken_on(host), host.from, std::min(host.until, own_from));
        const Time behind = std::max(host.from, own->until);
        const AmountProfile::Stretch others = profile->freed(needed, given.taken_on(host), behind, host.until);
        freed = {std::min(freed.begin, others.begin), others.begin.is_infinite() ? freed.end : others.end};
    }
    if (!freed.begin.is_infinite()) {
        const Time from = std::max(among.begin, freed.begin - length + Duration::microseconds(1));
        const Time until = std::min(among.end, freed.end);
        const Time start = profile->earliest(needed, length, from, std::min(until, before), own_from);
        if (!start.is_infinite()) {
            return {start, until};
        }
    }
    return {Time::infinity(), among.begin};
}

Time Timeline::first_on(const Request& request, std::span<const Amount> needed, int host, Time from) const {
    return suits(request, host) ? hosts_[static_cast<std::size_t>(host)].first_for_ever(needed, from)
                                : Time::infinity();
}

Time Timeline::earliest_of(const std::vector<Time>& firsts, const Request& request, Duration length, Time from,
                           Time before) const {
    if (firsts.size() < static_cast<std::size_t>(request.processors)) {
        return Time::infinity();
    }
    std::vector<Time> sorted(firsts);  // up to the last host that the job needs
    const auto last = sorted.begin() + (request.processors - 1);
    std::ranges::nth_element(sorted, last);
    const Time first = std::max(*last, from);
    return first < before ? counted_.earliest(request, length, first, before) : Time::infinity();
}

Time Timeline::earliest(const SchedulerState& state, JobIndex job, Kept& kept) const {
    const Request& request = state.job(job).request;
    const Duration length = state.estimate(job);
    if (hosts_.empty() || !all_are_rising() || is_inside(request)) {
        return earliest(request, length, origin_);
    }
    const std::vector<Amount> needed = needed_of_host(request);
    const auto ask = [&](int host) {
        kept.firsts[static_cast<std::size_t>(host)] = first_on(request, needed, host, origin_);
    };
    if (kept.firsts.empty() || kept.job != job || kept.since < forgotten_changes_) {
        kept.firsts.resize(hosts_.size());
        for (int host = 0; host < machine_->processors(); ++host) {
            ask(host);
        }
    } else {
        HostIndex::Bits hosts(not_rising_.size());
        std::for_each(changed_.begin() + static_cast<std::ptrdiff_t>(kept.since - forgotten_changes_), changed_.end(),
                      [&](int host) { HostIndex::insert(hosts, host); });
        HostIndex::each_host(hosts, ask);
    }
    kept.job = job;
    kept.since = changes();
    return earliest_of(kept.firsts, request, length, origin_, Time::infinity());
}

Place Timeline::choose(const SchedulerState& state, JobIndex job, Time at, const Kept& kept) const {
    const bool is_true = kept.job == job && kept.since == changes() && !kept.firsts.empty();
    return choose(state.job(job).request, state.estimate(job), at, is_true ? &kept.firsts : nullptr);
}

Place Timeline::choose(const Request& request, Duration length, Time at, const std::vector<Time>* firsts,
                       const Own* own) const {
    if (is_inside(request)) {
        const std::optional<std::size_t> window = window_for(request, length, at);
        return {view(*window).choose(request, length, at, nullptr).hosts, window};
    }
    if (hosts_.empty()) {
        return {};
    }
    const std::vector<Amount> needed = needed_of_host(request);
    std::vector<Candidate> candidates;  // by number
    candidates.reserve(hosts_.size());
    // Where nobody begins later, a stretch that includes now has no end: the lowest of such hosts are enough.
    const bool is_now = at == origin_ && request.placement != Placement::fullest;
    int without_end = 0;
    const auto look_at = [&](int host) {
        const auto number = static_cast<std::size_t>(host);
        if (firsts != nullptr && (*firsts)[number] > at) {
            return;  // most hosts: nobody is to begin later on any of them
        }
        const bool has_end = !is_now || !is_rising(host);
        if (!has_end && without_end >= request.processors) {
            return;
        }
        AmountProfile::Stretch stretch{origin_, Time::infinity()};
        if (!is_rising(host)) {
            stretch = stretch_around(hosts_[number], request, needed, length, at);
        } else {
            stretch.begin = firsts != nullptr ? (*firsts)[number] : hosts_[number].first_for_ever(needed, origin_);
        }
        if (stretch.begin <= at && (stretch.end.is_infinite() || at + length <= stretch.end)) {
            stretch.begin = std::max(stretch.begin, origin_);
            without_end += has_end ? 0 : 1;
            candidates.push_back({host, stretch});
        }
    };
    if (index_) {
        HostIndex::Bits hosts;
        index_->next(search_of(request, needed, length, own), at, at + Duration::microseconds(1), hosts);
        HostIndex::each_host(hosts, look_at);
    } else {
        for (int host = 0; host < machine_->processors(); ++host) {
            if (suits(request, host)) {
                look_at(host);
            }
        }
    }
    return {best_of(candidates, request, length, at)};
}

Place Timeline::choose_now(const Request& request, Duration length, const FittingHosts& now) const {
    const std::vector<Amount> needed = needed_of_host(request);
    std::vector<Candidate> candidates;  // by number
    candidates.reserve(static_cast<std::size_t>(now.count));
    int without_end = 0;
    HostIndex::each_host(now.hosts, [&](int host) {
        const auto number = static_cast<std::size_t>(host);
        if (!is_rising(host)) {
            const Time end = hosts_[number].next_free(needed, origin_).end;
            if (end.is_infinite() || origin_ + length <= end) {
                candidates.push_back({host, {origin_, end}});
            }
        } else if (without_end < request.processors || request.placement == Placement::fullest) {
            candidates.push_back({host, {origin_, Time::infinity()}});
            ++without_end;
        }
    });
    return {best_of(candidates, request, length, origin_)};
}

ResourceSet Timeline::best_of(std::vector<Candidate>& candidates, const Request& request, Duration length,
                              Time at) const {
    if (request.placement == Placement::fullest) {
        sort_fullest(candidates, length, at);
    } else if (request.placement == Placement::snug) {
        std::ranges::nth_element(candidates, candidates.begin() + request.processors,
                                 [](const Candidate& a, const Candidate& b) {
                                     return a.stretch.begin != b.stretch.begin ? a.stretch.begin > b.stretch.begin
                                            : a.stretch.end != b.stretch.end   ? a.stretch.end < b.stretch.end
                                                                               : a.host < b.host;
                                 });
    }
    candidates.resize(static_cast<std::size_t>(request.processors));
    if (request.placement == Placement::fullest || request.placement == Placement::snug) {
        std::ranges::sort(candidates, {}, &Candidate::host);
    }
    ResourceSet chosen;
    for (auto first = candidates.begin(); first != candidates.end();) {
        auto end = first + 1;
        while (end != candidates.end() && end->host == std::prev(end)->host + 1) {
            ++end;
        }
        chosen.insert(ResourceSet::range(first->host, std::prev(end)->host));
        first = end;
    }
    return chosen;
}

// By the least that is left on each host before the job is placed. A host that is not shared has 1 of everything.
void Timeline::sort_fullest(std::vector<Candidate>& candidates, Duration length, Time at) const {
    const std::size_t capacities = machine_->resources().capacities().size();
    std::vector<std::pair<std::vector<Amount>, Candidate>> keyed;
    for (const Candidate& candidate : candidates) {
        std::vector<Amount> left(capacities, 1);
        if (machine_->resources().kind_of(candidate.host).is_shared) {
            for (std::size_t capacity = 0; capacity < capacities; ++capacity) {
                left[capacity] = hosts_[static_cast<std::size_t>(candidate.host)].least(capacity + 1, at, at + length);
            }
        }
        keyed.emplace_back(std::move(left), candidate);
    }
    std::ranges::stable_sort(keyed, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::ranges::transform(keyed, candidates.begin(), [](const auto& one) { return one.second; });
}

}  // namespace batfill
