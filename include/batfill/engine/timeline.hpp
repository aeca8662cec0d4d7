#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <batfill/core/machine.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/amount_profile.hpp>
#include <batfill/engine/counted_profile.hpp>
#include <batfill/engine/fitting_hosts.hpp>
#include <batfill/engine/given_hosts.hpp>
#include <batfill/engine/host_index.hpp>
#include <batfill/engine/wait_reason.hpp>

namespace batfill {

struct Completion;
struct RunningJob;
struct SchedulerState;

// What is free over time on any machine, by what runs, is planned or is reserved, and by the windows that are
// announced: what is only counted, and the named hosts, if there are some.
class Timeline {
 public:
    // An empty machine. Pools that are not planned (one flag for each) count as free.
    // Requires: `machine` outlives this object.
    Timeline(const Machine& machine, Time now, const std::vector<bool>& planned_pools);

    Time origin() const { return origin_; }
    bool has_named_hosts() const { return !hosts_.empty(); }
    // Whether all is only counted: places say nothing.
    bool is_all_counted() const { return is_all_counted_; }
    // What is free of all that is only counted, outside of bookings.
    const CountedProfile& counted() const { return counted_; }
    void advance(Time now) {
        if (is_all_counted_) {
            origin_ = now;
            counted_.advance(now);
        } else {
            advance_all(now);
        }
    }
    // Begins a round: the origin becomes state.now. Jobs that have outlived their estimates end at the next instant.
    // Requires: the timeline has the running jobs.
    void begin_round(const SchedulerState& state);
    // A job starts now, or has ended.
    void started(const SchedulerState& state, JobIndex job);
    void ended(const SchedulerState& state, const Completion& completion);

    // Takes what windows hold that have been announced since the last call. Returns whether there was one.
    // Cost: O(1), and O(steps of each of their hosts).
    bool learn_windows(Time now) { return next_news_ < by_announcement_.size() && learn_next_windows(now); }
    // Whether there is one to learn of.
    bool has_news(Time now) const;

    // Takes what a job holds during [from, until), or gives it back.
    // Cost: O(steps of each of its hosts).
    void take(const Request& request, const Place& place, Time from, Time until) {
        take_or_give(request, request.processors, place, from, until, -1);
    }
    void give(const Request& request, const Place& place, Time from, Time until) {
        give(request, request.processors, place, from, until);
    }
    // The same with another number of processors, if hosts are only counted.
    void give(const Request& request, int processors, const Place& place, Time from, Time until) {
        take_or_give(request, processors, place, from, until, 1);
    }
    // Forgets everything but what runs now, windows, and which hosts are unavailable, for ever as far as anybody knows.
    // Looks at those of the planned pools that are scarce now.
    void reset(const SchedulerState& state);
    // Looks from now on at those that have become scarce since then, and takes of them what runs. Returns their columns
    // of counted(), from the first to the last. No window takes of them.
    // Requires: the timeline has what runs.
    std::vector<std::size_t> add_scarce_pools(const SchedulerState& state);
    // Takes of one of these columns what a job holds during [from, until).
    void take_of(std::size_t column, const Request& request, Time from, Time until) {
        counted_.take_of(column, request, from, until);
    }
    // Whether the request takes of a planned pool.
    bool takes_of_planned_pools(const Request& request) const;
    // Forgets all but this: `free` processors can be used now, and those of `running` from their ends on, but not now.
    // Requires: processors are only counted.
    void reset(Time now, int free, std::span<const RunningJob> running);

    // Answers the same from now on until the next reset(), and faster if much is taken later. Needs memory for it.
    // Cost: O(steps of all hosts).
    void index_hosts();

    // The first t >= from with t < before at which a job with this request could start and run for `length`; infinite
    // if there is none. A booked job runs inside a window that has been announced, and ends there.
    // Cost: O(n * log(n)) for n steps of all hosts. If it is booked, for each of its windows, and after each change a
    // copy of all steps.
    Time earliest(const Request& request, Duration length, Time from, Time before = Time::infinity()) const {
        return is_all_counted_ ? counted_.earliest(request, length, from, before)
                               : earliest_of_all(request, length, from, before);
    }

    // A job that the timeline has during [start, start + length); at infinity, it takes nothing.
    struct Planned {
        const Request& request;
        Place& place;
        Time start;
        Duration length;
    };
    // The first t in [first, last) at which it could start as if the job itself were not there; infinite if there is
    // none.
    // Requires: last <= start.
    // Cost: that of earliest(), and, but for a job that is only counted, two changes.
    Time earliest_without(const Planned& job, Time first, Time last) {
        return is_all_counted_  // from its start on, the job has its own
                   ? counted_.earliest(job.request, job.length, first, last, job.start)
                   : earliest_without_place(job, first, last);
    }
    // Moves it to this start, and changes its place. Returns the instant from which on it has given something back on
    // hosts that it keeps; on those that it leaves, that is its old start.
    // Requires: earliest_without() has found the start.
    // Cost: two changes.
    Time move_earlier(const Planned& job, Time start);

    // What a job takes of its hosts during [from, until).
    struct Holding {
        const Request& request;
        const ResourceSet& hosts;
        Time from;
        Time until;
    };
    // Adds what somebody has given back; nothing without named hosts.
    // Requires: index_hosts() was called. For the next two also: there are named hosts.
    void add_to(GivenHosts& given, const Holding& holding) const;
    GivenHosts::Need need_of_host(const Request& request, Duration length) const;
    // Returns a span of starts for a planned job that lasts for `length`, between the origin and planned.from. It has
    // all that a host of `given`, from number `first` on, allows only since then. The job's own place counts as free.
    // Starts in `known`, or between these and the others, may be missing. Begin is infinite if there is none. Does not
    // look at pools.
    // Cost: O(hosts of `planned`) if no host has what the job needs for so long; else O(hosts of `given`), and O(steps)
    // of those that have.
    AmountProfile::Stretch opened_starts(GivenHosts& given, std::size_t first, const Holding& planned,
                                         const GivenHosts::Need& need, Duration length,
                                         const AmountProfile::Stretch& known) const;

    // What is kept of the answers for one job, to look next time only at hosts that have changed since.
    struct Kept {
        JobIndex job = 0;
        std::uint64_t since = 0;   // the number of the next change then
        std::vector<Time> firsts;  // by host: from when on the job could run there; empty: nothing is kept
    };
    // As above for this job, from the origin on.
    // Requires: always the same object and timeline.
    Time earliest(const SchedulerState& state, JobIndex job, Kept& kept) const;
    // Whether that is so at this instant.
    // Requires: at >= origin().
    // Cost: O(steps of the hosts that it looks at; it stops when enough fit).
    bool fits(const Request& request, Duration length, Time at) const;
    // What a job that starts then would find too little, in a booking in the first of its windows that lasts long
    // enough. None if it fits, or there is no such window.
    // Cost: O(steps), and in a booking that of fits().
    std::optional<Shortage> shortage(const Request& request, Duration length, Time at) const;
    // Whether a job that starts then could run on these hosts.
    bool fits_on(const Request& request, const Place& place, Duration length, Time at) const;
    // Whether that is so at the origin, where the job fits on these hosts.
    // Requires: there are named hosts; the job is not booked.
    // Cost: O(steps of the hosts on which somebody is to begin later).
    bool fits_now(const Request& request, Duration length, const FittingHosts& now) const;
    // The place for a job that starts then: the first window of its booking in which it fits, and hosts by its
    // placement, unless hosts are only counted. Uses what is kept of the job, if it is still true.
    // Requires: it fits.
    Place choose(const Request& request, Duration length, Time at) const {
        return is_all_counted_ ? Place() : choose(request, length, at, nullptr);
    }
    // Those for a job that starts at the origin, where it fits on these hosts.
    // Requires: fits_now().
    // Cost: O(hosts), and O(steps of the hosts on which somebody is to begin later).
    Place choose_now(const Request& request, Duration length, const FittingHosts& now) const;
    Place choose(const SchedulerState& state, JobIndex job, Time at, const Kept& kept) const;

 private:
    void add_hosts(Time now);
    std::vector<Amount> needed_of_host(const Request& request) const;
    // Those of `among` that this host allows, if one is before `before`; `own` is the job's place if it has one there.
    AmountProfile::Stretch opened_starts_on(const GivenHosts& given, const GivenHosts::Host& host, const Holding* own,
                                            std::span<const Amount> needed, Duration length,
                                            const AmountProfile::Stretch& among, Time before) const;
    void taken_of(const Request& request, int host, std::vector<Amount>& taken) const;
    // Calls `use` with each of these hosts, and what the job takes there, by column.
    template <class Use>
    void each_taken(const Request& request, const ResourceSet& hosts, Use use) const;
    void take_for_ever(const ResourceSet& hosts);
    void take_window(std::size_t number);
    void begin_windows();
    void forget_changes() {
        forgotten_changes_ += changed_.size() + 1;
        changed_.clear();
    }
    void advance_all(Time now);
    bool learn_next_windows(Time now);
    Time earliest_of_all(const Request& request, Duration length, Time from, Time before) const;
    Time earliest_without_place(const Planned& job, Time first, Time last);
    // A planned job that is to be looked for as if it were not there: from its start on, its hosts have what it needs.
    struct Own {
        HostIndex::Bits hosts;
        Time from;
    };
    static HostIndex::Search search_of(const Request& request, std::span<const Amount> needed, Duration length,
                                       const Own* own);
    // Whether nobody else needs what a job with this request takes of this host during [from, until): nothing is taken
    // twice. May be wrong if so.
    bool nobody_needs(const Request& request, int host, Time from, Time until) const;
    // Whether that is so: nobody else needs what it has taken.
    bool has_its_own(const Planned& job, std::span<const Amount> needed) const;
    Time earliest_in_index(const Request& request, std::span<const Amount> needed, Duration length, Time from,
                           Time before, const Own* own) const;
    // The same among these hosts.
    Time earliest_among(const HostIndex::Bits& hosts, const Request& request, std::span<const Amount> needed,
                        Duration length, Time from, Time before, const Own* own) const;
    // `processors`: how many hosts, if they are counted.
    void take_or_give(const Request& request, int processors, const Place& place, Time from, Time until, int sign) {
        if (is_all_counted_) {
            counted_.add(request, processors, from, until, sign);
        } else {
            change(request, processors, place, from, until, sign);
        }
    }
    void change(const Request& request, int processors, const Place& place, Time from, Time until, int sign);
    void change_hosts(const Request& request, const ResourceSet& hosts, Time from, Time until, int sign);
    void change_profiles(const Request& request, const ResourceSet& hosts, Time from, Time until, int sign);
    // Requires: the profiles have the change, and there is an index.
    void change_index(const Request& request, const ResourceSet& hosts, Time from, Time until, int sign);
    // See move_earlier(). Requires: there is an index; the job has a start, and is not booked.
    void move_hosts_earlier(const Planned& job, Time start);

    // Booked jobs see another machine: in a view they are as all others.
    bool is_inside(const Request& request) const { return !is_view_ && request.is_booked(); }
    // The machine as a job inside this window sees it during the window.
    const Timeline& view(std::size_t window) const;
    Timeline make_view(std::size_t number) const;
    void open_hosts(const Window& window);
    // The first column of a host: less than any number of jobs leaves there, and more than what a window leaves.
    static constexpr Amount outside_windows = -(Amount{1} << 40);
    static constexpr Amount taken_by_window = Amount{1} << 44;
    // Whether a job that starts then would run inside the window.
    bool is_during(std::size_t number, const Request& request, Time at) const;
    Time earliest_inside(const Request& request, Duration length, Time from, Time before) const;
    std::optional<std::size_t> window_for(const Request& request, Duration length, Time at) const;
    bool suits(const Request& request, int host) const;
    // Whether nobody is to begin on this host later: what is free there is never less.
    bool is_rising(int host) const { return later_[static_cast<std::size_t>(host)] == 0; }
    bool all_are_rising() const { return how_many_not_rising_ == 0; }
    void begins_later(int host, int jobs);
    Place choose(const Request& request, Duration length, Time at, const std::vector<Time>* firsts,
                 const Own* own = nullptr) const;
    std::uint64_t changes() const { return forgotten_changes_ + changed_.size(); }
    // From when on the job could run on this host, for ever; infinite if it could not.
    // Requires: is_rising(host).
    Time first_on(const Request& request, std::span<const Amount> needed, int host, Time from) const;
    // The earliest start from `from` on if the job could run on each host from these instants on.
    Time earliest_of(const std::vector<Time>& firsts, const Request& request, Duration length, Time from,
                     Time before) const;
    struct Allowance;
    static void allow_starts(std::vector<Allowance>& changes, const AmountProfile& profile,
                             std::span<const Amount> needed, Duration length, Time from, Time before,
                             Time own_from = Time::infinity());
    // Requires: `changes` is sorted.
    Time earliest_of(const std::vector<Allowance>& changes, const Request& request, Duration length, Time before) const;
    // The earliest start of a job that needs one host, and no pool.
    Time earliest_on_one(const Request& request, std::span<const Amount> needed, Duration length, Time from,
                         Time before) const;
    struct Candidate {
        int host;
        AmountProfile::Stretch stretch;
    };
    // The hosts of the request among these, by its placement.
    ResourceSet best_of(std::vector<Candidate>& candidates, const Request& request, Duration length, Time at) const;
    void sort_fullest(std::vector<Candidate>& candidates, Duration length, Time at) const;

    const Machine* machine_;
    Time origin_;
    Time soonest_;                            // who ends now had something until then; the last reset, or later
    std::vector<std::size_t> planned_pools_;  // their numbers
    CountedProfile counted_;
    bool is_all_counted_;
    // By host, if they are named: 1 if nobody uses it, less for each user; then its capacities.
    std::vector<AmountProfile> hosts_;
    std::optional<HostIndex> index_;  // of hosts_; none: nobody has asked for it
    std::vector<int> later_;          // by host: how many jobs and windows are to begin there after the origin
    HostIndex::Bits not_rising_;      // the hosts with such jobs or windows
    int how_many_not_rising_ = 0;
    std::vector<std::size_t> by_announcement_;           // all windows
    std::size_t next_news_ = 0;                          // in by_announcement_
    std::vector<bool> knows_window_;                     // by window
    std::vector<std::size_t> later_windows_;             // known windows of hosts that begin after the origin
    std::map<std::size_t, CountedProfile> left_inside_;  // by window for bookings: what it names, less what jobs hold
    bool is_view_ = false;
    std::uint64_t version_ = 0;  // counts all changes
    struct View {
        std::uint64_t version;
        std::shared_ptr<const Timeline> timeline;
    };
    mutable std::map<std::size_t, View> views_;  // by window; made when they are asked for
    // The hosts that have changed, one after another, have numbers. These are the last ones.
    std::vector<int> changed_;
    std::uint64_t forgotten_changes_ = 1;
};

}  // namespace batfill
