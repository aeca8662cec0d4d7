#include <optional>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>

#include "tests/unit/analysis/checked_schedule.hpp"

namespace batfill::tests::check_run_times_test {

using namespace checked_schedule;

TEST_CASE("run times and final states follow from delay and walltime") {
    Case run = small_case();
    ScheduledJob& job = run.schedule.jobs[0];
    job.state = JobState::completed_walltime_reached;
    job.success = false;
    CHECK(
        violations(run) ==
        Texts{
            "job w0!a: is COMPLETED_WALLTIME_REACHED, expected COMPLETED_SUCCESSFULLY of delay 10.000000 and walltime 20.000000"});
    run.workloads[0].profiles["pa"].delay = seconds(20);  // as long as its walltime, which stops it
    CHECK(violations(run) == Texts{"job w0!a: runs 10.000000 s, expected 20.000000, its walltime"});
    run.workloads[0].profiles["pa"].delay = seconds(9);
    job.state = JobState::completed_failed;
    CHECK(
        violations(run) ==
        Texts{
            "job w0!a: runs 10.000000 s, expected 9.000000, its delay",
            "job w0!a: is COMPLETED_FAILED, expected COMPLETED_SUCCESSFULLY of delay 9.000000 and walltime 20.000000"});
    run.workloads[0].profiles["pa"].delay = seconds(10);
    run.workloads[0].profiles["pa"].return_code = 1;
    CHECK(violations(run).empty());
}

TEST_CASE("where walltimes are only believed, jobs run as long as their delay") {
    Case run = empty_case(1);
    run.workloads[0].believes_walltimes = true;
    ScheduledJob& job = add(run, "a", Time(), Time(), seconds(30), std::nullopt, ResourceSet::range(0, 0));
    job.walltime = seconds(10);
    run.workloads[0].jobs[0].description.walltime = seconds(10);
    CHECK(violations(run).empty());
    run.workloads[0].believes_walltimes = false;
    CHECK(violations(run) ==
          Texts{"job w0!a: runs 30.000000 s, expected 10.000000, its walltime",
                "job w0!a: is COMPLETED_SUCCESSFULLY, expected COMPLETED_WALLTIME_REACHED of delay 30.000000 and "
                "walltime 10.000000"});
    run.workloads[0].believes_walltimes = true;
    run.workloads[0].profiles["pa"].delay = seconds(40);
    CHECK(violations(run) == Texts{"job w0!a: runs 30.000000 s, expected 40.000000, its delay"});
}

// A job that starts at 0.5 with a walltime of 61 s has a limit of 120 s from 0.
TEST_CASE("where a scheduler launches jobs and looks at their limits, the ends follow from these") {
    const auto of = [](double seconds) { return *Duration::from_seconds(seconds); };
    const auto found = [&](Duration runs, JobState state, Duration delay, const RunLimits& limits) {
        Case run = empty_case(1);
        ScheduledJob& job = add(run, "a", Time(), Time() + of(0.5), runs, std::nullopt, ResourceSet::range(0, 0));
        job.walltime = of(61);
        job.state = state;
        job.success = state == JobState::completed_successfully;
        run.workloads[0].jobs[0].description.walltime = of(61);
        run.workloads[0].profiles["pa"].delay = delay;
        return violations(run, {.run_limits = limits});
    };
    const RunLimits checks{of(2), {}, of(50), Time::at(-of(7))};  // looks at 93 and 143
    CHECK(found(of(142.5), JobState::completed_walltime_reached, of(200), checks).empty());
    CHECK(found(of(142.5), JobState::completed_successfully, of(140.5), checks).empty());
    CHECK(found(of(12), JobState::completed_successfully, of(10), checks).empty());
    CHECK(found(of(143.5), JobState::completed_walltime_reached, of(200), checks) ==
          Texts{"job w0!a: runs 143.500000 s, expected 142.500000, its limit"});
    CHECK(found(of(141.5), JobState::completed_walltime_reached, of(200), checks) ==
          Texts{"job w0!a: runs 141.500000 s, expected 142.500000, its limit"});
    CHECK(found(of(11), JobState::completed_successfully, of(10), checks) ==
          Texts{"job w0!a: runs 11.000000 s, expected 12.000000, its delay"});
    CHECK(
        found(of(142.5), JobState::completed_successfully, of(200), checks) ==
        Texts{"job w0!a: is COMPLETED_SUCCESSFULLY, expected COMPLETED_WALLTIME_REACHED of delay 202.000000 and limit "
              "142.500000"});
    CHECK(found(of(179.5), JobState::completed_walltime_reached, of(200), {{}, of(60), {}, {}}).empty());
    CHECK(found(of(61), JobState::completed_walltime_reached, of(200), {}).empty());
}

TEST_CASE("a killed job may be shorter than its delay and its walltime, not longer") {
    Case run = small_case();
    ScheduledJob& job = run.schedule.jobs[0];
    job.state = JobState::completed_killed;
    job.success = false;
    CHECK(violations(run).empty());
    run.workloads[0].profiles["pa"].delay = seconds(12);
    CHECK(violations(run).empty());
    run.workloads[0].profiles["pa"].delay = seconds(8);
    run.workloads[0].jobs[0].description.walltime = seconds(9);
    job.walltime = seconds(9);
    CHECK(violations(run) == Texts{"job w0!a: runs 10.000000 s, longer than its delay 8.000000",
                                   "job w0!a: runs 10.000000 s, longer than its walltime 9.000000"});
}

namespace {

// Makes a job of a schedule one that took no time, as files show it.
void show_no_time(ScheduledJob& job) {
    ExecutionRecord& times = *job.execution;
    times.length = shown_for_no_time;
    times.finish = times.start + times.length;
    times.turnaround = times.wait + times.length;
}

// On processor 0: "a" from 0 to 10; at 10 "z", which took no time; then "b" until 20.
Case no_time_case(const JobProfile& profile, std::optional<Duration> walltime) {
    Case run = empty_case(2);
    for (Host& host : run.platform.hosts) {
        host.speed = 1e9;
    }
    add(run, "a", Time(), Time(), seconds(10), std::nullopt, ResourceSet::range(0, 0));
    add(run, "b", Time(), Time::seconds(10), seconds(10), std::nullopt, ResourceSet::range(0, 0));
    show_no_time(add(run, "z", Time(), Time::seconds(10), Duration(), std::nullopt, ResourceSet::range(0, 0)));
    run.workloads[0].profiles["pz"] = profile;
    run.workloads[0].jobs[2].description.walltime = walltime;
    run.schedule.jobs[2].walltime = walltime;
    return run;
}

JobProfile computing(double cpu, double com = 0) {
    JobProfile profile;
    profile.type = JobProfile::Type::parallel_homogeneous;
    profile.cpu = cpu;
    profile.com = com;
    return profile;
}

}  // namespace

TEST_CASE("a job that took no time is shown with 10 microseconds, and holds nothing") {
    JobProfile delay;
    delay.type = JobProfile::Type::delay;
    CHECK(violations(no_time_case(delay, std::nullopt)).empty());
    CHECK(violations(no_time_case(delay, seconds(5))).empty());
    CHECK(violations(no_time_case(computing(0), std::nullopt)).empty());
    CHECK(violations(no_time_case(computing(400), std::nullopt)).empty());  // 0.4 microseconds
    CHECK(violations(no_time_case(computing(0), Duration::microseconds(3))).empty());
    JobProfile unknown;
    CHECK(violations(no_time_case(unknown, std::nullopt)).empty());
    CHECK(violations(no_time_case(computing(10'000, 1), std::nullopt)).empty());

    // It is not late either.
    Case due = no_time_case(computing(0), std::nullopt);
    due.workloads[0].jobs[2].description.deadline = Time::seconds(10);
    CHECK(check_schedule(due.schedule, due.workloads, due.platform, {}).missed_deadlines == 0);
    due.workloads[0].jobs[2].description.deadline = Time::seconds(10) - Duration::microseconds(2);
    CHECK(check_schedule(due.schedule, due.workloads, due.platform, {}).missed_deadlines == 1);
}

TEST_CASE("a job that took 10 microseconds held its processors for them") {
    JobProfile delay;
    delay.type = JobProfile::Type::delay;
    delay.delay = Duration::microseconds(10);
    const Texts found{"job w0!b: starts at 10.000000 on processor 0, which job w0!z has until 10.000010"};
    CHECK(violations(no_time_case(delay, std::nullopt)) == found);
    CHECK(violations(no_time_case(computing(10'000), std::nullopt)) == found);
    // A job that takes no time may not lie within another one.
    Case inside = no_time_case(computing(0), std::nullopt);
    ScheduledJob& job = inside.schedule.jobs[2];
    job.execution->start = job.execution->start - Duration::microseconds(7);
    job.execution->wait = job.execution->start.since_zero();
    show_no_time(job);
    CHECK(violations(inside) ==
          Texts{"job w0!z: starts at 9.999993 on processor 0, which job w0!a has until 10.000000"});
    // A delay of another length is not shown this way.
    delay.delay = Duration::microseconds(20);
    CHECK(violations(no_time_case(delay, std::nullopt)).back() == found.front());
    CHECK(violations(no_time_case(delay, std::nullopt)).size() == 2);
}

TEST_CASE("a job that is no delay runs at most its walltime") {
    Case run = small_case();
    run.workloads[0].profiles["pa"].type = JobProfile::Type::parallel_homogeneous;
    ScheduledJob& job = run.schedule.jobs[0];
    CHECK(violations(run).empty());
    job.state = JobState::completed_walltime_reached;
    job.success = false;
    CHECK(violations(run) ==
          Texts{"job w0!a: is COMPLETED_WALLTIME_REACHED after 10.000000 s, its walltime is 20.000000"});
    job.walltime = run.workloads[0].jobs[0].description.walltime = seconds(10);
    CHECK(violations(run).empty());
    job.walltime = run.workloads[0].jobs[0].description.walltime = std::nullopt;
    CHECK(violations(run) == Texts{"job w0!a: is COMPLETED_WALLTIME_REACHED after 10.000000 s, its walltime is none"});
}

TEST_CASE("times may differ by the tolerance and no more") {
    Case run = small_case();
    shift(run.schedule.jobs[1], -Duration::microseconds(1));
    run.schedule.jobs[2].execution->finish = Time::at(Duration::microseconds(15'000'001));
    CHECK(violations(run).empty());
    CHECK(violations(run, {.tolerance = Duration(), .deadlines_bind = false}).size() == 3);
    shift(run.schedule.jobs[1], -seconds(1));
    CHECK(violations(run).size() == 1);
    CHECK(violations(run, {.tolerance = seconds(2), .deadlines_bind = false}).empty());
}

TEST_CASE("a stretch is the one of its times, as far as their digits tell") {
    Case run = small_case();
    ScheduledJob& job = run.schedule.jobs[0];
    const ExecutionRecord& times = *job.execution;
    const double exact = times.turnaround.to_seconds() / times.length.to_seconds();
    job.stretch = exact;
    CHECK(violations(run) == Texts{});
    job.stretch = exact + 1e-6;
    CHECK(violations(run) == Texts{});
    job.stretch = exact + 0.01;
    CHECK_THAT(violations(run).at(0), Catch::Matchers::StartsWith("job w0!a: stretch is "));
    CHECK(violations(run).size() == 1);
}

}  // namespace batfill::tests::check_run_times_test
