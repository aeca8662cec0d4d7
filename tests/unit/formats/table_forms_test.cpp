#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/unit/formats/accounting_files.hpp"

// The forms of tables, and jobs that several rows or odd values describe.
namespace batfill::tests::table_forms_test {

using Catch::Matchers::Contains;
using namespace accounting_files;

namespace {

const ColumnMapping numbered = {{"id", "1"}, {"submit", "2"}, {"start", "3"}, {"end", "4"}, {"processors", "5"}};
const ColumnMapping named = {
    {"id", "id"}, {"submit", "submit"}, {"start", "start"}, {"end", "end"}, {"processors", "n"}};
const std::string header = "id,submit,start,end,n\n";

}  // namespace

TEST_CASE("A table without names has its columns by number, also if the numbers occur in its first line") {
    for (const std::string text : {"7,10,20,30,2\n8,12,22,30,2\n", "1,10,20,30,2\n8,12,22,30,2\n",
                                   "# made by a program\n; of old\n1,10,20,30,2\n8,12,22,30,2\n"}) {
        INFO(text);
        const SwfLog log = read_csv_table(text, numbered);
        REQUIRE(log.jobs.size() == 2);
        CHECK(log.jobs[0].submit == Duration::seconds(10));
        CHECK(id_of(log, 1) == "8");
        CHECK(log.jobs[1].allocated_processors == 2);
    }
    CHECK_THROWS_WITH(read_csv_table("1,2\n", numbered), Contains("data:1: no column 5, expected a number up to 2"));
}

TEST_CASE("A table whose names are numbers is read by its names") {
    const SwfLog log = read_csv_table("5,4,3,2,1\n2,30,20,10,a\n", numbered);
    REQUIRE(log.jobs.size() == 1);
    CHECK(id_of(log, 0) == "a");
    CHECK(log.jobs[0].submit == Duration::seconds(10));
}

TEST_CASE("Comments before the names are skipped, and a comment may have the names") {
    for (const std::string begin : {"# id submit ...\nid,submit,start,end,n\n", "#id,submit,start,end,n\n",
                                    "# \"made\" by x\n# id, submit, start, end, n\n", "; id,submit,start,end,n\r\n"}) {
        INFO(begin);
        const SwfLog log = read_csv_table(begin + "1,10,20,30,2\n", named);
        REQUIRE(log.jobs.size() == 1);
        CHECK(log.jobs[0].run_time == Duration::seconds(10));
    }
}

TEST_CASE("An error about a missing column names those of the table") {
    CHECK_THROWS_WITH(read_csv_table("job,time\n1,2\n", named),
                      Contains("data:1: no column id, expected one of job, time"));
}

TEST_CASE("Words for a missing value leave the job out, in any letters") {
    for (const std::string word : {"NULL", "null", "Null", "NaN", "<NA>", "\\N", "N/A", "(null)", "-", "UNKNOWN",
                                   "0000-00-00 00:00:00", "1970-01-01", "9223372036854775807", ""}) {
        INFO(word);
        const SwfLog log = read_csv_table(header + "1,10,20,30,2\n2,10," + word + "," + word + ",2\n", named);
        CHECK(log.jobs.size() == 1);
        CHECK(count_of(log.left_out, "never started") == 1);
    }
    ColumnMapping with_user = named;
    with_user.emplace_back("user", "u");
    const SwfLog log = read_csv_table("id,submit,start,end,n,u\n1,1,2,3,4,NULL\n2,1,2,3,4,na\n", with_user);
    CHECK(log.jobs[0].user == -1);
    CHECK(user_of(log, 1) == "na");
}

TEST_CASE("Numbers of processors may have separators between thousands") {
    for (const std::string number : {"1024", "\"1,024\"", "1'024", "1 024", "1_024", " 1024 "}) {
        INFO(number);
        CHECK(read_csv_table(header + "1,10,20,30," + number + "\n", named).jobs[0].allocated_processors == 1024);
    }
    for (const std::string number : {"\"1,02\"", "\"1,0244\"", "\",024\"", "\"1,024'000\"", "\"1,\""}) {
        INFO(number);
        CHECK_THROWS_AS(read_csv_table(header + "1,10,20,30," + number + "\n", named), InputError);
    }
}

TEST_CASE("Minutes apply to bare numbers, not to lengths with units of their own") {
    ColumnMapping mapping = named;
    mapping.emplace_back("walltime-minutes", "limit");
    const std::vector<std::pair<std::string, Duration>> limits = {
        {"60", Duration::seconds(3600)},       {"90.5", Duration::seconds(5430)},
        {"01:00:00", Duration::seconds(3600)}, {"1-00:00:00", Duration::days(1)},
        {"2-12", Duration::seconds(216'000)},  {"4294967295", Duration::seconds(-1)},
        {"UNLIMITED", Duration::seconds(-1)},  {"unlimited", Duration::seconds(-1)}};
    for (const auto& [limit, walltime] : limits) {
        INFO(limit);
        const SwfLog log = read_csv_table("id,submit,start,end,n,limit\n1,1,2,3,4," + limit + "\n", mapping);
        CHECK(log.jobs[0].requested_time == walltime);
    }
}

TEST_CASE("A run that two files have is one run, and runs with another start are others") {
    const SwfLog log = read_csv_table(header +
                                          "1,1709280000,1709280060,1709283660,4\n2,1709280000,1709280060,1709283660,4\n"
                                          "1,1709280000,1709280060,1709283660,4\n1,1709280000,1709290000,1709290001,4\n"
                                          "3,1709280000,1709279000,1709283660,4\n3,1709280000,1709278000,1709283660,4\n"
                                          "3,1709280000,1709278000,1709283660,4\n",
                                      named);
    REQUIRE(log.jobs.size() == 5);
    CHECK(count_of(log.left_out, "same row again") == 2);
    CHECK(id_of(log, 2) == "1");
    CHECK(log.jobs[2].run_time == Duration::seconds(1));
    CHECK(log.jobs[0].number == log.jobs[2].number);
    CHECK(count_of(log.anomalies, "start before the submission") == 2);
}

TEST_CASE("Rows of one file that share id, submission and start are tasks of an array, unless they are equal") {
    ColumnMapping mapping = named;
    mapping.emplace_back("task", "t");
    const std::string tasks =
        "id,submit,start,end,n,t\n100,5,10,70,4,1\n100,5,10,90,4,2\n100,5,10,70,4,3\n100,5,10,70,4,1\n";
    const SwfLog log = read_csv_table(tasks, mapping);
    CHECK(log.jobs.size() == 3);
    CHECK(count_of(log.left_out, "same row again (all that is read is equal; --equal-rows keep makes it a job)") == 1);
    AccountingData data;
    data.keeps_equal_rows = true;
    const SwfLog kept = read_csv_table(tasks, mapping, data);
    CHECK(kept.jobs.size() == 4);
    CHECK(kept.left_out.empty());
}

TEST_CASE("An option that keeps equal rows is named where they are more than one of a hundred") {
    const auto rule_with = [](int jobs) {
        std::string rows = header + "1,5,10,70,4\n1,5,10,70,4\n";
        for (int id = 2; id < jobs; ++id) {
            rows += std::to_string(id) + ",5,10,70,4\n";
        }
        return read_csv_table(rows, named).left_out.at(0).what;
    };
    CHECK(rule_with(99) == "same row again (all that is read is equal; --equal-rows keep makes it a job)");
    CHECK(rule_with(100) == "same row again (all that is read is equal)");
}

TEST_CASE("Equal rows that are kept are those of the file that has most") {
    const std::string row = "5,10,20,40,4\n";
    const Folder folder;
    const std::string one = folder.write("one", header + row + "6,10,20,30,4\n");
    const std::string three = folder.write("three", header + row + row + row);
    AccountingData data;
    data.format = "csv";
    data.mapping = named;
    for (const auto& paths : {std::vector{one, three}, std::vector{three, one}}) {
        data.paths = paths;
        data.keeps_equal_rows = true;
        const SwfLog kept = read_accounting(data);
        CHECK(kept.jobs.size() == 4);
        CHECK(count_of(kept.left_out, "same row again in another file (all that is read is equal)") == 1);
        data.keeps_equal_rows = false;
        const SwfLog log = read_accounting(data);
        CHECK(log.jobs.size() == 2);
        CHECK(count_of(log.left_out, "same row again (all") == (paths.front() == three ? 2 : 0));
    }
}

TEST_CASE("Of a run that two files have, the row with the later end counts, in any order of the files") {
    const Folder folder;
    const std::string early = folder.write("early", header + "5,10,20,40,4\n6,10,20,30,4\n");
    const std::string late = folder.write("late", header + "5,10,20,90,4\n7,80,90,99,4\n");
    for (const auto& paths : {std::vector{early, late}, std::vector{late, early}}) {
        AccountingData data;
        data.format = "csv";
        data.mapping = named;
        data.paths = paths;
        const SwfLog log = read_accounting(data);
        CHECK(log.jobs.size() == 3);
        CHECK(count_of(log.left_out, "same run again in another file") == 1);
        for (const SwfJob& job : log.jobs) {
            CHECK((log.ids[static_cast<std::size_t>(job.number)] != "5" || job.run_time == Duration::seconds(70)));
        }
    }
}

TEST_CASE("A repeated row does not mix up the ids that are changed") {
    const SwfLog log =
        read_csv_table(header + "5,1,2,3,4\n5,1,2,3,4\nb,1,2,3,4\nraw07,1,2,3,4\nc,1,2,3,4\nraw07,1,8,9,4\n", named);
    REQUIRE(log.jobs.size() == 5);
    CHECK(id_of(log, 0) == "5");
    CHECK(id_of(log, 1) == "b");
    CHECK(id_of(log, 2) == "raw_07");
    CHECK(id_of(log, 3) == "c");
    CHECK(log.jobs[4].number == log.jobs[2].number);
}

TEST_CASE("Instants that all look like dates or days are refused, and read if that is asked for") {
    const std::string dates = header + "1,20240301,20240301,20240302,4\n";
    CHECK_THROWS_WITH(read_csv_table(dates, named), Contains("all instants look like dates such as 20240301"));
    AccountingData seconds;
    seconds.times = TimeFormat::seconds;
    CHECK(read_csv_table(dates, named, seconds).jobs[0].run_time == Duration::seconds(1));
    const std::string days = header + "1,45352.5,45352.75,45353.5,4\n2,45353,45353,45353.25,4\n";
    CHECK_THROWS_WITH(read_csv_table(days, named), Contains("say --times days"));
    AccountingData spreadsheet;
    spreadsheet.times = TimeFormat::days;
    const SwfLog log = read_csv_table(days, named, spreadsheet);
    CHECK(log.zero == "2024-03-01 00:00:00 UTC");
    CHECK(log.jobs[0].submit == Duration::seconds(43'200));
    CHECK(log.jobs[0].run_time == Duration::seconds(64'800));
    // One job that is neither.
    CHECK(read_csv_table(dates + "2,5,6,7,4\n", named).jobs.size() == 2);
    CHECK(read_csv_table(days + "2,5.5,6,7,4\n", named).jobs.size() == 3);
    CHECK(read_csv_table(header + "1,202403011000,202403011100,202403011200,4\n", named).jobs[0].run_time ==
          Duration::seconds(3600));
}

TEST_CASE("A start before the submission is counted, and the job waited 0 s") {
    const SwfLog log = read_csv_table(header + "1,100,40,130,4\n2,100,99,130,4\n3,100,100,130,4\n", named);
    CHECK(count_of(log.anomalies, "start before the submission") == 2);
    for (const SwfJob& job : log.jobs) {
        CHECK(job.wait == Duration());
    }
    CHECK(log.jobs[0].run_time == Duration::seconds(90));
    ColumnMapping with_wait = named;
    with_wait.emplace_back("wait", "w");
    const SwfLog waits = read_csv_table("id,submit,start,end,n,w\n1,1,2,3,4,-1\n2,1,2,3,4,-7\n", with_wait);
    CHECK(waits.jobs[0].wait == Duration::seconds(-1));  // unknown
    CHECK(waits.jobs[1].wait == Duration());
    CHECK(count_of(waits.anomalies, "start before the submission") == 1);
}

TEST_CASE("Ids that a workload cannot have are changed, stay distinct, and are noted") {
    const SwfLog log = read_csv_table(
        header + "a!b,1,2,3,4\na_b,1,2,3,4\nraw07,1,2,3,4\na!b,1,9,10,4\n\"x(y)\",1,2,3,4\nz,1,2,3,4\n", named);
    REQUIRE(log.jobs.size() == 6);
    CHECK(id_of(log, 0) == "a_b_2");
    CHECK(id_of(log, 1) == "a_b");
    CHECK(id_of(log, 2) == "raw_07");
    CHECK(log.jobs[3].number == log.jobs[0].number);  // another run of it
    CHECK(id_of(log, 4) == "x_y_");
    CHECK(id_of(log, 5) == "z");
    CHECK(count_of(log.noted, "id that Batsim would misread") == 4);
    CHECK_THROWS_WITH(read_csv_table(header + ",1,2,3,4\n", named), Contains("data:2: the id is empty"));
}

}  // namespace batfill::tests::table_forms_test
