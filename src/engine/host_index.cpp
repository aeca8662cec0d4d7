#include <algorithm>
#include <utility>

#include <batfill/engine/host_index.hpp>

namespace batfill {

namespace {

// 1, and the largest ones of 2, 4, 8, ... up to the most that a host has.
std::vector<Amount> levels_up_to(Amount most) {
    std::vector<Amount> levels;
    for (Amount two = 2; two <= most && two > 0; two *= 2) {
        levels.push_back(two);
    }
    const std::size_t left_out = levels.size() - std::min(levels.size(), HostIndex::most_levels - 1);
    levels.erase(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(left_out));
    levels.insert(levels.begin(), 1);
    return levels;
}

bool has_at_least(int number, const HostIndex::Bits& hosts) {
    for (std::size_t word = 0; word < hosts.size() && number > 0; ++word) {
        number -= hosts[word] == 0 ? 0 : std::popcount(hosts[word]);
    }
    return number <= 0;
}

}  // namespace

HostIndex::HostIndex(const Resources& resources, std::span<const Amount> levels, std::span<const AmountProfile> hosts,
                     Time origin)
    : resources_(&resources), words_((hosts.size() + 63) / 64), levels_{{levels.begin(), levels.end()}} {
    for (std::size_t capacity = 0; capacity < resources.capacities().size(); ++capacity) {
        Amount most = 0;
        for (const Resources::HostKind& kind : resources.kinds()) {
            most = std::max(most, kind.capacity[capacity]);
        }
        levels_.push_back(levels_up_to(most));
    }
    for (const std::vector<Amount>& of_column : levels_) {
        first_row_.push_back(rows_);
        rows_ += of_column.size();
    }
    hosts_of_kind_.assign(resources.kinds().size(), Bits(words_));
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        hosts_of_kind_[resources.kind_number_of(static_cast<int>(host))][host / 64] |= std::uint64_t{1} << host % 64;
    }
    build(hosts, origin);
}

void HostIndex::build(std::span<const AmountProfile> hosts, Time origin) {
    changes_ = 0;
    behind_ = 0;
    begin_ = origin;
    bits_.assign(words_ * rows_ * 2 * buckets, 0);
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        set(static_cast<int>(host), hosts[host], 0, buckets);
    }
}

HostIndex::Bits HostIndex::bits_of(const ResourceSet& hosts) const {
    Bits bits(words_);
    for (const int host : hosts.numbers()) {
        insert(bits, host);
    }
    return bits;
}

std::size_t HostIndex::bucket_of(Time t) const {
    return t >= begin_of(buckets) ? buckets : static_cast<std::size_t>((t - begin_).count() / width_.count());
}

std::size_t HostIndex::levels_of(std::size_t column, Amount amount) const {
    const std::vector<Amount>& levels = levels_[column];
    return static_cast<std::size_t>(std::ranges::upper_bound(levels, amount) - levels.begin());
}

void HostIndex::set(int host, const AmountProfile& profile, std::size_t first, std::size_t end) {
    const std::size_t word = static_cast<std::size_t>(host) / 64;
    const std::uint64_t bit = std::uint64_t{1} << static_cast<std::size_t>(host) % 64;
    while (first < end) {
        // As long as nothing changes, the buckets are alike.
        const auto next = std::ranges::upper_bound(profile.instants(), begin_of(first));
        const std::size_t stop = next == profile.instants().end() ? end : std::clamp(bucket_of(*next), first + 1, end);
        for (std::size_t column = 0; column < levels_.size(); ++column) {
            const auto [least, most] = profile.bounds(column, begin_of(first), begin_of(first + 1));
            for (const auto& [during, amount] : {std::pair(During::all, least), std::pair(During::some, most)}) {
                const std::size_t reached = levels_of(column, amount);
                for (std::size_t level = 0; level < levels_[column].size(); ++level) {
                    std::uint64_t* const row = bits_.data() + position(word, first_row_[column] + level, during);
                    const std::uint64_t value = level < reached ? bit : 0;
                    std::for_each(row + first, row + stop, [&](std::uint64_t& one) { one = (one & ~bit) | value; });
                }
            }
        }
        first = stop;
    }
}

void HostIndex::change(std::span<const AmountProfile> hosts, int host, Time origin, Time from, Time until) {
    ++changes_;
    from = std::max(from, origin);
    if (from >= until) {
        return;
    }
    if (from >= begin_of(buckets)) {
        if (++behind_ > hosts.size() / 8) {
            width_ = std::max(width_, Duration::microseconds((from - origin).count() * 2 / buckets + 1));
            width_ = changes_ < hosts.size() ? width_ * 2 : width_;  // it is not worth while so often
            build(hosts, origin);
        }
        return;
    }
    set(host, hosts[static_cast<std::size_t>(host)], bucket_of(from),
        std::min(bucket_of(until - Duration::microseconds(1)) + 1, buckets));
}

void HostIndex::keep_suitable(const Request& request, Bits& hosts) const {
    hosts.assign(words_, 0);
    for (std::size_t kind = 0; kind < hosts_of_kind_.size(); ++kind) {
        if (resources_->kinds()[kind].suits(request)) {
            for (std::size_t word = 0; word < words_; ++word) {
                hosts[word] |= hosts_of_kind_[kind][word];
            }
        }
    }
}

bool HostIndex::keep(const Search& search, std::span<const std::size_t> rows, std::size_t first, std::size_t end,
                     During during, Bits& hosts) const {
    // Before this bucket, its own hosts count as others do.
    const std::size_t own_begin = search.own != nullptr ? std::clamp(bucket_of(search.own_from), first, end) : end;
    for (std::size_t word = 0; word < words_; ++word) {
        const std::uint64_t own = search.own != nullptr ? (*search.own)[word] : 0;
        std::uint64_t left = hosts[word];
        for (auto number = rows.begin(); number != rows.end() && left != 0; ++number) {
            const std::uint64_t* const row = bits_.data() + position(word, *number, during);
            std::uint64_t all = left;
            std::for_each(row + own_begin, row + end, [&](std::uint64_t one) { all &= one; });
            all |= own;
            std::for_each(row + first, row + own_begin, [&](std::uint64_t one) { all &= one; });
            left &= all;
        }
        hosts[word] = left;
    }
    return has_at_least(search.request.processors, hosts);
}

HostIndex::Starts HostIndex::next(const Search& search, Time from, Time before, Bits& hosts) const {
    std::vector<std::size_t> rows;
    for (std::size_t column = 0; column < levels_.size(); ++column) {
        if (const std::size_t reached = levels_of(column, search.needed[column]); reached > 0) {
            rows.push_back(first_row_[column] + reached - 1);
        }
    }
    Bits suitable;
    keep_suitable(search.request, suitable);
    if (!has_at_least(search.request.processors, suitable)) {
        return {Time::infinity(), before};
    }
    // A run that starts in a bucket goes on through as many whole ones, and then perhaps into the next.
    const auto length = static_cast<std::size_t>(
        std::min<Microseconds>(search.length.count() / width_.count(), static_cast<Microseconds>(buckets)));
    for (std::size_t bucket = bucket_of(from); bucket < buckets && begin_of(bucket) < before;) {
        const std::size_t whole = bucket + 1;
        const std::size_t end = std::max(whole, std::min(bucket + length, buckets));
        const auto has_enough = [&](std::size_t first) {
            hosts = suitable;
            return keep(search, rows, first, end, During::all, hosts);
        };
        if (!has_enough(whole)) {
            // From `bucket` on there are not enough, and from `enough` on there are: until then, all runs fail.
            bucket = whole;
            for (std::size_t enough = end; enough - bucket > 1;) {
                const std::size_t middle = bucket + (enough - bucket) / 2;
                (has_enough(middle) ? enough : bucket) = middle;
            }
        } else if (!keep(search, rows, bucket, whole, During::some, hosts)) {
            ++bucket;
        } else {
            return {std::max(from, begin_of(bucket)), std::min(before, begin_of(whole))};
        }
    }
    hosts = suitable;
    from = std::max(from, begin_of(buckets));
    return {from < before ? from : Time::infinity(), before};
}

}  // namespace batfill
