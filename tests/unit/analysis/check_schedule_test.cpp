#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>

#include "tests/support/test_data.hpp"
#include "tests/unit/analysis/checked_schedule.hpp"

namespace batfill::tests::check_schedule_test {

using namespace checked_schedule;

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

TEST_CASE("an unfinished job is a violation") {
    Case run = small_case();
    run.schedule.jobs[2].state = JobState::running;
    run.schedule.jobs[2].success = false;
    run.schedule.jobs[2].execution.reset();
    CHECK(violations(run) == Texts{"job w0!c: never finished"});
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

TEST_CASE("missed deadlines are violations only if they bind") {
    Case run = small_case();
    run.workloads[0].jobs[0].description.deadline = Time::seconds(10);
    run.workloads[0].jobs[1].description.deadline = Time::seconds(15);
    CHECK(violations(run).empty());
    CHECK(violations(run, {.tolerance = Duration::microseconds(1), .deadlines_bind = true}) ==
          Texts{"job w0!b: finishes at 20.000000, after its deadline 15.000000"});
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
          "job w0!a#2: submitted again, but its run w0!a#1 is COMPLETED_WALLTIME_REACHED, expected COMPLETED_KILLED");
    run.schedule = sound;
    run.schedule.jobs[2].processors = 1;
    CHECK(texts() == Texts{"job w0!a#2: requested_number_of_resources is 1, the workload has 2"});
    run.schedule = sound;
    for (const char* id : {"w0!b#1", "w0!a#0", "w0!a#01", "w0!a#x", "w0!a#", "w0!a#-1", "w0!a#99999999999999"}) {
        run.schedule.jobs[2].id = id;
        CHECK(texts() == Texts{"job " + std::string(id) + ": in none of the workloads"});
    }
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
