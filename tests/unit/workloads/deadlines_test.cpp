#include <algorithm>
#include <array>
#include <numeric>

#include <catch2/catch.hpp>

#include <batfill/workloads/deadlines.hpp>

namespace batfill::tests::deadlines_test {

using Places = std::vector<std::size_t>;

namespace {

Decimal decimal(const std::string& text) {
    return Decimal::parse(text).value();
}

Places first(std::size_t count) {
    Places places(count);
    std::iota(places.begin(), places.end(), std::size_t{0});
    return places;
}

Duration allowance(const std::string& floor, const std::string& factor, const std::string& walltime) {
    return DeadlineRule{Duration::parse(floor).value(), decimal(factor)}.allowance(Duration::parse(walltime).value());
}

// Fields in an unusual order, unknown fields at every level, numbers with more digits than a double, and deadlines.
const std::string odd_workload = R"({ "note": [1e-300, {"jobs": [{"deadline": 5}]}],
 "profiles": {"p": {"type": "delay", "delay": 10, "deadline": 7, "energy": 0.12345678901234567890}},
 "jobs": [
  { "id": "a", "deadline": 1, "subtime": 0.5, "res": 1, "walltime": 60, "profile": "p", "x\u0041": {"deadline": 3} },
  {"deadline":1,"deadline":2,"profile":"p","walltime":100000,"res":2,"subtime":7,"id":"b"},
  {"id": "c", "subtime": 8, "res": 1, "walltime": -1, "profile": "p", "d\u0065adline": 9}
 ], "deadline": 4, "nb_res": 8 }
)";

}  // namespace

TEST_CASE("decimal numbers of options are exact", "[deadlines]") {
    CHECK(decimal("0").millionths() == 0);
    CHECK(decimal("0.29").millionths() == 290'000);
    CHECK(decimal("1e6").millionths() == 1'000'000'000'000);
    CHECK(decimal("0.0000005").millionths() == 0);
    CHECK(decimal("0.0000015").millionths() == 2);
    for (const char* text : {"", "-0.1", "1000000.000001", "half", "0,5", "nan", "1e400"}) {
        CHECK_FALSE(Decimal::parse(text));
    }
}

TEST_CASE("a share of the jobs is rounded down, without the errors of binary fractions", "[deadlines]") {
    CHECK(count_of_share(decimal("0"), 10) == 0);
    CHECK(count_of_share(decimal("1"), 10) == 10);
    CHECK(count_of_share(decimal("0.29"), 100) == 29);
    CHECK(count_of_share(decimal("0.2"), 4) == 0);
    CHECK(count_of_share(decimal("0.2"), 9) == 1);
    CHECK(count_of_share(decimal("0.999999"), 1'000'000) == 999'999);
}

// The number of regular jobs for shares of 20, 40, 60 and 80 %. The table in the paper on deadline-based backfilling
// has the same numbers, or one more.
TEST_CASE("the numbers of regular jobs are within one of the paper's", "[deadlines]") {
    struct Row {
        std::size_t jobs;
        std::array<std::size_t, 4> regular;
        std::array<std::size_t, 4> above;  // the paper's number minus ours
    };
    const std::array<Row, 3> table{{{157'604, {126'084, 94'564, 63'043, 31'522}, {0, 1, 1, 1}},
                                    {64'715, {51'772, 38'829, 25'886, 12'943}, {0, 0, 0, 0}},
                                    {202'871, {162'297, 121'723, 81'150, 40'576}, {0, 0, 1, 1}}}};
    const std::array<const char*, 4> shares{"0.2", "0.4", "0.6", "0.8"};
    for (const Row& row : table) {
        for (std::size_t i = 0; i < shares.size(); ++i) {
            CHECK(row.jobs - count_of_share(decimal(shares[i]), row.jobs) + row.above[i] == row.regular[i]);
        }
    }
}

TEST_CASE("a seed draws the same places everywhere", "[deadlines]") {
    // From another implementation of the Mersenne Twister and of the draw.
    CHECK(draw(first(10), 4, 1) == Places{1, 2, 3, 5});
    CHECK(draw(first(10), 4, 2) == Places{0, 1, 8, 9});
    CHECK(draw(first(1000), 6, (std::uint64_t{1} << 63) + 5) == Places{377, 505, 690, 756, 968, 989});
    CHECK(draw({3, 5, 9}, 3, 7) == Places{3, 5, 9});
    CHECK(draw({3, 5, 9}, 0, 7).empty());
    CHECK(draw({}, 0, 7).empty());
}

TEST_CASE("with one seed, the smaller draw is part of the larger one", "[deadlines]") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Places larger = draw(first(40), 17, seed);
        const Places smaller = draw(first(40), 9, seed);
        CHECK(smaller.size() == 9);
        CHECK(std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end()));
    }
}

TEST_CASE("all places and all pairs of places are equally likely to be drawn", "[deadlines]") {
    constexpr int seeds = 20'000;
    std::array<std::array<int, 6>, 6> drawn{};
    for (int seed = 0; seed < seeds; ++seed) {
        for (const std::size_t i : draw(first(6), 3, static_cast<std::uint64_t>(seed))) {
            for (const std::size_t j : draw(first(6), 3, static_cast<std::uint64_t>(seed))) {
                ++drawn[i][j];
            }
        }
    }
    // The standard deviations are 0.5 and 0.4 times the square root of the number of seeds.
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            CHECK(drawn[i][j] == Approx(seeds * (i == j ? 0.5 : 0.2)).margin(300));
        }
    }
}

TEST_CASE("the time to the deadline is the longer one of floor and factor", "[deadlines]") {
    CHECK(allowance("86400", "10", "8639.999999") == Duration::days(1));
    CHECK(allowance("86400", "10", "8640.000001") == Duration::microseconds(86'400'000'010));
    CHECK(allowance("0", "2.5", "3") == Duration::microseconds(7'500'000));
    CHECK(allowance("0.5", "0", "100") == Duration::microseconds(500'000));
    // Half microseconds become even ones.
    CHECK(allowance("0", "0.5", "0.000001") == Duration());
    CHECK(allowance("0", "0.5", "0.000003") == Duration::microseconds(2));
    CHECK(allowance("0", "0.5", "0.000005") == Duration::microseconds(2));
    CHECK(allowance("0", "0.500001", "0.000005") == Duration::microseconds(3));
    CHECK(allowance("0", "0.000001", "0.499999") == Duration());
    CHECK(allowance("0", "1000000", "1e18") ==
          Duration::microseconds(static_cast<Microseconds>(1'000'000'000'000'000) * 1'000'000'000'000'000));
}

TEST_CASE("deadlines are put into the text of a workload, and all else stays", "[deadlines]") {
    const Time deadline = Time::at(Duration::microseconds(100'500'000));
    CHECK(with_deadlines(odd_workload, {deadline, std::nullopt, Time::seconds(12)}) ==
          R"({ "note": [1e-300, {"jobs": [{"deadline": 5}]}],
 "profiles": {"p": {"type": "delay", "delay": 10, "deadline": 7, "energy": 0.12345678901234567890}},
 "jobs": [
  {"id": "a", "subtime": 0.5, "res": 1, "walltime": 60, "profile": "p", "x\u0041": {"deadline": 3},"deadline":100.5},
  {"profile":"p","walltime":100000,"res":2,"subtime":7,"id":"b"},
  {"id": "c", "subtime": 8, "res": 1, "walltime": -1, "profile": "p","deadline":12}
 ], "deadline": 4, "nb_res": 8 }
)");
    const std::string empty = R"({"nb_res":1,"jobs":[ ],"profiles":{}})";
    CHECK(with_deadlines(empty, {}) == empty);
}

TEST_CASE("earlier deadlines inside extra_data are dropped, and the rest of extra_data stays", "[deadlines]") {
    const auto with_job = [](const std::string& extra_data) {
        return R"({"nb_res":1,"jobs":[{"id":"a","extra_data":)" + extra_data +
               R"(,"subtime":0,"res":1,"walltime":9,"profile":"p"}],"profiles":{"p":{"type":"delay","delay":1}}})";
    };
    const auto after = [&](const std::string& extra_data) { return with_deadlines(with_job(extra_data), {{}}); };
    CHECK(after(R"({"deadline":5})") == with_job("{}"));
    CHECK(after(R"( {"x": 1.50, "d\u0065adline" : 5,"deadline":6,"y":{"deadline":7}})") ==
          with_job(R"({"x": 1.50,"y":{"deadline":7}})"));
    CHECK(after(R"("{\"deadline\": 5, \"x\": 1.50}")") == with_job(R"("{ \"x\": 1.50}")"));
    for (const char* same : {R"({ "x" : "deadline" })", R"("{\"deadline\": 5")", R"([ {"deadline": 5} ])", "null"}) {
        CHECK(after(same) == with_job(same));
    }
    const Workload left = parse_workload(after(R"({"deadline":5,"user":"u"})"), "w.json", "w0");
    CHECK_FALSE(left.jobs.front().description.deadline);
    CHECK(left.jobs.front().description.user.text() == "u");
}

}  // namespace batfill::tests::deadlines_test
