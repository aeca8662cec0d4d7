#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/analysis/workload_jobs.hpp"

namespace batfill::tests::workload_jobs_test {

namespace {

using analysis::IndexedJob;
using analysis::WorkloadJobs;

Workload workload(const std::string& name, const std::vector<std::string>& ids) {
    Workload result;
    result.name = name;
    for (const std::string& id : ids) {
        result.jobs.emplace_back().description.id = name + '!' + id;
    }
    return result;
}

}  // namespace

TEST_CASE("every job of the workloads is found by its id, and no other", "[metrics]") {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < count; ++i) {
            ids.push_back(std::to_string(i * i));
        }
        const std::vector<Workload> workloads{workload("w0", ids), workload("w1", {}), workload("w2", ids)};
        const WorkloadJobs jobs(workloads);
        CHECK(jobs.count() == 2 * count);
        for (std::size_t i = 0; i < 2 * count; ++i) {
            const Workload& of = workloads[i < count ? 0 : 2];
            const JobDescription& expected = of.jobs[i % count].description;
            const std::optional<IndexedJob> found = jobs.find(expected.id);
            REQUIRE(found);
            CHECK(found->description == &expected);
            CHECK(found->workload == (i < count ? 0 : 2));
            CHECK(found->number == i);
            CHECK_FALSE(found->is_later_run);
        }
        for (const char* const id : {"", "w0!", "w0!2", "w1!0", "w2!7", "0"}) {
            CHECK_FALSE(jobs.find(id));
        }
    }
}

TEST_CASE("a later run is found as one of its job, unless a job has that very id", "[metrics]") {
    const std::vector<Workload> workloads{workload("w0", {"a", "b", "b#1"})};
    const WorkloadJobs jobs(workloads);
    const auto found = [&](const std::string& id) {
        const std::optional<IndexedJob> job = jobs.find(id);
        return job ? job->description->id + (job->is_later_run ? " again" : "") : "none";
    };
    CHECK(found("w0!a#3") == "w0!a again");
    CHECK(found("w0!b#1") == "w0!b#1");
    CHECK(found("w0!b#2") == "w0!b again");
    CHECK(found("w0!b#1#1") == "w0!b#1 again");
    CHECK(found("w0!a#0") == "none");
    CHECK(found("w0!a#01") == "none");
    CHECK(found("w0!c#1") == "none");
    CHECK(jobs.earlier_run("w0!a#1") == "w0!a");
    CHECK(jobs.earlier_run("w0!a#3") == "w0!a#2");
    CHECK_FALSE(jobs.earlier_run("w0!a"));
    CHECK_FALSE(jobs.earlier_run("w0!b#1"));
    CHECK_THROWS_WITH(jobs.require("w0!c", "x_jobs.csv"), "x_jobs.csv: job w0!c is in none of the workloads");
}

}  // namespace batfill::tests::workload_jobs_test
