#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "src/simulator/embedded_scheduler.hpp"
#include "tests/support/simulator_fixture.hpp"

// Who bounds the wait of a wide job in a stream of narrow ones: the table in docs/algorithms.md.
namespace batfill::tests::starvation_test {

namespace {

// Narrow jobs of one processor run 100 s, one every 13 s, on a machine of 8. The wide job needs all 8, from second 500.
struct Stream {
    int narrow_walltime;
    int wide_run_time;
    int wide_walltime;
};

constexpr Stream streams[] = {{100, 40, 50}, {200, 40, 50}, {100, 400, 500}, {200, 400, 500}};

Workload workload_with(const Stream& stream, int narrow_jobs) {
    const auto job = [](const std::string& id, int submit, int size, int walltime, const std::string& profile) {
        return R"({"id":")" + id + R"(","subtime":)" + std::to_string(submit) + R"(,"res":)" + std::to_string(size) +
               R"(,"walltime":)" + std::to_string(walltime) + R"(,"profile":")" + profile + "\"}";
    };
    std::string jobs = job("wide", 500, 8, stream.wide_walltime, "w");
    for (int i = 0; i < narrow_jobs; ++i) {
        jobs += "," + job("n" + std::to_string(1'000'000 + i), 13 * i, 1, stream.narrow_walltime, "n");
    }
    return parse_workload(R"({"nb_res":8,"jobs":[)" + jobs +
                              R"(],"profiles":{"n":{"type":"delay","delay":100},"w":{"type":"delay","delay":)" +
                              std::to_string(stream.wide_run_time) + "}}}",
                          "/stream.json", "w0");
}

// The longest wait of the wide job in the four streams, in whole seconds.
long long longest_wait(const std::string& algorithm, const Parameters::Given& parameters, int narrow_jobs) {
    Duration longest;
    for (const Stream& stream : streams) {
        const Scenario scenario = scenario_of(machine(8), {workload_with(stream, narrow_jobs)});
        Engine engine(algorithm, parameters);
        EmbeddedScheduler scheduler(engine);
        Simulator simulator(scenario);
        simulator.run(scheduler);
        longest = std::max(longest, simulator.jobs().front().start - Time::seconds(500));
    }
    return static_cast<long long>(longest.to_seconds());
}

struct Case {
    std::string algorithm;
    Parameters::Given parameters;
    long long wait;         // with 500 narrow jobs
    long long longer_wait;  // with 2,000
};

}  // namespace

TEST_CASE("A wide job starves in a stream of narrow ones exactly under these algorithms", "[starvation]") {
    constexpr long long end = 6087;  // the end of the stream
    constexpr long long later_end = 25'587;
    const std::vector<Case> cases = {
        {"fcfs", {}, 94, 94},
        {"easy", {}, 94, 94},
        {"easy", {{"reservations", "100"}}, 94, 94},
        {"easy", {{"reservations", "0"}}, end, later_end},
        {"easy", {{"order", "spf"}}, end, later_end},
        {"easy", {{"order", "spf"}, {"threshold", "3600"}}, 3695, 3695},
        {"easy", {{"order", "sqf"}}, end, later_end},
        {"easy", {{"order", "saf"}}, end, later_end},
        {"easy", {{"order", "lqf"}}, 94, 94},
        {"easy", {{"order", "laf"}}, 94, 94},
        {"easy", {{"order", "lexp"}}, 6335, 25'835},
        {"easy", {{"order", "sexp"}}, end, later_end},
        {"easy", {{"order", "wfp3"}}, 242, 242},
        {"easy", {{"order", "unicef"}}, end, later_end},
        {"easy", {{"order", "f1"}}, 120, 120},
        {"easy-sleeper", {}, 94, 94},
        {"relaxed", {}, 94, 94},
        {"relaxed", {{"omega", "inf"}}, end, later_end},
        {"conservative", {}, 94, 94},
        {"pc", {{"order", "spf"}}, 94, 94},
        {"dc", {{"order", "spf"}}, 94, 94},
        {"dbf", {}, 94, 94},
        {"bf-unmod", {}, 94, 94},
        {"bf-mod", {}, 172, 172},
        {"sequencer", {}, 3400, 3400},
        {"filler", {}, end, later_end},
        {"random", {}, end, later_end},
    };
    for (const auto& [algorithm, parameters, wait, longer_wait] : cases) {
        INFO(algorithm << (parameters.empty() ? "" : " " + parameters.front().second));
        CHECK(longest_wait(algorithm, parameters, 500) == wait);
        CHECK(longest_wait(algorithm, parameters, 2000) == longer_wait);
    }
}

}  // namespace batfill::tests::starvation_test
