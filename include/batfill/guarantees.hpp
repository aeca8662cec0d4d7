#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/time.hpp>

namespace batfill {

// One line of a guarantees.csv.
struct Guarantee {
    std::string job_id;                    // workload and job, "w0!17"
    std::optional<Time> guaranteed_start;  // none: the job was promised nothing
    std::optional<Time> actual_start;      // none: the job was rejected
};

// Reads a guarantees.csv as `batfill simulate` writes it, also gzipped; columns are found by their names. Throws
// InputError naming file and line. O(size of the file).
std::vector<Guarantee> read_guarantees(const std::string& path);

// The same for the text of a guarantees.csv; `path` only serves error messages.
std::vector<Guarantee> parse_guarantees(std::string_view text, const std::string& path);

// The first line of a guarantees.csv, its newline included.
std::string guarantees_csv_header();

// Appends the line of `guarantee` in such a file, its newline included. Times have six decimals.
void append_csv(const Guarantee& guarantee, std::string& out);

}  // namespace batfill
