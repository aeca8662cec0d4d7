#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/unit/formats/accounting_files.hpp"

namespace batfill::tests::sacct_json_test {

using Catch::Matchers::Contains;
using namespace accounting_files;

namespace {

std::string document(const std::string& jobs) {
    return R"({"meta":{"slurm":{"version":{"major":"23"}}},"jobs":[)" + jobs + R"(],"errors":[]})";
}

// A number as Slurm writes it from 23.02 on.
std::string set(const std::string& number) {
    return R"({"set":true,"infinite":false,"number":)" + number + "}";
}

std::string tres(const std::string& more) {
    return R"([{"type":"cpu","name":"","count":8},{"type":"mem","name":"","count":2048},)"
           R"({"type":"node","name":"","count":2})" +
           more + "]";
}

const std::string four_gpus = R"(,{"type":"gres","name":"gpu:a100","count":4})";

struct Versions {
    std::string limit;
    std::string state;
    std::string unset;
};

// The job 5 of six processors.
std::string job_5(const Versions& version) {
    return R"({"job_id":5,"name":"run","user":"ann","account":"phys","partition":"batch","qos":"normal",)"
           R"("allocation_nodes":2,"nodes":"n[1-2]","array":{"job_id":0,"task_id":)" +
           version.unset + R"(},"het":{"job_id":0,"job_offset":)" + version.unset +
           R"(},"time":{"submission":1709280000,"start":1709280060,"end":1709283660,"elapsed":3600,"limit":)" +
           version.limit + R"(},"required":{"CPUs":6},"state":)" + version.state + R"(,"tres":{"requested":)" +
           tres(four_gpus) + R"(,"allocated":)" + tres(four_gpus) + "}}";
}

std::string short_job(const std::string& id, const std::string& start, const std::string& end,
                      const std::string& more) {
    return R"({"job_id":)" + id + R"(,"time":{"submission":100,"start":)" + start + R"(,"end":)" + end +
           R"(,"elapsed":50},"required":{"CPUs":2})" + more + "}";
}

// What makes two logs the same workload.
std::string text_of_log(const SwfLog& log) {
    std::string text;
    for (std::size_t i = 0; i < log.jobs.size(); ++i) {
        const SwfJob& job = log.jobs[i];
        text += id_of(log, i) + " " + job.submit.to_shortest_string() + " " + job.wait.to_shortest_string() + " " +
                job.run_time.to_shortest_string() + " " + job.requested_time.to_shortest_string() + " " +
                std::to_string(job.requested_processors) + " " + std::to_string(job.allocated_processors) + " " +
                std::to_string(job.status) + " " + (job.user < 0 ? "" : user_of(log, i)) + " " +
                (job.queue < 0 ? "" : queue_of(log, i)) + " " + fields_of(log, i) + "\n";
    }
    for (const auto& [what, jobs] : log.left_out) {
        text += what + ": " + std::to_string(jobs) + "\n";
    }
    for (const auto& [what, jobs] : log.noted) {
        text += what + ": " + std::to_string(jobs.size()) + "\n";
    }
    return text + log.zero;
}

}  // namespace

TEST_CASE("A job of sacct --json is the same as in the table, in all versions of Slurm") {
    const std::string table =
        "JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|NNodes|ReqTRES|AllocTRES|State\n"
        "5|run|ann|phys|batch|normal|2024-03-01T08:00:00|2024-03-01T08:01:00|2024-03-01T09:01:00|01:00:00|02:00:00|6|2|"
        "cpu=8,mem=2G,node=2,gres/gpu:a100=4|cpu=8,mem=2G,node=2,gres/gpu:a100=4|COMPLETED\n";
    const std::string expected = text_of_log(read("sacct", table));
    for (const Versions& version : {Versions{"120", R"({"current":"COMPLETED"})", "null"},
                                    Versions{set("120"), R"({"current":["COMPLETED"],"reason":"None"})",
                                             R"({"set":false,"infinite":false,"number":0})"},
                                    Versions{"120", R"("COMPLETED")", "4294967294"}}) {
        CHECK(text_of_log(read("sacct", document(job_5(version)))) == expected);
    }
}

TEST_CASE("sacct --json: jobs that did not start or end, tasks of arrays and heterogeneous jobs, as in the table") {
    const std::string array = R"(,"array":{"job_id":7,"task_id":)" + set("3") + "}";
    const auto het = [](const std::string& offset) {
        return R"(,"het":{"job_id":20,"job_offset":)" + set(offset) + R"(},"tres":{"requested":)" + tres(four_gpus) +
               "}";
    };
    const std::string jobs = short_job("8", "110", "160", array) + "," + short_job("20", "120", "170", het("0")) + "," +
                             short_job("21", "120", "170", het("1")) + "," +
                             short_job("30", "0", "0", R"(,"state":{"current":["PENDING"]})") + "," +
                             short_job("31", "130", "0", R"(,"state":{"current":["RUNNING"]})");
    const std::string rows =
        "7_3|100|110|160|50|2|||COMPLETED\n"
        "20+0|100|120|170|50|2|cpu=8,mem=2G,gres/gpu:a100=4|2|COMPLETED\n"
        "20+1|100|120|170|50|2|cpu=8,mem=2G,gres/gpu:a100=4|2|COMPLETED\n"
        "30|100|Unknown|Unknown|50|2|||PENDING\n31|100|130|Unknown|50|2|||RUNNING\n";
    const SwfLog log = read("sacct", document(jobs));
    CHECK(text_of_log(log).find("20 100") != std::string::npos);
    CHECK(fields_of(log, 1) == R"("gpus":8,"nodes":4,"memory":4294967296)");
    const SwfLog table = read("sacct", "JobID|Submit|Start|End|Elapsed|ReqCPUS|ReqTRES|NNodes|State\n" + rows);
    REQUIRE(log.jobs.size() == table.jobs.size());
    for (std::size_t job = 0; job < log.jobs.size(); ++job) {
        CHECK(id_of(log, job) == id_of(table, job));
        CHECK(fields_of(log, job) == fields_of(table, job));
        CHECK(log.jobs[job].requested_processors == table.jobs[job].requested_processors);
        CHECK(log.jobs[job].run_time == table.jobs[job].run_time);
    }
    CHECK(count_of(log.left_out, "never started") == 1);
    CHECK(count_of(log.left_out, "has not ended yet") == 1);
    CHECK(count_of(log.noted, "time limit missing") == 2);
}

TEST_CASE("sacct --json: limits, memory and nodes in their forms") {
    const auto walltime = [](const std::string& limit) {
        const std::string text = R"({"job_id":1,"time":{"submission":1,"start":1,"end":9,"limit":)" + limit + "}}";
        return read("sacct", document(text)).jobs.at(0).requested_time;
    };
    CHECK(walltime("90") == Duration::seconds(5400));
    CHECK(walltime("null") < Duration());
    CHECK(walltime("4294967295") < Duration());
    CHECK(walltime(R"({"set":false,"infinite":true,"number":0})") < Duration());
    const auto fields = [](const std::string& required) {
        return fields_of(read("sacct", document(R"({"job_id":1,"time":{"submission":1,"start":1,"end":9},)"
                                                R"("allocation_nodes":2,"required":{"CPUs":4,)" +
                                                required + "}}")),
                         0);
    };
    CHECK(fields(R"("memory":1024)") == R"("nodes":2,"memory":2147483648)");
    CHECK(fields(R"("memory":9223372036854776832)") == R"("nodes":2,"memory":4294967296)");
    CHECK(fields(R"("memory_per_cpu":)" + set("1024")) == R"("nodes":2,"memory":4294967296)");
    CHECK(fields(R"("memory_per_node":)" + set("1024")) == R"("nodes":2,"memory":2147483648)");
    AccountingData nodes;
    nodes.counts_nodes = true;
    CHECK(read("sacct", document(job_5({"1", R"("COMPLETED")", "null"})), nodes).jobs.at(0).requested_processors == 2);
}

TEST_CASE("sacct --json: what is no such job is refused or dropped, and no other JSON is read") {
    const std::string good = short_job("1", "110", "160", "");
    const std::string text = document(good + R"(,{"job_id":"x"},7,)" + short_job("2", "110", "160", ""));
    CHECK_THAT(problem_with("sacct", text), Contains("data: job 2: job_id: expected a whole number") &&
                                                Contains("; --bad-rows drop leaves such rows out"));
    AccountingData data;
    data.drops_bad_rows = true;
    const SwfLog log = read("sacct", text, data);
    CHECK(log.jobs.size() == 2);
    CHECK(count_of(log.left_out, "row that cannot be read") == 2);
    CHECK_THAT(problem_with("sacct", R"({"nb_res":4,"jobs":[{"id":"1"}],"profiles":{}})"),
               Contains("data: expected the jobs of sacct --json, found a workload"));
    CHECK_THAT(problem_with("sacct", R"({"a":[]})"), Contains("expected an object with an array jobs"));
    CHECK_THAT(problem_with("sacct", R"({"jobs":[{"job_id":1)"), Contains("data"));
}

}  // namespace batfill::tests::sacct_json_test
