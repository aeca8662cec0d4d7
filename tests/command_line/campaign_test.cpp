#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::campaign_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace fs = std::filesystem;

namespace {

// Two loads, two seeds and three schedulers, one of them swept: 4 workloads, 4 schedulers, 16 runs.
constexpr const char* sixteen_runs = R"(
workloads:
  - generate: lublin
    jobs: 60
    processors: 16
    sweep: {load: [0.7, 0.9], seed: 1..2}
schedulers:
  - fcfs
  - conservative
  - algorithm: easy
    backfill-order: spf
    sweep: {order: [fcfs, saf]}
)";

struct CampaignFolder {
    Folder folder;
    std::string out = folder.file("out");

    Outcome run(const std::string& text, const Arguments& more = {}) const {
        Arguments arguments{"campaign", file(folder, "c.yaml", text), "-o", out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return batfill::tests::run(folder, arguments);
    }
    std::string in(const std::string& path) const { return out + '/' + path; }
    std::string results() const { return contents(in("results.csv")); }
    // The value of a metric in the line of results.csv that begins with `beginning`.
    std::string value(const std::string& beginning, const std::string& metric) const {
        std::istringstream lines(results());
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with(beginning + ',') && line.find(',' + metric + ',') != std::string::npos) {
                return line.substr(line.rfind(',') + 1);
            }
        }
        return "";
    }
    // All files below the campaign's folder, with their contents.
    std::map<std::string, std::string> files(const std::string& below) const {
        std::map<std::string, std::string> all;
        for (const auto& entry : fs::recursive_directory_iterator(in(below))) {
            if (entry.is_regular_file()) {
                all[fs::relative(entry.path(), out).string()] = contents(entry.path().string());
            }
        }
        return all;
    }
};

// The value that `metrics` prints for a jobs.csv.
std::string metric_of(const Folder& folder, const std::string& jobs, const std::string& processors,
                      const std::string& metric) {
    const Outcome outcome = run(folder, {"metrics", jobs, "--processors", processors, "-f", "csv"});
    REQUIRE(outcome.status == 0);
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

std::string log_of_three_weeks() {
    std::string text = "; MaxProcs: 8\n";
    for (int job = 1; job <= 30; ++job) {
        const int submit = job * 60'000;  // the last one after 20.8 days
        text += std::to_string(job) + ' ' + std::to_string(submit) + " 0 100 2 -1 -1 2 200 -1 1 1 1 1 1 1 -1 -1\n";
    }
    return text;
}

}  // namespace

TEST_CASE("campaign replays every workload under every scheduler, and its table has what simulate and metrics give") {
    const CampaignFolder campaign;
    const Outcome outcome = campaign.run(std::string(sixteen_runs) + "schedules: true\n");
    CHECK(outcome.errors.empty());
    REQUIRE(outcome.status == 0);
    CHECK_THAT(outcome.output, Contains("16 runs made, 0 up to date, 0 failed") && EndsWith("results.csv: 16 runs\n"));
    const std::string results = campaign.results();
    CHECK(results.starts_with(
        "workload,period,machine,scheduler,algorithm,workload.load,workload.seed,scheduler.order,metric,value\n"));

    const Folder& folder = campaign.folder;
    for (const std::string load : {"0.7", "0.9"}) {
        const std::string name = "lublin,load=" + load + ",seed=2";
        const std::string workload = folder.file("w.json");
        REQUIRE(run(folder, {"generate", "lublin", "--jobs", "60", "--processors", "16", "--load", load, "--seed", "2",
                             "-o", workload})
                    .status == 0);
        CHECK(contents(campaign.in("workloads/" + name + '/' + name + ".json")) == contents(workload));
        REQUIRE(run(folder, {"simulate", "-q", "-p", "16", "-w", workload, "-a", "easy", "-P", "backfill-order=spf",
                             "-P", "order=saf", "-e", folder.file("easy")})
                    .status == 0);
        const std::string scheduler = "easy,backfill-order=spf,order=saf";
        CHECK(contents(campaign.in("runs/" + name + "/own/" + scheduler + "_jobs.csv")) ==
              contents(folder.file("easy_jobs.csv")));
        for (const std::string metric : {"mean_wait", "utilisation", "mean_bounded_slowdown"}) {
            const std::string value =
                campaign.value('"' + name + "\",,own,\"" + scheduler + "\",easy," + load + ",2,saf", metric);
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
    CHECK(outcome.errors.empty());
    REQUIRE(outcome.status == 0);
    const Folder& folder = campaign.folder;
    const std::string workload = folder.file("w.json");
    const std::string platform = folder.file("p.xml");
    const std::string place = "workloads/farm,seed=2/farm,seed=2";
    REQUIRE(run(folder, {"generate", "farm", "--jobs", "40", "--machines", "5", "--license-ratio", "20:40", "--seed",
                         "2", "-o", workload, "--platform", platform})
                .status == 0);
    CHECK(contents(campaign.in(place + ".json")) == contents(workload));
    CHECK(contents(campaign.in(place + ".xml")) == contents(platform));
    REQUIRE(run(folder, {"simulate", "-q", "-p", platform, "-w", workload, "-a", "bf-mod", "--events",
                         campaign.in("events/farm,seed=2/own.txt"), "-e", folder.file("alone")})
                .status == 0);
    CHECK(contents(campaign.in("runs/farm,seed=2/own/bf-mod_jobs.csv")) == contents(folder.file("alone_jobs.csv")));
    const Outcome measured =
        run(folder, {"metrics", folder.file("alone_jobs.csv"), "-p", platform, "-w", workload, "--format", "csv"});
    const std::string usage = campaign.value("\"farm,seed=2\",,own,bf-mod,bf-mod,2", "license_usage");
    CHECK(!usage.empty());
    CHECK_THAT(measured.output, Contains(',' + usage + '\n') || Contains(',' + usage + ','));

    CHECK_THAT(campaign.run(farms + "schedules: true\n").output, Contains("0 runs made, 4 up to date"));
    fs::remove(campaign.in(place + ".xml"));
    CHECK_THAT(campaign.run(farms + "schedules: true\n").output, Contains("farm,seed=2: 1 workload"));
    CHECK(contents(campaign.in(place + ".xml")) == contents(platform));
}

TEST_CASE("A campaign that runs again makes only what is not there, and leaves the same files") {
    const CampaignFolder campaign;
    REQUIRE(campaign.run(sixteen_runs).status == 0);
    const auto files = campaign.files(".");
    CHECK_THAT(campaign.run(sixteen_runs).output, Contains("0 runs made, 16 up to date"));
    CHECK(campaign.files(".") == files);

    // As after a kill: a result, a workload and the table are missing.
    const std::string name = "lublin,load=0.7,seed=1";
    fs::remove(campaign.in("runs/" + name + "/own/fcfs_result.csv"));
    fs::remove_all(campaign.in("workloads/" + name));
    fs::remove(campaign.in("results.csv"));
    const Outcome outcome = campaign.run(sixteen_runs);
    CHECK_THAT(outcome.output, Contains("1 run made, 15 up to date") && Contains("workloads/" + name + ": 1 workload"));
    CHECK(campaign.files(".") == files);

    std::string with_another_seed = sixteen_runs;
    with_another_seed.replace(with_another_seed.find("1..2"), 4, "[1, 3]");
    CHECK_THAT(campaign.run(with_another_seed).output, Contains("8 runs made, 8 up to date"));
    // The measurement changed, and so every result.
    CHECK_THAT(campaign.run(std::string(sixteen_runs) + "measure: {tau: 60}\n").output, Contains("16 runs made"));
}

TEST_CASE("Shards of a campaign, put together, are the whole campaign") {
    const CampaignFolder whole;
    REQUIRE(whole.run(sixteen_runs).status == 0);
    const Folder& folder = whole.folder;
    std::vector<std::string> folders;
    for (const std::string shard : {"1/3", "2/3", "3/3"}) {
        folders.push_back(folder.file("shard-" + shard.substr(0, 1)));
        const Outcome outcome =
            run(folder, {"campaign", folder.file("c.yaml"), "-o", folders.back(), "--shard", shard});
        REQUIRE(outcome.status == 0);
        CHECK_THAT(outcome.output, Contains(shard == "1/3" ? "6 runs made" : "5 runs made"));
        CHECK(!fs::exists(folders.back() + "/results.csv"));
    }
    const std::string merged = folder.file("merged");
    const Outcome outcome = run(folder, {"campaign", "merge", folders[0], folders[1], folders[2], "-o", merged});
    CHECK(outcome.status == 0);
    CHECK(outcome.output == merged + "/results.csv: 16 runs\n");
    CHECK(contents(merged + "/results.csv") == whole.results());

    const Outcome incomplete = run(folder, {"campaign", "merge", folders[0], folders[2], "-o", merged});
    check_refused(incomplete, 1);
    CHECK_THAT(incomplete.errors, Contains("5 of 16 runs are in none of the folders, the first: runs/lublin"));

    std::string with_another_seed = sixteen_runs;
    with_another_seed.replace(with_another_seed.find("1..2"), 4, "[1, 3]");
    const std::string other = folder.file("other");
    REQUIRE(run(folder, {"campaign", file(folder, "other.yaml", with_another_seed), "-o", other}).status == 0);
    const Outcome mixed = run(folder, {"campaign", "merge", folders[0], other, "-o", merged});
    check_refused(mixed, 1);
    CHECK_THAT(mixed.errors, Contains("is of another campaign"));
}

TEST_CASE("Shards of a campaign may share one folder, at the same time") {
    const CampaignFolder whole;
    REQUIRE(whole.run(sixteen_runs).status == 0);
    const Folder& folder = whole.folder;
    const std::string shared = folder.file("shared");
    {
        Process first(folder, {"campaign", folder.file("c.yaml"), "-o", shared, "--shard", "1/2"});
        Process second(folder, {"campaign", folder.file("c.yaml"), "-o", shared, "--shard", "2/2"});
        CHECK(first.wait() == 0);
        CHECK(second.wait() == 0);
    }
    REQUIRE(run(folder, {"campaign", "merge", shared, "-o", shared}).status == 0);
    CHECK(contents(shared + "/results.csv") == whole.results());
}

TEST_CASE("Processes that begin a campaign in one folder at the same time make its workloads once") {
    const CampaignFolder campaign;
    const std::string text =
        "workloads: [{generate: lublin, jobs: 5, processors: 8, sweep: {seed: 1..40}}]\nschedulers: [fcfs]\n";
    const std::string path = file(campaign.folder, "c.yaml", text);
    std::vector<std::unique_ptr<Folder>> folders;  // for the output of the processes
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < 6; ++i) {
        folders.push_back(std::make_unique<Folder>());
        processes.push_back(std::make_unique<Process>(
            *folders.back(), Arguments{"campaign", path, "-o", campaign.out, "--dry-run", "--threads", "1"}));
    }
    std::size_t made = 0;
    for (const auto& process : processes) {
        CHECK(process->wait() == 0);
        CHECK(process->errors().empty());
        const std::string output = process->output();
        CHECK(static_cast<std::size_t>(std::count(output.begin(), output.end(), '\n')) >= 40);
        for (std::size_t at = 0; (at = output.find(": 1 workload\n", at)) != std::string::npos; ++at) {
            ++made;
        }
    }
    CHECK(made == 40);
}

TEST_CASE("A campaign removes and replaces no workload that it has not made as it is") {
    const CampaignFolder campaign;
    const std::string text =
        "workloads: [{generate: lublin, name: x, jobs: 20, processors: 8, seed: 1}]\nschedulers: [fcfs]\n";
    std::string other = text;
    other.replace(other.find("20"), 2, "30");
    const auto check_untouched = [&](const std::string& what, const std::string& name) {
        const auto files = campaign.files("workloads");
        const Outcome outcome = campaign.run(what);
        check_refused(outcome, 1);
        CHECK(outcome.errors == "batfill: " + campaign.in("workloads/x/" + name) +
                                    ": is not as a campaign has made it: move it away, or name another folder (-o)\n");
        CHECK(campaign.files("workloads") == files);
    };
    fs::create_directories(campaign.in("workloads/x"));
    file(campaign.folder, "out/workloads/x/notes.txt", "mine");
    file(campaign.folder, "out/workloads/.lock", "");
    check_untouched(text, "notes.txt");
    fs::remove(campaign.in("workloads/x/notes.txt"));
    CHECK_THAT(campaign.run(text).output, Contains("1 run made"));

    // A foreign file beside the campaign's files is harmless until the workload must be rebuilt.
    file(campaign.folder, "out/workloads/x/notes.txt", "mine");
    CHECK_THAT(campaign.run(text).output, Contains("0 runs made, 1 up to date"));
    check_untouched(other, "notes.txt");
    fs::remove(campaign.in("workloads/x/notes.txt"));

    // The campaign neither trusts nor removes an edited or truncated workload.
    const std::string workload = campaign.in("workloads/x/x.json");
    const std::string as_made = contents(workload);
    std::string edited = as_made;
    edited.replace(edited.find("\"subtime\":"), 10, "\"subtime\":1");
    file(campaign.folder, "out/workloads/x/x.json", edited);
    check_untouched(text, "x.json");
    check_untouched(other, "x.json");
    file(campaign.folder, "out/workloads/x/x.json", as_made);
    CHECK_THAT(campaign.run(text).output, Contains("0 runs made, 1 up to date"));
    const std::string list = contents(campaign.in("workloads/x/made.txt"));
    file(campaign.folder, "out/workloads/x/made.txt", list.substr(0, list.find("file x.json")));
    fs::remove(workload);
    check_untouched(text, "made.txt");
    file(campaign.folder, "out/workloads/x/made.txt", list);

    // It replaces its own files, also after a kill halfway.
    CHECK_THAT(campaign.run(text).output, Contains("x: 1 workload") && Contains("0 runs made, 1 up to date"));
    CHECK_THAT(campaign.run(other).output, Contains("x: 1 workload") && Contains("1 run made"));
}

TEST_CASE("A campaign does not believe results and schedules that were cut or edited") {
    const CampaignFolder campaign;
    const std::string text =
        "workloads: [{generate: lublin, jobs: 20, processors: 8, seed: 1}]\nschedulers: [fcfs, easy]\nschedules: "
        "true\n";
    REQUIRE(campaign.run(text).status == 0);
    const auto files = campaign.files(".");
    const auto check_made_anew = [&](const std::string& name, const std::string& changed) {
        INFO(name << ": " << changed);
        file(campaign.folder, "out/" + name, changed);
        const Outcome outcome = campaign.run(text);
        CHECK(outcome.errors.empty());
        CHECK_THAT(outcome.output, Contains("1 run made, 1 up to date, 0 failed"));
        CHECK(campaign.files(".") == files);
    };
    const std::string result = "runs/lublin/own/easy_result.csv";
    const std::string kept = files.at(result);
    check_made_anew(result, kept.substr(0, kept.size() - 1));
    check_made_anew(result, kept.substr(0, kept.find("mean_wait,")));
    check_made_anew(result, kept.substr(0, kept.find("mean_wait,") + 4));
    check_made_anew(result, kept.substr(0, kept.find("jobs,")));
    check_made_anew(result, "");
    std::string edited = kept;
    edited.insert(edited.find("mean_wait,") + 10, "1");
    check_made_anew(result, edited);
    const std::string jobs = files.at("runs/lublin/own/easy_jobs.csv");
    check_made_anew("runs/lublin/own/easy_jobs.csv", jobs.substr(0, jobs.size() / 2));
    check_made_anew("runs/lublin/own/easy_schedule.csv", "");
    CHECK_THAT(campaign.run(text).output, Contains("0 runs made, 2 up to date"));

    // A merge does not either: the run is missing.
    file(campaign.folder, "out/" + result, edited);
    const Outcome merged = run(campaign.folder, {"campaign", "merge", campaign.out, "-o", campaign.out});
    check_refused(merged, 1);
    CHECK_THAT(merged.errors, Contains("1 of 2 runs are in none of the folders, the first: runs/lublin/own/easy"));
}

TEST_CASE("The pages of a campaign are those of what it is made of now") {
    const CampaignFolder campaign;
    const auto text = [](const std::string& jobs, const std::string& schedulers, const std::string& reports) {
        return "workloads: [{generate: lublin, name: x, jobs: " + jobs + ", processors: 8, seed: 1}]\nschedulers: [" +
               schedulers + "]\nschedules: true\n" + reports;
    };
    const std::string page = campaign.in("reports/x/own.html");
    // The page must equal one that is made from scratch.
    const auto check_page = [&](const std::string& jobs, const std::string& schedulers) {
        const std::string now = contents(page);
        fs::remove(page);
        REQUIRE(campaign.run(text(jobs, schedulers, "reports: true\n")).status == 0);
        CHECK(contents(page) == now);
        CHECK_THAT(campaign.run(text(jobs, schedulers, "reports: true\n")).output, !Contains(page));
    };
    REQUIRE(campaign.run(text("20", "fcfs, easy", "reports: true\n")).status == 0);
    check_page("20", "fcfs, easy");
    // One scheduler less: no replay is needed.
    CHECK_THAT(campaign.run(text("20", "easy", "reports: true\n")).output, Contains("0 runs made") && Contains(page));
    check_page("20", "easy");
    // Runs without pages, as left by a campaign that was killed between them.
    CHECK_THAT(campaign.run(text("25", "easy", "")).output, Contains("1 run made") && !Contains(page));
    CHECK_THAT(campaign.run(text("25", "easy", "reports: true\n")).output, Contains("0 runs made") && Contains(page));
    check_page("25", "easy");
    const std::string whole = contents(page);
    file(campaign.folder, "out/reports/x/own.html", whole.substr(0, whole.size() / 2));
    CHECK_THAT(campaign.run(text("25", "easy", "reports: true\n")).output, Contains("0 runs made") && Contains(page));
    CHECK(contents(page) == whole);
}

TEST_CASE("A campaign cuts logs, gives jobs deadlines, lets machines fail, and makes pages") {
    const CampaignFolder campaign;
    file(campaign.folder, "three.swf", log_of_three_weeks());
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
    CHECK(outcome.errors.empty());
    REQUIRE(outcome.status == 0);
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

TEST_CASE("Workloads and machines of a campaign share no file, whatever their names are") {
    const CampaignFolder campaign;
    file(campaign.folder, "three.swf", log_of_three_weeks());
    REQUIRE(run(campaign.folder, {"platform", "--hosts", "8", "-o", campaign.folder.file("8-8.xml")}).status == 0);
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
    REQUIRE(campaign.run(text("x x-8", "\"8\", ./8-8.xml")).status == 0);
    for (const auto& [workload, machine] : rows) {
        INFO(workload << " on " << machine);
        CHECK(fs::exists(campaign.in("reports/" + workload + '/' + machine + ".html")));
        const CampaignFolder alone;
        REQUIRE(run(alone.folder, {"platform", "--hosts", "8", "-o", alone.folder.file("8-8.xml")}).status == 0);
        REQUIRE(alone.run(text(workload, machine == "8" ? "8" : "./8-8.xml")).status == 0);
        const std::string row = std::string(workload).append(",,").append(machine).append(",easy,easy");
        CHECK(!alone.value(row, "mean_wait").empty());
        CHECK(campaign.value(row, "mean_wait") == alone.value(row, "mean_wait"));
    }
}

TEST_CASE("A campaign refuses a workload that has the name of a period of another") {
    const CampaignFolder campaign;
    file(campaign.folder, "A.swf", log_of_three_weeks());
    const Outcome outcome = campaign.run(
        "workloads:\n  - {log: A.swf, split: 7}\n"
        "  - {generate: lublin, name: A-week-001, jobs: 10, processors: 8, seed: 1}\nschedulers: [easy]\n");
    CHECK(outcome.status == 1);
    CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
    CHECK_THAT(outcome.errors,
               Contains("c.yaml:3: workload A-week-001: A-week-001 is also the name of a workload of ") &&
                   EndsWith("c.yaml:2: workload A: expected another name\n"));
    CHECK(!fs::exists(campaign.in("runs")));
}

TEST_CASE("A campaign leaves jobs out of its metrics that come while the machine fills and empties") {
    const CampaignFolder campaign;
    file(campaign.folder, "three.swf", log_of_three_weeks());
    const std::string text = R"(
workloads: [{log: three.swf}]
schedulers: [fcfs]
measure: {warm-up: 120000, cool-down: 60000}
)";
    REQUIRE(campaign.run(text).status == 0);
    // Jobs are submitted every 60,000 s. Those at 0 and 60,000 s after the first, and the last one, do not count.
    CHECK(campaign.value("three,,own,fcfs,fcfs", "jobs") == "27");
}

TEST_CASE("A run that fails does not hold up the others of a campaign") {
    const CampaignFolder campaign;
    file(campaign.folder, "mpi.json",
         R"({"nb_res":2,"profiles":{"p":{"type":"parallel","cpu":[1],"com":[1]}},)"
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
        "  - {generate: lublin, name: w, jobs: 100, processors: 8, seed: 1, "
        "failures: {mtbf: 200000, mttr: 20000, seed: 1}}\n"
        "reports: true\nschedulers:\n";
    std::size_t runs = 0;
    std::istringstream lines(run(campaign.folder, {"algorithms"}).output);
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line.front() != ' ') {
            for (const std::string on_failure : {"continue", "requeue"}) {
                text.append("  - \"").append(line).append(",on-failure=").append(on_failure).append("\"\n");
                ++runs;
            }
        }
    }
    CHECK(runs > 30);
    const Outcome outcome = campaign.run(text);
    CHECK_THAT(outcome.errors, Contains("batfill: note: jobs rejected in 2 of ") &&
                                   Contains("runs (metric rejected), the first: 100 in"));
    CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, Contains(std::to_string(runs) + " runs made, 0 up to date, 0 failed"));
    CHECK(campaign.value("w,,own,\"submitter,on-failure=continue\",submitter", "jobs") == "110");
}

TEST_CASE("A campaign file that cannot be used is refused with its line") {
    const CampaignFolder campaign;
    const auto check = [&](const std::string& text, const std::string& message) {
        const Outcome outcome = campaign.run(text);
        check_refused(outcome, 1);
        CHECK_THAT(outcome.errors, Contains("c.yaml:" + message));
    };
    const std::string lublin = "workloads:\n  - generate: lublin\n    jobs: 10\n    processors: 4\n    seed: 1\n";
    check("workloads: [}", "1: ");
    check("- 1\n", "1: expected a map with workloads and schedulers");
    check("workload: 3\n", "1: unknown key 'workload', did you mean 'workloads'?");
    check("schedulers: [fcfs]\n", "1: workloads: expected a list with an entry or more");
    check("workloads: [{seed: 1}]\nschedulers: [fcfs]\n", "1: expected one of log, workload and generate, found none");
    check("workloads: [{log: a, generate: b}]\n", "1: expected one of log, workload and generate, found log and");
    check("workloads: [{generate: lubin}]\n", "1: unknown model 'lubin', did you mean 'lublin'?");
    check(lublin + "schedulers: [fcsf]\n", "6: unknown algorithm 'fcsf', did you mean 'fcfs'?");
    check(lublin + "schedulers:\n  - fcfs\n  - {algorithm: easy, order: x}\n", "8: parameter order: unknown value 'x'");
    check(lublin + "schedulers: [easy, easy]\n", "6: there is a scheduler easy already");
    check(lublin + "schedulers: [{algorithm: dbf, name: a_broken}, {algorithm: dbf, name: a}]\n",
          "6: the schedulers a and a_broken would share the file a_broken_guarantees.csv");
    check(lublin + "schedulers: [{algorithm: easy, order: saf, sweep: {order: [spf]}}]\n",
          "6: sweep: order has a value already");
    check(lublin + "machines: [4, own, own]\nschedulers: [easy]\n", "6: there is a machine own already");
    check(lublin + "machines: [nosuch]\nschedulers: [easy]\n", "6: platform: there is no file 'nosuch'");
    check(lublin + "schedulers: [easy]\nreports: maybe\n", "7: reports: expected true or false");
    check(lublin + "schedulers: [easy]\nmeasure: {tau: 0}\n", "7: tau: expected a number of seconds");
    check(lublin + "    sweep: {load: []}\nschedulers: [easy]\n", "6: sweep: expected one to 100,000 combinations");
    check(lublin + "    sweep: {load: 2..1}\nschedulers: [easy]\n", "6: load: expected FIRST..LAST with FIRST at most");
    check(lublin + "    lod: 1\nschedulers: [easy]\n", "2: workload lublin: unrecognised option '--lod=1'");
    check("workloads: [{log: nosuch.swf}]\nschedulers: [easy]\n", "1: workload nosuch: ");
    check_refused(run(campaign.folder, {"campaign"}), 2);
    check_refused(campaign.run(lublin + "schedulers: [easy]\n", {"--shard", "3/2"}), 2);
}

TEST_CASE("A campaign that would never end, or is not what it seems, is refused before anything is multiplied out") {
    const CampaignFolder campaign;
    const auto check = [&](const std::string& text, const std::string& message) {
        INFO(text.substr(0, 300));
        const Outcome outcome = campaign.run(text);
        check_refused(outcome, 1);
        CHECK_THAT(outcome.errors, Contains("c.yaml:" + message));
        CHECK(!fs::exists(campaign.out));
    };
    const std::string lublin = "workloads:\n  - generate: lublin\n    jobs: 10\n    processors: 4\n";
    const auto swept = [&](const std::string& sweep) {
        return lublin + "    sweep: " + sweep + "\nschedulers: [fcfs]\n";
    };
    check(swept("{seed: &s [1, *s]}"), "5: expected no alias inside of what it names\n");
    check("workloads: &w\n  - generate: *w\nschedulers: [fcfs]\n", "1: expected no alias inside of what it names\n");
    check(swept("{seed: " + std::string(200, '[') + std::string(200, ']') + "}"),
          "5: expected at most 100 lists and maps inside each other\n");
    check("workloads: " + std::string(100'000, '['), "1: expected at most 100 lists and maps inside each other\n");
    std::string keys;
    for (int i = 0; i < 200; ++i) {
        keys.append("k").append(std::to_string(i)).append(": [1], ");
    }
    check(swept("{" + keys + "seed: 1..100000}"), "2: expected fewer options: there are more than 10,000,000 in all ");
    // Each line expands to ten times the line before it.
    std::string tenfold = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string alias = "*a" + std::to_string(i - 1);
        tenfold += 'a' + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
        for (int j = 1; j < 10; ++j) {
            tenfold += ", " + alias;
        }
        tenfold += "]\n";
    }
    check(tenfold + swept("{seed: *a11}"), "1: expected at most a million values in all, and found more with what");
    check(swept("{seed: 0..999999}"), "5: seed: expected at most 100,000 values, found 0..999999\n");
    check(swept("{seed: [1..60000, 1..60000]}"), "5: seed: expected at most 100,000 values, found 1..60000\n");
    check(swept("{seed: 0..18446744073709551615}"), "5: seed: expected at most 100,000 values, found 0..184467");
    check(swept("{seed: 1..400, load: 1..400}"), "5: sweep: expected one to 100,000 combinations of values\n");
    check(lublin + "    sweep: {seed: 1..60000}\n  - generate: lublin\n    name: b\n    sweep: {seed: 1..60000}\n",
          "6: expected at most 100,000 runs\n");
    check(lublin + "    sweep: {seed: 1..400}\nschedulers: [{algorithm: easy, sweep: {threshold: 1..400}}]\n",
          "6: expected at most 100,000 runs\n");
    // The largest number.
    CHECK_THAT(campaign.run(swept("{seed: 18446744073709551615..18446744073709551615}")).output,
               Contains("1 run made, 0 up to date, 0 failed"));
    fs::remove_all(campaign.out);

    check(lublin + "    seed: 1\nschedulers: [fcfs]\nmachines: [4]\nschedulers: [easy]\n",
          "8: there is a key schedulers already in this map: expected each once\n");
    check(lublin + "    seed: 1\n    jobs: 20\nschedulers: [fcfs]\n", "6: there is a key jobs already in this map");
    check(R"({"workloads": [{"generate": "lublin", "jobs": 9, "processors": 4, "seed": 1, "seed": 2}],)"
          "\n"
          R"("schedulers": ["fcfs"]})",
          "1: there is a key seed already in this map");
    check(lublin + "    seed: 1\nschedulers: [fcfs]\n---\nschedulers: [easy]\n",
          "8: expected one document, found another");
}

TEST_CASE("A campaign refuses an output that can be no folder, in one line") {
    const CampaignFolder campaign;
    const std::string path = file(campaign.folder, "c.yaml",
                                  "workloads: [{generate: lublin, jobs: 9, processors: 8, seed: 1}]\n"
                                  "schedulers: [fcfs]\n");
    const auto check = [&](const Arguments& arguments, int status, const std::string& message) {
        const Outcome outcome = run(campaign.folder, arguments);
        check_refused(outcome, status);
        CHECK(outcome.errors == "batfill: " + message + '\n');
    };
    const std::string empty = "--output: expected the name of a folder, found ''";
    check({"campaign", path, "-o", ""}, 2, empty);
    check({"campaign", path, "-o", path}, 1, path + ": is a file, expected a folder: name another with -o");
    check({"campaign", path, "-o", path + "/out"}, 1, path + "/out/workloads: cannot be created: Not a directory");
    check({"campaign", path, "-o", "/proc/none"}, 1,
          "/proc/none/workloads: cannot be created: No such file or directory");
    REQUIRE(run(campaign.folder, {"campaign", path, "-o", campaign.out}).status == 0);
    check({"campaign", "merge", campaign.out, "-o", ""}, 2, empty);
    check({"campaign", "merge", campaign.out, "-o", path}, 1,
          path + ": is a file, expected a folder: name another with -o");
    check({"campaign", "merge", campaign.out, "-o", "/proc/none"}, 1,
          "/proc/none: cannot be created: No such file or directory");
}

TEST_CASE("A campaign says before it begins how many runs it has, and how large they are about") {
    const CampaignFolder campaign;
    const std::string text =
        "workloads: [{generate: lublin, jobs: 2000, processors: 64, sweep: {seed: 1..2}}]\n"
        "schedulers: [fcfs, easy, conservative]\nreports: true\n";
    const Outcome dry = campaign.run(text, {"--dry-run"});
    REQUIRE(dry.status == 0);
    const std::string beginning = "# " + campaign.out + ": 6 runs, about ";
    CHECK_THAT(dry.output, Contains(beginning));
    const double estimate = std::stod(dry.output.substr(dry.output.find(beginning) + beginning.size()));
    const std::string line = dry.output.substr(dry.output.find("# ") + 2);
    const std::string said = line.substr(0, line.find('\n') + 1);
    CHECK_THAT(said, EndsWith(" MB on disk\n"));

    const Outcome outcome = campaign.run(text);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.output.starts_with(said));
    std::uintmax_t size = 0;
    for (const auto& [name, bytes] : campaign.files(".")) {
        size += bytes.size();
    }
    CHECK(std::abs(estimate - static_cast<double>(size) / 1e6) < 0.25 * estimate);

    CHECK_THAT(campaign.run(text, {"--shard", "1/4"}).output,
               Contains(": 2 runs of 6 in this shard, about 1 MB on disk\n"));
    CHECK_THAT(
        campaign.run("workloads: [{generate: lublin, jobs: 9, processors: 8, seed: 1}]\nschedulers: [fcfs]\n").output,
        Contains(": 1 run, less than 1 MB on disk\n"));
}

TEST_CASE("A campaign takes no option whose name is cut short") {
    const CampaignFolder campaign;
    file(campaign.folder, "three.swf", log_of_three_weeks());
    const auto check = [&](const std::string& workload, const std::string& message) {
        const Outcome outcome = campaign.run("workloads:\n  - " + workload + "\nschedulers: [fcfs]\n");
        CHECK(outcome.status == 1);
        CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
        CHECK_THAT(outcome.errors, Contains("c.yaml:2: workload " + message));
    };
    check("{log: three.swf, spli: 7}", "three: unrecognised option '--spli=7', did you mean '--split'?");
    check("{log: three.swf, spl: 7}", "three: unrecognised option '--spl=7', did you mean '--split'?");
    check("{log: three.swf, s: 7}", "three: unrecognised option '--s=7'");
    check("{generate: lublin, jobs: 9, proc: 8, seed: 1}",
          "lublin: unrecognised option '--proc=8', did you mean '--processors'?");
    check("{log: three.swf, deadlines: {shar: 0.5, seed: 1}}",
          "three: unrecognised option '--shar=0.5', did you mean '--share'?");
    check("{log: three.swf, name: x, failures: {mtb: 9, mttr: 9, seed: 1}}",
          "x: unrecognised option '--mtb=9', did you mean '--mtbf'?");
}

TEST_CASE("A campaign makes something of all options: it refuses --help") {
    const CampaignFolder campaign;
    file(campaign.folder, "three.swf", log_of_three_weeks());
    for (const char* const workload :
         {"{log: three.swf, help: true}", "{log: three.swf, deadlines: {share: 0.5, seed: 1, help: true}}",
          "{log: three.swf, failures: {help: true}}"}) {
        const Outcome outcome = campaign.run(std::string("workloads:\n  - ") + workload + "\nschedulers: [fcfs]\n");
        CHECK(outcome.status == 1);
        CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
        CHECK_THAT(outcome.errors, Contains("c.yaml:2: workload three: --help prints the options of a command"));
    }
}

TEST_CASE("The periods of a log have the name of its workload, whatever the log's own, and deadlines in their order") {
    const CampaignFolder campaign;
    file(campaign.folder, "three.txt", log_of_three_weeks());
    const Outcome outcome = campaign.run(
        "workloads: [{log: three.txt, name: x, split: 7, deadlines: {share: 0.5, seed: 1}}]\nschedulers: [fcfs]\n");
    REQUIRE(outcome.status == 0);
    CHECK(campaign.value("x,week-001,own,fcfs,fcfs", "jobs") == "10");
    const std::string made = contents(campaign.in("workloads/x/made.txt"));
    std::string said;
    for (const char* const week : {"1", "2", "3"}) {
        said.append("x-week-00")
            .append(week)
            .append(
                ".json: 5 of 10 jobs drawn, due after 86400 s: 5, after 10 "
                "walltimes: 0 (without walltime, not drawn: 0; deadlines "
                "removed: 0)\n");
    }
    CHECK_THAT(made, EndsWith(said));
}

TEST_CASE("A campaign sees all paths from the folder of its file") {
    const CampaignFolder campaign;
    fs::create_directories(campaign.folder.file("there"));
    file(campaign.folder, "there/three.swf", log_of_three_weeks());
    const std::string path = file(campaign.folder, "there/c.yaml",
                                  "workloads: [{log: three.swf, header: header.txt, schedule: logged.csv}]\n"
                                  "schedulers: [fcfs]\n");
    REQUIRE(run(campaign.folder, {"campaign", path, "-o", campaign.out}).status == 0);
    CHECK(contents(campaign.folder.file("there/header.txt")) == "; MaxProcs: 8\n");
    CHECK_THAT(contents(campaign.folder.file("there/logged.csv")), Contains("job_id"));
    CHECK(!fs::exists("header.txt"));
    CHECK(!fs::exists("logged.csv"));
}

TEST_CASE("The example that campaign --init prints for a log runs") {
    const CampaignFolder campaign;
    const std::string name = GENERATE(as<std::string>(), "my log.swf", "my \"best\" log.swf", "a\\tb \t'#: &x.swf");
    const std::string log = file(campaign.folder, name, log_of_three_weeks());
    const Outcome example = run(campaign.folder, {"campaign", "--init", log});
    REQUIRE(example.status == 0);
    const Outcome outcome = campaign.run(example.output);
    CHECK(outcome.errors.empty());
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, Contains("15 runs made"));
    check_refused(run(campaign.folder, {"campaign", "--init", campaign.folder.file("nosuch")}), 1);
}

}  // namespace batfill::tests::campaign_test
