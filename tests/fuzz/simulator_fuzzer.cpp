#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <spdlog/spdlog.h>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/replay/outcome.hpp>
#include <batfill/simulator/simulator.hpp>

#include "tests/fuzz/fuzzer.hpp"
#include "tests/support/machine_events.hpp"

namespace batfill::tests::simulator_fuzzer {

namespace {

// Draws from the input. Zeros follow its end, so every scenario ends.
class Bytes {
 public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    bool empty() const { return size_ == 0; }
    int below(int bound) {
        if (size_ == 0) {
            return 0;
        }
        --size_;
        return *data_++ % bound;
    }
    bool one_in(int n) { return below(n) == n - 1; }

 private:
    const std::uint8_t* data_;
    std::size_t size_;
};

// Seconds. Many are equal, and some differ by less than the time shown for none.
std::string draw_time(Bytes& bytes) {
    const int kind = bytes.below(8);
    const std::string number = std::to_string(bytes.below(24));
    switch (kind) {
        case 6:
            return number + "e-6";
        case 7:
            return number + "e16";
        default:
            return number;
    }
}

std::string draw_profile(Bytes& bytes) {
    const std::string ret = bytes.one_in(4) ? R"(,"ret":1)" : "";
    if (bytes.one_in(3)) {
        const char* const flops[] = {"0", "1", "5e3", "1e4", "3e9"};
        return R"({"type":"parallel_homogeneous","com":0,"cpu":)" + std::string(flops[bytes.below(5)]) + ret + "}";
    }
    const std::string delay = draw_time(bytes);
    return R"({"type":"delay","delay":)" + (delay[0] == '0' ? "1e-7" : delay) + ret + "}";
}

Workload draw_workload(Bytes& bytes, int processors) {
    std::string jobs;
    std::string profiles;
    const int count = 1 + bytes.below(12);
    for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        const std::string separator = i == 0 ? "" : ",";
        const std::string walltime = draw_time(bytes);
        jobs += separator + R"({"id":")" + number + R"(","subtime":)" + draw_time(bytes) + R"(,"res":)" +
                std::to_string(bytes.below(processors + 2)) + R"(,"profile":")" + number + "\"" +
                (walltime[0] == '0' ? "" : R"(,"walltime":)" + walltime) + "}";
        profiles += separator + "\"" + number + "\":" + draw_profile(bytes);
    }
    return parse_workload(R"({"nb_res":1,"jobs":[)" + jobs + R"(],"profiles":{)" + profiles + "}}", "fuzz", "w0");
}

// Processors fail and mostly return. Contradictory events are refused when they occur.
std::vector<ExternalEvent> draw_events(Bytes& bytes, int processors) {
    std::string events;
    for (int i = bytes.below(4); i > 0; --i) {
        const int first = bytes.below(processors);
        const std::string set = std::to_string(first) + "-" + std::to_string(first + bytes.below(processors - first));
        const int from = bytes.below(24);
        const int until = from + bytes.below(24);
        events += lost(std::to_string(from), set);
        if (!bytes.one_in(8)) {
            events += back(std::to_string(until), set);
        }
    }
    return parse_external_events(events, "fuzz", false);
}

Scenario draw_scenario(Bytes& bytes) {
    Scenario scenario;
    const int processors = 1 + bytes.below(6);
    for (int i = 0; i < processors; ++i) {
        scenario.platform.hosts.push_back({"h" + std::to_string(i), 1e9, {}, {}});
    }
    scenario.workloads.push_back(draw_workload(bytes, processors));
    for (int i = bytes.below(3); i > 0; --i) {
        scenario.event_lists.push_back(draw_events(bytes, processors));
    }
    return scenario;
}

// Decides as the input says. Most decisions are possible, so simulations continue.
class RandomScheduler : public SimulatedScheduler {
 public:
    explicit RandomScheduler(Bytes& bytes) : bytes_(bytes) {}

    void begin(const Simulator& simulator, SchedulerReply& reply) override {
        simulator_ = &simulator;
        answer(Time(), reply);
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        for (const Event& event : events) {
            if (const auto* submitted = std::get_if<JobSubmitted>(&event.data)) {
                waiting_.push_back(submitted->job);
            }
        }
        answer(now, reply);
    }
    void end(Time) override {}

    // Whether all replies were applied at once.
    bool was_prompt() const { return prompt_; }
    bool has_registered() const { return registered_; }

 private:
    void answer(Time now, SchedulerReply& reply) {
        reply.now = now;
        if (bytes_.one_in(16)) {
            reply.now = now + *Duration::parse(draw_time(bytes_));
            prompt_ = prompt_ && reply.now == now;
        }
        if (bytes_.empty()) {
            start_all(now, reply);
        } else {
            for (int i = bytes_.below(5); i > 0; --i) {
                decide(now, reply);
            }
        }
    }

    // Starts the first jobs that fit, on the lowest processors that it believes idle.
    void start_all(Time now, SchedulerReply& reply) {
        while (!waiting_.empty()) {
            if (!start(waiting_.front(), now, reply)) {
                return;
            }
        }
    }

    bool start(JobNumber job, Time timestamp, SchedulerReply& reply) {
        const int wanted = simulator_->job(job).job->description.processors;
        ResourceSet idle = ResourceSet::range(0, static_cast<int>(simulator_->scenario().platform.hosts.size()) - 1);
        for (const SimulatedJob& other : simulator_->jobs()) {
            if (other.state == JobState::running) {
                idle.remove(other.allocation);
            }
        }
        for (const SchedulerReply::TimedDecision& decision : reply.decisions) {
            if (const auto* started = std::get_if<StartJob>(&decision.decision)) {
                idle.remove(started->allocation);
            }
        }
        if (wanted < 1 || wanted > idle.size()) {
            return false;
        }
        waiting_.erase(std::find(waiting_.begin(), waiting_.end(), job));
        reply.decisions.push_back({timestamp, StartJob{job, idle.take_lowest(wanted)}});
        return true;
    }

    JobNumber any_job() { return static_cast<JobNumber>(bytes_.below(static_cast<int>(simulator_->jobs().size()))); }

    void decide(Time now, SchedulerReply& reply) {
        const Time timestamp = bytes_.one_in(8) ? reply.now : now;
        const auto add = [&](Decision decision) { reply.decisions.push_back({timestamp, std::move(decision)}); };
        switch (bytes_.below(12)) {
            case 6:
                if (!waiting_.empty()) {
                    add(RejectJob{waiting_.back(), {}, RejectionCause::other});
                    waiting_.pop_back();
                }
                break;
            case 7:
                add(KillJobs{{any_job()}});
                break;
            case 8:
                add(CallMeLater{now + *Duration::parse(draw_time(bytes_))});
                break;
            case 9:
                add(SetJobMetadata{any_job(), std::string(1, static_cast<char>(bytes_.below(256)))});
                break;
            case 10:
                if (bytes_.one_in(2)) {
                    add(Notification{NotificationType::registration_finished, {}, {}});
                } else if (bytes_.one_in(16)) {
                    registers(add);
                }
                break;
            case 11:
                if (bytes_.one_in(16)) {  // on any processors
                    add(StartJob{any_job(), ResourceSet::range(bytes_.below(4), 4 + bytes_.below(4))});
                }
                break;
            default:
                if (!waiting_.empty()) {
                    start(waiting_[static_cast<std::size_t>(bytes_.below(static_cast<int>(waiting_.size())))],
                          timestamp, reply);
                }
        }
    }

    template <class Add>
    void registers(Add add) {
        const std::size_t number = simulator_->jobs().size();
        JobDescription description;
        description.id = "w0!new" + std::to_string(number);
        description.processors = 1;
        description.profile = std::to_string(bytes_.below(3));
        add(RegisterJob{static_cast<JobNumber>(number), description, {}});
        registered_ = true;
    }

    Bytes& bytes_;
    const Simulator* simulator_ = nullptr;
    std::vector<JobNumber> waiting_;
    bool prompt_ = true;
    bool registered_ = false;
};

// The outcome of a run to the end; none if it was not reached: the scheduler may decide something impossible, or never
// start a job.
template <class Scheduler>
std::optional<Outcome> outcome_of(const Scenario& scenario, Scheduler&& scheduler) {
    try {
        return run(scenario, scheduler);
    } catch (const InputError& problem) {
        const std::string_view line = problem.what();
        if (line.empty() || line.find('\n') != std::string_view::npos) {
            std::abort();
        }
        return std::nullopt;
    }
}

void require_no_violation(const CheckReport& report) {
    if (!report.violations.empty()) {
        std::cerr << report.violations.front().text << std::endl;
        std::abort();
    }
}

void try_random_scheduler(Bytes bytes) {
    Scenario scenario = draw_scenario(bytes);
    scenario.enable_dynamic_jobs = bytes.one_in(8);
    RandomScheduler scheduler(bytes);
    const std::optional<Outcome> outcome = outcome_of(scenario, scheduler);
    if (!outcome || scheduler.has_registered()) {
        return;
    }
    if (scheduler.was_prompt()) {
        require_no_violation(audit(*outcome, {.rejections_allowed = true}));
    } else {
        // A late reply may start a job just before its processors are lost at the same instant.
        require_no_violation(
            check_schedule(outcome->schedule(), scenario.workloads, scenario.platform, {.rejections_allowed = true}));
    }
}

// Our algorithms decide nothing impossible, so only the events can be wrong.
void try_algorithm(Bytes bytes) {
    const Scenario scenario = draw_scenario(bytes);
    const std::vector<const AlgorithmDescription*> algorithms = registered_algorithms();
    const std::string& name =
        algorithms[static_cast<std::size_t>(bytes.below(static_cast<int>(algorithms.size())))]->name;
    const char* const on_failure[] = {"continue", "requeue", "kill"};
    const SchedulerChoice choice{name, {{"on-failure", on_failure[bytes.below(3)]}}};
    if (const std::optional<Outcome> outcome = outcome_of(scenario, choice)) {
        require_no_violation(audit(*outcome, {.rejections_allowed = name == "rejecter"}));
    }
}

}  // namespace

// A workload, events and a scheduler's decisions, drawn from the input. Either the simulation ends and the audit finds
// nothing in its schedule, or it fails with an error of one line. The same holds with one of our algorithms.
const Fuzzer fuzzer("simulator", [](std::string_view input) {
    spdlog::set_level(spdlog::level::off);
    const Bytes bytes(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    try_random_scheduler(bytes);
    try_algorithm(bytes);
});

}  // namespace batfill::tests::simulator_fuzzer
