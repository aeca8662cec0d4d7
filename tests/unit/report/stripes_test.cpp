#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/machine.hpp>

#include "src/analysis/resource_use.hpp"
#include "src/report/figures.hpp"
#include "src/report/stripes.hpp"

namespace batfill::tests::stripes_test {

namespace {

using namespace batfill::report;
using analysis::ResourceUse;
using analysis::UseStep;
using Amounts = StatedNeeds::Amounts;
using Interval = ResourceSet::Interval;

// A host with this property `capacity`, in a zone with a pool.
Host host(const std::string& capacity) {
    Host result{"h", 1, {}, {{"pools", "power:100"}}};
    if (!capacity.empty()) {
        result.properties["capacity"] = capacity;
    }
    return result;
}

// A schedule and its workload on a machine.
struct Run {
    explicit Run(const std::vector<Host>& hosts, std::vector<Window> windows = {})
        : machine(hosts, std::move(windows)) {
        workloads.front().name = "w0";
    }

    // Adds a job that runs on `on` during [start, end). Without `per_host` it takes whole hosts.
    void add(long long start, long long end, const std::string& on, std::optional<Amounts> per_host,
             const Amounts& pools = {}) {
        ScheduledJob job;
        job.id = "w0!" + std::to_string(schedule.jobs.size());
        job.allocation = *ResourceSet::parse(on);
        job.processors = job.allocation.size();
        const Duration run = Duration::seconds(end - start);
        job.execution = ExecutionRecord{Time::seconds(start), run, Time::seconds(end), Duration(), run};
        job.submit = Time::seconds(start);
        WorkloadJob submitted;
        submitted.description.id = job.id;
        submitted.description.processors = job.processors;
        submitted.description.submit = job.submit;
        submitted.description.needs = Shared<StatedNeeds>(StatedNeeds{pools, std::move(per_host), {}});
        workloads.front().jobs.push_back(submitted);
        schedule.jobs.push_back(job);
    }

    MeasuredSchedule measured() const { return {schedule, machine.resources()}; }
    std::vector<Request> requests() const {
        return analysis::requests_of_jobs(measured(), machine.resources(), analysis::WorkloadJobs(workloads));
    }
    std::vector<HostPanel> panels() const { return host_panels(machine.resources(), machine.processors()); }
    std::vector<Rows> stripes(std::size_t panel = 0) const {
        return stripes_of(measured(), panels()[panel], machine.resources(), requests());
    }
    std::vector<ResourceUse> use() const {
        return analysis::use_over_time(measured(), machine.resources(), machine.windows(), requests());
    }

    Machine machine;
    Schedule schedule;
    std::vector<Workload> workloads{1};
};

UseStep step(long long at, double taken) {
    return {Time::seconds(at), taken};
}

long long draw(std::mt19937_64& draws, long long below) {
    return static_cast<long long>(draws() % static_cast<unsigned long long>(below));
}

// Whether hosts have so many cores left for a job, whenever it runs.
bool has_room(const std::vector<ScheduledJob>& jobs, const std::vector<Amount>& cores, const ScheduledJob& added,
              Amount amount, Amount capacity) {
    for (const int on : added.allocation.numbers()) {
        for (long long second = 0; second < 60; ++second) {
            const Time now = Time::seconds(second);
            Amount taken = 0;
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                const auto& run = *jobs[i].execution;
                taken += run.start <= now && now < run.finish && jobs[i].allocation.contains(on) ? cores[i] : 0;
            }
            const bool runs = added.execution->start <= now && now < added.execution->finish;
            if (runs && taken + amount > capacity) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

TEST_CASE("two jobs that share a host lie beside each other, and one of a whole host takes its band") {
    Run run({host("cores:4,gpus:2"), host("cores:4")});
    run.add(0, 10, "0", Amounts{{"cores", 1}, {"gpus", 1}});
    run.add(0, 20, "0-1", Amounts{{"cores", 2}});
    run.add(5, 15, "0", Amounts{{"cores", 1}, {"gpus", 1}});
    run.add(20, 30, "0-1", {});
    run.add(10, 20, "0", Amounts{{"cores", 1}, {"gpus", 2}});  // the lowest row is free again
    const std::vector<HostPanel> panels = run.panels();
    REQUIRE(panels.size() == 2);
    CHECK(panels[0].capacity == "cores");
    CHECK(panels[0].first_rows == std::vector{0, 4, 8});
    CHECK(run.stripes() == std::vector<Rows>{{{0, 0}}, {{1, 2}, {4, 5}}, {{3, 3}}, {{0, 7}}, {{0, 0}}});
    // Of GPUs, a host without any has no band. The last job finds one GPU in use.
    CHECK(panels[1].capacity == "gpus");
    CHECK(panels[1].first_rows == std::vector{0, 2, 2});
    CHECK(run.stripes(1) == std::vector<Rows>{{{0, 0}}, {}, {{1, 1}}, {{0, 1}}, {{0, 1}}});
    CHECK(panels[0].bands_of(*ResourceSet::parse("1")) == Rows{{4, 7}});
    CHECK(panels[1].bands_of(*ResourceSet::parse("0-1")) == Rows{{0, 1}});
}

TEST_CASE("a stripe is in one piece if there is room, else in the lowest rows that are free") {
    Run run({host("cores:8")});
    run.add(0, 10, "0", Amounts{{"cores", 2}});
    run.add(0, 90, "0", Amounts{{"cores", 2}});
    run.add(0, 10, "0", Amounts{{"cores", 1}});
    run.add(0, 90, "0", Amounts{{"cores", 1}});
    run.add(20, 30, "0", Amounts{{"cores", 2}});
    run.add(30, 40, "0", Amounts{{"cores", 4}});
    CHECK(run.stripes() ==
          std::vector<Rows>{{{0, 1}}, {{2, 3}}, {{4, 4}}, {{5, 5}}, {{0, 1}}, {{0, 1}, {4, 4}, {6, 6}}});
}

TEST_CASE("bands are divided by cores, or by the first capacity, and as finely as hosts need") {
    const auto rows = [](const std::vector<Host>& hosts) {
        const Run run(hosts);
        REQUIRE(!run.panels().empty());
        return std::pair(run.panels().front().capacity, run.panels().front().first_rows);
    };
    CHECK(rows({host("memory:6"), host("memory:4")}) == std::pair(std::string("memory"), std::vector{0, 12, 24}));
    CHECK(rows({host("memory:6,cores:3")}) == std::pair(std::string("cores"), std::vector{0, 3}));
    CHECK(rows({host("gpus:2"), host("")}) == std::pair(std::string("gpus"), std::vector{0, 2, 4}));
    CHECK(rows({host("memory:257000")}) == std::pair(std::string("memory"), std::vector{0, 4096}));
    CHECK(host_panels(Resources(), 4).empty());
    // A host without a capacity has one job at a time.
    Run run({host("cores:2"), host("")});
    run.add(0, 1, "1", {});
    CHECK(run.stripes() == std::vector<Rows>{{{2, 3}}});
}

TEST_CASE("stripes of jobs at one instant never overlap, and have the rows that the jobs take") {
    std::mt19937_64 draws(7);
    for (int round = 0; round < 60; ++round) {
        const Amount capacity = 1 + draw(draws, 9);
        const int hosts = 1 + static_cast<int>(draw(draws, 4));
        Run run(std::vector<Host>(static_cast<std::size_t>(hosts), host("cores:" + std::to_string(capacity))));
        std::vector<Amount> cores;
        for (int attempt = 0; attempt < 40; ++attempt) {
            const long long start = draw(draws, 40);
            const auto first = static_cast<int>(draw(draws, hosts));
            const bool is_whole = draw(draws, 5) == 0;
            const Amount amount = is_whole ? capacity : 1 + draw(draws, capacity);
            const ResourceSet on = ResourceSet::range(first, first + static_cast<int>(draw(draws, hosts - first)));
            run.add(start, start + draw(draws, 20), on.to_string(),
                    is_whole ? std::nullopt : std::optional(Amounts{{"cores", amount}}));
            const ScheduledJob added = run.schedule.jobs.back();
            run.schedule.jobs.pop_back();
            if (has_room(run.schedule.jobs, cores, added, amount, capacity)) {
                run.schedule.jobs.push_back(added);
                cores.push_back(amount);
            } else {
                run.workloads.front().jobs.pop_back();
            }
        }
        const std::vector<Rows> stripes = run.stripes();
        REQUIRE(stripes == run.stripes());
        for (long long second = 0; second < 60; ++second) {
            std::map<int, std::size_t> owners;  // of rows
            for (std::size_t i = 0; i < stripes.size(); ++i) {
                const auto& execution = *run.schedule.jobs[i].execution;
                if (Time::seconds(second) < execution.start || execution.finish <= Time::seconds(second)) {
                    continue;
                }
                std::map<int, Amount> rows_of_host;
                for (const auto& [from, until] : stripes[i]) {
                    for (int row = from; row <= until; ++row) {
                        REQUIRE(owners.try_emplace(row, i).second);
                        ++rows_of_host[row / static_cast<int>(capacity)];
                    }
                }
                for (const int on : run.schedule.jobs[i].allocation.numbers()) {
                    REQUIRE(rows_of_host[on] == cores[i]);
                }
                REQUIRE(static_cast<int>(rows_of_host.size()) == run.schedule.jobs[i].processors);
            }
        }
    }
}

TEST_CASE("a job of a schedule that takes too much lies over others") {
    Run run({host("cores:4")});
    run.add(0, 10, "0", Amounts{{"cores", 3}});
    run.add(0, 10, "0", Amounts{{"cores", 2}});
    run.add(10, 20, "0", Amounts{{"cores", 4}});
    CHECK(run.stripes() == std::vector<Rows>{{{0, 2}}, {{0, 1}}, {{0, 3}}});
}

TEST_CASE("the use of pools and capacities over time is what the jobs take, and windows what they name") {
    Window cut{"cut", Time::seconds(5), Time::seconds(9), Time()};
    cut.pools = {{"power", 30}};
    Window maintenance{"maintenance", Time::seconds(4), Time::seconds(8), Time()};
    maintenance.hosts = *ResourceSet::parse("0-1");
    Window other = maintenance;
    other.until = Time::seconds(12);
    other.hosts = *ResourceSet::parse("1");
    Run run({host("cores:4,gpus:2"), host("cores:4,memory:0")}, {cut, maintenance, other});
    run.add(0, 10, "0-1", Amounts{{"cores", 3}, {"gpus", 0}}, {{"power", 40}});
    run.add(10, 20, "0", {}, {{"power", 40}});
    run.add(12, 12, "1", Amounts{{"cores", 1}});
    run.add(12, 15, "1", Amounts{{"cores", 1}}, {{"power", 5}});
    const std::vector<ResourceUse> use = run.use();
    REQUIRE(use.size() == 3);  // of memory there is none
    CHECK(use[0].name == "power");
    CHECK(use[0].total == 100);
    CHECK(use[0].steps == std::vector{step(0, 40), step(12, 45), step(15, 40), step(20, 0)});
    CHECK(use[0].held == std::vector{step(5, 30), step(9, 0)});
    CHECK(use[1].name == "cores");
    CHECK(use[1].total == 8);
    CHECK(use[1].steps == std::vector{step(0, 6), step(10, 4), step(12, 5), step(15, 4), step(20, 0)});
    CHECK(use[1].held == std::vector{step(4, 8), step(8, 4), step(12, 0)});
    CHECK(use[2].name == "gpus");
    CHECK(use[2].steps == std::vector{step(10, 2), step(20, 0)});
    CHECK(use[2].held == std::vector{step(4, 2), step(8, 0)});

    CHECK(means_of(use[0].steps, Time::seconds(10), Time::seconds(20), 2) == std::vector<double>{43, 40});
    CHECK(means_of(use[0].steps, Time::seconds(-10), Time::seconds(30), 4) == std::vector<double>{0, 40, 41.5, 0});
    CHECK(means_of(use[0].steps, Time::seconds(3), Time::seconds(3), 4).empty());
    CHECK(means_of({}, Time(), Time::seconds(1), 2) == std::vector<double>{0, 0});
}

}  // namespace batfill::tests::stripes_test
