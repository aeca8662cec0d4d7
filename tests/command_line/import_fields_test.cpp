#include <string>

#include <catch2/catch.hpp>

#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

#include "tests/command_line/outcome.hpp"
#include "tests/support/process.hpp"

// import --fields
namespace batfill::tests::import_fields_test {

using Catch::Matchers::Contains;

namespace {

const std::string accounting =
    "JobID|Partition|Submit|Start|End|Timelimit|NNodes|AllocTRES|SubmitLine|State\n"
    "1|cpu|0|10|110|00:05:00|2|cpu=64,mem=100G,node=2|sbatch a|COMPLETED\n"
    "2|gpu|0|10|110|00:05:00|1|cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=16000M,node=1|sbatch a|COMPLETED\n"
    "3|gpu|0|10|110|00:05:00|1|cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=16000M,node=1|sbatch a|COMPLETED\n"
    "4|cpu|0|110|210|00:05:00|1|cpu=64,node=1|sbatch --exclusive a|COMPLETED\n";

struct Inputs {
    Folder folder;
    std::string jobs = folder.write("jobs.txt", accounting);
    std::string workload = folder.file("w.json");

    Outcome import(const Arguments& more) const { return run(folder, with({"import", "sacct", jobs}, more)); }
    // The starts of the jobs, by id, under EASY on this machine.
    std::string starts(const Arguments& machine) const {
        const std::string prefix = folder.file("easy");
        const Outcome outcome =
            run(folder, with({"simulate", "-q", "-a", "easy", "-w", workload, "-e", prefix}, machine));
        REQUIRE(outcome.status == 0);
        CHECK_THAT(outcome.errors, !Contains("which no algorithm"));
        std::string starts;
        for (const ScheduledJob& job : read_schedule(prefix + "_jobs.csv").jobs) {
            starts += job.id + ' ' + (job.execution->start.since_zero().to_shortest_string()) + ' ';
        }
        return starts;
    }
};

std::size_t times_in(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++times;
    }
    return times;
}

}  // namespace

TEST_CASE("import prints the machine on which the jobs are replayed") {
    const Inputs inputs;
    const Outcome made = inputs.import({"-o", inputs.workload, "--fields", "per-host,partition"});
    CHECK(made.status == 0);
    CHECK(made.errors.empty());
    CHECK_THAT(made.output,
               Contains("\nHosts: 2 (the widest job; --processors N gives another size)\n"
                        "The machine had at least --capacity cores:64,gpus:2,gpus_a100:2,memory:51200\n"
                        "Partitions, each with the hosts of its widest job, for `batfill platform`:\n"
                        "  --group 2:cores=64,memory=51200,partition=cpu\n"
                        "  --group 1:cores=8,gpus=2,gpus_a100=2,memory=16000,partition=gpu\n") &&
                   Contains("whole hosts, by the log: no per_host                                        1\n"));
    const std::string machine = inputs.folder.file("m.xml");
    CHECK(run(inputs.folder, {"platform", "--group", "2:cores=64,memory=51200,partition=cpu", "--group",
                              "1:cores=8,gpus=2,gpus_a100=2,memory=16000,partition=gpu", "-o", machine})
              .status == 0);
    CHECK(inputs.starts({"-p", machine}) == "w0!1 0 w0!2 0 w0!3 100 w0!4 100 ");
}

TEST_CASE("Jobs that were imported with per-host share the hosts of --capacity") {
    const Inputs inputs;
    CHECK(inputs.import({"-o", inputs.workload, "--fields", "per-host"}).status == 0);
    CHECK(inputs.starts({"-p", "2", "--capacity", "cores:64,gpus:4,gpus_a100:4,memory:85000"}) ==
          "w0!1 0 w0!2 0 w0!3 0 w0!4 100 ");
}

TEST_CASE("import --fields partition keeps sizes, and names the partitions") {
    const Inputs inputs;
    const Outcome made = inputs.import({"-o", inputs.workload, "--fields", "partition"});
    CHECK_THAT(made.output, Contains("\nProcessors: 64 (the widest job; --processors N gives another size)\n"
                                     "Partitions: cpu (widest job: 64), gpu (widest job: 8); "
                                     "`batfill platform --group N:partition=NAME` makes such a machine\n"));
    CHECK_THAT(made.output, !Contains("The machine had at least"));
}

TEST_CASE("import prints capacity and partitions in JSON, too") {
    const Inputs inputs;
    const std::string json =
        inputs.import({"--fields", "per-host", "--fields", "partition", "--format", "json"}).output;
    CHECK_THAT(json, Contains(R"("capacity": "cores:64,gpus:2,gpus_a100:2,memory:51200")") &&
                         Contains(R"("name": "gpu")") &&
                         Contains(R"("capacity": "cores:8,gpus:2,gpus_a100:2,memory:16000")"));
}

TEST_CASE("import writes the machine of a log, of the hosts that it names") {
    const Inputs inputs;
    const std::string nodes =
        inputs.folder.write("nodes.txt",
                            "JobID|Partition|Submit|Start|End|Timelimit|NNodes|NodeList|AllocTRES|State\n"
                            "1|cpu|0|10|110|00:05:00|2|c[1-2]|cpu=64,mem=100G,node=2|COMPLETED\n"
                            "2|gpu|0|10|110|00:05:00|1|g1|cpu=8,gres/gpu=2,mem=16G,node=1|COMPLETED\n"
                            "3|any|0|10|110|00:05:00|1|g1|cpu=16,mem=1G,node=1|COMPLETED\n");
    const std::string machine = inputs.folder.file("m.xml");
    const Outcome made =
        run(inputs.folder, {"import", "sacct", nodes, "--fields", "all", "-o", inputs.workload, "--platform", machine});
    require_done(made);
    CHECK_THAT(made.output,
               Contains("\nHosts: 3 (those of the platform)\n") &&
                   Contains("\nPlatform: 3 hosts that the log names\n") &&
                   Contains("  gpus: AllocTRES                                                             1\n") &&
                   Contains("  partition: Partition                                                        3\n"));
    const std::string xml = contents(machine);
    // g1 had two jobs at once.
    CHECK_THAT(xml, Contains(R"(<host id="c2" speed)") && Contains(R"(value="cores:24,gpus:2,memory:17408")") &&
                        Contains(R"(<prop id="partitions" value="any,gpu" />)"));
    CHECK_THAT(made.output, Contains("The machine had at least --capacity cores:32,gpus:2,memory:51200\n"));
    CHECK(inputs.starts({"-p", machine}) == "w0!1 0 w0!2 0 w0!3 0 ");
    check_refused(
        run(inputs.folder, {"import", "sacct", nodes, "--fields", "all", "--platform", machine, "--processors", "2"}),
        1, "its jobs ran on 3 hosts, expected at least as many, found 2");
    CHECK_THAT(
        run(inputs.folder, {"import", "sacct", nodes, "--fields", "all", "--platform", machine, "--processors", "4"})
            .output,
        Contains("\nHosts: 4 (as given)\n") && Contains("\nPlatform: 3 hosts that the log names, 1 more as given\n"));

    // Without lists, as many hosts as the widest job of each partition has.
    const Outcome counted =
        inputs.import({"--fields", "per-host,partition", "-o", inputs.workload, "--platform", machine});
    CHECK_THAT(counted.output, Contains("\nPlatform: 3 hosts, those of the widest jobs\n"));
    CHECK(inputs.starts({"-p", machine}) == "w0!1 0 w0!2 0 w0!3 100 w0!4 100 ");
    check_refused(inputs.import({"-o", inputs.workload, "--platform", machine}), 2,
                  "--platform is the machine of what jobs take: expected --fields");
    check_refused(inputs.import({"-o", machine, "--fields", "all", "--platform", machine}), 2);
}

TEST_CASE("swf reads partitions and memory, and prints the pool that the machine had") {
    const Inputs inputs;
    const std::string log = inputs.folder.write("log.swf",
                                                "; MaxProcs: 8\n"
                                                "1 0 0 100 2 -1 -1 2 200 2048 1 1 1 1 1 3 -1 -1\n"
                                                "2 5 0 100 4 -1 -1 3 200 1000 1 1 1 1 1 1 -1 -1\n"
                                                "3 5 95 100 1 -1 -1 1 200 -1 1 1 1 1 1 -1 1 3\n");
    const Outcome all = run(inputs.folder, {"swf", log, "--fields", "all", "-o", inputs.workload});
    require_done(all);
    const std::string jobs = contents(inputs.workload);
    CHECK_THAT(jobs, Contains(R"("pools":{"memory":4},"partition":"3"})") &&
                         Contains(R"("pools":{"memory":3},"partition":"1"})") && Contains(R"("after":["any:1+3"])"));
    // 1 and 2 ran at once.
    CHECK_THAT(all.output,
               Contains("\nThe machine had at least --pool memory=7\n") &&
                   Contains("  memory of the pool: column 10                                               2\n") &&
                   Contains("Partitions: 1 (widest job: 3), 3 (widest job: 2)"));
    const Outcome allocated =
        run(inputs.folder, {"swf", log, "--fields", "memory-pool", "--size", "allocated", "-o", inputs.workload});
    CHECK_THAT(contents(inputs.workload), Contains(R"("res":4,"walltime":200,"profile":"d100","queue":"1","user":"1",)"
                                                   R"("pools":{"memory":4}})"));
    CHECK_THAT(allocated.output, Contains("--pool memory=8"));
    // Column 16 has partitions, the header the machine: what no partition needs is in both.
    const std::string machine = inputs.folder.file("m.xml");
    const auto platform = [&](const Arguments& more) {
        return run(inputs.folder,
                   with({"swf", log, "--fields", "partition", "--platform", machine, "-o", inputs.workload}, more))
            .output;
    };
    const auto hosts_of = [&](const std::string& partitions) {
        return times_in(contents(machine), "\"partitions\" value=\"" + partitions + "\"");
    };
    CHECK_THAT(platform({}), Contains("\nPlatform: 8 hosts, MaxProcs in the header\n"));
    CHECK(hosts_of("1") == 3);
    CHECK(hosts_of("3") == 2);
    CHECK(hosts_of("1,3") == 3);
    CHECK_THAT(platform({"--processors", "4"}), Contains("\nPlatform: 4 hosts, as given\n"));
    CHECK(hosts_of("1") == 2);
    CHECK(hosts_of("3") == 1);
    CHECK(hosts_of("1,3") == 1);
    CHECK_THAT(
        run(inputs.folder, {"swf", log, "--fields", "memory-pool", "--platform", machine, "--processors", "4"}).output,
        Contains("\nPlatform: 4 hosts, as given\n"));
    check_refused(run(inputs.folder, {"swf", log, "--fields", "all,after"}), 2, "expected no other field beside it");
}

TEST_CASE("import refuses fields that it does not know, and options that count otherwise") {
    const Inputs inputs;
    const auto refusal = [&](const Arguments& more) {
        const Outcome outcome = inputs.import(more);
        CHECK(outcome.status == 2);
        return outcome.errors;
    };
    CHECK(
        refusal({"--fields", "per_host"}) ==
        "batfill: --fields: unknown field 'per_host', did you mean 'per-host'? Known: per-host, partition, memory-pool, licenses, after, begin, array, all\n");
    CHECK(
        refusal({"--fields", "partition,pools"}) ==
        "batfill: --fields: unknown field 'pools', known: per-host, partition, memory-pool, licenses, after, begin, array, all\n");
    CHECK_THAT(refusal({"--fields", ""}), Contains("unknown field ''"));
    CHECK_THAT(refusal({"--fields", "partition,partition"}), Contains("expected partition once"));
    CHECK_THAT(refusal({"--fields", "per-host", "--nodes"}), Contains("--nodes lets jobs take whole nodes"));
    CHECK_THAT(refusal({"--fields", "per-host", "--unit", "2"}), Contains("--unit counts processors"));
    CHECK_THAT(refusal({"--fields", "per-host", "--load", "0.5"}), Contains("--load counts whole hosts"));
}

TEST_CASE("import notes GPUs of jobs that take whole hosts as such, and quotes names for a shell") {
    const Folder folder;
    const std::string head = accounting.substr(0, accounting.find('\n') + 1);
    const std::string gpus = "|0|10|110|00:05:00|1|cpu=8,gres/gpu=2,node=1|sbatch ";
    const auto import = [&](const std::string& rows) {
        return run(folder,
                   {"import", "sacct", folder.write("jobs.txt", head + rows), "--fields", "per-host,partition"});
    };
    const std::string shared = "1|it's mine" + gpus + "a|COMPLETED\n";
    CHECK(import(shared).errors.empty());
    CHECK_THAT(import(shared).output, Contains(R"(  --group '1:cores=8,gpus=2,partition=it'\''s mine')"));
    // The table of import says it; whoever replays the jobs is told.
    const std::string workload = folder.file("w.json");
    const std::string jobs = folder.write("jobs.txt", head + shared + "2|gpu" + gpus + "--exclusive a|COMPLETED\n");
    const Outcome made = run(folder, {"import", "sacct", jobs, "--fields", "per-host", "-o", workload});
    CHECK(made.errors.empty());
    CHECK_THAT(made.output,
               Contains("whole hosts, by the log: no per_host                                        1\n"));
    CHECK(run(folder, {"simulate", "-q", "-a", "easy", "-p", "1", "--capacity", "cores:8,gpus:2", "-w", workload, "-e",
                       folder.file("out")})
              .errors ==
          "batfill: note: some jobs ask for gpus (1 job) but not in per_host, as other jobs do; "
          "a job without per_host takes whole hosts\n");
}

TEST_CASE("What does not divide by hosts says nothing of what each had at once, of components either") {
    const Folder folder;
    const auto cores_of_v1 = [&](const std::string& first, const std::string& second) {
        const std::string jobs =
            folder.write("jobs.txt", "JobID|Submit|Start|End|State|Partition|NNodes|AllocTRES|NodeList\n" + first +
                                         "|1000|1000|1100|COMPLETED|g|1|cpu=1|c1\n" + second +
                                         "|1000|1000|1100|COMPLETED|g|3|cpu=23|v[1-3]\n"
                                         "2|1000|1010|1090|COMPLETED|g|1|cpu=1|v1\n");
        require_done(run(folder, {"import", "sacct", jobs, "--fields", "all", "-o", folder.file("w.json"), "--platform",
                                  folder.file("m.xml")}));
        const std::string machine = contents(folder.file("m.xml"));
        const std::string behind = machine.substr(machine.find("id=\"v1\""));
        return behind.substr(behind.find("cores:"), 7);
    };
    CHECK(cores_of_v1("3", "1") == "cores:8");
    CHECK(cores_of_v1("1+0", "1+1") == "cores:8");
}

TEST_CASE("No host that the log does not show serves anybody") {
    const Folder folder;
    const std::string times = "|1767603600|1767603600|1767607200|COMPLETED|gpu|1|";
    const std::string jobs = folder.write("jobs.txt",
                                          "JobID|Submit|Start|End|State|Partition|NNodes|AllocTRES|NodeList\n"
                                          "1+0" +
                                              times + "cpu=8,gres/gpu:a100=4|g1\n1+1" + times +
                                              "cpu=8,gres/gpu:v100=4|v1\n"
                                              "2" +
                                              times + "cpu=8,gres/gpu:a100=4|g1\n3" + times + "cpu=4|\n");
    const Outcome made = run(folder, {"import", "sacct", jobs, "--fields", "all", "-o", folder.file("w.json"),
                                      "--platform", folder.file("m.xml")});
    CHECK(made.status == 0);
    CHECK_THAT(made.output,
               Contains("does not fit: no host of partition gpu has all its amounts                  1\n") &&
                   Contains("Platform: 2 hosts that the log names"));
    CHECK_THAT(made.errors, Contains("left out, had 50.0 % of the hosts' time"));
    CHECK(contents(folder.file("m.xml")).find("unnamed") == std::string::npos);
    CHECK(read_workload(folder.file("w.json"), "w0").jobs.size() == 2);
    CHECK(run(folder, {"compare", "fcfs", "easy", folder.file("w.json"), "-p", folder.file("m.xml")}).status == 0);
}

}  // namespace batfill::tests::import_fields_test
