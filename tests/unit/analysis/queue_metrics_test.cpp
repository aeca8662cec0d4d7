#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/metrics.hpp>

#include "tests/support/random_stream.hpp"
#include "tests/support/scheduled_job.hpp"

namespace batfill::tests::queue_metrics_test {

namespace {

using tests::job;

Metrics measure(const std::vector<ScheduledJob>& jobs, std::optional<int> processors = std::nullopt) {
    return compute_metrics(Schedule{"run_jobs.csv", jobs}, {.tau = Duration::seconds(10), .processors = processors});
}

// The queue and the machine, sampled once per second.
struct Counted {
    int seconds = 0;
    int waiting = 0;
    int most_waiting = 0;
    int requested = 0;
    int most_requested = 0;
    int busy = 0;
    int lost = 0;
};

Counted count_every_second(const std::vector<ScheduledJob>& jobs, int processors) {
    Time first = jobs.front().submit;
    Time last = jobs.front().execution->finish;
    for (const ScheduledJob& each : jobs) {
        first = std::min(first, each.submit);
        last = std::max(last, each.execution->finish);
    }
    Counted counted;
    for (Time now = first; now < last; now = now + Duration::seconds(1)) {
        int waiting = 0;
        int requested = 0;
        int busy = 0;
        for (const ScheduledJob& each : jobs) {
            const bool waits = each.submit <= now && now < each.execution->start;
            waiting += waits ? 1 : 0;
            requested += waits ? each.processors : 0;
            busy += each.execution->start <= now && now < each.execution->finish ? each.processors : 0;
        }
        ++counted.seconds;
        counted.waiting += waiting;
        counted.most_waiting = std::max(counted.most_waiting, waiting);
        counted.requested += requested;
        counted.most_requested = std::max(counted.most_requested, requested);
        counted.busy += busy;
        counted.lost += std::min(std::max(0, processors - busy), requested);
    }
    return counted;
}

}  // namespace

TEST_CASE("the queue and the capacity that is lost to it are those worked out by hand", "[metrics]") {
    // On 4 processors from 0 to 50: a runs on 3 in [0, 10), b waits for 4 in [2, 10) and runs in [10, 30), c waits for
    // 1 in [6, 30) and runs in [30, 50). From 2 to 10, one processor is idle while b, and later c, waits for it. Nobody
    // waits while c runs.
    const std::vector<ScheduledJob> jobs{job("a", 0, 0, 10, 3), job("b", 2, 10, 20, 4), job("c", 6, 30, 20, 1)};
    const Metrics metrics = measure(jobs, 4);
    CHECK(metrics["mean_queue_length"] == (8.0 + 24) / 50);
    CHECK(metrics["max_queue_length"] == 2);
    CHECK(metrics["mean_queued_processors"] == (8.0 * 4 + 24) / 50);
    CHECK(metrics["max_queued_processors"] == 5);
    CHECK(metrics["lost_capacity"] == 8 / (4.0 * 50));
    CHECK(metrics["utilisation"] == (30 + 80 + 20) / (4.0 * 50));

    // Of 9 processors, idle ones that no waiting job requests are unused, but not lost. Lost are 4 of 6 from 2, 5 of 6
    // from 6, 1 of 5 from 10.
    CHECK(*measure(jobs, 9)["lost_capacity"] == Approx((4 * 4 + 4 * 5 + 20 * 1) / (9.0 * 50)));
}

TEST_CASE("a job that starts when it is submitted was never in the queue", "[metrics]") {
    const Metrics metrics = measure({job("a", 0, 0, 10, 2), job("b", 5, 5, 10, 2)}, 4);
    CHECK(metrics["mean_queue_length"] == 0);
    CHECK(metrics["max_queue_length"] == 0);
    CHECK(metrics["max_queued_processors"] == 0);
    CHECK(metrics["lost_capacity"] == 0);
}

TEST_CASE("without time or processors there is no mean queue and no lost capacity", "[metrics]") {
    CHECK_FALSE(measure({}, 4)["mean_queue_length"]);
    CHECK_FALSE(measure({}, 4)["max_queue_length"]);
    CHECK_FALSE(measure({}, 4)["lost_capacity"]);
    const Metrics instant = measure({job("a", 3, 3, 0)}, 4);
    CHECK_FALSE(instant["mean_queued_processors"]);
    CHECK(instant["max_queued_processors"] == 0);
    CHECK_FALSE(instant["lost_capacity"]);
    CHECK_FALSE(measure({job("a", 0, 5, 10)})["lost_capacity"]);
}

TEST_CASE("the queue and lost capacity are those of looking at every second", "[metrics]") {
    tests::Random random(21);
    for (int round = 0; round < 200; ++round) {
        const int processors = random.between(1, 12);
        std::vector<ScheduledJob> jobs;
        for (int i = random.between(1, 15); i > 0; --i) {
            const int submit = random.between(0, 60);
            jobs.push_back(job(std::to_string(i), submit, submit + std::max(0, random.between(-5, 20)),
                               random.between(1, 15), random.between(1, 4)));
        }
        const Counted counted = count_every_second(jobs, processors);
        const Metrics metrics = measure(jobs, processors);
        REQUIRE(*metrics["mean_queue_length"] == Approx(static_cast<double>(counted.waiting) / counted.seconds));
        REQUIRE(metrics["max_queue_length"] == counted.most_waiting);
        REQUIRE(*metrics["mean_queued_processors"] == Approx(static_cast<double>(counted.requested) / counted.seconds));
        REQUIRE(metrics["max_queued_processors"] == counted.most_requested);
        REQUIRE(*metrics["lost_capacity"] == Approx(static_cast<double>(counted.lost) / processors / counted.seconds));
        REQUIRE(*metrics["utilisation"] == Approx(static_cast<double>(counted.busy) / processors / counted.seconds));
        std::reverse(jobs.begin(), jobs.end());
        REQUIRE(measure(jobs, processors).values() == metrics.values());
    }
}

}  // namespace batfill::tests::queue_metrics_test
