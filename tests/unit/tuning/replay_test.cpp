#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/metrics.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/replay/replay.hpp>
#include <batfill/workloads/models.hpp>

#include "tests/support/folder.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::replay_test {

using Catch::Matchers::Contains;

namespace {

Workload drawn(std::uint64_t seed, int jobs = 300) {
    LublinModel model;
    model.kind = LublinModel::Jobs::undivided;
    model.jobs = jobs;
    model.processors = 32;
    model.seed = seed;
    model.load = 0.9;
    return generate_lublin(model);
}

// Unusual jobs: run time of 0, no walltime, submitted before 0, stopped at the walltime, failing.
Workload odd() {
    Workload workload = workload_of(jobs_in(R"(
          -5: a 2x10 runs 2
        0.25: b 3x10 runs 20
         0.5: c 4 runs 3.000001
        0.75: d 1x10 runs 10
           1: e 4x1000 runs 7
    )"));
    workload.profiles.at("d2").delay = Duration();
    workload.profiles.at("d7").return_code = 1;
    return workload;
}

// The schedule of `batfill simulate`, read back from its file.
Schedule through_a_file(const Workload& workload, int processors, const SchedulerChoice& choice) {
    const Folder folder;
    write_files(run(scenario_of(machine(processors), {workload}), choice), folder.file("out"));
    return read_schedule(folder.file("out_jobs.csv"));
}

// A cell of the csv of `batfill metrics`.
std::string cell(const Metrics& metrics, const std::string& name) {
    std::ostringstream csv;
    write_metrics(csv, {{"run", metrics}}, MetricsFormat::csv);
    std::istringstream lines(csv.str());
    std::string header;
    std::string row;
    std::getline(lines, header);
    std::getline(lines, row);
    const std::string before = header.substr(0, ("," + header + ",").find("," + name + ","));
    const auto column = std::count(before.begin(), before.end(), ',');
    for (auto i = column; i > 0; --i) {
        row.erase(0, row.find(',') + 1);
    }
    return row.substr(0, row.find(','));
}

const std::vector<SchedulerChoice> schedulers{
    {"fcfs", {{"default-walltime", "50"}}},
    {"easy", {{"default-walltime", "50"}}},
    {"easy", {{"default-walltime", "50"}, {"order", "saf"}, {"backfill-order", "spf"}, {"threshold", "7200"}}},
    {"easy", {{"default-walltime", "50"}, {"order", "mixed"}, {"weights", "-0.2,-0.3,0.1,-0.1,0.2,-0.1"}}},
    {"conservative", {{"default-walltime", "50"}}},
    {"dbf", {{"default-walltime", "50"}}},
};

}  // namespace

TEST_CASE("A replay gives the schedule and the metrics of simulate and metrics, bit for bit", "[replay]") {
    const std::vector<Workload> workloads{drawn(1), drawn(2), odd()};
    for (const Workload& workload : workloads) {
        const Replay replay(machine(32), workload);
        for (const SchedulerChoice& choice : schedulers) {
            const Schedule expected = through_a_file(workload, 32, choice);
            const Schedule found = replay.run(choice).schedule();
            REQUIRE(found.jobs.size() == expected.jobs.size());
            for (std::size_t i = 0; i < found.jobs.size(); ++i) {
                const ScheduledJob& a = found.jobs[i];
                const ScheduledJob& b = expected.jobs[i];
                CHECK(a.id == b.id);
                CHECK(a.submit == b.submit);
                CHECK(a.processors == b.processors);
                CHECK(a.walltime == b.walltime);
                CHECK(a.state == b.state);
                CHECK(a.success == b.success);
                CHECK(a.allocation == b.allocation);
                CHECK(a.execution->start == b.execution->start);
                CHECK(a.execution->length == b.execution->length);
                CHECK(a.execution->finish == b.execution->finish);
                CHECK(a.execution->wait == b.execution->wait);
                CHECK(a.execution->turnaround == b.execution->turnaround);
            }
            MetricsOptions options;
            options.tau = Duration::seconds(60);
            const Metrics metrics = compute_metrics(expected, options);
            for (const std::string& name : ReplayMetric::known_names()) {
                const std::optional<double> value = replay.measure(choice, ReplayMetric(name, options.tau));
                REQUIRE(value);
                CHECK(*value == std::stod(cell(metrics, name)));
            }
        }
    }
}

TEST_CASE("Replays of one workload from several threads at once do not disturb each other", "[replay]") {
    const Replay replay(machine(32), drawn(3));
    const ReplayMetric metric("mean_bounded_slowdown");
    std::vector<double> alone;
    for (const SchedulerChoice& choice : schedulers) {
        alone.push_back(replay.measure(choice, metric).value());
    }
    constexpr std::size_t rounds = 6;
    std::vector<std::vector<double>> together(3);
    std::vector<std::thread> threads;
    for (std::vector<double>& values : together) {
        threads.emplace_back([&] {
            for (std::size_t i = 0; i < rounds * schedulers.size(); ++i) {
                values.push_back(replay.measure(schedulers[i % schedulers.size()], metric).value());
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::vector<double>& values : together) {
        REQUIRE(values.size() == rounds * schedulers.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            CHECK(values[i] == alone[i % alone.size()]);
        }
    }
}

TEST_CASE("A replay without jobs has no value", "[replay]") {
    Workload workload;
    workload.name = "w0";
    const Replay replay(machine(4), workload);
    CHECK(replay.run({"easy", {}}).schedule().jobs.empty());
    for (const std::string& name : ReplayMetric::known_names()) {
        CHECK_FALSE(replay.measure({"easy", {}}, ReplayMetric(name)));
    }
}

TEST_CASE("A replay can be moved", "[replay]") {
    std::vector<Replay> replays;
    for (const std::uint64_t seed : {4U, 5U, 6U}) {
        replays.emplace_back(machine(32), drawn(seed, 20));
    }
    const Replay again(machine(32), drawn(4, 20));
    const ReplayMetric metric("mean_wait");
    CHECK(replays.front().measure({"easy", {}}, metric) == again.measure({"easy", {}}, metric));
}

TEST_CASE("A replay says what cannot be run or measured", "[replay]") {
    const Replay wide(machine(2), workload_of(jobs_in("0: 1 1x10 runs 5, 2 3x10 runs 5")));
    const ReplayMetric metric("mean_wait");
    CHECK_THROWS_WITH(wide.measure({"easy", {}}, metric), Contains("job w0!2") && Contains("rejected"));
    const Schedule schedule = wide.run({"easy", {}}).schedule();
    REQUIRE(schedule.jobs.size() == 2);
    CHECK(schedule.jobs.front().state == JobState::rejected);
    CHECK_FALSE(schedule.jobs.front().execution);

    CHECK_THROWS_AS(wide.run({"neverheardof", {}}), UsageError);
    CHECK_THROWS_AS(wide.run({"easy", {{"neverheardof", "1"}}}), UsageError);
    CHECK_THROWS_WITH(ReplayMetric("utilisation"), Contains("known:") && Contains("mean_bounded_slowdown"));

    Workload communicates = workload_of(job("1", "0", 1, "10", "5"));
    communicates.profiles.at("d5").type = JobProfile::Type::other;
    CHECK_THROWS_AS(Replay(machine(2), communicates), InputError);
}

TEST_CASE("An outcome outlives its replay, and has what the files of a run have", "[replay]") {
    // b waits for a, and is guaranteed its start then; c is wider than the machine.
    const std::string jobs = jobs_in("0: a 2x10 runs 10; 1: b 2x5 runs 5; 2: c 3x5 runs 5");
    const Outcome outcome = Replay(machine(2), workload_of(jobs)).run({"conservative", {}});
    CHECK(outcome.scenario().workloads.front().jobs.size() == 3);
    CHECK(outcome.gives_guarantees());
    CHECK(outcome.guarantee(JobNumber{1}).job_id == "w0!b");
    CHECK(outcome.guarantee(JobNumber{1}).guaranteed_start == at("10"));
    CHECK(outcome.guarantee(JobNumber{1}).actual_start == at("10"));
    CHECK_FALSE(outcome.guarantee(JobNumber{2}).actual_start);
    CHECK(outcome.broken_guarantees().empty());
    CHECK(outcome.registered_jobs().jobs.empty());
    REQUIRE(outcome.rejected().count(RejectionCause::too_wide_for_machine) == 1);
    CHECK(outcome.rejected().at(RejectionCause::too_wide_for_machine).first == JobNumber{2});
    CHECK(audit(outcome).violations.empty());
    CHECK(audit(outcome).guarantees == 2);
    CHECK(outcome.scheduler_seconds() == 0);
}

TEST_CASE("A choice may carry an algorithm that is not registered", "[replay]") {
    // Starts nothing before another round is asked for, ten seconds after the first.
    class Late : public Algorithm {
     public:
        void decide(Round& round) override {
            if (round.now() >= Time::seconds(10)) {
                while (!round.state().waiting.empty()) {
                    round.start(round.state().waiting.job(0));
                }
            }
        }
        Time next_wake(Time after) const override {
            return after < Time::seconds(10) ? Time::seconds(10) : Time::infinity();
        }
    };
    const auto own = std::make_shared<const AlgorithmDescription>(
        with_common_parameters({"late", "", "", {}, [](const Parameters&) { return std::make_unique<Late>(); }}));
    std::optional<Outcome> outcome;
    {
        const Replay replay(machine(2), workload_of(job("a", "0", 2, "10", "10")));
        outcome.emplace(replay.run({own, {}}));
        CHECK(replay.measure({own, {}}, ReplayMetric("mean_wait")) == 10);
    }
    CHECK(outcome->engine()->choice().algorithm() == "late");
    CHECK(outcome->schedule().jobs.front().execution->start == at("10"));
    CHECK(audit(*outcome).violations.empty());
    CHECK_THROWS_AS(SchedulerChoice("late"), UsageError);
}

TEST_CASE("Whoever hears of progress may end a run", "[replay]") {
    struct Enough {};
    const Replay replay(machine(32), drawn(1));
    RunOptions options;
    options.progress = [](std::size_t, Time) { throw Enough(); };
    CHECK_THROWS_AS(replay.run({"easy", {}}, options), Enough);
    CHECK_THROWS_AS(replay.measure({"easy", {}}, ReplayMetric("mean_wait"), options), Enough);
}

TEST_CASE("An algorithm may register jobs, which the audit knows", "[replay]") {
    const Outcome outcome =
        run(scenario_of(machine(2), {workload_of(job("a", "0", 1, "10", "10"))}), {"submitter", {{"jobs", "2"}}});
    CHECK(outcome.registered_jobs().jobs.size() == 2);
    CHECK(outcome.schedule().jobs.size() == 3);
    CHECK(audit(outcome).violations.empty());
}

TEST_CASE("A run that comes to a deadlock is an error, or an outcome of what ended until then", "[replay]") {
    const std::string jobs = jobs_in("0: a 2x3 runs 3; 6: b 2x3 runs 3");
    const Replay replay(scenario_of(machine(2), {workload_of(jobs)}, lost("5", "0")));
    CHECK_THROWS_AS(replay.run({"fcfs", {}}), DeadlockError);
    RunOptions options;
    options.keeps_deadlocks = true;
    const Outcome outcome = replay.run({"fcfs", {}}, options);
    CHECK_THAT(outcome.deadlock(), Contains("w0!b"));
    CHECK(outcome.schedule().jobs.size() == 1);
}

}  // namespace batfill::tests::replay_test
