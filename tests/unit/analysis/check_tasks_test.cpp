#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>

#include "tests/support/random.hpp"
#include "tests/unit/analysis/checked_schedule.hpp"

// Jobs with `tasks`, whose cores on each host the schedule does not say.
namespace batfill::tests::check_tasks_test {

using namespace checked_schedule;

namespace {

Case shared_hosts(const std::vector<int>& cores) {
    Case run = empty_case(static_cast<int>(cores.size()));
    for (std::size_t host = 0; host < cores.size(); ++host) {
        run.platform.hosts[host].properties["capacity"] = "cores:" + std::to_string(cores[host]);
    }
    return run;
}

// A job with tasks; or, if these are 0, with so many cores of each host.
ScheduledJob& add_job(Case& run, const std::string& id, int start, int length, const std::string& hosts, int tasks,
                      int cores_each = 1) {
    ScheduledJob& job =
        add(run, id, Time(), Time::seconds(start), seconds(length), std::nullopt, *ResourceSet::parse(hosts));
    JobDescription& description = run.workloads[0].jobs.back().description;
    if (tasks > 0) {
        description.other_fields = R"("tasks":)" + std::to_string(tasks);
    } else {
        description.needs = StatedNeeds{.pools = {}, .per_host = {{{"cores", cores_each}}}, .partition = {}};
    }
    return job;
}

Texts found(const Case& run) {
    return violations(run, {.rejections_allowed = true, .decided_by_seconds = true});
}

const std::string lacks_1 = "starts where the tasks of jobs need 1 cores more than their hosts have";

// Whether the jobs that take `needed` cores of all their hosts, at least one of each, have room on the hosts from
// `job` and its hosts from `at` on.
struct Asked {
    std::vector<int> hosts;
    int needed;
};
bool have_room(const std::vector<Asked>& jobs, std::vector<int>& left, std::size_t job = 0, std::size_t at = 0,
               int taken = 0) {
    if (job == jobs.size()) {
        return true;
    }
    if (at == jobs[job].hosts.size()) {
        return taken == jobs[job].needed && have_room(jobs, left, job + 1);
    }
    int& here = left[static_cast<std::size_t>(jobs[job].hosts[at])];
    const int before = here;
    bool result = false;
    for (int cores = 1; cores <= before && !result; ++cores) {
        here = before - cores;
        result = have_room(jobs, left, job, at + 1, taken + cores);
    }
    here = before;
    return result;
}

}  // namespace

TEST_CASE("jobs with tasks need room in some layout of their cores") {
    Case run = shared_hosts({4, 4});
    add_job(run, "a", 0, 10, "0-1", 5);
    add_job(run, "b", 0, 10, "0", 0, 3);
    CHECK(found(run).empty());
    add_job(run, "c", 5, 10, "1", 1);
    CHECK(found(run) == Texts{"job w0!c: " + lacks_1});
    // Another scheduler does not read tasks: to it, such jobs take whole hosts.
    CHECK(violations(run).size() == 2);
    // One after another.
    shift(run.schedule.jobs.back(), seconds(5));
    CHECK(found(run).empty());
}

TEST_CASE("cores of jobs with tasks move from host to host to make room") {
    Case run = shared_hosts({3, 3, 3});
    add_job(run, "a", 0, 10, "0-1", 4);
    add_job(run, "b", 1, 10, "1-2", 4);
    add_job(run, "c", 2, 2, "0", 0, 1);
    add_job(run, "d", 2, 2, "2", 0, 1);
    CHECK(found(run) == Texts{"job w0!d: " + lacks_1});
    run.schedule.jobs.back().allocation = *ResourceSet::parse("0");
    CHECK(found(run).size() == 1);
    shift(run.schedule.jobs.back(), seconds(2));
    CHECK(found(run).empty());
}

TEST_CASE("whole jobs, jobs on whole hosts, and jobs whose cores are known have no layout to look for") {
    Case run = shared_hosts({2, 2});
    add_job(run, "a", 0, 10, "0-1", 9);  // select=linear ignores it
    CHECK(found(run).empty());
    ScheduledJob& b = add_job(run, "b", 10, 10, "0-1", 3);
    b.cores = std::vector<Amount>{2, 1};
    add_job(run, "c", 10, 10, "0", 1);
    CHECK(found(run) == Texts{"job w0!c: takes 1 cores of host 0, where 0 are left"});
    run.schedule.jobs.back().allocation = *ResourceSet::parse("1");
    CHECK(found(run).empty());
    add_job(run, "d", 20, 10, "0-1", 2);
    run.workloads[0].jobs.back().description.other_fields = R"("tasks":2,"whole":true)";
    add_job(run, "e", 20, 10, "0", 1);
    CHECK(found(run) == Texts{"job w0!e: takes 1 cores of host 0, where 0 are left"});
}

// The audit looks at each instant for itself: a layout may differ from that of the instant before.
TEST_CASE("the layout of a job need not be the same at all instants") {
    Case run = shared_hosts({2, 2});
    add_job(run, "a", 0, 2, "0-1", 3);
    add_job(run, "b", 0, 1, "0", 0, 1);
    add_job(run, "c", 1, 1, "1", 0, 1);
    CHECK(found(run).empty());
}

TEST_CASE("the audit finds a lack of cores for tasks where no layout has room, on random machines", "[property]") {
    std::size_t lacking = 0;
    for (unsigned seed = 1; seed <= 3000; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        std::vector<int> cores(static_cast<std::size_t>(random.between(1, 4)));
        std::ranges::generate(cores, [&] { return random.between(2, 6); });
        Case run = shared_hosts(cores);
        constexpr int end = 8;
        std::vector<std::vector<Asked>> running(end);
        for (int job = 0; job < 4; ++job) {
            const int hosts = random.between(1, static_cast<int>(cores.size()));
            std::vector<int> on(cores.size());
            std::iota(on.begin(), on.end(), 0);
            while (on.size() > static_cast<std::size_t>(hosts)) {
                on.erase(on.begin() + random.between(0, static_cast<int>(on.size()) - 1));
            }
            std::string text;
            int most = 0;
            for (const int host : on) {
                text += (text.empty() ? "" : " ") + std::to_string(host);
                most += cores[static_cast<std::size_t>(host)];
            }
            const int start = random.between(0, end - 1);
            const int until = random.between(start + 1, end);
            const bool is_even = random.one_in(4);
            const int tasks = is_even ? 0 : random.between(hosts, hosts + 3);
            add_job(run, std::to_string(job), start, until - start, text, tasks);
            for (int instant = start; instant < until; ++instant) {
                running[static_cast<std::size_t>(instant)].push_back({on, is_even ? hosts : std::min(tasks, most)});
            }
        }
        const bool has_room =
            std::ranges::all_of(running, [&](const std::vector<Asked>& jobs) { return have_room(jobs, cores); });
        REQUIRE(found(run).empty() == has_room);
        lacking += has_room ? 0U : 1U;
    }
    CHECK(lacking > 1000);
    CHECK(lacking < 2000);
}

}  // namespace batfill::tests::check_tasks_test
