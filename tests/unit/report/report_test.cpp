#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidjson/document.h>

#include "src/report/columns.hpp"
#include "src/report/figures.hpp"
#include "src/report/report.hpp"
#include "src/support/files.hpp"
#include "tests/support/unpacked.hpp"

namespace batfill::tests::report_test {

namespace {

using namespace batfill::report;
using analysis::length_class;
using analysis::width_class;
using analysis::width_class_name;

using Draws = std::mt19937_64;

long long draw(Draws& draws, long long below) {
    return static_cast<long long>(draws() % static_cast<unsigned long long>(below));
}

FinishedJob job(long long submit, long long wait, long long run, int processors) {
    FinishedJob result;
    result.submit = Time::seconds(submit);
    result.start = Time::seconds(submit + wait);
    result.run = Duration::seconds(run);
    result.finish = result.start + result.run;
    result.processors = processors;
    result.allocated = processors;
    return result;
}

// Jobs within a short time, so many instants coincide. Many jobs wait or run for no time.
FinishedJobs random_jobs(Draws& draws) {
    static const std::string ids = "abcdefghijklmnopqrstuvwxyz0123";
    FinishedJobs jobs(static_cast<std::size_t>(draw(draws, 30)));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i] = job(draw(draws, 40), draw(draws, 2) * draw(draws, 20), draw(draws, 15),
                      1 + static_cast<int>(draw(draws, 9)));
        jobs[i].id = std::string_view(ids).substr(i, 1);
    }
    return jobs;
}

// The processors in use at an instant, counted job by job.
long long busy_at(const FinishedJobs& jobs, Time time) {
    long long busy = 0;
    for (const FinishedJob& each : jobs) {
        busy += each.start <= time && time < each.start + each.run ? each.allocated : 0;
    }
    return busy;
}

long long waiting_at(const FinishedJobs& jobs, Time time) {
    return std::count_if(jobs.begin(), jobs.end(),
                         [&](const FinishedJob& each) { return each.submit <= time && time < each.start; });
}

Step step_at(const std::vector<Step>& steps, Time time) {
    Step now;
    for (const Step& step : steps) {
        if (step.at <= time) {
            now = step;
        }
    }
    return now;
}

// The numbers of a column's bytes, unsigned.
std::vector<std::uint64_t> read_column(const std::string& bytes) {
    std::vector<std::uint64_t> values;
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        value |= std::uint64_t{byte & 0x7fU} << shift;
        shift += 7;
        if (byte < 0x80) {
            values.push_back(value);
            value = 0;
            shift = 0;
        }
    }
    return values;
}

ScheduledJob scheduled(const std::string& id, long long submit, long long start, long long run, int processors) {
    ScheduledJob result;
    result.id = id;
    result.submit = Time::seconds(submit);
    result.processors = processors;
    result.execution = ExecutionRecord{Time::seconds(start), Duration::seconds(run), Time::seconds(start + run),
                                       Duration::seconds(start - submit), Duration::seconds(start + run - submit)};
    result.allocation = ResourceSet::range(0, processors - 1);
    return result;
}

}  // namespace

TEST_CASE("the steps of a report are what counting jobs at every instant gives") {
    Draws draws(1);
    for (int round = 0; round < 200; ++round) {
        const FinishedJobs jobs = random_jobs(draws);
        const std::vector<Step> steps = steps_of(jobs);
        for (long long second = -1; second < 90; ++second) {
            const Step step = step_at(steps, Time::seconds(second));
            REQUIRE(step.busy == busy_at(jobs, Time::seconds(second)));
            REQUIRE(step.waiting == waiting_at(jobs, Time::seconds(second)));
        }
        for (std::size_t i = 1; i < steps.size(); ++i) {
            REQUIRE(steps[i - 1].at < steps[i].at);
            REQUIRE((steps[i - 1].busy != steps[i].busy || steps[i - 1].waiting != steps[i].waiting ||
                     steps[i - 1].requested != steps[i].requested));
        }
    }
}

TEST_CASE("the periods of a report are means over their seconds") {
    Draws draws(2);
    for (int round = 0; round < 200; ++round) {
        const FinishedJobs jobs = random_jobs(draws);
        const auto count = static_cast<std::size_t>(1 + draw(draws, 6));
        const long long seconds = static_cast<long long>(count) * (1 + draw(draws, 12));
        const std::vector<Period> periods =
            periods_of(steps_of(jobs), Time::seconds(5), Time::seconds(5 + seconds), count);
        REQUIRE(periods.size() == count);
        const long long length = seconds / static_cast<long long>(count);
        for (std::size_t i = 0; i < count; ++i) {
            const long long from = 5 + static_cast<long long>(i) * length;
            REQUIRE(periods[i].from == Time::seconds(from));
            long long busy = 0;
            long long waiting = 0;
            long long most = 0;
            for (long long second = from; second < from + length; ++second) {
                busy += busy_at(jobs, Time::seconds(second));
                waiting += waiting_at(jobs, Time::seconds(second));
                most = std::max(most, waiting_at(jobs, Time::seconds(second)));
            }
            REQUIRE(periods[i].mean_busy == Approx(static_cast<double>(busy) / static_cast<double>(length)));
            REQUIRE(periods[i].mean_waiting == Approx(static_cast<double>(waiting) / static_cast<double>(length)));
            REQUIRE(periods[i].max_waiting == most);
        }
    }
    CHECK(periods_of({}, Time::seconds(3), Time::seconds(3), 4).empty());
}

TEST_CASE("every point of a distribution is the share of values up to it, with the first and the last") {
    Draws draws(3);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> values(static_cast<std::size_t>(1 + draw(draws, 60)));
        for (double& value : values) {
            value = static_cast<double>(draw(draws, 40));
        }
        const auto max_points = static_cast<std::size_t>(2 + draw(draws, 30));
        const std::vector<DistributionPoint> points = distribution_of(values, max_points);
        REQUIRE(points.size() <= max_points);
        REQUIRE(points.front().value == *std::min_element(values.begin(), values.end()));
        REQUIRE(points.back() == DistributionPoint{*std::max_element(values.begin(), values.end()), 1});
        for (const auto& [value, share] : points) {
            const auto not_above =
                std::count_if(values.begin(), values.end(), [&value = value](double other) { return other <= value; });
            REQUIRE(share == static_cast<double>(not_above) / static_cast<double>(values.size()));
        }
        REQUIRE(std::is_sorted(points.begin(), points.end(),
                               [](const auto& a, const auto& b) { return a.value < b.value; }));
    }
    CHECK(distribution_of({}, 2).empty());
    CHECK(distribution_of({2, 1, 2, 4}, 10) == std::vector<DistributionPoint>{{1, 0.25}, {2, 0.75}, {4, 1}});
}

TEST_CASE("a quantile is the smallest value that the share of the values is not above") {
    CHECK(quantile({}, 0.5) == std::nullopt);
    CHECK(quantile({1, 2, 3, 4}, 0.5) == 2);
    CHECK(quantile({1, 2, 3, 4}, 0.51) == 3);
    CHECK(quantile({1, 2, 3, 4}, 1) == 4);
    CHECK(quantile({1, 2, 3, 4}, 0.01) == 1);
}

TEST_CASE("classes of width end at powers of two, and have names") {
    for (int processors = 1; processors < 300; ++processors) {
        const std::size_t width = width_class(processors);
        REQUIRE(processors <= 1LL << width);
        REQUIRE((width == 0 || processors > 1LL << (width - 1)));
    }
    CHECK(width_class_name(0) == "1");
    CHECK(width_class_name(1) == "2");
    CHECK(width_class_name(2) == "3-4");
    CHECK(width_class_name(8) == "129-256");
    CHECK(length_class(Duration::seconds(0)) == 0);
    CHECK(length_class(Duration::microseconds(59'999'999)) == 0);
    CHECK(length_class(Duration::seconds(60)) == 1);
    CHECK(length_class(Duration::seconds(14400)) == 4);
    CHECK(length_class(Duration::days(1)) == 5);
}

TEST_CASE("every job is in the one group of its name and in the one class of its size") {
    Draws draws(4);
    const FinishedJobs jobs = random_jobs(draws);
    const auto name_of = [](const FinishedJob& each) { return std::to_string(each.processors % 3); };
    std::size_t in_groups = 0;
    double before = 1e300;
    for (const GroupSummary& group : groups_of(jobs, Duration::seconds(10), name_of)) {
        FinishedJobs members;
        std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(members),
                     [&](const FinishedJob& each) { return name_of(each) == group.name; });
        CHECK(group.metrics.jobs == members.size());
        CHECK(group.metrics.mean_wait == analysis::measure(members, analysis::mean_wait, Duration()));
        CHECK(group.metrics.processor_seconds <= before);
        before = group.metrics.processor_seconds;
        in_groups += group.metrics.jobs;
    }
    CHECK(in_groups == jobs.size());
    std::size_t in_classes = 0;
    analysis::LongestRuns longest;
    longest.add(jobs);
    for (const auto& [classes, members] : classes_of(jobs, longest)) {
        for (const FinishedJob& each : members) {
            CHECK(width_class(each.processors) == classes.first);
            CHECK(length_class(each.run) == classes.second);
        }
        in_classes += members.size();
    }
    CHECK(in_classes == jobs.size());
}

TEST_CASE("a column of a report reads back") {
    Column column;
    const std::vector<std::uint64_t> values{0, 1, 127, 128, 300, 16383, 16384, (std::uint64_t{1} << 53) - 1};
    for (std::size_t count = 0; count <= values.size(); ++count) {
        Column first;
        std::for_each_n(values.begin(), count, [&](std::uint64_t value) { first.add(value); });
        CHECK(read_column(unpacked(packed(first.bytes()))) ==
              std::vector<std::uint64_t>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)));
        CHECK(packed(first.bytes()).size() % 4 == 0);
    }
    for (const std::int64_t value : {0, -1, 1, -2, 2}) {
        column.add_signed(value);
    }
    CHECK(read_column(column.bytes()) == std::vector<std::uint64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("SHA-256 is that of its standard's examples") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the data of a report has the metrics as they are computed, and cannot end its element of the page") {
    Report report;
    report.title = "</script>";
    report.options.processors = 8;
    report.runs = {{"a", {"a_jobs.csv", {scheduled("w0!1", 0, 0, 20, 4), scheduled("w0!</script>", 0, 20, 10, 8)}}},
                   {"b", {"b_jobs.csv", {scheduled("w0!1", 0, 10, 20, 4), scheduled("w0!</script>", 0, 0, 10, 8)}}}};
    const std::string text = report_data(report);
    CHECK(text.find('<') == std::string::npos);
    rapidjson::Document data;
    data.Parse(text);
    REQUIRE(!data.HasParseError());
    CHECK(std::string(data["title"].GetString()) == "</script>");
    CHECK(unpacked(data["runs"][0]["jobs"]["ids"].GetString()) == R"(["1","</script>"])");
    CHECK(read_column(unpacked(data["runs"][0]["jobs"]["start"].GetString())) == std::vector<std::uint64_t>{0, 40000});
    std::size_t compared = 0;
    for (const auto& metric : data["metrics"].GetArray()) {
        for (unsigned run = 0; run < 2; ++run) {
            const auto expected =
                compute_metrics(report.runs[run].schedule, report.options)[metric["name"].GetString()];
            REQUIRE(metric["values"][run].IsNull() == !expected.has_value());
            if (expected) {
                CHECK(metric["values"][run].GetDouble() == *expected);
                ++compared;
            }
        }
        CHECK_THAT(std::string(metric["meaning"].GetString()), Catch::Matchers::EndsWith("."));
        if (std::string(metric["name"].GetString()) == "utilisation") {
            CHECK(std::string(metric["better"].GetString()) == "more");
        }
        if (std::string(metric["name"].GetString()) == "mean_wait") {
            CHECK(std::string(metric["better"].GetString()) == "less");
            CHECK(std::string(metric["unit"].GetString()) == "seconds");
            CHECK(std::string(metric["differences"][1].GetString()) == "-50.0 %");
        }
    }
    CHECK(compared > 20);
    const std::string page = report_page(report);
    CHECK(page.find("<title>&lt;/script></title>") != std::string::npos);
    CHECK(page.find("Redistributions in binary form") != std::string::npos);
    CHECK(page.find("<script src") == std::string::npos);
    CHECK(page.find("<link") == std::string::npos);
}

}  // namespace batfill::tests::report_test
