#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/planning/job_order.hpp>
#include <batfill/replay/outcome.hpp>

#include "src/support/csv_text.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::scaled_features_test {

// The order `mixed` with features that are divided by scales.

namespace {

using Numbers = std::array<double, 6>;

const Numbers ones{1, 1, 1, 1, 1, 1};

std::string text_of(const Numbers& numbers) {
    std::string text;
    for (const double number : numbers) {
        text += (text.empty() ? "" : ",") + exact(number);
    }
    return text;
}

JobOrder mixed(const Parameters::Given& given) {
    const std::vector<Parameter> declared{JobOrder::order("order", "mixed", "which goes first"), JobOrder::weights(),
                                          JobOrder::scales()};
    return {Parameters("a", declared, given), "order"};
}

JobOrder mixed(const Numbers& weights, const Numbers& scales) {
    return mixed({{"weights", text_of(weights)}, {"scales", text_of(scales)}});
}

Job waiting_job(int processors, Duration walltime, Time submit) {
    Job job;
    JobDescription description;
    description.submit = submit;
    job.shared_description = std::move(description);
    job.request.processors = processors;
    job.walltime = walltime;
    return job;
}

class Draws {
 public:
    explicit Draws(unsigned seed) : random_(seed) {}
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    // From 2^-20 to 2^20, with either sign.
    double number() {
        const double size = std::exp2(std::uniform_real_distribution<double>(-20, 20)(random_));
        return between(0, 1) == 0 ? size : -size;
    }
    Numbers numbers() {
        Numbers drawn{};
        std::generate(drawn.begin(), drawn.end(), [&] { return number(); });
        return drawn;
    }
    Job job() {
        return waiting_job(between(1, 500), Duration::seconds(between(1, 100'000)), Time::seconds(between(0, 50'000)));
    }

 private:
    std::mt19937 random_;
};

// The score by its formula, and the sum of the absolute values of its terms.
struct PlainScore {
    long double value = 0;
    long double magnitude = 0;

    PlainScore(const Numbers& weights, const Numbers& scales, const Job& job, Time now) {
        const long double q = job.processors();
        const long double p = static_cast<long double>(job.walltime.count()) / 1e6L;
        const long double wait = static_cast<long double>((now - job.submit()).count()) / 1e6L;
        const std::array<long double, 6> features{q, p, wait, p / q, (wait + p) / p, p * q};
        for (std::size_t i = 0; i < features.size(); ++i) {
            const long double term = weights[i] * (features[i] / scales[i]);
            value += term;
            magnitude += std::abs(term);
        }
    }
};

bool goes_first(const JobOrder& order, const Job& a, const Job& b, Time now) {
    return JobScore::compare(order.score(a), order.score(b), now) > 0;
}

std::vector<Time> starts(const std::string& algorithm, const std::vector<Workload>& workloads,
                         const Parameters::Given& given) {
    const Outcome outcome = run(scenario_of(machine(16), workloads), {algorithm, given});
    std::vector<Time> found;
    for (const SimulatedJob& job : outcome.simulation().jobs()) {
        found.push_back(job.start);
    }
    return found;
}

}  // namespace

TEST_CASE("A feature is divided by its scale, whose sign counts, before it is weighed", "[order]") {
    // q 4, p 100, wait 50, p/q 25, (wait + p)/p 1.5, area 400
    const Job job = waiting_job(4, Duration::seconds(100), Time());
    const Time now = Time::seconds(50);
    CHECK(mixed({1, 0, 0, 0, 0, 0}, {8, 1, 1, 1, 1, 1}).score(job).at(now).value == 0.5);
    CHECK(mixed({0, 3, 0, 0, 0, 0}, {8, -200, 8, 8, 8, 8}).score(job).at(now).value == -0.5);
    CHECK(mixed({0, 0, -1, 0, 0, 0}, {8, 8, -100, 8, 8, 8}).score(job).at(now).value == 0.5);
    CHECK(mixed({2, 1, 1, 1, 2, 1}, {-4, 50, 100, 5, -3, 80}).score(job).at(now).value ==
          Approx((2 * -1 + 2 + 0.5 + 5 + 2 * -0.5 + 5) / 8.));
}

TEST_CASE("Scales of 1 change no bit of a score, and none by a common power of two changes an order", "[order]") {
    Draws draws(1);
    for (int round = 0; round < 2000; ++round) {
        const Numbers weights = draws.numbers();
        const Job job = draws.job();
        const Time now = Time::seconds(draws.between(50'000, 100'000));
        const double raw = mixed({{"weights", text_of(weights)}}).score(job).at(now).value;
        REQUIRE(mixed(weights, ones).score(job).at(now).value == raw);
        REQUIRE(mixed(weights, {8, 8, 8, 8, 8, 8}).score(job).at(now).value == raw / 8);
        REQUIRE(mixed(weights, {-8, -8, -8, -8, -8, -8}).score(job).at(now).value == -raw / 8);
    }
}

TEST_CASE("Scales order jobs by the formula, as weights divided by them do", "[order]") {
    Draws draws(2);
    int compared = 0;
    for (int round = 0; round < 5000; ++round) {
        const Numbers weights = draws.numbers();
        const Numbers scales = draws.numbers();
        Numbers divided{};
        std::transform(weights.begin(), weights.end(), scales.begin(), divided.begin(), std::divides<>());
        const Job a = draws.job();
        const Job b = draws.job();
        const Time now = Time::seconds(draws.between(50'000, 100'000));
        const PlainScore of_a(weights, scales, a, now);
        const PlainScore of_b(weights, scales, b, now);
        if (std::abs(of_a.value - of_b.value) < 1e-9L * (of_a.magnitude + of_b.magnitude)) {
            continue;
        }
        ++compared;
        REQUIRE(goes_first(mixed(weights, scales), a, b, now) == (of_a.value > of_b.value));
        REQUIRE(goes_first(mixed(divided, ones), a, b, now) == (of_a.value > of_b.value));
    }
    CHECK(compared > 4500);
}

TEST_CASE("Scores of scaled features that differ only by rounding are equal", "[order]") {
    Draws draws(3);
    for (int round = 0; round < 1000; ++round) {
        const int of_q = draws.between(1, 1000);
        const int of_p = draws.between(1, 1000);
        const int weight = draws.between(1, 20);
        const int sum = draws.between(2, 30);
        // q / of_q + p / of_p is the same for all of them, so their scores are equal.
        const JobOrder order = mixed({1, 1, static_cast<double>(weight), 0, 0, 0},
                                     {static_cast<double>(of_q), static_cast<double>(of_p), 7, 1, 1, 1});
        const auto score = [&](int part) {
            return order.score(waiting_job(of_q * part, Duration::seconds(of_p * (sum - part)), Time::seconds(10)));
        };
        for (int part = 2; part < sum; ++part) {
            REQUIRE(JobScore::compare(score(part), score(1), Time::seconds(1000)) == 0);
        }
    }
}

TEST_CASE("A mixed order keeps its scales when it gets other weights", "[order]") {
    Draws draws(4);
    for (int round = 0; round < 100; ++round) {
        const Numbers scales = draws.numbers();
        const Numbers weights = draws.numbers();
        const Job job = draws.job();
        const Time now = Time::seconds(60'000);
        CHECK(mixed(draws.numbers(), scales).with_weights(weights).score(job).at(now).value ==
              mixed(weights, scales).score(job).at(now).value);
    }
}

TEST_CASE("A policy with scales gives the schedule of the weights divided by them", "[order]") {
    Draws draws(5);
    for (const std::string algorithm : {"easy", "pc", "dc"}) {
        INFO(algorithm);
        int changed = 0;
        for (int round = 0; round < 20; ++round) {
            std::string jobs;
            int submit = 0;
            for (int i = 0; i < 80; ++i) {
                submit += draws.between(0, 300);
                const int run = draws.between(1, 3000);
                jobs += (jobs.empty() ? "" : ",") + job(std::to_string(100 + i), std::to_string(submit),
                                                        draws.between(1, 16), std::to_string(run * draws.between(1, 4)),
                                                        std::to_string(run));
            }
            const std::vector<Workload> workloads{workload_of(jobs)};
            const Numbers weights = draws.numbers();
            const Numbers scales = draws.numbers();
            Numbers divided{};
            std::transform(weights.begin(), weights.end(), scales.begin(), divided.begin(), std::divides<>());
            const Parameters::Given raw{{"order", "mixed"}, {"weights", text_of(weights)}};
            Parameters::Given scaled = raw;
            scaled.emplace_back("scales", text_of(scales));
            const std::vector<Time> found = starts(algorithm, workloads, scaled);
            CHECK(found == starts(algorithm, workloads, {{"order", "mixed"}, {"weights", text_of(divided)}}));
            changed += found != starts(algorithm, workloads, raw) ? 1 : 0;
        }
        CHECK(changed > 10);
    }
}

TEST_CASE("Scales that are 0, not finite, too small or too large are refused, and so are unused ones", "[order]") {
    const auto with_scales = [](const std::string& scales) { mixed({{"weights", "1,0,0,0,0,0"}, {"scales", scales}}); };
    for (const std::string one : {"0", "-0", "1e-101", "-1e101"}) {
        CHECK_THROWS_WITH(
            with_scales("1,1,1,1,1," + one),
            "parameter scales: expected numbers that are not 0, with absolute values from 1e-100 to 1e100");
    }
    for (const std::string& wrong : std::vector<std::string>{"1,1,1", "1,1,1,1,1,inf", "1,1,1,1,1,nan", "q=1"}) {
        CHECK_THROWS_WITH(with_scales(wrong), Catch::Matchers::Contains("is not a list of 6 numbers"));
    }
    CHECK_NOTHROW(with_scales("1e-100,-1e-100,1e100,-1e100,1,1"));
    for (const std::string algorithm : {"easy", "pc", "dc"}) {
        CHECK_THROWS_WITH(Engine(algorithm, {{"scales", "1,1,1,1,1,1"}}),
                          Catch::Matchers::StartsWith("parameter scales=1,1,1,1,1,1 is used only with order=mixed"));
    }
}

TEST_CASE("Scores stay numbers with the smallest and the largest scales", "[order]") {
    const Job wide = waiting_job(2'000'000'000, Duration::seconds(4'000'000'000'000), Time());
    const Job tiny = waiting_job(1, Duration::microseconds(1), Time());
    for (const double scale : {1e-100, -1e-100, 1e100, -1e100}) {
        const JobOrder order = mixed({1, -1, 1, -1, 1, -1}, {scale, scale, scale, scale, scale, scale});
        CHECK(std::isfinite(order.score(wide).at(Time::seconds(4'000'000'000'000)).value));
        CHECK(std::isfinite(order.score(tiny).at(Time::seconds(4'000'000'000'000)).value));
    }
}

}  // namespace batfill::tests::scaled_features_test
