#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/campaign_folder.hpp"

namespace batfill::tests::campaign_resumed_test {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("The pages of a campaign in shards come with the merge, the same as those of the whole") {
    const CampaignFolder campaign;
    const std::string text =
        "workloads: [{generate: lublin, jobs: 40, processors: 16, sweep: {seed: 1..2}}, {generate: farm, jobs: 20, seed: 1}]\n"
        "schedulers: ['fcfs,placement=machine', 'easy,placement=machine']\nreports: true\n";
    require_done(campaign.run(text));
    const std::map<std::string, std::string> pages = campaign.files("reports");
    CHECK(pages.size() == 3);
    std::filesystem::remove_all(campaign.out);
    for (const char* shard : {"1/2", "2/2"}) {
        require_done(campaign.run(text, {"--shard", shard}));
    }
    CHECK_FALSE(std::filesystem::exists(campaign.in("reports")));
    const Outcome merged = run(campaign.folder, {"campaign", "merge", campaign.out, "-o", campaign.out});
    CHECK_THAT(merged.output, Contains("reports/farm/own.html: 2 runs\n"));
    CHECK(campaign.files("reports") == pages);
    // The campaign keeps them.
    CHECK_THAT(campaign.run(text).output, !Contains(".html"));
    // Into another folder, from two.
    const std::string other = campaign.folder.file("other");
    std::filesystem::rename(campaign.out, other);
    require_done(run(campaign.folder, {"campaign", "merge", other, "-o", campaign.out}));
    CHECK(campaign.files("reports").size() == 3);
    std::filesystem::remove(other + "/workloads/farm/farm.xml");
    check_refused(run(campaign.folder, {"campaign", "merge", other, "-o", campaign.out}), 1,
                  "workloads/farm/farm.xml: is in none of the folders");
}

TEST_CASE("A campaign that runs again makes only missing files, and leaves the same files") {
    const CampaignFolder campaign;
    require_done(campaign.run(sixteen_runs));
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

TEST_CASE("A campaign makes a workload anew if its data has another format") {
    const CampaignFolder campaign;
    campaign.folder.write(
        "jobs.csv",
        "job_id,submit_time,start_time,end_time,duration,gpu_num,state,user,vc,queue,cpu_num,node_num\n"
        "1,1000,1000,1100,100,2,COMPLETED,ann,a,0,8,1\n2,1010,1100,1150,50,4,COMPLETED,bob,b,90,16,1\n");
    const auto text = [](const std::string& format) {
        return "workloads:\n  - import: " + format +
               "\n    file: jobs.csv\n    name: x\n    map: "
               "\"id=job_id,submit=submit_time,start=start_time,run-time=duration,processors=gpu_num\"\n"
               "schedulers: [fcfs]\n";
    };
    const std::string workload = "workloads/x/x.json";
    REQUIRE(campaign.run(text("csv")).status == 0);
    CHECK_THAT(contents(campaign.in(workload)), !Contains("ann"));
    CHECK_THAT(campaign.run(text("helios")).output, Contains("x: 1 workload\n") && Contains("1 run made"));
    CHECK_THAT(contents(campaign.in(workload)), Contains("ann"));
    CHECK_THAT(contents(campaign.in("workloads/x/made.txt")), Contains("batfill import helios "));
    CHECK_THAT(campaign.run(text("helios")).output, Contains("0 runs made, 1 up to date"));
}

TEST_CASE("A campaign makes a workload anew if the machine of its jobs has changed") {
    const CampaignFolder campaign;
    campaign.folder.write("jobs.txt",
                          "JobID|Submit|Start|Elapsed|Partition|NNodes|AllocTRES\n"
                          "1|1|1|60|cpu|1|cpu=8\n2|1|1|60|cpu|2|cpu=8\n");
    const std::string nodes = "NodeName=n1 CPUTot=8 Partitions=cpu\n";
    campaign.folder.write("nodes.txt", nodes);
    const auto text = [](const std::string& machine) {
        return "workloads: [{import: sacct, file: jobs.txt, name: w, fields: all, machine: " + machine +
               "}]\nschedulers: [easy]\n";
    };
    const std::string made = campaign.in("workloads/w/made.txt");
    require_done(campaign.run(text("nodes.txt")));
    CHECK_THAT(contents(made), Contains("does not fit: more hosts than partition cpu has"));
    fs::rename(campaign.folder.file("nodes.txt"), campaign.folder.file("moved.txt"));
    CHECK_THAT(campaign.run(text("moved.txt")).output, Contains("0 runs made, 1 up to date"));
    campaign.folder.write("moved.txt", nodes + "NodeName=n2 CPUTot=8 Partitions=cpu\n");
    CHECK_THAT(campaign.run(text("moved.txt")).output, Contains("w: 1 workload\n"));
    CHECK_THAT(contents(made), !Contains("does not fit"));
    check_refused(campaign.run(text("moved.txt, platform: moved.txt")), 1, "would write over the input");
    CHECK(campaign.run(text("missing.txt")).status == 1);
}

TEST_CASE("A campaign keeps the workloads of data that has moved") {
    const CampaignFolder campaign;
    const std::string log = campaign.folder.write("three.swf", log_of_three_weeks());
    const auto text = [](const std::string& path) {
        return "workloads: [{log: " + path + ", name: x}]\nschedulers: [fcfs]\n";
    };
    REQUIRE(campaign.run(text("three.swf")).status == 0);
    fs::rename(log, campaign.folder.file("moved.swf"));
    CHECK_THAT(campaign.run(text("moved.swf")).output,
               !Contains("workload\n") && Contains("0 runs made, 1 up to date"));
}

TEST_CASE("Shards of a campaign, put together, are the whole campaign") {
    const CampaignFolder whole;
    require_done(whole.run(sixteen_runs));
    const Folder& folder = whole.folder;
    std::vector<std::string> folders;
    for (const std::string shard : {"1/3", "2/3", "3/3"}) {
        folders.push_back(folder.file("shard-" + shard.substr(0, 1)));
        const Outcome outcome =
            run(folder, {"campaign", folder.file("c.yaml"), "-o", folders.back(), "--shard", shard});
        require_done(outcome);
        CHECK_THAT(outcome.output, Contains(shard == "1/3" ? "6 runs made" : "5 runs made"));
        CHECK(!fs::exists(folders.back() + "/results.csv"));
    }
    const std::string merged = folder.file("merged");
    const Outcome outcome = run(folder, {"campaign", "merge", folders[0], folders[1], folders[2], "-o", merged});
    CHECK(outcome.status == 0);
    CHECK(outcome.output == merged + "/results.csv: 16 runs\n");
    CHECK(contents(merged + "/results.csv") == whole.results());

    check_refused(run(folder, {"campaign", "merge", folders[0], folders[2], "-o", merged}), 1,
                  "5 of 16 runs are in none of the folders, the first: runs/lublin");

    std::string with_another_seed = sixteen_runs;
    with_another_seed.replace(with_another_seed.find("1..2"), 4, "[1, 3]");
    const std::string other = folder.file("other");
    require_done(run(folder, {"campaign", folder.write("other.yaml", with_another_seed), "-o", other}));
    check_refused(run(folder, {"campaign", "merge", folders[0], other, "-o", merged}), 1, "is of another campaign");
}

TEST_CASE("Shards of a campaign may share one folder, at the same time") {
    const CampaignFolder whole;
    require_done(whole.run(sixteen_runs));
    const Folder& folder = whole.folder;
    const std::string shared = folder.file("shared");
    {
        Process first(folder, {"campaign", folder.file("c.yaml"), "-o", shared, "--shard", "1/2"});
        Process second(folder, {"campaign", folder.file("c.yaml"), "-o", shared, "--shard", "2/2"});
        CHECK(first.wait() == 0);
        CHECK(second.wait() == 0);
    }
    require_done(run(folder, {"campaign", "merge", shared, "-o", shared}));
    CHECK(contents(shared + "/results.csv") == whole.results());
}

TEST_CASE("Processes that begin a campaign in one folder at the same time make its workloads once") {
    const CampaignFolder campaign;
    const std::string text =
        "workloads: [{generate: lublin, jobs: 5, processors: 8, sweep: {seed: 1..40}}]\nschedulers: [fcfs]\n";
    const std::string path = campaign.folder.write("c.yaml", text);
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
    campaign.folder.write("out/workloads/x/notes.txt", "mine");
    campaign.folder.write("out/workloads/.lock", "");
    check_untouched(text, "notes.txt");
    fs::remove(campaign.in("workloads/x/notes.txt"));
    CHECK_THAT(campaign.run(text).output, Contains("1 run made"));

    // A foreign file beside the campaign's files is harmless until the workload must be rebuilt.
    campaign.folder.write("out/workloads/x/notes.txt", "mine");
    CHECK_THAT(campaign.run(text).output, Contains("0 runs made, 1 up to date"));
    check_untouched(other, "notes.txt");
    fs::remove(campaign.in("workloads/x/notes.txt"));

    // The campaign neither trusts nor removes an edited or truncated workload.
    const std::string workload = campaign.in("workloads/x/x.json");
    const std::string as_made = contents(workload);
    std::string edited = as_made;
    edited.replace(edited.find("\"subtime\":"), 10, "\"subtime\":1");
    campaign.folder.write("out/workloads/x/x.json", edited);
    check_untouched(text, "x.json");
    check_untouched(other, "x.json");
    campaign.folder.write("out/workloads/x/x.json", as_made);
    CHECK_THAT(campaign.run(text).output, Contains("0 runs made, 1 up to date"));
    const std::string list = contents(campaign.in("workloads/x/made.txt"));
    campaign.folder.write("out/workloads/x/made.txt", list.substr(0, list.find("file x.json")));
    fs::remove(workload);
    check_untouched(text, "made.txt");
    campaign.folder.write("out/workloads/x/made.txt", list);

    // It replaces its own files, also after a kill halfway.
    CHECK_THAT(campaign.run(text).output, Contains("x: 1 workload") && Contains("0 runs made, 1 up to date"));
    CHECK_THAT(campaign.run(other).output, Contains("x: 1 workload") && Contains("1 run made"));
}

TEST_CASE("A campaign does not believe results and schedules that were cut or edited") {
    const CampaignFolder campaign;
    const std::string text =
        "workloads: [{generate: lublin, jobs: 20, processors: 8, seed: 1}]\nschedulers: [fcfs, easy]\nschedules: true\n";
    require_done(campaign.run(text));
    const auto files = campaign.files(".");
    const auto check_made_anew = [&](const std::string& name, const std::string& changed) {
        INFO(name << ": " << changed);
        campaign.folder.write("out/" + name, changed);
        const Outcome outcome = campaign.run(text);
        CHECK(notes_few_workloads(outcome.errors));
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
    campaign.folder.write("out/" + result, edited);
    check_refused(run(campaign.folder, {"campaign", "merge", campaign.out, "-o", campaign.out}), 1,
                  "1 of 2 runs are in none of the folders, the first: runs/lublin/own/easy");
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
        require_done(campaign.run(text(jobs, schedulers, "reports: true\n")));
        CHECK(contents(page) == now);
        CHECK_THAT(campaign.run(text(jobs, schedulers, "reports: true\n")).output, !Contains(page));
    };
    require_done(campaign.run(text("20", "fcfs, easy", "reports: true\n")));
    check_page("20", "fcfs, easy");
    // One scheduler less: no replay is needed.
    CHECK_THAT(campaign.run(text("20", "easy", "reports: true\n")).output, Contains("0 runs made") && Contains(page));
    check_page("20", "easy");
    // Runs without pages, as left by a campaign that was killed between them.
    CHECK_THAT(campaign.run(text("25", "easy", "")).output, Contains("1 run made") && !Contains(page));
    CHECK_THAT(campaign.run(text("25", "easy", "reports: true\n")).output, Contains("0 runs made") && Contains(page));
    check_page("25", "easy");
    const std::string whole = contents(page);
    campaign.folder.write("out/reports/x/own.html", whole.substr(0, whole.size() / 2));
    CHECK_THAT(campaign.run(text("25", "easy", "reports: true\n")).output, Contains("0 runs made") && Contains(page));
    CHECK(contents(page) == whole);
}

}  // namespace batfill::tests::campaign_resumed_test
