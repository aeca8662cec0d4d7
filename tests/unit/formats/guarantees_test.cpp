#include <map>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "engine_rounds.hpp"
#include "simulator_fixture.hpp"

namespace batfill::tests::guarantees_test {

// Tests of the guarantees that a plan gives at submission.

namespace {

// An engine that receives events by the names of jobs.
class NamedJobs {
 public:
    NamedJobs(const std::string& algorithm, int processors) : engine_(algorithm, {}) {
        engine_.begin(Time(), Machine(processors));
    }

    void at(int now) { engine_.arrive(Time::seconds(now)); }
    void submit(const std::string& name, int processors, int walltime, std::optional<int> deadline = std::nullopt) {
        JobDescription job;
        job.id = name;
        job.submit = engine_.state().now;
        job.processors = processors;
        job.walltime = Duration::seconds(walltime);
        if (deadline) {
            job.deadline = Time::seconds(*deadline);
        }
        const auto index = static_cast<JobIndex>(jobs_.size());
        engine_.take_in({job.submit, JobSubmitted{JobNumber{index}, job}});
        jobs_[name] = index;
    }
    void ends(const std::string& name) {
        engine_.take_in(
            {engine_.state().now, JobCompleted{JobNumber{jobs_.at(name)}, JobState::completed_successfully}});
    }
    void processor_changes(int processor, bool available) {
        engine_.take_in({engine_.state().now, MachineChanged{ResourceSet::range(processor, processor), available}});
    }
    // Runs the round. Returns each job with the guarantee it had at its submission: "a 0; b none".
    std::string round() {
        engine_.decide();
        std::string text;
        for (const auto& [name, index] : jobs_) {
            const JobTable& jobs = engine_.state().jobs;
            const Time start =
                jobs.has(index) ? jobs[index].guaranteed_start : engine_.guaranteed_at_submission(JobNumber{index});
            text += (text.empty() ? "" : "; ") + name + " " + (start.is_infinite() ? "none" : brief(start));
        }
        return text;
    }
    // The start of a running job.
    std::string start_of(const std::string& name) const {
        const Job& job = engine_.state().job(jobs_.at(name));
        REQUIRE(job.state == JobState::running);
        return brief(job.start);
    }
    const Engine& engine() const { return engine_; }

 private:
    Engine engine_;
    std::map<std::string, JobIndex> jobs_;
};

}  // namespace

TEST_CASE("A job is guaranteed the start that it is planned for when it is submitted", "[guarantees]") {
    NamedJobs table("conservative", 2);
    CHECK(table.engine().gives_guarantees());
    table.at(0);
    table.submit("a", 2, 10);
    table.submit("b", 2, 10);
    table.submit("c", 1, 5);
    table.submit("wide", 3, 5);  // rejected
    CHECK(table.round() == "a 0; b 10; c 20; wide none");
    table.at(4);
    table.ends("a");  // early: b starts, and the plan moves c to 14
    table.submit("d", 2, 5);
    CHECK(table.round() == "a 0; b 10; c 20; d 19; wide none");
    CHECK(table.start_of("b") == "4");
    table.at(14);
    table.ends("b");
    CHECK(table.round() == "a 0; b 10; c 20; d 19; wide none");
    CHECK(table.start_of("c") == "14");
}

TEST_CASE("A guarantee stays as it was when it is broken", "[guarantees]") {
    NamedJobs table("conservative", 2);
    table.at(0);
    table.submit("a", 2, 5);
    table.submit("b", 2, 5);
    table.submit("c", 2, 5);
    CHECK(table.round() == "a 0; b 5; c 10");
    table.at(7);
    table.ends("a");  // after its estimate
    CHECK(table.round() == "a 0; b 5; c 10");
    CHECK(table.start_of("b") == "7");
    table.at(12);
    table.ends("b");
    table.processor_changes(1, false);
    CHECK(table.round() == "a 0; b 5; c 10");
    table.at(20);
    table.processor_changes(1, true);
    CHECK(table.round() == "a 0; b 5; c 10");
    CHECK(table.start_of("c") == "20");
}

TEST_CASE("A job that the machine is too small for at present is guaranteed nothing", "[guarantees]") {
    NamedJobs table("conservative", 2);
    table.at(0);
    table.processor_changes(0, false);
    table.submit("a", 2, 5);
    table.submit("b", 1, 5);
    CHECK(table.round() == "a none; b 0");
    table.at(1);
    table.processor_changes(0, true);
    CHECK(table.round() == "a none; b 0");
}

TEST_CASE("A tentative job is guaranteed nothing, also when it becomes definitive", "[guarantees][dbf]") {
    NamedJobs table("dbf", 2);
    table.at(0);
    table.submit("a", 2, 10);
    table.submit("b", 2, 10, 25);
    table.submit("hopeless", 2, 10, 29);
    CHECK(table.round() == "a 0; b none; hopeless 20");
    table.at(1);
    table.submit("r", 2, 10);  // b would end at 50, so it becomes definitive and goes before r
    CHECK(table.round() == "a 0; b none; hopeless 20; r 30");
    CHECK(tentative_jobs(table.engine()).empty());
}

TEST_CASE("A job that is started as soon as it is submitted is guaranteed that", "[guarantees][dbf]") {
    NamedJobs table("dbf", 3);
    table.at(0);
    table.submit("a", 2, 10);
    table.submit("b", 2, 10, 100);
    CHECK(table.round() == "a 0; b none");
    table.at(1);
    table.submit("r", 1, 5);
    table.submit("s", 1, 5);  // goes before b, which would then start at 11
    CHECK(table.round() == "a 0; b none; r 1; s 6");
    CHECK(table.start_of("r") == "1");
}

TEST_CASE("Algorithms without a plan guarantee nothing", "[guarantees]") {
    for (const char* algorithm : {"easy", "fcfs"}) {
        NamedJobs table(algorithm, 2);
        CHECK_FALSE(table.engine().gives_guarantees());
        table.at(0);
        table.submit("a", 2, 10);
        table.submit("b", 2, 10);
        CHECK(table.round() == "a none; b none");
    }
}

}  // namespace batfill::tests::guarantees_test
