#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/options/values.hpp"

// Values and rules of options that name files to write.
namespace batfill::options {

// Throws: InputError if the folder for files with this prefix does not exist.
void require_writable_folder(const std::string& prefix);

// Returns `path`, the name of a file to write. A name without an ending (/dev/stdout) fits any content.
// Throws: UsageError if the name has an ending, before .gz, that is none of `endings`. InputError as above.
std::string path_ending_in(const std::vector<std::string>& endings, const std::string& path);
inline const std::vector<std::string> page_endings{".html", ".htm", ".html.gz", ".htm.gz"};

template <class Field>
Value output_file(Field& field, const std::string& name, const std::vector<std::string>& endings) {
    return value(field, name, [endings](const std::string& path) { return path_ending_in(endings, path); });
}

// Checks the values of the options `name` and `other`, as far as they are given.
// Throws: UsageError if both name the same file.
void require_other_file(const std::string& name, const std::optional<std::string>& path, const std::string& other,
                        const std::optional<std::string>& other_path);

// Checks a file that the option `name` makes the command write, if it is given.
// Throws: UsageError if it is one of the inputs. Inputs that are no files, such as names of algorithms, are ignored.
void require_no_input(const std::string& name, const std::optional<std::string>& path,
                      const std::vector<std::string>& inputs);

}  // namespace batfill::options
