#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/replay/outcome.hpp>
#include <batfill/simulator/simulator.hpp>

#include "tests/support/machine_events.hpp"

namespace batfill::tests {

inline Platform machine(int processors, double speed = 1e9) {
    Platform platform;
    for (int i = 0; i < processors; ++i) {
        std::string number = std::to_string(i);
        number.insert(0, 4 - std::min<std::size_t>(4, number.size()), '0');
        platform.hosts.push_back({"node" + number, speed, {}, {}});
    }
    return platform;
}

// Processors that can sleep, in pstate 1: they fall asleep in two seconds and wake in five.
inline Host host_that_sleeps(Host host) {
    host.properties["sleep_pstates"] = "1:2:3";
    host.pstate_speeds = {host.speed, 1e-9, 0.5, 0.2};
    return host;
}
inline Platform machine_that_sleeps(int processors) {
    Platform platform = machine(processors);
    for (Host& host : platform.hosts) {
        host = host_that_sleeps(std::move(host));
    }
    return platform;
}

// A workload of delay jobs from the text of its jobs. Profile "d10" is a delay of 10 seconds, and so on.
inline Workload workload_of(const std::string& jobs, const std::string& name = "w0") {
    std::string profiles;
    for (std::size_t at = 0; (at = jobs.find(R"("profile":")", at)) != std::string::npos;) {
        at += std::string(R"("profile":")").size();
        const std::string profile = jobs.substr(at, jobs.find('"', at) - at);
        const std::string entry = "\"" + profile + R"(":{"type":"delay","delay":)" + profile.substr(1) + "}";
        if (profiles.find(entry) == std::string::npos) {
            profiles += (profiles.empty() ? "" : ",") + entry;
        }
    }
    return parse_workload(R"({"nb_res":1,"jobs":[)" + jobs + R"(],"profiles":{)" + profiles + "}}", "/w.json", name,
                          true);
}

// One job of such a workload.
inline std::string job(const std::string& id, const std::string& submit, int processors, const std::string& walltime,
                       const std::string& delay) {
    return R"({"id":")" + id + R"(","subtime":)" + submit + R"(,"res":)" + std::to_string(processors) +
           (walltime.empty() ? "" : R"(,"walltime":)" + walltime) + R"(,"profile":"d)" + delay + "\"}";
}

// Jobs of such a workload from lines as "10: a 2x20 runs 5, b 1 runs 7", or several such parts behind one another with
// semicolons: at 10 s come job a, for 2 processors and 20 s, which would run for 5 s, and job b, without a walltime.
inline std::string jobs_in(std::string script) {
    std::replace(script.begin(), script.end(), ';', '\n');
    std::istringstream lines(script);
    std::string jobs;
    for (std::string line; std::getline(lines >> std::ws, line);) {
        std::istringstream descriptions(line.substr(line.find(':') + 1));
        for (std::string description; std::getline(descriptions, description, ',');) {
            std::istringstream words(description);
            std::string id;
            std::string size;
            std::string runs;
            std::string delay;
            words >> id >> size >> runs >> delay;
            const std::size_t x = std::min(size.find('x'), size.size());
            jobs += (jobs.empty() ? "" : ",") + job(id, line.substr(0, line.find(':')), std::stoi(size.substr(0, x)),
                                                    x < size.size() ? size.substr(x + 1) : "", delay);
        }
    }
    return jobs;
}

inline Scenario scenario_of(Platform platform, std::vector<Workload> workloads, const std::string& events = "") {
    Scenario scenario;
    scenario.platform = std::move(platform);
    scenario.workloads = std::move(workloads);
    scenario.forward_unknown_events = true;
    if (!events.empty()) {
        scenario.event_lists.push_back(parse_external_events(events, "/events", true));
    }
    return scenario;
}

inline Time at(const std::string& seconds) {
    return Time::at(*Duration::parse(seconds));
}

// "12.5" for 12.500000.
inline std::string brief(Time time) {
    return time.since_zero().to_shortest_string();
}

using TimedDecision = SchedulerReply::TimedDecision;

// Decisions that are applied at once. Jobs are numbered from 0, in the order of the files.
inline TimedDecision start(unsigned job, const std::string& processors) {
    return {Time(), StartJob{JobNumber{job}, ResourceSet::parse(processors).value()}};
}
inline TimedDecision reject(unsigned job) {
    return {Time(), RejectJob{JobNumber{job}, {}, RejectionCause::other}};
}
inline std::vector<JobNumber> numbers(std::initializer_list<unsigned> jobs) {
    std::vector<JobNumber> numbers;
    for (const unsigned job : jobs) {
        numbers.push_back(JobNumber{job});
    }
    return numbers;
}
inline TimedDecision kill(std::initializer_list<unsigned> jobs) {
    return {Time(), KillJobs{numbers(jobs)}};
}
inline TimedDecision call(const std::string& time) {
    return {Time(), CallMeLater{at(time)}};
}
inline TimedDecision metadata(unsigned job, const std::string& text) {
    return {Time(), SetJobMetadata{JobNumber{job}, text}};
}
inline TimedDecision registers(unsigned job, const std::string& id, int processors, const std::string& profile) {
    JobDescription description;
    description.id = id;
    description.processors = processors;
    description.walltime = Duration::seconds(99);
    description.profile = profile;
    return {Time(), RegisterJob{JobNumber{job}, description, {}}};
}
inline TimedDecision registers_profile(const std::string& workload, const std::string& name,
                                       const std::string& source) {
    return {Time(), RegisterProfile{workload, name, source}};
}
inline TimedDecision sets_pstate(const std::string& processors, int pstate) {
    return {Time(), SetResourceState{ResourceSet::parse(processors).value(), pstate}};
}
inline TimedDecision finished() {
    return {Time(), Notification{NotificationType::registration_finished, {}, {}}};
}
inline TimedDecision later(const std::string& time, TimedDecision decision) {
    decision.timestamp = at(time);
    return decision;
}

struct Answer {
    std::vector<TimedDecision> decisions;
    std::string now;  // of the reply; empty: that of the message
};
using Script = std::map<std::size_t, Answer>;  // the answers by the number of the message; 0 is the beginning

// Gives the answers of a script and records the messages, one line each: "10: completed w0!a, call". Shows an event's
// timestamp only if it differs from the message's `now`: "@5 submitted w0!b".
class ScriptedScheduler : public SimulatedScheduler {
 public:
    explicit ScriptedScheduler(const Script& script) : script_(script) {}

    void begin(const Simulator& simulator, SchedulerReply& reply) override {
        simulator_ = &simulator;
        answer(Time(), reply);
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        std::string line = brief(now) + ":";
        for (const Event& event : events) {
            line += line.back() == ':' ? " " : ", ";
            line += event.timestamp == now ? "" : "@" + brief(event.timestamp) + " ";
            line += std::visit([this](const auto& data) { return text_of(data); }, event.data);
        }
        frames.push_back(line);
        answer(now, reply);
    }
    void end(Time now) override {
        ++ends;
        ended_at = now;
    }

    std::vector<std::string> frames;
    int ends = 0;
    Time ended_at;

 private:
    void answer(Time now, SchedulerReply& reply) {
        reply.now = now;
        const auto found = script_.find(number_++);
        if (found != script_.end()) {
            reply.decisions = found->second.decisions;
            reply.now = found->second.now.empty() ? now : at(found->second.now);
        }
    }
    std::string id(JobNumber number) const { return simulator_->job(number).job->description.id; }
    std::string text_of(const JobSubmitted& submitted) const { return "submitted " + id(submitted.job); }
    std::string text_of(const JobCompleted& completed) const {
        switch (completed.state) {
            case JobState::completed_successfully:
                return "completed " + id(completed.job);
            case JobState::completed_failed:
                return "failed " + id(completed.job);
            case JobState::completed_walltime_reached:
                return "stopped " + id(completed.job);
            case JobState::completed_killed:
                return "ended " + id(completed.job);
            default:
                return "?";
        }
    }
    std::string text_of(const JobsKilled& killed) const {
        std::string text = "killed";
        for (const JobNumber number : killed.jobs) {
            text += " " + id(number);
        }
        return text;
    }
    std::string text_of(const MachineChanged& change) const {
        return std::string(change.available ? "event_machine_available " : "event_machine_unavailable ") +
               change.processors.to_string();
    }
    std::string text_of(const ResourceStateChanged& change) const {
        return "pstate " + std::to_string(change.pstate) + " " + change.processors.to_string();
    }
    std::string text_of(const RequestedCall&) const { return "call"; }
    std::string text_of(const Notification& notification) const {
        return notification.type == NotificationType::other ? notification.other_type : to_string(notification.type);
    }

    const Script& script_;
    const Simulator* simulator_ = nullptr;
    std::size_t number_ = 0;
};

// The results of a scenario that was played with a script.
struct Played {
    std::optional<batfill::Outcome> outcome;  // none if there was an error
    std::vector<std::string> frames;
    int ends = 0;
    Time ended_at;
    std::string error;  // empty: none
    bool deadlock = false;
    const Simulator& simulation() const { return outcome->simulation(); }
};

inline Played play(const Scenario& scenario, const Script& script) {
    Played played;
    ScriptedScheduler scheduler(script);
    RunOptions options;
    options.keeps_deadlocks = true;
    try {
        played.outcome.emplace(run(scenario, scheduler, options));
        played.error = played.outcome->deadlock();
        played.deadlock = !played.error.empty();
    } catch (const InputError& error) {
        played.error = error.what();
    }
    played.frames = std::move(scheduler.frames);
    played.ends = scheduler.ends;
    played.ended_at = scheduler.ended_at;
    return played;
}

}  // namespace batfill::tests
