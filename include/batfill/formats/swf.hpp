#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/time.hpp>

namespace batfill {

// One job of a log in the Standard Workload Format 2.2: the columns that matter for a rigid job, with the values of the
// log. Negative (-1) means unknown.
struct SwfJob {
    std::size_t line = 0;                // in the file, counted from 1
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

struct SwfLog {
    std::string path;                 // for messages
    std::vector<std::string> header;  // the comment lines, with their ';', without line ends
    std::vector<SwfJob> jobs;         // in the order of the file

    // The value of the first header comment `; name: value`, without surrounding blanks.
    // Cost: O(header).
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

}  // namespace batfill
