#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <batfill/core/machine.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>

namespace batfill {

// What is free on each host of a machine with named hosts (Resources::has_named_hosts) at this instant: its amounts,
// and whether anybody runs there. On another machine, are_named() is false, and nobody asks for more.
// Cost: O(hosts of the job) for a start or an end; O(hosts) for a question.
class HostsNow {
 public:
    HostsNow() = default;
    // All hosts are empty.
    // Requires: `machine` outlives this object.
    explicit HostsNow(const Machine& machine);

    bool are_named() const { return hosts_ > 0; }
    // How many hosts the machine has.
    int size() const { return hosts_; }
    // These hosts have nothing free, whatever runs there.
    void set_unavailable(ResourceSet hosts) {
        unavailable_ = std::move(hosts);
        forget_changes();
    }

    bool is_available(int host) const { return !unavailable_.contains(host); }

    // Whether this host has what the job takes of each of its hosts.
    bool fits(const Request& request, int host) const { return has(request.details_or_none(), host); }
    bool fits(const Request::Details& taken, int host) const { return has(taken, host); }
    // The same of a host that may be unavailable.
    bool fits_if_available(const Request& request, int host) const;
    // Those that do: a bit for each host (HostIndex::Bits).
    std::vector<std::uint64_t> all_fitting(const Request& request) const;
    // The first such host from `host` on; the number of hosts if there is none.
    int next_fitting(const Request& request, int host) const;
    // Whether enough hosts do.
    bool fits(const Request& request) const { return count_fitting(request) == request.processors; }
    // How many hosts do; at most as many as the job needs.
    int count_fitting(const Request& request) const;

    // The hosts that have changed, one after another, have numbers from 1 on. The number of the next one.
    std::uint64_t changes() const { return forgotten_changes_ + changed_.size(); }
    // Those from number `since` on; none if they are forgotten: then any host may have changed.
    std::optional<std::span<const int>> changed_since(std::uint64_t since) const {
        return since < forgotten_changes_ ? std::nullopt
                                          : std::optional(std::span(changed_).subspan(since - forgotten_changes_));
    }
    // The hosts on which the job would start now: of those that fit, the lowest or, with Placement::fullest, those with
    // the least left. None of `without`. Empty if there are too few.
    std::optional<ResourceSet> choose(const Request& request, const ResourceSet& without = {}) const;

    // Whether so much is free on this host, by capacity.
    bool has(int host, std::span<const Amount> amounts) const {
        for (std::size_t capacity = 0; capacity < amounts.size(); ++capacity) {
            if (amounts[capacity] > free(host, capacity)) {
                return false;
            }
        }
        return true;
    }

    // Requires: the hosts fit.
    void take(const Request& request, const ResourceSet& hosts) { change(request, hosts, -1); }
    // Returns those that nobody uses any more.
    // Requires: the job has taken them.
    ResourceSet give(const Request& request, const ResourceSet& hosts);

    // What is free of a capacity on a host, whether or not it is unavailable; of one that is not shared, 0.
    Amount free(int host, std::size_t capacity) const {
        return free_[capacity * users_.size() + static_cast<std::size_t>(host)];
    }
    // Whether nobody uses this host.
    bool is_empty(int host) const { return users_[static_cast<std::size_t>(host)] == 0; }

 private:
    bool has(const Request::Details& taken, int host) const {
        return has_if_available(taken, host) && (unavailable_.empty() || !unavailable_.contains(host));
    }
    bool has_if_available(const Request::Details& taken, int host) const {
        if (taken.per_host.empty()) {
            return is_empty(host) && resources_->kind_of(host).is_in_one_of(taken.partitions);
        }
        Amount lacks = 0;  // negative if something is too little; without branches: hosts lack now this, now that
        for (std::size_t capacity = 0; capacity < capacities_; ++capacity) {
            lacks |= free(host, capacity) - taken.per_host[capacity];
        }
        const Resources::HostKind& kind = resources_->kind_of(host);
        return lacks >= 0 && kind.is_shared && (taken.partitions.empty() || kind.is_in_one_of(taken.partitions));
    }
    void change(const Request& request, const ResourceSet& hosts, int sign);
    void forget_changes() {
        forgotten_changes_ += changed_.size() + 1;
        changed_.clear();
    }
    // To compare hosts, one that is not shared has 1 of everything.
    Amount left(int host, std::size_t capacity) const {
        return resources_->kind_of(host).is_shared ? free(host, capacity) : 1;
    }
    Amount& free(int host, std::size_t capacity) {
        return free_[capacity * users_.size() + static_cast<std::size_t>(host)];
    }

    const Resources* resources_ = nullptr;
    int hosts_ = 0;  // none: they have no names
    std::size_t capacities_ = 0;
    std::vector<Amount> free_;  // by capacity, then by host
    std::vector<int> users_;    // jobs, by host
    ResourceSet unavailable_;
    std::vector<int> changed_;
    std::uint64_t forgotten_changes_ = 1;
};

}  // namespace batfill
