#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "src/tuning/weight_search.hpp"
#include "tests/unit/tuning/distance.hpp"

namespace batfill::tests::weight_search_test {

namespace {

double norm(const MixedWeights& weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0,
                           [](double sum, double weight) { return sum + std::abs(weight); });
}

std::vector<MixedWeights> all_asked(WeightSearch& search, const std::function<double(const MixedWeights&)>& value) {
    std::vector<MixedWeights> asked;
    minimise(search, [&](const MixedWeights& weights) {
        asked.push_back(weights);
        return value(weights);
    });
    return asked;
}

}  // namespace

TEST_CASE("A grid of weights covers the surface evenly") {
    // With an odd number of points the surface's 8 faces are triangles with k intervals at each edge: 4 k^2 + 2 points.
    CHECK(weight_grid(2).empty());
    CHECK(weight_grid(3).size() == 6);
    CHECK(weight_grid(101).size() == 4 * 50 * 50 + 2);
    CHECK(weight_grid(100).size() == 9800);
    for (const std::size_t points : {3U, 4U, 9U, 100U, 101U}) {
        const std::vector<MixedWeights> grid = weight_grid(points);
        const std::set<MixedWeights> distinct(grid.begin(), grid.end());
        CHECK(distinct.size() == grid.size());
        for (const MixedWeights& weights : grid) {
            CHECK(norm(weights) == Approx(1).epsilon(1e-15));
            CHECK((weights[3] == 0 && weights[4] == 0 && weights[5] == 0));
            for (std::size_t i = 0; i < 3; ++i) {
                MixedWeights mirrored = weights;
                mirrored[i] = 0 - mirrored[i];
                CHECK(distinct.count(mirrored) == 1);
            }
            CHECK(distinct.count({weights[0], weights[2], weights[1], 0, 0, 0}) == 1);
        }
    }
}

TEST_CASE("A grid with an odd number of points has the pure policies") {
    const std::vector<MixedWeights> grid = weight_grid(101);
    for (std::size_t i = 0; i < 3; ++i) {
        for (const double sign : {-1.0, 1.0}) {
            MixedWeights pure{};
            pure[i] = sign;
            CHECK(std::count(grid.begin(), grid.end(), pure) == 1);
        }
    }
}

TEST_CASE("Weights drawn at random lie evenly on the surface") {
    std::mt19937_64 random(5);
    constexpr int draws = 20'000;
    std::array<int, 6> positive{};
    std::array<double, 6> sums{};
    std::array<double, 6> squares{};
    for (int i = 0; i < draws; ++i) {
        const MixedWeights weights = draw_weights(random);
        CHECK(norm(weights) == 1);
        for (std::size_t k = 0; k < 6; ++k) {
            positive[k] += weights[k] > 0 ? 1 : 0;
            sums[k] += std::abs(weights[k]);
            squares[k] += weights[k] * weights[k];
        }
    }
    for (std::size_t k = 0; k < 6; ++k) {
        // The uniform distribution on a simplex of 6 corners has mean 1/6 and mean square 2/(6 * 7).
        CHECK(positive[k] / double{draws} == Approx(0.5).margin(0.015));
        CHECK(sums[k] / draws == Approx(1.0 / 6).margin(0.004));
        CHECK(squares[k] / draws == Approx(1.0 / 21).margin(0.002));
    }
}

TEST_CASE("A search evaluates as many weights as it says, of norm 1, and keeps the best") {
    const MixedWeights target{0.2, -0.5, 0.3, 0, 0, 0};
    const auto value = distance_to(target);
    const auto check = [&](std::unique_ptr<WeightSearch> search, std::size_t evaluations, double at_most) {
        const std::vector<MixedWeights> asked = all_asked(*search, value);
        CHECK(search->evaluations() == evaluations);
        CHECK(search->evaluated() == evaluations);
        CHECK(asked.size() == evaluations);
        CHECK(search->ask().empty());
        double best = std::numeric_limits<double>::infinity();
        std::size_t improvements = 0;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            CHECK(norm(asked[i]) == Approx(1).epsilon(1e-12));
            if (value(asked[i]) < best) {
                best = value(asked[i]);
                REQUIRE(improvements < search->improvements().size());
                const WeightSearch::Improvement& improvement = search->improvements()[improvements++];
                CHECK(improvement.value == best);
                CHECK(improvement.weights == asked[i]);
                CHECK(improvement.evaluation == i + 1);
                CHECK(improvement.objective >= improvement.value);
            }
        }
        CHECK(search->improvements().size() == improvements);
        CHECK(search->best().value == best);
        CHECK(best <= at_most);
    };
    check(xnes_search(MixedFeatures::three, 500, 1, 1), 500, 0.001);
    check(xnes_search(MixedFeatures::six, 3001, 1, 1), 3001, 0.001);
    check(xnes_search(MixedFeatures::six, 1, 1, 1), 1, 2);
    check(grid_search(100), 9800, 0.03);
    check(uniform_search(1000, 1), 1000, 1);
}

TEST_CASE("A search with three features leaves the other weights at 0, one with six does not") {
    const auto value = distance_to({0.2, -0.5, 0.3, 0, 0, 0});
    for (const MixedWeights& weights : all_asked(*xnes_search(MixedFeatures::three, 100, 1, 1), value)) {
        CHECK((weights[0] != 0 && weights[1] != 0 && weights[2] != 0));
        CHECK((weights[3] == 0 && weights[4] == 0 && weights[5] == 0));
    }
    for (const MixedWeights& weights : all_asked(*xnes_search(MixedFeatures::six, 100, 1, 1), value)) {
        CHECK(std::count(weights.begin(), weights.end(), 0) == 0);
    }
}

TEST_CASE("A seed gives the same weights again, another seed others") {
    const auto value = distance_to({0.2, -0.5, 0.3, 0, 0, 0});
    const auto asked = [&](std::uint64_t seed) {
        return all_asked(*xnes_search(MixedFeatures::six, 300, 1, seed), value);
    };
    CHECK(asked(1) == asked(1));
    CHECK(asked(1) != asked(2));
    const auto drawn = [&](std::uint64_t seed) { return all_asked(*uniform_search(300, seed), value); };
    CHECK(drawn(1) == drawn(1));
    CHECK(drawn(1) != drawn(2));
}

TEST_CASE("More evaluations begin with those of fewer") {
    const auto value = distance_to({0.2, -0.5, 0.3, 0, 0, 0});
    const std::vector<MixedWeights> few = all_asked(*xnes_search(MixedFeatures::three, 100, 1, 4), value);
    std::vector<MixedWeights> more = all_asked(*xnes_search(MixedFeatures::three, 200, 1, 4), value);
    more.resize(few.size());
    CHECK(few == more);
}

TEST_CASE("The search by xNES restarts when nothing gets better, and keeps the best of all starts") {
    // This function is flat except for two holes. A start finds at most one.
    const auto value = [](const MixedWeights& weights) {
        const double deep = 0.4 - distance_to({-0.3, 0.3, 0.4, 0, 0, 0})(weights);
        const double shallow = 0.2 - 0.5 * distance_to({0.1, -0.8, 0.1, 0, 0, 0})(weights);
        return -std::max({deep, shallow, 0.0});
    };
    const auto search = xnes_search(MixedFeatures::three, 5000, 1, 1);
    minimise(*search, value);
    CHECK(search->best().value < -0.399);
    CHECK(search->best().start > 1);
    CHECK(search->best().evaluation < 5000);

    // On a flat function, a start ends after 23 generations without improvement. The first generation does not count.
    const auto flat = xnes_search(MixedFeatures::three, 1000, 1, 1);
    minimise(*flat, [](const MixedWeights&) { return 1.0; });
    CHECK(flat->improvements().size() == 1);
    CHECK(flat->best().evaluation == 1);
}

TEST_CASE("The penalty keeps the norm that xNES works with near 1") {
    const auto search = xnes_search(MixedFeatures::three, 700, 1, 1);
    minimise(*search, distance_to({0.2, -0.5, 0.3, 0, 0, 0}));
    // lambda * (norm + 1/norm) has its minimum 2 lambda at norm 1.
    CHECK(search->best().objective - search->best().value == Approx(2).epsilon(0.001));
    const auto strong = xnes_search(MixedFeatures::three, 700, 10, 1);
    minimise(*strong, distance_to({0.2, -0.5, 0.3, 0, 0, 0}));
    CHECK(strong->best().objective - strong->best().value == Approx(20).epsilon(0.001));
}

TEST_CASE("A search refuses values that are none, or not one for each") {
    const auto search = grid_search(5);
    std::vector<double> values(search->ask().size(), 1);
    values.back() = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(search->tell(values), std::logic_error);
    values.pop_back();
    CHECK_THROWS_AS(search->tell(values), std::logic_error);
    CHECK(search->evaluated() == 0);
    // Infinite values are allowed.
    values.push_back(1);
    values.front() = std::numeric_limits<double>::infinity();
    search->tell(values);
    CHECK(search->best().value == 1);
}

}  // namespace batfill::tests::weight_search_test
