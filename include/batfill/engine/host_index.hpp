#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <batfill/core/request.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/amount_profile.hpp>

namespace batfill {

// Which named hosts may have enough for a job, and when: an answer in advance, by bits, for a search among the profiles
// of all hosts. It may name too many hosts, but never too few. Time is in buckets, and each amount has some levels.
// Each bucket has two rows for each level: which hosts have that much during all of it, and which at some instant.
class HostIndex {
 public:
    using Bits = std::vector<std::uint64_t>;  // one for each host

    // Requires: `resources` outlives this object; column 0 of each host and its capacities, as Timeline has them.
    // `levels` are the amounts of column 0 that jobs need.
    HostIndex(const Resources& resources, std::span<const Amount> levels, std::span<const AmountProfile> hosts,
              Time origin);

    // The profile of a host has changed in [from, until), by `sign` times these amounts, by column.
    // Requires: `hosts` have what was said of all changes. The host has forgotten what is before `origin`.
    // Cost: O(buckets). At times, O(buckets * hosts) and O(steps of all hosts).
    void change(std::span<const AmountProfile> hosts, int host, Time origin, Time from, Time until,
                std::span<const Amount> amounts, int sign);

    struct Search {
        const Request& request;
        std::span<const Amount> needed;  // of each host, by column
        Duration length;
        const Bits* own = nullptr;  // from `own_from` on, these hosts have enough; null: none
        Time own_from = {};
    };
    struct Starts {
        Time from;
        Time until;
    };
    // The first starts in [from, before) for which there may be enough hosts, and these hosts. `from` is infinite if
    // there are none.
    // Cost: O(buckets of [from, before + length) * hosts / 64) if the job needs as much at all of them; at most the
    // product of the buckets of [from, before) and of `length`.
    Starts next(const Search& search, Time from, Time before, Bits& hosts) const;

    // The levels of a column, increasing, at most `most_levels`.
    static constexpr std::size_t most_levels = 16;
    const std::vector<Amount>& levels(std::size_t column) const { return levels_[column]; }
    std::size_t columns() const { return levels_.size(); }
    // How many levels of the column an amount reaches.
    std::size_t levels_of(std::size_t column, Amount amount) const {
        const std::vector<Amount>& levels = levels_[column];
        if (column > 0 && levels.size() > 1 && amount >= levels[1]) {
            // From the second one on, they are powers of two.
            const auto power_of = [](Amount of) { return std::bit_width(static_cast<std::uint64_t>(of)); };
            return std::min(levels.size(), static_cast<std::size_t>(power_of(amount) - power_of(levels[1]) + 2));
        }
        std::size_t reached = 0;
        while (reached < levels.size() && levels[reached] <= amount) {
            ++reached;
        }
        return reached;
    }

    static bool has(const Bits& hosts, int host) {
        const auto number = static_cast<std::size_t>(host);
        return (hosts[number / 64] >> number % 64 & 1U) != 0;
    }
    static void insert(Bits& hosts, int host) {
        const auto number = static_cast<std::size_t>(host);
        hosts[number / 64] |= std::uint64_t{1} << number % 64;
    }
    static void erase(Bits& hosts, int host) {
        const auto number = static_cast<std::size_t>(host);
        hosts[number / 64] &= ~(std::uint64_t{1} << number % 64);
    }
    static bool has_some(const Bits& hosts, const ResourceSet& numbers) {
        for (const auto& [first, last] : numbers.intervals()) {
            const auto first_word = static_cast<std::size_t>(first) / 64;
            const auto last_word = static_cast<std::size_t>(last) / 64;
            std::uint64_t some = hosts[first_word] >> static_cast<std::size_t>(first) % 64;
            if (first_word == last_word) {
                some &= ~std::uint64_t{0} >> (63 - static_cast<std::size_t>(last - first));
            } else {
                some |= hosts[last_word] << (63 - static_cast<std::size_t>(last) % 64);
                for (std::size_t word = first_word + 1; word < last_word; ++word) {
                    some |= hosts[word];
                }
            }
            if (some != 0) {
                return true;
            }
        }
        return false;
    }
    static int count(const Bits& hosts) {
        int count = 0;
        for (const std::uint64_t word : hosts) {
            count += std::popcount(word);
        }
        return count;
    }
    Bits bits_of(const ResourceSet& hosts) const;
    std::size_t words() const { return words_; }  // of Bits
    template <class Use>
    static void each_host(const Bits& hosts, Use use) {
        for (std::size_t word = 0; word < hosts.size(); ++word) {
            for (std::uint64_t left = hosts[word]; left != 0; left &= left - 1) {
                use(static_cast<int>(word * 64) + std::countr_zero(left));
            }
        }
    }

 private:
    enum class During : std::size_t { all, some };  // of a bucket
    void build(std::span<const AmountProfile> hosts, Time origin);
    std::size_t bucket_of(Time t) const;  // `buckets` if it is behind all
    Time begin_of(std::size_t bucket) const { return begin_ + width_ * static_cast<long long>(bucket); }
    static constexpr std::size_t buckets = 96;
    // The buckets of 64 hosts are side by side: a change is of one host, and of many buckets.
    std::size_t position(std::size_t word, std::size_t row, During during) const {
        return ((word * rows_ + row) * 2 + static_cast<std::size_t>(during)) * buckets;
    }
    // Sets the rows of these buckets for this host whose bits may have changed, by `sign` times these amounts; without
    // amounts, all of them.
    void set(int host, const AmountProfile& profile, std::size_t first, std::size_t end,
             std::span<const Amount> amounts = {}, int sign = 0);
    void keep_suitable(const Request& request, Bits& hosts) const;
    struct Rows {
        const Search& search;
        std::vector<std::size_t> numbers;  // of those that decide
        std::size_t own_begin;             // the bucket from which on its own hosts have enough
    };
    // Those of this word of `hosts` that have what is needed in all these buckets.
    std::uint64_t left_of(const Rows& rows, std::size_t first, std::size_t end, During during, std::size_t word,
                          std::uint64_t hosts) const;
    // Whether enough of these hosts have what is needed during all of these buckets.
    bool has_enough(const Rows& rows, std::size_t first, std::size_t end, const Bits& hosts) const;
    // Keeps the hosts that have what is needed in all these buckets, and says whether enough are left.
    bool keep(const Rows& rows, std::size_t first, std::size_t end, During during, Bits& hosts) const;

    const Resources* resources_;
    std::size_t words_;                        // of a row
    std::vector<std::vector<Amount>> levels_;  // by column, increasing
    std::vector<std::size_t> first_row_;       // by column
    std::size_t rows_ = 0;
    std::vector<Bits> hosts_of_kind_;
    Time begin_;
    Duration width_ = Duration::seconds(1);
    Bits bits_;
    std::vector<bool> is_full_;  // by row: all hosts have that much at all times
    std::size_t changes_ = 0;    // since the rows were built
    std::size_t behind_ = 0;     // how many of them began behind the last bucket
};

}  // namespace batfill
