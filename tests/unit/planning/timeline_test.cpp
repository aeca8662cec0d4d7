#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/machine.hpp>
#include <batfill/planning/timeline.hpp>

#include "tests/support/random.hpp"

namespace batfill::tests::timeline_test {

namespace {

// Times are whole seconds from 0 to this one, from which on nothing changes.
constexpr int horizon = 80;

Time second(int number) {
    return Time::seconds(number);
}

// What a job holds during [from, until).
struct Holding {
    Request request;
    ResourceSet hosts;
    int from;
    int until;
};

// The definition, second by second: what is left is the total minus what is held.
class Plain {
 public:
    Plain(const Machine& machine, std::vector<bool> planned) : machine_(machine), planned_(std::move(planned)) {}

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
        for (int at = std::max(from, now); at <= horizon; ++at) {
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
        while (end <= horizon && has_at(request, host, end)) {
            ++end;
        }
        return {-begin, end};
    }

    const Machine& machine_;
    std::vector<bool> planned_;
};

Machine draw_machine(Random& random, bool is_named) {
    std::vector<Host> hosts;
    const std::array capacities{"cores:4,gpus:2", "cores:8", "memory:5,cores:3", ""};
    const std::array partitions{"a", "b", "a,b"};
    for (int number = random.between(1, 6); number > 0; --number) {
        Host host{"h", 1e9, {}, {{"pools", "power:7,bb:3"}}};
        if (is_named && random.between(0, 3) > 0) {
            host.properties["capacity"] = capacities[static_cast<std::size_t>(random.between(0, 3))];
        }
        if (is_named && random.between(0, 1) == 0) {
            host.properties["partitions"] = partitions[static_cast<std::size_t>(random.between(0, 2))];
        }
        hosts.push_back(host);
    }
    return Machine(hosts);
}

// A request that the empty machine can hold; none: it drew another one.
std::optional<Request> draw_request(Random& random, const Machine& machine) {
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
    Request request{random.between(1, machine.processors()), Placement::snug, {}};
    request.placement = std::array{Placement::snug, Placement::lowest,
                                   Placement::fullest}[static_cast<std::size_t>(random.between(0, 2))];
    const auto resolved = machine.resources().resolve(&stated, request.processors);
    const auto* const needs = std::get_if<Shared<Needs>>(&resolved);
    if (needs == nullptr) {
        return std::nullopt;
    }
    request.needs = *needs;
    return request;
}

void require_as_defined(unsigned seed, bool is_named) {
    Random random(seed);
    const Machine machine = draw_machine(random, is_named);
    const std::vector<bool> planned{random.between(0, 2) > 0, random.between(0, 2) > 0};
    Plain plain(machine, planned);
    Timeline timeline(machine, Time(), planned);
    for (int step = 0; step < 60; ++step) {
        INFO("seed " << seed << ", step " << step << ", named " << is_named);
        const std::optional<Request> request = draw_request(random, machine);
        const int length = random.between(1, 15);
        const int from = plain.now + random.between(0, 20);
        if (request && from < horizon / 2) {
            const std::optional<int> start = plain.earliest(*request, length, from);
            const Time found = timeline.earliest(*request, Duration::seconds(length), second(from));
            REQUIRE(found == (start ? second(*start) : Time::infinity()));
            REQUIRE(timeline.fits(*request, Duration::seconds(length), second(from)) ==
                    plain.fits(*request, length, from));
            if (start && *start + length < horizon) {
                const ResourceSet hosts = plain.choose(*request, length, *start);
                REQUIRE(timeline.choose(*request, Duration::seconds(length), second(*start)) == hosts);
                plain.held.push_back({*request, hosts, *start, *start + length});
                timeline.take(*request, hosts, second(*start), second(*start + length));
            }
        }
        if (!plain.held.empty() && random.between(0, 3) == 0) {  // gives back the rest of one
            const auto at = static_cast<std::size_t>(random.between(0, static_cast<int>(plain.held.size()) - 1));
            Holding& one = plain.held[at];
            const int since = std::max(one.from, plain.now);
            timeline.give(one.request, one.hosts, second(since), second(one.until));
            one.until = std::min(one.until, since);
        }
        if (random.between(0, 4) == 0) {
            plain.now += random.between(0, 3);
            timeline.advance(second(plain.now));
        }
    }
}

}  // namespace

TEST_CASE("A timeline finds starts and hosts as they are defined, second by second") {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        require_as_defined(seed, false);
        require_as_defined(seed, true);
    }
}

}  // namespace batfill::tests::timeline_test
