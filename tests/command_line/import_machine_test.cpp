#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"

// import --machine
namespace batfill::tests::import_machine_test {

using Catch::Matchers::Contains;

namespace {

const std::string accounting =
    "JobID|Partition|Submit|Start|End|Timelimit|NNodes|NodeList|AllocTRES|SubmitLine|State\n"
    "1|cpu|0|10|110|00:05:00|2|n[1-2]|cpu=128,mem=200G,node=2|sbatch a|COMPLETED\n"
    "2|gpu|0|10|110|00:05:00|1|g1|cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=16000M,node=1|sbatch a|COMPLETED\n"
    "3|gpu|0|10|110|00:05:00|1|g9|cpu=8,gres/gpu=8,gres/gpu:a100=8,mem=16000M,node=1|sbatch a|COMPLETED\n"
    "4|cpu|0|110|210|00:05:00|1|n1|cpu=64,node=1|sbatch --exclusive a|COMPLETED\n"
    "5|old|0|110|210|00:05:00|1|o1|cpu=64,mem=1G,node=1|sbatch a|COMPLETED\n"
    "6|cpu|0|110|210|00:05:00|3|n[1-2,7]|cpu=3,mem=3G,node=3|sbatch a|COMPLETED\n"
    "7|cpu|0|110|210|00:05:00|1|n8|cpu=3,mem=300G,node=1|sbatch a|COMPLETED\n";

const std::string nodes =
    "NODELIST|PARTITION|CPUS|MEMORY|GRES\n"
    "n1|cpu*|64|257000|(null)\n"
    "n2|cpu*|64|257000|(null)\n"
    "g1|gpu|64|515000|gpu:a100:4(S:0-1)\n";

struct Inputs {
    Folder folder;
    std::string jobs = folder.write("jobs.txt", accounting);
    std::string machine = folder.write("nodes.txt", nodes);
    std::string workload = folder.file("w.json");
    std::string platform = folder.file("m.xml");

    Outcome import(const Arguments& more) const {
        return run(folder, with({"import", "sacct", jobs, "--machine", machine}, more));
    }
};

}  // namespace

TEST_CASE("import takes the machine that sinfo prints, and leaves out what does not fit") {
    const Inputs inputs;
    const Outcome made = inputs.import({"--fields", "all", "-o", inputs.workload, "--platform", inputs.platform});
    require_done(made);
    CHECK_THAT(made.errors, Contains("the jobs that do not fit on the machine, and are left out, had "));
    for (const std::string reason :
         {"more gpus than any host of partition gpu has", "more hosts than partition cpu has",
          "more memory than any host of partition cpu has", "the machine has no partition old"}) {
        std::string line = "  does not fit: " + reason;
        line.resize(78, ' ');
        CHECK_THAT(made.output, Contains(line + "1\n"));
    }
    CHECK_THAT(made.output,
               Contains("\nHosts: 3 (those of " + inputs.machine + ")\nMachine: 3 hosts of " + inputs.machine +
                        " (sinfo)\n"
                        "  2 hosts: cores:64,memory:257000; partitions cpu\n"
                        "  1 host: cores:64,gpus:4,gpus_a100:4,memory:515000; partitions gpu\n"
                        "Hosts that the log names and the machine lacks: g9, n7, n8 and 1 more\n"
                        "Platform: 3 hosts of " +
                        inputs.machine + "\n") &&
                   !Contains("The machine had at least"));
    const std::string xml = contents(inputs.platform);
    CHECK_THAT(xml, Contains(R"(<host id="g1" )") && Contains(R"(<host id="n1" )") && Contains(R"(<host id="n2" )") &&
                        Contains(R"(value="cores:64,gpus:4,gpus_a100:4,memory:515000")"));
    CHECK_THAT(contents(inputs.workload), Contains("\"nb_res\": 3") || Contains("\"nb_res\":3"));
    // Every job that is kept runs.
    const std::string prefix = inputs.folder.file("easy");
    require_done(run(inputs.folder,
                     {"simulate", "-q", "-a", "easy", "-w", inputs.workload, "-p", inputs.platform, "-e", prefix}));
    const std::string ran = contents(prefix + "_jobs.csv");
    CHECK_THAT(ran, !Contains("REJECTED") && Contains("\n1,") && Contains("\n2,") && Contains("\n4,"));

    // The platform is the same machine.
    const std::string again = inputs.folder.file("again.xml");
    require_done(run(inputs.folder, {"import", "sacct", inputs.jobs, "--fields", "all", "--machine", inputs.platform,
                                     "--platform", again, "-o", inputs.workload}));
    CHECK(contents(again).substr(contents(again).find("<platform")) == xml.substr(xml.find("<platform")));
}

TEST_CASE("import says in JSON which hosts the machine lacks, and what its listing does not say") {
    const Inputs inputs;
    inputs.folder.write("nodes.txt", "NodeName=n1 CPUTot=64 Partitions=cpu Gres=link:no_consume:4\n");
    const Outcome made = inputs.import({"--fields", "per-host", "--fields", "partition", "--format", "json"});
    require_done(made);
    CHECK_THAT(made.output,
               Contains("\"from\": \"scontrol show node\"") &&
                   Contains("\"what\": \"memory unknown\",\n        \"hosts\": 1") &&
                   Contains("\"what\": \"left out: link:no_consume\"") &&
                   Contains("\"missing_hosts\": [\n      \"g1\",\n      \"g9\",\n      \"n2\",\n      \"n7\",\n"
                            "      \"n8\",\n      \"o1\"\n    ]") &&
                   Contains("\"what\": \"does not fit: no host is known to have memory\",\n      \"jobs\": 3"));
}

TEST_CASE("import --machine refuses what does not go with it") {
    const Inputs inputs;
    check_refused(inputs.import({}), 2, "--machine is for what jobs take of hosts: expected --fields per-host or all");
    check_refused(inputs.import({"--fields", "partition"}), 2, "expected --fields per-host or all");
    check_refused(inputs.import({"--fields", "all", "--processors", "4"}), 2,
                  "--machine has its own number of hosts, expected no --processors");
    check_refused(inputs.import({"--fields", "all", "-o", inputs.machine}), 2, "would write over the input");
    check_refused(inputs.import({"--fields", "all", "--platform", inputs.machine}), 2, "would write over the input");
    const auto with_machine = [&](const std::string& file) {
        return run(inputs.folder, {"import", "sacct", inputs.jobs, "--fields", "all", "--machine", file});
    };
    check_refused(with_machine("missing.txt"), 1, "missing.txt: ");
    check_refused(with_machine(inputs.jobs), 1, "jobs.txt: expected what `scontrol show node`, `sinfo -N -o ");
    const std::string table = inputs.folder.write("t.csv", "id,submit,start,end,size,mem\n1,0,0,10,2,1G\n");
    check_refused(run(inputs.folder, {"import", "csv", table, "--map",
                                      "id=id,submit=submit,start=start,end=end,processors=size,memory=mem", "--fields",
                                      "all", "--machine", inputs.machine}),
                  1, "t.csv: its jobs have processors, and the machine has hosts");
    // Nothing fits, which is said with the reasons.
    const Outcome none =
        run(inputs.folder, {"import", "sacct", inputs.jobs, "--fields", "all", "-o", inputs.workload, "--machine",
                            inputs.folder.write("small.txt", "NodeName=x CPUTot=1 RealMemory=1 Partitions=y\n")});
    CHECK(none.status == 1);
    CHECK_THAT(none.errors, Contains("(does not fit: the machine has no partition cpu)"));
}

}  // namespace batfill::tests::import_machine_test
