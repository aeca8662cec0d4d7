#include "schedulers/farm_heuristics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <batfill/core/error.hpp>
#include <batfill/engine/job_order.hpp>

namespace batfill::farm {

namespace {

double microseconds(Duration duration) {
    return static_cast<double>(duration.count());
}

}  // namespace

double Deadline::score(double lateness, double execution) const {
    if (lateness > 0) {
        return 0;
    }
    const double overestimate = k * execution;
    const double since_threshold = lateness + overestimate;
    return since_threshold < 0 ? min : min + (max - min) / overestimate * since_threshold;
}

void Licenses::add(std::span<const LicenseIndex> licenses, int requests) {
    for (const LicenseIndex license : licenses) {
        requests_.resize(std::max(requests_.size(), license + 1));
        requests_[license] += requests;
    }
}

void Licenses::weigh(std::span<const Machine::License> of_machine) {
    requests_.resize(of_machine.size());
    scores_.assign(of_machine.size(), 0);
    const auto is_critical = [&](LicenseIndex license) { return requests_[license] > of_machine[license].copies; };
    int non_critical = 0;
    for (LicenseIndex license = 0; license < of_machine.size(); ++license) {
        non_critical += requests_[license] > 0 && !is_critical(license) ? 1 : 0;
    }
    const double weight = std::max(non_critical, 1);
    for (LicenseIndex license = 0; license < of_machine.size(); ++license) {
        if (requests_[license] > 0) {
            const double ratio =
                static_cast<double>(requests_[license]) / static_cast<double>(of_machine[license].copies);
            scores_[license] = is_critical(license) ? weight * ratio : ratio;
        }
    }
}

double Licenses::score(std::span<const LicenseIndex> licenses) const {
    double score = 0;
    for (const LicenseIndex license : licenses) {
        score += scores_[license];
    }
    return score;
}

std::vector<Parameter> Priority::parameters() {
    return {Parameter::number("age-factor", "0.01", "score for each second since submission", 0),
            Parameter::number("k", "2", "a job is urgent within k times its walltime of the deadline"),
            Parameter::number("min", "1", "score of jobs with a distant deadline, or none"),
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

void Priority::submitted(const Job& job, JobIndex index) {
    known_.resize(std::size_t{index} + 1);
    const std::vector<LicenseIndex>& licenses = job.request.licenses;
    const std::optional<Time>& deadline = job.description().deadline;
    known_[index] = {microseconds(job.submit().since_zero()), microseconds(job.walltime),
                     deadline ? microseconds(deadline->since_zero()) : std::numeric_limits<double>::infinity(),
                     all_licenses_.size(), licenses.size()};
    all_licenses_.insert(all_licenses_.end(), licenses.begin(), licenses.end());
    licenses_.add(licenses, 1);
}

void Priority::left(JobIndex index) {
    licenses_.add(licenses_of(index), -1);
}

void Priority::prepare(const SchedulerState& state) {
    licenses_.weigh(state.machine.licenses());
    now_ = microseconds(state.now.since_zero());
    shortest_ = state.waiting.shortest_walltime().to_seconds();
}

double Priority::of(JobIndex job) const {
    const Known& known = known_[job];
    const double execution = known.execution / 1e6;
    const double scores[] = {
        aging_.score((now_ - known.submit) / 1e6),
        deadline_.score((now_ + known.execution - known.deadline) / 1e6, execution),
        licenses_.score(licenses_of(job)),
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
