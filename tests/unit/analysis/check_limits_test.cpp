#include <string>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>

#include "tests/unit/analysis/checked_schedule.hpp"

// Whether the audit sees that jobs had more than limits allow.
namespace batfill::tests::check_limits_test {

using namespace checked_schedule;

namespace {

// Ann has 2 processors from 0 to 10 and then 3. Bob has 3.
Case limited_case(const std::string& limits) {
    Case run = empty_case(8);
    add(run, "a", Time(), Time(), seconds(10), seconds(20), ResourceSet::range(0, 1));
    add(run, "b", Time(), Time::seconds(10), seconds(10), seconds(20), ResourceSet::range(2, 4));
    add(run, "c", Time(), Time(), seconds(30), seconds(40), ResourceSet::range(5, 7));
    for (std::size_t job = 0; job < 3; ++job) {
        run.workloads[0].jobs[job].description.user = job < 2 ? "ann" : "bob";
        run.workloads[0].jobs[job].description.other_fields = R"("account":7)";
    }
    run.platform.limits = parse_limits(limits, "limits");
    return run;
}

}  // namespace

TEST_CASE("jobs of a user that have more than a limit at once are named, with the limit") {
    Case run = limited_case(R"({"of":"user","most":{"processors":4,"jobs":1}})");
    CHECK(violations(run) == Texts{});
    shift(run.schedule.jobs[1], -Duration::microseconds(1));
    CHECK(violations(run) == Texts{});
    shift(run.schedule.jobs[1], -seconds(1));
    CHECK(violations(run) == Texts{"job w0!b: takes 3 processors, of which limit 1, user ann has 2 of 4 left",
                                   "job w0!b: takes 1 jobs, of which limit 1, user ann has 0 of 1 left"});
}

TEST_CASE("a limit of a field that is a number counts as its text, and a job without the field is not limited") {
    Case run = limited_case(R"({"of":"account","value":"7","most":{"processors":5}})");
    CHECK(violations(run) == Texts{"job w0!b: takes 3 processors, of which limit 1, account 7 has 2 of 5 left"});
    run.workloads[0].jobs[1].description.other_fields = {};
    CHECK(violations(run) == Texts{});
}

TEST_CASE("a job that asks for more than its limit must be rejected, and others must not") {
    Case run = limited_case(R"({"of":"user","value":"bob","most":{"processors":2}})");
    CHECK(violations(run) ==
          Texts{"job w0!c: runs, though it asks for 3 processors, of which limit 1, user bob allows 2"});
    reject(run.schedule.jobs[2]);
    CHECK(violations(run) == Texts{});
    reject(run.schedule.jobs[0]);
    CHECK(violations(run) == Texts{"job w0!a: rejected, though the machine could run it: it has a walltime and "
                                   "requests 2 of 8 processors"});
}

}  // namespace batfill::tests::check_limits_test
