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

}  // namespace batfill::tests::resources_test
