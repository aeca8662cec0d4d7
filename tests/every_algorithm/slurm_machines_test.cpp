#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulator_fixture.hpp"

// The algorithm slurm on machines with its own rules: cores of hosts, partitions, licences, windows, limits, and jobs
// that wait for others.

using namespace batfill;
using namespace batfill::tests;

namespace {

Platform drawn_machine(Random& random, int hosts, bool shares) {
    Platform platform = machine(hosts);
    for (std::size_t i = 0; i < platform.hosts.size(); ++i) {
        Host& host = platform.hosts[i];
        host.zone_properties["pools"] = "licence:2";
        if (shares) {
            host.properties["capacity"] = random.one_in(2) ? "cores:4,memory:8,gpus:2" : "cores:8,memory:16";
        }
        host.properties["partitions"] = i == 0 ? "low,high" : random.one_in(2) ? "low" : "low,high";
    }
    for (int i = random.between(0, 2); i > 0; --i) {
        Window window;
        window.name = "window " + std::to_string(i);
        const int from = 10 * random.between(0, 60);
        window.from = Time::seconds(from);
        window.until = Time::seconds(from + 60 * random.between(1, 5));
        window.announced = Time::seconds(10 * random.between(0, from / 10));
        const int first = random.between(0, hosts - 1);
        if (random.one_in(4)) {
            window.pools = {{"licence", random.between(1, 2)}};
        } else {
            window.hosts = ResourceSet::range(first, random.between(first, hosts - 1));
        }
        if (random.one_in(2)) {
            window.booked_for = {random.one_in(3) ? "exam" : "course"};
        }
        platform.windows.push_back(std::move(window));
    }
    return platform;
}

void add_needs(Random& random, Workload& workload, bool shares) {
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        JobDescription& job = workload.jobs[i].description;
        StatedNeeds needs;
        needs.partition = random.one_in(2) ? "low" : random.one_in(2) ? "high" : "high,low";
        if (random.one_in(3)) {
            needs.booking = random.one_in(3) ? "exam" : "course";
        }
        if (random.one_in(4)) {
            needs.pools = {{"licence", random.between(0, 2)}};
        }
        std::string fields = R"("nice":)" + std::to_string(random.between(0, 3));
        if (shares) {
            StatedNeeds::Amounts amounts;
            if (random.one_in(3)) {
                amounts.emplace_back("cores", random.between(1, 4));
            }
            if (random.one_in(2)) {
                amounts.emplace_back("memory", random.between(1, 8));
            }
            if (random.one_in(4)) {
                amounts.emplace_back("gpus", random.between(1, 2));
            }
            if (!amounts.empty()) {
                needs.per_host = amounts;
            }
            fields += random.one_in(3) ? R"(,"tasks":)" + std::to_string(job.processors + random.between(0, 6)) : "";
            fields += random.one_in(5) ? R"(,"whole":true)" : "";
        }
        job.other_fields = fields;
        if (random.one_in(6)) {
            needs.array = std::to_string(random.between(1, 2));
            needs.array_limit = random.between(1, 2);
        }
        if (random.one_in(6)) {
            needs.begin = Time::seconds(random.between(0, 600));
        }
        if (i > 0 && random.one_in(5)) {
            const std::string& id =
                workload.jobs[static_cast<std::size_t>(random.between(0, static_cast<int>(i) - 1))].description.id;
            needs.after = {{static_cast<Dependency::Kind>(random.between(0, 2)), id.substr(id.find('!') + 1),
                            Duration::seconds(random.one_in(2) ? 0 : 90)}};
        }
        job.needs = std::move(needs);
    }
}

bool is_booked(const Workload& workload, const Platform& platform, const std::string& id) {
    return are_for_bookings(platform.windows) && std::ranges::any_of(workload.jobs, [&](const WorkloadJob& job) {
               return job.description.id == id && job.description.needs->booking;
           });
}

std::string text_of(const Outcome& outcome) {
    std::string text;
    for (const ScheduledJob& job : outcome.schedule().jobs) {
        append_csv(job, text);
    }
    return text;
}

Parameters::Given drawn_parameters(Random& random) {
    Parameters::Given given{{"version", random.one_in(2) ? "22.05" : "26.11"}};
    const auto maybe = [&](const char* name, const char* value) {
        if (random.one_in(4)) {
            given.emplace_back(name, value);
        }
    };
    maybe("select", "linear");
    maybe("scheduler", "builtin");
    maybe("bf-licenses", "yes");
    maybe("bf-running-job-reserve", "yes");
    maybe("bf-busy-nodes", "yes");
    maybe("bf-max-job-test", "3");
    maybe("bf-window", "10");
    maybe("partition-tiers", "high:10,low:1");
    maybe("exclusive-partitions", "high");
    maybe("kill-invalid-depend", "yes");
    maybe("epilog", "0");
    maybe("launch-delay", "1.3");
    maybe("timeout-check", "30");
    maybe("over-time-limit", "1");
    maybe("daemon-start", "-13.25");
    if (random.one_in(3)) {
        given.emplace_back("priority", "multifactor");
        given.emplace_back("priority-weight-age", "1000");
        given.emplace_back("priority-weight-job-size", "1000");
        given.emplace_back("priority-calc-period", "2");
    }
    return given;
}

}  // namespace

TEST_CASE("slurm: on random machines the audit finds nothing, and who asks why jobs wait changes nothing",
          "[every-algorithm][property]") {
    if (std::getenv("BATFILL_TEST_PLUGINS") != nullptr) {
        return;
    }
    const QuietLog quiet;
    std::size_t uneven = 0;
    std::size_t rejected = 0;
    std::size_t ran = 0;
    std::size_t late = 0;
    std::size_t booked = 0;
    for (unsigned seed = 1; seed <= 150; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const int hosts = random.between(1, 9);
        const bool shares = !random.one_in(3);
        const Platform platform = drawn_machine(random, hosts, shares);
        Workload workload = random_workload(random, hosts, Trouble::none);
        add_needs(random, workload, shares);
        Parameters::Given parameters = drawn_parameters(random);
        if (std::ranges::any_of(platform.windows, [](const Window& window) { return !window.pools.empty(); })) {
            parameters.emplace_back("bf-licenses", "no");
        }
        const Scenario scenario = scenario_of(platform, {workload});
        RunOptions options;
        options.keeps_deadlocks = true;  // tasks of arrays may wait for each other
        const Outcome outcome = run(scenario, {"slurm", parameters}, options);
        const CheckReport report = audit(outcome, {.rejections_allowed = true});
        INFO((report.violations.empty() ? "" : report.violations[0].text));
        REQUIRE(report.violations.empty());
        Schedule without_cores = outcome.schedule();
        for (ScheduledJob& job : without_cores.jobs) {
            job.cores = {};
        }
        const CheckOptions as_run{.decided_by_seconds = true,
                                  .run_limits = SchedulerChoice("slurm", parameters).run_limits()};
        REQUIRE(check_schedule(without_cores, {workload}, platform, as_run).violations.empty());
        for (const ScheduledJob& job : outcome.schedule().jobs) {
            booked += job.execution && is_booked(workload, platform, job.id) ? 1U : 0U;
            const bool is_late = job.execution && job.walltime && job.execution->length > *job.walltime;
            late += is_late ? 1U : 0U;
            rejected += job.state == JobState::rejected ? 1U : 0U;
            ran += has_completed(job.state) ? 1U : 0U;
            uneven +=
                job.cores && std::ranges::adjacent_find(*job.cores, std::not_equal_to()) != job.cores->end() ? 1U : 0U;
        }
        for (const WorkloadJob& job : workload.jobs) {
            options.explain.push_back(job.description.id);
        }
        REQUIRE(text_of(run(scenario, {"slurm", parameters}, options)) == text_of(outcome));
    }
    CHECK(uneven > 20);
    CHECK(ran > 3 * rejected);
    CHECK(late > 20);
    CHECK(booked > 20);
}
