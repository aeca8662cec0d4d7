#include <algorithm>
#include <array>
#include <bit>

#include <batfill/engine/hosts_now.hpp>

namespace batfill {

HostsNow::HostsNow(const Machine& machine)
    : resources_(&machine.resources()),
      hosts_(machine.resources().has_named_hosts() ? machine.processors() : 0),
      capacities_(machine.resources().capacities().size()),
      users_(static_cast<std::size_t>(hosts_)) {
    for (std::size_t capacity = 0; capacity < capacities_; ++capacity) {
        for (int host = 0; host < hosts_; ++host) {
            free_.push_back(resources_->kind_of(host).capacity[capacity]);
        }
    }
}

std::vector<std::uint64_t> HostsNow::all_fitting(const Request& request) const {
    constexpr std::size_t word_size = 64;
    const Request::Details& taken = request.details_or_none();
    const bool amounts_decide = !taken.per_host.empty() && taken.partitions.empty() && unavailable_.empty() &&
                                resources_->kinds().size() == 1 && resources_->kinds().front().is_shared;
    std::vector<std::uint64_t> fitting((users_.size() + word_size - 1) / word_size);
    for (std::size_t word = 0; word < fitting.size(); ++word) {
        const std::size_t first = word * word_size;
        const std::size_t count = std::min(word_size, users_.size() - first);
        // A first look at the amounts: compilers vectorise it.
        std::array<Amount, word_size> lacks{};  // negative if something is too little
        for (std::size_t capacity = 0; capacity < taken.per_host.size(); ++capacity) {
            const Amount* const left = &free_[capacity * users_.size() + first];
            const Amount needed = taken.per_host[capacity];
            for (std::size_t i = 0; i < count; ++i) {
                lacks[i] |= left[i] - needed;
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            fitting[word] |= static_cast<std::uint64_t>(lacks[i] >= 0) << i;
        }
        for (std::uint64_t left = amounts_decide ? 0 : fitting[word]; left != 0; left &= left - 1) {
            const auto host = static_cast<std::size_t>(std::countr_zero(left));
            if (!has(taken, static_cast<int>(first + host))) {
                fitting[word] &= ~(std::uint64_t{1} << host);
            }
        }
    }
    return fitting;
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
