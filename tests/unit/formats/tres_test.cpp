#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/formats/tres.hpp"
#include "tests/unit/formats/accounting_files.hpp"

namespace batfill::tests::tres_test {

using Catch::Matchers::Contains;
using namespace accounting_files;

namespace {

const std::string header = "JobID|Submit|Start|Elapsed|Timelimit|ReqTRES|AllocTRES|NNodes\n";

std::string row(const std::string& id, const std::string& requested, const std::string& allocated) {
    return id + "|1|1|60|100|" + requested + "|" + allocated + "|1\n";
}

}  // namespace

TEST_CASE("Hosts in a list of Slurm") {
    CHECK(hosts_in("n1") == 1);
    CHECK(hosts_in("n[1-4,07],login1,m3") == 7);
    CHECK(hosts_in("r[1-2]n[01-08]") == 16);
    CHECK_FALSE(hosts_in(""));
    CHECK_FALSE(hosts_in("None assigned"));
    CHECK_FALSE(hosts_in("(null)"));
    CHECK_FALSE(hosts_in("n[1-4"));
    CHECK_FALSE(hosts_in("n[4-1]"));
    CHECK_FALSE(hosts_in("n[]"));
    CHECK_FALSE(hosts_in("n[1-9999999999]"));
}

TEST_CASE("GPUs of types add up, unless the total stands beside them") {
    CHECK(gpus_in("cpu=64,gres/gpu:a100=4,mem=480G") == 4);
    CHECK(gpus_in("gres/gpu:a100=2,gres/gpu:v100=3") == 5);
    CHECK(gpus_in("gres/gpu:a100=2,gres/gpu=3") == 3);
    CHECK(gpus_in("gres/gpu:1g.5gb=2,gres/gpu:3g.20gb=1") == 3);
    CHECK(gpus_in("gpu:4") == 4);
    CHECK(gpus_in("gpu:a100:4") == 4);
    CHECK(gpus_in("gres:gpu:2,gres:craynetwork:1") == 2);
    CHECK(gpus_in("gres/gpu:a100:3") == 3);
    CHECK(gpus_in("gpu:tesla:2(IDX:0,3),gpu:tesla:1(IDX:1),mic:1") == 3);
    CHECK(gpus_in("gpu") == 1);
    CHECK(gpus_in("gpu:a100") == 1);
    CHECK(gpus_in("7696487:2") == 2);
    CHECK(gpus_in("gres/gpu=0") == 0);
    CHECK_FALSE(gpus_in("cpu=8,mem=4G,gres/gpumem=80G,gres/shard=2"));
    CHECK_FALSE(gpus_in(""));
    CHECK_THROWS_WITH(gpus_in("gres/gpu=many"), Contains("found the GPUs 'gpu=many', expected a number"));
    CHECK_THROWS_AS(gpus_in("gres/gpu=-1"), InputError);
}

TEST_CASE("sacct: what the requested TRES do not name comes from the allocated ones, and is counted") {
    const SwfLog log =
        read("sacct", header + row("1", "cpu=64,node=1", "cpu=64,gres/gpu:a100=2,gres/gpu:v100=2,mem=1G") +
                          row("2", "cpu=64,mem=2G,gres/gpu:a100=4", "cpu=64,mem=9G,gres/gpu=8") +
                          row("3", "cpu=64,mem=2G", "cpu=64,mem=2G"));
    CHECK(fields_of(log, 0) == R"("gpus":4,"nodes":1,"memory":1073741824)");
    CHECK(fields_of(log, 1) == R"("gpus":4,"nodes":1,"memory":2147483648)");
    CHECK(fields_of(log, 2) == R"("nodes":1,"memory":2147483648)");
    CHECK(count_of(log.noted, "GPUs or memory not in the request") == 1);
    const SwfLog allocated = read("sacct", "JobID|Submit|Start|Elapsed|Timelimit|AllocTRES\n1|1|1|5|9|cpu=1,mem=512\n");
    CHECK(fields_of(allocated, 0) == R"("memory":536870912)");
    CHECK(allocated.noted.empty());
}

TEST_CASE("sacct: GPUs of old versions come from generic resources") {
    const auto gpus = [](const std::string& columns, const std::string& values) {
        return fields_of(read("sacct", "JobID|Submit|Start|Elapsed|" + columns + "\n1|1|1|5|" + values + "\n"), 0);
    };
    CHECK(gpus("ReqGRES|AllocGRES", "gpu:2|gpu:2") == R"("gpus":2)");
    CHECK(gpus("ReqGRES|AllocGRES", "|gpu:tesla:3") == R"("gpus":3)");
    CHECK(gpus_in("PER_NODE:gpu:2", 3) == 6);
    CHECK(gpus_in("PER_NODE:gpu:v100:1,PER_NODE:gpu:a100:1", 2) == 4);
    CHECK(gpus_in("PER_JOB:gpu:4", 2) == 4);
    CHECK(gpus_in("gpu:4", 2) == 4);
    CHECK(gpus("ReqGres", "gpu:k80:4") == R"("gpus":4)");
    CHECK(gpus("ReqTRES|AllocGRES", "cpu=1|gpu:1") == R"("gpus":1)");
}

TEST_CASE("sacct: processors, memory, GPUs and nodes of a heterogeneous job add up") {
    const SwfLog log = read("sacct", header + row("10+0", "cpu=64,mem=100G", "cpu=64") +
                                         row("10+1", "cpu=64,mem=480G,gres/gpu=4,gres/gpu:a100=4", "cpu=64") +
                                         row("10+2", "cpu=1,gres/gpu:v100=1", "cpu=1"));
    REQUIRE(log.jobs.size() == 1);
    CHECK(log.jobs[0].requested_processors == 129);
    CHECK(fields_of(log, 0) == R"("gpus":5,"nodes":3,"memory":622770257920)");
}

TEST_CASE("sacct: a request of all memory of a node is what was allocated") {
    for (const std::string request : {"0", "0n", "?", ""}) {
        INFO(request);
        const SwfLog log = read("sacct", "JobID|Submit|Start|Elapsed|Timelimit|NNodes|ReqMem|AllocTRES\n1|1|1|5|9|2|" +
                                             request + "|cpu=1,mem=3G\n");
        CHECK(fields_of(log, 0) == R"("nodes":2,"memory":3221225472)");
        CHECK(count_of(log.noted, "GPUs or memory not in the request") == 1);
    }
}

TEST_CASE(
    "sacct: a heterogeneous job ends with its last component, by the largest limit, without those never started") {
    const SwfLog log = read("sacct",
                            "JobID|Submit|Start|End|Timelimit|NCPUS|State\n"
                            "1+0|1|10|70|02:00:00|8|COMPLETED\n1+1|1|10|7270|04:00:00|4|COMPLETED\n"
                            "1+2|1|Unknown|Unknown|04:00:00|16|CANCELLED\n");
    REQUIRE(log.jobs.size() == 1);
    CHECK(log.jobs[0].run_time == Duration::seconds(7260));
    CHECK(log.jobs[0].requested_time == Duration::seconds(14'400));
    CHECK(log.jobs[0].allocated_processors == 12);
    CHECK(count_of(log.left_out, "component of a heterogeneous job that never started") == 1);
}

TEST_CASE("Lists of hosts name each host, with the zeros before its number") {
    const auto names = [](std::string_view list) { return names_of_hosts(list); };
    CHECK(names("n[1-2,007]") == std::vector<std::string>{"n1", "n2", "n007"});
    CHECK(names("r[1-2]n[09-10]x,login") == std::vector<std::string>{"r1n09x", "r1n10x", "r2n09x", "r2n10x", "login"});
    for (const char* const none : {"", "None assigned", "n[2-1]", "n[1", "n[0-999999]", "n[0-999][0-999]"}) {
        CHECK(names(none).empty());
    }
}

}  // namespace batfill::tests::tres_test
