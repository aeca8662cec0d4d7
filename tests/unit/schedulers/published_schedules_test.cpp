#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/swf.hpp>
#include <batfill/replay/outcome.hpp>

#include "src/support/files.hpp"
#include "tests/support/simulator_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::published_schedules_test {

// Schedules of EASY and EASY++ by the simulator of Gaussier, Glesser, Reis and Trystram, Improving backfilling by using
// machine learning to predict running times, SC 2015. The authors published them; they are not part of the project.

namespace {

struct Log {
    std::string name;
    std::string trace;  // where the users are
    // Users of jobs that the trace does not have: who submitted such jobs (by their size and walltime) later.
    std::map<long long, std::string> other_users;
};
const std::vector<Log> logs{{"KTH-SP2", "traces/KTH-SP2-1996-2.swf.gz", {}},
                            {"SDSC-SP2", "traces/SDSC-SP2-1998-4.2-cln.swf.gz", {{8, "160"}, {9, "24"}, {10, "162"}}}};

std::istringstream text_of(const std::string& file) {
    return std::istringstream(InputFile(test_data(file)).read_all(std::size_t{1} << 28));
}

std::map<long long, std::string> users_of(const Log& log) {
    std::map<long long, std::string> users = log.other_users;
    for (const SwfJob& job : read_swf(test_data(log.trace)).jobs) {
        users.emplace(job.number, std::to_string(job.user));
    }
    return users;
}

struct Published {
    Scenario scenario;
    std::map<std::string, std::string> starts;  // of EASY, by job
};

// The jobs and starts of pyss/: lines of id, submission, run time, estimate, processors, start.
Published published(const std::string& log, const std::map<long long, std::string>& users) {
    std::istringstream lines = text_of("published/pyss/" + log + ".txt.gz");
    std::string word;
    int processors = 0;
    lines >> word >> word >> processors;
    std::getline(lines, word);
    Published result;
    Workload workload;
    workload.name = "w0";
    workload.processors = processors;
    long long id = 0;
    long long submit = 0;
    long long run = 0;
    long long estimate = 0;
    int size = 0;
    std::string start;
    while (lines >> id >> submit >> run >> estimate >> size >> start) {
        JobDescription description;
        description.id = "w0!" + std::to_string(id);
        description.submit = Time::seconds(submit);
        description.walltime = Duration::seconds(estimate);
        description.processors = size;
        description.profile = "d" + std::to_string(run);
        if (const auto user = users.find(id); user != users.end()) {
            description.user = user->second;
        }
        JobProfile& profile = workload.profiles[description.profile];
        profile.type = JobProfile::Type::delay;
        profile.delay = Duration::seconds(run);
        workload.jobs.push_back({std::move(description), {}});
        result.starts[std::to_string(id)] = start;
    }
    result.scenario = scenario_of(machine(processors), {std::move(workload)});
    return result;
}

// The starts of predictsim/: lines of id, start.
std::map<std::string, std::string> starts_in(const std::string& file) {
    std::istringstream lines = text_of(file);
    std::map<std::string, std::string> starts;
    std::string id;
    std::string start;
    while (lines >> id >> start) {
        starts[id] = start;
    }
    return starts;
}

// The number of jobs that easy starts at other times.
std::size_t other_starts(const Scenario& scenario, const Parameters::Given& parameters,
                         const std::map<std::string, std::string>& starts) {
    const Outcome outcome = run(scenario, {"easy", parameters});
    REQUIRE(outcome.simulation().jobs().size() == starts.size());
    std::size_t others = 0;
    for (const SimulatedJob& job : outcome.simulation().jobs()) {
        others += brief(job.start) == starts.at(job.job->description.id.substr(3)) ? 0U : 1U;
    }
    return others;
}

}  // namespace

TEST_CASE("EASY with a round for each event starts every job as pyss does", "[easy][outside]") {
    for (const char* const log : {"KTH-SP2", "SDSC-SP2", "CTC-SP2", "SDSC-BLUE"}) {
        if (!have_test_data("published/pyss/" + std::string(log) + ".txt.gz")) {
            return;
        }
        INFO(log);
        const Published pyss = published(log, {});
        CHECK(other_starts(pyss.scenario, {{"rounds", "event"}}, pyss.starts) == 0);
    }
}

TEST_CASE("EASY++ with predicted run times starts every job as its published schedules do", "[prediction][outside]") {
    const std::string easy = "easy_prediction_backfill_scheduler_predictor";
    const std::string easy_plus_plus = "easy_plus_plus_scheduler_predictor";
    const std::vector<std::pair<std::string, Parameters::Given>> schedules{
        {easy + "clairvoyant_throw_an_error", {{"prediction", "clairvoyant"}, {"rounds", "event"}}},
        {easy_plus_plus + "clairvoyant_throw_an_error",
         {{"prediction", "clairvoyant"}, {"backfill-order", "predicted"}, {"rounds", "every-event"}}},
        {easy_plus_plus + "tsafrir_tsafrir",
         {{"prediction", "last-two-seconds"},
          {"backfill-order", "predicted"},
          {"correction", "from-first"},
          {"rounds", "every-event"}}}};
    for (const Log& log : logs) {
        if (!have_test_data("published/predictsim") || !have_test_data(log.trace)) {
            return;
        }
        const Published jobs = published(log.name, users_of(log));
        for (const auto& [name, parameters] : schedules) {
            INFO(log.name << " " << name);
            CHECK(other_starts(jobs.scenario, parameters,
                               starts_in("published/predictsim/" + log.name + ".res_" + name + ".starts.gz")) == 0);
        }
    }
}

}  // namespace batfill::tests::published_schedules_test
