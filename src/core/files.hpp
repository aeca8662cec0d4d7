#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <zlib.h>

namespace batfill {

struct CloseGzip {
    void operator()(gzFile file) const { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

// A file to be read from its beginning, plain or gzipped, whatever its name. Errors are InputErrors naming the file.
class InputFile {
 public:
    explicit InputFile(std::string path);

    // Reads at most `size` bytes (below 2 GiB) into `buffer` and returns how many; 0 only at the end of the file.
    std::size_t read(char* buffer, std::size_t size);

    // Everything up to the end of the file, which is an InputError if it is more than `max_size` bytes.
    std::string read_all(std::size_t max_size);

 private:
    std::string path_;
    GzipFile file_;
};

// A file that appears under its name whole or not at all: it is written under a temporary name beside it, and renamed
// by commit(). Gzipped if its name ends in .gz. What is not a regular file (/dev/stdout, a pipe) is written directly.
// Errors are InputErrors naming the file.
class OutputFile {
 public:
    explicit OutputFile(const std::string& path);
    // Removes what has been written unless it was committed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // Buffered by zlib, so many small pieces cost little.
    void write(std::string_view text);
    // To be called once, last.
    void commit();

 private:
    void discard() const;
    [[noreturn]] void fail() const;

    std::string path_;
    std::string written_path_;
    GzipFile file_;
};

// A folder that appears under its name with all its files or not at all: they are written into a folder with a
// temporary name beside it, which commit() renames. Errors are InputErrors naming the folder; it is one if there is
// something of this name already, unless that is an empty folder.
class OutputFolder {
 public:
    explicit OutputFolder(std::string path);
    // Removes everything unless it was committed.
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    // Where to write the file that is to be called `name`.
    std::string file(const std::string& name) const;
    // To be called once, last.
    void commit();

 private:
    std::string path_;
    std::string written_path_;
};

}  // namespace batfill
