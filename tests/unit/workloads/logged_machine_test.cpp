#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/accounting.hpp>

#include "src/workloads/logged_machine.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/random.hpp"

// The machine that a log must have had.
namespace batfill::tests::logged_machine_test {

namespace {

// A job on whole multiples of cores for each host, as a table of sacct has it.
struct Drawn {
    int start;
    int end;
    std::string partition;
    std::set<int> hosts;  // as many as it lists; the job may have more
    int size;
    int cores;  // of each host
};

Drawn draw(Random& random) {
    Drawn job;
    job.start = random.between(0, 20);
    job.end = job.start + random.between(1, 10);
    job.partition = random.one_in(5) ? "" : random.one_in(2) ? "a" : "b";
    job.size = random.between(1, 4);
    job.cores = random.between(1, 8);
    const int listed = random.one_in(4) ? random.below(job.size) : job.size;
    while (static_cast<int>(job.hosts.size()) < listed) {
        job.hosts.insert(random.between(1, 6));
    }
    return job;
}

std::string row_of(const Drawn& job, std::size_t number) {
    std::string list;
    for (const int host : job.hosts) {
        list += (list.empty() ? "n" : ",n") + std::to_string(host);
    }
    return std::to_string(number) + "|1000|" + std::to_string(1000 + job.start) + "|" + std::to_string(1000 + job.end) +
           "|COMPLETED|" + job.partition + "|" + std::to_string(job.size) + "|" + list +
           "|cpu=" + std::to_string(job.size * job.cores) + "\n";
}

struct Made {
    int cores;
    std::string partitions;
};

std::map<std::string, Made> hosts_of(const MachineOfLog& machine) {
    std::map<std::string, Made> hosts;
    for (const Host& host : machine.platform.hosts) {
        const std::string& capacity = host.properties.at("capacity");
        const auto partitions = host.properties.find("partitions");
        hosts[host.name] = {std::stoi(capacity.substr(capacity.find(':') + 1)),
                            partitions == host.properties.end() ? "" : partitions->second};
    }
    return hosts;
}

MachineOfLog machine_for(const std::vector<Drawn>& jobs, const SwfConversion& conversion = {}) {
    const Folder folder;
    std::string text = "JobID|Submit|Start|End|State|Partition|NNodes|NodeList|AllocTRES\n";
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        text += row_of(jobs[i], i);
    }
    AccountingData data;
    data.format = "sacct";
    data.paths = {folder.write("jobs.txt", text)};
    data.fields = {.per_host = true, .partition = true};
    data.keeps_hosts = true;
    const SwfLog log = read_accounting(data);
    const SwfSelection selection = select_jobs(log, conversion);
    return machine_of_log(selection, conversion, JobMaker(selection, conversion).summary());
}

// The most cores of a host that jobs took at one instant: at one of their starts.
int most_at_once(const std::vector<Drawn>& jobs, int host) {
    int most = 0;
    for (const Drawn& first : jobs) {
        int sum = 0;
        for (const Drawn& job : jobs) {
            sum += job.hosts.contains(host) && job.start <= first.start && first.start < job.end ? job.cores : 0;
        }
        most = std::max(most, sum);
    }
    return most;
}

}  // namespace

TEST_CASE("A named host has what its jobs took of it at one instant, and there are no other hosts") {
    Random random(54);
    for (int round = 0; round < 300; ++round) {
        std::vector<Drawn> jobs(static_cast<std::size_t>(random.between(1, 12)));
        std::ranges::generate(jobs, [&] { return draw(random); });
        jobs.front().hosts.insert(1);  // a log that names hosts
        jobs.front().size = static_cast<int>(jobs.front().hosts.size());
        const std::map<std::string, Made> hosts = hosts_of(machine_for(jobs));
        for (int host = 1; host <= 6; ++host) {
            std::set<std::string> partitions;
            for (const Drawn& job : jobs) {
                if (job.hosts.contains(host) && !job.partition.empty()) {
                    partitions.insert(job.partition);
                }
            }
            const auto made = hosts.find("n" + std::to_string(host));
            const int most = most_at_once(jobs, host);
            REQUIRE((made != hosts.end()) == (most > 0));
            if (most > 0) {
                REQUIRE(made->second.cores == most);
                REQUIRE(made->second.partitions == (partitions.size() == 2 ? "a,b"
                                                    : partitions.empty()   ? ""
                                                                           : *partitions.begin()));
            }
        }
        for (const auto& [name, made] : hosts) {
            REQUIRE_FALSE(name.starts_with("unnamed"));
        }
    }
}

TEST_CASE("A host that was given beyond those of the log can run any of its jobs") {
    SwfConversion conversion;
    conversion.processors = 3;
    const MachineOfLog machine = machine_for({{0, 5, "a", {1}, 1, 4}, {0, 5, "b", {2}, 1, 2}}, conversion);
    CHECK(machine.description == "2 hosts that the log names, 1 more as given");
    const Made more = hosts_of(machine).at("unnamed1");
    CHECK(more.cores == 4);
    CHECK(more.partitions == "a,b");
    conversion.processors = 1;
    CHECK_THROWS_WITH(machine_for({{0, 5, "a", {1, 2}, 2, 4}}, conversion),
                      Catch::Contains("its jobs ran on 2 hosts, expected at least as many, found 1"));
}

}  // namespace batfill::tests::logged_machine_test
