#include <cstddef>
#include <string>

#include <catch2/catch.hpp>

#include "src/support/files.hpp"

namespace batfill::tests::library_file_test {

TEST_CASE("The library is in a file that has its own words", "[core]") {
    const std::string bytes = InputFile(library_file()).read_all(std::size_t{1} << 30);
    CHECK(bytes.starts_with("\177ELF"));
    CHECK(bytes.find("the file of batfill's library cannot be found") != std::string::npos);
}

}  // namespace batfill::tests::library_file_test
