#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/analysis/weekly_series.hpp"
#include "tests/command_line/outcome.hpp"

namespace batfill::tests::intervals_command_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

// A table of five rows: easy has no skewness, and its differences to fcfs are -2.
const std::string five =
    "workload,\"easy\",\"fcfs\",\"jobs, all\"\n"
    "a,11,13,10\n"
    "b,12,14,10\n"
    "\"c,d\",13,15,10\n"
    "e,14,16,10\n"
    "f,15,17,10\n";

struct Inputs : Folder {
    Outcome intervals(const std::string& table, const Arguments& more = {}) const {
        return run(*this, with({"intervals", write("t.csv", table)}, more));
    }

    // The numbers of each line of csv, by name: rows, value, low, high, difference, low and high.
    std::map<std::string, std::vector<std::string>> lines(const std::string& table, const Arguments& more = {}) const {
        const Outcome outcome = intervals(table, with(more, {"--format", "csv"}));
        require_done(outcome);
        CHECK(outcome.errors.empty());
        CHECK_THAT(outcome.output, StartsWith("name,rows,value,low,high,difference,difference_low,difference_high\n"));
        std::map<std::string, std::vector<std::string>> found;
        std::istringstream text(outcome.output);
        std::string line;
        std::getline(text, line);
        while (std::getline(text, line)) {
            const std::size_t end = line.find('"', 1);
            std::vector<std::string>& fields = found[line.substr(1, end - 1)];
            std::istringstream rest(line.substr(end + 2) + ',');
            for (std::string field; std::getline(rest, field, ',');) {
                fields.push_back(field);
            }
        }
        return found;
    }
};

double number(const std::string& field) {
    return std::stod(field);
}

// A table of so many rows with the columns a and b, of jobs and of sums over them.
std::string sums(int rows) {
    std::string text = "week,n,a,b\n";
    for (int row = 0; row < rows; ++row) {
        const int jobs = 1 + row % 3;
        text += std::to_string(row) + ',' + std::to_string(jobs) + ',' + std::to_string(jobs * (10 + row * row % 7)) +
                ',' + std::to_string(jobs * 20) + '\n';
    }
    return text;
}

}  // namespace

TEST_CASE("intervals prints the mean of each column, and the difference to the first one") {
    const Inputs inputs;
    auto found = inputs.lines(five);
    CHECK(found.size() == 3);
    // t is 5.660969 with 4 degrees of freedom, for 0.48 %.
    const double half = 5.660969 * std::sqrt(0.5);
    CHECK(found["easy"][0] == "5");
    CHECK(number(found["easy"][1]) == 13);
    CHECK(number(found["easy"][2]) == Approx(13 - half));
    CHECK(number(found["easy"][3]) == Approx(13 + half));
    CHECK(number(found["fcfs"][2]) == Approx(15 - half));
    CHECK(number(found["fcfs"][4]) == 2);
    CHECK(number(found["fcfs"][5]) == Approx(2));
    CHECK(number(found["fcfs"][6]) == Approx(2));
    CHECK(found["jobs, all"][2] == "10");
    CHECK(found["jobs, all"][3] == "10");
    const Outcome table = inputs.intervals(five);
    CHECK_THAT(table.output, StartsWith("name ") && Contains("95 % from") &&
                                 Contains("\neasy          5  13.000      8.997  17.003       0.000"));
    CHECK_THAT(inputs.intervals(five, {"-f", "markdown"}).output, StartsWith("| name | rows | value | 95 % from |"));
    CHECK_THAT(inputs.intervals(five, {"-f", "json"}).output,
               StartsWith("[{\"name\":\"easy\",\"rows\":5,\"value\":13,"));
}

TEST_CASE("intervals compares with another column, and by shares") {
    const Inputs inputs;
    auto differences = inputs.lines(five, {"--baseline", "fcfs"});
    CHECK(differences["easy"][4] == "-2");
    CHECK(differences["fcfs"][4] == "0");
    // The interval of a share is that of the logarithm of the ratio, so it is as far down as up.
    auto shares = inputs.lines(five, {"--baseline", "fcfs", "--relative"});
    CHECK(number(shares["easy"][4]) == Approx(13.0 / 15 - 1));
    std::vector<double> pseudo_values;
    for (int row = 0; row < 5; ++row) {
        pseudo_values.push_back(5 * std::log(13.0 / 15) - 4 * std::log((65.0 - (11 + row)) / (75.0 - (13 + row))));
    }
    const Interval expected = analysis::interval_around(std::log(13.0 / 15), pseudo_values, Sample::workloads, 1);
    CHECK(number(shares["easy"][5]) == Approx(std::expm1(expected.low)));
    CHECK(number(shares["easy"][6]) == Approx(std::expm1(expected.high)));
    CHECK(shares["easy"][2] == differences["easy"][2]);  // the means are no shares
    auto reversed = inputs.lines(five, {"--relative"});
    CHECK((1 + number(reversed["fcfs"][5])) * (1 + number(shares["easy"][6])) == Approx(1));
    CHECK((1 + number(reversed["fcfs"][6])) * (1 + number(shares["easy"][5])) == Approx(1));
    CHECK_THAT(inputs.intervals(five, {"--relative"}).output, Contains("15.38 %"));
    // There are no shares of 0.
    const auto of_nothing = inputs.lines("w,a,b\nx,0,3\ny,0,4\n", {"--relative"});
    CHECK(of_nothing.at("b") == std::vector<std::string>{"2", "3.5", "", "", "", "", ""});
}

TEST_CASE("intervals of values that are not negative are not either") {
    const Inputs inputs;
    const auto plain = inputs.lines("w,a,b\nr,1,-1\ns,2,2\nt,3,3\nu,4,4\nv,5,7\n");
    CHECK(plain.at("a")[2] == "0");
    CHECK(number(plain.at("a")[3]) == Approx(3 + 5.660969 * std::sqrt(0.5)));
    CHECK(number(plain.at("b")[2]) < -1);
    // A difference may be negative.
    CHECK(number(inputs.lines("w,a,b\nr,1,5\ns,2,1\nt,3,2\nu,4,3\nv,5,4\n").at("b")[5]) < 0);
}

TEST_CASE("intervals takes rows as weeks, of which it needs 20") {
    const Inputs inputs;
    std::string table = "week,up,down\n";
    for (int week = 0; week < 19; ++week) {
        table += std::to_string(week) + ',' + std::to_string(week) + ',' + std::to_string(100 - week) + '\n';
    }
    const auto few = inputs.lines(table, {"--weeks"});
    CHECK(few.at("up") == std::vector<std::string>{"19", "9", "", "", "0", "", ""});
    table += "19,19,81\n";
    auto weeks = inputs.lines(table, {"--weeks"});
    auto workloads = inputs.lines(table);
    CHECK(weeks["up"][1] == "9.5");
    CHECK(weeks["down"][4] == "81");
    const auto width = [](const std::vector<std::string>& line) { return number(line[3]) - number(line[2]); };
    CHECK(width(weeks["up"]) > 2 * width(workloads["up"]));  // they grow from week to week
    CHECK(inputs.lines("w,a\nx,1\ny,2\nz,3\nu,4\n").at("a")[2].empty());
}

TEST_CASE("intervals of sums over jobs are of means over jobs") {
    const Inputs inputs;
    auto found = inputs.lines(sums(20), {"--jobs", "n"});
    CHECK(found.size() == 2);
    double jobs = 0;
    double sum = 0;
    for (int row = 0; row < 20; ++row) {
        jobs += 1 + row % 3;
        sum += (1 + row % 3) * (10 + row * row % 7);
    }
    CHECK(number(found["a"][1]) == Approx(sum / jobs));
    CHECK(number(found["a"][2]) < sum / jobs);
    CHECK(number(found["a"][3]) > sum / jobs);
    // Each job of b has 20, whatever its row is.
    CHECK(number(found["b"][1]) == Approx(20));
    CHECK(number(found["b"][2]) == Approx(20));
    CHECK(number(found["b"][3]) == Approx(20));
    CHECK(number(found["b"][4]) == Approx(20 - sum / jobs));
    CHECK(number(inputs.lines(sums(20)).at("b")[1]) == Approx(20 * jobs / 20));
    // The numbers of jobs may be in any column.
    CHECK(inputs.lines("w,a,n\nx,6,2\ny,0,1\n", {"--jobs", "n"}).at("a")[1] == "2");
    // Rows without jobs do not count, and a note says so.
    const Outcome once =
        inputs.intervals("w,n,a\nr,2,6\ns,0,0\nt,0,0\nu,0,0\nv,0,0\n", {"--jobs", "n", "--format", "csv"});
    CHECK_THAT(once.output, EndsWith("\n\"a\",1,3,,,0,,\n"));
    CHECK_THAT(once.errors, EndsWith(": 4 rows with an empty cell or without jobs left out\n"));
    check_refused(inputs.intervals("w,n,a\nr,2,6\ns,0,5\n", {"--jobs", "n"}), 1,
                  ":3: no jobs in column n, but a sum that is not 0");
}

TEST_CASE("intervals of one job in each row are those without --jobs") {
    const Inputs inputs;
    std::string with_jobs = "w,a,b,n\n";
    std::string without = "w,a,b\n";
    for (int row = 0; row < 30; ++row) {
        const std::string values =
            std::to_string(row) + ',' + std::to_string(row * row % 23) + ',' + std::to_string(row * 5 % 11);
        with_jobs += values + ",1\n";
        without += values + '\n';
    }
    for (const Arguments& more : {Arguments{}, Arguments{"--weeks"}}) {
        const auto plain = inputs.lines(without, more);
        const auto counted = inputs.lines(with_jobs, with(more, {"--jobs", "n"}));
        for (const auto& [name, fields] : plain) {
            for (std::size_t i = 0; i < fields.size(); ++i) {
                CHECK(number(counted.at(name)[i]) == Approx(number(fields[i])).margin(1e-9));
            }
        }
    }
}

TEST_CASE("intervals reads what compare -o writes") {
    const Inputs inputs;
    const std::string table = inputs.file("values.csv");
    Arguments workloads;
    for (const char* const seed : {"1", "2", "3", "4", "5"}) {
        workloads.push_back(inputs.file("w" + std::string(seed) + ".json"));
        require_done(run(inputs, {"generate", "lublin", "--jobs", "40", "--processors", "16", "--load", "0.9", "--seed",
                                  seed, "-o", workloads.back()}));
    }
    require_done(run(inputs, with({"compare", "fcfs", "easy", "--metric", "mean_wait", "-o", table}, workloads)));
    const std::string of_all = run(inputs, with({"compare", "fcfs", "easy", "-f", "csv"}, workloads)).output;
    const Outcome outcome = run(inputs, {"intervals", table, "-f", "csv"});
    require_done(outcome);
    // The same method, to rounding: waits and their intervals begin alike.
    for (const char* const scheduler : {"fcfs", "easy"}) {
        const auto numbers_behind = [&](const std::string& text, const std::string& begin) {
            const std::size_t at = text.find(begin);
            REQUIRE(at != std::string::npos);
            std::istringstream fields(text.substr(at + begin.size(), text.find('\n', at) - at - begin.size()));
            std::vector<double> numbers;
            for (std::string field; numbers.size() < 6 && std::getline(fields, field, ',');) {
                numbers.push_back(number(field));
            }
            return numbers;
        };
        const std::string name = '"' + std::string(scheduler) + "\",5,";
        const std::vector<double> ours = numbers_behind(outcome.output, name);
        const std::vector<double> theirs = numbers_behind(of_all, "\"mean_wait\"," + name);
        REQUIRE(ours.size() == 6);
        for (std::size_t i = 0; i < 6; ++i) {
            CAPTURE(scheduler, i);
            // A mean wait is not negative, which a column of any numbers may be.
            CHECK(theirs[i] == Approx(i == 1 ? std::max(ours[i], 0.0) : ours[i]).margin(1e-6));
        }
    }
}

TEST_CASE("intervals refuses what is no table of numbers, with its line") {
    const Inputs inputs;
    const std::string path = inputs.file("t.csv");
    const auto refused = [&](const std::string& table, const std::string& words, const Arguments& more = {}) {
        const Outcome outcome = inputs.intervals(table, more);
        check_refused(outcome, 1, path + words);
    };
    refused("w,a\nx,1\ny,zz\n", ":3: a is 'zz', expected a number");
    refused("w,a,b c\nx,1,\n", ": expected a row of numbers");  // none without an empty cell
    refused("w,a,b,a\nx,1,2,3\n", ":1: column 'a' twice");
    refused("w,a\nx,inf\n", ":2: a is 'inf', expected a number");
    refused("w,a\nx,nan\n", ":2: a is 'nan', expected a number");
    refused("w,a\nx,1e999\n", ":2: a is '1e999', expected a number");
    refused("w,a\nx,1 2\n", ":2: a is '1 2', expected a number");
    refused("w,a\nx,1\ny,1,2\n", ":3: 3 fields, expected 2 as in the first line");
    refused("w,a\nx,1\ny\n", ":3: 1 field");
    refused("w\nx\n", ": expected a column with the names of rows, and others with numbers");
    refused("w,a\n", ": expected a row of numbers");
    refused("", ": empty");
    refused("w,n\nx,1\n", ": expected another column than that of jobs", {"--jobs", "n"});
    refused("w,n,a\nx,1,2\ny,-1,3\n", ":3: n is '-1', expected a number of jobs, from 0", {"--jobs", "n"});
    check_refused(run(inputs, {"intervals", inputs.file("none.csv")}), 1, "none.csv: cannot be opened");
}

TEST_CASE("intervals refuses columns that the table does not have, and options that it does not know") {
    const Inputs inputs;
    const auto refused = [&](const Arguments& more, const std::string& words) {
        check_refused(inputs.intervals(five, more), 2, words);
    };
    refused({"--baseline", "fcs"}, "unknown baseline 'fcs', did you mean 'fcfs'? Known: easy, fcfs, jobs, all");
    refused({"--jobs", "number"}, "unknown column of --jobs 'number'");
    refused({"--jobs", "easy", "--baseline", "easy"}, "unknown baseline 'easy'");
    refused({"--format", "html"}, "html");
    refused({"--resamples", "9"}, "unrecognised option '--resamples'");
    check_refused(run(inputs, {"intervals"}), 2);
    CHECK_THAT(run(inputs, {"intervals", "--help"}).output,
               StartsWith("Usage: batfill intervals TABLE.csv") && EndsWith("--relative --format csv\n"));
    CHECK_THAT(run(inputs, {"--help"}).output, Contains("\n  intervals "));
}

}  // namespace batfill::tests::intervals_command_test
