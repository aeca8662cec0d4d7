#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <batfill/core/time.hpp>

namespace date {
class time_zone;
}

// Dates, and lengths of time as programs print them.
namespace batfill {

// A time zone of the tz database. It keeps the offset of the last hour, because times in a file are mostly near each
// other.
class TimeZone {
 public:
    // "": UTC.
    // Throws: UsageError if there is no such zone.
    explicit TimeZone(const std::string& name);

    // The time since 1970 in UTC at which clocks of this zone show `local`, which counts the seconds since 1970 on
    // those clocks. In the hour that clocks show twice, it is the first; in the one that they leave out, as if they
    // had not left it out yet.
    // Cost: O(1) within the hour of the last call; else O(log changes of the zone's offset).
    Duration utc_of(Duration local);
    // The last midnight of the zone at or before `utc`.
    Duration midnight_before(Duration utc);

 private:
    const date::time_zone* zone_ = nullptr;   // null: UTC
    std::optional<std::chrono::hours> hour_;  // on local clocks, since 1970
    Duration offset_;                         // in that hour
};

// The order of the parts of a date.
enum class DateOrder { year_month_day, month_day_year, day_month_year };

// Reads a date and a time of day, "2024-03-01 12:00:00.5". The date may have `-`, `/` or `.`; a blank or T follows it.
// The time may have an offset (Z, +01:00, -0700). Returns the time since 1970 in UTC; no value for any other text.
std::optional<Duration> read_date(std::string_view text, DateOrder order, TimeZone& zone);

// "2024-03-01 12:00:00" of a time since 1970. From the year 10000 on: "300000000000 s after 1970-01-01 00:00:00".
std::string date_text(Duration since_1970);

// Reads a length of time: seconds (90, 90.5), [D-]HH:MM:SS, MM:SS, "N days[,] HH:MM:SS" and ISO 8601 (P1DT2H30M5S). No
// value if it is none of them.
std::optional<Duration> read_length(std::string_view text);

}  // namespace batfill
