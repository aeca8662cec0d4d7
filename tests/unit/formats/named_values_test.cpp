#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/formats/named_values.hpp"
#include "src/support/files.hpp"
#include "tests/support/folder.hpp"

namespace batfill::tests::named_values_test {

using Catch::Matchers::Equals;

TEST_CASE("Statistics are names and values below the names of the columns", "[csv]") {
    CHECK(parse_named_values("statistic,value\nkills,3\nput-to-sleep,0\n", "s.csv") ==
          NamedValues{{"kills", "3"}, {"put-to-sleep", "0"}});
    CHECK(parse_named_values("statistic,value\n", "s.csv").empty());
    CHECK_THROWS_WITH(parse_named_values("statistic,value\nkills,3\na,b,c\n", "s.csv"),
                      Equals("s.csv:3: expected a statistic and its value, found 3 values"));
}

TEST_CASE("A summary has a value below each name", "[csv]") {
    const Folder folder;
    const std::string path = folder.file("schedule.csv");
    write_file(path, "makespan,nb_jobs\n12.5,3\n");
    CHECK(read_summary(path) == NamedValues{{"makespan", "12.5"}, {"nb_jobs", "3"}});
    write_file(path, "makespan,nb_jobs\n12.5\n");
    CHECK_THROWS_WITH(read_summary(path), Equals(path + ":2: expected 2 values as there are columns, found 1"));
    write_file(path, "makespan,nb_jobs");
    CHECK_THROWS_WITH(read_summary(path),
                      Equals(path + ":1: expected a line of values below the names of the columns"));
}

}  // namespace batfill::tests::named_values_test
