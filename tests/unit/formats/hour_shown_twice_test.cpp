#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/unit/formats/accounting_files.hpp"

// The hour that clocks in Berlin showed twice: 2025-10-26 02:00 to 03:00, from 00:00 and from 01:00 UTC on.
namespace batfill::tests::hour_shown_twice_test {

using namespace accounting_files;

namespace {

constexpr Duration midnight = Duration::seconds(1'761'429'600);  // 2025-10-26 00:00 in Berlin, in UTC
constexpr const char* undecided = "instant in an hour that clocks showed twice";
constexpr const char* decided = "hour that clocks showed twice: the order of ids decides";

// Jobs of 5 minutes, which start a minute after these minutes of the hour.
SwfLog read_minutes(const std::vector<std::pair<std::string, std::string>>& jobs, const std::string& zone) {
    std::string text = "JobID|Submit|Start|End|Elapsed|NCPUS|State\n";
    for (const auto& [id, minute] : jobs) {
        const auto at = [](int minutes) {
            const std::string digits = std::to_string(minutes);
            return "2025-10-26T02:" + std::string(2 - digits.size(), '0') + digits + ":00|";
        };
        const int submit = std::stoi(minute);
        text += id + "|" + at(submit) + at(submit + 1) + at(submit + 6) + "00:05:00|4|COMPLETED\n";
    }
    AccountingData data;
    data.time_zone = zone;
    return read("sacct", text, data);
}

// The minutes from 02:00 on, by UTC.
std::vector<int> minutes_of(const SwfLog& log) {
    std::vector<int> minutes;
    for (const SwfJob& job : log.jobs) {
        const Duration since = job.submit + log.origin->since_1970 - midnight - Duration::seconds(7200);
        minutes.push_back(static_cast<int>(since.to_seconds() / 60));
    }
    return minutes;
}

}  // namespace

TEST_CASE("The order of ids decides which of two hours it was, where local times fall") {
    const SwfLog log =
        read_minutes({{"1", "5"}, {"2_7", "20"}, {"3", "1"}, {"2_8", "20"}, {"4", "30"}}, "Europe/Berlin");
    CHECK(minutes_of(log) == std::vector{5, 20, 61, 20, 90});
    CHECK(count_of(log.noted, decided) == 5);
    // Those of the first hour may have started in the second.
    CHECK(count_of(log.noted, undecided) == 3);
    for (const SwfJob& job : log.jobs) {
        CHECK(job.wait == Duration::seconds(60));
        CHECK(job.run_time == Duration::seconds(300));
    }
}

TEST_CASE("Where local times never fall, or fall more than once by little, nothing decides") {
    for (const auto& jobs : {std::vector<std::pair<std::string, std::string>>{{"1", "5"}, {"2", "20"}, {"3", "20"}},
                             std::vector<std::pair<std::string, std::string>>{
                                 {"1", "9"}, {"2", "8"}, {"3", "20"}, {"4", "18"}, {"5", "30"}},
                             std::vector<std::pair<std::string, std::string>>{{"a", "20"}, {"b", "5"}}}) {
        const SwfLog log = read_minutes(jobs, "Europe/Berlin");
        CHECK(count_of(log.noted, undecided) == jobs.size());
        CHECK(count_of(log.noted, decided) == 0);
        for (const int minute : minutes_of(log)) {
            CHECK(minute < 60);
        }
    }
    // A run that was submitted again does not hide the fall of all.
    const SwfLog log = read_minutes({{"1", "40"}, {"2", "39"}, {"3", "50"}, {"4", "2"}, {"5", "3"}}, "Europe/Berlin");
    CHECK(minutes_of(log) == std::vector{40, 39, 50, 62, 63});
}

TEST_CASE("A run that was submitted again comes after the end of the run before it") {
    AccountingData data;
    data.time_zone = "Europe/Berlin";
    const std::string head = "JobID|Submit|Start|End|Elapsed|NCPUS|State\n";
    const std::string day = "2025-10-26T";
    const std::string first =
        "7|" + day + "01:10:00|" + day + "01:50:00|" + day + "02:40:00|00:50:00|4|REQUEUED\n";  // until 0:40 in UTC
    const std::string second = "7|" + day + "02:15:00|" + day + "02:16:00|" + day + "02:21:00|00:05:00|4|COMPLETED\n";
    for (const std::string& rows : {first + second, second + first}) {
        const SwfLog log = read("sacct", head + rows, data);
        CHECK(minutes_of(log).at(rows.starts_with(first) ? 1 : 0) == 75);
        CHECK(count_of(log.noted, "hour that clocks showed twice: the end of the run before decides") == 1);
        CHECK(count_of(log.noted, undecided) == 0);
    }
    // It takes no part in the order of ids, also if either hour could be.
    const auto at = [](const std::string& id, const std::string& minute) {
        return id + "|2025-10-26T02:" + minute + ":00|2025-10-26T06:00:00|2025-10-26T06:05:00|00:05:00|4|COMPLETED\n";
    };
    const std::string early = "7|" + day + "00:10:00|" + day + "00:20:00|" + day + "02:10:00|01:50:00|4|REQUEUED\n";
    for (const std::string minute : {"10", "58"}) {
        const SwfLog log = read(
            "sacct", head + early + at("7", minute) + at("8", "01") + at("9", "50") + at("10", "06") + at("11", "30"),
            data);
        CHECK(minutes_of(log) == std::vector{-110, std::stoi(minute), 1, 50, 66, 90});
        CHECK(count_of(log.noted, undecided) == (minute == "58" ? 1 : 0));
    }
    std::string other = first;
    other[0] = '8';
    CHECK(minutes_of(read("sacct", head + other + second, data)).at(1) == 15);
}

TEST_CASE("Times that are an hour off are a sign that the time zone is missing") {
    const auto signs = [](const std::string& row, const std::string& zone = "") {
        AccountingData data;
        data.time_zone = zone;
        const SwfLog log = read("sacct", "JobID|Submit|Start|End|Elapsed|NCPUS\n" + row + "\n", data);
        return count_of(log.anomalies, "end before start, or an hour off the elapsed time");
    };
    const std::string before = "1|2025-10-26T01:00:00|2025-10-26T02:50:00|2025-10-26T02:10:00|";
    CHECK(signs(before + "00:20:00|4") == 1);
    CHECK(signs(before + "|4") == 1);
    CHECK(signs(before + "00:20:00|4", "Europe/Berlin") == 0);
    CHECK(signs("1|2025-03-30T01:00:00|2025-03-30T01:30:00|2025-03-30T03:30:00|01:00:00|4") == 1);
    CHECK(signs("1|2025-03-30T01:00:00|2025-03-30T01:30:00|2025-03-30T03:30:00|02:00:00|4") == 0);
    CHECK(signs("1|1761429600|1761429600|1761433200|01:00:00|4") == 0);
}

}  // namespace batfill::tests::hour_shown_twice_test
