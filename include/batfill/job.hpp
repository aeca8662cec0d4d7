#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <batfill/time.hpp>

namespace batfill {

// Numbers the jobs of a simulation in the order in which their submissions arrive.
using JobIndex = std::uint32_t;

// What a user says of a job when submitting it: all that a scheduler may know.
struct JobDescription {
    std::string id;                     // as in messages, "w0!17"
    Time submit;                        // the job's own submission time (`subtime`)
    int processors = 0;                 // requested, `res`
    std::optional<Duration> walltime;   // the estimate, an upper bound; none: no field, or negative
    std::optional<Time> deadline;       // an instant, not a length of time
    std::string queue;                  // empty: none named
    std::string user;                   // empty: unknown
    std::vector<std::string> licenses;  // names, as given
    std::string profile;                // name of the job's profile in its workload
    friend bool operator==(const JobDescription&, const JobDescription&) = default;
};

}  // namespace batfill
