#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "src/analysis/told_apart.hpp"
#include "tests/unit/analysis/random_values.hpp"

namespace batfill::tests::told_apart_test {

namespace {

using namespace batfill::analysis;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using Values = std::vector<std::optional<double>>;

// Runs of which these pairs are told apart, of all that have intervals.
ToldApart with_apart(std::size_t runs, const Pairs& apart, const ToldApart* only_where = nullptr) {
    return {runs,
            [&](std::size_t one, std::size_t other, std::size_t) -> std::optional<Interval> {
                const bool is_apart = std::ranges::find(apart, std::pair(other, one)) != apart.end();
                return is_apart ? Interval{-2, -1} : Interval{-1, 2};
            },
            only_where};
}

ToldApart unknown(std::size_t runs) {
    return {runs, [](std::size_t, std::size_t, std::size_t) { return std::nullopt; }};
}

std::string verdict_on(const std::vector<std::string>& names, const Values& values, const ToldApart& told_apart,
                       std::size_t baseline = 0) {
    return verdict({names, values, baseline, "nobody knows"}, told_apart);
}

const std::vector<std::string> two{"a", "b"};
const std::vector<std::string> three{"a", "b", "c"};
const std::vector<std::string> five{"a", "b", "c", "d", "e"};

}  // namespace

TEST_CASE("runs are told apart whose difference has an interval without 0", "[metrics]") {
    std::vector<std::size_t> asked;
    const std::vector<std::optional<Interval>> intervals{Interval{1, 2}, Interval{-2, -1}, Interval{-1, 1},
                                                         Interval{0, 1}, Interval{-1, 0},  std::nullopt};
    const ToldApart found(4, [&](std::size_t one, std::size_t other, std::size_t pairs) {
        CHECK(one > other);
        CHECK(pairs == 6);
        asked.push_back(4 * one + other);
        return intervals[asked.size() - 1];
    });
    CHECK(asked.size() == 6);
    CHECK(std::ranges::adjacent_find(asked) == asked.end());
    int apart = 0;
    for (std::size_t one = 0; one < 4; ++one) {
        CHECK_FALSE(found(one, one));
        for (std::size_t other = 0; other < one; ++other) {
            const auto place = static_cast<std::size_t>(std::ranges::find(asked, 4 * one + other) - asked.begin());
            CHECK(found(one, other) == (place < 2));
            CHECK(found(other, one) == found(one, other));
            apart += found(one, other) ? 1 : 0;
        }
    }
    CHECK(apart == 2);
    CHECK(found.is_known());
    CHECK(found.any());
}

TEST_CASE("which run is told apart from some other", "[metrics]") {
    const ToldApart found = with_apart(4, {{0, 2}});
    CHECK(found.any_from(0));
    CHECK_FALSE(found.any_from(1));
    CHECK(found.any_from(2));
    CHECK_FALSE(found.any_from(3));
    CHECK_FALSE(with_apart(4, {}).any());
    CHECK(with_apart(4, {}).is_known());
}

TEST_CASE("without intervals nothing is known, and one that is missing hides no other", "[metrics]") {
    CHECK_FALSE(unknown(3).is_known());
    CHECK_FALSE(unknown(3).any());
    CHECK_FALSE(unknown(1).is_known());
    const ToldApart some(3, [](std::size_t one, std::size_t, std::size_t) {
        return one == 2 ? std::optional(Interval{1, 2}) : std::nullopt;
    });
    CHECK(some.is_known());
    CHECK_FALSE(some(0, 1));
    CHECK(some(0, 2));
    CHECK(some(2, 1));
}

TEST_CASE("a metric tells runs apart only where the mean wait does", "[metrics]") {
    const ToldApart waits = with_apart(3, {{0, 1}, {0, 2}});
    const ToldApart gated = with_apart(3, {{0, 1}, {1, 2}}, &waits);
    CHECK(gated(0, 1));
    CHECK_FALSE(gated(0, 2));  // not by its own interval
    CHECK_FALSE(gated(1, 2));  // not by the mean wait
    const ToldApart nothing = unknown(3);
    CHECK_FALSE(with_apart(3, {{0, 1}}, &nothing).any());
}

TEST_CASE("marks are those of the best value and of what is not told apart from it", "[metrics]") {
    using enum Mark;
    const ToldApart from_third = with_apart(3, {{0, 2}});
    CHECK(marks_of({1, 2, 3}, Goal::less, from_third) == std::vector{best, not_told_apart, told_apart});
    CHECK(marks_of({1, 2, 3}, Goal::minimum, from_third) == std::vector{best, not_told_apart, told_apart});
    CHECK(marks_of({3, 2, 1}, Goal::more, from_third) == std::vector{best, not_told_apart, told_apart});
    CHECK(marks_of({1, 2, 3}, Goal::more, from_third) == std::vector{told_apart, not_told_apart, best});
    CHECK(marks_of({1, std::nullopt, 3}, Goal::less, from_third) == std::vector{best, none, told_apart});
    CHECK(marks_of({1, 1, 3}, Goal::less, with_apart(3, {{0, 2}, {1, 2}})) == std::vector{best, best, told_apart});

    const std::vector<Mark> no_marks(3, none);
    CHECK(marks_of({1, 2, 3}, Goal::none, from_third) == no_marks);
    CHECK(marks_of({2, 1, 3}, Goal::less, from_third) == no_marks);  // the best is told apart from no other
    CHECK(marks_of({1, 2, 3}, Goal::less, with_apart(3, {})) == no_marks);
    CHECK(marks_of({1, 2, 3}, Goal::less, unknown(3)) == no_marks);
    CHECK(marks_of({1, 1, 1}, Goal::less, from_third) == no_marks);
    CHECK(marks_of({1, std::nullopt, std::nullopt}, Goal::less, from_third) == no_marks);
    CHECK(marks_of({std::nullopt, std::nullopt, std::nullopt}, Goal::less, from_third) == no_marks);
    CHECK(marks_of({1}, Goal::less, unknown(1)) == std::vector{none});
}

TEST_CASE("the verdict on two runs compares the better one with the other", "[metrics]") {
    const ToldApart apart = with_apart(2, {{0, 1}});
    CHECK(verdict_on(two, {300, 200}, apart) ==
          "b has the least mean wait, 33.3 % less than a, and is told apart from it.");
    CHECK(verdict_on(two, {200, 300}, apart) ==
          "a has the least mean wait, 33.3 % less than b, and is told apart from it.");
    CHECK(verdict_on(two, {200, 300}, apart, 1) == verdict_on(two, {200, 300}, apart, 0));
    CHECK(verdict_on(two, {0, 300}, apart) ==
          "a has the least mean wait, 100.0 % less than b, and is told apart from it.");
    CHECK(verdict_on(two, {300, 200}, with_apart(2, {})) ==
          "b has the least mean wait, 33.3 % less than a, but this may be chance: the two are not told apart.");
    CHECK(verdict_on(two, {300, 200}, unknown(2)) == "b has the least mean wait, 33.3 % less than a; nobody knows.");
    CHECK(verdict_on(two, {200, 200}, with_apart(2, {})) == "Both have the same mean wait.");
    CHECK(verdict_on(two, {200, 200}, unknown(2)) == "Both have the same mean wait.");
}

TEST_CASE("the verdict on several runs compares the best one with the baseline", "[metrics]") {
    const Values values{400, 100, 200};
    CHECK(verdict_on(three, values, with_apart(3, {{0, 1}, {1, 2}})) ==
          "b has the least mean wait, 75.0 % less than a, and is told apart from all others.");
    CHECK(verdict_on(three, values, with_apart(3, {{0, 1}, {1, 2}}), 2) ==
          "b has the least mean wait, 50.0 % less than c, and is told apart from all others.");
    CHECK(verdict_on(three, values, with_apart(3, {{0, 1}, {1, 2}}), 1) ==
          "b has the least mean wait, and is told apart from all others.");
    CHECK(verdict_on(three, values, with_apart(3, {}), 1) ==
          "b has the least mean wait, but this may be chance: it is not told apart from any other.");
    CHECK(verdict_on(three, values, unknown(3), 1) == "b has the least mean wait; nobody knows.");
    CHECK(verdict_on(three, {1, 1, 1}, unknown(3)) == "All have the same mean wait.");
}

TEST_CASE("the verdict names the runs that may be as good as the best one", "[metrics]") {
    CHECK(verdict_on(three, {400, 100, 200}, with_apart(3, {{0, 1}})) ==
          "b has the least mean wait, 75.0 % less than a. It is told apart from a; c may be as good.");
    const Values values{400, 100, 150, 200, 500};
    CHECK(verdict_on(five, values, with_apart(5, {{0, 1}, {1, 4}})) ==
          "b has the least mean wait, 75.0 % less than a. It is told apart from a and e; c and d may be as good.");
    CHECK(verdict_on(five, values, with_apart(5, {{0, 1}})) ==
          "b has the least mean wait, 75.0 % less than a. It is told apart from a; c, d and e may be as good.");
    CHECK(verdict_on(five, values, with_apart(5, {{0, 1}, {1, 4}, {1, 3}})) ==
          "b has the least mean wait, 75.0 % less than a. It is told apart from a, d and e; c may be as good.");
}

TEST_CASE("the verdict names the only runs that are told apart, if the best one is not among them", "[metrics]") {
    CHECK(verdict_on(three, {300, 100, 200}, with_apart(3, {{0, 2}})) ==
          "b has the least mean wait, 66.7 % less than a, but this may be chance: it is not told apart from any other. "
          "Told apart are only: c and a.");
}

TEST_CASE("the verdict on runs that are equally good names all of them", "[metrics]") {
    const Values values{100, 300, 100};
    CHECK(verdict_on(three, values, with_apart(3, {{0, 1}, {1, 2}})) ==
          "a and c have the least mean wait, and are told apart from b.");
    CHECK(verdict_on(three, values, with_apart(3, {{0, 1}, {1, 2}}), 1) ==
          "a and c have the least mean wait, 66.7 % less than b, and are told apart from b.");
    // The baseline is one of them.
    CHECK(verdict_on(three, values, with_apart(3, {}), 2) ==
          "a and c have the least mean wait, but this may be chance: they are not told apart from b.");
    CHECK(verdict_on(three, values, unknown(3)) == "a and c have the least mean wait; nobody knows.");
    const ToldApart some = with_apart(4, {{0, 1}, {1, 2}});
    CHECK(verdict_on({"a", "b", "c", "d"}, {100, 300, 100, 200}, some) ==
          "a and c have the least mean wait. They are told apart from b; d may be as good.");
}

TEST_CASE("there is no verdict without two runs, or without a value", "[metrics]") {
    CHECK(verdict_on({}, {}, unknown(0)).empty());
    CHECK(verdict_on({"a"}, {100}, unknown(1)).empty());
    CHECK(verdict_on(two, {std::nullopt, 100}, with_apart(2, {})).empty());
    CHECK(verdict_on(two, {std::nullopt, std::nullopt}, unknown(2)).empty());
}

TEST_CASE("a table says what its marks mean, or why it has none", "[metrics]") {
    CHECK(meaning_of_marks(unknown(2), false, MetricsFormat::table).empty());
    const std::string brackets = "Brackets hold 95 % intervals, each for itself. ";
    const std::string share =
        " Of tables of equal schedulers, at most 5 % have a mark: marks rest on the mean wait, and hold for all pairs "
        "together.";
    CHECK(meaning_of_marks(with_apart(2, {}), false, MetricsFormat::table) ==
          brackets + "No marks: the mean wait tells no two schedulers apart." + share);
    // Two are told apart, but none from the best one.
    CHECK(meaning_of_marks(with_apart(3, {{0, 1}}), false, MetricsFormat::table) ==
          brackets + "No marks: no best value is told apart from another one." + share);
    CHECK(meaning_of_marks(with_apart(2, {{0, 1}}), true, MetricsFormat::table) ==
          brackets + "*: best, and told apart from what has no mark; ~: not told apart from it." + share);
    for (const MetricsFormat format : {MetricsFormat::markdown, MetricsFormat::latex}) {
        CHECK(meaning_of_marks(with_apart(2, {{0, 1}}), true, format) ==
              brackets + "Bold: best, and told apart from what has no mark; ~: not told apart from it." + share);
    }
}

namespace {

// The values of two metrics of some runs over workloads. Each workload adds to all runs alike. The first run is better
// by `better`.
struct Table {
    Table(RandomValues& random, std::size_t runs, std::size_t workloads, double better) {
        groups.numbers.resize(workloads);
        for (std::size_t workload = 0; workload < workloads; ++workload) {
            groups.numbers[workload] = workload;
        }
        for (auto* const metric : {&waits, &slowdowns}) {
            metric->resize(runs);
            for (std::size_t workload = 0; workload < workloads; ++workload) {
                const double common = 10 * random.exponential();
                for (std::size_t run = 0; run < runs; ++run) {
                    (*metric)[run].emplace_back(100 + common + random.exponential() - (run == 0 ? better : 0));
                }
            }
        }
    }

    ToldApart apart(const std::vector<Values>& metric, const ToldApart* only_where = nullptr) const {
        return {metric.size(),
                [&](std::size_t one, std::size_t other, std::size_t pairs) {
                    Values differences;
                    for (std::size_t i = 0; i < metric[one].size(); ++i) {
                        differences.emplace_back(*metric[one][i] - *metric[other][i]);
                    }
                    return mean_over_groups(differences, groups, pairs).interval;
                },
                only_where};
    }
    std::vector<Mark> marks(const std::vector<Values>& metric, const ToldApart& told_apart) const {
        Values means;
        for (const Values& values : metric) {
            means.push_back(mean_over_groups(values, groups).mean);
        }
        return marks_of(means, Goal::less, told_apart);
    }
    bool has_marks() const {
        const ToldApart mean_waits = apart(waits);
        const auto is_marked = [](const std::vector<Mark>& marks) {
            return std::ranges::any_of(marks, [](Mark mark) { return mark != Mark::none; });
        };
        return is_marked(marks(waits, mean_waits)) || is_marked(marks(slowdowns, apart(slowdowns, &mean_waits)));
    }

    std::vector<Values> waits;  // by run, then by workload
    std::vector<Values> slowdowns;
    WorkloadGroups groups;
};

}  // namespace

TEST_CASE("at most 5 % of tables of equal schedulers have a mark, and most where one is better",
          "[metrics][property]") {
    RandomValues random(81);
    int all_marked = 0;
    for (const std::size_t runs : {2U, 4U, 8U}) {
        for (const std::size_t workloads : {5U, 12U}) {
            CAPTURE(runs, workloads);
            int marked = 0;
            for (int draw = 0; draw < 1000; ++draw) {
                marked += Table(random, runs, workloads, 0).has_marks() ? 1 : 0;
            }
            CHECK(marked <= 50);
            all_marked += marked;
            int found = 0;
            for (int draw = 0; draw < 50; ++draw) {
                const Table table(random, runs, workloads, 50);
                const ToldApart mean_waits = table.apart(table.waits);
                const std::vector<Mark> marks = table.marks(table.waits, mean_waits);
                found += marks.front() == Mark::best &&
                                 std::ranges::count(marks, Mark::told_apart) == static_cast<long>(runs) - 1
                             ? 1
                             : 0;
            }
            CHECK(found >= 45);
        }
    }
    CHECK(all_marked > 20);  // of 6,000
}

}  // namespace batfill::tests::told_apart_test
