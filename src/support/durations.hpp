#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <batfill/core/time.hpp>

namespace batfill {

// Reads a length of time as users write it: a number of seconds, a number with the unit s, m, h or d ("15m"), or a form
// of read_length() ("1-12:00:00", "1h30m").
// Returns no value for any other text, and beyond +-1e18 seconds.
// Rounds the number, before the unit, as Duration::parse() does.
std::optional<Duration> parse_duration(std::string_view text);

// Returns the length of time that `text` gives. `name` is what the user calls it.
// Throws: UsageError if `text` is not a length of time or is below `min`.
Duration seconds_of(const std::string& name, const std::string& text, std::optional<Duration> min = {});

// The longest timeout that users may set. The clocks that count them must not overflow.
inline constexpr Duration longest_timeout = Duration::days(366);

}  // namespace batfill
