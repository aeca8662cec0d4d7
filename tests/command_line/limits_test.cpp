#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/campaign_folder.hpp"
#include "tests/command_line/simulate_inputs.hpp"

// Limits of users, and queues of partitions.
namespace batfill::tests::limits_test {

using Catch::Matchers::Contains;

namespace {

// Four processors. Ann's second job waits for her first.
std::string write_workload(const Inputs& inputs) {
    return inputs.folder.write("owned.json",
                               R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                               R"({"id":"a","subtime":0,"res":2,"walltime":20,"profile":"p","user":"ann"},)"
                               R"({"id":"b","subtime":0,"res":1,"walltime":20,"profile":"p","user":"ann"},)"
                               R"({"id":"c","subtime":0,"res":1,"walltime":20,"profile":"p","user":"bob"}]})");
}

}  // namespace

TEST_CASE("simulate, compare and check know limits, and --explain names the one that holds a job") {
    const Inputs inputs;
    const std::string workload = write_workload(inputs);
    const std::string limits = inputs.folder.write("two.limits", R"({"of":"user","most":{"processors":2}})");
    const Arguments machine{"-p", "4", "--limits", limits};
    const Outcome simulated =
        run(inputs.folder,
            with({"simulate", "-q", "-w", workload, "-a", "easy", "-e", inputs.folder.file("out"), "--explain", "b"},
                 machine));
    CHECK(simulated.status == 0);
    CHECK_THAT(simulated.output, Contains("limit 1, user ann: 2 of 2 processors in use, as job a holds 2 until 20"));
    CHECK(start_of(inputs.jobs("out"), "b") == "10.000000");
    CHECK(start_of(inputs.jobs("out"), "c") == "0.000000");
    CHECK_THAT(contents(inputs.folder.file("out_explain.csv")), Contains("\nb,0.000000,limit,"));
    const Outcome checked = run(inputs.folder, with({"check", inputs.folder.file("out"), "-w", workload}, machine));
    CHECK(checked.status == 0);
    CHECK_THAT(checked.output, Contains("3 jobs, no violations"));
    const std::string one = inputs.folder.write("one.limits", R"({"of":"user","value":"ann","most":{"processors":1}})");
    const Outcome violated =
        run(inputs.folder, {"check", inputs.folder.file("out"), "-w", workload, "-p", "4", "--limits", one});
    CHECK(violated.status != 0);
    CHECK_THAT(violated.output, Contains("job w0!a: runs, though it asks for 2 processors, of which limit 1, user ann "
                                         "allows 1"));
    const Outcome compared = run(inputs.folder, with({"compare", "fcfs", "easy", workload}, machine));
    CHECK(compared.status == 0);
    // The only wait is that of b for the limit.
    const Arguments measured = with({"metrics", inputs.folder.file("out"), "-w", workload, "--format", "csv"}, machine);
    CHECK_THAT(run(inputs.folder, with(measured, {"--metrics", "mean_wait,limit_wait_share"})).output,
               Contains("run,mean_wait,limit_wait_share\n\"out\",3.3333333333333335,1\n"));
    CHECK_THAT(run(inputs.folder, with(measured, {"--by", "user"})).output,
               Contains(R"("ann",2,30,5,0,10,1.5,1,1)") && Contains("\"bob\",1,10,0,0,0,1,1,\n"));
    CHECK_THAT(run(inputs.folder, {"metrics", inputs.folder.file("out"), "-w", workload, "--by", "user"}).output,
               !Contains("waiting for limits"));
    require_done(run(
        inputs.folder,
        with({"report", inputs.folder.file("out"), "-w", workload, "-o", inputs.folder.file("page.html")}, machine)));
    CHECK_THAT(contents(inputs.folder.file("page.html")), Contains(R"("limit_wait_share":1)"));
    // The plan family notes guarantees that a limit has ended.
    require_done(
        run(inputs.folder,
            with({"simulate", "-q", "-w", workload, "-a", "conservative", "-e", inputs.folder.file("plan")}, machine)));
    CHECK_THAT(contents(inputs.folder.file("plan_broken_guarantees.csv")), Contains(",parked"));
    require_done(run(inputs.folder, with({"check", inputs.folder.file("plan"), "-w", workload, "--guarantees",
                                          inputs.folder.file("plan_guarantees.csv"), "--broken-guarantees",
                                          inputs.folder.file("plan_broken_guarantees.csv")},
                                         machine)));
}

TEST_CASE("a wrong file of limits is refused with its line, and one without limits is noted") {
    const Inputs inputs;
    const std::string workload = write_workload(inputs);
    const auto simulate = [&](const std::string& limits) {
        return run(inputs.folder, {"simulate", "-q", "-w", workload, "-a", "easy", "-e", inputs.folder.file("out"),
                                   "-p", "4", "--limits", inputs.folder.write("wrong.limits", limits)});
    };
    check_refused(simulate("\n{\"of\":\"user\"}"), 1, "wrong.limits:2: field \"most\": expected an object");
    check_refused(simulate(R"({"of":"user","most":{"gpus":1}})"), 1,
                  "wrong.limits:1: field \"most\": the machine has no gpus, expected jobs, processors");
    CHECK_FALSE(inputs.wrote("out"));
    const Outcome empty = simulate("\n");
    CHECK(empty.status == 0);
    CHECK_THAT(empty.errors, Contains("there is no limit in it, expected one on each line"));
    const std::string of_nobody =
        "{\"of\":\"user\",\"most\":{\"jobs\":1}}\n{\"of\":[\"user\",\"usr\"],\"most\":{\"jobs\":1}}\n";
    CHECK_THAT(simulate(of_nobody).errors,
               Contains("no job has the field usr, so ") && Contains("wrong.limits:2 limits nobody"));
    CHECK_THAT(simulate(of_nobody + "{\"of\":\"usr\",\"most\":{\"jobs\":1}}").errors,
               Contains("so 2 lines of limits, from ") && Contains("wrong.limits:2 on, limit nobody"));
    CHECK_THAT(simulate(R"({"of":"user","most":{"jobs":1}})").errors, !Contains("nobody"));
    check_refused(run(inputs.folder,
                      {"simulate", "-q", "-w", workload, "-a", "filler", "-e", inputs.folder.file("out"), "-p", "4",
                       "--limits", inputs.folder.write("right.limits", R"({"of":"user","most":{"jobs":1}})")}),
                  2, "algorithm filler: not for machines with pools, capacities, partitions, windows or limits");
}

TEST_CASE("import sacct makes a file of limits, without those of what no job has") {
    const Inputs inputs;
    const std::string qos = inputs.folder.write("qos.txt",
                                                "Name|MaxTRESPU|MaxJobsPU|MaxWall\n"
                                                "normal|cpu=64,gres/gpu:a100=4|20|1-00:00:00\n");
    const auto import = [&](const std::string& columns, const std::string& values) {
        const std::string log = inputs.folder.write(
            "sacct.txt", "JobID|User|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|AllocCPUS|NNodes|AllocTRES|State" +
                             columns + "\n1|ann|1700000000|1700000010|1700000020|00:00:10|00:01:00|8|8|1|" +
                             "cpu=8,gres/gpu=1|COMPLETED" + values + '\n');
        const Outcome imported =
            run(inputs.folder, {"import", "sacct", log, "--fields", "per-host", "-o", inputs.folder.file("jobs.json"),
                                "--limits", inputs.folder.file("site.limits"), "--qos-dump", qos});
        CHECK(imported.status == 0);
        return imported.output;
    };
    const std::string said = import("|QOS", "|normal");
    CHECK(contents(inputs.folder.file("site.limits")) ==
          "{\"of\":[\"qos\",\"user\"],\"value\":[\"normal\",null],\"most\":{\"cores\":64,\"jobs\":20}}\n");
    CHECK_THAT(said, Contains("Limits: 1 line\n") && Contains("left out: qos normal: maxwall=1-00:00:00"));
    CHECK_THAT(said, Contains(R"("most":{"gpus_a100":4}} (no job takes any of it))"));
    CHECK_THAT(import("", ""), Contains("Limits: 0 lines\n") && Contains("(no job has the field qos)"));
    CHECK(contents(inputs.folder.file("site.limits")).empty());
}

TEST_CASE("queues=partitions gives each partition a queue, and compare says when fcfs needs it") {
    const Inputs inputs;
    const std::string platform = inputs.folder.write(
        "machine.xml", R"(<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>)"
                       R"(<host id="h1" speed="1f"><prop id="partitions" value="a"/></host>)"
                       R"(<host id="h2" speed="1f"><prop id="partitions" value="b"/></host></zone></platform>)");
    const auto job = [](const std::string& id, const std::string& partition) {
        return R"({"id":")" + id + R"(","subtime":0,"res":1,"walltime":20,"profile":"p","partition":")" + partition +
               "\"}";
    };
    const std::string workload =
        inputs.folder.write("two.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)" +
                                            job("1", "a") + "," + job("2", "a") + "," + job("3", "b") + "]}");
    const auto start_of_3 = [&](const std::string& scheduler) {
        require_done(run(inputs.folder, {"simulate", "-q", "-w", workload, "-p", platform, "-a", scheduler, "-e",
                                         inputs.folder.file("out")}));
        return start_of(inputs.jobs("out"), "3");
    };
    CHECK(start_of_3("fcfs") == "10.000000");
    CHECK(start_of_3("fcfs,queues=partitions") == "0.000000");
    const auto notes = [&](const std::string& scheduler) {
        return run(inputs.folder, {"compare", scheduler, "easy", workload, "-p", platform}).errors;
    };
    const std::string said = "under fcfs the head of one keeps the jobs of all others waiting";
    CHECK_THAT(notes("fcfs"), Contains(said));
    CHECK_THAT(notes("fcfs,queues=partitions"), !Contains(said));
    CHECK_THAT(run(inputs.folder, {"simulate", "-q", "-w", workload, "-p", "2", "-a", "easy,queues=partitions", "-e",
                                   inputs.folder.file("out")})
                   .errors,
               Contains("jobs ask for partitions, and the machine has none"));
}

TEST_CASE("a job is in any partition of its list, and an empty name is refused") {
    const Inputs inputs;
    const std::string platform = inputs.folder.write(
        "machine.xml", R"(<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>)"
                       R"(<host id="h1" speed="1f"><prop id="partitions" value="a"/></host>)"
                       R"(<host id="h2" speed="1f"/>)"
                       R"(<host id="h3" speed="1f"><prop id="partitions" value="b,c"/></host></zone></platform>)");
    const auto simulate = [&](const std::string& partition) {
        const std::string workload = inputs.folder.write(
            "list.json", R"({"nb_res":3,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                         R"({"id":"1","subtime":0,"res":2,"walltime":20,"profile":"p","partition":)" +
                             partition + "}]}");
        return run(inputs.folder,
                   {"simulate", "-w", workload, "-p", platform, "-a", "easy", "-e", inputs.folder.file("out")});
    };
    require_done(simulate("\"b,a,b\""));
    CHECK_THAT(inputs.jobs("out"), Contains(",0 2,"));
    CHECK_THAT(simulate("\"b,c\"").errors + inputs.jobs("out"),
               Contains("asks for 2 hosts in partition b or c, the machine has 1"));
    CHECK_THAT(simulate("\"a,x\"").errors + inputs.jobs("out"),
               Contains("asks for partition x, which the machine does not have"));
    require_done(simulate("null"));
    for (const std::string wrong : {"\"\"", "\"a,\"", "\",a\"", "\"a,,b\""}) {
        check_refused(simulate(wrong), 1,
                      "jobs[0] (id \"1\"): field \"partition\": expected names of partitions with commas between them");
    }
}

TEST_CASE("a campaign has limits in files and of its own, and sweeps them") {
    const CampaignFolder campaign;
    const Inputs inputs;
    const std::string workload = write_workload(inputs);
    campaign.folder.write("two.limits", R"({"of":"user","most":{"processors":2}})");
    const auto run_with = [&](const std::string& limits) {
        return campaign.run("workloads: [{workload: " + workload +
                            "}]\nschedulers: [easy]\nmachines:\n  - {platform: 4, limits: " + limits + "}\n");
    };
    require_done(run_with("[none, two.limits, [{of: user, value: ann, most: {jobs: 1}}]]"));
    CHECK(campaign.value("owned,,\"4,limits=none\",easy,easy", "mean_wait") == "0");
    CHECK(campaign.value("owned,,\"4,limits=two.limits\",easy,easy", "mean_wait").starts_with("3.33"));
    CHECK(campaign.value("owned,,\"4,limits=3\",easy,easy", "mean_wait").starts_with("3.33"));
    // A change of the file is noticed.
    campaign.folder.write("two.limits", R"({"of":"user","most":{"processors":4}})");
    require_done(run_with("two.limits"));
    CHECK(campaign.value("owned,,4,easy,easy", "mean_wait") == "0");
    check_refused(run_with("[{of: user}]"), 1, "c.yaml:4: limits: field \"most\": expected an object");
    check_refused(run_with("two.limit"), 1, "two.limit");
}

}  // namespace batfill::tests::limits_test
