#include <algorithm>
#include <span>

#include <batfill/engine/counted_profile.hpp>

namespace batfill {

namespace {

// The first instant of [from, to) at which a column has less than needed, and what it has.
template <class Number>
std::optional<std::pair<Time, Number>> first_lack(const BasicAvailabilityProfile<Number>& free, Number needed,
                                                  Time from, Time to) {
    for (const auto& [begin, left] : free.steps()) {
        const Time instant = std::max(begin, from);
        if (instant < to && free.free_at(instant) < needed) {
            return std::pair(instant, free.free_at(instant));
        }
    }
    return std::nullopt;
}

// See CountedProfile::open().
template <class Number>
void open_column(BasicAvailabilityProfile<Number>& free, const BasicAvailabilityProfile<Number>& left_inside, Time from,
                 Time until) {
    const BasicAvailabilityProfile<Number> outside = free;
    std::vector<Time> instants{from};
    for (const auto* const profile : {&outside, &left_inside}) {
        for (const auto& [instant, amount] : profile->steps()) {
            if (from < instant && instant < until) {
                instants.push_back(instant);
            }
        }
    }
    std::ranges::sort(instants);
    instants.push_back(until);
    for (std::size_t i = 0; i + 1 < instants.size(); ++i) {
        const Number rest = left_inside.free_at(instants[i]);
        const Number of_machine = outside.free_at(instants[i]);
        free.add(instants[i], instants[i + 1], std::min(rest, of_machine + rest) - of_machine);
    }
}

}  // namespace

CountedProfile::CountedProfile(const Machine& machine, Time origin, const std::vector<std::size_t>& pools)
    : origin_(origin) {
    if (!machine.resources().has_named_hosts()) {
        processors_.emplace(origin, machine.processors());
    }
    for (const std::size_t pool : pools) {
        add_pool(pool, machine.resources().pools()[pool].name, machine.resources().pools()[pool].total);
    }
}

CountedProfile CountedProfile::taken_by(const Window& window, Time origin) const {
    CountedProfile taken;
    taken.origin_ = origin;
    if (processors_) {
        taken.processors_.emplace(origin, window.processors);
    }
    for (const Pool& pool : pools_) {
        taken.add_pool(pool.number, pool.name, window.amount_of(pool.number));
    }
    return taken;
}

void CountedProfile::add_pool(std::size_t pool, const std::string& name, Amount free) {
    const auto at = std::ranges::lower_bound(pools_, pool, {}, &Pool::number);
    pools_.insert(at, {pool, name, PoolProfile(origin_, free)});
}

void CountedProfile::take_of(std::size_t column, const Request& request, Time from, Time to) {
    pools_[column - (processors_ ? 1U : 0U)].add(request, from, to, -1);
}

void CountedProfile::add_pools(const Request& request, Time from, Time to, int sign) {
    for (Pool& pool : pools_) {
        pool.add(request, from, to, sign);
    }
}

void CountedProfile::add_part(const Window& window, bool named, const Request& request, int processors, Time from,
                              Time to, int sign) {
    if (processors_ && window.names_processors() == named) {
        processors_->add(from, to, sign * processors);
    }
    for (Pool& pool : pools_) {
        if (window.names_pool(pool.number) == named) {
            pool.add(request, from, to, sign);
        }
    }
}

void CountedProfile::take(const Window& window) {
    if (processors_) {
        processors_->add(window.from, window.until, -window.processors);
    }
    for (Pool& pool : pools_) {
        if (window.names_pool(pool.number)) {
            pool.free.add(window.from, window.until, -window.amount_of(pool.number));
        }
    }
}

void CountedProfile::take_for_ever(int processors) {
    if (processors_) {
        processors_->add(origin_, Time::infinity(), -processors);
    }
}

// Asks the columns in turn, each from the start that the one before it allows, until all agree.
Time CountedProfile::earliest_of_columns(const Request& request, Duration length, Time from, Time before,
                                         Time limit) const {
    const std::vector<Amount>& needed = request.pools();
    Time start = std::max(from, origin_);
    std::optional<Time> agreed;
    while (agreed != start && start < before) {
        if (processors_) {
            start = processors_->earliest(start, length, request.processors, limit, before);
        }
        agreed = start;
        for (const Pool& pool : needed.empty() ? std::span<const Pool>() : pools_) {
            if (needed[pool.number] > 0) {
                start = pool.free.earliest(start, length, needed[pool.number], limit, before);
            }
        }
    }
    return start < before ? start : Time::infinity();
}

std::optional<Shortage> CountedProfile::shortage(const Request& request, Duration length, Time at) const {
    std::optional<Shortage> first;
    const auto note = [&](const auto& lack, Shortage shortage) {
        if (lack && (!first || lack->first < first->at)) {
            shortage.left = std::max(Amount{lack->second}, Amount{0});
            shortage.at = lack->first;
            first = std::move(shortage);
        }
    };
    if (processors_) {
        note(first_lack(*processors_, request.processors, at, at + length),
             {Shortage::Of::processors, "", request.processors});
    }
    for (const Pool& pool : pools_) {
        if (const Amount needed = request.of_pool(pool.number); needed > 0) {
            note(first_lack(pool.free, needed, at, at + length), {Shortage::Of::pool, pool.name, needed});
        }
    }
    return first;
}

void CountedProfile::open(const Window& window, const CountedProfile& left_inside) {
    const Time from = std::max(window.from, origin_);
    if (from >= window.until) {
        return;
    }
    if (processors_ && window.names_processors()) {
        open_column(*processors_, *left_inside.processors_, from, window.until);
    }
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        if (window.names_pool(pools_[i].number)) {
            open_column(pools_[i].free, left_inside.pools_[i].free, from, window.until);
        }
    }
}

bool CountedProfile::takes_of_pools(const Request& request) const {
    const std::vector<Amount>& pools = request.pools();
    return !pools.empty() && std::ranges::any_of(pools_, [&](const Pool& pool) { return pools[pool.number] > 0; });
}

}  // namespace batfill
