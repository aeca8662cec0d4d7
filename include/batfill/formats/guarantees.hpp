#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/time.hpp>

namespace batfill {

// One line of a guarantees.csv.
struct Guarantee {
    std::string job_id;                    // workload and job, "w0!17"
    std::optional<Time> guaranteed_start;  // none: the job was guaranteed nothing
    std::optional<Time> actual_start;      // none: the job was rejected
};

// One line of a broken_guarantees.csv: a guarantee that a loss of processors has moved later.
struct BrokenGuarantee {
    std::string job_id;             // workload and job, "w0!17"
    Time lost_at;                   // when the processors were lost
    Time guaranteed_start;          // the guarantee before
    std::optional<Time> new_start;  // the guarantee from then on; none: nothing any more
};

// Reads a guarantees.csv as `batfill simulate` writes it, also gzipped. Finds columns by their names.
// Throws: InputError, which names file and line.
// Cost: O(size of the file).
std::vector<Guarantee> read_guarantees(const std::string& path);

// As above, for the text of a guarantees.csv. `path` is used in error messages only.
std::vector<Guarantee> parse_guarantees(std::string_view text, const std::string& path);

// The first line of a guarantees.csv, including its newline.
std::string guarantees_csv_header();

// Appends the line of `guarantee` in such a file, including its newline. Times have six decimals.
void append_csv(const Guarantee& guarantee, std::string& out);

// As above, for a broken_guarantees.csv.
std::vector<BrokenGuarantee> read_broken_guarantees(const std::string& path);
std::vector<BrokenGuarantee> parse_broken_guarantees(std::string_view text, const std::string& path);
std::string broken_guarantees_csv_header();
void append_csv(const BrokenGuarantee& broken, std::string& out);

}  // namespace batfill
