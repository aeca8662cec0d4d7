#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/support/calendar.hpp"

namespace batfill::tests::durations_test {

TEST_CASE("A length of time is a number of seconds, or has a unit") {
    CHECK(parse_duration("90") == Duration::seconds(90));
    CHECK(parse_duration("90s") == Duration::seconds(90));
    CHECK(parse_duration("15m") == Duration::seconds(900));
    CHECK(parse_duration("1h") == Duration::seconds(3600));
    CHECK(parse_duration("1.5h") == Duration::seconds(5400));
    CHECK(parse_duration("30d") == Duration::days(30));
    CHECK(parse_duration("-1d") == Duration() - Duration::days(1));
    CHECK(parse_duration("0.000001s") == Duration::microseconds(1));
    CHECK(parse_duration("1e18") == Duration::longest_readable());
    CHECK(parse_duration("1-12:00:00") == Duration::seconds(129'600));
    CHECK(parse_duration("1h30m") == Duration::seconds(5400));
    CHECK(parse_duration("2 days") == Duration::days(2));
}

TEST_CASE("What is not a length of time is refused") {
    for (const char* text : {"", "s", "h", "1y", "1hh", "h1", "1e18m", "-1e18d", "1e24d"}) {
        INFO(text);
        CHECK(parse_duration(text) == std::nullopt);
    }
    CHECK_THROWS_WITH(
        seconds_of("--tau", "1y", Duration::seconds(1)),
        "--tau: expected a number of seconds from 1.000000, or a length with units (90s, 15m, 1h, 30d, 1-12:00:00), found '1y'");
    CHECK_THROWS_WITH(seconds_of("--tau", "0s", Duration::seconds(1)),
                      "--tau: expected a number of seconds from 1.000000, found '0s'");
    CHECK(seconds_of("--tau", "1m") == Duration::seconds(60));
}

}  // namespace batfill::tests::durations_test
