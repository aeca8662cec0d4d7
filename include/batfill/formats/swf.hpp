#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/core/dependency.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/resource_fields.hpp>

namespace batfill {

// One job of a log in the Standard Workload Format 2.2: the columns that matter for a rigid job, with the values of the
// log. Negative (-1) means unknown.
struct SwfJob {
    std::uint32_t line = 0;              // in the file, counted from 1
    std::uint32_t other_fields = 0;      // place in SwfLog::other_fields, if that is not empty
    std::uint32_t needs = 0;             // place in SwfLog::needs, if that is not empty
    std::uint32_t conditions = 0;        // place in SwfLog::conditions, if that is not empty
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
    long long requested_memory = -1;     // column 10, KiB for each processor
    std::uint32_t hosts = 0;             // place in SwfLog::hosts, if that is not empty
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

// What a log says of the hosts of a job.
struct LoggedNeeds {
    StatedNeeds stated;          // what the job asks for in a workload
    StatedNeeds::Amounts taken;  // what it took of each host, also if it took whole hosts; nothing: unknown
    // How much more of all its hosts `per_host` is than what the log says, because its hosts had different amounts, or
    // because these are rounded up.
    StatedNeeds::Amounts surplus{};
    bool has_different_hosts = false;
};

// Whether cores or GPUs do not divide by the job's hosts, so that nobody knows how they were spread over them.
inline bool is_rounded_up(const LoggedNeeds& needs) {
    return !needs.has_different_hosts &&
           std::ranges::any_of(needs.surplus, [](const auto& amount) { return amount.first != "memory"; });
}

// Hosts of a job that it took the same of.
struct LoggedHosts {
    std::string names;                          // separated by blanks
    std::optional<StatedNeeds::Amounts> taken;  // of each; none: what the needs of the job say
    std::optional<std::string> partition;       // none: that of the needs; empty: unknown
    bool is_rounded_up = false;                 // `taken` is, as nobody knows how much each of them gave
};

// What a log says of what a job waited for.
struct LoggedConditions {
    // Jobs by the log's own numbers or ids. The id of an array, "12" or "12[]", means all its tasks, "12_3" or "12[3]".
    std::vector<Dependency> after;
    // Of conditions on a component of a heterogeneous job of Slurm, the place in `after` and the id, "12+1". The
    // condition itself is on the job, "12".
    std::vector<std::pair<std::size_t, std::string>> components = {};
    std::vector<const char*> left_out = {};  // for each condition without a counterpart, its kind, such as "afternotok"
    std::optional<Duration> begin = {};      // an instant as SwfJob::submit
    // Of a task whose id does not say its array (array_of()), or that has a limit of its own. Empty, 0: none.
    std::string array = {};
    long long array_limit = 0;

    bool empty() const { return after.empty() && left_out.empty() && !begin && array.empty() && array_limit == 0; }
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
    // Of accounting data that were read with `fields`; number 0 is nothing. `other_fields` has the same as text.
    std::vector<LoggedNeeds> needs;
    // What components of heterogeneous jobs did not take any more until the last component ended, by place of the job:
    // cores, GPUs and MiB, times microseconds.
    std::map<std::uint32_t, std::map<std::string, Microseconds>> ended_early;
    // Of a log that was read with conditions on other jobs; number 0 is nothing.
    std::vector<LoggedConditions> conditions;
    std::map<std::string, long long, std::less<>> array_limits;  // how many tasks of an array may run at once
    // Of accounting data that were read with `keeps_hosts`; number 0 is none.
    std::vector<std::vector<LoggedHosts>> hosts;
    ResourceFields read_fields;  // what jobs get for schedulers to look at
    bool counts_hosts = false;   // sizes of jobs are numbers of hosts, of which jobs take what `needs` says
    // What reading another format left out, what it found odd, and what it changed or did not know; one entry for each
    // rule.
    std::vector<RuleCount> left_out;
    std::vector<RuleCount> anomalies;
    std::vector<NotedJobs> noted;
    // Where fields that the log was read with stand in the data: "gpus: AllocTRES". A job has each once.
    std::vector<NotedJobs> columns;
    std::vector<BadRows> bad_rows;  // one entry for each kind of problem; the 20th has all further kinds
    std::string zero;               // the date of time 0, for messages; empty: unknown, or the log is of SWF
    std::optional<Origin> origin;   // time 0; none: unknown
    std::string time_zone;          // of dates that users give; empty: UTC

    // The values of the header comments `; name: value`, without surrounding blanks.
    // Cost: O(header).
    std::vector<std::string> fields(std::string_view name) const;
    // The first of them.
    std::optional<std::string> field(std::string_view name) const;
};

// Reads a log, plain or gzipped. Each line must be a comment, empty, or 18 numbers. Decimals are accepted, but counts
// and ids must be whole numbers. With `fields.after`, columns 17 and 18 become SwfLog::conditions: `any` on the
// preceding job, with the think time as delay.
// Throws: InputError
// - for any other line, naming file, line, column and what was expected
// - for a file of more than 10 million jobs, a line of more than 64 KiB, or more than 4 MiB of comments; these limits
//   bound memory
// Cost: O(size of the file).
SwfLog read_swf(const std::string& path, const ResourceFields& fields = {});

// As above, for a text in memory. `path` is used in messages only.
SwfLog parse_swf(std::string_view text, const std::string& path, const ResourceFields& fields = {});

}  // namespace batfill
