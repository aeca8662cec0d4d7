#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/planning/queues.hpp>

namespace batfill {

namespace {

// Jobs start in the order of submission. The first that cannot start blocks all others of its queue.
class FirstComeFirstServed : public Algorithm {
 public:
    explicit FirstComeFirstServed(const Parameters& parameters) : queues_(parameters) {}
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<FirstComeFirstServed>(*this); }
    bool understands_resources() const override { return true; }
    // Without windows, what is free now is free for ever.
    bool looks_ahead(const SchedulerState& state) const override { return !state.machine.windows().empty(); }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        if (queues_.are_several(state.machine)) {
            for (const std::vector<JobIndex>& queue : queues_.of(state)) {
                const auto first =
                    std::ranges::find_if_not(queue, [&](JobIndex job) { return round.start_if_possible(job); });
                if (first != queue.end()) {
                    blocked(round, *first, queue);
                }
            }
            return;
        }
        while (!state.waiting.empty() && round.start_if_possible(state.waiting.job(0))) {
        }
        if (!state.waiting.empty()) {
            blocked(round, state.waiting.job(0), state.waiting.jobs());
        }
    }

 private:
    void blocked(Round& round, JobIndex first, std::span<const JobIndex> queue) {
        long_waits_.note(round.state(), first);
        round.explain([&](JobIndex job) {
            return std::ranges::find(queue, job) == queue.end() ? Reason()
                   : job == first                               ? Reason{.rule = Reason::Rule::first}
                                  : Reason{.rule = Reason::Rule::behind_first, .job = round.name(first)};
        });
    }

    Queues queues_;
    LongWaits long_waits_;
};

const Registration registration({
    "fcfs",
    "first come, first served: the first job that does not fit blocks all others",
    "folklore; the baseline of Lifka, The ANL/IBM SP scheduling system, JSSPP 1995",
    {Availability::plan_pools(), Queues::parameter()},
    [](const Parameters& parameters) { return std::make_unique<FirstComeFirstServed>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine, Placement::snug,
     Placement::fullest},
});

}  // namespace

}  // namespace batfill
