#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>

#include "tests/unit/analysis/checked_schedule.hpp"

// Whether the audit sees that a job did not wait for what it waits for.
namespace batfill::tests::check_dependencies_test {

using namespace checked_schedule;

namespace {

// Adds a job for processor number `processor`, which is submitted at 0 and runs from `start` for `length`.
void add(Case& run, const std::string& id, int start, int length, int processor,
         const std::vector<std::string>& after = {}) {
    checked_schedule::add(run, id, Time(), Time::seconds(start), seconds(length), seconds(1000),
                          ResourceSet::range(processor, processor));
    StatedNeeds needs;
    for (const std::string& condition : after) {
        needs.after.push_back(Dependency::parse(condition).value());
    }
    run.workloads[0].jobs.back().description.needs = needs;
}

void end_as(Case& run, std::size_t job, JobState state) {
    run.schedule.jobs[job].state = state;
    run.schedule.jobs[job].success = state == JobState::completed_successfully;
    const bool fails = state == JobState::completed_failed;
    run.workloads[0].profiles[run.workloads[0].jobs[job].description.profile].return_code = fails ? 1 : 0;
}

// Job a runs from 0 to 10. The others begin as early as they may.
Case waiting_case() {
    Case run = empty_case(4);
    add(run, "a", 0, 10, 0);
    add(run, "b", 10, 10, 0, {"ok:a"});
    add(run, "c", 15, 10, 1, {"any:a+5", "start:b"});
    add(run, "d", 3, 7, 2, {"start:a+3"});
    add(run, "e", 20, 1, 2, {"ok:b", "ok:d", "any:a"});
    return run;
}

// Submits a killed job again.
void add_run(Case& run, std::size_t job, const std::string& id, int submit, int start, int end, JobState state) {
    ScheduledJob again = run.schedule.jobs.at(job);
    again.id = id;
    again.submit = Time::seconds(submit);
    again.state = state;
    again.success = state == JobState::completed_successfully;
    again.execution = ExecutionRecord{Time::seconds(start), seconds(end - start), Time::seconds(end),
                                      seconds(start - submit), seconds(end - submit)};
    run.schedule.jobs.push_back(again);
}

std::size_t unchecked_conditions(const Case& run) {
    return check_schedule(run.schedule, run.workloads, run.platform, {}).unchecked_conditions;
}

}  // namespace

TEST_CASE("jobs that waited for others pass, and one that starts too early is named with the condition") {
    Case run = waiting_case();
    CHECK(violations(run) == Texts{});
    CHECK(unchecked_conditions(run) == 0);
    shift(run.schedule.jobs[2], -Duration::microseconds(1));
    CHECK(violations(run) == Texts{});
    shift(run.schedule.jobs[2], -Duration::microseconds(1));
    shift(run.schedule.jobs[3], -seconds(1));
    shift(run.schedule.jobs[4], -seconds(4));
    CHECK(violations(run) == Texts{"job w0!d: starts at 2.000000, but waits for start:a+3 until 3.000000",
                                   "job w0!c: starts at 14.999998, but waits for any:a+5 until 15.000000",
                                   "job w0!e: starts at 16.000000, but waits for ok:b until 20.000000"});
}

TEST_CASE("a job that took no time is over when it starts") {
    Case run = empty_case(2);
    add(run, "a", 7, 0, 0);
    run.schedule.jobs[0].execution->length = shown_for_no_time;
    run.schedule.jobs[0].execution->finish = Time::seconds(7) + shown_for_no_time;
    run.schedule.jobs[0].execution->turnaround = seconds(7) + shown_for_no_time;
    add(run, "b", 7, 5, 1, {"ok:a"});
    CHECK(violations(run, {.tolerance = Duration()}) == Texts{});
}

TEST_CASE("a job whose condition can never hold must be rejected, and so must those that need it") {
    Case run = waiting_case();
    end_as(run, 0, JobState::completed_failed);
    CHECK(violations(run) == Texts{"job w0!b: runs, although it waits for ok:a and job a is COMPLETED_FAILED"});
    reject(run.schedule.jobs[1]);
    CHECK(violations(run) == Texts{"job w0!c: runs, although it waits for start:b and job b is REJECTED",
                                   "job w0!e: runs, although it waits for ok:b and job b is REJECTED"});
    reject(run.schedule.jobs[2]);
    reject(run.schedule.jobs[4]);
    CHECK(violations(run) == Texts{});
    CHECK(violations(run, {.rejections_allowed = true}) == Texts{});
    // What waits for a rejected job in any way begins when that was rejected: when the job that failed has ended.
    add(run, "f", 10, 1, 1, {"any:e"});
    CHECK(violations(run) == Texts{});
    shift(run.schedule.jobs[5], -seconds(1));
    CHECK(violations(run) == Texts{"job w0!f: starts at 9.000000, but waits for any:e until 10.000000"});
}

TEST_CASE("a job is not rejected for conditions that can hold") {
    Case run = waiting_case();
    reject(run.schedule.jobs[1]);
    reject(run.schedule.jobs[2]);
    reject(run.schedule.jobs[4]);
    const std::string wrong =
        "job w0!b: rejected, though the machine could run it and what it waits for can happen: ok:a";
    CHECK(violations(run) == Texts{wrong});
    CHECK(violations(run, {.rejections_allowed = true}) == Texts{});
    run.workloads[0].jobs[1].description.processors = run.schedule.jobs[1].processors = 5;
    CHECK(violations(run) == Texts{});
    run = waiting_case();
    reject(run.schedule.jobs[2]);
    CHECK(violations(run) == Texts{"job w0!c: rejected, though the machine could run it and what it waits for can "
                                   "happen: any:a+5, start:b"});
}

TEST_CASE("a job that waits for one that never ended cannot run") {
    Case run = waiting_case();
    run.schedule.jobs[1].state = JobState::not_submitted;
    run.schedule.jobs[1].success = false;
    run.schedule.jobs[1].execution.reset();
    CHECK(violations(run) == Texts{"job w0!b: never finished",
                                   "job w0!c: runs, although it waits for start:b and job b is NOT_SUBMITTED",
                                   "job w0!e: runs, although it waits for ok:b and job b is NOT_SUBMITTED"});
    run.schedule.jobs[1].state = JobState::running;
    CHECK(violations(run) ==
          Texts{"job w0!b: never finished", "job w0!e: runs, although it waits for ok:b and job b is RUNNING"});
}

TEST_CASE("a killed job that is submitted again starts once, and ends with its last run") {
    Case run = empty_case(3);
    add(run, "a", 0, 10, 0);
    add(run, "b", 24, 10, 1, {"ok:a"});
    add(run, "c", 2, 3, 2, {"start:a+2"});
    add(run, "d", 24, 3, 2, {"any:a"});
    end_as(run, 0, JobState::completed_killed);
    run.schedule.jobs[0].execution = ExecutionRecord{Time(), seconds(4), Time::seconds(4), Duration(), seconds(4)};
    add_run(run, 0, "w0!a#1", 4, 6, 9, JobState::completed_killed);
    add_run(run, 0, "w0!a#2", 9, 14, 24, JobState::completed_successfully);
    CHECK(violations(run) == Texts{});
    shift(run.schedule.jobs[1], -seconds(1));
    shift(run.schedule.jobs[2], -seconds(1));
    shift(run.schedule.jobs[3], -seconds(1));
    CHECK(violations(run) == Texts{"job w0!c: starts at 1.000000, but waits for start:a+2 until 2.000000",
                                   "job w0!b: starts at 23.000000, but waits for ok:a until 24.000000",
                                   "job w0!d: starts at 23.000000, but waits for any:a until 24.000000"});
    // A later run waits for nothing, and its rejection is that of the job.
    shift(run.schedule.jobs[1], seconds(1));
    shift(run.schedule.jobs[2], seconds(1));
    shift(run.schedule.jobs[3], seconds(1));
    reject(run.schedule.jobs[5]);
    const CheckOptions allowed{.rejections_allowed = true};
    CHECK(violations(run, allowed) == Texts{"job w0!b: runs, although it waits for ok:a and job a is REJECTED"});
    reject(run.schedule.jobs[1]);
    CHECK(violations(run) == Texts{"job w0!a#2: rejected, though the machine could run it: it has a walltime and "
                                   "requests 1 of 3 processors"});
    shift(run.schedule.jobs[3], -seconds(15));
    CHECK(violations(run, allowed) == Texts{});
    shift(run.schedule.jobs[3], -seconds(1));
    CHECK(violations(run, allowed) == Texts{"job w0!d: starts at 8.000000, but waits for any:a until 9.000000"});
}

TEST_CASE("a job that starts before its begin is named") {
    Case run = empty_case(2);
    add(run, "a", 10, 5, 0);
    StatedNeeds needs;
    needs.begin = Time::seconds(10);
    run.workloads[0].jobs[0].description.needs = needs;
    CHECK(violations(run) == Texts{});
    shift(run.schedule.jobs[0], -seconds(1));
    CHECK(violations(run) == Texts{"job w0!a: starts at 9.000000, before its begin 10.000000"});
}

TEST_CASE("a task that starts while too many tasks of its array before it are not over is named") {
    Case run = empty_case(6);
    add(run, "a", 0, 10, 0);
    add(run, "b", 0, 20, 1);
    add(run, "c", 10, 5, 2);
    add(run, "d", 15, 5, 3);
    add(run, "e", 0, 5, 4);
    add(run, "f", 0, 5, 5);
    for (std::size_t job = 0; job < 5; ++job) {
        StatedNeeds needs;
        needs.array = job == 4 ? "y" : "x";
        needs.array_limit = 2;
        run.workloads[0].jobs[job].description.needs = needs;
    }
    CHECK(violations(run) == Texts{});
    shift(run.schedule.jobs[2], -seconds(1));
    shift(run.schedule.jobs[3], -seconds(2));
    CHECK(violations(run) ==
          Texts{"job w0!c: starts at 9.000000, while 2 tasks of array x before it are not over until "
                "10.000000",
                "job w0!d: starts at 13.000000, while 2 tasks of array x before it are not over "
                "until 14.000000"});
    // A task that was rejected is over; one that never ended is not.
    reject(run.schedule.jobs[0]);
    run.workloads[0].jobs[0].description.processors = run.schedule.jobs[0].processors = 7;
    CHECK(violations(run) ==
          Texts{"job w0!d: starts at 13.000000, while 2 tasks of array x before it are not over until 14.000000"});
    end_as(run, 1, JobState::completed_killed);
    run.schedule.jobs[1].execution = ExecutionRecord{Time(), seconds(4), Time::seconds(4), Duration(), seconds(4)};
    CHECK(violations(run) == Texts{});
    add_run(run, 1, "w0!b#1", 4, 4, 24, JobState::completed_successfully);
    CHECK(violations(run) ==
          Texts{"job w0!d: starts at 13.000000, while 2 tasks of array x before it are not over until 14.000000"});
}

TEST_CASE("conditions on jobs that the workload does not have are counted, not checked") {
    Case run = waiting_case();
    run.workloads[0].jobs.erase(run.workloads[0].jobs.begin());
    run.schedule.jobs.erase(run.schedule.jobs.begin());
    shift(run.schedule.jobs[0], -seconds(1));  // b, which waits for a only
    CHECK(violations(run) == Texts{});
    CHECK(unchecked_conditions(run) == 4);
    reject(run.schedule.jobs[0]);
    reject(run.schedule.jobs[1]);
    reject(run.schedule.jobs[3]);
    CHECK(violations(run) == Texts{});
}

TEST_CASE("a job that the schedule lacks, and a circle, make no other violation") {
    Case run = waiting_case();
    run.schedule.jobs.erase(run.schedule.jobs.begin());
    CHECK(violations(run) == Texts{"job w0!a: missing"});
    run = empty_case(2);
    add(run, "a", 0, 10, 0, {"ok:b"});
    add(run, "b", 0, 10, 1, {"ok:a"});
    reject(run.schedule.jobs[0]);
    reject(run.schedule.jobs[1]);
    CHECK(violations(run) == Texts{});
}

}  // namespace batfill::tests::check_dependencies_test
