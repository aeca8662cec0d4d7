#include <algorithm>
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
    Play(const DrawnAlgorithm& drawn, const std::vector<DrawnJob>& jobs, Random* random)
        : jobs_(jobs), random_(random), engine_(drawn.name, drawn.parameters) {
        for (const DrawnJob& job : jobs) {
            const JobNumber number = ids_.number_of(job.description.id);
            agenda_[job.description.submit].push_back(
                JobSubmitted{number, SharedJobDescription::kept_elsewhere(job.description)});
            if (job.ended_by_user) {
                agenda_[*job.ended_by_user].push_back(JobCompleted{number, JobState::completed_killed});
            }
        }
        engine_.begin(Time(), Machine(machine_size));
    }

    std::map<std::size_t, Time> starts() {
        while (!agenda_.empty()) {
            const auto [now, events] = *agenda_.begin();
            agenda_.erase(agenda_.begin());
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
        engine_.take_in({now, std::move(event)});
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
    }

    const std::vector<DrawnJob>& jobs_;
    Random* random_;
    protocol::JobIds ids_;
    Engine engine_;
    std::map<Time, std::vector<Event::Data>> agenda_;
    std::map<std::size_t, Time> starts_;
    std::set<JobNumber> ended_waiting_;
};

}  // namespace

TEST_CASE("Every algorithm: a job that somebody ends while it waits never starts, and questions change nothing",
          "[every-algorithm]") {
    const QuietLog quiet;
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        const Engine engine(drawn.name, drawn.parameters);
        if (needs_run_times(drawn) || engine.registers_jobs() || engine.algorithm().switches_processors()) {
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
