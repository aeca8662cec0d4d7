#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace batfill {

// The kinds of files that users hand to the wrong command or option.
enum class FileKind { unknown, empty, log, workload, json, platform, xml, jobs_csv, table, campaign, gzip, binary };

// What kind of file begins with this text, after unpacking. Unknown if nothing tells.
FileKind kind_of(std::string_view beginning);

// Throws InputError if the beginning of the file at `path` is recognised as a kind that is not among those accepted.
// The error names what was wanted ("a workload in JSON"), what the file is, and the command that takes such a file.
// What passes may still be broken.
void require_kind(std::string_view beginning, const std::string& path, std::string_view wanted,
                  std::initializer_list<FileKind> accepted);

// Everything in the file. Throws InputError as require_kind(), or if that is more than `max_size` bytes.
std::string read_file(const std::string& path, std::size_t max_size, std::string_view wanted,
                      std::initializer_list<FileKind> accepted);

}  // namespace batfill
