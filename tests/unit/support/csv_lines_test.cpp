#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "src/support/csv_reader.hpp"
#include "src/support/files.hpp"
#include "tests/support/folder.hpp"

namespace batfill::tests::csv_lines_test {

TEST_CASE("The number of lines of a file is estimated from its beginning, unless the file is gzipped", "[csv]") {
    const tests::Folder folder;
    const auto written = [&](const std::string& name, int lines) {
        OutputFile file(folder.file(name));
        for (int i = 0; i < lines; ++i) {
            file.write("0123456789,abc" + std::string(i % 7 == 0 ? 2 : 1, 'x') + '\n');
        }
        file.commit();
        return folder.file(name);
    };
    for (const int lines : {1, 10, 1000, 100'000}) {
        CAPTURE(lines);
        const auto exact = static_cast<std::size_t>(lines);
        const std::size_t estimated = estimated_lines(written("a.csv", lines));
        CHECK(estimated >= exact);
        CHECK(estimated <= exact + exact / 10);
    }
    CHECK(estimated_lines(written("a.csv.gz", 1000)) == 0);
    CHECK(estimated_lines(written("empty.csv", 0)) == 0);
    CHECK(estimated_lines(folder.file("none")) == 0);
    CHECK(estimated_lines("/dev/null") == 0);
}

TEST_CASE("A large file that begins with many short lines does not ask for memory for as many lines", "[csv]") {
    const tests::Folder folder;
    std::ofstream(folder.file("a.csv")) << std::string(1 << 18, '\n');
    std::filesystem::resize_file(folder.file("a.csv"), std::uintmax_t{1} << 40);  // sparse
    CHECK(estimated_lines(folder.file("a.csv")) == 10'200'000);
}

}  // namespace batfill::tests::csv_lines_test
