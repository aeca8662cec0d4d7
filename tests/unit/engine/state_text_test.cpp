#include <string>
#include <variant>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "tests/support/random.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::state_text_test {

TEST_CASE("The text of a state shows how its jobs started, and what waits") {
    Engine engine("easy", {});
    engine.begin(Time(), Machine(4));
    const auto submit = [&](JobIndex number, const std::string& id, int processors, Duration walltime) {
        JobDescription job;
        job.id = id;
        job.submit = engine.state().now;
        job.processors = processors;
        job.walltime = walltime;
        engine.take_in({job.submit, JobSubmitted{JobNumber{number}, job}});
    };
    engine.arrive(Time::seconds(1));
    submit(0, "a", 2, Duration::seconds(100));
    engine.decide();
    engine.arrive(Time::seconds(7));
    submit(1, "b", 4, Duration::seconds(50));
    engine.decide();
    engine.arrive(Time::at(Duration::microseconds(9'500'000)));
    submit(2, "c", 1, Duration::seconds(200));
    CHECK(to_string(engine.state()) ==
          "1: lost 0-3\n"
          "1: back 0-1, a 2x100 since 1\n"
          "9.5: back 2-3, b 4x50 since 7, c 1x200 since 9.5\n");
}

TEST_CASE("The text of a state has what jobs take of pools and hosts, and their partitions") {
    Host host;
    host.properties = {{"capacity", "cores:4"}, {"partitions", "p"}};
    host.zone_properties = {{"pools", "bb:9"}};
    const Machine machine(std::vector<Host>(2, host));
    const std::string a = "a 1x100 takes bb:3 each cores:2 in p since 0";
    SmallMachine small(machine, "fcfs");
    small.play("0: " + a + "\n5: b 2x9 takes bb:9 in p");
    const std::string text = to_string(small.engine().state());
    CHECK(text ==
          "// for a machine with the same pools, capacities and partitions; jobs may start on other hosts\n"
          "0: lost 0-1\n0: back 0, " +
              a + "\n5: back 1, b 2x9 takes bb:9 in p since 5\n");
    SmallMachine again(machine, "fcfs");
    again.play(text);
    CHECK(to_string(again.engine().state()) == text);
}

// Plays a random workload. Before each round, the text of the state must replay as a test that makes the same
// decisions.
void require_replays(const std::string& algorithm, const Parameters::Given& given, unsigned seed) {
    Random random(seed);
    constexpr int processors = 7;
    Engine engine(algorithm, given);
    engine.begin(Time(), Machine(processors));
    JobIndex submitted = 0;
    ResourceSet lost;
    for (int round = 0; round < 60; ++round) {
        const Time now = engine.state().now + Duration::seconds(random.between(0, 20));
        engine.arrive(now);
        const std::vector<RunningJob> running = engine.state().running;
        for (const RunningJob& job : running) {
            if (job.end <= now || random.between(0, 9) == 0) {
                engine.take_in({now, JobCompleted{JobNumber{job.job}, JobState::completed_successfully}});
            }
        }
        if (random.between(0, 9) == 0) {
            const bool comes_back = !lost.empty();
            lost = comes_back ? lost : ResourceSet::range(5, 6);
            engine.take_in({now, MachineChanged{lost, comes_back}});
            lost = comes_back ? ResourceSet() : lost;
        }
        for (int job = random.between(0, 2); job > 0; --job) {
            JobDescription description;
            description.id = "j" + std::to_string(submitted);
            description.submit = now;
            description.processors = random.between(1, processors);
            description.walltime = Duration::seconds(random.between(1, 60));
            engine.take_in({now, JobSubmitted{JobNumber{submitted++}, description}});
        }
        const std::string script = to_string(engine.state());
        std::string starts;
        for (const Decision& decision : engine.decide()) {
            if (const auto* start = std::get_if<StartJob>(&decision)) {
                starts += (starts.empty() ? "start j" : "; start j") + std::to_string(index_of(start->job)) + " " +
                          start->allocation.to_string();
            }
        }
        INFO(algorithm << ", seed " << seed << ", round " << round << "\n" << script);
        REQUIRE(SmallMachine(processors, algorithm, given, Shown::decisions).play(script) == starts);
    }
}

TEST_CASE("The text of a state replays as a test: the same decisions follow") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        require_replays("fcfs", {}, seed);
        require_replays("easy", {}, seed);
        require_replays("easy", {{"order", "saf"}, {"backfill-order", "lexp"}}, seed);
        require_replays("easy", {{"placement", "contiguous"}}, seed);
    }
}

}  // namespace batfill::tests::state_text_test
