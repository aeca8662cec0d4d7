#include "calendar.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <tuple>

#include <date/tz.h>

#include <batfill/core/error.hpp>

#include "numbers.hpp"

namespace batfill {

namespace {

constexpr long long seconds_of_hour = 3600;
constexpr long long seconds_of_day = 86'400;

long long whole_seconds(Duration time) {
    const Microseconds us = time.count();
    return static_cast<long long>(us / 1'000'000) - (us % 1'000'000 < 0 ? 1 : 0);
}

// Rounds down to a multiple of `unit`, also below 0.
long long floor_to(long long value, long long unit) {
    const long long rest = value % unit;
    return value - rest - (rest < 0 ? unit : 0);
}

long long days_since_1970(int year, unsigned month, unsigned day) {
    return std::chrono::sys_days(std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day))
        .time_since_epoch()
        .count();
}

// Takes numbers and signs off the front of a text.
class Scanner {
 public:
    explicit Scanner(std::string_view text) : text_(text) {}

    bool at_end() const { return text_.empty(); }
    char next() const { return text_.empty() ? '\0' : text_.front(); }
    bool skip(char sign) {
        if (next() != sign) {
            return false;
        }
        text_.remove_prefix(1);
        return true;
    }
    bool skip(std::string_view word) {
        if (!text_.starts_with(word)) {
            return false;
        }
        text_.remove_prefix(word.size());
        return true;
    }
    // A number of at most `digits` digits.
    std::optional<long long> number(std::size_t digits) {
        std::size_t size = 0;
        while (size < text_.size() && text_[size] >= '0' && text_[size] <= '9') {
            ++size;
        }
        if (size == 0 || size > digits) {
            return std::nullopt;
        }
        const auto value = number_in<long long>(text_.substr(0, size));
        text_.remove_prefix(size);
        return value;
    }
    // What follows a decimal point, as microseconds; 0 without a point. More digits are cut off.
    std::optional<long long> microseconds() {
        if (!skip('.')) {
            return 0;
        }
        long long value = 0;
        long long unit = 100'000;
        bool any = false;
        for (; next() >= '0' && next() <= '9'; text_.remove_prefix(1), unit /= 10, any = true) {
            value += (next() - '0') * unit;
        }
        return any ? std::optional(value) : std::nullopt;
    }

 private:
    std::string_view text_;
};

// HH:MM:SS[.ffffff] or HH:MM of a day, or of a length of time, where hours may be many.
std::optional<Duration> read_clock(Scanner& text, std::size_t digits_of_hours) {
    const auto hours = text.number(digits_of_hours);
    if (!hours || !text.skip(':')) {
        return std::nullopt;
    }
    const auto minutes = text.number(2);
    const auto seconds = text.skip(':') ? text.number(2) : std::optional(0LL);
    const auto microseconds = text.microseconds();
    if (!minutes || !seconds || !microseconds || *minutes > 59 || *seconds > 60) {
        return std::nullopt;
    }
    return Duration::seconds(*hours * seconds_of_hour + *minutes * 60 + *seconds) +
           Duration::microseconds(*microseconds);
}

std::optional<long long> read_day(Scanner& text, DateOrder order) {
    std::array<long long, 3> parts{};
    const std::array<std::size_t, 3> digits =
        order == DateOrder::year_month_day ? std::array<std::size_t, 3>{4, 2, 2} : std::array<std::size_t, 3>{2, 2, 4};
    char separator = '\0';
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0 && !text.skip(separator)) {
            return std::nullopt;
        }
        const auto part = text.number(digits[i]);
        if (!part) {
            return std::nullopt;
        }
        parts[i] = *part;
        if (i == 0) {
            separator = text.next();
            if (separator != '-' && separator != '/' && separator != '.') {
                return std::nullopt;
            }
        }
    }
    auto [year, month, day] = parts;
    if (order == DateOrder::month_day_year) {
        std::tie(month, day, year) = std::tuple(parts[0], parts[1], parts[2]);
    } else if (order == DateOrder::day_month_year) {
        std::tie(day, month, year) = std::tuple(parts[0], parts[1], parts[2]);
    }
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || year < 1900) {
        return std::nullopt;
    }
    return days_since_1970(static_cast<int>(year), static_cast<unsigned>(month), static_cast<unsigned>(day));
}

// Z, +01, +01:00 or -0700; nothing if there is no offset, and no value if it is another text.
std::optional<std::optional<Duration>> read_offset(Scanner& text) {
    if (text.at_end()) {
        return std::optional<Duration>();
    }
    text.skip(' ');
    if (text.skip('Z') || text.skip("UTC")) {
        return text.at_end() ? std::optional(std::optional(Duration())) : std::nullopt;
    }
    const bool is_east = text.skip('+');
    if (!is_east && !text.skip('-')) {
        return std::nullopt;
    }
    auto hours = text.number(4);
    std::optional<long long> minutes = 0;
    if (text.skip(':')) {
        minutes = text.number(2);
    } else if (hours && *hours > 99) {
        minutes = *hours % 100;
        hours = *hours / 100;
    }
    if (!hours || !minutes || *hours > 14 || *minutes > 59 || !text.at_end()) {
        return std::nullopt;
    }
    const Duration offset = Duration::seconds(*hours * seconds_of_hour + *minutes * 60);
    return std::optional(is_east ? offset : -offset);
}

// P1DT2H30M5S
std::optional<Duration> read_iso_length(Scanner& text) {
    Duration length;
    bool in_day = false;
    bool any = false;
    while (!text.at_end()) {
        if (text.skip('T')) {
            in_day = true;
            continue;
        }
        const auto number = text.number(9);
        const auto microseconds = text.microseconds();
        if (!number || !microseconds) {
            return std::nullopt;
        }
        any = true;
        if (!in_day && text.skip('D')) {
            length = length + Duration::days(*number);
        } else if (in_day && text.skip('H')) {
            length = length + Duration::seconds(*number * seconds_of_hour);
        } else if (in_day && text.skip('M')) {
            length = length + Duration::seconds(*number * 60);
        } else if (in_day && text.skip('S')) {
            length = length + Duration::seconds(*number) + Duration::microseconds(*microseconds);
        } else {
            return std::nullopt;
        }
    }
    return any ? std::optional(length) : std::nullopt;
}

// Slurm prints less than an hour as MM:SS, which read_clock() takes for hours and minutes.
bool has_one_colon(std::string_view text) {
    return text.find(':') != std::string_view::npos && text.find(':') == text.rfind(':');
}

}  // namespace

TimeZone::TimeZone(const std::string& name) {
    try {
        zone_ = name.empty() ? nullptr : date::locate_zone(name);
    } catch (const std::runtime_error&) {
        throw UsageError("unknown time zone '" + name + "', expected a name such as Europe/Berlin or UTC");
    }
}

Duration TimeZone::offset_at(long long local_hour) {
    if (hour_ != local_hour) {
        const date::local_seconds local{std::chrono::seconds(local_hour * seconds_of_hour)};
        offset_ = Duration::seconds(zone_->get_info(local).first.offset.count());
        hour_ = local_hour;
    }
    return offset_;
}

Duration TimeZone::utc_of(Duration local) {
    return zone_ == nullptr ? local
                            : local - offset_at(floor_to(whole_seconds(local), seconds_of_hour) / seconds_of_hour);
}

Duration TimeZone::midnight_before(Duration utc) {
    const date::sys_seconds instant{std::chrono::seconds(whole_seconds(utc))};
    const long long local =
        (zone_ == nullptr ? instant.time_since_epoch() : zone_->to_local(instant).time_since_epoch()).count();
    return utc_of(Duration::seconds(floor_to(local, seconds_of_day)));
}

std::optional<Duration> read_date(std::string_view text, DateOrder order, TimeZone& zone) {
    Scanner scanner(text);
    const auto day = read_day(scanner, order);
    if (!day) {
        return std::nullopt;
    }
    Duration clock;
    std::optional<std::optional<Duration>> offset = std::optional<Duration>();
    if (!scanner.at_end()) {
        const bool has_clock = scanner.skip('T') || scanner.skip(' ');
        const auto of_day = has_clock ? read_clock(scanner, 2) : std::nullopt;
        offset = read_offset(scanner);
        if (!of_day || !offset || *of_day >= Duration::days(1) + Duration::seconds(1)) {
            return std::nullopt;
        }
        clock = *of_day;
    }
    const Duration local = Duration::days(*day) + clock;
    return *offset ? local - **offset : zone.utc_of(local);
}

std::string date_text(Duration since_1970) {
    const auto instant = static_cast<std::time_t>(whole_seconds(since_1970));
    std::tm parts{};
    gmtime_r(&instant, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

std::optional<Duration> read_length(std::string_view text) {
    if (const auto seconds = Duration::parse(text)) {
        return seconds;
    }
    Scanner scanner(text);
    if (scanner.skip('P')) {
        return read_iso_length(scanner);
    }
    Duration days;
    Scanner ahead(text);
    if (const auto number = ahead.number(9); number && (ahead.skip('-') || ahead.skip(" days") || ahead.skip(" day"))) {
        days = Duration::days(*number);
        ahead.skip(',');
        ahead.skip(' ');
        scanner = ahead;
        if (scanner.at_end() && !text.ends_with('-')) {
            return days;
        }
    }
    auto clock = read_clock(scanner, 9);
    if (!clock || !scanner.at_end()) {
        return std::nullopt;
    }
    if (has_one_colon(text) && days == Duration()) {
        clock = Duration::microseconds(clock->count() / 60);
    }
    return days + *clock;
}

}  // namespace batfill
