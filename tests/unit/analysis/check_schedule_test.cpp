#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check.hpp>
#include <batfill/core/error.hpp>

#include "test_data.hpp"

namespace batfill::tests::check_schedule_test {

namespace {

struct Case {
    Schedule schedule;
    std::vector<Workload> workloads;
    Platform platform;
};

Platform machine(int processors) {
    Platform platform;
    platform.hosts.resize(static_cast<std::size_t>(processors));
    return platform;
}

// Adds a job to the workload and the schedule. It runs on `allocation` from `start`, for as long as its delay and
// walltime say.
ScheduledJob& add(Case& run, const std::string& id, Time submit, Time start, Duration delay,
                  std::optional<Duration> walltime, const ResourceSet& allocation) {
    Workload& workload = run.workloads.at(0);
    JobProfile profile;
    profile.type = JobProfile::Type::delay;
    profile.delay = delay;
    workload.profiles["p" + id] = profile;
    JobDescription& description = workload.jobs.emplace_back().description;
    description.id = "w0!" + id;
    description.submit = submit;
    description.processors = allocation.size();
    description.walltime = walltime;
    description.profile = "p" + id;

    ScheduledJob job;
    job.id = description.id;
    job.submit = submit;
    job.processors = allocation.size();
    job.walltime = walltime;
    const bool reaches_walltime = walltime && delay >= *walltime;
    job.state = reaches_walltime ? JobState::completed_walltime_reached : JobState::completed_successfully;
    job.success = !reaches_walltime;
    const Duration length = reaches_walltime ? *walltime : delay;
    job.execution = ExecutionRecord{start, length, start + length, start - submit, start + length - submit};
    job.allocation = allocation;
    run.schedule.jobs.push_back(job);
    return run.schedule.jobs.back();
}

Case empty_case(int processors) {
    return {{"run_jobs.csv", {}}, std::vector<Workload>(1), machine(processors)};
}

Duration seconds(long long s) {
    return Duration::seconds(s);
}

// Three jobs on four processors. The second directly follows the first on the same processors.
Case small_case() {
    Case run = empty_case(4);
    add(run, "a", Time(), Time(), seconds(10), seconds(20), ResourceSet::range(0, 1));
    add(run, "b", Time(), Time::seconds(10), seconds(10), seconds(10), ResourceSet::range(0, 1));
    add(run, "c", Time::seconds(5), Time::seconds(5), seconds(10), std::nullopt, ResourceSet::range(2, 3));
    return run;
}

std::vector<std::string> violations(const Case& run, const CheckOptions& options = {}) {
    std::vector<std::string> texts;
    for (const Violation& violation : check_schedule(run.schedule, run.workloads, run.platform, options).violations) {
        texts.push_back(violation.text);
    }
    return texts;
}

using Texts = std::vector<std::string>;

void reject(ScheduledJob& job) {
    job.state = JobState::rejected;
    job.success = false;
    job.execution.reset();
    job.allocation.clear();
}

// A valid schedule. Jobs are placed one by one at the first instant when enough processors are free, on random ones of
// these. Times are in microseconds. Some jobs reach their walltime, take no time or are rejected.
Case random_case(std::mt19937& random) {
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    const int processors = 1 + below(12);
    Case run = empty_case(processors);
    std::vector<Time> free_from(static_cast<std::size_t>(processors));
    Time submit;
    for (int i = 0; i < 40; ++i) {
        submit = submit + Duration::microseconds(below(3) * 700'000);
        const int wanted = 1 + below(processors);
        std::vector<int> order(static_cast<std::size_t>(processors));
        for (int p = 0; p < processors; ++p) {
            order[static_cast<std::size_t>(p)] = p;
        }
        std::shuffle(order.begin(), order.end(), random);
        Time start = submit;
        ResourceSet allocation;
        for (int p = 0; p < wanted; ++p) {
            const int processor = order[static_cast<std::size_t>(p)];
            start = std::max(start, free_from[static_cast<std::size_t>(processor)]);
            allocation.insert(ResourceSet::range(processor, processor));
        }
        const Duration delay = Duration::microseconds(below(4) * 1'000'001);
        const std::optional<Duration> walltime =
            below(4) == 0 ? std::nullopt : std::optional(Duration::microseconds((1 + below(4)) * 1'000'000));
        const ScheduledJob& job = add(run, std::to_string(i), submit, start, delay, walltime, allocation);
        for (int p = 0; p < wanted; ++p) {
            free_from[static_cast<std::size_t>(order[static_cast<std::size_t>(p)])] = job.execution->finish;
        }
    }
    add(run, "wide", submit, submit, seconds(1), seconds(1), ResourceSet::range(0, processors));
    reject(run.schedule.jobs.back());
    std::shuffle(run.schedule.jobs.begin(), run.schedule.jobs.end(), random);
    return run;
}

void shift(ScheduledJob& job, Duration by) {
    job.execution->start = job.execution->start + by;
    job.execution->finish = job.execution->finish + by;
    job.execution->wait = job.execution->wait + by;
    job.execution->turnaround = job.execution->turnaround + by;
}

}  // namespace

TEST_CASE("a schedule without fault has no violations and is counted") {
    Case run = small_case();
    run.workloads[0].jobs[0].description.deadline = Time::seconds(10);
    run.workloads[0].jobs[1].description.deadline = Time::seconds(19);
    const CheckReport report = check_schedule(run.schedule, run.workloads, run.platform, {});
    CHECK(report.violations.empty());
    CHECK(report.jobs == 3);
    CHECK(report.rejected == 0);
    CHECK(report.deadlines == 2);
    CHECK(report.missed_deadlines == 1);
}

TEST_CASE("jobs that are missing, foreign or there twice are found") {
    Case run = small_case();
    run.schedule.jobs[0].id = "w1!x";
    run.schedule.jobs.push_back(run.schedule.jobs[2]);
    CHECK(violations(run) ==
          Texts{"job w1!x: in none of the workloads", "job w0!a: missing", "job w0!c: there more than once"});
}

TEST_CASE("a processor used twice is named with both jobs") {
    Case run = small_case();
    shift(run.schedule.jobs[1], -seconds(1));
    CHECK(violations(run) == Texts{"job w0!b: starts at 9.000000 on processor 0, which job w0!a has until 10.000000"});
}

TEST_CASE("a job of no length on a processor in use is found, at its edges it is not") {
    Case run = small_case();
    ScheduledJob& job = add(run, "z", Time(), Time(), Duration(), seconds(5), ResourceSet::range(1, 1));
    CHECK(violations(run).empty());
    shift(job, seconds(5));
    CHECK(violations(run) == Texts{"job w0!z: starts at 5.000000 on processor 1, which job w0!a has until 10.000000"});
    shift(job, seconds(5));
    CHECK(violations(run).empty());
}

TEST_CASE("a start before the submission is found") {
    Case run = small_case();
    shift(run.schedule.jobs[2], -Duration::microseconds(2));
    CHECK(violations(run) == Texts{"job w0!c: starts at 4.999998, before its submission at 5.000000"});
}

TEST_CASE("allocations of another size or beyond the platform are found") {
    Case run = small_case();
    run.schedule.jobs[0].allocation = ResourceSet::range(0, 0);
    run.schedule.jobs[2].allocation = ResourceSet::range(3, 4);
    CHECK(violations(run) ==
          Texts{"job w0!a: has 1 processors, requested 2", "job w0!c: has processor 4, the platform's last is 3"});
}

TEST_CASE("a job wider than the platform must be rejected, and a rejected job has no times") {
    Case run = small_case();
    run.platform = machine(1);
    Texts texts = violations(run);
    CHECK(std::count(texts.begin(), texts.end(), "job w0!a: requests 2 processors of 1 and was not rejected") == 1);

    run = small_case();
    run.schedule.jobs[0].state = JobState::rejected;
    run.schedule.jobs[0].success = false;
    const CheckOptions allowed{.rejections_allowed = true};
    CHECK(violations(run, allowed) == Texts{"job w0!a: rejected, but has times or an allocation"});
    run.schedule.jobs[0].execution.reset();
    CHECK(violations(run, allowed) == Texts{"job w0!a: rejected, but has times or an allocation"});
    run.schedule.jobs[0].allocation.clear();
    CHECK(violations(run, allowed).empty());
}

TEST_CASE("an unfinished job is a violation") {
    Case run = small_case();
    run.schedule.jobs[2].state = JobState::running;
    run.schedule.jobs[2].success = false;
    run.schedule.jobs[2].execution.reset();
    CHECK(violations(run) == Texts{"job w0!c: never finished"});
}

TEST_CASE("run times and final states follow from delay and walltime") {
    Case run = small_case();
    ScheduledJob& job = run.schedule.jobs[0];
    job.state = JobState::completed_walltime_reached;
    job.success = false;
    CHECK(violations(run) == Texts{"job w0!a: is COMPLETED_WALLTIME_REACHED, expected COMPLETED_SUCCESSFULLY of delay "
                                   "10.000000 and walltime 20.000000"});
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

TEST_CASE("a start on a processor that is unavailable is found, and a job that runs on if it may not") {
    Case run = empty_case(3);
    add(run, "a", Time(), Time::seconds(10), seconds(10), std::nullopt, ResourceSet::range(0, 1));
    const auto with = [&](const std::vector<std::string>& files, bool survive = true) {
        std::vector<std::vector<ExternalEvent>> lists;
        for (const std::string& file : files) {
            lists.push_back(parse_external_events(file, "e.json", false));
        }
        Texts texts;
        for (const Violation& violation : check_schedule(run.schedule, run.workloads, run.platform,
                                                         {.jobs_survive_losses = survive}, nullptr, nullptr, lists)
                                              .violations) {
            texts.push_back(violation.text);
        }
        return texts;
    };
    const auto event = [](const std::string& kind, const std::string& time, const std::string& processors) {
        return R"({"type":"machine_)" + kind + R"(","timestamp":)" + time + R"(,"resources":")" + processors + "\"}\n";
    };
    const std::string on_0 = "job w0!a: starts at 10.000000 on processor 0, which is unavailable from ";
    const std::string on_1 = "job w0!a: starts at 10.000000 on processor 1, which is unavailable from ";
    CHECK(with({}).empty());
    CHECK(with({""}).empty());
    CHECK(with({event("unavailable", "5", "2")}, false).empty());
    CHECK(with({event("unavailable", "5", "1-2")}) == Texts{on_1 + "5.000000 on"});
    CHECK(with({event("unavailable", "5", "0-2") + event("available", "10.5", "0-1")}) ==
          Texts{on_0 + "5.000000 to 10.500000"});
    // Processors are gone from the instant of the loss, and available from the instant of the return.
    CHECK(with({event("unavailable", "10", "1") + event("available", "11", "1")}) ==
          Texts{on_1 + "10.000000 to 11.000000"});
    CHECK(with({event("unavailable", "5", "0-2") + event("available", "10", "0-1")}, false).empty());
    CHECK(with({event("unavailable", "5", "0-2") + event("available", "10.000001", "0-1")}, false).empty());
    CHECK(with({event("unavailable", "5", "0-2") + event("available", "10.000002", "0-1")}) ==
          Texts{on_0 + "5.000000 to 10.000002"});
    // Several outages, from several files.
    CHECK(with({event("unavailable", "1", "1") + event("available", "2", "1") + event("unavailable", "9", "1"),
                event("unavailable", "3", "1") + event("available", "4", "1")}) == Texts{on_1 + "9.000000 on"});
    // During the run, and at its end.
    const std::string during = event("unavailable", "15", "1") + event("available", "16", "1");
    CHECK(with({during}).empty());
    CHECK(with({during}, false) ==
          Texts{"job w0!a: runs until 20.000000 on processor 1, which is unavailable from 15.000000 to 16.000000"});
    CHECK(with({event("unavailable", "20", "1")}, false).empty());
    run.schedule.jobs[0].state = JobState::completed_killed;
    run.schedule.jobs[0].success = false;
    run.schedule.jobs[0].execution =
        ExecutionRecord{Time::seconds(10), seconds(5), Time::seconds(15), seconds(10), seconds(15)};
    CHECK(with({during}, false).empty());

    // Events that contradict each other or do not fit the machine.
    CHECK_THROWS_WITH(with({event("unavailable", "5", "1-3")}),
                      "event machine_unavailable at 5.000000: processor 3 does not exist, the platform's last is 2");
    CHECK_THROWS_WITH(with({event("available", "5", "1")}),
                      "event machine_available at 5.000000: processor 1 is not unavailable");
    CHECK_THROWS_WITH(with({event("unavailable", "5", "0-1"), event("unavailable", "6", "1-2")}),
                      "event machine_unavailable at 6.000000: processor 1 is unavailable already");
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

TEST_CASE("columns that disagree with each other or with the workload are found") {
    Case run = small_case();
    ScheduledJob& job = run.schedule.jobs[2];
    job.execution->finish = Time::seconds(16);
    job.execution->wait = seconds(3);
    job.success = false;
    CHECK(violations(run) ==
          Texts{"job w0!c: success is 0 but the final state is COMPLETED_SUCCESSFULLY",
                "job w0!c: finish_time is 16.000000, but starting_time + execution_time is 15.000000",
                "job w0!c: waiting_time is 3.000000, but starting_time - submission_time is 0.000000",
                "job w0!c: turnaround_time is 10.000000, but finish_time - submission_time is 11.000000"});
    run = small_case();
    run.workloads[0].jobs[2].description.submit = Time::seconds(4);
    run.workloads[0].jobs[2].description.walltime = seconds(11);
    run.workloads[0].jobs[1].description.processors = 1;
    CHECK(violations(run) == Texts{"job w0!b: requested_number_of_resources is 2, the workload has 1",
                                   "job w0!c: submission_time is 5.000000, the workload has 4.000000",
                                   "job w0!c: requested_time is none, the workload has 11.000000",
                                   "job w0!b: has 2 processors, requested 1"});
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

TEST_CASE("missed deadlines are violations only if they bind") {
    Case run = small_case();
    run.workloads[0].jobs[0].description.deadline = Time::seconds(10);
    run.workloads[0].jobs[1].description.deadline = Time::seconds(15);
    CHECK(violations(run).empty());
    CHECK(violations(run, {.tolerance = Duration::microseconds(1), .deadlines_bind = true}) ==
          Texts{"job w0!b: finishes at 20.000000, after its deadline 15.000000"});
}

TEST_CASE("guarantees are of the jobs of the schedule and were kept") {
    // a starts at 0, b at 10, c is submitted and starts at 5.
    const Case run = small_case();
    const auto found = [&](const std::string& lines, const CheckOptions& options = {}) {
        const std::vector<Guarantee> guarantees =
            parse_guarantees("job_id,guaranteed_start,actual_start,workload_name\n" + lines, "run_guarantees.csv");
        Texts texts;
        for (const Violation& violation :
             check_schedule(run.schedule, run.workloads, run.platform, options, &guarantees).violations) {
            texts.push_back(violation.text);
        }
        return texts;
    };
    const std::string a = "a,0,0,w0\n";
    const std::string b = "b,10,10,w0\n";
    const std::string c = "c,5,5,w0\n";
    CHECK(found(a + b + c).empty());
    CHECK(found("\"c\",,5,w0\nb,11.5,10,w0\n" + a).empty());
    CHECK(found(a + "b,9.999998,10,w0\n" + c) ==
          Texts{"job w0!b: was guaranteed a start at 9.999998 and starts at 10.000000"});
    CHECK(found(a + "b,9.999999,10.000001,w0\n" + c).empty());
    CHECK(found(a + "b,9.999999,10,w0\n" + c, {.tolerance = Duration()}) ==
          Texts{"job w0!b: was guaranteed a start at 9.999999 and starts at 10.000000"});
    CHECK(found(a + b + "c,4,5,w0\n") == Texts{"job w0!c: was guaranteed a start at 4.000000, before its submission "
                                               "at 5.000000",
                                               "job w0!c: was guaranteed a start at 4.000000 and starts at 5.000000"});
    CHECK(found(a + "b,12,11,w0\n" + c) == Texts{"job w0!b: actual_start is 11.000000, starting_time 10.000000"});
    CHECK(found(a + "b,12,,w0\n" + c) == Texts{"job w0!b: actual_start is none, starting_time 10.000000"});
    CHECK(found(a + c) == Texts{"job w0!b: not among the guarantees"});
    CHECK(found(a + b + c + b) == Texts{"job w0!b: among the guarantees more than once"});
    CHECK(found(a + b + c + "a,0,0,w1\n") == Texts{"job w1!a: among the guarantees, but not in the schedule"});
}

TEST_CASE("a job is rejected only if the machine cannot run it, unless that is allowed") {
    Case run = small_case();
    ScheduledJob& rejected = run.schedule.jobs[1];
    reject(rejected);
    JobDescription& description = run.workloads[0].jobs[1].description;
    const std::string text = "job w0!b: rejected, though the machine could run it: it has a walltime and requests " +
                             std::to_string(description.processors) + " of 4 processors";
    CHECK(violations(run) == Texts{text});
    CHECK(violations(run, {.rejections_allowed = true}) == Texts{});

    // The loss of a processor may make the machine too small.
    const std::string loss = R"({"timestamp":1,"type":"machine_unavailable","resources":"3"})";
    const std::vector<std::vector<ExternalEvent>> losses{parse_external_events(loss, "events", false)};
    const CheckReport with_losses =
        check_schedule(run.schedule, run.workloads, run.platform, {}, nullptr, nullptr, losses);
    CHECK(std::none_of(with_losses.violations.begin(), with_losses.violations.end(),
                       [&](const Violation& violation) { return violation.text == text; }));

    const JobDescription as_it_was = description;
    description.licenses = {"x"};
    CHECK(violations(run) == Texts{});
    description = as_it_was;
    description.walltime.reset();
    rejected.walltime.reset();
    CHECK(violations(run) == Texts{});
    description = as_it_was;
    rejected.walltime = description.walltime;
    // Neither of two machines with two hosts each can run three processors.
    for (std::size_t host = 0; host < run.platform.hosts.size(); ++host) {
        run.platform.hosts[host].properties["machine"] = host < 2 ? "first" : "second";
    }
    description.processors = rejected.processors = 2;
    CHECK(violations(run).size() == 1);
    description.processors = rejected.processors = 3;
    CHECK(violations(run) == Texts{});
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

TEST_CASE("guarantees are counted, and a job that never starts breaks its own") {
    Case run = small_case();
    reject(run.schedule.jobs[1]);
    const auto report = [&](const Guarantee& of_rejected) {
        const std::vector<Guarantee> guarantees{
            {"w0!a", Time(), Time()}, of_rejected, {"w0!c", std::nullopt, Time::seconds(5)}};
        return check_schedule(run.schedule, run.workloads, run.platform, {.rejections_allowed = true}, &guarantees);
    };
    const CheckReport sound = report({"w0!b", {}, {}});
    CHECK(sound.violations.empty());
    CHECK(sound.guarantees == 1);
    CHECK(sound.broken_guarantees == 0);
    const CheckReport broken = report({"w0!b", Time::seconds(10), {}});
    CHECK(broken.guarantees == 2);
    CHECK(broken.broken_guarantees == 1);
    REQUIRE(broken.violations.size() == 1);
    CHECK(broken.violations[0].text == "job w0!b: was guaranteed a start at 10.000000 and never starts");
    const CheckReport started = report({"w0!b", {}, Time::seconds(10)});
    REQUIRE(started.violations.size() == 1);
    CHECK(started.violations[0].text == "job w0!b: actual_start is 10.000000, starting_time none");
    CHECK(check_schedule(run.schedule, run.workloads, run.platform, {}).guarantees == 0);
}

TEST_CASE("guarantees that losses of processors broke are taken as they are listed") {
    // a starts at 0, b at 10, c is submitted and starts at 5.
    const Case run = small_case();
    const auto found = [&](const std::string& b, const std::string& lines) {
        const std::vector<Guarantee> guarantees = parse_guarantees(
            "job_id,guaranteed_start,actual_start,workload_name\na,0,0,w0\nc,,5,w0\nb," + b + ",10,w0\n",
            "run_guarantees.csv");
        const std::vector<BrokenGuarantee> broken = parse_broken_guarantees(
            "job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name\n" + lines, "run_broken.csv");
        const CheckReport report = check_schedule(run.schedule, run.workloads, run.platform, {}, &guarantees, &broken);
        Texts texts;
        for (const Violation& violation : report.violations) {
            texts.push_back(violation.text);
        }
        if (texts.empty()) {
            const bool is_broken = guarantees[2].guaranteed_start < Time::seconds(10);
            CHECK(report.broken_guarantees == (is_broken ? 1U : 0U));
            CHECK(report.listed_broken_guarantees == report.broken_guarantees);
        }
        return texts;
    };
    CHECK(found("3", "b,2,3,10,w0\n").empty());
    CHECK(found("3", "b,2,3,11,w0\n").empty());
    CHECK(found("3", "b,3,3,,w0\n").empty());
    CHECK(found("3", "b,1,3,4,w0\nb,1,4,7,w0\nb,7,7,,w0\n").empty());
    CHECK(found("10", "b,2,10,12,w0\n").empty());
    CHECK(found("3", "") == Texts{"job w0!b: was guaranteed a start at 3.000000 and starts at 10.000000"});
    CHECK(found("3", "b,2,3,9,w0\n") == Texts{"job w0!b: was guaranteed a start at 9.000000 and starts at 10.000000"});
    const auto with_late = [](const std::string& text) {
        return Texts{text, "job w0!b: was guaranteed a start at 3.000000 and starts at 10.000000"};
    };
    CHECK(found("3", "b,2,4,11,w0\n") ==
          with_late("job w0!b: its guarantee broken at 2.000000 was a start at 4.000000, expected 3.000000"));
    CHECK(found("3", "b,2,3,,w0\nb,2,3,11,w0\n") ==
          with_late("job w0!b: its guarantee broken at 2.000000 was a start at 3.000000, expected none"));
    CHECK(found("3", "b,4,3,11,w0\n") ==
          Texts{"job w0!b: its guarantee broken at 4.000000: expected a time from 0.000000 to 3.000000",
                "job w0!b: was guaranteed a start at 3.000000 and starts at 10.000000"});
    CHECK(found("3", "b,2,3,5,w0\nb,1,5,11,w0\n") ==
          with_late("job w0!b: its guarantee broken at 1.000000: expected a time from 2.000000 to 5.000000"));
    CHECK(found("3", "b,2,3,3,w0\n") ==
          with_late("job w0!b: its guarantee broken at 2.000000 is now 3.000000, which is not later"));
    CHECK(found("10", "c,5,5,6,w0\n") == Texts{"job w0!c: has a broken guarantee, but was guaranteed nothing"});
    CHECK(found("10", "d,5,5,6,w0\n") == Texts{"job w0!d: has a broken guarantee, but is not among the guarantees"});
    CHECK_THROWS_WITH(parse_broken_guarantees("job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name\n"
                                              "b,,3,4,w0\n",
                                              "run_broken.csv"),
                      "run_broken.csv:2: lost_at is '', expected a number of seconds");
    CHECK_THROWS_AS(read_broken_guarantees("/nonexistent/broken.csv"), InputError);
    std::string line;
    append_csv(BrokenGuarantee{"w0!b", Time::seconds(1), Time::seconds(2), std::nullopt}, line);
    CHECK(broken_guarantees_csv_header() + line ==
          "job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name\nb,1.000000,2.000000,,w0\n");
}

TEST_CASE("a job that was killed may be there again, one run after the other") {
    Case run = empty_case(2);
    const auto add_run = [&](const std::string& id, int submit, int start, int end, JobState state) {
        ScheduledJob job = run.schedule.jobs.front();
        job.id = id;
        job.submit = Time::seconds(submit);
        job.state = state;
        job.success = state == JobState::completed_successfully;
        const Duration length = seconds(end - start);
        job.execution = ExecutionRecord{Time::seconds(start), length, Time::seconds(end), seconds(start - submit),
                                        seconds(end - submit)};
        run.schedule.jobs.push_back(job);
    };
    add(run, "a", Time(), Time(), seconds(10), seconds(20), ResourceSet::range(0, 1));
    ScheduledJob& first = run.schedule.jobs.front();
    first.state = JobState::completed_killed;
    first.success = false;
    first.execution = ExecutionRecord{Time(), seconds(4), Time::seconds(4), Duration(), seconds(4)};
    run.workloads[0].jobs[0].description.deadline = Time::seconds(15);
    add_run("w0!a#1", 4, 6, 9, JobState::completed_killed);
    add_run("w0!a#2", 9, 9, 19, JobState::completed_successfully);
    const auto texts = [&] {
        Texts found;
        for (const Violation& violation : check_schedule(run.schedule, run.workloads, run.platform, {}).violations) {
            found.push_back(violation.text);
        }
        return found;
    };
    CHECK(texts().empty());
    const CheckReport report = check_schedule(run.schedule, run.workloads, run.platform, {});
    CHECK(report.resubmitted == 2);
    CHECK(report.deadlines == 1);  // of the last run
    CHECK(report.missed_deadlines == 1);

    const Schedule sound = run.schedule;
    std::reverse(run.schedule.jobs.begin(), run.schedule.jobs.end());
    CHECK(texts().empty());
    CHECK(check_schedule(run.schedule, run.workloads, run.platform, {}).deadlines == 1);
    run.schedule.jobs[0].id = "w0!a#3";  // instead of #2
    run.schedule.jobs[1].success = true;
    run.schedule.jobs[0].submit = run.schedule.jobs[1].submit;
    run.schedule.jobs[0].execution->wait = seconds(5);
    run.schedule.jobs[0].execution->turnaround = seconds(15);
    CHECK(texts().front() == "job w0!a#3: submitted again, but its run w0!a#2 is missing");
    std::swap(run.schedule.jobs[0], run.schedule.jobs[1]);  // violations at one time are in the order of the schedule
    CHECK(texts().front() == "job w0!a#1: success is 1 but the final state is COMPLETED_KILLED");
    run.schedule = sound;
    run.schedule.jobs[0].state = JobState::rejected;
    run.schedule.jobs[0].execution.reset();
    run.schedule.jobs[0].allocation.clear();
    CHECK(texts().back() == "job w0!a#1: submitted again, but its run w0!a is REJECTED, expected COMPLETED_KILLED");
    run.schedule = sound;
    run.schedule.jobs[1].submit = Time::seconds(3);
    run.schedule.jobs[1].execution->wait = seconds(3);
    run.schedule.jobs[1].execution->turnaround = seconds(6);
    CHECK(texts() == Texts{"job w0!a#1: submitted again at 3.000000, before its run w0!a was killed at 4.000000"});
    run.schedule = sound;
    run.schedule.jobs.erase(run.schedule.jobs.begin() + 1);
    CHECK(texts() == Texts{"job w0!a#2: submitted again, but its run w0!a#1 is missing"});
    run.schedule = sound;
    run.schedule.jobs[1].state = JobState::completed_walltime_reached;
    CHECK(texts().back() ==
          "job w0!a#2: submitted again, but its run w0!a#1 is COMPLETED_WALLTIME_REACHED, expected "
          "COMPLETED_KILLED");
    run.schedule = sound;
    run.schedule.jobs[2].processors = 1;
    CHECK(texts() == Texts{"job w0!a#2: requested_number_of_resources is 1, the workload has 2"});
    run.schedule = sound;
    for (const char* id : {"w0!b#1", "w0!a#0", "w0!a#01", "w0!a#x", "w0!a#", "w0!a#-1", "w0!a#99999999999999"}) {
        run.schedule.jobs[2].id = id;
        CHECK(texts() == Texts{"job " + std::string(id) + ": in none of the workloads"});
    }
}

TEST_CASE("what is wrong in a guarantees.csv is named with its line") {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            parse_guarantees(text, "run_guarantees.csv");
        } catch (const InputError& problem) {
            return problem.what();
        }
        return "";
    };
    const std::string header = "job_id,guaranteed_start,actual_start,workload_name\n";
    CHECK(refusal(header + "1,,,w0\n").empty());
    CHECK(refusal("") == "run_guarantees.csv: empty, expected a guarantees.csv with a line of column names");
    CHECK(refusal("job_id,guaranteed_start\n") ==
          "run_guarantees.csv:1: no column actual_start, expected a guarantees.csv as batfill simulate writes it");
    CHECK(refusal(header + "1,1,1,w0\n2,soon,3,w0\n") ==
          "run_guarantees.csv:3: guaranteed_start is 'soon', expected a number of seconds");
    CHECK(refusal(header + "1,1,-,w0\n") == "run_guarantees.csv:2: actual_start is '-', expected a number of seconds");
    CHECK(refusal(header + ",1,1,w0\n") == "run_guarantees.csv:2: job_id is '', expected a name");
    CHECK(refusal(header + "1,1\n") == "run_guarantees.csv:2: 2 fields, expected 4 as in the first line");
    CHECK(refusal(header + "\"1,1,1,w0\n") == "run_guarantees.csv:2: misplaced or missing quote");
    CHECK_THROWS_AS(read_guarantees("/nonexistent/run_guarantees.csv"), InputError);
}

TEST_CASE("violations come in the order of time") {
    Case run = small_case();
    for (ScheduledJob& job : run.schedule.jobs) {
        job.allocation = ResourceSet::range(0, 2);
    }
    const CheckReport report = check_schedule(run.schedule, run.workloads, run.platform, {});
    CHECK(report.violations.size() == 5);  // three wrong sizes; c and b each share with another job
    CHECK(std::is_sorted(report.violations.begin(), report.violations.end(),
                         [](const Violation& a, const Violation& b) { return a.at < b.at; }));
}

namespace {

// Two machines of two processors each: "fast" with licences x and y, "slow" with x. Two copies of x, one of y.
Case licensed_case() {
    Case run = small_case();
    for (std::size_t i = 0; i < 4; ++i) {
        Host& host = run.platform.hosts[i];
        host.zone_properties["licenses"] = "x:2, y:1";
        host.properties["machine"] = i < 2 ? "fast" : "slow";
        host.properties["licenses"] = i < 2 ? "x,y" : "x";
    }
    return run;
}

void need(Case& run, std::size_t job, std::vector<std::string> licenses) {
    run.workloads[0].jobs[job].description.licenses = std::move(licenses);
}

}  // namespace

TEST_CASE("copies of a licence are never exceeded") {
    Case run = licensed_case();
    need(run, 0, {"x", "x", "y"});  // listed twice counts once
    need(run, 1, {"x", "y"});       // takes over from the job before at the same instant
    need(run, 2, {"x"});
    CHECK(violations(run).empty());
    for (Host& host : run.platform.hosts) {
        host.zone_properties["licenses"] = "x:1,y:1";
    }
    CHECK(violations(run) == Texts{"job w0!c: takes copy 2 of licence x, there are 1",
                                   "job w0!b: takes copy 2 of licence x, there are 1"});
    for (Host& host : run.platform.hosts) {
        host.zone_properties.clear();  // no licences are defined: nothing to check
    }
    CHECK(violations(run).empty());
}

TEST_CASE("a job with licences runs on one machine that has them") {
    Case run = licensed_case();
    need(run, 2, {"y"});
    CHECK(violations(run) == Texts{"job w0!c: needs licences that processor 2 does not have"});
    need(run, 2, {"x"});
    run.schedule.jobs[2].allocation = *ResourceSet::parse("1-2");
    const Texts texts = violations(run);
    CHECK(std::count(texts.begin(), texts.end(), "job w0!c: needs licences and is on machines fast and slow") == 1);
}

TEST_CASE("processors are consecutive, or of one machine, where that is asked for") {
    Case run = licensed_case();
    run.schedule.jobs[2].allocation = *ResourceSet::parse("0 2");
    const auto texts_with = [&](Placement placement) {
        CheckOptions options;
        options.placement = placement;
        Texts texts;
        for (const Violation& violation :
             check_schedule(run.schedule, run.workloads, run.platform, options).violations) {
            if (violation.text.find("expected") != std::string::npos) {
                texts.push_back(violation.text);
            }
        }
        return texts;
    };
    CHECK(texts_with(Placement::lowest).empty());
    CHECK(texts_with(Placement::best_effort_contiguous).empty());
    CHECK(texts_with(Placement::contiguous) == Texts{"job w0!c: has processors 0 2, expected consecutive ones"});
    CHECK(texts_with(Placement::machine) == Texts{"job w0!c: has processors 0 2, expected those of one machine"});
    run.schedule.jobs[2].allocation = *ResourceSet::parse("2-3");
    CHECK(texts_with(Placement::contiguous).empty());
    CHECK(texts_with(Placement::machine).empty());
}

TEST_CASE("licence properties that cannot be read are refused") {
    for (const char* text : {"x", "x:", ":3", "x:many", "x:-1", "x:1,x:2", "x:99999999999999999999"}) {
        Case run = licensed_case();
        run.platform.hosts[1].zone_properties["licenses"] = text;
        CHECK_THROWS_AS(violations(run), InputError);
    }
}

TEST_CASE("random valid schedules pass") {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        const Case run = random_case(random);
        INFO("round " << round);
        REQUIRE(violations(run, {.tolerance = Duration(), .deadlines_bind = true}) == Texts{});
    }
}

TEST_CASE("one fault in a random valid schedule is found and named") {
    using Fault = std::function<void(Case&, ScheduledJob&)>;
    const std::vector<Fault> faults{
        [](Case&, ScheduledJob& job) { shift(job, job.submit - job.execution->start - Duration::microseconds(1)); },
        [](Case&, ScheduledJob& job) { job.allocation.take_lowest(1); },
        [](Case& run, ScheduledJob& job) {
            const int beyond = static_cast<int>(run.platform.hosts.size());
            job.allocation.take_lowest(1);
            job.allocation.insert(ResourceSet::range(beyond, beyond));
        },
        [](Case&, ScheduledJob& job) { job.execution->length = job.execution->length + Duration::microseconds(1); },
        [](Case&, ScheduledJob& job) { job.execution->turnaround = -seconds(1); },
        [](Case&, ScheduledJob& job) { job.execution->wait = job.execution->wait + Duration::microseconds(1); },
        [](Case&, ScheduledJob& job) { job.success = !job.success; },
        [](Case&, ScheduledJob& job) { job.state = JobState::rejected; },
        [](Case&, ScheduledJob& job) { job.state = JobState::running; },
        [](Case&, ScheduledJob& job) { job.processors += 1; },
        [](Case&, ScheduledJob& job) { job.submit = job.submit - Duration::microseconds(1); },
        [](Case&, ScheduledJob& job) { job.walltime = seconds(99); },
        [](Case& run, ScheduledJob& job) {
            const std::string id = job.id;  // a copy, because the job is erased
            std::erase_if(run.schedule.jobs, [&](const ScheduledJob& other) { return other.id == id; });
        },
        [](Case& run, ScheduledJob& job) { run.schedule.jobs.push_back(ScheduledJob(job)); },
    };
    std::mt19937 random(5);
    for (std::size_t fault = 0; fault < faults.size(); ++fault) {
        for (int round = 0; round < 30; ++round) {
            Case run = random_case(random);
            std::size_t victim = random() % run.schedule.jobs.size();
            while (!run.schedule.jobs[victim].execution) {
                victim = random() % run.schedule.jobs.size();
            }
            const std::string id = run.schedule.jobs[victim].id;
            faults[fault](run, run.schedule.jobs[victim]);
            const Texts texts = violations(run, {.tolerance = Duration(), .deadlines_bind = true});
            INFO("fault " << fault << ", round " << round << ", job " << id);
            REQUIRE(std::any_of(texts.begin(), texts.end(),
                                [&](const std::string& text) { return text.rfind("job " + id + ":", 0) == 0; }));
        }
    }
}

TEST_CASE("overlaps are those that comparing all pairs of jobs finds") {
    std::mt19937 random(11);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    std::size_t found = 0;
    std::size_t clean = 0;
    for (int round = 0; round < 400; ++round) {
        Case run = empty_case(16);
        for (int i = 0; i < 10; ++i) {
            ResourceSet allocation = ResourceSet::range(below(4) * 4, below(4) * 4 + 1);
            allocation.insert(ResourceSet::range(12, 11 + below(3)));
            if (allocation.empty()) {
                allocation = ResourceSet::range(5, 7);
            }
            add(run, std::to_string(i), Time(), Time::seconds(below(50)), seconds(below(6)), std::nullopt, allocation);
        }
        // The jobs that start while another job uses a common processor. If two start together, the longer one comes
        // second.
        std::set<std::string> expected;
        const std::vector<ScheduledJob>& jobs = run.schedule.jobs;
        for (std::size_t a = 0; a < jobs.size(); ++a) {
            for (std::size_t b = 0; b < jobs.size(); ++b) {
                const ExecutionRecord& first = *jobs[a].execution;
                const ExecutionRecord& second = *jobs[b].execution;
                const bool in_order = std::tie(first.start, first.finish, a) < std::tie(second.start, second.finish, b);
                if (in_order && second.start < first.finish &&
                    jobs[a].allocation.count_common(jobs[b].allocation) > 0) {
                    expected.insert("job " + jobs[b].id);
                }
            }
        }
        const Texts texts = violations(run);
        std::set<std::string> named;
        for (const std::string& text : texts) {
            REQUIRE(text.find(" starts at ") != std::string::npos);
            named.insert(text.substr(0, text.find(':')));
        }
        REQUIRE(named == expected);
        REQUIRE(texts.size() == named.size());
        found += texts.size();
        clean += texts.empty() ? 1U : 0U;
    }
    CHECK(found > 100);
    CHECK(clean > 10);
}

TEST_CASE("runs of the real Batsim pass", "[outside]") {
    struct Run {
        std::string results;
        std::string workload;
        std::string platform;
        bool rejects = false;  // although the machine could run the jobs
    };
    for (const Run& run : {Run{"w20k-0.90.fcfs.jobs.csv.gz", "w20k-0.90.json.gz", "p240.xml"},
                           Run{"test_delays.fcfs.jobs.csv", "test_delays.json", "small_platform.xml"},
                           Run{"test_delays.killer.jobs.csv", "test_delays.json", "small_platform.xml"},
                           Run{"test_delays.rejecter.jobs.csv", "test_delays.json", "small_platform.xml", true},
                           Run{"test_walltime.fcfs.jobs.csv", "test_walltime.json", "cluster512.xml"}}) {
        const std::string results = "batsim/results/" + run.results;
        if (!tests::have_test_data(results)) {
            return;
        }
        const Schedule schedule = read_schedule(tests::test_data(results));
        const std::vector<Workload> workloads{
            read_workload(tests::test_data("batsim/inputs/workloads/" + run.workload), "w0")};
        const Platform platform = read_platform(tests::test_data("batsim/inputs/platforms/" + run.platform));
        CheckOptions options;
        CHECK(check_schedule(schedule, workloads, platform, options).violations.empty() == !run.rejects);
        options.rejections_allowed = run.rejects;
        const CheckReport report = check_schedule(schedule, workloads, platform, options);
        INFO(run.results << (report.violations.empty() ? "" : ": " + report.violations[0].text));
        CHECK(report.jobs == workloads[0].jobs.size());
        CHECK(report.violations.empty());
    }
}

}  // namespace batfill::tests::check_schedule_test
