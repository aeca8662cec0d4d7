#include "src/engine/lack.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace batfill {

namespace {

class Lack {
 public:
    Lack(const SchedulerState& state, const Request& request, const NameOfJob& name)
        : state_(state), request_(request), resources_(state.machine.resources()), name_(name) {
        for (std::size_t pool = 0; pool < request_.pools().size(); ++pool) {
            if (request_.of_pool(pool) > 0 && request_.of_pool(pool) > state.pools_left[pool]) {
                pools_.push_back(pool);
            }
        }
        for (int host = 0; state.hosts.is_on() && host < state.processors; ++host) {
            if (resources_.kind_of(host).suits(request_)) {
                ++hosts_.suitable;
                if (state.hosts.fits(request, host)) {
                    ++hosts_.fitting;
                } else if (state.unavailable.contains(host)) {
                    ++hosts_.unavailable;
                } else {
                    (state.windows.closed().contains(host) ? closed_ : short_).push_back(host);
                }
            }
        }
    }

    void find(WaitReason& reason) {
        constexpr std::size_t most_pools = 3;
        const bool has_named_hosts = state_.hosts.is_on();
        const bool lacks_hosts = has_named_hosts && hosts_.fitting < request_.processors;
        const bool lacks_processors = !has_named_hosts && request_.processors > state_.idle.count();
        reason.kind = !pools_.empty()    ? WaitReason::Kind::pool
                      : lacks_hosts      ? WaitReason::Kind::hosts
                      : lacks_processors ? WaitReason::Kind::processors
                                         : WaitReason::Kind::passed_over;
        for (const std::size_t pool : std::span(pools_).first(std::min(pools_.size(), most_pools))) {
            reason.lack.pools.push_back(pool_lack(pool));
        }
        reason.lack.more_pools = pools_.size() - reason.lack.pools.size();
        reason.lack.has_too_few_processors = !pools_.empty() && lacks_processors;
        reason.idle = has_named_hosts ? hosts_.fitting : reason.idle;
        if (has_named_hosts && (pools_.empty() || lacks_hosts)) {
            describe_hosts();
            if (lacks_hosts) {
                find_who_has_hosts();
            } else {
                hosts_.unavailable = 0;
            }
            reason.lack.hosts = std::move(hosts_);
        }
    }

 private:
    // `of_window`: by the number of an open window.
    Shares shares(const std::function<Amount(JobIndex)>& of_job,
                  const std::function<Amount(std::size_t)>& of_window) const {
        std::vector<Share> holders;  // jobs by estimated end, then windows
        for (const RunningJob& running : state_.running) {
            if (const Amount held = of_job(running.job); held > 0) {
                holders.push_back({name_(running.job), held, running.end});
            }
        }
        for (const std::size_t open : state_.windows.open()) {
            const Window& window = state_.machine.windows()[open];
            if (const Amount held = of_window(open); held > 0) {
                holders.push_back({window.name, held, window.until, true});
            }
        }
        std::ranges::stable_sort(holders, std::ranges::greater(), &Share::amount);
        Shares shares;
        for (Share& share : holders) {
            if (shares.largest.size() < Shares::most) {
                shares.largest.push_back(std::move(share));
            } else {
                ++shares.others;
                shares.rest += share.amount;
            }
        }
        return shares;
    }

    // What jobs hold inside a window that names the pool is the window's. A window may wait for a part of its due.
    WaitReason::Pool pool_lack(std::size_t pool) const {
        const Resources::Pool& whole = resources_.pools()[pool];
        Amount left = whole.total;  // besides jobs; then besides windows
        const auto take = [&](Amount amount) {
            left -= amount;
            return amount;
        };
        const auto of_job = [&](JobIndex job) {
            const std::vector<Amount>& held = state_.job(job).request.pools();
            const std::optional<std::size_t> inside = state_.windows.window_of(job);
            const bool is_of_window = inside && state_.machine.windows()[*inside].names_pool(pool);
            return take(held.empty() || is_of_window ? 0 : held[pool]);
        };
        const auto of_window = [&](std::size_t number) {
            const Window& window = state_.machine.windows()[number];
            return take(window.names_pool(pool) ? std::clamp(left, Amount{0}, window.pool_amounts[pool]) : 0);
        };
        return {whole.name, request_.of_pool(pool), std::max(state_.pools_left[pool], Amount{0}), whole.total,
                shares(of_job, of_window)};
    }

    bool is_whole() const { return request_.takes_whole_hosts(); }
    void describe_hosts() {
        hosts_.needed = request_.processors;
        hosts_.are_whole = is_whole();
        hosts_.may_be_shared = resources_.has_shared_hosts();
        hosts_.partition = request_.partition() ? resources_.partitions()[*request_.partition()] : "";
        for (std::size_t capacity = 0; capacity < request_.per_host().size(); ++capacity) {
            if (request_.per_host()[capacity] > 0) {
                hosts_.amounts.emplace_back(resources_.capacities()[capacity], request_.per_host()[capacity]);
            }
        }
    }
    void find_who_has_hosts() {
        const auto of_job = [&](JobIndex job) -> Amount {
            const ResourceSet& own = state_.job(job).allocation;
            return is_whole() ? std::ranges::count_if(short_, [&](int host) { return own.contains(host); }) : 0;
        };
        std::vector<int> closed = closed_;  // a host is the first window's that takes it
        hosts_.held = shares(of_job, [&](std::size_t window) -> Amount {
            const ResourceSet& taken = state_.machine.windows()[window].hosts;
            return static_cast<Amount>(std::erase_if(closed, [&](int host) { return taken.contains(host); }));
        });
        for (std::size_t capacity = 0; capacity < request_.per_host().size(); ++capacity) {
            find_who_has(capacity);
        }
    }
    // Keeps the capacity that is short on the most hosts, and who has it on the first of them.
    void find_who_has(std::size_t capacity) {
        const auto lacks = [&](int host) { return request_.per_host()[capacity] > state_.hosts.free(host, capacity); };
        const auto lacking = static_cast<std::size_t>(std::ranges::count_if(short_, lacks));
        if (lacking <= hosts_.lacking) {
            return;
        }
        const int host = *std::ranges::find_if(short_, lacks);
        hosts_.lacking = lacking;
        hosts_.capacity = resources_.capacities()[capacity];
        hosts_.host = host;
        hosts_.of_host = resources_.kind_of(host).capacity[capacity];
        const auto of_job = [&](JobIndex index) {
            const Job& job = state_.job(index);
            const std::vector<Amount>& held = job.request.per_host();
            return !job.allocation.contains(host) ? 0 : held.empty() ? hosts_.of_host : held[capacity];
        };
        hosts_.held_there = shares(of_job, [](std::size_t) { return 0; });
    }

    const SchedulerState& state_;
    const Request& request_;
    const Resources& resources_;
    const NameOfJob& name_;
    std::vector<std::size_t> pools_;  // those with too little left
    WaitReason::Hosts hosts_;
    // The suitable hosts that are available and do not fit now, increasing: those in windows, and the others.
    std::vector<int> closed_;
    std::vector<int> short_;
};

}  // namespace

void find_lack(const SchedulerState& state, const Job& job, const NameOfJob& name, WaitReason& reason) {
    Lack(state, job.request, name).find(reason);
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
