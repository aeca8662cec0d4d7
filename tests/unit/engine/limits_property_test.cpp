#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/replay.hpp>

#include "tests/support/plain_timeline.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::limits_property_test {

// Limits beside windows that kill and requeue jobs, and beside bookings, on counted processors: the same schedules as a
// plain simulation.

namespace {

struct PlainJob {
    std::string id;
    int submit, processors, walltime, delay;
    std::string user;
    std::string booking = {};
    int start = -1, end = -1;
    bool killed = false, rejected = false, waits = false, runs = false;
    std::optional<std::size_t> window = {};
};

struct PlainLimits {
    int processors, jobs;  // of each user, at once
};

int seconds(Time time) {
    return static_cast<int>(time.since_zero().count() / 1'000'000);
}

// A plain simulation in whole seconds.
class PlainSimulation {
 public:
    PlainSimulation(const Machine& machine, std::vector<PlainJob> jobs, PlainLimits limits, bool backfills)
        : machine_(machine), jobs_(std::move(jobs)), limits_(limits), backfills_(backfills) {
        for (const PlainJob& job : jobs_) {
            instants_.insert(job.submit);
        }
        for (const Window& window : machine.windows()) {
            instants_.insert({seconds(window.announced), seconds(window.from), seconds(window.until)});
        }
    }

    std::vector<PlainJob> run() {
        const std::size_t submitted_by_users = jobs_.size();
        for (; !instants_.empty(); instants_.erase(instants_.begin())) {
            now_ = *instants_.begin();
            for (PlainJob& job : jobs_) {
                job.runs = job.runs && job.end != now_;
            }
            reject_those_whose_windows_are_over();
            const std::vector<std::size_t> killed = killed_by_windows();
            for (std::size_t i = 0; i < submitted_by_users; ++i) {
                if (jobs_[i].submit == now_) {
                    submit(i);
                }
            }
            decide();
            for (const auto& [number, is_requeued] : with_windows_of(killed)) {
                jobs_[number].runs = false;
                jobs_[number].end = now_;
                jobs_[number].killed = true;
                if (is_requeued) {
                    jobs_.push_back(again(jobs_[number]));
                    submit(jobs_.size() - 1);
                }
            }
            if (!killed.empty()) {
                decide();
            }
        }
        return jobs_;
    }

    int passed_over() const { return passed_over_; }
    int requeued() const { return static_cast<int>(requeued_); }
    int inside() const { return inside_; }

 private:
    bool has_booking(const PlainJob& job, const Window& window) const {
        return std::ranges::count(window.booked_for, job.booking) > 0;
    }
    // The windows of its reservation, by their beginning.
    std::vector<std::size_t> windows_for(const PlainJob& job) const {
        std::vector<std::size_t> windows;
        for (std::size_t i = 0; i < machine_.windows().size(); ++i) {
            if (has_booking(job, machine_.windows()[i])) {
                windows.push_back(i);
            }
        }
        std::ranges::stable_sort(windows, {}, [&](std::size_t i) { return machine_.windows()[i].from; });
        return windows;
    }
    // Whether one of them could hold it from now on.
    bool has_window(const PlainJob& job) const {
        return std::ranges::any_of(windows_for(job), [&](std::size_t i) {
            const Window& window = machine_.windows()[i];
            return std::max(now_, seconds(window.from)) + job.walltime <= seconds(window.until) &&
                   job.processors <= window.processors;
        });
    }
    Request request_of(const PlainJob& job) const {
        Request request{job.processors};
        Request::Details details = request.details_or_none();
        details.windows = job.booking.empty() ? std::vector<std::size_t>() : windows_for(job);
        request.details = std::move(details);
        return request;
    }

    bool is_within_limits(const PlainJob& job) const {
        int processors = job.processors;
        int number = 1;
        for (const PlainJob& other : jobs_) {
            processors += other.runs && other.user == job.user ? other.processors : 0;
            number += other.runs && other.user == job.user ? 1 : 0;
        }
        return processors <= limits_.processors && number <= limits_.jobs;
    }

    void submit(std::size_t number) {
        PlainJob& job = jobs_[number];
        job.rejected = job.processors > machine_.processors() || job.processors > limits_.processors ||
                       limits_.jobs < 1 || (!job.booking.empty() && !has_window(job));
        job.waits = !job.rejected;
    }
    void reject_those_whose_windows_are_over() {
        for (PlainJob& job : jobs_) {
            const bool one_ended = std::ranges::any_of(machine_.windows(), [&](const Window& window) {
                return has_booking(job, window) && seconds(window.until) == now_;
            });
            if (job.waits && one_ended && !has_window(job)) {
                job.waits = false;
                job.rejected = true;
            }
        }
    }

    // Of the jobs outside windows, the youngest are killed until the window has its due.
    std::vector<std::size_t> killed_by_windows() const {
        std::vector<std::size_t> killed;
        std::vector<std::size_t> outside;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (jobs_[i].runs && !jobs_[i].window) {
                outside.push_back(i);
            }
        }
        std::ranges::sort(outside, {}, [&](std::size_t i) { return std::pair(jobs_[i].start, i); });
        int named = 0;  // by it and the windows before it
        std::vector<const Window*> windows;
        for (const Window& window : machine_.windows()) {
            windows.push_back(&window);
        }
        std::ranges::stable_sort(windows, {}, [](const Window* window) { return window->from; });
        for (const Window* const window : windows) {
            if (seconds(window->from) > now_ || seconds(window->until) <= now_) {
                continue;
            }
            named += window->processors;
            const auto held = [&] {
                int processors = 0;
                for (const std::size_t i : outside) {
                    processors += jobs_[i].processors;
                }
                return processors;
            };
            while (seconds(window->from) == now_ && window->running != Window::Running::finish && !outside.empty() &&
                   held() + named > machine_.processors()) {
                killed.push_back(outside.back());
                outside.pop_back();
            }
        }
        return killed;
    }
    // Whether each is submitted again: so say the windows that begin now, which all do the same.
    std::vector<std::pair<std::size_t, bool>> with_windows_of(const std::vector<std::size_t>& killed) {
        std::vector<std::pair<std::size_t, bool>> result;
        for (const std::size_t number : killed) {
            const auto window = std::ranges::find_if(machine_.windows(), [&](const Window& one) {
                return seconds(one.from) == now_ && one.running != Window::Running::finish;
            });
            result.emplace_back(number, window->running == Window::Running::requeue);
        }
        requeued_ += result.size();
        return result;
    }
    PlainJob again(const PlainJob& killed) const {
        const std::size_t mark = killed.id.find('#');
        const int number = mark == std::string::npos ? 1 : std::stoi(killed.id.substr(mark + 1)) + 1;
        return {killed.id.substr(0, mark) + "#" + std::to_string(number),
                now_,
                killed.processors,
                killed.walltime,
                killed.delay,
                killed.user,
                killed.booking};
    }

    // Each reservation has a queue of its own, behind that of the jobs without one.
    void decide() {
        constexpr int horizon = 260;
        PlainTimeline timeline(machine_, {}, horizon);
        timeline.now = now_;
        for (const PlainJob& job : jobs_) {
            if (job.runs) {
                timeline.held.push_back({request_of(job), {}, job.start, job.start + job.walltime, job.window});
            }
        }
        std::map<std::string, std::vector<std::size_t>> queues;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (jobs_[i].waits) {
                queues[jobs_[i].booking].push_back(i);
            }
        }
        for (auto& [booking, queue] : queues) {
            std::ranges::sort(queue, {}, [&](std::size_t i) { return std::pair(jobs_[i].submit, i); });
            bool has_head = false;
            for (const std::size_t number : queue) {
                PlainJob& job = jobs_[number];
                const Request request = request_of(job);
                const bool fits = timeline.fits(request, job.walltime, now_);
                if (fits && is_within_limits(job)) {
                    job.window = timeline.window_for(request, job.walltime, now_);
                    inside_ += job.window ? 1 : 0;
                    job.waits = false;
                    job.runs = true;
                    job.start = now_;
                    job.end = now_ + std::min(job.delay, job.walltime);
                    instants_.insert(job.end);
                    timeline.held.push_back({request, {}, now_, now_ + job.walltime, job.window});
                } else if (!backfills_) {
                    break;
                } else if (!has_head && fits) {
                    ++passed_over_;
                } else if (!has_head) {
                    has_head = true;
                    if (const auto start = timeline.earliest(request, job.walltime, now_)) {
                        timeline.held.push_back({request,
                                                 {},
                                                 *start,
                                                 *start + job.walltime,
                                                 timeline.window_for(request, job.walltime, *start)});
                    }
                }
            }
        }
    }

    const Machine& machine_;
    std::vector<PlainJob> jobs_;
    PlainLimits limits_;
    bool backfills_;
    int now_ = 0;
    std::set<int> instants_;
    int passed_over_ = 0;
    std::size_t requeued_ = 0;
    int inside_ = 0;
};

std::string text_of(const PlainJob& job) {
    return job.id + " submitted " + std::to_string(job.submit) +
           (job.rejected ? " rejected"
                         : " runs " + std::to_string(job.start) + " to " + std::to_string(job.end) +
                               (job.killed ? " killed" : ""));
}

std::string text_of(const SimulatedJob& simulated) {
    const JobDescription& description = simulated.job->description;
    PlainJob job{description.id.substr(3), seconds(description.submit), 0, 0, 0, ""};
    job.start = seconds(simulated.start);
    job.end = seconds(simulated.end);
    job.killed = simulated.state == JobState::completed_killed;
    job.rejected = simulated.state == JobState::rejected;
    return text_of(job);
}

std::vector<Window> draw_windows(Random& random, int processors) {
    std::vector<Window> windows;
    std::map<int, Window::Running> running;  // windows that begin together do the same
    for (int i = random.below(4); i > 0; --i) {
        Window window;
        window.name = "window " + std::to_string(i);
        const int from = random.between(1, 60);
        window.from = Time::seconds(from);
        window.until = Time::seconds(from + random.between(5, 40));
        window.announced = Time::seconds(random.between(0, from));
        window.running = running.try_emplace(from, static_cast<Window::Running>(random.between(0, 2))).first->second;
        window.processors = random.between(1, processors);
        if (random.one_in(2)) {
            window.booked_for = {random.one_in(2) ? "course" : "demo"};
        }
        windows.push_back(std::move(window));
    }
    return windows;
}

}  // namespace

TEST_CASE("fcfs and easy under limits, windows and bookings are, job by job, what their definitions say",
          "[property]") {
    int passed_over = 0;
    int requeued = 0;
    int inside = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const int processors = random.between(2, 8);
        Platform platform = machine(processors);
        platform.windows = draw_windows(random, processors);
        const PlainLimits limits{random.between(1, processors), random.between(1, 3)};
        platform.limits.push_back({{"user"}, {std::nullopt}, {{"processors", limits.processors}}, 1, "limits:1"});
        platform.limits.push_back({{"user"}, {std::nullopt}, {{"jobs", limits.jobs}}, 2, "limits:2"});
        std::vector<PlainJob> jobs;
        std::string job_text;
        int submit = 0;
        for (int i = random.between(5, 25); i > 0; --i) {
            submit += random.one_in(2) ? 0 : random.below(8);
            const int walltime = random.between(1, 15);
            PlainJob one{std::to_string(200 - i),
                         submit,
                         random.between(1, processors),
                         walltime,
                         random.one_in(2) ? walltime : random.between(1, 20),
                         "u" + std::to_string(random.below(3))};
            if (random.one_in(4)) {
                one.booking = random.one_in(2) ? "course" : "demo";
            }
            std::string text = job(one.id, std::to_string(one.submit), one.processors, std::to_string(one.walltime),
                                   std::to_string(one.delay));
            text.insert(1, R"("user":")" + one.user + "\"," +
                               (one.booking.empty() ? "" : R"("reservation":")" + one.booking + "\","));
            job_text += (job_text.empty() ? "" : ",") + text;
            jobs.push_back(std::move(one));
        }
        // Without windows for bookings, nobody looks at the field.
        if (!are_for_bookings(platform.windows)) {
            for (PlainJob& one : jobs) {
                one.booking.clear();
            }
        }
        std::string window_text;
        std::ranges::for_each(platform.windows, [&](const Window& window) { append_json(window, window_text); });
        const Machine of_platform = platform.machine();
        const Replay replay(scenario_of(platform, {workload_of(job_text)}));
        for (const std::string algorithm : {"fcfs", "easy"}) {
            const Outcome outcome = replay.run({algorithm, {}});
            CAPTURE(seed, algorithm, job_text, window_text);
            const std::vector<SimulatedJob>& simulated = outcome.simulation().jobs();
            PlainSimulation simulation(of_platform, jobs, limits, algorithm == "easy");
            const std::vector<PlainJob> plain = simulation.run();
            REQUIRE(simulated.size() == plain.size());
            for (std::size_t i = 0; i < plain.size(); ++i) {
                REQUIRE(text_of(simulated[i]) == text_of(plain[i]));
            }
            passed_over += simulation.passed_over();
            requeued += simulation.requeued();
            inside += simulation.inside();
        }
    }
    CHECK(passed_over > 500);
    CHECK(requeued > 20);
    CHECK(inside > 200);
}

}  // namespace batfill::tests::limits_property_test
