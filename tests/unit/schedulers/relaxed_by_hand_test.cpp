#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "protocol/codec.hpp"
#include "src/session/session.hpp"
#include "tests/support/batsim4_frames.hpp"
#include "tests/support/engine_rounds.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::relaxed_by_hand_test {

// Relaxed backfilling: small schedules by hand.

namespace {

const Parameters::Given by_wait{{"alpha", "1"}, {"beta", "0"}, {"gamma", "0"}, {"r", "1"}};

// A job that is submitted at 0.
Submission submission(JobIndex index, int processors, int walltime) {
    JobDescription job;
    job.id = "w0!" + std::to_string(index);
    job.processors = processors;
    job.walltime = Duration::seconds(walltime);
    return {index, job};
}

}  // namespace

TEST_CASE("The window of relaxed is a factor of the wait of the top job, or its wait and a factor of its walltime",
          "[relaxed]") {
    // 10 processors. At 1 the top job can start at 101, in 100 s; its walltime is 60.
    const auto starts = [](const Parameters::Given& given, int walltime) {
        SmallMachine machine(10, "relaxed", given);
        machine.play("0: running 6x101 | start running");
        return machine.play("1: top 10x60, small 1x" + std::to_string(walltime)) == "start small";
    };
    CHECK(starts({}, 100));
    CHECK_FALSE(starts({}, 101));
    CHECK_FALSE(starts({{"omega", "0"}}, 1));
    CHECK(starts({{"omega", "0.5"}}, 50));
    CHECK_FALSE(starts({{"omega", "0.5"}}, 51));
    CHECK(starts({{"omega", "2.5"}}, 250));
    CHECK_FALSE(starts({{"omega", "2.5"}}, 251));
    CHECK(starts({{"omega", "inf"}}, 1'000'000));
    CHECK(starts({{"basis", "walltime"}}, 100));
    CHECK_FALSE(starts({{"basis", "walltime"}}, 101));
    CHECK(starts({{"basis", "walltime"}, {"omega", "1.2"}}, 112));
    CHECK_FALSE(starts({{"basis", "walltime"}, {"omega", "1.2"}}, 113));
    CHECK(starts({{"basis", "walltime"}, {"omega", "inf"}}, 1'000'000));
}

TEST_CASE("relaxed has no rule for extra processors: a job beside the top one must end in time as well", "[relaxed]") {
    const auto third_round = [](const std::string& algorithm, const Parameters::Given& given) {
        return SmallMachine(10, algorithm, given).play(R"(
            0: running 8x100  | start running
            1: top 9x100      |
            2: beside 1x1000
        )");
    };
    CHECK(third_round("easy", {}) == "start beside");
    CHECK(third_round("relaxed", {}) == "");
    CHECK(third_round("relaxed", {{"omega", "11"}}) == "start beside");
}

namespace {

struct Candidate {
    int waited;  // seconds
    int processors;
    int walltime;
    std::string queue = "";
    int run_time = 0;
};

// Returns the candidate that relaxed starts at `now` on 32 processors, where no two fit together. Candidates are in the
// order of submission.
std::size_t first_of(const std::vector<Candidate>& candidates, const Parameters::Given& given = {}, int now = 10'000) {
    Message message{Time::seconds(now), {}, {}, {}};
    for (const Candidate& candidate : candidates) {
        JobDescription job;
        job.id = std::to_string(message.submitted.size());
        job.submit = message.now - Duration::seconds(candidate.waited);
        job.processors = candidate.processors;
        job.walltime = Duration::seconds(candidate.walltime);
        job.queue = candidate.queue;
        message.submitted.emplace_back(static_cast<JobIndex>(message.submitted.size()), job);
        message.run_times.push_back(Duration::seconds(candidate.run_time));
    }
    Engine engine("relaxed", given);
    engine.begin(Time(), Machine(32));
    const std::vector<JobIndex> started = starts_of(send(engine, message));
    REQUIRE(started.size() == 1);
    return started[0];
}

}  // namespace

TEST_CASE("relaxed prefers long waits, short and wide jobs, and urgent queues, as its paper says", "[relaxed]") {
    // By equation 1: 1; 1 * 2 * 0.75; 10^2 / 60; 10 * 10 / 60, which equals the third.
    const Candidate typical{3600, 32, 3600};
    const Candidate short_and_narrow{3600, 24, 1800};
    const Candidate urgent{60, 32, 3600, "urgent"};
    const Candidate background{6000, 32, 360, "background"};
    CHECK(first_of({typical, short_and_narrow}) == 1);
    CHECK(first_of({typical, short_and_narrow}, {{"beta", "0"}}) == 0);
    CHECK(first_of({short_and_narrow, typical}, {{"beta", "0"}, {"gamma", "0"}}) == 0);
    CHECK(first_of({typical, short_and_narrow}, {{"beta", "0"}, {"gamma", "0"}}) == 0);
    CHECK(first_of({short_and_narrow, urgent}) == 1);
    CHECK(first_of({short_and_narrow, urgent}, {{"r", "1"}}) == 0);
    CHECK(first_of({background, urgent}) == 0);
    CHECK(first_of({background, urgent}, {{"r", "9"}}) == 0);
    CHECK(first_of({background, urgent}, {{"r", "11"}}) == 1);
    CHECK(first_of({background, urgent}, {{"alpha", "0"}}) == 1);
    // An unknown queue counts as the primary one, between background and challenge.
    const auto in_queue = [](const std::string& queue) { return Candidate{60, 32, 3600, queue}; };
    CHECK(first_of({in_queue("primary"), in_queue("no such"), in_queue("")}) == 0);
    CHECK(first_of({in_queue("no such"), in_queue("primary"), in_queue("")}) == 0);
    CHECK(first_of({in_queue("background"), in_queue("no such")}) == 1);
    CHECK(first_of({in_queue("no such"), in_queue("challenge")}) == 1);
    CHECK(first_of({in_queue("challenge"), in_queue("urgent")}) == 1);
    // A job that has not waited goes last, or first if waits count against a job.
    const Candidate new_and_short{0, 32, 1};
    CHECK(first_of({typical, new_and_short}) == 0);
    CHECK(first_of({typical, new_and_short}, {{"alpha", "-1"}}) == 1);
    CHECK(first_of({typical, new_and_short}, {{"alpha", "0"}}) == 1);
}

TEST_CASE("Priorities of relaxed are those of the last multiple of the period", "[relaxed]") {
    // Minutes begin at 3600 and at 3660. The short job is submitted between them.
    const auto first_at = [](int now, const std::string& period) {
        return first_of({{now - 3590, 32, 3600}, {now - 3610, 32, 1}}, {{"priority-period", period}}, now);
    };
    CHECK(first_at(3659, "0") == 1);
    CHECK(first_at(3659, "60") == 0);
    CHECK(first_at(3660, "60") == 1);
    CHECK(first_at(3659, "50") == 1);
    CHECK(first_at(3660, "3700") == 0);  // nobody has waited; the first submitted goes first
}

TEST_CASE("With estimates=actual relaxed takes jobs to run as long as they will", "[relaxed]") {
    const Parameters::Given actual{{"estimates", "actual"}};
    CHECK(first_of({{60, 32, 100, "", 100}, {60, 32, 100, "", 10}}) == 0);
    CHECK(first_of({{60, 32, 100, "", 100}, {60, 32, 100, "", 10}}, actual) == 1);
    CHECK(first_of({{60, 32, 100, "", 1000}, {60, 32, 101, "", 1000}}, actual) == 0);  // never beyond the walltime
    // The first processors become free at 50, not at 100, and the window ends then.
    const auto starts = [&](int run_time) {
        Engine engine("relaxed", actual);
        engine.begin(Time(), Machine(10));
        return starts_of(send(engine, {Time(),
                                       {},
                                       {submission(0, 9, 100), submission(1, 10, 100), submission(2, 1, 100)},
                                       {},
                                       {Duration::seconds(50), Duration::seconds(1), Duration::seconds(run_time)}}));
    };
    // All have waited 0, so the order of submission decides.
    CHECK(starts(50) == std::vector<JobIndex>{0, 2});
    CHECK(starts(51) == std::vector<JobIndex>{0});
}

TEST_CASE("relaxed counts the jobs that it starts behind the top one", "[relaxed]") {
    SmallMachine machine(10, "relaxed", by_wait);
    machine.play("0: a 5x100, b 1x10, top 8x10, c 1x100, d 1x101 | start a b c");
    CHECK(machine.statistics() == "backfilled 1");
    machine.play("1: ends a, e 3x1 | start top");  // no processor is free behind it
    CHECK(machine.statistics() == "backfilled 1");
}

TEST_CASE("relaxed with actual run times has nothing to predict", "[relaxed][prediction]") {
    CHECK_THROWS_WITH(Engine("relaxed", {{"estimates", "actual"}, {"prediction", "last-two"}}),
                      "parameter estimates=actual is used only with prediction=none");
}

TEST_CASE("Parameters of relaxed that mean nothing are refused", "[relaxed]") {
    const auto make = [](const Parameters::Given& given) { Engine("relaxed", given); };
    CHECK_THROWS_WITH(make({{"basis", "walltime"}, {"omega", "0.999"}}),
                      "parameter omega must be at least 1 with basis=walltime");
    CHECK_NOTHROW(make({{"basis", "walltime"}, {"omega", "1"}}));
    CHECK_THROWS_WITH(make({{"r", "0"}}), "parameter r must be more than 0");
    CHECK_THROWS_AS(make({{"r", "-1"}}), UsageError);
    CHECK_THROWS_AS(make({{"omega", "-1"}}), UsageError);
    CHECK_THROWS_AS(make({{"omega", "nan"}}), UsageError);
    CHECK_THROWS_AS(make({{"alpha", "inf"}}), UsageError);
    CHECK_THROWS_AS(make({{"priority-period", "-60"}}), UsageError);
    CHECK_THROWS_AS(make({{"placement", "machine"}}), UsageError);
}

TEST_CASE("Where run times are not known, relaxed with estimates=actual is refused", "[relaxed]") {
    const Parameters::Given actual{{"estimates", "actual"}};
    Session session({"relaxed", actual}, protocol::make_codec(protocol::default_protocol));
    CHECK_THROWS_WITH(
        session.answer(batsim4::begins(1)),
        "algorithm relaxed: with these parameters it needs the run times of jobs, which are known in batfill simulate only");
    Engine engine("relaxed", actual);
    engine.begin(Time(), Machine(1));
    CHECK_THROWS_WITH(
        send(engine, {Time(), {}, {submission(0, 1, 1)}, {}}),
        "job w0!0: its run time is unknown before it ends, and algorithm relaxed with these parameters needs it");
}

}  // namespace batfill::tests::relaxed_by_hand_test
