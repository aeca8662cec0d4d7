#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <batfill/core/machine.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/engine/algorithm.hpp>

#include "tests/support/random.hpp"

namespace batfill::tests {

// What a job holds during [from, until).
struct Holding {
    Request request;
    ResourceSet hosts;
    int from;
    int until;
};

// The definition, second by second: what is left is the total minus what is held. Times are whole seconds from 0 to
// `horizon`, from which on nothing changes.
class PlainTimeline {
 public:
    // `planned`: a flag for each pool; those that are not planned count as free.
    PlainTimeline(const Machine& machine, std::vector<bool> planned, int horizon)
        : machine_(machine), planned_(std::move(planned)), horizon_(horizon) {}

    std::vector<Holding> held;
    int now = 0;

    // At each second of [at, at + length) there is enough.
    bool fits(const Request& request, int length, int at) const {
        for (int t = at; t < at + length; ++t) {
            if (!pools_have(request, t)) {
                return false;
            }
        }
        if (!is_named()) {
            return true;
        }
        int hosts = 0;
        for (int host = 0; host < machine_.processors(); ++host) {
            hosts += has_during(request, host, at, at + length) ? 1 : 0;
        }
        return hosts >= request.processors;
    }

    std::optional<int> earliest(const Request& request, int length, int from) const {
        for (int at = std::max(from, now); at <= horizon_; ++at) {
            if (fits(request, length, at)) {
                return at;
            }
        }
        return std::nullopt;
    }

    ResourceSet choose(const Request& request, int length, int at) const {
        using Rank = std::tuple<std::vector<Amount>, int>;
        std::vector<Rank> ranks;
        for (int host = 0; is_named() && host < machine_.processors(); ++host) {
            if (has_during(request, host, at, at + length)) {
                ranks.emplace_back(rank(request, host, length, at), host);
            }
        }
        std::ranges::sort(ranks);
        ResourceSet chosen;
        for (int i = 0; is_named() && i < request.processors; ++i) {
            const int host = std::get<int>(ranks[static_cast<std::size_t>(i)]);
            chosen.insert(ResourceSet::range(host, host));
        }
        return chosen;
    }

    bool has_at(const Request& request, int host, int t) const {
        const Needs needs = request.needs ? *request.needs : Needs();
        const auto [left, is_empty] = left_on(host, t);
        return machine_.resources().kind_of(host).suits(needs) &&
               (needs.per_host.empty() ? is_empty
                                       : std::ranges::equal(needs.per_host, left, std::ranges::less_equal{}));
    }
    bool has_during(const Request& request, int host, int from, int to) const {
        for (int t = from; t < to; ++t) {
            if (!has_at(request, host, t)) {
                return false;
            }
        }
        return true;
    }

 private:
    bool is_named() const { return machine_.resources().has_named_hosts(); }

    bool pools_have(const Request& request, int t) const {
        int hosts = machine_.processors();
        std::vector<Amount> pools;
        for (const Resources::Pool& pool : machine_.resources().pools()) {
            pools.push_back(pool.total);
        }
        for (const Holding& one : held) {
            if (one.from <= t && t < one.until) {
                hosts -= one.request.processors;
                for (std::size_t pool = 0; one.request.needs && pool < one.request.needs->pools.size(); ++pool) {
                    pools[pool] -= one.request.needs->pools[pool];
                }
            }
        }
        for (std::size_t pool = 0; request.needs && pool < request.needs->pools.size(); ++pool) {
            if (planned_[pool] && request.needs->pools[pool] > 0 && request.needs->pools[pool] > pools[pool]) {
                return false;
            }
        }
        return is_named() || request.processors <= hosts;
    }

    // What is left of each capacity; none if somebody has the whole host. And whether nobody is there.
    std::pair<std::vector<Amount>, bool> left_on(int host, int t) const {
        std::vector<Amount> left = machine_.resources().kind_of(host).capacity;
        bool is_empty = true;
        for (const Holding& one : held) {
            if (one.hosts.contains(host) && one.from <= t && t < one.until) {
                is_empty = false;
                const bool is_whole = !one.request.needs || one.request.needs->per_host.empty();
                for (std::size_t i = 0; i < left.size(); ++i) {
                    left[i] = is_whole ? 0 : left[i] - one.request.needs->per_host[i];
                }
            }
        }
        return {left, is_empty};
    }

    std::vector<Amount> rank(const Request& request, int host, int length, int at) const {
        if (request.placement == Placement::lowest) {
            return {};
        }
        if (request.placement == Placement::fullest) {
            if (!machine_.resources().kind_of(host).is_shared) {
                return std::vector<Amount>(machine_.resources().capacities().size(), 1);
            }
            std::vector<Amount> least = left_on(host, at).first;
            for (int t = at; t < at + length; ++t) {
                const std::vector<Amount> left = left_on(host, t).first;
                for (std::size_t i = 0; i < least.size(); ++i) {
                    least[i] = std::min(least[i], left[i]);
                }
            }
            return least;
        }
        int begin = at;
        while (begin > now && has_at(request, host, begin - 1)) {
            --begin;
        }
        int end = at;
        while (end <= horizon_ && has_at(request, host, end)) {
            ++end;
        }
        return {-begin, end};
    }

    const Machine& machine_;
    std::vector<bool> planned_;
    int horizon_;
};

// Up to six hosts, with pools; with names, if one gets a capacity or a partition.
inline std::vector<Host> draw_hosts(Random& random, bool is_named) {
    std::vector<Host> hosts;
    const std::array capacities{"cores:4,gpus:2", "cores:8", "memory:5,cores:3", ""};
    const std::array partitions{"a", "b", "a,b"};
    for (int number = random.between(1, 6); number > 0; --number) {
        Host host{"h" + std::to_string(number), 1e9, {}, {{"pools", "power:7,bb:3"}}};
        if (is_named && random.between(0, 3) > 0) {
            host.properties["capacity"] = capacities[static_cast<std::size_t>(random.between(0, 3))];
        }
        if (is_named && random.between(0, 1) == 0) {
            host.properties["partitions"] = partitions[static_cast<std::size_t>(random.between(0, 2))];
        }
        hosts.push_back(host);
    }
    return hosts;
}

inline StatedNeeds draw_needs(Random& random) {
    StatedNeeds stated;
    if (random.between(0, 2) == 0) {
        stated.pools = {{"power", random.between(0, 8)}, {"bb", random.between(0, 3)}};
    }
    if (random.between(0, 3) > 0) {
        stated.per_host = StatedNeeds::Amounts{{"cores", random.between(0, 5)}};
        if (random.between(0, 2) == 0) {
            stated.per_host->emplace_back("gpus", random.between(0, 2));
        }
    }
    if (random.between(0, 3) == 0) {
        stated.partition = random.between(0, 1) == 0 ? "a" : "b";
    }
    return stated;
}

}  // namespace batfill::tests
