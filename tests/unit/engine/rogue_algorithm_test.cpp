#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/planning/plan_algorithm.hpp>

#include "tests/support/engine_rounds.hpp"

namespace batfill::tests::rogue_algorithm_test {

// Algorithms that break a rule. In every kind of build, each must end in a DecisionError that names the algorithm, the
// job and the rule: no crash and no wrong schedule.

namespace {

// A queue algorithm that makes the decisions of a test in each round.
class RogueQueue : public Algorithm {
 public:
    using Decide = std::function<void(Round&)>;
    explicit RogueQueue(Decide decide) : decide_(std::move(decide)) {}
    bool understands_resources() const override { return true; }
    void decide(Round& round) override { misbehave(round); }

 protected:
    void misbehave(Round& round) { decide_(round); }

 private:
    Decide decide_;
};

// Registers a job when it hears of another, not in decide().
class RogueRegistrar : public RogueQueue {
 public:
    using RogueQueue::RogueQueue;
    bool registers_jobs() const override { return true; }
    void submitted(Round& round, JobIndex) override { misbehave(round); }
    void decide(Round&) override {}
};

// Breaks a rule before there are jobs.
class RogueBeginner : public RogueQueue {
 public:
    using RogueQueue::RogueQueue;
    void begin(Round& round) override { misbehave(round); }
};

// Requests a call at the present instant.
class RogueSleeper : public RogueQueue {
 public:
    using RogueQueue::RogueQueue;
    Time next_wake(Time after) const override { return after; }
};

// Guarantees every job a start in the past.
class RoguePromiser : public RogueQueue {
 public:
    using RogueQueue::RogueQueue;
    bool gives_guarantees() const override { return true; }
    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex) const override {
        return state.now - Duration::seconds(1);
    }
};

// Promises starts when it decides.
class PromiserInDecide : public RogueQueue {
 public:
    using RogueQueue::RogueQueue;
    bool gives_guarantees() const override { return true; }
};

// Lays out the cores of jobs itself, of each host at least one.
class RogueLayouter : public RogueQueue {
 public:
    using RogueQueue::RogueQueue;
    std::optional<StatedNeeds> stated(const JobDescription&) const override {
        StatedNeeds stated;
        stated.per_host = {{"cores", 1}};
        return stated;
    }
};

// A plan algorithm that runs a step of a test for each new job and at the end of each round.
class RoguePlanner : public PlanAlgorithm {
 public:
    using Step = std::function<void(RoguePlanner&, Round&, JobIndex)>;
    explicit RoguePlanner(Step step) : step_(std::move(step)) {}
    void submitted(Round& round, JobIndex job) override { step_(*this, round, job); }

    using PlanAlgorithm::place;
    using PlanAlgorithm::plan;

 protected:
    void compress(Round&) override {}

 private:
    Step step_;
};

AlgorithmDescription described(std::function<std::unique_ptr<Algorithm>()> make) {
    return with_common_parameters(
        {"rogue", "breaks a rule", "none", {}, [make = std::move(make)](const Parameters&) { return make(); }});
}

// The error after jobs "a" and "b" are submitted, with two processors and ten seconds each.
std::string error_of(const AlgorithmDescription& description, const Machine& machine) {
    Engine engine(description, {});
    engine.begin(Time(), machine);
    engine.arrive(Time::seconds(5));
    JobIndex submitted = 0;
    for (const char* id : {"a", "b"}) {
        JobDescription job;
        job.id = id;
        job.submit = Time::seconds(5);
        job.processors = 2;
        job.walltime = Duration::seconds(10);
        engine.take_in({Time::seconds(5), JobSubmitted{JobNumber{submitted++}, job}});
    }
    try {
        engine.decide();
    } catch (const DecisionError& error) {
        return error.what();
    }
    return "no error";
}

std::string error_of(const AlgorithmDescription& description, int processors = 4) {
    return error_of(description, Machine(processors));
}

std::string error_of_queue(const RogueQueue::Decide& decide) {
    return error_of(described([=] { return std::make_unique<RogueQueue>(decide); }));
}

// `step` gets each new job. The rest of the algorithm obeys the rules.
std::string error_of_planner(const RoguePlanner::Step& step) {
    return error_of(described([=] { return std::make_unique<RoguePlanner>(step); }));
}

constexpr const char* a_at_5 = "algorithm rogue at 5.000000: job a: ";
constexpr const char* b_at_5 = "algorithm rogue at 5.000000: job b: ";

}  // namespace

TEST_CASE("An algorithm that keeps the rules is not accused", "[rogue]") {
    CHECK(error_of_queue([](Round& round) {
              while (!round.state().waiting.empty()) {
                  round.start(round.state().waiting.job(0));
              }
          }) == "no error");
    CHECK(error_of_planner([](RoguePlanner& self, Round& round, JobIndex job) {
              self.place(round, job, round.now());
          }) == "no error");
}

TEST_CASE("A job that is laid out takes of each of its hosts at least what it asks for, and what there is", "[rogue]") {
    std::vector<Host> hosts(4);
    for (Host& host : hosts) {
        host.properties["capacity"] = "cores:4";
    }
    const auto error_of_layout = [&](const std::vector<std::vector<Amount>>& layouts) {
        return error_of(described([=] {
                            return std::make_unique<RogueLayouter>([=](Round& round) {
                                for (const std::vector<Amount>& by_host : layouts) {
                                    const JobIndex job = round.state().waiting.job(0);
                                    round.start(job, {ResourceSet::range(0, 1), {}}, by_host);
                                }
                            });
                        }),
                        Machine(hosts));
    };
    CHECK(error_of_layout({{3, 1}, {1, 3}}) == "no error");
    CHECK(error_of_layout({{3, 1}, {2, 1}}) ==
          std::string(b_at_5) + "it cannot start, host 0 does not have what it would take there");
    CHECK(error_of_layout({{5, 1}}) ==
          std::string(a_at_5) + "it cannot start, host 0 does not have what it would take there");
    CHECK(error_of_layout({{1, 0}}) ==
          std::string(a_at_5) + "it cannot start, it would take less of host 1 than it asks for");
    CHECK(error_of_layout({{1}}) ==
          std::string(a_at_5) + "it cannot start, expected amounts of each of its hosts, of a job that shares hosts");
}

TEST_CASE("Only a job that waits can be rejected", "[rogue]") {
    CHECK(error_of_queue([](Round& round) { round.reject(0, "is not welcome"); }) == "no error");
    CHECK(error_of_queue([](Round& round) {
              round.start(0);
              round.reject(0, "is not welcome");
          }) == std::string(a_at_5) + "it cannot be rejected, it is not waiting");
}

TEST_CASE("A job cannot start twice", "[rogue]") {
    CHECK(error_of_queue([](Round& round) {
              round.start(0);
              round.start(0);
          }) == std::string(a_at_5) + "it cannot start, it is not waiting");
}

TEST_CASE("A job that does not run cannot be killed", "[rogue]") {
    CHECK(error_of_queue([](Round& round) { round.kill(0); }) ==
          std::string(a_at_5) + "it cannot be killed, it is not running");
    CHECK(error_of_queue([](Round& round) { round.kill(7); }) ==
          "algorithm rogue at 5.000000: there is no job number 7: it cannot be killed, it is not running");
}

TEST_CASE("A job that ended in an earlier round may be forgotten, and nothing can be done with it", "[rogue]") {
    const auto error_of_the_third_round = [](const RogueQueue::Decide& decide) -> std::string {
        const auto start_all = [](Round& round) {
            while (!round.state().waiting.empty()) {
                round.start(round.state().waiting.job(0));
            }
        };
        const AlgorithmDescription description = described([=] {
            return std::make_unique<RogueQueue>([=](Round& round) {
                start_all(round);
                if (round.now() == Time::seconds(7)) {
                    decide(round);
                }
            });
        });
        Engine engine(description, {});
        engine.begin(Time(), Machine(4));
        const auto submit = [&](JobIndex number, int now) {
            JobDescription job;
            job.id = "job " + std::to_string(number);
            job.processors = 2;
            job.walltime = Duration::seconds(10);
            engine.take_in({Time::seconds(now), JobSubmitted{JobNumber{number}, job}});
        };
        engine.arrive(Time::seconds(5));
        submit(0, 5);
        submit(1, 5);
        engine.decide();
        engine.arrive(Time::seconds(6));
        engine.take_in({Time::seconds(6), JobCompleted{JobNumber{0}, JobState::completed_successfully}});
        engine.decide();
        CHECK(engine.state().jobs.has(0));
        engine.arrive(Time::seconds(7));
        CHECK_FALSE(engine.state().jobs.has(0));
        CHECK(engine.state().jobs.has(1));
        CHECK(engine.state().jobs.size() == 2);
        submit(2, 7);
        try {
            engine.decide();
        } catch (const DecisionError& error) {
            return error.what();
        }
        return "no error";
    };
    const std::string job = "algorithm rogue at 7.000000: job number 0, which is over: ";
    CHECK(error_of_the_third_round([](Round&) {}) == "no error");
    CHECK(error_of_the_third_round([](Round& round) { round.start(0); }) == job + "it cannot start, it is not waiting");
    CHECK(error_of_the_third_round([](Round& round) { round.start_if_possible(0); }) ==
          job + "it cannot start, it is not waiting");
    CHECK(error_of_the_third_round([](Round& round) { round.kill(0); }) ==
          job + "it cannot be killed, it is not running");
    CHECK(error_of_the_third_round([](Round& round) { round.set_metadata(0, "some"); }) ==
          job + "it cannot have metadata any more");
}

TEST_CASE("Metadata are of a job that there is, and have no double quote", "[rogue]") {
    CHECK(error_of_queue([](Round& round) { round.set_metadata(0, "said \"so\""); }) ==
          std::string(a_at_5) + "its metadata has a double quote, expected none");
    CHECK(
        error_of_queue([](Round& round) { round.set_metadata(7, "some"); }) ==
        "algorithm rogue at 5.000000: there is no job number 7: it cannot have metadata, the algorithm was not told of it");
}

TEST_CASE("A job that does not exist, or was not submitted yet, cannot start", "[rogue]") {
    CHECK(error_of_queue([](Round& round) { round.start(7); }) ==
          "algorithm rogue at 5.000000: there is no job number 7: it cannot start, the algorithm was not told of it");
    CHECK(error_of_planner([](RoguePlanner& self, Round& round, JobIndex job) {
              self.place(round, job, round.now());
              round.start(job + 1);
          }) == std::string(b_at_5) + "it cannot start, the algorithm was not told of it");
}

TEST_CASE("Only a job that waits can start if that is possible", "[rogue]") {
    CHECK(error_of_queue([](Round& round) {
              round.start(0);
              round.start_if_possible(0);
          }) == std::string(a_at_5) + "it cannot start, it is not waiting");
    for (const char* placement : {"lowest", "contiguous", "machine"}) {
        CAPTURE(placement);
        AlgorithmDescription description;
        description.name = "rogue";
        description.placements = {Placement::lowest, Placement::contiguous, Placement::machine};
        description.make = [](const Parameters&) {
            return std::make_unique<RogueQueue>([](Round& round) { round.start_if_possible(0); });
        };
        description = with_common_parameters(description);
        Engine engine(description, {{"placement", placement}});
        engine.begin(Time(), Machine(4));
        JobDescription job;
        job.id = "a";
        job.processors = 0;
        job.walltime = Duration::seconds(10);
        engine.take_in({Time(), JobSubmitted{JobNumber{0}, job}});
        CHECK_THROWS_WITH(engine.decide(), "algorithm rogue at 0.000000: job a: it cannot start, it is not waiting");
    }
}

TEST_CASE("A job cannot start on too few, other, busy or missing processors", "[rogue]") {
    const auto start_on = [](const std::string& processors) {
        return error_of_queue([=](Round& round) {
            round.start(0, ResourceSet::range(2, 3));
            round.start(1, ResourceSet::parse(processors).value());
        });
    };
    CHECK(start_on("0-1") == "no error");
    CHECK(start_on("0") == std::string(b_at_5) + "it cannot start, it needs 2 processors and would get 1");
    CHECK(start_on("0-2") == std::string(b_at_5) + "it cannot start, it needs 2 processors and would get 3");
    CHECK(start_on("1-2") == std::string(b_at_5) + "it cannot start, processors 1-2 are not all idle");
    CHECK(start_on("0 4") == std::string(b_at_5) + "it cannot start, processors 0 4 are not all idle");
}

TEST_CASE("A job cannot start when too few processors are idle", "[rogue]") {
    const AlgorithmDescription description = described([] {
        return std::make_unique<RogueQueue>([](Round& round) {
            round.start(0);
            round.start(1);
        });
    });
    CHECK(error_of(description, 4) == "no error");
    CHECK(error_of(description, 3) == std::string(b_at_5) + "it cannot start, it needs 2 processors and 1 are idle");
}

TEST_CASE("A job cannot start if its walltime leads into an announced window", "[rogue]") {
    // Jobs a and b run from 5 to 15.
    const auto error_with = [](const std::string& windows, const std::string& pools, const RogueQueue::Decide& decide) {
        std::vector<Host> hosts(4);
        for (Host& host : hosts) {
            host.zone_properties["pools"] = pools;
        }
        return error_of(described([=] { return std::make_unique<RogueQueue>(decide); }),
                        Machine(hosts, parse_windows(windows, "windows")));
    };
    const auto start_both = [](Round& round) {
        round.start(0);
        round.start(1);
    };
    const auto window = [](const std::string& what) { return R"({"name": "service", "until": 20, )" + what + "}\n"; };
    const std::string rule = "it cannot start, by its walltime it would run into window service, which begins at ";
    // Counted processors.
    CHECK(error_with(window(R"("from": 15, "processors": 4)"), "", start_both) == "no error");
    CHECK(error_with(window(R"("from": 14.5, "processors": 1)"), "", start_both) == b_at_5 + rule + "14.500000");
    CHECK(error_with(window(R"("from": 14.5, "processors": 1, "announced": 6)"), "", start_both) == "no error");
    CHECK(error_with(window(R"("from": 9, "processors": 3)"), "", start_both) == a_at_5 + rule + "9.000000");
    CHECK(
        error_with(window(R"("from": 9, "processors": 1)") + R"({"name": "b", "from": 8, "until": 9, "processors": 2})",
                   "", [](Round& round) { round.start(0); }) == "no error");
    CHECK(error_with(
              window(R"("from": 9, "processors": 1)") + R"({"name": "b", "from": 8, "until": 10, "processors": 2})", "",
              [](Round& round) { round.start(0); }) == a_at_5 + rule + "9.000000");
    // Hosts: those that the job would get count, and hosts that nobody has chosen are others.
    const std::string hosts = window(R"("from": 9, "hosts": "0-1")");
    CHECK(error_with(hosts, "", [](Round& round) { round.start(0); }) == "no error");
    CHECK(error_with(hosts, "", [](Round& round) { round.start(0, ResourceSet::range(2, 3)); }) == "no error");
    CHECK(error_with(hosts, "", [](Round& round) { round.start(0, ResourceSet::range(1, 2)); }) ==
          a_at_5 + rule + "9.000000");
    CHECK(error_with(hosts, "", start_both) == b_at_5 + rule + "9.000000");
    // A refusal changes nothing, and whoever asks first is told.
    CHECK(error_with(hosts, "", [](Round& round) {
              round.start(0);
              CHECK_THROWS_AS(round.start(1), DecisionError);
              CHECK_FALSE(round.start_if_possible(1));
              CHECK_FALSE(round.state().can_start_now(1));
              CHECK(round.state().waiting.size() == 1);
              CHECK(round.state().idle.set().to_string() == "0-1");
          }) == "no error");
    // Hosts that are given must be there and have what the job takes.
    const auto start_on = [&](const std::string& given) {
        return error_with(window(R"("from": 15, "hosts": "0-1")"), "", [&](Round& round) {
            round.start(0, ResourceSet::range(2, 3));
            round.start(1, ResourceSet::parse(given).value());
        });
    };
    CHECK(start_on("0-1") == "no error");
    CHECK(start_on("0") == std::string(b_at_5) + "it cannot start, it needs 2 hosts and would get 1");
    CHECK(start_on("0 2") == std::string(b_at_5) + "it cannot start, host 2 is in use");
    CHECK(start_on("0 4") == std::string(b_at_5) + "it cannot start, there is no host 4, the machine has 4");
    // Pools only have to be left now.
    CHECK(error_with(window(R"("from": 9, "pools": {"power": 3})"), "power:3", start_both) == "no error");
}

TEST_CASE("A rule is kept before there are jobs, too", "[rogue]") {
    CHECK_THROWS_MATCHES(
        error_of(described([] {
            return std::make_unique<RogueBeginner>([](Round&) { throw BrokenRule(0, "it is placed too early"); });
        })),
        DecisionError,
        Catch::Matchers::Message("algorithm rogue at 0.000000: there is no job number 0: it is placed too early"));
}

TEST_CASE("An algorithm can only be woken in the future", "[rogue]") {
    CHECK(error_of(described([] { return std::make_unique<RogueSleeper>([](Round&) {}); })) ==
          "algorithm rogue at 5.000000: it wants to be woken at 5.000000, expected a later time");
}

TEST_CASE("A guaranteed start is not before the guarantee", "[rogue]") {
    CHECK(error_of(described([] { return std::make_unique<RoguePromiser>([](Round&) {}); })) ==
          std::string(a_at_5) + "it was guaranteed a start at 4.000000, expected one that is still to come");
}

TEST_CASE("A promise needs an algorithm with guarantees, a waiting job and a time that is still to come", "[rogue]") {
    CHECK(error_of(described([] {
              return std::make_unique<RogueQueue>([](Round& round) { round.promise(0, Time::seconds(9)); });
          })) == std::string(a_at_5) +
                     "it cannot be promised a start, expected an algorithm that declares gives_guarantees()");
    const auto error_of_promises = [](const RogueQueue::Decide& decide) {
        return error_of(described([=] { return std::make_unique<PromiserInDecide>(decide); }));
    };
    CHECK(error_of_promises([](Round& round) { round.promise(0, Time::seconds(4)); }) ==
          std::string(a_at_5) + "it is promised a start at 4.000000, expected one that is still to come");
    CHECK(error_of_promises([](Round& round) {
              round.start(0);
              round.promise(0, Time::seconds(9));
          }) == std::string(a_at_5) + "it cannot be promised a start, it is not waiting");
    CHECK(error_of_promises([](Round& round) {
              round.promise(0, Time::seconds(9));
              round.promise(0, Time::seconds(8));
              round.promise(0, Time::seconds(10));
          }) == std::string(a_at_5) +
                    "it was promised a start at 9.000000, and now at 10.000000: expected no later one " +
                    "unless the machine changes or a window is announced");
}

TEST_CASE("A plan algorithm has to place every job", "[rogue]") {
    CHECK(error_of_planner([](RoguePlanner&, Round&, JobIndex) {}) ==
          std::string(a_at_5) + "it was submitted and has no place in the plan, expected one for every waiting job");
    CHECK(error_of_planner([](RoguePlanner& self, Round& round, JobIndex job) {
              self.place(round, job, round.now());
              if (job == 1) {
                  const JobIndex first = 0;
                  self.plan().cancel({&first, 1});
              }
          }) == std::string(a_at_5) + "it waits and has no place in the plan, expected one for every waiting job");
}

TEST_CASE("A plan algorithm cannot place a job twice", "[rogue]") {
    CHECK(error_of_planner([](RoguePlanner& self, Round& round, JobIndex job) {
              self.place(round, job, round.now());
              self.place(round, job, round.now());
          }) == std::string(a_at_5) + "it is placed in the plan, where it has a place already");
    CHECK(error_of_planner([](RoguePlanner& self, Round& round, JobIndex job) {
              self.place(round, job, round.now());
              self.plan().place_again(job);
          }) == std::string(a_at_5) + "it is placed in the plan again without having been cancelled");
}

TEST_CASE("A plan algorithm cannot look up, move, cancel or start a job that is not planned", "[rogue]") {
    const std::string error = std::string(a_at_5) + "it is looked up in the plan, where it is not";
    const auto error_of_use = [](const std::function<void(Plan&, JobIndex)>& use) {
        return error_of_planner([=](RoguePlanner& self, Round&, JobIndex job) { use(self.plan(), job); });
    };
    CHECK(error_of_use([](Plan& plan, JobIndex job) { plan.planned_start(job); }) == error);
    CHECK(error_of_use([](Plan& plan, JobIndex job) { plan.move_earlier(job); }) == error);
    CHECK(error_of_use([](Plan& plan, JobIndex job) { plan.cancel({&job, 1}); }) == error);
    CHECK(error_of_use([](Plan& plan, JobIndex job) { plan.start(job); }) == error);
    CHECK(error_of_use([](Plan& plan, JobIndex job) { plan.look_again_at(job); }) == error);
}

TEST_CASE("A job that starts has to leave the plan", "[rogue]") {
    CHECK(error_of_planner([](RoguePlanner& self, Round& round, JobIndex job) {
              self.place(round, job, round.now());
              round.start(job);
          }) ==
          std::string(a_at_5) + "it has started and is still in the plan, expected that it leaves the plan before");
}

TEST_CASE("Only jobs that wait can be in the plan", "[rogue]") {
    CHECK(error_of_planner([](RoguePlanner& self, Round& round, JobIndex job) {
              round.start(job);
              self.place(round, job, round.now() + Duration::seconds(50));
          }) == std::string(a_at_5) + "it is in the plan, expected only jobs that wait");
}

TEST_CASE("Jobs and profiles are registered in decide(), by an algorithm that says that it does so", "[rogue]") {
    const std::string rule = ", expected that in decide() only, of an algorithm that registers jobs";
    const auto register_job = [](Round& round) {
        JobDescription job;
        job.id = "own!1";
        round.register_job(job);
    };
    CHECK(error_of_queue(register_job) == "algorithm rogue at 5.000000: it registers job own!1" + rule);
    CHECK(error_of_queue([](Round& round) { round.register_profile("own", "p", "{}"); }) ==
          "algorithm rogue at 5.000000: it registers profile \"p\"" + rule);
    CHECK(error_of(described([=] { return std::make_unique<RogueRegistrar>(register_job); })) ==
          "algorithm rogue at 5.000000: it registers job own!1" + rule);
}

}  // namespace batfill::tests::rogue_algorithm_test
