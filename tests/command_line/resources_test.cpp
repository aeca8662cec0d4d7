#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/simulate_inputs.hpp"

// Commands on machines with pools, capacities and partitions.
namespace batfill::tests::resources_test {

using Catch::Matchers::Contains;

// A workload of one job with these fields, and its schedule under fcfs.
std::string scheduled(const Inputs& inputs, const std::string& fields, const Arguments& machine) {
    const std::string workload =
        inputs.folder.write("one.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                        R"({"id":"a","subtime":0,"res":1,"walltime":10,"profile":"p")" +
                                            fields + "}]}");
    Arguments arguments{"simulate", "-q", "-w", workload, "-a", "fcfs", "-e", inputs.folder.file("one")};
    arguments.insert(arguments.end(), machine.begin(), machine.end());
    CHECK(run(inputs.folder, arguments).status == 0);
    return workload;
}

TEST_CASE("check says what only the machine or only the workload has, and finds the same") {
    const Inputs inputs;
    const auto errors = [&](const std::string& fields, const Arguments& machine) {
        const std::string workload = scheduled(inputs, fields, machine);
        Arguments arguments{"check", inputs.folder.file("one"), "-w", workload};
        arguments.insert(arguments.end(), machine.begin(), machine.end());
        const Outcome outcome = run(inputs.folder, arguments);
        CHECK(outcome.status == 0);
        CHECK_THAT(outcome.output, Contains("1 jobs, no violations"));
        return outcome.errors;
    };
    const std::string platform = inputs.folder.write(
        "machine.xml", R"(<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>)"
                       R"(<host id="h" speed="1f"><prop id="partitions" value="debug"/></host></zone></platform>)");
    CHECK(errors("", {"-p", "2"}).empty());
    CHECK(errors(R"(,"pools":{"power":1})", {"-p", "2", "--pool", "power=1"}).empty());
    CHECK_THAT(errors("", {"-p", "2", "--pool", "power=1"}), Contains("no job says what it takes of them"));
    CHECK_THAT(errors("", {"-p", "2", "--capacity", "cores:4"}), Contains("checked as if each job took whole hosts"));
    CHECK_THAT(errors("", {"-p", platform}), Contains("no job asks for one ('partition')"));
    CHECK_THAT(errors(R"(,"pools":{"power":1})", {"-p", "2"}), Contains("the machine has none: pools are not checked"));
    CHECK_THAT(errors(R"(,"per_host":{"cores":1})", {"-p", "2"}), Contains("hosts have no capacity"));
    CHECK_THAT(errors(R"(,"partition":"debug")", {"-p", "2"}), Contains("the machine has none: partitions"));
    // Tasks are cores of hosts to a scheduler like Slurm.
    const std::string tasks = scheduled(inputs, R"(,"tasks":2)", {"-p", "2", "--capacity", "cores:4"});
    CHECK(run(inputs.folder,
              {"check", inputs.folder.file("one"), "-w", tasks, "-p", "2", "--capacity", "cores:4", "--by-seconds"})
              .errors.empty());
}

TEST_CASE("properties of a platform that others use too are noted once, and delay nobody") {
    const Inputs inputs;
    const auto machine = [&](const std::string& properties, const std::string& role = "compute_node") {
        return inputs.folder.write(
            "others.xml", R"(<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>)"
                          R"(<host id="g" speed="1f"/><host id="h" speed="1f"/><host id="i" speed="1f">)"
                          R"(<prop id="role" value=")" +
                              role + "\"/>" + properties + "</host></zone></platform>");
    };
    const auto simulate = [&](const std::string& platform) {
        return run(inputs.folder, {"simulate", "-q", "-a", "easy", "-p", platform, "-w", inputs.workload, "-e",
                                   inputs.folder.file("out")});
    };
    const std::string capacity = R"(<prop id="capacity" value="500GB"/>)";
    const std::string note =
        "batfill: note: platform: property capacity of host i is '500GB', expected NAME:AMOUNT,...; such values are "
        "ignored\n";
    const Outcome ignored = simulate(machine(capacity));
    require_done(ignored);
    CHECK_THAT(ignored.errors, Contains(note));
    CHECK(start_of(inputs.jobs("out"), "2") == "12.000000");
    for (const Arguments& arguments :
         {Arguments{"check", inputs.folder.file("out"), "-w", inputs.workload},
          Arguments{"metrics", inputs.folder.file("out")}, Arguments{"compare", "easy", inputs.workload}}) {
        CHECK_THAT(run(inputs.folder, with(arguments, {"-p", inputs.folder.file("others.xml")})).errors,
                   Contains(note));
    }
    CHECK_THAT(simulate(machine(capacity, "storage")).errors, !Contains("capacity"));
    CHECK_THAT(simulate(machine(R"(<prop id="capacity" value="cores:4,cores:5"/>)", "storage")).errors,
               !Contains("capacity"));
    check_refused(simulate(machine(R"(<prop id="capacity" value="cores:4,cores:5"/>)")), 1,
                  "property capacity names cores twice");
}

TEST_CASE("compare refuses the utilisation of what the machine does not have before it replays anything") {
    const Inputs inputs;
    const std::string workload = scheduled(inputs, R"(,"pools":{"power":1})", {"-p", "2", "--pool", "power=1"});
    const auto compare = [&](const std::string& metric) {
        return run(inputs.folder, {"compare", "fcfs", workload, "-p", "2", "--pool", "power=1", "--metrics", metric});
    };
    CHECK_THAT(compare("utilisation_of_power").output, Contains("utilisation of power"));
    const Outcome refused = compare("utilisation_of_pover");
    CHECK(refused.status == 2);
    CHECK(refused.output.empty());
    CHECK_THAT(refused.errors, Contains("did you mean 'utilisation_of_power'?"));
    // A job that no scheduler can run fails the replays, which come later.
    inputs.folder.write("one.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                    R"({"id":"a","subtime":0,"res":9,"walltime":10,"profile":"p"}]})");
    CHECK_THAT(compare("utilisation_of_power").errors, Contains("asks for 9 processors"));
    CHECK_THAT(compare("utilisation_of_pover").errors, Contains("did you mean"));
}

TEST_CASE("metrics takes the pools and capacities of a number of processors as those of a platform") {
    const Inputs inputs;
    const std::string workload = scheduled(inputs, R"(,"per_host":{"cores":3})", {"-p", "2", "--capacity", "cores:4"});
    const auto metrics = [&](const Arguments& machine) {
        Arguments arguments{"metrics", inputs.folder.file("one"), "-w", workload, "--capacity", "cores:4"};
        arguments.insert(arguments.end(), machine.begin(), machine.end());
        return run(inputs.folder, arguments);
    };
    CHECK_THAT(metrics({"-p", "2"}).output, Contains("utilisation of cores"));
    CHECK(metrics({"--processors", "2"}).output == metrics({"-p", "2"}).output);
    check_refused(metrics({}), 2);
    CHECK_THAT(metrics({}).errors, Contains("expected --platform, such as -p N"));
    check_refused(metrics({"-p", "2", "--pool", "cores=5"}), 1);
    CHECK_THAT(metrics({"-p", "2", "--pool", "cores=5"}).errors, Contains("a pool cores and hosts have a capacity"));
}

TEST_CASE("check reports each pool and each capacity of which a job takes too much, and takes all placements") {
    const Inputs inputs;
    const auto write = [&](int amount) {
        const std::string takes = R"(,"pools":{"bb":)" + std::to_string(amount) + R"(},"per_host":{"cores":)" +
                                  std::to_string(amount) + R"(,"gpus":1}})";
        return inputs.folder.write(
            "two.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                        R"({"id":"a","subtime":0,"res":1,"walltime":10,"profile":"p")" +
                            takes + R"(,{"id":"b","subtime":0,"res":1,"walltime":10,"profile":"p")" + takes + "]}");
    };
    const Arguments machine{"-p", "1", "--pool", "bb=4", "--capacity", "cores:4,gpus:2"};
    const std::string prefix = inputs.folder.file("two");
    Arguments simulate{"simulate", "-q", "-a", "fcfs", "-w", write(2), "-e", prefix};
    simulate.insert(simulate.end(), machine.begin(), machine.end());
    require_done(run(inputs.folder, simulate));
    Arguments check{"check", prefix, "-w", write(3), "--placement", "snug"};
    check.insert(check.end(), machine.begin(), machine.end());
    const Outcome outcome = run(inputs.folder, check);
    CHECK_THAT(outcome.output, Contains("takes 3 of pool bb, of which 1 are left") &&
                                   Contains("takes 3 cores of host 0, where 1 are left") &&
                                   Contains("2 jobs, 2 violations"));
}

TEST_CASE("An algorithm that is not for pools, and a pool to plan that is none, are wrong usage in all commands") {
    const Inputs inputs;
    const std::string workload = scheduled(inputs, "", {"-p", "2"});
    const std::string prefix = inputs.folder.file("out");
    for (const std::string scheduler : {"filler", "easy,plan-pools=nosuch"}) {
        INFO(scheduler);
        check_refused(run(inputs.folder, {"compare", scheduler, workload, "-p", "2", "--pool", "bb=4"}), 2);
    }
    const Outcome empty = run(inputs.folder, {"compare", "easy,plan-pools=bb,", workload, "-p", "2", "--pool", "bb=4"});
    CHECK_THAT(empty.errors, Contains("no pool ''"));
    check_refused(run(inputs.folder,
                      {"simulate", "-q", "-a", "filler", "-w", workload, "-p", "2", "--pool", "bb=4", "-e", prefix}),
                  2);
}

TEST_CASE("plot says that it counts hosts once for each job on them") {
    const Inputs inputs;
    scheduled(inputs, R"(,"per_host":{"cores":1})", {"-p", "2", "--capacity", "cores:4"});
    const auto errors = [&](const std::string& kind, const Arguments& machine) {
        Arguments plot{"plot", kind, inputs.folder.file("one"), "-p", "2", "-o", inputs.folder.file("x.svg")};
        plot.insert(plot.end(), machine.begin(), machine.end());
        const Outcome outcome = run(inputs.folder, plot);
        CHECK(outcome.status == 0);
        return outcome.errors;
    };
    CHECK_THAT(errors("utilisation", {"--capacity", "cores:4"}), Contains("once for each job"));
    CHECK(errors("utilisation", {}).empty());
    CHECK(errors("queue", {"--capacity", "cores:4"}).empty());
}

namespace {

// Two jobs beside each other on a host with GPUs, then one of that host alone, in two partitions; and their schedule.
struct SharedHosts : Inputs {
    std::string machine = folder.file("shared.xml");
    std::string workload = folder.write(
        "shared.json",
        R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
        R"({"id":"a","subtime":0,"res":1,"walltime":10,"profile":"p","partition":"gpu","user":"ann",)"
        R"("per_host":{"cores":1,"gpus":2},"pools":{"power":3}},)"
        R"({"id":"b","subtime":0,"res":1,"walltime":10,"profile":"p","partition":"gpu","per_host":{"cores":2}},)"
        R"({"id":"c","subtime":2,"res":1,"walltime":10,"profile":"p","partition":"gpu","pools":{"power":4}},)"
        R"({"id":"d","subtime":0,"res":1,"walltime":10,"profile":"p","partition":"batch","per_host":{"cores":4}}]})");
    std::string prefix = folder.file("shared");
    std::string output = folder.file("out.svg");

    SharedHosts() {
        require_done(run(folder, {"platform", "--group", "1:cores=4,gpus=2,partition=gpu", "--group",
                                  "1:cores=4,partition=batch", "--pool", "power=4", "-o", machine}));
        require_done(run(folder, {"simulate", "-q", "-a", "fcfs", "-p", machine, "-w", workload, "-e", prefix}));
    }
    Outcome plot(const std::string& kind, const Arguments& more) const {
        return run(folder, with({"plot", kind, prefix, "-o", output}, more));
    }
};

}  // namespace

TEST_CASE("plot gantt draws the jobs that share a host beside each other, and GPUs in a panel of their own") {
    const SharedHosts inputs;
    const Outcome done = inputs.plot("gantt", {"-p", inputs.machine, "-w", inputs.workload});
    CHECK(done.status == 0);
    CHECK(done.errors.empty());
    const std::string chart = contents(inputs.output);
    CHECK_THAT(chart, Contains(">hosts, by cores</text>") && Contains(">gpus</text>"));
    // 20 seconds are 630 units wide. Two hosts are 220 high, so that a core has 27.5. A small gap is between jobs.
    CHECK_THAT(chart, Contains("M70 32h314.5v27h-314.5z") && Contains("M70 59.5h314.5v54.5h-314.5z") &&
                          Contains("M70 142h314.5v109.5h-314.5z") && Contains("M385 32h314.5v109.5h-314.5z"));
    // Two GPUs are 110 high, 44 below the first panel: of the first job, and of the whole host.
    CHECK_THAT(chart, Contains("M70 296h314.5v109.5h-314.5z") && Contains("M385 296h314.5v109.5h-314.5z"));
    // With this height, the second panel still has half of the first one's.
    require_done(inputs.plot("gantt", {"-p", inputs.machine, "-w", inputs.workload, "--height", "5"}));
    CHECK_THAT(contents(inputs.output), Contains("height='480'"));

    const Outcome without = inputs.plot("gantt", {"-p", inputs.machine});
    CHECK(without.status == 0);
    CHECK_THAT(without.errors, Contains("without --workload each job is drawn over the whole of its hosts"));
    CHECK_THAT(contents(inputs.output), Contains(">processors</text>") && !Contains(">gpus</text>"));
    const std::string other = inputs.folder.write("other.json", R"({"nb_res":2,"profiles":{},"jobs":[]})");
    check_refused(inputs.plot("gantt", {"-p", inputs.machine, "-w", other}), 1, "is in none of the workloads");
    // As report does, all kinds take the workload.
    require_done(inputs.plot("waits", {}));
    const std::string waits = contents(inputs.output);
    require_done(inputs.plot("waits", {"-w", inputs.workload}));
    CHECK(contents(inputs.output) == waits);
    check_refused(inputs.plot("wait", {}), 2, "kind: unknown kind of plot 'wait', did you mean 'waits'?");
}

TEST_CASE("plot usage draws each pool and capacity of which the machine has some") {
    const SharedHosts inputs;
    require_done(inputs.plot("usage", {"-p", inputs.machine, "-w", inputs.workload, "--width", "7.5"}));
    const std::string chart = contents(inputs.output);
    CHECK_THAT(chart,
               Contains(">power (of 4)</text>") && Contains(">cores (of 8)</text>") && Contains(">gpus (of 2)</text>"));
    // Three of the four in the first half, in panels of 110.
    CHECK_THAT(chart, Contains("d='M70.5 37.5L71.5 37.5"));
    CHECK_THAT(chart, !Contains("hatch"));
    const std::string calendar =
        inputs.folder.write("calendar.jsonl", R"({"name": "cut", "from": 5, "until": 10, "pools": {"power": 1}})");
    require_done(
        inputs.plot("usage", {"-p", inputs.machine, "-w", inputs.workload, "--windows", calendar, "--until", "20"}));
    CHECK_THAT(contents(inputs.output), Contains("class='window'") && Contains("d='M227.5 10h157.5v27.5h-157.5z'"));
    check_refused(inputs.plot("usage", {"-p", inputs.machine}), 2, "needs what jobs take: expected --workload");
    check_refused(inputs.plot("usage", {"-p", "2", "-w", inputs.workload}), 2, "expected a machine that has some");
}

TEST_CASE("report shows pools, shared hosts and partitions, and knows nothing of them without") {
    const SharedHosts inputs;
    const std::string page = inputs.folder.file("page.html");
    const auto report = [&](const Arguments& more) {
        require_done(run(inputs.folder, with({"report", inputs.prefix, "-o", page}, more)));
        return contents(page);
    };
    const std::string text = report({"-p", inputs.machine, "-w", inputs.workload});
    CHECK_THAT(text, Contains("unpackPanels") && Contains(R"("partitions":["gpu","batch"])") &&
                         Contains(R"("panels":[{"capacity":"cores","is_by_host":true,"rows":8,)") &&
                         Contains(R"({"capacity":"gpus","is_by_host":false,"rows":2,)") &&
                         Contains(R"("resources":[{"name":"power","total":4,"unit":1,)"));
    const std::string marker = "unpackPanels";
    CHECK_THAT(report({"-p", inputs.machine}), !Contains(marker) && !Contains("\"panels\""));
    CHECK_THAT(report({"-p", "2", "-w", inputs.workload}), !Contains(marker) && !Contains("\"partitions\":["));
    CHECK_THAT(report({"-p", "2", "--pool", "power=4", "-w", inputs.workload}),
               Contains(marker) && Contains("\"panels\":[],\"resources\":[{\"name\":\"power\"") &&
                   !Contains("\"partitions\":["));
}

TEST_CASE("compare --by shows the waits of each partition, as metrics does") {
    const SharedHosts inputs;
    const Arguments on_machine{"-p", inputs.machine, "--by", "partition", "-f", "csv"};
    const Outcome compared = run(inputs.folder, with({"compare", "fcfs", "easy", inputs.workload}, on_machine));
    CHECK(compared.status == 0);
    CHECK_THAT(compared.output, Contains("run,partition,jobs,") && Contains(R"("easy","batch",1,)") &&
                                    Contains(R"("easy","gpu",3,)") && Contains(R"("fcfs","gpu",3,)"));
    require_done(run(inputs.folder, {"simulate", "-q", "-a", "fcfs", "-p", inputs.machine, "-w", inputs.workload, "-e",
                                     inputs.folder.file("fcfs")}));
    const Outcome measured =
        run(inputs.folder, with({"metrics", inputs.folder.file("fcfs"), "-w", inputs.workload}, on_machine));
    CHECK(compared.output.starts_with(measured.output));  // fcfs comes first
    const auto refused = [&](const Arguments& more, const std::string& text) {
        check_refused(run(inputs.folder, with({"compare", "fcfs", inputs.workload, "--by", "partition"}, more)), 2,
                      text);
    };
    refused({"--weeks"}, "--by shows the jobs of one workload");
    refused({"-w", inputs.workload}, "--by shows the jobs of one workload");
    refused({"--metrics", "mean_wait"}, "expected no --metrics");
    refused({"-o", inputs.folder.file("values.csv")}, "expected no --output");
    CHECK(run(inputs.folder, {"compare", "fcfs", inputs.workload, "--by", "colour"}).status == 2);
}

TEST_CASE("A log on more hosts than the machine has does not say what hosts gave") {
    const Folder folder;
    const std::string log = folder.write("log.swf",
                                         "; MaxProcs: 4\n1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"
                                         "2 0 0 100 2 -1 -1 2 200 -1 1 1 1 1 1 1 -1 -1\n");
    const std::string workload = folder.file("w.json");
    require_done(run(folder, {"swf", log, "-o", workload}));
    const Arguments machine{"-w", workload, "-p", "4", "--capacity", "cores:8"};
    const Outcome measured = run(folder, with({"metrics", log, "-f", "csv"}, machine));
    require_done(measured);
    CHECK_THAT(measured.output, !Contains("utilisation_of_cores,0"));
    CHECK_THAT(measured.errors, Contains("has up to 6 processors in use, the machine has 4"));
    require_done(run(folder, with({"report", log, "-o", folder.file("page.html")}, machine)));
}

}  // namespace batfill::tests::resources_test
