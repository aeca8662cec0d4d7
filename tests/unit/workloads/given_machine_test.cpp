#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/formats/accounting.hpp>

#include "src/workloads/given_machine.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/random.hpp"

// The machine that the user gives for a log.
namespace batfill::tests::given_machine_test {

namespace {

struct DrawnHost {
    int cores;
    int memory;  // MiB
    std::string partitions;
};

struct DrawnJob {
    int size;
    int cores;  // of each host
    int memory;
    std::string partition;
    bool is_exclusive;
};

std::string listing_of(const std::vector<DrawnHost>& hosts) {
    std::string text;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        text += "NodeName=n" + std::to_string(i) + " CPUTot=" + std::to_string(hosts[i].cores) +
                " RealMemory=" + std::to_string(hosts[i].memory) + " Partitions=" + hosts[i].partitions + "\n";
    }
    return text;
}

std::string table_of(const std::vector<DrawnJob>& jobs) {
    std::string text = "JobID|Submit|Start|End|State|Partition|NNodes|NodeList|AllocTRES|SubmitLine\n";
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const DrawnJob& job = jobs[i];
        text += std::to_string(i) + "|1000|1000|1010|COMPLETED|" + job.partition + "|" + std::to_string(job.size) +
                "|n[5-6]|cpu=" + std::to_string(job.size * job.cores) +
                ",mem=" + std::to_string(job.size * job.memory) + "M|sbatch " +
                (job.is_exclusive ? "--exclusive" : "") + " a\n";
    }
    return text;
}

// What a conversion keeps of these jobs, by their numbers, and what the machine says.
struct Kept {
    std::vector<std::string> jobs;
    std::map<std::string, std::size_t> misfits;  // by reason
    GivenMachine machine;
};

Kept keep(const std::string& listing, const std::string& table, const std::string& format = "sacct") {
    const Folder folder;
    AccountingData data;
    data.format = format;
    data.paths = {folder.write("jobs.txt", table)};
    data.fields = {.per_host = true, .partition = true};
    data.keeps_hosts = true;
    const SwfLog log = read_accounting(data);
    SwfConversion conversion;
    JobsOnMachine machine(folder.write("nodes.txt", listing));
    conversion.processors = machine.hosts();
    SwfSelection selection = select_jobs(log, conversion);
    const std::size_t rules = selection.dropped.size();
    machine.drop_misfits(selection, conversion);
    Kept result;
    for (const KeptJob& kept : selection.kept) {
        result.jobs.push_back(selection.id_of(kept));
    }
    for (std::size_t i = rules; i < selection.dropped.size(); ++i) {
        result.misfits[selection.dropped[i].what] = selection.dropped[i].jobs;
    }
    result.machine = machine.summary();
    return result;
}

bool fits(const DrawnJob& job, const std::vector<DrawnHost>& hosts) {
    return job.size <= std::ranges::count_if(hosts, [&](const DrawnHost& host) {
               return (job.is_exclusive || (host.cores >= job.cores && host.memory >= job.memory)) &&
                      (job.partition.empty() || host.partitions.find(job.partition) != std::string::npos);
           });
}

}  // namespace

TEST_CASE("A job is kept exactly if an empty machine could run it") {
    Random random(7);
    std::size_t kept_jobs = 0;
    std::size_t all_jobs = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<DrawnHost> hosts(static_cast<std::size_t>(random.between(1, 6)));
        std::ranges::generate(hosts, [&] {
            const char* const partitions = random.one_in(3) ? "a" : random.one_in(2) ? "b" : "a,b";
            return DrawnHost{random.between(1, 8), random.between(1, 8), partitions};
        });
        std::vector<DrawnJob> jobs(static_cast<std::size_t>(random.between(1, 12)));
        std::ranges::generate(jobs, [&] {
            const char* const partition = random.one_in(8) ? "c" : random.one_in(4) ? "" : random.one_in(2) ? "a" : "b";
            return DrawnJob{random.between(1, 3), random.between(1, 8), random.between(1, 8), partition,
                            random.one_in(5)};
        });
        const Kept kept = keep(listing_of(hosts), table_of(jobs));
        std::size_t misfits = 0;
        for (const auto& [reason, number] : kept.misfits) {
            misfits += number;
        }
        REQUIRE(misfits + kept.jobs.size() == jobs.size());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            REQUIRE(fits(jobs[i], hosts) == (std::ranges::count(kept.jobs, std::to_string(i)) == 1));
        }
        kept_jobs += kept.jobs.size();
        all_jobs += jobs.size();
    }
    CHECK(kept_jobs > all_jobs / 5);
    CHECK(kept_jobs < all_jobs / 5 * 4);
}

TEST_CASE("A job that does not fit has a reason") {
    const std::vector<DrawnHost> hosts{{8, 4, "a"}, {4, 8, "a"}, {2, 2, "b"}};
    const auto reason_of = [&](const DrawnJob& job) {
        const Kept kept = keep(listing_of(hosts), table_of({job}));
        return kept.misfits.empty() ? std::string() : kept.misfits.begin()->first;
    };
    CHECK(reason_of({1, 8, 4, "a", false}).empty());
    CHECK(reason_of({3, 2, 2, "", false}).empty());
    CHECK(reason_of({2, 64, 64, "a", true}).empty());
    CHECK(reason_of({1, 9, 4, "a", false}) == "does not fit: more cores than any host of partition a has");
    CHECK(reason_of({1, 3, 1, "b", false}) == "does not fit: more cores than any host of partition b has");
    CHECK(reason_of({1, 1, 9, "", false}) == "does not fit: more memory than any host of the machine has");
    CHECK(reason_of({1, 8, 8, "a", false}) == "does not fit: no host of partition a has all its amounts");
    CHECK(reason_of({3, 1, 1, "a", false}) == "does not fit: more hosts than partition a has");
    CHECK(reason_of({3, 1, 1, "a", true}) == "does not fit: more hosts than partition a has");
    CHECK(reason_of({4, 1, 1, "", false}) == "does not fit: more hosts than the machine has");
    CHECK(reason_of({2, 8, 1, "a", false}) == "does not fit: more hosts than partition a has with its amounts");
    CHECK(reason_of({1, 1, 1, "c", false}) == "does not fit: the machine has no partition c");
    CHECK(keep("NODELIST CPUS\nn1 8\n", table_of({{1, 1, 1, "a", false}})).misfits ==
          std::map<std::string, std::size_t>{{"does not fit: no host is known to have memory", 1}});
}

TEST_CASE("Hosts that only the log names are listed, and the machine has its kinds of hosts") {
    const Kept kept = keep(listing_of({{8, 8, "a"}, {8, 8, "a"}, {4, 8, "b"}}) + "NodeName=n5 CPUTot=4\n",
                           table_of({{1, 1, 1, "a", false}, {1, 9, 1, "a", false}}));
    CHECK(kept.machine.missing_hosts == std::vector<std::string>{"n6"});
    CHECK(kept.machine.kind == "scontrol show node");
    CHECK(kept.machine.hosts == 4);
    REQUIRE(kept.machine.groups.size() == 3);
    CHECK(kept.machine.groups[0].hosts == 2);
    CHECK(kept.machine.groups[0].capacity == "cores:8,memory:8");
    CHECK(kept.machine.groups[0].partitions == "a");
}

TEST_CASE("Hosts of PBS without a queue take jobs of queues that no host names") {
    const std::string nodes =
        "n1\n     resources_available.ncpus = 8\n     queue = gpuq\n\n"
        "n2\n     resources_available.ncpus = 4\n";
    const auto record = [](int id, const std::string& queue, int cores) {
        return "01/01/2024 00:02:00;E;" + std::to_string(id) + ".s;user=u queue=" + queue +
               " ctime=1704067200 qtime=1704067200 etime=1704067200 start=1704067200 end=1704067320 "
               "exec_vnode=(n1:ncpus=" +
               std::to_string(cores) + ") Resource_List.select=1:ncpus=" + std::to_string(cores) +
               " Resource_List.nodect=1 resources_used.walltime=00:02:00 Exit_status=0\n";
    };
    const Kept kept =
        keep(nodes, record(1, "gpuq", 8) + record(2, "workq", 4) + record(3, "long", 1) + record(4, "workq", 8), "pbs");
    CHECK(kept.jobs == std::vector<std::string>{"1", "2", "3"});
    CHECK(kept.misfits ==
          std::map<std::string, std::size_t>{{"does not fit: more cores than any host of partition workq has", 1}});
    CHECK(kept.machine.open_queues == std::vector<std::string>{"long", "workq"});
    REQUIRE(kept.machine.groups.size() == 2);
    CHECK(kept.machine.groups[0].partitions == "long,workq");
}

TEST_CASE("Pools of a machine limit its jobs, and those of the log are added") {
    const Folder folder;
    const JobsOnMachine machine(
        folder.write("m.xml",
                     R"(<platform version="4.1"><zone id="z" routing="Full"><prop id="pools" value="cfd:3"/>
           <host id="master_host" speed="1f"/><host id="a" speed="1f"/></zone></platform>)"));
    const Resources resources(machine.platform_with({{"cfd", 9}, {"fem", 2}}).hosts);
    REQUIRE(resources.pools().size() == 2);
    CHECK(resources.pools()[0].total == 3);
    CHECK(resources.pools()[1].name == "fem");
    const JobsOnMachine with_pstates(folder.write("p.xml",
                                                  R"(<platform version="4.1"><zone id="z" routing="Full">
           <host id="master_host" speed="1f"/><host id="a" speed="1f,2f"/></zone></platform>)"));
    CHECK_THROWS_AS(with_pstates.platform_with({}), InputError);
}

}  // namespace batfill::tests::given_machine_test
