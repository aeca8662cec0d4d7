#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>
#include <batfill/planning/plan_algorithm.hpp>

#include "tests/support/simulator_fixture.hpp"

// Single rounds of an engine, without daemon or simulator: its input and its decisions.

namespace batfill::tests {

// A job by its number and its description.
using Submission = std::pair<JobIndex, JobDescription>;

// The input of an engine before it decides once.
struct Message {
    Time now;
    std::vector<JobIndex> ended;
    std::vector<Submission> submitted;
    std::vector<std::pair<ResourceSet, bool>> machine_changes;  // processors, and whether they are available
    std::vector<Duration> run_times = {};                       // of the submitted jobs; empty: unknown
};

inline const std::vector<Decision>& send(Engine& engine, const Message& message) {
    engine.arrive(message.now);
    for (const JobIndex job : message.ended) {
        engine.take_in({message.now, JobCompleted{JobNumber{job}, JobState::completed_successfully}});
    }
    for (std::size_t i = 0; i < message.submitted.size(); ++i) {
        const auto& [index, description] = message.submitted[i];
        engine.take_in({message.now,
                        JobSubmitted{JobNumber{index}, description,
                                     message.run_times.empty() ? std::nullopt : std::optional(message.run_times[i])}});
    }
    for (const auto& [processors, available] : message.machine_changes) {
        engine.take_in({message.now, MachineChanged{processors, available}});
    }
    return engine.decide();
}

// The index of a job in tests that number jobs in the order of submission.
inline JobIndex index_of(JobNumber number) {
    return static_cast<JobIndex>(number);
}

// The jobs that the decisions start, in increasing order.
inline std::vector<JobIndex> starts_of(const std::vector<Decision>& decisions) {
    std::vector<JobIndex> started;
    for (const Decision& decision : decisions) {
        if (const auto* start = std::get_if<StartJob>(&decision)) {
            started.push_back(index_of(start->job));
        }
    }
    std::sort(started.begin(), started.end());
    return started;
}

// The plan of a plan algorithm; null if the engine has another algorithm.
inline const Plan* plan_in(const Engine& engine) {
    const auto* algorithm = dynamic_cast<const PlanAlgorithm*>(&engine.algorithm());
    return algorithm == nullptr ? nullptr : &algorithm->plan();
}

// The waiting jobs without a guarantee under a plan algorithm, in the order of submission: the list L1 of dbf.
inline std::vector<JobIndex> tentative_jobs(const Engine& engine) {
    std::vector<JobIndex> tentative;
    for (const JobIndex job : engine.state().waiting.jobs()) {
        if (plan_in(engine)->contains(job) && !plan_in(engine)->planned_start(job).is_infinite() &&
            !engine.algorithm().guaranteed_start(engine.state(), job)) {
            tentative.push_back(job);
        }
    }
    return tentative;
}

inline bool is_tentative(const Engine& engine, JobIndex job) {
    const std::vector<JobIndex> tentative = tentative_jobs(engine);
    return std::find(tentative.begin(), tentative.end(), job) != tentative.end();
}

// The planned starts of the waiting jobs.
inline std::map<JobIndex, Time> plan_of(const Engine& engine) {
    std::map<JobIndex, Time> plan;
    for (const JobIndex job : plan_in(engine)->by_start()) {
        plan[job] = plan_in(engine)->planned_start(job);
    }
    return plan;
}

// "3@12.500000 7@20.000000"
inline std::string text_of(const std::map<JobIndex, Time>& plan) {
    std::string text;
    for (const auto& [job, start] : plan) {
        text += (text.empty() ? "" : " ") + std::to_string(job) + "@" + start.to_string();
    }
    return text;
}

// " order=spf threshold=20"
inline std::string text_of(const Parameters::Given& given) {
    std::string text;
    for (const auto& [key, value] : given) {
        text.append(" ").append(key).append("=").append(value);
    }
    return text;
}

inline void require_same_plans(const std::map<JobIndex, Time>& plan, const std::map<JobIndex, Time>& other) {
    if (plan != other) {
        FAIL("the plans differ: " << text_of(plan) << " and " << text_of(other));
    }
}

}  // namespace batfill::tests
