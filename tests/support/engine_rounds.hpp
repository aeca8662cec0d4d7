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
#include <batfill/engine/plan_algorithm.hpp>

#include "simulator_fixture.hpp"

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
        if (!plan_in(engine)->planned_start(job).is_infinite() &&
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

// A small machine for schedules worked by hand. Times are whole seconds.
class Table {
 public:
    Table(int processors, const std::string& algorithm, const Parameters::Given& given)
        : Table(Machine(processors), algorithm, given) {}
    Table(Machine machine, const std::string& algorithm, const Parameters::Given& given) : engine_(algorithm, given) {
        engine_.begin(Time(), std::move(machine));
    }

    void at(int now) { message_ = {Time::seconds(now), {}, {}, {}}; }
    void ends(const std::string& name) { message_.ended.push_back(index_of(name)); }
    void submit(const std::string& name, int processors, int walltime, std::optional<int> deadline = std::nullopt,
                const std::vector<std::string>& licenses = {}) {
        JobDescription job;
        job.id = name;
        job.submit = message_.now;
        job.processors = processors;
        job.walltime = Duration::seconds(walltime);
        if (deadline) {
            job.deadline = Time::seconds(*deadline);
        }
        job.licenses = licenses;
        names_.push_back(name);
        message_.submitted.emplace_back(static_cast<JobIndex>(names_.size() - 1), job);
    }
    // As submit(), for a user of that name.
    void submit_for(const std::string& user, const std::string& name, int processors, int walltime) {
        submit(name, processors, walltime);
        message_.submitted.back().second.user = user;
    }
    // The input of the next round.
    const Message& message() const { return message_; }
    const std::string& name(JobIndex job) const { return names_[job]; }
    const Engine& engine() const { return engine_; }
    Duration estimate(const std::string& name) const { return engine_.state().estimate(index_of(name)); }
    // Runs the round and returns its starts: "start a b", in the order of submission.
    std::string starts() {
        std::string text = "start";
        for (const JobIndex job : starts_of(send(engine_, message_))) {
            text += " " + name(job);
        }
        return text;
    }
    // With the processors: "start a on 0-1, b on 4".
    std::string places() {
        std::string text = "start";
        for (const JobIndex job : starts_of(send(engine_, message_))) {
            text +=
                (text == "start" ? " " : ", ") + name(job) + " on " + engine_.state().job(job).allocation.to_string();
        }
        return text;
    }
    // With the plan of a plan algorithm: "start a b; c 10; d 20 tentative".
    std::string round() {
        std::string text = starts();
        for (const auto& [job, start] : plan_of(engine_)) {
            text += "; " + name(job) + " " + brief(start) + (is_tentative(engine_, job) ? " tentative" : "");
        }
        return text;
    }

 private:
    JobIndex index_of(const std::string& name) const {
        return static_cast<JobIndex>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    }

    Engine engine_;
    std::vector<std::string> names_;  // by JobIndex
    Message message_;
};

}  // namespace batfill::tests
