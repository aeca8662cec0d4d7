#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/replay/outcome.hpp>

#include "tests/support/machine_events.hpp"
#include "tests/support/simulator_fixture.hpp"

// Schedules of the algorithm slurm, worked by hand. The main scheduler runs at half seconds, 3 seconds apart unless
// everything has been quiet. Nodes come back 0.5 s after the end of a job.
namespace batfill::tests::slurm_algorithm_test {

namespace {

// A job object with further members.
std::string with(const std::string& one, const std::string& members) {
    return one.substr(0, one.size() - 1) + "," + members + "}";
}

Platform shared_machine(int hosts, const std::string& capacity) {
    Platform platform = machine(hosts);
    for (Host& host : platform.hosts) {
        host.properties["capacity"] = capacity;
    }
    return platform;
}

// "a: 0-1 at 0.5", for each job; "a: rejected".
std::vector<std::string> rows_of(const Outcome& outcome) {
    std::vector<std::string> rows;
    for (const SimulatedJob& one : outcome.simulation().jobs()) {
        const std::string id = one.job->description.id.substr(3);
        rows.push_back(one.state == JobState::rejected
                           ? id + ": rejected"
                           : id + ": " + one.allocation.to_string() + " at " + brief(one.start));
    }
    return rows;
}

Outcome outcome_of(const std::string& jobs, Platform platform, const Parameters::Given& parameters = {},
                   const RunOptions& options = {}) {
    Outcome outcome = run(scenario_of(std::move(platform), {workload_of(jobs)}), {"slurm", parameters}, options);
    const CheckReport report = audit(outcome, {.rejections_allowed = true});
    INFO((report.violations.empty() ? "" : report.violations[0].text));
    CHECK(report.violations.empty());
    return outcome;
}

std::vector<std::string> schedule_of(const std::string& jobs, Platform platform,
                                     const Parameters::Given& parameters = {}) {
    return rows_of(outcome_of(jobs, std::move(platform), parameters));
}

// The cores of each host of a job.
std::vector<Amount> cores_of(const Outcome& outcome, const std::string& id) {
    for (const ScheduledJob& job : outcome.schedule().jobs) {
        if (job.id == "w0!" + id && job.cores) {
            return *job.cores;
        }
    }
    return {};
}

// A window that is known from the beginning on.
Window window_of(const std::string& from, const std::string& until, std::vector<std::string> booked_for = {}) {
    Window window;
    window.name = "from " + from;
    window.from = at(from);
    window.until = at(until);
    window.booked_for = std::move(booked_for);
    return window;
}

Window window_of_hosts(const std::string& from, const std::string& until, int first, int last,
                       std::vector<std::string> booked_for = {}) {
    Window window = window_of(from, until, std::move(booked_for));
    window.hosts = ResourceSet::range(first, last);
    return window;
}

Window window_of_pool(const std::string& from, const std::string& until, Amount amount,
                      std::vector<std::string> booked_for = {}) {
    Window window = window_of(from, until, std::move(booked_for));
    window.pools = {{"power", amount}};
    return window;
}

// A job that asks for the reservation `course`.
std::string booked(const std::string& id, const std::string& submit, int nodes, const std::string& walltime,
                   const std::string& run_time) {
    return with(job(id, submit, nodes, walltime, run_time), R"("reservation":"course")");
}

using Rows = std::vector<std::string>;

}  // namespace

// The first job of a burst starts at the next turn. The second comes at 1 and has to wait for 3 s after that turn.
TEST_CASE("slurm: the main scheduler runs at half seconds, and not twice within 3 seconds") {
    const std::string jobs = job("a", "0", 1, "60", "30") + "," + job("b", "1", 1, "60", "30");
    CHECK(schedule_of(jobs, machine(4)) == Rows{"a: 0 at 0.5", "b: 1 at 3.5"});
    CHECK(schedule_of(jobs, machine(4), {{"batch-sched-delay", "0"}}) == Rows{"a: 0 at 0.5", "b: 1 at 1.5"});
}

// a ends at 30.5, its nodes come back at 31: the turn at 31.5 starts b. Without an epilog, they come back at once.
TEST_CASE("slurm: nodes come back after the epilog") {
    const std::string jobs = job("a", "0", 4, "60", "30") + "," + job("b", "5", 4, "60", "30");
    CHECK(schedule_of(jobs, machine(4)) == Rows{"a: 0-3 at 0.5", "b: 0-3 at 31.5"});
    CHECK(schedule_of(jobs, machine(4), {{"epilog", "0"}}) == Rows{"a: 0-3 at 0.5", "b: 0-3 at 30.5"});
    CHECK(schedule_of(jobs, machine(4), {{"epilog", "1m"}}) == Rows{"a: 0-3 at 0.5", "b: 0-3 at 90.5"});
}

// b blocks the partition for the main scheduler. The first cycle is at 30, when the daemon has run for bf_interval: c
// fits beside the plan of b, which begins at 600, and starts; d would delay it. The nodes of a come back at 601, but
// the scheduler has just made its full run at 600.5.
TEST_CASE("slurm: backfill starts jobs that delay no plan") {
    const std::string jobs = job("a", "0", 3, "600", "600") + "," + job("b", "1", 4, "600", "30") + "," +
                             job("c", "2", 1, "540", "30") + "," + job("d", "2", 1, "1200", "30");
    CHECK(schedule_of(jobs, machine(4)) == Rows{"a: 0-2 at 0.5", "b: 0-3 at 603.5", "c: 3 at 30", "d: 0 at 634.5"});
    CHECK(schedule_of(jobs, machine(4), {{"scheduler", "builtin"}}) ==
          Rows{"a: 0-2 at 0.5", "b: 0-3 at 603.5", "c: 0 at 634.5", "d: 1 at 634.5"});
}

TEST_CASE("slurm: the cores of a job are laid out as the selection says") {
    const Outcome outcome = outcome_of(with(job("a", "0", 4, "60", "30"), R"("tasks":16)") + "," +
                                           with(job("b", "1", 2, "60", "30"), R"("per_host":{"cores":3})") + "," +
                                           job("c", "2", 1, "60", "30"),
                                       shared_machine(4, "cores:16"));
    CHECK(rows_of(outcome) == Rows{"a: 0-3 at 0.5", "b: 0-1 at 3.5", "c: 1 at 3.5"});
    CHECK(cores_of(outcome, "a") == std::vector<Amount>{13, 1, 1, 1});
    CHECK(cores_of(outcome, "b") == std::vector<Amount>{3, 3});
    CHECK(cores_of(outcome, "c") == std::vector<Amount>{1});
}

TEST_CASE("slurm: whole nodes, and jobs that state no memory") {
    const Platform platform = shared_machine(2, "cores:4,memory:100");
    // a needs an empty node. b states no memory and takes all of its node, so c finds none there.
    const Outcome outcome = outcome_of(with(job("a", "0", 1, "60", "30"), R"("whole":true,"per_host":{"memory":10})") +
                                           "," + with(job("b", "0", 1, "60", "30"), R"("tasks":1)") + "," +
                                           with(job("c", "0", 1, "60", "30"), R"("per_host":{"cores":1,"memory":1})"),
                                       platform);
    CHECK(rows_of(outcome) == Rows{"a: 0 at 0.5", "b: 1 at 0.5", "c: 0 at 31.5"});
    CHECK(cores_of(outcome, "a") == std::vector<Amount>{4});
}

// The dependency holds once the nodes of a are released, at 31; f waits for a failure that never comes.
TEST_CASE("slurm: dependencies and begin times are looked at by its runs") {
    const std::string jobs = job("a", "0", 1, "60", "30") + "," +
                             with(job("b", "1", 1, "60", "30"), R"("after":["ok:a"])") + "," +
                             with(job("c", "2", 1, "60", "30"), R"("begin":40)");
    const Outcome outcome = outcome_of(jobs, machine(4));
    CHECK(rows_of(outcome) == Rows{"a: 0 at 0.5", "b: 0 at 31.5", "c: 1 at 60"});
    std::vector<std::string> eligible;
    outcome.for_each_dependent([&](const EligibleTime& one) {
        eligible.push_back(one.job_id + " " + (one.eligible ? brief(*one.eligible) : "never"));
    });
    CHECK(eligible == Rows{"w0!b 31", "w0!c 60"});
}

TEST_CASE("slurm: a job whose dependency can never hold waits, until nothing else happens") {
    const std::string jobs = job("a", "0", 1, "60", "90") + "," +
                             with(job("b", "1", 1, "60", "30"), R"("after":["ok:a"])") + "," +
                             job("c", "2", 1, "600", "600");
    for (const char* const kill : {"no", "yes"}) {
        const Outcome outcome = outcome_of(jobs, machine(4), {{"kill-invalid-depend", kill}});
        CHECK(rows_of(outcome) == Rows{"a: 0 at 0.5", "b: rejected", "c: 1 at 3.5"});
    }
}

TEST_CASE("slurm: the tasks of an array run as its limit allows, in the order of their numbers") {
    std::string jobs;
    for (const char* const id : {"7_10", "7_9", "7_8"}) {
        jobs += (jobs.empty() ? "" : ",") + with(job(id, "0", 1, "60", "30"), R"("array":"7","array_limit":2)");
    }
    CHECK(schedule_of(jobs, machine(4)) == Rows{"7_10: 0 at 31.5", "7_9: 1 at 0.5", "7_8: 0 at 0.5"});
}

// c does not fit into high for the main scheduler, which closes its nodes for a. The first cycle plans c and then a
// there, and starts c on the other nodes of low, as it ends before the plan of a begins.
TEST_CASE("slurm: partitions with tiers, and a job in several") {
    Platform platform = machine(4);
    for (std::size_t host = 0; host < 4; ++host) {
        platform.hosts[host].properties["partitions"] = host < 2 ? "high,low" : "low";
    }
    const std::string jobs = with(job("a", "0", 4, "60", "30"), R"("partition":"low")") + "," +
                             with(job("b", "0", 2, "60", "30"), R"("partition":"high")") + "," +
                             with(job("c", "0", 2, "60", "30"), R"("partition":"low,high")");
    CHECK(schedule_of(jobs, platform, {{"partition-tiers", "high:10"}}) ==
          Rows{"a: 0-3 at 60.5", "b: 0-1 at 0.5", "c: 2-3 at 30"});
    CHECK_THROWS_AS(schedule_of(jobs, platform, {{"partition-tiers", "debug:10"}}), UsageError);
    CHECK(schedule_of(job("a", "0", 3, "60", "30"), platform) == Rows{"a: rejected"});
    CHECK(schedule_of(job("a", "0", 3, "60", "30"), platform, {{"default-partition", "low"}}) == Rows{"a: 0-2 at 0.5"});
}

TEST_CASE("slurm: a job that would run into an announced window waits for its end") {
    Platform platform = machine(2);
    Window window;
    window.name = "maintenance";
    window.from = at("60");
    window.until = at("100");
    window.all_hosts = true;
    platform.windows = {window};
    CHECK(schedule_of(job("a", "0", 1, "120", "30") + "," + job("b", "0", 1, "60", "20"), platform) ==
          Rows{"a: 0 at 120", "b: 0 at 0.5"});
}

// b avoids hosts 0 and 1. a waits for its window; the cycle at 30 starts it. c waits for the nodes of a, which are back
// at 60.5, and d, which would end behind the window then, is rejected when that ends.
TEST_CASE("slurm: jobs of a reservation run inside, and end by its end") {
    Platform platform = machine(4);
    platform.windows = {window_of_hosts("10", "170", 0, 1, {"course"})};
    const std::string jobs = booked("a", "0", 2, "60", "30") + "," + job("b", "0", 2, "300", "30") + "," +
                             booked("c", "1", 2, "60", "60") + "," + booked("d", "2", 1, "60", "10");
    CHECK(schedule_of(jobs, platform) == Rows{"a: 0-1 at 30", "b: 2-3 at 0.5", "c: 0-1 at 60.5", "d: rejected"});
    // Too long for the window; and a machine without such a window does not know the field.
    CHECK(schedule_of(booked("a", "0", 1, "161", "30"), platform) == Rows{"a: rejected"});
    CHECK(schedule_of(booked("a", "0", 1, "-1", "30"), platform) == Rows{"a: rejected"});  // its limit is a year
    CHECK(schedule_of(booked("a", "0", 1, "161", "30"), machine(4)) == Rows{"a: 0 at 0.5"});
    // 150 s are 3 minutes, for which no window is long enough.
    CHECK(schedule_of(booked("a", "0", 1, "150", "30"), platform) == Rows{"a: rejected"});
}

// The first window is too short for a. In the second, b could start only at 120.5; the third has nodes for it at 60.
TEST_CASE("slurm: the first of several windows in which a job can start") {
    Platform platform = machine(4);
    platform.windows = {window_of_hosts("10", "50", 0, 1, {"course"}),
                        window_of_hosts("20", "400", 2, 3, {"exam", "course"}),
                        window_of_hosts("50", "400", 0, 1, {"course"})};
    const std::string jobs = booked("a", "0", 2, "120", "90") + "," + booked("b", "1", 2, "60", "30");
    CHECK(schedule_of(jobs, platform) == Rows{"a: 2-3 at 30", "b: 0-1 at 60"});
}

// a blocks its reservation, not its partition. The first cycle plans it at 630, when b is over, so c, which would still
// run then, may not start, and d may.
TEST_CASE("slurm: jobs of a reservation are a queue of their own, and come first") {
    Platform platform = machine(4);
    platform.windows = {window_of_hosts("0", "2000", 0, 2, {"course"})};
    const std::string jobs = booked("b", "0", 1, "600", "600") + "," + booked("a", "1", 3, "600", "30") + "," +
                             booked("c", "2", 1, "1200", "30") + "," + booked("d", "2", 1, "120", "30") + "," +
                             job("e", "2", 1, "60", "10");
    CHECK(schedule_of(jobs, platform) ==
          Rows{"b: 0 at 0.5", "a: 0-2 at 603.5", "c: 0 at 634.5", "d: 1 at 30", "e: 3 at 3.5"});
}

// On hosts that are only counted, a window of all of them takes them as they become free.
TEST_CASE("slurm: a reservation of all nodes") {
    Platform platform = machine(3);
    Window window = window_of("60", "600", {"course"});
    window.all_hosts = true;
    platform.windows = {window};
    const std::string jobs =
        booked("a", "0", 2, "60", "30") + "," + job("b", "0", 1, "120", "10") + "," + job("c", "0", 1, "60", "10");
    CHECK(schedule_of(jobs, platform) == Rows{"a: 0-1 at 60", "b: 0 at 600", "c: 0 at 0.5"});
}

// Of 10, the window takes 8 from 100 on. b would still run then, until the cycle at 210.5 finds the window gone.
TEST_CASE("slurm: a window of a pool is a reservation of licences") {
    Platform platform = machine(4);
    platform.hosts[0].zone_properties["pools"] = "power:10";
    const auto takes = [](const std::string& one, int amount) {
        return with(one, R"("pools":{"power":)" + std::to_string(amount) + "}");
    };
    platform.windows = {window_of_pool("100", "200", 8)};
    CHECK(schedule_of(takes(job("a", "0", 1, "60", "30"), 3) + "," + takes(job("b", "0", 1, "120", "30"), 3),
                      platform) == Rows{"a: 0 at 0.5", "b: 0 at 210.5"});
    CHECK(schedule_of(takes(job("a", "0", 1, "120", "30"), 2), platform) == Rows{"a: 0 at 0.5"});
    // Inside are 8, of which a takes 6; outside 2. d waits for a.
    platform.windows = {window_of_pool("0", "1000", 8, {"course"})};
    const std::string jobs = takes(booked("a", "0", 1, "60", "30"), 6) + "," + takes(job("b", "0", 1, "60", "30"), 3) +
                             "," + takes(job("c", "0", 1, "60", "30"), 2) + "," +
                             takes(booked("d", "0", 1, "60", "30"), 3) + "," + booked("e", "0", 1, "60", "30");
    const Outcome outcome = outcome_of(jobs, platform);
    CHECK(rows_of(outcome) == Rows{"a: 0 at 0.5", "b: 0 at 1020.5", "c: 2 at 0.5", "d: 0 at 31.5", "e: 1 at 0.5"});
    // A window that takes nothing holds jobs, too.
    platform.windows = {window_of_pool("10", "1000", 0, {"course"})};
    CHECK(schedule_of(takes(booked("a", "0", 1, "60", "30"), 6), platform) == Rows{"a: 0 at 30"});
    for (const char* const parameter : {"bf-licenses", "bf-topopt-enable"}) {
        CHECK_THROWS_AS(schedule_of(jobs, platform, {{parameter, "yes"}, {"version", "26.11"}}), InputError);
    }
}

// The windows begin and end inside of a second.
TEST_CASE("slurm: windows take a whole second if they take a part of it") {
    Platform platform = machine(1);
    platform.windows = {window_of_hosts("60.7", "100.7", 0, 0)};
    CHECK(schedule_of(job("a", "0", 1, "60", "10") + "," + job("b", "90.5", 1, "60", "10"), platform,
                      {{"sched-interval", "10"}}) == Rows{"a: 0 at 0.5", "b: 0 at 110.5"});
    platform.windows = {window_of_hosts("60.7", "121.3", 0, 0, {"course"})};
    CHECK(schedule_of(booked("a", "0", 1, "60", "10"), platform, {{"bf-interval", "1"}, {"sched-interval", "1"}}) ==
          Rows{"a: 0 at 61"});
}

// a is over, and forgotten, when b asks how it has ended.
TEST_CASE("slurm: a job may wait for one that has ended long ago") {
    const std::string jobs = job("a", "0", 1, "60", "30") + "," + job("x", "100", 1, "60", "30") + "," +
                             with(job("b", "500", 1, "60", "30"), R"("after":["ok:a"])") + "," +
                             with(job("c", "500", 1, "60", "30"), R"("after":["start:a"])");
    CHECK(schedule_of(jobs, machine(2)) == Rows{"a: 0 at 0.5", "x: 0 at 100", "b: 0 at 500", "c: 1 at 500"});
}

TEST_CASE("slurm: a job without a walltime runs, and its limit is rounded up to minutes") {
    const std::string jobs = job("a", "0", 2, "-1", "30") + "," + job("b", "0", 2, "61", "30");
    CHECK(schedule_of(jobs, machine(2)) == Rows{"a: 0-1 at 0.5", "b: 0-1 at 31.5"});
}

TEST_CASE("slurm: light nodes come first") {
    Platform platform = shared_machine(3, "cores:4,memory:8");
    platform.hosts[0].properties["weight"] = "10";
    const std::string jobs = with(job("a", "0", 1, "60", "30"), R"("tasks":2,"per_host":{"memory":1})") + "," +
                             with(job("b", "0", 2, "60", "30"), R"("tasks":6,"per_host":{"memory":1})") + "," +
                             with(job("c", "0", 1, "60", "30"), R"("tasks":1,"per_host":{"memory":1})");
    CHECK(schedule_of(jobs, platform) == Rows{"a: 1 at 0.5", "b: 1-2 at 0.5", "c: 0 at 0.5"});
    CHECK(schedule_of(jobs, platform, {{"select", "linear"}}) == Rows{"a: 1 at 0.5", "b: 0 2 at 0.5", "c: 1 at 31.5"});
    platform.hosts[0].properties["weight"] = "heavy";
    CHECK_THROWS_AS(schedule_of(jobs, platform), InputError);
}

TEST_CASE("slurm: jobs that state no memory may have a default") {
    const Platform platform = shared_machine(1, "cores:4,memory:8");
    const std::string jobs =
        with(job("a", "0", 1, "60", "30"), R"("tasks":1)") + "," + with(job("b", "0", 1, "60", "30"), R"("tasks":1)");
    CHECK(schedule_of(jobs, platform) == Rows{"a: 0 at 0.5", "b: 0 at 31.5"});
    CHECK(schedule_of(jobs, platform, {{"def-mem-per-node", "4"}}) == Rows{"a: 0 at 0.5", "b: 0 at 0.5"});
}

// What each holds decides whether the next one fits beside it: of 8 cores and 20 of memory on each node.
TEST_CASE("slurm: jobs that state no memory may have a default for each of their cores") {
    const Platform platform = shared_machine(2, "cores:8,memory:20");
    const auto schedule = [&](const std::string& a, const std::string& b, int nodes_of_a, Amount per_core = 5) {
        return schedule_of(with(job("a", "0", nodes_of_a, "60", "30"), a) + "," + with(job("b", "0", 2, "60", "30"), b),
                           platform, {{"def-mem-per-cpu", std::to_string(per_core)}});
    };
    const std::string needs_10 = R"("per_host":{"memory":10})";
    const Rows together{"a: 0-1 at 0.5", "b: 0-1 at 0.5"};
    const Rows apart{"a: 0-1 at 0.5", "b: 0-1 at 31.5"};
    CHECK(schedule(R"("per_host":{"cores":2})", needs_10, 2) == together);
    CHECK(schedule(R"("per_host":{"cores":3})", needs_10, 2) == apart);
    CHECK(schedule(R"("tasks":2)", needs_10, 2) == together);
    CHECK(schedule(R"("nice":0)", needs_10, 2, 11) == apart);
    CHECK(schedule(R"("tasks":2)", needs_10, 1) == Rows{"a: 0 at 0.5", "b: 0-1 at 0.5"});
    CHECK(schedule(R"("tasks":3)", needs_10, 1) == Rows{"a: 0 at 0.5", "b: 0-1 at 31.5"});
    // A job that states memory has no default.
    CHECK(schedule(R"("tasks":7,"per_host":{"memory":10})", needs_10, 2) == together);
    // Whole nodes: for all of their cores, which are more than a node has.
    CHECK(schedule(R"("whole":true)", needs_10, 2, 2) == apart);
    CHECK(schedule(R"("whole":true)", needs_10, 2, 3) == Rows{"a: rejected", "b: 0-1 at 0.5"});
    // The selection decides how many cores are on each node.
    CHECK_THROWS_WITH(schedule(R"("tasks":3)", needs_10, 2),
                      "job w0!a states no memory, and may have different numbers of cores on its nodes: expected "
                      "memory in its per_host, or no def-mem-per-cpu");
}

TEST_CASE("slurm: a default of memory for each core where partitions or nodes differ") {
    Platform platform = shared_machine(3, "cores:4,memory:20");
    platform.hosts[2].properties["capacity"] = "cores:8,memory:20";
    for (std::size_t host = 0; host < 3; ++host) {
        platform.hosts[host].properties["partitions"] = host < 2 ? "even,all" : "all";
    }
    const auto schedule = [&](const std::string& a) {
        const std::string b = with(job("b", "0", 1, "60", "30"), R"("partition":"even","per_host":{"memory":1})");
        return schedule_of(with(job("a", "0", 2, "60", "30"), a) + "," + b, platform,
                           {{"def-mem-per-cpu", "5"}, {"exclusive-partitions", "even"}});
    };
    // 4 cores of each node, and so all of its memory.
    CHECK(schedule(R"("partition":"even")") == Rows{"a: 0-1 at 0.5", "b: 0 at 31.5"});
    // One core of each node.
    CHECK(schedule(R"("partition":"all")") == Rows{"a: 0-1 at 0.5", "b: 0 at 31.5"});
    CHECK_THROWS_AS(schedule(R"("partition":"all","whole":true)"), InputError);
    CHECK_THROWS_AS(schedule(R"("partition":"even,all")"), InputError);
}

// a starts at 0.5 and would run for 90 s; its limit, 60 s, counts from 0. b has to wait for its node, which comes back
// 0.5 s after its end. There are full runs at 60.5 and, if the daemon has started at -13, at 47.5.
TEST_CASE("slurm: jobs are stopped by their limits when the daemon looks at them") {
    const auto ends = [](const Parameters::Given& parameters, const std::string& run_time = "90") {
        const Outcome outcome =
            outcome_of(job("a", "0", 1, "60", run_time) + "," + job("b", "0", 1, "60", "30"), machine(1), parameters);
        Rows rows;
        for (const SimulatedJob& one : outcome.simulation().jobs()) {
            rows.push_back(brief(one.start) + " to " + brief(one.end) +
                           (one.state == JobState::completed_successfully ? "" : ", stopped"));
        }
        return rows;
    };
    CHECK(ends({}) == Rows{"0.5 to 60.5, stopped", "63.5 to 93.5"});
    CHECK(ends({{"over-time-limit", "1"}}) == Rows{"0.5 to 90.5", "91.5 to 121.5"});
    CHECK(ends({{"over-time-limit", "15s"}}) == Rows{"0.5 to 75, stopped", "75.5 to 105.5"});
    CHECK(ends({{"over-time-limit", "15s"}, {"daemon-start", "80"}})[0] == "0.5 to 75, stopped");
    CHECK(ends({{"timeout-check", "30"}}) == Rows{"0.5 to 60, stopped", "60.5 to 90.5"});
    CHECK(ends({{"timeout-check", "30"}, {"daemon-start", "-13"}}) == Rows{"0.5 to 77, stopped", "77.5 to 107.5"});
    CHECK(ends({{"timeout-check", "50"}, {"over-time-limit", "1"}}) == Rows{"0.5 to 90.5", "91.5 to 121.5"});
    CHECK(ends({{"launch-delay", "2"}}) == Rows{"0.5 to 60, stopped", "60.5 to 92.5"});
    CHECK(ends({{"launch-delay", "2"}, {"timeout-check", "30"}}, "57.5") == Rows{"0.5 to 60", "60.5 to 92.5"});
    // A limit that the scheduler only assumes, in whole minutes too.
    const Parameters::Given assumes{{"timeout-check", "30"}, {"default-walltime", "80"}, {"daemon-start", "-13"}};
    const Outcome outcome = outcome_of(job("a", "0", 1, "-1", "900"), machine(1), assumes);
    CHECK(outcome.simulation().jobs().front().end == at("137"));
}

// a has 60 s, and may stay for 5 minutes more. While it is late, select/linear expects its end in the next second, so b
// is planned then, and c would delay it. select/cons_tres expects it at 390, and the cycle at 120 starts c.
TEST_CASE("slurm: a running job past its limit is expected to end soon") {
    const std::string jobs =
        job("a", "0", 1, "60", "900") + "," + job("b", "1", 2, "60", "10") + "," + job("c", "95", 1, "60", "10");
    const Parameters::Given parameters{{"over-time-limit", "5"}};
    CHECK(schedule_of(jobs, machine(2), parameters) == Rows{"a: 0 at 0.5", "b: 0-1 at 360.5", "c: 0 at 371.5"});
    CHECK(schedule_of(jobs, shared_machine(2, "cores:1"), parameters) ==
          Rows{"a: 0 at 0.5", "b: 0-1 at 360.5", "c: 1 at 120"});
}

TEST_CASE("slurm: a lost processor is refused, as it is not known what Slurm would do") {
    const auto outcome = [](const std::string& algorithm) {
        return run(scenario_of(machine(2), {workload_of(job("a", "0", 1, "60", "30"))}, lost("9", "1")),
                   {algorithm, {}}, {});
    };
    CHECK_NOTHROW(outcome("fcfs"));
    CHECK_THROWS_WITH(outcome("slurm"),
                      "algorithm slurm: it does not know external events, expected that no processor "
                      "is lost or comes back");
}

TEST_CASE("slurm: wrong parameters and fields are errors that say what was expected") {
    const auto error = [](const std::string& jobs, const Platform& platform, const Parameters::Given& parameters) {
        try {
            schedule_of(jobs, platform, parameters);
        } catch (const std::exception& problem) {
            return std::string(problem.what());
        }
        return std::string();
    };
    const Platform shared = shared_machine(2, "cores:4");
    CHECK(error(with(job("a", "0", 2, "60", "30"), R"("tasks":1)"), shared, {}) ==
          R"(job w0!a: field "tasks": expected a whole number, at least its res, 2)");
    CHECK(error(job("a", "0", 1, "60", "30"), machine(1), {{"bf-interval", "0"}}) ==
          "parameter bf-interval=0: expected a whole number from 1 to 31536000000 (seconds), or with a unit, such as "
          "15m or 2d");
    CHECK(error(job("a", "0", 1, "60", "30"), shared_machine(1, "gpus:4"), {{"select", "cons-tres"}}) ==
          "parameter select=cons-tres: hosts have no capacity of the name cores, expected linear");
    CHECK(error(job("a", "0", 1, "60", "30"), machine(1), {{"bf-topopt-enable", "yes"}}) ==
          "parameter bf-topopt-enable: expected version=26.11, 22.05 does not have it");
    CHECK(error(job("a", "0", 1, "60", "30"), machine(1), {{"def-mem-per-node", "1"}, {"def-mem-per-cpu", "1"}}) ==
          "parameters def-mem-per-node and def-mem-per-cpu: expected one of them, as in slurm.conf");
    CHECK(error(job("a", "0", 1, "60", "30"), machine(1), {{"launch-delay", "1"}, {"epoch", "0.5"}}) ==
          "parameter epoch: expected whole seconds with launch-delay, timeout-check or over-time-limit");
    CHECK(error(job("a", "0", 1, "60", "30"), machine(1), {{"partition-tiers", "high"}}) ==
          "parameter partition-tiers=high: expected PARTITION:NUMBER, with numbers from 0 to 65535 and commas between");
}

TEST_CASE("slurm: says why jobs wait, in the words of squeue") {
    const std::string jobs = job("a", "0", 2, "60", "30") + "," + job("b", "0", 2, "60", "30") + "," +
                             job("c", "0", 1, "600", "30") + "," + with(job("d", "0", 1, "60", "1"), R"("begin":50)");
    RunOptions options;
    options.explain = {"b", "c", "d"};
    const Outcome outcome = outcome_of(jobs, machine(2), {}, options);
    std::vector<std::string> reasons;
    for (const WaitReason& reason : outcome.wait_reasons()) {
        if (reason.time == at("0.5")) {
            reasons.push_back(reason.job + " " + reason.because.text.substr(0, reason.because.text.find(':')));
        }
    }
    CHECK(reasons == Rows{"b Resources", "c Priority", "d BeginTime"});
}

// a and b leave no idle host in their reservation, and c does not fit there; d waits behind c, and e runs outside.
TEST_CASE("slurm: says of a job inside a reservation what holds it up there") {
    Platform platform = machine(3);
    platform.windows = {window_of_hosts("0", "3000", 1, 2, {"course"})};
    const std::string jobs = booked("a", "1", 1, "600", "600") + "," + booked("b", "1", 1, "600", "600") + "," +
                             booked("c", "2", 2, "60", "30") + "," + booked("d", "2", 1, "60", "30") + "," +
                             job("e", "2", 1, "60", "30");
    RunOptions options;
    options.explain = {"c", "d", "e"};
    const Outcome outcome = outcome_of(jobs, platform, {}, options);
    Rows reasons;
    for (const WaitReason& reason : outcome.wait_reasons()) {
        if (reason.kind != WaitReason::Kind::started && reason.time == at("3.5")) {
            reasons.push_back(reason.job + " " + reason.because.text);
        }
    }
    CHECK(reasons == Rows{"c Resources: it fits on no idle nodes of its reservation",
                          "d Priority: a job of its reservation before it does not fit"});
}

// b holds up d for the main scheduler. The first cycle, at 30, plans b for 600; e waits for its reservation.
TEST_CASE("slurm: says what cycles of backfill have found") {
    Platform platform = machine(4);
    platform.windows = {window_of_hosts("2000", "3000", 3, 3, {"course"})};
    const std::string jobs = job("a", "0", 3, "600", "600") + "," + job("b", "1", 4, "600", "30") + "," +
                             job("d", "2", 1, "1200", "30") + "," + booked("e", "2", 1, "60", "1");
    const auto reasons = [&](const Parameters::Given& parameters) {
        RunOptions options;
        options.explain = {"b", "d", "e"};
        const Outcome outcome = outcome_of(jobs, platform, parameters, options);
        Rows rows;
        for (const WaitReason& reason : outcome.wait_reasons()) {
            const std::string& text = reason.because.text;
            const std::size_t found = text.find("; backfill: ");
            const std::string by_main =
                reason.kind == WaitReason::Kind::started ? "starts" : text.substr(0, text.find(':'));
            if (reason.time <= at("30") && reason.time > at("2")) {
                rows.push_back(brief(reason.time) + " " + reason.job + " " + by_main +
                               (found == std::string::npos ? "" : text.substr(found)));
            }
        }
        return rows;
    };
    const Rows by_main{"3.5 b Resources", "3.5 d Priority", "3.5 e Reservation"};
    const auto with_cycle = [&](const char* b, const char* d, const char* e) {
        Rows rows = by_main;
        rows.push_back(std::string("30 b Resources; backfill: ") + b);
        rows.push_back(std::string("30 d Priority; backfill: ") + d);
        rows.push_back(std::string("30 e Reservation; backfill: ") + e);
        return rows;
    };
    CHECK(reasons({{"scheduler", "builtin"}}) == by_main);
    CHECK(reasons({}) == with_cycle("a start is planned", "a start is planned", "a start is planned"));
    // b starts 570 s after the cycle, later than in 9 minutes. Without its plan, d starts.
    const char* const too_late = "it would start too late for a plan (bf-window)";
    Rows behind_window = with_cycle(too_late, "", too_late);
    behind_window[4] = "30 d starts";
    CHECK(reasons({{"bf-window", "9"}}) == behind_window);
    const char* const not_reached =
        "the cycle ended before it (bf-max-job-test, bf-max-job-start or bf-node-space-size)";
    CHECK(reasons({{"bf-max-job-test", "1"}, {"bf-node-space-size", "9"}}) ==
          with_cycle(not_reached, not_reached, "a start is planned"));
    CHECK(reasons({{"bf-max-job-part", "2"}})[4] ==
          "30 d Priority; backfill: enough jobs of its user or partition were looked at (bf-max-job-user, "
          "bf-max-job-part or bf-max-job-user-part)");
}

}  // namespace batfill::tests::slurm_algorithm_test
