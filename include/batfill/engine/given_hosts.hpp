#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/amount_profile.hpp>
#include <batfill/engine/host_index.hpp>

namespace batfill {

// What has been given back on named hosts, with an answer in advance for each planned job: on which of these hosts what
// it needs is free for long enough. It may name too many hosts, but never too few.
class GivenHosts {
 public:
    static constexpr std::size_t columns_looked_at = 8;  // the first ones of a host
    // What a job needs of each of its hosts, by column, and for how long.
    struct Need {
        Need() = default;
        Need(const HostIndex& index, std::vector<Amount> needed, Duration needed_for);
        std::vector<Amount> amounts;
        float length = 0;                                      // rounded
        std::array<std::uint8_t, columns_looked_at> levels{};  // of the index, that the amounts reach
    };
    struct Host {
        int number;
        Time from;
        Time until;
        std::size_t taken = 0;  // where taken_on() begins
    };

    // Forgets all. `is_new` says that the profiles will not change before the last question.
    void begin(bool is_new);
    bool is_new() const { return is_new_; }
    // `taken` was given back there, by column.
    // Requires: `profile` and `index` have the change.
    // Cost: O(steps of the host).
    void add(const HostIndex& index, const AmountProfile& profile, Host host, std::span<const Amount> taken);
    // In the order of add().
    const std::vector<Host>& hosts() const { return hosts_; }
    // What was given back on one of hosts(), by column.
    // Requires: is_new().
    std::span<const Amount> taken_on(const Host& host) const { return std::span(taken_).subspan(host.taken); }
    bool has_some_of(const ResourceSet& hosts) const { return !hosts_.empty() && HostIndex::has_some(bits_, hosts); }

    // Whether some host may have what is needed for so long, during an interval that meets what was given back there.
    // Cost: O(1).
    bool may_help(const Need& need) const;
    // The numbers of hosts(), from `first` on, that may have such an interval or are in `own`, if that is not null.
    // They increase, and are valid until the next call.
    // Cost: O(hosts).
    std::span<const std::size_t> that_may_help(const Need& need, std::size_t first, const HostIndex::Bits* own);

 private:
    static constexpr std::size_t levels = HostIndex::most_levels + 1;  // the first one: nothing is needed
    template <class Value>
    using ByLevel = std::array<std::array<Value, levels>, columns_looked_at>;

    bool is_new_ = true;
    std::size_t columns_ = 0;
    std::vector<Host> hosts_;
    std::vector<Amount> taken_;  // one after another; hosts that are alike share theirs
    HostIndex::Bits bits_;
    ByLevel<std::vector<float>> longest_;  // by host; rounded
    ByLevel<float> longest_of_all_{};
    ByLevel<float> shortest_of_all_{};
    std::vector<float> shortest_;  // of the columns, by host
    std::vector<std::size_t> that_may_help_;
};

}  // namespace batfill
