#include <map>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/formats/workload.hpp>
#include <batfill/workloads/models.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::generate_shared_test {

using Catch::Matchers::Contains;

namespace {

Workload drawn(const Folder& folder, const std::vector<std::string>& options) {
    const std::string file = folder.file("w.json");
    REQUIRE(run(folder, with({"generate", "shared", "--jobs", "4000", "--seed", "1", "-o", file}, options)).status ==
            0);
    return read_workload(file, "w0");
}

double share(std::size_t count, std::size_t of) {
    return static_cast<double>(count) / static_cast<double>(of);
}

}  // namespace

TEST_CASE("batfill generate shared draws the shares of jobs that it is asked for") {
    const Folder folder;
    const Workload workload = drawn(folder, {"--whole-host-jobs", "25", "--gpu-jobs", "40", "--wide-jobs", "10",
                                             "--widest", "8", "--hosts", "50", "--cores", "16", "--gpus", "2"});
    CHECK(workload.processors == 50);
    REQUIRE(workload.jobs.size() == 4000);
    std::size_t whole = 0;
    std::size_t with_gpus = 0;
    std::size_t wide = 0;
    for (const WorkloadJob& job : workload.jobs) {
        const JobDescription& described = job.description;
        REQUIRE(described.processors <= 8);
        wide += described.processors > 1 ? 1 : 0;
        if (!described.needs) {
            ++whole;
            continue;
        }
        std::map<std::string, Amount> amounts;
        for (const auto& [name, amount] : *described.needs->per_host) {
            amounts[name] = amount;
        }
        REQUIRE(amounts.at("cores") >= 1);
        REQUIRE(amounts.at("cores") <= 16);
        REQUIRE(amounts.at("memory") >= 1);
        REQUIRE(amounts.at("memory") <= 256);
        if (amounts.contains("gpus")) {
            ++with_gpus;
            REQUIRE(amounts.at("gpus") <= 2);
        }
    }
    CHECK(share(whole, 4000) == Approx(0.25).margin(0.03));
    CHECK(share(with_gpus, 4000 - whole) == Approx(0.4).margin(0.03));
    CHECK(share(wide, 4000) == Approx(0.1).margin(0.02));
}

TEST_CASE("batfill generate shared counts the same jobs in cores, with the load that it is asked for") {
    const Folder folder;
    const Workload shared =
        drawn(folder, {"--counted", folder.file("counted.json"), "--hosts", "100", "--load", "0.7"});
    const Workload counted = read_workload(folder.file("counted.json"), "w0");
    CHECK(counted.processors == 3200);
    CHECK(offered_load(counted) == Approx(0.7).epsilon(0.01));
    REQUIRE(counted.jobs.size() == shared.jobs.size());
    for (std::size_t i = 0; i < shared.jobs.size(); ++i) {
        const JobDescription& one = shared.jobs[i].description;
        const Amount cores = one.needs ? one.needs->per_host->front().second : 32;
        REQUIRE(counted.jobs[i].description.processors == cores * one.processors);
        REQUIRE(counted.jobs[i].description.submit == one.submit);
        REQUIRE(counted.jobs[i].description.walltime == one.walltime);
        REQUIRE_FALSE(counted.jobs[i].description.needs);
    }
}

TEST_CASE("batfill generate shared writes the same bytes for a seed, and names the machine that runs all jobs") {
    const Folder folder;
    const std::vector<std::string> command{"generate", "shared", "--jobs", "200", "--seed", "7",
                                           "--hosts",  "10",     "--gpus", "0",   "-o",     folder.file("w.json")};
    const Outcome made = run(folder, command);
    const std::string bytes = contents(folder.file("w.json"));
    CHECK_THAT(made.output, Contains("machine: -p 10 --capacity cores:32,memory:256\n"));
    CHECK(bytes.find("gpus") == std::string::npos);
    CHECK(run(folder, command).status == 0);
    CHECK(contents(folder.file("w.json")) == bytes);
    const Outcome replayed = run(folder, {"simulate", "-a", "easy", "-p", "10", "--capacity", "cores:32,memory:256",
                                          "-w", folder.file("w.json"), "-e", folder.file("out")});
    CHECK(replayed.status == 0);
    CHECK_THAT(contents(folder.file("out_jobs.csv")), !Contains("REJECTED"));
    CHECK(run(folder, {"check", folder.file("out_jobs.csv"), "-p", "10", "--capacity", "cores:32,memory:256", "-w",
                       folder.file("w.json")})
              .status == 0);
}

TEST_CASE("batfill generate shared refuses machines without hosts and jobs without a number") {
    const Folder folder;
    const std::string file = folder.file("w.json");
    const auto refused = [&](const std::vector<std::string>& options) {
        const Outcome outcome = run(folder, with({"generate", "shared", "--seed", "1", "-o", file}, options));
        CHECK(outcome.status == 2);
        CHECK(contents(file).empty());
        return outcome.errors;
    };
    CHECK_THAT(refused({"--jobs", "10", "--hosts", "0"}), Contains("--hosts"));
    CHECK_THAT(refused({"--jobs", "10", "--cores", "-1"}), Contains("--cores"));
    CHECK_THAT(refused({"--jobs", "10", "--gpu-jobs", "101"}), Contains("--gpu-jobs"));
    CHECK_THAT(refused({}), Contains("--jobs"));
}

TEST_CASE("batfill generate shared refuses more cores than processors can be counted") {
    const Folder folder;
    const Outcome outcome = run(folder, {"generate", "shared", "--jobs", "9", "--seed", "1", "--cores", "2148",
                                         "--hosts", "1000000", "-o", folder.file("w.json")});
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.errors, Contains("expected less than 2^31 cores in all"));
}

TEST_CASE("batfill generate shared writes both files or none") {
    const Folder folder;
    const std::string file = folder.file("w.json");
    const std::string missing = folder.file("missing/counted.json");
    check_refused(run(folder, {"generate", "shared", "--seed", "1", "--jobs", "10", "-o", file, "--counted", missing}),
                  1);
    CHECK(contents(file).empty());
}

}  // namespace batfill::tests::generate_shared_test
