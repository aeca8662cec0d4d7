#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <batfill/core/time.hpp>

namespace date {
class time_zone;
}

// Dates, and lengths of time as programs print them and as users write them.
namespace batfill {

// An instant in UTC, counted from 1970. Clocks that are set back show an hour twice: a text from such an hour has a
// second, later reading.
struct Instant {
    Duration first;
    std::optional<Duration> second;
    bool is_skipped = false;  // no clock of the zone showed it

    // NOLINTNEXTLINE(google-explicit-constructor): most instants have one reading.
    Instant(Duration only, std::optional<Duration> later = {}) : first(only), second(later) {}
    friend bool operator==(const Instant&, const Instant&) = default;
};

// A time zone of the tz database. It keeps the offset of the last instant and the period in which it holds, because
// times in a file are mostly near each other.
class TimeZone {
 public:
    // "": UTC.
    // Throws: UsageError if there is no such zone.
    explicit TimeZone(const std::string& name);

    // The instant at which clocks of this zone show `local`, which counts the seconds since 1970 on those clocks. Times
    // that clocks leave out are read as if the clocks had not left them out yet.
    // Cost: O(1) in the period of the last call, without the days around its ends; else O(log changes of the zone's
    // offset).
    Instant utc_of(Duration local);
    // How far its clocks are ahead of UTC at this instant in UTC.
    Duration offset_at(Duration utc) const;
    // The last midnight of the zone at or before `utc`.
    Duration midnight_before(Duration utc);

 private:
    const date::time_zone* zone_ = nullptr;  // null: UTC
    // On local clocks, from `begin_` until `end_`, this is the only offset.
    Duration begin_;
    Duration end_;
    Duration offset_;
};

enum class DateOrder { year_month_day, month_day_year, day_month_year };

// Reads a date and a time of day, "2024-03-01 12:00:00.5". The date may have `-`, `/` or `.`; a blank or T follows it.
// AM or PM may follow the time, and an offset (Z, +01:00, -0700). "20240301120000", "202403011200" and
// "20240301T120000" are dates, too, in the order year, month, day. Returns no value for any other text.
std::optional<Instant> read_date(std::string_view text, DateOrder order, TimeZone& zone);

// "2024-03-01 12:00:00" of a time since 1970. Outside the years 0 to 9999: "300000000000 s after 1970-01-01 00:00:00".
std::string date_text(Duration since_1970);
// What the clocks of a zone show then, with fractions and their offset: "2024-03-01 13:00:00.5+01:00".
std::string date_text(Duration since_1970, const TimeZone& zone);

// Reads a length of time. A number counts `unit` (90, 90.5). Other forms have units of their own: [D-]HH:MM:SS,
// D:HH:MM:SS, MM:SS, D-HH:MM, D-HH, "N days[,] HH:MM:SS", numbers with units ("1h", "90 min", "1h30m", "2 days") and
// ISO 8601 (P1DT2H30M5S, P2W). The last part may have a fraction of its own unit: 02:30.6 is 150.6 s. No value if it is
// none of them. Requires: unit is a whole number of seconds.
std::optional<Duration> read_length(std::string_view text, Duration unit = Duration::seconds(1));

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
