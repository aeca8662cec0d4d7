#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <batfill/algorithm.hpp>
#include <batfill/state.hpp>

namespace batfill {

// What the scheduler wants done. The allocation of a start is that of the job in the state.
struct Decision {
    enum class Kind { start, reject, kill, call };
    Kind kind;
    JobIndex job = 0;    // start, reject, kill
    Time call;           // call
    std::string reason;  // reject, for the log
};

// The one scheduler behind the daemon and the embedded simulator: owns the state, applies what happened, lets the
// algorithm decide, and keeps the decisions of the round.
//
// Use: begin(), then for each message arrive() with its time, one call for each event, and decide().
// A scheduling round takes place if the message brought a submission, a completion or a change of the machine, or if
// the time of a planned start has come; other messages change nothing.
class Engine {
 public:
    // `given` may hold those common to all algorithms. Throws UsageError for unknown names or values.
    Engine(const std::string& algorithm, const Parameters::Given& given);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // The machine has processors 0..processors-1, all available, at time `now`.
    void begin(Time now, int processors);

    // A message of time `now` follows. Requires now >= state().now.
    void arrive(Time now);

    // Announces a job and returns its number: 0, 1, ... in the order of the calls.
    JobIndex submitted(JobDescription description);
    // A running job ended, whatever the reason. Requires that it is running.
    void completed(JobIndex index);
    // Processors outside the machine are ignored.
    void machine_changed(const ResourceSet& processors, bool available);

    // The round. The decisions are valid until the next call of decide(), in the order in which they are to be applied.
    const std::vector<Decision>& decide();

    const SchedulerState& state() const { return state_; }
    const AlgorithmDescription& algorithm() const { return description_; }
    // Whether Job::guaranteed_start is set for the jobs that the plan promises a start.
    bool gives_guarantees() const { return algorithm_->gives_guarantees(); }
    // What the algorithm and the plan have counted.
    std::vector<Statistic> statistics() const;

 private:
    friend class Round;

    void start(JobIndex index, const ResourceSet* allocation);  // null: the lowest idle processors
    void call_at(Time time);
    std::optional<std::string> reason_to_refuse(const Job& job) const;
    void admit(Round& round, JobIndex index);
    std::optional<Time> guaranteed_start(JobIndex index) const;
    void stop_overlong_jobs();

    const AlgorithmDescription& description_;
    std::optional<Duration> default_walltime_;
    std::unique_ptr<Algorithm> algorithm_;
    SchedulerState state_;

    // Of the message that is being taken in.
    std::vector<JobIndex> submissions_;
    std::vector<Completion> completions_;
    bool machine_changed_ = false;

    std::vector<Decision> decisions_;
    std::set<Time> calls_;                 // asked for and still to come
    std::vector<JobIndex> to_be_stopped_;  // running jobs whose walltime was assumed
};

}  // namespace batfill
