#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/formats/slurm_limits.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/random_stream.hpp"

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

TEST_CASE("Of 12 QOS and 200 associations, each limit is kept or named with the reason") {
    const Folder folder;
    Random random(69);
    std::size_t limits = 0;  // one for each amount of what may be kept, and for each cell of what is not
    const auto cell = [&](const std::string& column) {
        const bool is_kept = column.find("Mins") == std::string::npos && !column.starts_with("MaxTRESPerNode") &&
                             column != "MaxTRES" && column != "MinTRES";
        if (column.find("Jobs") != std::string::npos || column.find("Submit") != std::string::npos) {
            const int number = random.between(-4, 40);
            limits += number > 0 ? 1U : 0U;
            return number > 0 ? std::to_string(number) : std::string();
        }
        if (column.ends_with("Wall")) {
            limits += 1;
            return std::string("1-00:00:00");
        }
        std::string list;
        for (const char* const tres :
             {"cpu", "node", "mem", "gres/gpu", "gres/gpu:a100", "license/abaqus", "billing"}) {
            if (random.one_in(4)) {
                list += (list.empty() ? "" : ",") + std::string(tres) + '=' + std::to_string(random.between(0, 999)) +
                        (std::string(tres) == "mem" ? "G" : "");
                limits += is_kept ? 1U : 0U;
            }
        }
        limits += !is_kept && !list.empty() ? 1U : 0U;
        return list;
    };
    const auto dump = [&](const std::string& file, const std::string& of_whom, const std::vector<std::string>& columns,
                          const std::vector<std::string>& rows) {
        std::string text = of_whom;
        for (const std::string& column : columns) {
            text += '|' + column;
        }
        for (const std::string& row : rows) {
            text += '\n' + row;
            for (const std::string& column : columns) {
                text += '|' + (random.one_in(2) ? cell(column) : std::string());
            }
        }
        return folder.write(file, text + '\n');
    };
    std::vector<std::string> qos;
    for (int i = 0; i < 12; ++i) {
        qos.push_back("qos" + std::to_string(i) + "|10|DenyOnLimit");
    }
    std::vector<std::string> associations{"c|root|||"};
    for (int i = 1; i < 200; ++i) {
        const std::string account = "a" + std::to_string(i / 8);
        associations.push_back(i % 8 == 0   ? "c|" + account + "|||root"
                               : i % 8 == 1 ? "c|" + account + "|u1|gpu|"
                                            : "c|" + account + "|u" + std::to_string(i % 8) + "||");
    }
    const std::string of_qos =
        dump("qos.txt", "Name|Priority|Flags",
             {"GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "GrpJobs", "GrpSubmit", "GrpWall", "MaxTRES",
              "MaxTRESPerNode", "MaxTRESMins", "MaxWall", "MaxTRESPU", "MaxJobsPU", "MaxSubmitPU", "MaxTRESPA",
              "MaxTRESRunMinsPA", "MaxTRESRunMinsPU", "MaxJobsPA", "MaxSubmitPA", "MinTRES"},
             qos);
    const std::string of_associations =
        dump("assoc.txt", "Cluster|Account|User|Partition|ParentName",
             {"GrpJobs", "GrpTRES", "GrpSubmit", "GrpWall", "GrpTRESMins", "MaxJobs", "MaxTRES", "MaxTRESPerNode",
              "MaxSubmit", "MaxWall", "MaxTRESMins", "GrpTRESRunMins"},
             associations);
    const SlurmLimits read = read_slurm_limits(of_qos, of_associations, {.per_host = true, .licenses = true}, false);
    std::size_t kept = 0;
    for (const Limit& limit : read.kept) {
        kept += limit.most.size();
    }
    // The amounts of root are one line each.
    std::size_t amounts_of_parents = 0;
    for (const SlurmLimits::LeftOut& one : read.left_out) {
        if (one.what.starts_with("account root: grptres=")) {
            amounts_of_parents += static_cast<std::size_t>(std::ranges::count(one.what, ','));
        }
    }
    CHECK(limits > 1000);
    CHECK(kept + read.left_out.size() + amounts_of_parents == limits);
    CHECK(kept > limits / 4);
    std::set<std::string> reasons;
    for (const SlurmLimits::LeftOut& one : read.left_out) {
        reasons.insert(one.why);
    }
    CHECK(reasons == std::set<std::string>{"it limits what is submitted", "it limits minutes, not what is used at once",
                                           "it limits one job", "it binds the accounts below this one together",
                                           "jobs of the workload do not say how much of it they take"});
    text_of(read);  // a file of limits can say what is kept
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
