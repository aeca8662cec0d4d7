#include "schedulers/farm_heuristics.hpp"

#include <algorithm>
#include <cmath>

#include <batfill/error.hpp>
#include <batfill/job_order.hpp>

namespace batfill::farm {

double Deadline::score(double lateness, double execution) const {
    if (lateness > 0) {
        return 0;
    }
    const double overestimate = k * execution;
    const double since_threshold = lateness + overestimate;
    return since_threshold < 0 ? min : min + (max - min) / overestimate * since_threshold;
}

void Licenses::count(const SchedulerState& state) {
    const auto& counters = state.machine.counters();
    requests_.assign(counters.size(), 0);
    for (const JobIndex job : state.waiting.jobs()) {
        for (const CounterIndex license : state.job(job).request.counters) {
            ++requests_[license];
        }
    }
    const auto is_critical = [&](CounterIndex license) { return requests_[license] > counters[license].copies; };
    int non_critical = 0;
    for (CounterIndex license = 0; license < counters.size(); ++license) {
        non_critical += requests_[license] > 0 && !is_critical(license) ? 1 : 0;
    }
    const double weight = std::max(non_critical, 1);
    scores_.assign(counters.size(), 0);
    for (CounterIndex license = 0; license < counters.size(); ++license) {
        if (requests_[license] > 0) {
            const double ratio =
                static_cast<double>(requests_[license]) / static_cast<double>(counters[license].copies);
            scores_[license] = is_critical(license) ? weight * ratio : ratio;
        }
    }
}

double Licenses::score(std::span<const CounterIndex> licenses) const {
    double score = 0;
    for (const CounterIndex license : licenses) {
        score += scores_[license];
    }
    return score;
}

std::vector<Parameter> Priority::parameters() {
    return {Parameter::number("age-factor", "0.01", "score for each second since submission", 0),
            Parameter::number("k", "2", "a job is urgent within k times its walltime of the deadline"),
            Parameter::number("min", "1", "score of jobs whose deadline is far, or that have none"),
            Parameter::number("max", "10", "score of jobs that will just meet their deadline"),
            Parameter::number("boost", "1", "score of the waiting job with the smallest walltime", 0)};
}

Priority::Priority(const Parameters& parameters)
    : aging_{parameters.number("age-factor")},
      deadline_{parameters.number("k"), parameters.number("min"), parameters.number("max")},
      wait_minimization_{parameters.number("boost")} {
    if (deadline_.k <= 1) {
        throw UsageError("parameter k must be more than 1");
    }
    if (deadline_.max < deadline_.min) {
        throw UsageError("parameter max must not be less than parameter min");
    }
}

void Priority::prepare(const SchedulerState& state) {
    licenses_.count(state);
    Duration shortest = Duration::infinity();
    for (std::size_t i = 0; i < state.waiting.size(); ++i) {
        shortest = std::min(shortest, state.waiting.walltime(i));
    }
    shortest_ = shortest.to_seconds();
}

double Priority::of(const SchedulerState& state, JobIndex index) const {
    const Job& job = state.job(index);
    const double execution = job.walltime.to_seconds();
    const double scores[] = {
        aging_.score((state.now - job.submit()).to_seconds()),
        job.description.deadline
            ? deadline_.score((state.now + job.walltime - *job.description.deadline).to_seconds(), execution)
            : deadline_.score_without_deadline(),
        licenses_.score(job.request.counters),
        wait_minimization_.score(execution, shortest_),
    };
    double sum = 0;
    double magnitude = 0;
    for (const double score : scores) {
        sum += score;
        magnitude += std::abs(score);
    }
    return rounded_score(sum, magnitude);
}

}  // namespace batfill::farm
