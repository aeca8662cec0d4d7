#include <map>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include "engine_rounds.hpp"
#include "failing_machine.hpp"

namespace batfill::tests::machine_failures_test {

// What happens when processors are lost to jobs that run there (on-failure) and to jobs that no longer fit
// (when-too-small).

TEST_CASE("By default the jobs of lost processors go on, and nothing is counted", "[failures]") {
    FailingMachine machine(4, "fcfs", {});
    machine.at(0);
    machine.submit("a", 4, 100);
    CHECK(machine.round() == "start a 0-3");
    machine.at(10);
    machine.lost("1");
    CHECK(machine.round() == "");
    CHECK(machine.statistics() == "");
    CHECK_FALSE(machine.engine().registers_jobs());
}

TEST_CASE("A job on a lost processor is killed, and holds what it has until its end is told", "[failures]") {
    FailingMachine machine(4, "fcfs", kill_them);
    machine.at(0);
    machine.submit("a", 2, 100);
    machine.submit("b", 1, 100);
    machine.submit("c", 2, 100);
    CHECK(machine.round() == "start a 0-1; start b 2");
    machine.at(10);
    machine.lost("1");
    CHECK(machine.round() == "kill a");
    machine.at(10);
    machine.submit("d", 1, 100);
    CHECK(machine.round() == "");
    machine.at(11);
    machine.ends("a", JobState::completed_killed);
    machine.killed("a");
    CHECK(machine.round() == "start c 0 3");
    CHECK(machine.statistics() == "jobs_killed 1, jobs_requeued 0, lost_processor_seconds 22");
    machine.no_more_jobs();
    CHECK(machine.round() == "");
}

TEST_CASE("A killed job is submitted again under the next number, with all that it asks for", "[failures]") {
    FailingMachine machine(4, "fcfs", requeue);
    machine.at(0);
    machine.submit("w0!a", 2, 100);
    machine.submit("w0!b", 3, 100);
    CHECK(machine.round() == "start w0!a 0-1");
    machine.at(10);
    machine.lost("0");
    CHECK(machine.round() == "kill w0!a");
    machine.at(10);
    machine.ends("w0!a", JobState::completed_killed);
    machine.submit("w0!c", 1, 100);  // precedes the job that is submitted again
    CHECK(machine.round() == "register w0!a#1; start w0!b 1-3");
    JobDescription expected = machine.job("w0!a").description();
    expected.id = "w0!a#1";
    expected.submit = Time::seconds(10);
    CHECK(machine.job("w0!a#1").description() == expected);
    machine.at(20);
    machine.back("0");
    CHECK(machine.round() == "start w0!c 0");
    machine.at(30);
    machine.ends("w0!b");
    machine.no_more_jobs();
    CHECK(machine.round() == "start w0!a#1 1-2");
    machine.at(40);
    machine.lost("0-2");
    CHECK(machine.round() == "kill w0!c w0!a#1");
    machine.at(40);
    machine.ends("w0!c", JobState::completed_killed);
    machine.ends("w0!a#1", JobState::completed_killed);
    CHECK(machine.round() == "register w0!c#1; register w0!a#2; start w0!c#1 3");
    machine.at(50);
    machine.back("0-1");
    machine.ends("w0!c#1");
    CHECK(machine.round() == "start w0!a#2 0-1");
    machine.at(60);
    machine.ends("w0!a#2");
    CHECK(machine.round() == "finished");
    CHECK(machine.statistics() == "jobs_killed 3, jobs_requeued 3, lost_processor_seconds 60");
    machine.at(61);
    CHECK(machine.round() == "");
}

TEST_CASE("A job that ends by itself while it is being killed is not submitted again", "[failures]") {
    FailingMachine machine(2, "fcfs", requeue);
    machine.at(0);
    machine.submit("a", 1, 100);
    CHECK(machine.round() == "start a 0");
    machine.at(10);
    machine.lost("0");
    CHECK(machine.round() == "kill a");
    machine.at(10);
    machine.ends("a");
    machine.killed("a");
    machine.no_more_jobs();
    CHECK(machine.round() == "finished");
    CHECK(machine.statistics() == "jobs_killed 0, jobs_requeued 0, lost_processor_seconds 0");
}

TEST_CASE("A job that ends in the message of the loss is not killed", "[failures]") {
    FailingMachine machine(2, "fcfs", requeue);
    machine.at(0);
    machine.submit("a", 1, 100);
    machine.submit("b", 1, 100);
    CHECK(machine.round() == "start a 0; start b 1");
    machine.at(10);
    machine.lost("0");
    machine.ends("a");
    CHECK(machine.round() == "");
    machine.at(20);
    machine.ends("b");
    machine.lost("1");
    CHECK(machine.round() == "");
}

TEST_CASE("A job is killed once, however often it loses processors", "[failures]") {
    FailingMachine machine(4, "fcfs", requeue);
    machine.at(0);
    machine.submit("a", 4, 100);
    CHECK(machine.round() == "start a 0-3");
    machine.at(10);
    machine.lost("0");
    machine.lost("2");
    CHECK(machine.round() == "kill a");
    machine.at(11);
    machine.lost("3");
    CHECK(machine.round() == "");
    machine.at(12);
    machine.killed("a");  // not every Batsim also reports the completion
    CHECK(machine.round() == "register a#1");
    machine.at(13);
    machine.back("0 2-3");
    CHECK(machine.round() == "start a#1 0-3");
    machine.at(14);
    machine.back("1");  // it was available
    machine.lost("1");  // it is lost
    machine.lost("1");  // reported twice
    machine.submit("b", 1, 10);
    CHECK(machine.round() == "kill a#1");
}

TEST_CASE("Processors that are lost and back in one message have been lost to who held them, not to who starts",
          "[failures]") {
    FailingMachine machine(4, "fcfs", requeue);
    machine.at(0);
    machine.submit("a", 2, 100);
    CHECK(machine.round() == "start a 0-1");
    machine.at(10);
    machine.lost("1-3");
    machine.back("1-3");
    machine.submit("b", 2, 100);
    CHECK(machine.round() == "start b 2-3; kill a");
    machine.at(10);
    machine.ends("a", JobState::completed_killed);
    CHECK(machine.round() == "register a#1; start a#1 0-1");
}

TEST_CASE("A job whose processors go at the instant of its start runs for no time", "[failures]") {
    FailingMachine machine(2, "easy", requeue);
    machine.at(5);
    machine.submit("a", 2, 100);
    CHECK(machine.round() == "start a 0-1");
    machine.at(5);
    machine.lost("1");
    CHECK(machine.round() == "kill a");
    machine.at(5);
    machine.ends("a", JobState::completed_killed);
    CHECK(machine.round() == "register a#1");
    CHECK(machine.statistics() == "jobs_killed 1, jobs_requeued 1, lost_processor_seconds 0");
}

TEST_CASE("A job that is stopped at its assumed walltime is not submitted again", "[failures]") {
    FailingMachine machine(2, "fcfs", {{"on-failure", "requeue"}, {"default-walltime", "50"}});
    machine.at(0);
    machine.submit("a", 1, std::nullopt);
    machine.submit("b", 1, std::nullopt);
    CHECK(machine.round() == "start a 0; start b 1");
    machine.at(40);
    machine.lost("1");
    CHECK(machine.round() == "kill b");
    machine.at(40);
    machine.ends("b", JobState::completed_killed);
    CHECK(machine.round() == "register b#1");
    machine.at(50);
    machine.lost("0");
    CHECK(machine.round() == "kill a");
    machine.at(50);
    machine.ends("a", JobState::completed_killed);
    machine.back("1");
    CHECK(machine.round() == "start b#1 1");
    CHECK(machine.job("b#1").walltime_assumed);
}

TEST_CASE("The plan counts the processors of a job that is being killed once", "[failures]") {
    FailingMachine machine(4, "conservative", requeue);
    machine.at(0);
    machine.submit("a", 3, 100);
    machine.submit("b", 2, 50);
    machine.submit("c", 1, 60);
    CHECK(machine.round() == "start a 0-2; start c 3");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{1, Time::seconds(100)}});
    machine.at(10);
    machine.lost("0");
    CHECK(machine.round() == "kill a");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{1, Time::seconds(100)}});
    machine.at(10);
    machine.submit("d", 2, 10);
    CHECK(machine.round() == "");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{1, Time::seconds(100)}, {3, Time::seconds(150)}});
    machine.at(11);
    machine.ends("a", JobState::completed_killed);
    CHECK(machine.round() == "register a#1; start b 1-2");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{3, Time::seconds(61)}, {4, Time::seconds(71)}});
    CHECK(machine.engine().guaranteed_at_submission(JobNumber{4}) == Time::seconds(71));
    CHECK(machine.broken() == "");
}

TEST_CASE("Jobs that do not fit what is left are rejected when it is lost, or when they come", "[failures]") {
    const std::string algorithm = GENERATE("fcfs", "easy", "conservative", "pc", "dc", "dbf");
    CAPTURE(algorithm);
    FailingMachine machine(4, algorithm, reject_them);
    machine.at(0);
    machine.submit("a", 4, 100);
    machine.submit("b", 4, 100);
    machine.submit("c", 3, 100);
    CHECK(machine.round() == "start a 0-3");
    machine.at(10);
    machine.lost("1");
    machine.submit("d", 4, 100);
    machine.submit("e", 2, 100);
    CHECK(machine.round() == "reject b; reject d");
    CHECK(machine.job("b").state == JobState::rejected);
    machine.at(20);
    machine.back("1");
    machine.submit("f", 4, 100);
    CHECK(machine.round() == "");
    machine.at(30);
    machine.lost("0");
    machine.back("0");
    CHECK(machine.round() == "");
    machine.at(100);
    machine.ends("a");
    const std::string started = machine.round();
    CHECK_THAT(started, Catch::StartsWith("start "));
    CHECK(machine.engine().state().waiting.size() == 2);
}

TEST_CASE("Jobs that do not fit what is left wait by default", "[failures]") {
    FailingMachine machine(2, "conservative", {});
    machine.at(0);
    machine.lost("0");
    machine.submit("a", 2, 10);
    CHECK(machine.round() == "");
    machine.at(5);
    machine.back("0");
    CHECK(machine.round() == "start a 0-1");
}

}  // namespace batfill::tests::machine_failures_test
