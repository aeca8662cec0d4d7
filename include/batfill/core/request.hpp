#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/shared.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// A number of units of a resource. What a unit is, such as a gigabyte, only users know.
using Amount = long long;

// Number of a licence of a machine: its position in Machine::licenses().
using LicenseIndex = std::size_t;

// Which idle processors a job gets.
enum class Placement {
    lowest,                  // the lowest numbers
    contiguous,              // the lowest consecutive ones; a job waits until there are enough
    best_effort_contiguous,  // the lowest consecutive ones if there are enough, else the lowest
    machine,                 // those of the first group that has enough; a job also holds its licences
    // On a machine with named hosts (Resources); elsewhere as `lowest`.
    snug,     // hosts that are free for the shortest time around the job's
    fullest,  // hosts with the least left
};

// "lowest", "contiguous", "best-effort-contiguous", "machine", "snug", "fullest".
const char* to_string(Placement placement);
// The placement of that name, if there is one.
std::optional<Placement> placement_named(std::string_view name);

// What a job takes of a limit that is in use.
struct LimitShare {
    std::uint32_t limit = 0;  // as LimitsNow numbers them
    Amount amount = 0;
    friend bool operator==(const LimitShare&, const LimitShare&) = default;
};

// What a job takes of a machine from its start to its end, in the numbers of the machine. The engine makes it from what
// the job states (StatedNeeds), once, when it admits the job.
struct Request {
    int processors = 0;
    Placement placement = Placement::lowest;

    // Besides whole processors.
    struct Details {
        std::vector<LicenseIndex> licenses = {};  // a copy of each of these; increasing, each once
        std::vector<Amount> pools = {};           // by pool; empty: nothing of any
        std::vector<Amount> per_host = {};        // by capacity; empty: whole hosts
        // If it takes different amounts of its hosts, per_host has the least of each. What it takes of all together, by
        // capacity; and, once it runs, of each of its hosts in their order.
        std::vector<Amount> in_all = {};
        std::vector<Amount> by_host = {};
        std::vector<std::size_t> partitions = {};  // hosts of any of these; increasing, each once; empty: any host
        // The job runs in one of these windows (Machine::windows()), in which it must end. Empty: outside bookings.
        std::vector<std::size_t> windows = {};
        Duration length_inside = {};  // its walltime, without any margin
        // What it takes of limits: numbers and amounts that LimitsNow gives it while it waits and runs. And the class
        // of the jobs that take the same.
        std::vector<LimitShare> limits = {};
        std::uint32_t limit_class = 0;
        friend bool operator==(const Details&, const Details&) = default;
    };
    Shared<Details> details = {};  // none: nothing
    const Details& details_or_none() const {
        static const Details none;
        return details ? *details : none;
    }

    // Only with Placement::machine; usable in the group that has the processors.
    std::span<const LicenseIndex> licenses() const {
        return details ? std::span(details->licenses) : std::span<const LicenseIndex>();
    }
    const std::vector<Amount>& pools() const { return details_or_none().pools; }
    Amount of_pool(std::size_t pool) const { return details && !details->pools.empty() ? details->pools[pool] : 0; }
    const std::vector<Amount>& per_host() const { return details_or_none().per_host; }
    bool takes_whole_hosts() const { return per_host().empty(); }
    // What it takes of the host at this place among its hosts, once it runs. Requires: it does not take whole hosts.
    std::span<const Amount> of_host(std::size_t place) const {
        const std::size_t capacities = details->per_host.size();
        return details->by_host.empty() ? std::span(details->per_host)
                                        : std::span(details->by_host).subspan(place * capacities, capacities);
    }
    // This request with what it takes of each of its hosts. Requires: it does not take whole hosts.
    Request with_amounts(std::vector<Amount> by_host) const {
        Request result = *this;
        Details with = *details;
        with.by_host = std::move(by_host);
        result.details = std::move(with);
        return result;
    }
    const std::vector<std::size_t>& partitions() const { return details_or_none().partitions; }
    const std::vector<LimitShare>& limits() const { return details_or_none().limits; }
    const std::vector<std::size_t>& windows() const { return details_or_none().windows; }
    bool is_booked() const { return !windows().empty(); }
    Duration length_inside() const { return details_or_none().length_inside; }

    friend bool operator==(const Request&, const Request&) = default;
};

// Where a job runs or is to run.
struct Place {
    ResourceSet hosts;                       // empty if hosts are only counted
    std::optional<std::size_t> window = {};  // of a booked job
};

}  // namespace batfill
