#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/metrics.hpp>

#include "tests/support/scheduled_job.hpp"

namespace batfill::tests::measured_schedule_test {

namespace {

using tests::job;

ScheduledJob rejected(const std::string& id) {
    ScheduledJob result = job(id, 5, 5, 1);
    result.state = JobState::rejected;
    result.success = false;
    result.execution.reset();
    result.allocation.clear();
    return result;
}

}  // namespace

TEST_CASE("a measured schedule tells finished jobs from the others and counts states", "[metrics]") {
    ScheduledJob killed = job("b", 1, 3, 4, 2, 9);
    killed.state = JobState::completed_killed;
    const MeasuredSchedule schedule(Schedule{"run_jobs.csv", {job("a", 0, 10, 20, 3), rejected("r"), killed}});
    CHECK(schedule.path() == "run_jobs.csv");
    CHECK(schedule.jobs() == 3);
    CHECK(schedule.others() == std::vector<std::string_view>{"w0!r"});
    CHECK(schedule.jobs_in(JobState::completed_successfully) == 1);
    CHECK(schedule.jobs_in(JobState::completed_killed) == 1);
    CHECK(schedule.jobs_in(JobState::rejected) == 1);
    CHECK(schedule.jobs_in(JobState::running) == 0);
    REQUIRE(schedule.finished().size() == 2);
    const FinishedJob& second = schedule.finished()[1];
    CHECK(second.id == "w0!b");
    CHECK(second.processors == 2);
    CHECK(second.allocated == 2);
    CHECK(second.submit == Time::seconds(1));
    CHECK(second.walltime == Duration::seconds(9));
    CHECK(second.start == Time::seconds(3));
    CHECK(second.run == Duration::seconds(4));
    CHECK(second.finish == Time::seconds(7));
}

TEST_CASE("a measured schedule keeps its ids, also in a copy that outlives it", "[metrics]") {
    MeasuredSchedule copy("");
    {
        const std::string long_id(1000, 'x');
        MeasuredSchedule schedule(Schedule{"run_jobs.csv", {job(long_id, 0, 0, 1), rejected("r")}});
        copy = schedule;
        const MeasuredSchedule moved = std::move(schedule);
        CHECK(moved.finished()[0].id == "w0!" + long_id);
    }
    CHECK(copy.finished()[0].id == "w0!" + std::string(1000, 'x'));
    CHECK(copy.others()[0] == "w0!r");
}

TEST_CASE("the first job beyond a processor is the first of the schedule", "[metrics]") {
    const MeasuredSchedule schedule(
        Schedule{"run_jobs.csv", {rejected("r"), job("a", 0, 0, 1, 4), job("b", 0, 1, 1, 2), job("c", 0, 2, 1, 8)}});
    const auto id = [&](int processor) {
        const auto found = schedule.first_beyond(processor);
        return found ? std::string(found->id) + " " + std::to_string(found->last_processor) : "none";
    };
    CHECK(id(0) == "w0!a 3");
    CHECK(id(3) == "w0!a 3");
    CHECK(id(4) == "w0!c 7");
    CHECK(id(7) == "w0!c 7");
    CHECK(id(8) == "none");
    CHECK_FALSE(MeasuredSchedule(Schedule{"run_jobs.csv", {rejected("r")}}).first_beyond(0));
}

}  // namespace batfill::tests::measured_schedule_test
