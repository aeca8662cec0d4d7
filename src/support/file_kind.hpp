#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace batfill {

// The kinds of files that users pass to the wrong command or option.
enum class FileKind { unknown, empty, log, workload, json, platform, xml, jobs_csv, table, campaign, gzip, binary };

// The kind of a file whose text, after unpacking, begins like this. Unknown if nothing identifies it.
FileKind kind_of(std::string_view beginning);

// Checks the kind of the file at `path` by its beginning. A file that passes may still be broken.
// Throws: InputError if the kind is recognised and is not an accepted one. It names what was expected (`wanted`, such
// as "a workload in JSON"), what the file is, and the command that takes such a file.
void require_kind(std::string_view beginning, const std::string& path, std::string_view wanted,
                  std::initializer_list<FileKind> accepted);

// Everything in the file.
// Throws: InputError as require_kind(), or if the text is larger than `max_size` bytes.
std::string read_file(const std::string& path, std::size_t max_size, std::string_view wanted,
                      std::initializer_list<FileKind> accepted);

}  // namespace batfill
