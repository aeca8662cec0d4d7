#include "src/formats/record_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <batfill/core/error.hpp>

#include "src/formats/tres.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

// How instants of a TimeFormat are read, in the order of the enumeration.
struct InstantRule {
    long long per_second;            // units of a number since 1970; 0: instants are dates
    std::optional<DateOrder> order;  // none: instants are numbers
    const char* expected;
};

constexpr std::array<InstantRule, 8> instant_rules = {{
    {1, DateOrder::year_month_day, "seconds since 1970, or a time such as 2024-03-01 12:00:00"},
    {0, DateOrder::month_day_year, "a time such as 03/31/2024 12:00:00"},
    {0, DateOrder::day_month_year, "a time such as 31/03/2024 12:00:00"},
    {1'000, std::nullopt, "a number of milliseconds since 1970"},
    {1'000'000, std::nullopt, "a number of microseconds since 1970"},
    {1'000'000'000, std::nullopt, "a number of nanoseconds since 1970"},
    {1, std::nullopt, "a number of seconds"},
    {0, std::nullopt, "a number of days since 1899-12-30, as spreadsheets count them"},
}};

// A number of microseconds, rounded half to even as in Duration::parse().
Duration quotient(Microseconds dividend, long long divisor) {
    const Microseconds whole = dividend / divisor;
    const Microseconds rest = dividend % divisor;
    const Microseconds twice = 2 * (rest < 0 ? -rest : rest);
    const bool is_away_from_zero = twice > divisor || (twice == divisor && whole % 2 != 0);
    return Duration::microseconds(whole + (!is_away_from_zero ? 0 : rest < 0 ? -1 : 1));
}

// Words for a missing value. Databases print null and \N, R and pandas na, nan and nat, spreadsheets
// #n/a.
constexpr auto missing_words = std::to_array<std::string_view>(
    {"null",    "nan",     "-nan",   "nat",     "none",    "unknown", "n/a",  "#n/a",      "na",
     "<na>",    "(null)",  "(none)", "nil",     "\\n",     "-",       "--",   "undefined", "?",
     "missing", "not set", "notset", "not_set", "invalid", "unset",   "never"});

// MySQL prints a zero date, and Go, .NET and SQL Server the first day of the calendar.
bool is_missing_date(std::string_view text) {
    return text.starts_with("0000-00-00") || text.starts_with("0001-01-01") || text == "1970-01-01";
}

// Those among them that are no names of people, queues and jobs.
constexpr auto missing_names = std::to_array<std::string_view>(
    {"null", "nan", "<na>", "#n/a", "n/a", "(null)", "\\n", "none", "(none)", "-", "--", "?"});

// Words for a length of time without a limit.
constexpr auto unlimited_words = std::to_array<std::string_view>(
    {"unlimited", "infinite", "infinity", "inf", "partition_limit", "no limit", "nolimit"});

// The largest numbers of the integers that programs use: they stand for "no value".
constexpr auto largest_integers =
    std::to_array<std::string_view>({"9223372036854775807", "18446744073709551614", "18446744073709551615",
                                     "9223372036854775806", "-9223372036854775808"});

// Whether a number may count seconds since 1970: up to the year 5138, which is 1973 in milliseconds, and the end of the
// year 9999, which programs write for "never".
bool may_be_seconds(Duration number) {
    constexpr Duration largest = Duration::seconds(100'000'000'000);
    constexpr Duration end_of_9999 = Duration::seconds(253'402'300'799);
    return (number <= largest && -number <= largest) ||
           (number >= end_of_9999 - Duration::days(1) && number <= end_of_9999 + Duration::days(1));
}

// The instant of a day of a spreadsheet, to the millisecond.
std::optional<Duration> instant_of_day(std::string_view text) {
    constexpr double days_until_1970 = 25'569;
    constexpr double most_days = 1e7;
    constexpr double milliseconds_of_day = 86'400'000;
    const auto days = number_in<double>(text);
    if (!days || !(std::abs(*days) <= most_days)) {
        return std::nullopt;
    }
    return Duration::microseconds(Microseconds{std::llround((*days - days_until_1970) * milliseconds_of_day)} * 1000);
}

// What a number is that is too large for seconds since 1970.
std::string larger_unit(Duration number) {
    constexpr std::array<std::pair<long long, const char*>, 3> units = {
        {{100'000'000'000'000, "milliseconds"}, {100'000'000'000'000'000, "microseconds"}, {0, "nanoseconds"}}};
    const auto* const unit = std::ranges::find_if(units, [&](const auto& candidate) {
        return candidate.first == 0 || number < Duration::seconds(candidate.first);
    });
    return unit->second;
}

}  // namespace

bool RecordField::is_missing() const {
    const bool begins_with_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
    return begins_with_digit ? is_missing_date(text) : text.empty() || is_word_of(text, missing_words);
}

std::string_view RecordField::name_or_empty() const {
    return is_word_of(text, missing_names) ? std::string_view() : text;
}

std::optional<Instant> RecordField::instant(TimeZone& zone, TimeFormat format) const {
    const InstantRule& rule = instant_rules.at(static_cast<std::size_t>(format));
    const auto whole = rule.per_second > 0 ? number_in<long long>(text) : std::nullopt;
    const bool is_long = text.size() == 12 || text.size() == 14;  // 202403011200, 20240301120000
    const bool may_be_date = rule.order && (!whole || is_long);
    if (!whole && is_missing()) {
        return std::nullopt;
    }
    if (const auto date = may_be_date ? read_date(text, *rule.order, zone) : std::nullopt) {
        return date;
    }
    if (is_word_of(text, largest_integers)) {
        return std::nullopt;
    }
    if (const auto day = format == TimeFormat::days ? instant_of_day(text) : std::nullopt) {
        return day;
    }
    const auto number = rule.per_second > 0 && !whole ? Duration::parse(text) : std::nullopt;
    fail_if(!whole && !number, rule.expected);
    // Whole numbers of nanoseconds are too large for Duration::parse().
    const Duration read =
        quotient(whole ? static_cast<Microseconds>(*whole) * 1'000'000 : number->count(), rule.per_second);
    if (format == TimeFormat::automatic && !may_be_seconds(read)) {
        const std::string unit = larger_unit(read);
        fail(std::string(rule.expected) + "; for " + unit + " since 1970, say --times " + unit);
    }
    fail_if(read > Duration::longest_readable() || -read > Duration::longest_readable(), rule.expected);
    return read;
}

std::optional<Duration> RecordField::length(Duration unit) const {
    if (is_missing() || is_word_of(text, unlimited_words) || is_word_of(text, largest_integers)) {
        return std::nullopt;
    }
    const std::optional<Duration> read = read_length(text, unit);
    fail_if(!read, "seconds, a length such as 1-12:00:00, or UNLIMITED");
    return read;
}

std::optional<Duration> RecordField::limit(Duration unit) const {
    const std::optional<Duration> read = length(unit);
    const bool is_none = read == unit * slurm_no_number || read == unit * (slurm_no_number + 1);
    return is_none ? std::nullopt : read;
}

// Large numbers of nodes have a unit, such as 2K. Programs that know no missing integers write 4.0 for 4.
std::optional<long long> RecordField::number() const {
    const std::optional<long long> grouped = number_with_groups(text);
    const std::optional<long long> read = grouped ? grouped : read_bytes(text, 1);
    if (!read && (is_missing() || number_in<double>(text) == -1)) {
        return std::nullopt;
    }
    if (!read || *read > most_processors) {
        fail("a whole number up to " + std::to_string(most_processors));
    }
    return read;
}

std::optional<long long> RecordField::bytes(long long unit, std::size_t ending) const {
    const std::string_view size = text.substr(0, text.size() - ending);
    constexpr double near_2_to_63 = 9.2e18;
    const auto whole = number_in<double>(size.substr(0, size.find_first_not_of("0123456789")));
    if (is_missing() || (whole && (size.ends_with('?') || *whole > near_2_to_63))) {
        return std::nullopt;
    }
    const std::optional<long long> read = read_bytes(size, unit);
    fail_if(!read, "a size of memory such as 4000M or 16gb");
    return read;
}

std::string_view RecordField::hosts() const {
    const std::size_t open = text.find('[');
    const bool names_block = open != std::string_view::npos && text.find('x', open) < text.find(']', open);
    if (is_missing() || text == "None assigned" || names_block) {
        return {};
    }
    fail_if(!hosts_in(text), "a list of hosts such as n[01-16,20]");
    return text;
}

void RecordField::fail(std::string_view expected) const {
    throw InputError(std::string(name) + " is " + excerpt(text) + ", expected " + std::string(expected));
}

}  // namespace batfill
