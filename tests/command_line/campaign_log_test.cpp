#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/campaign_folder.hpp"

// own-schedule of a workload
namespace batfill::tests::campaign_log_test {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// Three jobs on four processors. In the log, 2 waits 60 s and 3 waits 30 s; under fcfs, 2 waits 60 s and 3 waits 20 s.
const std::string three_jobs =
    "; MaxProcs: 4\n"
    "1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"
    "2 40 60 50 2 -1 -1 2 100 -1 1 2 1 1 1 1 -1 -1\n"
    "3 80 30 40 2 -1 -1 2 100 -1 1 2 1 1 1 1 -1 -1\n";
const std::string unknown_start = "4 90 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n";

// Weeks of two jobs. Under fcfs, one of them waits 100 s, in the log 110 s and more from week to week.
std::string weeks_of_two_jobs(int weeks) {
    std::string log = "; MaxProcs: 4\n";
    for (int week = 0; week < weeks; ++week) {
        const std::string submit = std::to_string(week * 604'800 + 100);
        log.append(std::to_string(2 * week + 1)).append(" ").append(submit);
        log.append(" 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n");
        log.append(std::to_string(2 * week + 2)).append(" ").append(submit).append(" ");
        log.append(std::to_string(110 + week)).append(" 10 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n");
    }
    return log;
}

// The value of a metric of the log's own schedule that `compare --log` prints, of the only workload.
std::string compared(const Folder& folder, const Arguments& workload, const std::string& metric) {
    const std::string file = folder.file("compared.csv");
    require_done(run(folder, with(with({"compare", "fcfs"}, workload), {"--metric", metric, "-o", file})));
    const std::string text = contents(file);
    return text.substr(text.rfind(',') + 1, text.size() - text.rfind(',') - 2);
}

// The text with a single blank in place of several.
std::string squeezed(std::string text) {
    const auto end = std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; });
    text.erase(end, text.end());
    return text;
}

}  // namespace

TEST_CASE("own-schedule: true adds the log's schedule to a campaign, with the values of compare --log") {
    const CampaignFolder campaign;
    const std::string log = campaign.folder.write("a.swf", three_jobs);
    const std::string text =
        "workloads: [{log: a.swf, own-schedule: true}]\nschedulers: [fcfs, conservative]\nreports: true\n";
    const Outcome outcome = campaign.run(text);
    require_done(outcome);
    CHECK_THAT(outcome.output, Contains("3 runs made") && Contains("\nlog  ") && Contains("a/own.html: 3 runs\n") &&
                                   Contains("\ndifference to the log [95 % interval, paired]"));
    CHECK(campaign.value("a,,own,log,log,a", "mean_wait") == "30");
    for (const std::string metric : {"mean_wait", "mean_bounded_slowdown", "max_stretch", "makespan"}) {
        CHECK(campaign.value("a,,own,log,log,a", metric) == compared(campaign.folder, {log, "--log", log}, metric));
    }
    const std::string page = contents(campaign.in("reports/a/own.html"));
    CHECK_THAT(page, Contains(R"("label":"conservative")") && Contains(R"("label":"log")") &&
                         Contains("--log " + campaign.in("runs/a/own/log_jobs.csv")));
    CHECK_THAT(campaign.run(text).output, Contains("0 runs made, 3 up to date") && !Contains(".html"));
    // The commands of a dry run make the same schedule.
    const Outcome commands = campaign.run(text, {"--dry-run"});
    CHECK_THAT(commands.output,
               Contains("cp " + campaign.in("workloads/a/a.log.csv") + ' ' + campaign.in("runs/a/own/log_jobs.csv")));
    // An edited schedule is made again.
    campaign.folder.write("out/workloads/a/a.log.csv", "");
    check_refused(campaign.run(text), 1, campaign.in("workloads/a/a.log.csv") + ": is not as a campaign has made it");
}

TEST_CASE("The log's own schedule is cut into the weeks of its workload, and compared in pairs") {
    const CampaignFolder campaign;
    const std::string text = "workloads: [{log: a.swf, split: 7, own-schedule: true}]\nschedulers: [fcfs]\n";
    campaign.folder.write("a.swf", weeks_of_two_jobs(6));
    const Outcome six = campaign.run(text);
    require_done(six);
    // As workloads, they would be enough.
    CHECK(six.errors == "batfill: note: nothing is said about chance: 6 weeks, expected at least 20\n");
    CHECK_THAT(squeezed(six.output), Contains("\nfcfs 50 6.00 ") && Contains("\nlog 56 6.62 ") && !Contains("*"));
    campaign.folder.write("a.swf", weeks_of_two_jobs(20));
    const Outcome outcome = campaign.run(text);
    require_done(outcome);
    CHECK(outcome.errors.empty());
    CHECK(campaign.value("a,week-001,own,log,log,a", "mean_wait") == "55");
    CHECK(campaign.value("a,week-006,own,log,log,a", "mean_wait") == "57.5");
    // 5 s to 14 s less, by the interval of the differences. All weeks are equal under fcfs.
    CHECK_THAT(squeezed(outcome.output), Contains("\nfcfs 50 [50, 50] * 6.00 [6.00, 6.00] * ") &&
                                             Contains("\nlog 60 [55, 64] ") && Contains("\nfcfs -10 [-14, -5] "));
}

TEST_CASE("own-schedule names the file of the log beside a workload, and takes accounting data") {
    const CampaignFolder campaign;
    const Folder& folder = campaign.folder;
    const std::string log = folder.write("a.swf", three_jobs);
    folder.write("jobs.txt",
                 "JobID|Submit|Start|End|Timelimit|NCPUS|State\n"
                 "7_1|1000|1060|1160|00:05:00|2|COMPLETED\n"
                 "7_2|1010|1090|1100|00:05:00|2|COMPLETED\n");
    require_done(run(folder, {"swf", log, "--shift", "--from", "40", "-o", folder.file("w.json")}));
    require_done(run(folder, {"import", "sacct", folder.file("jobs.txt"), "-o", folder.file("i.json"), "--schedule",
                              folder.file("i.csv")}));
    const Outcome outcome = campaign.run(
        "workloads:\n"
        "  - {workload: w.json, own-schedule: a.swf}\n"
        "  - {import: sacct, file: jobs.txt, own-schedule: true}\n"
        "  - {workload: i.json, own-schedule: i.csv}\n"
        "  - {log: a.swf, name: without}\n"
        "schedulers: [fcfs]\nmachines: [own, 8]\n");
    require_done(outcome);
    CHECK(campaign.value("w,,own,log,log,w", "mean_wait") == "45");
    CHECK(campaign.value("jobs,,8,log,log,jobs", "mean_wait") == "70");
    CHECK(campaign.value("i,,own,log,log,i", "mean_wait") == "70");
    CHECK(campaign.value("without,,own,fcfs,fcfs,without", "jobs") == "3");
    CHECK(campaign.value("without,,own,log,log,without", "jobs").empty());
    CHECK_THAT(outcome.output, Contains("\n8: log  "));
    CHECK_THAT(outcome.errors, Contains("only 3 of 4 workloads have the log's own schedule"));
}

TEST_CASE("Jobs that did not start in the log count in no result of a campaign") {
    const CampaignFolder campaign;
    campaign.folder.write("a.swf", three_jobs + unknown_start);
    const Outcome outcome = campaign.run(
        "workloads: [{log: a.swf, own-schedule: true}]\nschedulers: [fcfs, conservative]\n"
        "machines: [own, 5]\nreports: true\n");
    require_done(outcome);
    CHECK_THAT(outcome.errors, Contains("c.yaml:1: workload a: own-schedule: 1 of 4 jobs did not start in the log, and "
                                        "no result counts them"));
    CHECK(campaign.value("a,,own,fcfs,fcfs,a", "jobs") == "3");
    CHECK(campaign.value("a,,own,log,log,a", "jobs") == "3");
}

TEST_CASE("Shards divide the log's own schedules, too, and merging makes their pages") {
    const CampaignFolder campaign;
    campaign.folder.write("a.swf", three_jobs);
    const std::string text = "workloads: [{log: a.swf, own-schedule: true}]\nschedulers: [fcfs]\nreports: true\n";
    require_done(campaign.run(text, {"--shard", "1/2"}));
    CHECK(!fs::exists(campaign.in("runs/a/own/log_result.csv")));
    require_done(campaign.run(text, {"--shard", "2/2"}));
    require_done(run(campaign.folder, {"campaign", "merge", campaign.out, "-o", campaign.out}));
    const std::string merged = campaign.results();
    CHECK_THAT(contents(campaign.in("reports/a/own.html")), Contains(R"("label":"log")"));
    require_done(campaign.run(text));
    CHECK(campaign.results() == merged);
}

TEST_CASE("A log with more processors than the machine is noted") {
    const CampaignFolder campaign;
    const std::string log = campaign.folder.write("a.swf",
                                                  "; MaxProcs: 2\n"
                                                  "1 0 0 100 2 -1 -1 2 200 -1 1 1 1 1 1 1 -1 -1\n"
                                                  "2 40 0 50 2 -1 -1 2 100 -1 1 2 1 1 1 1 -1 -1\n");
    const std::string note = "the log has up to 4 processors in use, and the machine has 2: ";
    const Outcome outcome =
        campaign.run("workloads: [{log: a.swf, own-schedule: true}]\nschedulers: [fcfs]\nreports: true\n");
    require_done(outcome);
    CHECK_THAT(outcome.errors, Contains(note));
    CHECK_THAT(run(campaign.folder, {"compare", "fcfs", log, "--log", log}).errors, Contains(note));
}

TEST_CASE("own-schedule refuses what has no such schedule, in one line") {
    const CampaignFolder campaign;
    const Folder& folder = campaign.folder;
    folder.write("a.swf", three_jobs);
    folder.write("other.swf", "; MaxProcs: 4\n9 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n");
    folder.write("no.swf", "; MaxProcs: 4\n1 0 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n");
    require_done(run(folder, {"swf", folder.file("a.swf"), "-o", folder.file("w.json")}));
    const auto check = [&](const std::string& workload, const std::string& message,
                           const std::string& schedulers = "[fcfs]") {
        check_refused(campaign.run("workloads:\n  - {" + workload + "}\nschedulers: " + schedulers + "\n"), 1,
                      "c.yaml:" + message);
    };
    check("generate: lublin, own-schedule: true", "2: own-schedule: nobody has run the jobs of a model");
    check("workload: w.json, own-schedule: true", "2: own-schedule: a workload has no schedule, expected the file of");
    check("log: a.swf, own-schedule: [a.swf]", "2: own-schedule: expected true, or the file of its log (.swf), or");
    check("log: a.swf, own-schedule: true, load: 0.5", "2: own-schedule: load moves submissions");
    check("log: a.swf, own-schedule: true, sweep: {load: [0.5]}", "2: own-schedule: load moves submissions");
    check("log: a.swf, own-schedule: true", "3: the name log is that of own-schedule: expected another name",
          "[{algorithm: easy, name: log}]");
    check("log: a.swf, own-schedule: true", "3: scheduler submitter submits jobs of its own", "[submitter]");
    check("log: a.swf, own-schedule: true", "4: own-schedule: waits of a log count from the submission",
          "[fcfs]\nmeasure: {wait-from: eligible}");
    check("log: a.swf, own-schedule: other.swf",
          "2: workload a: own-schedule: " + folder.file("other.swf") + ": expected jobs of a.json, found none of them");
    check("log: no.swf, own-schedule: true", "2: workload no: own-schedule: " + folder.file("no.swf") +
                                                 ": expected jobs whose starts are known, found none");
    check("log: a.swf, own-schedule: nosuch.swf", "2: workload a: own-schedule: ");
    check("log: a.swf, own-schedule: w.json", "2: workload a: own-schedule: ");
    check("workload: w.json, own-schedule: a.swf, split: 7", "2: unknown key 'split'");
    // false asks for nothing.
    require_done(
        campaign.run("workloads: [{generate: lublin, jobs: 9, processors: 4, seed: 1, own-schedule: false}]\n"
                     "schedulers: [fcfs]\n"));
    CHECK(!fs::exists(campaign.in("runs/lublin/own/log_result.csv")));
}

}  // namespace batfill::tests::campaign_log_test
