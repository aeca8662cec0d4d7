#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/core/window.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_machine.hpp"

namespace batfill::tests {

// The common part of the plain forms of plan algorithms, which are independent implementations. They place and cancel
// exactly what the definition says, and remember only planned starts between rounds. If processors come or go, they
// rebuild the plan of the waiting jobs in the order of the planned starts. They ignore overrun walltimes. Every job has
// a walltime and fits on the machine.
class PlainPlanAlgorithm {
 public:
    // What decides besides processors.
    struct Conditions {
        // Whether limits let a job run beside these; none: there are no limits.
        std::function<bool(const JobDescription& job, const std::vector<JobDescription>& running)> within_limits = {};
        // Windows that take processors. With windows, the machine does not change.
        std::vector<Window> windows = {};
        // Whether jobs that do not fit on the available processors are rejected, now or at their submission.
        bool rejects_too_wide = false;
    };

    explicit PlainPlanAlgorithm(int processors) : machine_(processors) {}
    virtual ~PlainPlanAlgorithm() = default;
    // Requires: no round yet.
    void set_conditions(Conditions conditions) { conditions_ = std::move(conditions); }

    // Jobs leave the queue in the next round, as their windows are over. Nobody is placed again for that.
    void withdraw(const std::vector<JobIndex>& jobs) {
        for (const JobIndex index : jobs) {
            if (std::erase(parked_, index) == 0) {
                forget(index);
            }
            withdrawn(index);
        }
    }

    // As above, as somebody has ended them. The others are then placed again as after an early end.
    void end_waiting(const std::vector<JobIndex>& jobs) {
        withdraw(jobs);
        have_waiting_ended_ = !jobs.empty();
    }

    // One scheduling round; returns the jobs that start, in increasing order.
    std::vector<JobIndex> round(const Message& message) {
        now_ = message.now;
        started_.clear();
        const bool early = take_out(message.ended);
        machine_.take_in(message);
        const bool is_window_new = learn_windows();
        if (conditions_.rejects_too_wide && !message.machine_changes.empty()) {
            reject_too_wide();
        }
        plan_around_running_jobs();
        if (!message.machine_changes.empty()) {
            const std::vector<JobIndex> order = by_planned_start();
            std::for_each(order.begin(), order.end(), [this](JobIndex index) { cancel(index); });
            std::for_each(order.begin(), order.end(), [this](JobIndex index) { place(index, earliest(index)); });
        }
        place_parked();
        if (is_window_new) {
            make_room();
        }
        if (message.machine_changes.empty() && !message.ended.empty()) {
            completed(early);
        } else if (message.machine_changes.empty() && has_window_ended()) {
            window_ended();
        }
        if (std::exchange(have_waiting_ended_, false) && message.machine_changes.empty()) {
            completed(true);
        }
        for (const auto& [index, description] : message.submitted) {
            REQUIRE(index == jobs_.size());
            jobs_.push_back(description);
            if (can_never_start(index) || (conditions_.rejects_too_wide && is_too_wide(index))) {
                rejected_.insert(index);
            } else {
                submitted(index);
            }
        }
        all_submitted();
        do {
            for (const JobIndex index : by_turn()) {
                start_if_due(index);
            }
        } while (park());
        std::sort(started_.begin(), started_.end());
        return started_;
    }

    // The planned start of every waiting job.
    const std::map<JobIndex, Time>& planned_starts() const { return plan_.starts; }
    // The window in which a running or planned job is.
    std::optional<std::size_t> window_of(JobIndex index) const {
        const auto found = plan_.windows.find(index);
        return found == plan_.windows.end() ? std::nullopt : std::optional(found->second);
    }
    int times_parked() const { return times_parked_; }
    const std::set<JobIndex>& rejected() const { return rejected_; }
    // On which processors a running job is. With windows, it may be on others.
    Place place_of(JobIndex index) const { return machine_.place_of(index); }

 protected:
    struct Plan {
        std::map<Time, int> changes;                        // changes of the number of free processors
        std::map<std::size_t, std::map<Time, int>> inside;  // of those inside a window
        std::map<JobIndex, Time> starts;                    // of the waiting jobs that are placed
        std::map<JobIndex, std::size_t> windows;            // of these, and of running jobs, that are inside one
    };

    // Jobs ended, and their processors are free.
    virtual void completed(bool early) = 0;
    virtual void submitted(JobIndex index) = 0;
    virtual void all_submitted() {}
    virtual void window_ended() {}
    // Jobs that a limit keeps from starting lose their places until the next round, or have places again.
    virtual void parked(JobIndex) {}
    virtual void unparked(JobIndex) {}
    virtual void withdrawn(JobIndex) {}
    // The order in which due jobs start.
    virtual std::vector<JobIndex> by_turn() const { return by_planned_start(); }
    virtual void has_started(JobIndex) {}

    Time now() const { return now_; }
    Plan& plan() { return plan_; }
    const Plan& plan() const { return plan_; }
    const JobDescription& job(JobIndex index) const { return jobs_[index]; }
    Duration walltime(JobIndex index) const { return *job(index).walltime; }
    bool submitted_before(JobIndex a, JobIndex b) const {
        return std::pair(job(a).submit, a) < std::pair(job(b).submit, b);
    }

    Time earliest(JobIndex index) const { return earliest_place(index).first; }
    void place(JobIndex index, Time start) {
        const std::vector<std::size_t> windows = start.is_infinite() ? std::vector<std::size_t>() : windows_for(index);
        const auto window = std::find_if(windows.begin(), windows.end(),
                                         [&](std::size_t one) { return earliest_inside(index, one, start) == start; });
        put(index, start, window == windows.end() ? std::nullopt : std::optional(*window));
    }
    void cancel(JobIndex index) {
        occupy(index, plan_.starts.at(index), -job(index).processors, window_of(index));
        plan_.starts.erase(index);
        plan_.windows.erase(index);
    }
    // The start that a placed job could have if it were removed.
    Time earliest_without_itself(JobIndex index) {
        const Time planned = planned_starts().at(index);
        const std::optional<std::size_t> window = window_of(index);
        cancel(index);
        const Time start = earliest(index);
        put(index, planned, window);
        return start;
    }
    // Places a job again that could start earlier if it were removed. Returns whether it could.
    bool move_earlier(JobIndex index) {
        const Time start = earliest_without_itself(index);
        if (start >= planned_starts().at(index)) {
            return false;
        }
        cancel(index);
        place(index, start);
        return true;
    }
    bool is_within_limits(JobIndex index) const {
        std::vector<JobDescription> running;
        for (const auto& [other, start] : running_) {
            running.push_back(job(other));
        }
        return is_within_limits(index, running);
    }

    // Whether only processors decide.
    bool is_plain() const { return !conditions_.within_limits && conditions_.windows.empty(); }

    // All placed jobs by planned start, ties by submission.
    std::vector<JobIndex> by_planned_start() const {
        std::vector<std::tuple<Time, Time, JobIndex>> keys;
        for (const auto& [index, start] : plan_.starts) {
            keys.emplace_back(start, job(index).submit, index);
        }
        std::sort(keys.begin(), keys.end());
        std::vector<JobIndex> order;
        for (const auto& [start, submit, index] : keys) {
            order.push_back(index);
        }
        return order;
    }

    // Whether a running job should have ended by now. A later message of this instant may report its end. Until then
    // its processors are free only in the plan.
    bool an_end_is_due() const {
        return std::any_of(running_.begin(), running_.end(),
                           [&](const auto& started) { return started.second + walltime(started.first) <= now_; });
    }
    bool start_if_due(JobIndex index) {
        if (plan_.starts.at(index) != now_) {
            return false;
        }
        Place idle = machine_.now().processors;
        const auto needed = static_cast<std::size_t>(job(index).processors);
        if (needed > idle.size() || !is_within_limits(index)) {
            return false;
        }
        idle.resize(needed);
        machine_.start(index, job(index), idle, now_ + walltime(index));
        plan_.starts.erase(index);
        running_[index] = now_;
        started_.push_back(index);
        has_started(index);
        return true;
    }

 private:
    // Returns whether a job ended early.
    bool take_out(const std::vector<JobIndex>& ended) {
        bool early = false;
        for (const JobIndex index : ended) {
            early |= running_.at(index) + walltime(index) > now_;
            running_.erase(index);
            plan_.windows.erase(index);
        }
        return early;
    }
    // The plan without memory: what running jobs leave by the estimates, and the planned jobs at their starts.
    void plan_around_running_jobs() {
        const auto free_at = [this](Time time) {
            return static_cast<int>(machine_.by_estimates_at(time).processors.size());
        };
        available_ = free_at(Time::infinity());
        plan_.changes.clear();
        std::set<Time> times{now_};
        for (const auto& [index, start] : running_) {
            times.insert(std::max(start + walltime(index), now_));
        }
        int free = available_;
        for (const Time time : times) {
            change(time, free_at(time) - free);
            free = free_at(time);
        }
        plan_.inside.clear();
        for (const auto& [index, start] : running_) {
            if (const std::optional<std::size_t> window = window_of(index)) {
                const Time end = std::max(start + walltime(index), now_);
                change(now_, end, job(index).processors);
                change_inside(*window, now_, end, -job(index).processors);
            }
        }
        for (const std::size_t window : known_windows()) {
            const Window& one = conditions_.windows[window];
            change(std::max(one.from, now_), one.until, -one.processors);
        }
        for (const auto& [index, start] : plan_.starts) {
            occupy(index, start, job(index).processors, window_of(index));
        }
    }
    void put(JobIndex index, Time start, std::optional<std::size_t> window) {
        occupy(index, start, job(index).processors, window);
        plan_.starts[index] = start;
        if (window) {
            plan_.windows[index] = *window;
        }
    }
    void forget(JobIndex index) {
        plan_.starts.erase(index);
        plan_.windows.erase(index);
    }
    void occupy(JobIndex index, Time start, int processors, std::optional<std::size_t> window) {
        if (start.is_infinite()) {
            return;
        }
        if (window) {
            change_inside(*window, start, start + walltime(index), -processors);
        } else {
            change(start, start + walltime(index), -processors);
        }
    }
    static void change(std::map<Time, int>& changes, Time at, int processors) {
        if ((changes[at] += processors) == 0) {
            changes.erase(at);
        }
    }
    void change(Time at, int processors) { change(plan_.changes, at, processors); }
    void change(Time from, Time until, int processors) {
        change(from, processors);
        change(until, -processors);
    }
    void change_inside(std::size_t window, Time from, Time until, int processors) {
        change(plan_.inside[window], from, processors);
        change(plan_.inside[window], until, -processors);
    }

    // ---- Lost processors

    bool is_too_wide(JobIndex index) const {
        const Place available = machine_.by_estimates_at(Time::infinity()).processors;
        return static_cast<std::size_t>(job(index).processors) > available.size();
    }
    void reject_too_wide() {
        std::vector<JobIndex> rejected = parked_;
        for (const auto& [index, start] : plan_.starts) {
            rejected.push_back(index);
        }
        std::erase_if(rejected, [this](JobIndex index) { return !is_too_wide(index); });
        withdraw(rejected);
        rejected_.insert(rejected.begin(), rejected.end());
    }

    // ---- Windows

    // Those that are announced and not over.
    std::vector<std::size_t> known_windows() const {
        std::vector<std::size_t> known;
        for (std::size_t i = 0; i < conditions_.windows.size(); ++i) {
            if (conditions_.windows[i].announced <= now_ && now_ < conditions_.windows[i].until) {
                known.push_back(i);
            }
        }
        return known;
    }
    bool is_booked(JobIndex index) const {
        return are_for_bookings(conditions_.windows) && job(index).needs && job(index).needs->booking;
    }
    std::vector<std::size_t> windows_for(JobIndex index) const {
        std::vector<std::size_t> windows;
        for (const std::size_t window : known_windows()) {
            if (is_booked(index) && conditions_.windows[window].is_for(*job(index).needs->booking)) {
                windows.push_back(window);
            }
        }
        return windows;
    }
    // Whether one has been announced that was not known in the last round.
    bool learn_windows() {
        const auto number = std::count_if(conditions_.windows.begin(), conditions_.windows.end(),
                                          [this](const Window& window) { return window.announced <= now_; });
        return std::exchange(announced_, number) != number;
    }
    bool has_window_ended() const {
        return std::any_of(conditions_.windows.begin(), conditions_.windows.end(),
                           [this](const Window& window) { return window.until == now_; });
    }
    // The earliest start from `from` on inside this window. There the job takes of what the window has, and of what the
    // jobs outside and the other windows leave.
    Time earliest_inside(JobIndex index, std::size_t window, Time from) const {
        const Window& one = conditions_.windows[window];
        std::map<Time, int> own;
        if (const auto known = plan_.inside.find(window); known != plan_.inside.end()) {
            own = known->second;
        }
        std::map<Time, int> all = plan_.changes;
        for (const auto& [at, processors] : own) {
            change(all, at, processors);
        }
        change(all, std::max(one.from, now_), one.processors);
        change(all, one.until, -one.processors);
        std::set<Time> starts{std::max(from, one.from)};
        for (const auto& [at, processors] : all) {
            starts.insert(std::max(at, *starts.begin()));
        }
        for (const auto& [at, processors] : own) {
            starts.insert(std::max(at, *starts.begin()));
        }
        for (const Time start : starts) {
            const Time end = start + walltime(index);
            if (end <= one.until && least(all, available_, start, end) >= job(index).processors &&
                least(own, one.processors, start, end) >= job(index).processors) {
                return start;
            }
        }
        return Time::infinity();
    }
    static int least(const std::map<Time, int>& changes, int free, Time from, Time until) {
        std::optional<int> least;
        for (const auto& [at, processors] : changes) {
            if (at >= until) {
                break;
            }
            if (at > from) {
                least = std::min(least.value_or(free), free);
            }
            free += processors;
        }
        return std::min(least.value_or(free), free);
    }
    // While too few processors are free, the next change is the next instant to try. Infinite if too few are available.
    std::pair<Time, std::optional<std::size_t>> earliest_place(JobIndex index) const {
        if (is_booked(index)) {
            std::pair<Time, std::optional<std::size_t>> best{Time::infinity(), std::nullopt};
            for (const std::size_t window : windows_for(index)) {
                const Time start = earliest_inside(index, window, now_);
                best = start < best.first ? std::pair(start, std::optional(window)) : best;
            }
            return best;
        }
        const int processors = job(index).processors;
        const Duration length = walltime(index);
        if (processors > available_) {
            return {Time::infinity(), std::nullopt};
        }
        Time start = now_;
        Time end = start + length;
        int free = available_;
        for (auto change = plan_.changes.begin(); change != plan_.changes.end() && change->first < end;) {
            free += change->second;
            ++change;
            if (free < processors && change != plan_.changes.end()) {
                start = std::max(start, change->first);
                end = start + length;
            }
        }
        return {start, std::nullopt};
    }
    // A window was announced: who can stay where he was stays, by planned start; then the others are placed.
    void make_room() {
        const std::vector<JobIndex> order = by_planned_start();
        std::map<JobIndex, std::pair<Time, std::optional<std::size_t>>> before;
        for (const JobIndex index : order) {
            before[index] = {planned_starts().at(index), window_of(index)};
            cancel(index);
        }
        std::vector<JobIndex> to_move;
        for (const JobIndex index : order) {
            const auto& [start, window] = before.at(index);
            const bool can_stay =
                !start.is_infinite() &&
                (window ? earliest_inside(index, *window, start) == start
                        : least(plan_.changes, available_, start, start + walltime(index)) >= job(index).processors);
            if (can_stay) {
                put(index, start, window);
            } else {
                to_move.push_back(index);
            }
        }
        for (const JobIndex index : to_move) {
            place(index, earliest(index));
        }
    }

    // ---- Limits

    bool is_within_limits(JobIndex index, const std::vector<JobDescription>& running) const {
        return !conditions_.within_limits || conditions_.within_limits(job(index), running);
    }
    bool can_never_start(JobIndex index) const { return !is_within_limits(index, {}); }
    void place_parked() {
        std::vector<JobIndex> jobs = std::exchange(parked_, {});
        std::sort(jobs.begin(), jobs.end(), [&](JobIndex a, JobIndex b) { return submitted_before(a, b); });
        for (const JobIndex index : jobs) {
            place(index, earliest(index));
            unparked(index);
        }
    }
    // Parks all due jobs that only a limit keeps from starting, and compresses the others. Returns whether there was
    // one.
    bool park() {
        std::vector<JobIndex> held;
        for (const auto& [index, start] : plan_.starts) {
            const auto idle = static_cast<int>(machine_.now().processors.size());
            if (start <= now_ && job(index).processors <= idle && !is_within_limits(index)) {
                held.push_back(index);
            }
        }
        for (const JobIndex index : held) {
            cancel(index);
            parked_.push_back(index);
            parked(index);
        }
        times_parked_ += static_cast<int>(held.size());
        for (const JobIndex index : held.empty() ? std::vector<JobIndex>() : by_planned_start()) {
            move_earlier(index);
        }
        return !held.empty();
    }

    Conditions conditions_;
    std::ptrdiff_t announced_ = 0;  // windows
    std::vector<JobIndex> parked_;
    int times_parked_ = 0;
    std::set<JobIndex> rejected_;
    PlainMachine machine_;
    int available_ = 0;  // processors, idle or not
    Time now_;
    bool have_waiting_ended_ = false;
    std::vector<JobDescription> jobs_;  // by JobIndex
    std::map<JobIndex, Time> running_;  // with their starts
    Plan plan_;
    std::vector<JobIndex> started_;
};

}  // namespace batfill::tests
