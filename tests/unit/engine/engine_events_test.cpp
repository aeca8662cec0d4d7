#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

namespace batfill::tests::engine_events_test {

namespace {

// A machine of two processors under fcfs that receives one event at a time.
class EngineAtWork {
 public:
    EngineAtWork() { engine_.begin(Time(), Machine(2)); }

    const std::vector<Decision>& tell(Event event) {
        engine_.arrive(event.timestamp);
        engine_.take_in(std::move(event));
        return engine_.decide();
    }
    // Submits a job of one processor, which starts at once if a processor is idle.
    const std::vector<Decision>& submit(int now, JobIndex job) {
        JobDescription description;
        description.id = std::to_string(job);
        description.submit = Time::seconds(now);
        description.processors = 1;
        description.walltime = Duration::seconds(100);
        return tell({Time::seconds(now), JobSubmitted{job, description}});
    }
    JobState state_of(JobIndex job) const { return engine_.state().job(job).state; }
    int idle() const { return engine_.state().idle.count(); }

 private:
    Engine engine_{"fcfs", {}};
};

}  // namespace

TEST_CASE("A job passes through the states from its submission to the end that is told", "[engine]") {
    EngineAtWork machine;
    const std::vector<Decision>& decisions = machine.submit(0, 0);
    REQUIRE(decisions.size() == 1);
    CHECK(std::get<StartJob>(decisions[0]).job == 0);
    CHECK(std::get<StartJob>(decisions[0]).allocation == ResourceSet::range(0, 0));
    machine.submit(0, 1);
    machine.submit(0, 2);
    CHECK(machine.state_of(1) == JobState::running);
    CHECK(machine.state_of(2) == JobState::submitted);
    machine.tell({Time::seconds(5), JobCompleted{0, JobState::completed_walltime_reached}});
    CHECK(machine.state_of(0) == JobState::completed_walltime_reached);
    CHECK(machine.state_of(2) == JobState::running);
}

TEST_CASE("Killed jobs end once, whether their completion was told before or not", "[engine]") {
    EngineAtWork machine;
    machine.submit(0, 0);
    machine.submit(0, 1);
    machine.submit(0, 2);
    machine.tell({Time::seconds(5), JobCompleted{0, JobState::completed_failed}});
    CHECK(machine.state_of(0) == JobState::completed_failed);
    const std::vector<Decision>& decisions = machine.tell({Time::seconds(5), JobsKilled{{0, 1}}});
    CHECK(decisions.empty());
    CHECK(machine.idle() == 1);
    CHECK(machine.state_of(1) == JobState::completed_killed);
    CHECK(machine.state_of(2) == JobState::running);
}

TEST_CASE("Changes of the machine are followed, calls and notifications decide nothing", "[engine]") {
    EngineAtWork machine;
    machine.tell({Time::seconds(1), MachineChanged{ResourceSet::range(0, 1), false}});
    CHECK(machine.submit(2, 0).empty());
    CHECK(machine.tell({Time::seconds(3), RequestedCall{}}).empty());
    CHECK(machine.tell({Time::seconds(3), Notification{NotificationType::other, "flood", "{}"}}).empty());
    const std::vector<Decision>& decisions =
        machine.tell({Time::seconds(4), MachineChanged{ResourceSet::range(1, 7), true}});
    REQUIRE(decisions.size() == 1);
    CHECK(std::get<StartJob>(decisions[0]).allocation == ResourceSet::range(1, 1));
}

TEST_CASE("Events that contradict what the engine knows are refused", "[engine]") {
    EngineAtWork machine;
    machine.submit(0, 0);
    CHECK_THROWS_AS(machine.submit(1, 0), std::logic_error);
    CHECK_THROWS_AS(machine.submit(1, 2), std::logic_error);
    CHECK_THROWS_AS(machine.tell({Time::seconds(1), JobCompleted{0, JobState::running}}), std::logic_error);
    CHECK_THROWS_AS(machine.tell({Time::seconds(1), JobCompleted{1, JobState::completed_killed}}), std::logic_error);
    machine.tell({Time::seconds(1), JobCompleted{0, JobState::completed_successfully}});
    CHECK_THROWS_AS(machine.tell({Time::seconds(1), JobCompleted{0, JobState::completed_successfully}}),
                    std::logic_error);
}

}  // namespace batfill::tests::engine_events_test
