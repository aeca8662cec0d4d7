#include "src/engine/lack.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace batfill {

Lack::Lack(const SchedulerState& state, const Request& request)
    : state_(state),
      request_(request),
      needs_(request.needs_or_none()),
      resources_(state.machine.resources()),
      hosts_on_(state.hosts.is_on()) {
    for (std::size_t pool = 0; pool < needs_.pools.size(); ++pool) {
        if (needs_.pools[pool] > 0 && needs_.pools[pool] > state.pools_left[pool]) {
            pools_.push_back(pool);
        }
    }
    for (int host = 0; hosts_on_ && host < state.processors; ++host) {
        if (resources_.kind_of(host).suits(needs_)) {
            ++suitable_;
            if (state.hosts.fits(request, host)) {
                ++fitting_;
            } else {
                short_.push_back(host);
            }
        }
    }
}

Amount Lack::held_of(const Job& running, std::size_t capacity, int host) const {
    const Needs& held = running.request.needs_or_none();
    return held.per_host.empty() ? resources_.kind_of(host).capacity[capacity] : held.per_host[capacity];
}

bool Lack::lacks_on(int host, std::size_t capacity) const {
    return needs_.per_host[capacity] > state_.hosts.free(host, capacity) && !state_.unavailable.contains(host);
}

bool Lack::is_held_by(const Job& running) const {
    const Needs& held = running.request.needs_or_none();
    if (!held.pools.empty() && std::ranges::any_of(pools_, [&](std::size_t pool) { return held.pools[pool] > 0; })) {
        return true;
    }
    return has_hosts() && std::ranges::any_of(short_, [&](int host) {
               if (!running.allocation.contains(host)) {
                   return false;
               }
               for (std::size_t capacity = 0; capacity < needs_.per_host.size(); ++capacity) {
                   if (lacks_on(host, capacity) && held_of(running, capacity, host) > 0) {
                       return true;
                   }
               }
               return is_whole();
           });
}

Shares Lack::shares(const std::function<std::string(const Job&)>& name,
                    const std::function<Amount(const Job&)>& amount) const {
    std::vector<std::pair<const RunningJob*, Amount>> holders;  // by estimated end
    for (const RunningJob& running : state_.running) {
        if (const Amount held = amount(state_.job(running.job)); held > 0) {
            holders.emplace_back(&running, held);
        }
    }
    std::ranges::stable_sort(holders, [](const auto& a, const auto& b) { return a.second > b.second; });
    Shares shares;
    for (const auto& [running, held] : holders) {
        if (shares.largest.size() < Shares::most) {
            shares.largest.push_back({name(state_.job(running->job)), held, running->end});
        } else {
            ++shares.others;
            shares.rest += held;
        }
    }
    return shares;
}

WaitReason::Hosts Lack::hosts_lack(const std::function<std::string(const Job&)>& name) const {
    WaitReason::Hosts hosts{.needed = request_.processors,
                            .are_whole = is_whole(),
                            .may_be_shared = resources_.has_shared_hosts(),
                            .suitable = suitable_,
                            .fitting = fitting_};
    if (needs_.partition) {
        hosts.partition = resources_.partitions()[*needs_.partition];
    }
    for (std::size_t capacity = 0; capacity < needs_.per_host.size(); ++capacity) {
        if (needs_.per_host[capacity] > 0) {
            hosts.amounts.emplace_back(resources_.capacities()[capacity], needs_.per_host[capacity]);
        }
    }
    if (!has_hosts()) {
        return hosts;
    }
    if (is_whole()) {
        hosts.held = shares(name, [&](const Job& job) {
            return std::ranges::count_if(short_, [&](int host) { return job.allocation.contains(host); });
        });
    } else {
        add_short_capacity(name, hosts);
    }
    hosts.unavailable = static_cast<std::size_t>(
        std::ranges::count_if(short_, [&](int host) { return state_.unavailable.contains(host); }));
    return hosts;
}

// The amount that is short on the most hosts, and who holds it on the first of them.
void Lack::add_short_capacity(const std::function<std::string(const Job&)>& name, WaitReason::Hosts& hosts) const {
    std::size_t capacity = 0;
    for (std::size_t one = 0; one < needs_.per_host.size(); ++one) {
        const auto lacking =
            static_cast<std::size_t>(std::ranges::count_if(short_, [&](int host) { return lacks_on(host, one); }));
        if (lacking > hosts.lacking) {
            hosts.lacking = lacking;
            capacity = one;
        }
    }
    if (hosts.lacking > 0) {
        const int host = *std::ranges::find_if(short_, [&](int one) { return lacks_on(one, capacity); });
        hosts.capacity = resources_.capacities()[capacity];
        hosts.host = host;
        hosts.of_host = resources_.kind_of(host).capacity[capacity];
        hosts.held_there = shares(
            name, [&](const Job& job) { return job.allocation.contains(host) ? held_of(job, capacity, host) : 0; });
    }
}

WaitReason::Lack Lack::data(const std::function<std::string(const Job&)>& name) const {
    constexpr std::size_t most_pools = 3;
    WaitReason::Lack lack;
    for (const std::size_t pool : std::span(pools_).first(std::min(pools_.size(), most_pools))) {
        const Resources::Pool& whole = resources_.pools()[pool];
        const auto held = [pool](const Job& job) {
            const Needs& needs = job.request.needs_or_none();
            return needs.pools.empty() ? 0 : needs.pools[pool];
        };
        lack.pools.push_back(
            {whole.name, needs_.pools[pool], state_.pools_left[pool], whole.total, shares(name, held)});
    }
    lack.more_pools = pools_.size() - lack.pools.size();
    if (hosts_on_ && (pools_.empty() || has_hosts())) {
        lack.hosts = hosts_lack(name);
    } else if (!hosts_on_ && !pools_.empty()) {
        lack.has_too_few_processors = request_.processors > state_.idle.count();
    }
    return lack;
}

}  // namespace batfill
