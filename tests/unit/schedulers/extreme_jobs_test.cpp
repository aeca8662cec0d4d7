#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/algorithm.hpp>
#include <batfill/replay/outcome.hpp>

#include "tests/support/simulator_fixture.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::extreme_jobs_test {

// Jobs at the limits of what a workload may say, and jobs that can never start.

namespace {

// Requires that every job ran, and that the audit finds nothing.
void require_sound(const Outcome& outcome) {
    CHECK(outcome.deadlock().empty());
    for (const SimulatedJob& job : outcome.simulation().jobs()) {
        INFO(job.job->description.id);
        CHECK(has_completed(job.state));
    }
    const CheckReport report = audit(outcome);
    CAPTURE(report.violations);
    CHECK(report.violations.empty());
}

// What became of each job: "ran rejected".
std::string fates_in(const Outcome& outcome) {
    std::string fates;
    for (const SimulatedJob& job : outcome.simulation().jobs()) {
        fates += fates.empty() ? "" : " ";
        fates += job.state == JobState::rejected ? "rejected" : has_completed(job.state) ? "ran" : "waits";
    }
    return fates;
}

// Jobs of this walltime in seconds, which end much earlier or never, among short ones.
std::string jobs_of_walltime(const std::string& walltime) {
    return jobs_in("0: a 2x" + walltime + " runs 10, b 4x" + walltime + " runs 7, c 1x20 runs 20; 1: d 3x" + walltime +
                   " runs 5, e 1x" + walltime + " runs 90, f 2x30 runs 30; 5: g 4x" + walltime +
                   " runs 1, h 1x3 runs 2");
}

}  // namespace

TEST_CASE("Schedules with very long walltimes have no violations") {
    // Around 2^31 microseconds and 2^31 seconds, a thousand years, the largest 64-bit number of microseconds, and more.
    for (const std::string walltime :
         {"2147.483647", "2147.483648", "2147483648", "31556952000", "9223372036854.775807", "1e17"}) {
        for (const std::string algorithm : {"fcfs", "easy", "relaxed", "conservative", "pc", "dc", "dbf"}) {
            INFO(algorithm << " with walltimes of " << walltime << " s");
            require_sound(run(scenario_of(machine(4), {workload_of(jobs_of_walltime(walltime))}), {algorithm, {}}));
        }
        INFO("easy with a reservation for each job, walltimes of " << walltime << " s");
        require_sound(run(scenario_of(machine(4), {workload_of(jobs_of_walltime(walltime))}),
                          {"easy", {{"reservations", "all"}, {"walltime-margin", walltime}}}));
    }
}

TEST_CASE("Jobs that need a licence without copies are rejected, and others run") {
    Platform farm = machine(4);
    for (Host& host : farm.hosts) {
        host.properties["machine"] = "m";
        host.properties["licenses"] = "x,y";
        host.zone_properties["licenses"] = "x:0,y:1";
    }
    const std::string jobs = R"({"id":"a","subtime":0,"res":1,"walltime":9,"profile":"d5","licenses":["x"]},)"
                             R"({"id":"b","subtime":0,"res":1,"walltime":9,"profile":"d5","licenses":["y"]},)"
                             R"({"id":"c","subtime":0,"res":1,"walltime":9,"profile":"d5","licenses":["x","y"]},)"
                             R"({"id":"d","subtime":1,"res":4,"walltime":9,"profile":"d5"})";
    for (const std::string algorithm : {"fcfs", "easy", "bf-unmod", "bf-mod"}) {
        INFO(algorithm);
        const Outcome outcome = run(scenario_of(farm, {workload_of(jobs)}), {algorithm, {{"placement", "machine"}}});
        CHECK(fates_in(outcome) == "rejected ran rejected ran");
        CHECK(audit(outcome).violations.empty());
    }
}

TEST_CASE("Jobs that wait for lost processors do not count as tests of easy, so the job behind a thousand starts") {
    std::string wide;
    for (int i = 0; i < 1000; ++i) {
        wide += "wide" + std::to_string(i) + " 4x100 runs 1, ";
    }
    const Workload workload = workload_of(jobs_in("1: " + wide + "small 1x10 runs 10"));
    const auto small_starts = [&](const std::string& events, const Parameters::Given& given) {
        RunOptions options;
        options.keeps_deadlocks = true;
        const Outcome outcome = run(scenario_of(machine(4), {workload}, events), {"easy", given}, options);
        CHECK((!outcome.deadlock().empty() || audit(outcome).violations.empty()));
        return brief(outcome.simulation().jobs().back().start);
    };
    const std::string loss = lost("0.5", "0");
    for (const std::string limit : {"0", "32", "999"}) {
        INFO("test-limit=" << limit);
        CHECK(small_starts(loss, {{"test-limit", limit}}) == "1");
        CHECK(small_starts(loss + back("50", "0"), {{"test-limit", limit}}) == "1");
        CHECK(small_starts(loss, {{"test-limit", limit}, {"when-too-small", "reject"}}) == "1");
    }
}

}  // namespace batfill::tests::extreme_jobs_test
