#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <batfill/core/decimal.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/workload.hpp>

// Makes jobs of a workload deadline-driven, as in section 5 of the paper on deadline-based backfilling.
namespace batfill {

// `share` of `jobs`, computed exactly and rounded down.
// Requires: share <= 1.
std::size_t count_of_share(Decimal share, std::size_t jobs);

// Samples `count` of `places` and returns them in increasing order; every choice is equally likely. The same seed gives
// the same places on any machine. A larger `count` gives those of a smaller one and more.
// Requires: count <= places.size().
// Cost: O(places.size() + count log count).
std::vector<std::size_t> draw(std::vector<std::size_t> places, std::size_t count, std::uint64_t seed);

// The rule for a job's deadline: submit + max(floor, factor * walltime).
struct DeadlineRule {
    Duration floor;  // not negative
    Decimal factor;

    // The time from a job's submission to its deadline, rounded half to even to the microsecond.
    Duration allowance(Duration walltime) const { return std::max(floor, factor.times(walltime)); }
};

// Which jobs of a workload's file become deadline-driven, and how.
struct DeadlineDraw {
    std::string workload;                  // path, also of a log
    std::string output;                    // path; may be the same
    std::optional<WorkloadFormat> format;  // of the output; none: that of the workload
    std::optional<Decimal> share;          // of the jobs with a walltime, at most 1; none: `count` of them
    std::uint64_t count = 0;
    std::uint64_t seed = 0;
    std::function<void(const std::string&)> note = [](const std::string&) {};  // hears what a log loses
    DeadlineRule rule{Duration::days(1), Decimal::of(10)};
};

// Numbers of jobs.
struct DrawnDeadlines {
    std::size_t jobs = 0;
    std::size_t with_walltime = 0;
    std::size_t drawn = 0;
    std::size_t at_floor = 0;  // drawn, and due after the floor
    std::size_t replaced = 0;  // had a deadline before
};

// Reads the workload, draws jobs, and writes it with deadlines for these jobs only. If the format stays Batsim 4's,
// nothing else changes (see with_deadlines()).
// Throws: UsageError if fewer jobs than `count` have a walltime; InputError as read_workload() and write_workload(),
// and for a deadline beyond 1e18 s.
DrawnDeadlines draw_deadlines(const DeadlineDraw& request);

// Returns the text of a workload with other deadlines. Job i, in the order of the text, gets deadlines[i], or none if
// that is nullopt. Drops earlier deadlines, also those inside extra_data. Keeps everything else, down to the digits of
// numbers, except blanks in jobs.
// Requires: parse_workload() accepts the text; there are as many deadlines as jobs.
// Cost: O(size of the text).
std::string with_deadlines(const std::string& text, const std::vector<std::optional<Time>>& deadlines);

}  // namespace batfill
