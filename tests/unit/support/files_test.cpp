#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <unistd.h>

#include <batfill/core/error.hpp>

#include "src/support/files.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/process.hpp"

namespace batfill::tests::files_test {

TEST_CASE("An output file that is not committed leaves what was there before") {
    const Folder folder;
    {
        OutputFile file(folder.file("a"));
        file.write("first");
        file.commit();
    }
    {
        OutputFile file(folder.file("a"));
        file.write("second");
    }
    CHECK(contents(folder.file("a")) == "first");
    CHECK(folder.files() == 1);
    OutputFile device("/dev/null");
    device.write("nothing");
    device.commit();
    CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("No file has an empty name, and - is no stream") {
    CHECK_THROWS_WITH(OutputFile(""), "expected the name of a file, found an empty one");
    CHECK_THROWS_WITH(InputFile(""), "expected the name of a file, found an empty one");
    CHECK_THROWS_WITH(OutputFile("-"),
                      "-: expected the name of a file; /dev/stdout is the standard output, and ./- a "
                      "file of this name");
    CHECK_THROWS_WITH(InputFile("-"),
                      "-: expected the name of a file; /dev/stdin is the standard input, and ./- a "
                      "file of this name");
}

TEST_CASE("A byte order mark at the beginning of a file is skipped, and only there") {
    const Folder folder;
    const std::string mark = "\xEF\xBB\xBF";
    for (const std::string name : {"plain", "packed.gz"}) {
        write_file(folder.file(name), mark + "a" + mark);
        CHECK(InputFile(folder.file(name)).read_all(100) == "a" + mark);
        write_file(folder.file(name), mark);
        CHECK(InputFile(folder.file(name)).read_all(100).empty());
        write_file(folder.file(name), mark.substr(0, 2));
        CHECK(InputFile(folder.file(name)).read_all(100) == mark.substr(0, 2));
    }
}

TEST_CASE("A gzipped file ends with its text, which may have several parts") {
    const Folder folder;
    write_file(folder.file("a.gz"), "first\n");
    write_file(folder.file("empty.gz"), "");
    const std::string first = contents(folder.file("a.gz"));
    const std::string empty = contents(folder.file("empty.gz"));
    const auto read = [&](const std::string& packed) { return InputFile(folder.write("b.gz", packed)).read_all(100); };
    CHECK(read(first) == "first\n");
    CHECK(read(first + first) == "first\nfirst\n");
    CHECK(read(first + empty) == "first\n");
    CHECK(read(empty).empty());
    CHECK(read(first + std::string(512, '\0')) == "first\n");  // as tapes are filled up
    for (const std::string behind : {"junk\n", "<html></html>", "more"}) {
        CHECK_THROWS_WITH(read(first + behind), folder.file("b.gz") +
                                                    ": cannot be read: something follows the gzipped "
                                                    "text, expected the end of the file");
    }
}

TEST_CASE("Two paths of one file have one canonical path, also if it does not exist") {
    const Folder folder;
    std::filesystem::create_symlink(".", folder.file("link"));
    CHECK(canonical_path(folder.file("link/x")) == canonical_path(folder.file("x")));
    CHECK(canonical_path("./new") == canonical_path("new"));
    CHECK(canonical_path(std::filesystem::current_path() / "new") == canonical_path("new"));
    CHECK(canonical_path("new") != canonical_path("other"));
}

TEST_CASE("An output file written through a link leaves the link") {
    const Folder folder;
    folder.write("target", "old");
    std::filesystem::create_symlink("target", folder.file("link"));
    OutputFile file(folder.file("link"));
    file.write("new");
    file.commit();
    CHECK(std::filesystem::is_symlink(folder.file("link")));
    CHECK(contents(folder.file("target")) == "new");
}

TEST_CASE("An output file keeps the mode of the file that it replaces") {
    using std::filesystem::perms;
    const Folder folder;
    folder.write("a", "old");
    std::filesystem::permissions(folder.file("a"), perms::owner_read | perms::owner_write);
    OutputFile file(folder.file("a"));
    file.write("new");
    file.commit();
    CHECK(std::filesystem::status(folder.file("a")).permissions() == (perms::owner_read | perms::owner_write));
}

TEST_CASE("What a process of the same number left behind is not in the way of a file or folder") {
    const Folder folder;
    const std::string left = ".tmp" + std::to_string(getpid());
    folder.write("a" + left, "left");
    std::filesystem::create_directory(folder.file("b" + left));
    OutputFile file(folder.file("a"));
    file.write("new");
    file.commit();
    OutputFolder made(folder.file("b"));
    made.commit();
    CHECK(contents(folder.file("a")) == "new");
    CHECK(contents(folder.file("a" + left)) == "left");
    CHECK(std::filesystem::is_empty(folder.file("b")));
}

TEST_CASE("Files that belong together appear together, or none does") {
    const Folder folder;
    folder.write("earlier", "run");
    {
        OutputFiles files;
        files.add(folder.file("a")).write("a");
        files.leave_out(folder.file("earlier"));
        CHECK_THROWS_WITH(files.add(folder.file("none/b")), Catch::Matchers::Contains("cannot be written"));
    }
    CHECK(folder.files() == 1);
    OutputFiles files;
    files.add(folder.file("a")).write("a");
    files.add(folder.file("b")).write("b");
    files.leave_out(folder.file("earlier"));
    CHECK(contents(folder.file("earlier")) == "run");
    files.commit();
    CHECK(contents(folder.file("a")) == "a");
    CHECK(contents(folder.file("b")) == "b");
    CHECK(folder.files() == 2);
}

TEST_CASE("A text larger than its limit is refused") {
    const Folder folder;
    folder.write("a", "12345");
    CHECK(InputFile(folder.file("a")).read_all(5) == "12345");
    CHECK_THROWS_WITH(InputFile(folder.file("a")).read_all(4), folder.file("a") + ": larger than 4 bytes");
}

TEST_CASE("The SHA-256 of a file is that of its bytes, and a folder has none") {
    const Folder folder;
    for (const std::size_t size : std::vector<std::size_t>{0, 1, 1 << 16, 200'000}) {
        const std::string bytes(size, 'x');
        std::ofstream(folder.file("a"), std::ios::trunc) << bytes;
        CHECK(sha256_of_file(folder.file("a")) == sha256(bytes));
    }
    std::filesystem::create_directory(folder.file("b"));
    CHECK_THROWS_MATCHES(sha256_of_file(folder.file("b")), InputError,
                         Catch::Matchers::Message(folder.file("b") + ": cannot be read"));
    CHECK_THROWS_WITH(sha256_of_file(folder.file("none")), folder.file("none") + ": cannot be read");
}

}  // namespace batfill::tests::files_test
