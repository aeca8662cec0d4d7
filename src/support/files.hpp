#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

namespace batfill {

struct CloseGzip {
    void operator()(gzFile file) const { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

// A file that is read from its beginning, plain or gzipped, whatever its name is. Errors are InputErrors naming the
// file.
class InputFile {
 public:
    explicit InputFile(std::string path);

    // Reads at most `size` bytes (below 2 GiB) into `buffer` and returns how many; 0 only at the end of the file.
    std::size_t read(char* buffer, std::size_t size);

    // Returns `text`, which was read before, and everything up to the end of the file. Throws InputError if that is
    // more than `max_size` bytes.
    std::string read_all(std::size_t max_size, std::string text = {});

 private:
    std::string path_;
    GzipFile file_;
};

// A file that appears under its name whole or not at all: it is written under a temporary name beside it, and renamed
// by commit(). A file that it replaces keeps its mode. It is gzipped if its name ends in .gz. What is not a regular
// file
// (/dev/stdout, a pipe) is written to directly.
// Errors are InputErrors naming the file.
class OutputFile {
 public:
    explicit OutputFile(const std::string& path);
    // Removes what was written, unless commit() was called.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // Appends to the file. zlib buffers what is written, so many small pieces cost little.
    void write(std::string_view text);
    // After everything was written: writes out what is still in buffers, so that commit() has nothing to do but rename.
    // For a file that is to appear only if others do.
    void close();
    // To be called once, after everything was written.
    void commit();

 private:
    void discard();
    [[noreturn]] void fail() const;

    std::string path_;
    std::string written_path_;  // empty once there is nothing to discard
    GzipFile file_;             // none once it is closed
};

// Files that appear together or not at all. (Only a rename that fails though all files are written and closed, and
// others have succeeded, would leave these.)
class OutputFiles {
 public:
    // Adds a file, which lives as long as this object; not to be committed by itself.
    OutputFile& add(const std::string& path);
    // A file of this name, which an earlier run may have left, is to disappear.
    void leave_out(const std::string& path) { left_out_.push_back(path); }
    // To be called once, after everything was written. Returns the names of the files, in the order of add().
    std::vector<std::string> commit();

 private:
    std::vector<std::unique_ptr<OutputFile>> files_;
    std::vector<std::string> paths_;  // of the files, as they were given
    std::vector<std::string> left_out_;
};

// A folder that appears under its name with all its files or not at all: they are written into a folder with a
// temporary name beside it, which commit() renames. Errors are InputErrors naming the folder. It is an error if
// something of this name is there already, unless it is an empty folder.
class OutputFolder {
 public:
    explicit OutputFolder(std::string path);
    // Removes everything, unless commit() was called.
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    // The path at which to write the file that is to be called `name`.
    std::string file(const std::string& name) const;
    // To be called once, after everything was written.
    void commit();

 private:
    std::string path_;
    std::string written_path_;
};

// Makes a folder, and those around it, where they are missing. Throws InputError naming the folder if that cannot be.
void create_folders(const std::string& path);

// For the end of the process by a signal: removes what OutputFiles and OutputFolders have not committed, and lets no
// other thread begin or commit one any more.
void discard_unfinished_outputs();

}  // namespace batfill
