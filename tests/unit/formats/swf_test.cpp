#include <filesystem>
#include <random>
#include <vector>

#include <catch2/catch.hpp>
#include <zlib.h>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/support/folder.hpp"

namespace batfill::tests::swf_test {

using Catch::Matchers::Contains;

namespace {

const std::string two_jobs =
    "; Version: 2.2\n"
    ";   MaxProcs: 64 (16, 48)\n"
    ";\n"
    "\n"
    "7 100 5 60 4 -1 -1 8 300 -1 1 3 1 -1 2 1 -1 -1\n"
    "8 100.5 5 60.25 4.0 59.5 1e3 8 300 -1 5 -1 -1 -1 -1 -1 -1 -1\n";

std::string problem_with(const std::string& text) {
    try {
        parse_swf(text, "some.swf");
    } catch (const InputError& problem) {
        return problem.what();
    }
    return "no problem";
}

// A valid line in which one column, counted from 1, is replaced.
std::string line_with(int column, const std::string& value) {
    const std::vector<std::string> fields = {"7",  "100", "5", "60", "4", "-1", "-1", "8",  "300",
                                             "-1", "1",   "3", "1",  "2", "2",  "1",  "-1", "-1"};
    std::string line;
    for (int i = 1; i <= 18; ++i) {
        line += (i == column ? value : fields[static_cast<std::size_t>(i - 1)]) + " ";
    }
    return line + "\n";
}

void write_gzip(const std::string& path, const std::string& text) {
    const gzFile file = gzopen(path.c_str(), "wb");
    REQUIRE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
    REQUIRE(gzclose(file) == Z_OK);
}

}  // namespace

TEST_CASE("an SWF log is read into its columns", "[swf]") {
    const SwfLog log = parse_swf(two_jobs, "some.swf");
    REQUIRE(log.jobs.size() == 2);
    const SwfJob& first = log.jobs[0];
    CHECK(first.line == 5);
    CHECK(first.number == 7);
    CHECK(first.submit == Duration::seconds(100));
    CHECK(first.wait == Duration::seconds(5));
    CHECK(first.run_time == Duration::seconds(60));
    CHECK(first.allocated_processors == 4);
    CHECK(first.requested_processors == 8);
    CHECK(first.requested_time == Duration::seconds(300));
    CHECK(first.status == 1);
    CHECK(first.user == 3);
    CHECK(first.queue == 2);
    CHECK(first.partition == 1);
    const SwfJob& second = log.jobs[1];
    CHECK(second.submit == Duration::microseconds(100'500'000));
    CHECK(second.run_time == Duration::microseconds(60'250'000));
    CHECK(second.allocated_processors == 4);
    CHECK(second.user == -1);
}

TEST_CASE("header comments of an SWF log are found by name", "[swf]") {
    const SwfLog log = parse_swf(two_jobs, "some.swf");
    CHECK(log.header == std::vector<std::string>{"; Version: 2.2", ";   MaxProcs: 64 (16, 48)", ";"});
    CHECK(log.field("Version") == "2.2");
    CHECK(log.field("MaxProcs") == "64 (16, 48)");
    CHECK(log.field("Max") == std::nullopt);
    CHECK(log.field("") == std::nullopt);
}

TEST_CASE("line ends, blanks and a missing last line end do not matter in an SWF log", "[swf]") {
    const std::string line = "7 100 5 60 4 -1 -1 8 300 -1 1 3 1 -1 2 1 -1 -1";
    std::string spaced = " \t" + line + "  \r\n\r\n" + line;
    spaced.replace(spaced.find(" 60 "), 4, "\t  60\t");
    const SwfLog log = parse_swf(spaced, "some.swf");
    REQUIRE(log.jobs.size() == 2);
    CHECK(log.jobs[0].run_time == Duration::seconds(60));
    CHECK(log.jobs[1].line == 3);
}

TEST_CASE("an empty SWF log has no jobs", "[swf]") {
    CHECK(parse_swf("", "some.swf").jobs.empty());
    CHECK(parse_swf("; only a comment", "some.swf").header.size() == 1);
}

TEST_CASE("a malformed SWF line is named with file, line, column and what was expected", "[swf]") {
    CHECK(problem_with("; c\n1 2 3\n") == "some.swf:2: expected 18 columns, found 3");
    CHECK(problem_with(line_with(18, "-1 5")) == "some.swf:1: expected 18 columns, found 19");
    CHECK(problem_with(line_with(4, "fast")) ==
          "some.swf:1: column 4 (run time): expected a number of seconds, found 'fast'");
    CHECK(problem_with(line_with(5, "4.5")) ==
          "some.swf:1: column 5 (allocated processors): expected a whole number, found '4.5'");
    CHECK(problem_with(line_with(1, "-1")) ==
          "some.swf:1: column 1 (job number): expected a job number that is not negative, found '-1'");
    CHECK(problem_with(line_with(6, "nan")) ==
          "some.swf:1: column 6 (average CPU time): expected a number, found 'nan'");
    CHECK(problem_with(line_with(18, "1,5")) == "some.swf:1: column 18 (think time): expected a number, found '1,5'");
}

TEST_CASE("every SWF column is checked", "[swf]") {
    for (int column = 1; column <= 18; ++column) {
        const std::string start = "some.swf:1: column " + std::to_string(column) + " ";
        CHECK_THAT(problem_with(line_with(column, "x")), Catch::Matchers::StartsWith(start));
        CHECK(problem_with(line_with(column, "12")) == "no problem");
    }
}

TEST_CASE("numbers out of range in an SWF log are refused", "[swf]") {
    CHECK_THAT(problem_with(line_with(2, "9223372036854775807")), Contains("column 2"));
    CHECK_THAT(problem_with(line_with(4, "1e30")), Contains("column 4"));
    CHECK_THAT(problem_with(line_with(8, "99999999999999999999")), Contains("column 8"));
    CHECK_THAT(problem_with(line_with(7, "1e999")), Contains("column 7"));
}

TEST_CASE("a message about an SWF log is one printable line of bounded length", "[swf]") {
    const std::string message = problem_with(line_with(4, "\x01\x02\xff" + std::string(1000, 'z')));
    CHECK(message.size() < 200);
    CHECK(message.find_first_of("\x01\x02\xff\n") == std::string::npos);
}

TEST_CASE("lines and comments of an SWF log are bounded", "[swf]") {
    CHECK_THAT(problem_with(";" + std::string(70'000, 'x')), Contains("at most 64 KiB"));
    std::string comments;
    for (int i = 0; i < 100; ++i) {
        comments += ";" + std::string(60'000, 'x') + "\n";
    }
    CHECK_THAT(problem_with(comments), Contains("at most 4 MiB of comments"));
}

TEST_CASE("an SWF file is read in pieces as it is from memory, plain or gzipped", "[swf]") {
    std::mt19937_64 random(5);
    std::string text = "; MaxProcs: 8\n";
    for (int i = 1; i <= 20'000; ++i) {
        text += std::string(random() % 30, ' ') + line_with(1, std::to_string(i));
    }
    const Folder folder;
    write_gzip(folder.file("zipped.swf.gz"), text);
    const SwfLog expected = parse_swf(text, "some.swf");
    for (const std::string& path : {folder.write("plain.swf", text), folder.file("zipped.swf.gz")}) {
        const SwfLog log = read_swf(path);
        CHECK(log.path == path);
        CHECK(log.header == expected.header);
        REQUIRE(log.jobs.size() == expected.jobs.size());
        for (std::size_t i = 0; i < log.jobs.size(); ++i) {
            REQUIRE(log.jobs[i].line == expected.jobs[i].line);
            REQUIRE(log.jobs[i].number == expected.jobs[i].number);
        }
    }
}

TEST_CASE("an SWF file that cannot be read is named", "[swf]") {
    CHECK_THROWS_WITH(read_swf("/no/such/log.swf"), Contains("/no/such/log.swf: cannot be opened: No such file"));
    CHECK_THROWS_AS(read_swf(std::filesystem::temp_directory_path().string()), InputError);
}

TEST_CASE("a truncated or endless SWF file is refused", "[swf]") {
    std::string text;
    for (int i = 1; i <= 1000; ++i) {
        text += line_with(1, std::to_string(i * 7919 % 100'003));
    }
    const Folder folder;
    const std::string damaged = folder.file("damaged.swf.gz");
    write_gzip(damaged, text);
    std::filesystem::resize_file(damaged, std::filesystem::file_size(damaged) / 2);
    CHECK_THROWS_AS(read_swf(damaged), InputError);
    folder.write("damaged.swf.gz", std::string(1'000'000, '7'));
    CHECK_THROWS_WITH(read_swf(damaged), Contains(":1: expected a line of at most 64 KiB"));
}

}  // namespace batfill::tests::swf_test
