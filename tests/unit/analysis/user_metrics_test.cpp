#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/metrics.hpp>

#include "tests/support/random_stream.hpp"
#include "tests/support/scheduled_job.hpp"

namespace batfill::tests::user_metrics_test {

namespace {

using tests::job;

// Measures the jobs, with the user of each by its id.
Metrics measure(const std::vector<ScheduledJob>& jobs, const std::map<std::string, std::string>& users) {
    std::vector<Workload> workloads(1);
    for (const ScheduledJob& one : jobs) {
        add_job_of(one, workloads.front()).description.user = users.at(one.id.substr(3));
    }
    return compute_metrics(Schedule{"run_jobs.csv", jobs}, {}, workloads);
}

}  // namespace

TEST_CASE("fairness to users is worked out by hand", "[metrics]") {
    // Bounded slowdowns: 1 and 3 for Ann, 4 for Bob, 10 without a user.
    const std::vector<ScheduledJob> jobs{job("a1", 0, 0, 10), job("a2", 0, 20, 10), job("b", 5, 35, 10),
                                         job("n", 0, 90, 10)};
    const Metrics metrics = measure(jobs, {{"a1", "Ann"}, {"a2", "Ann"}, {"b", "Bob"}, {"n", ""}});
    CHECK(metrics["users"] == 2);
    CHECK(metrics["user_fairness"] == 36 / (2 * 20.0));
    CHECK(metrics["wait_share_10_percent_of_users"] == 0.6);  // 30 of 50 s are Bob's

    const Metrics even = measure(jobs, {{"a1", "Ann"}, {"a2", ""}, {"b", ""}, {"n", ""}});
    CHECK(even["user_fairness"] == 1);
    CHECK_FALSE(even["wait_share_10_percent_of_users"]);
}

TEST_CASE("without users there is nothing that is fair to them", "[metrics]") {
    const std::vector<ScheduledJob> jobs{job("a", 0, 7, 10)};
    for (const Metrics& metrics : {compute_metrics(Schedule{"run_jobs.csv", jobs}, {}), measure(jobs, {{"a", ""}})}) {
        CHECK_FALSE(metrics["users"]);
        CHECK_FALSE(metrics["user_fairness"]);
        CHECK_FALSE(metrics["wait_share_10_percent_of_users"]);
    }
}

TEST_CASE("fairness to users is that of a plain second form, whatever the order of the jobs", "[metrics]") {
    tests::Random random(31);
    for (int round = 0; round < 100; ++round) {
        std::vector<ScheduledJob> jobs;
        std::map<std::string, std::string> users;
        std::map<std::string, std::vector<double>> slowdowns;
        std::map<std::string, double> waits;
        double waiting = 0;
        for (int i = random.between(1, 80); i > 0; --i) {
            const std::string id = std::to_string(i);
            const std::string user = "u" + std::to_string(random.below(25));
            const int wait = random.between(1, 300);
            const int run = random.between(1, 60);
            jobs.push_back(job(id, i, i + wait, run));
            users[id] = user;
            slowdowns[user].push_back(std::max(1.0, static_cast<double>(wait + run) / std::max(run, 10)));
            waits[user] += wait;
            waiting += wait;
        }
        double all = 0;
        double squares = 0;
        std::vector<double> of_users;
        for (const auto& [user, values] : slowdowns) {
            double mean = 0;
            for (const double value : values) {
                mean += value / static_cast<double>(values.size());
            }
            all += mean;
            squares += mean * mean;
            of_users.push_back(waits[user]);
        }
        const auto count = static_cast<double>(of_users.size());
        std::sort(of_users.rbegin(), of_users.rend());
        const double most =
            of_users[0] + (of_users.size() > 10 ? of_users[1] : 0) + (of_users.size() > 20 ? of_users[2] : 0);
        const Metrics metrics = measure(jobs, users);
        REQUIRE(metrics["users"] == count);
        REQUIRE(*metrics["user_fairness"] == Approx(all * all / (count * squares)));
        REQUIRE(*metrics["user_fairness"] <= 1 + 1e-12);
        REQUIRE(*metrics["user_fairness"] >= 1 / count - 1e-12);
        REQUIRE(*metrics["wait_share_10_percent_of_users"] == Approx(most / waiting));
        std::reverse(jobs.begin(), jobs.end());
        REQUIRE(measure(jobs, users).values() == metrics.values());
    }
}

}  // namespace batfill::tests::user_metrics_test
