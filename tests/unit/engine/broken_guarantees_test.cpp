#include <memory>
#include <optional>

#include <catch2/catch.hpp>

#include "tests/support/small_machine.hpp"

namespace batfill::tests::broken_guarantees_test {

// What happens to the guarantees of waiting jobs when processors are lost.

namespace {

// Registers a job in its first round. Guarantees each job a start ten seconds after its submission.
class GuaranteeingRegistrar : public Algorithm {
 public:
    bool registers_jobs() const override { return !registered_; }
    void decide(Round& round) override {
        if (!registered_) {
            JobDescription job;
            job.id = "own!1";
            job.processors = 1;
            job.walltime = Duration::seconds(10);
            round.register_job(job);
            registered_ = true;
        }
    }
    bool gives_guarantees() const override { return true; }
    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex) const override {
        return state.now + Duration::seconds(10);
    }

 private:
    bool registered_ = false;
};

}  // namespace

TEST_CASE("A registered job that is acknowledged behind a later job leaves that job its guarantee", "[guarantees]") {
    const AlgorithmDescription description = with_common_parameters(
        {"registrar", "", "", {}, [](const Parameters&) { return std::make_unique<GuaranteeingRegistrar>(); }});
    Engine engine(description, {});
    engine.begin(Time(), Machine(4), true, JobNumber{1});
    engine.decide();
    engine.arrive(Time::seconds(5));
    JobDescription job;
    job.id = "w0!1";
    job.processors = 1;
    job.walltime = Duration::seconds(10);
    engine.take_in({Time::seconds(5), JobSubmitted{JobNumber{0}, job}});
    job.id = "own!1";
    engine.take_in({Time::seconds(5), JobSubmitted{JobNumber{1}, job}});
    engine.decide();
    CHECK(engine.guaranteed_at_submission(JobNumber{0}) == Time::seconds(15));
    CHECK(engine.guaranteed_at_submission(JobNumber{1}) == Time::seconds(15));
}

TEST_CASE("A loss that delays a guaranteed start breaks the guarantee, and the new one counts from then on",
          "[failures][guarantees]") {
    SmallMachine machine = failing_machine(4, "conservative");
    machine.play("0: a 2x10, b 4x10, c 2x10, d 2x30 | start a 0-1; start c 2-3");
    CHECK(machine.broken() == "");
    machine.play("5: lost 3 |");                   // held by c until its end
    CHECK(machine.broken() == "b 5: 10 -> none");  // d moves from 20 to 10
    machine.play("6: lost 0-1 |");
    CHECK(machine.broken() == "b 5: 10 -> none; d 6: 20 -> none");
    machine.play("7: back 0-1 3 |");
    CHECK(machine.plan() == "b 10; d 20");
    machine.play("8: lost 0 |");
    // They no longer have a guarantee that could break.
    CHECK(machine.broken() == "b 5: 10 -> none; d 6: 20 -> none");
    CHECK(machine.engine().guaranteed_at_submission(machine.number_of("b")) == Time::seconds(10));
    CHECK(machine.job("b").guaranteed_start.is_infinite());
}

TEST_CASE("A guarantee may be broken several times, each time from the last one", "[failures][guarantees]") {
    SmallMachine machine = failing_machine(4, "conservative");
    machine.play(R"(
        0: a 4x10, b 2x10, c 2x10  | start a 0-3
        1: lost 0                  |
    )");
    CHECK(machine.broken() == "c 1: 10 -> 20");
    machine.play(R"(
        2: back 0  |
        3: lost 0  |  // by now c is promised 20
    )");
    CHECK(machine.broken() == "c 1: 10 -> 20");
    machine.play("4: lost 1-2 |");
    CHECK(machine.broken() == "c 1: 10 -> 20; b 4: 10 -> none; c 4: 20 -> none");
    CHECK(machine.engine().guaranteed_at_submission(machine.number_of("c")) == Time::seconds(10));
}

TEST_CASE("A job that is rejected because of a loss has had its guarantee broken", "[failures][guarantees]") {
    SmallMachine machine = failing_machine(2, "conservative", reject_them);
    machine.play(R"(
         0: a 2x10, b 2x10  | start a 0-1
        10: lost 0, ends a  | reject b  // when a is due to end
    )");
    CHECK(machine.broken() == "b 10: 10 -> none");
}

TEST_CASE("A guarantee that an outlived estimate has broken is not reported as broken by a loss",
          "[failures][guarantees]") {
    SmallMachine machine = failing_machine(2, "conservative");
    machine.play(R"(
         0: a 2x10, b 2x10  | start a 0-1
        12: lost 0          |
    )");
    CHECK(machine.broken() == "");
}

}  // namespace batfill::tests::broken_guarantees_test
