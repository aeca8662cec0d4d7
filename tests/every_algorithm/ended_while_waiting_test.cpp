#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "protocol/message.hpp"
#include "src/session/estimated_start.hpp"
#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/support/quiet_log.hpp"

// What every algorithm does when somebody ends jobs that wait, and when it is asked for starts.

using namespace batfill;
using namespace batfill::tests;

namespace {

constexpr int machine_size = 6;

struct DrawnJob {
    JobDescription description;
    Duration run;
    std::optional<Time> ended_by_user;
};

std::vector<DrawnJob> drawn_jobs(Random& random) {
    std::vector<DrawnJob> jobs(static_cast<std::size_t>(random.between(10, 25)));
    Time now;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        now = now + Duration::seconds(random.one_in(2) ? 0 : random.between(0, 30));
        JobDescription& job = jobs[i].description;
        job.id = std::to_string(i);
        job.submit = now;
        job.processors = random.between(1, machine_size);
        job.walltime = Duration::seconds(random.between(1, 100));
        jobs[i].run = std::min(*job.walltime, Duration::seconds(random.between(1, 100)));
        if (random.one_in(3)) {
            jobs[i].ended_by_user = now + Duration::seconds(random.between(0, 60));
        }
    }
    return jobs;
}

// The starts of the jobs. With `random`, the engine is also asked for starts.
class Play {
 public:
    Play(const DrawnAlgorithm& drawn, const std::vector<DrawnJob>& jobs, Random* random, bool names_hosts = false)
        : drawn_(drawn),
          names_hosts_(names_hosts),
          jobs_(jobs),
          random_(random),
          engine_(drawn.name, drawn.parameters) {
        for (const DrawnJob& job : jobs) {
            const JobNumber number = ids_.number_of(job.description.id);
            agenda_[job.description.submit].push_back(
                JobSubmitted{number, SharedJobDescription::kept_elsewhere(job.description)});
            if (job.ended_by_user) {
                agenda_[*job.ended_by_user].push_back(JobCompleted{number, JobState::completed_killed});
            }
        }
        begin(engine_);
    }

    std::map<std::size_t, Time> starts() {
        while (!agenda_.empty()) {
            const auto [now, events] = *agenda_.begin();
            agenda_.erase(agenda_.begin());
            history_.emplace_back(now, std::vector<Event::Data>());
            engine_.arrive(now);
            for (const Event::Data& event : events) {
                take_in(now, event);
            }
            follow(now);
            ask(now);
        }
        return starts_;
    }

 private:
    // An end is of a job that waits or runs, or comes too late.
    void take_in(Time now, Event::Data event) {
        if (const auto* const end = std::get_if<JobCompleted>(&event)) {
            if (engine_.is_waiting(end->job)) {
                ended_waiting_.insert(end->job);
            } else if (!engine_.is_running(end->job)) {
                return;
            }
        }
        history_.back().second.push_back(event);
        engine_.take_in({now, std::move(event)});
    }

    void begin(Engine& engine) const {
        if (names_hosts_) {
            engine.order_ties_by_id();
            engine.begin(Time(), Machine(std::vector<Host>(machine_size, {"host", 1, {{"partitions", "all"}}, {}})));
        } else {
            engine.begin(Time(), Machine(machine_size));
        }
    }

    void follow(Time now) {
        for (const Decision& decision : engine_.decide()) {
            if (const auto* const start = std::get_if<StartJob>(&decision)) {
                REQUIRE_FALSE(ended_waiting_.contains(start->job));
                const auto number = static_cast<std::size_t>(start->job);
                REQUIRE(starts_.emplace(number, now).second);
                agenda_[now + jobs_[number].run].push_back(JobCompleted{start->job, JobState::completed_successfully});
            } else if (const auto* const kills = std::get_if<KillJobs>(&decision)) {
                for (const JobNumber job : kills->jobs) {
                    agenda_[now + Duration::seconds(1)].push_back(JobCompleted{job, JobState::completed_killed});
                }
            } else if (const auto* const call = std::get_if<CallMeLater>(&decision);
                       call != nullptr && call->time > now) {
                agenda_[call->time].push_back(RequestedCall{});
            }
        }
    }

    void ask(Time now) {
        if (random_ == nullptr || !random_->one_in(8)) {
            return;
        }
        JobDescription job;
        job.id = "asked";
        job.submit = now;
        job.processors = random_->between(1, machine_size + 1);
        job.walltime = Duration::seconds(random_->between(1, 100));
        const std::optional<Time> start = start_if_submitted(engine_, now, job, ids_);
        CHECK((!start || (*start >= now && job.processors <= machine_size)));
        CHECK(start == true_start(now, job));
    }

    // The same from another engine, which hears all that this one has heard, and then of the job. All jobs take their
    // walltimes.
    std::optional<Time> true_start(Time now, const JobDescription& job) const {
        Engine engine(drawn_.name, drawn_.parameters);
        begin(engine);
        for (const auto& [time, events] : history_) {
            engine.arrive(time);
            for (const Event::Data& event : events) {
                engine.take_in({time, Event::Data(event)});
            }
            engine.decide();
        }
        const auto number = static_cast<JobNumber>(jobs_.size());
        std::set<Time> calls;
        engine.arrive(now);
        engine.take_in({now, JobSubmitted{number, SharedJobDescription::kept_elsewhere(job)}});
        for (int rounds = 0; rounds < 2000; ++rounds) {
            for (const Decision& decision : engine.decide()) {
                if (const auto* const start = std::get_if<StartJob>(&decision); start && start->job == number) {
                    return now;
                }
                if (const auto* const reject = std::get_if<RejectJob>(&decision); reject && reject->job == number) {
                    return std::nullopt;
                }
                if (const auto* const call = std::get_if<CallMeLater>(&decision)) {
                    calls.insert(call->time);
                }
            }
            if (const Time guaranteed = engine.guaranteed_at_submission(number); !guaranteed.is_infinite()) {
                return guaranteed;
            }
            calls.erase(calls.begin(), calls.upper_bound(now));
            const std::vector<RunningJob> running = engine.state().running;
            Time next = calls.empty() ? Time::infinity() : *calls.begin();
            if (!running.empty()) {
                next = std::min(next, std::max(now, running.front().end));
            }
            if (next.is_infinite()) {
                return std::nullopt;
            }
            now = next;
            engine.arrive(now);
            for (const RunningJob& one : running) {
                if (one.end <= now) {
                    const std::string& id = engine.state().job(one.job).description().id;
                    engine.take_in({now, JobCompleted{*ids_.find(id), JobState::completed_successfully}});
                }
            }
            engine.take_in({now, RequestedCall{}});
        }
        return std::nullopt;
    }

    const DrawnAlgorithm& drawn_;
    bool names_hosts_;
    const std::vector<DrawnJob>& jobs_;
    Random* random_;
    protocol::JobIds ids_;
    Engine engine_;
    std::map<Time, std::vector<Event::Data>> agenda_;
    std::map<std::size_t, Time> starts_;
    std::set<JobNumber> ended_waiting_;
    std::vector<std::pair<Time, std::vector<Event::Data>>> history_;
};

}  // namespace

TEST_CASE("Every algorithm: a job that somebody ends while it waits never starts, and questions change nothing",
          "[every-algorithm]") {
    const QuietLog quiet;
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        const Engine engine(drawn.name, drawn.parameters);
        if (is_for_simulate_only(drawn) || engine.registers_jobs() || engine.algorithm().switches_processors()) {
            continue;  // WRENCH has nothing of this
        }
        INFO(drawn.text());
        for (unsigned seed = 1; seed <= 3; ++seed) {
            Random random(seed);
            const std::vector<DrawnJob> jobs = drawn_jobs(random);
            const std::map<std::size_t, Time> starts = Play(drawn, jobs, nullptr).starts();
            CHECK(Play(drawn, jobs, &random).starts() == starts);
        }
    }
}

TEST_CASE("A question is answered as another engine finds after the same history, on named hosts, too",
          "[every-algorithm]") {
    const QuietLog quiet;
    const std::vector<DrawnAlgorithm> algorithms{
        {"conservative", {}},
        {"conservative", {{"compression", "submission"}, {"walltime-margin", "5"}}},
        {"conservative", {{"compression", "order"}, {"order", "spf"}}},
        {"pc", {}},
        {"dc", {}},
        {"dbf", {}},
        {"easy", {}},
        {"easy", {{"order", "sqf"}, {"backfill-order", "sqf"}}},
        {"relaxed", {}},
        {"fcfs", {}},
    };
    for (const DrawnAlgorithm& algorithm : algorithms) {
        INFO(algorithm.text());
        for (unsigned seed = 1; seed <= 20; ++seed) {
            INFO("seed " << seed);
            Random random(seed);
            const std::vector<DrawnJob> jobs = drawn_jobs(random);
            const std::map<std::size_t, Time> starts = Play(algorithm, jobs, nullptr, true).starts();
            CHECK(Play(algorithm, jobs, &random, true).starts() == starts);
        }
    }
}

TEST_CASE("Every algorithm of ours can be copied, so that no question costs a copy of the process, unless it tunes",
          "[every-algorithm]") {
    if (std::getenv("BATFILL_TEST_PLUGINS") != nullptr) {
        return;  // plugins need not
    }
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        INFO(drawn.text());
        const bool tunes = std::ranges::find(drawn.parameters, "period", [](const auto& parameter) {
                               return parameter.first;
                           }) != drawn.parameters.end();
        CHECK((Engine(drawn.name, drawn.parameters).copy() != nullptr) == !tunes);
    }
}
