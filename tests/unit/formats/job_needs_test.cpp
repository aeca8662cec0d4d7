#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/workload.hpp>

#include "src/formats/named_platform.hpp"

namespace batfill::tests::job_needs_test {

namespace {

Workload workload_with(const std::string& fields) {
    return parse_workload(R"({"nb_res":4,"jobs":[{"id":"7","subtime":0,"res":1,"walltime":9,"profile":"p",)" + fields +
                              R"(}],"profiles":{"p":{"type":"delay","delay":1}}})",
                          "w.json", "w0", true);
}

}  // namespace

TEST_CASE("What a job takes of pools, hosts and partitions is read as it stands") {
    const Workload workload =
        workload_with(R"("pools":{"power":3,"bb":0},"per_host":{"cores":8,"gpus":1},"partition":"gpu")");
    const StatedNeeds& needs = *workload.jobs.at(0).description.needs;
    CHECK(needs.pools == StatedNeeds::Amounts{{"power", 3}, {"bb", 0}});
    CHECK(needs.per_host == StatedNeeds::Amounts{{"cores", 8}, {"gpus", 1}});
    CHECK(needs.partition == "gpu");
}

TEST_CASE("A wrong amount of a job names the job, the field and what was expected") {
    const std::string whole = "expected a whole number from 0 on, found ";
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {R"("per_host":{"cores":-1})", R"(field "per_host.cores": )" + whole + "the number -1"},
        {R"("per_host":{"cores":1.5})", R"(field "per_host.cores": )" + whole + "the number 1.5"},
        {R"("per_host":{"cores":99999999999999999999})", R"(field "per_host.cores": )" + whole + "the number"},
        {R"("pools":{"power":9223372036854775808})",
         R"(field "pools.power": )" + whole + "the number 9223372036854775808, above the largest, 9223372036854775807"},
        {R"("per_host":{"cores":"2"})", R"(field "per_host.cores": )" + whole + R"(the text "2")"},
        {R"("per_host":{"cores":null})", R"(field "per_host.cores": )" + whole + "null"},
        {R"("per_host":{"cores":1,"cores":2})", R"(field "per_host.cores": expected once)"},
        {R"("per_host":[1])", R"(field "per_host": expected an object, found an array)"},
        {R"("per_host":null)", R"(field "per_host": expected an object, found null)"},
        {R"("pools":{"power":true})", R"(field "pools.power": )" + whole + "true"},
        {R"("pools":"power")", R"(field "pools": expected an object, found the text "power")"},
        {R"("pools":5)", R"(field "pools": expected an object, found the number 5)"},
        {R"("partition":3)", R"(field "partition": expected a text, found the number 3)"},
        {R"("partition":["a"])", R"(field "partition": expected a text, found an array)"},
    };
    for (const auto& [fields, problem] : wrong) {
        INFO(fields);
        CHECK_THROWS_WITH(workload_with(fields), Catch::Matchers::Contains(R"(jobs[0] (id "7"): )" + problem));
    }
}

TEST_CASE("A reservation of null is none, and one that is no name is kept apart") {
    const auto needs = [](const std::string& fields) { return workload_with(fields).jobs.front().description.needs; };
    CHECK_FALSE(needs(R"("reservation":null)"));
    CHECK(needs(R"("reservation":"a")")->booking == "a");
    CHECK_FALSE(needs(R"("reservation":"a")")->wrong_booking);
    for (const std::string value : {"3", "\"\"", "true", "[\"a\"]", "{\"a\":1}", "1.50"}) {
        INFO(value);
        const Shared<StatedNeeds> wrong = needs(R"("reservation":)" + value);
        REQUIRE(wrong);
        CHECK_FALSE(wrong->booking);
        CHECK(wrong->wrong_booking == (value == "1.50" ? "1.5" : value));
    }
}

TEST_CASE("A pool that is given twice is refused") {
    MachineDetails details;
    details.pools = {{"a", 1}, {"a", 1}};
    CHECK_THROWS_WITH(named_platform("4", details), "--pool: pool a is given twice, expected each pool once");
}

}  // namespace batfill::tests::job_needs_test
