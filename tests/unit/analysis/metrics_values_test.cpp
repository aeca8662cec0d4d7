#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "src/support/files.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/scheduled_job.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::metrics_values_test {

namespace {

using tests::job;

ScheduledJob without_execution(const std::string& id, JobState state) {
    ScheduledJob result = job(id, 0, 0, 0);
    result.state = state;
    result.success = false;
    result.execution.reset();
    result.allocation.clear();
    return result;
}

Metrics measure(const std::vector<ScheduledJob>& jobs, const MetricsOptions& options = {}) {
    return compute_metrics(Schedule{"run_jobs.csv", jobs}, options);
}

// A workload for the jobs of a schedule, with these deadlines by id.
Workload workload(const std::vector<ScheduledJob>& jobs, const std::map<std::string, long long>& deadlines = {}) {
    Workload result;
    for (const ScheduledJob& one : jobs) {
        if (const auto deadline = deadlines.find(one.id.substr(3)); deadline != deadlines.end()) {
            add_job_of(one, result).description.deadline = Time::seconds(deadline->second);
        } else {
            add_job_of(one, result);
        }
    }
    return result;
}

std::string written(const std::vector<RunMetrics>& runs, MetricsFormat format,
                    const std::vector<std::string>& chosen = {}) {
    std::ostringstream out;
    write_metrics(out, runs, format, chosen);
    return out.str();
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

// The value of one column of Batsim's schedule.csv.
double batsim_figure(const std::string& path, const std::string& column) {
    const std::vector<std::string> lines = split(InputFile(path).read_all(1 << 20), '\n');
    const std::vector<std::string> names = split(lines.at(0), ',');
    const std::vector<std::string> values = split(lines.at(1), ',');
    const auto found = std::find(names.begin(), names.end(), column);
    return std::stod(values.at(static_cast<std::size_t>(found - names.begin())));
}

}  // namespace

TEST_CASE("metrics of a small schedule are those worked out by hand") {
    // Waits 0, 30 and 6; runs 100, 5 and 20; walltimes 100, 10 and 30.
    const Metrics metrics =
        measure({job("a", 10, 10, 100, 2, 100), job("b", 20, 50, 5, 1, 10), job("c", 30, 36, 20, 4, 30)},
                {.tau = Duration::seconds(10), .processors = 4});
    CHECK(metrics["jobs"] == 3);
    CHECK(metrics["finished"] == 3);
    CHECK(*metrics["mean_wait"] == 12);
    CHECK(*metrics["max_wait"] == 30);
    CHECK(*metrics["median_wait"] == 6);
    CHECK(*metrics["wait_percentile_90"] == 30);
    CHECK(*metrics["median_bounded_slowdown"] == Approx(1.3));
    CHECK(*metrics["bounded_slowdown_percentile_90"] == 3.5);
    CHECK(*metrics["mean_wait_worst_5_percent"] == 30);
    CHECK(*metrics["mean_wait_worst_1_percent"] == 30);
    CHECK(*metrics["mean_wait_widest_10_percent"] == 6);
    CHECK(*metrics["mean_stretch"] == Approx((1 + 4 + 1.2) / 3));
    CHECK(*metrics["max_stretch"] == 4);
    CHECK(*metrics["mean_slowdown"] == Approx((1 + 7 + 1.3) / 3));
    CHECK(*metrics["mean_bounded_slowdown"] == Approx((1 + 3.5 + 1.3) / 3));
    CHECK(*metrics["makespan"] == 110);
    CHECK(*metrics["utilisation"] == Approx((200 + 5 + 80) / (4.0 * 100)));
    CHECK_FALSE(metrics["deadline_jobs"]);
}

TEST_CASE("percentiles are the nearest rank: values of the jobs themselves", "[metrics]") {
    tests::Random random(11);
    for (int round = 0; round < 200; ++round) {
        std::vector<ScheduledJob> jobs;
        std::vector<double> waits;
        for (int i = random.between(1, 250); i > 0; --i) {
            const int wait = random.between(0, 40);
            jobs.push_back(job(std::to_string(i), 5, 5 + wait, 10));
            waits.push_back(wait);
        }
        const Metrics metrics = measure(jobs);
        std::sort(waits.begin(), waits.end());
        for (const auto& [name, percent] :
             std::map<std::string, int>{{"median_wait", 50}, {"wait_percentile_90", 90}, {"wait_percentile_99", 99}}) {
            const double found = *metrics[name];
            const auto exceeding = std::count_if(waits.begin(), waits.end(), [&](double wait) { return wait > found; });
            const auto reaching = std::count_if(waits.begin(), waits.end(), [&](double wait) { return wait >= found; });
            const auto number = static_cast<std::ptrdiff_t>(waits.size());
            INFO(name);
            REQUIRE(std::binary_search(waits.begin(), waits.end(), found));
            REQUIRE((number - exceeding) * 100 >= number * percent);
            REQUIRE((number - reaching) * 100 < number * percent);
        }
        // Runs and tau are 10 s, so the bounded slowdown grows with the wait.
        REQUIRE(*metrics["median_bounded_slowdown"] == Approx(1 + *metrics["median_wait"] / 10));
        REQUIRE(*metrics["bounded_slowdown_percentile_99"] == Approx(1 + *metrics["wait_percentile_99"] / 10));
    }
    CHECK_FALSE(measure({})["median_wait"]);
}

TEST_CASE("the bounded slowdown is never below 1 and depends on tau") {
    const std::vector<ScheduledJob> jobs{job("a", 0, 2, 1)};
    CHECK(*measure(jobs)["mean_bounded_slowdown"] == 1);
    CHECK(*measure(jobs, {.tau = Duration::seconds(2), .processors = {}})["mean_bounded_slowdown"] == 1.5);
    CHECK(*measure(jobs, {.tau = Duration::microseconds(1), .processors = {}})["mean_bounded_slowdown"] == 3);
}

TEST_CASE("jobs that did not finish are counted and nothing else") {
    ScheduledJob killed = job("k", 0, 4, 6);
    killed.state = JobState::completed_killed;
    ScheduledJob cut = job("w", 0, 0, 5, 1, 5);
    cut.state = JobState::completed_walltime_reached;
    ScheduledJob failed = job("f", 0, 2, 5);
    failed.state = JobState::completed_failed;
    const Metrics metrics = measure(
        {without_execution("r", JobState::rejected), killed, cut, failed, without_execution("u", JobState::running)});
    CHECK(metrics["jobs"] == 5);
    CHECK(metrics["finished"] == 3);
    CHECK(metrics["rejected"] == 1);
    CHECK(metrics["unfinished"] == 1);
    CHECK(metrics["killed"] == 1);
    CHECK(metrics["walltime_reached"] == 1);
    CHECK(metrics["failed"] == 1);
    CHECK(*metrics["mean_wait"] == 2);
    CHECK(*metrics["makespan"] == 10);
}

TEST_CASE("improvements are shares of the waits of the baseline") {
    const Schedule before{"before_jobs.csv", {job("a", 0, 40, 1, 4), job("b", 0, 10, 1, 2)}};
    const Schedule after{"after_jobs.csv", {job("a", 0, 10, 1, 4), job("b", 0, 20, 1, 2)}};
    const auto improvement = [](const MeasuredSchedule& baseline, const MeasuredSchedule& run, const std::string& of) {
        return compute_metrics(run, {}, {}, nullptr, &baseline)[of + "_improvement"];
    };
    CHECK(improvement(before, after, "mean_wait") == 0.4);                  // 15 s instead of 25 s
    CHECK(improvement(before, after, "mean_wait_worst_5_percent") == 0.5);  // 20 s of b instead of 40 s of a
    CHECK(improvement(before, after, "mean_wait_worst_1_percent") == 0.5);
    CHECK(improvement(before, after, "mean_wait_widest_10_percent") == 0.75);  // both are of a
    CHECK(improvement(after, before, "mean_wait_widest_10_percent") == -3.0);
    const Schedule none{"none_jobs.csv", {job("a", 0, 0, 1, 4), job("b", 0, 0, 1, 2)}};
    CHECK(improvement(before, none, "mean_wait") == 1.0);
    CHECK_FALSE(improvement(none, before, "mean_wait"));
    const Schedule empty{"empty_jobs.csv", {}};
    CHECK_FALSE(improvement(empty, empty, "mean_wait"));
    CHECK_FALSE(compute_metrics(after, {})["mean_wait_improvement"]);
    CHECK_THROWS_WITH(improvement(before, empty, "mean_wait"), Catch::StartsWith("empty_jobs.csv: job w0!a did not"));
}

TEST_CASE("every metric is described in docs/metrics.md, and known by its name alone") {
    const std::string page = InputFile(std::string(BATFILL_SOURCE_DIR) + "/docs/metrics.md").read_all(1 << 20);
    const Metrics metrics = measure({});
    REQUIRE(metric_names().size() == metrics.values().size());
    for (const std::string& name : metric_names()) {
        INFO(name);
        CHECK(page.find('`' + name + '`') != std::string::npos);
        CHECK_NOTHROW(metrics[name]);
    }
    CHECK_THROWS_AS(metrics["wait"], std::out_of_range);
}

TEST_CASE("values that no job counts for are missing") {
    const Metrics none =
        measure({without_execution("r", JobState::rejected)}, {.tau = Duration::seconds(10), .processors = 4});
    CHECK_FALSE(none["mean_wait"]);
    CHECK_FALSE(none["mean_stretch"]);
    CHECK_FALSE(none["mean_slowdown"]);
    CHECK_FALSE(none["mean_bounded_slowdown"]);
    CHECK_FALSE(none["mean_wait_widest_10_percent"]);
    CHECK_FALSE(none["utilisation"]);
    CHECK_FALSE(none["makespan"]);
    // No walltime: no stretch. No run time: no slowdown. No machine: no utilisation.
    const Metrics some = measure({job("a", 0, 5, 0)});
    CHECK(*some["mean_wait"] == 5);
    CHECK_FALSE(some["mean_stretch"]);
    CHECK_FALSE(some["mean_slowdown"]);
    CHECK_FALSE(some["utilisation"]);
    CHECK(*some["mean_bounded_slowdown"] == 1);
}

TEST_CASE("shares of the jobs are rounded up") {
    std::vector<ScheduledJob> jobs;
    for (int i = 0; i < 101; ++i) {
        jobs.push_back(job(std::to_string(i), 0, i, 1, 1 + i));
    }
    // 5 % of 101 are 6 jobs, 1 % are 2, and 10 % are 11. The widest jobs waited longest.
    const Metrics metrics = measure(jobs);
    CHECK(*metrics["mean_wait_worst_5_percent"] == (95 + 96 + 97 + 98 + 99 + 100) / 6.0);
    CHECK(*metrics["mean_wait_worst_1_percent"] == 99.5);
    CHECK(*metrics["mean_wait_widest_10_percent"] == 95);
}

TEST_CASE("of equally wide jobs the first submitted count, then the lower id") {
    CHECK(*measure(
              {job("a", 3, 10, 1, 8), job("c", 2, 4, 1, 8), job("b", 2, 7, 1, 8)})["mean_wait_widest_10_percent"] == 5);
}

TEST_CASE("metrics do not depend on the order of the lines") {
    std::mt19937 random(7);
    const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
    std::vector<ScheduledJob> jobs;
    for (int i = 0; i < 500; ++i) {
        const int submit = below(1000);
        const int run = below(50);
        jobs.push_back(job(std::to_string(i), submit, submit + below(300), run, 1 + below(6), run + below(100)));
    }
    const MetricsOptions options{.tau = Duration::seconds(10), .processors = 64};
    const std::string before = written({{"run", measure(jobs, options)}}, MetricsFormat::csv);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(jobs.begin(), jobs.end(), random);
        REQUIRE(written({{"run", measure(jobs, options)}}, MetricsFormat::csv) == before);
    }
}

TEST_CASE("deadlines are measured against the workload") {
    const Schedule schedule{
        "run_jobs.csv",
        {job("late", 0, 90, 20, 1, 20), job("met", 10, 20, 40, 1, 50), job("on-time", 0, 90, 10, 1, 10),
         job("hopeless", 50, 50, 10, 1, 10), job("regular", 0, 10, 5, 1, 5), job("other", 0, 0, 5, 1, 5),
         without_execution("rejected", JobState::rejected)}};
    const std::vector<Workload> workloads{
        workload(schedule.jobs, {{"late", 100}, {"met", 110}, {"on-time", 100}, {"hopeless", 50}, {"rejected", 9}})};
    const Metrics metrics = compute_metrics(schedule, {}, workloads);
    CHECK(metrics["deadline_jobs"] == 4);
    CHECK(metrics["deadline_violations"] == 2);
    CHECK(*metrics["mean_deadline_usage"] == Approx((1.1 + 0.5 + 1) / 3));
    CHECK(*metrics["mean_wait_regular"] == 5);
    CHECK(*metrics["mean_stretch_regular"] == 2);
    CHECK(*metrics["max_stretch_regular"] == 3);
    CHECK(metrics["regular_jobs"] == 2);
    CHECK(metrics["regular_jobs_left_out"] == 0);
    // Waits 90, 10, 90 and 0; walltimes 20, 50, 10 and 10.
    CHECK(*metrics["mean_wait_deadline"] == 47.5);
    CHECK(*metrics["mean_stretch_deadline"] == Approx((5.5 + 1.2 + 10 + 1) / 4));
    CHECK(*metrics["max_stretch_deadline"] == 10);
    CHECK(metrics["deadline_jobs_started_at_once"] == 1);
}

TEST_CASE("missed deadlines are counted apart by the time that was given") {
    // The first two jobs were given 100 s, the next two more, the last one none.
    const Schedule schedule{"run_jobs.csv",
                            {job("met", 10, 10, 50), job("late", 10, 100, 50), job("long-met", 10, 10, 50),
                             job("long-late", 10, 100, 50), job("late-before", 10, 10, 50)}};
    const std::vector<Workload> workloads{workload(
        schedule.jobs, {{"met", 110}, {"late", 110}, {"long-met", 111}, {"long-late", 149}, {"late-before", 5}})};
    const auto measured = [&](Duration short_deadline) {
        MetricsOptions options;
        options.short_deadline = short_deadline;
        return compute_metrics(schedule, options, workloads);
    };
    const Metrics metrics = measured(Duration::seconds(100));
    CHECK(metrics["deadline_jobs"] == 5);
    CHECK(metrics["deadline_jobs_short"] == 3);
    CHECK(metrics["deadline_violations"] == 3);
    CHECK(metrics["deadline_violations_short"] == 2);
    CHECK(metrics["deadline_violations_long"] == 1);
    const Metrics shorter = measured(Duration::microseconds(99'999'999));
    CHECK(shorter["deadline_jobs_short"] == 1);
    CHECK(shorter["deadline_violations_short"] == 1);
    CHECK(shorter["deadline_violations_long"] == 2);
    CHECK(compute_metrics(schedule, {}, workloads)["deadline_jobs_short"] == 5);
}

TEST_CASE("deadline usage is also measured without jobs that started at once, and where it is high") {
    // They used 50, 80, 81 and 120 of 100 s. The first and the last started at once.
    const Schedule schedule{
        "run_jobs.csv", {job("half", 0, 0, 50), job("most", 0, 30, 50), job("more", 7, 38, 50), job("all", 0, 0, 120)}};
    const std::vector<Workload> workloads{
        workload(schedule.jobs, {{"half", 100}, {"most", 100}, {"more", 107}, {"all", 100}})};
    const Metrics metrics = compute_metrics(schedule, {}, workloads);
    CHECK(*metrics["mean_deadline_usage"] == Approx((0.5 + 0.8 + 0.81 + 1.2) / 4));
    CHECK(*metrics["mean_deadline_usage_delayed"] == Approx((0.8 + 0.81) / 2));
    CHECK(*metrics["share_deadline_usage_above_80_percent"] == 0.5);
    CHECK(metrics["deadline_jobs_started_at_once"] == 2);
    CHECK(metrics["regular_jobs"] == 0);
    CHECK_FALSE(metrics["mean_wait_regular"]);
    const Metrics none = compute_metrics(schedule, {}, {workload(schedule.jobs)});
    CHECK(none["deadline_jobs"] == 0);
    CHECK(none["regular_jobs"] == 4);
    CHECK_FALSE(none["mean_deadline_usage"]);
    CHECK_FALSE(none["mean_deadline_usage_delayed"]);
    CHECK_FALSE(none["share_deadline_usage_above_80_percent"]);
    CHECK_FALSE(none["mean_wait_deadline"]);
    CHECK_FALSE(none["max_stretch_deadline"]);
}

TEST_CASE("regular jobs that waited in none of the runs can be left out of the metrics of regular jobs") {
    // "never" waits in no run, "first" and "second" in one, "both" in both. "driven" has a deadline. "w1!never" waits.
    ScheduledJob other = job("never", 0, 6, 10, 1, 10);
    other.id = "w1!never";
    const std::vector<Schedule> runs{
        {"one_jobs.csv",
         {job("never", 0, 0, 10, 1, 10), job("first", 0, 10, 10, 1, 10), job("second", 0, 0, 10, 1, 10),
          job("both", 0, 20, 10, 1, 10), job("driven", 0, 0, 10, 1, 10), other}},
        {"two_jobs.csv",
         {job("never", 0, 0, 10, 1, 10), job("first", 0, 0, 10, 1, 10), job("second", 0, 30, 10, 1, 10),
          job("both", 0, 50, 10, 1, 10), job("driven", 0, 0, 10, 1, 10), without_execution("r", JobState::rejected)}}};
    const std::vector<MeasuredSchedule> schedules(runs.begin(), runs.end());
    std::vector<ScheduledJob> first(runs[0].jobs.begin(), runs[0].jobs.end() - 1);
    first.push_back(runs[1].jobs.back());
    const std::vector<Workload> workloads{workload(first, {{"driven", 50}}), workload({other})};
    const JobIds waited = jobs_that_waited(schedules);
    CHECK(waited == JobIds{"w0!first", "w0!second", "w0!both", "w1!never"});

    const Metrics one = compute_metrics(schedules[0], {}, workloads, &waited);
    CHECK(one["regular_jobs"] == 4);
    CHECK(one["regular_jobs_left_out"] == 1);
    CHECK(*one["mean_wait_regular"] == 9);
    CHECK(*one["mean_stretch_regular"] == Approx((2 + 1 + 3 + 1.6) / 4));
    CHECK(*one["max_stretch_regular"] == 3);
    CHECK(one["deadline_jobs"] == 1);
    const Metrics two = compute_metrics(schedules[1], {}, workloads, &waited);
    CHECK(two["regular_jobs"] == 3);
    CHECK(two["regular_jobs_left_out"] == 1);
    CHECK(*two["mean_wait_regular"] == Approx(80.0 / 3));
    const Metrics all = compute_metrics(schedules[0], {}, workloads, &waited);
    CHECK(*all["mean_wait"] == 6);
    CHECK(*all["regular_jobs"] + *all["regular_jobs_left_out"] + *all["deadline_jobs"] == all["finished"]);
}

TEST_CASE("a workload that lacks a job of the schedule is refused") {
    const Schedule schedule{"run_jobs.csv", {job("a", 0, 0, 1)}};
    CHECK_THROWS_WITH(compute_metrics(schedule, {}, {workload({job("b", 0, 0, 1)})}),
                      "run_jobs.csv: job w0!a is in none of the workloads");
    CHECK_THROWS_AS(compute_metrics(schedule, {}, {workload({job("b", 0, 0, 1)})}), InputError);
}

TEST_CASE("the table has a column per run and no line without values") {
    const std::string table =
        written({{"first", measure({job("a", 0, 1, 10, 1, 10)})}, {"second run", measure({job("a", 0, 1234, 10)})}},
                MetricsFormat::table);
    const std::vector<std::string> lines = split(table, '\n');
    for (const std::string& line : lines) {
        CHECK(line.size() == lines.front().size());
    }
    CHECK(table.find("first  second run\n") != std::string::npos);
    CHECK(table.find("mean wait (s)                 1.0      1234.0\n") != std::string::npos);
    CHECK(table.find("mean stretch                1.100           -\n") != std::string::npos);
    CHECK(table.find("utilisation") == std::string::npos);
    CHECK(table.find("deadline") == std::string::npos);
}

TEST_CASE("csv and json give every metric in full precision") {
    const Metrics metrics = measure({job("a", 0, 1, 3, 1, 3), job("b", 0, 0, 100'000, 1, 7), job("c", 0, 0, 1)});
    const std::vector<RunMetrics> runs{{"a \"b\", c", metrics}};
    const std::vector<std::string> lines = split(written(runs, MetricsFormat::csv), '\n');
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].rfind("run,jobs,finished,walltime_reached,killed,failed,rejected,unfinished,mean_wait,", 0) == 0);
    CHECK(lines[1].rfind("\"a \"\"b\"\", c\",3,3,0,0,0,0,0,0.3333333333333333,1,", 0) == 0);
    CHECK(std::count(lines[0].begin(), lines[0].end(), ',') + 1 == std::count(lines[1].begin(), lines[1].end(), ','));
    CHECK(lines[1].find(",100000,") != std::string::npos);

    const std::string json = written(runs, MetricsFormat::json);
    CHECK(json.rfind("[{\"run\":\"a \\\"b\\\", c\",\"jobs\":3,", 0) == 0);
    CHECK(json.find("\"mean_wait\":0.3333333333333333,") != std::string::npos);
    CHECK(json.find("\"utilisation\":null,") != std::string::npos);
    CHECK(json.find("\"makespan\":100000,") != std::string::npos);
}

TEST_CASE("metrics of a run of Batsim's are the figures of its own schedule.csv", "[outside]") {
    const std::string results = "batsim/results/w20k-0.90.fcfs.";
    if (!tests::have_test_data(results + "jobs.csv.gz")) {
        return;
    }
    const Metrics metrics = compute_metrics(read_schedule(tests::test_data(results + "jobs.csv.gz")),
                                            {.tau = Duration::seconds(10), .processors = 240});
    const std::string figures = tests::test_data(results + "schedule.csv");
    CHECK(metrics["finished"] == 20'000);
    CHECK(*metrics["mean_wait"] == Approx(batsim_figure(figures, "mean_waiting_time")).epsilon(1e-9));
    CHECK(*metrics["max_wait"] == Approx(batsim_figure(figures, "max_waiting_time")).epsilon(1e-9));
    CHECK(*metrics["mean_slowdown"] == Approx(batsim_figure(figures, "mean_slowdown")).epsilon(1e-7));
    CHECK(*metrics["makespan"] == Approx(batsim_figure(figures, "makespan")).epsilon(1e-9));
    CHECK(*metrics["utilisation"] > batsim_figure(figures, "time_computing") / (240 * *metrics["makespan"]));
}

TEST_CASE("system usage compares processors in use with jobs or requests in the system, by time") {
    // On 4 processors: a runs on 2 in [0, 10), b waits from 5 and runs on 4 in [10, 30), c runs on 1 in [40, 50).
    // Nothing is in the system in [30, 40), which does not count. By jobs: 2/1 for 5 s, 2/2 for 5 s, 4/1 for 20 s, 1/1
    // for 10 s. By processors: 2/2 for 5 s, 2/4 (6 requested) for 5 s, 1 for 20 s, 1 for 10 s.
    const std::vector<ScheduledJob> jobs{job("a", 0, 0, 10, 2), job("b", 5, 10, 20, 4), job("c", 40, 40, 10, 1)};
    const MetricsOptions options{.tau = Duration::seconds(10), .processors = 4};
    const Metrics metrics = measure(jobs, options);
    CHECK(*metrics["system_usage"] == Approx((10.0 + 5 + 80 + 10) / 40));
    CHECK(*metrics["system_usage_requested"] == Approx((5.0 + 2.5 + 20 + 10) / 40));
    CHECK_FALSE(measure(jobs)["system_usage"]);
    CHECK_FALSE(measure(jobs)["system_usage_requested"]);
    CHECK_FALSE(measure({job("a", 0, 0, 0)}, options)["system_usage"]);
    CHECK_FALSE(measure({}, options)["system_usage_requested"]);
}

TEST_CASE("system usage is that of looking at every second") {
    std::mt19937 random(5);
    const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
    for (int repetition = 0; repetition < 50; ++repetition) {
        const int processors = 1 + below(12);
        std::vector<ScheduledJob> jobs;
        for (int i = 0; i < 12; ++i) {
            const int submit = below(60);
            jobs.push_back(job(std::to_string(i), submit, submit + below(20), below(15), 1 + below(4)));
        }
        double by_jobs = 0;
        double by_requests = 0;
        int seconds = 0;
        for (int second = 0; second < 100; ++second) {
            int there = 0;
            int requested = 0;
            int in_use = 0;
            for (const ScheduledJob& one : jobs) {
                const Time now = Time::seconds(second);
                if (one.submit <= now && now < one.execution->finish) {
                    ++there;
                    requested += one.processors;
                    in_use += one.execution->start <= now ? one.processors : 0;
                }
            }
            if (there > 0) {
                by_jobs += static_cast<double>(in_use) / std::min(processors, there);
                by_requests += static_cast<double>(in_use) / std::min(processors, requested);
                ++seconds;
            }
        }
        const MetricsOptions options{.tau = Duration::seconds(10), .processors = processors};
        const Metrics metrics = measure(jobs, options);
        REQUIRE(*metrics["system_usage"] == Approx(by_jobs / seconds));
        REQUIRE(*metrics["system_usage_requested"] == Approx(by_requests / seconds));
        std::reverse(jobs.begin(), jobs.end());
        REQUIRE(measure(jobs, options).values() == metrics.values());
    }
}

TEST_CASE("The utilisation of a resource is what jobs take of all that the machine has") {
    // Two hosts of 4 cores and 1 gpu, and one of 10 cores.
    std::vector<Host> hosts(3);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        hosts[i].name = std::to_string(i);
        hosts[i].properties["capacity"] = i < 2 ? "cores:4,gpus:1" : "cores:10";
        hosts[i].zone_properties["pools"] = "power:8,unused:3,none:0";
    }
    MetricsOptions options;
    options.set_machine(Machine(hosts));
    // In 40 s: a takes 2 cores of host 2 and 3 of the power for 10 s, b the whole of the hosts 1 and 2 for 20 s.
    std::vector<ScheduledJob> jobs{job("a", 0, 5, 10), job("b", 5, 10, 20), job("c", 10, 30, 10)};
    jobs[0].allocation = *ResourceSet::parse("2");
    jobs[1].allocation = *ResourceSet::parse("1-2");
    jobs[1].processors = 2;
    jobs[2].allocation = *ResourceSet::parse("0");
    Workload asked = workload(jobs);
    asked.jobs[0].description.needs =
        StatedNeeds{.pools = {{"power", 3}}, .per_host = {{{"cores", 2}}}, .partition = {}};
    asked.jobs[2].description.needs = StatedNeeds{.pools = {}, .per_host = {{{"gpus", 1}}}, .partition = {}};
    const Schedule schedule{"run_jobs.csv", jobs};
    const Metrics metrics = compute_metrics({schedule, options.resources}, options, {asked});
    CHECK(metrics.resources() == std::vector<std::string>{"none", "power", "unused", "cores", "gpus"});
    CHECK(metrics["utilisation_of_power"] == 30 / (8.0 * 40));
    CHECK(metrics["utilisation_of_unused"] == 0);
    CHECK_FALSE(metrics["utilisation_of_none"]);
    CHECK(metrics["utilisation_of_cores"] == (2 * 10 + 14 * 20) / (18.0 * 40));
    CHECK(metrics["utilisation_of_gpus"] == (1 * 20 + 1 * 10) / (2.0 * 40));
    CHECK_FALSE(metrics["utilisation"]);
    CHECK_FALSE(metrics["lost_capacity"]);
    CHECK(metrics["mean_queue_length"]);

    // Nobody knows which hosts b takes as a whole; nor, without a workload, who takes what.
    CHECK_FALSE(compute_metrics(schedule, options, {asked})["utilisation_of_cores"]);
    CHECK(compute_metrics(schedule, options, {asked})["utilisation_of_power"] == 30 / (8.0 * 40));
    CHECK_FALSE(compute_metrics({schedule, options.resources}, options)["utilisation_of_power"]);
    CHECK_THROWS_AS(metrics["utilisation_of_memory"], std::out_of_range);
    CHECK_THROWS_WITH(written({{"run", metrics}}, MetricsFormat::csv, {"utilisation_of_memory"}),
                      Catch::Matchers::Contains("unknown metric 'utilisation_of_memory'"));
    CHECK(written({{"run", metrics}}, MetricsFormat::csv, {"utilisation_of_unused", "jobs"}) ==
          "run,utilisation_of_unused,jobs\n\"run\",0,3\n");
}

TEST_CASE("licence usage is the share of all copies over the whole time") {
    const std::vector<ScheduledJob> jobs{job("a", 0, 5, 10), job("b", 5, 10, 20), job("c", 10, 30, 10)};
    Workload with_licenses = workload(jobs);
    with_licenses.jobs[0].description.licenses = {"x", "y", "x"};
    with_licenses.jobs[1].description.licenses = {"y", "not counted"};
    const MetricsOptions options{
        .tau = Duration::seconds(10), .processors = {}, .licenses = {{"unused", 1}, {"x", 2}, {"y", 5}}};
    const auto usage = [&](const MetricsOptions& given, const std::vector<Workload>& workloads) {
        return compute_metrics(Schedule{"run_jobs.csv", jobs}, given, workloads)["license_usage"];
    };
    // Two copies for 10 s and one for 20 s, of 8 copies in 40 s.
    CHECK(*usage(options, {with_licenses}) == Approx((2 * 10 + 20) / (8.0 * 40)));
    CHECK_FALSE(usage(options, {}));
    CHECK_FALSE(usage({}, {with_licenses}));
    CHECK_FALSE(compute_metrics(Schedule{"run_jobs.csv", {}}, options, {with_licenses})["license_usage"]);
}

}  // namespace batfill::tests::metrics_values_test
