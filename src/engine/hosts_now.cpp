#include <algorithm>

#include <batfill/engine/hosts_now.hpp>

namespace batfill {

HostsNow::HostsNow(const Machine& machine)
    : resources_(&machine.resources()),
      hosts_(machine.resources().has_named_hosts() ? machine.processors() : 0),
      capacities_(machine.resources().capacities().size()),
      users_(static_cast<std::size_t>(hosts_)) {
    for (int host = 0; host < hosts_; ++host) {
        const std::vector<Amount>& capacity = resources_->kind_of(host).capacity;
        free_.insert(free_.end(), capacity.begin(), capacity.end());
    }
}

inline bool HostsNow::has_if_available(const Request::Details& taken, int host) const {
    if (taken.per_host.empty() ? !is_empty(host) : !has(host, taken.per_host)) {
        return false;
    }
    const Resources::HostKind& kind = resources_->kind_of(host);
    return (taken.per_host.empty() || kind.is_shared) && kind.is_in_one_of(taken.partitions);
}

inline bool HostsNow::has(const Request::Details& taken, int host) const {
    return has_if_available(taken, host) && (unavailable_.empty() || !unavailable_.contains(host));
}

bool HostsNow::fits(const Request& request, int host) const {
    return has(request.details_or_none(), host);
}

int HostsNow::next_fitting(const Request& request, int host) const {
    const Request::Details& taken = request.details_or_none();
    while (host < hosts_ && !has(taken, host)) {
        ++host;
    }
    return host;
}

bool HostsNow::fits_if_available(const Request& request, int host) const {
    return has_if_available(request.details_or_none(), host);
}

int HostsNow::count_fitting(const Request& request) const {
    int fitting = 0;
    for (int host = next_fitting(request, 0); host < hosts_; host = next_fitting(request, host + 1)) {
        if (++fitting == request.processors) {
            break;
        }
    }
    return fitting;
}

std::optional<ResourceSet> HostsNow::choose(const Request& request, const ResourceSet& without) const {
    std::vector<int> fitting;
    for (int host = next_fitting(request, 0); host < hosts_; host = next_fitting(request, host + 1)) {
        if (without.empty() || !without.contains(host)) {
            fitting.push_back(host);
        }
    }
    if (fitting.size() < static_cast<std::size_t>(request.processors)) {
        return std::nullopt;
    }
    if (request.placement == Placement::fullest) {
        std::ranges::stable_sort(fitting, [this](int a, int b) {
            for (std::size_t capacity = 0; capacity < capacities_; ++capacity) {
                const Amount left_on_a = left(a, capacity);
                const Amount left_on_b = left(b, capacity);
                if (left_on_a != left_on_b) {
                    return left_on_a < left_on_b;
                }
            }
            return false;
        });
    }
    ResourceSet hosts;
    for (int i = 0; i < request.processors; ++i) {
        hosts.insert(ResourceSet::range(fitting[static_cast<std::size_t>(i)], fitting[static_cast<std::size_t>(i)]));
    }
    return hosts;
}

ResourceSet HostsNow::give(const Request& request, const ResourceSet& hosts) {
    change(request, hosts, 1);
    ResourceSet empty;
    for (const int host : hosts.numbers()) {
        if (is_empty(host)) {
            empty.insert(ResourceSet::range(host, host));
        }
    }
    return empty;
}

void HostsNow::change(const Request& request, const ResourceSet& hosts, int sign) {
    if (changed_.size() > 4 * users_.size()) {
        forget_changes();
    }
    std::size_t place = 0;
    for (const int host : hosts.numbers()) {
        changed_.push_back(host);
        users_[static_cast<std::size_t>(host)] -= sign;
        const std::span<const Amount> amounts =
            request.takes_whole_hosts() ? std::span(resources_->kind_of(host).capacity) : request.of_host(place++);
        for (std::size_t capacity = 0; capacity < capacities_; ++capacity) {
            free(host, capacity) += sign * amounts[capacity];
        }
    }
}

}  // namespace batfill
