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

}  // namespace batfill::tests::resources_test
