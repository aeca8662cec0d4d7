#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "src/support/files.hpp"
#include "tests/support/simulator_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::schedules_reference_test {

// Schedules of an independent simulator of the same specification. There is one file per workload, algorithm and set of
// parameters: WORKLOAD.ALGORITHM[.key=value...].csv.

namespace {

struct Expectation {
    std::string workload;
    std::string algorithm;
    Parameters::Given parameters;
};

// Values may contain dots ("weights=0.2,-0.3"), so a dot separates only before a key and '='.
Expectation expectation_of(const std::string& stem) {
    const std::size_t algorithm = stem.find('.') + 1;
    std::size_t end = stem.find('.', algorithm);
    Expectation expectation{stem.substr(0, algorithm - 1), stem.substr(algorithm, end - algorithm), {}};
    while (end != std::string::npos) {
        const std::size_t begin = end + 1;
        const std::size_t equals = stem.find('=', begin);
        const std::size_t next_equals = stem.find('=', equals + 1);
        end = next_equals == std::string::npos ? next_equals : stem.rfind('.', next_equals);
        expectation.parameters.emplace_back(stem.substr(begin, equals - begin),
                                            stem.substr(equals + 1, end - equals - 1));
    }
    return expectation;
}

Scenario scenario_for(const std::string& workload) {
    const std::map<std::string, std::string> platforms{
        {"mixed-400", "p64.xml"}, {"fractional-300", "p128.xml"}, {"farm-300", "farm-20x6.xml"}};
    Scenario scenario;
    const auto platform = platforms.find(workload);
    if (workload == "same-instants-300") {
        scenario.platform = machine(16);
    } else {
        REQUIRE(platform != platforms.end());
        scenario.platform = read_platform(test_data("reference/" + platform->second));
    }
    scenario.workloads.push_back(read_workload(test_data("reference/" + workload + ".json"), "w0"));
    return scenario;
}

std::string row_of(const SimulatedJob& job) {
    const std::string id = job.job->description.id.substr(3);
    const std::string submit = job.job->description.submit.to_string();
    if (job.state == JobState::rejected) {
        return id + "," + submit + ",,,REJECTED";
    }
    return id + "," + submit + "," + job.start.to_string() + "," + job.end.to_string() + "," +
           (job.state == JobState::completed_successfully ? "COMPLETED_SUCCESSFULLY" : "COMPLETED_WALLTIME_REACHED");
}

// Rows of a farm also name the job's machine.
std::string row_on(const Machine& machine, const SimulatedJob& job) {
    return row_of(job) + "," + (job.state == JobState::rejected ? "" : machine.group_of(job.allocation.last()).name);
}

}  // namespace

TEST_CASE("Names of reference schedules are taken apart", "[schedules]") {
    const Expectation plain = expectation_of("mixed-400.fcfs");
    CHECK(plain.workload == "mixed-400");
    CHECK(plain.algorithm == "fcfs");
    CHECK(plain.parameters.empty());
    const Expectation rich = expectation_of("w.easy.order=mixed.weights=0.2,-0.3.threshold=2000");
    CHECK(rich.algorithm == "easy");
    CHECK(rich.parameters == Parameters::Given{{"order", "mixed"}, {"weights", "0.2,-0.3"}, {"threshold", "2000"}});
}

TEST_CASE("The reference schedules come out job by job", "[schedules][reference][outside]") {
    if (!have_test_data("reference/expected")) {
        return;
    }
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(test_data("reference/expected"))) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::map<std::string, int> checked;
    for (const auto& path : paths) {
        INFO(path.filename());
        const Expectation expectation = expectation_of(path.stem().string());
        ++checked[expectation.algorithm];
        const Outcome outcome =
            run(scenario_for(expectation.workload), {expectation.algorithm, expectation.parameters});
        const Simulator& simulator = outcome.simulation();

        std::istringstream expected(InputFile(path.string()).read_all(std::size_t{1} << 24));
        std::string line;
        std::getline(expected, line);
        const bool names_machine = line == "job_id,submission_time,starting_time,finish_time,final_state,machine";
        REQUIRE((names_machine || line == "job_id,submission_time,starting_time,finish_time,final_state"));
        std::size_t jobs = 0;
        for (; std::getline(expected, line); ++jobs) {
            const auto number = simulator.find_job("w0!" + line.substr(0, line.find(',')));
            REQUIRE(number.has_value());
            const SimulatedJob& job = simulator.job(*number);
            REQUIRE((names_machine ? row_on(outcome.engine()->state().machine, job) : row_of(job)) == line);
        }
        REQUIRE(jobs == simulator.jobs().size());
    }
    CHECK(checked["relaxed"] >= 27);
    CHECK(checked["fcfs"] >= 3);
    CHECK(checked["easy"] >= 70);
    CHECK(checked["conservative"] >= 9);
    CHECK(checked["dbf"] >= 6);
}

}  // namespace batfill::tests::schedules_reference_test
