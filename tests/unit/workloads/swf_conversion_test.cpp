#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include <batfill/analysis/check.hpp>
#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

namespace batfill::tests::swf_conversion_test {

namespace {

// A valid line of a log; the defaults give a job that is kept.
struct Line {
    std::string number = "1";
    std::string submit = "0";
    std::string run = "100";
    std::string allocated = "4";
    std::string requested = "4";
    std::string estimate = "200";
    std::string status = "1";
    std::string user = "3";
    std::string queue = "1";
    std::string partition = "1";
};

std::string text_of(const std::vector<Line>& lines) {
    std::string text;
    for (const Line& l : lines) {
        text += l.number + " " + l.submit + " 0 " + l.run + " " + l.allocated + " -1 -1 " + l.requested + " " +
                l.estimate + " -1 " + l.status + " " + l.user + " -1 -1 " + l.queue + " " + l.partition + " -1 -1\n";
    }
    return text;
}

SwfLog log_of(const std::vector<Line>& lines, const std::string& header = "; MaxProcs: 64\n") {
    return parse_swf(header + text_of(lines), "some.swf");
}

std::vector<std::string> ids(const SwfWorkload& converted) {
    std::vector<std::string> found;
    for (const WorkloadJob& job : converted.workload.jobs) {
        found.push_back(job.description.id);
    }
    return found;
}

std::size_t count_of(const std::vector<SwfWorkload::Count>& counts, const std::string& start) {
    for (const auto& [what, jobs] : counts) {
        if (what.starts_with(start)) {
            return jobs;
        }
    }
    return 0;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a job of an SWF log becomes a job with a delay profile", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.number = "12", .submit = "50", .run = "99.5"}}), {});
    REQUIRE(converted.workload.jobs.size() == 1);
    const JobDescription& job = converted.workload.jobs[0].description;
    CHECK(job.id == "w0!12");
    CHECK(job.submit == Time::seconds(50));
    CHECK(job.processors == 4);
    CHECK(job.walltime == Duration::seconds(200));
    CHECK(job.user == "3");
    CHECK(job.queue == "1");
    CHECK(job.profile == "d99.5");
    REQUIRE(converted.workload.profiles.size() == 1);
    const JobProfile& profile = converted.workload.profiles.at("d99.5");
    CHECK(profile.type == JobProfile::Type::delay);
    CHECK(profile.delay == Duration::microseconds(99'500'000));
    CHECK(converted.workload.processors == 64);
}

TEST_CASE("an unknown user or queue of an SWF log is left out", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.user = "-1", .queue = "-1"}}), {});
    CHECK(converted.workload.jobs.at(0).description.user.empty());
    CHECK(converted.workload.jobs.at(0).description.queue.empty());
}

TEST_CASE("queues of an SWF log have the names that they are given", "[swf]") {
    SwfConversion conversion;
    conversion.queue_names = {{1, "urgent"}, {2, "urgent"}, {-1, "primary"}};
    const SwfWorkload converted = convert_swf(log_of({{.number = "1", .queue = "1"},
                                                      {.number = "2", .queue = "2"},
                                                      {.number = "3", .queue = "-1"},
                                                      {.number = "4", .queue = "11"},
                                                      {.number = "5", .queue = "-2"}}),
                                              conversion);
    std::vector<std::string> queues;
    for (const WorkloadJob& job : converted.workload.jobs) {
        queues.push_back(job.description.queue);
    }
    CHECK(queues == std::vector<std::string>{"urgent", "urgent", "primary", "11", ""});
}

TEST_CASE("SWF jobs without run time, processors or submission are dropped and counted by reason", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.number = "1"},
                                                      {.number = "2", .run = "0"},
                                                      {.number = "3", .run = "-1", .allocated = "-1"},
                                                      {.number = "4", .allocated = "-1"},
                                                      {.number = "5", .allocated = "0"},
                                                      {.number = "6", .submit = "-1"}}),
                                              {});
    CHECK(ids(converted) == Ids{"w0!1"});
    CHECK(count_of(converted.dropped, "run time <= 0") == 2);
    CHECK(count_of(converted.dropped, "allocated processors <= 0") == 2);
    CHECK(count_of(converted.dropped, "submit time unknown") == 1);
}

TEST_CASE("SWF jobs are dropped by queue, partition, status, submission, overrun and width", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .submit = "10", .queue = "0", .partition = "1"},
                               {.number = "2", .submit = "20", .queue = "1", .partition = "2"},
                               {.number = "3", .submit = "30", .status = "5", .queue = "2", .partition = "3"},
                               {.number = "4", .submit = "40", .run = "201", .queue = "1", .partition = "2"},
                               {.number = "5", .submit = "50", .requested = "16", .queue = "-1", .partition = "1"}});
    SwfConversion conversion;
    SECTION("nothing asked") {
        CHECK(ids(convert_swf(log, conversion)).size() == 5);
    }
    SECTION("queues") {
        conversion.excluded_queues = {0, -1};
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!2", "w0!3", "w0!4"});
        CHECK(count_of(convert_swf(log, conversion).dropped, "queue is 0, -1") == 2);
    }
    SECTION("partitions") {
        conversion.partitions = {2, 3};
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!2", "w0!3", "w0!4"});
        CHECK(count_of(convert_swf(log, conversion).dropped, "partition is not 2, 3") == 2);
    }
    SECTION("statuses") {
        conversion.excluded_statuses = {5};
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!4", "w0!5"});
    }
    SECTION("submission, half open") {
        conversion.from = Duration::seconds(20);
        conversion.until = Duration::seconds(40);
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!2", "w0!3"});
    }
    SECTION("longer than the estimate") {
        conversion.short_estimates = SwfConversion::ShortEstimates::drop;
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!3", "w0!5"});
    }
    SECTION("too wide") {
        conversion.max_processors = 15;
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!3", "w0!4"});
    }
}

TEST_CASE("the size of an SWF job is what it requested, or what it got where that is unknown or wanted", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .allocated = "5", .requested = "4"},
                               {.number = "2", .allocated = "5", .requested = "-1"},
                               {.number = "3", .allocated = "5", .requested = "0"}});
    SwfConversion conversion;
    const auto sizes = [&] {
        std::vector<int> found;
        for (const WorkloadJob& job : convert_swf(log, conversion).workload.jobs) {
            found.push_back(job.description.processors);
        }
        return found;
    };
    CHECK(sizes() == std::vector<int>{4, 5, 5});
    CHECK(count_of(convert_swf(log, conversion).noted, "no requested processors") == 2);
    conversion.size = SwfConversion::Size::allocated;
    CHECK(sizes() == std::vector<int>{5, 5, 5});
    CHECK(count_of(convert_swf(log, conversion).noted, "no requested processors") == 0);
    conversion.unit = 2;
    CHECK(sizes() == std::vector<int>{3, 3, 3});
    CHECK(convert_swf(log, conversion).workload.processors == 32);
}

TEST_CASE("an SWF job without requested time gets its run time, a given walltime or none, or is dropped", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .estimate = "-1"}, {.number = "2", .estimate = "0"}, {.number = "3"}});
    SwfConversion conversion;
    const auto walltimes = [&] {
        std::vector<std::optional<Duration>> found;
        for (const WorkloadJob& job : convert_swf(log, conversion).workload.jobs) {
            found.push_back(job.description.walltime);
        }
        return found;
    };
    using Walltimes = std::vector<std::optional<Duration>>;
    const Duration requested = Duration::seconds(200);
    CHECK(walltimes() == Walltimes{Duration::seconds(100), Duration::seconds(100), requested});
    CHECK(count_of(convert_swf(log, conversion).noted, "no requested time: the run time") == 2);
    conversion.missing_walltime = SwfConversion::MissingWalltime::omit;
    CHECK(walltimes() == Walltimes{std::nullopt, std::nullopt, requested});
    conversion.missing_walltime = SwfConversion::MissingWalltime::given;
    conversion.given_walltime = Duration::seconds(7);
    CHECK(walltimes() == Walltimes{Duration::seconds(7), Duration::seconds(7), requested});
    CHECK(count_of(convert_swf(log, conversion).noted, "run time > walltime") == 2);
    conversion.missing_walltime = SwfConversion::MissingWalltime::drop;
    CHECK(walltimes() == Walltimes{requested});
    CHECK(count_of(convert_swf(log, conversion).dropped, "requested time unknown") == 2);
    CHECK(count_of(convert_swf(log, conversion).noted, "no requested time") == 0);
}

TEST_CASE("a run time longer than the walltime stays in the SWF job's profile", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.run = "500"}}), {});
    CHECK(converted.workload.jobs.at(0).description.walltime == Duration::seconds(200));
    CHECK(converted.workload.profiles.at("d500").delay == Duration::seconds(500));
    CHECK(count_of(converted.noted, "run time > walltime") == 1);
}

TEST_CASE("the walltime of an SWF job that ran longer than it requested can be raised to its run time", "[swf]") {
    SwfConversion conversion;
    conversion.short_estimates = SwfConversion::ShortEstimates::raise;
    const SwfWorkload converted = convert_swf(log_of({{.number = "1", .run = "500"},
                                                      {.number = "2", .run = "200"},
                                                      {.number = "3", .run = "100"},
                                                      {.number = "4", .run = "700", .estimate = "-1"}}),
                                              conversion);
    std::vector<Duration> walltimes;
    for (const WorkloadJob& job : converted.workload.jobs) {
        walltimes.push_back(job.description.walltime.value_or(Duration()));
        CHECK(job.description.walltime >= converted.workload.profiles.at(job.description.profile).delay);
    }
    CHECK(walltimes == std::vector<Duration>{Duration::seconds(500), Duration::seconds(200), Duration::seconds(200),
                                             Duration::seconds(700)});
    CHECK(count_of(converted.noted, "run time > requested time") == 1);
    CHECK(count_of(converted.noted, "run time > walltime") == 0);
}

TEST_CASE("SWF jobs that ran for 0 s run for a microsecond, if they are kept", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .run = "0"},
                               {.number = "2", .run = "0", .estimate = "-1"},
                               {.number = "3", .run = "-1"},
                               {.number = "4"},
                               {.number = "5", .run = "0", .status = "5"}});
    CHECK(ids(convert_swf(log, {})) == Ids{"w0!4"});
    SwfConversion conversion;
    conversion.keep_zero_run_times = true;
    const SwfWorkload converted = convert_swf(log, conversion);
    REQUIRE(ids(converted) == Ids{"w0!1", "w0!2", "w0!4"});
    CHECK(count_of(converted.dropped, "run time unknown, or 0 and cancelled") == 2);
    CHECK(count_of(converted.noted, "run time 0") == 2);
    const JobDescription& with_estimate = converted.workload.jobs[0].description;
    const JobDescription& without = converted.workload.jobs[1].description;
    CHECK(converted.workload.profiles.at(with_estimate.profile).delay == Duration::microseconds(1));
    CHECK(with_estimate.walltime == Duration::seconds(200));
    CHECK(without.profile == with_estimate.profile);
    CHECK(without.walltime == Duration::microseconds(1));

    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = Duration(), .periods = {}};
    CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!4"});
    conversion.split.reset();
    conversion.estimates = SwfConversion::Estimates::exact;
    CHECK(convert_swf(log, conversion).workload.jobs[0].description.walltime == Duration::microseconds(1));
}

TEST_CASE("the estimates of an SWF log can be replaced by the run time, a multiple of it or a modal one", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .run = "100.5"},
                               {.number = "2", .run = "300", .estimate = "-1"},
                               {.number = "3", .run = "300.000001"},
                               {.number = "4", .run = "0.000001", .estimate = "0"}});
    SwfConversion conversion;
    const auto walltimes = [&] {
        std::vector<std::string> found;
        for (const WorkloadJob& job : convert_swf(log, conversion).workload.jobs) {
            found.push_back(job.description.walltime->to_shortest_string());
        }
        return found;
    };
    CHECK(walltimes() == Ids{"200", "300", "200", "0.000001"});
    conversion.estimates = SwfConversion::Estimates::exact;
    CHECK(walltimes() == Ids{"100.5", "300", "300.000001", "0.000001"});
    CHECK(count_of(convert_swf(log, conversion).noted, "all estimates replaced by the run time") == 4);
    CHECK(count_of(convert_swf(log, conversion).noted, "no requested time") == 0);
    CHECK(count_of(convert_swf(log, conversion).noted, "run time > walltime") == 0);
    conversion.estimates = SwfConversion::Estimates::factor;
    CHECK(walltimes() == Ids{"100.5", "300", "300.000001", "0.000001"});
    conversion.estimate_factor = *Decimal::parse("2.5");
    CHECK(walltimes() == Ids{"251.25", "750", "750.000002", "0.000002"});  // ties of microseconds round to even
    CHECK(count_of(convert_swf(log, conversion).noted, "all estimates replaced by 2.5 times") == 4);
    conversion.estimates = SwfConversion::Estimates::modal;
    CHECK(walltimes() == Ids{"300", "300", "600", "300"});

    // Only the log's estimates decide which jobs are kept.
    conversion.short_estimates = SwfConversion::ShortEstimates::raise;
    CHECK(walltimes() == Ids{"300", "300", "600", "300"});
    conversion.short_estimates = SwfConversion::ShortEstimates::drop;
    CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!4"});
    conversion.missing_walltime = SwfConversion::MissingWalltime::drop;
    CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1"});
}

TEST_CASE("the modal estimate of a job is the smallest round value that is not below its run time", "[swf]") {
    const std::vector<int> minutes = {5,   10,  15,  20,  30,  60,   90,   120,  180,  240, 300,
                                      360, 480, 600, 720, 900, 1080, 1200, 1440, 2160, 2880};
    SwfConversion conversion;
    conversion.estimates = SwfConversion::Estimates::modal;
    std::vector<Line> lines;
    for (long long run = 1; run < 4LL * 86'400; run += run < 4000 ? 1 : 59) {
        lines.push_back({.number = std::to_string(lines.size() + 1), .run = std::to_string(run)});
    }
    const SwfWorkload converted = convert_swf(log_of(lines), conversion);
    REQUIRE(converted.workload.jobs.size() == lines.size());
    for (const WorkloadJob& job : converted.workload.jobs) {
        const long long run =
            static_cast<long long>(converted.workload.profiles.at(job.description.profile).delay.count() / 1'000'000);
        long long expected = run <= 3LL * 86'400 ? 3LL * 86'400 : 4LL * 86'400;
        for (auto value = minutes.rbegin(); value != minutes.rend(); ++value) {
            expected = *value * 60 >= run ? *value * 60 : expected;
        }
        REQUIRE(job.description.walltime == Duration::seconds(expected));
    }
}

TEST_CASE("SWF ids have one width and jobs are in the order in which Batsim submits them", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.number = "100", .submit = "5"},
                                                      {.number = "20", .submit = "5"},
                                                      {.number = "3", .submit = "9"},
                                                      {.number = "4", .submit = "1"}}),
                                              {});
    CHECK(ids(converted) == Ids{"w0!004", "w0!020", "w0!100", "w0!003"});
}

TEST_CASE("SWF submission times can be counted from the first kept job", "[swf]") {
    SwfConversion conversion;
    conversion.shift = true;
    const SwfLog log = log_of({{.number = "1", .submit = "900", .run = "0"},
                               {.number = "2", .submit = "1000"},
                               {.number = "3", .submit = "1000.5"}});
    const SwfWorkload converted = convert_swf(log, conversion);
    CHECK(converted.workload.jobs.at(0).description.submit == Time());
    CHECK(converted.workload.jobs.at(1).description.submit == Time::at(Duration::microseconds(500'000)));
}

TEST_CASE("partial runs of an SWF job count only where the job has no line of its own", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.number = "1", .status = "1"},
                                                      {.number = "1", .status = "2"},
                                                      {.number = "1", .submit = "20", .status = "3"},
                                                      {.number = "2", .submit = "30", .status = "4"}}),
                                              {});
    CHECK(ids(converted) == Ids{"w0!1", "w0!2"});
    CHECK(count_of(converted.dropped, "partial run") == 2);
}

TEST_CASE("equal job numbers in an SWF log give different ids", "[swf]") {
    const SwfWorkload converted = convert_swf(
        log_of({{.number = "7"}, {.number = "7", .submit = "1"}, {.number = "12"}, {.number = "7", .submit = "2"}}),
        {});
    CHECK(ids(converted) == Ids{"w0!07", "w0!12", "w0!07-2", "w0!07-3"});
    CHECK(count_of(converted.noted, "job number seen before") == 2);
}

TEST_CASE("the size of the machine comes from the option, the SWF header or the widest job", "[swf]") {
    const std::vector<Line> lines = {{.number = "1", .requested = "6"}, {.number = "2", .partition = "2"}};
    const auto processors = [&](const std::string& header, const SwfConversion& conversion = {}) {
        return convert_swf(log_of(lines, header), conversion).workload.processors;
    };
    SwfConversion second;
    second.partitions = {2};
    const std::string parts = "; MaxProcs: 60 (16, 44)\n";
    CHECK(processors("; MaxProcs: 338\n") == 338);
    CHECK(processors("; MaxProcs: 338 (batch partition; 512 total)\n") == 338);
    CHECK(processors(parts) == 60);
    CHECK(processors(parts, second) == 44);
    CHECK(processors("; MaxProcs: 60 (16, 40)\n", second) == 60);
    CHECK(processors("; MaxProcs: 60 (16, 44\n", second) == 60);
    CHECK(processors("; MaxProcs: unknown\n") == 6);
    CHECK(processors("; MaxProcs: 0\n") == 6);
    CHECK(processors("; MaxProcs: -1\n") == 6);
    CHECK(processors("; MaxProcs: 99999999999\n") == 6);
    CHECK(processors("; MaxProcs:\n") == 6);
    CHECK(processors("") == 6);
    second.processors = 50;
    CHECK(processors(parts, second) == 50);
}

TEST_CASE("SWF jobs wider than the machine are kept and noted", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.requested = "65"}}), {});
    CHECK(converted.workload.jobs.size() == 1);
    CHECK(count_of(converted.noted, "wider than 64") == 1);
}

TEST_CASE("an SWF job of more processors than can be counted is refused with its line", "[swf]") {
    CHECK_THROWS_WITH(convert_swf(log_of({{}, {.requested = "2147483647"}}), {}),
                      "some.swf:3: expected at most 2147483646 processors, found 2147483647");
}

TEST_CASE("the anomalies of an SWF log are counted before cleaning", "[swf]") {
    const SwfAnomalies counts = count_anomalies(log_of({{.submit = "10", .run = "0"},
                                                        {.submit = "5", .run = "-1", .allocated = "-1"},
                                                        {.submit = "5", .allocated = "5"},
                                                        {.submit = "6", .run = "260"},
                                                        {.submit = "7", .run = "261"},
                                                        {.submit = "8", .requested = "-1", .estimate = "-1"}}));
    CHECK(counts.no_run_time == 2);
    CHECK(counts.no_processors == 1);
    CHECK(counts.more_than_requested == 1);
    CHECK(counts.over_requested_time == 2);
    CHECK(counts.over_requested_time_60s == 1);
    CHECK(counts.no_requested_processors == 1);
    CHECK(counts.no_requested_time == 1);
    CHECK(counts.out_of_order == 1);
}

TEST_CASE("every job of a random SWF log is either kept or dropped, and ids are unique and in order", "[swf]") {
    std::mt19937_64 random(11);
    const auto pick = [&](int low, int high) {
        return std::to_string(std::uniform_int_distribution<int>(low, high)(random));
    };
    for (int round = 0; round < 200; ++round) {
        std::vector<Line> lines;
        for (int i = 0; i < 40; ++i) {
            lines.push_back({.number = pick(0, 60),
                             .submit = pick(-1, 20),
                             .run = pick(-1, 5),
                             .allocated = pick(-1, 4),
                             .requested = pick(-1, 4),
                             .estimate = pick(-1, 5),
                             .status = pick(-1, 5),
                             .queue = pick(-1, 2)});
        }
        SwfConversion conversion;
        conversion.excluded_queues = {0};
        const SwfWorkload converted = convert_swf(log_of(lines), conversion);
        std::size_t dropped = 0;
        for (const auto& count : converted.dropped) {
            dropped += count.jobs;
        }
        REQUIRE(converted.workload.jobs.size() + dropped == lines.size());
        const auto& jobs = converted.workload.jobs;
        for (std::size_t i = 1; i < jobs.size(); ++i) {
            const JobDescription& a = jobs[i - 1].description;
            const JobDescription& b = jobs[i].description;
            REQUIRE((a.submit < b.submit || (a.submit == b.submit && a.id < b.id)));
        }
        Ids all = ids(converted);
        std::sort(all.begin(), all.end());
        REQUIRE(std::adjacent_find(all.begin(), all.end()) == all.end());
    }
}

TEST_CASE("a log is split into periods without the jobs that started in one and ended in another", "[swf]") {
    const auto line = [](const std::string& number, const std::string& submit, const std::string& wait,
                         const std::string& run) {
        return number + " " + submit + " " + wait + " " + run + " 4 -1 -1 4 500 -1 1 3 -1 -1 1 1 -1 -1\n";
    };
    // Periods of 100 s from 0: [0, 100), [100, 200), ...
    const SwfLog log = parse_swf("; MaxProcs: 64\n" + line("1", "10", "0", "50") +  // period 1, skipped
                                     line("2", "100", "0", "100") +                 // ends with period 2
                                     line("3", "150", "0", "51") +                  // from period 2 into 3
                                     line("4", "199.5", "0.5", "20") +  // waits from 2 into 3, and runs there
                                     line("5", "180", "-1", "20") +     // unknown wait
                                     line("6", "450", "10", "30") +     // period 5; 3 and 4 are empty
                                     line("7", "510", "0", "10"),       // after the last
                                 "some.swf");
    SwfConversion conversion;
    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = Duration(), .skipped = 1, .periods = 4};
    const SwfWorkload converted = convert_swf(log, conversion);
    CHECK(ids(converted) == Ids{"w0!2", "w0!5", "w0!4", "w0!6"});
    CHECK(count_of(converted.dropped, "submitted in period 1 to 1") == 1);
    CHECK(count_of(converted.dropped, "submitted after period 5") == 1);
    CHECK(count_of(converted.dropped, "started in one period and ended in another") == 1);

    const std::vector<SwfPeriod> periods = split_into_periods(converted.workload, *conversion.split);
    REQUIRE(periods.size() == 2);
    CHECK(periods[0].number == 2);
    CHECK(periods[1].number == 5);
    const Workload& second = periods[0].workload;
    REQUIRE(second.jobs.size() == 3);
    CHECK(second.processors == 64);
    CHECK(second.jobs[0].description.submit == Time());
    CHECK(second.jobs[2].description.submit == Time::at(Duration::microseconds(99'500'000)));
    CHECK(second.profiles.size() == 2);
    CHECK(periods[1].workload.jobs.front().description.submit == Time::seconds(50));
    CHECK(periods[1].workload.profiles.at("d30").delay == Duration::seconds(30));

    conversion.split->keep_crossing = true;
    const SwfWorkload with_crossing = convert_swf(log, conversion);
    CHECK(ids(with_crossing) == Ids{"w0!2", "w0!3", "w0!5", "w0!4", "w0!6"});
    CHECK(with_crossing.dropped.size() == converted.dropped.size() - 1);
    CHECK(split_into_periods(with_crossing.workload, *conversion.split).front().workload.jobs.size() == 4);

    conversion.from = Duration::seconds(150);
    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = Duration::seconds(150), .periods = {}};
    const SwfWorkload from_150 = convert_swf(log, conversion);
    CHECK(ids(from_150) == Ids{"w0!3", "w0!5", "w0!4", "w0!6", "w0!7"});
    const std::vector<SwfPeriod> later = split_into_periods(from_150.workload, *conversion.split);
    REQUIRE(later.size() == 2);
    CHECK(later[0].number == 1);
    CHECK(later[1].number == 4);
    CHECK(later[0].workload.jobs.front().description.submit == Time());
}

TEST_CASE("the periods of a log are counted from the one with its first job on request", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .submit = "-1"},
                               {.number = "2", .submit = "460"},
                               {.number = "3", .submit = "250", .run = "0"},  // the first one, although it is dropped
                               {.number = "4", .submit = "200", .run = "0"},
                               {.number = "5", .submit = "330", .run = "20"}});
    SwfSplit split{.period = Duration::seconds(100), .begin = Duration(), .periods = {}};
    split.count_from_first_job(log);
    CHECK(split.begin == Duration::seconds(200));
    split.begin = Duration::seconds(25);
    split.count_from_first_job(log);
    CHECK(split.begin == Duration::seconds(125));
    split.begin = Duration::seconds(225);
    split.count_from_first_job(log);
    CHECK(split.begin == Duration::seconds(225));
    split.begin = Duration::seconds(461);
    split.count_from_first_job(log);
    CHECK(split.begin == Duration::seconds(461));

    SwfConversion conversion;
    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = Duration(), .skipped = 1, .periods = 1};
    conversion.split->count_from_first_job(log);
    const std::vector<SwfPeriod> periods = split_into_periods(convert_swf(log, conversion).workload, *conversion.split);
    REQUIRE(periods.size() == 1);
    CHECK(periods[0].number == 2);
    REQUIRE(periods[0].workload.jobs.size() == 1);
    CHECK(periods[0].workload.jobs[0].description.id == "w0!5");
    CHECK(periods[0].workload.jobs[0].description.submit == Time::seconds(30));
}

TEST_CASE("every job of a random log that is kept is in the period of its submission", "[swf]") {
    std::mt19937_64 random(12);
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    for (int round = 0; round < 200; ++round) {
        std::vector<Line> lines;
        const int earliest = pick(0, 300);
        for (int i = 0; i < 30; ++i) {
            lines.push_back({.number = std::to_string(i + 10),
                             .submit = std::to_string(pick(earliest, 600)),
                             .run = std::to_string(pick(0, 40))});
        }
        const SwfLog log = log_of(lines);
        const int length = pick(1, 90);
        const int skipped = pick(0, 3);
        const int count = pick(1, 4);
        const bool keep_crossing = pick(0, 1) == 1;
        const bool from_first = pick(0, 1) == 1;
        SwfConversion conversion;
        conversion.split = SwfSplit{.period = Duration::seconds(length),
                                    .begin = Duration(),
                                    .skipped = static_cast<std::size_t>(skipped),
                                    .periods = static_cast<std::size_t>(count),
                                    .keep_crossing = keep_crossing};
        int first_period = 0;  // counted from 0 at the log's zero
        if (from_first) {
            conversion.split->count_from_first_job(log);
            first_period = 1000;
            for (const Line& line : lines) {
                first_period = std::min(first_period, std::stoi(line.submit) / length);
            }
        }
        std::vector<std::string> expected;
        for (const Line& line : lines) {
            const int submit = std::stoi(line.submit);
            const int run = std::stoi(line.run);
            const int number = submit / length - first_period + 1;
            const bool crosses = submit / length != (submit + run - 1) / length;
            if (run > 0 && number > skipped && number <= skipped + count && (keep_crossing || !crosses)) {
                expected.push_back(std::to_string(number) + " " + line.number + " " + std::to_string(submit % length));
            }
        }
        std::vector<std::string> found;
        for (const SwfPeriod& period : split_into_periods(convert_swf(log, conversion).workload, *conversion.split)) {
            for (const WorkloadJob& job : period.workload.jobs) {
                found.push_back(std::to_string(period.number) + " " + job.description.id.substr(3) + " " +
                                job.description.submit.since_zero().to_shortest_string());
            }
        }
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        REQUIRE(found == expected);
    }
}

TEST_CASE("jobs without allocated processors are kept on request, if they requested some", "[swf]") {
    Line requested;
    requested.allocated = "-1";
    Line unknown = requested;
    unknown.number = "2";
    unknown.requested = "-1";
    const SwfLog log = log_of({requested, unknown});
    SwfConversion conversion;
    CHECK(convert_swf(log, conversion).workload.jobs.empty());
    conversion.keep_unallocated = true;
    const SwfWorkload kept = convert_swf(log, conversion);
    REQUIRE(ids(kept) == Ids{"w0!1"});
    CHECK(kept.workload.jobs.front().description.processors == 4);
    CHECK(count_of(kept.dropped, "processors <= 0 or unknown") == 1);
    conversion.unit = 3;
    CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1"});
    conversion.size = SwfConversion::Size::allocated;
    CHECK(convert_swf(log, conversion).workload.jobs.empty());
}

TEST_CASE("The schedule of a log has its starts, and the lowest idle processors") {
    // On four processors: job 1 has three from 0 to 100. Job 2 has one from 10 to 210, its walltime. Job 3 has an
    // unknown wait and is omitted. Job 4 has two from 100. Job 5 has three, two more than are idle.
    const SwfLog log = parse_swf(
        "; MaxProcs: 4\n"
        "1 0 0 100 3 -1 -1 3 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "2 5 5 200 1 -1 -1 1 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "3 6 -1 200 1 -1 -1 1 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "4 7 93 50 2 -1 -1 2 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "5 8 100 20 3 -1 -1 3 200 -1 1 1 -1 -1 1 1 -1 -1\n",
        "some.swf");
    const LoggedSchedule logged = schedule_of_log(convert_swf(log, {}));
    CHECK(logged.unknown_waits == 1);
    CHECK(logged.most_in_use == 6);
    std::string text = schedule_csv_header();
    for (const ScheduledJob& job : logged.schedule.jobs) {
        append_csv(job, text);
    }
    CHECK(text == schedule_csv_header() +
                      "1,w0,d100,0.000000,3,200.000000,1,COMPLETED_SUCCESSFULLY,0.000000,100.000000,100.000000,"
                      "0.000000,100.000000,1.000000,0-2,-1.000000,\"\"\n"
                      "5,w0,d20,8.000000,3,200.000000,1,COMPLETED_SUCCESSFULLY,108.000000,20.000000,128.000000,"
                      "100.000000,120.000000,6.000000,2 4-5,-1.000000,\"\"\n"
                      "4,w0,d50,7.000000,2,200.000000,1,COMPLETED_SUCCESSFULLY,100.000000,50.000000,150.000000,"
                      "93.000000,143.000000,2.860000,0-1,-1.000000,\"\"\n"
                      "2,w0,d200,5.000000,1,200.000000,0,COMPLETED_WALLTIME_REACHED,10.000000,200.000000,210.000000,"
                      "5.000000,205.000000,1.025000,3,-1.000000,\"\"\n");
}

TEST_CASE("The audit finds nothing in the schedule of a log that kept to its machine") {
    std::mt19937 random(11);
    for (int round = 0; round < 100; ++round) {
        // Jobs start in turn, when enough processors are idle.
        std::vector<int> free_from(8);
        std::string text = "; MaxProcs: 8\n";
        int submit = 0;
        for (int job = 1; job <= 60; ++job) {
            submit += static_cast<int>(random() % 20);
            const auto size = 1 + random() % 8;
            const int run = 1 + static_cast<int>(random() % 50);
            std::sort(free_from.begin(), free_from.end());
            const int start = std::max(submit, free_from[size - 1]);
            std::fill(free_from.begin(), free_from.begin() + static_cast<std::ptrdiff_t>(size), start + run);
            const std::string processors = std::to_string(size);
            text += std::to_string(job) + ' ' + std::to_string(submit) + ' ' + std::to_string(start - submit) + ' ' +
                    std::to_string(run) + ' ' + processors + " -1 -1 " + processors + ' ' +
                    std::to_string(run + static_cast<int>(random() % 3)) + " -1 1 1 -1 -1 1 1 -1 -1\n";
        }
        const SwfWorkload converted = convert_swf(parse_swf(text, "some.swf"), {});
        const LoggedSchedule logged = schedule_of_log(converted);
        Platform platform;
        platform.hosts.resize(8);
        CHECK(logged.most_in_use <= 8);
        const CheckReport report = check_schedule(logged.schedule, {converted.workload}, platform, {});
        INFO((report.violations.empty() ? "" : report.violations.front().text));
        REQUIRE(report.violations.empty());
    }
}

}  // namespace batfill::tests::swf_conversion_test
