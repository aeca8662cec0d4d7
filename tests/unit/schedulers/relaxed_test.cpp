#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_relaxed.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/same_rounds.hpp"

namespace batfill::tests::relaxed_test {

// Relaxed backfilling on random streams: the same decisions as a plain form, and the special cases that its paper
// names.

using Choice = PlainRelaxed::Choice;
using Counts = PlainRelaxed::Counts;

namespace {

// "2.3" for 23, "inf" for negative numbers.
std::string tenths(int number) {
    return number < 0 ? "inf" : std::to_string(number / 10) + "." + std::to_string(number % 10);
}

std::pair<Parameters::Given, Choice> random_choice(Random& random) {
    Parameters::Given given;
    Choice choice;
    const auto draw = [&](const char* name, int& value, int from, int to) {
        if (!random.one_in(4)) {
            value = random.between(from, to);
            given.emplace_back(name, std::to_string(value));
        }
    };
    draw("alpha", choice.alpha, -1, 2);
    draw("beta", choice.beta, -2, 2);
    draw("gamma", choice.gamma, -2, 2);
    draw("r", choice.r, 1, 12);
    if (!random.one_in(6)) {
        const int omegas[] = {0, -1, 10, 20, random.below(10), random.between(10, 60)};
        choice.omega = omegas[random.below(6)];
        given.emplace_back("omega", tenths(choice.omega));
    }
    if ((choice.omega < 0 || choice.omega >= 10) && random.one_in(2)) {
        choice.by_walltime = true;
        given.emplace_back("basis", "walltime");
    }
    if (random.one_in(3)) {
        choice.actual = true;
        given.emplace_back("estimates", "actual");
    }
    if (random.one_in(2)) {
        choice.period = random.one_in(3) ? Duration::microseconds(random.between(300'000, 40'000'000))
                                         : Duration::seconds(10 * random.between(1, 12));
        given.emplace_back("priority-period", choice.period.to_string());
    }
    const Placement placements[] = {Placement::lowest, Placement::lowest, Placement::contiguous,
                                    Placement::best_effort_contiguous};
    choice.placement = placements[random.below(4)];
    given.emplace_back("placement", to_string(choice.placement));
    return {given, choice};
}

// Requires that relaxed starts jobs one by one, always the best that fits, ties by submission.
using IsBetter = std::function<bool(const JobDescription&, const JobDescription&)>;
void require_takes_the_best_that_fits(unsigned seed, const Parameters::Given& given, const IsBetter& is_better) {
    const Features features{.most_jobs = 60, .deadlines = false};
    Stream stream(seed, features);
    int idle = stream.processors();
    std::map<JobIndex, JobDescription> jobs;
    std::vector<JobIndex> waiting;
    Engine engine("relaxed", given);
    stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        for (const JobIndex job : message.ended) {
            idle += jobs.at(job).processors;
        }
        for (const auto& [index, job] : message.submitted) {
            jobs[index] = job;
            waiting.push_back(index);
        }
        std::sort(waiting.begin(), waiting.end(), [&](JobIndex a, JobIndex b) {
            return std::pair(jobs.at(a).submit, a) < std::pair(jobs.at(b).submit, b);
        });
        std::vector<JobIndex> expected;
        while (true) {
            std::optional<JobIndex> best;
            for (const JobIndex job : waiting) {
                if (jobs.at(job).processors <= idle && (!best || is_better(jobs.at(job), jobs.at(*best)))) {
                    best = job;
                }
            }
            if (!best) {
                break;
            }
            idle -= jobs.at(*best).processors;
            std::erase(waiting, *best);
            expected.push_back(*best);
        }
        std::sort(expected.begin(), expected.end());
        INFO("stream " << seed << " at " << message.now);
        REQUIRE(started == expected);
    });
}

const Parameters::Given by_wait{{"alpha", "1"}, {"beta", "0"}, {"gamma", "0"}, {"r", "1"}};

Parameters::Given with(Parameters::Given given, const std::string& name, const std::string& value) {
    given.emplace_back(name, value);
    return given;
}

}  // namespace

TEST_CASE("relaxed decides as a plain form of it that recomputes everything, with all its parameters",
          "[relaxed][property]") {
    Counts counts;
    unsigned in_doubt = 0;
    Random random(2002);
    for (unsigned seed = 0; seed < 1200; ++seed) {
        const auto [given, choice] = random_choice(random);
        INFO("stream " << seed << text_of(given));
        const bool machine_changes = random.one_in(4);
        Stream stream(seed, {.most_jobs = 60,
                             .most_processors = random.one_in(3) ? 5 : 20,
                             .deadlines = false,
                             .machine_changes = machine_changes,
                             .queues = true,
                             .overruns = random.one_in(3)});
        Engine engine("relaxed", given);
        PlainRelaxed plain(stream.processors(), choice, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            require_same_round(engine, plain, message, started);
            if (!plain.in_doubt()) {
                REQUIRE(engine.statistics().at(0).value == plain.backfilled());
            }
        });
        in_doubt += plain.in_doubt() ? 1U : 0U;
    }
    CHECK(in_doubt < 60);
    CHECK(counts.backfilled > 1000);
    CHECK(counts.delaying > 1000);
    CHECK(counts.too_late > 1000);
    CHECK(counts.at_end_of_window > 100);
    CHECK(counts.never > 100);
    CHECK(counts.overdue > 100);
    CHECK(counts.not_yet_waited > 1000);
    CHECK(counts.top_not_first > 1000);
    CHECK(counts.ties > 1000);
    CHECK(counts.infinite > 1000);
}

TEST_CASE("relaxed with predicted run times decides as a plain form that predicts them from all ended jobs",
          "[relaxed][prediction][property]") {
    Counts counts;
    PredictionCounts predictions;
    unsigned in_doubt = 0;
    Random random(2007);
    for (unsigned seed = 0; seed < 500; ++seed) {
        auto [given, choice] = random_choice(random);
        if (choice.actual) {
            continue;
        }
        choice.predicts = true;
        given.emplace_back("prediction", "last-two");
        INFO("stream " << seed << text_of(given));
        Stream stream(seed, {.most_jobs = 90,
                             .most_processors = random.one_in(3) ? 5 : 20,
                             .deadlines = false,
                             .machine_changes = random.one_in(4),
                             .queues = true,
                             .overruns = random.one_in(3),
                             .users = true});
        Engine engine("relaxed", given);
        PlainRelaxed plain(stream.processors(), choice, counts);
        require_same_rounds(stream, engine, plain);
        in_doubt += plain.in_doubt() ? 1U : 0U;
        add(predictions, plain.prediction().counts());
    }
    CHECK(in_doubt < 30);
    CHECK(counts.backfilled > 1000);
    CHECK(counts.too_late > 1000);
    CHECK(predictions.shorter > 1000);
    CHECK(predictions.corrected > 1000);
    CHECK(predictions.up_to_limit > 1000);
}

TEST_CASE("relaxed by wait alone without a window is fcfs, with an infinite one first-fit", "[relaxed][property]") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        INFO("stream " << seed);
        const Features features{.deadlines = false, .machine_changes = seed % 3 == 0};
        REQUIRE(rounds_of(seed, features, "relaxed", with(by_wait, "omega", "0")) == rounds_of(seed, features, "fcfs"));
        require_takes_the_best_that_fits(seed, with(by_wait, "omega", "inf"),
                                         [](const JobDescription&, const JobDescription&) { return false; });
    }
}

TEST_CASE("relaxed by processors alone with an infinite window is best-fit, or worst-fit", "[relaxed][property]") {
    const auto by_processors = [](const std::string& gamma) {
        return Parameters::Given{{"alpha", "0"}, {"beta", "0"}, {"gamma", gamma}, {"r", "1"}, {"omega", "inf"}};
    };
    for (unsigned seed = 0; seed < 150; ++seed) {
        require_takes_the_best_that_fits(seed, by_processors("1"),
                                         [](const auto& a, const auto& b) { return a.processors > b.processors; });
        require_takes_the_best_that_fits(seed, by_processors("-1"),
                                         [](const auto& a, const auto& b) { return a.processors < b.processors; });
    }
}

TEST_CASE("With omega=1 relaxed never delays the top job while it is that; with omega=2 it does",
          "[relaxed][property]") {
    HeadPromise with_one;
    HeadPromise with_two;
    for (unsigned seed = 0; seed < 600; ++seed) {
        const bool is_one = seed % 2 == 0;
        Counts counts;
        Choice choice;
        choice.omega = is_one ? 10 : 20;
        Stream stream(seed, {.deadlines = false});
        PlainRelaxed plain(stream.processors(), choice, counts);
        Engine engine("relaxed", {{"omega", tenths(choice.omega)}});
        INFO("stream " << seed << " omega=" << tenths(choice.omega));
        (is_one ? with_one : with_two) += watch_heads(stream, engine, plain);
    }
    CHECK(with_one.kept > 1000);
    CHECK(with_one.broken == 0);
    CHECK(with_two.broken > 100);
}

}  // namespace batfill::tests::relaxed_test
