#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/formats/swf.hpp>

// What batch systems write about the jobs that they ran.
namespace batfill {

// How a table gives instants.
enum class TimeFormat {
    automatic,     // 2024-03-01 12:00:00, 2024-03-01T12:00:00.5+01:00, or seconds since 1970
    month_first,   // 03/01/2024 12:00:00
    day_first,     // 01/03/2024 12:00:00 or 01.03.2024 12:00:00
    milliseconds,  // since 1970
    microseconds,
    nanoseconds,
    seconds,  // since 1970, or since a time 0 of the data
    days,     // since 1899-12-30, with a fraction, as spreadsheets count
};

// The columns of a table. The first text is one of table_fields(), or any other name: the workload then keeps the
// column under that name, for algorithms that read it. The second text is the name of the column.
using ColumnMapping = std::vector<std::pair<std::string, std::string>>;

// Adds a column to a mapping.
// Throws: UsageError for a field that has a column, a field that says the same as another, and a name that jobs have
// for something else. The caller names the option.
void add_column(ColumnMapping& mapping, const std::string& field, const std::string& column);

// What a table can say of a job:
// - id
// - submit, start, end: instants. A start and an end give wait and run time.
// - wait, run-time, walltime: lengths of time, as 90, 1:30:00, 2-00:00:00, "1 days 02:00:00" or PT1H30M
// - walltime-minutes: a number of minutes, instead of walltime
// - processors, or requested-processors and allocated-processors: numbers. They may be cores, nodes or GPUs: whatever
//   the machine is made of
// - state: a word of Slurm, or a similar one
// - user, queue
std::vector<std::string> table_fields();

// Accounting data: files of one format, which are read one after the other.
struct AccountingData {
    // sacct (`sacct --parsable2` or `sacct --json`), pbs (accounting logs of PBS and TORQUE), csv, or a published data
    // set, one of accounting_formats().
    std::string format;
    std::vector<std::string> paths;
    ColumnMapping mapping;                     // of csv; of a data set in CSV, it replaces single columns
    TimeFormat times = TimeFormat::automatic;  // of csv
    std::optional<char> separator;             // of columns; none: a comma, and | of sacct
    std::string time_zone;          // of instants without one, such as Europe/Berlin; empty: they are taken as UTC
    bool counts_nodes = false;      // of sacct and pbs: sizes of jobs are numbers of nodes, not of processors
    ResourceFields fields;          // what jobs get besides
    bool drops_bad_rows = false;    // rows that cannot be read are left out and counted; otherwise, they are errors
    bool keeps_equal_rows = false;  // equal rows of one file are jobs of their own; otherwise, they are one
    // What a number without a unit counts in the field `memory` of a table, in bytes, and whether it is that of each
    // host; 0: MiB of the whole job, and noted. Data sets know their own.
    long long memory_unit = 0;
    bool memory_is_of_host = false;
    bool keeps_hosts = false;            // the log gets the names of the hosts of each job, where the data list them
    bool submits_when_eligible = false;  // of sacct: the submission is the instant of Eligible, where that is known
    // The walltime of jobs of these queues that have no time limit of their own, or an unlimited one.
    std::map<std::string, Duration, std::less<>> partition_limits;
};

// The formats that read_accounting() knows.
std::vector<std::string> accounting_formats();

// Reads the data as a log. Time 0 is the midnight before the first submission, unless the data count from a time 0 of
// their own. Fields beyond those of SWF go to `other_fields`: account, qos, gpus, memory (bytes, of the whole job),
// nodes, dependency, what a mapping names, and what `fields` asks for. A dependency that `fields.after` reads is none
// of them. The log tells what was left out and changed.
// Requires: the format is known; at least one path.
// Throws:
// - UsageError for a mapping without id, submit, a size or a run time
// - UsageError for `per_host` without the hosts of a job, for `memory_pool` without its memory, and for `after` of data
//   that do not say what jobs wait for
// - UsageError for an unknown time zone
// - InputError, which names file, line and column, for what cannot be read, and for data without a record
// - InputError for columns of sacct without those of `after`, `memory_pool` or `submits_when_eligible`
// With `drops_bad_rows`, a row is no reason, but what concerns a whole file is: no line of column names, another kind
// of file.
// Cost: O(size of the files). About 150 bytes of memory for each job, and its id and other fields.
SwfLog read_accounting(const AccountingData& data);

}  // namespace batfill
