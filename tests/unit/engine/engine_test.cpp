#include <algorithm>
#include <climits>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/plan_algorithm.hpp>

namespace batfill::tests::engine_test {

// A model of the machine plays random streams of events to the engine. It uses whole seconds and one entry per
// processor, and none of the engine's own bookkeeping. It checks the engine's decisions. For each algorithm, a second
// implementation follows the definition with exhaustive search.

namespace {

constexpr int never = INT_MAX;

class Random {
 public:
    explicit Random(unsigned seed) : generator_(seed) {}
    int below(int n) { return static_cast<int>(generator_() % static_cast<unsigned>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool one_in(int n) { return below(n) == 0; }

 private:
    std::mt19937 generator_;
};

// What a stream may contain besides jobs that end by their estimates and whose ends are reported at once.
struct Features {
    bool overdue = false;  // jobs outlive their walltimes
    bool machine_changes = false;
    bool delayed_calls = false;
    bool missing_walltimes = false;
};

constexpr int default_walltime = 7;

struct ModelJob {
    enum class State { waiting, running, ended, rejected };
    int submit;
    int processors;
    int walltime;  // as the scheduler sees it
    int run;
    bool has_walltime;
    State state = State::waiting;
    int start = 0;

    int expected_end() const { return start + walltime; }
};

struct ModelMachine {
    std::vector<int> user;        // by processor: the job, or -1
    std::vector<bool> available;  // by processor

    explicit ModelMachine(int processors)
        : user(static_cast<std::size_t>(processors), -1), available(static_cast<std::size_t>(processors), true) {}

    std::size_t size() const { return user.size(); }
    int idle() const {
        int count = 0;
        for (std::size_t p = 0; p < size(); ++p) {
            count += user[p] < 0 && available[p] ? 1 : 0;
        }
        return count;
    }
    // The number of available processors that running jobs leave free at `instant`, by the estimates.
    int free_at(int instant, const std::vector<ModelJob>& jobs) const {
        int count = 0;
        for (std::size_t p = 0; p < size(); ++p) {
            const bool free = user[p] < 0 || jobs[static_cast<std::size_t>(user[p])].expected_end() <= instant;
            count += available[p] && free ? 1 : 0;
        }
        return count;
    }
    void take_lowest(int job, int count) {
        for (std::size_t p = 0; p < size() && count > 0; ++p) {
            if (user[p] < 0 && available[p]) {
                user[p] = job;
                --count;
            }
        }
    }
    void release(int job) { std::replace(user.begin(), user.end(), job, -1); }
};

struct Message {
    int now = 0;
    std::vector<int> submitted;
    bool some_completed = false;
    bool some_early = false;
    bool machine_changed = false;

    bool asks_for_round() const { return !submitted.empty() || some_completed || machine_changed; }
};

// Another implementation of an algorithm. Makes the expected starts in `jobs` and `machine`.
class Reference {
 public:
    virtual ~Reference() = default;
    virtual void round(const Message& message, std::vector<ModelJob>& jobs, ModelMachine& machine) = 0;
    // The planned starts of the waiting jobs; null if the algorithm has no plan.
    virtual const std::map<int, int>* plan() const { return nullptr; }

 protected:
    static void start(int index, int now, std::vector<ModelJob>& jobs, ModelMachine& machine) {
        ModelJob& job = jobs[static_cast<std::size_t>(index)];
        job.state = ModelJob::State::running;
        job.start = now;
        machine.take_lowest(index, job.processors);
    }
};

std::vector<int> waiting_by_submission(const std::vector<ModelJob>& jobs) {
    std::vector<int> queue;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (jobs[i].state == ModelJob::State::waiting) {
            queue.push_back(static_cast<int>(i));
        }
    }
    std::stable_sort(queue.begin(), queue.end(), [&](int a, int b) {
        return jobs[static_cast<std::size_t>(a)].submit < jobs[static_cast<std::size_t>(b)].submit;
    });
    return queue;
}

class QueueReference : public Reference {
 public:
    explicit QueueReference(bool backfills) : backfills_(backfills) {}

    void round(const Message& message, std::vector<ModelJob>& jobs, ModelMachine& machine) override {
        if (!message.asks_for_round()) {
            return;
        }
        const std::vector<int> queue = waiting_by_submission(jobs);
        const auto at = [&](std::size_t position) { return jobs[static_cast<std::size_t>(queue[position])]; };
        std::size_t head = 0;
        while (head < queue.size() && at(head).processors <= machine.idle()) {
            start(queue[head++], message.now, jobs, machine);
        }
        if (!backfills_ || head == queue.size()) {
            return;
        }
        int shadow = message.now;
        while (shadow != never && machine.free_at(shadow, jobs) < at(head).processors) {
            shadow = shadow > message.now + 1000 ? never : shadow + 1;
        }
        int extra = shadow == never ? 0 : machine.free_at(shadow, jobs) - at(head).processors;
        for (std::size_t i = head + 1; i < queue.size(); ++i) {
            const ModelJob& job = at(i);
            if (job.processors > machine.idle()) {
                continue;
            }
            if (shadow == never || message.now + job.walltime <= shadow) {
                start(queue[i], message.now, jobs, machine);
            } else if (job.processors <= extra) {
                extra -= job.processors;
                start(queue[i], message.now, jobs, machine);
            }
        }
    }

 private:
    bool backfills_;
};

class ConservativeReference : public Reference {
 public:
    explicit ConservativeReference(std::string compression) : compression_(std::move(compression)) {}

    void round(const Message& message, std::vector<ModelJob>& jobs, ModelMachine& machine) override {
        if (message.machine_changed) {
            const std::vector<int> order = by_planned_start(jobs);
            plan_.clear();
            for (const int job : order) {
                place(job, message.now, jobs, machine);
            }
        } else if (message.some_early && compression_ != "none") {
            std::vector<int> order = waiting_by_submission(jobs);
            std::erase_if(order, [&](int job) { return plan_.count(job) == 0; });
            for (const int job : compression_ == "submission" ? order : by_planned_start(jobs)) {
                plan_.erase(job);
                place(job, message.now, jobs, machine);
            }
        }
        for (const int job : message.submitted) {
            place(job, message.now, jobs, machine);
        }
        for (const int job : by_planned_start(jobs)) {
            if (plan_[job] > message.now) {
                break;
            }
            REQUIRE(plan_[job] == message.now);  // otherwise no message came at the planned start
            // The end of an earlier job may be reported in a later message of this instant.
            if (jobs[static_cast<std::size_t>(job)].processors <= machine.idle()) {
                plan_.erase(job);
                start(job, message.now, jobs, machine);
            }
        }
    }
    const std::map<int, int>* plan() const override { return &plan_; }

 private:
    std::vector<int> by_planned_start(const std::vector<ModelJob>& jobs) {
        std::vector<int> order = waiting_by_submission(jobs);
        std::erase_if(order, [&](int job) { return plan_.count(job) == 0; });
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return plan_[a] < plan_[b]; });
        return order;
    }

    void place(int index, int now, const std::vector<ModelJob>& jobs, const ModelMachine& machine) {
        const ModelJob& job = jobs[static_cast<std::size_t>(index)];
        int end_of_all = now + 1;  // no job runs or is planned from here on
        for (const int user : machine.user) {
            end_of_all =
                user < 0 ? end_of_all : std::max(end_of_all, jobs[static_cast<std::size_t>(user)].expected_end());
        }
        for (const auto& [other, start] : plan_) {
            if (start != never) {
                end_of_all = std::max(end_of_all, start + jobs[static_cast<std::size_t>(other)].walltime);
            }
        }
        std::vector<int> free;  // how many processors in each second from now on
        for (int second = now; second <= end_of_all + job.walltime; ++second) {
            free.push_back(machine.free_at(second, jobs));
        }
        for (const auto& [other, start] : plan_) {
            const ModelJob& planned = jobs[static_cast<std::size_t>(other)];
            for (int i = 0; start != never && i < planned.walltime; ++i) {
                free[static_cast<std::size_t>(start + i - now)] -= planned.processors;
            }
        }
        for (int start = now; start <= end_of_all; ++start) {
            const auto first = free.begin() + (start - now);
            if (std::all_of(first, first + job.walltime, [&](int count) { return count >= job.processors; })) {
                plan_[index] = start;
                return;
            }
        }
        plan_[index] = never;
    }

    std::string compression_;
    std::map<int, int> plan_;
};

// Plays a random stream to the engine.
class World {
 public:
    World(Engine& engine, unsigned seed, const Features& features, Reference* reference)
        : engine_(engine),
          random_(seed),
          features_(features),
          reference_(reference),
          machine_(random_.between(1, 8)),
          keeps_promises_(engine.description().name == "conservative" && !features.overdue &&
                          !features.machine_changes && !features.delayed_calls && !features.missing_walltimes) {
        const int submissions = random_.between(1, 16);
        const int span = random_.between(1, 60);
        for (int i = 0; i < submissions; ++i) {
            calendar_[random_.below(span)].push_back({Event::Kind::submission, 0, {}});
        }
        if (features.machine_changes) {
            for (int i = random_.between(1, 6); i > 0; --i) {
                calendar_[random_.below(2 * span)].push_back(
                    {random_.one_in(2) ? Event::Kind::available : Event::Kind::unavailable, 0, some_processors()});
            }
            // In the end all processors must be available. Otherwise a wide job would wait forever.
            calendar_[2 * span].push_back({Event::Kind::available, 0, ResourceSet::range(0, 1000)});
        }
    }

    void play() {
        engine_.begin(Time(), batfill::Machine(static_cast<int>(machine_.size())));
        while (!calendar_.empty()) {
            const int now = calendar_.begin()->first;
            std::vector<Event> events = std::move(calendar_.begin()->second);
            calendar_.erase(calendar_.begin());
            for (std::size_t i = events.size(); i > 1; --i) {
                std::swap(events[i - 1], events[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
            }
            if (random_.one_in(4) && events.size() > 1) {  // one instant may take several messages
                calendar_[now] = {events.begin() + 1, events.end()};
                events.resize(1);
            }
            send(now, events);
        }
        for (const ModelJob& job : jobs_) {
            REQUIRE((job.state == ModelJob::State::ended || job.state == ModelJob::State::rejected));
        }
        REQUIRE(engine_.state().waiting.empty());
        REQUIRE(engine_.state().running.empty());
        REQUIRE((plan() == nullptr || plan()->by_start().empty()));
    }

 private:
    struct Event {
        enum class Kind { submission, end, available, unavailable, call };
        Kind kind;
        JobIndex job;
        ResourceSet processors;
    };

    ModelJob& job(JobIndex index) { return jobs_[index]; }

    // The plan; null if the algorithm has none.
    const Plan* plan() const {
        const auto* algorithm = dynamic_cast<const PlanAlgorithm*>(&engine_.algorithm());
        return algorithm == nullptr ? nullptr : &algorithm->plan();
    }

    ResourceSet some_processors() {
        const int first = random_.below(static_cast<int>(machine_.size()));
        return ResourceSet::range(first, first + random_.below(4));  // may reach beyond the machine
    }

    void send(int now, const std::vector<Event>& events) {
        Message message;
        message.now = now;
        engine_.arrive(Time::seconds(now));
        for (const Event& event : events) {
            take_in(event, message);
        }
        const std::vector<ModelJob> jobs_before = jobs_;
        const ModelMachine machine_before = machine_;
        for (const Decision& decision : engine_.decide()) {
            follow(decision, now);
        }
        compare_with_state();
        if (keeps_promises_) {
            check_promises();
        }
        if (reference_ != nullptr) {
            compare_with_reference(message, jobs_before, machine_before);
        }
    }

    void take_in(const Event& event, Message& message) {
        switch (event.kind) {
            case Event::Kind::submission:
                submit(message);
                break;
            case Event::Kind::end:
                end(event.job, message);
                break;
            case Event::Kind::available:
            case Event::Kind::unavailable:
                for (std::size_t p = 0; p < machine_.size(); ++p) {
                    if (event.processors.contains(static_cast<int>(p))) {
                        machine_.available[p] = event.kind == Event::Kind::available;
                    }
                }
                engine_.take_in(
                    {engine_.state().now, MachineChanged{event.processors, event.kind == Event::Kind::available}});
                message.machine_changed = true;
                break;
            case Event::Kind::call:
                break;
        }
    }

    void submit(Message& message) {
        ModelJob& added = jobs_.emplace_back();
        added.submit = random_.one_in(5) ? random_.between(0, message.now) : message.now;  // some are registered late
        const int width = static_cast<int>(machine_.size());
        added.processors = random_.one_in(3) ? random_.between(1, width) : random_.between(1, (width + 2) / 3);
        added.has_walltime = !(features_.missing_walltimes && random_.one_in(3));
        added.walltime = added.has_walltime ? random_.between(1, 12) : default_walltime;
        added.run = random_.one_in(3) ? added.walltime : random_.between(0, added.walltime);
        if (!added.has_walltime || (features_.overdue && random_.one_in(4))) {
            added.run = random_.between(0, 2 * added.walltime);
        }
        JobDescription description;
        description.id = "w0!" + std::to_string(jobs_.size() - 1);
        description.submit = Time::seconds(added.submit);
        description.processors = added.processors;
        if (added.has_walltime) {
            description.walltime = Duration::seconds(added.walltime);
        }
        engine_.take_in({engine_.state().now, JobSubmitted{static_cast<JobIndex>(jobs_.size() - 1), description}});
        message.submitted.push_back(static_cast<int>(jobs_.size() - 1));
    }

    void end(JobIndex index, Message& message) {
        ModelJob& ended = job(index);
        if (ended.state != ModelJob::State::running) {
            return;  // it was killed already
        }
        ended.state = ModelJob::State::ended;
        machine_.release(static_cast<int>(index));
        engine_.take_in({engine_.state().now, JobCompleted{index, JobState::completed_successfully}});
        message.some_completed = true;
        message.some_early |= ended.expected_end() > message.now;
    }

    void follow(const Decision& decision, int now) {
        if (const auto* started = std::get_if<StartJob>(&decision)) {
            REQUIRE(started->allocation == engine_.state().job(started->job).allocation);
            start(started->job, now);
        } else if (const auto* rejected = std::get_if<RejectJob>(&decision)) {
            REQUIRE(job(rejected->job).state == ModelJob::State::waiting);
            job(rejected->job).state = ModelJob::State::rejected;
        } else if (const auto* kill = std::get_if<KillJobs>(&decision)) {
            REQUIRE(kill->jobs.size() == 1);
            const JobIndex killed = kill->jobs.front();
            REQUIRE(job(killed).state == ModelJob::State::running);
            REQUIRE_FALSE(job(killed).has_walltime);
            REQUIRE(job(killed).expected_end() <= now);
            calendar_[now].push_back({Event::Kind::end, killed, {}});
        } else {
            const Time time = std::get<CallMeLater>(decision).time;
            REQUIRE(time > Time::seconds(now));
            const auto at = static_cast<int>(time.to_seconds());
            REQUIRE(Time::seconds(at) == time);
            const int delay = features_.delayed_calls && random_.one_in(2) ? random_.between(1, 9) : 0;
            calendar_[at + delay].push_back({Event::Kind::call, 0, {}});
        }
    }

    void start(JobIndex index, int now) {
        ModelJob& started = job(index);
        REQUIRE(started.state == ModelJob::State::waiting);
        const ResourceSet& allocation = engine_.state().job(index).allocation;
        REQUIRE(allocation.size() == started.processors);
        REQUIRE(allocation.last() < static_cast<int>(machine_.size()));
        for (std::size_t p = 0; p < machine_.size(); ++p) {
            if (allocation.contains(static_cast<int>(p))) {
                REQUIRE(machine_.user[p] == -1);
                REQUIRE(machine_.available[p]);
                machine_.user[p] = static_cast<int>(index);
            }
        }
        started.state = ModelJob::State::running;
        started.start = now;
        calendar_[now + started.run].push_back({Event::Kind::end, index, {}});
        if (keeps_promises_) {
            const auto promise = promises_.find(static_cast<int>(index));
            REQUIRE((promise == promises_.end() || now <= promise->second));
            promises_.erase(static_cast<int>(index));
        }
    }

    void compare_with_state() const {
        const SchedulerState& state = engine_.state();
        REQUIRE(state.idle.count() == machine_.idle());
        REQUIRE(state.idle.set().size() == machine_.idle());
        bool equal = true;
        for (std::size_t p = 0; p < machine_.size(); ++p) {
            const int processor = static_cast<int>(p);
            equal = equal && state.idle.set().contains(processor) == (machine_.user[p] < 0 && machine_.available[p]) &&
                    state.unavailable.contains(processor) != machine_.available[p];
        }
        REQUIRE(equal);
        REQUIRE(state.waiting.jobs().size() == waiting_by_submission(jobs_).size());
        const auto running = std::count_if(jobs_.begin(), jobs_.end(), [](const ModelJob& candidate) {
            return candidate.state == ModelJob::State::running;
        });
        REQUIRE(state.running.size() == static_cast<std::size_t>(running));
    }

    // No planned start ever moves later.
    void check_promises() {
        for (const int index : waiting_by_submission(jobs_)) {
            const Time planned = plan()->planned_start(static_cast<JobIndex>(index));
            const auto seconds = static_cast<int>(planned.to_seconds());
            REQUIRE(Time::seconds(seconds) == planned);
            const auto promise = promises_.emplace(index, seconds).first;
            REQUIRE(seconds <= promise->second);
            promise->second = seconds;
        }
    }

    void compare_with_reference(const Message& message, std::vector<ModelJob> jobs, ModelMachine machine) {
        reference_->round(message, jobs, machine);
        REQUIRE(machine.user == machine_.user);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            REQUIRE(jobs[i].state == jobs_[i].state);
        }
        if (reference_->plan() != nullptr) {
            for (const auto& [index, start] : *reference_->plan()) {
                REQUIRE(plan()->planned_start(static_cast<JobIndex>(index)) ==
                        (start == never ? Time::infinity() : Time::seconds(start)));
            }
        }
    }

    Engine& engine_;
    Random random_;
    Features features_;
    Reference* reference_;
    std::vector<ModelJob> jobs_;
    ModelMachine machine_;
    std::map<int, std::vector<Event>> calendar_;
    bool keeps_promises_;
    std::map<int, int> promises_;
};

struct Contender {
    std::string algorithm;
    Parameters::Given parameters;
    std::function<std::unique_ptr<Reference>()> reference;
};

std::vector<Contender> contenders() {
    std::vector<Contender> all{
        {"fcfs", {}, [] { return std::make_unique<QueueReference>(false); }},
        {"easy", {}, [] { return std::make_unique<QueueReference>(true); }},
    };
    for (const std::string compression : {"planned-start", "submission", "none"}) {
        all.push_back({"conservative", {{"compression", compression}}, [compression] {
                           return std::make_unique<ConservativeReference>(compression);
                       }});
    }
    return all;
}

void play_streams(unsigned streams, const Features& features, bool with_reference) {
    for (const Contender& contender : contenders()) {
        for (unsigned seed = 0; seed < streams; ++seed) {
            INFO(contender.algorithm << ", stream " << seed);
            Parameters::Given parameters = contender.parameters;
            if (features.missing_walltimes) {
                parameters.emplace_back("default-walltime", std::to_string(default_walltime));
            }
            Engine engine(contender.algorithm, parameters);
            const std::unique_ptr<Reference> reference = with_reference ? contender.reference() : nullptr;
            World(engine, seed, features, reference.get()).play();
        }
    }
}

}  // namespace

TEST_CASE("Every algorithm starts each job when its definition says, on random streams", "[engine][property]") {
    play_streams(300, {}, true);
}

TEST_CASE("Every algorithm starts each job when its definition says, also when processors come and go",
          "[engine][property]") {
    play_streams(200, {.machine_changes = true}, true);
}

TEST_CASE("The queue algorithms start each job when their definitions say also when jobs are overdue",
          "[engine][property]") {
    for (const bool backfills : {false, true}) {
        for (unsigned seed = 0; seed < 1000; ++seed) {
            INFO("stream " << seed);
            Engine engine(backfills ? "easy" : "fcfs", {});
            QueueReference reference(backfills);
            World(engine, seed, {.overdue = true, .machine_changes = true}, &reference).play();
        }
    }
}

TEST_CASE("No processor is used twice and no job is lost when jobs outlive their walltimes", "[engine][property]") {
    play_streams(300, {.overdue = true}, false);
}

TEST_CASE("No processor is used twice and no job is lost when calls come late", "[engine][property]") {
    play_streams(200, {.delayed_calls = true}, false);
}

TEST_CASE("No processor is used twice and no job is lost when all of this happens at once", "[engine][property]") {
    play_streams(400, {.overdue = true, .machine_changes = true, .delayed_calls = true, .missing_walltimes = true},
                 false);
}

TEST_CASE("Jobs without walltime are stopped at the assumed one", "[engine][property]") {
    play_streams(100, {.missing_walltimes = true}, false);
}

}  // namespace batfill::tests::engine_test
