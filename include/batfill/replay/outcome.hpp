#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/simulator/simulator.hpp>

namespace batfill {

struct RunOptions {
    Simulator::Progress progress{};  // called now and then
    // Called as often, with the simulation at that time.
    std::function<void(const Simulator&)> watch{};
    // If some jobs never start, the outcome says so, with what came of the others. If not set, this is an error.
    bool keeps_deadlocks = false;
    // The outcome says how much real time the scheduler took.
    bool measures_time = false;
    // The outcome says why these jobs waited. Their ids are as in PREFIX_jobs.csv; with several workloads, WORKLOAD!ID.
    std::vector<std::string> explain{};
    InstantText instants{instant_text};  // how the words for these reasons give instants
    // The outcome has the state before the first round at this instant or after it.
    Time state_at = Time::infinity();
};

// What came of a run: one simulation of a scenario under a scheduler. Keeps the scenario alive. Copies
// nothing until somebody calls for it.
class Outcome {
 public:
    const Scenario& scenario() const { return *scenario_; }
    // The jobs, the clock and the counts of the simulation at its end.
    const Simulator& simulation() const { return simulator_; }
    // The engine at the end; null if the scheduler is not one of ours.
    const Engine* engine() const { return engine_.get(); }
    // Why some jobs never started; empty if all did.
    const std::string& deadlock() const { return deadlock_; }
    // Whether jobs run on when their processors become unavailable, as the parameter on-failure says.
    bool jobs_survive_losses() const { return !engine_ || engine_->choice().common().on_failure == OnFailure::proceed; }
    // The real time that the scheduler took, in seconds; 0 unless RunOptions asks for it.
    double scheduler_seconds() const { return scheduler_seconds_; }

    // The schedule as PREFIX_jobs.csv has it: the jobs in the order in which they ended, rejected ones among them.
    // Cost: O(jobs).
    Schedule schedule() const;
    // As above, but passes the jobs to `use` one by one.
    void for_each_job(const std::function<void(const ScheduledJob&)>& use) const;
    // What jobs of the schedule were guaranteed at their submission; which of these guarantees a loss of processors has
    // moved, in the order in which they broke; and the algorithm's counts at the end of the run. Empty if the scheduler
    // is not one of ours.
    bool gives_guarantees() const { return engine_ && engine_->choice().gives_guarantees(); }
    Guarantee guarantee(JobNumber number) const;
    std::vector<BrokenGuarantee> broken_guarantees() const;
    // Whether jobs may wait for others; and for each job of the schedule that does, when it became eligible.
    // Requires: the scheduler is one of ours.
    bool has_dependencies() const { return engine_ && simulator_.has_dependencies(); }
    void for_each_dependent(const std::function<void(const EligibleTime&)>& use) const;
    // Whether the scheduler has laid out the cores of jobs.
    bool lays_out_jobs() const { return !simulator_.results().cores.empty(); }
    const std::vector<Statistic>& statistics() const { return statistics_; }
    // Why the jobs of RunOptions::explain waited, and which they are.
    // Requires: the scheduler is one of ours.
    bool explains() const { return !explained_.empty(); }
    const std::vector<std::string>& explained() const { return explained_; }  // as the reasons name them
    const std::vector<WaitReason>& wait_reasons() const { return engine_->wait_reasons(); }
    const InstantText& instants() const { return instants_; }
    // The state of RunOptions::state_at, as to_string() prints it; empty if no round came.
    // Requires: the scheduler is one of ours.
    const std::string& state_text() const { return engine_->recorded_state(); }
    const std::map<RejectionCause, Rejections>& rejected() const { return rejected_; }
    // The jobs that the scheduler registered and the scenario does not have. Later runs of killed jobs are not among
    // them.
    Workload registered_jobs() const;
    // The workloads of the scenario, and these jobs as another one, if there are any: a copy of all, in `place`.
    const std::vector<Workload>& workloads(std::vector<Workload>& place) const;

 private:
    friend class Replay;
    friend Outcome run(Scenario scenario, const SchedulerChoice& scheduler, const RunOptions& options);
    friend Outcome run(Scenario scenario, SimulatedScheduler& scheduler, const RunOptions& options);

    Outcome(std::shared_ptr<const Scenario> scenario, Simulator simulator);
    void simulate(const SchedulerChoice& choice, const Machine* machine, const RunOptions& options);
    void simulate(SimulatedScheduler& scheduler, const RunOptions& options);
    void explain(const std::vector<std::string>& jobs);

    std::shared_ptr<const Scenario> scenario_;
    Simulator simulator_;
    std::unique_ptr<Engine> engine_;
    std::vector<Statistic> statistics_;
    std::map<RejectionCause, Rejections> rejected_;
    std::string deadlock_;
    double scheduler_seconds_ = 0;
    std::vector<std::string> explained_;
    InstantText instants_{instant_text};
};

// Runs a scenario under one of our algorithms, which may register jobs.
// Throws:
// - UsageError if no such algorithm or parameter exists
// - InputError, which names the job, for a job that cannot be simulated (its profile communicates)
// - UsageError for a job to explain that nobody can submit
// - DeadlockError if some jobs never start, unless the options keep it
Outcome run(Scenario scenario, const SchedulerChoice& scheduler, const RunOptions& options = {});
// As above, under any scheduler. It may register jobs if it says so or the scenario allows it.
Outcome run(Scenario scenario, SimulatedScheduler& scheduler, const RunOptions& options = {});

// Audits the schedule, with the guarantees if there are any. The outcome of one of our algorithms knows its placement,
// and whether jobs survive losses of processors; `options` say the rest.
// Throws: as check_schedule().
CheckReport audit(const Outcome& outcome, CheckOptions options = {});

// For each host of each job of a schedule whose scheduler has laid out the cores of jobs: how many it had there.
void for_each_host_of_jobs(const ScheduleSource& schedule, const std::function<void(const HostCores&)>& use);

// The two columns of real time in the schedule's CSV, in seconds.
struct RealTimes {
    double scheduling = 0;
    double simulation = 0;
};

// What the files of a run are made of. Its functions call `use` with each job or guarantee, in the order of the rows.
struct RunFiles {
    bool batsim5 = false;
    ScheduleSource schedule;
    std::string summary;  // PREFIX_schedule.csv
    RealTimes real_times{};
    std::vector<Statistic> statistics;
    std::function<void(const std::function<void(const Guarantee&)>& use)> guarantees;     // null: no such file
    std::optional<std::vector<BrokenGuarantee>> broken_guarantees;                        // none: no such file
    std::function<void(const std::function<void(const EligibleTime&)>& use)> eligible{};  // null: no such file
    std::function<void(const std::function<void(const HostCores&)>& use)> tasks{};        // null: no such file
    bool with_cause = false;                                // the broken guarantees have this column
    std::optional<std::vector<WaitReason>> wait_reasons{};  // none: no such file
    std::vector<std::string> host_names{};                  // in these reasons; empty: they have numbers
    InstantText instants{instant_text};                     // in the words for them
};

// The files of an outcome, which must outlive the result.
RunFiles run_files(const Outcome& outcome, const RealTimes& real_times = {});

// Writes the files of a run, all or none, and returns their paths:
// - PREFIX_jobs.csv and PREFIX_schedule.csv, with the columns, order and meaning of Batsim 4.2.1 (docs/simulator.md
//   lists them)
// - PREFIX_statistics.csv (statistic, value), if the algorithm counts anything
// - PREFIX_guarantees.csv, if the scheduler gives guarantees: what each job of PREFIX_jobs.csv was guaranteed at its
//   submission, and when it started
// - PREFIX_broken_guarantees.csv, if the machine also changes, or has pools that are not planned
// - PREFIX_eligible.csv, if jobs wait for others: when each of those became eligible
// - PREFIX_tasks.csv, if the scheduler has laid out the cores of jobs: how many each has on each of its hosts
// - PREFIX_explain.csv, if somebody asks why jobs waited
//
// With the files of Batsim 5 (SimulatorRules) there is no _ after the prefix, and the schedule is a JSON file. Removes
// files of an earlier run that this run does not write.
// Throws: InputError if a file cannot be written.
// Cost: O(jobs).
std::vector<std::string> write_files(const Outcome& outcome, const std::string& prefix,
                                     const RealTimes& real_times = {});
// As above, of what a run left.
std::vector<std::string> write_files(const RunFiles& run, const std::string& prefix);

}  // namespace batfill
