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
    is_full_.assign(rows_, true);
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        set(static_cast<int>(host), hosts[host], 0, buckets);
    }
}

HostIndex::Bits HostIndex::bits_of(const ResourceSet& hosts) const {
    Bits bits(words_);
    for (const auto& [first, last] : hosts.intervals()) {
        for (auto host = static_cast<std::size_t>(first); host <= static_cast<std::size_t>(last);) {
            const std::size_t stop = std::min(host / 64 * 64 + 63, static_cast<std::size_t>(last));
            bits[host / 64] |= ~std::uint64_t{0} << host % 64 & ~std::uint64_t{0} >> (63 - stop % 64);
            host = stop + 1;
        }
    }
    return bits;
}

std::size_t HostIndex::bucket_of(Time t) const {
    if (t >= begin_of(buckets)) {
        return buckets;
    }
    const Microseconds since = (t - begin_).count();
    const bool are_short = (since >> 63) == 0 && (width_.count() >> 63) == 0;  // a division of 128 bits is a call
    return are_short ? static_cast<std::uint64_t>(since) / static_cast<std::uint64_t>(width_.count())
                     : static_cast<std::size_t>(since / width_.count());
}

void HostIndex::set(int host, const AmountProfile& profile, std::size_t first, std::size_t end,
                    std::span<const Amount> amounts, int sign) {
    const std::size_t word = static_cast<std::size_t>(host) / 64;
    const std::uint64_t bit = std::uint64_t{1} << static_cast<std::size_t>(host) % 64;
    // The levels up to `reached` are there now. Before the change, those between it and `before` were not, or were.
    const auto set_rows = [&](std::size_t column, During during, Amount now, std::size_t stop) {
        const std::size_t reached = levels_of(column, now);
        const std::size_t before = amounts.empty() ? 0 : levels_of(column, now - sign * amounts[column]);
        const std::size_t last = amounts.empty() ? levels_[column].size() : std::max(reached, before);
        for (std::size_t level = std::min(reached, before); level < last; ++level) {
            std::uint64_t* const row = bits_.data() + position(word, first_row_[column] + level, during);
            if (level < reached) {
                std::for_each(row + first, row + stop, [&](std::uint64_t& one) { one |= bit; });
            } else {
                is_full_[first_row_[column] + level] = false;
                std::for_each(row + first, row + stop, [&](std::uint64_t& one) { one &= ~bit; });
            }
        }
    };
    const std::vector<Time>& instants = profile.instants();
    std::size_t step = profile.step_at(begin_of(first));
    while (first < end) {
        // As long as nothing changes, the buckets are alike.
        std::size_t stop = end;
        std::size_t behind = step + 1;  // the steps of the first bucket
        if (behind < instants.size()) {
            stop = std::clamp(bucket_of(instants[behind]), first + 1, end);
            for (const Time end_of_first = begin_of(first + 1);
                 behind < instants.size() && instants[behind] < end_of_first;) {
                ++behind;
            }
        }
        for (std::size_t column = 0; column < levels_.size(); ++column) {
            if (!amounts.empty() && amounts[column] == 0) {
                continue;
            }
            const auto [least, most] = profile.bounds_of_steps(column, step, behind);
            set_rows(column, During::all, least, stop);
            set_rows(column, During::some, most, stop);
        }
        first = stop;
        for (const Time begin = begin_of(first); step + 1 < instants.size() && instants[step + 1] <= begin;) {
            ++step;
        }
    }
}

void HostIndex::change(std::span<const AmountProfile> hosts, int host, Time origin, Time from, Time until,
                       std::span<const Amount> amounts, int sign) {
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
        std::min(bucket_of(until - Duration::microseconds(1)) + 1, buckets), amounts, sign);
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

std::uint64_t HostIndex::left_of(const Rows& rows, std::size_t first, std::size_t end, During during, std::size_t word,
                                 std::uint64_t hosts) const {
    // Before this bucket, its own hosts count as others do.
    const std::size_t own_begin = std::clamp(rows.own_begin, first, end);
    const std::uint64_t own = rows.search.own != nullptr ? (*rows.search.own)[word] : 0;
    for (auto number = rows.numbers.begin(); number != rows.numbers.end() && hosts != 0; ++number) {
        const std::uint64_t* const row = bits_.data() + position(word, *number, during);
        std::uint64_t all = hosts;
        std::for_each(row + own_begin, row + end, [&](std::uint64_t one) { all &= one; });
        all |= own;
        std::for_each(row + first, row + own_begin, [&](std::uint64_t one) { all &= one; });
        hosts &= all;
    }
    return hosts;
}

bool HostIndex::has_enough(const Rows& rows, std::size_t first, std::size_t end, const Bits& hosts) const {
    int missing = rows.search.request.processors;
    for (std::size_t word = 0; word < words_ && missing > 0; ++word) {
        const std::uint64_t left = left_of(rows, first, end, During::all, word, hosts[word]);
        missing -= left == 0 ? 0 : std::popcount(left);
    }
    return missing <= 0;
}

bool HostIndex::keep(const Rows& rows, std::size_t first, std::size_t end, During during, Bits& hosts) const {
    for (std::size_t word = 0; word < words_; ++word) {
        hosts[word] = left_of(rows, first, end, during, word, hosts[word]);
    }
    return has_at_least(rows.search.request.processors, hosts);
}

HostIndex::Starts HostIndex::next(const Search& search, Time from, Time before, Bits& hosts) const {
    Rows rows{search, {}, search.own != nullptr ? bucket_of(search.own_from) : buckets};
    for (std::size_t column = 0; column < levels_.size(); ++column) {
        const std::size_t reached = levels_of(column, search.needed[column]);
        if (reached > 0 && !is_full_[first_row_[column] + reached - 1]) {
            rows.numbers.push_back(first_row_[column] + reached - 1);
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
        hosts = suitable;
        if (!keep(rows, whole, end, During::all, hosts)) {
            // From `bucket` on there are not enough, and from `enough` on there are: until then, all runs fail.
            bucket = whole;
            for (std::size_t enough = end; enough - bucket > 1;) {
                const std::size_t middle = bucket + (enough - bucket) / 2;
                (has_enough(rows, middle, end, suitable) ? enough : bucket) = middle;
            }
        } else if (!keep(rows, bucket, whole, During::some, hosts)) {
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
