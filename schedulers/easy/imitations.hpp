#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

#include "schedulers/easy/ranking.hpp"

// The parameters with which `easy` decides as other programs do, where papers leave it open. By default none counts.
// - pyss: rounds=event
// - predictsim, the simulator of the study on EASY++: rounds=event under its EASY, rounds=every-event under EASY++
// - ocst, the simulator behind the paper on mixed policies: ties=last, extra=needed-latest
// - the environment of RLScheduler: head=kept, extra=none, ties=order, rounds=strict-event
// - `easy`, the example of Batsim 5: extra=needed
// docs/algorithms.md has the rules, docs/results/ the comparisons.
namespace batfill {

// Which of two jobs with equal scores goes first (the parameter `ties`).
struct TieRule {
    // The parameter `ties`.
    static Parameter parameter() {
        return Parameter::choice(
            "ties", {"first", "last", "order"}, "first",
            "which of two equal scores goes first: the earlier or the later arrival; last, order: in backfill-order the one that is first in order");
    }
    explicit TieRule(const Parameters& parameters)
        : by_arrival(parameters.choice("ties") == "last" ? Ranking::Ties::last : Ranking::Ties::first),
          backfilling_follows_order(parameters.choice("ties") != "first") {}

    Ranking::Ties by_arrival;
    bool backfilling_follows_order;  // in the backfill order, that of the primary order counts
};

// Conditions of the parameters of `easy` that count processors, wherever these lie (Parameter::only_with).
inline std::vector<std::string> placements_that_count() {
    return {"placement=lowest", "placement=best-effort-contiguous"};
}

// Which jobs count when `easy` computes the processors that a reserved job leaves over (the parameter `extra`).
enum class Extra {
    all,            // all jobs that end by its start
    needed,         // only as many of them as it needs, by estimated end, ties by start
    needed_latest,  // as needed, but ties as in ocst
    none,           // no job, so others start only if they end in time
};

// How the jobs of `easy` started: in which round, in which order, and whether they were backfilled.
class StartHistory {
 public:
    // The parameter `extra`.
    static Parameter extra() {
        return Parameter::choice(
                   "extra", {"all", "needed", "needed-latest", "none"}, "all",
                   "extra processors: from all jobs that end by the reserved start, only from those that the reserved job needs, or none")
            .used_with({"reservations=1"})
            .used_with(placements_that_count());
    }

    // Requires: nobody asks for a start unless `is_kept`.
    explicit StartHistory(bool is_kept) : is_kept_(is_kept) {}

    void begin_round() {
        ++round_;
        backfilling_ = false;
    }
    // Marks the jobs that start in the rest of the round as backfilled.
    void begin_backfilling() { backfilling_ = true; }
    // Notes that a job starts now.
    // Cost: amortised O(1).
    void add(JobIndex job) {
        if (is_kept_) {
            starts_.resize(std::max(starts_.size(), std::size_t{job} + 1));
            starts_[job] = {round_, backfilling_, ++last_number_};
        }
    }

    // The number of the start of a job, of all starts.
    // Requires: the job has started.
    // Cost: O(1).
    std::uint64_t number_of(JobIndex job) const { return starts_[job].number; }

    // Sorts running jobs by estimated end. Keeps the first that together have `needed` processors, or all if they have
    // fewer. Does nothing if all or none count.
    // Cost: O(running jobs * log(running jobs)).
    void keep_counted(std::vector<RunningJob>& running, int needed, Extra extra) const {
        if (extra == Extra::all || extra == Extra::none) {
            return;
        }
        std::ranges::sort(running, [&](const RunningJob& a, const RunningJob& b) {
            if (a.end != b.end) {
                return a.end < b.end;
            }
            return extra == Extra::needed ? number_of(a.job) < number_of(b.job)
                                          : counts_before(starts_[a.job], starts_[b.job]);
        });
        int sum = 0;
        const auto last = std::ranges::find_if(running, [&](const RunningJob& job) {
            sum += job.processors;
            return sum >= needed;
        });
        running.erase(last == running.end() ? last : std::next(last), running.end());
    }

 private:
    struct Start {
        std::uint64_t round = 0;
        bool backfilled = false;
        std::uint64_t number = 0;  // of all starts
    };

    // Whether `a` counts before `b` in this round with extra=needed-latest, if both jobs have the same estimated end.
    // Ocst keeps a list of running jobs, which begins with the jobs of its latest round. Within a round, backfilled
    // jobs stand first, in the order in which they started; the others follow in reverse order. Jobs that the present
    // round has started come after the list, in the order in which they started.
    bool counts_before(const Start& a, const Start& b) const {
        const bool a_is_new = a.round == round_;
        const bool b_is_new = b.round == round_;
        if (a_is_new != b_is_new) {
            return b_is_new;
        }
        if (a.round != b.round) {
            return a.round > b.round;
        }
        if (a.backfilled != b.backfilled) {
            return a.backfilled;
        }
        return a_is_new || a.backfilled ? a.number < b.number : a.number > b.number;
    }

    bool is_kept_;
    std::vector<Start> starts_;  // by JobIndex
    std::uint64_t last_number_ = 0;
    std::uint64_t round_ = 0;  // counts from 1
    bool backfilling_ = false;
};

// When `easy` decides (the parameter `rounds`): once for all events of an instant, or after each event.
//
// With rounds=event, submissions come first. Each has its round if the new job fits into the free processors; with
// rounds=every-event and strict-event it always has. The completions follow in the order in which the jobs started. A
// job that ended before its estimated end holds its processors until the round of its completion. A change of the
// machine has the last round.
class EventRounds {
 public:
    // The parameter `rounds`.
    static Parameter parameter() {
        return Parameter::choice(
                   "rounds", {"instant", "event", "every-event", "strict-event"}, "instant",
                   "decide once for all events of an instant, or after each; after a submission only if the new job fits, or after every one; strict: processors are free only once the end of their job is handled")
            .used_with(placements_that_count());
    }
    explicit EventRounds(const Parameters& parameters)
        : are_imitated_(parameters.choice("rounds") != "instant"),
          follow_every_submission_(are_imitated_ && parameters.choice("rounds") != "event"),
          is_strict_(parameters.choice("rounds") == "strict-event") {}

    // Whether each event has its own round.
    bool are_imitated() const { return are_imitated_; }
    // Whether a submission has a round even if the new job does not fit.
    bool follow_every_submission() const { return follow_every_submission_; }

    // Notes that jobs ended, or that the machine changed.
    // Requires: called before the submissions of the instant; `starts` is kept if are_imitated().
    // Cost: O(completions * log(completions)).
    void completed(Time now, std::span<const Completion> completions, const StartHistory& starts) {
        if (!are_imitated_) {
            return;
        }
        completions_.assign(completions.begin(), completions.end());
        std::ranges::sort(completions_, {}, [&](const Completion& one) { return starts.number_of(one.job); });
        for (const Completion& completion : completions_) {
            if (is_held(completion, now)) {
                held_.push_back({completion.expected_end, completion.job, completion.processors});
                withheld_ += completion.processors;
            }
        }
    }
    void machine_changed() { machine_has_changed_ = true; }

    // Number of processors that jobs may use now.
    int free(const SchedulerState& state) const { return state.idle.count() - withheld_; }
    // Number of idle processors that are held by ended jobs.
    int withheld() const { return withheld_; }
    // The running jobs, and the ended jobs that hold processors, by estimated end.
    // Cost: O(running jobs * held jobs).
    std::vector<RunningJob> running(const SchedulerState& state) const {
        std::vector<RunningJob> running = state.running;
        for (const RunningJob& job : held_) {
            running.insert(std::ranges::upper_bound(running, job.end, {}, &RunningJob::end), job);
        }
        return running;
    }

    // Calls `decide` once, or, if are_imitated(), after each completion and after a change of the machine.
    void for_each_round(Time now, auto decide) {
        if (!are_imitated_) {
            decide();
            return;
        }
        for (const Completion& completion : std::exchange(completions_, {})) {
            release(completion, now);
            decide();
        }
        if (std::exchange(machine_has_changed_, false)) {
            decide();
        }
    }

 private:
    // Whether an ended job holds its processors until the round of its completion.
    bool is_held(const Completion& completion, Time now) const { return is_strict_ || completion.expected_end > now; }
    void release(const Completion& completion, Time now) {
        if (is_held(completion, now)) {
            std::erase_if(held_, [&](const RunningJob& job) { return job.job == completion.job; });
            withheld_ -= completion.processors;
        }
    }

    bool are_imitated_;
    bool follow_every_submission_;
    bool is_strict_;
    // The completions of the current message, and the ended jobs that hold processors.
    std::vector<Completion> completions_;
    std::vector<RunningJob> held_;
    int withheld_ = 0;  // processors of the jobs in `held_`
    bool machine_has_changed_ = false;
};

// The first job of `easy` that could not start, with head=kept: it goes first, with the start that it was promised,
// until it leaves the queue.
class KeptHead {
 public:
    // The parameter `head`.
    static Parameter parameter() {
        return Parameter::choice(
                   "head", {"best", "kept"}, "best",
                   "the first job: in each round anew, or one that keeps its place and reservation until it starts")
            .used_with({"extra=none"});
    }
    explicit KeptHead(const Parameters& parameters) : is_kept_(parameters.choice("head") == "kept") {}

    bool is_kept() const { return is_kept_; }
    // The kept job; none if no job is kept now.
    std::optional<JobIndex> job() const { return job_; }
    // The shadow time of the kept job when it became the head.
    // Requires: a job is kept.
    Time start() const { return start_; }

    // Requires: is_kept(); no job is kept.
    void keep(JobIndex job, Time start) {
        job_ = job;
        start_ = start;
    }
    // Notes that a job started or was withdrawn.
    void left_queue(JobIndex job) {
        if (job_ == job) {
            job_.reset();
        }
    }

 private:
    bool is_kept_;
    std::optional<JobIndex> job_;
    Time start_;
};

}  // namespace batfill
