#include <filesystem>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>

#include "src/commands/command.hpp"
#include "tests/support/process.hpp"

namespace batfill::tests::lublin_test {

using Catch::Matchers::Contains;

TEST_CASE("batfill generate lublin writes the same bytes for the same seed", "[lublin][command]") {
    const Folder folder;
    const std::string out = folder.file("out");
    const auto bytes_of = [&](const std::string& seed) {
        REQUIRE_NOTHROW(commands::generate(
            {"lublin", "--jobs", "300", "--processors", "64", "--seed", seed, "--load", "0.9", "-o", out}));
        return contents(out);
    };
    const std::string first = bytes_of("1");
    CHECK(first == bytes_of("1"));
    CHECK(first != bytes_of("2"));
    const Workload workload = read_workload(out, "w0");
    CHECK(workload.jobs.size() == 300);
    CHECK(workload.processors == 64);
    CHECK(offered_load(workload) == Approx(0.9).epsilon(1e-3));
}

TEST_CASE("batfill generate lublin writes the same jobs for Batsim 5", "[lublin][command][batsim5]") {
    const Folder folder;
    const std::string out = folder.file("out");
    const auto workload_in = [&](const std::string& format) {
        REQUIRE_NOTHROW(commands::generate({"lublin", "--jobs", "50", "--processors", "64", "--seed", "1", "--kind",
                                            "both", "--format", format, "-o", out}));
        return read_workload(out, "w0");
    };
    const Workload four = workload_in("batsim4");
    const Workload five = workload_in("batsim5");
    CHECK_THAT(contents(out), Contains(R"("type":"DelayProfile")") && Contains(R"("extra_data":{"queue":"batch"})"));
    CHECK(four.format == WorkloadFormat::batsim4);
    CHECK(five.format == WorkloadFormat::batsim5);
    for (std::size_t i = 0; i < four.jobs.size(); ++i) {
        CHECK(four.jobs[i].description == five.jobs.at(i).description);
    }
    CHECK_THROWS_WITH(commands::generate({"lublin", "--jobs", "1", "--processors", "1", "--seed", "1", "--format",
                                          "batsim3", "-o", out}),
                      Contains("--format: unknown value 'batsim3', known: batsim4, batsim5"));
}

TEST_CASE("batfill generate lublin tells batch from interactive jobs by their queue", "[lublin][command]") {
    const Folder folder;
    const std::string out = folder.file("out");
    REQUIRE_NOTHROW(commands::generate({"lublin", "--jobs", "2000", "--processors", "64", "--seed", "3", "--kind",
                                        "both", "--estimates", "factor:1.5", "-o", out}));
    std::size_t batch = 0;
    std::size_t interactive = 0;
    for (const WorkloadJob& job : read_workload(out, "w0").jobs) {
        batch += job.description.queue == "batch" ? 1U : 0U;
        interactive += job.description.queue == "interactive" ? 1U : 0U;
    }
    CHECK(batch + interactive == 2000);
    CHECK(batch > 100);
    CHECK(interactive > batch);
}

TEST_CASE("batfill generate refuses unknown models and values and lists the known ones", "[lublin][command]") {
    const Folder folder;
    const std::string out = folder.file("out");
    const auto generate = [&](const Arguments& more) {
        commands::generate(with({"lublin", "--jobs", "10", "--processors", "4", "--seed", "1", "-o", out}, more));
    };
    CHECK_THROWS_WITH(commands::generate({}), Contains("known models: failures, farm, lublin"));
    CHECK_THROWS_WITH(commands::generate({"uniform"}),
                      Contains("unknown model 'uniform', known: failures, farm, lublin"));
    CHECK_THROWS_AS(commands::generate({"lublin"}), UsageError);
    CHECK_THROWS_AS(commands::generate({"lublin", "--jobs", "0", "--processors", "4", "--seed", "1", "-o", out}),
                    UsageError);
    CHECK_THROWS_WITH(generate({"--kind", "serial"}), Contains("known: batch, interactive, both, undivided"));
    CHECK_THROWS_WITH(generate({"--estimates", "good"}), Contains("known: modal, exact, factor:K"));
    CHECK_THROWS_AS(generate({"--estimates", "factor:0.5"}), UsageError);
    CHECK_THROWS_AS(generate({"--estimates", "factor:"}), UsageError);
    CHECK_THROWS_AS(generate({"--load", "0"}), UsageError);
    CHECK_THROWS_AS(generate({"--load", "nan"}), UsageError);
    CHECK_THROWS_WITH(generate({"--load", "90"}),
                      "--load: expected a share of the machine in 0.001..10 (0.9 is 90 %), found '90'");
    CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("batfill generate refuses a load that submissions in whole seconds cannot give", "[lublin][command]") {
    const Folder folder;
    const std::string out = folder.file("out");
    // The two jobs together are about 20 s of work for this machine.
    const std::vector<std::string> arguments{"lublin", "--kind", "interactive", "--jobs", "2", "--processors",
                                             "1000",   "--seed", "1",           "-o",     out, "--load"};
    const auto with_load = [&](const std::string& load) {
        std::vector<std::string> all = arguments;
        all.push_back(load);
        return all;
    };
    CHECK_THROWS_WITH(commands::generate(with_load("10")),
                      Contains("a load of 10 cannot be reached") && Contains("9.792"));
    CHECK_FALSE(std::filesystem::exists(out));
    CHECK_NOTHROW(commands::generate(with_load("0.01")));
}

}  // namespace batfill::tests::lublin_test
