#pragma once

#include <compare>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace batfill {

// 128 bits, because Batsim uses timestamps up to 1e17 seconds. In microseconds they overflow 64 bits. (An alias
// declaration cannot mark the extension as intended.)
__extension__ typedef __int128 Microseconds;  // NOLINT(modernize-use-using)

// A length of time: an integer number of microseconds, so sums and comparisons are exact. Values from outside are
// within +-1e18 seconds, so a sum of a few of them does not overflow.
class Duration {
 public:
    constexpr Duration() = default;
    static constexpr Duration microseconds(Microseconds us) { return Duration(us); }
    static constexpr Duration seconds(long long s) { return Duration(static_cast<Microseconds>(s) * 1'000'000); }
    static constexpr Duration days(long long d) { return Duration(static_cast<Microseconds>(d) * 86'400'000'000); }

    // Longer than any length of time from outside.
    static constexpr Duration infinity() { return Duration(infinite); }
    constexpr bool is_infinite() const { return us_ >= infinite; }

    // The longest length of time that can be read.
    static constexpr Duration longest_readable() { return seconds(1'000'000'000'000'000'000); }

    // Reads the decimal number of seconds in `text` exactly. Rounds more than six decimals half to even. Returns no
    // value if `text` is not a JSON number or is beyond +-1e18 seconds.
    static std::optional<Duration> parse(std::string_view text);
    // As above, but returns no value for what would be rounded.
    static std::optional<Duration> parse_exactly(std::string_view text);
    // As parse(), up to +-1e24 seconds: for sums in our own plans, such as guarantees. Only a few of them may be added.
    static std::optional<Duration> parse_sum(std::string_view text);

    // As parse(), for the shortest decimal number that denotes `seconds`. 1.0000005 is a tie and becomes 1 s, as it
    // would as text. Returns no value if `seconds` is not finite or is beyond +-1e18.
    static std::optional<Duration> from_seconds(double seconds);

    constexpr Microseconds count() const { return us_; }
    // The nearest double, for scores and metrics. Decisions compare Durations.
    constexpr double to_seconds() const {
        const Microseconds whole_seconds = us_ / 1'000'000;
        return static_cast<double>(whole_seconds) + static_cast<double>(us_ % 1'000'000) / 1e6;
    }
    // Seconds with exactly six decimals, as Batsim prints them: "12.500000"; "inf" if infinite.
    std::string to_string() const;
    // Appends to_string() to `out` without a temporary.
    void append_to(std::string& out) const;
    // Seconds without needless zeros: "300", "12.5"; "inf" if infinite.
    std::string to_shortest_string() const;
    // Appends to_shortest_string() to `out` without a temporary.
    void append_shortest_to(std::string& out) const;

    friend constexpr auto operator<=>(Duration, Duration) = default;
    friend constexpr Duration operator+(Duration a, Duration b) { return Duration(a.us_ + b.us_); }
    friend constexpr Duration operator-(Duration a, Duration b) { return Duration(a.us_ - b.us_); }
    friend constexpr Duration operator*(Duration a, long long factor) { return Duration(a.us_ * factor); }
    constexpr Duration operator-() const { return Duration(-us_); }

 private:
    explicit constexpr Duration(Microseconds us) : us_(us) {}
    static std::optional<Duration> parse(std::string_view text, Duration longest, bool may_round = true);
    static constexpr Microseconds infinite = static_cast<Microseconds>(1) << 100;
    friend class Time;
    template <class Value>
    friend class SmallOptional;
    static constexpr Duration nothing() { return Duration(-infinite - 1); }
    Microseconds us_ = 0;
};

// An instant of the simulated clock, counted from its zero.
class Time {
 public:
    constexpr Time() = default;
    static constexpr Time at(Duration since_zero) { return Time(since_zero); }
    static constexpr Time seconds(long long s) { return Time(Duration::seconds(s)); }

    // "Never": after every instant from outside.
    static constexpr Time infinity() { return Time(Duration::infinity()); }
    constexpr bool is_infinite() const { return since_zero_.is_infinite(); }

    constexpr Duration since_zero() const { return since_zero_; }
    constexpr double to_seconds() const { return since_zero_.to_seconds(); }
    std::string to_string() const { return since_zero_.to_string(); }
    void append_to(std::string& out) const { since_zero_.append_to(out); }

    friend constexpr auto operator<=>(Time, Time) = default;
    friend constexpr Time operator+(Time t, Duration d) { return Time(t.since_zero_ + d); }
    friend constexpr Time operator-(Time t, Duration d) { return Time(t.since_zero_ - d); }
    friend constexpr Duration operator-(Time a, Time b) { return a.since_zero_ - b.since_zero_; }

 private:
    template <class Value>
    friend class SmallOptional;
    static constexpr Time nothing() { return Time(Duration::nothing()); }
    explicit constexpr Time(Duration since_zero) : since_zero_(since_zero) {}
    Duration since_zero_;
};

// A Time or Duration, or nothing. Takes half the memory of a std::optional, because millions are kept. Nothing is less
// than every value, as in std::optional.
template <class Value>
class SmallOptional {
 public:
    constexpr SmallOptional() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): as std::optional.
    constexpr SmallOptional(std::nullopt_t) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr SmallOptional(Value value) : value_(value) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr SmallOptional(const std::optional<Value>& value) : value_(value ? *value : Value::nothing()) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr operator std::optional<Value>() const { return has_value() ? std::optional(value_) : std::nullopt; }

    constexpr bool has_value() const { return value_ != Value::nothing(); }
    constexpr explicit operator bool() const { return has_value(); }
    // Both require: has_value().
    constexpr const Value& operator*() const { return value_; }
    constexpr const Value* operator->() const { return &value_; }
    constexpr Value value_or(Value other) const { return has_value() ? value_ : other; }
    constexpr void reset() { value_ = Value::nothing(); }

    friend constexpr auto operator<=>(SmallOptional, SmallOptional) = default;

 private:
    Value value_ = Value::nothing();
};

// When Time() was on the calendar.
struct Origin {
    Duration since_1970;    // in UTC
    std::string time_zone;  // of dates that people read; empty: UTC
};

std::ostream& operator<<(std::ostream& out, Duration d);
std::ostream& operator<<(std::ostream& out, Time t);

}  // namespace batfill
