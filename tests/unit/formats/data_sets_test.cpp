#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/unit/formats/accounting_files.hpp"

namespace batfill::tests::data_sets_test {

using Catch::Matchers::Contains;
using namespace accounting_files;

TEST_CASE("Any table is read by a mapping of its columns") {
    const SwfLog log = read_csv_table(
        "JobID,When,Begin,Cores,Limit,Took,Who,GPUs,Note\n"
        "a1,2024-03-01 08:00:00,2024-03-01 08:01:00,4.0,1-00:00:00,90,\"smith, j\",2,\n"
        "a2,2024-03-01 09:00:00,,1,,60.5,,,007\n",
        {{"id", "JobID"},
         {"submit", "When"},
         {"start", "Begin"},
         {"processors", "Cores"},
         {"walltime", "Limit"},
         {"run-time", "Took"},
         {"user", "Who"},
         {"gpus", "GPUs"},
         {"note", "Note"}});
    REQUIRE(log.jobs.size() == 2);
    CHECK(log.jobs[0].submit == Duration::seconds(8 * 3600));
    CHECK(log.jobs[0].wait == Duration::seconds(60));
    CHECK(log.jobs[0].run_time == Duration::seconds(90));
    CHECK(log.jobs[0].requested_time == Duration::days(1));
    CHECK(log.jobs[0].requested_processors == 4);
    CHECK(log.jobs[0].allocated_processors == 4);
    CHECK(user_of(log, 0) == "smith, j");
    CHECK(fields_of(log, 0) == R"("gpus":2)");
    CHECK(log.jobs[1].wait < Duration());
    CHECK(log.jobs[1].run_time == Duration::microseconds(60'500'000));
    CHECK(log.jobs[1].requested_time < Duration());
    CHECK(log.jobs[1].user == -1);
    CHECK(fields_of(log, 1) == R"("note":"007")");  // no number in JSON
}

TEST_CASE("Tables have other separators, formats of times and zones") {
    const ColumnMapping mapping = {{"id", "i"}, {"submit", "s"}, {"processors", "p"}, {"run-time", "r"}};
    AccountingData data;
    data.separator = ';';
    data.times = TimeFormat::day_first;
    data.time_zone = "Europe/Berlin";
    const SwfLog berlin = read_csv_table("i;s;p;r\n1;15.07.2024 12:00:00;1;5\n", mapping, data);
    CHECK(berlin.zero == "2024-07-14 22:00:00 UTC");
    CHECK(berlin.jobs.at(0).submit == Duration::seconds(12 * 3600));
    AccountingData milliseconds;
    milliseconds.times = TimeFormat::milliseconds;
    const SwfLog log = read_csv_table("i,s,p,r\n1,1709280000250,1,5\n", mapping, milliseconds);
    CHECK(log.zero == "2024-03-01 00:00:00 UTC");
    CHECK(log.jobs.at(0).submit == Duration::seconds(28'800) + Duration::microseconds(250'000));
}

TEST_CASE("A mapping needs an id, a submission, a size and a run time, and columns that exist") {
    CHECK_THROWS_WITH(read_csv_table("i\n1\n", {{"id", "i"}}),
                      Contains("the mapping of columns: expected columns for id, submit"));
    const ColumnMapping mapping = {{"id", "i"}, {"submit", "s"}, {"processors", "p"}, {"run-time", "r"}};
    CHECK_THROWS_WITH(read_csv_table("i,s,p\n1,2,3\n", mapping), Contains("data:1: no column r"));
    CHECK_THROWS_WITH(read_csv_table("i,s,p,r\n1,x,3,4\n", mapping),
                      Contains("data:2: s is 'x', expected seconds since"));
    CHECK_THROWS_WITH(read_csv_table("i,s,p,r\n1,2,3.5,4\n", mapping),
                      Contains("data:2: p is '3.5', expected a whole number"));
}

TEST_CASE("Instants are rounded half to even to the microsecond, as texts and as numbers of any unit") {
    const ColumnMapping mapping = {{"id", "i"}, {"submit", "s"}, {"processors", "p"}, {"run-time", "r"}};
    const auto submit = [&](const std::string& text, TimeFormat times) {
        AccountingData data;
        data.times = times;
        return read_csv_table("i,s,p,r\n1," + text + ",1,5\n", mapping, data).jobs.at(0).submit;
    };
    const auto expected = [](long long microseconds) { return Duration::microseconds(microseconds); };
    CHECK(submit("2024-01-01 00:00:00.1234569", TimeFormat::automatic) == expected(123'457));
    CHECK(submit("1704067200.1234569", TimeFormat::automatic) == expected(123'457));
    CHECK(submit("1704067200123456900", TimeFormat::nanoseconds) == expected(123'457));
    CHECK(submit("1704067200123456500", TimeFormat::nanoseconds) == expected(123'456));
    CHECK(submit("1704067200123457500", TimeFormat::nanoseconds) == expected(123'458));
    CHECK(submit("1704067200123.4569", TimeFormat::milliseconds) == expected(123'457));
}

TEST_CASE("PM100: nodes are the processors, time limits are minutes, times are UTC") {
    const SwfLog log = read(
        "pm100",
        "cores_per_task,end_time,job_id,job_state,num_cores_alloc,num_gpus_alloc,num_nodes_alloc,mem_alloc,partition,qos,"
        "run_time,start_time,submit_time,time_limit,user_id\n"
        "4,2020-05-06 11:15:00+00:00,77,COMPLETED,128,4,1,237,1,4,3600,2020-05-06 10:15:00+00:00,2020-05-06 10:00:00+00:00,"
        "1440,53\n"
        "4,2020-05-06 11:15:00+00:00,78,OUT_OF_MEMORY,256,8,2,474,1,4,3600,2020-05-06 10:15:00+00:00,"
        "2020-05-06 10:00:00+00:00,4294967295,53\n");
    REQUIRE(log.jobs.size() == 2);
    CHECK(log.zero == "2020-05-06 00:00:00 UTC");
    CHECK(log.jobs[0].submit == Duration::seconds(36'000));
    CHECK(log.jobs[0].wait == Duration::seconds(900));
    CHECK(log.jobs[0].run_time == Duration::seconds(3600));
    CHECK(log.jobs[0].requested_time == Duration::days(1));
    CHECK(log.jobs[1].requested_time < Duration());
    CHECK(log.jobs[1].allocated_processors == 2);
    CHECK(log.jobs[1].status == 0);
    CHECK(fields_of(log, 0) == R"("qos":4,"cores":128,"gpus":4,"memory":237)");
}

TEST_CASE("F-DATA: nodes are the processors, times without a zone are those of Japan") {
    const std::string header = "jid,usr,cnumr,nnumr,adt,elpl,sdt,edt,nnuma,mszl,exit state,duration\n";
    for (const char* const offset : {"", "+09:00"}) {
        const std::string o = offset;
        const SwfLog log =
            read("f-data", header + "jid_1,usr_0,96,2,2024-01-02 09:00:00" + o + ",7200.0,2024-01-02 09:10:00" + o +
                               ",2024-01-02 10:10:01" + o + ",2,18446744073709551615,completed,3600.0\n");
        REQUIRE(log.jobs.size() == 1);
        CHECK(log.zero == "2024-01-01 15:00:00 UTC");
        CHECK(log.jobs[0].submit == Duration::seconds(9 * 3600));
        CHECK(log.jobs[0].run_time == Duration::seconds(3600));
        CHECK(log.jobs[0].requested_time == Duration::seconds(7200));
        CHECK(log.jobs[0].requested_processors == 2);
        CHECK(log.jobs[0].status == 1);
        CHECK(user_of(log, 0) == "usr_0");
    }
}

TEST_CASE("Frontier: 21 columns, nodes in the last one, GPUs in column 19, seconds from a time 0 of their own") {
    const SwfLog log = read("frontier",
                            "; UnixStartTime: 1704067200\n"
                            "11 100 20 3600 112 -1 -1 112 7200 -1 1 5 3 -1 2 -1 -1 -1 16 -1 frontier:excl:2x112\n"
                            "12 200 -1 60 1 -1 -1 1 -1 -1 5 6 -1 -1 -1 -1 -1 -1 -1 1800 9\n");
    REQUIRE(log.jobs.size() == 2);
    CHECK(log.zero.empty());
    CHECK(log.jobs[0].submit == Duration::seconds(100));
    CHECK(log.jobs[0].requested_processors == 2);
    CHECK(log.jobs[0].requested_time == Duration::seconds(7200));
    CHECK(fields_of(log, 0) == R"("account":3,"gpus":16)");
    CHECK(log.jobs[1].allocated_processors == 9);
    CHECK(log.jobs[1].status == 5);
    CHECK(log.jobs[1].queue == -1);
    CHECK(fields_of(log, 1) == R"("soft_walltime":1800)");
    CHECK_THAT(problem_with("frontier", "1 2 3\n"), Contains("data:1: expected 21 columns, found 3"));
    CHECK_THAT(problem_with("frontier", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 many\n"),
               Contains("data:1: column 21 is 'many'"));
}

TEST_CASE("Philly: GPUs are the processors, and attempts of a job become one run") {
    const std::string common =
        R"("status":"Pass","vc":"6214e9","submitted_time":"2017-10-07 01:00:00","user":"ce2f4c","attempts":)";
    const std::string job = R"({"jobid":"application_1_2",)" + common;
    const std::string other = R"({"jobid":"application_1_3",)" + common;
    const std::string attempt =
        R"({"start_time":"2017-10-07 01:11:39","end_time":"2017-10-07 01:16:39","detail":[{"ip":"m47","gpus":["gpu0","gpu1"]}]})";
    const std::string later = R"({"start_time":"2017-10-07 02:00:00","end_time":"2017-10-07 02:11:39","detail":[]})";
    const SwfLog log =
        read("philly", "[" + job + "[" + attempt + "]}," + other + "[" + attempt + "," + later + "]}," + job + "[]}," +
                           job + R"([{"start_time":"2017-10-07 01:11:39","end_time":null,"detail":[]}]}])");
    REQUIRE(log.jobs.size() == 2);
    CHECK(log.zero == "2017-10-07 07:00:00 UTC");
    CHECK(log.jobs[0].allocated_processors == 2);
    CHECK(log.jobs[0].run_time == Duration::seconds(300));
    CHECK(log.jobs[1].run_time == Duration::seconds(3600));
    CHECK(queue_of(log, 0) == "6214e9");
    CHECK(count_of(log.noted, "several attempts") == 1);
    CHECK(count_of(log.left_out, "never started") == 1);
    CHECK(problem_with("philly", "[" + job + "1}]").empty());  // no attempts
    CHECK_THAT(problem_with("philly", "[" + job + "[1]}]"), Contains("data: job 1: attempts: expected objects"));
}

TEST_CASE("Helios: GPUs are the processors, and the column queue is the wait") {
    const SwfLog log =
        read("helios",
             "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
             "499,uT,vcJ,4,16,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:02,2020-06-09 19:41:02,3600,1\n"
             "500,uT,vcJ,0,8,1,FAILED,2020-06-09 18:42:01,2020-06-09 18:42:02,2020-06-09 18:43:02,60,1\n");
    REQUIRE(log.jobs.size() == 2);
    CHECK(log.jobs[0].wait == Duration::seconds(1));
    CHECK(log.jobs[0].requested_processors == 4);
    CHECK(queue_of(log, 0) == "vcJ");
    CHECK(fields_of(log, 0) == R"("cores":16,"nodes":1)");
    CHECK(log.jobs[1].requested_processors == 0);  // swf and import drop it: no processors
}

TEST_CASE("Kestrel: lengths as pandas writes them, offsets in times, jobs that never started") {
    const SwfLog log = read(
        "kestrel",
        "id,job_id,user_hash,account_hash,partition,state,submit_time,start_time,end_time,nodes_req,processors_req,memory_req,"
        "wallclock_req,processors_used,wallclock_used,qos,gpus_requested\n"
        "9_1,10,u1,a1,standard,CANCELLED by 132357,2025-04-01 10:00:00-06:00,2025-04-01 10:30:00-06:00,2025-04-01 11:30:00-06:00,"
        "1,104,85G,0 days 04:00:00,104,0 days 01:00:00,normal,\n"
        "9_2,11,u1,a1,standard,PENDING,2025-04-01 10:00:00-06:00,,,1,104,85G,0 days 04:00:00,0,,normal,\n");
    REQUIRE(log.jobs.size() == 1);
    CHECK(id_of(log, 0) == "9_1");
    CHECK(log.zero == "2025-04-01 00:00:00 UTC");
    CHECK(log.jobs[0].submit == Duration::seconds(16 * 3600));
    CHECK(log.jobs[0].requested_time == Duration::seconds(4 * 3600));
    CHECK(log.jobs[0].run_time == Duration::seconds(3600));
    CHECK(log.jobs[0].status == 5);
    CHECK(fields_of(log, 0) == R"("account":"a1","qos":"normal","nodes":1,"memory":"85G")");
    CHECK(count_of(log.left_out, "never started") == 1);
}

namespace {

ColumnMapping mapping_of(const ColumnMapping& columns) {
    ColumnMapping mapping;
    for (const auto& [field, column] : columns) {
        add_column(mapping, field, column);
    }
    return mapping;
}

}  // namespace

TEST_CASE("A mapping names no field that jobs have themselves, and each size and time limit once") {
    for (const char* const field : {"res", "subtime", "profile", "extra_data", "licenses", "deadline"}) {
        CHECK_THROWS_WITH(
            mapping_of({{"id", "a"}, {field, "b"}}),
            "jobs have a field " + std::string(field) + " of their own, expected another name for column b");
    }
    CHECK_THROWS_WITH(mapping_of({{"walltime", "a"}, {"walltime-minutes", "b"}}),
                      "expected one of walltime and walltime-minutes, found both");
    CHECK_THROWS_WITH(mapping_of({{"allocated-processors", "a"}, {"processors", "b"}}),
                      "expected one of processors and allocated-processors, found both");
    CHECK_THROWS_WITH(mapping_of({{"processors", "a"}, {"requested-processors", "b"}}),
                      "expected one of processors and requested-processors, found both");
    CHECK(mapping_of({{"requested-processors", "a"}, {"allocated-processors", "b"}, {"gpus", "c"}}).size() == 3);
}

TEST_CASE("A mapping of a data set takes the place of columns that say the same") {
    AccountingData data;
    data.mapping = {{"processors", "cnumr"}};
    const SwfLog nodes = read("f-data",
                              "jid,usr,cnumr,nnumr,adt,elpl,sdt,edt,nnuma,mszl,exit state,duration\n"
                              "1,u,96,2,2024-01-02 09:00:00,7200.0,2024-01-02 09:10:00,2024-01-02 10:10:01,2,1,"
                              "completed,3600.0\n",
                              data);
    CHECK(nodes.jobs.at(0).requested_processors == 96);
    CHECK(nodes.jobs.at(0).allocated_processors == 96);
    data.mapping = {{"walltime", "limit"}};
    const SwfLog limits = read("pm100",
                               "job_id,submit_time,start_time,end_time,run_time,time_limit,limit,num_nodes_alloc,"
                               "job_state,user_id,partition,qos,num_cores_alloc,num_gpus_alloc,mem_alloc\n"
                               "1,1588723200,1588723200,1588723260,60,10,90,1,COMPLETED,1,1,1,1,1,1\n",
                               data);
    CHECK(limits.jobs.at(0).requested_time == Duration::seconds(90));
}

TEST_CASE("A mapping replaces single columns of a data set") {
    AccountingData data;
    data.mapping = {{"processors", "cpu_num"}};
    const SwfLog log =
        read("helios",
             "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
             "499,uT,vcJ,4,16,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:02,2020-06-09 19:41:02,3600,1\n",
             data);
    CHECK(log.jobs.at(0).requested_processors == 16);
}

}  // namespace batfill::tests::data_sets_test
