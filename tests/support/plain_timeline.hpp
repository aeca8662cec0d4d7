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
    std::optional<std::size_t> window = {};  // in which it is, for its reservation
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

    // At each second of [at, at + length) there is enough; in a reservation, in one of its windows.
    bool fits(const Request& request, int length, int at) const {
        if (request.is_booked()) {
            return window_for(request, length, at).has_value();
        }
        return fits_in(request, std::nullopt, length, at);
    }

    // The first window of the reservation in which the job could start then.
    std::optional<std::size_t> window_for(const Request& request, int length, int at) const {
        for (const std::size_t window : request.windows()) {
            const Window& one = machine_.windows()[window];
            if (is_known(one) && one.from <= second(at) && second(at + length) <= one.until &&
                fits_in(request, window, length, at)) {
                return window;
            }
        }
        return std::nullopt;
    }

    // As the job sees the machine from inside this window, or from outside all.
    bool fits_in(const Request& request, std::optional<std::size_t> window, int length, int at) const {
        for (int t = at; t < at + length; ++t) {
            if (!pools_have(request, window, t)) {
                return false;
            }
        }
        if (!is_named()) {
            return true;
        }
        int hosts = 0;
        for (int host = 0; host < machine_.processors(); ++host) {
            hosts += has_during(request, host, at, at + length, window) ? 1 : 0;
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
        const std::optional<std::size_t> window = window_for(request, length, at);
        using Rank = std::tuple<std::vector<Amount>, int>;
        std::vector<Rank> ranks;
        for (int host = 0; is_named() && host < machine_.processors(); ++host) {
            if (has_during(request, host, at, at + length, window)) {
                ranks.emplace_back(rank(request, host, length, at, window), host);
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

    bool has_at(const Request& request, int host, int t, std::optional<std::size_t> window = {}) const {
        for (std::size_t other = 0; other < machine_.windows().size(); ++other) {
            const Window& one = machine_.windows()[other];
            if (other != window && is_taken_at(one, t) && one.hosts.contains(host)) {
                return false;
            }
        }
        if (window && !machine_.windows()[*window].allows_host(host)) {
            return false;
        }
        const auto [left, is_empty] = left_on(host, t);
        return machine_.resources().kind_of(host).suits(request) &&
               (request.takes_whole_hosts() ? is_empty
                                            : std::ranges::equal(request.per_host(), left, std::ranges::less_equal{}));
    }
    bool has_during(const Request& request, int host, int from, int to, std::optional<std::size_t> window = {}) const {
        for (int t = from; t < to; ++t) {
            if (!has_at(request, host, t, window)) {
                return false;
            }
        }
        return true;
    }

 private:
    bool is_named() const { return machine_.resources().has_named_hosts(); }

    static Time second(int number) { return Time::seconds(number); }
    bool is_known(const Window& window) const { return window.announced <= second(now) && window.until > second(now); }
    bool is_taken_at(const Window& window, int t) const {
        return was_known(window) && window.from <= second(t) && second(t) < window.until;
    }
    // A window that is over stays what it was.
    bool was_known(const Window& window) const { return window.announced <= second(now); }

    // Column 0 is the number of processors, if they are counted; then the pools.
    Amount amount_of(const Window& window, std::size_t column) const {
        return column == 0 ? window.processors : window.pool_amounts.empty() ? 0 : window.pool_amounts[column - 1];
    }
    static Amount amount_of(const Request& request, std::size_t column) {
        if (column == 0) {
            return request.processors;
        }
        const std::vector<Amount>& pools = request.pools();
        return pools.empty() ? 0 : pools[column - 1];
    }

    // What a job sees of a column at an instant, in the words of the page.
    bool has_of_column(const Request& request, std::size_t column, std::optional<std::size_t> window, int t) const {
        const Amount needed = amount_of(request, column);
        Amount left = column == 0 ? machine_.processors() : machine_.resources().pools()[column - 1].total;
        const bool is_inside = window && amount_of(machine_.windows()[*window], column) > 0;
        Amount left_inside = is_inside ? amount_of(machine_.windows()[*window], column) : 0;
        for (const Holding& one : held) {
            if (t < one.from || one.until <= t) {
                continue;
            }
            const bool holds_inside = one.window && amount_of(machine_.windows()[*one.window], column) > 0;
            if (!holds_inside || (is_inside && one.window == window)) {
                left -= amount_of(one.request, column);
            }
            if (holds_inside && one.window == window) {
                left_inside -= amount_of(one.request, column);
            }
        }
        for (std::size_t other = 0; other < machine_.windows().size(); ++other) {
            const Window& one = machine_.windows()[other];
            if (is_taken_at(one, t) && !(is_inside && other == window)) {
                left -= amount_of(one, column);
            }
        }
        return needed <= left && (!is_inside || needed <= left_inside);
    }

    bool pools_have(const Request& request, std::optional<std::size_t> window, int t) const {
        for (std::size_t pool = 0; pool < machine_.resources().pools().size(); ++pool) {
            if (planned_[pool] && amount_of(request, pool + 1) > 0 && !has_of_column(request, pool + 1, window, t)) {
                return false;
            }
        }
        return is_named() || has_of_column(request, 0, window, t);
    }

    // What is left of each capacity; none if somebody has the whole host. And whether nobody is there.
    std::pair<std::vector<Amount>, bool> left_on(int host, int t) const {
        std::vector<Amount> left = machine_.resources().kind_of(host).capacity;
        bool is_empty = true;
        for (const Holding& one : held) {
            if (one.hosts.contains(host) && one.from <= t && t < one.until) {
                is_empty = false;
                const bool is_whole = one.request.takes_whole_hosts();
                for (std::size_t i = 0; i < left.size(); ++i) {
                    left[i] = is_whole ? 0 : left[i] - one.request.per_host()[i];
                }
            }
        }
        return {left, is_empty};
    }

    std::vector<Amount> rank(const Request& request, int host, int length, int at,
                             std::optional<std::size_t> window) const {
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
        while (begin > now && has_at(request, host, begin - 1, window)) {
            --begin;
        }
        int end = at;
        while (end <= horizon_ && has_at(request, host, end, window)) {
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

// Some windows of each kind that begin by the second `last`, half of them for a booking.
inline std::vector<Window> draw_windows(Random& random, bool is_named, int processors, int last) {
    std::vector<Window> windows;
    for (int i = random.between(0, 4); i > 0; --i) {
        Window window;
        window.name = "w";
        const int from = random.between(0, last);
        window.from = Time::seconds(from);
        window.until = Time::seconds(from + random.between(1, 25));
        window.announced = Time::seconds(random.between(0, from));
        if (random.one_in(3)) {
            window.pools = {{"power", random.between(1, 5)}};
        } else if (random.one_in(3)) {
            window.all_hosts = true;
        } else if (is_named) {
            const int first = random.between(0, processors - 1);
            window.hosts = ResourceSet::range(first, random.between(first, processors - 1));
        } else {
            window.processors = random.between(1, processors);
        }
        if (random.one_in(2)) {
            window.booked_for = {random.one_in(2) ? "course" : "demo"};
        }
        windows.push_back(std::move(window));
    }
    return windows;
}

}  // namespace batfill::tests
