#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <rapidjson/document.h>

#include "tests/command_line/two_runs.hpp"
#include "tests/support/unpacked.hpp"

namespace batfill::tests::report_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

struct Inputs : TwoRuns {
    std::string page = folder.file("page.html");

    Outcome report(const Arguments& more) const { return run(folder, with({"report", "-o", page}, more)); }
    // Checks that nothing was written, not even under a temporary name.
    void check_nothing_written() const {
        for (const auto& entry : std::filesystem::directory_iterator(folder.file("."))) {
            CHECK_THAT(entry.path().filename().string(), !Contains("page"));
        }
    }
};

// The data in a page.
rapidjson::Document data_of(const std::string& page) {
    const std::string text = contents(page);
    const std::string begin = "id=\"data\">";
    const std::size_t from = text.find(begin) + begin.size();
    rapidjson::Document data;
    data.Parse(text.substr(from, text.find("</script>", from) - from));
    REQUIRE(!data.HasParseError());
    return data;
}

// The value of a metric in a run, or its difference to the baseline.
std::string metric(const rapidjson::Document& data, const std::string& name, unsigned run, const char* of = "texts") {
    for (const auto& each : data["metrics"].GetArray()) {
        if (each["name"].GetString() == name) {
            return each[of][run].GetString();
        }
    }
    return "";
}

}  // namespace

TEST_CASE("report draws a run on one page that needs no other file") {
    const Inputs inputs;
    const Outcome outcome = inputs.report({inputs.easy, "-p", "4"});
    CHECK(outcome.status == 0);
    CHECK(outcome.output == inputs.page + ": 1 run\n");
    CHECK(outcome.errors.empty());
    const std::string text = contents(inputs.page);
    CHECK_THAT(text, StartsWith("<!DOCTYPE html>") && Contains("<title>easy</title>"));
    CHECK_THAT(text, !Contains("<link") && !Contains("<img") && !Contains(" src="));
    const rapidjson::Document data = data_of(inputs.page);
    CHECK(data["processors"].GetInt() == 4);
    CHECK(data["processors_known"].GetBool());
    REQUIRE(data["runs"].Size() == 1);
    CHECK(data["runs"][0]["jobs"]["count"].GetInt() == 3);
    CHECK(metric(data, "mean_wait", 0) == "3.0");
    CHECK_THAT(data["command"].GetString(), StartsWith("batfill report -o ") && Contains(" -p 4"));
    REQUIRE(data["files"].Size() >= 2);
    CHECK(data["files"][0]["path"].GetString() == inputs.easy + "_jobs.csv");
    for (const auto& each : data["files"].GetArray()) {
        CHECK(each["bytes"].GetUint64() == std::filesystem::file_size(each["path"].GetString()));
        CHECK(each["sha256"].GetStringLength() == 64);
    }
}

TEST_CASE("the same runs give the same page") {
    const Inputs inputs;
    require_done(inputs.report({inputs.easy, inputs.fcfs, "-w", inputs.workload}));
    const std::string first = contents(inputs.page);
    require_done(inputs.report({inputs.easy, inputs.fcfs, "-w", inputs.workload}));
    CHECK(contents(inputs.page) == first);
}

TEST_CASE("report compares runs with the first one, or with the baseline") {
    const Inputs inputs;
    require_done(inputs.report({inputs.easy, inputs.fcfs}));
    const rapidjson::Document first = data_of(inputs.page);
    CHECK(first["title"].GetString() == std::string("easy, fcfs"));
    CHECK(first["baseline"].GetInt() == 0);
    CHECK(metric(first, "mean_wait", 1) == "9.0");
    CHECK(metric(first, "mean_wait", 1, "differences") == "+200.0 %");
    CHECK(inputs.report({inputs.easy, "--baseline", inputs.fcfs, "--title", "Two"}).output ==
          inputs.page + ": 2 runs\n");
    const rapidjson::Document added = data_of(inputs.page);
    CHECK(added["title"].GetString() == std::string("Two"));
    CHECK(added["runs"][0]["label"].GetString() == std::string("fcfs"));
    CHECK(metric(added, "mean_wait", 1, "differences") == "-66.7 %");
    require_done(inputs.report({inputs.easy, inputs.fcfs, "--baseline", inputs.fcfs}));
    const rapidjson::Document second = data_of(inputs.page);
    CHECK(second["baseline"].GetInt() == 1);
    CHECK(metric(second, "mean_wait", 0, "differences") == "-66.7 %");
    CHECK(inputs.report({inputs.easy, inputs.fcfs, "--baseline", inputs.fcfs + "_jobs.csv"}).output ==
          inputs.page + ": 2 runs\n");
    CHECK(data_of(inputs.page)["baseline"].GetInt() == 1);
}

TEST_CASE("The first screen of a page says which run is better, and which job and user that depends on") {
    const Inputs inputs;
    require_done(inputs.report({inputs.easy, inputs.fcfs, "-w", inputs.workload}));
    const rapidjson::Document two = data_of(inputs.page);
    CHECK(two["first_screen"]["verdict"].GetString() ==
          std::string("easy has the least mean wait, 66.7 % less than fcfs; measured once: nothing is said about "
                      "chance."));
    CHECK(two["first_screen"]["decisive_job"]["share"].GetDouble() == 1);
    CHECK(two["first_screen"]["decisive_job"]["id"].GetString() == std::string("2"));
    CHECK_FALSE(two["first_screen"].HasMember("starved_user"));
    require_done(inputs.report({inputs.easy}));
    CHECK(data_of(inputs.page)["first_screen"]["verdict"].GetString() == std::string());

    // Of 20 jobs, that of cy waits 1000 s in one run.
    std::string workload = R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)";
    const std::string head =
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
        "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,allocated_resources\n";
    const auto written = [&](const std::string& name, int wait) {
        std::string jobs = head;
        for (int i = 0; i < 20; ++i) {
            const int own = i == 7 ? wait : 1;
            jobs += std::to_string(i) + ",w0,p,0,1,30,1,COMPLETED_SUCCESSFULLY," + std::to_string(own) + ",10," +
                    std::to_string(own + 10) + ',' + std::to_string(own) + ',' + std::to_string(own + 10) + ",0\n";
        }
        return inputs.folder.write(name, jobs);
    };
    for (int i = 0; i < 20; ++i) {
        workload += std::string(i == 0 ? "" : ",") + R"({"id":")" + std::to_string(i) +
                    R"(","subtime":0,"res":1,"walltime":30,"profile":"p")" + (i == 7 ? R"(,"user":"cy"})" : "}");
    }
    workload = inputs.folder.write("u.json", workload + "]}");
    const std::string less = written("less_jobs.csv", 5);
    const std::string more = written("more_jobs.csv", 1000);
    require_done(inputs.report({more, less, "-w", workload, "--baseline", less}));
    const rapidjson::Document starved = data_of(inputs.page);
    const rapidjson::Value& user = starved["first_screen"]["starved_user"];
    CHECK(user["name"].GetString() == std::string("cy"));
    CHECK(user["run"].GetInt() == 0);
    CHECK(user["mean_wait"].GetDouble() == 1000);
    CHECK(user["times"].GetDouble() == Approx(1000 / (1019 / 20.0)));
    CHECK(user["other_run"].GetInt() == 1);
    CHECK(user["other_mean_wait"].GetDouble() == 5);
    CHECK(starved["first_screen"]["decisive_job"]["id"].GetString() == std::string("7"));
    CHECK(starved["first_screen"]["metrics"][0]["differences"][0].GetString() == std::string("+4145.8 %"));
    // Nobody knows the users without the workload.
    require_done(inputs.report({more, less}));
    CHECK_FALSE(data_of(inputs.page)["first_screen"].HasMember("starved_user"));
}

TEST_CASE("report takes the machine as metrics does") {
    const Inputs inputs;
    const std::string platform = inputs.folder.file("four.xml");
    require_done(run(inputs.folder, {"platform", "--hosts", "4", "-o", platform}));
    for (const Arguments& machine : {Arguments{"-p", "4"}, {"-p", platform}, {"--processors", "4"}}) {
        require_done(inputs.report({inputs.easy, machine[0], machine[1]}));
        CHECK(metric(data_of(inputs.page), "utilisation", 0) == "96.25 %");
    }
    require_done(inputs.report({inputs.easy, "-p", "hpc2n"}));
    const rapidjson::Document larger = data_of(inputs.page);
    CHECK(larger["processors"].GetInt() == 240);
    // The platform's file is one of the sources.
    const auto files = larger["files"].GetArray();
    CHECK(std::any_of(files.begin(), files.end(),
                      [](const auto& each) { return std::string(each["path"].GetString()).ends_with("hpc2n.xml"); }));
    check_refused(inputs.report({inputs.easy, "-p", "4", "--processors", "4"}), 2);
}

TEST_CASE("report shows the windows of the machine, and knows nothing of them without") {
    const Inputs inputs;
    require_done(inputs.report({inputs.easy, "-p", "4"}));
    CHECK_THAT(contents(inputs.page), !Contains("machineWindows"));
    CHECK_FALSE(data_of(inputs.page).HasMember("windows"));
    const std::string file =
        inputs.folder.write("calendar.jsonl", R"({"name": "</script>", "from": 5, "until": 10, "hosts": "0 2-3"}
{"name": "cut", "from": 5.5, "until": 30, "pools": {"power": 3}, "for": ["course"]}
{"name": "later", "from": 20, "until": 30, "hosts": "all"})");
    require_done(inputs.report({inputs.easy, "-p", "4", "--pool", "power=9", "--windows", file}));
    CHECK_THAT(contents(inputs.page), Contains("machineWindows"));
    const rapidjson::Document data = data_of(inputs.page);
    const rapidjson::Value& windows = data["windows"];
    REQUIRE(windows.Size() == 2);
    CHECK(windows[0]["name"].GetString() == std::string("</script>"));
    CHECK(windows[0]["from"].GetInt() * data["seconds_per_tick"].GetDouble() == 5);
    CHECK(windows[0]["until"].GetInt() * data["seconds_per_tick"].GetDouble() == 10);
    CHECK(windows[0]["takes"].GetString() == std::string("processors 0 2-3"));
    CHECK(windows[0]["intervals"].Size() == 4);
    CHECK(windows[0]["intervals"][3].GetInt() == 3);
    CHECK(windows[1]["takes"].GetString() == std::string("power 3"));
    CHECK(windows[1]["for"][0].GetString() == std::string("course"));
    CHECK(windows[1]["intervals"].Size() == 0);
    const auto files = data["files"].GetArray();
    CHECK(std::any_of(files.begin(), files.end(), [&](const auto& each) { return each["path"].GetString() == file; }));
    check_refused(inputs.report({inputs.easy, "--windows", file}), 2);
}

TEST_CASE("report knows no machine if nobody says it") {
    const Inputs inputs;
    require_done(inputs.report({inputs.easy}));
    const rapidjson::Document data = data_of(inputs.page);
    CHECK(data["processors"].GetInt() == 4);
    CHECK(!data["processors_known"].GetBool());
    CHECK(metric(data, "utilisation", 0).empty());
}

TEST_CASE("report reads users from the workload, and what the algorithm counted and guaranteed from beside the jobs") {
    const Inputs inputs;
    require_done(inputs.report({inputs.easy}));
    CHECK(data_of(inputs.page)["users"].Empty());
    require_done(inputs.report({inputs.easy, inputs.simulated("conservative"), "-w", inputs.workload}));
    const rapidjson::Document data = data_of(inputs.page);
    REQUIRE(data["users"].Size() == 2);
    CHECK(data["users"][0].GetString() == std::string("bob"));
    CHECK(data["queues"].Empty());
    const auto& users = data["runs"][0]["users"];
    REQUIRE(users.Size() == 2);
    CHECK(users[0]["mean_wait"].GetDouble() == 9);
    CHECK(users[1]["jobs"].GetInt() == 2);
    CHECK(users[1]["processor_seconds"].GetDouble() == 37);
    // By start: Ann's, Ann's, Bob's.
    CHECK(unpacked(data["runs"][0]["jobs"]["user"].GetString()) == std::string("\1\1\0", 3));
    CHECK(!data["runs"][0].HasMember("guarantees"));
    const auto& conservative = data["runs"][1];
    CHECK(conservative["guarantees"]["given"].GetInt() == 3);
    CHECK(conservative["guarantees"]["kept"].GetInt() == 3);
    const std::string statistics = contents(inputs.folder.file("conservative_statistics.csv"));
    REQUIRE(!conservative["statistics"].Empty());
    for (const auto& pair : conservative["statistics"].GetArray()) {
        CHECK_THAT(statistics, Contains(std::string("\n") + pair[0].GetString() + "," + pair[1].GetString() + "\n"));
    }
    inputs.folder.write("conservative_statistics.csv", "statistic,value\nmoves\n");
    check_refused(inputs.report({inputs.folder.file("conservative")}), 1,
                  "conservative_statistics.csv:2: expected a statistic and its value");
}

TEST_CASE("report refuses what it cannot draw with one line, and leaves no page") {
    const Inputs inputs;
    check_refused(inputs.report({inputs.folder.file("none")}), 1, "none_jobs.csv");
    check_refused(inputs.report({inputs.easy, "-p", "2"}), 1, "the machine has 2: expected the platform of the run");
    const std::string other =
        inputs.folder.write("other.json", R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                          R"({"id":"9","subtime":0,"res":3,"walltime":30,"profile":"p"}]})");
    check_refused(inputs.report({inputs.easy, "-w", other}), 1, "is in none of the workloads");
    inputs.folder.write("broken_jobs.csv", "job_id,submission_time\n1,never\n");
    check_refused(inputs.report({inputs.folder.file("broken")}), 1);
    inputs.folder.write("short_jobs.csv", contents(inputs.easy + "_jobs.csv"));
    inputs.folder.write("short_schedule.csv", "makespan,nb_jobs\n1\n");
    check_refused(inputs.report({inputs.folder.file("short")}), 1, "short_schedule.csv:2: expected 2 values");
    check_refused(inputs.report({}), 2);
    check_refused(inputs.report({inputs.easy, "--baseline", inputs.folder.file("none")}), 1);
    check_refused(inputs.report({inputs.easy, "-w", inputs.folder.file("none.json")}), 1);
    check_refused(inputs.report({inputs.easy, "--tau", "0"}), 2);
    check_refused(inputs.report({inputs.easy, "--processors", "0"}), 2);
    check_refused(inputs.report({inputs.easy, "-p", "hpc2m"}), 2);
    check_refused(inputs.report({inputs.easy, "--colours", "all"}), 2);
    inputs.check_nothing_written();
    for (const std::string& input : {inputs.easy + "_jobs.csv", inputs.workload}) {
        const std::string copy = inputs.folder.file("copy.html");
        std::filesystem::copy_file(input, copy, std::filesystem::copy_options::overwrite_existing);
        const Outcome over =
            run(inputs.folder, input == inputs.workload ? Arguments{"report", inputs.easy, "-w", copy, "-o", copy}
                                                        : Arguments{"report", copy, "-o", copy});
        check_refused(over, 2);
        CHECK_THAT(over.errors, Contains("--output: would write over the input " + copy + ", expected another name"));
        CHECK(contents(copy) == contents(input));
    }
    const Outcome folder = run(inputs.folder, {"report", inputs.easy, "-o", inputs.folder.file("none/page.html")});
    check_refused(folder, 1);
    CHECK_THAT(folder.errors, Contains("none does not exist"));
    CHECK(!std::filesystem::exists(inputs.folder.file("none")));
    check_refused(run(inputs.folder, {"report", inputs.easy}), 2);
}

TEST_CASE("report draws a run without jobs") {
    const Inputs inputs;
    const std::string jobs = contents(inputs.easy + "_jobs.csv");
    inputs.folder.write("empty_jobs.csv", jobs.substr(0, jobs.find('\n') + 1));
    const Outcome outcome = inputs.report({inputs.folder.file("empty"), "-w", inputs.workload, "-p", "4"});
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    CHECK(data_of(inputs.page)["runs"][0]["jobs"]["count"].GetInt() == 0);
}

TEST_CASE("report is in the help, and is what a slip of its name means") {
    const Folder folder;
    const Outcome help = run(folder, {"help", "report"});
    CHECK(help.status == 0);
    CHECK_THAT(help.output, StartsWith("Usage: batfill report PREFIX... -o FILE.html"));
    CHECK(help.output == run(folder, {"report", "--help"}).output);
    CHECK_THAT(run(folder, {"--help"}).output, Contains("report"));
    CHECK_THAT(run(folder, {"reprot"}).errors, Contains("did you mean 'report'?"));
}

TEST_CASE("report refuses a name that says the page is something else") {
    const Inputs inputs;
    check_refused(run(inputs.folder, {"report", inputs.easy, "-o", inputs.folder.file("page.pdf")}), 2,
                  "expected a name that ends in .html");
    inputs.check_nothing_written();
}

TEST_CASE("Changes of waits are those of the jobs that both runs finished, each in one class") {
    const Inputs inputs;
    const std::string head =
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
        "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,allocated_resources\n";
    // Job 1 is cut short in the second run, which rejects job 3.
    const std::string first =
        inputs.folder.write("a_jobs.csv", head +
                                              "1,w0,p,0,3,30,1,COMPLETED_SUCCESSFULLY,0,70,70,0,70,0-2\n"
                                              "2,w0,p,1,4,30,1,COMPLETED_SUCCESSFULLY,71,10,81,70,80,0-3\n"
                                              "3,w0,p,2,1,7,1,COMPLETED_SUCCESSFULLY,2,7,9,0,7,3\n");
    const std::string second =
        inputs.folder.write("b_jobs.csv", head +
                                              "1,w0,p,0,3,30,0,COMPLETED_WALLTIME_REACHED,0,30,30,0,30,0-2\n"
                                              "2,w0,p,1,4,30,1,COMPLETED_SUCCESSFULLY,31,10,41,30,40,0-3\n"
                                              "3,w0,p,2,1,7,0,REJECTED,,,,,,\n");
    std::string workload = contents(inputs.workload);
    workload.replace(workload.find(R"("user":"bob")"), 12, R"("user":-1)");
    require_done(inputs.report({first, second, "-w", inputs.folder.write("u.json", workload)}));
    const rapidjson::Document data = data_of(inputs.page);
    CHECK(data["first_screen"]["jobs"].GetInt() == 2);
    CHECK(data["first_screen"]["left_out"].GetInt() == 1);
    CHECK(data["first_screen"]["metrics"][0]["values"][0].GetDouble() == 35);
    CHECK_FALSE(data["runs"][0].HasMember("changes"));
    const rapidjson::Value& changes = data["runs"][1]["changes"];
    CHECK(changes["jobs"].GetInt() == 2);
    CHECK(changes["left_out"].GetInt() == 1);
    CHECK(changes["jobs_without_user"].GetInt() == 1);
    REQUIRE(changes["classes"].Size() == 2);
    CHECK(changes["classes"][0]["name"].GetString() == std::string("3-4"));
    CHECK(changes["classes"][0]["length"].GetInt() == 0);
    CHECK(changes["classes"][0]["change"].GetDouble() == -40);
    CHECK(changes["classes"][1]["length"].GetInt() == 1);
    CHECK(changes["classes"][1]["change"].GetDouble() == 0);
    REQUIRE(changes["users"].Size() == 1);
    CHECK(changes["users"][0]["name"].GetString() == std::string("ann"));
    CHECK(changes["users"][0]["jobs"].GetInt() == 1);
    CHECK(data["runs"][1]["classes"][1]["length"].GetInt() == 1);
}

TEST_CASE("Where jobs share hosts, a page names them and counts the time of their cores") {
    const Inputs inputs;
    const std::string workload = inputs.folder.write(
        "s.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":3600}},"jobs":[)"
                  R"({"id":"1","subtime":0,"res":1,"walltime":7200,"profile":"p","user":"ann","per_host":{"cores":3}},)"
                  R"({"id":"2","subtime":1,"res":2,"walltime":7200,"profile":"p","user":"ann","per_host":{"cores":1}},)"
                  R"({"id":"3","subtime":2,"res":1,"walltime":7200,"profile":"p","user":"bob"}]})");
    const std::string windows =
        inputs.folder.write("k.jsonl", R"({"name": "k", "from": 9000, "until": 9100, "hosts": "0-1"})");
    const std::string prefix = inputs.folder.file("shared");
    const Arguments machine{"-p", "2", "--capacity", "cores:4", "--windows", windows, "-w", workload};
    require_done(run(inputs.folder, with({"simulate", "-q", "-a", "fcfs", "-e", prefix}, machine)));
    require_done(inputs.report(with({prefix}, machine)));
    const rapidjson::Document data = data_of(inputs.page);
    CHECK(data["has_shared_hosts"].GetBool());
    CHECK(data["counts_cores"].GetBool());
    CHECK(unpacked(data["host_names"].GetString()) == R"(["host0","host1"])");
    REQUIRE(data["runs"][0]["users"].Size() == 2);
    CHECK(data["runs"][0]["users"][0]["processor_seconds"].GetDouble() == 5 * 3600);
    CHECK(data["runs"][0]["users"][1]["processor_seconds"].GetDouble() == 4 * 3600);
    CHECK(data["windows"][0]["takes"].GetString() == std::string("hosts host0 to host1"));
    // Without the workload, nobody knows what jobs take.
    require_done(inputs.report({prefix, "-p", "2", "--capacity", "cores:4"}));
    CHECK_FALSE(data_of(inputs.page)["counts_cores"].GetBool());
    require_done(inputs.report({inputs.easy, "-p", "4"}));
    CHECK_FALSE(data_of(inputs.page)["has_shared_hosts"].GetBool());
}

TEST_CASE("A page has metrics of deadlines only if a job has one") {
    const Inputs inputs;
    require_done(inputs.report({inputs.easy, inputs.fcfs, "-p", "4", "-w", inputs.workload}));
    const rapidjson::Document data = data_of(inputs.page);
    CHECK(metric(data, "mean_wait", 0) != "");
    CHECK(metric(data, "users", 0) == "2");
    for (const char* const name :
         {"deadline_jobs", "deadline_violations_short", "regular_jobs", "max_stretch_regular"}) {
        CHECK(metric(data, name, 0) == "");
    }
    std::string workload = contents(inputs.workload);
    workload.insert(workload.find(R"("res":4)"), R"("deadline":100,)");
    require_done(inputs.report({inputs.easy, "-w", inputs.folder.write("d.json", workload)}));
    CHECK(metric(data_of(inputs.page), "deadline_jobs", 0) == "1");
    CHECK(metric(data_of(inputs.page), "regular_jobs", 0) == "2");
}

}  // namespace batfill::tests::report_test
