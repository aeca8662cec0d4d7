#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>

#include "tests/unit/analysis/checked_schedule.hpp"

namespace batfill::tests::check_random_test {

using namespace checked_schedule;

namespace {

// A valid schedule. Jobs are placed one by one at the first instant when enough processors are free, on random ones of
// these. Times are in microseconds. Some jobs reach their walltime, take no time or are rejected.
Case random_case(std::mt19937& random) {
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    const int processors = 1 + below(12);
    Case run = empty_case(processors);
    std::vector<Time> free_from(static_cast<std::size_t>(processors));
    Time submit;
    for (int i = 0; i < 40; ++i) {
        submit = submit + Duration::microseconds(below(3) * 700'000);
        const int wanted = 1 + below(processors);
        std::vector<int> order(static_cast<std::size_t>(processors));
        for (int p = 0; p < processors; ++p) {
            order[static_cast<std::size_t>(p)] = p;
        }
        std::shuffle(order.begin(), order.end(), random);
        Time start = submit;
        ResourceSet allocation;
        for (int p = 0; p < wanted; ++p) {
            const int processor = order[static_cast<std::size_t>(p)];
            start = std::max(start, free_from[static_cast<std::size_t>(processor)]);
            allocation.insert(ResourceSet::range(processor, processor));
        }
        const Duration delay = Duration::microseconds(below(4) * 1'000'001);
        const std::optional<Duration> walltime =
            below(4) == 0 ? std::nullopt : std::optional(Duration::microseconds((1 + below(4)) * 1'000'000));
        const ScheduledJob& job = add(run, std::to_string(i), submit, start, delay, walltime, allocation);
        for (int p = 0; p < wanted; ++p) {
            free_from[static_cast<std::size_t>(order[static_cast<std::size_t>(p)])] = job.execution->finish;
        }
    }
    add(run, "wide", submit, submit, seconds(1), seconds(1), ResourceSet::range(0, processors));
    reject(run.schedule.jobs.back());
    std::shuffle(run.schedule.jobs.begin(), run.schedule.jobs.end(), random);
    return run;
}

}  // namespace

TEST_CASE("random valid schedules pass") {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        const Case run = random_case(random);
        INFO("round " << round);
        REQUIRE(violations(run, {.tolerance = Duration(), .deadlines_bind = true}) == Texts{});
    }
}

TEST_CASE("one fault in a random valid schedule is found and named") {
    using Fault = std::function<void(Case&, ScheduledJob&)>;
    const std::vector<Fault> faults{
        [](Case&, ScheduledJob& job) { shift(job, job.submit - job.execution->start - Duration::microseconds(1)); },
        [](Case&, ScheduledJob& job) { job.allocation.take_lowest(1); },
        [](Case& run, ScheduledJob& job) {
            const int beyond = static_cast<int>(run.platform.hosts.size());
            job.allocation.take_lowest(1);
            job.allocation.insert(ResourceSet::range(beyond, beyond));
        },
        [](Case&, ScheduledJob& job) { job.execution->length = job.execution->length + Duration::microseconds(1); },
        [](Case&, ScheduledJob& job) { job.execution->turnaround = -seconds(1); },
        [](Case&, ScheduledJob& job) { job.execution->wait = job.execution->wait + Duration::microseconds(1); },
        [](Case&, ScheduledJob& job) { job.success = !job.success; },
        [](Case&, ScheduledJob& job) { job.state = JobState::rejected; },
        [](Case&, ScheduledJob& job) { job.state = JobState::running; },
        [](Case&, ScheduledJob& job) { job.processors += 1; },
        [](Case&, ScheduledJob& job) { job.submit = job.submit - Duration::microseconds(1); },
        [](Case&, ScheduledJob& job) { job.walltime = seconds(99); },
        [](Case& run, ScheduledJob& job) {
            const std::string id = job.id;  // a copy, because the job is erased
            std::erase_if(run.schedule.jobs, [&](const ScheduledJob& other) { return other.id == id; });
        },
        [](Case& run, ScheduledJob& job) { run.schedule.jobs.push_back(ScheduledJob(job)); },
    };
    std::mt19937 random(5);
    for (std::size_t fault = 0; fault < faults.size(); ++fault) {
        for (int round = 0; round < 30; ++round) {
            Case run = random_case(random);
            std::size_t victim = random() % run.schedule.jobs.size();
            while (!run.schedule.jobs[victim].execution) {
                victim = random() % run.schedule.jobs.size();
            }
            const std::string id = run.schedule.jobs[victim].id;
            faults[fault](run, run.schedule.jobs[victim]);
            const Texts texts = violations(run, {.tolerance = Duration(), .deadlines_bind = true});
            INFO("fault " << fault << ", round " << round << ", job " << id);
            REQUIRE(std::any_of(texts.begin(), texts.end(),
                                [&](const std::string& text) { return text.rfind("job " + id + ":", 0) == 0; }));
        }
    }
}

TEST_CASE("the check finds the same overlaps as a comparison of all pairs of jobs") {
    std::mt19937 random(11);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    std::size_t found = 0;
    std::size_t clean = 0;
    for (int round = 0; round < 400; ++round) {
        Case run = empty_case(16);
        for (int i = 0; i < 10; ++i) {
            ResourceSet allocation = ResourceSet::range(below(4) * 4, below(4) * 4 + 1);
            allocation.insert(ResourceSet::range(12, 11 + below(3)));
            if (allocation.empty()) {
                allocation = ResourceSet::range(5, 7);
            }
            add(run, std::to_string(i), Time(), Time::seconds(below(50)), seconds(below(6)), std::nullopt, allocation);
        }
        // The jobs that start while another job uses a common processor. If two start together, the longer one comes
        // second.
        std::set<std::string> expected;
        const std::vector<ScheduledJob>& jobs = run.schedule.jobs;
        for (std::size_t a = 0; a < jobs.size(); ++a) {
            for (std::size_t b = 0; b < jobs.size(); ++b) {
                const ExecutionRecord& first = *jobs[a].execution;
                const ExecutionRecord& second = *jobs[b].execution;
                const bool in_order = std::tie(first.start, first.finish, a) < std::tie(second.start, second.finish, b);
                if (in_order && second.start < first.finish &&
                    jobs[a].allocation.count_common(jobs[b].allocation) > 0) {
                    expected.insert("job " + jobs[b].id);
                }
            }
        }
        const Texts texts = violations(run);
        std::set<std::string> named;
        for (const std::string& text : texts) {
            REQUIRE(text.find(" starts at ") != std::string::npos);
            named.insert(text.substr(0, text.find(':')));
        }
        REQUIRE(named == expected);
        REQUIRE(texts.size() == named.size());
        found += texts.size();
        clean += texts.empty() ? 1U : 0U;
    }
    CHECK(found > 100);
    CHECK(clean > 10);
}

}  // namespace batfill::tests::check_random_test
