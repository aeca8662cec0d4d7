#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/algorithm.hpp>

#include "tests/command_line/campaign_folder.hpp"

namespace batfill::tests::campaign_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
namespace fs = std::filesystem;

namespace {

// The value that `metrics` prints for a jobs.csv.
std::string metric_of(const Folder& folder, const std::string& jobs, const std::string& processors,
                      const std::string& metric) {
    const Outcome outcome = run(folder, {"metrics", jobs, "--processors", processors, "-f", "csv"});
    require_done(outcome);
    std::istringstream lines(outcome.output);
    std::string names;
    std::string values;
    std::getline(lines, names);
    std::getline(lines, values);
    std::istringstream name_list(names);
    std::istringstream value_list(values);
    for (std::string name, value; std::getline(name_list, name, ',') && std::getline(value_list, value, ',');) {
        if (name == metric) {
            return value;
        }
    }
    return "";
}

}  // namespace

TEST_CASE("A workload may take over the keys of another by YAML's merge key") {
    const CampaignFolder campaign;
    require_done(
        campaign.run("workloads:\n"
                     "  - &base {generate: lublin, jobs: 40, processors: 16, sweep: {seed: 1..2}}\n"
                     "  - {<<: *base, name: fewer, jobs: 20}\n"
                     "  - {<<: [{name: swept, sweep: {load: [0.5, 0.6]}}, *base], seed: 7}\n"
                     "schedulers: [fcfs]\n"));
    CHECK(campaign.value("\"lublin,seed=2\",,own,fcfs,fcfs,lublin", "jobs") == "40");
    CHECK(campaign.value("\"fewer,seed=2\",,own,fcfs,fcfs,fewer", "jobs") == "20");
    CHECK(campaign.value("\"swept,load=0.6\",,own,fcfs,fcfs,swept", "jobs") == "40");
}

TEST_CASE("campaign replays every workload under every scheduler, and its table has what simulate and metrics give") {
    const CampaignFolder campaign;
    const Outcome outcome = campaign.run(std::string(sixteen_runs) + "schedules: true\n");
    CHECK(notes_few_workloads(outcome.errors));
    require_done(outcome);
    CHECK_THAT(outcome.output, Contains("16 runs made, 0 up to date, 0 failed") && EndsWith("results.csv: 16 runs\n"));
    const std::string results = campaign.results();
    CHECK(results.starts_with(
        "workload,period,machine,scheduler,algorithm,workload.log,workload.load,workload.seed,scheduler.order,metric,value\n"));

    const Folder& folder = campaign.folder;
    for (const std::string load : {"0.7", "0.9"}) {
        const std::string name = "lublin,load=" + load + ",seed=2";
        const std::string workload = folder.file("w.json");
        require_done(run(folder, {"generate", "lublin", "--jobs", "60", "--processors", "16", "--load", load, "--seed",
                                  "2", "-o", workload}));
        CHECK(contents(campaign.in("workloads/" + name + '/' + name + ".json")) == contents(workload));
        require_done(run(folder, {"simulate", "-q", "-p", "16", "-w", workload, "-a", "easy", "-P",
                                  "backfill-order=spf", "-P", "order=saf", "-e", folder.file("easy")}));
        const std::string scheduler = "easy,backfill-order=spf,order=saf";
        CHECK(contents(campaign.in("runs/" + name + "/own/" + scheduler + "_jobs.csv")) ==
              contents(folder.file("easy_jobs.csv")));
        for (const std::string metric : {"mean_wait", "utilisation", "mean_bounded_slowdown"}) {
            const std::string value =
                campaign.value('"' + name + "\",,own,\"" + scheduler + "\",easy,lublin," + load + ",2,saf", metric);
            CHECK(!value.empty());
            CHECK(value == metric_of(folder, folder.file("easy_jobs.csv"), "16", metric));
        }
    }
}

TEST_CASE("A campaign on farms replays each on the machine that was drawn with it") {
    const CampaignFolder campaign;
    const std::string farms = R"(
workloads:
  - generate: farm
    jobs: 40
    machines: 5
    license-ratio: 20:40
    failures: {mtbf: 20000, mttr: 2000, seed: 1}
    sweep: {seed: 1..2}
schedulers:
  - bf-mod
  - easy,placement=machine
)";
    const Outcome outcome = campaign.run(farms + "schedules: true\n");
    CHECK(notes_few_workloads(outcome.errors));
    require_done(outcome);
    const Folder& folder = campaign.folder;
    const std::string workload = folder.file("w.json");
    const std::string platform = folder.file("p.xml");
    const std::string place = "workloads/farm,seed=2/farm,seed=2";
    require_done(run(folder, {"generate", "farm", "--jobs", "40", "--machines", "5", "--license-ratio", "20:40",
                              "--seed", "2", "-o", workload, "--platform", platform}));
    CHECK(contents(campaign.in(place + ".json")) == contents(workload));
    CHECK(contents(campaign.in(place + ".xml")) == contents(platform));
    require_done(run(folder, {"simulate", "-q", "-p", platform, "-w", workload, "-a", "bf-mod", "--events",
                              campaign.in("events/farm,seed=2/own.txt"), "-e", folder.file("alone")}));
    CHECK(contents(campaign.in("runs/farm,seed=2/own/bf-mod_jobs.csv")) == contents(folder.file("alone_jobs.csv")));
    const Outcome measured =
        run(folder, {"metrics", folder.file("alone_jobs.csv"), "-p", platform, "-w", workload, "--format", "csv"});
    const std::string usage = campaign.value("\"farm,seed=2\",,own,bf-mod,bf-mod,farm,2", "license_usage");
    CHECK(!usage.empty());
    CHECK_THAT(measured.output, Contains(',' + usage + '\n') || Contains(',' + usage + ','));

    CHECK_THAT(campaign.run(farms + "schedules: true\n").output, Contains("0 runs made, 4 up to date"));
    fs::remove(campaign.in(place + ".xml"));
    CHECK_THAT(campaign.run(farms + "schedules: true\n").output, Contains("farm,seed=2: 1 workload"));
    CHECK(contents(campaign.in(place + ".xml")) == contents(platform));
}

TEST_CASE("A campaign cuts logs, gives jobs deadlines, lets machines fail, and makes pages") {
    const CampaignFolder campaign;
    campaign.folder.write("three.swf", log_of_three_weeks());
    const std::string text = R"(
workloads:
  - log: three.swf
    name: weeks
    split: 7
    deadlines: {share: 0.5, seed: 1}
    failures: {mtbf: 86400, mttr: 3600, seed: 4}
machines: [own, 12]
schedulers: [easy, "dbf,on-failure=requeue"]
reports: true
)";
    const Outcome outcome = campaign.run(text);
    CHECK(notes_few_workloads(outcome.errors));
    require_done(outcome);
    CHECK_THAT(outcome.output, Contains("workloads/weeks: 3 workloads") && Contains("12 runs made"));
    CHECK_THAT(contents(campaign.in("workloads/weeks/made.txt")), Contains("Kept") && Contains("jobs drawn"));
    CHECK_THAT(contents(campaign.in("workloads/weeks/made.txt")), !Contains(campaign.out + "/workloads/."));
    CHECK_THAT(contents(campaign.in("workloads/weeks/weeks-week-002.json")), Contains("deadline"));
    CHECK(fs::exists(campaign.in("events/weeks-week-002/own.txt")));
    CHECK(fs::exists(campaign.in("reports/weeks-week-003/12.html")));
    CHECK(campaign.value("weeks,week-001,own,easy,easy", "jobs") == "10");
    CHECK(campaign.value("weeks,week-003,12,\"dbf,on-failure=requeue\",dbf", "deadline_jobs") == "5");

    // Every run is an ordinary command of batfill.
    const Outcome dry = campaign.run(text, {"--dry-run"});
    CHECK(dry.status == 0);
    CHECK_THAT(dry.output,
               Contains("batfill simulate -p 12 -w " + campaign.in("workloads/weeks/weeks-week-001.json") +
                        " -a dbf -P on-failure=requeue --events " + campaign.in("events/weeks-week-001/12.txt")));
}

TEST_CASE("Machines of a campaign have pools and capacities, which are swept") {
    const CampaignFolder campaign;
    campaign.folder.write("jobs.json", R"({"nb_res": 2, "jobs": [
        {"id": "1", "subtime": 0, "res": 1, "walltime": 100, "profile": "p", "per_host": {"cores": 4},
         "pools": {"power": 50}},
        {"id": "2", "subtime": 10, "res": 1, "walltime": 100, "profile": "p", "per_host": {"cores": 4},
         "pools": {"power": 60}}], "profiles": {"p": {"type": "delay", "delay": 50}}})");
    const std::string text = R"(
workloads: [{workload: jobs.json}]
machines:
  - {platform: 1, name: one, pools: {sweep: {power: [100, 110]}}, capacity: {cores: 8}}
  - {pools: {power: 200}, capacity: {cores: 4}, name: two}
schedulers: [easy]
reports: true
)";
    const Outcome outcome = campaign.run(text);
    require_done(outcome);
    CHECK(campaign.value("jobs,,\"one,pools.power=100\",easy,easy,jobs,100", "max_wait") == "40");
    CHECK(campaign.value("jobs,,\"one,pools.power=110\",easy,easy,jobs,110", "max_wait") == "0");
    CHECK(campaign.value("jobs,,\"one,pools.power=100\",easy,easy,jobs,100", "utilisation_of_power") == "0.55");
    CHECK(campaign.value("jobs,,two,easy,easy,jobs,", "max_wait") == "0");
    CHECK(fs::exists(campaign.in("reports/jobs/two.html")));
    const Outcome dry = campaign.run(text, {"--dry-run"});
    CHECK_THAT(dry.output, Contains("-a easy --pool power=100 --capacity cores:8 -e") &&
                               Contains("-a easy --pool power=200 --capacity cores:4 -e"));
    CHECK_THAT(campaign.run(text).output, Contains("0 runs made, 3 up to date"));
}

TEST_CASE("Machines of a campaign have windows, which are swept, and a changed file makes runs anew") {
    const CampaignFolder campaign;
    std::filesystem::create_directories(campaign.folder.file("there"));
    campaign.folder.write("there/jobs.json", R"({"nb_res": 2, "jobs": [
        {"id": "1", "subtime": 0, "res": 1, "walltime": 50, "profile": "p"}],
        "profiles": {"p": {"type": "delay", "delay": 50}}})");
    const auto write_windows = [&](const std::string& until) {
        return campaign.folder.write("there/calendar.jsonl", R"({"name": "service", "from": 40, "until": )" + until +
                                                                 R"(, "processors": 2, "running": "requeue"})");
    };
    const std::string calendar = write_windows("100");
    const std::string file = campaign.folder.write("there/c.yaml", R"(
workloads: [{workload: jobs.json}]
machines:
  - {platform: 2, windows: [none, calendar.jsonl]}
  - {platform: 2, name: one, windows: calendar.jsonl}
schedulers: [easy]
reports: true
)");
    const Arguments arguments{"campaign", file, "-o", campaign.out};
    require_done(run(campaign.folder, arguments));
    CHECK(campaign.value("jobs,,\"2,windows=none\",easy,easy,jobs,none", "max_wait") == "0");
    CHECK(campaign.value("jobs,,\"2,windows=calendar.jsonl\",easy,easy,jobs,calendar.jsonl", "max_wait") == "100");
    CHECK(campaign.value("jobs,,one,easy,easy,jobs,", "max_wait") == "100");
    CHECK(fs::exists(campaign.in("reports/jobs/one.html")));
    CHECK_THAT(run(campaign.folder, with(arguments, {"--dry-run"})).output,
               Contains("-a easy -e") && Contains("-a easy --windows " + calendar + " -e"));
    CHECK_THAT(run(campaign.folder, arguments).output, Contains("0 runs made, 3 up to date"));
    write_windows("150");
    CHECK_THAT(run(campaign.folder, arguments).output, Contains("2 runs made, 1 up to date"));
    CHECK(campaign.value("jobs,,one,easy,easy,jobs,", "max_wait") == "150");

    // Shards make the same pages.
    for (const std::string shard : {"1", "2"}) {
        require_done(run(campaign.folder,
                         {"campaign", file, "--shard", shard + "/2", "-o", campaign.folder.file("shard" + shard)}));
    }
    require_done(run(campaign.folder, {"campaign", "merge", campaign.folder.file("shard1"),
                                       campaign.folder.file("shard2"), "-o", campaign.folder.file("all")}));
    CHECK(contents(campaign.folder.file("all/results.csv")) == campaign.results());
    CHECK(fs::exists(campaign.folder.file("all/reports/jobs/one.html")));
}

TEST_CASE("Each week of a campaign sees the windows in its own time, and shards make the same pages") {
    const CampaignFolder campaign;
    std::string log = "; MaxProcs: 2\n";
    for (const int submit : {100, 604'800 + 100, 2 * 604'800 + 100}) {
        log += std::to_string(submit) + ' ' + std::to_string(submit) + " 0 100 2 -1 -1 2 200 -1 1 1 1 1 1 1 -1 -1\n";
    }
    campaign.folder.write("three.swf", log);
    // Six days into the second week, until 50 s into the third; and in the first 500 s of all.
    campaign.folder.write("calendar.jsonl", R"({"name": "first", "from": 0, "until": 500, "processors": 2}
{"name": "long", "from": 1123200, "until": 1209650, "announced": 1123200, "processors": 1})");
    const std::string file = campaign.folder.write("c.yaml", R"(
workloads: [{log: three.swf, name: weeks, split: 7}]
machines: [{name: m, windows: calendar.jsonl}]
schedulers: [easy]
reports: true
)");
    require_done(run(campaign.folder, {"campaign", file, "-o", campaign.out}));
    const auto wait = [&](const std::string& week) {
        return campaign.value("weeks," + week + ",m,easy,easy,weeks", "max_wait");
    };
    CHECK(wait("week-001") == "400");
    CHECK(wait("week-002") == "0");
    CHECK(wait("week-003") == "0");
    CHECK(contents(campaign.in("windows/weeks-week-003/m.jsonl")) ==
          R"({"name":"long","from":0,"until":50,"announced":0,"processors":1,"running":"finish"})"
          "\n");
    for (const std::string shard : {"1", "2"}) {
        require_done(run(campaign.folder,
                         {"campaign", file, "--shard", shard + "/2", "-o", campaign.folder.file("shard" + shard)}));
    }
    fs::create_directory(campaign.folder.file("moved"));
    for (const std::string shard : {"shard1", "shard2"}) {
        fs::rename(campaign.folder.file(shard), campaign.folder.file("moved/" + shard));
    }
    require_done(run(campaign.folder, {"campaign", "merge", campaign.folder.file("moved/shard1"),
                                       campaign.folder.file("moved/shard2"), "-o", campaign.folder.file("all")}));
    CHECK(contents(campaign.folder.file("all/results.csv")) == campaign.results());
    CHECK(fs::exists(campaign.folder.file("all/reports/weeks-week-003/m.html")));
}

TEST_CASE("A campaign counts waits from the instants at which jobs are eligible") {
    const CampaignFolder campaign;
    campaign.folder.write("jobs.json", R"({"nb_res": 1, "jobs": [
        {"id": "1", "subtime": 0, "res": 1, "walltime": 60, "profile": "p"},
        {"id": "2", "subtime": 5, "res": 1, "walltime": 60, "profile": "p", "after": ["ok:1+7"]}],
        "profiles": {"p": {"type": "delay", "delay": 50}}})");
    const std::string text = "workloads: [{workload: jobs.json}]\nschedulers: [easy]\n";
    require_done(campaign.run(text));
    CHECK(campaign.value("jobs,,own,easy,easy,jobs", "max_wait") == "52");
    require_done(campaign.run(text + "measure: {wait-from: eligible}\n"));
    CHECK(campaign.value("jobs,,own,easy,easy,jobs", "max_wait") == "0");
    require_done(campaign.run(text + "measure: {wait-from: eligible, cool-down: 1}\n"));
    CHECK(campaign.value("jobs,,own,easy,easy,jobs", "jobs") == "1");
    check_refused(campaign.run(text + "measure: {wait-from: start}\n"), 1);
}

TEST_CASE("A campaign draws jobs for hosts that they share, as batfill generate shared does") {
    const CampaignFolder campaign;
    const Outcome outcome = campaign.run(R"(
workloads: [{generate: shared, jobs: 60, seed: 3, hosts: 8, sweep: {gpu-jobs: [20, 60]}}]
machines: [{platform: 8, capacity: {cores: 32, memory: 256, sweep: {gpus: [4, 8]}}, name: m}]
schedulers: [easy, conservative]
)");
    require_done(outcome);
    const std::string drawn = campaign.folder.file("w.json");
    require_done(run(campaign.folder, {"generate", "shared", "--jobs", "60", "--seed", "3", "--hosts", "8",
                                       "--gpu-jobs", "60", "-o", drawn}));
    const std::string name = "shared,gpu-jobs=60";
    CHECK(contents(campaign.in("workloads/" + name + "/" + name + ".json")) == contents(drawn));
    CHECK_THAT(outcome.output, Contains("8 runs made"));
}

TEST_CASE("Workloads and machines of a campaign share no file, whatever their names are") {
    const CampaignFolder campaign;
    campaign.folder.write("three.swf", log_of_three_weeks());
    require_done(run(campaign.folder, {"platform", "--hosts", "8", "-o", campaign.folder.file("8-8.xml")}));
    const auto text = [](const std::string& names, const std::string& machines) {
        std::string all = "workloads:\n";
        std::istringstream words(names);
        for (std::string name; words >> name;) {
            const std::string seed = name == "x" ? "1" : "2";
            all.append("  - {generate: lublin, name: ").append(name).append(", jobs: 100, processors: 8, seed: 1, ");
            all.append("failures: {mtbf: 20000, mttr: 20000, seed: ").append(seed).append("}}\n");
        }
        return all + "machines: [" + machines + "]\nschedulers: [easy]\nreports: true\n";
    };
    const std::vector<std::pair<std::string, std::string>> rows{{"x", "8"}, {"x", "8-8"}, {"x-8", "8"}, {"x-8", "8-8"}};
    require_done(campaign.run(text("x x-8", "\"8\", ./8-8.xml")));
    for (const auto& [workload, machine] : rows) {
        INFO(workload << " on " << machine);
        CHECK(fs::exists(campaign.in("reports/" + workload + '/' + machine + ".html")));
        const CampaignFolder alone;
        require_done(run(alone.folder, {"platform", "--hosts", "8", "-o", alone.folder.file("8-8.xml")}));
        require_done(alone.run(text(workload, machine == "8" ? "8" : "./8-8.xml")));
        const std::string row = std::string(workload).append(",,").append(machine).append(",easy,easy");
        CHECK(!alone.value(row, "mean_wait").empty());
        CHECK(campaign.value(row, "mean_wait") == alone.value(row, "mean_wait"));
    }
}

TEST_CASE("A campaign leaves jobs out of its metrics that come while the machine fills and empties") {
    const CampaignFolder campaign;
    campaign.folder.write("three.swf", log_of_three_weeks());
    const std::string text = R"(
workloads: [{log: three.swf}]
schedulers: [fcfs]
measure: {warm-up: 120000, cool-down: 60000}
)";
    require_done(campaign.run(text));
    // Jobs are submitted every 60,000 s. Those at 0 and 60,000 s after the first, and the last one, do not count.
    CHECK(campaign.value("three,,own,fcfs,fcfs", "jobs") == "27");
}

TEST_CASE("A run that fails does not hold up the others of a campaign") {
    const CampaignFolder campaign;
    campaign.folder.write("mpi.json", R"({"nb_res":2,"profiles":{"p":{"type":"parallel","cpu":[1],"com":[1]}},)"
                                      R"("jobs":[{"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p"}]})");
    const std::string text = std::string(sixteen_runs) + "  - rejecter\n";
    const std::string with_mpi = "workloads:\n  - workload: mpi.json\n" + text.substr(text.find("  - generate"));
    const Outcome outcome = campaign.run(with_mpi);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.output, Contains("20 runs made, 0 up to date, 5 failed"));
    CHECK_THAT(outcome.errors, Contains("batfill: mpi on own under fcfs: ") && Contains("5 runs failed, so"));
    CHECK(!fs::exists(campaign.in("results.csv")));
    CHECK_THAT(campaign.run(with_mpi).output, Contains("0 runs made, 20 up to date, 5 failed"));
}

TEST_CASE("Every algorithm passes the audit of a campaign, also if it registers jobs of its own") {
    const CampaignFolder campaign;
    std::string text =
        "workloads:\n"
        "  - {generate: lublin, name: w, jobs: 100, processors: 8, seed: 1, failures: {mtbf: 200000, mttr: 20000, seed: 1}}\n"
        "reports: true\nschedulers:\n";
    std::size_t runs = 0;
    std::istringstream lines(run(campaign.folder, {"algorithms"}).output);
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line.front() != ' ' && find_algorithm(line).takes_event_files) {
            for (const std::string on_failure : {"continue", "requeue"}) {
                text.append("  - \"").append(line).append(",on-failure=").append(on_failure).append("\"\n");
                ++runs;
            }
        }
    }
    CHECK(runs > 30);
    const Outcome outcome = campaign.run(text);
    CHECK_THAT(outcome.errors, Contains("batfill: note: jobs rejected in 2 of ") &&
                                   Contains("runs (metric rejected), the first: 100 in") &&
                                   Contains("batfill: note: measured once: nothing is said about chance\n"));
    CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 2);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, Contains(std::to_string(runs) + " runs made, 0 up to date, 0 failed"));
    CHECK(campaign.value("w,,own,\"submitter,on-failure=continue\",submitter", "jobs") == "110");
}

TEST_CASE("The periods of a log have the name of its workload, whatever the log's own, and deadlines in their order") {
    const CampaignFolder campaign;
    campaign.folder.write("three.txt", log_of_three_weeks());
    const Outcome outcome = campaign.run(
        "workloads: [{log: three.txt, name: x, split: 7, deadlines: {share: 0.5, seed: 1}}]\nschedulers: [fcfs]\n");
    require_done(outcome);
    CHECK(campaign.value("x,week-001,own,fcfs,fcfs", "jobs") == "10");
    const std::string made = contents(campaign.in("workloads/x/made.txt"));
    std::string said;
    for (const char* const week : {"1", "2", "3"}) {
        said.append("x-week-00")
            .append(week)
            .append(
                ".json: 5 of 10 jobs drawn, due after 86400 s: 5, after 10 walltimes: 0 (without walltime, not drawn: 0; deadlines removed: 0)\n");
    }
    CHECK_THAT(made, EndsWith(said));
}

TEST_CASE("A campaign imports what jobs took of each host, and their partitions") {
    const CampaignFolder campaign;
    campaign.folder.write("jobs.txt",
                          "JobID|Submit|Start|Elapsed|Partition|NNodes|AllocTRES\n"
                          "1|1|1|60|gpu|2|cpu=8,gres/gpu=4\n2|1|1|60|cpu|1|cpu=4\n");
    const std::string fields = GENERATE(as<std::string>(), "\"per-host,partition\"", "[per-host, partition]");
    const Outcome outcome = campaign.run("workloads: [{import: sacct, file: jobs.txt, name: w, fields: " + fields +
                                         "}]\nmachines: [{platform: 2, capacity: {cores: 8, gpus: 2}}]\n"
                                         "schedulers: [easy]\n");
    REQUIRE(outcome.status == 0);
    CHECK_THAT(contents(campaign.out + "/workloads/w/w.json"),
               Contains(R"("res":2)") && Contains(R"("per_host":{"cores":4,"gpus":2},"partition":"gpu")"));
    CHECK_THAT(campaign.results(), Contains("utilisation_of_gpus"));
}

TEST_CASE("A campaign sees all paths from the folder of its file") {
    const CampaignFolder campaign;
    fs::create_directories(campaign.folder.file("there"));
    campaign.folder.write("there/three.swf", log_of_three_weeks());
    const std::string path =
        campaign.folder.write("there/c.yaml",
                              "workloads: [{log: three.swf, header: header.txt, schedule: logged.csv}]\n"
                              "schedulers: [fcfs]\n");
    require_done(run(campaign.folder, {"campaign", path, "-o", campaign.out}));
    CHECK(contents(campaign.folder.file("there/header.txt")) == "; MaxProcs: 8\n");
    CHECK_THAT(contents(campaign.folder.file("there/logged.csv")), Contains("job_id"));
    campaign.folder.write("there/jobs.csv", "id,submit,start,run,size\n1,10,10,100,2\n2,20,110,50,4\n");
    const std::string imported = campaign.folder.write(
        "there/i.yaml",
        "workloads: [{import: csv, file: jobs.csv, schedule: imported.csv, "
        "map: \"id=id,submit=submit,start=start,run-time=run,processors=size\"}]\nschedulers: [fcfs]\n");
    REQUIRE(run(campaign.folder, {"campaign", imported, "-o", campaign.folder.file("out2")}).status == 0);
    CHECK_THAT(contents(campaign.folder.file("there/imported.csv")), Contains("job_id"));
    CHECK(!fs::exists("imported.csv"));
    CHECK(!fs::exists("header.txt"));
    CHECK(!fs::exists("logged.csv"));
}

TEST_CASE("Replicates of a workload do not make the intervals of a campaign narrow") {
    const CampaignFolder campaign;
    const auto table_of = [&](const std::string& workloads) {
        const Outcome outcome = campaign.run(workloads + "schedulers: [easy]\n");
        CHECK(outcome.status == 0);
        return outcome;
    };
    const std::string model = "  - {generate: lublin, jobs: 60, processors: 32, load: 0.9, name: x";
    const Outcome replicated =
        table_of("workloads:\n" + model + ", seed: 1, deadlines: {share: 0.2, sweep: {seed: 1..9}}}\n");
    CHECK_THAT(replicated.output, Contains("9 runs made") && Contains("mean_wait"));
    CHECK(replicated.errors ==
          "batfill: note: measured once: nothing is said about chance, as all workloads have the same jobs\n");
    CHECK_THAT(replicated.output, !Contains("]\n"));
    const Outcome few = table_of("workloads:\n" + model + ", sweep: {seed: 1..4}}\n");
    CHECK(few.errors ==
          "batfill: note: nothing is said about chance: 4 workloads with different jobs, expected at least 5\n");
    const Outcome different = table_of("workloads:\n" + model + ", sweep: {seed: 1..5}}\n");
    CHECK(different.errors.empty());
    CHECK_THAT(different.output, Contains("]\n") && !Contains("mark"));  // there is one scheduler
}

TEST_CASE("The table of a campaign marks the best scheduler of each machine that is told apart from others") {
    const CampaignFolder campaign;
    const std::string text =
        "workloads: [{generate: lublin, jobs: 200, processors: 32, load: 1.2, name: x, sweep: {seed: 1..8}}]\n"
        "schedulers: [fcfs, easy, conservative]\n";
    const std::string meaning =
        "Brackets hold 95 % intervals, each for itself. *: best, and told apart from what has no mark; ~: not told apart from it. Of tables of equal schedulers, at most "
        "5 % have a mark: marks rest on the mean wait, and hold for all pairs together.";
    const Outcome one = campaign.run(text);
    require_done(one);
    CHECK(one.errors.empty());
    CHECK_THAT(one.output, Contains("] *") && Contains('\n' + meaning + '\n') && !Contains("Each machine"));
    // fcfs is the worst, so it has no mark, and neither does the line of names.
    const auto line_of = [&](const Outcome& outcome, const std::string& begin) {
        const std::size_t at = outcome.output.find('\n' + begin) + 1;
        return outcome.output.substr(at, outcome.output.find('\n', at) - at);
    };
    CHECK_THAT(line_of(one, "fcfs"), Contains("]  ") && !Contains("*") && !Contains("~"));
    CHECK_THAT(line_of(one, "easy") + line_of(one, "conservative"), Contains("*"));
    const Outcome two = campaign.run(text + "machines: [own, 64]\n");
    require_done(two);
    CHECK_THAT(two.output, Contains('\n' + meaning + " Each machine counts as a table.\n"));
    CHECK(line_of(two, "fcfs on own").find('*') == std::string::npos);
}

TEST_CASE("The example that campaign --init prints for a log runs") {
    const CampaignFolder campaign;
    const std::string name = GENERATE(as<std::string>(), "my log.swf", "my \"best\" log.swf", "a\\tb \t'#: &x.swf");
    const std::string log = campaign.folder.write(name, log_of_three_weeks());
    const Outcome example = run(campaign.folder, {"campaign", "--init", log});
    require_done(example);
    const Outcome outcome = campaign.run(example.output);
    CHECK(notes_few_workloads(outcome.errors));
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, Contains("15 runs made"));
    check_refused(run(campaign.folder, {"campaign", "--init", campaign.folder.file("nosuch")}), 1);
}

}  // namespace batfill::tests::campaign_test
