#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include <spdlog/spdlog.h>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/booking_queues.hpp>
#include <batfill/planning/planned_timeline.hpp>

namespace batfill {

namespace {

class FirstComeFirstServed : public Algorithm {
 public:
    explicit FirstComeFirstServed(const Parameters& parameters) : timeline_(parameters) {}
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<FirstComeFirstServed>(*this); }
    bool understands_resources() const override { return true; }

    // A start needs what it takes of all pools, whether they are planned or not. Without windows, what is free now is
    // free for ever.
    void begin(Round& round) override {
        timeline_.begin(round);
        if (round.state().machine.windows().empty()) {
            timeline_.switch_off();
        }
    }
    void begin_round(const SchedulerState& state) override { timeline_.begin_round(state); }
    void started(const SchedulerState& state, JobIndex job) override { timeline_.started(state, job); }
    void completed(Round& round, std::span<const Completion> completions) override {
        timeline_.completed(round.state(), completions);
    }
    void machine_changed(Round& round, std::span<const Completion>) override {
        timeline_.machine_changed(round.state());
    }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        if (state.machine.has_bookings()) {
            for (const std::vector<JobIndex>& queue : booking_queues(state)) {
                const auto first = std::ranges::find_if_not(
                    queue, [&](JobIndex job) { return timeline_.start_if_it_fits(round, job); });
                if (first != queue.end()) {
                    note_long_wait(state, *first);
                    explain(round, *first, queue);
                }
            }
            return;
        }
        while (!state.waiting.empty() && timeline_.start_if_it_fits(round, state.waiting.job(0))) {
        }
        if (!state.waiting.empty() && timeline_.is_on()) {
            note_long_wait(state, state.waiting.job(0));
        }
        if (!state.waiting.empty()) {
            explain(round, state.waiting.job(0), state.waiting.jobs());
        }
    }

 private:
    // Logs, once for each job, that it waits past two windows: it may be longer than every gap between them.
    void note_long_wait(const SchedulerState& state, JobIndex index) {
        const Job& job = state.job(index);
        if (!noted_.insert(index).second) {
            return;
        }
        const Time start = timeline_->earliest(job.request, state.estimate(index), state.now);
        const auto passed = std::ranges::count_if(state.machine.windows(), [&](const Window& window) {
            return window.announced <= state.now && window.until > state.now && window.until <= start;
        });
        if (passed >= 2 && !start.is_infinite()) {
            spdlog::warn(
                "job {} waits past {} windows until {}, and all others behind it: its walltime may be longer "
                "than every gap between them",
                job.description().id, passed, instant_text(start));
        }
    }

    static void explain(Round& round, JobIndex first, std::span<const JobIndex> queue) {
        round.explain([&](JobIndex job) {
            return std::ranges::find(queue, job) == queue.end() ? Reason()
                   : job == first                               ? Reason{.rule = Reason::Rule::first}
                                  : Reason{.rule = Reason::Rule::behind_first, .job = round.name(first)};
        });
    }

    PlannedTimeline timeline_;
    std::set<JobIndex> noted_;  // jobs that were the first, and could not start
};

const Registration registration({
    "fcfs",
    "first come, first served: the first job that does not fit blocks all others",
    "folklore; the baseline of Lifka, The ANL/IBM SP scheduling system, JSSPP 1995",
    {PlannedTimeline::plan_pools()},
    [](const Parameters& parameters) { return std::make_unique<FirstComeFirstServed>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine, Placement::snug,
     Placement::fullest},
});

}  // namespace

}  // namespace batfill
