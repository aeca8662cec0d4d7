#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/run_time_predictor.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_backfilling.hpp"
#include "tests/support/plain_machine.hpp"
#include "tests/support/plain_prediction.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::run_time_prediction_test {

// Predicted run times: predictions and corrections by hand, and the same decisions as plain forms under every
// placement. Predictions with other parameters of easy, and with relaxed, are tested with these algorithms.

namespace {

const Parameters::Given last_two{{"prediction", "last-two"}};

// A job of a user, as SmallMachine reads it. The empty user is none.
std::string job_of(const std::string& user, const std::string& name, int processors, int walltime) {
    return name + " " + std::to_string(processors) + "x" + std::to_string(walltime) +
           (user.empty() ? "" : " of " + user);
}

// Runs two jobs of `user` one after the other, for these seconds. Then the machine is empty.
void let_two_end(SmallMachine& machine, const std::string& user, int first_run, int second_run, int end = 1000) {
    const std::string first = "first-of-" + user;
    const std::string second = "second-of-" + user;
    machine.play(std::to_string(end - first_run - second_run) + ": " + job_of(user, first, 1, 900) + " | start " +
                 first);
    machine.play(std::to_string(end - second_run) + ": ends " + first + ", " + job_of(user, second, 1, 900) +
                 " | start " + second);
    machine.play(std::to_string(end) + ": ends " + second + " |");
}

// The predicted run time of a job with this user and walltime, in seconds.
std::string prediction(SmallMachine& machine, const std::string& user, int walltime) {
    machine.play("1000: " + job_of(user, "next", 1, walltime) + " | start next");
    return machine.estimate("next");
}

std::uint64_t statistic(const Engine& engine, const std::string& name) {
    for (const Statistic& statistic : engine.statistics()) {
        if (statistic.name == name) {
            return statistic.value;
        }
    }
    FAIL("there is no statistic " << name);
    return 0;
}

// Starts a job of this walltime at 1000. Its predicted run time is 100 s.
void start_predicted(SmallMachine& machine, int walltime) {
    let_two_end(machine, "ann", 80, 120);
    machine.play("1000: " + job_of("ann", "long", 1, walltime) + " | start long");
    CHECK(machine.estimate("long") == "100");
}

// The estimate of the running job "long", in seconds, in a round at this time.
std::string estimate_at(SmallMachine& machine, int now) {
    const std::string at = std::to_string(now);
    machine.play(at + ": event-at-" + at + " 1x1");
    machine.play(at + ": ends event-at-" + at);
    return machine.estimate("long");
}

}  // namespace

TEST_CASE("A job is predicted to run for the mean of the last two of its user that have ended", "[prediction]") {
    SmallMachine machine(4, "easy", last_two);
    SECTION("two of them have ended") {
        let_two_end(machine, "ann", 100, 31);
        CHECK(prediction(machine, "ann", 900) == "65.5");
        CHECK(statistic(machine.engine(), "jobs_predicted") == 1);
    }
    SECTION("only the last two to end count, in whatever order they started") {
        machine.play(R"(
               0: a 1x900 of ann, b 1x900 of ann, c 1x900 of ann  | start a b c
              10: ends c                                          |
             100: ends a                                          |
            1000: ends b                                          |
        )");
        CHECK(prediction(machine, "ann", 900) == "550");
    }
    SECTION("never for more than the walltime") {
        let_two_end(machine, "ann", 100, 31);
        CHECK(prediction(machine, "ann", 60) == "60");
        CHECK(statistic(machine.engine(), "jobs_predicted") == 0);
    }
    SECTION("for at least a second") {
        let_two_end(machine, "ann", 0, 0);
        CHECK(prediction(machine, "ann", 900) == "1");
    }
}

TEST_CASE("Where too little is known, the walltime counts", "[prediction]") {
    SmallMachine machine(4, "easy", last_two);
    SECTION("one job of the user has ended") {
        machine.play(R"(
             0: a 1x900 of ann  | start a
            10: ends a          |
        )");
        CHECK(prediction(machine, "ann", 900) == "900");
    }
    SECTION("jobs of others have ended") {
        let_two_end(machine, "ann", 100, 31);
        CHECK(prediction(machine, "bob", 900) == "900");
    }
    SECTION("jobs without a user are no user's") {
        let_two_end(machine, "", 100, 31);
        CHECK(prediction(machine, "", 900) == "900");
    }
    SECTION("nothing is to be predicted") {
        SmallMachine without(4, "easy");
        let_two_end(without, "ann", 100, 31);
        CHECK(prediction(without, "ann", 900) == "900");
        CHECK(without.engine().statistics().empty());
    }
}

TEST_CASE("A prediction knows the jobs that end in the message of the submission", "[prediction]") {
    SmallMachine machine(4, "easy", last_two);
    machine.play(R"(
         0: a 1x900 of ann, b 1x900 of ann   | start a b
        50: ends a, ends b, c 1x900 of ann   | start c
    )");
    CHECK(machine.estimate("c") == "50");
}

TEST_CASE("A prediction is made when the job is submitted, and stays while it waits", "[prediction]") {
    SmallMachine machine(1, "easy", last_two);
    machine.play(R"(
         0: a 1x900 of ann, b 1x900 of ann, c 1x900 of ann  | start a
        10: ends a                                          | start b
        20: ends b                                          | start c
    )");
    CHECK(machine.estimate("c") == "900");
}

TEST_CASE("A job that was killed before its walltime does not count for predictions", "[prediction]") {
    const auto prediction_after = [](JobState how, int run) {
        Engine engine("easy", last_two);
        engine.begin(Time(), Machine(4));
        JobDescription job;
        job.user = "ann";
        job.processors = 1;
        job.walltime = Duration::seconds(100);
        const auto submit = [&](JobIndex index, int now) {
            job.id = std::to_string(index);
            job.submit = Time::seconds(now);
            send(engine, {Time::seconds(now), {}, {{index, job}}, {}});
        };
        submit(0, 0);
        send(engine, {Time::seconds(20), {0}, {}, {}});
        submit(1, 20);
        engine.arrive(Time::seconds(20 + run));
        engine.take_in({Time::seconds(20 + run), JobCompleted{JobNumber{1}, how}});
        engine.decide();
        submit(2, 200);
        return engine.state().estimate(2).to_shortest_string();
    };
    CHECK(prediction_after(JobState::completed_successfully, 40) == "30");
    CHECK(prediction_after(JobState::completed_failed, 40) == "30");
    CHECK(prediction_after(JobState::completed_walltime_reached, 100) == "60");
    CHECK(prediction_after(JobState::completed_killed, 40) == "100");
    CHECK(prediction_after(JobState::completed_killed, 100) == "60");
}

TEST_CASE("A prediction that proves too short grows step by step, up to the walltime", "[prediction]") {
    SmallMachine machine(4, "easy", last_two);
    SECTION("the steps") {
        constexpr int hour = 3600;
        start_predicted(machine, 1000 * hour);
        CHECK(estimate_at(machine, 1099) == "100");
        CHECK(estimate_at(machine, 1100) == "160");
        CHECK(estimate_at(machine, 1159) == "160");
        int estimate = 160;
        for (const int step : {300, 900, 1800, hour, 2 * hour, 5 * hour, 10 * hour, 20 * hour, 50 * hour, 100 * hour,
                               100 * hour, 100 * hour}) {
            const int end = 1000 + estimate;
            estimate += step;
            CHECK(estimate_at(machine, end) == std::to_string(estimate));
        }
        CHECK(statistic(machine.engine(), "predictions_corrected") == 13);
    }
    SECTION("several at once, if no round took place in between") {
        start_predicted(machine, 36'000);
        CHECK(estimate_at(machine, 1000 + 100 + 60 + 300) == "1360");
        CHECK(statistic(machine.engine(), "predictions_corrected") == 3);
    }
    SECTION("however late the round is") {
        start_predicted(machine, 2'000'000'000);
        // 100 and all steps sum to 679,960. 3679 further steps of 360,000 exceed 1,325,000,000.
        CHECK(estimate_at(machine, 1'325'001'000) == "1325119960");
    }
    SECTION("never beyond the walltime, where the job is overdue") {
        start_predicted(machine, 130);
        CHECK(estimate_at(machine, 1100) == "130");
        CHECK(estimate_at(machine, 1200) == "130");
        CHECK(statistic(machine.engine(), "predictions_corrected") == 1);
    }
}

TEST_CASE("The engine requests no call at the predicted end of a job, and does not kill the job then", "[prediction]") {
    Engine engine("easy", {{"prediction", "last-two"}, {"default-walltime", "900"}});
    engine.begin(Time(), Machine(1));
    JobDescription job;
    job.user = "ann";
    job.processors = 1;
    for (JobIndex index = 0; index < 3; ++index) {
        job.id = std::to_string(index);
        const Time now = Time::seconds(10 * static_cast<int>(index));
        job.submit = now;
        const std::vector<Decision> decisions = send(
            engine, {now, index == 0 ? std::vector<JobIndex>() : std::vector<JobIndex>{index - 1}, {{index, job}}, {}});
        REQUIRE(decisions.size() == 2);
        CHECK(std::holds_alternative<StartJob>(decisions[0]));
        CHECK(std::get<CallMeLater>(decisions[1]).time == now + Duration::seconds(900));
    }
    CHECK(engine.state().estimate(2) == Duration::seconds(10));
    CHECK(engine.state().running.front().end == Time::seconds(30));
}

TEST_CASE("The shadow time and the jobs that end by it follow the predictions", "[prediction]") {
    for (const auto& [algorithm, given] : std::vector<std::pair<std::string, Parameters::Given>>{
             {"easy", {}},
             {"easy", {{"reservations", "2"}}},
             {"easy", {{"placement", "contiguous"}}},
             {"easy", {{"placement", "machine"}}},
             {"relaxed", {{"alpha", "0"}, {"beta", "0"}, {"gamma", "0"}}},
             {"bf-mod", {{"boost", "0"}}},
             {"bf-unmod", {{"boost", "0"}}}}) {
        INFO(algorithm << text_of(given));
        for (const bool predicts : {false, true}) {
            Parameters::Given with = given;
            with.emplace_back("prediction", predicts ? "last-two" : "none");
            SmallMachine machine(4, algorithm, with);
            let_two_end(machine, "ann", 80, 120, 900);
            let_two_end(machine, "bob", 20, 40);
            // The first job ends at 1900 by its walltime, and at 1100 as predicted. Bob's is predicted to run for 30 s.
            // It ends in time in both cases, by its walltime only in one.
            machine.play(R"(
                1000: runs 3x900 of ann    | start runs
                1001: head 4x900 of eve    |
                1070: of-bob 1x829 of bob  | start of-bob
                1071: ends of-bob          |
            )");
            // Eve has no history. Her job ends in time by the walltimes, but not as predicted.
            CHECK(machine.play("1072: of-eve 1x100 of eve") == (predicts ? "" : "start of-eve"));
            if (predicts) {
                // At 1100, the first job's predicted end becomes 1160; at 1160, it becomes 1460.
                machine.play(R"(
                    1100: event 4x900 of eve          |
                    1160: another-event 4x900 of eve  | start of-eve
                )");
            }
        }
    }
}

TEST_CASE("With backfill-order=predicted, jobs that are predicted to be short are backfilled first", "[prediction]") {
    const auto starts = [](const std::string& backfill_order) {
        SmallMachine machine(4, "easy", {{"prediction", "last-two"}, {"backfill-order", backfill_order}});
        let_two_end(machine, "ann", 20, 40);
        return machine.play("1000: runs 3x900, head 4x900, short-walltime 1x50, short-prediction 1x800 of ann");
    };
    CHECK(starts("spf") == "start runs short-walltime");
    CHECK(starts("predicted") == "start runs short-prediction");
}

TEST_CASE("An order by predictions needs predictions, and only algorithms that predict know it", "[prediction]") {
    CHECK_THROWS_WITH(Engine("easy", {{"order", "predicted"}}),
                      "parameter order=predicted is used only with a prediction, such as prediction=last-two");
    CHECK_THROWS_WITH(Engine("easy", {{"backfill-order", "predicted"}, {"prediction", "none"}}),
                      "parameter backfill-order=predicted is used only with a prediction, such as prediction=last-two");
    CHECK_THROWS_AS(Engine("pc", {{"order", "predicted"}}), UsageError);
    CHECK_THROWS_AS(Engine("fcfs", last_two), UsageError);
    CHECK_THROWS_WITH(
        Engine("easy",
               {{"order", "mixed"}, {"weights", "1,1,1,0,0,0"}, {"period", "86400"}, {"prediction", "last-two"}}),
        "parameter period replays jobs without their users, so it does not go with prediction");
}

TEST_CASE("Without users, jobs start as they do without predictions", "[prediction][property]") {
    for (const std::string algorithm : {"easy", "relaxed", "bf-mod", "bf-unmod"}) {
        for (unsigned seed = 0; seed < 60; ++seed) {
            INFO(algorithm << ", stream " << seed);
            const Features features{.machine_changes = true, .overruns = true, .farm = algorithm[0] == 'b'};
            REQUIRE(rounds_of(seed, features, algorithm, last_two) == rounds_of(seed, features, algorithm));
        }
    }
}

TEST_CASE("With predicted run times jobs start where a plain form that tries every place starts them",
          "[prediction][property]") {
    for (const Placement placement : {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous}) {
        BackfillingCounts counts;
        PredictionCounts predictions;
        Random random(2007);
        for (unsigned seed = 0; seed < 200; ++seed) {
            PlainRules rules{.placement = placement, .predicts = true};
            Parameters::Given given = last_two;
            given.emplace_back("placement", to_string(placement));
            draw_orders(random, {"fcfs", "predicted", "predicted", "laf"}, given, rules);
            INFO("stream " << seed << text_of(given));
            Stream stream(seed, {.most_jobs = 80,
                                 .most_processors = random.one_in(3) ? 6 : 20,
                                 .deadlines = false,
                                 .machine_changes = random.one_in(3),
                                 .overruns = random.one_in(3),
                                 .users = true});
            Engine engine("easy", given);
            PlainBackfilling plain(PlainMachine(stream.processors()), rules, counts);
            require_same_rounds(stream, engine, plain);
            add(predictions, plain.prediction().counts());
        }
        INFO(to_string(placement));
        CHECK(counts.in_time > 500);
        CHECK(counts.beside > 500);
        CHECK(counts.delaying > 500);
        CHECK(predictions.shorter > 1000);
        CHECK(predictions.as_walltime > 1000);
        CHECK(predictions.corrected > 1000);
        CHECK(predictions.more_often > 100);
        CHECK(predictions.up_to_limit > 1000);
    }
}

}  // namespace batfill::tests::run_time_prediction_test
