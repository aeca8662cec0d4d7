#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "src/analysis/audit.hpp"
#include "src/support/interruption.hpp"
#include "src/support/text.hpp"

// Whether jobs waited for what they wait for (StatedNeeds::has_conditions()).
namespace batfill::analysis {

namespace {

std::span<const Dependency> conditions_of(const JobDescription& job) {
    return job.needs ? std::span(job.needs->after) : std::span<const Dependency>();
}

}  // namespace

void Audit::add_awaited(const IndexedJob& job) {
    Awaited& awaited = awaited_[job.description];
    awaited.state = states_[job.number];
    awaited.last_id = job.description->id;
    awaited.rejected_from = job.description->submit;
}

// Finds the tasks of arrays that hold one back.
void Audit::find_arrays() {
    for (const Workload& workload : workloads_) {
        for (const WorkloadJob& job : workload.jobs) {
            const Shared<StatedNeeds>& needs = job.description.needs;
            if (needs && needs->array) {
                arrays_[{&workload, *needs->array}].push_back(&job.description);
            }
        }
    }
    std::erase_if(arrays_, [](const auto& array) {
        return std::ranges::none_of(array.second,
                                    [](const JobDescription* task) { return task->needs->array_limit.has_value(); });
    });
    for (auto& [name, tasks] : arrays_) {
        std::ranges::sort(tasks, {}, [](const JobDescription* task) { return std::tie(task->submit, task->id); });
        std::ranges::for_each(tasks, [this](const JobDescription* task) { add_awaited(*jobs_.find(task->id)); });
    }
}

// Finds the jobs that others wait for. Counts the conditions on jobs that no workload has.
void Audit::find_awaited() {
    for (const Workload& workload : workloads_) {
        for (const WorkloadJob& job : workload.jobs) {
            for (const Dependency& condition : conditions_of(job.description)) {
                const std::optional<IndexedJob> other = jobs_.find(condition.full_id(job.description.id));
                if (!other || other->is_later_run) {
                    ++report_.unchecked_conditions;
                    continue;
                }
                add_awaited(*other);
            }
        }
    }
    find_arrays();
    if (awaited_.empty()) {
        return;
    }
    for (const LaterRun& run : later_runs_) {
        const auto awaited = awaited_.find(jobs_.find(*run.id)->description);
        if (awaited != awaited_.end() && !earlier_runs_.contains(*run.id)) {
            awaited->second.state = state_of(*run.id);
            awaited->second.last_id = *run.id;
            awaited->second.rejected_from = run.submit;
        }
    }
    for (const Ran& run : ran_) {
        if (const auto found = awaited_.find(run.description); found != awaited_.end()) {
            Awaited& awaited = found->second;
            awaited.first = is_first_run(run) ? &run : awaited.first;
            awaited.last = *run.id == awaited.last_id ? &run : awaited.last;
        }
    }
}

// What the schedule says of a condition of a job.
Audit::Happening Audit::happening_of(const Dependency& condition, const JobDescription& waiting) const {
    const std::optional<IndexedJob> other = jobs_.find(condition.full_id(waiting.id));
    return other ? happening_of(condition.kind, *other->description) : Happening();
}

// What it says of a job that others wait for.
Audit::Happening Audit::happening_of(Dependency::Kind kind, const JobDescription& job) const {
    using Kind = Dependency::Kind;
    const auto found = awaited_.find(&job);
    if (found == awaited_.end() || !found->second.state) {
        return {};
    }
    const Awaited& awaited = found->second;
    const JobState state = *awaited.state;
    if (kind == Kind::start && awaited.first != nullptr) {
        return {Happening::Sort::at, awaited.first->start, state};
    }
    if (state == JobState::rejected) {
        const bool holds = kind == Kind::any;
        return {holds ? Happening::Sort::at : Happening::Sort::never, awaited.rejected_from, state};
    }
    if (is_unfinished(state)) {
        const bool has_started = kind == Kind::start && state == JobState::running;
        return {has_started ? Happening::Sort::unknown : Happening::Sort::not_yet, Time(), state};
    }
    if (awaited.last == nullptr || kind == Kind::start) {
        return {};  // a run is missing, which is reported elsewhere
    }
    const bool holds = kind == Kind::any || state == JobState::completed_successfully;
    return {holds ? Happening::Sort::at : Happening::Sort::never, awaited.last->held_until(), state};
}

// Finds the earliest instants at which jobs can have been rejected because what they wait for can never happen. Each
// may depend on those of others, in circles if the workload is wrong.
void Audit::find_rejections() {
    struct Visit {
        const JobDescription* job;
        std::size_t next = 0;  // of its conditions
        Time hopeless = Time::infinity();
    };
    std::unordered_set<const JobDescription*> unvisited;  // only looked up
    for (const RejectedDependent& job : rejected_dependents_) {
        unvisited.insert(job.description);
    }
    std::vector<Visit> visits;
    for (const RejectedDependent& job : rejected_dependents_) {
        if (unvisited.erase(job.description) > 0) {
            visits.push_back({job.description});
        }
        while (!visits.empty()) {
            look_for_interruption();
            Visit& visit = visits.back();
            const std::span<const Dependency> conditions = conditions_of(*visit.job);
            if (visit.next == conditions.size()) {
                note_rejection(*visit.job, visit.hopeless);
                visits.pop_back();
                continue;
            }
            const Dependency& condition = conditions[visit.next];
            const std::optional<IndexedJob> other = jobs_.find(condition.full_id(visit.job->id));
            if (other && unvisited.erase(other->description) > 0) {
                visits.push_back({other->description});
                continue;
            }
            const Happening happening = happening_of(condition, *visit.job);
            visit.hopeless = happening.may_be_hopeless() ? std::min(visit.hopeless, happening.time) : visit.hopeless;
            ++visit.next;
        }
    }
}

void Audit::note_rejection(const JobDescription& job, Time hopeless) {
    const auto awaited = awaited_.find(&job);
    if (awaited != awaited_.end() && !hopeless.is_infinite()) {
        awaited->second.rejected_from = std::max(awaited->second.rejected_from, hopeless);
    }
}

// As files may round, an instant counts from the tolerance before it on.
void Audit::check_begins() {
    for (const Ran& run : ran_) {
        const Shared<StatedNeeds>& needs = run.description->needs;
        if (needs && needs->begin && is_first_run(run)) {
            row_ = run.row;
            expect(run.start + options_.tolerance >= *needs->begin, run.start, run, "starts at {}, before its begin {}",
                   run.start, *needs->begin);
        }
    }
}

// A task may start once fewer tasks before it run or wait than its limit: once that one of them is over that is number
// `limit` from the end. The schedule may not say when a task was rejected: it counts from the earliest instant on.
void Audit::check_array(const std::vector<const JobDescription*>& tasks) {
    // By limit: the latest so many ends of the tasks so far.
    std::map<Amount, std::priority_queue<Time, std::vector<Time>, std::greater<>>> latest_ends;
    for (const JobDescription* task : tasks) {
        if (task->needs->array_limit) {
            latest_ends[*task->needs->array_limit];
        }
    }
    for (const JobDescription* task : tasks) {
        look_for_interruption();
        const Awaited& own = awaited_.at(task);
        const std::optional<Amount> limit = task->needs->array_limit;
        const auto ends = limit ? latest_ends.find(*limit) : latest_ends.end();
        if (own.first != nullptr && limit && static_cast<Amount>(ends->second.size()) == *limit) {
            row_ = own.first->row;
            expect(own.first->start + options_.tolerance >= ends->second.top(), own.first->start, *own.first,
                   "starts at {}, while {} tasks of array {} before it are not over until {}", own.first->start, *limit,
                   shown(*task->needs->array), ends->second.top());
        }
        const Happening end = happening_of(Dependency::Kind::any, *task);
        const Time over = end.sort == Happening::Sort::not_yet ? Time::infinity() : end.time;
        for (auto& [most, queue] : latest_ends) {
            queue.push(end.sort == Happening::Sort::unknown ? Time() : over);
            if (static_cast<Amount>(queue.size()) > most) {
                queue.pop();
            }
        }
    }
}

// The tasks run in whatever order, but not too many at once.
void Audit::check_running_tasks(const std::vector<const JobDescription*>& tasks) {
    std::vector<std::pair<const JobDescription*, const Ran*>> by_start;
    for (const JobDescription* task : tasks) {
        if (const Awaited& own = awaited_.at(task); own.first != nullptr) {
            by_start.emplace_back(task, own.first);
        }
    }
    // Of those that start together, one with a smaller limit has started first.
    std::ranges::stable_sort(by_start, {}, [](const auto& one) {
        return std::pair(one.second->start, one.first->needs->array_limit.value_or(max_total_amount));
    });
    std::priority_queue<Time, std::vector<Time>, std::greater<>> ends;
    for (const auto& [task, run] : by_start) {
        look_for_interruption();
        while (!ends.empty() && ends.top() <= run->start + options_.tolerance) {
            ends.pop();
        }
        row_ = run->row;
        const std::optional<Amount> limit = task->needs->array_limit;
        expect(!limit || static_cast<Amount>(ends.size()) < *limit, run->start, *run,
               "starts at {}, while {} tasks of array {} run", run->start, ends.size(), shown(*task->needs->array));
        ends.push(run->held_until());
    }
}

void Audit::check_dependencies() {
    find_awaited();
    check_begins();
    if (awaited_.empty()) {
        return;
    }
    find_rejections();
    for (const auto& [name, tasks] : arrays_) {
        options_.decided_by_seconds ? check_running_tasks(tasks) : check_array(tasks);
    }
    for (const RejectedDependent& job : rejected_dependents_) {
        check_rejected_dependent(job);
    }
    for (const Ran& run : ran_) {
        if (is_first_run(run)) {
            row_ = run.row;
            for (const Dependency& condition : conditions_of(*run.description)) {
                check_condition(run, condition);
            }
        }
    }
}

void Audit::check_condition(const Ran& job, const Dependency& condition) {
    const Happening happening = happening_of(condition, *job.description);
    switch (happening.sort) {
        case Happening::Sort::unknown:
            return;
        case Happening::Sort::at:
            expect(job.start + start_tolerance() >= happening.time + condition.delay, job.start, job,
                   "starts at {}, but waits for {} until {}", job.start, shown(condition.to_string()),
                   happening.time + condition.delay);
            return;
        case Happening::Sort::not_yet:
        case Happening::Sort::never:
            violation(job.start, job, "runs, although it waits for {} and job {} is {}", shown(condition.to_string()),
                      shown(condition.job), to_string(happening.state));
    }
}

void Audit::check_rejected_dependent(const RejectedDependent& job) {
    row_ = job.row;
    std::vector<std::string> conditions;
    for (const Dependency& condition : conditions_of(*job.description)) {
        if (happening_of(condition, *job.description).may_be_hopeless()) {
            return;
        }
        conditions.push_back(shown(condition.to_string()));
    }
    constexpr std::size_t most_named = 3;
    if (conditions.size() > 2 * most_named) {
        const std::size_t others = conditions.size() - most_named;
        conditions.resize(most_named);
        conditions.push_back(std::to_string(others) + " more");
    }
    violation(job.description->submit, job.description->id,
              "rejected, though the machine could run it and what it waits for can happen: {}", list_of(conditions));
}

}  // namespace batfill::analysis
