#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/planning/job_order.hpp>
#include <batfill/replay/outcome.hpp>
#include <batfill/replay/replay.hpp>

namespace batfill::environments {

// What the agent decides.
enum class Task {
    pick,      // which waiting job is first
    backfill,  // which job is backfilled behind the first one's reservation
    weights,   // the weights of the order `mixed`, once a period
};

// Which jobs start behind a picked job that cannot start.
enum class Backfilling {
    none,  // no job
    easy,  // in the order of submission, all that do not delay its reservation
};

// How long a picked job is first.
enum class Head {
    best,  // until the end of the round
    kept,  // until it starts; there is a round for each event, and a pick whenever no job is first
};

// What the rewards of an episode add up to, with the opposite sign: more reward is better. All but utilisation are
// means over the jobs that ran, as in batfill metrics: waits count from the submission that the workload says, also of
// jobs that wait for others. Utilisation is minus the share of the machine that is in use from the first submission to
// the latest start.
enum class Cost { bounded_slowdown, slowdown, wait, turnaround, utilisation };

struct EnvironmentOptions {
    Task task = Task::pick;
    std::size_t queue = 128;  // the number of jobs that the agent sees; positive
    Cost cost = Cost::bounded_slowdown;
    bool reward_at_end = false;  // otherwise each step is rewarded for the jobs that started in it
    Duration tau = default_tau;  // bound of the bounded slowdown; positive
    bool records_jobs = false;   // whether jobs_of() and record() are available

    Backfilling backfilling = Backfilling::easy;  // of pick
    Head head = Head::best;                       // of pick; with kept, only jobs that end in time are backfilled
    Parameters::Given order;                      // of backfill and weights: parameters that a JobOrder reads
    Duration period = Duration::seconds(86400);   // of weights; positive

    // Whether the jobs of each partition, or list of partitions, are a queue of their own (Queues).
    bool partitions_are_queues = false;

    // Whether observations have features of windows, also if the machine of this episode has none.
    bool shows_windows = false;
};

// The parameters that `order` may have.
std::vector<Parameter> order_parameters(Task task);

// The features of a job in an observation, all in [0, 1]. On a machine without pools and capacities, these:
// - 0: wait / (wait + an hour); a wait counts from the submission that the workload says
// - 1: walltime / (walltime + an hour)
// - 2: processors / processors of the machine
// - 3: 1 if it can start now, else 0; of backfill: 1 if it ends before the reserved start, else 0
// - 4: 1 if there is such a job, else 0
inline constexpr std::size_t features_of_plain_job = 5;
// Others add, for each pool and then for each capacity (Resources), what the job takes of it on all of its hosts, as a
// share of all that the machine has. A job that takes whole hosts takes of a capacity the share that it takes of the
// hosts.
std::size_t features_of_job(const Machine& machine);

// The number of features of the machine. First come idle processors, processors that the shown jobs request (at most
// the machine), waiting jobs (n / (n + 100)), each as a share; and the time until the next running job ends by its
// estimate, t / (t + an hour). Backfill adds the time until the reserved start and the processors of its job.
// For each pool and then for each capacity follows what is free of it, as a share of all. With
// `options.shows_windows` follow the time until the next announced window begins, t / (t + an hour), or 1 if there is
// none; and the share of the processors that it takes.
std::size_t features_of_machine(const EnvironmentOptions& options, const Machine& machine);

// Throws: UsageError for windows that kill or requeue jobs or that are for bookings, for Head::kept on a machine
// that is not plain, and for Cost::utilisation on one whose hosts are shared, where utilisation has no value.
void require_machine_for(const EnvironmentOptions& options, const Machine& machine);

// The size of the action mask: a place for each job that is seen, and, for backfill, one to backfill no more.
// Weights have no mask.
std::size_t number_of_actions(const EnvironmentOptions& options);

// Jobs of an episode. Started and ended ones are those since the step before the last one, or all with
// `reward_at_end`. The first step also has those from the beginning.
enum class JobSet {
    seen,     // by the agent, in the order of its actions
    waiting,  // by submission
    running,  // by estimated end
    started,  // in the order of the starts
    ended,    // in the order of the ends
};

// What an episode knows of a job.
struct JobRecord {
    std::size_t place;  // in the workload's order of jobs
    Time submit;        // as the workload says, also if the job waited for others
    int processors;
    Duration walltime;
    Duration run_time;  // unless somebody kills it; 0 before it starts
    Time start;         // once it has started
    Time end;           // once it has ended
};

class Episode;

// An environment for learning, in the form of gymnasium: an episode is a replay in which an agent decides.
// - pick: whenever some waiting job could start, the agent picks one of the first waiting jobs. If it can start, it
//   does, and the agent picks again. If not, jobs are backfilled behind it, and the round ends. With several queues,
//   this is so for each in its turn, and a job of a queue behind it counts as one that could start.
// - backfill: jobs start in `order` until one cannot, which gets a reservation. While other jobs may start without
//   delaying it, the agent picks one of them, or ends the round.
// - weights: EASY backfilling by the order `mixed`. The agent sets the weights in the first round of each period in
//   which jobs wait.
//
// The simulation runs on a stack of its own and stops where the agent has to decide (Coroutine). One thread at a time
// may use an object.
class Environment {
 public:
    // Requires:
    // - the replay outlives this object, and has one workload
    // - jobs have walltimes and fit on the machine
    // - with Head::kept: no event changes the machine
    // - require_machine_for() lets the machine pass
    // Throws: UsageError for a wrong order.
    Environment(const Replay& replay, const EnvironmentOptions& options);
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    // Restarts the episode, and runs to the first decision.
    void reset();
    // Whether the episode has ended: nothing is to be decided any more. True before the first reset().
    bool is_done() const;
    // The number of jobs that the agent sees and can choose: actions 0 to choices() - 1. 0 if the episode has ended.
    std::size_t choices() const;
    // Whether this action is possible now.
    bool is_possible(std::size_t action) const;
    // Decides and runs to the next decision. Returns the reward.
    // Requires: is_possible(action), or for weights: !is_done() and a weight that is not 0.
    double step(std::size_t action);
    double step(const MixedWeights& weights);

    // Writes the observation, all of it: queue * features_of_job() numbers, features_of_machine() numbers, and
    // number_of_actions() that tell what is possible. Zeros if the episode has ended.
    void observe(std::span<float> jobs, std::span<float> machine, std::span<bool> mask) const;

    // Writes which actions are possible; none if the episode has ended.
    // Requires: mask.size() == number_of_actions().
    void observe_mask(std::span<bool> mask) const;

    // The jobs that the agent sees, as places in the workload's order of jobs.
    // Cost: O(choices()).
    std::vector<std::size_t> seen_jobs() const;

    // The state at a decision, for heuristics, and the number of processors that jobs may use now.
    // Requires: !is_done().
    const SchedulerState& state() const;
    int idle() const;
    // The job that has a reservation, of backfill: its start and its processors. None for other tasks.
    // Requires: !is_done().
    std::optional<std::pair<Time, int>> reservation() const;
    // Jobs of the episode, also of one that has ended.
    // Requires: options.records_jobs, reset() was called.
    // Cost: O(jobs of the set).
    std::vector<JobIndex> jobs_of(JobSet set) const;
    // Requires: as above; a job of a set.
    const JobRecord& record(JobIndex job) const;

    // The outcome of an episode that has ended.
    // Requires: is_done(), and reset() was called.
    const Outcome& outcome() const;

 private:
    double advance();

    const Replay* replay_;
    EnvironmentOptions options_;
    std::unique_ptr<Episode> episode_;
};

}  // namespace batfill::environments
