#include <algorithm>
#include <iterator>
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
#include "tests/support/plain_order.hpp"
#include "tests/support/plain_prediction.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::easy_test {

// EASY backfilling in every order: the same decisions as a plain form on random streams, and small schedules by hand.

namespace {

constexpr std::size_t all = 1'000'000;

using Choice = PlainRules;

// An order by name, or "mixed". Two mixed orders share their weights.
std::pair<Parameters::Given, Choice> random_choice(Random& random) {
    std::vector<std::string> names{"mixed", "mixed"};
    std::transform(named_orders().begin(), named_orders().end(), std::back_inserter(names),
                   [](const auto& order) { return order.first; });
    const OrderWeights weights = random_weights(random);
    Parameters::Given given;
    Choice choice;
    bool mixed = false;
    const auto choose = [&](const std::string& parameter, PlainOrder& chosen) {
        if (random.one_in(8)) {
            return;  // the default
        }
        const std::string name = names[static_cast<std::size_t>(random.below(static_cast<int>(names.size())))];
        given.emplace_back(parameter, name);
        mixed = mixed || name == "mixed";
        chosen = plain_order(name == "mixed" ? weights : named_orders().at(name));
    };
    choose("order", choice.order);
    choose("backfill-order", choice.backfill_order);
    if (mixed) {
        given.emplace_back("weights", text_of(weights, random.one_in(2)));
    }
    if (random.one_in(2)) {
        choice.threshold = Duration::seconds(10 * random.below(30));
        given.emplace_back("threshold", choice.threshold->to_string());
    }
    return {given, choice};
}

// As above, also with rules of old simulators, several reservations and limits.
std::pair<Parameters::Given, Choice> random_choice_of_rules(Random& random) {
    auto [given, choice] = random_choice(random);
    if (random.one_in(2)) {
        choice.last_of_ties_first = true;
        given.emplace_back("ties", "last");
    }
    if (random.one_in(2)) {
        choice.round_for_each_event = true;
        given.emplace_back("rounds", "event");
    }
    if (random.one_in(2)) {
        const bool of_all = random.one_in(4);
        choice.reservations = of_all ? all : static_cast<std::size_t>(random.below(6));
        given.emplace_back("reservations", of_all ? "all" : std::to_string(choice.reservations));
    } else if (random.one_in(2)) {
        const bool latest = given.size() % 2 == 0;  // depends on the number of parameters so far
        choice.extra = latest ? PlainRules::Extra::needed_latest : PlainRules::Extra::needed;
        given.emplace_back("extra", latest ? "needed-latest" : "needed");
    } else {
        choice.one_as_several = true;
    }
    if (random.one_in(3)) {
        choice.test_limit = static_cast<std::size_t>(random.below(8));
        given.emplace_back("test-limit", std::to_string(choice.test_limit));
    }
    return {given, choice};
}

// As above, also with predicted run times.
std::pair<Parameters::Given, Choice> random_choice_of_predictions(Random& random) {
    auto [given, choice] = random_choice_of_rules(random);
    choice.predicts = true;
    given.emplace_back("prediction", "last-two");
    std::set<std::string> replaced;
    const auto replace = [&, &given = given](const std::string& parameter, PlainOrder& order) {
        order = plain_predicted_order();
        given.emplace_back(parameter, "predicted");
        replaced.insert(parameter);
    };
    if (random.one_in(3)) {
        replace("order", choice.order);
    }
    if (random.one_in(2)) {
        replace("backfill-order", choice.backfill_order);
    }
    const bool is_mixed_used = std::any_of(given.begin(), given.end(), [&](const auto& one) {
        return one.second == "mixed" && !replaced.contains(one.first);
    });
    if (!is_mixed_used) {
        std::erase_if(given, [](const auto& one) { return one.first == "weights"; });
    }
    return {given, choice};
}

// Requires that the engine decides like the plain form on random streams.
template <typename Choose>
void require_plain_decisions(unsigned streams, Random random, Choose choose, BackfillingCounts& counts,
                             PredictionCounts* predictions = nullptr) {
    for (unsigned seed = 0; seed < streams; ++seed) {
        const auto drawn = choose(random);
        const Parameters::Given& given = drawn.first;
        const Choice& choice = drawn.second;
        INFO("stream " << seed << text_of(given));
        const int most_processors = random.one_in(3) ? 5 : 20;
        Stream stream(seed, {.most_jobs = predictions == nullptr ? 60 : 90,
                             .most_processors = most_processors,
                             .deadlines = false,
                             .users = predictions != nullptr});
        Engine engine("easy", given);
        PlainBackfilling plain(PlainMachine(stream.processors()), choice, counts);
        // With a round for each event, the engine chooses places when all jobs of the message have ended.
        require_same_rounds(stream, engine, plain, !choice.round_for_each_event);
        if (predictions != nullptr) {
            add(*predictions, plain.prediction().counts());
        }
    }
}

}  // namespace

TEST_CASE("easy decides as a plain form of it that sorts by exact scores, in all orders, with and without threshold",
          "[easy][property]") {
    BackfillingCounts counts;
    require_plain_decisions(1500, Random(2019), random_choice, counts);
    CHECK(counts.in_time > 1000);
    CHECK(counts.beside > 1000);
    CHECK(counts.delaying > 1000);
    CHECK(counts.on_extra_of_others > 100);
    CHECK(counts.over_threshold > 1000);
    CHECK(counts.exactly_threshold > 100);
    CHECK(counts.head_not_first > 1000);
    CHECK(counts.ties > 1000);
}

TEST_CASE("easy with predicted run times decides as a plain form that predicts them from all ended jobs",
          "[easy][prediction][property]") {
    BackfillingCounts counts;
    PredictionCounts predictions;
    require_plain_decisions(600, Random(2007), random_choice_of_predictions, counts, &predictions);
    CHECK(counts.in_time > 1000);
    CHECK(counts.beside > 500);
    CHECK(counts.delaying > 1000);
    CHECK(counts.second_reservations > 1000);
    CHECK(predictions.shorter > 1000);
    CHECK(predictions.as_walltime > 1000);
    CHECK(predictions.raised > 100);
    CHECK(predictions.without_user > 1000);
    CHECK(predictions.corrected > 1000);
    CHECK(predictions.more_often > 1000);
    CHECK(predictions.up_to_limit > 1000);
}

TEST_CASE("easy decides as its plain form with the rules of older simulators, several reservations and limits",
          "[easy][property]") {
    BackfillingCounts counts;
    require_plain_decisions(1500, Random(2015), random_choice_of_rules, counts);
    CHECK(counts.ties > 1000);
    CHECK(counts.less_extra > 100);
    CHECK(counts.second_reservations > 1000);
    CHECK(counts.reserved_before_first > 100);
    CHECK(counts.beside_reservations > 100);
    CHECK(counts.limited > 100);
    CHECK(counts.submissions_that_wait > 1000);
    CHECK(counts.withheld > 10);
    CHECK(counts.starts_between > 10);
}

TEST_CASE("The first job in the order of easy gets the reservation, and the others start in the backfill order",
          "[easy]") {
    // wide takes 2400 processor seconds and long 2000. Both small jobs end by 100, when the head can start, but only
    // one fits at a time.
    const auto second_round = [](const Parameters::Given& given) {
        return SmallMachine(10, "easy", given).play(R"(
            0: running 6x100                                           | start running
            1: wide 8x300, long 5x400, beside-long 3x50, narrow 2x99
        )");
    };
    CHECK(second_round({}) == "start beside-long");
    CHECK(second_round({{"backfill-order", "sqf"}}) == "start narrow");
    CHECK(second_round({{"backfill-order", "lpf"}}) == "start narrow");
    // Smallest first: they are now the first in the queue, not jobs behind a head.
    CHECK(second_round({{"order", "saf"}}) == "start beside-long");
    CHECK(second_round({{"order", "sqf"}}) == "start narrow");
}

TEST_CASE("A job that has waited for more than the threshold goes before those with larger scores", "[easy]") {
    const auto starts_at = [](int now, const Parameters::Given& given) {
        SmallMachine machine(4, "easy", given);
        machine.play(R"(
             0: running 4x2000  | start running
            10: big 4x500       |
        )");
        return machine.play(std::to_string(now) + ": ends running, small 1x600");
    };
    const Parameters::Given smallest_first{{"order", "saf"}};
    const Parameters::Given threshold{{"order", "saf"}, {"threshold", "1000"}};
    CHECK(starts_at(1010, smallest_first) == "start small");
    CHECK(starts_at(1010, threshold) == "start small");  // it has waited for exactly 1000 s
    CHECK(starts_at(1011, smallest_first) == "start small");
    CHECK(starts_at(1011, threshold) == "start big");
}

TEST_CASE("Weights of easy that nothing uses, or that are missing, are refused", "[easy]") {
    const auto make = [](const Parameters::Given& given) { Engine("easy", given); };
    CHECK_THROWS_WITH(make({{"weights", "1,0,0,0,0,0"}}),
                      "parameter weights=1,0,0,0,0,0 is used only with order=mixed or backfill-order=mixed");
    CHECK_THROWS_AS(make({{"order", "mixed"}}), UsageError);
    CHECK_THROWS_AS(make({{"backfill-order", "mixed"}}), UsageError);
    CHECK_THROWS_AS(make({{"order", "mixed"}, {"weights", "0,0,0,0,0,0"}}), UsageError);
    CHECK_NOTHROW(make({{"backfill-order", "mixed"}, {"weights", "0,0,-2,0,0,0"}}));
}

TEST_CASE("On one processor there is nothing to backfill: easy is fcfs", "[easy][property]") {
    for (unsigned seed = 0; seed < 80; ++seed) {
        INFO("stream " << seed);
        const Features features{.most_processors = 1};
        REQUIRE(rounds_of(seed, features, "easy") == rounds_of(seed, features, "fcfs"));
    }
}

TEST_CASE("With ties=last, the last of equal jobs goes first, and backfilling follows the first order", "[easy]") {
    const auto starts = [](const Parameters::Given& given) {
        return SmallMachine(4, "easy", given).play(R"(
            0: running 3x100  | start running
            1: a 1x50, b 1x50
        )");
    };
    CHECK(starts({}) == "start a");
    CHECK(starts({{"ties", "last"}}) == "start b");
    CHECK(starts({{"order", "spf"}, {"ties", "last"}}) == "start b");

    const auto backfilled = [](const Parameters::Given& given) {
        return SmallMachine(4, "easy", given).play(R"(
            0: running 3x100  | start running
            1: head 4x500, short 1x50, equal-but-later 1x50
        )");
    };
    // The longest goes first and cannot start. Of equal jobs in the backfill order, the first in the primary order.
    CHECK(backfilled({{"order", "lpf"}, {"backfill-order", "spf"}}) == "start short");
    CHECK(backfilled({{"order", "lpf"}, {"backfill-order", "spf"}, {"ties", "last"}}) == "start equal-but-later");
}

TEST_CASE("With extra=needed, only the jobs that the reserved job needs count among those that end together",
          "[easy]") {
    const auto starts = [](const Parameters::Given& given) {
        return SmallMachine(6, "easy", given).play(R"(
            0: first 2x100, second 2x100  | start first second
            1: head 4x10, long 2x1000
        )");
    };
    // All six processors are free at 100, so two are extra. With `needed`, only those of "first" and the two idle ones
    // count.
    CHECK(starts({}) == "start long");
    CHECK(starts({{"extra", "needed"}}) == "");
}

TEST_CASE("With extra=needed-latest, the latest start counts first among the jobs that end together", "[easy]") {
    const auto starts = [](const std::string& extra) {
        return SmallMachine(8, "easy", {{"extra", extra}}).play(R"(
            0: first 1x100  | start first
            1: second 4x99  | start second
            2: head 4x10, long 3x1000
        )");
    };
    // Three processors are idle, and both running jobs end at 100. The first job gives the head exactly what it needs.
    // The second leaves three over.
    CHECK(starts("needed") == "");
    CHECK(starts("needed-latest") == "start long");
}

TEST_CASE("With rounds=event, submissions are handled before the completions of an instant", "[easy]") {
    const auto starts = [](const Parameters::Given& given, const std::string& last_round) {
        SmallMachine machine(4, "easy", given);
        machine.play(R"(
            0: running 3x100  | start running
            1: head 4x500     |
        )");
        return machine.play(last_round);
    };
    const Parameters::Given event{{"rounds", "event"}};
    // The job ends early. When the new job arrives, it still seems to run until 100, so the new job would delay the
    // head.
    CHECK(starts({}, "50: ends running, long 1x1000") == "start head");
    CHECK(starts(event, "50: ends running, long 1x1000") == "start head");
    // A new job that ends before 100 starts, and the head does not.
    CHECK(starts({}, "50: ends running, short 1x20") == "start head");
    CHECK(starts(event, "50: ends running, short 1x20") == "start short");
    // It ends as expected, so its processors are free at once.
    CHECK(starts(event, "100: ends running, short 1x20") == "start head");
}

TEST_CASE("A submission that does not fit has no round of its own with rounds=event", "[easy]") {
    const auto starts = [](const std::string& new_job) {
        SmallMachine machine(4, "easy", {{"rounds", "event"}, {"order", "sqf"}});
        machine.play(R"(
             0: running 2x100, other 1x200  | start running other
            10: first 4x10                  |
        )");
        return machine.play("20: ends running, " + new_job + ", newest 1x500");
    };
    // Until the completion is handled, one processor is free. The narrow job has a round in which the order forbids the
    // other job. The completion then frees two more processors.
    CHECK(starts("new 2x500") == "start new newest");
    CHECK(starts("new 3x500") == "start newest");
}

TEST_CASE("reservations=0 is first fit, 1 protects one job, and more protect more", "[easy]") {
    // The head can start at 100, and the second job at 200, unless others overtake it.
    const auto starts = [](const std::string& reservations, const std::string& second) {
        SmallMachine machine(4, "easy", {{"reservations", reservations}});
        machine.play("0: running 2x100 | start running");
        return machine.play("1: head 3x100, " + second + ", long 1x5000");
    };
    CHECK(starts("0", "second 2x1000") == "start second");
    CHECK(starts("1", "second 2x1000") == "start long");
    CHECK(starts("2", "second 2x1000") == "start long");
    CHECK(starts("1", "second 4x1000") == "start long");
    CHECK(starts("2", "second 4x1000") == "");
    CHECK(starts("all", "second 4x1000") == "");
}

TEST_CASE("test-limit counts the jobs that easy tests after the first that cannot start", "[easy]") {
    const auto starts = [](const std::string& limit, const std::string& reservations) {
        return SmallMachine(4, "easy", {{"test-limit", limit}, {"reservations", reservations}}).play(R"(
            0: running 2x100  | start running
            1: head 3x100, wide 4x100, short 1x50
        )");
    };
    for (const char* const reservations : {"0", "1", "2", "all"}) {
        INFO("reservations=" << reservations);
        CHECK(starts("0", reservations) == "");
        CHECK(starts("1", reservations) == "");
        CHECK(starts("2", reservations) == "start short");
    }
}

TEST_CASE("Rules of easy that count processors are refused where places matter", "[easy]") {
    const auto make = [](const Parameters::Given& given) { Engine("easy", given); };
    CHECK_THROWS_WITH(make({{"extra", "needed"}, {"reservations", "2"}}),
                      "parameter extra=needed is used only with reservations=1");
    CHECK_THROWS_WITH(make({{"rounds", "event"}, {"placement", "contiguous"}}),
                      "parameter rounds=event is used only with placement=lowest or placement=best-effort-contiguous");
    CHECK_THROWS_AS(make({{"reservations", "all"}, {"placement", "machine"}}), UsageError);
    CHECK_THROWS_AS(make({{"extra", "needed"}, {"placement", "machine"}}), UsageError);
    CHECK_NOTHROW(make({{"rounds", "event"}, {"placement", "best-effort-contiguous"}}));
    CHECK_THROWS_WITH(make({{"reservations", "many"}}),
                      "parameter reservations: 'many' is not a whole number (0 or more, or all)");
}

}  // namespace batfill::tests::easy_test
