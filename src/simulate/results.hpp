#pragma once

#include <string>

#include <batfill/simulator.hpp>

namespace batfill {

// What the two columns of real time of the schedule's CSV hold, in seconds.
struct RealTimes {
    double scheduling = 0;
    double simulation = 0;
};

// Writes PREFIX_jobs.csv and PREFIX_schedule.csv with the columns, order and meaning of Batsim 4.2.1 (docs/simulator.md
// lists them), each whole or not at all. Throws InputError if a file cannot be written. O(jobs).
void write_results(const Simulator& simulator, const std::string& prefix, const RealTimes& real_times);

}  // namespace batfill
