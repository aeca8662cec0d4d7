#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/algorithm.hpp>
#include <batfill/check.hpp>
#include <batfill/embedded_scheduler.hpp>

#include "simulator_fixture.hpp"

// Tests what must hold for every schedule, on many small random workloads.

using namespace batfill;
using namespace batfill::tests;

namespace {

int draw(std::mt19937& random, int from, int to) {
    // std::uniform_int_distribution would differ between standard libraries.
    return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
}

Workload random_workload(std::mt19937& random, int processors) {
    Workload workload;
    workload.name = "w0";
    workload.path = "/random.json";
    const int jobs = draw(random, 1, 40);
    const bool coarse = draw(random, 0, 1) == 1;  // if so, many events share an instant
    const auto time = [&](int most) {
        return coarse ? Duration::seconds(10 * draw(random, 1, (most + 9) / 10))
                      : Duration::microseconds(draw(random, 1, most * 1000) * 1000LL);
    };
    Time submit;
    for (int i = 0; i < jobs; ++i) {
        if (draw(random, 0, 2) == 0) {
            submit = submit + time(120);
        }
        const std::string number = std::to_string(100 + i);
        const Duration walltime = time(draw(random, 0, 3) == 0 ? 400 : 60);
        WorkloadJob& added = workload.jobs.emplace_back();
        added.description.id = "w0!" + number;
        added.description.submit = submit;
        added.description.processors =
            draw(random, 0, 3) == 0 ? draw(random, 1, processors + 1) : draw(random, 1, (processors + 3) / 4);
        added.description.profile = number;
        JobProfile& profile = workload.profiles[number];
        profile.type = JobProfile::Type::delay;
        profile.type_name = "delay";
        switch (draw(random, 0, 3)) {
            case 0:
                profile.delay = walltime;
                break;
            case 1:
                profile.delay = walltime + time(30);
                break;
            default:
                profile.delay = time(60);
        }
        if (draw(random, 0, 15) != 0) {
            added.description.walltime = walltime;
        }
        if (draw(random, 0, 2) == 0) {
            added.description.deadline = submit + walltime + time(200);
        }
    }
    return workload;
}

Schedule schedule_of(const Simulator& simulator) {
    Schedule schedule;
    schedule.path = "simulated";
    for (const JobNumber number : simulator.ended()) {
        const SimulatedJob& simulated = simulator.jobs()[number];
        const JobDescription& description = simulated.job->description;
        ScheduledJob& job = schedule.jobs.emplace_back();
        job.id = description.id;
        job.submit = description.submit;
        job.processors = description.processors;
        job.walltime = description.walltime;
        job.success = simulated.state == JobState::completed_successfully;
        job.state = simulated.state;
        if (job.state == JobState::rejected) {
            continue;
        }
        job.allocation = simulated.allocation;
        job.execution = ExecutionRecord{simulated.start, simulated.end - simulated.start, simulated.end,
                                        simulated.start - description.submit, simulated.end - description.submit};
    }
    return schedule;
}

// What each job of a schedule was guaranteed. A plan owes something to every job that may run; with a deadline, the job
// may be tentative.
std::vector<Guarantee> guarantees_of(const Simulator& simulator, const EmbeddedScheduler& scheduler) {
    std::vector<Guarantee> guarantees;
    for (const JobNumber number : simulator.ended()) {
        const SimulatedJob& job = simulator.jobs()[number];
        const bool rejected = job.state == JobState::rejected;
        Guarantee& guarantee = guarantees.emplace_back();
        guarantee.job_id = job.job->description.id;
        guarantee.guaranteed_start = scheduler.guaranteed_start(number);
        guarantee.actual_start = rejected ? std::nullopt : std::optional(job.start);
        const bool owed = scheduler.gives_guarantees() && !rejected && !job.job->description.deadline;
        REQUIRE((guarantee.guaranteed_start || !owed));
    }
    return guarantees;
}

struct Outcome {
    std::vector<Time> starts;
    std::vector<JobNumber> ended;
    std::size_t messages;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Case {
    std::string algorithm;
    Parameters::Given parameters;
};

constexpr const char* weights = "0.2,-0.3,0.1,0.1,0.2,-0.1";

// What a choice is used only with.
Parameters::Given companions(const std::string& parameter, const std::string& choice) {
    if (choice == "mixed") {
        return {{"weights", weights}};
    }
    if (parameter == "features") {
        return {{"order", "mixed"}, {"weights", weights}, {"period", "15"}, {"evaluations", "5"}};
    }
    return {};
}

// Every registered algorithm, with each choice of each of its parameters, with and without a default walltime.
std::vector<Case> cases() {
    std::vector<Case> all;
    for (const AlgorithmDescription* algorithm : registered_algorithms()) {
        all.push_back({algorithm->name, {}});
        all.push_back({algorithm->name, {{"default-walltime", "25"}}});
        for (const Parameter& parameter : algorithm->parameters) {
            for (const std::string& choice : parameter.choices) {
                all.push_back({algorithm->name, {{parameter.name, choice}}});
                for (const auto& companion : companions(parameter.name, choice)) {
                    all.back().parameters.push_back(companion);
                }
            }
        }
    }
    return all;
}

}  // namespace

TEST_CASE("Every schedule of every algorithm passes the audit, and comes out the same again", "[schedules][property]") {
    for (const Case& tried : cases()) {
        std::mt19937 random(2024);
        for (int round = 0; round < 80; ++round) {
            INFO(tried.algorithm << (tried.parameters.empty()
                                         ? ""
                                         : " " + tried.parameters[0].first + "=" + tried.parameters[0].second)
                                 << ", workload " << round);
            const int processors = draw(random, 1, 12);
            const Scenario scenario = scenario_of(machine(processors), {random_workload(random, processors)});
            const auto run = [&](Simulator& simulator) {
                Engine engine(tried.algorithm, tried.parameters);
                EmbeddedScheduler scheduler(engine);
                simulator.run(scheduler);
                Outcome outcome{{}, simulator.ended(), simulator.messages()};
                for (const SimulatedJob& simulated : simulator.jobs()) {
                    outcome.starts.push_back(simulated.start);
                }
                const std::vector<Guarantee> guarantees = guarantees_of(simulator, scheduler);
                const CheckReport report = check_schedule(schedule_of(simulator), scenario.workloads, scenario.platform,
                                                          {.tolerance = Duration()}, &guarantees);
                INFO((report.violations.empty() ? "" : report.violations[0].text));
                REQUIRE(report.violations.empty());
                return outcome;
            };
            Simulator simulator(scenario);
            const Outcome outcome = run(simulator);
            REQUIRE(outcome.ended.size() == scenario.workloads[0].jobs.size());
            Simulator again(scenario);
            REQUIRE(run(again) == outcome);
        }
    }
}

TEST_CASE("On one processor there is nothing to backfill: easy is fcfs", "[schedules][property]") {
    std::mt19937 random(7);
    for (int round = 0; round < 80; ++round) {
        const Scenario scenario = scenario_of(machine(1), {random_workload(random, 1)});
        const auto starts = [&](const std::string& algorithm) {
            Simulator simulator(scenario);
            Engine engine(algorithm, {});
            EmbeddedScheduler scheduler(engine);
            simulator.run(scheduler);
            std::vector<Time> times;
            for (const SimulatedJob& simulated : simulator.jobs()) {
                times.push_back(simulated.start);
            }
            return times;
        };
        const std::vector<Time> fcfs = starts("fcfs");
        INFO("workload " << round);
        REQUIRE(starts("easy") == fcfs);
    }
}
