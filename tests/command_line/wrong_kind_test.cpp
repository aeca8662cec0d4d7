#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::wrong_kind_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

// A file of each kind.
struct Files {
    Folder folder;
    std::string log = folder.write("log.swf", "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 -1 1 -1 -1 -1\n");
    std::string workload = folder.write("w.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                                  R"({"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p"}]})");
    std::string platform =
        folder.write("p.xml",
                     "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\" routing=\"None\">"
                     "<host id=\"master_host\" speed=\"1Gf\"/><host id=\"h\" speed=\"1Gf\"/></zone>"
                     "</platform>\n");
    std::string jobs = folder.write("easy_jobs.csv", "job_id,workload_name\n");
    std::string accounts = folder.write("sacct.txt", "JobID|User|Start\n1|ann|2026-01-01\n");
    std::string campaign = folder.write("c.yaml", "# mine\nworkloads: [w.json]\nschedulers: [easy]\n");
    std::string empty = folder.write("empty.swf", "\n");
    std::string program = folder.write("program", std::string("\x7f"
                                                              "ELF\x02\x01\x01\0\0\0",
                                                              10));

    std::string refused(const Arguments& arguments) const {
        const Outcome outcome = run(folder, arguments);
        check_refused(outcome, 1);
        return outcome.errors;
    }
};

}  // namespace

TEST_CASE("a file of the wrong kind is refused with its kind, the expected kind and the command that takes it") {
    const Files files;
    const std::string made = files.folder.file("made.json");
    const auto in_place_of_log = [&](const std::string& path) { return files.refused({"swf", path, "-o", made}); };
    const std::string log_wanted = ": expected a log in the Standard Workload Format, found ";
    CHECK_THAT(in_place_of_log(files.accounts), EndsWith(log_wanted + "a table with commas or other separators\n"));
    CHECK_THAT(in_place_of_log(files.workload), Contains(log_wanted + "a workload in JSON; `batfill simulate"));
    CHECK_THAT(in_place_of_log(files.jobs), Contains(log_wanted + "a jobs.csv; `batfill metrics " + files.jobs + "`"));
    CHECK_THAT(in_place_of_log(files.empty), EndsWith(log_wanted + "nothing\n"));
    CHECK_THAT(in_place_of_log(files.program), EndsWith(log_wanted + "a binary file\n"));
    CHECK_THAT(in_place_of_log(files.folder.write("utf16.swf", "\xFF\xFE" + std::string("1\0 \0", 4))),
               Contains(log_wanted + "text in UTF-16; `iconv -f UTF-16 -t UTF-8 "));
    CHECK_THAT(in_place_of_log(files.folder.write("comments.swf", "; MaxProcs: 4\n")),
               EndsWith("expected lines of jobs, found only comments\n"));

    const auto simulated = [&](const std::string& platform, const std::string& workload) {
        return files.refused({"simulate", "-a", "fcfs", "-p", platform, "-w", workload, "-e", made});
    };
    CHECK_THAT(simulated(files.workload, files.workload),
               Contains("expected a SimGrid platform (XML), found a workload"));
    CHECK_THAT(simulated(files.platform, files.platform),
               Contains("expected a workload in JSON, found a SimGrid platform; commands take it with `-p "));
    CHECK_THAT(simulated(files.platform, files.campaign), Contains("found a campaign in YAML; `batfill campaign "));

    CHECK_THAT(files.refused({"metrics", files.workload}), Contains("expected a jobs.csv, found a workload in JSON"));
    CHECK_THAT(files.refused({"campaign", files.log, "-o", made}),
               Contains("expected a campaign (YAML), found a log; ") &&
                   Contains("`batfill campaign --init " + files.log + "` a campaign"));
    CHECK_THAT(files.refused({"campaign", files.workload, "-o", made}),
               Contains("expected a campaign (YAML), found a workload in JSON"));
    CHECK_THAT(files.refused({"simulate", "-a", "fcfs", "-p", "1", "-w", files.workload, "--events", files.jobs}),
               Contains("expected events, one JSON object per line, found a jobs.csv"));
}

TEST_CASE("a file with a byte order mark is taken") {
    const Files files;
    const auto marked = [&](const std::string& path) {
        return files.folder.write("marked" + std::filesystem::path(path).extension().string(),
                                  "\xEF\xBB\xBF" + contents(path));
    };
    CHECK(run(files.folder, {"swf", marked(files.log)}).status == 0);
    CHECK(run(files.folder, {"simulate", "-a", "fcfs", "-p", marked(files.platform), "-w", marked(files.workload), "-e",
                             files.folder.file("out")})
              .status == 0);
    CHECK(run(files.folder, {"import", "sacct", marked(files.accounts)}).errors.find("no column JobID") ==
          std::string::npos);
    CHECK(run(files.folder, {"metrics", marked(files.folder.file("out_jobs.csv"))}).status == 0);
}

TEST_CASE("a file of the right kind that looks like another is taken") {
    const Files files;
    const std::string campaign = files.folder.write(
        "c.json", R"({"workloads": [{"generate": "lublin", "name": "a", "jobs": 20, "seed": 1, "processors": 8}], )"
                  R"("machines": [8], "schedulers": ["fcfs"]})");
    CHECK(run(files.folder, {"campaign", campaign, "-o", files.folder.file("results"), "--dry-run"}).status == 0);
    const std::string events = files.folder.write("events.txt", R"({"timestamp":1,"type":"own","jobs":["1"]})");
    CHECK(run(files.folder, {"simulate", "-a", "fcfs", "-p", "1", "-w", files.workload, "-e", files.folder.file("out"),
                             "--events", events, "--forward-unknown-events"})
              .status == 0);
}

TEST_CASE("a mistyped option, platform, parameter or choice is refused with the closest known name") {
    const Files files;
    const std::vector<std::string> simulate{
        "simulate", "-p", "1", "-w", files.workload, "-e", files.folder.file("out")};
    const auto refused = [&](const Arguments& arguments) {
        const Outcome outcome = run(files.folder, arguments);
        check_refused(outcome, 2);
        return outcome.errors;
    };
    const auto refused_simulation = [&](const Arguments& more) {
        Arguments arguments = simulate;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return refused(arguments);
    };
    CHECK_THAT(refused_simulation({"--algoritm", "easy"}),
               Contains("'--algoritm', did you mean '--algorithm'? (usage: "));
    CHECK_THAT(refused_simulation({"--algoritm=easy"}), Contains("did you mean '--algorithm'?"));
    CHECK_THAT(refused_simulation({"--something-else"}), !Contains("did you mean"));
    CHECK_THAT(refused_simulation({"-a", "easy", "-P", "ordr=saf"}), Contains("did you mean 'order'? Known: order, "));
    CHECK_THAT(refused_simulation({"-a", "easy,order=sfa"}), Contains("'sfa', did you mean 'saf'? Known: fcfs, "));
    CHECK_THAT(refused({"simulate", "-a", "fcfs", "-p", "sdsc-sp", "-w", files.workload}),
               Contains("did you mean 'sdsc-sp2'? Expected a SimGrid platform file"));
    CHECK_THAT(refused({"plot", "gant", "x", "-o", "x.svg"}), Contains("did you mean 'gantt'? Known: gantt, "));
    CHECK_THAT(refused({"compare", "fcfs", "-p", "1", "-w", files.workload, "--metric", "mean_wiat"}),
               Contains("did you mean 'mean_wait'?"));
    CHECK_THAT(refused({"metrics", files.jobs, "--by", "widht"}), Contains("did you mean 'width'?"));
}

TEST_CASE("a number outside the range of an option is refused with the range") {
    const Files files;
    for (const std::string number : {"99999999999999999999", "1.5", "many"}) {
        const Outcome outcome = run(files.folder, {"generate", "lublin", "--jobs", number, "--processors", "4",
                                                   "--seed", "1", "-o", files.folder.file("made.json")});
        check_refused(outcome, 2);
        CHECK(outcome.errors ==
              "batfill: --jobs: expected a whole number from 1 to 10000000, found '" + number + "'\n");
    }
}

TEST_CASE("an endpoint without a transport is refused with one that has it") {
    const Files files;
    const std::string expected =
        "127.0.0.1:28000: expected tcp://ADDRESS:PORT or ipc://FILE, did you mean "
        "tcp://127.0.0.1:28000?\n";
    const Outcome served = run(files.folder, {"serve", "-a", "fcfs", "-s", "127.0.0.1:28000"});
    check_refused(served, 2);
    CHECK_THAT(served.errors, EndsWith(expected));
    const Outcome driven = run(files.folder, {"simulate", "-s", "127.0.0.1:28000", "-p", "1", "-w", files.workload});
    check_refused(driven, 2);
    CHECK_THAT(driven.errors, EndsWith(expected));
}

}  // namespace batfill::tests::wrong_kind_test
