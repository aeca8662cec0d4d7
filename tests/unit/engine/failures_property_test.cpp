#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/replay.hpp>

#include "tests/support/plain_backfilling.hpp"
#include "tests/support/plain_machine.hpp"
#include "tests/support/plain_plans.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::failures_property_test {

// Losses of processors in random simulations: the same schedules as a plain simulation.

namespace {

// A plain simulation in whole seconds: in each, the plain form decides before and after jobs are killed.

struct PlainJob {
    std::string id;
    int submit, processors, walltime, delay;
    int start = -1, end = -1;
    bool killed = false, rejected = false;
    ResourceSet on = {};
    std::string user = {};
    std::optional<int> deadline = {};
};
struct PlainEvent {
    int time;
    bool available;
    ResourceSet processors;
};

// What decides in rounds: a plain form.
class PlainRounds {
 public:
    virtual ~PlainRounds() = default;
    // Returns who starts, and where.
    virtual std::map<JobIndex, ResourceSet> round(const Message& message) = 0;
    virtual const std::set<JobIndex>& rejected() const = 0;
    // The next instant, after `now`, at which it wants to decide.
    virtual Time next_round(Time) const { return Time::infinity(); }
};

class QueueRounds : public PlainRounds {
 public:
    QueueRounds(int processors, PlainRules rules, BackfillingCounts& counts)
        : plain_(PlainMachine(processors), std::move(rules), counts) {}
    std::map<JobIndex, ResourceSet> round(const Message& message) override { return plain_.round(message); }
    const std::set<JobIndex>& rejected() const override { return plain_.rejected(); }

 private:
    PlainBackfilling plain_;
};

class PlanRounds : public PlainRounds {
 public:
    PlanRounds(PlainPlanAlgorithm& plain, const PlainRules& rules) : plain_(plain) {
        plain.set_conditions({.within_limits = rules.within_limits, .rejects_too_wide = rules.rejects_too_wide});
    }
    std::map<JobIndex, ResourceSet> round(const Message& message) override {
        std::map<JobIndex, ResourceSet> started;
        for (const JobIndex job : plain_.round(message)) {
            started[job] = set_of(plain_.place_of(job));
        }
        return started;
    }
    const std::set<JobIndex>& rejected() const override { return plain_.rejected(); }
    Time next_round(Time now) const override {
        Time next = Time::infinity();
        for (const auto& [job, planned] : plain_.planned_starts()) {
            next = planned > now ? std::min(next, planned) : next;
        }
        return next;
    }

 private:
    PlainPlanAlgorithm& plain_;
};

class PlainSimulation {
 public:
    PlainSimulation(std::vector<PlainJob> jobs, std::vector<PlainEvent> events)
        : jobs_(std::move(jobs)), events_(std::move(events)) {}

    std::vector<PlainJob> run(PlainRounds& plain, const std::string& on_failure) {
        std::set<int> instants;
        for (const PlainJob& job : jobs_) {
            instants.insert(job.submit);
        }
        for (const PlainEvent& event : events_) {
            instants.insert(event.time);
        }
        const std::size_t submitted_by_users = jobs_.size();
        Time now = Time::seconds(-1);
        while (true) {
            now = next_instant(instants, plain.next_round(now), now);
            if (now.is_infinite()) {
                break;
            }
            const int second = static_cast<int>(now.since_zero().count() / 1'000'000);
            Message message{now, {}, {}, {}};
            Message after_kills = message;
            std::erase_if(running_, [&](std::size_t i) {
                if (jobs_[i].end == second) {
                    message.ended.push_back(number_of_[i]);
                }
                return jobs_[i].end == second;
            });
            for (std::size_t i = 0; i < submitted_by_users; ++i) {
                if (jobs_[i].submit == second) {
                    submit(i, message);
                }
            }
            const ResourceSet lost = change_machine(second, message);
            std::vector<std::size_t> killed;
            std::copy_if(running_.begin(), running_.end(), std::back_inserter(killed),
                         [&](std::size_t i) { return on_failure != "continue" && jobs_[i].on.count_common(lost) > 0; });
            start(plain.round(message), second);
            for (const std::size_t i : killed) {
                after_kills.ended.push_back(number_of_[i]);
                jobs_[i].end = second;
                jobs_[i].killed = true;
                std::erase(running_, i);
                if (on_failure == "requeue") {
                    jobs_.push_back(again(jobs_[i], second));
                    submit(jobs_.size() - 1, after_kills);
                }
            }
            if (!killed.empty()) {
                start(plain.round(after_kills), second);
            }
        }
        for (const JobIndex number : plain.rejected()) {
            jobs_[submitted_[number]].rejected = true;
        }
        return jobs_;
    }

 private:
    Time next_instant(const std::set<int>& instants, Time planned, Time now) const {
        Time next = planned;
        for (const int instant : instants) {
            next = Time::seconds(instant) > now ? std::min(next, Time::seconds(instant)) : next;
        }
        for (const std::size_t i : running_) {
            next = std::min(next, Time::seconds(jobs_[i].end));
        }
        return next;
    }
    // Numbers of jobs are those of their submissions.
    void submit(std::size_t i, Message& message) {
        JobDescription job;
        job.submit = message.now;
        job.processors = jobs_[i].processors;
        job.walltime = Duration::seconds(jobs_[i].walltime);
        job.user = jobs_[i].user;
        if (jobs_[i].deadline) {
            job.deadline = Time::seconds(*jobs_[i].deadline);
        }
        number_of_[i] = static_cast<JobIndex>(submitted_.size());
        message.submitted.emplace_back(number_of_[i], job);
        submitted_.push_back(i);
    }
    // Returns the lost processors. Processors that are back come first.
    ResourceSet change_machine(int now, Message& message) const {
        ResourceSet lost;
        for (const bool available : {true, false}) {
            for (const PlainEvent& event : events_) {
                if (event.time == now && event.available == available) {
                    message.machine_changes.emplace_back(event.processors, available);
                    lost.insert(available ? ResourceSet() : event.processors);
                }
            }
        }
        return lost;
    }
    void start(const std::map<JobIndex, ResourceSet>& started, int now) {
        for (const auto& [number, processors] : started) {
            const std::size_t i = submitted_[number];
            jobs_[i].start = now;
            jobs_[i].end = now + std::min(jobs_[i].delay, jobs_[i].walltime);
            jobs_[i].on = processors;
            running_.push_back(i);
        }
        std::ranges::sort(running_, {}, [this](std::size_t i) { return number_of_.at(i); });
    }
    static PlainJob again(const PlainJob& killed, int now) {
        const std::size_t mark = killed.id.find('#');
        const int number = mark == std::string::npos ? 1 : std::stoi(killed.id.substr(mark + 1)) + 1;
        PlainJob job{killed.id.substr(0, mark) + "#" + std::to_string(number), now, killed.processors, killed.walltime,
                     killed.delay};
        job.user = killed.user;
        job.deadline = killed.deadline;
        return job;
    }

    std::vector<PlainJob> jobs_;
    std::vector<PlainEvent> events_;
    std::vector<std::size_t> submitted_;         // by number
    std::map<std::size_t, JobIndex> number_of_;  // of those
    std::vector<std::size_t> running_;           // by submission
};

std::string text_of(const PlainJob& job) {
    if (job.rejected) {
        return job.id + " submitted " + std::to_string(job.submit) + " rejected";
    }
    return job.id + " submitted " + std::to_string(job.submit) + " runs " + std::to_string(job.start) + " to " +
           std::to_string(job.end) + (job.killed ? " killed" : "") + " on " + job.on.to_string();
}

std::string text_of(const SimulatedJob& simulated) {
    const JobDescription& description = simulated.job->description;
    PlainJob job{description.id.substr(3), 0, 0, 0, 0};
    const auto seconds = [](Time time) { return static_cast<int>(time.since_zero().count() / 1'000'000); };
    job.submit = seconds(description.submit);
    job.start = seconds(simulated.start);
    job.end = seconds(simulated.end);
    job.killed = simulated.state == JobState::completed_killed;
    job.rejected = simulated.state == JobState::rejected;
    job.on = simulated.allocation;
    return text_of(job);
}

}  // namespace

TEST_CASE("The queue family and the plan family under failures and limits are, job by job, what their definitions say",
          "[failures][property]") {
    BackfillingCounts counts;
    PlanCounts plan_counts;
    int rejected = 0;
    int parked = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        const int processors = random.between(2, 8);
        std::vector<PlainJob> jobs;
        int submit = 0;
        for (int i = random.between(5, 25); i > 0; --i) {
            submit += random.one_in(2) ? 0 : random.below(8);
            const int walltime = random.between(1, 15);
            jobs.push_back({std::to_string(200 - i), submit, random.between(1, processors), walltime,
                            random.one_in(2) ? walltime : random.between(1, 20)});
            jobs.back().user = "u" + std::to_string(random.between(1, 2));
            if (random.one_in(3)) {
                jobs.back().deadline = submit + walltime + random.below(60);
            }
        }
        // Of half of the machines, what each user may have at once.
        const int most_processors = random.between(processors / 2, processors);
        const int most_jobs = random.between(1, 3);
        const bool has_limits = random.one_in(2);
        PlainRules rules;
        if (has_limits) {
            rules.within_limits = [=](const JobDescription& job, const std::vector<JobDescription>& running) {
                int used = job.processors;
                int number = 1;
                for (const JobDescription& other : running) {
                    used += other.user == job.user ? other.processors : 0;
                    number += other.user == job.user ? 1 : 0;
                }
                return used <= most_processors && number <= most_jobs;
            };
        }
        std::vector<PlainEvent> events;
        for (int processor = 0; processor < processors; ++processor) {
            int time = 0;
            for (int i = random.below(5); i > 0; --i) {
                for (const bool available : {false, true}) {
                    time += random.between(1, 12);
                    events.push_back({time, available, ResourceSet::range(processor, processor)});
                }
            }
        }
        std::string job_text;
        for (const PlainJob& one : jobs) {
            std::string text = job(one.id, std::to_string(one.submit), one.processors, std::to_string(one.walltime),
                                   std::to_string(one.delay));
            text.insert(1, R"("user":")" + one.user + "\"," +
                               (one.deadline ? R"("deadline":)" + std::to_string(*one.deadline) + "," : ""));
            job_text += (job_text.empty() ? "" : ",") + text;
        }
        std::string event_text;
        for (const PlainEvent& event : events) {
            event_text += (event.available ? back : lost)(std::to_string(event.time), event.processors.to_string());
        }
        Platform platform = machine(processors);
        if (has_limits) {
            platform.limits.push_back({{"user"}, {std::nullopt}, {{"processors", most_processors}}, 1, "limits:1"});
            platform.limits.push_back({{"user"}, {std::nullopt}, {{"jobs", most_jobs}}, 2, "limits:2"});
        }
        const Replay replay(scenario_of(platform, {workload_of(job_text)}, event_text));
        for (const std::string on_failure : {"continue", "requeue", "kill"}) {
            for (const bool rejects : {false, true}) {
                CAPTURE(seed, on_failure, rejects, job_text, event_text, processors);
                const auto compare = [&](const std::string& algorithm, Parameters::Given parameters,
                                         PlainRounds& plain_rounds) {
                    CAPTURE(algorithm);
                    parameters.emplace_back("on-failure", on_failure);
                    parameters.emplace_back("when-too-small", rejects ? "reject" : "wait");
                    const Outcome outcome = replay.run({algorithm, parameters});
                    const std::vector<SimulatedJob>& simulated = outcome.simulation().jobs();
                    const std::vector<PlainJob> plain = PlainSimulation(jobs, events).run(plain_rounds, on_failure);
                    REQUIRE(simulated.size() == plain.size());
                    for (std::size_t i = 0; i < plain.size(); ++i) {
                        REQUIRE(text_of(simulated[i]) == text_of(plain[i]));
                        rejected += has_limits && plain[i].rejected ? 1 : 0;
                    }
                };
                rules.rejects_too_wide = rejects;
                for (const std::string algorithm : {"fcfs", "easy"}) {
                    rules.backfills = algorithm == "easy";
                    QueueRounds queue(processors, rules, counts);
                    compare(algorithm, {}, queue);
                }
                for (const PlanCompared& one : draw_plans(random, processors, plan_counts)) {
                    PlanRounds plan(*one.plain, rules);
                    CAPTURE(one.parameters.back().second);
                    compare(one.algorithm, one.parameters, plan);
                    parked += one.plain->times_parked();
                }
            }
        }
    }
    CHECK(counts.passed_over > 1000);
    CHECK(rejected > 1000);
    CHECK(parked > 1000);
}

}  // namespace batfill::tests::failures_property_test
