#include <catch2/catch.hpp>

#include <batfill/formats/workload.hpp>
#include <batfill/workloads/models.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/workloads/same_jobs.hpp"

namespace batfill::tests::same_jobs_test {

namespace {

Workload two_jobs(const std::string& first, const std::string& second) {
    return parse_workload(R"({"nb_res":4,"jobs":[)" + first + "," + second +
                              R"(],"profiles":{"a":{"type":"delay","delay":5},"b":{"type":"delay","delay":5.0},)"
                              R"("c":{"type":"delay","delay":6}}})",
                          "w.json", "w0");
}

const std::string one = R"({"id":"1","subtime":0,"res":2,"walltime":9,"profile":"a"})";
const std::string two = R"({"id":"2","subtime":3,"res":1,"walltime":9,"profile":"c"})";

}  // namespace

TEST_CASE("Workloads with the same ids, sizes and run times have the same jobs") {
    const std::string hash = hash_of_jobs(two_jobs(one, two));
    for (const std::string same : {R"({"id":"1","subtime":7,"res":2,"walltime":9,"profile":"a"})",
                                   R"({"id":"1","subtime":0,"res":2,"profile":"a","deadline":100,"user":"u"})",
                                   R"({"id":"1","subtime":0,"res":2,"walltime":9,"profile":"b"})"}) {
        INFO(same);
        CHECK(hash_of_jobs(two_jobs(same, two)) == hash);
        CHECK(hash_of_jobs(two_jobs(two, same)) == hash);
    }
    for (const std::string other : {R"({"id":"3","subtime":0,"res":2,"walltime":9,"profile":"a"})",
                                    R"({"id":"1","subtime":0,"res":3,"walltime":9,"profile":"a"})",
                                    R"({"id":"1","subtime":0,"res":2,"walltime":9,"profile":"c"})"}) {
        INFO(other);
        CHECK(hash_of_jobs(two_jobs(other, two)) != hash);
    }
}

TEST_CASE("A load changes no jobs, and another seed changes them") {
    LublinModel model;
    model.jobs = 50;
    model.processors = 16;
    model.load = 0.7;
    const std::string hash = hash_of_jobs(generate_lublin(model));
    model.load = 0.9;
    CHECK(hash_of_jobs(generate_lublin(model)) == hash);
    model.seed = 2;
    CHECK(hash_of_jobs(generate_lublin(model)) != hash);
}

TEST_CASE("Groups are numbered in the order of their first members") {
    CHECK(groups_of_equal({"b", "a", "b", "c", "a"}) == std::vector<std::size_t>{0, 1, 0, 2, 1});
    CHECK(groups_of_equal({}).empty());
}

}  // namespace batfill::tests::same_jobs_test
