#include <cstdio>
#include <optional>
#include <random>

#include <catch2/catch.hpp>

#include <batfill/core/time.hpp>

namespace batfill::tests::time_test {

using batfill::Duration;
using batfill::Microseconds;
using batfill::SmallOptional;
using batfill::Time;

namespace {

std::string parsed(const std::string& text) {
    const auto duration = Duration::parse(text);
    return duration ? duration->to_string() : "none";
}

}  // namespace

TEST_CASE("a decimal number of seconds is read exactly") {
    CHECK(parsed("0") == "0.000000");
    CHECK(parsed("12.5") == "12.500000");
    CHECK(parsed("-0.000001") == "-0.000001");
    CHECK(parsed("1e3") == "1000.000000");
    CHECK(parsed("1.25E-2") == "0.012500");
    CHECK(parsed("2e+1") == "20.000000");
    CHECK(parsed("100000000000000000.000000") == "100000000000000000.000000");
    CHECK(parsed("1e18") == "1000000000000000000.000000");
    CHECK(parsed("0e999999999999") == "0.000000");
    CHECK(parsed("1e-999999999999") == "0.000000");
}

TEST_CASE("more than six decimals are rounded half to even") {
    CHECK(parsed("0.0000005") == "0.000000");
    CHECK(parsed("0.0000015") == "0.000002");
    CHECK(parsed("0.0000025") == "0.000002");
    CHECK(parsed("0.00000250000000000000000000000001") == "0.000003");
    CHECK(parsed("1.0000005") == "1.000000");
    CHECK(parsed("-0.0000015") == "-0.000002");
    CHECK(parsed("9.9999995") == "10.000000");
    CHECK(parsed("5e-7") == "0.000000");
    CHECK(parsed("6e-7") == "0.000001");
    CHECK(parsed("4e-8") == "0.000000");
    CHECK(parsed("9e-8") == "0.000000");
}

TEST_CASE("a text that is not a number of seconds within 1e18 is refused") {
    for (const char* text : {"", "-", ".", "1.", ".5", "+1", "1e", "1e+", "1e+-5", "1 ", " 1", "0x10", "nan", "inf",
                             "1e19", "1000000000000000000.000001", "1e999999999999", "1,5"}) {
        CAPTURE(text);
        CHECK(!Duration::parse(text));
    }
}

TEST_CASE("a double counts as the shortest decimal number that denotes it") {
    CHECK(Duration::from_seconds(1.0000005)->to_string() == "1.000000");
    CHECK(Duration::from_seconds(0.1)->to_string() == "0.100000");
    CHECK(Duration::from_seconds(1e17)->to_string() == "100000000000000000.000000");
    CHECK(Duration::from_seconds(1650000000.123456)->to_string() == "1650000000.123456");
    CHECK(!Duration::from_seconds(1.1e18));
    CHECK(!Duration::from_seconds(std::numeric_limits<double>::quiet_NaN()));
    CHECK(!Duration::from_seconds(std::numeric_limits<double>::infinity()));
}

TEST_CASE("printing and reading a duration gives it back") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const int bits = static_cast<int>(random() % 79);
        Microseconds us = static_cast<Microseconds>(random()) * static_cast<Microseconds>(random() >> 1);
        us = us >> (127 - bits);
        const Duration duration = Duration::microseconds(random() % 2 == 0 ? us : -us);
        const auto again = Duration::parse(duration.to_string());
        REQUIRE(again);
        REQUIRE(*again == duration);
    }
}

TEST_CASE("six decimals through a double come back below four billion seconds") {
    std::mt19937_64 random(2);
    for (int i = 0; i < 20000; ++i) {
        const Duration duration = Duration::microseconds(static_cast<Microseconds>(random() % 4'000'000'000'000'000));
        REQUIRE(*Duration::from_seconds(std::stod(duration.to_string())) == duration);
    }
}

TEST_CASE("infinity is after everything that can be read, also when a walltime is added") {
    CHECK(Time::infinity() > Time::at(*Duration::parse("1e18")));
    CHECK((Time::infinity() + *Duration::parse("1e18")).is_infinite());
    CHECK(Time::infinity().to_string() == "inf");
}

TEST_CASE("the shortest text of a duration has no needless zeros and reads back") {
    for (const std::string text : {"0", "300", "12.5", "0.000001", "-0.05", "100.000010", "100000000000000000"}) {
        const Duration duration = *Duration::parse(text);
        CHECK(duration.to_shortest_string() == (text == "100.000010" ? "100.00001" : text));
        CHECK(Duration::parse(duration.to_shortest_string()) == duration);
    }
    CHECK(Duration::infinity().to_shortest_string() == "inf");
    std::string line = "delay 100";
    Duration::seconds(0).append_shortest_to(line);
    CHECK(line == "delay 1000");
}

TEST_CASE("a day is 86400 seconds") {
    CHECK(Duration::days(1) == Duration::seconds(86'400));
    CHECK(Duration::days(-7) == -Duration::seconds(604'800));
}

TEST_CASE("a small optional is, has and compares as std::optional, and is no larger than its value") {
    std::mt19937 random(11);
    const auto draw = [&]() -> std::optional<Duration> {
        switch (random() % 6) {
            case 0:
                return std::nullopt;
            case 1:
                return -Duration::infinity();
            case 2:
                return Duration::infinity();
            default:
                return Duration::seconds(static_cast<long long>(random() % 5) - 2);
        }
    };
    for (int i = 0; i < 2000; ++i) {
        const std::optional<Duration> a = draw();
        const std::optional<Duration> b = draw();
        const SmallOptional<Duration> x = a;
        SmallOptional<Duration> y;
        CHECK_FALSE(y.has_value());
        y = b;
        REQUIRE(std::optional<Duration>(x) == a);
        REQUIRE(x.has_value() == a.has_value());
        REQUIRE(static_cast<bool>(x) == a.has_value());
        REQUIRE(x.value_or(Duration::seconds(9)) == a.value_or(Duration::seconds(9)));
        REQUIRE((!a || (*x == *a && x->count() == a->count())));
        REQUIRE((x == y) == (a == b));
        REQUIRE((x < y) == (a < b));
        REQUIRE((x >= y) == (a >= b));
        y.reset();
        REQUIRE_FALSE(y.has_value());
    }
    CHECK(sizeof(SmallOptional<Duration>) == sizeof(Duration));
    CHECK(sizeof(SmallOptional<Time>) == sizeof(Time));
    CHECK(SmallOptional<Time>(Time::seconds(3)) == Time::seconds(3));
    CHECK(SmallOptional<Time>() == std::nullopt);
}

TEST_CASE("a sum of times is read up to a million times the longest that is read otherwise") {
    CHECK_FALSE(Duration::parse("1.5e18"));
    CHECK(Duration::parse_sum("1500000000000000000.000001")->to_string() == "1500000000000000000.000001");
    CHECK(Duration::parse_sum("1e24") == Duration::longest_readable() * 1'000'000);
    CHECK_FALSE(Duration::parse_sum("1e24")->is_infinite());
    CHECK_FALSE(Duration::parse_sum("1000000000000000000000000.000001"));
    CHECK_FALSE(Duration::parse_sum("1e25"));
}

}  // namespace batfill::tests::time_test
