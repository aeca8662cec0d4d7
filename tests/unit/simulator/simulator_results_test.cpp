#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/simulator/embedded_scheduler.hpp"
#include "src/support/files.hpp"
#include "tests/support/lines.hpp"
#include "tests/support/process.hpp"
#include "tests/support/simulator_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::simulator_results_test {

namespace {

struct Files {
    std::string jobs;
    std::string schedule;
};

Files written(const Outcome& outcome, const RealTimes& real_times = {}) {
    const Folder folder;
    write_files(outcome, folder.file("out"), real_times);
    return {contents(folder.file("out_jobs.csv")), contents(folder.file("out_schedule.csv"))};
}

std::vector<std::string> cells_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, ',');) {
        cells.push_back(cell);
    }
    return cells;
}

std::map<std::string, std::string> row_of(const std::string& text) {
    const std::vector<std::string> lines = lines_of(text);
    REQUIRE(lines.size() == 2);
    const std::vector<std::string> names = cells_of(lines[0]);
    const std::vector<std::string> values = cells_of(lines[1]);
    REQUIRE(names.size() == values.size());
    REQUIRE(std::is_sorted(names.begin(), names.end()));
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < names.size(); ++i) {
        row[names[i]] = values[i];
    }
    return row;
}

}  // namespace

TEST_CASE("The jobs' CSV has a row for each job that ended, in the order of the ends", "[simulator][csv]") {
    const std::string jobs = jobs_in(R"(
          0: a 2x20 runs 10
        1.5: b 1 runs 2.000001, c 9x5 runs 3
          2: d 1x4 runs 8, e 1x9 runs 1e-9, f 1x9 runs 7
    )");
    const Scenario scenario = scenario_of(machine(4), {workload_of(jobs)});
    const Played played = play(scenario, {{1, {{start(0, "1 3"), metadata(0, "x, 'y'")}, ""}},
                                          {2, {{reject(2), start(1, "0")}, ""}},
                                          {3, {{start(4, "2"), kill({1}), call("6")}, ""}},
                                          {6, {{start(3, "0"), start(5, "2")}, ""}}});
    INFO(Catch::rangeToString(played.frames));
    REQUIRE(played.error.empty());
    CHECK(
        written(*played.outcome).jobs ==
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata\n"
        "c,w0,d3,1.500000,9,5.000000,0,REJECTED,,,,,,,,,\"\"\n"
        "b,w0,d2.000001,1.500000,1,-1.000000,0,COMPLETED_KILLED,1.500000,0.500000,2.000000,0.000000,0.500000,1.000000,0,-1.000000,\"\"\n"
        "e,w0,d1e-9,2.000000,1,9.000000,1,COMPLETED_SUCCESSFULLY,2.000000,0.000010,2.000010,0.000000,0.000010,1.000000,2,-1.000000,\"\"\n"
        "a,w0,d10,0.000000,2,20.000000,1,COMPLETED_SUCCESSFULLY,0.000000,10.000000,10.000000,0.000000,10.000000,1.000000,1 3,-1.000000,\"x, 'y'\"\n"
        "d,w0,d8,2.000000,1,4.000000,0,COMPLETED_WALLTIME_REACHED,6.000000,4.000000,10.000000,4.000000,8.000000,2.000000,0,-1.000000,\"\"\n"
        "f,w0,d7,2.000000,1,9.000000,1,COMPLETED_SUCCESSFULLY,6.000000,7.000000,13.000000,4.000000,11.000000,1.571429,2,-1.000000,\"\"\n");

    const std::map<std::string, std::string> row = row_of(written(*played.outcome, {1.25, 2.5}).schedule);
    CHECK(row.at("nb_jobs") == "6");
    CHECK(row.at("nb_jobs_finished") == "5");
    CHECK(row.at("nb_jobs_success") == "3");
    CHECK(row.at("nb_jobs_killed") == "2");  // walltime hits count as killed
    CHECK(row.at("nb_jobs_rejected") == "1");
    CHECK(row.at("success_rate") == "0.500000");
    CHECK(row.at("makespan") == "13.000000");
    CHECK(row.at("max_waiting_time") == "4.000000");
    CHECK(row.at("max_turnaround_time") == "11.000000");
    CHECK(row.at("max_slowdown") == "2.000000");
    CHECK(row.at("mean_waiting_time") == "1.333333");     // 8 / 6: rejected jobs count
    CHECK(row.at("mean_turnaround_time") == "4.916668");  // 29.50001 / 6
    CHECK(row.at("mean_slowdown") == "1.095238");
    CHECK(row.at("nb_computing_machines") == "4");
    CHECK(row.at("scheduling_time") == "1.250000");
    CHECK(row.at("simulation_time") == "2.500000");
    CHECK(row.at("time_unavailable") == "0.000000");
    // 0: 0.5 + 4. 1 and 3: 10 each. 2: 7.
    CHECK(row.at("time_computing") == "31.500000");
    // 0: 1.5 + 4. 1 and 3: 0. 2: 2 + 4.
    CHECK(row.at("time_idle") == "11.500000");
}

TEST_CASE("Without jobs the CSVs are empty and zero", "[simulator][csv]") {
    const Scenario scenario = scenario_of(machine(3), {workload_of("")});
    const Files files = written(*play(scenario, {}).outcome);
    CHECK(lines_of(files.jobs).size() == 1);
    for (const auto& [name, value] : row_of(files.schedule)) {
        if (name != "batsim_version" && name != "nb_computing_machines") {
            INFO(name);
            CHECK((value == "0" || value == "0.000000"));
        }
    }
}

TEST_CASE("Ids of several workloads lose their workload's name in the CSV", "[simulator][csv]") {
    const Scenario scenario = scenario_of(
        machine(1), {workload_of(job("a", "0", 1, "9", "1")), workload_of(job("a", "0", 1, "9", "1"), "w1")});
    const std::vector<std::string> lines =
        lines_of(written(*play(scenario, {{1, {{reject(1), reject(0)}, ""}}}).outcome).jobs);
    REQUIRE(lines.size() == 3);
    CHECK(lines[1].substr(0, 8) == "a,w1,d1,");
    CHECK(lines[2].substr(0, 8) == "a,w0,d1,");
}

TEST_CASE("killer2 writes the rows that Batsim wrote, the rejected job's before the killed one's",
          "[simulator][recorded][outside]") {
    if (!have_test_data("batsim/found/k4.killer2.batsim4_jobs.csv")) {
        return;
    }
    Scenario scenario;
    scenario.platform = read_platform(test_data("batsim/found/p4.xml"));
    scenario.workloads.push_back(read_workload(test_data("batsim/found/k4.json"), "w0"));
    CHECK(written(run(scenario, {"killer2", {}})).jobs ==
          InputFile(test_data("batsim/found/k4.killer2.batsim4_jobs.csv")).read_all(std::size_t{1} << 20));
}

TEST_CASE("fcfs writes the CSVs that Batsim wrote of 20,000 jobs", "[simulator][recorded][outside]") {
    if (!have_test_data("batsim/results/w20k-0.90.fcfs.jobs.csv.gz")) {
        return;
    }
    Scenario scenario;
    scenario.platform = read_platform(test_data("batsim/inputs/platforms/p240.xml"));
    scenario.workloads.push_back(read_workload(test_data("batsim/inputs/workloads/w20k-0.90.json.gz"), "w0"));
    const Files ours = written(run(scenario, {"fcfs", {}}));

    const std::vector<std::string> our_lines = lines_of(ours.jobs);
    const std::vector<std::string> lines =
        lines_of(InputFile(test_data("batsim/results/w20k-0.90.fcfs.jobs.csv.gz")).read_all(std::size_t{1} << 30));
    REQUIRE(our_lines.size() == lines.size());
    REQUIRE(lines.size() == 20001);
    std::size_t ties = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (our_lines[i] == lines[i]) {
            continue;
        }
        // Batsim sums doubles, so a value halfway between two decimals may round the other way.
        INFO("line " << i + 1 << "\nBatsim " << lines[i] << "\nours   " << our_lines[i]);
        std::vector<std::string> our_cells = cells_of(our_lines[i]);
        const std::vector<std::string> cells = cells_of(lines[i]);
        REQUIRE(our_cells.size() == cells.size());
        constexpr std::size_t stretch = 13;
        REQUIRE(std::abs(std::stod(our_cells[stretch]) - std::stod(cells[stretch])) < 1.5e-6);
        const auto microseconds = [&](std::size_t cell) {
            return static_cast<long long>(Duration::parse(cells[cell])->count());
        };
        const long long turnaround = microseconds(12);
        const long long execution = microseconds(9);
        REQUIRE(turnaround * 2'000'000 % execution == 0);
        REQUIRE(turnaround * 2'000'000 / execution % 2 == 1);
        our_cells[stretch] = cells[stretch];
        REQUIRE(our_cells == cells);
        ++ties;
    }
    CHECK(ties < lines.size() / 500);

    std::map<std::string, std::string> our_row = row_of(ours.schedule);
    for (const auto& [name, value] :
         row_of(InputFile(test_data("batsim/results/w20k-0.90.fcfs.schedule.csv")).read_all(std::size_t{1} << 20))) {
        INFO(name);
        REQUIRE(our_row.count(name) == 1);
        if (name != "batsim_version" && name != "scheduling_time" && name != "simulation_time") {
            CHECK(our_row.at(name) == value);
        }
        our_row.erase(name);
    }
    CHECK(our_row.empty());
}

}  // namespace batfill::tests::simulator_results_test
