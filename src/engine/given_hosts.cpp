#include <algorithm>
#include <limits>
#include <utility>

#include <batfill/engine/given_hosts.hpp>

namespace batfill {

namespace {

// Keeps the order of lengths.
float rounded(Duration length) {
    return static_cast<float>(length.count());
}

}  // namespace

GivenHosts::Need::Need(const HostIndex& index, std::vector<Amount> needed, Duration needed_for)
    : amounts(std::move(needed)), length(rounded(needed_for)) {
    for (std::size_t column = 0; column < std::min(columns_looked_at, amounts.size()); ++column) {
        levels[column] = static_cast<std::uint8_t>(index.levels_of(column, amounts[column]));
    }
}

void GivenHosts::begin(bool is_new) {
    is_new_ = is_new;
    for (const Host& host : hosts_) {
        HostIndex::erase(bits_, host.number);
    }
    hosts_.clear();
    taken_.clear();
    for (auto& column : longest_) {
        for (std::vector<float>& level : column) {
            level.clear();
        }
    }
    longest_of_all_ = {};
}

void GivenHosts::add(const HostIndex& index, const AmountProfile& profile, Host host, std::span<const Amount> taken) {
    if (hosts_.empty()) {
        bits_.resize(index.words());
        for (auto& column : shortest_of_all_) {
            column.fill(std::numeric_limits<float>::infinity());
        }
    }
    HostIndex::insert(bits_, host.number);
    columns_ = std::min(columns_looked_at, index.columns());
    for (std::size_t column = 0; column < columns_; ++column) {
        std::array<Duration, levels> longest{Duration::infinity()};
        profile.longest_meeting(host.from, host.until, column, index.levels(column), std::span(longest).subspan(1));
        for (std::size_t level = 0; level <= index.levels(column).size(); ++level) {
            const bool is_as_before = level > 0 && longest[level] == longest[level - 1];
            const float length = is_as_before ? longest_[column][level - 1].back() : rounded(longest[level]);
            longest_[column][level].push_back(length);
            longest_of_all_[column][level] = std::max(longest_of_all_[column][level], length);
            shortest_of_all_[column][level] = std::min(shortest_of_all_[column][level], length);
        }
    }
    if (is_new_) {
        if (taken_.empty() || !std::ranges::equal(taken_on(hosts_.back()).first(taken.size()), taken)) {
            taken_.insert(taken_.end(), taken.begin(), taken.end());
        }
        host.taken = taken_.size() - taken.size();
    }
    hosts_.push_back(host);
}

bool GivenHosts::may_help(const Need& need) const {
    bool may_help = !hosts_.empty();
    for (std::size_t column = 0; column < columns_; ++column) {
        may_help &= longest_of_all_[column][need.levels[column]] >= need.length;
    }
    return may_help;
}

std::span<const std::size_t> GivenHosts::that_may_help(const Need& need, std::size_t first,
                                                       const HostIndex::Bits* own) {
    shortest_.assign(hosts_.size() - first, std::numeric_limits<float>::infinity());
    for (std::size_t column = 0; column < columns_; ++column) {
        const std::size_t level = need.levels[column];
        if (shortest_of_all_[column][level] < need.length) {  // else it decides nothing
            const auto longest = longest_[column][level].begin() + static_cast<std::ptrdiff_t>(first);
            std::transform(shortest_.begin(), shortest_.end(), longest, shortest_.begin(),
                           [](float a, float b) { return b < a ? b : a; });
        }
    }
    // Without branches: few hosts help.
    that_may_help_.resize(shortest_.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < shortest_.size(); ++i) {
        that_may_help_[count] = first + i;
        count +=
            shortest_[i] >= need.length || (own != nullptr && HostIndex::has(*own, hosts_[first + i].number)) ? 1U : 0U;
    }
    return {that_may_help_.data(), count};
}

}  // namespace batfill
