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

// A job with a deadline, and with an amount of the pool.
std::string with_deadline(const std::string& one, int deadline) {
    return with_amounts(one, R"("deadline":)" + std::to_string(deadline));
}

std::string with_licences(const std::string& one, int copies) {
    return with_amounts(one, R"("pools":{"licence":)" + std::to_string(copies) + "}");
}

Platform with_pool(int hosts, int copies) {
    Platform platform = machine(hosts);
    for (Host& host : platform.hosts) {
        host.zone_properties["pools"] = "licence:" + std::to_string(copies);
    }
    return platform;
}

// Only host 2 has cores, which e needs. At 2, e lacks licences and is parked. It is then placed behind b, which has a
// deadline and is tentative. When a ends early, at 14, L0 is compressed as if L1 did not
// exist: e starts as soon as c has given back licences, at 22, and b after it.
TEST_CASE("dbf compresses a job that was parked as if the tentative jobs did not exist") {
    Platform platform = with_pool(5, 7);
    platform.hosts[2].properties["capacity"] = "cores:3";
    platform.hosts[3].properties = {{"capacity", "cores:2"}, {"partitions", "x"}};
    for (const int host : {0, 1}) {
        platform.hosts[static_cast<std::size_t>(host)].properties["partitions"] = "y";
    }
    const std::string jobs =
        with_amounts(with_licences(with_deadline(job("a", "2", 1, "29", "12"), 51), 4), R"("partition":"x")") + "," +
        with_licences(with_deadline(job("b", "2", 2, "30", "30"), 152), 3) + "," +
        with_licences(job("c", "2", 2, "20", "20"), 2) + "," +
        with_amounts(with_licences(job("e", "2", 1, "10", "10"), 4), R"("per_host":{"cores":3})") + "," +
        job("f", "10", 2, "11", "11");
    CHECK(schedule_of(jobs, "dbf", platform, {{"plan-pools", "none"}}) ==
          std::vector<std::string>{"a: on 3 from 2", "b: on 3-4 from 21", "c: on 0-1 from 2", "e: on 2 from 22",
                                   "f: on 2 4 from 10"});
}

// d is parked at 50, where b holds the licences. Its deadline is promised no longer: when the next regular job could
// make it late, nothing is undone.
TEST_CASE("dbf with repair=strict promises nothing to a job that was parked") {
    const std::string jobs = job("a", "0", 1, "50", "50") + "," + job("b", "0", 1, "60", "50") + "," +
                             with_licences(job("c", "0", 1, "10", "4"), 4) + "," +
                             with_licences(job("d", "0", 1, "10", "10"), 3) + "," + job("e", "0", 2, "34", "34") + "," +
                             with_licences(with_deadline(job("f", "0", 1, "6", "6"), 101), 4) + "," +
                             job("g", "0", 1, "56", "56");
    CHECK(schedule_of(jobs, "dbf", with_pool(2, 6), {{"plan-pools", "none"}, {"repair", "strict"}}) ==
          std::vector<std::string>{"a: on 0 from 0", "b: on 1 from 0", "c: on 0 from 50", "d: on 0 from 88",
                                   "e: on 0-1 from 54", "f: on 0 from 98", "g: on 1 from 88"});
}

// Each regular job starts in its own run, so a takes a licence before b, which is tentative, is tried in the run of c.
TEST_CASE("dbf starts a regular job in its own run, before others take the pool") {
    const std::string jobs = with_licences(job("a", "0", 1, "55", "55"), 1) + "," +
                             with_licences(with_deadline(job("b", "0", 1, "16", "16"), 341), 4) + "," +
                             job("c", "0", 1, "60", "60");
    CHECK(schedule_of(jobs, "dbf", with_pool(5, 4), {{"plan-pools", "none"}}) ==
          std::vector<std::string>{"a: on 0 from 0", "b: on 0 from 55", "c: on 1 from 0"});
}

}  // namespace batfill::tests::resources_by_hand_test
