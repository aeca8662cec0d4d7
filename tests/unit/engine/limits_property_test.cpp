#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>
#include <batfill/replay/replay.hpp>

#include "tests/support/plain_plans.hpp"
#include "tests/support/plain_timeline.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::limits_property_test {

// Limits beside windows that kill and requeue jobs, and beside bookings, jobs that wait for others, arrays and begin
// times, on counted processors: the same schedules as a plain simulation.

namespace {

struct Condition {
    Dependency::Kind kind;
    std::size_t job;
    int delay;
};

struct PlainJob {
    std::string id;
    int submit, processors, walltime, delay;
    std::string user;
    std::string booking = {};
    std::optional<int> deadline = {};
    std::vector<Condition> after = {};
    int begin = 0;
    int array_limit = 0;  // of the only array; 0: it is no task
    int eligible = -1, start = -1, end = -1;
    std::size_t arrival = 0;  // in the order in which jobs became eligible
    std::size_t first = 0;    // attempt
    int first_start = -1;     // of all attempts, for the first
    int over = -1;            // with all attempts, for the first
    bool killed = false, rejected = false, is_held = false, waits = false, runs = false;
    std::optional<std::size_t> window = {};
};

struct PlainLimits {
    int processors, jobs;  // of each user, at once
};

int seconds(Time time) {
    return static_cast<int>(time.since_zero().count() / 1'000'000);
}

// Whether a job may run beside these.
bool are_within(const PlainLimits& limits, const JobDescription& job, const std::vector<JobDescription>& running) {
    int processors = job.processors;
    int number = 1;
    for (const JobDescription& other : running) {
        processors += other.user == job.user ? other.processors : 0;
        number += other.user == job.user ? 1 : 0;
    }
    return processors <= limits.processors && number <= limits.jobs;
}

// As a plan sees a job that is eligible now.
JobDescription described(const PlainJob& job, int now) {
    JobDescription description;
    description.submit = Time::seconds(now);
    description.processors = job.processors;
    description.walltime = Duration::seconds(job.walltime);
    description.user = job.user;
    if (job.deadline) {
        description.deadline = Time::seconds(*job.deadline);
    }
    if (!job.booking.empty()) {
        StatedNeeds needs;
        needs.booking = job.booking;
        description.needs = needs;
    }
    return description;
}

// A plain simulation in whole seconds. `plan` decides, or else fcfs or easy.
class PlainSimulation {
 public:
    PlainSimulation(const Machine& machine, std::vector<PlainJob> jobs, PlainLimits limits, bool backfills,
                    PlainPlanAlgorithm* plan = nullptr)
        : machine_(machine), jobs_(std::move(jobs)), limits_(limits), backfills_(backfills), plan_(plan) {
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            jobs_[i].first = i;
            rounds_.insert(jobs_[i].submit);
            changes_.insert(jobs_[i].begin);
        }
        for (const Window& window : machine.windows()) {
            rounds_.insert({seconds(window.announced), seconds(window.until)});
            if (window.begins_a_round()) {
                rounds_.insert(seconds(window.from));
            }
        }
        if (plan_ != nullptr) {
            plan_->set_conditions({[this](const JobDescription& job, const std::vector<JobDescription>& running) {
                                       return are_within(limits_, job, running);
                                   },
                                   machine.windows()});
        }
    }

    std::vector<PlainJob> run() {
        submitted_by_users_ = jobs_.size();
        while (const std::optional<int> next = next_instant()) {
            now_ = *next;
            changes_.erase(now_);
            const bool is_round = rounds_.erase(now_) > 0 || call_ == now_ || is_end_of_a_job();
            const bool has_news = lead_to_the_queue();
            if (is_round || has_news) {
                decide();
            }
        }
        return jobs_;
    }

    int passed_over() const { return passed_over_; }
    int requeued() const { return static_cast<int>(requeued_); }
    int inside() const { return inside_; }
    int held() const { return held_; }

 private:
    bool has_booking(const PlainJob& job, const Window& window) const {
        return std::ranges::count(window.booked_for, job.booking) > 0;
    }
    // The windows of its reservation.
    std::vector<std::size_t> windows_for(const PlainJob& job) const {
        std::vector<std::size_t> windows;
        for (std::size_t i = 0; i < machine_.windows().size(); ++i) {
            if (has_booking(job, machine_.windows()[i])) {
                windows.push_back(i);
            }
        }
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
    // Ends, kills, rejections, submissions, jobs that become eligible, and jobs submitted again. Returns whether a job
    // became eligible or was rejected.
    bool lead_to_the_queue() {
        message_ = {Time::seconds(now_), {}, {}, {}};
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (jobs_[i].runs && jobs_[i].end == now_) {
                end(i);
                is_over(jobs_[i]);
            }
        }
        const auto killed = with_windows_of(killed_by_windows());
        for (const auto& [number, is_requeued] : killed) {
            jobs_[number].killed = true;
            end(number);
            if (!is_requeued) {
                is_over(jobs_[number]);
            }
        }
        reject_those_whose_windows_are_over();
        std::vector<std::size_t> in_turn;
        std::size_t rejected = 0;
        for (std::size_t i = 0; i < submitted_by_users_; ++i) {
            if (jobs_[i].submit == now_) {
                if (is_refused(jobs_[i])) {
                    reject(jobs_[i]);
                } else {
                    in_turn.push_back(i);
                    jobs_[i].is_held = true;
                }
            }
        }
        for (bool is_new = true; is_new;) {
            is_new = false;
            for (std::size_t i = 0; i < submitted_by_users_; ++i) {
                const bool has_no_window = !jobs_[i].booking.empty() && is_eligible(i) && !has_window(jobs_[i]);
                if (jobs_[i].is_held && (can_never_be_eligible(jobs_[i]) || has_no_window)) {
                    reject(jobs_[i]);
                    is_new = true;
                    ++rejected;
                }
            }
        }
        for (std::size_t i = 0; i < submitted_by_users_; ++i) {
            if (std::ranges::count(in_turn, i) == 0) {
                in_turn.push_back(i);
            }
        }
        std::size_t admitted = 0;
        for (const std::size_t i : in_turn) {
            if (jobs_[i].is_held && is_eligible(i)) {
                held_ += jobs_[i].submit < now_ ? 1 : 0;
                admit(i);
                ++admitted;
            }
        }
        for (const auto& [number, is_requeued] : killed) {
            if (is_requeued) {
                jobs_.push_back(again(jobs_[number]));
                admit(jobs_.size() - 1);
            }
        }
        return admitted + rejected > 0;
    }

    // The next instant at which anything happens.
    std::optional<int> next_instant() const {
        std::set<int> instants;
        for (const std::set<int>& some : {rounds_, changes_}) {
            instants.insert(some.begin(), some.end());
        }
        for (const PlainJob& job : jobs_) {
            if (job.runs) {
                instants.insert(job.end);
            }
        }
        if (call_) {
            instants.insert(*call_);
        }
        return instants.empty() ? std::nullopt : std::optional(*instants.begin());
    }
    bool is_end_of_a_job() const {
        return std::ranges::any_of(jobs_, [this](const PlainJob& job) { return job.runs && job.end == now_; });
    }
    void end(std::size_t number) {
        jobs_[number].runs = false;
        jobs_[number].end = now_;
        message_.ended.push_back(static_cast<JobIndex>(jobs_[number].arrival));
    }
    void is_over(const PlainJob& job) {
        jobs_[job.first].over = now_;
        follow(job.first);
    }
    void reject(PlainJob& job) {
        job.waits = job.is_held = false;
        job.rejected = true;
        is_over(job);
    }
    void admit(std::size_t number) {
        PlainJob& job = jobs_[number];
        job.is_held = false;
        job.waits = true;
        job.eligible = now_;
        job.arrival = arrived_.size();
        message_.submitted.emplace_back(static_cast<JobIndex>(job.arrival), described(job, now_));
        arrived_.push_back(number);
    }

    bool is_refused(const PlainJob& job) const {
        return job.processors > machine_.processors() || job.processors > limits_.processors || limits_.jobs < 1 ||
               (!job.booking.empty() && !has_window(job));
    }
    bool has_completed(const PlainJob& first) const {
        const auto last =
            std::find_if(jobs_.rbegin(), jobs_.rend(), [&](const PlainJob& job) { return job.first == first.first; });
        return !last->rejected && !last->killed && last->delay < last->walltime;
    }
    bool holds(const Condition& condition) const {
        const PlainJob& other = jobs_[condition.job];
        const int since = condition.kind == Dependency::Kind::start ? other.first_start : other.over;
        return since >= 0 && since + condition.delay <= now_ &&
               (condition.kind != Dependency::Kind::ok || has_completed(other));
    }
    bool can_never_be_eligible(const PlainJob& job) const {
        return std::ranges::any_of(job.after, [&](const Condition& condition) {
            const PlainJob& other = jobs_[condition.job];
            return other.over >= 0 && ((condition.kind == Dependency::Kind::ok && !has_completed(other)) ||
                                       (condition.kind == Dependency::Kind::start && other.first_start < 0));
        });
    }
    bool is_eligible(std::size_t number) const {
        const PlainJob& job = jobs_[number];
        int before = 0;
        for (std::size_t i = 0; i < number; ++i) {
            before += jobs_[i].array_limit > 0 && jobs_[i].over < 0 ? 1 : 0;
        }
        return job.begin <= now_ && (job.array_limit == 0 || before < job.array_limit) &&
               std::ranges::all_of(job.after, [&](const Condition& condition) { return holds(condition); });
    }
    // The instants at which others may become eligible through this job.
    void follow(std::size_t first) {
        for (const PlainJob& job : jobs_) {
            for (const Condition& condition : job.after) {
                if (condition.job == first && condition.delay > 0) {
                    changes_.insert(now_ + condition.delay);
                }
            }
        }
    }

    void reject_those_whose_windows_are_over() {
        std::vector<JobIndex> withdrawn;
        for (PlainJob& job : jobs_) {
            const bool one_ended = std::ranges::any_of(machine_.windows(), [&](const Window& window) {
                return has_booking(job, window) && seconds(window.until) == now_;
            });
            if (job.waits && one_ended && !has_window(job)) {
                withdrawn.push_back(static_cast<JobIndex>(job.arrival));
                reject(job);
            }
        }
        if (plan_ != nullptr) {
            plan_->withdraw(withdrawn);
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
        std::ranges::sort(outside, {}, [&](std::size_t i) { return std::pair(jobs_[i].start, jobs_[i].arrival); });
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
        PlainJob next{killed.id.substr(0, mark) + "#" + std::to_string(number),
                      now_,
                      killed.processors,
                      killed.walltime,
                      killed.delay,
                      killed.user,
                      killed.booking,
                      killed.deadline};
        next.first = killed.first;
        return next;
    }
    void start(PlainJob& job) {
        inside_ += job.window ? 1 : 0;
        job.waits = false;
        job.runs = true;
        job.start = now_;
        job.end = now_ + std::min(job.delay, job.walltime);
        if (jobs_[job.first].first_start < 0) {
            jobs_[job.first].first_start = now_;
            follow(job.first);
        }
    }

    // The plan starts jobs, and its next start has a round. One that has moved meanwhile has none.
    void follow_plan() {
        for (const JobIndex arrival : plan_->round(message_)) {
            PlainJob& job = jobs_[arrived_[arrival]];
            job.window = plan_->window_of(arrival);
            start(job);
        }
        call_.reset();
        for (const auto& [job, planned] : plan_->planned_starts()) {
            if (planned > Time::seconds(now_) && !planned.is_infinite()) {
                call_ = std::min(call_.value_or(seconds(planned)), seconds(planned));
            }
        }
    }

    // Each reservation has a queue of its own, behind that of the jobs without one.
    void decide() {
        if (plan_ != nullptr) {
            follow_plan();
            return;
        }
        constexpr int horizon = 400;
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
            std::ranges::sort(queue, {}, [&](std::size_t i) { return jobs_[i].arrival; });
            bool has_head = false;
            for (const std::size_t number : queue) {
                PlainJob& job = jobs_[number];
                const Request request = request_of(job);
                const bool fits = timeline.fits(request, job.walltime, now_);
                if (fits && is_within_limits(job)) {
                    job.window = timeline.window_for(request, job.walltime, now_);
                    start(job);
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
    PlainPlanAlgorithm* plan_;
    std::size_t submitted_by_users_ = 0;
    std::vector<std::size_t> arrived_;
    Message message_;
    int now_ = 0;
    std::set<int> rounds_;     // other instants at which a round is certain
    std::optional<int> call_;  // the next planned start
    std::set<int> changes_;    // instants at which jobs may become eligible
    int passed_over_ = 0;
    int held_ = 0;
    std::size_t requeued_ = 0;
    int inside_ = 0;
};

std::string text_of(const PlainJob& job) {
    return job.id + " submitted " + std::to_string(job.submit) +
           (job.rejected    ? " rejected"
            : job.start < 0 ? " never starts"
                            : " runs " + std::to_string(job.start) + " to " + std::to_string(job.end) +
                                  (job.killed ? " killed" : ""));
}

std::string text_of(const SimulatedJob& simulated) {
    const JobDescription& description = simulated.job->description;
    PlainJob job{description.id.substr(3), seconds(description.submit), 0, 0, 0, ""};
    job.rejected = simulated.state == JobState::rejected;
    if (has_completed(simulated.state)) {
        job.start = seconds(simulated.start);
        job.end = seconds(simulated.end);
    }
    job.killed = simulated.state == JobState::completed_killed;
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

// Jobs in bursts, with what they wait for.
std::vector<PlainJob> draw_jobs(Random& random, int processors) {
    std::vector<PlainJob> jobs;
    const bool have_conditions = random.one_in(2);
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
        if (random.one_in(3)) {
            one.deadline = submit + walltime + random.below(60);
        }
        if (have_conditions && !jobs.empty() && random.one_in(5)) {
            const auto kind = static_cast<Dependency::Kind>(random.below(3));
            const int delay = kind == Dependency::Kind::start ? random.between(1, 9)
                              : random.one_in(2)              ? 0
                                                              : random.below(9);
            one.after.push_back({kind, static_cast<std::size_t>(random.below(static_cast<int>(jobs.size()))), delay});
        }
        if (have_conditions && random.one_in(5)) {
            one.begin = submit + random.below(20);
        }
        if (have_conditions && random.one_in(4)) {
            one.array_limit = random.between(1, 2);
        }
        jobs.push_back(std::move(one));
    }
    return jobs;
}

std::string text_of(const std::vector<PlainJob>& jobs) {
    std::string all;
    for (const PlainJob& one : jobs) {
        std::string text = job(one.id, std::to_string(one.submit), one.processors, std::to_string(one.walltime),
                               std::to_string(one.delay));
        std::string after;
        for (const Condition& condition : one.after) {
            after += std::string("\"") + to_string(condition.kind) + ":" + jobs[condition.job].id +
                     (condition.delay > 0 ? "+" + std::to_string(condition.delay) : "") + "\"";
        }
        text.insert(
            1,
            R"("user":")" + one.user + "\"," + (one.booking.empty() ? "" : R"("reservation":")" + one.booking + "\",") +
                (one.deadline ? R"("deadline":)" + std::to_string(*one.deadline) + "," : "") +
                (after.empty() ? "" : R"("after":[)" + after + "],") +
                (one.begin == 0 ? "" : R"("begin":)" + std::to_string(one.begin) + ",") +
                (one.array_limit == 0 ? "" : R"("array":"a","array_limit":)" + std::to_string(one.array_limit) + ","));
        all += (all.empty() ? "" : ",") + text;
    }
    return all;
}

// Those of the plan family, and fcfs and easy, which have no plan.
std::vector<PlanCompared> draw_compared(Random& random, int processors, PlanCounts& counts) {
    std::vector<PlanCompared> all = draw_plans(random, processors, counts);
    all.push_back({"fcfs", {}, nullptr});
    all.push_back({"easy", {}, nullptr});
    return all;
}

}  // namespace

TEST_CASE(
    "The queue family and the plan family under limits, windows, bookings and conditions are, job by job, what "
    "their definitions say",
    "[property]") {
    const QuietLog quiet_log;
    PlanCounts counts;
    int passed_over = 0;
    int requeued = 0;
    int inside = 0;
    int held = 0;
    int parked = 0;
    for (unsigned seed = 1; seed <= 600; ++seed) {
        Random random(seed);
        const int processors = random.between(2, 8);
        Platform platform = machine(processors);
        platform.windows = draw_windows(random, processors);
        const PlainLimits limits{random.between(1, processors), random.between(1, 3)};
        platform.limits.push_back({{"user"}, {std::nullopt}, {{"processors", limits.processors}}, 1, "limits:1"});
        platform.limits.push_back({{"user"}, {std::nullopt}, {{"jobs", limits.jobs}}, 2, "limits:2"});
        std::vector<PlainJob> jobs = draw_jobs(random, processors);
        const std::string job_text = text_of(jobs);
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
        for (const PlanCompared& one : draw_compared(random, processors, counts)) {
            std::string parameters;
            for (const auto& [name, value] : one.parameters) {
                parameters += " " + name + "=" + value;
            }
            CAPTURE(seed, one.algorithm, parameters, job_text, window_text, limits.processors, limits.jobs, processors);
            const Outcome outcome = replay.run({one.algorithm, one.parameters});
            const std::vector<SimulatedJob>& simulated = outcome.simulation().jobs();
            PlainSimulation simulation(of_platform, jobs, limits, one.algorithm == "easy", one.plain.get());
            const std::vector<PlainJob> plain = simulation.run();
            REQUIRE(simulated.size() == plain.size());
            for (std::size_t i = 0; i < plain.size(); ++i) {
                REQUIRE(text_of(simulated[i]) == text_of(plain[i]));
            }
            passed_over += simulation.passed_over();
            requeued += simulation.requeued();
            inside += simulation.inside();
            held += simulation.held();
            parked += one.plain ? one.plain->times_parked() : 0;
        }
    }
    CHECK(passed_over > 1000);
    CHECK(requeued > 200);
    CHECK(inside > 1000);
    CHECK(held > 1000);
    CHECK(parked > 5000);
}

TEST_CASE("The plan family under limits decides as its plain forms do when somebody ends jobs that wait",
          "[property]") {
    PlanCounts counts;
    int parked = 0;
    int ended_waiting = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const int processors = random.between(2, 8);
        const PlainLimits limits{random.between(1, processors), random.between(1, 3)};
        Platform platform = machine(processors);
        platform.limits.push_back({{"user"}, {std::nullopt}, {{"processors", limits.processors}}, 1, "limits:1"});
        platform.limits.push_back({{"user"}, {std::nullopt}, {{"jobs", limits.jobs}}, 2, "limits:2"});
        std::vector<PlainJob> jobs = draw_jobs(random, processors);
        std::map<int, std::set<JobIndex>> ended_by_users;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            jobs[i].processors = std::min(jobs[i].processors, limits.processors);
            if (random.one_in(3)) {
                ended_by_users[jobs[i].submit + random.between(1, 40)].insert(static_cast<JobIndex>(i));
            }
        }
        for (const PlanCompared& one : draw_plans(random, processors, counts)) {
            CAPTURE(seed, one.algorithm, one.parameters.back().second);
            Engine engine(one.algorithm, one.parameters);
            engine.begin(Time(), platform.machine());
            one.plain->set_conditions({[&](const JobDescription& job, const std::vector<JobDescription>& running) {
                return are_within(limits, job, running);
            }});
            std::map<JobIndex, int> ends;  // of the running jobs
            std::set<JobIndex> waiting;
            const auto next_instant = [&](int now) {
                std::set<int> instants;
                for (const PlainJob& job : jobs) {
                    instants.insert(job.submit);
                }
                for (const auto& [instant, ended] : ended_by_users) {
                    instants.insert(instant);
                }
                for (const auto& [job, end] : ends) {
                    instants.insert(end);
                }
                for (const auto& [job, planned] : one.plain->planned_starts()) {
                    instants.insert(seconds(planned));
                }
                return instants.upper_bound(now) == instants.end() ? -1 : *instants.upper_bound(now);
            };
            for (int now = next_instant(-1); now >= 0; now = next_instant(now)) {
                Message message{Time::seconds(now), {}, {}, {}};
                std::erase_if(ends, [&](const auto& running) {
                    if (running.second == now) {
                        message.ended.push_back(running.first);
                    }
                    return running.second == now;
                });
                std::vector<JobIndex> withdrawn;
                for (const JobIndex job : ended_by_users[now]) {
                    if (waiting.erase(job) > 0) {
                        withdrawn.push_back(job);
                    }
                }
                for (std::size_t i = 0; i < jobs.size(); ++i) {
                    if (jobs[i].submit == now) {
                        message.submitted.emplace_back(static_cast<JobIndex>(i), described(jobs[i], now));
                        waiting.insert(static_cast<JobIndex>(i));
                    }
                }
                if (message.ended.empty() && withdrawn.empty() && message.submitted.empty() &&
                    std::ranges::none_of(one.plain->planned_starts(),
                                         [&](const auto& planned) { return planned.second == message.now; })) {
                    continue;
                }
                Message to_engine = message;
                to_engine.ended.insert(to_engine.ended.end(), withdrawn.begin(), withdrawn.end());
                const std::vector<JobIndex> started = starts_of(send(engine, to_engine));
                one.plain->end_waiting(withdrawn);
                REQUIRE(one.plain->round(message) == started);
                for (const JobIndex job : started) {
                    waiting.erase(job);
                    ends[job] = now + std::min(jobs[job].delay, jobs[job].walltime);
                }
                ended_waiting += static_cast<int>(withdrawn.size());
            }
            REQUIRE(waiting.empty());
            parked += one.plain->times_parked();
        }
    }
    CHECK(parked > 2000);
    CHECK(ended_waiting > 2000);
}

}  // namespace batfill::tests::limits_property_test
