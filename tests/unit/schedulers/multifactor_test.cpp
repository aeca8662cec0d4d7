#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_backfilling.hpp"
#include "tests/support/plain_machine.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::multifactor_test {

// The order `multifactor` of easy: each factor by hand, and the same decisions as a plain form that sums up all runs of
// all users each time.

namespace {

long double seconds(Duration duration) {
    return static_cast<long double>(duration.count()) / 1e6L;
}

// All jobs that have ever run.
class PlainRuns {
 public:
    void take_in(const Message& message) {
        for (const JobIndex job : message.ended) {
            runs_.at(job).end = message.now;
        }
    }
    void start(JobIndex job, Time now) { runs_[job] = {now, std::nullopt}; }

    // Processor seconds of a user. Each has halved once per half-life since its use.
    long double usage(const std::string& user, const Queue& queue, Duration half_life) const {
        const auto left = [&](Time time) { return std::exp2(-seconds(queue.now - time) / seconds(half_life)); };
        long double usage = 0;
        for (const auto& [index, run] : runs_) {
            const JobDescription& job = queue.jobs.at(index);
            if (job.user == user) {
                usage += job.processors * seconds(half_life) / std::log(2.0L) *
                         (left(run.end.value_or(queue.now)) - left(run.start));
            }
        }
        return usage;
    }

 private:
    struct Run {
        Time start;
        std::optional<Time> end;
    };
    std::map<JobIndex, Run> runs_;
};

struct Factors {
    int weights[3] = {1, 1, 1};  // of age, size and fair share
    Duration max_age = Duration::days(7);
    Duration half_life = Duration::days(7);
};

struct Counts {
    int aged = 0;       // jobs that are older than the largest age
    int different = 0;  // rounds in which waiting users have different shares
    int unused = 0;     // rounds in which a job of a user without usage waits beside others
};

PlainOrder by_factors(const Factors& factors, int processors, const std::shared_ptr<PlainRuns>& runs, Counts& counts) {
    return [=, &counts](const Queue& queue) {
        std::map<std::string, long double> usage;
        long double total = 0;
        for (const auto& [index, job] : queue.jobs) {
            if (usage.count(job.user) == 0) {
                total += usage[job.user] = runs->usage(job.user, queue, factors.half_life);
            }
        }
        std::set<long double> shares;
        std::vector<PlainScore> scores;
        for (const JobIndex index : queue.waiting) {
            const JobDescription& job = queue.jobs.at(index);
            const long double age = seconds(queue.now - job.submit) / seconds(factors.max_age);
            const long double share = 1 / static_cast<long double>(usage.size());
            const long double used = total > 0 ? usage.at(job.user) / total : 0;
            const long double terms[] = {factors.weights[0] * std::min(age, 1.0L),
                                         factors.weights[1] * static_cast<long double>(job.processors) / processors,
                                         factors.weights[2] * std::exp2(-used / share)};
            counts.aged += age > 1 ? 1 : 0;
            shares.insert(used);
            PlainScore score{index, 0, 0};
            for (const long double term : terms) {
                score.score += term;
                score.magnitude += std::abs(term);
            }
            scores.push_back(score);
        }
        counts.different += shares.size() > 1 ? 1 : 0;
        counts.unused += shares.size() > 1 && *shares.begin() == 0 ? 1 : 0;
        return ranked(scores);
    };
}

Parameters::Given multifactor(const std::string& weights, const std::string& max_age = "",
                              const std::string& half_life = "") {
    Parameters::Given given{{"order", "multifactor"}, {"factor-weights", weights}};
    if (!max_age.empty()) {
        given.emplace_back("max-age", max_age);
    }
    if (!half_life.empty()) {
        given.emplace_back("half-life", half_life);
    }
    return given;
}

}  // namespace

TEST_CASE("Under multifactor age and size add up, and age counts up to the largest age", "[easy][multifactor]") {
    // At t, the narrow job has 0.2 + min(t / 100, 1), the wide job has 0.5 + min((t - 50) / 100, 1).
    for (const auto& [when, first] : std::map<int, std::string>{
             {60, "narrow"}, {100, "narrow"}, {120, "narrow"}, {121, "wide"}, {150, "wide"}, {1000, "wide"}}) {
        SmallMachine machine(10, "easy", multifactor("1,1,0", "100"));
        machine.play(R"(
             0: early 5x2000, late 5x2000, narrow 2x100  | start early late
            50: wide 5x100                               |
        )");
        machine.play(std::to_string(when) + ": ends early | start " + first);
    }
}

TEST_CASE("Under multifactor terms that cancel leave a tie, however large they are", "[easy][multifactor]") {
    for (int hundredths = 5; hundredths < 45; ++hundredths) {
        for (const int processors : {1, 2, 3, 5, 8, 13, 21, 34, 50}) {
            INFO("At 100, age less size is 0." << hundredths << " for both; the second has " << processors);
            const auto job = [](const std::string& name, int width) {
                return name + std::to_string(width) + "x100 |\n";
            };
            SmallMachine machine(100, "easy", multifactor("1,-1,0", "100"));
            machine.play("0: before 100x1000 | start before");
            machine.play(job("1: first ", 99 - hundredths));
            machine.play(std::to_string(100 - hundredths - processors) + job(": second ", processors));
            CHECK(machine.play("100: ends before").rfind("start first", 0) == 0);
        }
    }
}

TEST_CASE("The fair share is 2 to the negative usage divided by the share", "[easy][multifactor]") {
    // One of two users has all the usage: the factors are 2^-2 and 2^0. A job on 8 of 8 processors makes up for that
    // against one on 2.
    const std::vector<std::pair<std::string, std::string>> cases{{"1: of-bob 1x100 of bob, of-ann 8x100", "of-ann"},
                                                                 {"1: of-bob 2x100 of bob, of-ann 8x100", "of-bob"},
                                                                 {"1: of-ann 8x100, of-bob 2x100 of bob", "of-ann"},
                                                                 {"1: of-ann 8x100, of-bob 3x100 of bob", "of-bob"}};
    for (const std::string ann : {" of ann", ""}) {
        for (auto [waiting, first] : cases) {
            SmallMachine machine(8, "easy", multifactor("0,1,1"));
            machine.play("0: before 8x100" + ann + " | start before");
            machine.play(waiting.insert(waiting.find("of-ann 8x100") + 12, ann) + " |");
            machine.play("100: ends before | start " + first);
        }
    }
}

TEST_CASE("What was used longer ago counts for less, by the half-life", "[easy][multifactor]") {
    // At 250, ann's 150 s of usage lie before 150, bob's 100 s after.
    for (const auto& [half_life, first, second] :
         std::vector<std::array<std::string, 3>>{{"100", "ann", "bob"}, {"1000000", "bob", "ann"}}) {
        SmallMachine machine(1, "easy", multifactor("0,0,1", "", half_life));
        machine.play(R"(
              0: ann 1x200 of ann            | start ann
            150: ends ann, bob 1x200 of bob  | start bob
        )");
        machine.play("200: again-" + second + " 1x9 of " + second + ", again-" + first + " 1x9 of " + first + " |");
        machine.play("250: ends bob | start again-" + first);
    }
}

TEST_CASE("Running jobs count for their users", "[easy][multifactor]") {
    SmallMachine(2, "easy", multifactor("0,0,1")).play(R"(
         0: runs 1x100 of ann, other 1x100 of eve     | start runs other
         1: of-ann 1x100 of ann, of-bob 1x100 of bob  |
        10: ends other                                | start of-bob
    )");
}

TEST_CASE("Usage counts however many half-lives ago it was", "[easy][multifactor]") {
    for (const int half_life : {100, 5, 1}) {
        SmallMachine(1, "easy", multifactor("0,0,1", "", std::to_string(half_life))).play(R"(
              0: used 1x10 of ann                        | start used
             10: ends used                               |
            300: of-ann 1x10 of ann, of-bob 1x10 of bob  | start of-bob
        )");
    }
}

TEST_CASE("Parameters of multifactor that mean nothing are refused", "[easy][multifactor]") {
    for (const auto& [name, value] :
         Parameters::Given{{"factor-weights", "1,1,1"}, {"max-age", "100"}, {"half-life", "100"}}) {
        CHECK_THROWS_WITH(
            Engine("easy", {{name, value}}),
            "parameter " + name + '=' + value + " is used only with order=multifactor or backfill-order=multifactor");
        CHECK_NOTHROW(Engine("easy", {{name, value}, {"backfill-order", "multifactor"}}));
    }
    CHECK_THROWS_WITH(Engine("easy", multifactor("1,1,1", "0")),
                      "parameters max-age and half-life must be more than 0");
    CHECK_THROWS_WITH(Engine("easy", multifactor("1,1,1", "", "0")),
                      "parameters max-age and half-life must be more than 0");
    CHECK_THROWS_WITH(Engine("easy", multifactor("1,1,1e101")),
                      "parameter factor-weights: expected numbers from -1e100 to 1e100");
    CHECK_THROWS_WITH(Engine("easy", multifactor("0,-0,0")),
                      "parameter factor-weights: expected at least one that is not 0");
    CHECK_THROWS_WITH(
        Engine(
            "easy",
            {{"order", "multifactor"}, {"backfill-order", "mixed"}, {"weights", "1,1,1,0,0,0"}, {"period", "86400"}}),
        "parameter period replays jobs without their users, so it does not go with the order multifactor");
    CHECK_THROWS_AS(Engine("pc", {{"order", "multifactor"}}), UsageError);
}

TEST_CASE("Under multifactor easy decides as a plain form that adds up all runs in each round",
          "[easy][multifactor][property]") {
    BackfillingCounts counts;
    Counts seen;
    unsigned in_doubt = 0;
    Random random(2010);
    for (unsigned seed = 0; seed < 400; ++seed) {
        Factors factors;
        Parameters::Given given;
        if (!random.one_in(4)) {
            for (int& weight : factors.weights) {
                weight = random.one_in(5) ? 0 : random.between(-3, 9);
            }
            if (std::ranges::count(factors.weights, 0) == std::ssize(factors.weights)) {
                factors.weights[2] = 1;
            }
            given.emplace_back("factor-weights", std::to_string(factors.weights[0]) + "," +
                                                     std::to_string(factors.weights[1]) + "," +
                                                     std::to_string(factors.weights[2]));
        }
        if (!random.one_in(4)) {
            factors.max_age = Duration::seconds(random.between(1, 400));
            given.emplace_back("max-age", factors.max_age.to_string());
        }
        if (!random.one_in(4)) {
            factors.half_life = Duration::seconds(random.between(1, 2000));
            given.emplace_back("half-life", factors.half_life.to_string());
        }
        Stream stream(seed, {.most_jobs = 60,
                             .most_processors = random.one_in(3) ? 6 : 20,
                             .deadlines = false,
                             .machine_changes = random.one_in(4),
                             .overruns = random.one_in(3),
                             .users = true});
        const auto runs = std::make_shared<PlainRuns>();
        const PlainOrder order = by_factors(factors, stream.processors(), runs, seen);
        PlainRules rules;
        const int which = random.below(3);
        for (const char* const name : {"order", "backfill-order"}) {
            const bool is_multifactor = which == 2 || (which == 0) == (name == std::string("order"));
            given.emplace_back(name, is_multifactor ? "multifactor" : "saf");
            (name == std::string("order") ? rules.order : rules.backfill_order) =
                is_multifactor ? order : plain_order(named_orders().at("saf"));
        }
        INFO("stream " << seed << text_of(given));
        Engine engine("easy", given);
        PlainBackfilling plain(PlainMachine(stream.processors()), rules, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            runs->take_in(message);
            require_same_round(engine, plain, message, started);
            for (const JobIndex job : started) {
                runs->start(job, message.now);
            }
        });
        in_doubt += plain.in_doubt() ? 1U : 0U;
    }
    CHECK(in_doubt < 20);
    CHECK(seen.aged > 1000);
    CHECK(seen.different > 1000);
    CHECK(seen.unused > 100);
    CHECK(counts.in_time > 500);
    CHECK(counts.beside > 500);
    CHECK(counts.head_not_first > 500);
    CHECK(counts.ties > 100);
}

}  // namespace batfill::tests::multifactor_test
