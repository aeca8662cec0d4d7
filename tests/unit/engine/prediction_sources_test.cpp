#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::prediction_sources_test {

// Where predictions come from besides `last-two`, other corrections, and what happens when a prediction expires: all
// worked by hand.

namespace {

JobDescription job_of(const std::string& user, int processors, int walltime, const std::string& fields = "") {
    JobDescription job;
    job.id = "w0!a";
    job.user = user;
    job.processors = processors;
    job.walltime = Duration::seconds(walltime);
    job.other_fields = fields;
    return job;
}

// The prediction, in seconds, of a job of a user, with these fields and a walltime of 900 s.
std::string predicted_by_field(const Parameters::Given& parameters, const std::string& fields) {
    Engine engine("easy", parameters);
    engine.begin(Time(), Machine(4));
    send(engine, {Time(), {}, {{0, job_of("ann", 1, 900, fields)}}, {}});
    return engine.state().estimate(0).to_shortest_string();
}

// A machine whose job "long" starts at 0. A field predicts that it runs for 100 s.
class Predicted {
 public:
    Predicted(Parameters::Given parameters, int walltime) : engine_("easy", with_field(std::move(parameters))) {
        engine_.begin(Time(), Machine(4));
        send(engine_, {Time(), {}, {{0, job_of("ann", 3, walltime, R"("prediction":100)")}}, {}});
    }

    // The estimate of "long" after a submission at this time, in seconds.
    std::string at(int now) {
        submit(now, 4, 1);
        return engine_.state().estimate(0).to_shortest_string();
    }
    // Submits a job and returns the decisions of the round.
    const std::vector<Decision>& submit(int now, int processors, int walltime) {
        return send(engine_, {Time::seconds(now), {}, {{next_++, job_of("bob", processors, walltime)}}, {}});
    }
    // A message without events, as Batsim answers a call.
    const std::vector<Decision>& call(int now) { return send(engine_, {Time::seconds(now), {}, {}, {}}); }

 private:
    static Parameters::Given with_field(Parameters::Given parameters) {
        parameters.emplace_back("prediction", "field");
        return parameters;
    }

    Engine engine_;
    JobIndex next_ = 1;
};

std::vector<Time> calls_in(const std::vector<Decision>& decisions) {
    std::vector<Time> calls;
    for (const Decision& decision : decisions) {
        if (const auto* call = std::get_if<CallMeLater>(&decision)) {
            calls.push_back(call->time);
        }
    }
    return calls;
}

}  // namespace

TEST_CASE("A field of the job can be its prediction", "[prediction]") {
    const Parameters::Given field{{"prediction", "field"}};
    CHECK(predicted_by_field(field, R"("prediction":12.5)") == "12.5");
    CHECK(predicted_by_field(field, R"("prediction":0)") == "1");
    CHECK(predicted_by_field(field, R"("prediction":5000)") == "5000");
    const Parameters::Given named{{"prediction", "field"}, {"prediction-field", "guess"}};
    CHECK(predicted_by_field(named, R"("prediction":12.5,"guess":80)") == "80");
    SECTION("without a number that makes sense, the walltime counts") {
        for (const char* const fields : {"", R"("guess":12)", R"("prediction":"12")", R"("prediction":-1)",
                                         R"("prediction":1e300)", R"("prediction":null)"}) {
            CHECK(predicted_by_field(field, fields) == "900");
        }
    }
}

TEST_CASE("A clairvoyant prediction is the run time, at most the walltime if that stops the job", "[prediction]") {
    Engine engine("easy", {{"prediction", "clairvoyant"}});
    CHECK(engine.choice().needs_run_times());
    engine.begin(Time(), Machine(4));
    const auto predicted = [&](JobIndex index, int run_time, bool may_outlive_walltime) {
        engine.arrive(Time());
        engine.take_in({Time(), JobSubmitted{JobNumber{index}, job_of("", 1, 50), Duration::seconds(run_time),
                                             may_outlive_walltime}});
        engine.decide();
        return engine.state().estimate(index).to_shortest_string();
    };
    CHECK(predicted(0, 20, false) == "20");
    CHECK(predicted(1, 70, false) == "50");
    CHECK(predicted(2, 70, true) == "70");
}

TEST_CASE("last-two-seconds counts whole seconds, and jobs that ended at an earlier instant", "[prediction]") {
    SmallMachine machine(4, "easy", {{"prediction", "last-two-seconds"}});
    // "b" started before "c", so it counts as ended before "c", too.
    machine.play(R"(
         0: a 1x900 of ann, b 1x900 of ann, c 1x900 of ann  | start a b c
        10: ends a                                          |
        31: ends c, ends b, now 1x900 of ann                | start now
    )");
    CHECK(machine.estimate("now") == "900");
    machine.play("32: later 1x900 of ann | start later");
    CHECK(machine.estimate("later") == "31");
    machine.play(R"(
        51: ends later         |
        60: last 1x900 of ann  | start last
    )");
    CHECK(machine.estimate("last") == "25");  // of 19 s and 31 s
    machine.play(R"(
        80: ends last                  |
        90: rounded-down 1x900 of ann  | start rounded-down
    )");
    CHECK(machine.estimate("rounded-down") == "19");  // of 20 s and 19 s
}

TEST_CASE("Corrections from the first prediction replace one another", "[prediction]") {
    Predicted table({{"correction", "from-first"}}, 500'000);
    constexpr int minute = 60;
    constexpr int hour = 3600;
    CHECK(table.at(99) == "100");
    int expiry = 100;
    for (const int step : {minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 5 * hour, 10 * hour, 20 * hour,
                           50 * hour, 100 * hour}) {
        CHECK(table.at(expiry) == std::to_string(100 + step));
        expiry = 100 + step;
    }
    CHECK(table.at(expiry) == "500000");
    SECTION("several at once, and never beyond the walltime") {
        Predicted short_walltime({{"correction", "from-first"}}, 1000);
        CHECK(short_walltime.at(100 + 5 * minute) == "1000");  // 15 min more would be 1000 s
        CHECK(short_walltime.at(1200) == "1000");
    }
}

TEST_CASE("A prediction can be doubled, or become the walltime", "[prediction]") {
    Predicted doubling({{"correction", "doubling"}}, 500);
    CHECK(doubling.at(100) == "200");
    CHECK(doubling.at(399) == "400");
    CHECK(doubling.at(400) == "800");  // beyond the walltime, as in the study
    CHECK(doubling.at(900) == "800");
    Predicted walltime({{"correction", "walltime"}}, 500);
    CHECK(walltime.at(99) == "100");
    CHECK(walltime.at(100) == "500");
}

TEST_CASE("A prediction that expires starts a round if that is wanted", "[prediction]") {
    for (const std::string rounds : {"instant", "event", "every-event"}) {
        INFO(rounds);
        // The head needs the processors of "long". Until 100 a job of 150 s would delay it.
        Predicted quiet({{"rounds", rounds}, {"correction", "doubling"}}, 500);
        CHECK(calls_in(quiet.submit(10, 4, 400)).empty());
        CHECK(starts_of(quiet.submit(20, 1, 150)).empty());
        CHECK(starts_of(quiet.call(100)).empty());
        Predicted loud({{"rounds", rounds}, {"correction", "walltime"}, {"expired", "round"}}, 500);
        CHECK(calls_in(loud.submit(10, 4, 400)).empty());  // asked for at 0
        CHECK(starts_of(loud.submit(20, 1, 150)).empty());
        CHECK(starts_of(loud.call(100)) == std::vector<JobIndex>{2});
    }
    Engine engine("easy", {{"prediction", "field"}, {"expired", "round"}});
    engine.begin(Time(), Machine(4));
    const auto& decisions = send(engine, {Time(), {}, {{0, job_of("", 1, 300, R"("prediction":100)")}}, {}});
    CHECK(calls_in(decisions) == std::vector<Time>{Time::seconds(100)});
    CHECK(calls_in(send(engine, {Time::seconds(100), {}, {}, {}})) == std::vector<Time>{Time::seconds(160)});
}

TEST_CASE("A job that ends when it was predicted to has no expired prediction", "[prediction]") {
    // A round before the submission would start "small", which waits for the end of "long" at 100.
    for (const std::string expired : {"profile", "round"}) {
        Engine engine("easy", {{"prediction", "field"}, {"rounds", "event"}, {"expired", expired}, {"order", "spf"}});
        engine.begin(Time(), Machine(4));
        send(engine, {Time(), {}, {{0, job_of("", 4, 500, R"("prediction":100)")}}, {}});
        send(engine, {Time::seconds(10), {}, {{1, job_of("", 4, 300)}}, {}});
        CHECK(starts_of(send(engine, {Time::seconds(100), {0}, {{2, job_of("", 4, 200)}}, {}})) ==
              std::vector<JobIndex>{2});
    }
}

TEST_CASE("With every-event a submission that does not fit has a round, too", "[prediction]") {
    // At 100 "long" outlives its prediction, so a job of 150 s may run beside it. No job ends then, and the new job
    // does not fit.
    for (const bool every : {false, true}) {
        Predicted table({{"rounds", every ? "every-event" : "event"}, {"correction", "walltime"}}, 500);
        table.submit(10, 4, 400);
        CHECK(starts_of(table.submit(20, 1, 150)).empty());
        CHECK(starts_of(table.submit(100, 4, 400)) == (every ? std::vector<JobIndex>{2} : std::vector<JobIndex>{}));
    }
}

TEST_CASE("A job that outlives its walltime ends now by the estimates", "[prediction]") {
    Engine engine("easy", {});
    engine.begin(Time(), Machine(4));
    engine.take_in({Time(), JobSubmitted{JobNumber{0}, job_of("", 3, 100), {}, true}});
    engine.decide();
    // Overdue at 150: the head's shadow time is now, so nothing may run beside.
    CHECK(starts_of(send(engine, {Time::seconds(150), {}, {{1, job_of("", 4, 100)}}, {}})).empty());
    CHECK(starts_of(send(engine, {Time::seconds(151), {}, {{2, job_of("", 1, 1)}}, {}})).empty());
    CHECK(starts_of(send(engine, {Time::seconds(180), {0}, {}, {}})) == std::vector<JobIndex>{1});
}

TEST_CASE("Parameters of predictions are refused where nothing uses them", "[prediction]") {
    CHECK_THROWS_WITH(Engine("easy", {{"prediction-field", "guess"}}),
                      "parameter prediction-field=guess is used only with prediction=field");
    const std::string expiring =
        " is used only with prediction=last-two or prediction=last-two-seconds or prediction=field";
    CHECK_THROWS_WITH(Engine("easy", {{"correction", "doubling"}}), "parameter correction=doubling" + expiring);
    CHECK_THROWS_WITH(Engine("relaxed", {{"expired", "round"}, {"prediction", "clairvoyant"}}),
                      "parameter expired=round" + expiring);
    CHECK_THROWS_WITH(Engine("easy", {{"prediction", "field"}, {"prediction-field", ""}}),
                      "parameter prediction-field: '' is empty");
}

}  // namespace batfill::tests::prediction_sources_test
