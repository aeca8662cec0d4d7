#include <string>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/planned_timeline.hpp>

namespace batfill {

namespace {

class FirstComeFirstServed : public Algorithm {
 public:
    explicit FirstComeFirstServed(const Parameters& parameters) : plan_pools_(parameters.text("plan-pools")) {}

    // A start needs what it takes of all pools, whether they are planned or not.
    void begin(Round& round) override {
        if (const Resources& resources = round.state().machine.resources(); !resources.empty()) {
            PlannedTimeline::planned(resources, plan_pools_);
        }
    }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        while (!state.waiting.empty() && round.start_if_possible(state.waiting.job(0))) {
        }
        if (round.explains() && !state.waiting.empty()) {
            explain(round, state.waiting.job(0));
        }
    }

 private:
    static void explain(Round& round, JobIndex first) {
        for (const JobIndex job : round.explained()) {
            round.because(job,
                          job == first ? "head: all others wait for it" : "behind the head, job " + round.name(first));
        }
    }

    std::string plan_pools_;
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
