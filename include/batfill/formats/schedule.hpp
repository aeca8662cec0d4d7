#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/job_state.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/shared_text.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// The execution time that Batsim, and so batfill, shows of a job that took no time, so that its stretch is finite. Its
// finish and turnaround time are as much later, too.
inline constexpr Duration shown_for_no_time = Duration::microseconds(10);

// The times of a job that ran, each as its column has it. They need not agree with each other; an audit finds that out.
struct ExecutionRecord {
    Time start;
    Duration length;  // execution_time
    Time finish;
    Duration wait;
    Duration turnaround;
};

// One line of a jobs.csv.
struct ScheduledJob {
    std::string id;  // workload and job, "w0!17"
    Time submit;
    SmallOptional<Duration> walltime;          // none: empty or negative
    std::optional<ExecutionRecord> execution;  // none: the columns are empty or nan
    std::optional<double> stretch;  // column `stretch`, if it has a number; read, and written as the times have it
    ResourceSet allocation;
    SharedText profile;                                 // written, not read
    SharedText metadata;                                // what the scheduler said of the job; written, not read
    int processors = 0;                                 // requested
    JobState state = JobState::completed_successfully;  // column `final_state`: the last one
    bool success = true;                                // column `success`

    // Whether the job ran and came to an end, however it ended.
    bool finished() const { return execution.has_value() && has_completed(state); }
};

// The jobs of one run and what became of them.
struct Schedule {
    std::string path;
    std::vector<ScheduledJob> jobs;  // in the order of the file
};

// Reads a jobs.csv in the format of Batsim 4, also gzipped. Columns are found by the names in the first line, in any
// order; columns of other names are skipped. A job that completed must have all five times, any other job all or none
// of them; the times of an unfinished job are dropped if some are missing. Throws InputError naming file and line.
// O(size of the file).
Schedule read_schedule(const std::string& path);

// The same, but gives each job to `use`, which may throw, instead of keeping it.
void read_schedule(const std::string& path, const std::function<void(ScheduledJob&&)>& use);

// The same for the text of a jobs.csv; `path` only serves error messages and the result's `path`.
Schedule parse_schedule(std::string_view text, const std::string& path);

// The first line of a jobs.csv with the columns and in the order of Batsim 4.2.1, its newline included.
std::string schedule_csv_header();

// Whose jobs.csv it is. In Batsim 5's, a profile has the name of the job's workload in front, and nothing is said of
// jobs.
enum class JobsFile { batsim4, batsim5 };

// Appends the line of `job` in such a file, its newline included. Times have six decimals.
void append_csv(const ScheduledJob& job, std::string& out, JobsFile file = JobsFile::batsim4);

}  // namespace batfill
