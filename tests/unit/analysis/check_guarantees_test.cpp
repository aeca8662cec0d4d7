#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>

#include "tests/unit/analysis/checked_schedule.hpp"

namespace batfill::tests::check_guarantees_test {

using namespace checked_schedule;

TEST_CASE("guarantees are of the jobs of the schedule and were kept") {
    // a starts at 0, b at 10, c is submitted and starts at 5.
    const Case run = small_case();
    const auto found = [&](const std::string& lines, const CheckOptions& options = {}) {
        const std::vector<Guarantee> guarantees =
            read_guarantees("run_guarantees.csv", "job_id,guaranteed_start,actual_start,workload_name\n" + lines);
        Texts texts;
        for (const Violation& violation :
             check_schedule(run.schedule, run.workloads, run.platform, options, &guarantees).violations) {
            texts.push_back(violation.text);
        }
        return texts;
    };
    const std::string a = "a,0,0,w0\n";
    const std::string b = "b,10,10,w0\n";
    const std::string c = "c,5,5,w0\n";
    CHECK(found(a + b + c).empty());
    CHECK(found("\"c\",,5,w0\nb,11.5,10,w0\n" + a).empty());
    CHECK(found(a + "b,9.999998,10,w0\n" + c) ==
          Texts{"job w0!b: was guaranteed a start at 9.999998 and starts at 10.000000"});
    CHECK(found(a + "b,9.999999,10.000001,w0\n" + c).empty());
    CHECK(found(a + "b,9.999999,10,w0\n" + c, {.tolerance = Duration()}) ==
          Texts{"job w0!b: was guaranteed a start at 9.999999 and starts at 10.000000"});
    CHECK(found(a + b + "c,4,5,w0\n") ==
          Texts{"job w0!c: was guaranteed a start at 4.000000, before its submission at 5.000000",
                "job w0!c: was guaranteed a start at 4.000000 and starts at 5.000000"});
    CHECK(found(a + "b,12,11,w0\n" + c) == Texts{"job w0!b: actual_start is 11.000000, starting_time 10.000000"});
    CHECK(found(a + "b,12,,w0\n" + c) == Texts{"job w0!b: actual_start is none, starting_time 10.000000"});
    CHECK(found(a + c) == Texts{"job w0!b: not among the guarantees"});
    CHECK(found(a + b + c + b) == Texts{"job w0!b: among the guarantees more than once"});
    CHECK(found(a + b + c + "a,0,0,w1\n") == Texts{"job w1!a: among the guarantees, but not in the schedule"});
}

TEST_CASE("guarantees are counted, and a job that never starts breaks its own") {
    Case run = small_case();
    reject(run.schedule.jobs[1]);
    const auto report = [&](const Guarantee& of_rejected) {
        const std::vector<Guarantee> guarantees{
            {"w0!a", Time(), Time()}, of_rejected, {"w0!c", std::nullopt, Time::seconds(5)}};
        return check_schedule(run.schedule, run.workloads, run.platform, {.rejections_allowed = true}, &guarantees);
    };
    const CheckReport sound = report({"w0!b", {}, {}});
    CHECK(sound.violations.empty());
    CHECK(sound.guarantees == 1);
    CHECK(sound.broken_guarantees == 0);
    const CheckReport broken = report({"w0!b", Time::seconds(10), {}});
    CHECK(broken.guarantees == 2);
    CHECK(broken.broken_guarantees == 1);
    REQUIRE(broken.violations.size() == 1);
    CHECK(broken.violations[0].text == "job w0!b: was guaranteed a start at 10.000000 and never starts");
    const CheckReport started = report({"w0!b", {}, Time::seconds(10)});
    REQUIRE(started.violations.size() == 1);
    CHECK(started.violations[0].text == "job w0!b: actual_start is 10.000000, starting_time none");
    CHECK(check_schedule(run.schedule, run.workloads, run.platform, {}).guarantees == 0);
}

TEST_CASE("guarantees that losses of processors broke are taken as they are listed") {
    // a starts at 0, b at 10, c is submitted and starts at 5.
    const Case run = small_case();
    const auto found = [&](const std::string& b, const std::string& lines) {
        const std::vector<Guarantee> guarantees = read_guarantees(
            "run_guarantees.csv",
            "job_id,guaranteed_start,actual_start,workload_name\na,0,0,w0\nc,,5,w0\nb," + b + ",10,w0\n");
        const std::vector<BrokenGuarantee> broken = read_broken_guarantees(
            "run_broken.csv", "job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name\n" + lines);
        const CheckReport report = check_schedule(run.schedule, run.workloads, run.platform, {}, &guarantees, &broken);
        Texts texts;
        for (const Violation& violation : report.violations) {
            texts.push_back(violation.text);
        }
        if (texts.empty()) {
            const bool is_broken = guarantees[2].guaranteed_start < Time::seconds(10);
            CHECK(report.broken_guarantees == (is_broken ? 1U : 0U));
            CHECK(report.listed_broken_guarantees == report.broken_guarantees);
        }
        return texts;
    };
    CHECK(found("3", "b,2,3,10,w0\n").empty());
    CHECK(found("3", "b,2,3,11,w0\n").empty());
    CHECK(found("3", "b,3,3,,w0\n").empty());
    CHECK(found("3", "b,1,3,4,w0\nb,1,4,7,w0\nb,7,7,,w0\n").empty());
    CHECK(found("10", "b,2,10,12,w0\n").empty());
    CHECK(found("3", "") == Texts{"job w0!b: was guaranteed a start at 3.000000 and starts at 10.000000"});
    CHECK(found("3", "b,2,3,9,w0\n") == Texts{"job w0!b: was guaranteed a start at 9.000000 and starts at 10.000000"});
    const auto with_late = [](const std::string& text) {
        return Texts{text, "job w0!b: was guaranteed a start at 3.000000 and starts at 10.000000"};
    };
    CHECK(found("3", "b,2,4,11,w0\n") ==
          with_late("job w0!b: its guarantee broken at 2.000000 was a start at 4.000000, expected 3.000000"));
    CHECK(found("3", "b,2,3,,w0\nb,2,3,11,w0\n") ==
          with_late("job w0!b: its guarantee broken at 2.000000 was a start at 3.000000, expected none"));
    CHECK(found("3", "b,4,3,11,w0\n") ==
          Texts{"job w0!b: its guarantee broken at 4.000000: expected a time from 0.000000 to 3.000000",
                "job w0!b: was guaranteed a start at 3.000000 and starts at 10.000000"});
    CHECK(found("3", "b,2,3,5,w0\nb,1,5,11,w0\n") ==
          with_late("job w0!b: its guarantee broken at 1.000000: expected a time from 2.000000 to 5.000000"));
    CHECK(found("3", "b,2,3,3,w0\n") ==
          with_late("job w0!b: its guarantee broken at 2.000000 is now 3.000000, which is not later"));
    CHECK(found("10", "c,5,5,6,w0\n") == Texts{"job w0!c: has a broken guarantee, but was guaranteed nothing"});
    CHECK(found("10", "d,5,5,6,w0\n") == Texts{"job w0!d: has a broken guarantee, but is not among the guarantees"});
    CHECK_THROWS_WITH(read_broken_guarantees("run_broken.csv",
                                             "job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name\n"
                                             "b,,3,4,w0\n"),
                      "run_broken.csv:2: lost_at is '', expected a number of seconds");
    CHECK_THROWS_AS(read_broken_guarantees("/nonexistent/broken.csv"), InputError);
    const std::vector<Guarantee> guarantees{{"w0!a", Time(), Time()},
                                            {"w0!b", Time::seconds(3), Time::seconds(10)},
                                            {"w0!c", std::nullopt, Time::seconds(5)}};
    const auto parked = [&](std::optional<Time> new_start) {
        const std::vector<BrokenGuarantee> broken{
            {"w0!b", Time::seconds(2), Time::seconds(3), new_start, GuaranteeBreakCause::parked}};
        return check_schedule(run.schedule, run.workloads, run.platform, {}, &guarantees, &broken).violations.size();
    };
    CHECK(parked(std::nullopt) == 0);
    CHECK(parked(Time::seconds(10)) > 0);  // a parked job is guaranteed nothing any more
    std::string line;
    append_csv(BrokenGuarantee{"w0!b", Time::seconds(1), Time::seconds(2), std::nullopt}, line);
    CHECK(broken_guarantees_csv_header() + line ==
          "job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name\nb,1.000000,2.000000,,w0\n");
}

TEST_CASE("an error in a guarantees.csv names its line") {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            read_guarantees("run_guarantees.csv", text);
        } catch (const InputError& problem) {
            return problem.what();
        }
        return "";
    };
    const std::string header = "job_id,guaranteed_start,actual_start,workload_name\n";
    CHECK(refusal(header + "1,,,w0\n").empty());
    CHECK(refusal("") == "run_guarantees.csv: empty, expected a guarantees.csv with a line of column names");
    CHECK(refusal("job_id,guaranteed_start\n") ==
          "run_guarantees.csv:1: no column actual_start, expected a guarantees.csv as batfill simulate writes it");
    CHECK(refusal(header + "1,1,1,w0\n2,soon,3,w0\n") ==
          "run_guarantees.csv:3: guaranteed_start is 'soon', expected a number of seconds");
    CHECK(refusal(header + "1,1,-,w0\n") == "run_guarantees.csv:2: actual_start is '-', expected a number of seconds");
    CHECK(refusal(header + ",1,1,w0\n") == "run_guarantees.csv:2: job_id is '', expected a name");
    CHECK(refusal(header + "1,1\n") == "run_guarantees.csv:2: 2 fields, expected 4 as in the first line");
    CHECK(refusal(header + "\"1,1,1,w0\n") == "run_guarantees.csv:2: misplaced or missing quote");
    CHECK_THROWS_AS(read_guarantees("/nonexistent/run_guarantees.csv"), InputError);
}

}  // namespace batfill::tests::check_guarantees_test
