#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/machine.hpp>
#include <batfill/formats/platform.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::platform_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr const char* three_processors = R"({"nb_res":3,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                         R"({"id":"1","subtime":0,"res":2,"walltime":30,"profile":"p"},)"
                                         R"({"id":"2","subtime":1,"res":3,"walltime":30,"profile":"p"}]})";

struct Inputs {
    Folder folder;
    std::string workload = folder.write("w.json", three_processors);

    Outcome simulate(const std::string& platform, const std::string& prefix) const {
        return run(folder, {"simulate", "-q", "-a", "easy", "-p", platform, "-w", workload, "-e", folder.file(prefix)});
    }
    std::string jobs(const std::string& prefix) const { return contents(folder.file(prefix + "_jobs.csv")); }
};

}  // namespace

TEST_CASE("A number of hosts is a platform, the same as the file that batfill platform writes") {
    const Inputs inputs;
    const std::string written = inputs.folder.file("three.xml");
    const Outcome platform = run(inputs.folder, {"platform", "--hosts", "3", "-o", written});
    CHECK(platform.status == 0);
    CHECK(platform.errors.empty());
    const batfill::Platform read = batfill::read_platform(written);
    REQUIRE(read.hosts.size() == 3);
    CHECK(read.hosts[2].name == "host2");
    CHECK(read.hosts[2].speed == 1e9);
    const Outcome by_number = inputs.simulate("3", "number");
    CHECK(by_number.status == 0);
    CHECK(by_number.errors.empty());
    CHECK(inputs.simulate(written, "file").status == 0);
    CHECK(inputs.jobs("number") == inputs.jobs("file"));
    const std::string jobs = inputs.folder.file("number_jobs.csv");
    CHECK(run(inputs.folder, {"check", jobs, "-w", inputs.workload, "-p", "3"}).status == 0);
    CHECK(run(inputs.folder, {"metrics", jobs, "-p", "3"}).output ==
          run(inputs.folder, {"metrics", jobs, "-p", written}).output);
    CHECK(run(inputs.folder, {"compare", "easy", "-p", "3", "-w", inputs.workload}).output ==
          run(inputs.folder, {"compare", "easy", "-p", written, "-w", inputs.workload}).output);
}

TEST_CASE("A shared host has cores for the jobs that compute there, as Batsim reads them") {
    const Folder folder;
    const std::string path = folder.file("m.xml");
    CHECK(run(folder, {"platform", "--group", "1:memory=256,cores=4", "--group", "1:gpus=2,memory=9", "--group",
                       "1:cores=3000000000", "--group", "1:cores=0", "--group", "1:partition=a", "-o", path})
              .status == 0);
    const std::string text = contents(path);
    const auto tag_of = [&](const std::string& host) {
        const std::size_t begin = text.find("<host id=\"" + host + "\"");
        return text.substr(begin, text.find('>', begin) - begin);
    };
    CHECK_THAT(tag_of("host0"), Contains(" core=\"4\""));
    CHECK_THAT(tag_of("host1"), Contains(" core=\"9\""));
    CHECK_THAT(tag_of("host2"), Contains(" core=\"2147483647\""));
    for (const char* host : {"host3", "host4", "master_host"}) {
        CHECK(tag_of(host).find("core=") == std::string::npos);
    }
    const Machine machine(read_platform(path).hosts);
    CHECK(machine.resources().kind_of(0).capacity.size() == 3);
}

TEST_CASE("batfill platform --group makes a machine of several kinds of hosts, with pools") {
    const Folder folder;
    const std::string path = folder.file("m.xml");
    CHECK(run(folder, {"platform", "--group", "3:cores=32,memory=256", "--group", "2:gpus=4,partition=a,partition=b",
                       "--group", "1", "--pool", "bb=40", "-o", path})
              .status == 0);
    const Machine machine(read_platform(path).hosts);
    const Resources& resources = machine.resources();
    CHECK(machine.processors() == 6);
    CHECK(resources.capacities() == std::vector<std::string>{"cores", "memory", "gpus"});
    CHECK(resources.kind_of(2).capacity == std::vector<Amount>{32, 256, 0});
    CHECK(resources.kind_of(4).capacity == std::vector<Amount>{0, 0, 4});
    CHECK(resources.kind_of(4).partitions == std::vector<std::size_t>{0, 1});
    CHECK_FALSE(resources.kind_of(5).is_shared);
    CHECK(resources.pools().front().total == 40);
    for (const std::string wrong : {"0", "3:", "3:cores", "x:cores=1", "2:cores=1,cores=2", "2:cores=-1"}) {
        check_refused(run(folder, {"platform", "--group", wrong, "-o", path}), 2);
    }
    check_refused(run(folder, {"platform", "--group", "3", "--hosts", "3", "-o", path}), 2);
    CHECK_THAT(run(folder, {"platform", "--group", "3:cores=1,partition=a,b", "-o", path}).errors,
               Contains("several partitions are written partition=a,partition=b"));
    check_refused(run(folder, {"platform", "--group", "3:cores=1", "--pool", "cores=5", "-o", path}), 1);
}

TEST_CASE("The hosts of a platform of a thousand are numbered in the order of their names") {
    const Folder folder;
    require_done(run(folder, {"platform", "--hosts", "1000", "-o", folder.file("p.xml.gz")}));
    const batfill::Platform platform = batfill::read_platform(folder.file("p.xml.gz"));
    REQUIRE(platform.hosts.size() == 1000);
    CHECK(platform.hosts[7].name == "host007");
    CHECK(platform.hosts[999].name == "host999");
}

TEST_CASE("A platform that comes with batfill is found by its name, and a file of that name goes first") {
    const Inputs inputs;
    require_done(inputs.simulate("hpc2n", "name"));
    require_done(inputs.simulate(std::string(BATFILL_SOURCE_DIR) + "/platforms/hpc2n.xml", "path"));
    CHECK(inputs.jobs("name") == inputs.jobs("path"));
    const Outcome unknown = inputs.simulate("hpc2m", "unknown");
    check_refused(unknown, 2);
    CHECK_THAT(unknown.errors, Contains("'hpc2m'") && Contains("ctc-sp2, ") && Contains("hpc2n, "));
    check_refused(inputs.simulate("0", "none"), 2);
    check_refused(inputs.simulate("1000001", "many"), 2);
    check_refused(inputs.simulate("hpc2n.xml", "missing"), 1);
    check_refused(run(inputs.folder, {"platform", "--hosts", "many", "-o", inputs.folder.file("p.xml")}), 2);
}

TEST_CASE("simulate notes a workload for a machine of another size, and metrics refuses a run on a larger machine") {
    const Inputs inputs;
    const Outcome larger = inputs.simulate("5", "larger");
    CHECK(larger.status == 0);
    CHECK(larger.errors == "batfill: note: " + inputs.workload + " is for 3 processors (nb_res), the platform has 5\n");
    check_refused(run(inputs.folder, {"metrics", inputs.folder.file("larger_jobs.csv"), "-p", "2"}), 1,
                  "job w0!2 ran on processor 4, the machine has 2: expected the platform of the run");
}

TEST_CASE("A log in place of a workload is converted as swf does, which is said") {
    const Folder folder;
    const std::string log = folder.write("log.swf", "; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 -1 -1 -1\n");
    const Outcome outcome = run(folder, {"simulate", "-a", "easy", "-p", "4", "-w", log, "-e", folder.file("out")});
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.errors,
               StartsWith("batfill: note: " + log +
                          ": converted as by batfill swf without options: 1 of 1 job kept, dropped: none"));
    const std::string workload = folder.write("named.swf", three_processors);
    CHECK(run(folder, {"simulate", "-a", "easy", "-p", "3", "-w", workload, "-e", folder.file("out")}).status == 0);
}

TEST_CASE("batfill help tells what --help does") {
    const Folder folder;
    CHECK(run(folder, {"help"}).output == run(folder, {"--help"}).output);
    CHECK(run(folder, {"help", "swf"}).output == run(folder, {"swf", "--help"}).output);
    const Outcome model = run(folder, {"help", "generate", "lublin"});
    CHECK(model.status == 0);
    CHECK_THAT(model.output, StartsWith("Usage: batfill generate lublin"));
    check_refused(run(folder, {"help", "nothing"}), 2);
}

TEST_CASE("A name with a slip is answered with the name that was meant") {
    const Inputs inputs;
    const auto refusal = [&](const std::string& algorithm) {
        return run(inputs.folder, {"simulate", "-a", algorithm, "-p", "3", "-w", inputs.workload}).errors;
    };
    CHECK_THAT(refusal("esay"), Contains("unknown algorithm 'esay', did you mean 'easy'? Known: bf-mod, "));
    CHECK_THAT(refusal("conservativ"), Contains("did you mean 'conservative'?"));
    CHECK_THAT(refusal("slumber"), Contains("unknown algorithm 'slumber', known: bf-mod, "));
    CHECK_THAT(refusal(std::string(5000, 'x')), Contains("known: bf-mod, "));
    CHECK_THAT(run(inputs.folder, {"metric"}).errors, Contains("did you mean 'metrics'?"));
}

}  // namespace batfill::tests::platform_test
