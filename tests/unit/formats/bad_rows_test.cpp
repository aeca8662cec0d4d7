#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/unit/formats/accounting_files.hpp"

namespace batfill::tests::bad_rows_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using namespace accounting_files;

namespace {

const std::string advice = "; --bad-rows drop leaves such rows out";
const ColumnMapping mapping = {{"id", "i"}, {"submit", "s"}, {"run-time", "r"}, {"processors", "p"}, {"name", "n"}};

AccountingData tolerant() {
    AccountingData data;
    data.drops_bad_rows = true;
    return data;
}

// The ids of the jobs of a log, each followed by a blank.
std::string ids_in(const SwfLog& log) {
    std::string ids;
    for (std::size_t job = 0; job < log.jobs.size(); ++job) {
        ids += id_of(log, job) + " ";
    }
    return ids;
}

// Checks that the text is refused, and read without its bad rows if these may be dropped.
SwfLog read_tolerantly(const std::string& format, const std::string& text, const std::string& ids, std::size_t bad_rows,
                       const ColumnMapping& columns = {}) {
    INFO(text);
    AccountingData strict;
    strict.mapping = columns;
    CHECK_THROWS_WITH(read(format, text, strict), Contains(advice));
    AccountingData data = tolerant();
    data.mapping = columns;
    SwfLog log = read(format, text, data);
    CHECK(ids_in(log) == ids);
    CHECK(count_of(log.left_out, "row that cannot be read") == bad_rows);
    return log;
}

}  // namespace

TEST_CASE("Bad rows of sacct are dropped, and the first of each kind is kept") {
    const SwfLog log = read_tolerantly("sacct",
                                       "JobID|JobName|Submit|Start|Elapsed|NCPUS\n"
                                       "1|a|1|1|5|4\n2|a|b|1|1|5|4\n3\n3|y\n4|a|soon|1|5|4\n5|a|late|1|5|4\n"
                                       "6|a|1|1|5|9999999999\n7|a|1|1|5|4\n",
                                       "1 2 7 ", 5);
    REQUIRE(log.bad_rows.size() == 3);
    CHECK_THAT(log.bad_rows[0].first, EndsWith("data:4: 1 fields, expected 6 as in the first line"));
    CHECK(log.bad_rows[0].rows == 2);
    CHECK_THAT(log.bad_rows[1].first, Contains("data:6: Submit is 'soon', expected"));
    CHECK(log.bad_rows[1].rows == 2);
    CHECK(log.bad_rows[2].rows == 1);
}

TEST_CASE("A row with a zero byte is a bad row of sacct") {
    const std::string zero(1, '\0');
    const std::string header = "JobID|Submit|Start|Elapsed|NCPUS|User\n";
    read_tolerantly("sacct", header + "1|1|1|5|4|a" + zero + "\n2|1|1|5|4|b\n", "2 ", 1);
}

TEST_CASE("A bad row leaves nothing behind for the next job") {
    const std::string header = "JobID|Submit|Start|Elapsed|NCPUS|Account|Timelimit\n";
    const SwfLog log = read_tolerantly("sacct", header + "|1|1|5|4|phys|UNLIMITED\n2|1|1|5|4||9\n", "2 ", 1);
    CHECK(fields_of(log, 0).empty());
    CHECK(log.noted.empty());
}

TEST_CASE("Bad rows of a table in CSV are dropped, also for their quotes") {
    const std::string header = "i,s,r,p,n\n";
    const auto check = [&](const std::string& rows, const std::string& ids, std::size_t bad) {
        read_tolerantly("csv", header + rows, ids, bad, mapping);
    };
    check("1,0,5,2,a\n2,0,5\n3,0,5,2,a,b\n4,0,5,2,c\n", "1 4 ", 2);
    check("1,0,5,2,\"a\"b\n2,0,5,2,c\n", "2 ", 1);
    check("1,0,5,2,\"a\n2,0,5,2,c\n3,0,5,2,\"d\"\n4,0,5,2,\"e\nf\"\n", "2 3 4 ", 1);
    check("1,0,5,2,a\n2,0,5,2,\"c\n3,0,5,2,d", "1 3 ", 1);
    check("1,0,many,2,a\n2,0,5,-7,a\n3,0,5,2,c\n", "3 ", 2);
    AccountingData data = tolerant();
    data.mapping = mapping;
    CHECK(read("csv", header + "1,0,5,2,\"e\nf\"\n\n2,0,5,2,c\r\n3,0,5,2,\"d\"", data).jobs.at(2).line == 6);
    CHECK_THROWS_WITH(read("csv", "i,s,r,p\n1,0,5,2\n", data), Contains("data:1: no column n"));
    CHECK_THROWS_WITH(read("csv", "i,s,\"r\"x,p,n\n1,0,5,2,a\n", data), Contains("misplaced or missing quote"));
}

TEST_CASE("A long table with bad rows has its lines in order") {
    std::string text = "i,s,r,p,n\n";
    std::size_t bad = 0;
    for (int row = 2; row < 20'000; ++row) {
        const bool is_bad = row % 7 == 0;
        bad += is_bad ? 1 : 0;
        text += std::to_string(row) + ",0,5,2," + (is_bad ? "\"x\"y\n" : "\"some text\"\n");
    }
    AccountingData data = tolerant();
    data.mapping = mapping;
    const SwfLog log = read("csv", text, data);
    CHECK(log.bad_rows.at(0).rows == bad);
    CHECK(std::to_string(log.jobs.back().line) == id_of(log, log.jobs.size() - 1));
}

TEST_CASE("Bad records of PBS are dropped, and so is one that is cut") {
    const auto record = [](const std::string& id, const std::string& more) {
        return "03/01/2024 09:10:00;E;" + id + ".s;user=a ctime=1709280000 start=1709280600 " + more +
               " Resource_List.ncpus=2 end=1709284200";
    };
    const std::string good = record("1", "") + "\n" + record("2", "") + "\n";
    read_tolerantly("pbs", "junk;\n" + good, "1 2 ", 1);
    read_tolerantly("pbs", good + record("3", "Resource_List.walltime=long") + "\n", "1 2 ", 1);
    read_tolerantly("pbs", good + record("3", "").substr(0, 80), "1 2 ", 1);
}

TEST_CASE("Bad rows of Frontier and bad jobs of Philly are dropped") {
    const std::string row = " 0 5 60 1 -1 -1 1 100 -1 1 u -1 -1 q -1 -1 -1 -1 -1 2500\n";
    read_tolerantly("frontier", "1" + row + "2 0 5\n3" + row, "1 3 ", 1);
    const std::string job = R"("submitted_time":"2017-10-01 00:00:00","attempts":[{"start_time":"2017-10-01 00:00:01",)"
                            R"("end_time":"2017-10-01 00:01:00","detail":[{"gpus":["a"]}]}]})";
    read_tolerantly("philly", R"([{"jobid":"a",)" + job + R"(,7,{"jobid":"",)" + job + R"(,{"jobid":"c",)" + job + "]",
                    "a c ", 2);
}

TEST_CASE("A heterogeneous job with a component that cannot be read is left out") {
    const std::string head = "JobID|Submit|Start|Elapsed|NCPUS\n";
    const std::string good = "7+0|1|1|5|4\n";
    const std::string also_good = "7+1|1|1|5|2\n";
    const std::string other = "8|1|1|5|4\n";
    AccountingData data;
    data.drops_bad_rows = true;
    for (const std::string bad : {"7+2|1|1|5|x\n", "7+2|1|1\n", "7+2|1|1|5|2|9\n"}) {
        for (const std::string& rows : {bad + good + also_good, good + bad + also_good, good + also_good + bad}) {
            CAPTURE(rows);
            const SwfLog log = read("sacct", head + rows + other, data);
            CHECK(log.jobs.size() == 1);
            CHECK(id_of(log, 0) == "8");
            CHECK(log.bad_rows.size() == 1);
            CHECK(count_of(log.left_out, "heterogeneous job with a component that cannot be read") ==
                  (rows.starts_with(bad) ? 0 : 1));
            CHECK(count_of(log.left_out, "component of a heterogeneous job that is left out") ==
                  (rows.starts_with(bad) ? 2
                   : rows.ends_with(bad) ? 0
                                         : 1));
        }
    }
    // Only the run that it belongs to.
    const SwfLog log = read("sacct", head + good + also_good + good + "7+1|1|9|5|x\n" + other, data);
    REQUIRE(log.jobs.size() == 2);
    CHECK(log.jobs[0].allocated_processors == 6);
}

TEST_CASE("Amounts that cannot be read make a row of sacct a bad one") {
    const auto refused = [](const std::string& columns, const std::string& values, const std::string& why) {
        INFO(columns << " " << values);
        const std::string head = "JobID|Submit|Start|Elapsed|" + columns + "\n1|1|1|5|";
        AccountingData data;
        data.fields = {.per_host = true};
        data.keeps_hosts = true;
        CHECK_THROWS_WITH(read("sacct", head + values + "\n", data), Contains("data:2: " + why));
        data.drops_bad_rows = true;
        CHECK(read("sacct", head + values + "\n", data).bad_rows.size() == 1);
    };
    refused("NNodes|AllocTRES", "1|cpu=abc,mem=1G", "AllocTRES: cpu is 'abc', expected a whole number");
    refused("NNodes|AllocTRES", "1|cpu=-4", "AllocTRES: cpu is '-4', expected");
    refused("NNodes|AllocTRES", "1|cpu=4,cpu=8", "AllocTRES: found two amounts of cpu in");
    refused("NNodes|AllocTRES", "1|cpu=4,mem=4X", "AllocTRES: mem is '4X', expected a size of memory");
    refused("NNodes|ReqTRES", "1|mem=-1G", "ReqTRES: mem is '-1G', expected");
    refused("NNodes|ReqMem", "1|4Gx", "ReqMem is '4Gx', expected a size of memory");
    for (const std::string list : {"c[1-2", "c[3-1]", "c[]", "c[1-99999999999]", "c[a]", "c1,,c2", "c[1-2+"}) {
        refused("NNodes|NodeList", "2|" + list, "NodeList is " + ("'" + list) + "', expected a list of hosts");
    }
    AccountingData data;
    data.fields = {.per_host = true};
    data.keeps_hosts = true;
    refused("NNodes|NodeList", "2|n]", "NodeList is 'n]', expected");
    refused("NNodes|ReqMem", "1|4Gnn", "ReqMem is '4Gnn', expected");
    for (const std::string none : {"", "None assigned", "Unknown", "bgp[000x133]"}) {
        for (const std::string memory : {"?", "16?n", "18446744073709551614M", "9223372036854775808Mc"}) {
            const SwfLog log = read(
                "sacct",
                "JobID|Submit|Start|Elapsed|NCPUS|NNodes|ReqMem|NodeList\n1|1|1|5|4|1|" + memory + "|" + none + "\n",
                data);
            CHECK(fields_of(log, 0) == R"("nodes":1,"per_host":{"cores":4})");
        }
    }
}

TEST_CASE("Amounts that cannot be read make a row of PBS or of a table a bad one") {
    const auto refused = [](const std::string& format, const std::string& text, const std::string& why,
                            const ColumnMapping& columns = {}) {
        INFO(text);
        AccountingData data;
        data.fields = {.per_host = true};
        data.mapping = columns;
        CHECK_THROWS_WITH(read(format, text, data), Contains(why));
    };
    const auto pbs = [&](const std::string& more, const std::string& why) {
        refused("pbs",
                "03/01/2024 09:10:00;E;1.s;user=a ctime=1709280000 start=1709280600 " + more + " end=1709284200\n",
                "data:1: " + why);
    };
    pbs("Resource_List.ncpus=2 Resource_List.mem=4zz", "Resource_List.mem is '4zz', expected a size of memory");
    pbs("Resource_List.ncpus=2 Resource_List.pmem=x", "Resource_List.pmem is 'x', expected a size");
    pbs("Resource_List.ncpus=two", "Resource_List.ncpus is 'two', expected a whole number");
    pbs("Resource_List.select=1:ncpus=2:mem=4zz", "mem is '4zz', expected a size");
    pbs("Resource_List.select=1:ncpus=a", "ncpus is 'a', expected a whole number");
    pbs("exec_vnode=(n1:ncpus=2:ngpus=b)", "ngpus is 'b', expected");
    pbs("exec_host=n1/0*x", "exec_host has the slots 'n1/0*x', expected");
    pbs("exec_host=n1/3-1", "exec_host has the slots 'n1/3-1', expected");
    pbs("exec_host=n1/0++n2/0", "exec_host has a part without a host");
    pbs("exec_host=n[01-/0", "exec_host names the hosts 'n[01-', expected a list");
    const ColumnMapping columns = {{"id", "i"},    {"submit", "s"}, {"run-time", "r"},
                                   {"nodes", "n"}, {"cores", "c"},  {"memory", "m"}};
    refused("csv", "i,s,r,n,c,m\n1,0,10,2,8,16Q\n", "data:2: m is '16Q', expected a size of memory", columns);
    refused("csv", "i,s,r,n,c,m\n1,0,10,2,x,16\n", "data:2: c is 'x', expected", columns);
}

TEST_CASE("The twentieth kind of bad rows has all further kinds") {
    std::string text = "JobID|Submit|Start|Elapsed|NCPUS\n1|1|1|5|4\n";
    for (char c = 'a'; c < 'z'; ++c) {
        text += std::string("1|1|1|5|it's") + c + "\n";
    }
    const SwfLog log = read("sacct", text, tolerant());
    CHECK(log.bad_rows.size() == 20);
    std::size_t rows = 0;
    for (const BadRows& kind : log.bad_rows) {
        rows += kind.rows;
    }
    CHECK(rows == 25);
}

}  // namespace batfill::tests::bad_rows_test
