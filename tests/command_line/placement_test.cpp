#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::placement_test {

// Placement as users choose it: by a parameter of simulate and serve. check audits it.

using Catch::Matchers::Contains;

namespace {

std::string host(const std::string& name, const std::string& speed, const std::string& machine,
                 const std::string& licenses) {
    return "<host id=\"" + name + "\" coordinates=\"0 0 0\" speed=\"" + speed + "\"><prop id=\"machine\" value=\"" +
           machine + "\"/><prop id=\"licenses\" value=\"" + licenses + "\"/></host>";
}

// Machine "slow" has processors 0 and 1 and no licences. Machine "fast" has 2 and 3, and the only copy of licence cfd.
// Two jobs need cfd. The third does not, and is wider than the rest of "fast".
struct Farm {
    Folder folder;
    std::string platform = folder.write(
        "farm.xml",
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Vivaldi\"><prop id=\"licenses\" value=\"cfd:1\"/><host id=\"master_host\" coordinates=\"0 0 0\" speed=\"1Gf\"/>" +
            host("h0", "1Gf", "slow", "") + host("h1", "1Gf", "slow", "") + host("h2", "2Gf", "fast", "cfd") +
            host("h3", "2Gf", "fast", "cfd") + "</zone></platform>\n");
    std::string workload =
        folder.write("w.json", R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                               R"({"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p","licenses":["cfd"]},)"
                               R"({"id":"2","subtime":0,"res":1,"walltime":30,"profile":"p","licenses":["cfd"]},)"
                               R"({"id":"3","subtime":0,"res":2,"walltime":30,"profile":"p"},)"
                               R"({"id":"4","subtime":0,"res":1,"walltime":30,"profile":"p","licenses":["none"]},)"
                               R"({"id":"5","subtime":0,"res":3,"walltime":30,"profile":"p"}]})");

    Outcome batfill(Arguments arguments, const Arguments& more) const {
        arguments.insert(arguments.end(), {"-p", platform, "-w", workload});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(folder, arguments);
    }
    Outcome simulate(const std::string& prefix, const Arguments& more) const {
        return batfill({"simulate", "-q", "-e", folder.file(prefix)}, more);
    }
    Outcome check(const std::string& prefix, const Arguments& more) const {
        return batfill({"check", folder.file(prefix + "_jobs.csv")}, more);
    }
    std::string jobs(const std::string& prefix) const { return contents(folder.file(prefix + "_jobs.csv")); }
};

}  // namespace

TEST_CASE("simulate runs jobs on one machine of a farm with their licences, and rejects jobs that could never run") {
    const Farm farm;
    for (const char* algorithm : {"fcfs", "easy", "bf-mod", "bf-unmod"}) {
        INFO(algorithm);
        const Outcome outcome = farm.simulate("out", {"-a", algorithm, "-P", "placement=machine"});
        CHECK(outcome.status == 0);
        CHECK_THAT(outcome.errors, Contains("batfill: note: 2 of 5 jobs rejected: the first, w0!4, asks for "));
        const std::string jobs = farm.jobs("out");
        CHECK_THAT(jobs, Contains("\n1,w0,p,0.000000,1,30.000000,1,COMPLETED_SUCCESSFULLY,0.000000,"));
        CHECK_THAT(jobs, Contains("\n2,w0,p,0.000000,1,30.000000,1,COMPLETED_SUCCESSFULLY,10.000000,"));
        CHECK_THAT(jobs, Contains("\n4,w0,p,0.000000,1,30.000000,0,REJECTED"));
        CHECK_THAT(jobs, Contains("\n5,w0,p,0.000000,3,30.000000,0,REJECTED"));
        CHECK(farm.check("out", {"--placement", "machine"}).status == 0);
    }
}

TEST_CASE("simulate says when a schedule does not look at the licences that jobs ask for, and check finds it") {
    const Farm farm;
    const Outcome outcome = farm.simulate("out", {"-a", "easy"});
    CHECK(outcome.status == 0);
    CHECK(outcome.errors == "batfill: note: jobs ask for licences, which only placement=machine looks at\n");
    const Outcome audit = farm.check("out", {"--first", "100"});
    CHECK(audit.status == 1);
    CHECK_THAT(audit.output + audit.errors, Contains("licence"));
}

TEST_CASE("An algorithm refuses an unknown placement and lists the known ones") {
    const Farm farm;
    check_refused(farm.simulate("out", {"-a", "conservative", "-P", "placement=machine"}), 2);
    CHECK_THAT(farm.simulate("out", {"-a", "conservative", "-P", "placement=machine"}).errors,
               Contains("known: lowest, contiguous, best-effort-contiguous"));
    check_refused(farm.simulate("out", {"-a", "bf-mod", "-P", "placement=lowest"}), 2);
    check_refused(farm.simulate("out", {"-a", "bf-mod", "-P", "k=1"}), 2);
    check_refused(farm.simulate("out", {"-a", "bf-mod", "-P", "max=0"}), 2);
    farm.simulate("out", {"-a", "fcfs"});
    check_refused(farm.check("out", {"--placement", "anywhere"}), 2);
}

TEST_CASE("serve gives the schedule of simulate on a farm if it knows the platform") {
    const Farm farm;
    const std::string endpoint = "ipc://" + farm.folder.file("socket");
    for (const char* algorithm : {"easy", "bf-mod"}) {
        INFO(algorithm);
        Process daemon(farm.folder, {"serve", "-a", algorithm, "-P", "placement=machine", "--platform", farm.platform,
                                     "-s", endpoint});
        CHECK(farm.simulate("paired", {"-s", endpoint, "--socket-timeout", "60"}).status == 0);
        CHECK(daemon.wait() == 0);
        CHECK(farm.simulate("alone", {"-a", algorithm, "-P", "placement=machine"}).status == 0);
        CHECK(farm.jobs("paired") == farm.jobs("alone"));
        CHECK_THAT(farm.jobs("alone"), Contains("COMPLETED_SUCCESSFULLY"));
    }
}

TEST_CASE("serve refuses relaxed backfilling with actual run times") {
    const Folder folder;
    check_refused(run(folder, {"serve", "-a", "relaxed", "-P", "estimates=actual"}), 2,
                  "known in batfill simulate only");
}

}  // namespace batfill::tests::placement_test
