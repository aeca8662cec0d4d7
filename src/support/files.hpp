#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
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

struct CloseFile {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

// A file that is read from its beginning, plain or gzipped, whatever its name. A byte order mark of UTF-8 at the
// beginning, which some programs write, is skipped.
// Throws: InputError, which names the file.
class InputFile {
 public:
    explicit InputFile(std::string path);

    // Reads at most `size` bytes (from 4 to below 2 GiB) into `buffer`. Returns how many; 0 only at the end of the
    // file.
    std::size_t read(char* buffer, std::size_t size);

    // Returns `text`, which was read before, and everything up to the end of the file.
    // Throws: InputError if this is more than `max_size` bytes.
    std::string read_all(std::size_t max_size, std::string text = {});

 private:
    std::string path_;
    GzipFile file_;
    std::uintmax_t size_ = 0;  // of what was read
    bool at_beginning_ = true;
};

// The temporary path of an incomplete file or folder. What is there is removed with this object.
class TemporaryPath {
 public:
    TemporaryPath() = default;
    TemporaryPath(const TemporaryPath&) = delete;
    TemporaryPath& operator=(const TemporaryPath&) = delete;
    ~TemporaryPath();

    // Calls make(path) for paths beside `final_path` until it creates something new. Skips what a killed process left:
    // in a container, every process may have the same number. Returns false and sets errno on failure.
    bool create(const std::string& final_path, const std::function<bool(const std::string&)>& make);
    // Returns false and sets errno on failure.
    bool rename_to(const std::string& final_path);
    // Empty if there is nothing.
    const std::string& path() const { return path_; }

 private:
    std::string path_;
};

// A file that appears under its name whole or not at all. It is written under a temporary name beside it, and commit()
// renames it. It is gzipped if its name ends in .gz. A replaced file keeps its mode. Anything but a regular file
// (/dev/stdout, a pipe) is written directly.
// Throws: InputError, which names the file.
class OutputFile {
 public:
    // What was written is removed with this object, unless commit() was called.
    explicit OutputFile(const std::string& path);

    // Appends to the file. zlib buffers, so many small pieces cost little.
    void write(std::string_view text);
    // Writes out what is in buffers, so that commit() only has to rename. For a file that appears only if others do.
    // Call it after everything was written.
    void close();
    // Renames the file. Call it once, after everything was written.
    void commit();

 private:
    void require(bool is_done) const;

    std::string path_;
    TemporaryPath written_;
    GzipFile file_;  // null when it is closed
};

void write_file(const std::string& path, std::string_view text);

// Files that appear together or not at all. There is one exception: if all files are written and closed and some are
// renamed, and then a rename fails, those remain.
class OutputFiles {
 public:
    // Adds a file, which lives as long as this object. Do not commit it by itself.
    OutputFile& add(const std::string& path);
    // Makes commit() remove the file of this name, which an earlier run may have left.
    void leave_out(const std::string& path) { left_out_.push_back(path); }
    // Renames the files and returns their names, in the order of add(). Call it once, after everything was written.
    std::vector<std::string> commit();

 private:
    std::vector<std::unique_ptr<OutputFile>> files_;
    std::vector<std::string> paths_;  // of the files, as given
    std::vector<std::string> left_out_;
};

// A folder that appears under its name with all its files or not at all. The files are written into a folder with a
// temporary name beside it, and commit() renames this folder.
// Throws: InputError, which names the folder; also if something of this name exists, unless it is an empty folder.
class OutputFolder {
 public:
    // Everything is removed with this object, unless commit() was called.
    explicit OutputFolder(std::string path);

    // The path under which to write the file `name`.
    std::string file(const std::string& name) const { return written_.path() + '/' + name; }
    // Renames the folder. Call it once, after everything was written.
    void commit();

 private:
    std::string path_;
    TemporaryPath written_;
};

// Makes a folder and its parents where they are missing.
// Throws: InputError, which names the folder, if this fails.
void create_folders(const std::string& path);

// Returns an absolute path without links, which is the same for two paths of one file. The file need not exist.
std::string canonical_path(const std::string& path);

// For the end of the process by a signal. Removes what OutputFiles and OutputFolders have not committed, and stops
// other threads from beginning or committing another.
void discard_unfinished_outputs();

// The file with this library in the running process. It is the program itself if that is linked statically.
// Throws: InputError if it cannot be found.
std::string library_file();

// A hash of the running program, its library and these plugins: others may give other results.
// Throws: InputError if one of them cannot be read.
std::string hash_of_program(const std::vector<std::string>& plugins);

// The SHA-256 of `bytes` (FIPS 180-4) as 64 hexadecimal digits, as the command sha256sum prints it.
// Cost: O(bytes).
std::string sha256(std::string_view bytes);

// As above, for the content of a file.
// Throws: InputError if it cannot be read.
// Cost: O(size of the file).
std::string sha256_of_file(const std::string& path);

}  // namespace batfill
