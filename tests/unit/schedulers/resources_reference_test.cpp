#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "src/support/files.hpp"
#include "src/support/text.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::resources_reference_test {

// Schedules of independent simulators for machines with pools, shared hosts, partitions and windows, and for jobs that
// wait for others: cases.csv has a line for
// each, and expected/NAME.SETTING.csv its rows.

namespace {

// A file of one of the folders with cases.
std::string path_of(const std::string& folder, const std::string& name) {
    return test_data("reference/" + folder + "/" + name);
}
std::string contents_of(const std::string& folder, const std::string& name) {
    return InputFile(path_of(folder, name)).read_all(std::size_t{1} << 24);
}

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    for (const std::string_view field : split(line, ',')) {
        fields.emplace_back(field);
    }
    return fields;
}

Parameters::Given parameters_in(const std::string& options) {
    Parameters::Given given;
    std::istringstream words(options);
    for (std::string word; words >> word;) {
        given.push_back(parse_assignment(word));
    }
    return given;
}

// Its start, its end, and on a machine with named hosts its hosts.
std::string place_of(const SimulatedJob& job, bool is_named) {
    if (job.state == JobState::rejected) {
        return "rejected";
    }
    return job.start.to_string() + " " + job.end.to_string() + (is_named ? " on " + job.allocation.to_string() : "");
}

void compare(const std::string& folder, const std::map<std::string, std::string>& test) {
    Scenario scenario;
    scenario.platform = read_platform(path_of(folder, test.at("platform")));
    if (!test.at("windows").empty()) {
        scenario.platform.windows = read_windows(path_of(folder, test.at("windows")));
    }
    if (const auto limits = test.find("limits"); limits != test.end() && !limits->second.empty()) {
        scenario.platform.limits = read_limits(path_of(folder, limits->second));
    }
    scenario.workloads.push_back(read_workload(path_of(folder, test.at("workload")), "w0"));
    const Outcome outcome = run(scenario, {test.at("algorithm"), parameters_in(test.at("options"))});
    const Simulator& simulator = outcome.simulation();
    std::istringstream expected(contents_of(folder, "expected/" + test.at("name") + "." + test.at("setting") + ".csv"));
    std::string line;
    std::getline(expected, line);
    const std::vector<std::string> columns = fields_of(line);
    const bool is_named = test.at("machine") == "named";
    while (std::getline(expected, line)) {
        std::map<std::string, std::string> row;
        const std::vector<std::string> fields = fields_of(line);
        for (std::size_t i = 0; i < columns.size() && i < fields.size(); ++i) {
            row[columns[i]] = fields[i];
        }
        INFO("job " << row["job_id"]);
        const auto number = simulator.find_job("w0!" + row["job_id"]);
        REQUIRE(number.has_value());
        const std::string place = row["final_state"] == "REJECTED" ? "rejected"
                                                                   : row["starting_time"] + " " + row["finish_time"] +
                                                                         (is_named ? " on " + row["hosts"] : "");
        REQUIRE(place_of(simulator.job(*number), is_named) == place);
        if (const JobDescription& job = simulator.job(*number).job->description;
            job.needs && job.needs->has_conditions()) {
            const std::optional<Time> eligible = outcome.engine()->eligible_since(*number);
            REQUIRE((eligible ? eligible->to_string() : "") == row["eligible_time"]);
        }
    }
}

// Compares the schedules of a folder's cases. Returns their number.
int compare_all(const std::string& folder) {
    std::istringstream cases(contents_of(folder, "cases.csv"));
    std::string line;
    std::getline(cases, line);
    const std::vector<std::string> columns = fields_of(line);
    int compared = 0;
    while (std::getline(cases, line)) {
        std::map<std::string, std::string> test;
        const std::vector<std::string> fields = fields_of(line);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            test[columns[i]] = fields.at(i);
        }
        INFO(line);
        compare(folder, test);
        ++compared;
    }
    return compared;
}

}  // namespace

TEST_CASE("Schedules on machines with pools, shared hosts, partitions and windows come out host by host",
          "[schedules][reference][outside]") {
    if (have_test_data("reference/resources/cases.csv")) {
        CHECK(compare_all("resources") == 154);
    }
}

TEST_CASE("Schedules with limits, arrays, begin times and queues of partitions come out host by host",
          "[schedules][reference][outside]") {
    if (have_test_data("reference/limits/cases.csv")) {
        CHECK(compare_all("limits") == 92);
    }
}

}  // namespace batfill::tests::resources_reference_test
