#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/request.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/shared.hpp>
#include <batfill/core/shared_text.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// Batsim, and so batfill, shows this execution time for a job that took no time. This makes its stretch finite. Its
// finish time and turnaround time are later by the same amount.
inline constexpr Duration shown_for_no_time = Duration::microseconds(10);

// The times of a job that ran, each as its column gives it. They need not agree with each other; an audit checks that.
struct ExecutionRecord {
    Time start;
    Duration length;  // execution_time
    Time finish;
    Duration wait;
    Duration turnaround;
};

// The turnaround divided by the length, as column `stretch` has it, not rounded.
double stretch_of(const ExecutionRecord& execution);

// One line of a jobs.csv.
struct ScheduledJob {
    std::string id;  // workload and job, "w0!17"
    Time submit;
    SmallOptional<Duration> walltime;          // none: empty or negative
    std::optional<ExecutionRecord> execution;  // none: the columns are empty or nan
    // Column `stretch`, if it has a number. Reading sets it; writing computes it from the times.
    std::optional<double> stretch;
    ResourceSet allocation;
    Shared<std::vector<Amount>> cores;                  // of each host, if a tasks.csv says so
    SharedText profile;                                 // written, not read
    SharedText metadata;                                // the scheduler's text for the job; written, not read
    int processors = 0;                                 // requested
    JobState state = JobState::completed_successfully;  // column `final_state`: the last state
    bool success = true;                                // column `success`

    // Whether the job ran and ended, in whatever way.
    bool finished() const { return execution.has_value() && has_completed(state); }
};

// The jobs of one run and their outcomes.
struct Schedule {
    std::string path;
    std::vector<ScheduledJob> jobs;  // in the order of the file
};

// Which jobs of a jobs.csv are taken.
enum class TakenJobs {
    all,  // of which the lines have the right form: an audit says what else is wrong
    // Only ones that can have happened. A finished job starts no earlier than it is submitted, runs for 0 s or longer,
    // and ends no earlier than it starts; all this within the millisecond that other programs may round away. A
    // rejected job has no times.
    possible,
};

// Reads a jobs.csv in the format of Batsim 4, also gzipped; with `text`, this text instead, and `path` only names it.
// Finds columns by the names in the first line, in any order; skips columns with other names. A completed job must have
// all five times, any other job all or none. Drops the times of an unfinished job that has only some.
// Throws: InputError, which names file and line; also for a job that is not taken, which it names.
// Cost: O(size of the file).
Schedule read_schedule(const std::string& path, std::optional<std::string_view> text = {},
                       TakenJobs taken = TakenJobs::all);

// As above, but passes each job to `use`, which may throw, instead of keeping it.
void read_schedule(const std::string& path, const std::function<void(ScheduledJob&&)>& use,
                   TakenJobs taken = TakenJobs::all);

// The first line of a jobs.csv, including its newline, with the columns of Batsim 4.2.1 in their order.
std::string schedule_csv_header();

// The format of a jobs.csv. Batsim 5 puts the name of the job's workload before a profile, and writes no metadata.
enum class JobsFile { batsim4, batsim5 };

// Appends the line of `job` in such a file, including its newline. Times have six decimals.
void append_csv(const ScheduledJob& job, std::string& out, JobsFile file = JobsFile::batsim4);

// One line of a guarantees.csv.
struct Guarantee {
    std::string job_id;                    // workload and job, "w0!17"
    std::optional<Time> guaranteed_start;  // none: the job was guaranteed nothing
    std::optional<Time> actual_start;      // none: the job was rejected
};

// One line of an eligible.csv: a job that has conditions (StatedNeeds::has_conditions()).
struct EligibleTime {
    std::string job_id;            // workload and job, "w0!17"
    std::optional<Time> eligible;  // when all that it waited for had happened; none: never
};

// One line of a tasks.csv: how many cores of a host a job has, where the scheduler has decided that.
struct HostCores {
    std::string job_id;  // workload and job, "w0!17"
    int host = 0;
    Amount cores = 0;
};

// One line of a broken_guarantees.csv: a guarantee that has moved later, or ended.
struct BrokenGuarantee {
    std::string job_id;             // workload and job, "w0!17"
    Time lost_at;                   // when the processors were lost, or the guarantee broke
    Time guaranteed_start;          // the guarantee before
    std::optional<Time> new_start;  // the guarantee from then on; none: nothing any more
    GuaranteeBreakCause cause = GuaranteeBreakCause::loss;
    std::string window = {};  // the name of the announced window, if that is the cause
};

// Reads a guarantees.csv as `batfill simulate` writes it, also gzipped; with `text`, this text instead, and `path` only
// names it. Finds columns by their names.
// Throws: InputError, which names file and line.
// Cost: O(size of the file).
std::vector<Guarantee> read_guarantees(const std::string& path, std::optional<std::string_view> text = {});

// The first line of a guarantees.csv, including its newline.
std::string guarantees_csv_header();

// Appends the line of `guarantee` in such a file, including its newline. Times have six decimals.
void append_csv(const Guarantee& guarantee, std::string& out);

// As above, for an eligible.csv.
std::vector<EligibleTime> read_eligible_times(const std::string& path, std::optional<std::string_view> text = {});
std::string eligible_csv_header();
void append_csv(const EligibleTime& job, std::string& out);

// As above, for a tasks.csv. The hosts of a job follow each other, in their order.
std::vector<HostCores> read_host_cores(const std::string& path, std::optional<std::string_view> text = {});
std::string tasks_csv_header();
void append_csv(const HostCores& row, std::string& out);

// As above, for a broken_guarantees.csv. Without a column `cause`, losses are the cause. The files of runs in which
// jobs may outlive their estimates, or may be parked, have this column: `with_cause` writes it.
std::vector<BrokenGuarantee> read_broken_guarantees(const std::string& path, std::optional<std::string_view> text = {});
std::string broken_guarantees_csv_header(bool with_cause = false);
void append_csv(const BrokenGuarantee& broken, std::string& out, bool with_cause = false);

}  // namespace batfill
