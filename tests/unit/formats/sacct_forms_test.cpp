#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/unit/formats/accounting_files.hpp"

namespace batfill::tests::sacct_forms_test {

using Catch::Matchers::Contains;
using namespace accounting_files;

namespace {

SwfLog read_row(const std::string& columns, const std::string& row, AccountingData data = {}) {
    return read("sacct", columns + "\n" + row + "\n", std::move(data));
}

}  // namespace

TEST_CASE("sacct: raw columns count where the others are missing or empty") {
    const SwfLog raw = read_row("JobIDRaw|Submit|Start|ElapsedRaw|TimelimitRaw|ReqCPUS", "101|100|160|3600|120|4");
    CHECK(id_of(raw, 0) == "101");
    CHECK(raw.jobs[0].run_time == Duration::seconds(3600));
    CHECK(raw.jobs[0].requested_time == Duration::seconds(7200));
    CHECK(raw.noted.empty());
    const std::string both = "JobID|JobIDRaw|Submit|Start|Elapsed|ElapsedRaw|Timelimit|TimelimitRaw|NCPUS";
    const SwfLog cooked = read_row(both, "7_1|9|1|1|00:01:00|61|00:02:00|9|4");
    CHECK(id_of(cooked, 0) == "7_1");
    CHECK(cooked.jobs[0].run_time == Duration::seconds(60));
    CHECK(cooked.jobs[0].requested_time == Duration::seconds(120));
    const SwfLog empty = read_row(both, "|9|1|1||61||9|4");
    CHECK(id_of(empty, 0) == "9");
    CHECK(empty.jobs[0].run_time == Duration::seconds(61));
    CHECK(empty.jobs[0].requested_time == Duration::seconds(540));
    CHECK(read_row(both, "1|9|1|1||61|UNLIMITED|9|4").jobs[0].requested_time < Duration());
    CHECK(read_row(both, "1|9|1|1||61||4294967295|4").jobs[0].requested_time < Duration());
    CHECK(count_of(read_row(both, "1.batch|9|1|1||61|||4").left_out, "job step") == 1);
    CHECK(count_of(read_row("JobIDRaw|Submit|Start|NCPUS", "9.0|1|1|4").left_out, "job step") == 1);
}

TEST_CASE("sacct: names of columns are read in any case") {
    const SwfLog log = read_row("jobid|SUBMIT|start|elapsedraw|timelimitraw|AllocCpus|reqcpus", "5|1|2|60|3|4|2");
    CHECK(log.jobs.at(0).allocated_processors == 4);
    CHECK(log.jobs.at(0).requested_time == Duration::seconds(180));
    CHECK_THAT(problem_with("sacct", "Submit|Start\n1|1\n"), Contains("data:1: no column JobID or JobIDRaw, expected"));
}

TEST_CASE("sacct: processor time gives processors, and an end gives a start, where nothing else does") {
    const std::string columns = "JobID|Submit|Start|ElapsedRaw|CPUTimeRAW";
    CHECK(read_row(columns, "1|1|1|100|800").jobs[0].allocated_processors == 8);
    CHECK(read_row("JobID|Submit|Start|Elapsed|CPUTime", "1|1|1|00:01:00|00:08:00").jobs[0].allocated_processors == 8);
    CHECK(read_row(columns + "|NCPUS", "1|1|1|100|800|4").jobs[0].allocated_processors == 4);
    const SwfLog by_end = read_row("JobID|Submit|End|Elapsed|NCPUS", "1|100|200|60|4");
    CHECK(by_end.jobs[0].wait == Duration::seconds(40));
    CHECK(read_row("JobID|Submit|Start|End|NCPUS", "1|100|140|200|4").jobs[0].run_time == Duration::seconds(60));
}

TEST_CASE("sacct: a separator in the last column belongs to it, if that holds any text") {
    const auto name = [](const std::string& columns, const std::string& row, AccountingData data = {}) {
        return fields_of(read_row("JobID|Submit|Start|Elapsed|" + columns, "1|1|1|5|" + row, std::move(data)), 0);
    };
    CHECK(name("JobName", "a|b||c") == R"("name":"a|b||c")");
    CHECK(name("JobName|", "a|b|") == R"("name":"a|b")");
    CHECK(name("JobName|WorkDir", "a|/home/x|y").find("\"a\"") != std::string::npos);
    const std::string problem = "4 fields, expected 3 as in the first line; --bad-rows drop leaves such rows out";
    CHECK_THAT(problem_with("sacct", "JobID|Account|Submit\n1|a|b|1\n"), Contains("data:2: " + problem));
    CHECK_THAT(problem_with("sacct", "JobID|JobName|Submit\n1|a|b|soon\n"), Contains("data:2: " + problem));
    CHECK_THAT(problem_with("sacct", "JobID|Submit|NCPUS\n1|1|4|5\n"), Contains("4 fields, expected 3"));
}

TEST_CASE("sacct: texts may have line ends") {
    AccountingData data;
    data.fields = {.after = true};
    const std::string head = "JobID|JobName|Submit|Start|Elapsed|NCPUS|SubmitLine\n";
    const std::string first = "1|a|1|1|5|4|sbatch --wrap=#!/bin/sh\n#SBATCH -d afterok:7\n./run | tail\n\n";
    const SwfLog log = read("sacct", head + first + "2|b\nc|d\ne|2|2|5|4|sbatch x\n3||3|3|5|4|srun y\n", data);
    REQUIRE(log.jobs.size() == 3);
    CHECK(fields_of(log, 1) == "\"name\":\"b\\nc|d\\ne\"");
    CHECK(log.conditions.at(log.jobs[0].conditions).after.size() == 1);
    CHECK(log.jobs[1].line == 6);
    // A row that ends too early is not the beginning of the next one.
    CHECK_THAT(problem_with("sacct", head + "1|a|1|1\n" + "2|b|2|2|5|4|sbatch\n"), Contains("data:2: 4 fields"));
    CHECK_THAT(problem_with("sacct", head + "1|a|1|1\n"), Contains("data:2: 4 fields"));
    CHECK_THAT(problem_with("sacct", head + "1|a|1|1|5|4|x\n2|b\n"), Contains("data:3: 2 fields"));
}

// A job of a log with these columns of any text, in an order of one's own among those that have a form.
struct RowOfTexts {
    std::string columns;
    std::string row;
    std::string fields;  // that the job has
};

TEST_CASE("sacct: separators belong to the columns of any text that leave the others their forms") {
    const std::vector<RowOfTexts> rows = {
        {"SubmitLine|Suspended|SystemComment|Timelimit|WorkDir",
         R"(sbatch -C "a100|h100" x.sh|00:00:00||1-00:00:00|/home/a)", ""},
        {"SubmitLine|Suspended|SystemComment|Timelimit|WorkDir",
         R"(sbatch --wrap "env | sort | head | tail -1"|00:00:00|a|b|1-00:00:00|/home/a|b)", ""},
        {"JobName|Timelimit|Comment|State", "a|b|x|24:00:00|y|z|COMPLETED", R"("name":"a|b|x")"},
        {"Constraints|Account|Timelimit|JobName", "a|b&c|phys|1-00:00:00|n", R"("account":"phys","name":"n")"},
        {"JobName|SubmitLine|WorkDir|Timelimit", "a|b|/usr/bin/srun -n 2|x|/h|1-00:00:00", R"("name":"a|b")"},
        {"JobName|SubmitLine|Timelimit", "a|b|flux run|1-00:00:00",
         ""},                                                       // none of Slurm's commands: either may have it
        {"WorkDir|JobName|Timelimit|", "/a|b|/c|1-00:00:00|", ""},  // either may have it
        {"Timelimit|WorkDir|StdOut|JobName", "1-00:00:00|/a|/b|c|n", ""},
        {"Timelimit|AllocTRES|QOS|JobName", "1-00:00:00|cpu=4,gres/gpu=1|N/A|a|b", R"("name":"a|b","gpus":1)"},
        // Of two limits, the one that leaves the other columns their forms counts.
        {"Comment|Timelimit|State|JobName", "see|00:10:00|1-00:00:00|FAILED|n", R"("name":"n")"}};
    for (const auto& [columns, row, fields] : rows) {
        CAPTURE(columns, row);
        const SwfLog log = read_row("JobID|Submit|Start|Elapsed|" + columns, "1|1|1|5|" + row);
        CHECK(log.jobs.at(0).requested_time == Duration::days(1));
        CHECK(fields_of(log, 0) == fields);
        CHECK(count_of(log.noted, "separator that may be in one of several") ==
              (columns.starts_with("WorkDir") || columns.find("StdOut") != std::string::npos ||
                       row.find("flux") != std::string::npos
                   ? 1
                   : 0));
    }
    // Two limits would do, and none.
    CHECK_THAT(problem_with("sacct", "JobID|Submit|Start|Elapsed|Comment|Timelimit|JobName\n1|1|1|5||||00:10|b\n"),
               Contains("9 fields, expected 7"));
    CHECK_THAT(problem_with("sacct", "JobID|Submit|Start|Elapsed|Comment|Timelimit|JobName\n1|1|1|5|a|00:10|00:20|b\n"),
               Contains("8 fields, expected 7"));
}

TEST_CASE("A line with the names of the columns again is left out and counted") {
    const std::string names = "JobID|Submit|Start|Elapsed|NCPUS\n";
    const SwfLog log = read("sacct", names + "1|1|1|5|4\n" + names + "2|2|2|5|4\n" + names);
    CHECK(log.jobs.size() == 2);
    CHECK(count_of(log.left_out, "line of column names again") == 2);
    CHECK_THAT(problem_with("sacct", names + "JobID|Submit|End|Elapsed|NCPUS\n"), Contains("Submit is 'Submit'"));
    const ColumnMapping mapping = {{"id", "id"}, {"submit", "submit"}, {"run-time", "run"}, {"processors", "procs"}};
    const std::string table = "# id,submit,run,procs\n1,100,10,2\n";
    const SwfLog tables = read_csv_table(table + table + table.substr(2), mapping);
    CHECK(tables.jobs.size() == 3);
    CHECK(count_of(tables.left_out, "line of column names again") == 2);
    const ColumnMapping numbers = {{"id", "1"}, {"submit", "2"}, {"run-time", "3"}, {"processors", "4"}};
    CHECK(read_csv_table("1,1,10,2\n2,1,10,2\n1,1,10,2\n", numbers).jobs.size() == 3);
}

TEST_CASE("sacct: output with another delimiter, and with one at the end of lines") {
    AccountingData data;
    data.separator = ';';
    CHECK(id_of(read("sacct", "JobID;Submit;Start;Elapsed;NCPUS\n8;1;1;5;4\n", data), 0) == "8");
    CHECK(id_of(read("sacct", "JobID|Submit|Start|Elapsed|NCPUS|\n8|1|1|5|4|\n"), 0) == "8");
}

TEST_CASE("sacct: the parts of a resized job become one job") {
    const std::string header = "JobID|Submit|Start|Elapsed|NCPUS|State\n";
    const std::string first = "1|100|160|1800|4|RESIZING\n";
    const std::string second = "1|100|1960|600|6|RESIZING\n";
    const std::string last = "1|100|2560|1800|8|COMPLETED\n";
    const std::string other = "2|50|60|5|2|COMPLETED\n";
    for (const std::string& rows : {first + second + last + other, other + last + second + first}) {
        const SwfLog log = read("sacct", header + rows);
        REQUIRE(log.jobs.size() == 2);
        const SwfJob& job = log.jobs[log.jobs[0].allocated_processors == 8 ? 0 : 1];
        CHECK(job.allocated_processors == 8);
        CHECK(job.run_time == Duration::seconds(4200));
        CHECK(job.wait == Duration::seconds(60));
        CHECK(count_of(log.noted, "resized") == 1);
        CHECK(log.left_out.empty());
    }
    const SwfLog requeued = read("sacct", header + first + "1|100|1960|600|6|REQUEUED\n" + last);
    REQUIRE(requeued.jobs.size() == 2);
    CHECK(requeued.jobs[0].run_time == Duration::seconds(2400));
    CHECK(requeued.jobs[1].run_time == Duration::seconds(1800));
    const SwfLog running = read("sacct", header + other + first + "1|100|1960|600|6|RUNNING\n");
    CHECK(running.jobs.size() == 1);
    CHECK(count_of(running.left_out, "part of a resized job") == 1);
}

TEST_CASE("A job without a time limit gets that of its partition") {
    AccountingData data;
    data.partition_limits = {{"debug", Duration::seconds(3600)}, {"long", Duration::days(7)}};
    const SwfLog log = read("sacct",
                            "JobID|Submit|Start|Elapsed|NCPUS|Partition|Timelimit\n1|1|1|5|4|debug|Partition_Limit\n"
                            "2|1|1|5|4|debug|00:10:00\n3|1|1|5|4|other|UNLIMITED\n4|1|1|5|4|long|UNLIMITED\n",
                            data);
    CHECK(log.jobs.at(0).requested_time == Duration::seconds(3600));
    CHECK(log.jobs.at(1).requested_time == Duration::seconds(600));
    CHECK(log.jobs.at(2).requested_time < Duration());
    CHECK(log.jobs.at(3).requested_time == Duration::days(7));
    CHECK(count_of(log.noted, "no time limit: that of its partition") == 2);
    CHECK(count_of(log.noted, "time limit missing, UNLIMITED or Partition_Limit: unknown") == 1);
    const ColumnMapping mapping = {
        {"id", "i"}, {"submit", "s"}, {"run-time", "r"}, {"processors", "p"}, {"queue", "q"}};
    CHECK(read_csv_table("i,s,r,p,q\n1,0,5,2,debug\n", mapping, data).jobs.at(0).requested_time ==
          Duration::seconds(3600));
    const std::string record =
        "03/01/2024 09:10:00;E;1.s;queue=long ctime=1709280000 start=1709280600 end=1709284200 "
        "Resource_List.ncpus=4\n";
    CHECK(read("pbs", record, data).jobs.at(0).requested_time == Duration::days(7));
}

}  // namespace batfill::tests::sacct_forms_test
