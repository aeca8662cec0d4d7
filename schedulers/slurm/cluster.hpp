#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/owned.hpp>
#include <batfill/core/request.hpp>

#include "schedulers/slurm/node_set.hpp"
#include "schedulers/slurm/settings.hpp"

// The cluster as Slurm's schedulers see it: nodes, partitions, licences, jobs, and what is free now.
namespace batfill::slurm {

// Amounts are those of memory, or of another resource of nodes that jobs share (GRES, such as GPUs).

struct Node {
    int cores = 1;
    std::vector<Amount> amounts;  // memory, then each kind of GRES; all nodes have the same kinds
};

struct Partition {
    NodeSet nodes;
    bool whole_nodes = false;  // OverSubscribe=EXCLUSIVE
    int tier = 1;              // PriorityTier: jobs of a higher one come first
};

struct LicenseCount {
    int license;
    int count;
};

// An advance reservation of nodes, or of licences. Only jobs that are inside may use them.
struct Reservation {
    Seconds begin;  // it takes what it names in a part of each of the seconds from here to `end`
    Seconds end;
    NodeSet nodes;
    bool whole;                               // of all nodes, of those of a partition, or with the flag MAINT
    std::vector<LicenseCount> licenses = {};  // not empty: it takes no nodes
    std::vector<int> names = {};              // jobs that ask for one of these run inside
    Seconds first_inside = begin;             // jobs inside may start here, and run until `last_inside`
    Seconds last_inside = end;

    bool overlaps(Seconds from, Seconds until) const { return begin < until && from < end; }
    // Whether a job of this partition must not overlap it, whatever its nodes.
    bool closes(const Partition& partition) const { return whole && partition.nodes.is_subset_of(nodes); }
    bool is_for(int name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
    bool holds(Seconds from, Seconds until) const { return first_inside <= from && until <= last_inside; }
    // How many copies of a licence it takes.
    int count_of(int license) const {
        const auto found = std::find_if(licenses.begin(), licenses.end(),
                                        [&](const LicenseCount& one) { return one.license == license; });
        return found == licenses.end() ? 0 : found->count;
    }
};

// The place of a reservation in Cluster::reservations().
using ReservationPlace = std::optional<std::size_t>;

// A job's place in Cluster::job(), in the order of their submission.
using JobPlace = std::size_t;

// A job that another one waits for.
struct Dependency {
    enum class Until { started, ended, succeeded, failed };
    JobPlace job;
    Until until;
    Seconds delay = 0;  // after that
};

// Why a job waits, by the last scheduler that looked at it.
enum class WaitsFor : std::uint8_t {
    nothing,  // nobody has looked at it yet
    dependency,
    dependency_never,
    begin_time,
    array_limit,
    resources,
    priority,
    licenses,
    limit,            // of its user, its account, ...
    maintenance,      // a reservation of the whole partition
    reservation,      // other nodes than those of a reservation would not be enough
    own_reservation,  // it asks for one, which is not there or would end before it
};

// What the last cycle of backfill has found about a job that waits.
enum class InCycle : std::uint8_t {
    nothing,      // the job was not there, or could not start
    not_reached,  // the cycle ended before it
    planned,
    too_late,    // it would start behind bf_window
    start_only,  // it may start now, and not be planned
    no_nodes,
    no_room,      // in the table
    array_tasks,  // enough tasks of its array are planned or run
    enough_jobs,  // of its user or partition were looked at
    licenses,
    limit,
    maintenance,     // planned behind a reservation of the whole partition
    own_reservation  // as WaitsFor
};

// What a job asks for, and what decides about its place in the queue.
struct Job {
    std::int64_t id = 0;                                // in the order of submission; tasks of an array have the same
    int task = 0;                                       // its number in its array
    int array = none;                                   // tasks of an array have the same number
    int array_limit = std::numeric_limits<int>::max();  // so many of them run at most
    std::string name = {};                              // decides between equal ids: numbers in it count as numbers
    int nodes = 1;
    int tasks = 1;                                 // cores in all, at least `nodes`
    int cores_each = 0;                            // so many on each node; 0: any number
    bool whole_nodes = false;                      // asks for whole nodes itself (--exclusive)
    std::vector<Amount> amounts;                   // on each node, by the kinds that nodes have; empty: none
    std::shared_ptr<const NodeSet> suitable = {};  // nodes that would do if they were empty; null: all
    bool all_memory = false;  // states none, so it takes that of its nodes, which matters only when it starts
    std::vector<LicenseCount> licenses;
    std::vector<LimitShare> limits = {};  // what it takes of limits of users, accounts, ...
    Seconds limit = 60;
    Seconds submitted = 0;
    std::optional<Seconds> eligible;
    std::int64_t priority = 1;  // 0: held
    int nice = 0;
    int user = 0;
    int reservation = none;          // the name of that in which it runs
    std::vector<int> partitions{0};  // it starts in the first one that has nodes for it
    Seconds begin = 0;               // not eligible before
    std::vector<Dependency> dependencies;
    int kind = 0;  // its KindOfJob, which Cluster::submit() finds

    static constexpr int none = -1;
};

// Jobs of a kind take the same of each node, at least.
struct KindOfJob {
    int cores;  // ignored if they take whole nodes
    std::vector<Amount> amounts;
    static KindOfJob of(const Job& job) {
        return {job.nodes == 1 ? job.tasks : std::max(job.cores_each, 1), job.amounts};
    }
    static constexpr int any = 0;  // one core, and no amounts
    auto operator<=>(const KindOfJob&) const = default;
};

// A job in one of its partitions.
struct QueueEntry {
    JobPlace job;
    int partition;
};

enum class JobState { waiting, running, completing, ended };

struct RunningJob {
    JobPlace job;
    Seconds start;
    Seconds end;  // by its limit
    bool whole_nodes;
    NodeSet nodes;
    std::vector<int> cores;  // that it holds, of each of its nodes in their order
    ReservationPlace inside = std::nullopt;
};

// A moment in the order in which running jobs end by their limits, those that end together by their places: the
// moments of such ends, and `now`, before all of them.
using EndKey = std::int64_t;
namespace end_key {
constexpr EndKey now = 0;
constexpr EndKey never = std::numeric_limits<EndKey>::max();
constexpr int bits_of_places = 26;
constexpr Seconds latest = (Seconds{1} << (62 - bits_of_places)) - 1;
constexpr EndKey of(Seconds end, JobPlace job) {
    return (end << bits_of_places) + static_cast<EndKey>(job);
}
constexpr EndKey of(const RunningJob& running) {
    return of(running.end, running.job);
}
constexpr Seconds second_of(EndKey key) {
    return key >> bits_of_places;
}
}  // namespace end_key

// What is free on each node now, and what will be as the running jobs end, one after another by their limits.
class FreeNodes {
 public:
    explicit FreeNodes(std::span<const Node> nodes);

    // Free cores of a node now. Cost: O(1).
    int cores(int node) const { return cores_[static_cast<std::size_t>(node)]; }
    // Those at a later moment. Cost: O(log(jobs on the node)).
    int cores(int node, EndKey at) const;
    // From when on a node has so many free cores, or all of its cores if `whole`, and so much of the amounts.
    // Cost: O(jobs on the node * amounts).
    EndKey has_from(int node, int cores, bool whole, const std::vector<Amount>& amounts) const;
    // The nodes that have changed, one after another; some of them may be forgotten. Cost: O(1).
    const std::vector<int>& changed() const { return changed_; }
    std::uint64_t forgotten_changes() const { return forgotten_changes_; }
    // Nodes without a core in use, and those with a free core.
    const NodeSet& idle() const { return idle_; }
    const NodeSet& with_cores() const { return with_cores_; }
    // Whether so much is free on a node. Cost: O(amounts).
    bool has(int node, const std::vector<Amount>& amounts) const {
        for (std::size_t kind = 0; kind < amounts.size(); ++kind) {
            if (amounts_[kind][static_cast<std::size_t>(node)] < amounts[kind]) {
                return false;
            }
        }
        return true;
    }

    // Whether all of the memory of a node is free. Cost: O(1).
    bool has_all_memory(int node) const {
        const auto at = static_cast<std::size_t>(node);
        return amounts_.empty() || amounts_.front()[at] == nodes_[at].amounts.front();
    }

    // A job takes what it holds, or gives it back.
    // Requires: `job` is the running one.
    // Cost: O(nodes of the job * amounts).
    void take(const RunningJob& running, const Job& job) { change(running, job, 1); }
    void give_back(const RunningJob& running, const Job& job) { change(running, job, -1); }

 private:
    // What a job takes of a node until its end.
    struct Taken {
        EndKey end;
        int cores;
        std::vector<Amount> amounts;
    };
    // The jobs on a node by their ends, and what is free there from each of these on.
    struct Held {
        std::vector<EndKey> ends;
        std::vector<int> cores;
        std::vector<Amount> amounts;  // of the first, of the second, ...
    };

    void change(const RunningJob& running, const Job& job, int taken);
    void change_now(int node, const Taken& job, int taken);
    void change_later(Held& held, int node, const Taken& job, int taken);

    std::span<const Node> nodes_;
    std::vector<int> cores_;
    std::vector<std::vector<Amount>> amounts_;  // of each kind, on each node
    NodeSet idle_;
    NodeSet with_cores_;
    std::vector<Held> held_;  // on each node
    std::vector<int> changed_;
    std::uint64_t forgotten_changes_ = 0;
};

// What a selection of nodes found.
struct Choice {
    NodeSet nodes;
    std::vector<int> cores;  // taken of each of them, in their order
};

// Nodes, partitions, licences and jobs. Schedulers read it, and start jobs in it.
class Cluster {
 public:
    // `licenses`: the number of copies of each.
    Cluster(std::vector<Node> nodes, std::vector<Partition> partitions, std::vector<int> licenses);

    int size() const { return static_cast<int>(nodes_->size()); }
    const std::vector<Node>& nodes() const { return *nodes_; }
    const std::vector<Partition>& partitions() const { return partitions_; }
    const Partition& partition(int number) const { return partitions_[static_cast<std::size_t>(number)]; }
    const NodeSet& all_nodes() const { return all_nodes_; }
    // The lightest nodes, these and the next heavier ones, and so on up to all; empty if all weigh the same.
    const std::vector<NodeSet>& up_to_weights() const { return up_to_weights_; }
    // `weights`: of each node.
    void set_weights(const std::vector<std::int64_t>& weights);
    // Those that are not down.
    const NodeSet& up() const { return up_; }
    void set_up(NodeSet nodes) { up_ = std::move(nodes); }

    // Adds a job, which waits. Cost: O(log(kinds of jobs)). Requires: its dependencies are on jobs before it; or on
    // itself, as long as nobody knows the other job.
    JobPlace submit(Job job);
    // Requires: the job is not forgotten.
    const Job& job(JobPlace place) const { return *jobs_[place].job; }
    const KindOfJob& kind(int kind) const { return kinds_[static_cast<std::size_t>(kind)]; }
    JobState state(JobPlace place) const { return jobs_[place].state; }
    // Whether a job that has ended did so well.
    bool succeeded(JobPlace place) const { return jobs_[place].succeeded; }
    // When a job has started, and when the last of its nodes was released.
    std::optional<Seconds> started(JobPlace place) const { return jobs_[place].started; }
    Seconds released(JobPlace place) const { return jobs_[place].released; }
    WaitsFor waits_for(JobPlace place) const { return jobs_[place].waits_for; }
    void note(JobPlace place, WaitsFor reason) { jobs_[place].waits_for = reason; }
    // As above, of a job that may not start: what a cycle has found is of no interest.
    void note_not_eligible(JobPlace place, WaitsFor reason) {
        note(place, reason);
        note_in_cycle(place, InCycle::nothing);
    }
    // What a cycle has found about a waiting job, from the beginning of the cycle on.
    void begin_cycle() { ++cycle_; }
    void note_in_cycle(JobPlace place, InCycle found) {
        jobs_[place].in_cycle = found;
        jobs_[place].cycle = cycle_;
    }
    InCycle in_cycle(JobPlace place) const {
        return jobs_[place].cycle == cycle_ ? jobs_[place].in_cycle : InCycle::not_reached;
    }
    // The place of the next job that is submitted.
    JobPlace next_place() const { return jobs_.size(); }
    // A dependency of a job, if that still waits, is about this one, which has come after it.
    void set_awaited(JobPlace place, std::size_t dependency, JobPlace awaited) {
        if (jobs_[place].job) {
            jobs_[place].job->dependencies[dependency].job = awaited;
        }
    }
    // Number of running tasks of an array. Cost: O(1).
    int running_tasks(int array) const { return running_tasks_[static_cast<std::size_t>(array)]; }
    bool may_run_more(const Job& job) const {
        return job.array == Job::none || running_tasks(job.array) < job.array_limit;
    }
    void set_priority(JobPlace place, std::int64_t priority) { jobs_[place].job->priority = priority; }
    void set_eligible(JobPlace place, Seconds eligible) { jobs_[place].job->eligible = eligible; }

    // A waiting job starts on these nodes, perhaps inside a reservation. Cost: O(running jobs + nodes of the job).
    const RunningJob& start(const QueueEntry& entry, Seconds now, const Choice& choice, ReservationPlace inside = {});
    // A running job ends. Its nodes are completing until they are released: they take no job, but count as free for the
    // search of later starts. Cost: as start().
    void end(JobPlace job, bool succeeded = true);
    // One of its nodes, or all that are left, are clean. Does nothing for others. Cost: O(nodes / 64).
    void release(JobPlace job, int node);
    void release(JobPlace job, Seconds now = 0);
    // A waiting job will never start.
    void cancel(JobPlace job, Seconds now = 0) {
        jobs_[job].released = now;
        note_ended(job);
    }
    // Forgets what the jobs that have ended asked for. Others may still wait for them, and know how they have ended.
    // Requires: nobody asks for their job() any more.
    void forget_ended() {
        for (const JobPlace ended : ended_) {
            jobs_[ended].job = {};
        }
        ended_.clear();
    }

    // The running job. Requires: it runs. Cost: O(log(running jobs)).
    const RunningJob& running(JobPlace job) const;

    // By their ends, those with equal ends by their places.
    const std::vector<RunningJob>& running() const { return running_; }
    // Number of starts and ends so far: while it stays, so does what is free.
    std::uint64_t changes() const { return changes_; }
    const FreeNodes& free() const { return free_; }
    const std::vector<int>& licenses() const { return licenses_; }
    // Nodes that are not released yet.
    const NodeSet& completing() const { return completing_nodes_; }
    const std::vector<Reservation>& reservations() const { return reservations_; }
    void add(Reservation reservation) { reservations_.push_back(std::move(reservation)); }
    // Whether the licences that a job asks for are free now, and no reservation takes them before its limit; those of
    // the reservation that it would be inside are for it. Cost: O(running jobs) for each reservation of them.
    bool has_licenses(const Job& job, Seconds now, ReservationPlace inside = {}) const;
    // So much of a limit is left now.
    void set_left(std::uint32_t limit, Amount left) {
        limits_left_.resize(std::max<std::size_t>(limits_left_.size(), limit + 1U));
        limits_left_[limit] = left;
    }
    // Whether enough is left of the limits that a job counts for.
    bool is_within_limits(const Job& job) const {
        return std::all_of(job.limits.begin(), job.limits.end(),
                           [&](const LimitShare& one) { return one.amount <= limits_left_[one.limit]; });
    }

 private:
    struct KnownJob {
        Owned<Job> job;  // null: it has ended, and is forgotten
        JobState state = JobState::waiting;
        bool succeeded = false;
        WaitsFor waits_for = WaitsFor::nothing;
        InCycle in_cycle = InCycle::nothing;
        std::uint32_t cycle = 0;  // of in_cycle
        std::optional<Seconds> started = std::nullopt;
        Seconds released = 0;
    };
    struct CompletingJob {
        JobPlace job;
        NodeSet nodes;
    };

    int licenses_left(int license, Seconds now, Seconds at, ReservationPlace inside) const;
    void note_ended(JobPlace job) {
        jobs_[job].state = JobState::ended;
        ended_.push_back(job);
    }
    // Licences and limits.
    void take_licenses(const Job& job, int taken);
    void count_task(const Job& job, int started);
    void find_completing();

    std::shared_ptr<const std::vector<Node>> nodes_;  // copies share it
    std::vector<Partition> partitions_;
    std::vector<int> licenses_;
    NodeSet all_nodes_;
    NodeSet up_;
    std::vector<NodeSet> up_to_weights_;
    std::vector<KnownJob> jobs_;
    std::vector<JobPlace> ended_;  // that are not forgotten yet
    std::map<KindOfJob, int> number_of_kind_;
    std::vector<KindOfJob> kinds_;    // by number
    std::vector<int> running_tasks_;  // by array
    std::vector<RunningJob> running_;
    std::vector<CompletingJob> completing_;
    NodeSet completing_nodes_;
    std::vector<Reservation> reservations_;
    FreeNodes free_;
    std::uint64_t changes_ = 0;
    std::uint32_t cycle_ = 0;
    std::vector<int> free_licenses_;
    std::vector<Amount> limits_left_;
};

}  // namespace batfill::slurm
