#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/replay/outcome.hpp>

#include "src/replay/reason_words.hpp"

// Why jobs waited: as a table, and for a person.
namespace batfill {

// A reason with its texts: a row of PREFIX_explain.csv.
struct ExplainedReason : Waiting {
    std::string rule;     // of the algorithm, without its numbers; not in the file
    std::string because;  // what the algorithm says, or why the job is rejected
    // What else it lacks, and the windows in its way (ReasonWords).
    std::string lack;
    std::string windows;
};
std::vector<ExplainedReason> explained(std::span<const WaitReason> reasons, const ReasonWords& words);
// The words for an outcome: hosts have the names of its platform, unless only their number is given. Instants are as
// RunOptions say.
ReasonWords words_for(const Outcome& outcome);

// The columns of PREFIX_explain.csv that it has only if one of the reasons says something there.
struct ReasonColumns {
    bool lack = false;
    bool windows = false;
    bool has(std::string_view column) const { return column == "lack" ? lack : column != "windows" || windows; }
};
ReasonColumns columns_of(std::span<const ExplainedReason> reasons);

// The first line of that file, including its newline.
std::string wait_reasons_csv_header(const ReasonColumns& columns);

// The holders in that file: "17:32:7200.000000 18:4:9000.000000", which are id, processors and estimated end.
std::string holders_of(const Waiting& reason);

// Appends a line of that file, including its newline.
void append_csv(const ExplainedReason& reason, std::string& out, const ReasonColumns& columns);

// Reads such a file, also gzipped.
// Throws: InputError, which names file and line.
std::vector<ExplainedReason> read_wait_reasons(const std::string& path);

// A reason as sentences, without its time: "it needs 8 processors; 0 are idle. Job 009 (...) is expected to end by
// ...". That instant is in seconds.
std::string sentences_of(const ExplainedReason& reason);

// Why each job of RunOptions::explain waited, for a person: a paragraph for each. Rounds in a row with the same rule
// become one span of time, with the numbers of the first and the last. Of many spans, those in the middle are left out.
// Requires: outcome.explains().
std::string explanation(const Outcome& outcome);

}  // namespace batfill
