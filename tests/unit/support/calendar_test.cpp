
#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/support/calendar.hpp"

namespace batfill::tests::calendar_test {

namespace {

std::optional<Duration> utc(const char* text, DateOrder order = DateOrder::year_month_day) {
    TimeZone zone("");
    const auto read = read_date(text, order, zone);
    return read ? std::optional(read->first) : std::nullopt;
}

std::string in(TimeZone& zone, const char* text) {
    return date_text(read_date(text, DateOrder::year_month_day, zone).value().first);
}

// The second reading of a text; empty if there is none.
std::string again(TimeZone& zone, const char* text) {
    const std::optional<Duration> second = read_date(text, DateOrder::year_month_day, zone).value().second;
    return second ? date_text(*second) : "";
}

}  // namespace

TEST_CASE("A date is read in the forms of batch systems and of pandas") {
    const auto noon = Duration::seconds(1'709'294'400);  // 2024-03-01 12:00:00
    for (const char* text : {"2024-03-01T12:00:00", "2024-03-01 12:00:00", "2024/03/01 12:00:00", "2024-03-01 12:00",
                             "2024-03-01 12:00:00Z", "2024-03-01 13:00:00+01:00", "2024-03-01T05:00:00-0700",
                             "2024-03-01 05:00:00-07", "2024-03-01 12:00:00 UTC", "20240301120000", "20240301T120000",
                             "20240301T130000+01:00", "202403011200", "2024-03-01 12:00:00 PM"}) {
        INFO(text);
        CHECK(utc(text) == noon);
    }
    CHECK(utc("2024-03-01 12:00:00.25") == noon + Duration::microseconds(250'000));
    CHECK(utc("2024-03-01 12:00:00.1234569") == noon + Duration::microseconds(123'457));
    CHECK(utc("2024-03-01 12:00:00.9999996") == noon + Duration::seconds(1));
    CHECK(utc("3/1/2024 12:00:00 AM", DateOrder::month_day_year) == noon - Duration::seconds(43'200));
    CHECK(utc("3/1/2024 1:30:00 PM", DateOrder::month_day_year) == noon + Duration::seconds(5400));
    CHECK(utc("2024-03-01") == noon - Duration::seconds(43'200));
    CHECK(utc("03/01/2024 12:00:00", DateOrder::month_day_year) == noon);
    CHECK(utc("01.03.2024 12:00:00", DateOrder::day_month_year) == noon);
    CHECK(date_text(noon) == "2024-03-01 12:00:00");
}

TEST_CASE("What is no date has no value") {
    for (const char* text :
         {"", "Unknown", "2024-13-01 12:00:00", "2023-02-29 12:00:00", "2024-03-01 25:00:00", "2024-03-01 12:61:00",
          "2024-03-01 12:00:00 CET", "2024-03-01X12:00:00", "24-03-01 12:00:00", "2024-03/01 12:00:00",
          "2024-03-01 12:00:00+25:00", "2024-03-01 ", "20241301120000", "2024030112000", "20240301T1200"}) {
        INFO(text);
        CHECK(!utc(text));
    }
}

TEST_CASE("A time zone turns local times into UTC, across its changes of the clock") {
    TimeZone berlin("Europe/Berlin");
    CHECK(in(berlin, "2024-01-15 12:00:00") == "2024-01-15 11:00:00");
    CHECK(in(berlin, "2024-07-15 12:00:00") == "2024-07-15 10:00:00");
    CHECK(in(berlin, "2024-03-31 01:59:59") == "2024-03-31 00:59:59");
    CHECK(in(berlin, "2024-03-31 03:00:00") == "2024-03-31 01:00:00");
    // Clocks showed this hour twice: it is the first.
    CHECK(in(berlin, "2024-10-27 02:30:00") == "2024-10-27 00:30:00");
    CHECK(in(berlin, "2024-10-27 03:30:00") == "2024-10-27 02:30:00");
    CHECK(in(berlin, "2024-07-15 12:00:00Z") == "2024-07-15 12:00:00");
    CHECK(date_text(berlin.midnight_before(utc("2024-07-15 23:00:00").value())) == "2024-07-15 22:00:00");
    CHECK(date_text(berlin.midnight_before(utc("2024-07-15 21:00:00").value())) == "2024-07-14 22:00:00");
    // Clocks left this hour out, and this day.
    CHECK(in(berlin, "2024-03-31 02:30:00") == "2024-03-31 01:30:00");
    TimeZone apia("Pacific/Apia");
    CHECK(in(apia, "2011-12-29 12:00:00") == "2011-12-29 22:00:00");
    CHECK(in(apia, "2011-12-30 12:00:00") == "2011-12-30 22:00:00");
    CHECK(in(apia, "2011-12-31 12:00:00") == "2011-12-30 22:00:00");
    TimeZone casablanca("Africa/Casablanca");
    CHECK(in(casablanca, "2021-05-16 02:06:00") == "2021-05-16 02:06:00");
    CHECK_THROWS_WITH(TimeZone("Europe/Bärlin"),
                      "unknown time zone 'Europe/Bärlin', expected a name such as Europe/Berlin or UTC");
    CHECK_THROWS_AS(TimeZone("../../etc/passwd"), UsageError);
}

TEST_CASE("A date of a zone has what its clocks show, fractions and the offset") {
    const auto march = Duration::seconds(1'711'846'800);  // 2024-03-31 01:00:00, when Berlin sets its clocks
    const TimeZone berlin("Europe/Berlin");
    CHECK(date_text(march - Duration::microseconds(1), berlin) == "2024-03-31 01:59:59.999999+01:00");
    CHECK(date_text(march, berlin) == "2024-03-31 03:00:00+02:00");
    CHECK(date_text(march + Duration::microseconds(500'000), TimeZone("")) == "2024-03-31 01:00:00.5+00:00");
    CHECK(date_text(march, TimeZone("Asia/Kolkata")) == "2024-03-31 06:30:00+05:30");
    CHECK(date_text(march, TimeZone("America/St_Johns")) == "2024-03-30 22:30:00-02:30");
    CHECK(date_text(march, TimeZone("Etc/GMT+8")) == "2024-03-30 17:00:00-08:00");
    CHECK(date_text(Duration::microseconds(-250'000), TimeZone("")) == "1969-12-31 23:59:59.75+00:00");
    for (const long long far : {1'000'000'000'000LL, -1'000'000'000'000LL}) {
        CHECK(date_text(Duration::seconds(far), berlin) == std::to_string(far) + " s after 1970-01-01 00:00:00");
    }
    // It reads back as the same instant.
    TimeZone utc("");
    for (long long hour = -30; hour < 30; ++hour) {
        const Duration instant = march + Duration::microseconds(hour * 3'600'000'123);
        const std::string text = date_text(instant, berlin);
        INFO(text);
        CHECK(read_date(text, DateOrder::year_month_day, utc) == Instant(instant));
    }
}

TEST_CASE("An instant in an hour that clocks show twice has two readings") {
    TimeZone berlin("Europe/Berlin");
    CHECK(again(berlin, "2024-10-27 01:59:59").empty());
    CHECK(again(berlin, "2024-10-27 02:00:00") == "2024-10-27 01:00:00");
    CHECK(again(berlin, "2024-10-27 02:59:59") == "2024-10-27 01:59:59");
    CHECK(again(berlin, "2024-10-27 03:00:00").empty());
    CHECK(again(berlin, "2024-10-27 02:30:00+02:00").empty());
    CHECK(again(berlin, "2024-07-15 12:00:00").empty());
    CHECK(read_date("2024-03-31 02:30:00", DateOrder::year_month_day, berlin)->is_skipped);
    CHECK(!read_date("2024-03-31 03:30:00", DateOrder::year_month_day, berlin)->is_skipped);
    // Lord Howe sets its clocks by half an hour.
    TimeZone howe("Australia/Lord_Howe");
    CHECK(in(howe, "2024-04-07 01:15:00") == "2024-04-06 14:15:00");
    CHECK(again(howe, "2024-04-07 01:15:00").empty());
    CHECK(in(howe, "2024-04-07 01:45:00") == "2024-04-06 14:45:00");
    CHECK(again(howe, "2024-04-07 01:45:00") == "2024-04-06 15:15:00");
    CHECK(in(howe, "2024-10-06 02:15:00") == "2024-10-05 15:45:00");
    CHECK(in(howe, "2024-10-06 02:45:00") == "2024-10-05 15:45:00");
}

TEST_CASE("A length of time is read in the forms of Slurm, PBS, pandas and ISO 8601") {
    const std::vector<std::pair<const char*, long long>> lengths = {{"90", 90},
                                                                    {"01:30", 90},
                                                                    {"1:00:00", 3600},
                                                                    {"1-02:00:00", 93'600},
                                                                    {"120:00:00", 432'000},
                                                                    {"0 days 02:00:00", 7200},
                                                                    {"1 day, 2:00:00", 93'600},
                                                                    {"3 days", 259'200},
                                                                    {"P1DT2H", 93'600},
                                                                    {"P0DT0H30M0S", 1800},
                                                                    {"00:00:00", 0},
                                                                    {"2-12", 216'000},
                                                                    {"2-12:30", 217'800},
                                                                    {"1h", 3600},
                                                                    {"90 min", 5400},
                                                                    {"1.5h", 5400},
                                                                    {"1d12h", 129'600},
                                                                    {"2 days 3 hours", 183'600},
                                                                    {"2 weeks", 1'209'600},
                                                                    {"1:02:00:00", 93'600},
                                                                    {"2 Hours", 7200},
                                                                    {"120 Minutes", 7200},
                                                                    {"45s", 45}};
    for (const auto& [text, seconds] : lengths) {
        INFO(text);
        CHECK(read_length(text) == Duration::seconds(seconds));
    }
    CHECK(read_length("00:00:01.5") == Duration::microseconds(1'500'000));
    CHECK(read_length("0 days 00:00:01.500000000") == Duration::microseconds(1'500'000));
    for (const char* text : {"", "INVALID", "UNLIMITED", "1:", "P", "P1", "1-", "-1:00", "PT1D", "2-24", "h", "1x",
                             "1h h", "30m1h", "1e3h", "1 h 2 h"}) {
        INFO(text);
        CHECK(!read_length(text));
    }
}

TEST_CASE("The last part of a length has a fraction of its own unit") {
    const std::vector<std::pair<const char*, long long>> lengths = {{"00:03.500", 3'500'000},
                                                                    {"02:30.6", 150'600'000},
                                                                    {"00:10.5", 10'500'000},
                                                                    {"90:00.000001", 5'400'000'001},
                                                                    {"01:02:03.25", 3'723'250'000},
                                                                    {"2-00:00:00.5", 172'800'500'000},
                                                                    {"1:02:03:04.5", 93'784'500'000},
                                                                    {"1-02:30.5", 95'430'000'000},
                                                                    {"0-02:30", 9'000'000'000},
                                                                    {"2-12.5", 217'800'000'000},
                                                                    {"1 day, 2:00:00.125", 93'600'125'000},
                                                                    {"0 days 02:30", 9'000'000'000},
                                                                    {"PT1.5H", 5'400'000'000},
                                                                    {"PT0.5M", 30'000'000},
                                                                    {"PT2M1.5S", 121'500'000},
                                                                    {"P0.5D", 43'200'000'000},
                                                                    {"P1.5W", 907'200'000'000},
                                                                    {"P2W", 1'209'600'000'000},
                                                                    {"1.5d", 129'600'000'000},
                                                                    {"1h 0.5 min", 3'630'000'000},
                                                                    {"3.5", 3'500'000}};
    for (const auto& [text, microseconds] : lengths) {
        INFO(text);
        CHECK(read_length(text) == Duration::microseconds(microseconds));
    }
    for (const char* text : {"00:03.", "00:.5", "1.5:00:00", "0.5-00", "P1.5M", "P1Y", "PT1W", "PT.5H", "1-24.5"}) {
        INFO(text);
        CHECK(!read_length(text));
    }
}

TEST_CASE("A unit applies to bare numbers only") {
    const Duration minute = Duration::seconds(60);
    CHECK(read_length("90", minute) == Duration::seconds(5400));
    CHECK(read_length("90.5", minute) == Duration::seconds(5430));
    CHECK(read_length("-1", minute) == Duration::seconds(-60));
    CHECK(read_length("01:00:00", minute) == Duration::seconds(3600));
    CHECK(read_length("2-12", minute) == Duration::seconds(216'000));
    CHECK(read_length("PT2H", minute) == Duration::seconds(7200));
    CHECK(read_length("1h", minute) == Duration::seconds(3600));
}

TEST_CASE("A date is shown in seconds from the year 10000 on, where calendars end") {
    CHECK(date_text(Duration()) == "1970-01-01 00:00:00");
    CHECK(date_text(Duration::microseconds(1'709'294'400'900'000)) == "2024-03-01 12:00:00");
    CHECK(date_text(Duration::seconds(-1)) == "1969-12-31 23:59:59");
    CHECK(date_text(Duration::seconds(253'402'300'799)) == "9999-12-31 23:59:59");
    CHECK(date_text(Duration::seconds(253'402'300'800)) == "253402300800 s after 1970-01-01 00:00:00");
    CHECK(date_text(Duration::longest_readable()) == "1000000000000000000 s after 1970-01-01 00:00:00");
}

}  // namespace batfill::tests::calendar_test
