#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace batfill {

// The kinds of files that users pass to the wrong command or option.
enum class FileKind {
    unknown,
    empty,
    log,
    workload,
    json,
    platform,
    xml,
    jobs_csv,
    table,
    campaign,
    gzip,
    utf16,
    binary
};

// The kind of a file, by how its text begins after unpacking. Unknown if nothing identifies it, and for what is no
// regular file: a pipe could not be read again.
FileKind kind_of_file(const std::string& path);

// Whether the file is a log in the Standard Workload Format, by its content. The name decides for a file of unknown
// kind or without content: .swf, or .swf.gz.
bool is_log(const std::string& path);

// Checks the kind of the file at `path` by its beginning. A file that passes may still be broken.
// Throws: InputError if the kind is recognised and is not an accepted one. It names what was expected (`wanted`, such
// as "a workload in JSON"), what the file is, and the command that takes such a file.
void require_kind(std::string_view beginning, const std::string& path, std::string_view wanted,
                  std::initializer_list<FileKind> accepted);

// Everything in the file.
// Throws: InputError as require_kind(), or if the text is larger than `max_size` bytes.
std::string read_file(const std::string& path, std::size_t max_size, std::string_view wanted,
                      std::initializer_list<FileKind> accepted);

// Receives a line without its line end, and its number, from 1.
using UseLine = std::function<void(std::string_view, std::size_t)>;

// Calls `use` with each line of a file, plain or gzipped. Returns whether the last one has a line end.
// Throws: InputError
// - as require_kind(), by the beginning of the file
// - which names the file, if it cannot be read
// - which names file and line, if a line has more than `max_line_size` bytes or `use` throws one
// Cost: O(size of the file); memory for the longest line.
bool for_each_line(const std::string& path, std::size_t max_line_size, std::string_view wanted,
                   std::initializer_list<FileKind> accepted, const UseLine& use);

// As above, for the text of a file. `path` is used in error messages only.
void for_each_line_in(std::string_view text, const std::string& path, std::size_t max_line_size, const UseLine& use);

}  // namespace batfill
