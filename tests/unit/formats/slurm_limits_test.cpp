#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/formats/slurm_limits.hpp"
#include "tests/support/folder.hpp"

namespace batfill::tests::slurm_limits_test {

namespace {

// The lines of a file of limits, and those that are left out.
std::string text_of(const SlurmLimits& limits) {
    std::string text;
    for (const Limit& limit : limits.kept) {
        append_json(limit, text);
        const std::vector<Limit> read = parse_limits(text, "limits");
        REQUIRE(read.back().of == limit.of);
        REQUIRE(read.back().values == limit.values);
        REQUIRE(read.back().most == limit.most);
    }
    for (const SlurmLimits::LeftOut& one : limits.left_out) {
        text += one.what + ": " + one.why + '\n';
    }
    return text;
}

}  // namespace

TEST_CASE("The limits of QOS are kept or named with the reason") {
    const Folder folder;
    const std::string dump = folder.write(
        "qos.txt",
        "Name|Priority|GraceTime|Flags|GrpTRES|GrpTRESMins|GrpJobs|GrpSubmit|GrpWall|MaxTRES|MaxWall|MaxTRESPU|MaxJobsPU|"
        "MaxSubmitPU|MaxTRESPA|MaxJobsPA|MinTRES\n"
        "normal|0|00:00:00||cpu=64|||1000|||1-00:00:00|cpu=8,gres/gpu=2,mem=4G|5||||\n"
        "long|10|00:00:00|DenyOnLimit||cpu=100|3||||7-00:00:00||||gres/gpu:a100=1,billing=9|2|cpu=1\n"
        "empty|0|||||||||||||||\n");
    CHECK(text_of(read_slurm_limits(dump, {}, {.per_host = true}, false)) ==
          R"({"of":["qos"],"value":["normal"],"most":{"cores":64}}
{"of":["qos","user"],"value":["normal",null],"most":{"cores":8,"gpus":2,"memory":4096,"jobs":5}}
{"of":["qos"],"value":["long"],"most":{"jobs":3}}
{"of":["qos","account"],"value":["long",null],"most":{"gpus_a100":1,"jobs":2}}
qos normal: grpsubmit=1000: it limits what is submitted
qos normal: maxwall=1-00:00:00: it limits one job
qos long: maxtrespa=billing=9: jobs of the workload do not say how much of it they take
qos long: grptresmins=cpu=100: it limits minutes, not what is used at once
qos long: maxwall=7-00:00:00: it limits one job
qos long: mintres=cpu=1: it limits one job
)");
    // Where jobs are only counted in processors.
    CHECK(text_of(read_slurm_limits(dump, {}, {}, false)) ==
          R"({"of":["qos"],"value":["normal"],"most":{"processors":64}}
{"of":["qos","user"],"value":["normal",null],"most":{"processors":8,"jobs":5}}
{"of":["qos"],"value":["long"],"most":{"jobs":3}}
{"of":["qos","account"],"value":["long",null],"most":{"jobs":2}}
qos normal: maxtrespu=gres/gpu=2: jobs of the workload do not say how much of it they take
qos normal: maxtrespu=mem=4G: jobs of the workload do not say how much of it they take
qos normal: grpsubmit=1000: it limits what is submitted
qos normal: maxwall=1-00:00:00: it limits one job
qos long: maxtrespa=gres/gpu:a100=1: jobs of the workload do not say how much of it they take
qos long: maxtrespa=billing=9: jobs of the workload do not say how much of it they take
qos long: grptresmins=cpu=100: it limits minutes, not what is used at once
qos long: maxwall=7-00:00:00: it limits one job
qos long: mintres=cpu=1: it limits one job
)");
}

TEST_CASE("The limits of associations are kept, but for those of parent accounts") {
    const Folder folder;
    const auto read = [&](const std::string& dump) {
        return text_of(read_slurm_limits({}, folder.write("assoc.txt", dump), {}, false));
    };
    CHECK(read("Cluster|Account|User|Partition|Share|GrpJobs|GrpTRES|GrpSubmit|MaxJobs|MaxTRES|QOS\n"
               "c|root|||1||cpu=512||||normal\n"
               "c|root|root||1||||||normal\n"
               "c|science|||1||cpu=256||||normal\n"
               "c|bio|||1|20|cpu=128|50|4||normal\n"
               "c|bio|ann||1||cpu=16||9|cpu=8|normal\n"
               "c|bio|bob|gpu|1|3|||||normal\n") ==
          R"({"of":["account"],"value":["bio"],"most":{"processors":128,"jobs":20}}
{"of":["account","user"],"value":["bio",null],"most":{"jobs":4}}
{"of":["account","user"],"value":["bio","ann"],"most":{"processors":16,"jobs":9}}
{"of":["account","user","queue"],"value":["bio","bob","gpu"],"most":{"jobs":3}}
account root: grptres=cpu=512: it binds the accounts below this one together
account science: grptres=cpu=256: it binds the accounts below this one together
account bio: grpsubmit=50: it limits what is submitted
account bio user ann: maxtres=cpu=8: it limits one job
)");
    CHECK(read("Account|ParentName|User|GrpTRES\n"
               "root|||\n"
               "science|root||cpu=9\n"
               "bio|science||cpu=8\n") ==
          R"({"of":["account"],"value":["bio"],"most":{"processors":8}}
account science: grptres=cpu=9: it binds the accounts below this one together
)");
}

TEST_CASE("A dump that is none is refused with its line") {
    const Folder folder;
    const auto read = [&](const std::string& dump) {
        return read_slurm_limits(folder.write("qos.txt", dump), {}, {}, false);
    };
    CHECK_THROWS_WITH(read("Account|User\nbio|ann\n"),
                      Catch::Matchers::Contains("qos.txt:1: expected the names of columns with name among them"));
    CHECK_THROWS_WITH(
        read("Name|GrpTRES\nnormal|cpu=many\n"),
        Catch::Matchers::Contains("qos.txt:2: expected amounts such as cpu=64,gres/gpu=4, found \"cpu=many\""));
    CHECK_THROWS_WITH(read("Name|GrpJobs\nnormal|few\n"),
                      Catch::Matchers::Contains("qos.txt:2: expected a number of jobs, found \"few\""));
    CHECK(read("Name|GrpJobs|GrpTRES\nnormal|-1|cpu=-1\n").kept.empty());
}

}  // namespace batfill::tests::slurm_limits_test
