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
        return tell({Time::seconds(now), JobSubmitted{JobNumber{job}, description}});
    }
    JobState state_of(JobIndex job) const { return engine_.state().job(job).state; }
    const Engine& engine() const { return engine_; }
    int idle() const { return engine_.state().idle.count(); }

 private:
    Engine engine_{"fcfs", {}};
};

}  // namespace

TEST_CASE("A job passes through the states from its submission to its reported end", "[engine]") {
    EngineAtWork machine;
    const std::vector<Decision>& decisions = machine.submit(0, 0);
    REQUIRE(decisions.size() == 1);
    CHECK(std::get<StartJob>(decisions[0]).job == JobNumber{0});
    CHECK(std::get<StartJob>(decisions[0]).allocation == ResourceSet::range(0, 0));
    machine.submit(0, 1);
    machine.submit(0, 2);
    CHECK(machine.state_of(1) == JobState::running);
    CHECK(machine.state_of(2) == JobState::submitted);
    machine.tell({Time::seconds(5), JobCompleted{JobNumber{0}, JobState::completed_walltime_reached}});
    CHECK(machine.state_of(0) == JobState::completed_walltime_reached);
    CHECK(machine.state_of(2) == JobState::running);
}

TEST_CASE("Killed jobs end once, whether their completion was told before or not", "[engine]") {
    EngineAtWork machine;
    machine.submit(0, 0);
    machine.submit(0, 1);
    machine.submit(0, 2);
    machine.tell({Time::seconds(5), JobCompleted{JobNumber{0}, JobState::completed_failed}});
    CHECK(machine.state_of(0) == JobState::completed_failed);
    const std::vector<Decision>& decisions = machine.tell({Time::seconds(5), JobsKilled{{JobNumber{0}, JobNumber{1}}}});
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
    CHECK_THROWS_WITH(machine.submit(1, 0), "job \"0\" is submitted twice");
    CHECK_THROWS_AS(machine.tell({Time::seconds(1), JobCompleted{JobNumber{0}, JobState::running}}), std::logic_error);
    CHECK_THROWS_AS(machine.tell({Time::seconds(1), JobCompleted{JobNumber{1}, JobState::completed_killed}}),
                    std::logic_error);
    machine.tell({Time::seconds(1), JobCompleted{JobNumber{0}, JobState::completed_successfully}});
    CHECK_THROWS_AS(machine.tell({Time::seconds(1), JobCompleted{JobNumber{0}, JobState::completed_successfully}}),
                    std::logic_error);
}

TEST_CASE("Decisions name jobs by the numbers that the submissions give", "[engine]") {
    EngineAtWork machine;
    CHECK(std::get<StartJob>(machine.submit(0, 7)[0]).job == JobNumber{7});
    CHECK(std::get<StartJob>(machine.submit(1, 3)[0]).job == JobNumber{3});
    CHECK(machine.submit(2, 5).empty());
    const std::vector<Decision>& decisions =
        machine.tell({Time::seconds(4), JobCompleted{JobNumber{3}, JobState::completed_successfully}});
    REQUIRE(decisions.size() == 1);
    CHECK(std::get<StartJob>(decisions[0]).job == JobNumber{5});
    CHECK(machine.engine().knows(JobNumber{3}));
    CHECK_FALSE(machine.engine().is_running(JobNumber{3}));
    CHECK(machine.engine().is_running(JobNumber{7}));
    CHECK_FALSE(machine.engine().knows(JobNumber{4}));
}

TEST_CASE("Registered jobs have numbers that no job of the caller has or will have", "[engine]") {
    const auto requeued = [](JobNumber first_free) {
        Engine engine("fcfs", {{"on-failure", "requeue"}});
        engine.begin(Time(), Machine(1), false, first_free);
        JobDescription job;
        job.id = "w0!a";
        job.processors = 1;
        job.walltime = Duration::seconds(100);
        engine.take_in({Time(), JobSubmitted{JobNumber{2}, job}});
        engine.decide();
        engine.arrive(Time::seconds(1));
        engine.take_in({Time::seconds(1), MachineChanged{ResourceSet::range(0, 0), false}});
        CHECK(std::get<KillJobs>(engine.decide()[0]).jobs == std::vector<JobNumber>{JobNumber{2}});
        engine.take_in({Time::seconds(1), JobCompleted{JobNumber{2}, JobState::completed_killed}});
        return std::get<RegisterJob>(engine.decide()[0]).job;
    };
    CHECK(requeued(JobNumber{0}) == JobNumber{3});
    CHECK(requeued(JobNumber{10}) == JobNumber{10});
}

}  // namespace batfill::tests::engine_events_test
