#include "src/support/calendar.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include <date/tz.h>

#include <batfill/core/error.hpp>

#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr long long seconds_of_hour = 3600;

std::chrono::seconds whole_seconds(Duration time) {
    const Microseconds us = time.count();
    return std::chrono::seconds(static_cast<long long>(us / 1'000'000) - (us % 1'000'000 < 0 ? 1 : 0));
}

// Takes numbers and signs off the front of a text. What is not as expected fails: the text then counts as read.
class Scanner {
 public:
    explicit Scanner(std::string_view text) : text_(text) {}

    bool at_end() const { return text_.empty(); }
    // Whether the whole text was read and as expected.
    bool good() const { return good_ && text_.empty(); }
    // What follows is of no use unless this holds.
    void require(bool holds) {
        good_ = good_ && holds;
        text_ = holds ? text_ : std::string_view();
    }
    bool skip(std::string_view word) {
        const bool is_next = text_.starts_with(word);
        text_.remove_prefix(is_next ? word.size() : 0);
        return is_next;
    }
    void expect(std::string_view word) { require(skip(word)); }
    // Reads one of these signs.
    std::string_view sign(std::string_view signs) {
        const std::string_view next = text_.substr(0, 1);
        text_.remove_prefix(next.size());
        require(!next.empty() && signs.find(next) != std::string_view::npos);
        return next;
    }
    long long number(std::size_t digits, long long most = 1'000'000'000) {
        long long value = 0;
        std::size_t size = 0;
        for (; size <= digits && begins_with_digit(); ++size) {
            value = value * 10 + (text_.front() - '0');
            text_.remove_prefix(1);
        }
        require(size > 0 && size <= digits && value <= most);
        return value;
    }
    // Reads the part of a second after a decimal point; 0 without a point. Rounds as Duration::parse(). Of a larger
    // unit, it is the part of as many seconds.
    Duration fraction() {
        if (!skip(".")) {
            return {};
        }
        require(begins_with_digit());
        std::string decimal = "0.";
        for (; begins_with_digit(); text_.remove_prefix(1)) {
            decimal += text_.front();
        }
        return Duration::parse(decimal).value_or(Duration());
    }

 private:
    bool begins_with_digit() const { return !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; }

    std::string_view text_;
    bool good_ = true;
};

// The seconds of the first part of a clock of two parts: HH:MM, or MM:SS.
enum class ClockOfTwoParts : long long { begins_with_minutes = 60, begins_with_hours = seconds_of_hour };

// HH:MM:SS, or two parts. Its last part may have a fraction, and its first one this many digits.
Duration read_clock(Scanner& text, std::size_t digits, ClockOfTwoParts two_parts) {
    const long long first = text.number(digits);
    text.expect(":");
    const long long second = text.number(2, 59);
    if (text.skip(":")) {
        const long long seconds = text.number(2, 60);
        return Duration::seconds(first * seconds_of_hour + second * 60 + seconds) + text.fraction();
    }
    const auto unit = static_cast<long long>(two_parts);
    return Duration::seconds(first * unit + second * (unit / 60)) + text.fraction() * (unit / 60);
}

Duration read_day(Scanner& text, DateOrder order) {
    const bool year_first = order == DateOrder::year_month_day;
    const long long first = text.number(year_first ? 4 : 2);
    const std::string_view separator = text.sign("-/.");
    const long long second = text.number(2);
    text.expect(separator);
    const long long third = text.number(year_first ? 2 : 4);
    const auto year = static_cast<int>(year_first ? first : third);
    const auto month = static_cast<unsigned>(order == DateOrder::month_day_year ? first : second);
    const auto day = static_cast<unsigned>(year_first ? third : order == DateOrder::day_month_year ? first : second);
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
    text.require(date.ok() && year >= 1900);
    return date.ok() ? Duration::days(std::chrono::sys_days(date).time_since_epoch().count()) : Duration();
}

// Reads AM or PM, if they follow.
Duration in_24_hours(Duration clock, Scanner& text) {
    const Duration noon = Duration::seconds(12 * seconds_of_hour);
    if (text.skip(" AM") || text.skip(" am")) {
        return clock >= noon ? clock - noon : clock;
    }
    return (text.skip(" PM") || text.skip(" pm")) && clock < noon ? clock + noon : clock;
}

// Z, +01, +01:00 or -0700. None at the end of the text.
std::optional<Duration> read_offset(Scanner& text) {
    if (text.at_end()) {
        return std::nullopt;
    }
    text.skip(" ");
    if (text.skip("Z") || text.skip("UTC")) {
        return Duration();
    }
    const bool is_west = text.sign("+-") == "-";
    long long hours = text.number(4);
    long long minutes = 0;
    if (text.skip(":")) {
        minutes = text.number(2);
    } else if (hours > 99) {
        minutes = hours % 100;
        hours /= 100;
    }
    text.require(hours <= 14 && minutes <= 59);
    const Duration offset = Duration::seconds(hours * seconds_of_hour + minutes * 60);
    return is_west ? -offset : offset;
}

// 1DT2H30M5S or 2W, the part of an ISO 8601 length after the P. Years and months have no fixed length.
Duration read_iso_length(Scanner& text) {
    constexpr std::array<std::pair<const char*, long long>, 2> of_date{
        {{"W", 7LL * 24 * seconds_of_hour}, {"D", 24LL * seconds_of_hour}}};
    constexpr std::array<std::pair<const char*, long long>, 3> of_day{{{"H", seconds_of_hour}, {"M", 60}, {"S", 1}}};
    Duration length;
    bool in_day = false;
    const auto add = [&](long long whole, Duration fraction, const auto& units) {
        for (const auto& [letter, seconds] : units) {
            if (text.skip(letter)) {
                length = length + (Duration::seconds(whole) + fraction) * seconds;
                return;
            }
        }
        text.require(false);
    };
    do {
        in_day = text.skip("T") || in_day;
        const long long number = text.number(9);
        const Duration fraction = text.fraction();
        in_day ? add(number, fraction, of_day) : add(number, fraction, of_date);
    } while (!text.at_end());
    return length;
}

// "2024-03-01 12:00:00" of a date without separators, 20240301120000, 202403011200 or 20240301T120000. Empty for any
// other text.
std::string spaced_date(std::string_view text) {
    constexpr std::string_view digits = "0123456789";
    const std::size_t size = std::min(text.find_first_not_of(digits), text.size());
    const bool is_divided = size == 8 && text.substr(8).starts_with('T');
    const bool has_no_seconds = size == 12 && text.size() == 12;
    if (size != 14 && !is_divided && !has_no_seconds) {
        return {};
    }
    std::string date(text.substr(0, 8));
    date.append(text.substr(is_divided ? 9 : 8)).append(has_no_seconds ? "00" : "");
    if (date.size() < 14 || date.find_first_not_of(digits) < 14) {
        return {};
    }
    return date.insert(12, ":").insert(10, ":").insert(8, " ").insert(6, "-").insert(4, "-");
}

// Seconds of a unit of time, for the words and letters that people write; none for another word.
std::optional<long long> seconds_of_unit(std::string_view word) {
    static constexpr std::array<std::pair<long long, std::array<std::string_view, 5>>, 5> units = {{
        {1, {"s", "sec", "secs", "second", "seconds"}},
        {60, {"m", "min", "mins", "minute", "minutes"}},
        {seconds_of_hour, {"h", "hr", "hrs", "hour", "hours"}},
        {24LL * seconds_of_hour, {"d", "day", "days", "", ""}},
        {7LL * 24 * seconds_of_hour, {"w", "week", "weeks", "", ""}},
    }};
    const auto* const unit =
        std::ranges::find_if(units, [&](const auto& known) { return is_word_of(word, known.second); });
    return word.empty() || unit == units.end() ? std::nullopt : std::optional(unit->first);
}

// Reads "1h", "90 min", "1d12h", "2 days 3 hours": numbers with units, which get smaller.
std::optional<Duration> read_length_with_units(std::string_view text) {
    Duration length;
    long long last = std::numeric_limits<long long>::max();
    while (!text.empty()) {
        const std::size_t number_size = std::min(text.find_first_not_of("0123456789."), text.size());
        const auto number = Duration::parse(text.substr(0, number_size));
        text.remove_prefix(std::min(text.find_first_not_of(' ', number_size), text.size()));
        const std::size_t unit_size = std::min(text.find_first_of(" ,0123456789"), text.size());
        const auto unit = seconds_of_unit(text.substr(0, unit_size));
        text.remove_prefix(std::min(text.find_first_not_of(" ,", unit_size), text.size()));
        if (!number || !unit || *unit >= last || *number > Duration::seconds(1'000'000'000)) {
            return std::nullopt;
        }
        length = length + *number * *unit;
        last = *unit;
    }
    return last == std::numeric_limits<long long>::max() ? std::nullopt : std::optional(length);
}

}  // namespace

TimeZone::TimeZone(const std::string& name) {
    try {
        zone_ = name.empty() ? nullptr : date::locate_zone(name);
    } catch (const std::runtime_error&) {
        throw UsageError("unknown time zone '" + name + "', expected a name such as Europe/Berlin or UTC");
    }
}

Instant TimeZone::utc_of(Duration local) {
    if (zone_ == nullptr || (local >= begin_ && local < end_)) {
        return local - offset_;
    }
    const auto seconds_of = [](auto time) { return Duration::seconds(time.count()); };
    const date::local_info info = zone_->get_info(date::local_seconds(whole_seconds(local)));
    const Duration offset = seconds_of(info.first.offset);
    if (info.result == date::local_info::ambiguous) {
        return {local - offset, local - seconds_of(info.second.offset)};
    }
    if (info.result == date::local_info::unique) {
        // Clocks change by a day at most.
        begin_ = seconds_of(info.first.begin.time_since_epoch()) + offset + Duration::days(1);
        end_ = seconds_of(info.first.end.time_since_epoch()) + offset - Duration::days(1);
        offset_ = offset;
    }
    Instant instant = local - offset;
    instant.is_skipped = info.result == date::local_info::nonexistent;
    return instant;
}

Duration TimeZone::offset_at(Duration utc) const {
    const date::sys_seconds instant(whole_seconds(utc));
    return zone_ == nullptr ? Duration() : Duration::seconds(zone_->get_info(instant).offset.count());
}

Duration TimeZone::midnight_before(Duration utc) {
    const std::chrono::seconds local = whole_seconds(utc + offset_at(utc));
    return utc_of(Duration::days(std::chrono::floor<std::chrono::days>(local).count())).first;
}

std::optional<Instant> read_date(std::string_view text, DateOrder order, TimeZone& zone) {
    const std::string spaced = order == DateOrder::year_month_day ? spaced_date(text) : std::string();
    Scanner scanner(spaced.empty() ? text : spaced);
    const Duration day = read_day(scanner, order);
    Duration clock;
    std::optional<Duration> offset;
    if (!scanner.at_end()) {
        scanner.sign("T ");
        clock = in_24_hours(read_clock(scanner, 2, ClockOfTwoParts::begins_with_hours), scanner);
        offset = read_offset(scanner);
    }
    if (!scanner.good() || clock >= Duration::days(1) + Duration::seconds(1)) {
        return std::nullopt;
    }
    return offset ? day + clock - *offset : zone.utc_of(day + clock);
}

std::string date_text(Duration since_1970) {
    const date::sys_seconds instant(whole_seconds(since_1970));
    constexpr date::sys_days year_0 = date::year(0) / 1 / 1;
    constexpr date::sys_days year_10000 = date::year(10000) / 1 / 1;
    return year_0 <= instant && instant < year_10000 ? date::format("%F %T", instant)
                                                     : since_1970.to_shortest_string() + " s after 1970-01-01 00:00:00";
}

std::string date_text(Duration since_1970, const TimeZone& zone) {
    const auto offset = std::chrono::duration_cast<std::chrono::minutes>(whole_seconds(zone.offset_at(since_1970)));
    const Duration local = since_1970 + Duration::seconds(std::chrono::seconds(offset).count());
    const std::string date = date_text(local);
    if (date.find(" s after ") != std::string::npos) {
        return date_text(since_1970);
    }
    const Duration fraction = local - Duration::seconds(whole_seconds(local).count());
    return date + fraction.to_shortest_string().substr(1) + (offset.count() < 0 ? "-" : "+") +
           date::format("%R", std::chrono::abs(offset));
}

std::optional<Duration> read_length(std::string_view text, Duration unit) {
    if (const auto number = Duration::parse(text)) {
        return *number * static_cast<long long>(unit.count() / 1'000'000);
    }
    Scanner scanner(text);
    if (scanner.skip("P")) {
        const Duration length = read_iso_length(scanner);
        return scanner.good() ? std::optional(length) : std::nullopt;
    }
    const bool has_clock = text.find(':') != std::string_view::npos;
    if (const auto length = has_clock ? std::nullopt : read_length_with_units(text)) {
        return length;
    }
    Scanner ahead = scanner;
    Duration days = Duration::days(ahead.number(9));
    bool has_days = true;
    if (ahead.skip("-")) {
        Scanner hours = ahead;
        const long long whole = hours.number(2, 23);
        const Duration fraction = hours.fraction();
        if (hours.good()) {
            return days + (Duration::seconds(whole) + fraction) * seconds_of_hour;
        }
    } else if (ahead.skip(" days") || ahead.skip(" day")) {
        ahead.skip(",");
        ahead.skip(" ");
    } else if (std::ranges::count(text, ':') != 3 || !ahead.skip(":")) {  // nor D:HH:MM:SS
        has_days = false;
        days = Duration();
        ahead = scanner;
    }
    // Slurm prints less than an hour as MM:SS.
    const Duration clock =
        read_clock(ahead, 9, has_days ? ClockOfTwoParts::begins_with_hours : ClockOfTwoParts::begins_with_minutes);
    return ahead.good() ? std::optional(days + clock) : std::nullopt;
}

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
