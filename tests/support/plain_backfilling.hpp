#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_machine.hpp"
#include "tests/support/plain_order.hpp"
#include "tests/support/plain_prediction.hpp"
#include "tests/support/random.hpp"
#include "tests/support/same_rounds.hpp"

namespace batfill::tests {

struct PlainRules {
    enum class Extra { all, needed, needed_latest };

    Placement placement = Placement::lowest;
    PlainOrder order = plain_order(named_orders().at("fcfs"));
    PlainOrder backfill_order = plain_order(named_orders().at("fcfs"));
    bool keeps_head = false;  // the head stays head until it starts
    bool backfills = true;
    bool predicts = false;
    bool rejects_too_wide = false;  // jobs that do not fit on the available processors
    // Whether limits let a job run beside these; none: there are no limits. Not with several reservations.
    std::function<bool(const JobDescription& job, const std::vector<JobDescription>& running)> within_limits = {};
    std::optional<Duration> threshold = std::nullopt;
    bool last_of_ties_first = false;
    std::size_t test_limit = std::numeric_limits<std::size_t>::max();
    // The following rules count processors: only with Placement::lowest.
    Extra extra = Extra::all;  // with one reservation
    bool round_for_each_event = false;
    std::size_t reservations = 1;
    bool one_as_several = false;  // treats one reservation like several
};

// Draws both orders of `easy` among these names, for the engine and for the plain form.
inline void draw_orders(Random& random, const std::vector<std::string>& names, Parameters::Given& given,
                        PlainRules& rules) {
    for (const auto& [parameter, order] :
         {std::pair("order", &rules.order), std::pair("backfill-order", &rules.backfill_order)}) {
        const std::string& name = names[static_cast<std::size_t>(random.below(static_cast<int>(names.size())))];
        given.emplace_back(parameter, name);
        *order = name == "predicted" ? plain_predicted_order() : plain_order(named_orders().at(name));
    }
}

// Counts rare events. A comparison in which they never happened shows little.
struct BackfillingCounts {
    int rejected = 0;
    int in_time = 0;             // backfilled jobs that end before the head starts
    int beside = 0;              // jobs that run beside the head
    int elsewhere = 0;           // jobs that start, but on another place than without the head
    int delaying = 0;            // jobs that have places, and would delay the head on each
    int on_extra_of_others = 0;  // of these, jobs that fitted beside the head until others took the extra processors
    int took_copies = 0;         // of these, jobs that would leave the head its processors, but not its licences
    int scattered = 0;           // enough processors are idle for the head, but not where it can run
    int without_copies = 0;      // the head has a place, but lacks licences
    int passed_over = 0;         // jobs before the head that only a limit holds
    int never = 0;               // the head cannot start however long it waits
    int overdue = 0;             // the head could start by the estimates, but cannot
    int kept_head = 0;           // the head is not the first in the order
    int head_not_first = 0;      // the head was not submitted first
    int ties = 0;
    int over_threshold = 0;  // at the head or started, although others had larger scores
    int exactly_threshold = 0;
    int less_extra = 0;             // the head needs only some of the jobs that end at the shadow time
    int second_reservations = 0;    // rounds with a second reservation
    int reserved_before_first = 0;  // later reservations with an earlier start
    int beside_reservations = 0;    // backfilled jobs that run beside one of several reserved jobs
    int limited = 0;                // rounds that the test limit ended
    int submissions_that_wait = 0;  // submissions without a round of their own
    int withheld = 0;               // of these, those with room on processors that jobs of this message released
    int starts_between = 0;         // starts that an event of a message allows, but not the whole message
};

// FCFS, EASY backfilling and its relatives: the head has a reservation, and others start if they respect it. Tries
// every place of every job, and checks the whole machine after each.
class PlainBackfilling {
 public:
    PlainBackfilling(PlainMachine machine, PlainRules rules, BackfillingCounts& counts)
        : machine_(std::move(machine)), rules_(std::move(rules)), prediction_(rules_.predicts), counts_(counts) {}

    const PlainPrediction& prediction() const { return prediction_; }
    bool in_doubt() const { return in_doubt_; }
    const std::set<JobIndex>& rejected() const { return rejected_; }
    // After a round: the job that could not start, and when it can by the estimates; none if never.
    std::optional<JobIndex> head() const { return head_; }
    std::optional<Time> head_can_start_at() const { return reserved_ ? std::optional(reserved_->first) : std::nullopt; }

    // Whether the round started jobs that come before the head.
    bool is_head_overtaken() const { return is_head_overtaken_; }

    // The jobs that the round starts, and their places.
    std::map<JobIndex, ResourceSet> round(const Message& message) {
        now_ = message.now;
        started_.clear();
        prediction_.take_in(message);
        machine_.estimate_ends(message.ended, [this](JobIndex job) { return prediction_.end_of(job, now_); });
        if (rules_.round_for_each_event) {
            decide_for_each_event(message);
            return started_;
        }
        take_in(message);
        for (const auto& [index, job] : message.submitted) {
            submit(index, job);
        }
        if (rules_.rejects_too_wide) {
            std::erase_if(waiting_, [this](JobIndex job) {
                return machine_.places(jobs_.at(job), rules_.placement, machine_.by_estimates_at(Time::infinity()))
                           .empty() &&
                       rejected_.insert(job).second;
            });
        }
        decide();
        return started_;
    }

 private:
    // A job that has its processors in a time to come, or has them now.
    struct Slot {
        Time start;
        Time end;
        int processors;
    };

    // Ends of jobs, and changes of the machine.
    void take_in(const Message& message) {
        machine_.take_in(message);
        std::erase_if(running_, [this](JobIndex job) { return !machine_.running().contains(job); });
    }
    void end(JobIndex job) { take_in({now_, {job}, {}, {}}); }

    void submit(JobIndex index, const JobDescription& job) {
        if (!machine_.has_room_for(job, rules_.placement) || !is_within_limits(job, {})) {
            rejected_.insert(index);
            ++counts_.rejected;
            return;
        }
        jobs_[index] = job;
        waiting_.push_back(index);
        std::sort(waiting_.begin(), waiting_.end(), [this](JobIndex a, JobIndex b) {
            return std::pair(jobs_.at(a).submit, a) < std::pair(jobs_.at(b).submit, b);
        });
    }

    // Submissions come first, then ends in the order of the starts. The processors of jobs that end as expected are
    // free at once.
    void decide_for_each_event(const Message& message) {
        std::vector<JobIndex> ended = running_;
        std::erase_if(ended,
                      [&](JobIndex job) { return std::count(message.ended.begin(), message.ended.end(), job) == 0; });
        int withheld = 0;
        for (const JobIndex job : ended) {
            if (machine_.running().at(job).end <= now_) {
                end(job);
            } else {
                withheld += jobs_.at(job).processors;
            }
        }
        for (const auto& [index, job] : message.submitted) {
            submit(index, job);
            if (job.processors <= idle()) {
                decide();
            } else {
                ++counts_.submissions_that_wait;
                counts_.withheld += job.processors <= idle() + withheld ? 1 : 0;
            }
        }
        for (const JobIndex job : ended) {
            end(job);
            const std::size_t before = started_.size();
            decide();
            counts_.starts_between += job != ended.back() && started_.size() > before ? 1 : 0;
        }
    }

    void decide() {
        tests_left_ = rules_.test_limit;
        const std::vector<JobIndex> order = primary();
        const std::vector<JobIndex> backfill_order =
            in_order(rules_.backfill_order, rules_.last_of_ties_first ? order : waiting_);
        head_.reset();
        reserved_.reset();
        if (rules_.reservations == 1 && !rules_.one_as_several) {
            reserve_one(order, backfill_order);
        } else {
            reserve_several(order, backfill_order);
        }
    }

    std::vector<JobIndex> in_order(const PlainOrder& order, const std::vector<JobIndex>& jobs) {
        const PlainRanking ranking = order({now_, jobs_, jobs, prediction_});
        in_doubt_ |= ranking.in_doubt;
        counts_.ties += ranking.ties;
        return ranking.jobs;
    }

    std::vector<JobIndex> primary() {
        std::vector<JobIndex> late;
        std::vector<JobIndex> others;
        for (const JobIndex job : waiting_) {
            const Duration wait = now_ - jobs_.at(job).submit;
            counts_.exactly_threshold += rules_.threshold && wait == *rules_.threshold ? 1 : 0;
            (rules_.threshold && wait > *rules_.threshold ? late : others).push_back(job);
        }
        if (!late.empty() && in_order(rules_.order, waiting_).front() != late.front()) {
            ++counts_.over_threshold;
        }
        if (rules_.last_of_ties_first) {
            std::reverse(others.begin(), others.end());
        }
        others = in_order(rules_.order, others);
        std::vector<JobIndex> order = std::move(late);
        order.insert(order.end(), others.begin(), others.end());
        if (rules_.keeps_head && head_) {
            counts_.kept_head += order.front() != *head_ ? 1 : 0;
            std::erase(order, *head_);
            order.insert(order.begin(), *head_);
        }
        return order;
    }

    // Whether another job may be tested.
    bool may_test() {
        counts_.limited += tests_left_ == 0 ? 1 : 0;
        return tests_left_ != 0 && tests_left_-- != 0;
    }

    bool is_within_limits(const JobDescription& job, const std::vector<JobIndex>& running) const {
        std::vector<JobDescription> beside;
        for (const JobIndex other : running) {
            beside.push_back(jobs_.at(other));
        }
        return !rules_.within_limits || rules_.within_limits(job, beside);
    }

    int idle() const { return static_cast<int>(machine_.now().processors.size()); }
    std::vector<Place> places_now(JobIndex job) const {
        return machine_.places(jobs_.at(job), rules_.placement, machine_.now());
    }

    // Starts the job on the first of these places. Returns whether there is one.
    bool start_on(JobIndex job, const std::vector<Place>& places) {
        if (!places.empty()) {
            machine_.start(job, jobs_.at(job), places.front(), now_ + prediction_.of(job));
            prediction_.start(job, now_);
            started_[job] = set_of(places.front());
            running_.push_back(job);
            std::erase(waiting_, job);
        }
        return !places.empty();
    }

    void reserve_one(const std::vector<JobIndex>& order, const std::vector<JobIndex>& backfill_order) {
        std::vector<JobIndex> before_head;
        for (const JobIndex job : order) {
            const bool is_held = !is_within_limits(jobs_.at(job), running_);
            if (is_held && rules_.backfills && !places_now(job).empty()) {
                ++counts_.passed_over;
                continue;
            }
            if (is_held || !start_on(job, places_now(job))) {
                head_ = job;
                break;
            }
            before_head.push_back(job);
        }
        is_head_overtaken_ = !before_head.empty();
        std::vector<JobIndex> backfilled;
        if (head_) {
            reserve(before_head);
            for (const JobIndex job : rules_.backfills ? backfill_order : std::vector<JobIndex>()) {
                if (job != *head_ && !started_.contains(job)) {
                    if (!may_test()) {
                        break;
                    }
                    if (is_within_limits(jobs_.at(job), running_) && backfill(job)) {
                        backfilled.push_back(job);
                    }
                }
            }
        }
        stack_.insert(stack_.begin(), before_head.rbegin(), before_head.rend());
        stack_.insert(stack_.begin(), backfilled.begin(), backfilled.end());
    }

    // `new_ones` started just now.
    void reserve(const std::vector<JobIndex>& new_ones) {
        const JobDescription& head = jobs_.at(*head_);
        reserved_ = machine_.earliest(head, rules_.placement, now_);
        at_reservation_ = machine_;
        const PlainMachine::Free free = machine_.now();
        PlainMachine::Free without_licenses = free;
        for (auto& [license, copies] : without_licenses.copies) {
            copies = 1;
        }
        const bool has_processors = static_cast<int>(free.processors.size()) >= head.processors;
        const bool lacks_copies = !machine_.places(head, rules_.placement, without_licenses).empty();
        counts_.without_copies += lacks_copies ? 1 : 0;
        counts_.scattered += has_processors && !lacks_copies ? 1 : 0;
        counts_.never += reserved_ ? 0 : 1;
        counts_.overdue += reserved_ && reserved_->first == now_ ? 1 : 0;
        counts_.head_not_first += *head_ != waiting_.front() ? 1 : 0;
        if (rules_.extra != PlainRules::Extra::all) {
            choose_needed(new_ones);
        }
    }

    // The head takes what it needs from the running jobs in the order of their estimated ends.
    void choose_needed(const std::vector<JobIndex>& new_ones) {
        std::vector<JobIndex> by_end = running_;
        if (rules_.extra == PlainRules::Extra::needed_latest) {
            by_end = stack_;
            by_end.insert(by_end.end(), new_ones.begin(), new_ones.end());
            std::erase_if(by_end, [this](JobIndex job) { return !machine_.running().contains(job); });
        }
        const auto end_of = [this](JobIndex job) { return machine_.running().at(job).end; };
        std::stable_sort(by_end.begin(), by_end.end(), [&](JobIndex a, JobIndex b) { return end_of(a) < end_of(b); });
        needed_.clear();
        int free = idle();
        auto next = by_end.begin();
        for (; free < jobs_.at(*head_).processors; ++next) {
            needed_.insert(*next);
            free += jobs_.at(*next).processors;
        }
        counts_.less_extra += next != by_end.end() && end_of(*next) <= reserved_->first ? 1 : 0;
    }

    // Returns whether the job starts.
    bool backfill(JobIndex job) {
        const bool in_time = !reserved_ || now_ + prediction_.of(job) <= reserved_->first;
        const std::vector<Place> places = places_now(job);
        std::vector<Place> good;
        bool copies_matter = false;
        for (const Place& place : places) {
            const PlainMachine with_it = with(machine_, job, place);
            if (in_time || leaves_reservation(with_it)) {
                good.push_back(place);
            } else {
                copies_matter |= leaves_processors(with_it);
            }
        }
        counts_.in_time += !good.empty() && in_time ? 1 : 0;
        counts_.beside += !good.empty() && !in_time ? 1 : 0;
        counts_.elsewhere += !good.empty() && good.front() != places.front() ? 1 : 0;
        if (!places.empty() && good.empty()) {
            ++counts_.delaying;
            counts_.took_copies += copies_matter ? 1 : 0;
            counts_.on_extra_of_others += leaves_reservation(with(*at_reservation_, job, places.front())) ? 1 : 0;
        }
        if (in_time) {
            needed_.insert(job);  // it has ended by then
        }
        return start_on(job, good);
    }

    PlainMachine with(const PlainMachine& machine, JobIndex job, const Place& place) const {
        PlainMachine with_it = machine;
        with_it.start(job, jobs_.at(job), place, now_ + prediction_.of(job));
        return with_it;
    }

    // What is free for the head at its time, on this machine.
    PlainMachine::Free free_for_head(const PlainMachine& machine) const {
        return rules_.extra == PlainRules::Extra::all ? machine.by_estimates_at(reserved_->first)
                                                      : machine.after(needed_);
    }
    // Whether the head still has its reserved processors at its time, on this machine.
    bool leaves_reservation(const PlainMachine& machine) const {
        return leaves_processors(machine) &&
               (rules_.placement != Placement::machine || free_for_head(machine).has_copies(jobs_.at(*head_)));
    }
    bool leaves_processors(const PlainMachine& machine) const {
        const PlainMachine::Free free = free_for_head(machine);
        const Place& place = reserved_->second;
        if (rules_.placement == Placement::contiguous) {
            return std::includes(free.processors.begin(), free.processors.end(), place.begin(), place.end());
        }
        const auto usable = std::count_if(free.processors.begin(), free.processors.end(), [&](int processor) {
            return rules_.placement != Placement::machine || machine_.are_of_one_machine(processor, place.front());
        });
        return usable >= static_cast<std::ptrdiff_t>(place.size());
    }

    void reserve_several(const std::vector<JobIndex>& order, const std::vector<JobIndex>& backfill_order) {
        std::vector<Slot> reserved;
        std::size_t failed = 0;
        std::set<JobIndex> tried;
        for (auto job = order.begin(); job != order.end() && (failed == 0 || failed < rules_.reservations); ++job) {
            if (failed > 0 && !may_test()) {
                return;
            }
            tried.insert(*job);
            const Time start = earliest(*job, reserved);
            if (start == now_) {
                start_on(*job, places_now(*job));
                continue;
            }
            ++failed;
            if (rules_.reservations > 0) {
                counts_.second_reservations += failed == 2 ? 1 : 0;
                counts_.reserved_before_first += failed > 1 && start < reserved.front().start ? 1 : 0;
                reserved.push_back({start, start + prediction_.of(*job), jobs_.at(*job).processors});
            }
        }
        for (const JobIndex job : backfill_order) {
            if (tried.contains(job)) {
                continue;
            }
            if (!may_test()) {
                return;
            }
            if (earliest(job, reserved) == now_) {
                counts_.beside_reservations +=
                    failed > 1 && now_ + prediction_.of(job) > reserved.front().start ? 1 : 0;
                start_on(job, places_now(job));
            }
        }
    }

    // The first time at which the job can run beside the running and the reserved jobs.
    Time earliest(JobIndex job, std::vector<Slot> others) const {
        std::vector<Time> times{now_};
        for (const auto& [index, running] : machine_.running()) {
            // An overdue job may end at any time.
            const Time end = std::max(running.end, now_ + Duration::microseconds(1));
            others.push_back({now_, end, running.job.processors});
        }
        for (const Slot& other : others) {
            times.push_back(other.end);
        }
        std::sort(times.begin(), times.end());
        return *std::find_if(times.begin(), times.end(), [&](Time time) { return fits(job, time, others); });
    }

    bool fits(JobIndex job, Time time, const std::vector<Slot>& others) const {
        const Time end = time + prediction_.of(job);
        std::vector<Time> instants{time};
        for (const Slot& other : others) {
            if (other.start > time && other.start < end) {
                instants.push_back(other.start);
            }
        }
        return std::all_of(instants.begin(), instants.end(), [&](Time instant) {
            int taken = jobs_.at(job).processors;
            for (const Slot& other : others) {
                taken += other.start <= instant && instant < other.end ? other.processors : 0;
            }
            return taken <= machine_.processors();
        });
    }

    PlainMachine machine_;
    PlainRules rules_;
    PlainPrediction prediction_;
    BackfillingCounts& counts_;
    Time now_;
    std::map<JobIndex, JobDescription> jobs_;
    std::vector<JobIndex> waiting_;  // by submission
    std::vector<JobIndex> running_;  // in the order in which they started
    // All jobs that started before this round, the last round first. Within a round, backfilled jobs come first, in the
    // order of their starts. The others follow in reverse order.
    std::vector<JobIndex> stack_;
    std::map<JobIndex, ResourceSet> started_;
    std::set<JobIndex> rejected_;
    std::optional<JobIndex> head_;
    std::optional<std::pair<Time, Place>> reserved_;
    std::optional<PlainMachine> at_reservation_;
    std::set<JobIndex> needed_;  // with Extra::needed: the jobs whose ends give the head its processors
    std::size_t tests_left_ = 0;
    bool is_head_overtaken_ = false;
    bool in_doubt_ = false;
};

}  // namespace batfill::tests
