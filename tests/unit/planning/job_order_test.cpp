#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/planning/job_order.hpp>

#include "tests/support/plain_order.hpp"
#include "tests/support/random_stream.hpp"

namespace batfill::tests::job_order_test {

namespace {

JobOrder order(const std::string& policy, const std::string& weights = "", const std::string& scales = "") {
    const std::vector<Parameter> declared{JobOrder::order("order", "fcfs", "which goes first"), JobOrder::weights(),
                                          JobOrder::scales()};
    Parameters::Given given{{"order", policy}};
    if (!weights.empty()) {
        given.emplace_back("weights", weights);
    }
    if (!scales.empty()) {
        given.emplace_back("scales", scales);
    }
    return {Parameters("a", declared, given), "order"};
}

// Waiting jobs, by their numbers.
struct Queue {
    SchedulerState state;

    void submit(long long time, int processors, Duration walltime) {
        Job& job = state.jobs.emplace_back();
        JobDescription description;
        description.submit = Time::seconds(time);
        job.shared_description = std::move(description);
        job.request.processors = processors;
        job.walltime = walltime;
    }
    std::vector<JobIndex> sorted(const JobOrder& job_order, long long now) {
        OrderedJobs jobs(job_order);
        for (JobIndex job = 0; job < state.jobs.size(); ++job) {
            jobs.insert(state, job);
        }
        state.now = Time::seconds(now);
        return jobs.now(state);
    }
};

}  // namespace

TEST_CASE("Each order puts its jobs first, and equal ones in the order of submission", "[order]") {
    Queue queue;
    queue.submit(0, 4, Duration::seconds(100));    // area 400, ratio 25
    queue.submit(10, 2, Duration::seconds(300));   // area 600, ratio 150
    queue.submit(20, 8, Duration::seconds(100));   // area 800, ratio 12.5
    queue.submit(20, 1, Duration::seconds(1000));  // area 1000, ratio 1000
    queue.submit(20, 4, Duration::seconds(100));   // area 400, ratio 25
    const std::map<std::string, std::vector<JobIndex>> expected{
        {"fcfs", {0, 1, 2, 3, 4}},
        {"lcfs", {2, 3, 4, 1, 0}},
        {"spf", {0, 2, 4, 1, 3}},
        {"lpf", {3, 1, 0, 2, 4}},
        {"sqf", {3, 1, 0, 4, 2}},
        {"lqf", {2, 0, 4, 1, 3}},
        {"saf", {0, 4, 1, 2, 3}},
        {"laf", {3, 2, 1, 0, 4}},
        {"lrf", {3, 1, 0, 4, 2}},
        {"srf", {2, 0, 4, 1, 3}},
        // At 50, (wait + walltime) / walltime is 1.5, 1.133, 1.3, 1.03, 1.3.
        {"lexp", {0, 2, 4, 1, 3}},
        {"sexp", {3, 1, 2, 4, 0}},
        // At 50, the waits are 50, 40, 30, 30, 30: (w/p)^3 q is 0.5, 0.0047, 0.216, 0.000027, 0.108.
        {"wfp3", {0, 2, 4, 1, 3}},
        // w / (log2(q) p) is 0.25, 0.133, 0.1, infinite, 0.15.
        {"unicef", {3, 0, 4, 1, 2}},
        // log10(s) is 0, 1, 1.3, 1.3, 1.3; log10(p) q is 8, 4.95, 16, 3, 8.
        {"f1", {0, 1, 3, 4, 2}},
        {"f2", {0, 1, 3, 4, 2}},
        {"f3", {0, 1, 4, 2, 3}},
        // p sqrt(q) is 200, 424, 283, 1000, 200.
        {"f4", {0, 1, 4, 2, 3}}};
    for (const auto& [policy, jobs] : expected) {
        INFO(policy);
        CHECK(queue.sorted(order(policy), 50) == jobs);
    }
}

TEST_CASE("Orders that depend on the clock change with it, the others do not", "[order]") {
    Queue queue;
    queue.submit(0, 1, Duration::seconds(1000));
    queue.submit(90, 1, Duration::seconds(10));
    CHECK(queue.sorted(order("lexp"), 90) == std::vector<JobIndex>{0, 1});   // 1.09, 1
    CHECK(queue.sorted(order("lexp"), 100) == std::vector<JobIndex>{1, 0});  // 1.1, 2
    for (const std::string policy : {"lexp", "sexp", "wfp3", "unicef"}) {
        CHECK(order(policy).depends_on_clock());
    }
    CHECK(order("mixed", "1,0,0,0,0,0").depends_on_clock());
    for (const std::string policy :
         {"fcfs", "lcfs", "spf", "lpf", "sqf", "lqf", "saf", "laf", "lrf", "srf", "f1", "f2", "f3", "f4"}) {
        CHECK_FALSE(order(policy).depends_on_clock());
    }
}

TEST_CASE("The orders of newer work are those of their formulas, on random queues", "[order]") {
    // Larger values go first, as in the papers: p is the walltime, q the processors, s the submission time, w the wait.
    const std::map<std::string, std::function<double(double p, double q, double s, double w)>> formulas{
        {"wfp3", [](double p, double q, double, double w) { return std::pow(w / p, 3) * q; }},
        {"unicef", [](double p, double q, double, double w) { return w / (std::log2(q) * p); }},
        {"f1", [](double p, double q, double s, double) { return -(std::log10(p) * q + 8.70e2 * std::log10(s)); }},
        {"f2", [](double p, double q, double s, double) { return -(std::sqrt(p) * q + 2.56e4 * std::log10(s)); }},
        {"f3", [](double p, double q, double s, double) { return -(p * q + 6.86e6 * std::log10(s)); }},
        {"f4", [](double p, double q, double s, double) { return -(p * std::sqrt(q) + 5.30e5 * std::log10(s)); }}};
    constexpr long long now = 200'000;
    tests::Random random(7);
    std::size_t told_apart = 0;
    for (int round = 0; round < 100; ++round) {
        Queue queue;
        for (int job = 0; job < 12; ++job) {
            queue.submit(random.between(1, 199'999), random.between(2, 300),
                         Duration::seconds(random.between(1, 100'000)));
        }
        for (const auto& [name, formula] : formulas) {
            const auto score = [&, &formula = formula](JobIndex index) {
                const Job& job = queue.state.jobs[index];
                const double submit = job.submit().since_zero().to_seconds();
                return formula(job.walltime.to_seconds(), job.processors(), submit, now - submit);
            };
            const std::vector<JobIndex> jobs = queue.sorted(order(name), now);
            for (std::size_t i = 1; i < jobs.size(); ++i) {
                const double before = score(jobs[i - 1]);
                const double after = score(jobs[i]);
                INFO(name);
                REQUIRE(before >= after - 1e-9 * std::abs(after));
                told_apart += before > after ? 1 : 0;
            }
        }
    }
    CHECK(told_apart > 6000);
}

TEST_CASE("Under unicef, jobs of one processor go first, also at the instant of their submission", "[order]") {
    Queue queue;
    queue.submit(0, 2, Duration::seconds(1));
    queue.submit(100, 1, Duration::seconds(1000));
    queue.submit(100, 1, Duration::seconds(10));
    CHECK(queue.sorted(order("unicef"), 100) == std::vector<JobIndex>{1, 2, 0});
    CHECK(queue.sorted(order("unicef"), 1000) == std::vector<JobIndex>{1, 2, 0});
}

TEST_CASE("A mixed order adds up its features, with weights that are normalised", "[order]") {
    Queue queue;
    queue.submit(0, 4, Duration::seconds(100));
    // q 4, p 100, wait 50, p/q 25, (wait + p)/p 1.5, area 400
    CHECK(order("mixed", "1,0,0,0,0,0").score(queue.state.jobs[0]).at(Time::seconds(50)).value == 4);
    CHECK(order("mixed", "0,0,-8,0,0,0").score(queue.state.jobs[0]).at(Time::seconds(50)).value == -50);
    CHECK(order("mixed", "2,-1,1,1,2,1").score(queue.state.jobs[0]).at(Time::seconds(50)).value ==
          Approx((2 * 4 - 100 + 50 + 25 + 2 * 1.5 + 400) / 8.));
}

TEST_CASE("Orders that are sums of features are exact, whatever doubles make of them", "[order]") {
    Queue queue;
    queue.submit(0, 3, Duration::microseconds(20'000'000'000'001));
    queue.submit(0, 3, Duration::microseconds(20'000'000'000'000));
    queue.submit(0, 6, Duration::microseconds(40'000'000'000'000));
    for (const auto& [by, expected] : std::map<std::string, std::vector<JobIndex>>{
             {"srf", {1, 2, 0}}, {"lrf", {0, 1, 2}}, {"spf", {1, 0, 2}}, {"laf", {2, 0, 1}}, {"sexp", {2, 0, 1}}}) {
        INFO(by);
        CHECK(queue.sorted(order(by), 1) == expected);
    }
}

TEST_CASE("Terms that cancel leave a tie, however large they are", "[order]") {
    Queue queue;
    queue.submit(1, 1, Duration::microseconds(72'500'000));
    queue.submit(1, 1, Duration::microseconds(2'132'250'000));
    // On one processor p/q - p*q is 0.
    CHECK(queue.sorted(order("mixed", "0,0,1,1,0,-1"), 4) == std::vector<JobIndex>{0, 1});
    CHECK(queue.sorted(order("mixed", "0,0,0.1,0.3,0,-0.3"), 4) == std::vector<JobIndex>{0, 1});
    // 3 * 0.1 equals 0.3 in decimal, but not in doubles.
    CHECK(queue.sorted(order("mixed", "0,0.3,1,0,0,-0.1", "1,3,1,1,1,1"), 4) == std::vector<JobIndex>{0, 1});
    CHECK(queue.sorted(order("mixed", "0,0.1,1,0,0,0.3", "1,-1,1,1,1,3"), 4) == std::vector<JobIndex>{0, 1});
    CHECK(queue.sorted(order("mixed", "0,1e-100,1,0,0,-1e100", "1,1e-100,1,1,1,1e100"), 4) ==
          std::vector<JobIndex>{0, 1});
    // A walltime weight that is larger by one part in 1e16: the longer job goes first.
    CHECK(queue.sorted(order("mixed", "0,1.0000000000000002,1,0,0,-1"), 4) == std::vector<JobIndex>{1, 0});
    CHECK(queue.sorted(order("mixed", "0,1e-300,1,1,0,-1"), 4) == std::vector<JobIndex>{1, 0});
}

TEST_CASE("Scores compare as exact fractions do, of random jobs with random weights", "[order][property]") {
    Random random(34);
    unsigned equal = 0;
    for (int round = 0; round < 3000; ++round) {
        const OrderWeights weights = random_weights(random);
        const JobOrder by = order("mixed", text_of(weights, random.one_in(2)));
        const bool few_values = random.one_in(2);
        Queue queue;
        for (int job = 0; job < 8; ++job) {
            queue.submit(few_values ? random.below(3) : random.below(100'000), random.between(1, few_values ? 3 : 1000),
                         few_values ? Duration::microseconds(250'000LL * random.between(1, 9))
                                    : Duration::microseconds(random.between(1, 2'000'000'000)));
        }
        queue.state.now = Time::seconds(100'000 + random.below(100'000));
        const JobTable& jobs = queue.state.jobs;
        const auto exact = [&](JobIndex job) {
            JobDescription description = jobs[job].description();
            description.processors = jobs[job].processors();
            description.walltime = jobs[job].walltime;
            return ExactScore(weights, description, queue.state.now);
        };
        for (JobIndex a = 0; a < jobs.size(); ++a) {
            for (JobIndex b = 0; b < jobs.size(); ++b) {
                const int expected = exact(a) == exact(b) ? 0 : exact(a) > exact(b) ? 1 : -1;
                const int compared = by.compare(queue.state, a, b);
                REQUIRE((compared > 0 ? 1 : compared < 0 ? -1 : 0) == expected);
                equal += a != b && expected == 0 ? 1U : 0U;
            }
        }
    }
    CHECK(equal > 1000);
}

TEST_CASE("Scores that no fraction gives are equal if they differ only in the last bits", "[order]") {
    Queue queue;
    queue.submit(0, 8, Duration::seconds(7));
    queue.submit(0, 27, Duration::microseconds(10'500'000));  // (w/p)^3 q is the same
    queue.submit(0, 8, Duration::microseconds(6'999'999));
    CHECK(queue.sorted(order("wfp3"), 3) == std::vector<JobIndex>{2, 0, 1});
}

TEST_CASE("A round number and its neighbours within a few bits round to that number, and other numbers do not",
          "[order]") {
    for (int number = -999; number <= 999; number += 2) {
        for (int exponent = -10; exponent <= 10; ++exponent) {
            const double score = std::ldexp(number, exponent);
            double below = score;
            double above = score;
            for (int bits = 0; bits < 20; ++bits) {
                below = std::nextafter(below, -1e18);
                above = std::nextafter(above, 1e18);
            }
            CAPTURE(score);
            for (const double terms : {1.0, 3.0}) {
                REQUIRE(rounded_score(score, terms * std::abs(score)) == score);
                REQUIRE(rounded_score(below, terms * std::abs(below)) == score);
                REQUIRE(rounded_score(above, terms * std::abs(above)) == score);
                REQUIRE(rounded_score(score * (1 + 1e-11), terms * std::abs(score)) != score);
            }
        }
    }
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(rounded_score(infinity, infinity) == infinity);
    CHECK(rounded_score(1e308, 1e308) == 1e308);
}

TEST_CASE("Jobs that started are no longer in the queue", "[order]") {
    Queue queue;
    queue.submit(0, 1, Duration::seconds(1));
    queue.submit(0, 1, Duration::seconds(2));
    queue.submit(0, 1, Duration::seconds(3));
    OrderedJobs jobs(order("lpf"));
    for (JobIndex job = 0; job < 3; ++job) {
        jobs.insert(queue.state, job);
    }
    CHECK(jobs.now(queue.state) == std::vector<JobIndex>{2, 1, 0});
    jobs.remove(1);
    CHECK(jobs.now(queue.state) == std::vector<JobIndex>{2, 0});
}

TEST_CASE("Weights are needed by a mixed order, and by no other", "[order]") {
    CHECK_THROWS_WITH(order("mixed"), "parameter order=mixed: expected weights, of which at least one is not 0");
    CHECK_THROWS_AS(order("mixed", "0,0,0,0,0,0"), UsageError);
    CHECK_THROWS_AS(order("mixed", "1e308,1e308,0,0,0,0"), UsageError);  // their sum is not finite
    const std::vector<Parameter> declared{JobOrder::order("order", "fcfs", "which goes first"), JobOrder::weights(),
                                          JobOrder::scales()};
    CHECK_THROWS_WITH(Parameters("a", declared, {{"weights", "1,0,0,0,0,0"}}),
                      "parameter weights=1,0,0,0,0,0 is used only with order=mixed");
    CHECK_NOTHROW(Parameters("a", declared, {}));
}

}  // namespace batfill::tests::job_order_test
