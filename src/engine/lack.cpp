#include "src/engine/lack.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <batfill/engine/wait_reason.hpp>

#include "src/support/names.hpp"

namespace batfill {

namespace {

constexpr std::size_t most_named = 3;  // jobs of a share, and pools

// "3 hosts" for a job that takes whole hosts, "3 whole hosts" where others share them.
std::string hosts_named(int number, bool are_whole) {
    return std::to_string(number) + (are_whole ? " whole host" : " host") + (number == 1 ? "" : "s");
}

}  // namespace

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

std::vector<std::string> Lack::shares(const std::function<std::string(const Job&)>& name,
                                      const std::function<Amount(const Job&)>& amount) const {
    std::vector<std::pair<const RunningJob*, Amount>> holders;  // by estimated end
    for (const RunningJob& running : state_.running) {
        if (const Amount held = amount(state_.job(running.job)); held > 0) {
            holders.emplace_back(&running, held);
        }
    }
    std::ranges::stable_sort(holders, [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> texts;
    Amount others = 0;
    for (const auto& [running, held] : holders) {
        if (texts.size() == most_named) {
            others += held;
        } else {
            texts.push_back("job " + name(state_.job(running->job)) + " holds " + std::to_string(held) + " until " +
                            instant_text(running->end));
        }
    }
    if (others > 0) {
        texts.push_back(std::to_string(holders.size() - most_named) + " more hold " + std::to_string(others));
    }
    return texts;
}

std::string Lack::pool_text(std::size_t pool, const std::function<std::string(const Job&)>& name) const {
    const Resources::Pool& whole = resources_.pools()[pool];
    const std::vector<std::string> held = shares(name, [pool](const Job& job) {
        const Needs& needs = job.request.needs_or_none();
        return needs.pools.empty() ? 0 : needs.pools[pool];
    });
    return "it takes " + std::to_string(needs_.pools[pool]) + " of the pool " + whole.name + "; " +
           std::to_string(state_.pools_left[pool]) + " of " + std::to_string(whole.total) + " are free" +
           (held.empty() ? "" : ", as " + enumeration(held));
}

std::string Lack::needed_hosts_text() const {
    std::string text = "it needs " + hosts_named(request_.processors, is_whole() && resources_.has_shared_hosts());
    text += needs_.partition ? " of partition " + resources_.partitions()[*needs_.partition] : "";
    std::vector<std::string> amounts;
    for (std::size_t capacity = 0; capacity < needs_.per_host.size(); ++capacity) {
        if (needs_.per_host[capacity] > 0) {
            amounts.push_back(resources_.capacities()[capacity] + " " + std::to_string(needs_.per_host[capacity]));
        }
    }
    return text + (amounts.empty() ? "" : " with " + enumeration(amounts) + (request_.processors > 1 ? " each" : ""));
}

std::string Lack::hosts_text(const std::function<std::string(const Job&)>& name) const {
    std::string text = needed_hosts_text() + "; " + (fitting_ == 0 ? "none" : std::to_string(fitting_)) + " of " +
                       std::to_string(suitable_) + (is_whole() ? " " : " such hosts ");
    text += is_whole() ? (fitting_ <= 1 ? "is free" : "are free") : (fitting_ <= 1 ? "has that now" : "have that now");
    if (!has_hosts()) {
        return text;
    }
    if (is_whole()) {
        const std::vector<std::string> held = shares(name, [&](const Job& job) {
            return std::ranges::count_if(short_, [&](int host) { return job.allocation.contains(host); });
        });
        text += held.empty() ? "" : ", as " + enumeration(held);
    } else {
        text += short_hosts_text(name);
    }
    const auto lost = std::ranges::count_if(short_, [&](int host) { return state_.unavailable.contains(host); });
    return text + (lost == 0 ? "" : "; " + std::to_string(lost) + (lost == 1 ? " is unavailable" : " are unavailable"));
}

// The amount that is short on the most hosts, and who holds it on the first of them: "; 5 lack gpus: of 4 on host 3,
// job a holds 4 until 100".
std::string Lack::short_hosts_text(const std::function<std::string(const Job&)>& name) const {
    std::size_t capacity = 0;
    std::ptrdiff_t most = 0;
    for (std::size_t one = 0; one < needs_.per_host.size(); ++one) {
        const auto lacking = std::ranges::count_if(short_, [&](int host) { return lacks_on(host, one); });
        if (lacking > most) {
            most = lacking;
            capacity = one;
        }
    }
    if (most == 0) {
        return "";
    }
    const int host = *std::ranges::find_if(short_, [&](int one) { return lacks_on(one, capacity); });
    const std::vector<std::string> held =
        shares(name, [&](const Job& job) { return job.allocation.contains(host) ? held_of(job, capacity, host) : 0; });
    return "; " + std::to_string(most) + (most == 1 ? " lacks " : " lack ") + resources_.capacities()[capacity] +
           ": of " + std::to_string(resources_.kind_of(host).capacity[capacity]) + " on host " + std::to_string(host) +
           ", " + enumeration(held);
}

std::string Lack::text(const std::function<std::string(const Job&)>& name) const {
    std::vector<std::string> parts;
    for (const std::size_t pool : std::span(pools_).first(std::min(pools_.size(), most_named))) {
        parts.push_back(pool_text(pool, name));
    }
    if (pools_.size() > most_named) {
        parts.push_back("it lacks " + std::to_string(pools_.size() - most_named) + " more pools");
    }
    if (hosts_on_ && (pools_.empty() || has_hosts())) {
        parts.push_back(hosts_text(name));
    } else if (!hosts_on_ && !pools_.empty() && request_.processors > state_.idle.count()) {
        parts.push_back("it needs " + counted(static_cast<std::size_t>(request_.processors), "processor") + "; " +
                        std::to_string(state_.idle.count()) + (state_.idle.count() == 1 ? " is idle" : " are idle"));
    }
    return list_of(parts, "; ");
}

}  // namespace batfill
