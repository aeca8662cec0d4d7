#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/campaign_folder.hpp"

namespace batfill::tests::campaign_refused_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
namespace fs = std::filesystem;

TEST_CASE("A campaign refuses a workload that has the name of a period of another") {
    const CampaignFolder campaign;
    campaign.folder.write("A.swf", log_of_three_weeks());
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

TEST_CASE("A campaign file that cannot be used is refused with its line") {
    const CampaignFolder campaign;
    const auto check = [&](const std::string& text, const std::string& message) {
        check_refused(campaign.run(text), 1, "c.yaml:" + message);
    };
    const std::string lublin = "workloads:\n  - generate: lublin\n    jobs: 10\n    processors: 4\n    seed: 1\n";
    check("workloads: [}", "1: ");
    check("- 1\n", "1: expected a map with workloads and schedulers");
    check("workload: 3\n", "1: unknown key 'workload', did you mean 'workloads'?");
    check("schedulers: [fcfs]\n", "1: workloads: expected a list with an entry or more");
    check("workloads: [{seed: 1}]\nschedulers: [fcfs]\n",
          "1: expected one of log, import, workload and generate, found none");
    check("workloads: [{log: a, generate: b}]\n",
          "1: expected one of log, import, workload and generate, found log and");
    check("workloads: [{generate: lubin}]\n", "1: unknown model 'lubin', did you mean 'lublin'?");
    check(lublin + "schedulers: [fcsf]\n", "6: unknown algorithm 'fcsf', did you mean 'fcfs'?");
    check(lublin + "schedulers:\n  - fcfs\n  - {algorithm: easy, order: x}\n", "8: parameter order: unknown value 'x'");
    check(lublin + "schedulers: [easy, easy]\n", "6: there is a scheduler easy already");
    check(lublin + "schedulers: [{algorithm: dbf, name: a_broken}, {algorithm: dbf, name: a}]\n",
          "6: the schedulers a and a_broken would share the file a_broken_guarantees.csv");
    check(lublin + "schedulers: [{algorithm: easy, order: saf, sweep: {order: [spf]}}]\n",
          "6: sweep: order has a value already");
    check(lublin + "machines: [4, own, own]\nschedulers: [easy]\n", "6: there is a machine own already");
    check(lublin + "machines: [{platform: 4, pools: 3}]\nschedulers: [easy]\n",
          "6: pools: expected options and their values, as in pools: {NAME: VALUE}, found 3");
    check(lublin + "machines: [{pools: {power: -3}}]\nschedulers: [easy]\n",
          "6: expected NAME=TOTAL with a whole number from 0 to 10^18, found 'power=-3'");
    check(lublin + "machines: [{pools: [bb]}]\nschedulers: [easy]\n", "6: pools: expected options and their values");
    check(lublin + "machines: [{capacity: {gpus: [4, 8]}}]\nschedulers: [easy]\n",
          "6: capacity: gpus has several values, expected one; for a machine of each value write capacity: {sweep: ");
    check(lublin + "machines: [{capacity: {gpus: 4}, sweep: {gpus: [4, 8]}}]\nschedulers: [easy]\n",
          "6: sweep: expected it inside of pools or capacity");
    check(lublin + "machines: [{capacity: {cores: 1.5}}]\nschedulers: [easy]\n", "6: the capacity");
    check(lublin + "machines: [{cores: 1}]\nschedulers: [easy]\n", "6: unknown key");
    check(lublin + "machines: [nosuch]\nschedulers: [easy]\n", "6: platform: there is no file 'nosuch'");
    check(lublin + "schedulers: [easy]\nreports: maybe\n", "7: reports: expected true or false");
    check(lublin + "schedulers: [easy]\nmeasure: {tau: 0}\n", "7: tau: expected a number of seconds from 0.000001");
    check(lublin + "    sweep: {load: []}\nschedulers: [easy]\n", "6: sweep: expected one to 100,000 combinations");
    check(lublin + "    sweep: {load: 2..1}\nschedulers: [easy]\n", "6: load: expected FIRST..LAST with FIRST at most");
    check(lublin + "    lod: 1\nschedulers: [easy]\n",
          "2: workload lublin: unknown option 'lod', did you mean 'load'?");
    check("workloads: [{log: nosuch.swf}]\nschedulers: [easy]\n", "1: workload nosuch: ");
    check_refused(run(campaign.folder, {"campaign"}), 2);
    check_refused(campaign.run(lublin + "schedulers: [easy]\n", {"--shard", "3/2"}), 2);
}

TEST_CASE("A campaign refuses windows that nobody can read, or a machine cannot have, before any run") {
    const CampaignFolder campaign;
    const std::string window = R"({"name": "w", "from": 1, "until": 2, )";
    campaign.folder.write("jobs.json", R"({"nb_res": 4, "profiles": {"p": {"type": "delay", "delay": 1}}, "jobs": [
        {"id": "1", "subtime": 0, "res": 1, "walltime": 2, "profile": "p"}]})");
    campaign.folder.write("good.jsonl", window + "\"processors\": 4}");
    campaign.folder.write("bad.jsonl", window + "\"processors\": -1}");
    campaign.folder.write("large.jsonl", window + "\"hosts\": \"3-4\"}");
    const auto check = [&](const std::string& machine, const std::string& problem) {
        const Outcome outcome =
            campaign.run("workloads: [{workload: jobs.json}]\nmachines:\n  - " + machine + "\nschedulers: [fcfs]\n");
        CHECK(outcome.status == 1);
        CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
        CHECK_THAT(outcome.errors, Contains("c.yaml:3: ") && Contains(problem));
        CHECK(!fs::exists(campaign.in("runs")));
    };
    check("{platform: 4, windows: nosuch.jsonl}", "machine 4: " + campaign.folder.file("nosuch.jsonl") + ": ");
    check("{platform: 4, windows: bad.jsonl}", "machine 4: " + campaign.folder.file("bad.jsonl") + ":1: field");
    check("{windows: [good.jsonl, bad.jsonl]}", "machine own,windows=bad.jsonl: ");
    check("{windows: [good.jsonl, good.jsonl]}", "there is a machine own,windows=good.jsonl already");
    check("{windows: large.jsonl}", "large.jsonl:1: field \"hosts\": it takes host 4, the last of the machine is 3");
    check("{windows: []}", "windows: expected a list with an entry or more");
    check("{windows: {from: 3}}", "expected a file of windows, or none, found a map");
}

TEST_CASE("A campaign writes over none of its inputs, and no file for two workloads") {
    const CampaignFolder campaign;
    const std::string log = log_of_three_weeks();
    campaign.folder.write("a.swf", log);
    campaign.folder.write("b.swf", log);
    const auto check = [&](const std::string& workloads, const std::string& message) {
        const Outcome outcome = campaign.run("workloads:\n" + workloads + "schedulers: [fcfs]\n");
        check_refused(outcome, 1);
        CHECK_THAT(outcome.errors, Contains(message));
    };
    check("  - {log: a.swf, schedule: s.csv}\n  - {log: b.swf, schedule: ./s.csv}\n",
          "c.yaml:3: another workload writes " + campaign.folder.file("./s.csv") + " already: expected another file\n");
    check("  - {log: a.swf, schedule: s.csv}\n  - {log: b.swf, header: s.csv}\n", "c.yaml:3: another workload writes ");
    check("  - {log: a.swf}\n  - {log: b.swf, header: a.swf}\n",
          "c.yaml:3: would write over the input " + campaign.folder.file("a.swf") + ": expected another file\n");
    check("  - {log: a.swf, schedule: c.yaml}\n", "c.yaml:2: would write over the input ");
    CHECK(contents(campaign.folder.file("a.swf")) == log);

    // A sweep writes the same log's header again and again.
    CHECK(campaign
              .run("workloads: [{log: a.swf, header: h.txt, sweep: {short-estimates: [cut, raise]}}]\n"
                   "schedulers: [fcfs]\n")
              .status == 0);

    fs::create_directories(campaign.folder.file("mine"));
    for (const std::string name : {"mine/manifest.json", "mine/results.csv"}) {
        const std::string text = "workloads: [{log: ../a.swf}]\nschedulers: [fcfs]\n";
        const std::string path = campaign.folder.write(name, text);
        const Outcome outcome = run(campaign.folder, {"campaign", path, "-o", campaign.folder.file("mine")});
        check_refused(outcome, 2);
        CHECK_THAT(outcome.errors,
                   EndsWith(": the campaign would write over its own file, expected another folder (-o)\n"));
        CHECK(contents(path) == text);
    }
}

TEST_CASE("A campaign copies no workload with an id that Batsim 4 cannot load, unless it is for Batsim 5") {
    const CampaignFolder campaign;
    const auto write = [&](const std::string& type) {
        campaign.folder.write("a.json",
                              R"({"nb_res":1,"profiles":{"p":{"type":")" + type +
                                  R"(","delay":1}},"jobs":[{"id":"1,2","subtime":0,"res":1,"profile":"p"}]})");
    };
    const std::string text = "workloads: [{workload: a.json}]\nschedulers: [{algorithm: easy, default-walltime: 9}]\n";
    write("delay");
    check_refused(campaign.run(text), 1, "c.yaml:1: workload a: job \"w0!1,2\": its id has \",\", expected none of");
    write("DelayProfile");
    require_done(campaign.run(text));
}

TEST_CASE("A campaign that would never end, or is not what it seems, is refused before anything is multiplied out") {
    const CampaignFolder campaign;
    const auto check = [&](const std::string& text, const std::string& message) {
        INFO(text.substr(0, 300));
        check_refused(campaign.run(text), 1, "c.yaml:" + message);
        CHECK(!fs::exists(campaign.out));
    };
    const std::string lublin = "workloads:\n  - generate: lublin\n    jobs: 10\n    processors: 4\n";
    const auto swept = [&](const std::string& sweep) {
        return lublin + "    sweep: " + sweep + "\nschedulers: [fcfs]\n";
    };
    check(swept("{seed: &s [1, *s]}"), "5: expected no alias inside of what it names\n");
    check(lublin + "    <<: 3\nschedulers: [fcfs]\n", "5: <<: expected a map or a list of maps, as in <<: *base\n");
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
    const std::string path = campaign.folder.write("c.yaml",
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
    require_done(run(campaign.folder, {"campaign", path, "-o", campaign.out}));
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
    require_done(dry);
    const std::string beginning = "# " + campaign.out + ": 6 runs, about ";
    CHECK_THAT(dry.output, Contains(beginning));
    const double estimate = std::stod(dry.output.substr(dry.output.find(beginning) + beginning.size()));
    const std::string line = dry.output.substr(dry.output.find("# ") + 2);
    const std::string said = line.substr(0, line.find('\n') + 1);
    CHECK_THAT(said, EndsWith(" MB on disk\n"));

    const Outcome outcome = campaign.run(text);
    require_done(outcome);
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
    campaign.folder.write("three.swf", log_of_three_weeks());
    const auto check = [&](const std::string& workload, const std::string& message) {
        const Outcome outcome = campaign.run("workloads:\n  - " + workload + "\nschedulers: [fcfs]\n");
        CHECK(outcome.status == 1);
        CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
        CHECK_THAT(outcome.errors, Contains("c.yaml:2: workload " + message));
    };
    check("{log: three.swf, spli: 7}", "three: unknown option 'spli', did you mean 'split'?");
    check("{log: three.swf, spl: 7}", "three: unknown option 'spl', did you mean 'split'?");
    check("{log: three.swf, s: 7}", "three: unknown option 's', known: count-from");
    check("{generate: lublin, jobs: 9, proc: 8, seed: 1}", "lublin: unknown option 'proc', did you mean 'processors'?");
    check("{log: three.swf, deadlines: {shar: 0.5, seed: 1}}",
          "three: deadlines: unknown option 'shar', did you mean 'share'?");
    check("{log: three.swf, name: x, failures: {mtb: 9, mttr: 9, seed: 1}}",
          "x: failures: unknown option 'mtb', did you mean 'mtbf'?");
    // The machine gives these.
    for (const std::string key : {"processors", "platform", "master-host"}) {
        check("{log: three.swf, failures: {" + key + ": 4, mtbf: 9, mttr: 9, seed: 1}}",
              "three: failures: unknown option '" + key + "', known: distribution, group, mtbf, mttr, ");
    }
}

TEST_CASE("A campaign does not let processors fail under an algorithm that does not know it") {
    const CampaignFolder campaign;
    const Outcome outcome = campaign.run(
        "workloads:\n  - {generate: lublin, jobs: 9, processors: 8, seed: 1, failures: {mtbf: 9, mttr: 9, seed: 1}}\n"
        "schedulers: [fcfs, slurm]\n");
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.errors, Contains("c.yaml: scheduler slurm: it does not know external events, expected workloads "
                                        "without failures\n"));
}

TEST_CASE("A campaign makes something of all options: it refuses --help") {
    const CampaignFolder campaign;
    campaign.folder.write("three.swf", log_of_three_weeks());
    for (const char* const workload :
         {"{log: three.swf, help: true}", "{log: three.swf, deadlines: {share: 0.5, seed: 1, help: true}}",
          "{log: three.swf, failures: {help: true}}"}) {
        const Outcome outcome = campaign.run(std::string("workloads:\n  - ") + workload + "\nschedulers: [fcfs]\n");
        CHECK(outcome.status == 1);
        CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
        CHECK_THAT(outcome.errors, Contains("c.yaml:2: workload three: ") && Contains("unknown option 'help'"));
    }
}

}  // namespace batfill::tests::campaign_refused_test
