#include <random>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "tests/unit/workloads/swf_lines.hpp"

namespace batfill::tests::load_test {

using namespace swf_lines;

namespace {

SwfConversion with_load(const char* load) {
    SwfConversion conversion;
    conversion.load = Decimal::parse(load);
    return conversion;
}

SwfLog random_log(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Line> lines;
    int submit = 1000;
    for (int i = 0; i < 50; ++i) {
        submit += static_cast<int>(random() % 100);
        const std::string size = std::to_string(1 + random() % 80);  // some are wider than the machine
        lines.push_back({.number = std::to_string(i + 1),
                         .submit = std::to_string(submit),
                         .run = std::to_string(1 + random() % 500),
                         .allocated = size,
                         .requested = size,
                         .estimate = std::to_string(1 + random() % 500)});
    }
    return log_of(lines);
}

// Work that fits on the machine, divided by the capacity from the first submission to the last.
double load_of(const Workload& workload) {
    double work = 0;
    for (const WorkloadJob& job : workload.jobs) {
        if (job.description.processors <= workload.processors) {
            const Duration run = workload.profiles.at(job.description.profile).delay;
            work += std::min(run, *job.description.walltime).to_seconds() * job.description.processors;
        }
    }
    const Duration span = workload.jobs.back().description.submit - workload.jobs.front().description.submit;
    return work / (span.to_seconds() * workload.processors);
}

}  // namespace

TEST_CASE("A log gets the requested load, and only its submission times change") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const SwfLog log = random_log(seed);
        const SwfWorkload before = convert_swf(log, {});
        const SwfWorkload after = convert_swf(log, with_load("0.85"));
        REQUIRE(after.summary.scaled);
        CHECK(after.summary.scaled->before == Approx(load_of(before.workload)).epsilon(1e-9));
        CHECK(after.summary.scaled->after == Approx(0.85).epsilon(1e-9));
        CHECK(load_of(after.workload) == Approx(0.85).epsilon(1e-6));
        REQUIRE(after.workload.jobs.size() == before.workload.jobs.size());
        const Time first = before.workload.jobs.front().description.submit;
        for (std::size_t i = 0; i < before.workload.jobs.size(); ++i) {
            JobDescription job = after.workload.jobs[i].description;
            const JobDescription& original = before.workload.jobs[i].description;
            const double gap = (original.submit - first).to_seconds() * after.summary.scaled->factor();
            CHECK((job.submit - first).to_seconds() == Approx(gap).margin(1e-6));
            job.submit = original.submit;
            CHECK(job == original);
        }
    }
}

TEST_CASE("With a split, each job stays in its period, and the periods together have the load") {
    const SwfLog log = random_log(3);
    SwfConversion conversion = with_load("0.5");
    conversion.split.emplace().period = Duration::seconds(1000);
    conversion.split->keep_crossing = true;
    const SwfWorkload converted = convert_swf(log, conversion);
    const LoadScaling& scaled = *converted.summary.scaled;
    const std::vector<SwfPeriod> before = split_into_periods(converted.workload, *conversion.split);
    const std::vector<SwfPeriod> after = split_into_periods(converted.workload, *conversion.split, scaled);
    REQUIRE(before.size() == after.size());
    REQUIRE(before.size() > 1);
    const SwfWorkload without_split = convert_swf(log, with_load("0.5"));
    CHECK(scaled.span_before == without_split.summary.scaled->span_before);
    CHECK(scaled.span_after == without_split.summary.scaled->span_after);
    CHECK(load_of(without_split.workload) == Approx(0.5).epsilon(1e-6));
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(before[i].number == after[i].number);
        REQUIRE(before[i].workload.jobs.size() == after[i].workload.jobs.size());
        for (std::size_t j = 0; j < before[i].workload.jobs.size(); ++j) {
            CHECK(after[i].workload.jobs[j].description.submit.since_zero() ==
                  scaled.scaled(before[i].workload.jobs[j].description.submit.since_zero()));
        }
    }
}

TEST_CASE("A workload gets the load that its log would get") {
    const SwfLog log = random_log(7);
    Workload workload = convert_swf(log, {}).workload;
    const SwfWorkload expected = convert_swf(log, with_load("1.25"));
    const LoadScaling scaling = scale_load(workload, *Decimal::parse("1.25"));
    CHECK(scaling.span_after == expected.summary.scaled->span_after);
    REQUIRE(workload.jobs.size() == expected.workload.jobs.size());
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        CHECK(workload.jobs[i].description == expected.workload.jobs[i].description);
    }
    workload.jobs.resize(1);
    CHECK_THROWS_AS(scale_load(workload, Decimal::of(1)), InputError);
}

TEST_CASE("A log without gaps, or with times beyond all measure, has no load") {
    const auto scaled = [](const std::vector<Line>& lines) { return convert_swf(log_of(lines), with_load("1")); };
    CHECK_THROWS_AS(scaled({{.number = "1"}, {.number = "2"}}), InputError);
    CHECK_THROWS_AS(scaled({{.number = "1", .requested = "99"}, {.number = "2", .submit = "9", .requested = "99"}}),
                    InputError);
    CHECK_THROWS_AS(scaled({{.number = "1"}, {.number = "2", .submit = "900000000000000000"}}), InputError);
    CHECK_THROWS_AS(scaled({{.number = "1", .run = "900000000000000000", .estimate = "-1"},
                            {.number = "2", .submit = "9", .run = "900000000000000000", .estimate = "-1"}}),
                    InputError);
}

}  // namespace batfill::tests::load_test
