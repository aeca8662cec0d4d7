#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "src/support/files.hpp"
#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_plan.hpp"
#include "tests/support/simulator_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests {

// Makes a plain form for a machine of this size.
using MakePlain = std::function<std::unique_ptr<PlainPlanAlgorithm>(int processors)>;

// A plain form as the scheduler of a simulation.
class PlainScheduler : public SimulatedScheduler {
 public:
    explicit PlainScheduler(MakePlain make) : make_(std::move(make)) {}

    void begin(const Simulator& simulator, SchedulerReply&) override {
        simulator_ = &simulator;
        processors_ = static_cast<int>(simulator.scenario().platform.hosts.size());
        idle_ = ResourceSet::range(0, processors_ - 1);
        plain_ = make_(processors_);
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        reply.now = now;
        Message message{now, {}, {}, {}};
        for (const Event& event : events) {
            if (const auto* completed = std::get_if<JobCompleted>(&event.data)) {
                message.ended.push_back(index_of_.at(completed->job));
                idle_.insert(allocations_.at(completed->job));
            } else if (const auto* submitted = std::get_if<JobSubmitted>(&event.data)) {
                const JobDescription& description = *submitted->description;
                if (!description.walltime || description.processors > processors_) {
                    reply.decisions.push_back({now, RejectJob{submitted->job, {}, RejectionCause::other}});
                    continue;
                }
                index_of_[submitted->job] = static_cast<JobIndex>(numbers_.size());
                message.submitted.emplace_back(index_of_[submitted->job], description);
                numbers_.push_back(submitted->job);
            }
        }
        for (const JobIndex job : plain_->round(message)) {
            const JobNumber number = numbers_[job];
            allocations_[number] = idle_.take_lowest(simulator_->job(number).job->description.processors);
            reply.decisions.push_back({now, StartJob{number, allocations_[number]}});
        }
        for (const auto& [job, planned] : plain_->planned_starts()) {
            if (planned > now && calls_.insert(planned).second) {
                reply.decisions.push_back(later(now.to_string(), call(planned.to_string())));
            }
        }
    }
    void end(Time) override {}

 private:
    MakePlain make_;
    const Simulator* simulator_ = nullptr;
    int processors_ = 0;
    ResourceSet idle_;
    std::unique_ptr<PlainPlanAlgorithm> plain_;
    std::vector<JobNumber> numbers_;          // by JobIndex
    std::map<JobNumber, JobIndex> index_of_;  // its inverse
    std::map<JobNumber, ResourceSet> allocations_;
    std::set<Time> calls_;
};

// The homogeneous machines of the reference schedules, by workload.
inline const std::map<std::string, int>& reference_workloads() {
    static const std::map<std::string, int> processors{
        {"same-instants-300", 16}, {"mixed-400", 64}, {"fractional-300", 128}};
    return processors;
}

// Requires that a plain form gives the reference schedule WORKLOAD.`algorithm`.csv, job by job. `algorithm` includes
// the parameters.
inline void require_reference_schedule(const std::string& workload, const std::string& algorithm,
                                       const MakePlain& make) {
    const std::string file = "reference/expected/" + workload + "." + algorithm + ".csv";
    INFO(file);
    const Scenario scenario = scenario_of(machine(reference_workloads().at(workload)),
                                          {read_workload(test_data("reference/" + workload + ".json"), "w0")});
    Simulator simulator(scenario);
    PlainScheduler scheduler(make);
    simulator.run(scheduler);
    std::istringstream expected(InputFile(test_data(file)).read_all(std::size_t{1} << 24));
    std::string line;
    std::getline(expected, line);
    std::size_t jobs = 0;
    for (; std::getline(expected, line); ++jobs) {
        const auto number = simulator.find_job("w0!" + line.substr(0, line.find(',')));
        REQUIRE(number.has_value());
        const SimulatedJob& job = simulator.job(*number);
        const std::string start =
            job.state == JobState::rejected ? "" : job.start.to_string() + "," + job.end.to_string();
        INFO(line << " but starts and ends at " << start);
        REQUIRE(line.find("," + start + ",") != std::string::npos);
    }
    CHECK(jobs == simulator.jobs().size());
}

}  // namespace batfill::tests
