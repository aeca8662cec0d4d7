#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/support/csv_reader.hpp"

namespace batfill::tests::csv_any_columns_test {

namespace {

using Lines = std::vector<std::vector<std::string>>;

Lines read(std::string_view text, std::vector<std::size_t>* numbers = nullptr) {
    const CsvFormat format{.name = "table", .written_by = "compare -o", .columns = {}, .has_any_columns = true};
    Lines lines;
    read_csv(
        "t.csv", format,
        [&](const CsvRow& row) {
            const std::vector<std::string_view> fields = row.all();
            lines.emplace_back(fields.begin(), fields.end());
            if (numbers != nullptr) {
                numbers->push_back(row.line());
            }
        },
        text);
    return lines;
}

}  // namespace

TEST_CASE("a table with any columns has the line of their names as its first row", "[csv]") {
    std::vector<std::size_t> numbers;
    CHECK(read("w,\"a,b\",c\n\"1\n2\",,\"x\"\"y\"\n3,4,5", &numbers) ==
          Lines{{"w", "a,b", "c"}, {"1\n2", "", "x\"y"}, {"3", "4", "5"}});
    CHECK(numbers == std::vector<std::size_t>{1, 2, 4});
    CHECK(read("a\r\nb\r\n") == Lines{{"a"}, {"b"}});
    CHECK(read("w,a\n") == Lines{{"w", "a"}});
    // Names may be numbers, and the same.
    CHECK(read("1,1\n2,3\n") == Lines{{"1", "1"}, {"2", "3"}});
}

TEST_CASE("a row of a table with any columns has as many fields as the first one", "[csv]") {
    for (const auto& [text, line] : {std::pair("w,a\n1,2\n1,2,3\n", "t.csv:3: "), std::pair("w,a\n1\n", "t.csv:2: "),
                                     std::pair("w,a\n1,\"2\n", "t.csv:2: ")}) {
        CHECK_THROWS_AS(read(text), InputError);
        CHECK_THROWS_WITH(read(text), Catch::Matchers::StartsWith(line));
    }
}

TEST_CASE("all fields of a row of named columns are in the order of the file", "[csv]") {
    constexpr std::string_view columns[] = {"b", "a"};
    const CsvFormat format{.name = "x", .written_by = "y", .columns = columns};
    std::vector<std::string> fields;
    read_csv(
        "t.csv", format,
        [&](const CsvRow& row) {
            const std::vector<std::string_view> all = row.all();
            fields.assign(all.begin(), all.end());
            CHECK(row.text(0) == "2");
        },
        "a,b,c\n1,2,3\n");
    CHECK(fields == std::vector<std::string>{"1", "2", "3"});
}

}  // namespace batfill::tests::csv_any_columns_test
