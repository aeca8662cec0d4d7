#pragma once

#include <map>
#include <string>
#include <utility>

#include <batfill/core/shared_text.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "swf_selection.hpp"

namespace batfill {

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

}  // namespace batfill
