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

#include <batfill/core/shared_text.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/workloads/job_conditions.hpp"

// Which jobs of a log a conversion keeps, in which order, and what becomes of them.
namespace batfill {

// Batsim does not support a delay of 0.
inline constexpr Duration shortest_run_time = Duration::microseconds(1);

inline bool has_estimate(const SwfJob& job) {
    return job.requested_time > Duration();
}

// "3, 7", for messages.
std::string list_of_numbers(const std::vector<long long>& numbers);

inline bool longer_than_estimate(const SwfJob& job) {
    return has_estimate(job) && job.run_time > job.requested_time;
}

// The run time that a kept job gets.
inline Duration run_time_of(const SwfJob& job) {
    return std::max(job.run_time, shortest_run_time);
}

// The size of a job in units of processors, without any limit.
long long size_of(const SwfJob& job, const SwfConversion& conversion);

// The same in processors.
long long processors_of(const SwfJob& job, const SwfConversion& conversion);

// A kept job. `copy` numbers the kept lines with its job number, from 1; in accounting data, all runs of the
// job that the log has.
struct KeptJob {
    const SwfJob* job;
    std::uint32_t copy = 1;
};

struct SwfSelection {
    const SwfLog* log = nullptr;
    std::vector<KeptJob> kept;       // by (submission, id)
    std::vector<RuleCount> dropped;  // one for each rule, in the order of application; a job counts once
    std::size_t id_width = 0;
    // The jobs that rules dropped, each with the place of its rule in `dropped`, if the log counts hosts.
    std::vector<std::pair<const SwfJob*, std::size_t>> left_out{};

    std::string id_of(const KeptJob& job) const;
};

// How many of the kept jobs are among those of each entry; without the entries that have none.
std::vector<RuleCount> counts_of_kept(const SwfSelection& selection, const std::vector<NotedJobs>& noted);

// Whether each job of the log is among those that it notes under this rule.
std::vector<bool> jobs_noted(const SwfLog& log, std::string_view rule);

// Requires: `log` outlives the result.
// Cost: O(n log n).
SwfSelection select_jobs(const SwfLog& log, const SwfConversion& conversion);

// Makes the jobs of a workload from the selected lines of a log, one by one: ten million jobs do not fit in memory
// beside their log.
class JobMaker {
 public:
    // Requires: both outlive this object.
    JobMaker(const SwfSelection& selection, const SwfConversion& conversion);

    const ConversionSummary& summary() const { return summary_; }
    // A workload without jobs and profiles.
    Workload frame() const;
    // Throws: InputError for a job of more than 2^31 - 2 processors.
    WorkloadJob make(const KeptJob& kept);
    // The profiles of all jobs made so far.
    std::map<std::string, JobProfile> take_profiles() { return std::move(profiles_); }

 private:
    SharedText name(const TextList& names, long long number);

    const SwfSelection& selection_;
    const SwfConversion& conversion_;
    ConversionSummary summary_;
    Duration shift_;
    TextPool texts_;
    std::vector<Shared<StatedNeeds>> needs_;  // as SwfLog::needs
    JobConditions conditions_;
    std::string profile_;
    std::map<std::string, JobProfile> profiles_;
};

// All jobs of the selection as a workload in memory.
// Throws: as JobMaker::make().
SwfWorkload convert(const SwfSelection& selection, JobMaker& maker);

// How to scale the gaps between submissions for the load of `conversion`.
// Requires: conversion.load.
// Throws: InputError if no gap can be scaled: there are no jobs that fit, or all are submitted at one instant.
LoadScaling scale_load(const SwfSelection& selection, const SwfConversion& conversion, int processors);

// The walltime that a kept job gets.
std::optional<Duration> walltime_of(const SwfJob& job, const SwfConversion& conversion);

// What a job of the log asks for besides its size, as SwfLog::read_fields has it.
// Cost: O(1) of accounting data, else that of making it.
LoggedNeeds needs_of(const SwfLog& log, const SwfJob& job, const SwfConversion& conversion);

// Adds to the summary what the kept jobs took of the log's machine, and from which columns the log knows it.
void add_machine_of_log(const SwfSelection& selection, const SwfConversion& conversion, ConversionSummary& summary);

}  // namespace batfill
