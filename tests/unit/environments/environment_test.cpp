#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>

#include "src/environments/coroutine.hpp"
#include "src/environments/environment.hpp"
#include "src/formats/job_json.hpp"
#include "tests/support/plain_timeline.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::environments_test {

using namespace environments;

namespace {

Replay replay_of(std::uint64_t seed, int jobs = 300) {
    LublinModel model;
    model.jobs = jobs;
    model.processors = 32;
    model.seed = seed;
    model.load = 1.1;
    return Replay(machine(32), generate_lublin(model));
}

std::vector<std::pair<std::string, Time>> starts(const Outcome& outcome) {
    std::vector<std::pair<std::string, Time>> result;
    for (const SimulatedJob& job : outcome.simulation().jobs()) {
        result.emplace_back(job.job->description.id, job.start);
    }
    return result;
}

// Hosts of partitions, some of them shared, and jobs of users with limits, in arrays, and with begin times.
Replay replay_in_partitions(Random& random) {
    Platform platform;
    while (platform.machine().resources().partitions().empty()) {
        platform.hosts = draw_hosts(random, true);
    }
    platform.limits.push_back({{"user"}, {std::nullopt}, {{"jobs", 2}, {"processors", 4}}, 1, "limits:1"});
    const int most = std::min(static_cast<int>(platform.hosts.size()), 4);
    std::string text;
    int submit = 0;
    for (int i = 100; i < 140; ++i) {
        submit += random.one_in(3) ? random.between(1, 6) : 0;
        const int walltime = random.between(1, 12);
        std::string one = job(std::to_string(i), std::to_string(submit), random.between(1, most),
                              std::to_string(walltime), std::to_string(random.between(1, walltime)));
        std::string more = R"(,"user":"u)" + std::to_string(random.below(4)) + '"';
        more += random.one_in(3) ? R"(,"per_host":{"cores":2})" : "";
        more += random.one_in(4) ? R"(,"pools":{"power":3})" : "";
        const std::array partitions{"", R"(,"partition":"a")", R"(,"partition":"b")", R"(,"partition":"a,b")"};
        more += partitions[static_cast<std::size_t>(random.below(4))];
        more += random.one_in(5) ? R"(,"begin":)" + std::to_string(submit + random.below(20)) : "";
        more += random.one_in(5) ? R"(,"array":"x","array_limit":1)" : "";
        one.insert(one.size() - 1, more);
        text += (text.empty() ? "" : ",") + one;
    }
    Workload workload = workload_of(text);
    const Machine of_platform = platform.machine();
    std::erase_if(workload.jobs, [&](const WorkloadJob& one) {
        const JobDescription& asking = one.description;
        const StatedNeeds* const needs = asking.needs ? &*asking.needs : nullptr;
        return !std::holds_alternative<Request>(of_platform.resources().resolve({asking.processors}, needs));
    });
    return Replay(scenario_of(std::move(platform), {std::move(workload)}));
}

// The seen job that is first by the smallest area; ties by submission.
std::size_t smallest_area(const Environment& environment) {
    const SchedulerState& state = environment.state();
    const std::vector<JobIndex> seen = environment.jobs_of(JobSet::seen);
    std::size_t best = 0;
    const auto area = [&](std::size_t place) {
        return state.job(seen[place]).walltime.count() * state.job(seen[place]).processors();
    };
    for (std::size_t place = 1; place < environment.choices(); ++place) {
        best = area(place) < area(best) ? place : best;
    }
    return best;
}

std::size_t first(const Environment&) {
    return 0;
}

// The starts of an episode in which `decide` is the agent. Checks that the agent sees the jobs that it may choose.
template <class Decide>
std::vector<std::pair<std::string, Time>> played(const Replay& replay, const EnvironmentOptions& options,
                                                 Decide decide) {
    Environment environment(replay, options);
    environment.reset();
    while (!environment.is_done()) {
        REQUIRE(environment.choices() == environment.seen_jobs().size());
        environment.step(decide(environment));
    }
    return starts(environment.outcome());
}

}  // namespace

TEST_CASE("A coroutine stops and resumes, passes on exceptions, and is unwound when it is abandoned") {
    int steps = 0;
    bool unwound = false;
    struct OnEnd {
        bool& flag;
        ~OnEnd() { flag = true; }
    };
    {
        Coroutine counts([&](Coroutine& self) {
            const OnEnd on_end{unwound};
            for (;;) {
                ++steps;
                self.suspend();
            }
        });
        CHECK(counts.resume());
        CHECK(counts.resume());
        CHECK_FALSE(unwound);
    }
    CHECK(steps == 2);
    CHECK(unwound);
    Coroutine fails([](Coroutine& self) {
        self.suspend();
        throw InputError("no");
    });
    CHECK(fails.resume());
    CHECK_THROWS_AS(fails.resume(), InputError);
    Coroutine ends([](Coroutine&) {});
    CHECK_FALSE(ends.resume());
    const Coroutine never([](Coroutine&) { FAIL("nobody has resumed it"); });
}

TEST_CASE("A heuristic played through the environment gives the schedule of simulate") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Replay replay = replay_of(seed);
        EnvironmentOptions options;
        options.queue = 1000;
        options.records_jobs = true;
        const auto played = [&](auto pick) {
            Environment environment(replay, options);
            environment.reset();
            double reward = 0;
            while (!environment.is_done()) {
                reward += environment.step(pick(environment));
            }
            const Outcome& outcome = environment.outcome();
            MetricsOptions metrics;
            CHECK(-reward ==
                  Approx(*compute_metrics(outcome.schedule(), metrics)["mean_bounded_slowdown"]).epsilon(1e-9));
            return starts(outcome);
        };
        const auto first = [](const Environment&) { return std::size_t{0}; };
        CHECK(played(first) == starts(replay.run({"easy", {}})));
        CHECK(played(smallest_area) == starts(replay.run({"easy", {{"order", "saf"}}})));
        options.backfilling = Backfilling::none;
        CHECK(played(first) == starts(replay.run({"fcfs", {}})));
        options.reward_at_end = true;
        CHECK(played(first) == starts(replay.run({"fcfs", {}})));
    }
}

TEST_CASE("A kept head, and the jobs backfilled behind it, are the same as in easy") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Replay replay = replay_of(seed);
        EnvironmentOptions options;
        options.queue = 1000;
        options.records_jobs = true;
        options.head = Head::kept;
        Parameters::Given rule{{"head", "kept"}, {"extra", "none"}, {"rounds", "strict-event"}};
        CHECK(played(replay, options, first) == starts(replay.run({"easy", rule})));
        rule.emplace_back("order", "saf");
        CHECK(played(replay, options, smallest_area) == starts(replay.run({"easy", rule})));
        options.backfilling = Backfilling::none;
        rule.emplace_back("test-limit", "0");
        CHECK(played(replay, options, smallest_area) == starts(replay.run({"easy", rule})));
    }
}

TEST_CASE("The first offered job gives the schedule of easy under each order, and none that of no backfilling") {
    const Replay replay = replay_of(3);
    for (const char* order : {"fcfs", "spf", "saf", "lexp"}) {
        EnvironmentOptions options;
        options.task = Task::backfill;
        options.order = {{"order", order}};
        CHECK(played(replay, options, first) == starts(replay.run({"easy", options.order})));
        const auto none = [&](const Environment&) { return options.queue; };
        Parameters::Given no_backfilling = options.order;
        no_backfilling.emplace_back("test-limit", "0");
        CHECK(played(replay, options, none) == starts(replay.run({"easy", no_backfilling})));
        const auto last = [](const Environment& environment) { return environment.choices() - 1; };
        CHECK(played(replay, options, last) != starts(replay.run({"easy", options.order})));
    }
}

TEST_CASE("Fixed weights give the schedule of easy with them, and each period asks once") {
    const Replay replay = replay_of(4);
    EnvironmentOptions options;
    options.task = Task::weights;
    options.order = {{"scales", "32,3600,3600,3600,10,100000"}};
    options.period = Duration::seconds(3600);
    std::vector<Microseconds> periods;
    const auto weights = [&](const Environment& environment) {
        periods.push_back(environment.state().now.since_zero().count() / options.period.count());
        return MixedWeights{0.5, -1, 0.25, 0, 2, -0.75};
    };
    Parameters::Given rule = options.order;
    rule.emplace_back("order", "mixed");
    rule.emplace_back("weights", "0.5,-1,0.25,0,2,-0.75");
    CHECK(played(replay, options, weights) == starts(replay.run({"easy", rule})));
    CHECK(periods.size() > 10);
    CHECK(std::adjacent_find(periods.begin(), periods.end(), std::greater_equal<>()) == periods.end());
}

TEST_CASE("With a queue for each partition an agent that goes by submission or by area gives the schedules of easy") {
    int differ = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const Replay replay = replay_in_partitions(random);
        CAPTURE(seed);
        EnvironmentOptions options;
        options.queue = 1000;
        options.records_jobs = true;
        options.partitions_are_queues = true;
        const auto of = [&](const std::string& algorithm, Parameters::Given parameters) {
            parameters.emplace_back("queues", "partitions");
            return starts(replay.run({algorithm, parameters}));
        };
        const std::vector<std::pair<std::string, Time>> by_submission = of("easy", {});
        CHECK(played(replay, options, first) == by_submission);
        CHECK(played(replay, options, smallest_area) == of("easy", {{"order", "saf"}}));
        options.backfilling = Backfilling::none;
        CHECK(played(replay, options, first) == of("fcfs", {}));
        options.task = Task::backfill;
        CHECK(played(replay, options, first) == by_submission);
        const auto none = [&](const Environment&) { return options.queue; };
        options.order = {{"order", "saf"}};
        CHECK(played(replay, options, none) == of("easy", {{"order", "saf"}, {"test-limit", "0"}}));
        options.task = Task::weights;
        options.order = {};
        const auto weights = [](const Environment&) { return MixedWeights{0.5, -1, 0.25, 0, 2, -0.75}; };
        CHECK(played(replay, options, weights) ==
              of("easy", {{"order", "mixed"}, {"weights", "0.5,-1,0.25,0,2,-0.75"}}));
        options.task = Task::pick;
        options.backfilling = Backfilling::easy;
        options.partitions_are_queues = false;
        const auto as_one = played(replay, options, first);
        CHECK(as_one == starts(replay.run({"easy", {}})));
        differ += as_one != by_submission ? 1 : 0;
    }
    CHECK(differ > 20);
}

TEST_CASE("The rewards of an episode add up to its metric") {
    const Replay replay = replay_of(5);
    const auto total = [&](Cost cost, Task task, bool at_end) {
        EnvironmentOptions options;
        options.cost = cost;
        options.task = task;
        options.reward_at_end = at_end;
        Environment environment(replay, options);
        environment.reset();
        double sum = 0;
        while (!environment.is_done()) {
            sum += environment.step(std::size_t{0});
        }
        return sum;
    };
    const Outcome easy = replay.run({"easy", {}});
    const Metrics metrics = compute_metrics(easy.schedule(), {});
    const auto& jobs = easy.simulation().jobs();
    double area = 0;
    double turnaround = 0;
    Time latest_start;
    for (const SimulatedJob& job : jobs) {
        turnaround += (job.end - job.job->description.submit).to_seconds() / static_cast<double>(jobs.size());
        latest_start = std::max(latest_start, job.start);
    }
    for (const SimulatedJob& job : jobs) {
        area += (std::min(job.end, latest_start) - job.start).to_seconds() * job.job->description.processors;
    }
    const double span = (latest_start - jobs.front().job->description.submit).to_seconds();
    for (const Task task : {Task::pick, Task::backfill}) {
        for (const bool at_end : {false, true}) {
            CHECK(-total(Cost::wait, task, at_end) == Approx(*metrics["mean_wait"]));
            CHECK(-total(Cost::slowdown, task, at_end) == Approx(*metrics["mean_slowdown"]));
            CHECK(-total(Cost::turnaround, task, at_end) == Approx(turnaround));
            CHECK(total(Cost::utilisation, task, at_end) == Approx(area / span / 32));
        }
    }
}

TEST_CASE("Jobs that waited for others keep their places, and their waits count from their submissions") {
    Workload workload;
    workload.name = "w0";
    workload.processors = 1;
    JobProfile& profile = workload.profiles["p"];
    profile.type = JobProfile::Type::delay;
    profile.type_name = "delay";
    profile.delay = Duration::seconds(10);
    for (const int place : {0, 1, 2}) {
        WorkloadJob& job = workload.jobs.emplace_back();
        job.description.id = "w0!" + std::to_string(place);
        job.description.submit = Time::at(Duration::seconds(place));
        job.description.processors = 1;
        job.description.walltime = Duration::seconds(20);
        job.description.profile = "p";
    }
    set_dependencies(workload.jobs[1].description, {{Dependency::Kind::ok, "2", {}}});
    const Replay replay(machine(1), std::move(workload));
    EnvironmentOptions options;
    options.cost = Cost::wait;
    options.records_jobs = true;
    Environment environment(replay, options);
    environment.reset();
    std::vector<std::vector<std::size_t>> seen;
    double sum = 0;
    while (!environment.is_done()) {
        seen.push_back(environment.seen_jobs());
        for (const JobIndex job : environment.jobs_of(JobSet::seen)) {
            CHECK(environment.record(job).submit.to_seconds() == static_cast<double>(environment.record(job).place));
        }
        sum += environment.step(std::size_t{0});
    }
    CHECK(seen == std::vector<std::vector<std::size_t>>{{0}, {2}, {1}});
    CHECK(-sum == Approx((0 + 8 + 19) / 3.0));
}

TEST_CASE("Observations are in 0 to 1, tell which jobs fit, and actions are the jobs that are there") {
    const Replay replay = replay_of(7);
    EnvironmentOptions options;
    options.queue = 8;
    Environment environment(replay, options);
    CHECK(environment.is_done());
    environment.reset();
    std::vector<float> jobs(options.queue * features_of_plain_job);
    std::vector<float> machine_features(features_of_machine(options, replay.machine()));
    const auto mask = std::make_unique<bool[]>(options.queue);
    const auto observe = [&] { environment.observe(jobs, machine_features, {mask.get(), options.queue}); };
    std::mt19937 random(1);
    std::size_t steps = 0;
    for (; !environment.is_done(); ++steps) {
        observe();
        const auto is_share = [](float value) { return value >= 0 && value <= 1; };
        REQUIRE(std::all_of(jobs.begin(), jobs.end(), is_share));
        REQUIRE(std::all_of(machine_features.begin(), machine_features.end(), is_share));
        for (std::size_t place = 0; place < options.queue; ++place) {
            const float* const job = jobs.data() + place * features_of_plain_job;
            REQUIRE(mask[place] == (place < environment.choices()));
            REQUIRE(job[4] == (place < environment.choices() ? 1.0F : 0.0F));
            REQUIRE(job[3] ==
                    (job[4] == 1.0F && environment.state().waiting.processors(place) <= environment.state().idle.count()
                         ? 1.0F
                         : 0.0F));
        }
        environment.step(random() % environment.choices());
    }
    CHECK(steps >= 300);
    observe();
    CHECK(std::all_of(jobs.begin(), jobs.end(), [](float value) { return value == 0; }));
    // An episode can be left in the middle, and another begun.
    environment.reset();
    environment.step(0);
    environment.reset();
    CHECK_FALSE(environment.is_done());
}

TEST_CASE("An episode records which jobs are seen, wait, run, have started and have ended") {
    const Replay replay = replay_of(4);
    for (const auto& [task, head, at_end] :
         {std::tuple(Task::pick, Head::best, false), std::tuple(Task::pick, Head::kept, true),
          std::tuple(Task::backfill, Head::best, false)}) {
        EnvironmentOptions options;
        options.task = task;
        options.head = head;
        options.reward_at_end = at_end;
        options.records_jobs = true;
        Environment environment(replay, options);
        environment.reset();
        std::vector<Time> started(300, Time::infinity());
        std::size_t ended = 0;
        while (!environment.is_done()) {
            const SchedulerState& state = environment.state();
            CHECK(environment.jobs_of(JobSet::waiting).size() == state.waiting.size());
            CHECK(environment.jobs_of(JobSet::running).size() == state.running.size());
            CHECK(environment.reservation().has_value() == (task == Task::backfill));
            const std::vector<JobIndex> seen = environment.jobs_of(JobSet::seen);
            for (std::size_t place = 0; place < seen.size(); ++place) {
                CHECK(environment.record(seen[place]).place == environment.seen_jobs()[place]);
            }
            environment.step(std::size_t{0});
            if (at_end && !environment.is_done()) {
                continue;  // these sets grow until the end
            }
            for (const JobIndex job : environment.jobs_of(JobSet::started)) {
                started.at(environment.record(job).place) = environment.record(job).start;
            }
            for (const JobIndex job : environment.jobs_of(JobSet::ended)) {
                const JobRecord& record = environment.record(job);
                CHECK(record.end == record.start + record.run_time);
                ++ended;
            }
        }
        CHECK(ended == 300);
        std::vector<Time> expected;
        for (const SimulatedJob& job : environment.outcome().simulation().jobs()) {
            expected.push_back(job.start);
        }
        CHECK(started == expected);
    }
}

}  // namespace batfill::tests::environments_test
