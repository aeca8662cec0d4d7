#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/simulator/simulation.hpp"
#include "tests/support/folder.hpp"
#include "tests/unit/workloads/swf_lines.hpp"

// The field `after` of jobs of a log.
namespace batfill::tests::job_conditions_test {

using namespace swf_lines;
using Catch::Matchers::Contains;

namespace {

// A job that runs for 10 s on one processor, with an estimate of 20 s.
std::string line(const std::string& number, const std::string& submit, const std::string& wait,
                 const std::string& preceding, const std::string& think_time = "-1", const std::string& run = "10") {
    return number + ' ' + submit + ' ' + wait + ' ' + run + " 1 -1 -1 1 20 -1 1 3 -1 -1 1 1 " + preceding + ' ' +
           think_time + '\n';
}

SwfLog log_of(const std::string& lines) {
    return parse_swf("; MaxProcs: 8\n" + lines, "some.swf", {.after = true});
}

// The conditions of each job that has some, in the order of the workload: "2 any:1, 3 any:1+5".
std::string after(const Workload& workload) {
    std::string text;
    for (const auto& [job, source] : workload.jobs) {
        if (!job.needs) {
            CHECK_THAT(job.other_fields.text(), !Contains("after"));
            continue;
        }
        text += (text.empty() ? "" : ", ") + job.id.substr(3);
        for (const Dependency& dependency : job.needs->after) {
            text += ' ' + dependency.to_string();
            CHECK_THAT(job.other_fields.text(), Contains('"' + dependency.to_string() + '"'));
        }
    }
    return text;
}

std::map<std::string, std::size_t> counts(const SwfWorkload& converted) {
    std::map<std::string, std::size_t> found;
    for (const auto& [what, conditions] : *converted.summary.conditions) {
        found.emplace(what, conditions);
    }
    return found;
}

}  // namespace

TEST_CASE("A preceding job and the think time become a condition", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of(line("1", "0", "0", "-1") + line("02", "1", "20", "1") +
                                                     line("10", "2", "30", "1", "2.5") + line("11", "3", "40", "0")),
                                              {});
    CHECK(after(converted.workload) == "02 any:01, 10 any:01+2.5");
    CHECK(counts(converted) == std::map<std::string, std::size_t>{{"kept: any", 2}});
    CHECK_FALSE(convert_swf(parse_swf(line("2", "1", "20", "1"), "some.swf"), {}).summary.conditions);
    CHECK(convert_swf(log_of(line("1", "0", "0", "-1")), {}).summary.conditions->empty());
}

TEST_CASE("A completed job without a limit succeeds where others wait for its success") {
    const Folder folder;
    AccountingData data;
    data.format = "sacct";
    data.fields = {.after = true};
    data.paths = {folder.write("jobs.txt",
                               "JobID|Submit|Start|End|Timelimit|State|NCPUS|SubmitLine\n"
                               "1|100|100|160|UNLIMITED|COMPLETED|1|sbatch a\n"
                               "2|101|101|161|UNLIMITED|COMPLETED|1|sbatch a\n"  // nobody waits for it
                               "3|102|102|162|UNLIMITED|FAILED|1|sbatch a\n"     // no success in the log
                               "4|103|103|223|00:01:00|COMPLETED|1|sbatch a\n"   // it has a limit
                               "5|104|300|360|01:00:00|COMPLETED|1|sbatch -d afterok:1:3:4 a\n")};
    const SwfLog log = read_accounting(data);
    const auto walltimes = [&](const SwfConversion& conversion) {
        std::vector<double> seconds;
        for (const WorkloadJob& job : convert_swf(log, conversion).workload.jobs) {
            seconds.push_back(job.description.walltime ? job.description.walltime->to_seconds() : -1);
        }
        return seconds;
    };
    CHECK(walltimes({}) == std::vector<double>{61, 60, 60, 60, 3600});
    const SwfWorkload converted = convert_swf(log, {});
    CHECK(converted.summary.never_ok == 2);
    CHECK(std::ranges::any_of(converted.summary.noted, [](const RuleCount& noted) {
        return noted.what == "no requested time, and others wait for its success: a second more" && noted.jobs == 1;
    }));
    SwfConversion given;
    given.missing_walltime = SwfConversion::MissingWalltime::given;
    given.given_walltime = Duration::seconds(500);
    CHECK(walltimes(given) == std::vector<double>{500, 500, 500, 60, 3600});
    SwfConversion exact;
    exact.estimates = SwfConversion::Estimates::exact;
    CHECK(walltimes(exact) == std::vector<double>{60, 60, 60, 120, 60});
}

TEST_CASE("Columns 17 and 18 are only looked at for conditions", "[swf]") {
    const std::string log = line("1", "0", "0", "1.5");
    CHECK(parse_swf(log, "some.swf").conditions.empty());
    CHECK_THROWS_WITH(parse_swf(log, "some.swf", {.after = true}),
                      "some.swf:1: column 17 (preceding job): expected a whole number, found '1.5'");
}

TEST_CASE("A condition on a job that is not kept holds, and is counted", "[swf]") {
    const std::string lines = line("1", "0", "0", "-1", "-1", "0") + line("2", "1", "20", "1") +
                              line("3", "2", "30", "77") + line("4", "5", "30", "2");
    const SwfWorkload all = convert_swf(log_of(lines), {});
    CHECK(after(all.workload) == "4 any:2");
    CHECK(counts(all) ==
          std::map<std::string, std::size_t>{{"holds: its job is not in the workload", 2}, {"kept: any", 1}});
    SwfConversion late;
    late.from = Duration::seconds(5);
    const SwfWorkload cut = convert_swf(log_of(lines), late);
    CHECK(after(cut.workload).empty());
    CHECK(counts(cut) == std::map<std::string, std::size_t>{{"holds: its job is not in the workload", 1}});
}

TEST_CASE("Conditions that would make a circle are left out, on later jobs first", "[swf]") {
    // Nobody knows when these jobs started. 5 waits for a circle, and is on none.
    const SwfWorkload converted =
        convert_swf(log_of(line("1", "0", "-1", "2") + line("2", "1", "-1", "3") + line("3", "2", "-1", "1") +
                           line("4", "3", "-1", "4") + line("5", "0", "-1", "6") + line("6", "5", "-1", "7") +
                           line("7", "5", "-1", "6")),
                    {});
    CHECK(after(converted.workload) == "5 any:6, 3 any:1, 7 any:6");
    CHECK(counts(converted) ==
          std::map<std::string, std::size_t>{{"left out: a circle, or the job itself", 4}, {"kept: any", 3}});
}

TEST_CASE("A job cannot have waited for one that was submitted after its start", "[swf]") {
    const SwfWorkload converted =
        convert_swf(log_of(line("1", "0", "5", "2") + line("2", "5", "0", "-1") + line("3", "0", "4", "2")), {});
    CHECK(after(converted.workload) == "1 any:2");
    CHECK(counts(converted).at("left out: its job was submitted after this one had started") == 1);
}

TEST_CASE("A chain of many conditions takes no deep stack", "[swf]") {
    std::string lines;
    for (int job = 1; job <= 100'000; ++job) {
        lines += line(std::to_string(job), std::to_string(job), "-1", std::to_string(job % 100'000 + 1));
    }
    const SwfWorkload converted = convert_swf(log_of(lines), {});
    CHECK(counts(converted) ==
          std::map<std::string, std::size_t>{{"left out: a circle, or the job itself", 99'999}, {"kept: any", 1}});
}

TEST_CASE("A split lets conditions on jobs of other periods hold", "[swf]") {
    const SwfLog log = log_of(line("1", "0", "0", "-1") + line("2", "1", "20", "1") + line("3", "150", "0", "1") +
                              line("4", "160", "20", "3"));
    SwfConversion conversion;
    const SwfWorkload whole = convert_swf(log, conversion);
    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = {}, .periods = {}};
    const SwfWorkload converted = convert_swf(log, conversion);
    CHECK(counts(converted) ==
          std::map<std::string, std::size_t>{{"holds: its job is in another period", 1}, {"kept: any", 2}});
    const auto periods = split_into_periods(converted.workload, *conversion.split);
    REQUIRE(periods.size() == 2);
    CHECK(after(periods[0].workload) == "2 any:1");
    CHECK(after(periods[1].workload) == "4 any:3");
    CHECK(periods[1].dropped_conditions == 0);

    const auto of_whole = split_into_periods(whole.workload, *conversion.split);
    CHECK(after(of_whole[1].workload) == "4 any:3");
    CHECK(of_whole[0].dropped_conditions == 0);
    CHECK(of_whole[1].dropped_conditions == 1);
}

TEST_CASE("Dropped conditions leave the other fields of a job as they are") {
    Workload workload = parse_workload(
        R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":1}},"jobs":[)"
        R"({"id":"1","subtime":0,"res":1,"profile":"p","after":["ok:2","any:9+5"],"x":{"after":[1.50]},"partition":"a"},)"
        R"({"id":"2","subtime":0,"res":1,"profile":"p","extra_data":{"after":["ok:9"],"y":"z"}}]})",
        "w.json", "w0");
    CHECK(drop_unknown_dependencies(workload) == 2);
    CHECK(workload.jobs[0].description.other_fields == R"("x":{"after":[1.5]},"partition":"a","after":["ok:2"])");
    CHECK(workload.jobs[0].description.needs->partition == "a");
    CHECK(workload.jobs[1].description.other_fields == R"("y":"z")");
    CHECK_FALSE(workload.jobs[1].description.needs);
    CHECK(drop_unknown_dependencies(workload) == 0);
}

TEST_CASE("Of runs with one number, the last one before the start is waited for", "[swf]") {
    const SwfWorkload converted =
        convert_swf(log_of(line("1", "0", "0", "-1") + line("1", "50", "0", "-1") + line("1", "500", "0", "-1") +
                           line("2", "10", "90", "1") + line("3", "600", "0", "1")),
                    {});
    CHECK(after(converted.workload) == "2 any:1-2, 3 any:1-3");
}

TEST_CASE("Weeks and another load move begins and deadlines with the submissions of their jobs") {
    const auto read = [] {
        return parse_workload(
            R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":40}},"jobs":[)"
            R"({"id":1,"subtime":10,"res":4,"walltime":50,"profile":"p"},)"
            R"({"id":2,"subtime":110,"res":4,"walltime":50,"profile":"p","begin":130.5,"deadline":200},)"
            R"({"id":3,"subtime":120,"res":1,"walltime":50,"profile":"p","begin":5,"array":"a"}]})",
            "/w.json", "w0", true);
    };
    SwfSplit split;
    split.period = Duration::seconds(100);
    const JobDescription moved = split_into_periods(read(), split).at(1).workload.jobs.at(0).description;
    CHECK(moved.submit == Time::seconds(10));
    CHECK(moved.needs->begin == Time::at(Duration::microseconds(30'500'000)));
    CHECK(moved.deadline == Time::seconds(100));
    CHECK_THAT(std::string(moved.other_fields.text()), Catch::Matchers::Contains(R"("begin":30.5)"));
    // One that was over before the submission stays so.
    CHECK(split_into_periods(read(), split).at(1).workload.jobs.at(1).description.needs->begin == Time());
    Workload scaled = read();
    scale_load(scaled, Decimal::parse("0.5").value());
    const JobDescription& job = scaled.jobs.at(1).description;
    CHECK(job.submit != Time::seconds(110));
    CHECK(*job.needs->begin - job.submit == Duration::microseconds(20'500'000));
    CHECK(*job.deadline - job.submit == Duration::seconds(90));
}

TEST_CASE("Whatever is kept of a log, its workload can be replayed", "[swf]") {
    std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same logs each time
    const auto number = [&](int most) { return std::to_string(random() % static_cast<unsigned>(most + 1)); };
    for (int round = 0; round < 300; ++round) {
        std::string lines;
        for (int job = 1; job <= 12; ++job) {
            const std::string wait = random() % 2 == 0 ? "-1" : number(30);
            lines += line(number(9), number(100), wait, number(9), "-1", number(3));
        }
        const SwfLog log = log_of(lines);
        SwfConversion conversion;
        conversion.from = Duration::seconds(static_cast<long long>(random() % 40));
        CHECK_NOTHROW(has_dependencies(convert_swf(log, conversion).workload));
        conversion.split = SwfSplit{.period = Duration::seconds(30), .begin = *conversion.from, .periods = {}};
        const SwfWorkload converted = convert_swf(log, conversion);
        for (const SwfPeriod& period : split_into_periods(converted.workload, *conversion.split)) {
            CHECK_NOTHROW(has_dependencies(period.workload));
            CHECK(period.dropped_conditions == 0);
        }
    }
}

}  // namespace batfill::tests::job_conditions_test
