#include <catch2/catch.hpp>

#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/unit/formats/accounting_files.hpp"

namespace batfill::tests::pbs_sizes_test {

using namespace accounting_files;

namespace {

std::string record(const std::string& more) {
    return "03/01/2024 09:10:00;E;1.s;user=u queue=q ctime=1709280000 start=1709280600 " + more + " end=1709284200\n";
}

struct Size {
    long long requested = 0;
    long long allocated = 0;
    bool operator==(const Size& other) const = default;
};

Size size_of(const std::string& more, bool counts_nodes = false) {
    AccountingData data;
    data.counts_nodes = counts_nodes;
    const SwfLog log = read("pbs", record(more), data);
    REQUIRE(log.jobs.size() == 1);
    return {log.jobs[0].requested_processors, log.jobs[0].allocated_processors};
}

long long nodes_of(const std::string& more) {
    return size_of(more, true).requested;
}

std::string fields_of_record(const std::string& more) {
    return fields_of(read("pbs", record(more)), 0);
}

std::string list(const std::string& key, const std::string& value) {
    return "Resource_List." + key + "=" + value + " ";
}

}  // namespace

TEST_CASE("TORQUE: nodes beat the server's default of one processor") {
    const std::string one = list("ncpus", "1");
    const auto requested = [&](const std::string& nodes) { return size_of(one + list("nodes", nodes)).requested; };
    CHECK(requested("2:ppn=8") == 16);
    CHECK(requested("2") == 2);
    CHECK(requested("2:sb:ppn=8") == 16);
    CHECK(requested("1:ppn=4+2:ppn=8:gpu") == 20);
    CHECK(requested("n11:ppn=4+n12:ppn=4") == 8);
    CHECK(requested("n11+n12") == 2);
    CHECK(requested("2:ppn=4#shared") == 8);
    CHECK(size_of(one + list("neednodes", "2:ppn=3")).requested == 6);
    CHECK(size_of(list("ncpus", "8") + list("nodes", "1")).requested == 8);
    CHECK(size_of(list("ncpus", "8") + list("nodes", "1:ppn=1")).requested == 8);
    CHECK(size_of(list("ncpus", "16") + list("nodes", "4")).requested == 16);
    CHECK(size_of(list("ncpus", "4") + list("nodes", "1:ppn=2")).requested == 2);
}

TEST_CASE("TORQUE: procs beside defaults is the size, and beside nodes it is added") {
    CHECK(size_of(list("procs", "16") + list("ncpus", "1")).requested == 16);
    CHECK(size_of(list("procs", "16") + list("nodes", "1") + list("ncpus", "1")).requested == 16);
    CHECK(size_of(list("procs", "10") + list("nodes", "2:ppn=4")).requested == 18);
}

TEST_CASE("PBS Pro: select gives a size where ncpus is missing, and old syntax does not add to it") {
    CHECK(size_of(list("select", "2:ncpus=8:mpiprocs=8+1:ncpus=4")).requested == 20);
    CHECK(size_of(list("select", "ncpus=16:ngpus=2")).requested == 16);
    CHECK(size_of(list("select", "ncpus=8:ngpus=4+2:ncpus=2:ngpus=1")).requested == 12);
    CHECK(size_of(list("ncpus", "16") + " exec_host=big/0 resources_used.ncpus=16").allocated == 16);
    CHECK(size_of(list("select", "4")).requested == 4);
    CHECK(size_of(list("select", "host=n1:ncpus=3")).requested == 3);
    CHECK(size_of(list("ncpus", "16") + list("nodes", "2:ppn=8") + list("select", "2:ncpus=8:mpiprocs=8")) ==
          Size{16, 16});
    CHECK(size_of(list("ncpus", "16") + list("nodes", "2:ppn=8")).requested == 16);
    CHECK(size_of(list("nodes", "2:ncpus=4")).requested == 8);
    CHECK(size_of(list("nodes", "2:ppn=4:cpp=3")).requested == 24);
    CHECK(size_of("exec_host=n1/0 " + list("select", "1:ncpus=8")) == Size{8, 8});
}

TEST_CASE("Cray: the width of a parallel job is its size, and its login node is not") {
    const std::string login = "exec_host=nid00007/24 exec_vnode=(login02:ncpus=1) " + list("ncpus", "1") +
                              list("nodect", "1") + list("select", "1");
    CHECK(size_of(login + list("mppwidth", "64") + list("mppnppn", "24")) == Size{64, 64});
    CHECK(size_of(login + list("mppwidth", "64") + list("mppdepth", "2")) == Size{128, 128});
    CHECK(nodes_of(login + list("mppwidth", "64") + list("mppnppn", "24")) == 3);
    CHECK(nodes_of(login + list("mppwidth", "64")) == -1);
    CHECK(size_of("exec_host=login/3 " + list("size", "240") + list("ncpus", "1")) == Size{240, 240});
}

TEST_CASE("PBS: what was allocated comes from counts, then vnodes, then slots") {
    const auto allocated = [](const std::string& more) { return size_of(more).allocated; };
    CHECK(allocated("exec_host=n1/25 total_execution_slots=25 " + list("nodes", "1:ppn=25")) == 25);
    CHECK(allocated("exec_host=n1/8+n2/8 total_execution_slots=16 unique_node_count=2") == 16);
    CHECK(allocated("exec_host=n1/25") == 1);
    CHECK(allocated("exec_host=n1/0-24") == 25);
    CHECK(allocated("exec_host=n1/0,2,4+n2/1") == 4);
    CHECK(allocated("exec_host=n1/0*4+n2/0*4") == 8);
    CHECK(allocated("exec_vnode=(n1:ncpus=8:mem=4gb+n2:ncpus=4)+(n3:ncpus=8)") == 20);
    CHECK(allocated("exec_host=mom2/1*24+mom2/2*24 exec_vnode=(n7:ncpus=24)+(n8:ncpus=24)") == 48);
    CHECK(allocated("resources_used.ncpus=6") == 6);
    CHECK(allocated("exec_host=\"R00-M0-512\" " + list("ncpus", "8192")) == 8192);
    CHECK(allocated("exec_host=n1+n2") == 2);
}

TEST_CASE("PBS: nodes are counted by the batch system, by vnodes, or by hosts") {
    CHECK(nodes_of("exec_host=n1/8+n2/8 unique_node_count=2 " + list("nodect", "4")) == 2);
    CHECK(nodes_of("exec_host=mom2/1*24+mom2/2*24 exec_vnode=(n7:ncpus=24)+(n8:ncpus=24) " + list("nodect", "2")) == 2);
    CHECK(nodes_of("exec_vnode=(n7:ncpus=24)+(n8:ncpus=24)") == 2);
    CHECK(nodes_of("exec_vnode=(n7:ncpus=1)+(n7:ncpus=1)+(n8:ncpus=1) " + list("nodect", "3")) == 2);
    CHECK(nodes_of("exec_vnode=(n7[0]:ncpus=8+n7[1]:ncpus=8) " + list("nodect", "1")) == 1);
    CHECK(nodes_of("exec_host=R00-M0-512 " + list("nodect", "512")) == 512);
    CHECK(nodes_of("exec_host=n1/0-3+n2/0-3 " + list("nodect", "1") + list("procs", "8")) == 2);
    CHECK(nodes_of(list("select", "3:ncpus=2+1")) == 4);
}

TEST_CASE("PBS: GPUs are those of the job, of its chunks, or of its nodes") {
    CHECK(fields_of_record(list("ngpus", "3") + list("select", "2:ngpus=2")) == R"("gpus":3)");
    CHECK(fields_of_record(list("select", "2:ncpus=8:ngpus=4+1:ncpus=1")) == R"("gpus":8)");
    CHECK(fields_of_record(list("nodes", "2:ppn=4:gpus=1+n3:gpus=2:shared")) == R"("gpus":4)");
    CHECK(fields_of_record("exec_vnode=(n1:ncpus=1:ngpus=2)+(n2:ngpus=2)") == R"("gpus":4)");
    CHECK(fields_of_record("exec_gpus=n1-gpu/1+n1-gpu/0") == R"("gpus":2)");
    CHECK(fields_of_record("Resource_List.gpus=3") == R"("gpus":3)");
    CHECK(fields_of_record("exec_gpus=n1-gpu/1+n1-gpu/0 Resource_List.gpus=1") == R"("gpus":2)");
    CHECK(fields_of_record(list("select", "2:ncpus=8")).empty());
}

}  // namespace batfill::tests::pbs_sizes_test
