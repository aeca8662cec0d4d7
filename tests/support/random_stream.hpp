#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/random.hpp"
#include "tests/support/random_farm.hpp"

namespace batfill::tests {

// The contents of a random stream.
struct Features {
    int most_jobs = 60;
    int most_processors = 16;
    bool deadlines = true;
    bool one_submission_per_message = false;
    bool machine_changes = false;
    bool queues = false;    // jobs name their queue
    bool overruns = false;  // some jobs outlive their estimates
    bool farm = false;      // several machines and licences; some jobs are rejected
    bool users = false;     // most jobs have a user, whose run times are similar
    bool late_calls = false;
    bool missing_walltimes = false;  // the engine assumes `default_walltime` for these jobs
};
constexpr Duration default_walltime = Duration::seconds(70);

// A random stream of events, played to an engine. Checks each decision, and the engine's state after each round, with a
// model of the machine of its own.
class Stream {
 public:
    // Called after each round with the jobs that it started. A failure names the time of the round.
    using Observer = std::function<void(const Message&, const std::vector<JobIndex>&)>;

    Stream(unsigned seed, const Features& features)
        : random_(seed),
          features_(features),
          processors_(random_.between(std::min(4, features.most_processors), features.most_processors)),
          unit_(random_.one_in(2) ? Duration::seconds(10) : Duration::microseconds(random_.between(1, 2'000'000))),
          told_late_(random_.one_in(4)),
          regular_share_(random_.between(1, 9)),
          farm_random_(seed),
          hosts_(features.farm ? random_farm(farm_random_, processors_) : std::vector<Host>()) {
        Time now;
        for (int i = random_.between(std::min(20, features.most_jobs), features.most_jobs); i > 0; --i) {
            now = now + times(random_.one_in(2) ? 0 : random_.below(12));
            calendar_[now].push_back({Event::Kind::submission, 0, {}});
        }
        if (features.machine_changes) {
            for (int i = random_.between(1, 6); i > 0; --i) {
                const int first = random_.below(processors_);
                calendar_[Time::at(times(random_.below(300)))].push_back(
                    {random_.one_in(3) ? Event::Kind::available : Event::Kind::unavailable, 0,
                     ResourceSet::range(first, first + random_.below(4))});
            }
            calendar_[Time::at(times(300))].push_back({Event::Kind::available, 0, ResourceSet::range(0, processors_)});
        }
    }

    int processors() const { return processors_; }
    // The hosts of the farm.
    const std::vector<Host>& hosts() const { return hosts_; }

    void play(Engine& engine, const Observer& after_round) {
        engine.begin(Time(), features_.farm ? Machine(hosts_) : Machine(processors_));
        while (!calendar_.empty()) {
            const Message message = next_message();
            const std::vector<Decision>& decisions = send(engine, message);
            for (const Decision& decision : decisions) {
                follow(decision, engine, message.now);
            }
            REQUIRE(agrees_with(engine.state()));
            INFO("at " << message.now);
            after_round(message, starts_of(decisions));
        }
        REQUIRE(ended_ == engine.state().jobs.size());
        REQUIRE(engine.state().waiting.empty());
        if (plan_in(engine) != nullptr) {
            REQUIRE(plan_in(engine)->by_start().empty());
        }
    }

 private:
    struct Event {
        enum class Kind { submission, end, call, available, unavailable };
        Kind kind;
        JobIndex job;
        ResourceSet processors;
    };

    Duration times(int n) const { return unit_ * n; }

    JobDescription random_job(Time now) {
        JobDescription job;
        job.id = "j" + std::to_string(runs_.size());
        job.submit = now - times(told_late_ ? random_.below(5) : 0);
        job.processors = random_.between(1, random_.one_in(4) ? processors_ : (processors_ + 1) / 2);
        const int walltime = random_.between(1, random_.one_in(4) ? 60 : 15);
        job.walltime = times(walltime);
        if (features_.deadlines && random_.below(10) >= regular_share_) {
            switch (random_.below(8)) {
                case 0:  // hopeless
                    job.deadline = now + times(random_.below(walltime));
                    break;
                case 1:  // hopeless if it waits
                    job.deadline = now + *job.walltime;
                    break;
                case 2:  // generous
                    job.deadline = now + times(10 * walltime + 100);
                    break;
                default:  // rather tight
                    job.deadline = now + times(walltime + random_.below(random_.one_in(2) ? 30 : 100));
            }
        }
        switch (random_.below(4)) {
            case 0:
                runs_.push_back(*job.walltime);
                break;
            case 1:
                runs_.push_back(times(random_.between(1, walltime)));
                break;
            case 2:
                runs_.push_back(times(walltime / random_.between(2, 100)));  // often 0
                break;
            default:  // at an instant without other events
                runs_.push_back(times(random_.below(walltime)) + Duration::microseconds(1));
        }
        if (features_.queues) {
            const char* const queues[] = {"", "primary", "background", "challenge", "urgent", "unknown"};
            job.queue = queues[random_.below(6)];
        }
        if (features_.overruns && random_.one_in(6)) {
            runs_.back() = *job.walltime + times(random_.below(20));
        }
        if (features_.missing_walltimes && random_.one_in(3)) {
            job.walltime.reset();
            runs_.back() = Duration::seconds(random_.between(0, 140));
        }
        if (features_.farm) {
            job.processors = random_.between(1, random_.one_in(4) ? 7 : 3);
            job.licenses = random_licenses(farm_random_);
        }
        if (features_.users && !random_.one_in(5)) {
            const int user = random_.below(3);
            job.user = "user" + std::to_string(user);
            if (!random_.one_in(3)) {
                runs_.back() = std::min(times(2 + 4 * user + random_.below(3)), *job.walltime);
            }
        }
        return job;
    }

    // The next events, in any order. An instant may take several messages.
    Message next_message() {
        std::vector<Event> events = std::move(calendar_.begin()->second);
        Message message;
        message.now = calendar_.begin()->first;
        calendar_.erase(calendar_.begin());
        for (std::size_t i = events.size(); i > 1; --i) {
            std::swap(events[i - 1], events[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
        }
        std::size_t taken = 0;
        while (taken < events.size() && (taken == 0 || !random_.one_in(8))) {
            take_in(events[taken++], message);
            if (features_.one_submission_per_message && !message.submitted.empty()) {
                break;
            }
        }
        if (taken < events.size()) {
            calendar_[message.now] = {events.begin() + static_cast<std::ptrdiff_t>(taken), events.end()};
        }
        return message;
    }

    void take_in(const Event& event, Message& message) {
        switch (event.kind) {
            case Event::Kind::submission: {
                const auto index = static_cast<JobIndex>(runs_.size());
                message.submitted.emplace_back(index, random_job(message.now));
                message.run_times.push_back(runs_.back());
                break;
            }
            case Event::Kind::end:
                if (running_.erase(event.job) == 0) {
                    break;  // it was killed before
                }
                message.ended.push_back(event.job);
                in_use_.remove(event.processors);
                ++ended_;
                break;
            case Event::Kind::call:
                break;
            case Event::Kind::available:
                message.machine_changes.emplace_back(event.processors, true);
                unavailable_.remove(event.processors);
                break;
            case Event::Kind::unavailable:
                message.machine_changes.emplace_back(event.processors, false);
                unavailable_.insert(event.processors);
                break;
        }
    }

    void follow(const Decision& decision, const Engine& engine, Time now) {
        if (const auto* call = std::get_if<CallMeLater>(&decision)) {
            REQUIRE(call->time > now);
            const bool is_late = features_.late_calls && random_.one_in(2);
            calendar_[call->time + times(is_late ? random_.between(1, 9) : 0)].push_back({Event::Kind::call, 0, {}});
            return;
        }
        if (const auto* kill = std::get_if<KillJobs>(&decision)) {
            REQUIRE(kill->jobs.size() == 1);
            const JobIndex index = index_of(kill->jobs.front());
            const Job& job = engine.state().job(index);
            REQUIRE(running_.contains(index));
            REQUIRE_FALSE(job.description().walltime.has_value());
            REQUIRE(job.start + default_walltime <= now);
            calendar_[now].push_back({Event::Kind::end, index, job.allocation});
            return;
        }
        if (std::holds_alternative<RejectJob>(decision)) {
            REQUIRE(features_.farm);
            ++ended_;
            return;
        }
        const auto& start = std::get<StartJob>(decision);
        const JobIndex index = index_of(start.job);
        const Job& job = engine.state().job(index);
        REQUIRE(job.state == JobState::running);
        REQUIRE(start.allocation == job.allocation);
        REQUIRE(job.allocation.size() == job.processors());
        REQUIRE(ResourceSet::range(0, processors_ - 1).contains_all(job.allocation));
        REQUIRE(job.allocation.count_common(in_use_) == 0);
        REQUIRE(job.allocation.count_common(unavailable_) == 0);
        REQUIRE(running_.insert(index).second);
        in_use_.insert(job.allocation);
        calendar_[now + runs_[index]].push_back({Event::Kind::end, index, job.allocation});
    }

    bool agrees_with(const SchedulerState& state) const {
        ResourceSet idle = ResourceSet::range(0, processors_ - 1);
        idle.remove(in_use_);
        idle.remove(unavailable_);
        return state.idle.set() == idle && state.idle.count() == idle.size() &&
               state.running.size() == running_.size() &&
               state.waiting.size() + running_.size() + ended_ == state.jobs.size();
    }

    Random random_;
    Features features_;
    int processors_;
    Duration unit_;
    bool told_late_;     // jobs may arrive after their submission time and in another order
    int regular_share_;  // in tenths
    Random farm_random_;
    std::vector<Host> hosts_;
    std::vector<Duration> runs_;
    std::map<Time, std::vector<Event>> calendar_;
    std::set<JobIndex> running_;
    ResourceSet in_use_;
    ResourceSet unavailable_;
    std::size_t ended_ = 0;  // or was rejected
};

// The time of each round, and the jobs that it started.
using Rounds = std::vector<std::pair<Time, std::vector<JobIndex>>>;

// The rounds of an algorithm with a random stream.
inline Rounds rounds_of(unsigned seed, const Features& features, const std::string& algorithm,
                        const Parameters::Given& given = {}) {
    Rounds rounds;
    Engine engine(algorithm, given);
    Stream(seed, features).play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        rounds.emplace_back(message.now, started);
    });
    return rounds;
}

}  // namespace batfill::tests
