#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/core/time.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/metric_table.hpp"
#include "src/analysis/tables.hpp"

// What the page says first: which run is better, how sure that is, and which job or user it depends on.
namespace batfill::report {

// A metric of the jobs that all runs finished.
struct ComparedMetric {
    const analysis::Metric* metric;
    std::vector<std::optional<double>> values;       // by run
    std::vector<std::optional<Interval>> intervals;  // of each run alone; none with too few weeks
    std::vector<analysis::Mark> marks;
};

// A job whose own wait is a large part of a run's mean wait.
struct DecisiveJob {
    std::string_view id;
    std::size_t run;                    // in which its share is largest
    double share;                       // of all waiting time there
    std::vector<double> means_without;  // by run, in seconds
};

// A user who waits much longer than others under one run, and not under another.
struct StarvedUser {
    std::string name;
    std::size_t jobs;
    std::size_t run;
    double mean_wait;  // there, in seconds
    double times;      // the mean wait of all jobs there
    std::size_t other_run;
    double other_mean_wait;
};

struct FirstScreen {
    std::size_t jobs = 0;      // that all runs finished
    std::size_t left_out = 0;  // that some runs finished, and others did not
    std::size_t weeks = 0;     // in which the jobs were submitted
    std::string verdict;       // a sentence; empty if there is nothing to compare
    std::vector<ComparedMetric> metrics;
    std::optional<DecisiveJob> decisive_job;
    std::optional<StarvedUser> starved_user;
};

// The user of a job; empty if unknown.
using UserOf = std::function<std::string(const FinishedJob&)>;

// Compares the jobs that all runs finished: mean wait, 99th percentile, longest wait and mean bounded slowdown.
// Requires: at least one run; as many names as runs.
// Cost: O(runs^2 * weeks + runs * (n log n + n * weeks)).
FirstScreen first_screen(const std::vector<const analysis::FinishedJobs*>& runs, const std::vector<std::string>& names,
                         std::size_t baseline, Duration tau, const UserOf& user_of);

}  // namespace batfill::report
