#include <algorithm>
#include <utility>

#include <batfill/engine/host_index.hpp>

namespace batfill {

namespace {

constexpr std::size_t buckets = 96;
constexpr std::size_t most_levels = 16;  // of a capacity

// 1, and the largest ones of 2, 3, 4, 6, 8, 12, ... up to the most that a host has.
std::vector<Amount> levels_up_to(Amount most) {
    std::vector<Amount> levels;
    for (Amount two = 2; two <= most && two > 0; two *= 2) {
        levels.push_back(two);
        if (two / 2 <= most - two) {
            levels.push_back(two + two / 2);
        }
    }
    const std::size_t left_out = levels.size() - std::min(levels.size(), most_levels - 1);
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
    bits_.assign(buckets * 2 * rows_ * words_, 0);
    // A host's rows differ from those of the bucket before only if something changes in one of both.
    std::vector<std::pair<std::size_t, int>> changing;
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        changing.emplace_back(0, static_cast<int>(host));
        for (const Time at : hosts[host].instants()) {
            if (const std::size_t bucket = at > origin ? bucket_of(at) : 0; bucket < buckets) {
                changing.emplace_back(bucket, static_cast<int>(host));
                changing.emplace_back(bucket + 1, static_cast<int>(host));
            }
        }
    }
    std::ranges::sort(changing);
    changing.erase(std::unique(changing.begin(), changing.end()), changing.end());
    auto next = changing.begin();
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        const auto at = bits_.begin() + static_cast<std::ptrdiff_t>(position(bucket, During::all, 0));
        const auto size = static_cast<std::ptrdiff_t>(2 * rows_ * words_);
        if (bucket > 0) {
            std::copy_n(at - size, size, at);
        }
        for (; next != changing.end() && next->first == bucket; ++next) {
            set(bucket, next->second, hosts[static_cast<std::size_t>(next->second)]);
        }
    }
}

std::size_t HostIndex::bucket_of(Time t) const {
    return t >= begin_of(buckets) ? buckets : static_cast<std::size_t>((t - begin_).count() / width_.count());
}

std::size_t HostIndex::levels_of(std::size_t column, Amount amount) const {
    const std::vector<Amount>& levels = levels_[column];
    return static_cast<std::size_t>(std::ranges::upper_bound(levels, amount) - levels.begin());
}

void HostIndex::set_rows(std::size_t bucket, During during, int host, std::size_t first, std::size_t last, bool value) {
    const auto number = static_cast<std::size_t>(host);
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    for (std::size_t row = first; row < last; ++row) {
        std::uint64_t& word = bits_[position(bucket, during, row) + number / 64];
        word = value ? word | bit : word & ~bit;
    }
}

void HostIndex::values_in(std::size_t bucket, const AmountProfile& profile, Values& values) const {
    values.least.clear();
    values.most.clear();
    for (std::size_t column = 0; column < levels_.size(); ++column) {
        const auto [least, most] = profile.bounds(column, begin_of(bucket), begin_of(bucket + 1));
        values.least.push_back(least);
        values.most.push_back(most);
    }
}

void HostIndex::set(std::size_t bucket, int host, const AmountProfile& profile) {
    Values values;
    values_in(bucket, profile, values);
    for (std::size_t column = 0; column < levels_.size(); ++column) {
        const std::size_t first = first_row_[column];
        const std::size_t last = first + levels_[column].size();
        for (const auto& [during, amount] :
             {std::pair(During::all, values.least[column]), std::pair(During::some, values.most[column])}) {
            const std::size_t reached = first + levels_of(column, amount);
            set_rows(bucket, during, host, first, reached, true);
            set_rows(bucket, during, host, reached, last, false);
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
    const AmountProfile& profile = hosts[static_cast<std::size_t>(host)];
    if (from >= begin_of(buckets)) {
        if (++behind_ > hosts.size() / 8) {
            width_ = std::max(width_, Duration::microseconds((from - origin).count() * 2 / buckets + 1));
            width_ = changes_ < hosts.size() ? width_ * 2 : width_;  // it is not worth while so often
            build(hosts, origin);
        }
        return;
    }
    const std::size_t first = bucket_of(from);
    const std::size_t end = std::min(bucket_of(until - Duration::microseconds(1)) + 1, buckets);
    Values values;
    for (std::size_t bucket = first; bucket < end;) {
        if (begin_of(bucket) < from || begin_of(bucket + 1) > until) {
            set(bucket++, host, profile);
            continue;
        }
        // As long as nothing changes, the buckets are alike.
        const auto next = std::ranges::upper_bound(profile.instants(), begin_of(bucket));
        const std::size_t alike = bucket_of(next == profile.instants().end() ? until : std::min(*next, until));
        const std::size_t stop = std::clamp(alike, bucket + 1, end);
        values_in(bucket, profile, values);
        for (std::size_t column = 0; column < levels_.size(); ++column) {
            const Amount added = sign * amounts[column];
            change_rows(bucket, stop, During::all, host, column, values.least[column], values.least[column] - added);
            change_rows(bucket, stop, During::some, host, column, values.most[column], values.most[column] - added);
        }
        bucket = stop;
    }
}

void HostIndex::change_rows(std::size_t bucket, std::size_t end, During during, int host, std::size_t column,
                            Amount amount, Amount before) {
    const std::size_t was = first_row_[column] + levels_of(column, before);
    const std::size_t is = first_row_[column] + levels_of(column, amount);
    for (; was != is && bucket < end; ++bucket) {
        set_rows(bucket, during, host, std::min(was, is), std::max(was, is), is > was);
    }
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

bool HostIndex::keep(const Search& search, std::span<const std::size_t> rows, std::size_t bucket, During during,
                     const Bits& own, Bits& hosts) const {
    const bool has_own = !own.empty() && begin_of(bucket + 1) > search.own_from;
    for (const std::size_t number : rows) {
        const std::span<const std::uint64_t> having = row(bucket, during, number);
        for (std::size_t word = 0; word < words_; ++word) {
            hosts[word] &= having[word] | (has_own ? own[word] : 0);
        }
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
    Bits own;
    if (search.own != nullptr) {
        own.resize(words_);
        for (const int host : search.own->numbers()) {
            const auto number = static_cast<std::size_t>(host);
            own[number / 64] |= std::uint64_t{1} << number % 64;
        }
    }
    // A run that starts in a bucket goes on through as many whole ones, and then perhaps into the next.
    const auto length = static_cast<std::size_t>(
        std::min<Microseconds>(search.length.count() / width_.count(), static_cast<Microseconds>(buckets)));
    for (std::size_t bucket = bucket_of(from); bucket < buckets && begin_of(bucket) < before;) {
        hosts = suitable;
        std::size_t failed = 0;
        for (std::size_t whole = std::min(bucket + length, buckets); whole-- > bucket + 1 && failed == 0;) {
            failed = keep(search, rows, whole, During::all, own, hosts) ? 0 : whole;
        }
        if (failed > 0) {
            bucket = failed;  // until then, all runs go through it and through what comes after it here
        } else if (!keep(search, rows, bucket, During::some, own, hosts)) {
            ++bucket;
        } else {
            return {std::max(from, begin_of(bucket)), std::min(before, begin_of(bucket + 1))};
        }
    }
    hosts = suitable;
    from = std::max(from, begin_of(buckets));
    return {from < before ? from : Time::infinity(), before};
}

}  // namespace batfill
