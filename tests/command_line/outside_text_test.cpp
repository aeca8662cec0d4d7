#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"
#include "tests/support/skip.hpp"

namespace batfill::tests::outside_text_test {

// Foreign names, such as job ids, in the files and messages that the program writes.

using Catch::Matchers::Contains;

namespace {

const std::string platform =
    "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"master_host\" speed=\"1Gf\"/><host id=\"h0\" speed=\"1Gf\"/></zone></platform>\n";

// Ids, as escaped in JSON.
const std::vector<std::string> awkward_ids{
    R"(a,b)", R"(\"q\" x)",    R"(two\nlines)", R"(cr\r\nlf)",  R"( before)", R"(behind )",     R"(\ttab)",
    R"()",    R"(\u001b[31m)", R"(,)",          R"(\"\"\n,\")", R"(plain)",   R"(\u00e9\u2028)"};

// One job per id, one after another.
std::string workload_of(const std::vector<std::string>& ids) {
    std::string jobs;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        jobs += std::string(i == 0 ? "" : ",") + R"({"id":")" + ids[i] + R"(","subtime":)" + std::to_string(i) +
                R"(,"res":1,"walltime":9,"profile":")" + ids[i] + "\"}";
    }
    std::string profiles;
    for (const std::string& id : ids) {
        profiles += (profiles.empty() ? "\"" : ",\"") + id + R"(":{"type":"delay","delay":3})";
    }
    return R"({"nb_res":1,"jobs":[)" + jobs + R"(],"profiles":{)" + profiles + "}}";
}

bool has_control_characters(const std::string& line) {
    return std::any_of(line.begin(), line.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; });
}

// Reads the files of a run in another language. The program gets their prefix and the workload as arguments. It ends
// with status 0 if each row has the right id and profile.
bool reads_the_same(const Folder& folder, const std::string& interpreter, const std::string& program) {
    const std::string command = interpreter + " '" + folder.write("read", program) + "' '" + folder.file("out") +
                                "' '" + folder.file("w.json") + "'";
    return std::system(command.c_str()) == 0;
}

bool runs(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

void simulate_awkward_ids(const Folder& folder) {
    const std::string workload = folder.write("w.json", workload_of(awkward_ids));
    const Outcome simulated = run(folder, {"simulate", "-p", folder.write("p.xml", platform), "-w", workload, "-a",
                                           "conservative", "-e", folder.file("out")});
    REQUIRE(simulated.errors.empty());
    require_done(simulated);
}

const std::string python = R"(
import json, sys

def check(found, names):
    if found != names:
        sys.exit(f"found {found}, expected {names}")

prefix, workload = sys.argv[1:]
names = [job["id"] for job in json.load(open(workload))["jobs"]]
)";

}  // namespace

TEST_CASE("Results read back the same whatever the jobs are called") {
    const Folder folder;
    simulate_awkward_ids(folder);
    const Outcome check = run(folder, {"check", folder.file("out_jobs.csv"), "-w", folder.file("w.json"), "-p",
                                       folder.file("p.xml"), "--guarantees", folder.file("out_guarantees.csv")});
    CHECK(check.output == "13 jobs, no violations (0 rejected; 0 of 13 guarantees broken)\n");
    const Outcome metrics = run(folder, {"metrics", folder.file("out_jobs.csv"), "-w", folder.file("w.json"),
                                         "--per-job", folder.file("out_per_job.csv")});
    CHECK(metrics.status == 0);
    // Only texts that need quotes have them.
    const std::string jobs = contents(folder.file("out_jobs.csv"));
    CHECK_THAT(jobs, Contains("\n\"a,b\",w0,\"a,b\",0.000000,") && Contains("\nplain,w0,plain,11.000000,") &&
                         Contains("\n\"\"\"q\"\" x\",w0,") && Contains("\n\"\",w0,\"\",7.000000,"));
}

TEST_CASE("Python's csv reads results the same whatever the jobs are called", "[outside]") {
    if (!runs("python3 -c 'import csv'")) {
        skip("no python3");
        return;
    }
    const Folder folder;
    simulate_awkward_ids(folder);
    require_done(run(folder, {"metrics", folder.file("out_jobs.csv"), "-w", folder.file("w.json"), "--per-job",
                              folder.file("out_per_job.csv")}));
    CHECK(reads_the_same(folder, "python3", python + R"(
import csv

for name, columns, before in (("jobs", ("job_id", "profile"), ""), ("guarantees", ("job_id",), ""),
                              ("per_job", ("job_id",), "w0!")):
    with open(f"{prefix}_{name}.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    for column in columns:
        check([row[column] for row in rows], [before + name for name in names])
)"));
}

TEST_CASE("pandas reads results the same whatever the jobs are called", "[outside]") {
    if (!runs("python3 -c 'import pandas'")) {
        skip("no pandas");
        return;
    }
    const Folder folder;
    simulate_awkward_ids(folder);
    CHECK(reads_the_same(folder, "python3", python + R"(
import pandas

for name in ("jobs", "guarantees"):
    table = pandas.read_csv(f"{prefix}_{name}.csv", keep_default_na=False)
    check(list(table["job_id"]), names)
)"));
}

TEST_CASE("R reads results the same whatever the jobs are called", "[outside]") {
    if (!runs("Rscript -e 'invisible(1)'")) {
        skip("no Rscript");
        return;
    }
    const Folder folder;
    simulate_awkward_ids(folder);
    // R reads JSON only with a package, so the ids are compared with the profiles, which have the same names.
    CHECK(reads_the_same(folder, "Rscript", R"(
prefix <- commandArgs(trailingOnly = TRUE)[1]
jobs <- read.csv(paste0(prefix, "_jobs.csv"), na.strings = character(0))
guarantees <- read.csv(paste0(prefix, "_guarantees.csv"), na.strings = character(0))
stopifnot(nrow(jobs) == 13, jobs$job_id == jobs$profile, jobs$job_id == guarantees$job_id,
          jobs$job_id[c(1, 5, 6, 12)] == c("a,b", " before", "behind ", "plain"))
)"));
}

TEST_CASE("Errors and violations are one line of harmless text whatever the jobs are called") {
    const Folder folder;
    const std::string id = R"(a\n\u001b]0;title\u0007\u009b2J)";
    const std::string escaped = "\"w0!a\\n\\u001B]0;title\\u0007\\u009B2J\"";
    const std::string workload = folder.write("w.json", workload_of({id}));
    const std::string p = folder.write("p.xml", platform);
    require_done(run(folder, {"simulate", "-p", p, "-w", workload, "-a", "fcfs", "-e", folder.file("out")}));

    // Audits the run with another workload, and with its processor lost.
    const std::string other = folder.write("o.json", workload_of({"b"}));
    const Outcome foreign = run(folder, {"check", folder.file("out_jobs.csv"), "-w", other, "-p", p});
    CHECK(foreign.status == 1);
    CHECK_THAT(foreign.output, Contains("job " + escaped + ": in none of the workloads\n"));
    CHECK_FALSE(has_control_characters(foreign.output));

    const Outcome metrics = run(folder, {"metrics", folder.file("out_jobs.csv"), "-w", other});
    check_refused(metrics, 1);
    CHECK_THAT(metrics.errors, Contains("job " + escaped + " is in none of the workloads"));
    CHECK_FALSE(has_control_characters(metrics.errors));

    // A job that never starts; an unknown parameter field; a file with an awkward name.
    const std::string events =
        folder.write("e.json", R"({"type":"machine_unavailable","timestamp":0,"resources":"0"})");
    const Outcome deadlock = run(folder, {"simulate", "-p", p, "-w", workload, "-a", "fcfs", "-e", folder.file("d"),
                                          "--quiet", "--events", events});
    check_refused(deadlock, 1);
    CHECK_THAT(deadlock.errors, Contains("the first of them " + escaped));
    CHECK_FALSE(has_control_characters(deadlock.errors));
    const Outcome parameter =
        run(folder, {"simulate", "-p", p, "-w", workload, "-a", "fcfs", "-P", "x\x1b[2J=1", "-e", folder.file("d")});
    check_refused(parameter, 2);
    CHECK_FALSE(has_control_characters(parameter.errors));
    const Outcome missing = run(folder, {"metrics", folder.file("no\nfile\x1b[2J_jobs.csv")});
    check_refused(missing, 1);
    CHECK_FALSE(has_control_characters(missing.errors));
    const Outcome unknown = run(folder, {"simulate", "--no\nsuch\x1b[2J"});
    check_refused(unknown, 2);
    CHECK_FALSE(has_control_characters(unknown.errors));
}

TEST_CASE("An id with a zero byte, which Batsim would cut off there, is refused") {
    const Folder folder;
    check_refused(
        run(folder, {"simulate", "-p", folder.write("p.xml", platform), "-w",
                     folder.write("w.json", workload_of({R"(a\u0000b)"})), "-a", "fcfs", "-e", folder.file("out")}),
        1, R"(expected no zero byte, at which Batsim would cut it off, found "a\u0000b")");
}

}  // namespace batfill::tests::outside_text_test
