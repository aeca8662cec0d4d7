#include "src/support/durations.hpp"

#include <array>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/support/calendar.hpp"

namespace batfill {

std::optional<Duration> parse_duration(std::string_view text) {
    constexpr std::array<std::pair<char, int>, 4> units{{{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}}};
    for (const auto& [letter, seconds] : units) {
        if (text.ends_with(letter)) {
            const std::optional<Duration> number = Duration::parse(text.substr(0, text.size() - 1));
            const Duration longest = Duration::longest_readable();
            const Duration value = number.value_or(Duration()) * seconds;
            const bool readable = number && value <= longest && Duration() - value <= longest;
            if (number) {
                return readable ? std::optional(value) : std::nullopt;
            }
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
