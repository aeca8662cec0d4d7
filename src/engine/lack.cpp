#include "src/engine/lack.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace batfill {

namespace {

// What a waiting job outside bookings lacks now, and who has it.
struct Lack {
    const SchedulerState& state;
    const Job& waiting;
    const NameOfJob& name;
    const Request& request = waiting.request;
    const Request::Details& needs = request.details_or_none();
    const Resources& resources = state.machine.resources();
    int fitting = 0;              // hosts that have what it takes now
    std::size_t unavailable = 0;  // suitable hosts
    // The suitable hosts that are available and do not fit now, increasing: those in windows, and the others.
    std::vector<int> in_windows = {};
    std::vector<int> in_use = {};

    void find(WaitReason& reason) {
        for (std::size_t pool = 0; pool < resources.pools().size(); ++pool) {
            const Resources::Pool& whole = resources.pools()[pool];
            const Amount free = std::max(state.pools_left[pool], Amount{0});
            if (const Amount needed = request.of_pool(pool); needed > free) {
                reason.lack.pools.add({whole.name, needed, free, whole.total, shares_of_pool(pool)});
            }
        }
        find_limits(reason);
        const bool lacks_pools = !reason.lack.pools.first.empty();
        const bool lacks_limits = !reason.lack.limits.first.empty();
        if (state.hosts.are_named()) {
            WaitReason::Hosts hosts = suitable_hosts();
            reason.idle = fitting;
            if (reason.needed > fitting) {
                find_who_has(hosts);
            }
            if (reason.needed > fitting || !(lacks_pools || lacks_limits)) {
                reason.lack.hosts = std::move(hosts);
            }
        }
        reason.kind = lacks_pools                    ? WaitReason::Kind::pool
                      : lacks_limits                 ? WaitReason::Kind::limit
                      : reason.needed <= reason.idle ? WaitReason::Kind::passed_over
                      : state.hosts.are_named()      ? WaitReason::Kind::hosts
                                                     : WaitReason::Kind::processors;
    }

    void find_limits(WaitReason& reason) const {
        for (const LimitShare& share : request.limits()) {
            if (share.amount > state.limits.left(share)) {
                const Amount most = state.limits.most(share);
                reason.lack.limits.add({state.limits.name(share, waiting.description()), state.limits.counted(share),
                                        share.amount, most - state.limits.left(share), most, shares_of_limit(share)});
            }
        }
    }

    // `of_window`: by the number of an open window.
    Shares shares(const auto& of_job, const auto& of_window) const {
        std::vector<Share> holders;  // jobs by estimated end, then windows
        for (const RunningJob& running : state.running) {
            holders.push_back({name(running.job), of_job(running.job), running.end});
        }
        for (const std::size_t open : state.windows.open()) {
            const Window& window = state.machine.windows()[open];
            holders.push_back({window.name, of_window(open), window.until, true});
        }
        std::erase_if(holders, [](const Share& share) { return share.amount <= 0; });
        std::ranges::stable_sort(holders, std::ranges::greater(), &Share::amount);
        Shares shares;
        for (const Share& share : holders) {
            shares.add(share);
            shares.rest += shares.others > 0 ? share.amount : 0;
        }
        return shares;
    }

    // What jobs hold inside a window that names the pool is the window's. A window may wait for a part of its due.
    Shares shares_of_pool(std::size_t pool) const {
        Amount left = resources.pools()[pool].total;  // besides jobs; then besides windows
        const auto take = [&](Amount amount) {
            left -= amount;
            return amount;
        };
        const auto of_job = [&](JobIndex job) {
            const std::optional<std::size_t> inside = state.windows.window_of(job);
            const bool is_of_window = inside && state.machine.windows()[*inside].names_pool(pool);
            return take(is_of_window ? 0 : state.job(job).request.of_pool(pool));
        };
        return shares(of_job, [&](std::size_t window) {
            return take(std::clamp(left, Amount{0}, state.machine.windows()[window].amount_of(pool)));
        });
    }

    Shares shares_of_limit(const LimitShare& limit) const {
        const auto of_job = [&](JobIndex other) {
            const std::vector<LimitShare>& taken = state.job(other).request.limits();
            const auto share = std::ranges::find(taken, limit.limit, &LimitShare::limit);
            return share == taken.end() ? Amount{0} : share->amount;
        };
        return shares(of_job, [](std::size_t) { return Amount{0}; });
    }

    WaitReason::Hosts suitable_hosts() {
        WaitReason::Hosts hosts{.are_whole = needs.per_host.empty(),
                                .may_be_shared = resources.has_shared_hosts(),
                                .partition = resources.names_of_partitions(needs.partitions)};
        for (std::size_t capacity = 0; capacity < needs.per_host.size(); ++capacity) {
            if (needs.per_host[capacity] > 0) {
                hosts.amounts.emplace_back(resources.capacities()[capacity], needs.per_host[capacity]);
            }
        }
        for (int host = 0; host < state.processors; ++host) {
            if (resources.kind_of(host).suits(request)) {
                ++hosts.suitable;
                if (state.hosts.fits(request, host)) {
                    ++fitting;
                } else if (state.unavailable.contains(host)) {
                    ++unavailable;
                } else {
                    (state.windows.closed().contains(host) ? in_windows : in_use).push_back(host);
                }
            }
        }
        return hosts;
    }

    // Who has suitable hosts. And the capacity that is short on the most hosts, and who has it on the first of them.
    void find_who_has(WaitReason::Hosts& hosts) const {
        const auto of_job = [&](JobIndex job) -> Amount {
            const ResourceSet& own = state.job(job).allocation;
            return hosts.are_whole ? std::ranges::count_if(in_use, [&](int host) { return own.contains(host); }) : 0;
        };
        hosts.unavailable = unavailable;
        std::vector<int> closed = in_windows;  // a host is the first window's that takes it
        hosts.held = shares(of_job, [&](std::size_t window) {
            const ResourceSet& taken = state.machine.windows()[window].hosts;
            return static_cast<Amount>(std::erase_if(closed, [&](int host) { return taken.contains(host); }));
        });
        std::size_t capacity = 0;
        for (std::size_t one = 0; one < needs.per_host.size(); ++one) {
            const auto lacks = [&](int host) { return needs.per_host[one] > state.hosts.free(host, one); };
            const auto lacking = static_cast<std::size_t>(std::ranges::count_if(in_use, lacks));
            if (lacking > hosts.lacking) {
                hosts.lacking = lacking;
                hosts.host = *std::ranges::find_if(in_use, lacks);
                capacity = one;
            }
        }
        if (hosts.lacking == 0) {
            return;
        }
        hosts.capacity = resources.capacities()[capacity];
        hosts.of_host = resources.kind_of(hosts.host).capacity[capacity];
        const auto on_host = [&](JobIndex index) {
            const Job& job = state.job(index);
            const std::vector<Amount>& held = job.request.per_host();
            return !job.allocation.contains(hosts.host) ? 0 : held.empty() ? hosts.of_host : held[capacity];
        };
        hosts.held_there = shares(on_host, [](std::size_t) { return Amount{0}; });
    }
};

}  // namespace

void find_lacking_limits(const SchedulerState& state, const Job& job, const NameOfJob& name, WaitReason& reason) {
    Lack{state, job, name}.find_limits(reason);
}

void find_lack(const SchedulerState& state, const Job& job, const NameOfJob& name, WaitReason& reason) {
    Lack{state, job, name}.find(reason);
    const auto lacking = std::ranges::find_if(job.request.licenses(),
                                              [&](LicenseIndex license) { return state.copies_left[license] == 0; });
    if (lacking != job.request.licenses().end()) {
        reason.kind = WaitReason::Kind::license;
        reason.license = state.machine.licenses()[*lacking].name;
    } else if (reason.kind == WaitReason::Kind::passed_over && !state.can_start(job.request)) {
        reason.kind = WaitReason::Kind::place;
    }
}

}  // namespace batfill
