#pragma once

#include <optional>

#include <batfill/schedule.hpp>
#include <batfill/time.hpp>

// What the papers measure of one finished job.
namespace batfill::analysis {

inline Duration wait(const ScheduledJob& job) {
    return job.execution->start - job.submit;
}

// Rounded once, as long as both are below 2^53 microseconds.
inline double ratio(Duration part, Duration whole) {
    return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

// None without a walltime above 0.
inline std::optional<double> stretch(const ScheduledJob& job) {
    if (!job.walltime || *job.walltime <= Duration()) {
        return std::nullopt;
    }
    return ratio(wait(job) + *job.walltime, *job.walltime);
}

}  // namespace batfill::analysis
