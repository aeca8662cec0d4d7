#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/formats/machine_listing.hpp"

namespace batfill::tests::machine_listing_test {

namespace {

using Catch::Matchers::StartsWith;

MachineListing parse(std::string_view text) {
    return parse_machine_listing(text, "nodes.txt");
}

// "n1 capacity partitions", as far as it has them.
std::vector<std::string> hosts_of(const MachineListing& listing) {
    std::vector<std::string> hosts;
    for (const Host& host : listing.platform.hosts) {
        std::string& text = hosts.emplace_back(host.name);
        for (const char* const name : {"capacity", "partitions"}) {
            const auto property = host.properties.find(name);
            text += property == host.properties.end() ? " -" : " " + property->second;
        }
    }
    return hosts;
}

std::vector<std::string> hosts_in(std::string_view text) {
    return hosts_of(parse(text));
}

using Hosts = std::vector<std::string>;
using Notes = std::vector<std::pair<std::string, std::size_t>>;

constexpr std::string_view scontrol = R"text(NodeName=n2 Arch=x86_64 CoresPerSocket=32 
   CPUAlloc=8 CPUEfctv=62 CPUTot=64 CPULoad=7.93
   AvailableFeatures=milan,ib
   ActiveFeatures=milan,ib
   Gres=gpu:a100:4(S:0-1),shard:8(S:0-1)
   NodeAddr=n2 NodeHostName=n2 Version=23.11.4
   OS=Linux 5.14.0-362.el9.x86_64 #1 SMP PREEMPT_DYNAMIC Tue Oct 3 11:12:36 EDT 2023 
   RealMemory=515000 AllocMem=64000 FreeMem=400000 Sockets=2 Boards=1
   CoreSpecCount=1 CPUSpecList=62-63 MemSpecLimit=3000
   State=IDLE+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=10 Owner=N/A MCS_label=N/A
   Partitions=gpu,all 
   BootTime=2024-01-02T09:00:00 SlurmdStartTime=2024-01-02T09:02:00
   CfgTRES=cpu=62,mem=512000M,billing=62,gres/gpu=4,gres/gpu:a100=4
   AllocTRES=cpu=8,mem=64000M
   CapWatts=n/a
   CurrentWatts=0 AveWatts=0
   Reason=bad DIMM Partitions=none CPUTot=1 [root@2024-02-01T08:00:00]

NodeName=n1 Arch=x86_64 CoresPerSocket=32 
   CPUAlloc=0 CPUTot=64 CPULoad=0.01
   Gres=(null)
   NodeAddr=n1 NodeHostName=n1 
   RealMemory=257000 AllocMem=0 FreeMem=N/A Sockets=2 Boards=1
   State=DOWN* ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=cpu,all 
   CfgTRES=cpu=64,mem=257000M,billing=64
)text";

}  // namespace

TEST_CASE("Nodes of scontrol have the cores and memory that jobs can get, in any state", "[machine]") {
    const MachineListing listing = parse(scontrol);
    CHECK(listing.kind == "scontrol show node");
    CHECK_FALSE(listing.queues_are_open);
    CHECK(hosts_of(listing) ==
          Hosts{"n1 cores:64,memory:257000 all,cpu", "n2 cores:62,gpus:4,gpus_a100:4,memory:512000,shard:8 all,gpu"});
    CHECK(listing.notes.empty());
    // CRLF, as after copying.
    std::string with_returns;
    for (const char c : scontrol) {
        with_returns += c == '\n' ? "\r\n" : std::string(1, c);
    }
    CHECK(hosts_in(with_returns) == hosts_of(listing));
}

TEST_CASE("Nodes of scontrol may be in one line each") {
    const std::string os = " OS=Linux 5.4 #1 SMP";
    CHECK(hosts_in("NodeName=a CPUAlloc=0 CPUTot=8 Gres=gpu:v100:2,gpu:a100:1" + os +
                   " RealMemory=1000 State=IDLE Partitions=x CfgTRES=cpu=8,mem=1000M Reason=a b RealMemory=1 [me]\n"
                   "NodeName=b CPUTot=4 Gres=gpu:1 RealMemory=500 Partitions=x,y\n") ==
          Hosts{"a cores:8,gpus:3,gpus_a100:1,gpus_v100:2,memory:1000 x", "b cores:4,gpus:1,memory:500 x,y"});
}

TEST_CASE("What scontrol does not say of a node stays unknown, and is counted") {
    const MachineListing listing = parse(
        "NodeName=a CfgTRES=cpu=8,mem=2G,gres/gpu:a100=2,gres/gpu=2\n"
        "NodeName=b CPUTot=N/A RealMemory=500\n"
        "NodeName=c CPUTot=4 Gres=bandwidth:lustre:no_consume:4G,mps:200\n"
        "NodeName=d State=DOWN\n");
    CHECK(hosts_of(listing) ==
          Hosts{"a cores:8,gpus:2,gpus_a100:2,memory:2048 -", "b memory:500 -", "c cores:4,mps:200 -", "d - -"});
    CHECK(listing.notes ==
          Notes{{"cores unknown", 2}, {"left out: bandwidth:lustre:no_consume", 1}, {"memory unknown", 2}});
}

TEST_CASE("The JSON of scontrol gives the same machine") {
    CHECK(hosts_in(R"json({"meta": {}, "nodes": [
        {"name": "n2", "cpus": 64, "effective_cpus": 62, "real_memory": 515000, "specialized_memory": 3000,
         "gres": "gpu:a100:4(S:0-1),shard:8(S:0-1)", "partitions": ["gpu", "all"], "state": ["IDLE", "DRAIN"]},
        {"name": "n1", "cpus": {"set": true, "infinite": false, "number": 64}, "effective_cpus": {"set": false},
         "real_memory": 257000, "gres": "", "tres": "cpu=64,mem=257000M,billing=64", "partitions": ["cpu", "all"]}]})json") ==
          hosts_in(scontrol));
}

TEST_CASE("Rows of sinfo for one node are one host in several partitions", "[machine]") {
    const MachineListing listing = parse(
        "NODELIST PARTITION CPUS MEMORY GRES\n"
        "n1 cpu* 64 257000 (null)\n"
        "n2 gpu 64 515000 gpu:a100:4(S:0-1),shard:8(S:0-1)\n"
        "n1 long 64 257000 (null)\n");
    CHECK(listing.kind == "sinfo");
    CHECK(hosts_of(listing) ==
          Hosts{"n1 cores:64,memory:257000 cpu,long", "n2 cores:64,gpus:4,gpus_a100:4,memory:515000,shard:8 gpu"});
    CHECK(listing.notes.empty());
}

TEST_CASE("Columns of sinfo may be in any order, and between bars") {
    CHECK(hosts_in("GRES|NODELIST|STATE|CPUS\n(null)|n1|idle|8\n|n2|down*|4\n") ==
          Hosts{"n1 cores:8 -", "n2 cores:4 -"});
    // sinfo -N -O "NodeHost,Partition,CPUs,Memory"
    CHECK(hosts_in("HOSTNAMES           PARTITION           CPUS                MEMORY              \n"
                   "n1                  cpu                 64                  257000              \n") ==
          Hosts{"n1 cores:64,memory:257000 cpu"});
    // sinfo -N -l
    CHECK(hosts_in(
              "Fri Mar  1 12:00:00 2024\n"
              "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON\n"
              "n1             1      cpu*        idle 64     2:32:1 257000        0      1   (null) none\n"
              "n2             1       gpu     drained 64     2:32:1 515000        0      1   (null) bad DIMM in 3\n") ==
          Hosts{"n1 cores:64,memory:257000 cpu", "n2 cores:64,memory:515000 gpu"});
    CHECK(hosts_in("NODELIST CPUS(A/I/O/T)\nn[1-2] 3/5/0/8\n") == Hosts{"n1 cores:4 -", "n2 cores:4 -"});
    CHECK(hosts_in("NODELIST CPUS\nn1 4\nNODELIST CPUS\nn2 4\n") == Hosts{"n1 cores:4 -", "n2 cores:4 -"});
}

TEST_CASE("Rows of sinfo may list nodes, with the least of what they have") {
    const MachineListing listing = parse(
        "PARTITION NODELIST CPUS MEMORY\n"
        "all* n[01-03],login1 8+ 1000+\n"
        "big n03 16 4000\n"
        "mid n[02-03] 12+ 1000+\n");
    CHECK(hosts_of(listing) == Hosts{"login1 cores:8,memory:1000 all", "n01 cores:8,memory:1000 all",
                                     "n02 cores:12,memory:1000 all,mid", "n03 cores:16,memory:4000 all,big,mid"});
    CHECK(listing.notes == Notes{{"the least of several nodes, with a +", 3}});
}

constexpr std::string_view pbs_json =
    R"({"timestamp": 1700000000, "pbs_version": "2022.1", "pbs_server": "s", "nodes": {
    "n1": {"Mom": "n1.x", "ntype": "PBS", "state": "free", "pcpus": 64, "queue": "cpuq",
           "resources_available": {"arch": "linux", "host": "n1", "mem": "263857372kb", "ncpus": 64, "vnode": "n1",
                                   "scratch": "2tb", "fpgas": 2, "colour": "red"}},
    "n2": {"state": "down", "pcpus": 0, "resources_available": {"host": "n2", "ncpus": 0, "mem": "0kb"}},
    "n2[0]": {"state": "job-busy", "pcpus": 32, "jobs": ["1.s/0"], "lic": "l",
              "resources_available": {"host": "n2", "ncpus": 32, "ngpus": 2, "mem": "1024mb", "Qlist": "gpuq,testq"}},
    "n2[1]": {"resources_available": {"host": "n2", "ncpus": 32, "ngpus": 2, "mem": "1023.5mb", "Qlist": "gpuq"}},
    "n3": {"pcpus": 8}}})";

TEST_CASE("Vnodes of PBS are one host, and what is no amount is counted", "[machine]") {
    const MachineListing listing = parse(pbs_json);
    CHECK(listing.kind == "pbsnodes");
    CHECK(listing.queues_are_open);
    // 263857372 KiB are 257673.2 MiB: rounded up, as for jobs, which may take all of it.
    CHECK(hosts_of(listing) ==
          Hosts{"n1 cores:64,memory:257674 cpuq", "n2 cores:64,gpus:4,memory:2048 gpuq,testq", "n3 cores:8 -"});
    CHECK(listing.notes == Notes{{"left out: fpgas", 1}, {"left out: scratch", 1}, {"memory unknown", 1}});
}

TEST_CASE("The text of pbsnodes gives the same machine") {
    CHECK(hosts_in("n1\n"
                   "     Mom = n1.x\n"
                   "     state = free\n"
                   "     pcpus = 64\n"
                   "     resources_available.mem = 263857372kb\n"
                   "     resources_available.ncpus = 64\n"
                   "     queue = cpuq\n"
                   "\n"
                   "n2[0]\n"
                   "     comment = a = b\n"
                   "     resources_available.ncpus = 8\n"
                   "\n"
                   "n2[1]\n"
                   "     resources_available.ncpus = 8\n") == Hosts{"n1 cores:64,memory:257674 cpuq", "n2 cores:16 -"});
    // TORQUE
    CHECK(hosts_in("n1\n"
                   "     state = free\n"
                   "     np = 16\n"
                   "     properties = fast\n"
                   "     status = rectime=1700000000,ncpus=32,physmem=1048576kb,jobs=,loadave=0.0\n"
                   "     gpus = 2\n") == Hosts{"n1 cores:16,gpus:2,memory:1024 -"});
}

TEST_CASE("A platform is its own listing") {
    const MachineListing listing = parse(R"(<?xml version="1.0"?><platform version="4.1"><zone id="z" routing="Full">
            <host id="master_host" speed="1f"/><host id="a" speed="1f"><prop id="capacity" value="cores:4"/></host>
            </zone></platform>)");
    CHECK(listing.kind == "a platform");
    CHECK(hosts_of(listing) == Hosts{"a cores:4 -"});
}

TEST_CASE("What no listing prints is refused in one line") {
    struct Case {
        std::string text;
        std::string problem;
    };
    const std::string general =
        "nodes.txt: expected what `scontrol show node`, `sinfo -N -o \"%N %P %c %m %G\"` with its "
        "first line, or `pbsnodes -F json` prints, or a SimGrid platform, found ";
    const std::vector<Case> cases = {
        {"", general + "nothing"},
        {" \n\n", general + "nothing"},
        {"Configuration data as of 2024-01-01T00:00:00\nAccountingStorageHost = x\n",
         general + "'Configuration data as of 2024-01-01T00:00:00'"},
        {"n1 cpu* 64 257000 (null)\nn2 gpu 64 515000 (null)\n", general + "'n1 cpu* 64 257000 (null)'"},
        {"{}", general + "JSON without \"nodes\""},
        {R"({"sinfo": []})", general + "JSON without \"nodes\""},
        {R"({"nodes": 3})", general + "JSON without \"nodes\""},
        {R"({"nodes": [])", "nodes.txt: "},
        {R"({"nodes": []})", "nodes.txt: expected nodes with cores, found none"},
        {R"({"nodes": {"n1": 3}})", "nodes.txt: node 'n1': expected an object, found another value"},
        {R"({"nodes": [{"name": "n1", "cpus": 4}, {"name": "n1", "cpus": 4}]})",
         "nodes.txt: node 'n1': found node n1 again, expected each node once"},
        {R"({"nodes": [{"cpus": 4}]})", "nodes.txt: node '': expected the name of a node, found ''"},
        {R"({"nodes": {"n1": {"resources_available": {"ncpus": -4}}}})",
         "nodes.txt: node 'n1': resources_available.ncpus: expected a whole number from 0 to 2147483646, found '-4'"},
        {R"({"nodes": {"n1": {"resources_available": {"ncpus": 4, "mem": "many"}}}})",
         "nodes.txt: node 'n1': resources_available.mem: expected a size such as 263857372kb, found 'many'"},
        {"NodeName=n1 CPUTot=4\nNodeName=n2 CPUTot=4\n\nNodeName=n1 CPUTot=4\n",
         "nodes.txt:4: found node n1 again (before in line 1), expected each node once"},
        {"NodeName=n1 CPUTot=4\n   RealMemory=12G\n",
         "nodes.txt:1: RealMemory: expected a whole number from 0 to 8583068847656, found '12G'"},
        {"NodeName=n1 CPUTot=four\n",
         "nodes.txt:1: CPUTot: expected a whole number from 0 to 2147483646, found 'four'"},
        {"NodeName=n1 CPUTot=4 Gres=gpu:a100:4(S:0-1\n",
         "nodes.txt:1: found the resources 'gpu:a100:4(S:0-1', which end in the middle, expected all of them"},
        {"NodeName=n[1-4] CPUs=64 RealMemory=257000\n",
         "nodes.txt:1: found the list of nodes 'n[1-4]', as in slurm.conf, expected a node, as `scontrol show node` "
         "prints it"},
        {"NodeName=n1 RealMemory=4\n", "nodes.txt: expected nodes with cores, found none"},
        {"NodeName=master_host CPUTot=4\n",
         "nodes.txt:1: a node is named master_host, expected another name: Batsim has one"},
        {"NodeName=n1 CPUTot=4\nPartitionName=cpu\n", "nodes.txt:2: expected a node, found 'PartitionName=cpu'"},
        {"NODELIST PARTITION\nn1 cpu\n",
         "nodes.txt:1: expected a column CPUS, found only NODELIST, PARTITION; print `sinfo -N -o \"%N %P %c %m %G\"`"},
        {"NODELIST CPUS GRES\nn1 4 (null)\nn2 4\n",
         "nodes.txt:3: expected 3 columns as in the first line, found 2; `sinfo -N -o \"%N|%P|%c|%m|%G\"` keeps them apart"},
        {"NODELIST CPUS\nn1 4 5\n", "nodes.txt:2: expected 2 columns as in the first line, found 3; "},
        {"CPUS                GRES                \n4                   gpu:a100:4(S:0-1),sh\n", general},
        {"NODELIST            GRES                CPUS                GRES                \n"
         "n1                  gpu:a100:4(S:0-1),sh4                   (null)              \n",
         "nodes.txt:2: expected 4 columns as in the first line, found 3; "},
        {"NODELIST            CPUS                GRES                \n"
         "n1                  4                   gpu:a100:4,shard:100\n",
         "nodes.txt:2: its last column is as wide as sinfo prints it here and may be cut, expected all of it; "},
        {"NODELIST CPUS\nn1 4\nn1 8\n", "nodes.txt:3: node n1: expected 4 cores as in a row before, found 8"},
        {"NODELIST CPUS GRES\nn1 4 gpu:2\nn1 4 (null)\n",
         "nodes.txt:3: node n1: expected the same GRES as in a row before, found others"},
        {"NODELIST CPUS\nn[1- 4\n", "nodes.txt:2: expected a node or a list such as n[01-04], found 'n[1-'"},
        {"NODELIST CPUS\nn1 many\n", "nodes.txt:2: CPUS: expected a whole number from 0 to 2147483646, found 'many'"},
        {"n1\n   np = 4\n\nn1\n   np = 4\n", "nodes.txt:4: found vnode 'n1' again, expected each once"},
        {"<Data><Node/></Data>", "nodes.txt:1: "},
    };
    for (const auto& [text, problem] : cases) {
        CAPTURE(text);
        CHECK_THROWS_WITH(parse(text), StartsWith(problem));
        CHECK_THROWS_AS(parse(text), InputError);
    }
}

TEST_CASE("A listing of a platform reads back as the same hosts") {
    const MachineListing listing = parse(scontrol);
    const Platform again = parse_platform(platform_text(listing.platform, "nodes -- of scontrol"), "out.xml");
    CHECK(hosts_of({again, "", false, {}}) == hosts_of(listing));
}

}  // namespace batfill::tests::machine_listing_test
