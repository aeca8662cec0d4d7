#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/formats/workload.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::import_test {

using Catch::Matchers::Contains;

namespace {

const std::string accounting =
    "JobID|User|Partition|Submit|Start|End|Elapsed|Timelimit|AllocCPUS|NNodes|AllocTRES|State\n"
    "1|ann|batch|2024-07-01T08:00:00|2024-07-01T08:00:00|2024-07-01T09:00:00|01:00:00|02:00:00|4|1|cpu=4,gres/gpu=2|COMPLETED\n"
    "2|bob|debug|2024-07-01T09:00:00|2024-07-01T09:00:00|2024-07-01T10:00:00|01:00:00|02:00:00|8|2||FAILED\n"
    "3|bob|debug|2024-07-01T10:00:00|Unknown|Unknown|00:00:00|02:00:00|0|2||PENDING\n";

struct Inputs {
    Folder folder;
    std::string jobs = folder.write("jobs.txt", accounting);

    Outcome import(Arguments more) const {
        more.insert(more.begin(), "import");
        return run(folder, more);
    }
};

}  // namespace

TEST_CASE("The number of a run counts all runs of the job in the file, kept or not") {
    const Folder folder;
    const std::string jobs =
        folder.write("jobs.csv", "id,submit,start,end,n\n7,0,10,10,1\n7,100,110,120,1\n7,200,210,220,1\n");
    const std::string out = folder.file("w.json");
    const auto ids = [&](const Arguments& more) {
        const Outcome outcome =
            run(folder, with({"import", "csv", jobs, "--map", "id=id,submit=submit,start=start,end=end,processors=n",
                              "--times", "seconds", "-o", out},
                             more));
        REQUIRE(outcome.status == 0);
        std::string all;
        for (const WorkloadJob& job : read_workload(out, "w0").jobs) {
            all += job.description.id + ' ';
        }
        return all;
    };
    CHECK(ids({}) == "w0!7:2 w0!7:3 ");
    CHECK(ids({"--keep-zero-run-times"}) == "w0!7 w0!7:2 w0!7:3 ");
    CHECK(ids({"--from", "150"}) == "w0!7:3 ");
}

TEST_CASE("import makes a workload that is replayed, and says what it left out") {
    const Inputs inputs;
    const std::string workload = inputs.folder.file("w.json");
    const Outcome made =
        inputs.import({"sacct", inputs.jobs, "-o", workload, "--processors", "16", "--time-zone", "Europe/Berlin"});
    CHECK(made.status == 0);
    CHECK(made.errors ==
          "batfill: note: jobs ask for gpus, which no algorithm of batfill looks at; they look at "
          "per_host, pools and partition, which import --fields makes\n");
    CHECK_THAT(made.output, Contains("Time 0: 2024-06-30 22:00:00 UTC") && Contains("never started") &&
                                Contains("Processors: 16 (as given)"));
    const Workload read = read_workload(workload, "w0");
    REQUIRE(read.jobs.size() == 2);
    CHECK(read.jobs[0].description.id == "w0!1");
    CHECK(read.jobs[0].description.submit == Time::seconds(8 * 3600));
    CHECK(read.jobs[0].description.other_fields == R"("gpus":2,"nodes":1)");
    CHECK(read.jobs[1].description.user == "bob");
    const Outcome replayed = run(
        inputs.folder, {"simulate", "-q", "-a", "easy", "-p", "16", "-w", workload, "-e", inputs.folder.file("easy")});
    CHECK(replayed.status == 0);
    CHECK(replayed.errors ==
          "batfill: note: jobs ask for gpus, which no algorithm of batfill looks at; they look at "
          "per_host, pools and partition, which import --fields makes\n");
    const Outcome json = inputs.import({"sacct", inputs.jobs, "--format", "json", "--exclude-queue", "debug"});
    CHECK_THAT(json.output, Contains("\"zero\": \"2024-07-01 00:00:00 UTC\"") && Contains("\"kept\": 1") &&
                                Contains("\"what\": \"queue is debug\""));
    const auto kept = [&](const Arguments& more) {
        return inputs.import(with({"sacct", inputs.jobs, "--format", "json"}, more)).output;
    };
    CHECK_THAT(kept({"--from", "2024-07-01 08:30:00"}), Contains("\"kept\": 1"));
    CHECK_THAT(kept({"--from", "2024-07-01 08:30:00", "--time-zone", "Europe/Berlin"}), Contains("\"kept\": 1"));
    CHECK_THAT(kept({"--until", "2024-07-01 06:30:00Z", "--time-zone", "Europe/Berlin"}), Contains("\"kept\": 1"));
    CHECK_THAT(inputs.import({"sacct", inputs.jobs, "--nodes", "--load", "0.5"}).output,
               Contains("Processors: 2 (the widest job") && Contains("0.5000 with the gaps between submissions times"));
}

TEST_CASE("import says in the workload when its second 0 was") {
    const Inputs inputs;
    const std::string workload = inputs.folder.file("w.json");
    const auto origin = [&](const Arguments& more) {
        REQUIRE(inputs.import(with({"sacct", inputs.jobs, "-o", workload}, more)).status == 0);
        const Origin read = read_workload(workload, "w0").origin.value();
        return read.since_1970.to_shortest_string() + ' ' + read.time_zone;
    };
    CHECK(origin({}) == "1719792000 ");  // midnight before the first submission, 8 h of 2024-07-01
    CHECK(origin({"--time-zone", "Europe/Berlin"}) == "1719784800 Europe/Berlin");
    CHECK(origin({"--time-zone", "Europe/Berlin", "--shift"}) == "1719813600 Europe/Berlin");
    const std::string frontier =
        inputs.folder.write("f.swf", "11 100 20 3600 112 -1 -1 112 7200 -1 1 5 3 -1 2 -1 -1 -1 16 -1 a:2x112\n");
    REQUIRE(inputs.import({"frontier", frontier, "-o", workload}).status == 0);
    CHECK(!read_workload(workload, "w0").origin);
    // Deadlines change no times.
    CHECK(origin({}) == "1719792000 ");
    for (const std::string format : {"batsim4", "batsim5"}) {
        const std::string dated = inputs.folder.file("deadlines.json");
        REQUIRE(
            run(inputs.folder, {"deadlines", workload, "--share", "1", "--seed", "1", "--format", format, "-o", dated})
                .status == 0);
        CHECK(read_workload(dated, "w0").origin.value().since_1970 == Duration::seconds(1'719'792'000));
    }
}

TEST_CASE("import gives jobs different ids, and keeps those of the data") {
    const Folder folder;
    const auto imported = [&](const std::string& ids) {
        std::string table = "id,s,r,p\n";
        for (const char id : ids) {
            table += (id == 'r'   ? "1"
                      : id == 't' ? "1:2"
                      : id == 'u' ? "1:2:2"
                                  : "10") +
                     std::string(",2024-01-01T00:00:00,5,2\n");
        }
        const Outcome outcome = run(folder, {"import", "csv", folder.write("c.csv", table), "--map",
                                             "id=id,submit=s,run-time=r,processors=p", "-o", folder.file("c.json")});
        CHECK(outcome.status == 0);
        std::string found;
        for (const WorkloadJob& job : read_workload(folder.file("c.json"), "w0").jobs) {
            found += job.description.id.substr(3) + " ";
        }
        return found;
    };
    CHECK(imported("rr") == "1 1:2 ");
    CHECK(imported("rtr") == "1 1:2 1:3 ");
    CHECK(imported("rrtt") == "1 1:2 1:2:2 1:3 ");
    CHECK(imported("rrttu") == "1 1:2 1:2:2 1:2:3 1:3 ");
}

TEST_CASE("import notes jobs of one instant whose ids order them otherwise than their numbers") {
    const Folder folder;
    const auto output = [&](const std::vector<std::string>& ids) {
        std::string table = "id,s,r,p\n";
        for (const std::string& id : ids) {
            table += id + ",2024-01-01T00:00:0" + (id == "later9" ? "1" : "0") + ",5,2\n";
        }
        return run(folder,
                   {"import", "csv", folder.write("c.csv", table), "--map", "id=id,submit=s,run-time=r,processors=p"})
            .output;
    };
    const std::string note = "submitted at one instant in the order of ids as texts, 10 before 9";
    CHECK_THAT(output({"9", "10"}), Contains(note + "          1"));
    CHECK_THAT(output({"7_1", "7_2", "7_10", "8"}), Contains(note + "          1"));
    CHECK_THAT(output({"a9", "a10", "b1", "b2"}), Contains(note + "          1"));
    for (const std::vector<std::string>& ids :
         {std::vector<std::string>{"08", "09", "10"}, {"8", "9"}, {"a", "b", "9"}, {"10", "later9"}, {"7_1", "7_2"}}) {
        CHECK_THAT(output(ids), !Contains("submitted at one instant"));
    }
}

TEST_CASE("import counts what it notes for the jobs that it keeps") {
    const Folder folder;
    const std::string table =
        "JobID|User|Partition|Submit|Start|End|NCPUS|State|Timelimit\n"
        "1|b\xE9|a|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:01:00|4|FOO|UNLIMITED\n"
        "2+0|b\xE9|b|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:01:00|4|FOO|UNLIMITED\n"
        "2+1|b\xE9|b|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:01:00|4|FOO|UNLIMITED\n";
    const std::string jobs = folder.write("q.txt", table);
    const auto output = [&](const std::string& queue) {
        return run(folder, {"import", "sacct", jobs, "--queue", queue}).output;
    };
    const auto line = [](std::string what, int jobs_of_rule) {
        what.resize(66, ' ');
        return "  " + what + "          " + std::to_string(jobs_of_rule) + "\n";
    };
    for (const std::string queue : {"a", "b"}) {
        CHECK_THAT(output(queue), Contains(line("jobs", 1)) &&
                                      Contains(line("time limit missing, UNLIMITED or Partition_Limit: unknown", 1)) &&
                                      Contains(line("state that batfill does not know: the job counts as ended", 1)) &&
                                      Contains("text that is not UTF-8"));
    }
    CHECK_THAT(output("a"), !Contains("heterogeneous job"));
    CHECK_THAT(output("b"), Contains(line("heterogeneous job: a component joined to the first one", 1)));
}

TEST_CASE("If no job is kept, the table and the error say why") {
    const Inputs inputs;
    const std::string output = inputs.folder.file("w.json");
    const auto printed = [&](const Arguments& arguments, const std::string& rule) {
        const Outcome outcome = run(inputs.folder, arguments);
        CHECK(outcome.status == 1);
        CHECK_THAT(outcome.output, Contains("Dropped, by the first rule that holds") && Contains(rule));
        CHECK_THAT(outcome.errors, Contains(" (" + rule + ")"));
        CHECK(!std::filesystem::exists(output));
    };
    printed({"import", "sacct", inputs.jobs, "-o", output, "--exclude-queue", "debug", "--exclude-queue", "batch"},
            "queue is debug, batch");
    printed({"import", "sacct", inputs.jobs, "-o", output, "--queue", "bach"}, "queue is not bach");
    printed({"import", "sacct", inputs.jobs, "-o", output, "--from", "30d"}, "submitted before 2592000 s");
    const std::string pending = inputs.folder.write("p.txt", "JobID|Submit|Start|NCPUS|State\n1|5|Unknown|4|PENDING\n");
    printed({"import", "sacct", pending, "-o", output}, "never started");
    const std::string log = inputs.folder.write("log.swf", "1 0 0 -1 4 -1 -1 4 9 -1 0 1 1 1 1 1 -1 -1\n");
    printed({"swf", log, "-o", output}, "run time <= 0 or unknown");
}

TEST_CASE("A run that two monthly files have is one job") {
    const Folder folder;
    const std::string header = "JobID|Submit|Start|End|NCPUS|State\n";
    const std::string both = "5|2024-03-31T23:00:00|2024-03-31T23:00:00|2024-04-01T01:00:00|4|COMPLETED\n";
    const auto row = [](const std::string& id, const std::string& day) {
        return id + "|2024-" + day + "T10:00:00|2024-" + day + "T10:00:00|2024-" + day + "T11:00:00|4|COMPLETED\n";
    };
    const std::string march = folder.write("march.txt", header + row("4", "03-31") + both);
    const std::string april = folder.write("april.txt", header + both + row("6", "04-01"));
    const Outcome outcome = run(folder, {"import", "sacct", march, april, "-o", folder.file("w.json")});
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, Contains("same row again") && !Contains("another run"));
    CHECK(read_workload(folder.file("w.json"), "w0").jobs.size() == 3);
    const std::string table = folder.write("t.csv", "i,s,r,p\n1,10,5,2\n2,10,5,2\n");
    CHECK_THAT(
        run(folder, {"import", "csv", table, table, "--map", "id=i,submit=s,run-time=r,processors=p"}).output,
        Contains("same row again in another file (all that is read is equal)") && Contains("t.csv and 1 more: 2 jobs"));
}

TEST_CASE("import refuses what it cannot read, and options of another format") {
    const Inputs inputs;
    const auto refused = [&](const Arguments& arguments) {
        const Outcome outcome = inputs.import(arguments);
        check_refused(outcome, outcome.status == 1 ? 1 : 2);
        return outcome.errors;
    };
    CHECK_THAT(refused({}), Contains("expected a format (sacct, pbs, csv, "));
    CHECK_THAT(refused({"sacct"}), Contains("expected a file after sacct, found none"));
    CHECK_THAT(refused({"sact", inputs.jobs}), Contains("unknown format 'sact', did you mean 'sacct'?"));
    CHECK_THAT(refused({"sacct", inputs.folder.file("none")}), Contains("none"));
    CHECK_THAT(refused({"sacct", inputs.jobs, "--map", "id=a"}), Contains("--map is for tables"));
    CHECK_THAT(refused({"helios", inputs.jobs, "--nodes"}), Contains("--nodes is for sacct and pbs"));
    CHECK_THAT(refused({"csv", inputs.jobs, "--map", "id"}), Contains("--map: expected FIELD=COLUMN, found 'id'"));
    CHECK_THAT(refused({"csv", inputs.jobs, "--map", "id=a,id=b"}),
               Contains("--map: expected one column for id, found two"));
    CHECK_THAT(refused({"csv", inputs.jobs, "--map", "id=a,deadline=b"}),
               Contains("--map: jobs have a field deadline of their own, expected another name for column b"));
    CHECK_THAT(refused({"csv", inputs.jobs, "--separator", "::"}), Contains("--separator: expected one character"));
    CHECK_THAT(refused({"csv", inputs.jobs, "--times", "iso"}), Contains("--times: unknown value 'iso'"));
    CHECK_THAT(refused({"sacct", inputs.jobs, "--time-zone", "Berlin"}), Contains("unknown time zone 'Berlin'"));
    CHECK_THAT(refused({"sacct", inputs.jobs, "--load", "90"}), Contains("--load: expected a share of the machine"));
    CHECK_THAT(refused({"sacct", inputs.folder.file("other"), inputs.jobs, "-o", inputs.jobs}),
               Contains("--output: would write over the input " + inputs.jobs + ", expected another name"));
    CHECK(contents(inputs.jobs) == accounting);
    CHECK(!std::filesystem::exists(inputs.folder.file("x.json")));
}

TEST_CASE("import drops bad rows if asked, counts them and shows the first of each kind") {
    const Inputs inputs;
    const std::string bad = inputs.folder.write("bad.txt", accounting + "4|x\n5|y\n");
    const Outcome refused = inputs.import({"sacct", bad});
    check_refused(refused, 1);
    CHECK_THAT(refused.errors, Contains("bad.txt:5: 2 fields, expected 12 as in the first line; --bad-rows drop"));
    const Outcome dropped = inputs.import({"sacct", bad, "--bad-rows", "drop"});
    CHECK(dropped.status == 0);
    CHECK_THAT(dropped.output,
               Contains("row that cannot be read (--bad-rows drop)                                   2") &&
                   Contains("bad.txt:5: 2 fields, expected 12 as in the first line (rows of this kind: 2)"));
    const std::string json = inputs.import({"sacct", bad, "--bad-rows", "drop", "--format", "json"}).output;
    CHECK_THAT(json, Contains("\"bad_rows\": [") && Contains("\"rows\": 2"));
    const std::string plain = inputs.import({"sacct", inputs.jobs, "--bad-rows", "drop", "--format", "json"}).output;
    CHECK_THAT(plain, !Contains("bad_rows"));
    const std::string none = inputs.folder.write("none.txt", "JobID|Submit\n1|soon\n");
    CHECK_THAT(inputs.import({"sacct", none, "--bad-rows", "drop", "-o", inputs.folder.file("x.json")}).errors,
               Contains("none to keep") && Contains("none.txt:2: Submit is 'soon'"));
    CHECK_THAT(inputs.import({"sacct", bad, "--bad-rows", "skip"}).errors,
               Contains("--bad-rows: unknown value 'skip'"));
}

TEST_CASE("import gives jobs without a time limit that of their partition") {
    const Inputs inputs;
    const std::string workload = inputs.folder.file("w.json");
    const std::string table = inputs.folder.write(
        "limits.txt",
        "JobID|Partition|Submit|Start|Elapsed|Timelimit|NCPUS\n1|a=b|1|1|5|UNLIMITED|4\n2|long|1|1|5|Partition_Limit|4\n");
    const Outcome made = inputs.import({"sacct", table, "--partition-limit", "a=b=90,short=1h", "--partition-limit",
                                        "long=7-00:00:00", "-o", workload});
    CHECK_THAT(made.output, Contains("no time limit: that of its partition is the walltime"));
    const Workload read = read_workload(workload, "w0");
    CHECK(read.jobs.at(0).description.walltime == Duration::seconds(90));
    CHECK(read.jobs.at(1).description.walltime == Duration::days(7));
    for (const std::string wrong : {"long", "long=", "=1h", "long=soon", "long=0", "long=-5"}) {
        const Outcome outcome = inputs.import({"sacct", table, "--partition-limit", wrong});
        check_refused(outcome, 2);
        CHECK_THAT(outcome.errors, Contains("--partition-limit: expected NAME=LENGTH"));
    }
    CHECK_THAT(inputs.import({"sacct", table, "--partition-limit", "a=1h,a=2h"}).errors,
               Contains("expected one limit for a, found two"));
}

TEST_CASE("import reads sacct with another delimiter, and its JSON") {
    const Inputs inputs;
    std::string with_semicolons = accounting;
    std::ranges::replace(with_semicolons, '|', ';');
    const std::string other = inputs.folder.write("other.txt", with_semicolons);
    CHECK_THAT(inputs.import({"sacct", other, "--separator", ";"}).output, Contains("other.txt: 2 jobs"));
    CHECK_THAT(inputs.import({"pbs", other, "--separator", ";"}).errors, Contains("--separator is for tables"));
    const std::string json = inputs.folder.write(
        "jobs.json", R"({"jobs":[{"job_id":5,"time":{"submission":1,"start":1,"end":9},"required":{"CPUs":4}}]})");
    CHECK_THAT(inputs.import({"sacct", json}).output, Contains("jobs.json: 1 jobs"));
}

TEST_CASE("import advises to take allocated sizes where they are far larger") {
    const Inputs inputs;
    const auto output = [&](const std::string& allocated, const Arguments& more = {}) {
        const std::string table = inputs.folder.write(
            "t.txt", "JobID|Submit|Start|Elapsed|ReqCPUS|AllocCPUS\n1|1|1|60|2|" + allocated + "\n");
        Arguments arguments = {"sacct", table};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return inputs.import(arguments).output;
    };
    CHECK_THAT(output("72"), Contains("The kept jobs were allocated 36.0 times the processor time that they requested; "
                                      "--size allocated makes the workload of the allocation."));
    CHECK_THAT(output("3"), Contains("allocated 1.5 times"));
    CHECK_THAT(output("2"), !Contains("--size allocated"));
    CHECK_THAT(output("72", {"--size", "allocated"}), !Contains("--size allocated"));
    CHECK_THAT(output("72", {"--format", "json"}), Contains("\"allocated_over_requested\": 36"));
}

TEST_CASE("A campaign sweeps the load of a log") {
    const Folder folder;
    std::string log = "; MaxProcs: 4\n";
    for (int i = 1; i <= 20; ++i) {
        log += std::to_string(i) + " " + std::to_string(100 * i) + " -1 60 2 -1 -1 2 100 -1 1 1 1 1 1 -1 -1 -1\n";
    }
    folder.write("log.swf", log);
    const std::string campaign =
        folder.write("c.yaml", "workloads:\n  - log: log.swf\n    sweep: {load: [0.3, 0.9]}\nschedulers: [fcfs]\n");
    const Outcome outcome = run(folder, {"campaign", campaign, "-o", folder.file("results")});
    CHECK(outcome.status == 0);
    CHECK_THAT(contents(folder.file("results/results.csv")), Contains("workload.load"));
    const auto last_submission = [&](const std::string& name) {
        const std::string path = folder.file("results/workloads/" + name + "/" + name + ".json");
        return read_workload(path, "w0").jobs.back().description.submit;
    };
    CHECK(last_submission("log,load=0.9") < last_submission("log,load=0.3"));
}

TEST_CASE("A campaign imports accounting data at several loads") {
    const Inputs inputs;
    const auto made = [&](const std::string& workload) {
        const std::string campaign =
            inputs.folder.write("c.yaml", "workloads:\n  - " + workload + "\nschedulers: [fcfs, easy]\n");
        return run(inputs.folder, {"campaign", campaign, "-o", inputs.folder.file("results")});
    };
    const Outcome outcome =
        made("{import: sacct, file: jobs.txt, name: mine, processors: 16, sweep: {load: [0.5, 0.9]}}");
    CHECK(outcome.errors.find("error") == std::string::npos);
    CHECK(outcome.status == 0);
    CHECK_THAT(contents(inputs.folder.file("results/workloads/mine,load=0.5/made.txt")),
               Contains("batfill import sacct ") && Contains("never started"));
    CHECK_THAT(made("{import: sact, file: jobs.txt}").errors, Contains("unknown format 'sact', did you mean 'sacct'?"));
    CHECK_THAT(made("{import: sacct}").errors, Contains("import: expected the key file"));
    CHECK_THAT(made("{import: sacct, log: x.swf}").errors,
               Contains("expected one of log, import, workload and generate"));
}

}  // namespace batfill::tests::import_test
