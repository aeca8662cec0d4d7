#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/run_time_predictor.hpp>

#include "engine_rounds.hpp"
#include "plain_backfilling.hpp"
#include "plain_machine.hpp"
#include "plain_prediction.hpp"
#include "random_stream.hpp"

namespace batfill::tests::run_time_prediction_test {

// Predicted run times: predictions and corrections by hand, and the same decisions as plain forms under every
// placement. Predictions with other parameters of easy, and with relaxed, are tested with these algorithms.

namespace {

const Parameters::Given last_two{{"prediction", "last-two"}};

// Runs two jobs of `user` one after the other, for these seconds. Then the machine is empty.
void let_two_end(Table& table, const std::string& user, int first_run, int second_run, int end = 1000) {
    table.at(end - first_run - second_run);
    table.submit_for(user, "first of " + user, 1, 900);
    CHECK(table.starts() == "start first of " + user);
    table.at(end - second_run);
    table.ends("first of " + user);
    table.submit_for(user, "second of " + user, 1, 900);
    CHECK(table.starts() == "start second of " + user);
    table.at(end);
    table.ends("second of " + user);
    CHECK(table.starts() == "start");
}

// The predicted run time of a job with this user and walltime, in seconds.
std::string prediction(Table& table, const std::string& user, int walltime) {
    table.at(1000);
    table.submit_for(user, "next", 1, walltime);
    CHECK(table.starts() == "start next");
    return table.estimate("next").to_shortest_string();
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

// Starts a job of this walltime at 1000 on `processors`. Its predicted run time is 100 s.
void start_predicted(Table& table, int processors, int walltime) {
    let_two_end(table, "ann", 80, 120);
    table.at(1000);
    table.submit_for("ann", "long", processors, walltime);
    CHECK(table.starts() == "start long");
    CHECK(table.estimate("long") == Duration::seconds(100));
}

// The estimate of the running job "long", in seconds, in a round at this time.
std::string estimate_at(Table& table, int now) {
    table.at(now);
    table.submit("event at " + std::to_string(now), 1, 1);
    table.starts();
    table.at(now);
    table.ends("event at " + std::to_string(now));
    table.starts();
    return table.estimate("long").to_shortest_string();
}

}  // namespace

TEST_CASE("A job is predicted to run for the mean of the last two of its user that have ended", "[prediction]") {
    SECTION("two of them have ended") {
        Table table(4, "easy", last_two);
        let_two_end(table, "ann", 100, 31);
        CHECK(prediction(table, "ann", 900) == "65.5");
        CHECK(statistic(table.engine(), "jobs_predicted") == 1);
    }
    SECTION("only those that ended last count, in whatever order they started") {
        Table table(4, "easy", last_two);
        table.at(0);
        table.submit_for("ann", "a", 1, 900);
        table.submit_for("ann", "b", 1, 900);
        table.submit_for("ann", "c", 1, 900);
        CHECK(table.starts() == "start a b c");
        table.at(10);
        table.ends("c");
        table.starts();
        table.at(100);
        table.ends("a");
        table.starts();
        table.at(1000);
        table.ends("b");
        table.starts();
        CHECK(prediction(table, "ann", 900) == "550");
    }
    SECTION("never for more than the walltime") {
        Table table(4, "easy", last_two);
        let_two_end(table, "ann", 100, 31);
        CHECK(prediction(table, "ann", 60) == "60");
        CHECK(statistic(table.engine(), "jobs_predicted") == 0);
    }
    SECTION("for at least a second") {
        Table table(4, "easy", last_two);
        let_two_end(table, "ann", 0, 0);
        CHECK(prediction(table, "ann", 900) == "1");
    }
}

TEST_CASE("Where too little is known, the walltime counts", "[prediction]") {
    Table table(4, "easy", last_two);
    SECTION("one job of the user has ended") {
        table.at(0);
        table.submit_for("ann", "a", 1, 900);
        table.starts();
        table.at(10);
        table.ends("a");
        table.starts();
        CHECK(prediction(table, "ann", 900) == "900");
    }
    SECTION("jobs of others have ended") {
        let_two_end(table, "ann", 100, 31);
        CHECK(prediction(table, "bob", 900) == "900");
    }
    SECTION("jobs without a user are no user's") {
        let_two_end(table, "", 100, 31);
        CHECK(prediction(table, "", 900) == "900");
    }
    SECTION("nothing is to be predicted") {
        Table without(4, "easy", {});
        let_two_end(without, "ann", 100, 31);
        CHECK(prediction(without, "ann", 900) == "900");
        CHECK(without.engine().statistics().empty());
    }
}

TEST_CASE("What ends in the message that brings a job is known of", "[prediction]") {
    Table table(4, "easy", last_two);
    table.at(0);
    table.submit_for("ann", "a", 1, 900);
    table.submit_for("ann", "b", 1, 900);
    table.starts();
    table.at(50);
    table.submit_for("ann", "c", 1, 900);
    table.ends("a");
    table.ends("b");
    table.starts();
    CHECK(table.estimate("c") == Duration::seconds(50));
}

TEST_CASE("A prediction is made when the job is submitted, and stays while it waits", "[prediction]") {
    Table table(1, "easy", last_two);
    table.at(0);
    table.submit_for("ann", "a", 1, 900);
    table.submit_for("ann", "b", 1, 900);
    table.submit_for("ann", "c", 1, 900);
    CHECK(table.starts() == "start a");
    table.at(10);
    table.ends("a");
    CHECK(table.starts() == "start b");
    table.at(20);
    table.ends("b");
    CHECK(table.starts() == "start c");
    CHECK(table.estimate("c") == Duration::seconds(900));
}

TEST_CASE("A job that was killed before its walltime says nothing of how long others run", "[prediction]") {
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
    SECTION("the steps") {
        Table table(4, "easy", last_two);
        constexpr int hour = 3600;
        start_predicted(table, 1, 1000 * hour);
        CHECK(estimate_at(table, 1099) == "100");
        CHECK(estimate_at(table, 1100) == "160");
        CHECK(estimate_at(table, 1159) == "160");
        int estimate = 160;
        for (const int step : {300, 900, 1800, hour, 2 * hour, 5 * hour, 10 * hour, 20 * hour, 50 * hour, 100 * hour,
                               100 * hour, 100 * hour}) {
            const int end = 1000 + estimate;
            estimate += step;
            CHECK(estimate_at(table, end) == std::to_string(estimate));
        }
        CHECK(statistic(table.engine(), "predictions_corrected") == 13);
    }
    SECTION("several at once, if no round took place in between") {
        Table table(4, "easy", last_two);
        start_predicted(table, 1, 36'000);
        CHECK(estimate_at(table, 1000 + 100 + 60 + 300) == "1360");
        CHECK(statistic(table.engine(), "predictions_corrected") == 3);
    }
    SECTION("however late the round is") {
        Table table(4, "easy", last_two);
        start_predicted(table, 1, 2'000'000'000);
        // 100 and all steps sum to 679,960. 3679 further steps of 360,000 exceed 1,325,000,000.
        CHECK(estimate_at(table, 1'325'001'000) == "1325119960");
    }
    SECTION("never beyond the walltime, where the job is overdue") {
        Table table(4, "easy", last_two);
        start_predicted(table, 1, 130);
        CHECK(estimate_at(table, 1100) == "130");
        CHECK(estimate_at(table, 1200) == "130");
        CHECK(statistic(table.engine(), "predictions_corrected") == 1);
    }
}

TEST_CASE("No call is asked for at the time of a prediction, and the job is not killed then", "[prediction]") {
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

TEST_CASE("The shadow time and what ends by it follow the predictions", "[prediction]") {
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
            Table table(4, algorithm, with);
            let_two_end(table, "ann", 80, 120, 900);
            let_two_end(table, "bob", 20, 40);
            // The first job ends at 1900 by its walltime, and at 1100 as predicted.
            table.at(1000);
            table.submit_for("ann", "runs", 3, 900);
            CHECK(table.starts() == "start runs");
            table.at(1001);
            table.submit_for("eve", "head", 4, 900);
            CHECK(table.starts() == "start");
            // Predicted to run for 30 s. It ends in time in both cases, by its walltime only in one.
            table.at(1070);
            table.submit_for("bob", "of bob", 1, 829);
            CHECK(table.starts() == "start of bob");
            table.at(1071);
            table.ends("of bob");
            CHECK(table.starts() == "start");
            // Eve has no history. Her job ends in time by the walltimes, but not as predicted.
            table.at(1072);
            table.submit_for("eve", "of eve", 1, 100);
            CHECK(table.starts() == (predicts ? "start" : "start of eve"));
            if (predicts) {
                // At 1100, the first job's predicted end becomes 1160; at 1160, it becomes 1460.
                table.at(1100);
                table.submit_for("eve", "an event", 4, 900);
                CHECK(table.starts() == "start");
                table.at(1160);
                table.submit_for("eve", "another event", 4, 900);
                CHECK(table.starts() == "start of eve");
            }
        }
    }
}

TEST_CASE("With backfill-order=predicted, jobs that are predicted to be short are backfilled first", "[prediction]") {
    for (const bool by_prediction : {false, true}) {
        Table table(4, "easy", {{"prediction", "last-two"}, {"backfill-order", by_prediction ? "predicted" : "spf"}});
        let_two_end(table, "ann", 20, 40);
        table.at(1000);
        table.submit("runs", 3, 900);
        table.submit("head", 4, 900);
        table.submit("short walltime", 1, 50);
        table.submit_for("ann", "short prediction", 1, 800);
        CHECK(table.starts() == (by_prediction ? "start runs short prediction" : "start runs short walltime"));
    }
}

TEST_CASE("An order by predictions needs predictions, and only algorithms that make them know it", "[prediction]") {
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
            std::vector<std::vector<JobIndex>> rounds[2];
            for (const bool predicts : {false, true}) {
                Engine engine(algorithm, predicts ? last_two : Parameters::Given{});
                Stream(seed, features).play(engine, [&](const Message&, const std::vector<JobIndex>& started) {
                    rounds[predicts ? 1 : 0].push_back(started);
                });
            }
            REQUIRE(rounds[0] == rounds[1]);
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
            const char* const orders[] = {"fcfs", "predicted", "predicted", "laf"};
            for (const char* const name : {"order", "backfill-order"}) {
                const std::string order = orders[random.below(4)];
                given.emplace_back(name, order);
                (name == std::string("order") ? rules.order : rules.backfill_order) =
                    order == "predicted" ? plain_predicted_order() : plain_order(named_orders().at(order));
            }
            INFO("stream " << seed << text_of(given));
            Stream stream(seed, {.most_jobs = 80,
                                 .most_processors = random.one_in(3) ? 6 : 20,
                                 .deadlines = false,
                                 .machine_changes = random.one_in(3),
                                 .overruns = random.one_in(3),
                                 .users = true});
            Engine engine("easy", given);
            PlainBackfilling plain(PlainMachine(stream.processors()), rules, counts);
            stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
                INFO("at " << message.now);
                require_same_round(engine, plain, message, started);
            });
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
