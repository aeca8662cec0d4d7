#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/swf_conversion.hpp>

namespace batfill {

// What happened to jobs on the machine of a log, to compare schedulers with.
class LogColumn {
 public:
    // Reads a log of SWF, or a jobs.csv such as `batfill import --schedule` writes it. `note` hears how many jobs of a
    // log have no place in its schedule.
    // Throws: InputError, which names the file.
    LogColumn(const std::string& path, const Note& note);

    // The schedule of the jobs of this workload that started in the log, in the workload's order and time: with their
    // ids, sizes and walltimes there, and the waits and run times of the log.
    // Throws: InputError, which names the job, if jobs were submitted at other times in the log, seen from each other,
    // and if the log has none of them.
    // Cost: O(jobs).
    Schedule of(const Workload& workload) const;

 private:
    std::string path_;
    Schedule schedule_;
    std::unordered_map<std::string, std::size_t> places_;  // by id without zeros before it; only looked up
};

}  // namespace batfill
