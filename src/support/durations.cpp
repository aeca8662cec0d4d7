#include "src/support/durations.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/support/calendar.hpp"

namespace batfill {

std::optional<Duration> parse_duration(std::string_view text) {
    constexpr std::array<std::pair<char, int>, 4> units{{{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}}};
    for (const auto& [letter, seconds] : units) {
        const std::size_t count = text.size() - (text.ends_with(letter) ? 1 : 0);
        if (const auto number = Duration::parse(text.substr(0, count)); number && count < text.size()) {
            const Duration value = *number * seconds;
            const bool readable = std::max(value, Duration() - value) <= Duration::longest_readable();
            return readable ? std::optional(value) : std::nullopt;
        }
    }
    const std::optional<Duration> seconds = Duration::parse(text);
    return seconds ? seconds : read_length(text);
}

Duration seconds_of(const std::string& name, const std::string& text, std::optional<Duration> min) {
    const std::optional<Duration> value = parse_duration(text);
    if (!value || (min && *value < *min)) {
        throw UsageError(name + ": expected a number of seconds" + (min ? " from " + min->to_string() : "") +
                         (value ? "" : ", or a length with units (90s, 15m, 1h, 30d, 1-12:00:00)") + ", found '" +
                         text + "'");
    }
    return *value;
}

}  // namespace batfill
