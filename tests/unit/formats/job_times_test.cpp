#include <catch2/catch.hpp>

#include "src/formats/job_times.hpp"

namespace batfill::tests::job_times_test {

namespace {

constexpr Duration morning = Duration::seconds(1'709'280'000);  // 2024-03-01 08:00:00

AccountedJob record(std::optional<Instant> submit, std::optional<Instant> start, std::optional<Instant> end) {
    AccountedJob job;
    job.submit = submit;
    job.start = start;
    job.end = end;
    return job;
}

Duration minutes(long long number) {
    return Duration::seconds(60 * number);
}

// What clocks show twice: the second reading is an hour later.
Instant twice(Duration first) {
    return {first, first + minutes(60)};
}

}  // namespace

TEST_CASE("A word for an unknown start means that the job never ran, on an absolute clock") {
    // 0 and -1, also in other zones; the largest 32-bit integers; the years 9999 and 1900.
    for (const long long start : {0LL, -1LL, -3600LL, 50'400LL, 2'147'483'647LL, 4'294'967'295LL, 253'402'300'799LL,
                                  -2'208'988'800LL, 315'532'800LL}) {
        INFO(start);
        const JobTimes times = times_of(record(morning, Duration::seconds(start), morning + minutes(60)));
        REQUIRE(times.missing != nullptr);
        CHECK(std::string(times.missing) == "never started");
    }
    AccountedJob cancelled = record(morning, Duration(), Duration());
    cancelled.run_time = Duration();
    CHECK(times_of(cancelled).missing != nullptr);
    cancelled.run_time = morning;  // end - start of some program
    CHECK(times_of(cancelled).missing != nullptr);
}

TEST_CASE("A start that is unknown does not lose a run time that is known") {
    AccountedJob job = record(morning, Duration(), morning + minutes(60));
    job.run_time = minutes(30);
    const JobTimes times = times_of(job);
    CHECK(times.missing == nullptr);
    CHECK(times.run_time == minutes(30));
    CHECK(!times.wait);
}

TEST_CASE("A word for an unknown end or submission is none of them") {
    const JobTimes running = times_of(record(morning, morning, Duration()));
    REQUIRE(running.missing != nullptr);
    CHECK(std::string(running.missing) == "has not ended yet");
    const JobTimes times = times_of(record(Duration(), morning, morning + minutes(60)));
    CHECK(times.missing == nullptr);
    CHECK(!times.submit);
    CHECK(!times.wait);
    CHECK(times.run_time == minutes(60));
}

TEST_CASE("On a relative clock 0 is an instant, and -1 is not") {
    const JobTimes first = times_of(record(Duration(), Duration(), Duration::seconds(10)));
    CHECK(first.missing == nullptr);
    CHECK(first.submit == Duration());
    CHECK(first.wait == Duration());
    CHECK(first.run_time == Duration::seconds(10));
    CHECK(times_of(record(Duration::seconds(5), Duration::seconds(-1), Duration::seconds(9))).missing != nullptr);
    CHECK(times_of(record(Duration::days(3000), Duration(), Duration::days(3001))).missing == nullptr);
}

TEST_CASE("Jobs of the years around 2038 are jobs") {
    const Duration late = Duration::seconds(2'147'483'647);
    const JobTimes times = times_of(record(late - minutes(90), late - minutes(60), late));
    CHECK(times.missing == nullptr);
    CHECK(times.run_time == minutes(60));
}

TEST_CASE("Of an hour that comes twice, the order of the instants decides") {
    // Submitted before the hour; it starts at 02:40 and ends at 02:10.
    const JobTimes ends_later = times_of(record(morning, twice(morning + minutes(50)), twice(morning + minutes(20))));
    CHECK(ends_later.run_time == minutes(30));
    CHECK(ends_later.wait == minutes(50));
    CHECK(!ends_later.has_several_readings);
    // Submitted at 02:50, starts at 02:10, ends after the hour.
    const JobTimes starts_later =
        times_of(record(twice(morning + minutes(50)), twice(morning + minutes(10)), morning + minutes(130)));
    CHECK(starts_later.submit == morning + minutes(50));
    CHECK(starts_later.wait == minutes(20));
    CHECK(starts_later.run_time == minutes(60));
    CHECK(!starts_later.has_several_readings);
}

TEST_CASE("Of an hour that comes twice, the elapsed time decides, and otherwise the first reading is noted") {
    AccountedJob job = record(morning, twice(morning + minutes(10)), morning + minutes(130));
    const JobTimes first = times_of(job);
    CHECK(first.run_time == minutes(120));
    CHECK(first.has_several_readings);
    job.run_time = minutes(60);
    const JobTimes second = times_of(job);
    CHECK(second.wait == minutes(70));
    CHECK(!second.has_several_readings);
    job.run_time.reset();
    job.wait = minutes(70);
    CHECK(times_of(job).run_time == minutes(60));
}

TEST_CASE("A run time that is longer than from start to end has another unit") {
    AccountedJob job = record(morning, morning, morning + minutes(60));
    job.run_time = minutes(61);
    CHECK(!times_of(job).exceeds_its_interval);
    job.run_time = minutes(62);
    CHECK(times_of(job).exceeds_its_interval);
    job.run_time = minutes(40);  // it was suspended
    CHECK(!times_of(job).exceeds_its_interval);
    CHECK(!times_of(job).has_another_unit);
    job.run_time = Duration::seconds(60);  // 60 minutes
    CHECK(times_of(job).has_another_unit);
    job.run_time = Duration::seconds(1);  // an hour
    CHECK(!times_of(job).has_another_unit);
    job.end = morning + minutes(180);
    job.run_time = Duration::seconds(3);
    CHECK(times_of(job).has_another_unit);
}

}  // namespace batfill::tests::job_times_test
