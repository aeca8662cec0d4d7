#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "src/formats/tres.hpp"
#include "tests/unit/formats/accounting_files.hpp"

namespace batfill::tests::accounting_test {

using Catch::Matchers::Contains;
using namespace accounting_files;

namespace {

const std::string sacct_header =
    "JobID|User|Account|Partition|QOS|Submit|Start|End|Elapsed|Timelimit|AllocCPUS|ReqCPUS|NNodes|ReqMem|AllocTRES|State\n";

const std::string sacct_row =
    "100|alice|phys|batch|normal|2024-03-01T08:00:00|2024-03-01T08:10:00|2024-03-01T09:10:00|01:00:00|02:00:00|32|30|2|4Gn|"
    "billing=32,cpu=32,mem=8G,node=2|COMPLETED\n";

std::string pbs_end(const std::string& id, const std::string& more) {
    return "03/01/2024 09:10:00;E;" + id +
           ";user=alice group=g account=\"a b\" project=_pbs_project_default jobname=my job queue=workq ctime=1709280000 "
           "qtime=1709280001 etime=1709280001 start=1709280600 " +
           more + " session=7 end=1709284200 Exit_status=0 resources_used.walltime=01:00:00\n";
}

}  // namespace

TEST_CASE("A job of sacct has its times, sizes, names and other fields") {
    const SwfLog log = read("sacct", sacct_header + sacct_row);
    REQUIRE(log.jobs.size() == 1);
    const SwfJob& job = log.jobs[0];
    CHECK(log.zero == "2024-03-01 00:00:00 UTC");
    CHECK(log.ids[static_cast<std::size_t>(job.number)] == "100");
    CHECK(job.submit == Duration::seconds(8 * 3600));
    CHECK(job.wait == Duration::seconds(600));
    CHECK(job.run_time == Duration::seconds(3600));
    CHECK(job.requested_time == Duration::seconds(7200));
    CHECK(job.allocated_processors == 32);
    CHECK(job.requested_processors == 30);
    CHECK(job.status == 1);
    CHECK(job.line == 2);
    CHECK(fields_of(log, 0) == R"("account":"phys","qos":"normal","nodes":2,"memory":8589934592)");
    CHECK(log.left_out.empty());
    CHECK(log.noted.empty());
}

TEST_CASE("sacct: records of jobs that never ran are left out and counted") {
    const std::string rows =
        "100.batch||||||2024-03-01T08:10:00|2024-03-01T09:10:00|01:00:00||16|16|1|||COMPLETED\n"
        "101_[5-9%2]|bob|chem|gpu|high|2024-03-01T08:05:00|Unknown|Unknown|00:00:00|1-00:00:00|0|8|1|16G||PENDING\n"
        "103|dave|bio|batch|normal|2024-03-01T08:31:00|None|2024-03-01T08:50:00|00:00:00|10:00|0|16|1|0||CANCELLED by 7\n"
        "105|eve|bio|batch|normal|2024-03-01T09:51:00|2024-03-01T09:51:00|Unknown|00:10:00|00:30:00|16|16|1|2G||RUNNING\n";
    const SwfLog log = read("sacct", sacct_header + sacct_row + rows);
    CHECK(log.jobs.size() == 1);
    CHECK(count_of(log.left_out, "job step") == 1);
    CHECK(count_of(log.left_out, "never started") == 2);
    CHECK(count_of(log.left_out, "has not ended yet") == 1);
}

TEST_CASE("sacct: array tasks, requeued jobs, heterogeneous jobs and unlimited ones") {
    const auto row = [](const std::string& id, const std::string& limit, const std::string& cpus,
                        const std::string& state) {
        const std::string hour = limit == "30:00" ? "09" : "08";  // the second run of the requeued job
        return id + "|u|a|p|q|2024-03-01T08:00:00|2024-03-01T" + hour + ":00:00|2024-03-01T" + hour +
               ":10:00|00:10:00|" + limit + "|" + cpus + "|" + cpus + "|1|1000Mc||" + state + "\n";
    };
    const SwfLog log =
        read("sacct", sacct_header + row("7_1", "UNLIMITED", "2", "TIMEOUT") +
                          row("8", "Partition_Limit", "4", "REQUEUED") + row("8", "30:00", "4", "COMPLETED") +
                          row("9+0", "1-00:00:00", "1", "CANCELLED by 12") + row("9+1", "1-00:00:00", "16", "x"));
    REQUIRE(log.jobs.size() == 4);
    CHECK(id_of(log, 0) == "7_1");
    CHECK(log.jobs[0].status == 0);
    CHECK(log.jobs[0].requested_time < Duration());
    CHECK(log.jobs[1].number == log.jobs[2].number);  // runs of one job
    CHECK(log.jobs[2].requested_time == Duration::seconds(1800));
    CHECK(id_of(log, 3) == "9");
    CHECK(log.jobs[3].allocated_processors == 17);
    CHECK(log.jobs[3].status == 5);
    CHECK(log.jobs[3].requested_time == Duration::days(1));
    CHECK(count_of(log.noted, "time limit missing") == 2);
    CHECK(count_of(log.noted, "heterogeneous job") == 1);
    CHECK(fields_of(log, 1) == R"("account":"a","qos":"q","nodes":1,"memory":4194304000)");
    CHECK(fields_of(read("sacct",
                         "JobID|Submit|Start|Elapsed|NCPUS|JobName|Dependency\n"
                         "9+0|1|1|5|4|a|afterok:7\n9+1|1|1|5|4|b|\n"),
                    0) == R"("name":"a","dependency":"afterok:7")");
}

TEST_CASE("Names and ids in UTF-8 stay, and bytes that are not UTF-8 become escapes that keep them apart") {
    const ColumnMapping mapping = {{"id", "i"},   {"submit", "s"}, {"run-time", "r"}, {"processors", "p"},
                                   {"user", "u"}, {"queue", "q"},  {"account", "a"}};
    const SwfLog log = read_csv_table(
        "i,s,r,p,u,q,a\n\xC3\xA9,0,5,2,b\xC3\xA9,\xE2\x82\xAC,\xC3\xA4\n\xC3\xA8,0,5,2,b\xC3\xA8,x,\n"
        "3,0,5,2,b\xE9,\xC3,\n4,0,5,2,b\xE8,x,\n",
        mapping);
    CHECK(id_of(log, 0) == "\xC3\xA9");
    CHECK(id_of(log, 1) == "\xC3\xA8");
    CHECK(log.jobs[0].number != log.jobs[1].number);
    CHECK(user_of(log, 0) == "b\xC3\xA9");
    CHECK(user_of(log, 1) == "b\xC3\xA8");
    CHECK(queue_of(log, 0) == "\xE2\x82\xAC");
    CHECK(fields_of(log, 0) == "\"account\":\"\xC3\xA4\"");
    CHECK(user_of(log, 2) == R"(b\xE9)");
    CHECK(queue_of(log, 2) == R"(\xC3)");
    CHECK(user_of(log, 3) == R"(b\xE8)");
    CHECK(count_of(log.noted, "text that is not UTF-8") == 2);
}

TEST_CASE("sacct: a byte of another encoding is no quote") {
    const std::string header = "JobID|User|Submit|Start|Elapsed|NCPUS\n";
    CHECK(user_of(read("sacct", header + "1|b\xFF|1|1|5|4\n"), 0) == R"(b\xFF)");
    CHECK_THAT(problem_with("sacct", header + "1|x" + std::string(1, '\0') + "|1|1|5|4\n"),
               Contains("data:2: expected no zero byte"));
}

TEST_CASE("sacct: each run of a requeued heterogeneous job has its own components") {
    const auto row = [](const std::string& id, const std::string& begin, const std::string& state) {
        return id + "|1709280000|" + begin + "|60|4|" + state + "\n";
    };
    const std::string header = "JobID|Submit|Start|Elapsed|NCPUS|State\n";
    const std::string first[] = {row("4+0", "1709280000", "NODE_FAIL"), row("4+1", "1709280000", "NODE_FAIL")};
    const std::string second[] = {row("4+0", "1709280300", "COMPLETED"), row("4+1", "1709280300", "COMPLETED")};
    for (const std::string& rows :
         {first[0] + first[1] + second[0] + second[1], first[0] + second[0] + first[1] + second[1]}) {
        const SwfLog log = read("sacct", header + rows);
        REQUIRE(log.jobs.size() == 2);
        CHECK(log.jobs[0].number == log.jobs[1].number);  // runs of one job
        CHECK(log.jobs[0].allocated_processors == 8);
        CHECK(log.jobs[1].allocated_processors == 8);
        CHECK(log.jobs[0].wait == Duration());
        CHECK(log.jobs[1].wait == Duration::seconds(300));
        CHECK(count_of(log.noted, "heterogeneous job") == 2);
    }
    const SwfLog late = read("sacct", header + row("4+0", "Unknown", "NODE_FAIL") + row("4+1", "Unknown", "NODE_FAIL") +
                                          second[0] + second[1]);
    REQUIRE(late.jobs.size() == 1);
    CHECK(late.jobs[0].allocated_processors == 8);
    CHECK(count_of(late.left_out, "component of a heterogeneous job that is left out") == 1);
}

TEST_CASE("sacct: memory for each processor counts processors, whatever the size of the job is") {
    const auto memory = [](const std::string& columns, const std::string& values, bool counts_nodes) {
        AccountingData data;
        data.counts_nodes = counts_nodes;
        return fields_of(read("sacct", "JobID|Submit|Start|Elapsed|" + columns + "\n4|1|1|60|" + values + "\n", data),
                         0);
    };
    const std::string gib16 = "\"memory\":17179869184";
    CHECK_THAT(memory("AllocCPUS|ReqCPUS|NNodes|ReqMem", "4|4|1|4Gc", false), Contains(gib16));
    CHECK_THAT(memory("AllocCPUS|ReqCPUS|NNodes|ReqMem", "4|4|1|4Gc", true), Contains(gib16));
    CHECK_THAT(memory("NCPUS|ReqMem", "4|4Gc", false), Contains(gib16));
    CHECK_THAT(memory("AllocCPUS|NNodes|ReqMem", "4|1|4Gc", true), Contains(gib16));
    CHECK_THAT(memory("AllocCPUS|NNodes|ReqMem", "4|2|8Gn", true), Contains(gib16));
}

TEST_CASE("A state that batfill does not know counts as ended and is noted") {
    const std::string header = "JobID|Submit|Start|Elapsed|NCPUS|State\n";
    const SwfLog log = read("sacct", header + "1|1|1|5|4|FOO\n2|1|1|5|4|REQUEUED\n3|1|1|5|4|\n4|1|1|5|4|FOO by 7\n");
    CHECK(log.jobs.size() == 4);
    CHECK(count_of(log.noted, "state that batfill does not know: the job counts as ended") == 2);
}

TEST_CASE("sacct: sizes come from the columns that are there, GPUs from the generic resources") {
    const std::string header = "JobID|Submit|Start|Elapsed|ReqTRES|AllocTRES\n";
    const std::string row =
        "1|1709280000|1709280000|00:10|billing=8,cpu=6|billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=3,mem=2G\n";
    const SwfLog log = read("sacct", header + row);
    CHECK(log.jobs.at(0).allocated_processors == 8);
    CHECK(log.jobs.at(0).requested_processors == 6);
    CHECK(log.jobs.at(0).run_time == Duration::seconds(10));
    AccountingData nodes;
    nodes.counts_nodes = true;
    const SwfLog of_nodes = read("sacct", sacct_header + sacct_row, nodes);
    CHECK(of_nodes.jobs.at(0).allocated_processors == 2);
    const SwfLog with_gpus =
        read("sacct", "JobID|Submit|Start|Elapsed|AllocTRES\n1|1|1|5|cpu=1,gres/gpu:a100=2,gres/gpu=2\n");
    CHECK(fields_of(with_gpus, 0) == R"("gpus":2)");
}

TEST_CASE("Bad accounting data get one line with file, line and column") {
    const auto problem = [](const std::string& format, const std::string& text) { return problem_with(format, text); };
    CHECK_THAT(problem("sacct", "JobID|Start\n1|x\n"), Contains("data:1: no column Submit"));
    CHECK_THAT(
        problem("sacct", "JobID|Submit|Start\n1|yesterday|x\n"),
        Contains("data:2: Submit is 'yesterday', expected seconds since 1970, or a time such as 2024-03-01 12:00:00"));
    CHECK_THAT(problem("sacct", "JobID|Submit|Start|Timelimit\n1|1|2|soon\n"), Contains("data:2: Timelimit is 'soon'"));
    CHECK_THAT(problem("sacct", "JobID|Submit|Start|AllocCPUS\n1|1|2|many\n"), Contains("data:2: AllocCPUS is 'many'"));
    CHECK_THAT(problem("sacct", "JobID|Submit\n1|1|2\n"), Contains("data:2: 3 fields, expected 2"));
    CHECK_THAT(problem("pbs", "\n"), Contains("data: expected jobs, found none"));
    CHECK_THAT(problem("sacct", "JobID|Submit\n"), Contains("data: expected jobs, found none"));
    CHECK_THAT(problem("pbs", "hello; world\n"), Contains("data:1: expected DATE;TYPE;ID;ATTRIBUTES"));
    CHECK_THAT(
        problem("pbs", pbs_end("1.s", "Resource_List.walltime=long")),
        Contains(
            "data:1: Resource_List.walltime is 'long', expected seconds, a length such as 1-12:00:00, or UNLIMITED"));
}

TEST_CASE("PBS: a job is its end record; other records and arrays are left out") {
    const SwfLog log = read("pbs", "03/01/2024 08:00:00;Q;12.server;queue=workq\n" +
                                       pbs_end("12.server",
                                               "exec_host=n1/0*4+n2/0*4 exec_vnode=(n1:ncpus=4)+(n2:ncpus=4) "
                                               "Resource_List.mem=16gb Resource_List.ncpus=8 Resource_List.nodect=2 "
                                               "Resource_List.ngpus=1 Resource_List.walltime=100:00:00") +
                                       pbs_end("13[].server", "exec_host=n1/0") +
                                       pbs_end("13[2].server", "exec_host=n1/0-7,9+n2/1 Resource_List.nodes=2:ppn=5"));
    REQUIRE(log.jobs.size() == 2);
    CHECK(id_of(log, 0) == "12");
    CHECK(log.jobs[0].submit == Duration::seconds(8 * 3600));
    CHECK(log.jobs[0].wait == Duration::seconds(600));
    CHECK(log.jobs[0].run_time == Duration::seconds(3600));
    CHECK(log.jobs[0].requested_time == Duration::seconds(360'000));
    CHECK(log.jobs[0].allocated_processors == 8);
    CHECK(log.jobs[0].status == 1);
    CHECK(fields_of(log, 0) == R"("account":"a b","gpus":1,"nodes":2,"memory":17179869184)");
    CHECK(id_of(log, 1) == "13[2]");
    CHECK(log.jobs[1].allocated_processors == 10);
    CHECK(log.jobs[1].requested_processors == 10);
    CHECK(count_of(log.left_out, "record that is not the end") == 1);
    CHECK(count_of(log.left_out, "array") == 1);
    AccountingData nodes;
    nodes.counts_nodes = true;
    CHECK(read("pbs", pbs_end("1.s", "exec_host=n1/0+n1/1+n2/0"), nodes).jobs.at(0).allocated_processors == 2);
}

TEST_CASE("PBS: a log that ends in the middle of a record is refused, and a record without an end inside is not") {
    const std::string whole = pbs_end("1.s", "exec_host=n1/0");
    const std::string cut = pbs_end("2.s", "exec_host=n1/0");
    const std::string expected = "data:2: expected the end of a record, with end=SECONDS, found the end of the file";
    for (const std::string upto : {"user=al", "ctime=", "start=17", "exec_host", "end", "end=17092"}) {
        INFO(upto);
        CHECK_THAT(problem_with("pbs", whole + cut.substr(0, cut.find(upto) + upto.size())), Contains(expected));
    }
    CHECK(read("pbs", whole + cut.substr(0, cut.size() - 1)).jobs.size() == 2);
    const std::string odd = "03/01/2024 09:10:00;E;3.s;user=alice ctime=1709280000 start=1709280600\n";
    CHECK(read("pbs", odd + whole).jobs.size() == 2);
    CHECK(read("pbs", whole + odd).jobs.size() == 2);
    CHECK(read("pbs", odd + "03/01/2024 09:10:00;L;license;floating").jobs.size() == 1);
}

TEST_CASE("Sizes of memory and items of lists of resources") {
    CHECK(read_bytes("16G", 1) == 16LL << 30);
    CHECK(read_bytes("2.5g", 1) == (5LL << 30) / 2);
    CHECK(read_bytes("8388608kb", 1) == 8LL << 30);
    CHECK(read_bytes("16GiB", 1) == 16LL << 30);
    CHECK(read_bytes("16 GB", 1) == 16LL << 30);
    CHECK(read_bytes("2gw", 1) == 16LL << 30);
    CHECK(read_bytes("100w", 1 << 20) == 800);
    CHECK_FALSE(read_bytes("w", 1));
    CHECK_FALSE(read_bytes("ib", 1));
    CHECK(read_bytes("4000", 1 << 20) == 4000LL << 20);
    CHECK(read_bytes("4000b", 1 << 20) == 4000);
    CHECK_FALSE(read_bytes("", 1));
    CHECK_FALSE(read_bytes("G", 1));
    CHECK_FALSE(read_bytes("-1G", 1));
    CHECK_FALSE(read_bytes("99999999999P", 1));
    CHECK(item_of("billing=8,cpu=8,mem=32G", "cpu") == "8");
    CHECK_FALSE(item_of("gres/gpu:a100=2", "gres/gpu"));
}

TEST_CASE("PBS: sizes beyond any machine are refused with the part that has them, and do not overflow") {
    const auto problem = [](const std::string& more) { return problem_with("pbs", pbs_end("1.s", more)); };
    const std::string expected = "data:1: expected at most 2147483646 processors, found ";
    CHECK_THAT(problem("Resource_List.nodes=4611686018427387905:ppn=4"),
               Contains(expected + "'4611686018427387905:ppn=4'"));
    CHECK_THAT(problem("exec_host=n/0-9223372036854775807+n/0-5"), Contains(expected + "'n/0-9223372036854775807'"));
    CHECK_THAT(problem("exec_host=n/0*9223372036854775807+n/0*5"), Contains(expected + "'n/0*9223372036854775807'"));
    CHECK_THAT(problem("exec_host=n/0*2147483646+m/0"), Contains(expected + "2147483647"));
    CHECK_THAT(problem("Resource_List.ncpus=2147483647"),
               Contains("data:1: Resource_List.ncpus is '2147483647', expected a whole number up to 2147483646"));
    CHECK(read("pbs", pbs_end("1.s", "exec_host=n/0*2147483646")).jobs.at(0).allocated_processors == 2'147'483'646);
    CHECK(
        read("pbs", pbs_end("1.s", "Resource_List.nodes=-9223372036854775807:ppn=4")).jobs.at(0).allocated_processors ==
        0);
}

TEST_CASE("sacct: the memory of the widest jobs is a number, and refused beyond what a number holds") {
    const std::string head = "JobID|Submit|Start|Elapsed|AllocCPUS|NNodes|ReqMem\n1|1|1|5|8|9408|";
    CHECK(fields_of(read("sacct", head + "512Gn\n"), 0) == R"("nodes":9408,"memory":5172102697058304)");
    CHECK_THAT(problem_with("sacct", head + "7000Pn\n"),
               Contains("data:2: ReqMem is '7000Pn', expected at most 9000000000000000000 bytes for the job"));
}

TEST_CASE("sacct: a heterogeneous job of more processors than a job can have is refused") {
    CHECK_THAT(problem_with("sacct",
                            "JobID|Submit|Start|Elapsed|AllocTRES\n"
                            "1+0|1|1|5|cpu=2147483646\n"
                            "1+1|1|1|5|cpu=1\n"),
               Contains("data:3: expected at most 2147483646 processors, found 2147483647"));
    CHECK_THAT(problem_with("sacct", "JobID|Submit|Start|Elapsed|AllocTRES\n1|1|1|5|cpu=9223372036854775807\n"),
               Contains("data:2: AllocTRES: cpu is '9223372036854775807', expected a whole number up to 2147483646"));
}

TEST_CASE("A job of several files that is too wide is named by its own file and line") {
    const Folder folder;
    std::ofstream(folder.file("first.log")) << pbs_end("1.s", "exec_host=n/0");
    std::ofstream(folder.file("second.log")) << "\n" << pbs_end("2.s", "Resource_List.nodect=3000000000");
    AccountingData data;
    data.format = "pbs";
    data.paths = {folder.file("first.log"), folder.file("second.log")};
    data.counts_nodes = true;
    CHECK_THROWS_WITH(read_accounting(data),
                      Contains("second.log:2: Resource_List.nodect is '3000000000', expected a whole number up to"));
}

TEST_CASE("Numbers of seconds go up to the year 9999, and larger ones are refused with their unit") {
    const auto table = [](const std::string& submit) { return "id,submit,run,n\n1," + submit + ",5,1\n"; };
    const ColumnMapping mapping{{"id", "id"}, {"submit", "submit"}, {"run-time", "run"}, {"processors", "n"}};
    CHECK(read_csv_table(table("253402300799"), mapping).zero == "9999-12-31 00:00:00 UTC");
    const std::vector<std::pair<std::string, std::string>> units = {{"1709280000000", "milliseconds"},
                                                                    {"1709280000000.5", "milliseconds"},
                                                                    {"1709280000000000", "microseconds"},
                                                                    {"1709280000000000000", "nanoseconds"},
                                                                    {"1e18", "nanoseconds"}};
    for (const auto& [submit, unit] : units) {
        CHECK_THROWS_WITH(read_csv_table(table(submit), mapping),
                          Contains("data:2: submit is '" + submit + "', expected seconds since 1970") &&
                              Contains("say --times " + unit));
    }
    AccountingData milliseconds;
    milliseconds.times = TimeFormat::milliseconds;
    CHECK(read_csv_table(table("1709280000000"), mapping, milliseconds).zero == "2024-03-01 00:00:00 UTC");
    CHECK(read_csv_table(table("20240301120000"), mapping).jobs.at(0).submit == Duration::seconds(43'200));
}

}  // namespace batfill::tests::accounting_test
