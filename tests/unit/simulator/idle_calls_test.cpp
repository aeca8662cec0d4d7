#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/replay/replay.hpp>

#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::idle_calls_test {

using Catch::Matchers::Contains;

// Starts each job `delay` after its submission, and wants a round after each `period`, for ever.
class Ticking : public Algorithm {
 public:
    Ticking(Duration delay, Duration period, std::size_t& rounds) : delay_(delay), period_(period), rounds_(rounds) {}
    void decide(Round& round) override {
        ++rounds_;
        const std::vector<JobIndex> waiting(round.state().waiting.jobs().begin(), round.state().waiting.jobs().end());
        for (const JobIndex job : waiting) {
            if (round.state().job(job).submit() + delay_ <= round.now()) {
                round.start_if_possible(job);
            }
        }
    }
    Time next_wake(Time after) const override { return after + period_; }

 private:
    Duration delay_;
    Duration period_;
    std::size_t& rounds_;
};

SchedulerChoice ticking(Duration delay, Duration period, std::size_t& rounds) {
    return {std::make_shared<const AlgorithmDescription>(with_common_parameters(
                {"ticking",
                 "",
                 "",
                 {},
                 [=, &rounds](const Parameters&) { return std::make_unique<Ticking>(delay, period, rounds); }})),
            {}};
}

const Duration hour = Duration::seconds(3600);

TEST_CASE("A scheduler that wants calls for ever ends with its jobs", "[simulator]") {
    std::size_t rounds = 0;
    const Outcome outcome =
        run(scenario_of(machine(2), {workload_of(jobs_in("0: a 1x99 runs 10; 20000: b 1x9 runs 5"))}),
            ticking(Duration(), hour, rounds));
    CHECK(outcome.schedule().jobs.size() == 2);
    CHECK(outcome.simulation().results().now < Time::seconds(30000));
    CHECK(rounds < 20);
}

TEST_CASE("A scheduler may wait for an instant that it alone knows", "[simulator]") {
    std::size_t rounds = 0;
    const Outcome outcome = run(scenario_of(machine(2), {workload_of(job("a", "0", 1, "99", "10"))}),
                                ticking(Duration::days(400), hour, rounds));
    CHECK(outcome.schedule().jobs.front().execution->start == Time::at(Duration::days(400)));
    CHECK(rounds > 9600);
}

TEST_CASE("A scheduler that never starts what waits, and wants calls for ever, is an error", "[simulator]") {
    std::size_t rounds = 0;
    const Scenario scenario = scenario_of(machine(2), {workload_of(jobs_in("0: a 1x99 runs 10, b 1x9 runs 1"))});
    RunOptions options;
    std::string waits_for;
    options.watch = [&](const Simulator& simulation) { waits_for = simulation.waits_for(); };
    try {
        run(scenario, ticking(Duration::days(1000), hour, rounds), options);
        FAIL("expected an error");
    } catch (const DecisionError& problem) {
        CHECK_THAT(problem.what(), Contains("10000 calls in a row") &&
                                       Contains("the last of them at 36000000.000000") &&
                                       Contains("2 waiting jobs, the first of them w0!a"));
    }
    CHECK(waits_for == "waits for calls of the scheduler: 2 jobs wait, none runs");
}

TEST_CASE("Calls between which something happens are not counted", "[simulator]") {
    std::size_t rounds = 0;
    // While a job runs, or before the submission of another, any number of calls may pass.
    const Outcome outcome =
        run(scenario_of(machine(2), {workload_of(jobs_in("0: a 1x200000 runs 150000; 300000: b 1x9 runs 5"))}),
            ticking(Duration::seconds(5), Duration::seconds(10), rounds));
    CHECK(outcome.schedule().jobs.size() == 2);
    CHECK(rounds > 20000);
}

TEST_CASE("Behind a socket, the simulation waits for every call, as Batsim does", "[simulator]") {
    // A scheduler that does not say how many calls it may ask for.
    class Patient : public SimulatedScheduler {
     public:
        void begin(const Simulator&, SchedulerReply&) override {}
        void message(Time now, std::span<Event>, SchedulerReply& reply) override {
            if (++messages > 20'000) {
                reply.decisions.push_back({now, RejectJob{JobNumber{0}, {}, {}}});
            } else {
                reply.decisions.push_back({now, CallMeLater{now + hour}});
            }
        }
        void end(Time) override {}
        std::size_t messages = 0;
    };
    Patient scheduler;
    run(scenario_of(machine(2), {workload_of(job("a", "0", 1, "99", "10"))}), scheduler);
    CHECK(scheduler.messages > 20'000);
}

}  // namespace batfill::tests::idle_calls_test
