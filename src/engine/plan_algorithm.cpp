#include <algorithm>

#include <batfill/plan_algorithm.hpp>

namespace batfill {

Parameter PlanAlgorithm::count_events() {
    return Parameter::choice("count-events", {"no", "yes"}, "no",
                             "count the events of the profile that plain compressions would examine; slower");
}

void PlanAlgorithm::begin(Round& round) {
    round.plan().reset(round.now(), round.state().processors);
    if (counts_events_) {
        round.plan().count_events();
    }
}

Time PlanAlgorithm::place(Round& round, JobIndex index, Time from) {
    const Job& job = round.state().job(index);
    return round.plan().place({index, job.processors(), job.walltime, job.submit()}, from);
}

std::size_t PlanAlgorithm::move_all_earlier(Round& round) {
    Plan& plan = round.plan();
    std::size_t moved = 0;
    // A job that moves goes to a place before its own, so the jobs after it keep theirs.
    for (std::size_t i = 0; i < plan.by_start().size(); ++i) {
        moved += plan.move_earlier(plan.by_start()[i], round.now()) ? 1U : 0U;
    }
    return moved;
}

bool PlanAlgorithm::start_if_idle(Round& round, JobIndex job) {
    if (round.state().job(job).processors() > round.state().idle_count) {
        return false;
    }
    round.plan().start(job);
    round.start(job);
    return true;
}

void PlanAlgorithm::replan(Round& round, NotBefore not_before) {
    const SchedulerState& state = round.state();
    Plan& plan = round.plan();
    const std::vector<JobIndex> order = plan.by_start();
    std::vector<Time> starts;
    for (const JobIndex job : order) {
        const Time planned = plan.planned_start(job);
        starts.push_back(not_before == NotBefore::planned_start && !planned.is_infinite() ? planned : round.now());
    }
    int processors = state.idle_count;
    for (const RunningJob& running : state.running) {
        processors += running.processors;
    }
    plan.reset(round.now(), processors);
    for (const RunningJob& running : state.running) {
        plan.hold(round.now(), running.end, running.processors);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        place(round, order[i], starts[i]);
        plan.look_again_at(order[i]);
    }
}

void PlanAlgorithm::machine_changed(Round& round, std::span<const Completion>) {
    replan(round, NotBefore::now);
}

bool PlanAlgorithm::give_back(Round& round, std::span<const Completion> completions) {
    bool early = false;
    for (const Completion& completion : completions) {
        if (completion.expected_end > round.now()) {
            early = true;
            round.plan().give_back(round.now(), completion.expected_end, completion.processors);
        }
    }
    return early;
}

void PlanAlgorithm::completed(Round& round, std::span<const Completion> completions) {
    if (give_back(round, completions)) {
        compress(round);
    }
}

void PlanAlgorithm::submitted(Round& round, JobIndex job) {
    place(round, job, round.now());
}

void PlanAlgorithm::decide(Round& round) {
    const SchedulerState& state = round.state();
    Plan& plan = round.plan();
    bool late;
    do {
        late = false;
        std::vector<JobIndex> due;
        for (const JobIndex job : plan.by_start()) {
            if (plan.planned_start(job) > round.now()) {
                break;
            }
            due.push_back(job);
        }
        for (const JobIndex job : due) {
            const bool behind = plan.planned_start(job) < round.now();
            late |= start_if_idle(round, job) && behind;
        }
        if (late) {
            replan(round, NotBefore::planned_start);
        }
    } while (late);

    const auto next = std::find_if(plan.by_start().begin(), plan.by_start().end(),
                                   [&](JobIndex job) { return plan.planned_start(job) > round.now(); });
    if (next != plan.by_start().end() && !plan.planned_start(*next).is_infinite()) {
        const Time start = plan.planned_start(*next);
        const bool certain = std::binary_search(state.running.begin(), state.running.end(), RunningJob{start, 0, 0},
                                                [](const RunningJob& a, const RunningJob& b) { return a.end < b.end; });
        if (!certain) {
            round.call_at(start);
        }
    }
}

}  // namespace batfill
