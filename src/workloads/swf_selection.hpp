#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <batfill/formats/swf.hpp>
#include <batfill/workloads/swf_conversion.hpp>

// Which jobs of a log a conversion keeps, and in which order.
namespace batfill {

// Batsim does not support a delay of 0.
inline constexpr Duration shortest_run_time = Duration::microseconds(1);

inline bool has_estimate(const SwfJob& job) {
    return job.requested_time > Duration();
}

// "3, 7", for messages.
std::string list_of_numbers(const std::vector<long long>& numbers);

bool longer_than_estimate(const SwfJob& job);

// The run time that a kept job gets.
inline Duration run_time_of(const SwfJob& job) {
    return std::max(job.run_time, shortest_run_time);
}

// The size of a job in units of processors, without any limit.
long long size_of(const SwfJob& job, const SwfConversion& conversion);

// A kept job. `copy` numbers the kept lines with its job number, from 1.
struct KeptJob {
    const SwfJob* job;
    std::uint32_t copy = 1;
};

struct SwfSelection {
    const SwfLog* log = nullptr;
    std::vector<KeptJob> kept;       // by (submission, id)
    std::vector<RuleCount> dropped;  // one for each rule, in the order of application; a job counts once
    std::size_t id_width = 0;

    std::string id_of(const KeptJob& job) const;
};

// Requires: `log` outlives the result.
// Cost: O(n log n).
SwfSelection select_jobs(const SwfLog& log, const SwfConversion& conversion);

}  // namespace batfill
