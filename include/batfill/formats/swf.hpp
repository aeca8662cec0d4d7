#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/core/time.hpp>

namespace batfill {

// One job of a log in the Standard Workload Format 2.2: the columns that matter for a rigid job, with the values of the
// log. Negative (-1) means unknown.
struct SwfJob {
    std::uint32_t line = 0;              // in the file, counted from 1
    std::uint32_t other_fields = 0;      // place in SwfLog::other_fields, if that is not empty
    long long number = 0;                // column 1, never negative
    Duration submit;                     // column 2, since the log's own zero
    Duration wait;                       // column 3
    Duration run_time;                   // column 4
    long long allocated_processors = 0;  // column 5
    long long requested_processors = 0;  // column 8
    Duration requested_time;             // column 9, the user's estimate
    long long status = 0;                // column 11
    long long user = 0;                  // column 12
    long long queue = 0;                 // column 15
    long long partition = 0;             // column 16
};

// Many short texts, numbered from 0, in one piece of memory.
class TextList {
 public:
    // Returns the number of the text.
    std::size_t add(std::string_view text) {
        characters_ += text;
        ends_.push_back(characters_.size());
        return ends_.size() - 1;
    }
    // Requires: number < size().
    std::string_view operator[](std::size_t number) const {
        const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
        return std::string_view(characters_).substr(begin, ends_[number] - begin);
    }
    std::size_t size() const { return ends_.size(); }
    bool empty() const { return ends_.empty(); }

 private:
    std::string characters_;
    std::vector<std::size_t> ends_;
};

// A rule, and the number of jobs that it concerns.
struct RuleCount {
    std::string what;
    std::size_t jobs = 0;
};

// A peculiarity that reading another format found in jobs.
struct NotedJobs {
    std::string what;
    std::vector<std::uint32_t> jobs;  // places in SwfLog::jobs; a place may occur several times
};

// Rows of a file that could not be read and were dropped, with one kind of problem.
struct BadRows {
    std::string first;  // file, line and problem of the first one
    std::size_t rows = 0;
};

// A log, in the terms of the Standard Workload Format, whatever the format of its file.
struct SwfLog {
    std::string path;                 // for messages
    std::vector<std::string> header;  // the comment lines, with their ';', without line ends
    std::vector<SwfJob> jobs;         // in the order of the file

    // SWF numbers jobs, users and queues. Logs of other formats name them: SwfJob::number, user and queue are then
    // places in these lists. An empty list means that there are only numbers.
    TextList ids;
    TextList users;
    TextList queues;
    TextList other_fields;  // as JobDescription::other_fields; number 0 is empty
    // What reading another format left out, what it found odd, and what it changed or did not know; one entry for each
    // rule.
    std::vector<RuleCount> left_out;
    std::vector<RuleCount> anomalies;
    std::vector<NotedJobs> noted;
    std::vector<BadRows> bad_rows;            // one entry for each kind of problem; the 20th has all further kinds
    std::string zero;                         // the date of time 0, for messages; empty: unknown
    std::optional<Duration> zero_since_1970;  // time 0 in UTC; none: the records do not say it, or the log is of SWF
    std::string time_zone;                    // of dates that users give; empty: UTC

    // The values of the header comments `; name: value`, without surrounding blanks.
    // Cost: O(header).
    std::vector<std::string> fields(std::string_view name) const;
    // The first of them.
    std::optional<std::string> field(std::string_view name) const;
};

// Reads a log, plain or gzipped. Each line must be a comment, empty, or 18 numbers. Decimals are accepted, but counts
// and ids must be whole numbers.
// Throws: InputError
// - for any other line, naming file, line, column and what was expected
// - for a file of more than 10 million jobs, a line of more than 64 KiB, or more than 4 MiB of comments; these limits
//   bound memory
// Cost: O(size of the file).
SwfLog read_swf(const std::string& path);

// As above, for a text in memory. `path` is used in messages only.
SwfLog parse_swf(std::string_view text, const std::string& path);

// What batch systems write about the jobs that they ran.

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
    std::string time_zone;        // of instants without one, such as Europe/Berlin; empty: they are taken as UTC
    bool counts_nodes = false;    // of sacct and pbs: sizes of jobs are numbers of nodes, not of processors
    bool drops_bad_rows = false;  // rows that cannot be read are left out and counted; otherwise, they are errors
    // The walltime of jobs of these queues that have no time limit of their own, or an unlimited one.
    std::map<std::string, Duration, std::less<>> partition_limits;
};

// The formats that read_accounting() knows.
std::vector<std::string> accounting_formats();

// Reads the data as a log. Time 0 is the midnight before the first submission, unless the data count from a time 0 of
// their own. Fields beyond those of SWF go to `other_fields`: account, qos, gpus, memory (bytes, of the whole job),
// nodes, dependency, and what a mapping names. The log tells what was left out and changed.
// Requires: the format is known; at least one path.
// Throws: UsageError for a mapping without id, submit, a size or a run time, and for an unknown time zone; InputError,
// which names file, line and column, for what cannot be read, and for data without a record. With `drops_bad_rows`, a
// row is no reason, but what concerns a whole file is: no line of column names, another kind of file.
// Cost: O(size of the files). About 150 bytes of memory for each job, and its id and other fields.
SwfLog read_accounting(const AccountingData& data);

}  // namespace batfill
