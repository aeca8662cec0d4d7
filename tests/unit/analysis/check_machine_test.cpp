#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>

#include "tests/unit/analysis/checked_schedule.hpp"

namespace batfill::tests::check_machine_test {

using namespace checked_schedule;

TEST_CASE("allocations of another size or beyond the platform are found") {
    Case run = small_case();
    run.schedule.jobs[0].allocation = ResourceSet::range(0, 0);
    run.schedule.jobs[2].allocation = ResourceSet::range(3, 4);
    CHECK(violations(run) ==
          Texts{"job w0!a: has 1 processors, requested 2", "job w0!c: has processor 4, the platform's last is 3"});
}

TEST_CASE("a job wider than the platform must be rejected, and a rejected job has no times") {
    Case run = small_case();
    run.platform = machine(1);
    Texts texts = violations(run);
    CHECK(std::count(texts.begin(), texts.end(), "job w0!a: requests 2 processors of 1 and was not rejected") == 1);

    run = small_case();
    run.schedule.jobs[0].state = JobState::rejected;
    run.schedule.jobs[0].success = false;
    const CheckOptions allowed{.rejections_allowed = true};
    CHECK(violations(run, allowed) == Texts{"job w0!a: rejected, but has times or an allocation"});
    run.schedule.jobs[0].execution.reset();
    CHECK(violations(run, allowed) == Texts{"job w0!a: rejected, but has times or an allocation"});
    run.schedule.jobs[0].allocation.clear();
    CHECK(violations(run, allowed).empty());
}

TEST_CASE("a start on a processor that is unavailable is found, and a job that runs on if it may not") {
    Case run = empty_case(3);
    add(run, "a", Time(), Time::seconds(10), seconds(10), std::nullopt, ResourceSet::range(0, 1));
    const auto with = [&](const std::vector<std::string>& files, bool survive = true) {
        std::vector<std::vector<ExternalEvent>> lists;
        for (const std::string& file : files) {
            lists.push_back(parse_external_events(file, "e.json", false));
        }
        Texts texts;
        for (const Violation& violation : check_schedule(run.schedule, run.workloads, run.platform,
                                                         {.jobs_survive_losses = survive}, nullptr, nullptr, lists)
                                              .violations) {
            texts.push_back(violation.text);
        }
        return texts;
    };
    const auto event = [](const std::string& kind, const std::string& time, const std::string& processors) {
        return R"({"type":"machine_)" + kind + R"(","timestamp":)" + time + R"(,"resources":")" + processors + "\"}\n";
    };
    const std::string on_0 = "job w0!a: starts at 10.000000 on processor 0, which is unavailable from ";
    const std::string on_1 = "job w0!a: starts at 10.000000 on processor 1, which is unavailable from ";
    CHECK(with({}).empty());
    CHECK(with({""}).empty());
    CHECK(with({event("unavailable", "5", "2")}, false).empty());
    CHECK(with({event("unavailable", "5", "1-2")}) == Texts{on_1 + "5.000000 on"});
    CHECK(with({event("unavailable", "5", "0-2") + event("available", "10.5", "0-1")}) ==
          Texts{on_0 + "5.000000 to 10.500000"});
    // Processors are gone from the instant of the loss, and available from the instant of the return.
    CHECK(with({event("unavailable", "10", "1") + event("available", "11", "1")}) ==
          Texts{on_1 + "10.000000 to 11.000000"});
    CHECK(with({event("unavailable", "5", "0-2") + event("available", "10", "0-1")}, false).empty());
    CHECK(with({event("unavailable", "5", "0-2") + event("available", "10.000001", "0-1")}, false).empty());
    CHECK(with({event("unavailable", "5", "0-2") + event("available", "10.000002", "0-1")}) ==
          Texts{on_0 + "5.000000 to 10.000002"});
    // Several outages, from several files.
    CHECK(with({event("unavailable", "1", "1") + event("available", "2", "1") + event("unavailable", "9", "1"),
                event("unavailable", "3", "1") + event("available", "4", "1")}) == Texts{on_1 + "9.000000 on"});
    // During the run, and at its end.
    const std::string during = event("unavailable", "15", "1") + event("available", "16", "1");
    CHECK(with({during}).empty());
    CHECK(with({during}, false) ==
          Texts{"job w0!a: runs until 20.000000 on processor 1, which is unavailable from 15.000000 to 16.000000"});
    CHECK(with({event("unavailable", "20", "1")}, false).empty());
    run.schedule.jobs[0].state = JobState::completed_killed;
    run.schedule.jobs[0].success = false;
    run.schedule.jobs[0].execution =
        ExecutionRecord{Time::seconds(10), seconds(5), Time::seconds(15), seconds(10), seconds(15)};
    CHECK(with({during}, false).empty());

    // Events that contradict each other or do not fit the machine.
    CHECK_THROWS_WITH(with({event("unavailable", "5", "1-3")}),
                      "event machine_unavailable at 5.000000: processor 3 does not exist, the platform's last is 2");
    CHECK_THROWS_WITH(with({event("available", "5", "1")}),
                      "event machine_available at 5.000000: processor 1 is not unavailable");
    CHECK_THROWS_WITH(with({event("unavailable", "5", "0-1"), event("unavailable", "6", "1-2")}),
                      "event machine_unavailable at 6.000000: processor 1 is unavailable already");
}

namespace {

// Two machines of two processors each: "fast" with licences x and y, "slow" with x. Two copies of x, one of y.
Case licensed_case() {
    Case run = small_case();
    for (std::size_t i = 0; i < 4; ++i) {
        Host& host = run.platform.hosts[i];
        host.zone_properties["licenses"] = "x:2, y:1";
        host.properties["machine"] = i < 2 ? "fast" : "slow";
        host.properties["licenses"] = i < 2 ? "x,y" : "x";
    }
    return run;
}

void need(Case& run, std::size_t job, std::vector<std::string> licenses) {
    run.workloads[0].jobs[job].description.licenses = std::move(licenses);
}

}  // namespace

TEST_CASE("copies of a licence are never exceeded") {
    Case run = licensed_case();
    need(run, 0, {"x", "x", "y"});  // listed twice counts once
    need(run, 1, {"x", "y"});       // takes over from the job before at the same instant
    need(run, 2, {"x"});
    CHECK(violations(run).empty());
    for (Host& host : run.platform.hosts) {
        host.zone_properties["licenses"] = "x:1,y:1";
    }
    CHECK(violations(run) == Texts{"job w0!c: takes copy 2 of licence x, there are 1",
                                   "job w0!b: takes copy 2 of licence x, there are 1"});
    for (Host& host : run.platform.hosts) {
        host.zone_properties.clear();  // no licences are defined: nothing to check
    }
    CHECK(violations(run).empty());
}

TEST_CASE("a job with licences runs on one machine that has them") {
    Case run = licensed_case();
    need(run, 2, {"y"});
    CHECK(violations(run) == Texts{"job w0!c: needs licences that processor 2 does not have"});
    need(run, 2, {"x"});
    run.schedule.jobs[2].allocation = *ResourceSet::parse("1-2");
    const Texts texts = violations(run);
    CHECK(std::count(texts.begin(), texts.end(), "job w0!c: needs licences and is on machines fast and slow") == 1);
}

TEST_CASE("processors are consecutive, or of one machine, where the placement requires it") {
    Case run = licensed_case();
    run.schedule.jobs[2].allocation = *ResourceSet::parse("0 2");
    const auto texts_with = [&](Placement placement) {
        CheckOptions options;
        options.placement = placement;
        Texts texts;
        for (const Violation& violation :
             check_schedule(run.schedule, run.workloads, run.platform, options).violations) {
            if (violation.text.find("expected") != std::string::npos) {
                texts.push_back(violation.text);
            }
        }
        return texts;
    };
    CHECK(texts_with(Placement::lowest).empty());
    CHECK(texts_with(Placement::best_effort_contiguous).empty());
    CHECK(texts_with(Placement::contiguous) == Texts{"job w0!c: has processors 0 2, expected consecutive ones"});
    CHECK(texts_with(Placement::machine) == Texts{"job w0!c: has processors 0 2, expected those of one machine"});
    run.schedule.jobs[2].allocation = *ResourceSet::parse("2-3");
    CHECK(texts_with(Placement::contiguous).empty());
    CHECK(texts_with(Placement::machine).empty());
}

TEST_CASE("licence properties that cannot be read are refused where jobs need licences or one machine") {
    for (const char* text : {"x", "x:", ":3", "x:many", "x:-1", "x:1,x:2", "x:99999999999999999999"}) {
        Case run = licensed_case();
        run.platform.hosts[1].zone_properties["licenses"] = text;
        CHECK(violations(run).empty());
        CheckOptions by_machine;
        by_machine.placement = Placement::machine;
        CHECK_THROWS_AS(check_schedule(run.schedule, run.workloads, run.platform, by_machine), InputError);
        need(run, 2, {"x"});
        CHECK_THROWS_AS(violations(run), InputError);
    }
}

}  // namespace batfill::tests::check_machine_test
