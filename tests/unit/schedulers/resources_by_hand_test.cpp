#include <string>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::resources_by_hand_test {

namespace {

std::string with_amounts(const std::string& one, const std::string& amounts) {
    return one.substr(0, one.size() - 1) + "," + amounts + "}";
}

// "a: on 1 from 60", for each job.
std::vector<std::string> schedule_of(const std::string& jobs, const std::string& algorithm, Platform platform,
                                     const Parameters::Given& parameters = {}) {
    const Outcome outcome = run(scenario_of(std::move(platform), {workload_of(jobs)}), {algorithm, parameters});
    std::vector<std::string> rows;
    for (const SimulatedJob& one : outcome.simulation().jobs()) {
        rows.push_back(one.job->description.id.substr(3) + ": on " + one.allocation.to_string() + " from " +
                       std::to_string(static_cast<int>(one.start.since_zero().to_seconds())));
    }
    return rows;
}

}  // namespace

// The cores of both hosts are idle, their GPUs are not. By the estimates, b gives two GPUs back at 60, a at 100. So the
// head c is reserved there. Jobs without GPUs start at once, e beside the reservation: two cores are left for c. f
// takes the GPU that c leaves over.
TEST_CASE("The head of easy waits for GPUs, and others take the cores") {
    Platform platform = machine(2);
    for (Host& host : platform.hosts) {
        host.properties["capacity"] = "cores:8,gpus:2";
    }
    const std::string jobs = with_amounts(job("a", "0", 1, "100", "100"), R"("per_host":{"cores":2,"gpus":2})") + "," +
                             with_amounts(job("b", "0", 1, "60", "60"), R"("per_host":{"cores":2,"gpus":2})") + "," +
                             with_amounts(job("c", "1", 1, "50", "50"), R"("per_host":{"cores":1,"gpus":1})") + "," +
                             with_amounts(job("d", "2", 1, "30", "30"), R"("per_host":{"cores":4})") + "," +
                             with_amounts(job("e", "3", 1, "200", "200"), R"("per_host":{"cores":6})") + "," +
                             with_amounts(job("f", "4", 1, "10", "10"), R"("per_host":{"cores":1,"gpus":1})");
    CHECK(schedule_of(jobs, "easy", platform) == std::vector<std::string>{"a: on 0 from 0", "b: on 1 from 0",
                                                                          "c: on 1 from 60", "d: on 0 from 2",
                                                                          "e: on 1 from 3", "f: on 1 from 60"});
    CHECK(schedule_of(jobs, "easy", platform, {{"placement", "snug"}, {"reservations", "2"}}) ==
          schedule_of(jobs, "easy", platform, {{"reservations", "2"}}));
}

// The pool has room for one of a, b and c. It is not planned, so b is due when its host is idle, at 1, and lacks it. b
// is parked and loses its place, and d, which takes nothing of the pool, starts on its host. When a ends, b is placed
// first.
TEST_CASE("conservative parks a job that lacks a pool that is not planned") {
    Platform platform = machine(2);
    for (Host& host : platform.hosts) {
        host.zone_properties["pools"] = "licence:1";
    }
    const std::string jobs = with_amounts(job("a", "0", 1, "100", "40"), R"("pools":{"licence":1})") + "," +
                             with_amounts(job("b", "1", 1, "50", "50"), R"("pools":{"licence":1})") + "," +
                             job("d", "2", 1, "30", "30");
    CHECK(schedule_of(jobs, "conservative", platform, {{"plan-pools", "none"}}) ==
          std::vector<std::string>{"a: on 0 from 0", "b: on 0 from 40", "d: on 1 from 2"});
}

// b waits for the only licence until 100. If the pool is planned, b is the head, and d starts beside its reservation.
// If not, b is passed over, c is the head, and d would delay it.
TEST_CASE("easy passes over a job that lacks a pool that is not planned") {
    Platform platform = machine(2);
    for (Host& host : platform.hosts) {
        host.zone_properties["pools"] = "licence:1";
    }
    const std::string jobs = with_amounts(job("a", "0", 1, "100", "100"), R"("pools":{"licence":1})") + "," +
                             with_amounts(job("b", "1", 1, "50", "50"), R"("pools":{"licence":1})") + "," +
                             job("c", "1", 2, "10", "10") + "," + job("d", "2", 1, "200", "200");
    CHECK(schedule_of(jobs, "easy", platform) ==
          std::vector<std::string>{"a: on 0 from 0", "b: on 0 from 100", "c: on 0-1 from 202", "d: on 1 from 2"});
    CHECK(schedule_of(jobs, "easy", platform, {{"plan-pools", "none"}}) ==
          std::vector<std::string>{"a: on 0 from 0", "b: on 0 from 100", "c: on 0-1 from 150", "d: on 0 from 160"});
}

}  // namespace batfill::tests::resources_by_hand_test
