#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/simulator/simulator.hpp>

namespace batfill {

namespace {

constexpr SimulatorRules batsim4;

constexpr SimulatorRules batsim5{.numbers_in_host_names = true,
                                 .unit_of_calls = Duration::microseconds(1000),
                                 .past_calls_come_at_once = true,
                                 .submissions_before_first_reply = true,
                                 .clock_of_doubles = true,
                                 .machine_times_of_batsim5 = true,
                                 .files_of_batsim5 = true};

constexpr std::array<std::pair<std::string_view, const SimulatorRules*>, 2> known{
    {{"batsim4", &batsim4}, {"batsim5", &batsim5}}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Removes the leading digits from `text`, and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
    const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

// Whether a host comes before another when digits in names compare as numbers. Names that are equal then compare as
// texts.
bool comes_before(const Host& one, const Host& other) {
    std::string_view a = one.name;
    std::string_view b = other.name;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view x = take_number(a);
            const std::string_view y = take_number(b);
            if (x != y) {
                return x.size() != y.size() ? x.size() < y.size() : x < y;
            }
        } else if (a.front() != b.front()) {
            return a.front() < b.front();
        } else {
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.empty() != b.empty() ? a.empty() : one.name < other.name;
}

}  // namespace

SimulatorRules simulator_rules(const std::string& like) {
    std::string names;
    for (const auto& [name, rules] : known) {
        if (name == like) {
            return *rules;
        }
        names.append(names.empty() ? "" : ", ").append(name);
    }
    throw UsageError("like: unknown simulator '" + like + "', known: " + names);
}

void number_hosts(Platform& platform, const SimulatorRules& rules) {
    if (rules.numbers_in_host_names) {
        std::sort(platform.hosts.begin(), platform.hosts.end(), comes_before);
    }
}

}  // namespace batfill
