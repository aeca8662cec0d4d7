#pragma once

#include <array>
#include <string_view>

#include "src/support/csv_reader.hpp"

// The columns of sacct's tables.
namespace batfill {

// Those that are read. Requires of a table: the first one.
inline constexpr auto sacct_columns = std::to_array<std::string_view>(
    {"Submit",     "JobID",         "JobIDRaw",  "Start",     "End",        "Elapsed",   "ElapsedRaw",
     "Timelimit",  "TimelimitRaw",  "AllocCPUS", "NCPUS",     "ReqCPUS",    "CPUTime",   "CPUTimeRAW",
     "NNodes",     "AllocNodes",    "State",     "User",      "Account",    "Partition", "QOS",
     "ReqMem",     "ReqTRES",       "AllocTRES", "ReqGRES",   "AllocGRES",  "JobName",   "Reservation",
     "SubmitLine", "OverSubscribe", "NodeList",  "Exclusive", "Dependency", "Eligible"});

consteval std::size_t sacct_column(std::string_view name) {
    return place_in(sacct_columns, name);
}

// Those in which users write what they like, the separator too.
inline constexpr auto sacct_free_texts =
    std::to_array<std::string_view>({"jobname", "comment", "admincomment", "systemcomment", "workdir", "submitline",
                                     "extra", "container", "wckey", "constraints", "licenses", "reason", "stdin",
                                     "stdout", "stderr", "stdinexpanded", "stdoutexpanded", "stderrexpanded"});

// Whether a text may stand in a column of sacct; any text in a column that is not known here. See
// CsvFormat::may_stand_in.
bool may_stand_in_sacct(std::string_view column, std::string_view text);
// See CsvFormat::usually_begins.
bool usually_begins_in_sacct(std::string_view column, std::string_view text);

}  // namespace batfill
