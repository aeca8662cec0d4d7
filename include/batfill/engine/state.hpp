#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/owned.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/engine/hosts_now.hpp>
#include <batfill/engine/limits_now.hpp>
#include <batfill/engine/wait_reason.hpp>
#include <batfill/engine/windows_now.hpp>

namespace batfill {

// The number that the job's field `name` has, one of the fields that batfill does not know, such as "gpus". None if
// there is no such field or it is no number.
// Cost: O(size of these fields). Call it once for a job, not in every round.
std::optional<double> number_field(const JobDescription& job, std::string_view name);
// As above, for a text.
std::optional<std::string> text_field(const JobDescription& job, std::string_view name);

// A job as the scheduler follows it, from submission to its end.
struct Job {
    SharedJobDescription shared_description;
    Request request;  // what it holds of the machine while it runs
    // The walltime that plans use: the description's plus `walltime-margin`, or the assumed one.
    Duration walltime;
    Time start;  // once it runs; infinite if it ended while it waited
    // The latest start that the job is guaranteed: as at its submission, or later after a loss of processors or the
    // announcement of a window. Infinite if it is guaranteed nothing, or nothing any more (Round::end_promise).
    Time guaranteed_start = Time::infinity();
    ResourceSet allocation;                // while running
    JobState state = JobState::submitted;  // waiting; then rejected, or running and completed
    bool walltime_assumed = false;         // by `default-walltime`: the scheduler must kill the job at its end
    bool may_outlive_walltime = false;     // nothing stops the job at its walltime (JobSubmitted)
    bool kill_requested = false;           // the scheduler has asked to kill it while it runs

    const JobDescription& description() const { return *shared_description; }
    int processors() const { return request.processors; }
    Time submit() const { return shared_description->submit; }
    Time expected_end() const { return start + walltime; }
    // Whether nothing will happen to the job any more.
    bool is_over() const { return state == JobState::rejected || has_completed(state); }
};

// The jobs by JobIndex. Forgets finished and rejected jobs from the front: a job is dropped once it and all jobs before
// it are over. So memory does not grow with the number of jobs ever submitted. Code that needs a job after the round in
// which it ended must keep what it needs.
class JobTable {
 public:
    // Adds a submitted job and returns it.
    Job& emplace_back() { return *jobs_.emplace_back(std::make_unique<Job>()); }
    // Number of jobs submitted so far, forgotten ones included.
    std::size_t size() const { return removed_ + jobs_.size(); }
    bool empty() const { return size() == 0; }
    // Whether a job of this number was submitted and is not forgotten.
    bool has(JobIndex index) const { return index < size() && index >= removed_ && jobs_[index - removed_]; }
    // Requires: has(index).
    Job& operator[](JobIndex index) {
        assert(has(index));
        return *jobs_[index - removed_];
    }
    const Job& operator[](JobIndex index) const {
        assert(has(index));
        return *jobs_[index - removed_];
    }
    // The common rule for ties: by submission time, then by order of arrival; or by id as text, after order_by_id().
    bool submitted_before(JobIndex a, JobIndex b) const {
        const JobTable& jobs = *this;
        if (jobs[a].submit() != jobs[b].submit()) {
            return jobs[a].submit() < jobs[b].submit();
        }
        return is_ordered_by_id_ ? has_first_id(a, b) : a < b;
    }
    // Requires: the table is empty.
    void order_by_id() { is_ordered_by_id_ = true; }
    // This table after order_by_id(), else null. After it, an order of the algorithm's own decides between jobs that it
    // holds equal by has_first_id(), whenever they were submitted.
    const JobTable* ordered_by_id() const { return is_ordered_by_id_ ? this : nullptr; }
    bool has_first_id(JobIndex a, JobIndex b) const {
        return (*this)[a].description().id < (*this)[b].description().id;
    }
    // Forgets the jobs at the front that are over.
    // Cost: O(1) for each job, over all calls.
    void forget_ended() {
        while (forgotten_ < jobs_.size() && jobs_[forgotten_]->is_over()) {
            jobs_[forgotten_++] = Owned<Job>();
        }
        if (forgotten_ > jobs_.size() / 2) {
            jobs_.erase(jobs_.begin(), jobs_.begin() + static_cast<std::ptrdiff_t>(forgotten_));
            removed_ += std::exchange(forgotten_, 0);
        }
    }

 private:
    std::vector<Owned<Job>> jobs_;  // null at the front: forgotten
    std::size_t forgotten_ = 0;     // of jobs_
    std::size_t removed_ = 0;       // forgotten and no longer in jobs_
    bool is_ordered_by_id_ = false;
};

// The waiting jobs by submission time; ties by order of arrival. What every scan reads is in arrays of its own: to skip
// a job costs one comparison of neighbouring integers.
class WaitingQueue {
 public:
    std::size_t size() const { return jobs_.size() - first_; }
    bool empty() const { return size() == 0; }
    JobIndex job(std::size_t position) const { return jobs_[first_ + position]; }
    int processors(std::size_t position) const { return processors_[first_ + position]; }
    Duration walltime(std::size_t position) const { return walltimes_[first_ + position]; }
    // Valid until a job is inserted or removed.
    std::span<const JobIndex> jobs() const { return std::span(jobs_).subspan(first_); }
    // Requires: the queue is not empty.
    // Cost: O(n).
    Duration shortest_walltime() const;

    // The first position >= `from` whose job needs at most `processors`; size() if there is none.
    // Cost: O(1) for each skipped job. Skipping many costs about as much as skipping one.
    std::size_t next_fitting(std::size_t from, int processors) const;

    // ---- On a machine with limits. A walk along the queue passes over the jobs that limits hold and that need at most
    // as many processors as are free.
    // Cost: as above. The first call after a change of `limits`, which is the state's, also O(n) for each class of jobs
    // that they hold now and did not, or the other way round.

    // The first position >= `from` whose job needs at most `processors` and is held by no limit; size() if there is
    // none.
    std::size_t next_allowed(std::size_t from, int processors, const LimitsNow& limits) const;
    // The first position >= `from` that is not passed over; size() if there is none.
    std::size_t next_not_passed_over(std::size_t from, int processors, const LimitsNow& limits) const;
    // Calls take(position) for each position that is not passed over. The queue must not change.
    template <class Take>
    void for_each_not_passed_over(int processors, const LimitsNow& limits, Take take) const {
        follow(limits);
        for (std::size_t at = first_; at < jobs_.size(); ++at) {
            if (!is_held_within(within_limits_[at], processors)) {
                take(at - first_);
            }
        }
    }

    // `limits`: those of the state, if it has any.
    // Cost: O(1) for the latest submission time.
    void insert(JobIndex index, const JobTable& jobs, const LimitsNow* limits = nullptr);
    // Cost: O(log n) to find the job, and one move for each job between it and the nearer end.
    void remove(JobIndex index, const JobTable& jobs);

 private:
    std::size_t position_of(JobIndex index, const JobTable& jobs) const;
    template <class Change>
    void change_arrays(Change change);
    void follow(const LimitsNow& limits) const;
    static bool is_held_within(int within_limits, int processors) {
        return within_limits < 0 && ~within_limits <= processors;
    }

    // Most jobs leave near the front. There, the jobs before the gap move up to close it, which leaves unused entries
    // before `first_`.
    std::size_t first_ = 0;
    std::vector<JobIndex> jobs_;
    std::vector<int> processors_;
    std::vector<Duration> walltimes_;
    // Empty without limits: the classes of LimitsNow, and how many jobs here each of them has; and the processors, or
    // their complement if a limit held the job at the last scan. Nobody may scan for many rounds, so scans bring it up
    // to date.
    std::vector<std::uint32_t> limit_classes_;
    std::vector<std::size_t> jobs_of_class_;
    mutable std::vector<int> within_limits_;
};

// A running job with its estimated end.
struct RunningJob {
    Time end;  // start + estimate, which is the walltime unless run times are predicted
    JobIndex job;
    // Processors of its allocation that become available when it ends.
    int processors;
    // The order of SchedulerState::running.
    friend bool operator<(const RunningJob& a, const RunningJob& b) {
        return a.end != b.end ? a.end < b.end : a.job < b.job;
    }
};

// The number of idle processors of each group of the machine, kept for Placement::machine. Below, G is the number of
// groups and m the size of the largest.
// Memory: m * G bits.
// Cost: O(processors of the job) when a job starts or ends; O(G / 64) for each licence of the request in a search.
class IdleByGroup {
 public:
    // Counts `idle` from scratch.
    // Cost: O(G * m / 64 + intervals).
    void reset(const Machine& machine, const ResourceSet& idle);
    // Counts processors that become idle (`sign` 1) or are idle no more (-1).
    void add(const Machine& machine, const ResourceSet& processors, int sign);

    const std::vector<int>& counts() const { return counts_; }
    // The largest of the counts.
    // Cost: O(log(m)).
    int largest() const;
    // The first group from `from` on that has this many idle processors and where all these licences can be used.
    // Requires: processors >= 1.
    std::optional<GroupIndex> first_with(const Machine& machine, int processors, std::span<const LicenseIndex> licenses,
                                         GroupIndex from = 0) const;

 private:
    void change(GroupIndex group, int count);

    std::vector<int> counts_;       // by group
    std::vector<int> groups_with_;  // by p - 1: how many groups have at least p idle processors
    // By p - 1: a bit for each group, set if it has at least p idle processors.
    std::vector<std::vector<std::uint64_t>> has_idle_;
};

// The idle processors: available, awake and not allocated. Keeps their number, and with Placement::machine the number
// in each group, in step with the set.
// Cost: as ResourceSet and IdleByGroup.
class IdleProcessors {
 public:
    // Makes `processors` the idle ones. Counts by group if `placement` needs it.
    // Requires: `machine` outlives this object.
    void reset(const Machine& machine, Placement placement, ResourceSet processors);

    const ResourceSet& set() const { return set_; }
    int count() const { return count_; }
    // Requires: Placement::machine.
    const IdleByGroup& by_group() const { return by_group_; }

    // Requires: none of `processors` is idle.
    void insert(const ResourceSet& processors);
    // Requires: all of `processors` are idle.
    void remove(const ResourceSet& processors);
    // Removes the lowest `count` processors and returns them.
    // Requires: 0 <= count <= this->count().
    ResourceSet take_lowest(int count);

 private:
    void count_in(const ResourceSet& processors, int sign);

    ResourceSet set_;
    int count_ = 0;
    const Machine* machine_ = nullptr;  // null: does not count by group
    IdleByGroup by_group_;
};

// What every scheduler knows at an instant: the clock, the machine, the jobs, the queue and what runs. The engine owns
// and changes it; algorithms read it. An algorithm keeps what only it needs, such as a plan or lists of jobs.
// Requires: a state outlives its copies, which refer to its machine.
struct SchedulerState {
    Time now;
    Machine machine;
    int processors = 0;                       // of the whole machine
    Placement placement = Placement::lowest;  // of all jobs
    IdleProcessors idle;                      // available, awake and not allocated
    ResourceSet unavailable;                  // allocated or not
    // Processors that are asleep and can be woken, that are falling asleep, and that are waking. They are neither idle
    // nor allocated. They may be unavailable.
    ResourceSet asleep;
    ResourceSet falling_asleep;
    ResourceSet waking;
    // For each licence of the machine, the copies that no job holds.
    std::vector<long long> copies_left;
    // For each pool of the machine, what no job holds and no window takes. Less than 0 while a window waits for its
    // due.
    std::vector<Amount> pools_left;
    // The pools of which too little may be left where enough processors are, by number. The others are *ample*: the
    // processors run out first. For that, hosts are only counted, and no window takes of the pool. Each job so far
    // takes at most the share of its processors: the part of the pool that they are of the machine.
    std::vector<std::size_t> scarce_pools;
    // What is free on each host, if hosts have names. The idle processors are then the hosts that nobody uses.
    HostsNow hosts;
    // What windows take, and who runs inside. A scheduler may look at those of machine.windows() that are announced.
    WindowsNow windows;
    // What is left of limits.
    LimitsNow limits;
    // What is free from now on, once the algorithm looks ahead (Algorithm::looks_ahead). Else null.
    Owned<Availability> later;
    JobTable jobs;  // numbered in order of arrival
    WaitingQueue waiting;
    std::vector<RunningJob> running;  // by estimated end, ties by order of arrival
    // How long jobs would run if nothing stopped them, by JobIndex. Kept for algorithms that need it
    // (Algorithm::needs_run_times, RunTimePredictor::needs_run_times); else empty.
    std::vector<Duration> run_times;
    // Predicted run times (RunTimePredictor), by JobIndex, or the run times (Algorithm::estimates_are_run_times). They
    // may be longer than the walltimes only if they come from a field of the job, or were doubled. Else empty.
    std::vector<Duration> predictions;

    // Requires: jobs.has(index). True for a job that waits, runs, or whose end is reported in this round.
    const Job& job(JobIndex index) const { return jobs[index]; }
    // How long a job runs unless somebody kills it.
    // Requires: `run_times` are kept.
    Duration run_time(JobIndex index) const {
        const Job& job = jobs[index];
        return job.may_outlive_walltime ? run_times[index] : std::min(run_times[index], job.walltime);
    }
    // The estimated run time of a waiting or running job, and the estimated end of a running job. The estimate is the
    // predicted run time, or else the walltime.
    Duration estimate(JobIndex index) const { return predictions.empty() ? jobs[index].walltime : predictions[index]; }
    Time estimated_end(JobIndex index) const { return jobs[index].start + estimate(index); }
    // The estimate of the job at this position of the queue.
    Duration estimate_at(std::size_t position) const {
        return predictions.empty() ? waiting.walltime(position) : predictions[waiting.job(position)];
    }

    // A waiting job that needs more processors than this cannot start now.
    // Cost: O(1) for lowest and best effort, O(intervals of the idle processors) for contiguous, O(log(size of the
    // largest group)) for machine.
    int most_for_one_job() const;

    // The first position >= `from` of the queue whose job needs at most `processors`, and which no limit holds.
    // Cost: that of WaitingQueue::next_allowed().
    std::size_t next_allowed(std::size_t from, int processors_needed) const {
        return limits.is_on() ? waiting.next_allowed(from, processors_needed, limits)
                              : waiting.next_fitting(from, processors_needed);
    }

    // Calls take(position) for each position of the queue whose job is not passed over: no limit holds it, or it needs
    // more than `processors_free`.
    // Cost: that of WaitingQueue::for_each_not_passed_over().
    template <class Take>
    void for_each_not_passed_over(int processors_free, Take take) const {
        if (limits.is_on()) {
            waiting.for_each_not_passed_over(processors_free, limits, take);
            return;
        }
        for (std::size_t position = 0; position < waiting.size(); ++position) {
            take(position);
        }
    }

    // Whether all that jobs can lack, now and later, is a number of processors, or what a limit allows.
    bool counts_processors() const { return scarce_pools.empty() && !hosts.are_named() && machine.windows().empty(); }

    // Whether no job can start now, whatever it takes.
    bool is_full() const { return idle.count() == 0 && !hosts.are_named() && !machine.has_bookings(); }

    // Whether a copy of each of these licences is left.
    bool has_copies_of(std::span<const LicenseIndex> licenses) const {
        return std::all_of(licenses.begin(), licenses.end(),
                           [this](LicenseIndex license) { return copies_left[license] > 0; });
    }

    // Whether what the job takes of pools is left; if it is booked, in one of its windows or in this one. Limits count
    // as pools.
    bool has_of_pools(const Request& request) const {
        return !request.details || (limits.allow(request) && (request.pools().empty() || has_of_some_pools(request)));
    }
    bool has_of_pools(const Request& request, std::optional<std::size_t> window) const;
    // Whether this host has now what the job takes, as seen from a window or from outside.
    // Requires: hosts have names.
    bool host_fits(const Request& request, int host, std::optional<std::size_t> window) const;
    // The lowest hosts on which a booked job could start in this window, as many as it needs or fewer. None
    // of `without`. Requires: hosts have names.
    ResourceSet hosts_inside(const Request& request, std::size_t window, const ResourceSet& without = {}) const;
    // The first window in which a booked job could start and end in time. None: there is none.
    // Cost: O(windows of the job * hosts).
    std::optional<std::size_t> window_now(const Request& request) const;
    // The processors that an open window has for booked jobs, and none of them uses.
    ResourceSet free_inside(std::size_t window) const {
        ResourceSet free = windows.free_inside(window);
        free.remove(unavailable);
        return free;
    }
    // Whether a job could start now on the hosts of this place, or on as many processors as it needs.
    bool can_start_in(const Request& request, const Place& place) const {
        return has_of_pools(request, place.window) && has_processors_in(request, place);
    }
    // The same without a look at pools.
    bool has_processors_in(const Request& request, const Place& place) const;

    // Whether a job with so many processors and these licences could start now on one machine.
    // Requires: Placement::machine, needed >= 1.
    bool can_start_on_a_machine(int needed, std::span<const LicenseIndex> licenses) const {
        return has_copies_of(licenses) && idle.by_group().first_with(machine, needed, licenses).has_value();
    }

    // Whether a job with this request could start now.
    // Cost: O(1) for lowest and best effort; else as processors_for.
    bool can_start(const Request& request) const;

    // Whether only a pool that is not planned, or a limit, keeps a waiting job from starting now.
    // Cost: that of can_start(), or of Availability::lacks_only_unplanned().
    bool lacks_only_unplanned(JobIndex job) const {
        const Request& request = jobs[job].request;
        return later ? later->lacks_only_unplanned(*this, job)
                     : request.details && !limits.allow(request) && has_free_processors(request);
    }

    // The idle processors on which a job with this request would start now, as its placement says. Empty if it could
    // not start.
    // Cost: O(intervals of the idle processors); for machine also the search of a group.
    std::optional<ResourceSet> processors_for(const Request& request) const;

    // ---- With a look at announced windows that are still to come: nobody starts who would, by the walltime, run into
    // one on its processors or hosts. Of pools that no algorithm plans, enough has to be left now: who looks at their
    // windows, too, asks for PoolsAhead::looked_at.
    enum class PoolsAhead { looked_at, ignored };

    // Those that begin before a waiting job would end if it started now; by begin, then line.
    std::vector<std::size_t> windows_ahead(JobIndex job) const;
    // What the job would find too little of when one of these begins, if it ran in the window `inside` or outside: of
    // processors, unless hosts have names, or of the first such pool. None: enough is left, or the window takes nothing
    // of it.
    // Cost: O(windows + running jobs) for each that it takes.
    std::optional<Shortage> shortage_ahead(JobIndex job, std::size_t ahead, PoolsAhead which = PoolsAhead::looked_at,
                                           std::optional<std::size_t> inside = {}) const;
    // The first window that a waiting job would run into if it started now at this place; on a machine with named
    // hosts only those of the place count. None: it would not.
    // Cost: O(windows that begin before the job would end * (windows + running jobs)).
    std::optional<std::size_t> window_ahead(JobIndex job, const Place& place,
                                            PoolsAhead pools = PoolsAhead::ignored) const {
        return machine.windows().empty() ? std::nullopt : first_window_ahead(job, place, pools);
    }
    // Where a waiting job would start now, as its placement says; if it is booked, in the first of its windows that
    // has room. The hosts are empty if they are only counted. None: it could not start.
    // Requires: the machine has windows.
    // Cost: that of can_start(), of processors_for() and of window_ahead(), for each window of the job's booking.
    std::optional<Place> place_now(JobIndex job, PoolsAhead ahead) const;
    // The same on any machine, with a look at windows of pools: of all, or, for an algorithm that looks ahead, of those
    // that it plans. Without windows, the hosts may be left to the start.
    // Cost: that of can_start() without windows.
    std::optional<Place> place_now(JobIndex job) const {
        if (machine.windows().empty()) {
            return can_start(jobs[job].request) ? std::optional(Place()) : std::nullopt;
        }
        return later ? later->place_beside_windows(*this, job) : place_now(job, PoolsAhead::looked_at);
    }
    // Whether a waiting job could start now, with a look at windows of pools.
    // Cost: that of place_now().
    bool can_start_now(JobIndex job) const { return place_now(job).has_value(); }

 private:
    bool has_of_some_pools(const Request& request) const;
    std::optional<std::size_t> first_window_ahead(JobIndex job, const Place& place, PoolsAhead pools) const;
    // Whether an unbooked job could start now but for pools.
    bool has_free_processors(const Request& request) const;
    // Whether a booked job that starts now would run inside the window.
    bool is_during(const Request& request, std::size_t window) const;
    Amount left_at(Time instant, std::optional<std::size_t> pool, std::optional<std::size_t> inside) const;
    std::optional<Place> place_in(std::optional<std::size_t> window, JobIndex job, PoolsAhead ahead) const;
};

// The state before a round decides, as a script for a test: a line for each round, in the language of
// tests/support/small_machine.hpp. The lines bring the machine back bit by bit, so that each running job starts when
// and where it did. In the last one, the idle processors come back and all waiting jobs arrive, with the times at which
// they were submitted.
std::string to_string(const SchedulerState& state);

}  // namespace batfill
