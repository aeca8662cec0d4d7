#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/time.hpp>
#include <batfill/workload.hpp>

// Makes jobs of a workload deadline-driven, as in section 5 of the paper on deadline-based backfilling.
namespace batfill {

// A number in 0..1,000,000 with six decimals, exactly.
class Decimal {
 public:
    // The decimal number in `text`; more than six decimals are rounded half to even. No value if `text` is not a JSON
    // number or not within the limits.
    static std::optional<Decimal> parse(std::string_view text);

    long long millionths() const { return millionths_; }

 private:
    explicit Decimal(long long millionths) : millionths_(millionths) {}
    long long millionths_;
};

// `share`, at most 1, of `jobs`, rounded down. Exact.
std::size_t count_of_share(Decimal share, std::size_t jobs);

// The places, in increasing order, of the jobs that a deadline can be given to: those with a walltime.
std::vector<std::size_t> jobs_with_walltime(const Workload& workload);

// `count` of `places`, in increasing order; every choice is equally likely. The same for the same seed, on any machine;
// what a smaller `count` draws is among it. Requires count <= places.size(). O(places.size() + count log count).
std::vector<std::size_t> draw(std::vector<std::size_t> places, std::size_t count, std::uint64_t seed);

// submit + max(floor, factor * walltime).
struct DeadlineRule {
    Duration floor;  // from 0
    Decimal factor;

    // From the job's submission to its deadline, rounded half to even to the microsecond.
    Duration allowance(Duration walltime) const;
};

// The text of a workload with other deadlines: job i, in the order of the text, has deadlines[i], or none. The
// deadlines that were there are gone; everything else is as it was, down to the digits of numbers, except for blanks in
// jobs. Requires that parse_workload() takes `text`, and a deadline, or nullopt, for each of its jobs. O(size of the
// text).
std::string with_deadlines(const std::string& text, const std::vector<std::optional<Time>>& deadlines);

}  // namespace batfill
