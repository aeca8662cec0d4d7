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
};
struct PlainEvent {
    int time;
    bool available;
    ResourceSet processors;
};

class PlainSimulation {
 public:
    PlainSimulation(int processors, std::vector<PlainJob> jobs, std::vector<PlainEvent> events)
        : processors_(processors), jobs_(std::move(jobs)), events_(std::move(events)) {}

    std::vector<PlainJob> run(PlainRules rules, const std::string& on_failure, BackfillingCounts& counts) {
        PlainBackfilling plain(PlainMachine(processors_), std::move(rules), counts);
        for (const PlainJob& job : jobs_) {
            instants_.insert(job.submit);
        }
        for (const PlainEvent& event : events_) {
            instants_.insert(event.time);
        }
        const std::size_t submitted_by_users = jobs_.size();
        for (; !instants_.empty(); instants_.erase(instants_.begin())) {
            const int now = *instants_.begin();
            Message message{Time::seconds(now), {}, {}, {}};
            Message after_kills = message;
            std::erase_if(running_, [&](JobIndex i) {
                if (jobs_[i].end == now) {
                    message.ended.push_back(i);
                }
                return jobs_[i].end == now;
            });
            for (std::size_t i = 0; i < submitted_by_users; ++i) {
                if (jobs_[i].submit == now) {
                    submit(i, message);
                }
            }
            const ResourceSet lost = change_machine(now, message);
            std::copy_if(running_.begin(), running_.end(), std::back_inserter(after_kills.ended),
                         [&](JobIndex i) { return on_failure != "continue" && jobs_[i].on.count_common(lost) > 0; });
            start(plain.round(message), now);
            for (const JobIndex i : after_kills.ended) {
                jobs_[i].end = now;
                jobs_[i].killed = true;
                std::erase(running_, i);
                if (on_failure == "requeue") {
                    jobs_.push_back(again(jobs_[i], now));
                    submit(jobs_.size() - 1, after_kills);
                }
            }
            start(plain.round(after_kills), now);
        }
        for (const JobIndex i : plain.rejected()) {
            jobs_[i].rejected = true;
        }
        return jobs_;
    }

 private:
    void submit(std::size_t i, Message& message) const {
        JobDescription job;
        job.submit = message.now;
        job.processors = jobs_[i].processors;
        job.walltime = Duration::seconds(jobs_[i].walltime);
        job.user = jobs_[i].user;
        message.submitted.emplace_back(static_cast<JobIndex>(i), job);
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
        for (const auto& [i, processors] : started) {
            jobs_[i].start = now;
            jobs_[i].end = now + std::min(jobs_[i].delay, jobs_[i].walltime);
            jobs_[i].on = processors;
            instants_.insert(jobs_[i].end);
            running_.push_back(i);
        }
        std::sort(running_.begin(), running_.end(), [this](JobIndex a, JobIndex b) {
            return std::pair(jobs_[a].submit, a) < std::pair(jobs_[b].submit, b);
        });
    }
    static PlainJob again(const PlainJob& killed, int now) {
        const std::size_t mark = killed.id.find('#');
        const int number = mark == std::string::npos ? 1 : std::stoi(killed.id.substr(mark + 1)) + 1;
        PlainJob job{killed.id.substr(0, mark) + "#" + std::to_string(number), now, killed.processors, killed.walltime,
                     killed.delay};
        job.user = killed.user;
        return job;
    }

    int processors_;
    std::vector<PlainJob> jobs_;
    std::vector<PlainEvent> events_;
    std::vector<JobIndex> running_;  // by submission
    std::set<int> instants_;
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

TEST_CASE("fcfs and easy under failures and limits are, job by job, what their definitions say",
          "[failures][property]") {
    BackfillingCounts counts;
    int rejected = 0;
    for (unsigned seed = 1; seed <= 400; ++seed) {
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
        }
        // Of half of the machines, what each user may have at once.
        const int most_processors = random.between(processors / 2, processors);
        const int most_jobs = random.between(1, 3);
        const bool has_limits = random.one_in(2);
        const auto within_limits = [=](const JobDescription& job, const std::vector<JobDescription>& running) {
            int used = job.processors;
            int number = 1;
            for (const JobDescription& other : running) {
                used += other.user == job.user ? other.processors : 0;
                number += other.user == job.user ? 1 : 0;
            }
            return !has_limits || (used <= most_processors && number <= most_jobs);
        };
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
            text.insert(1, R"("user":")" + one.user + "\",");
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
        for (const std::string algorithm : {"fcfs", "easy"}) {
            for (const std::string on_failure : {"continue", "requeue", "kill"}) {
                for (const bool rejects : {false, true}) {
                    CAPTURE(seed, algorithm, on_failure, rejects);
                    const Outcome outcome = replay.run(
                        {algorithm, {{"on-failure", on_failure}, {"when-too-small", rejects ? "reject" : "wait"}}});
                    const std::vector<SimulatedJob>& simulated = outcome.simulation().jobs();
                    const PlainRules rules{
                        .backfills = algorithm == "easy", .rejects_too_wide = rejects, .within_limits = within_limits};
                    const std::vector<PlainJob> plain =
                        PlainSimulation(processors, jobs, events).run(rules, on_failure, counts);
                    REQUIRE(simulated.size() == plain.size());
                    for (std::size_t i = 0; i < plain.size(); ++i) {
                        REQUIRE(text_of(simulated[i]) == text_of(plain[i]));
                        rejected += has_limits && plain[i].rejected ? 1 : 0;
                    }
                }
            }
        }
    }
    CHECK(counts.passed_over > 1000);
    CHECK(rejected > 1000);
}

}  // namespace batfill::tests::failures_property_test
