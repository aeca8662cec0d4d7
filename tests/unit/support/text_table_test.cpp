#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "src/support/text_table.hpp"

namespace batfill::tests::text_table_test {

namespace {

const TextLines three{{"", "first", "second", "third"}, {"a", "1000000", "2", "3"}, {"bb", "100000", "5", "6"}};

std::string written(const TextLines& lines, std::size_t keys, std::optional<std::size_t> width) {
    std::ostringstream out;
    write_aligned(out, lines, keys, width);
    return out.str();
}

const std::string whole =
    "      first  second  third\n"
    "a   1000000       2      3\n"
    "bb   100000       5      6\n";

}  // namespace

TEST_CASE("A table that fits is written as it is") {
    for (const std::optional<std::size_t> width : {std::optional<std::size_t>(), std::optional<std::size_t>(26)}) {
        CHECK(written(three, 1, width) == whole);
    }
    std::ostringstream out;  // is no terminal
    write_aligned(out, three);
    CHECK(out.str() == whole);
}

TEST_CASE("A table that is too wide has its lines as columns, if they fit") {
    CHECK(written(three, 1, 25) ==
          "              a      bb\n"
          "first   1000000  100000\n"
          "second        2       5\n"
          "third         3       6\n");
}

TEST_CASE("A table that is too wide either way is written in parts that begin with the same columns") {
    CHECK(written(three, 1, 17) ==
          "      first\n"
          "a   1000000\n"
          "bb   100000\n"
          "\n"
          "    second  third\n"
          "a        2      3\n"
          "bb       5      6\n");
    CHECK(written(three, 2, 3) ==
          "      first  second\n"
          "a   1000000       2\n"
          "bb   100000       5\n"
          "\n"
          "      first  third\n"
          "a   1000000      3\n"
          "bb   100000      6\n");
    CHECK(written({{"only"}, {"one column"}}, 1, 3) == "only      \none column\n");
    CHECK(written({}, 1, 3).empty());
}

TEST_CASE("A cell is one line of harmless text") {
    CHECK(written({{"a\nb\x1b[2J", "c\t"}}, 1, {}) == "a\\nb\\u001B[2J  c\\u0009\n");
}

}  // namespace batfill::tests::text_table_test
