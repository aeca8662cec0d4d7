#include <catch2/catch.hpp>

#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/host_amounts.hpp"
#include "src/formats/workload_writer.hpp"
#include "src/support/mapped.hpp"
#include "tests/unit/formats/accounting_files.hpp"

// What accounting data say of hosts and partitions.
namespace batfill::tests::host_fields_test {

using namespace accounting_files;

namespace {

AccountingData with_fields(bool per_host, bool partition) {
    AccountingData data;
    data.fields = {per_host, partition};
    return data;
}

// A table of sacct with these columns, of jobs that ran.
SwfLog sacct(const std::string& columns, const std::string& values, AccountingData data = with_fields(true, false)) {
    return read(
        "sacct",
        "JobID|Submit|Start|End|State|" + columns + "\n5|1709280000|1709280060|1709283660|COMPLETED|" + values + "\n",
        std::move(data));
}

// A record of PBS of a job that ran.
SwfLog pbs(const std::string& more, AccountingData data = with_fields(true, false)) {
    return read(
        "pbs",
        "03/01/2024 09:10:00;E;1.s;user=u queue=q ctime=1709280000 start=1709280600 " + more + " end=1709284200\n",
        std::move(data));
}

std::string list(const std::string& key, const std::string& value) {
    return "Resource_List." + key + "=" + value + " ";
}

// "2 x cores:4,gpus:2", or "2 x whole".
std::string hosts_of(const SwfLog& log, std::size_t job = 0) {
    const SwfJob& found = log.jobs.at(job);
    const LoggedNeeds& needs = log.needs.at(found.needs);
    CHECK(found.requested_processors == found.allocated_processors);
    return std::to_string(found.requested_processors) + " x " +
           (needs.stated.per_host ? capacity_text(*needs.stated.per_host) : "whole");
}

std::string partition_of(const SwfLog& log) {
    return log.needs.at(log.jobs.at(0).needs).stated.partition.value_or("none");
}

}  // namespace

TEST_CASE("sacct: the allocation of a job is divided by its nodes, rounded up") {
    const SwfLog log =
        sacct("NNodes|ReqCPUS|AllocCPUS|AllocTRES", "3|8|10|cpu=10,gres/gpu=6,gres/gpu:a100=6,mem=10G,node=3");
    CHECK(hosts_of(log) == "3 x cores:4,gpus:2,gpus_a100:2,memory:3414");
    CHECK(count_of(log.noted, "does not divide by its hosts") == 1);
    CHECK(fields_of(log, 0).ends_with(R"("per_host":{"cores":4,"gpus":2,"gpus_a100":2,"memory":3414})"));
    CHECK(hosts_of(sacct("AllocTRES", "cpu=8,node=2")) == "2 x cores:4");
    CHECK(hosts_of(sacct("NNodes|NCPUS|AllocGRES", "2|8|PER_NODE:gpu:v100:2")) == "2 x cores:4,gpus:2,gpus_v100:2");
    CHECK(hosts_of(sacct("NNodes|NCPUS|AllocTRES", "1|8|gres/gpu:a:b=1,gres/gpu:1g.5gb=2")) ==
          "1 x cores:8,gpus:3,gpus_1g.5gb:2,gpus_a_b:1");
}

TEST_CASE("sacct: what only the request says counts too, and is noted") {
    const auto noted = [](const SwfLog& log) { return count_of(log.noted, "per_host by the request"); };
    const SwfLog per_node = sacct("NNodes|NCPUS|ReqMem", "2|8|4000Mn");
    CHECK(hosts_of(per_node) == "2 x cores:4,memory:4000");
    CHECK(noted(per_node) == 1);
    CHECK(hosts_of(sacct("NNodes|ReqCPUS|AllocCPUS|ReqMem", "2|8|8|2Gc")) == "2 x cores:4,memory:8192");
    CHECK(hosts_of(sacct("NNodes|NCPUS|ReqMem", "2|8|16G")) == "2 x cores:4,memory:8192");
    CHECK(hosts_of(sacct("NNodes|ReqTRES", "2|cpu=8,mem=1M,gres/gpu=2")) == "2 x cores:4,gpus:1,memory:1");
    const SwfLog both =
        sacct("NNodes|NCPUS|ReqTRES|AllocTRES|ReqMem", "1|8|cpu=4,mem=9G,gres/gpu=4|cpu=8,mem=2G,gres/gpu=2|9G");
    CHECK(hosts_of(both) == "1 x cores:8,gpus:2,memory:2048");
    CHECK(noted(both) == 0);
}

TEST_CASE("sacct: jobs of which the log does not say enough") {
    const SwfLog without_hosts = sacct("NCPUS", "8");
    CHECK(without_hosts.jobs.empty());
    CHECK(count_of(without_hosts.left_out, "number of hosts unknown") == 1);
    CHECK(hosts_of(sacct("NCPUS|NodeList", "8|n[1-3,7]")) == "4 x cores:2");
    CHECK(sacct("NCPUS|NodeList", "8|None assigned").jobs.empty());
    const SwfLog only_hosts = sacct("NNodes", "2");
    CHECK(hosts_of(only_hosts) == "2 x whole");
    CHECK(count_of(only_hosts.noted, "nothing known") == 1);
    CHECK(fields_of(only_hosts, 0) == R"("nodes":2)");
    const SwfLog without_memory = sacct("NNodes|NCPUS", "2|8");
    CHECK(count_of(without_memory.noted, "memory unknown") == 1);
    CHECK(count_of(sacct("NNodes|ReqMem", "2|4G").noted, "cores unknown") == 1);
    CHECK(hosts_of(sacct("NNodes|NCPUS|AllocTRES", "1|8|cpu=8,gres/gpu=0")) == "1 x cores:8");
}

TEST_CASE("sacct: exclusive jobs take whole hosts, and still say what hosts have") {
    const std::string taken = "1|64|cpu=64,mem=4G|";
    const auto look = [&](const std::string& command) {
        const SwfLog log = sacct("NNodes|NCPUS|AllocTRES|SubmitLine", taken + command);
        CHECK(capacity_text(log.needs.at(log.jobs.at(0).needs).taken) == "cores:64,memory:4096");
        CHECK(count_of(log.noted, "whole hosts, by the log") == (hosts_of(log) == "1 x whole" ? 1 : 0));
        return hosts_of(log);
    };
    const std::string shared = "1 x cores:64,memory:4096";
    CHECK(look("sbatch -n 1 --exclusive job.sh") == "1 x whole");
    CHECK(look("sbatch --exclusive=user job.sh") == shared);
    CHECK(look("sbatch --exclusive job.sh --exclusive=user") == "1 x whole");
    CHECK(look("sbatch job.sh --exclusive") == shared);
    CHECK(look("srun -N1 -p long ./a --exclusive") == shared);
    CHECK(look("sbatch --wrap=./a --exclusive") == "1 x whole");
    CHECK(look("sbatch --wrap=srun --exclusive ./a") == shared);
}

TEST_CASE("sacct: the hosts of the components of a job add up, and the largest amounts count") {
    const std::string columns = "JobID|Submit|Start|End|State|Partition|NNodes|AllocTRES\n";
    const std::string times = "|1709280000|1709280060|1709283660|COMPLETED|";
    const SwfLog log = read("sacct",
                            columns + "5+0" + times + "cpu|1|cpu=64,mem=1G\n5+1" + times +
                                "gpu|2|cpu=16,mem=4G,gres/gpu=4\n5+2" + times + "gpu|1|cpu=8,mem=2G\n",
                            with_fields(true, true));
    REQUIRE(log.jobs.size() == 1);
    CHECK(hosts_of(log) == "4 x cores:64,gpus:2,memory:2048");
    CHECK(partition_of(log) == "none");
    CHECK(count_of(log.noted, "hosts with different amounts") == 1);
    CHECK(count_of(log.noted, "components in several partitions") == 1);
    CHECK(count_of(log.noted, "partition unknown") == 0);
}

TEST_CASE("sacct --json: amounts and partitions") {
    const auto look = [](const std::string& more) {
        return read("sacct",
                    R"({"jobs":[{"job_id":5,"time":{"submission":1709280000,"start":1709280060,"end":1709283660},)" +
                        more + R"(,"partition":"gpu","state":{"current":["COMPLETED"]}}]})",
                    with_fields(true, true));
    };
    const std::string allocated =
        R"("allocated":[{"type":"cpu","count":8},{"type":"mem","count":4001},{"type":"node","count":2},)"
        R"({"type":"gres","name":"gpu","count":4},{"type":"gres","name":"gpu:a100","count":4}])";
    const SwfLog log = look(R"("tres":{)" + allocated + "}");
    CHECK(hosts_of(log) == "2 x cores:4,gpus:2,gpus_a100:2,memory:2001");
    CHECK(partition_of(log) == "gpu");
    CHECK(hosts_of(look(R"("allocation_nodes":2,"required":{"CPUs":8,"memory_per_node":{"set":true,"number":100}})")) ==
          "2 x cores:4,memory:100");
    CHECK(hosts_of(look(R"("nodes":"n[1-2]","required":{"CPUs":8})")) == "2 x cores:4");
    CHECK(look(R"("nodes":"None assigned","required":{"CPUs":8})").jobs.empty());
}

TEST_CASE("sacct: generic resources are amounts of hosts, licences and burst buffers of pools") {
    const auto pools_of = [](const SwfLog& log) {
        return capacity_text(log.needs.at(log.jobs.at(0).needs).stated.pools);
    };
    const auto unkept = [](const SwfLog& log) {
        std::string names;
        for (const NotedJobs& noted : log.noted) {
            names += noted.what.starts_with("not kept: ") ? noted.what.substr(10) + " " : "";
        }
        return names;
    };
    AccountingData data = with_fields(true, false);
    const std::string columns = "NNodes|AllocTRES";
    const std::string shares = "2|billing=9,cpu=8,energy=5,gres/mps=50,gres/shard:gb10=30,gres/shard=40,mem=2M,node=2";
    CHECK(hosts_of(sacct(columns, shares)) == "2 x cores:4,memory:1,mps:25,shard:20");
    CHECK(unkept(sacct(columns, shares)).empty());
    const std::string licences = "1|bb/cray=2M,cpu=8,fs/lustre=3,gres/a b:c=1,license/abaqus=4,license/memory=1";
    CHECK(hosts_of(sacct(columns, licences)) == "1 x cores:8,a_b:1");
    CHECK(unkept(sacct(columns, licences)) == "bb/cray fs/lustre license/abaqus license/memory ");
    data.fields.licenses = true;
    CHECK(pools_of(sacct(columns, licences, data)) == "abaqus:4,bb_cray:2097152,license_memory:1");
    CHECK(unkept(sacct(columns, licences, data)) == "fs/lustre ");
    for (const char* word : {"N/A", "None", "-", "?", "NULL", "Unknown", "(null)"}) {
        CHECK(hosts_of(sacct("NNodes|AllocTRES|AllocGRES|ReqTRES", "1|" + std::string(word) + "|" + word + "|cpu=4",
                             data)) == "1 x cores:4");
    }
    // What was allocated counts before what was requested.
    const SwfLog both = sacct(columns + "|ReqTRES|ReqGRES",
                              "2|cpu=8,license/a=3,gres/shard=4|cpu=8,license/a=1,"
                              "license/b=2,gres/shard=9,gres/tpu=2|PER_NODE:npu:2(S:0)",
                              data);
    CHECK(hosts_of(both) == "2 x cores:4,npu:2,shard:2,tpu:1");
    CHECK(pools_of(both) == "a:3,b:2");
    CHECK(count_of(both.noted, "per_host by the request") == 1);
    const std::string tres = R"([{"type": "cpu", "count": 4}, {"type": "gres", "name": "shard:x", "count": 2},
        {"type": "license", "name": "abaqus", "count": 3}, {"type": "ic", "name": "ofed", "count": 1}])";
    const SwfLog json = read("sacct", R"({"jobs": [{"job_id": 1, "allocation_nodes": 2, "state": "COMPLETED",
        "time": {"submission": 1709280000, "start": 1709280060, "end": 1709280100, "elapsed": 40},
        "tres": {"allocated": )" + tres + "}}]}",
                             data);
    CHECK(hosts_of(json) == "2 x cores:2,shard:1");
    CHECK(pools_of(json) == "abaqus:3");
    CHECK(unkept(json) == "ic/ofed ");
}

TEST_CASE("PBS: what was allocated on each host, whichever chunks and vnodes share it") {
    const auto look = [](const std::string& more) { return hosts_of(pbs(more)); };
    CHECK(look("exec_vnode=(n1:ncpus=16:mem=64gb:ngpus=1)+(n2:ncpus=16:mem=64gb:ngpus=1) " +
               list("select", "2:ncpus=16:ngpus=1:mem=64gb") + list("nodect", "2")) ==
          "2 x cores:16,gpus:1,memory:65536");
    CHECK(look("exec_vnode=(n1[0]:ncpus=8:mem=8gb+n1[1]:ncpus=8:mem=8gb)+(n1[0]:ncpus=4:mem=1000kb) " +
               list("nodect", "2")) == "1 x cores:20,memory:16385");
    const SwfLog uneven = pbs("exec_vnode=(n1:ncpus=16)+(n1:ncpus=16)+(n2:ncpus=4) " + list("mem", "5gb"));
    CHECK(hosts_of(uneven) == "2 x cores:32,memory:2560");
    CHECK(count_of(uneven.noted, "hosts with different amounts") == 1);
    CHECK(count_of(uneven.noted, "per_host by the request") == 1);
    // One chunk on two vnodes whose names do not say their host.
    CHECK(look("exec_vnode=(v1:ncpus=8+v2:ncpus=8) " + list("nodect", "1")) == "1 x cores:16");
}

TEST_CASE("PBS: amounts of the request, if the record has no allocation") {
    const SwfLog chunks = pbs(list("select", "2:ncpus=16:mem=64gb+1:ncpus=4:ngpus=2"));
    CHECK(hosts_of(chunks) == "3 x cores:16,gpus:2,memory:65536");
    CHECK(count_of(chunks.noted, "hosts with different amounts") == 1);
    CHECK(count_of(chunks.noted, "per_host by the request") == 1);
    const SwfLog packed =
        pbs("exec_host=n1/0*4+n1/1*4+n2/0*4 " + list("select", "3:ncpus=4:mem=3gb") + list("nodect", "2"));
    CHECK(hosts_of(packed) == "2 x cores:8,memory:4608");
    CHECK(count_of(packed.noted, "chunks share hosts") == 1);
    CHECK(hosts_of(pbs(list("ncpus", "8") + list("nodect", "1") + list("mem", "2gb"))) == "1 x cores:8,memory:2048");
    CHECK(pbs(list("ncpus", "8")).jobs.empty());
}

TEST_CASE("PBS: resources that become nothing of a job are named") {
    const SwfLog log = pbs(list("select", "2:ncpus=4:mpiprocs=4:gpu_type=a100+1:ncpus=1:fpga=0") + list("matlab", "2") +
                           list("filesystems", "home") + list("scratch", "0") + list("preempt", "(null)") +
                           list("walltime", "1:00:00"));
    for (const char* what : {"Resource_List.matlab", "Resource_List.filesystems", "gpu_type of Resource_List.select"}) {
        CHECK(count_of(log.noted, "not kept: " + std::string(what)) == 1);
    }
    CHECK(std::ranges::count_if(log.noted, [](const NotedJobs& noted) { return noted.what.starts_with("not kept"); }) ==
          3);
    CHECK(count_of(pbs(list("nodes", "n7:ppn=4:bigmem")).noted, "not kept: bigmem of Resource_List.nodes") == 1);
}

TEST_CASE("TORQUE: slots and GPUs of each host") {
    const auto look = [](const std::string& more) { return hosts_of(pbs(more)); };
    CHECK(look("exec_host=n1/0-7+n2/0-7 exec_gpus=n1-gpu/0+n1-gpu/1+n2-gpu/0+n2-gpu/1 " + list("ncpus", "1") +
               list("nodes", "2:ppn=8:gpus=2") + list("pmem", "2gb")) == "2 x cores:8,gpus:2,memory:16384");
    CHECK(look("exec_host=n1/0+n1/1+n2/0 " + list("procs", "3") + list("nodect", "1")) == "2 x cores:2");
    CHECK(look("exec_host=n1/25 total_execution_slots=25 unique_node_count=1 " + list("nodes", "1:ppn=25")) ==
          "1 x cores:25");
    CHECK(look("exec_host=n1/0+n2/0 " + list("nodes", "2:ppn=8:gpus=1")) == "2 x cores:1,gpus:1");
}

TEST_CASE("Tables: nodes, or processors beside cores, are the hosts") {
    const auto look = [](const std::string& columns, const std::string& values, const ColumnMapping& more) {
        ColumnMapping mapping{{"id", "i"}, {"submit", "s"}, {"run-time", "r"}, {"processors", "p"}};
        mapping.insert(mapping.end(), more.begin(), more.end());
        return read_csv_table("i,s,r,p," + columns + "\n1,0,60,8," + values + "\n", mapping, with_fields(true, true));
    };
    CHECK(hosts_of(look("n,g,m", "2,gpu:a100:4,3G", {{"nodes", "n"}, {"gpus", "g"}, {"memory", "m"}})) ==
          "2 x cores:4,gpus:2,gpus_a100:2,memory:1536");
    const SwfLog plain = look("c,m", "64,4001", {{"cores", "c"}, {"memory", "m"}});
    CHECK(hosts_of(plain) == "8 x cores:8,memory:501");
    CHECK(count_of(plain.noted, "memory without a unit") == 1);
    CHECK(count_of(plain.noted, "partition unknown") == 1);
    const SwfLog part = look("n,q", "2,7", {{"nodes", "n"}, {"partition", "q"}});
    CHECK(partition_of(part) == "7");
    CHECK(fields_of(part, 0) == R"("nodes":2,"per_host":{"cores":4},"partition":"7")");
    CHECK_THROWS_WITH(look("x", "1", {}), Catch::Contains("expected a column for the hosts of a job"));
    CHECK_THROWS_AS(look("x", "1", {{"per_host", "x"}}), UsageError);
}

TEST_CASE("Tables: without a size, jobs have one host each") {
    const ColumnMapping pods = {{"id", "name"},     {"submit", "created"}, {"start", "started"},
                                {"end", "deleted"}, {"cores", "cpu"},      {"gpus", "gpu"}};
    const std::string rows = "name,cpu,gpu,created,started,deleted\np1,12000,1,0,0,1000\np2,6000,0,100,110,900\n";
    const SwfLog log = read_csv_table(rows, pods, with_fields(true, false));
    CHECK(hosts_of(log, 0) == "1 x cores:12000,gpus:1");
    CHECK(hosts_of(log, 1) == "1 x cores:6000");
    CHECK(count_of(log.noted, "hosts not in the data: one") == 2);
    CHECK_THROWS_WITH(read_csv_table(rows, pods), Catch::Matchers::Contains("nodes"));
}

TEST_CASE("Data sets know their hosts") {
    const SwfLog philly = read("philly",
                               R"([{"jobid":"a","submitted_time":"2017-10-01 00:00:00","status":"Pass","attempts":[)"
                               R"({"start_time":"2017-10-01 00:00:10","end_time":"2017-10-01 01:00:00","detail":[)"
                               R"({"ip":"m1","gpus":["gpu0","gpu1"]},{"ip":"m2","gpus":["gpu0"]}]}]}])",
                               with_fields(true, false));
    CHECK(hosts_of(philly) == "2 x gpus:2");
    const SwfLog helios = read("helios",
                               "job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
                               "queue,vc\n1,u,8,32,2,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:10,"
                               "2020-04-01 01:00:10,3600,10,vcA\n",
                               with_fields(true, true));
    CHECK(hosts_of(helios) == "2 x cores:16,gpus:4");
    CHECK(partition_of(helios) == "vcA");
    // 237 GiB on one host, 474 on two.
    const SwfLog pm100 = read(
        "pm100",
        "job_id,submit_time,start_time,end_time,run_time,time_limit,num_nodes_alloc,job_state,user_id,partition,qos,"
        "num_cores_alloc,num_gpus_alloc,mem_alloc\n"
        "77,2020-05-06 10:00:00,2020-05-06 10:15:00,2020-05-06 11:15:00,3600,1440,2,COMPLETED,53,1,4,256,8,474\n",
        with_fields(true, true));
    CHECK(hosts_of(pm100) == "2 x cores:128,gpus:4,memory:242688");
    CHECK(partition_of(pm100) == "1");
    CHECK(count_of(pm100.noted, "memory without a unit") == 0);
    // Bytes of each host.
    const SwfLog fugaku = read("f-data",
                               "jid,usr,cnumr,nnumr,adt,elpl,sdt,edt,nnuma,mszl,exit state,duration\n"
                               "j,u,96,2,2024-01-02 09:00:00,7200,2024-01-02 09:10:00,2024-01-02 10:10:00,2,1073741824,"
                               "completed,3600\n",
                               with_fields(true, true));
    CHECK(hosts_of(fugaku) == "2 x cores:48,memory:1024");
    CHECK(partition_of(fugaku) == "none");
    // The text of column 21 wins over column 5.
    const SwfLog frontier =
        read("frontier", "11 100 20 3600 112 -1 -1 112 7200 -1 1 5 3 -1 2 -1 -1 -1 16 -1 frontier:excl:2x112\n",
             with_fields(true, true));
    CHECK(hosts_of(frontier) == "2 x whole");
    CHECK(partition_of(frontier) == "2");
    const SwfLog kestrel = read("kestrel",
                                "id,submit_time,start_time,end_time,wallclock_used,wallclock_req,processors_req,"
                                "processors_used,state,user_hash,partition,account_hash,qos,nodes_req,gpus_requested,"
                                "memory_req\n"
                                "9_1,2025-04-01 10:00:00,2025-04-01 10:30:00,2025-04-01 11:30:00,0 days 01:00:00,"
                                "0 days 04:00:00,104,256,COMPLETED,u,gpu-h100,a,normal,2,8,170G\n",
                                with_fields(true, true));
    CHECK(hosts_of(kestrel) == "2 x cores:128,gpus:4,memory:87040");
    CHECK(partition_of(kestrel) == "gpu-h100");
}

TEST_CASE("Memory of the pool is that of the whole job, and none of its hosts") {
    AccountingData both = with_fields(true, false);
    both.fields.memory_pool = true;
    AccountingData pool;
    pool.fields.memory_pool = true;
    const auto pool_of = [](const SwfLog& log) {
        const StatedNeeds& needs = log.needs.at(log.jobs.at(0).needs).stated;
        return needs.pools.empty() ? 0 : needs.pools.at(0).second;
    };
    // 10 GiB in all, not 3 times 3,414 MiB.
    const SwfLog slurm = sacct("NNodes|AllocTRES", "3|cpu=10,mem=10G,node=3", both);
    CHECK(pool_of(slurm) == 10'240);
    CHECK(hosts_of(slurm) == "3 x cores:4");
    CHECK(fields_of(slurm, 0).ends_with(R"("per_host":{"cores":4},"pools":{"memory":10240})"));
    const SwfLog request = sacct("ReqCPUS|ReqMem", "4|2500Kc", pool);  // for each processor
    CHECK(pool_of(request) == 10);
    CHECK(request.jobs.at(0).requested_processors == 4);
    CHECK(pool_of(sacct("NNodes|ReqMem", "3|4Gn", pool)) == 12'288);
    const SwfLog unknown = sacct("NCPUS|ReqMem", "3|", pool);
    CHECK(pool_of(unknown) == 0);
    CHECK(count_of(unknown.noted, "memory unknown: takes nothing of the pool memory") == 1);
    // Chunks of different memory: their sum.
    CHECK(pool_of(pbs("exec_vnode=(a:ncpus=1:mem=1gb)+(b:ncpus=1:mem=3gb) " + list("select", "1:ncpus=1"), pool)) ==
          4'096);
    CHECK(pool_of(pbs(list("ncpus", "8") + list("mem", "16gb"), pool)) == 16'384);
    const SwfLog table =
        read_csv_table("i,s,r,n,m\n1,0,10,4,3G\n",
                       {{"id", "i"}, {"submit", "s"}, {"run-time", "r"}, {"processors", "n"}, {"memory", "m"}}, pool);
    CHECK(pool_of(table) == 3'072);
    CHECK(table.jobs.at(0).requested_processors == 4);
    CHECK(table.columns.at(0).what == "memory of the pool: m");
}

TEST_CASE("All fields are those that the data have") {
    AccountingData all = with_fields(true, true);
    all.fields.after = true;
    all.fields.as_far_as_known = true;
    const SwfLog slurm = sacct("NNodes|NCPUS|Partition", "2|8|p", all);
    CHECK(hosts_of(slurm) == "2 x cores:4");
    CHECK(partition_of(slurm) == "p");
    CHECK_THROWS_WITH(sacct("NCPUS", "8", all), Catch::Contains("no column NNodes, NodeList or AllocTRES"));
    const ColumnMapping plain{{"id", "i"}, {"submit", "s"}, {"run-time", "r"}, {"processors", "n"}, {"memory", "m"}};
    const SwfLog table = read_csv_table("i,s,r,n,m\n1,0,10,4,3G\n", plain, all);
    CHECK(table.needs.at(table.jobs.at(0).needs).stated.pools.at(0).second == 3'072);
    CHECK(table.jobs.at(0).requested_processors == 4);
    ColumnMapping with_nodes = plain;
    with_nodes.emplace_back("nodes", "h");
    CHECK(hosts_of(read_csv_table("i,s,r,n,m,h\n1,0,10,4,3G,2\n", with_nodes, all)) == "2 x cores:2,memory:1536");
}

TEST_CASE("Logs name the hosts of a job") {
    AccountingData data = with_fields(true, false);
    data.keeps_hosts = true;
    // "n1 n2(cores:4)": names, and what was taken of each where the record tells.
    const auto hosts = [](const SwfLog& log) {
        std::string text;
        for (const LoggedHosts& group : log.hosts.at(log.jobs.at(0).hosts)) {
            text += (text.empty() ? "" : " ") + group.names;
            text += group.taken ? "(" + capacity_text(*group.taken) + ")" : "";
            text += group.partition ? "@" + *group.partition : "";
        }
        return text;
    };
    CHECK(hosts(sacct("NNodes|NCPUS|NodeList", "4|8|n[08-10],login1", data)) == "n08 n09 n10 login1");
    CHECK(hosts(sacct("NNodes|NCPUS|NodeList", "1|8|None assigned", data)).empty());
    CHECK(hosts(pbs("exec_host=n2/0*4+n1/1*4 " + list("ncpus", "8"), data)) == "n1 n2(cores:4)");
    CHECK(hosts(pbs("exec_vnode=(a[0]:ncpus=1)+(a[1]:ncpus=1) " + list("select", "2:ncpus=1"), data)) == "a(cores:2)");
    const std::string of_login = "exec_host=login2/0*32 exec_vnode=(login2:ncpus=32) exec_gpus=login2-gpu/0 ";
    CHECK(hosts(pbs(of_login + list("mppwidth", "48") + list("mppnppn", "24"), data)).empty());
    // What each had, although the job gets the largest of it.
    const SwfLog uneven = pbs(
        "exec_vnode=(a:ncpus=8:mem=4gb)+(b:ncpus=2:ngpus=1:mem=1gb)+(c:ncpus=8:mem=4gb) " + list("select", "3:ncpus=1"),
        data);
    CHECK(hosts_of(uneven) == "3 x cores:8,gpus:1,memory:4096");
    CHECK(hosts(uneven) == "b(cores:2,gpus:1,memory:1024) a c(cores:8,memory:4096)");
    CHECK(hosts(pbs("exec_host=n[01-02]/0-3+n05/0 " + list("ncpus", "9"), data)) == "n05(cores:1) n01 n02(cores:4)");
}

TEST_CASE("The components of a heterogeneous job had hosts of their own") {
    AccountingData data = with_fields(true, true);
    data.keeps_hosts = true;
    const std::string times = "|1709280000|1709280060|1709283660|COMPLETED|";
    const SwfLog log = read("sacct",
                            "JobID|Submit|Start|End|State|Partition|NNodes|NodeList|AllocTRES\n10+0" + times +
                                "cpu|2|c[1-2]|cpu=8\n10+1" + times + "gpu|1|g1|cpu=2,gres/gpu=4\n",
                            data);
    const std::vector<LoggedHosts>& groups = log.hosts.at(log.jobs.at(0).hosts);
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].names == "c1 c2");
    CHECK(capacity_text(groups[0].taken.value()) == "cores:4");
    CHECK(groups[0].partition == "cpu");
    CHECK(groups[1].names == "g1");
    CHECK(capacity_text(groups[1].taken.value()) == "cores:2,gpus:4");
    CHECK(groups[1].partition == "gpu");
    CHECK(hosts_of(log) == "3 x cores:4,gpus:4");
    CHECK(partition_of(log) == "none");
    // No partition is that of the job; the GPUs are those of the component that had some.
    CHECK(mapped(log.columns, [](const NotedJobs& column) { return column.what; }) ==
          std::vector<std::string>{"cores: AllocTRES", "gpus: AllocTRES"});
}

TEST_CASE("Hosts that components share count once, with what they took together") {
    const auto joined = [](const std::vector<std::string>& components) {
        std::string text = "JobID|Submit|Start|End|State|NNodes|AllocTRES|NodeList\n";
        for (std::size_t i = 0; i < components.size(); ++i) {
            text += "7+" + std::to_string(i) + "|1709280000|1709280060|1709283660|COMPLETED|" + components[i] + "\n";
        }
        return read("sacct", text, with_fields(true, false));
    };
    CHECK(hosts_of(joined({"1|cpu=8,mem=2M|n1", "1|cpu=8,mem=3M|n1"})) == "1 x cores:16,memory:5");
    CHECK(hosts_of(joined({"1|cpu=8|n1", "1|cpu=8|n2"})) == "2 x cores:8");
    CHECK(hosts_of(joined({"2|cpu=8|n[1-2]", "2|cpu=4,gres/gpu=2|n[2-3]", "1|cpu=1,gres/gpu=4|n3"})) ==
          "3 x cores:6,gpus:5");
    const SwfLog uneven = joined({"2|cpu=8|n[1-2]", "1|cpu=4|n2"});
    CHECK(hosts_of(uneven) == "2 x cores:8");
    const LoggedNeeds& needs = uneven.needs.at(uneven.jobs.at(0).needs);
    CHECK(capacity_text(needs.surplus) == "cores:4");
    CHECK(needs.has_different_hosts);
    CHECK(hosts_of(joined({"1|cpu=8|n1", "1|cpu=8|"})) == "2 x cores:8");
    const std::string component = R"("state": "COMPLETED", "nodes": "n1", "allocation_nodes": 1,
        "time": {"submission": 1709280000, "start": 1709280060, "end": 1709280100, "elapsed": 40},
        "tres": {"allocated": [{"type": "cpu", "count": 4}]}})";
    const SwfLog json = read("sacct",
                             R"({"jobs": [{"job_id": 1, "het": {"job_id": 1, "job_offset": 0}, )" + component +
                                 R"(, {"job_id": 2, "het": {"job_id": 1, "job_offset": 1}, )" + component + "]}",
                             with_fields(true, false));
    CHECK(hosts_of(json) == "1 x cores:8");
}

TEST_CASE("Partitions: those of the job, or the queue") {
    const auto look = [](const std::string& name) {
        return sacct("NCPUS|Partition", "4|" + name, with_fields(false, true));
    };
    CHECK(partition_of(look("gpu")) == "gpu");
    CHECK(fields_of(look("12"), 0) == R"("partition":"12")");
    CHECK(look("gpu").jobs.at(0).allocated_processors == 4);
    const SwfLog several = look("gpu, cpu,");
    CHECK(partition_of(several) == "gpu,cpu");
    CHECK(count_of(several.noted, "several partitions") == 1);
    CHECK(partition_of(look("")) == "none");
    CHECK(count_of(look("").noted, "partition unknown") == 1);
    CHECK(partition_of(pbs(list("ncpus", "8"), with_fields(false, true))) == "q");
}

TEST_CASE("Jobs in memory have what their file says, and the hosts are summed up by partition") {
    const std::string times = "|1709280000|1709280060|1709283660|COMPLETED|";
    const SwfLog log = read("sacct",
                            "JobID|Submit|Start|End|State|Partition|NNodes|SubmitLine|AllocTRES\n1" + times +
                                "cpu|3|a|cpu=12,mem=3G\n2" + times + "gpu|1|a|cpu=8,gres/gpu=2,mem=1G\n3" + times +
                                "cpu|2|a --exclusive|cpu=64\n4" + times + "|1|a|cpu=2\n",
                            with_fields(true, true));
    const SwfWorkload converted = convert_swf(log, {});
    const Workload read = parse_workload(text_of(converted.workload), "w", "w0");
    REQUIRE(read.jobs.size() == 4);
    for (std::size_t i = 0; i < read.jobs.size(); ++i) {
        CHECK(read.jobs[i].description == converted.workload.jobs[i].description);
    }
    CHECK(read.jobs[1].description.needs->per_host ==
          StatedNeeds::Amounts{{"cores", 8}, {"gpus", 2}, {"memory", 1024}});
    const ConversionSummary& summary = converted.summary;
    REQUIRE(summary.hosts);
    CHECK(summary.processors == 3);
    CHECK(capacity_text(summary.hosts->capacity) == "cores:32,gpus:2,memory:1024");
    REQUIRE(summary.partitions.size() == 3);
    CHECK(summary.partitions[0].partition.empty());
    CHECK(capacity_text(summary.partitions[1].capacity) == "cores:32,memory:1024");
    CHECK(summary.partitions[1].widest == 3);
    CHECK(summary.partitions[1].jobs == 2);
    CHECK(summary.partitions[2].partition == "gpu");
}

TEST_CASE("PBS: the queue of a reservation is noted where it would be the partition") {
    const AccountingData data = with_fields(true, true);
    const auto job = [&](const std::string& more) {
        return read("pbs",
                    "03/01/2024 09:10:00;E;1.s;user=u " + more + " ctime=1709280000 start=1709280600 " +
                        list("select", "1:ncpus=4") + "end=1709284200\n",
                    data);
    };
    const SwfLog log = job("queue=S30 resvname=class resvID=S30.srv");
    CHECK(count_of(log.noted, "queue of a reservation: no partition") == 1);
    CHECK(job("queue=long resvname=class resvID=S30.srv").noted.size() == log.noted.size() - 1);
}

TEST_CASE("Words for a missing value mean it in every column of text, of every format") {
    AccountingData data = with_fields(true, true);
    data.fields.after = true;
    for (const std::string word : {"(null)", "None", "N/A", "NULL", "nan", "-", "(none)"}) {
        CAPTURE(word);
        const auto repeated = [&](const std::string& separator, int times) {
            std::string text;
            for (int i = 0; i < times; ++i) {
                text += separator + word;
            }
            return text;
        };
        std::vector<SwfLog> logs;
        logs.push_back(sacct("NNodes|NCPUS|User|Account|Partition|QOS|JobName|Reservation|Dependency",
                             "1|4" + repeated("|", 7), data));
        const std::string text = "\"" + word + "\"";
        logs.push_back(read("sacct",
                            R"({"jobs": [{"job_id": 1, "allocation_nodes": 1, "state": "COMPLETED", "user": )" + text +
                                R"(, "account": )" + text + R"(, "partition": )" + text + R"(, "qos": )" + text +
                                R"(, "name": )" + text + R"(, "dependency": )" + text +
                                R"(, "reservation": {"name": )" + text +
                                R"(}, "required": {"CPUs": 4}, "time": {"submission": 1709280000,
                                "start": 1709280060, "end": 1709280100, "elapsed": 40}}]})",
                            data));
        logs.push_back(read("pbs",
                            "03/01/2024 09:10:00;E;1.s;user=" + word + " queue=" + word + " account=" + word +
                                " project=" + word + " qos=" + word + " resvname=" + word + " depend=" + word +
                                " ctime=1709280000 start=1709280600 Resource_List.nodect=1 Resource_List.ncpus=4 "
                                "end=1709284200\n",
                            data));
        const ColumnMapping mapping = {{"id", "i"},          {"submit", "s"},    {"run-time", "r"}, {"nodes", "n"},
                                       {"cores", "c"},       {"user", "u"},      {"queue", "q"},    {"account", "a"},
                                       {"reservation", "v"}, {"dependency", "d"}};
        logs.push_back(
            read_csv_table("i,s,r,n,c,u,q,a,v,d\n1,1709280000,60,1,4" + repeated(",", 5) + "\n", mapping, data));
        for (const SwfLog& log : logs) {
            const SwfJob& job = log.jobs.at(0);
            CHECK(job.user == -1);
            CHECK(job.queue == -1);
            CHECK(partition_of(log) == "none");
            CHECK(count_of(log.noted, "partition unknown") == 1);
            CHECK(log.conditions.at(job.conditions).empty());
            for (const char* field : {"account", "qos", "name", "reservation", "project", "dependency"}) {
                CHECK(fields_of(log, 0).find("\"" + std::string(field) + "\"") == std::string::npos);
            }
        }
    }
}

TEST_CASE("Without fields nothing is added") {
    const std::string columns = "NNodes|NCPUS|Partition|AllocTRES|SubmitLine|OverSubscribe";
    const SwfLog log = sacct(columns, "2|8|gpu|cpu=8,mem=4G|sbatch --exclusive a|NO", {});
    CHECK(log.needs.empty());
    CHECK_FALSE(log.counts_hosts);
    CHECK(log.jobs.at(0).allocated_processors == 8);
    CHECK(fields_of(log, 0) == R"("nodes":2,"memory":4294967296)");
    CHECK_FALSE(convert_swf(log, {}).summary.hosts);
}

}  // namespace batfill::tests::host_fields_test
