#include <algorithm>
#include <cmath>
#include <functional>

#include <batfill/error.hpp>
#include <batfill/job_order.hpp>

namespace batfill {

namespace {

// Keeps 40 bits of the mantissa.
double rounded(double score) {
    int exponent = 0;
    const double mantissa = std::frexp(score, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, 40)), exponent - 40);
}

double microseconds(Duration duration) {
    return static_cast<double>(duration.count());
}

}  // namespace

const std::array<JobOrder::Policy, 13> JobOrder::policies{{
    {"fcfs", Feature::wait, 1},
    {"lcfs", Feature::wait, -1},
    {"spf", Feature::walltime, -1},
    {"lpf", Feature::walltime, 1},
    {"sqf", Feature::processors, -1},
    {"lqf", Feature::processors, 1},
    {"saf", Feature::area, -1},
    {"laf", Feature::area, 1},
    {"lexp", Feature::expansion, 1},
    {"sexp", Feature::expansion, -1},
    {"lrf", Feature::ratio, 1},
    {"srf", Feature::ratio, -1},
    {"mixed", Feature::mixed, 1},
}};

Parameter JobOrder::order(const std::string& name, const std::string& default_value, const std::string& description) {
    std::vector<std::string> names;
    std::transform(policies.begin(), policies.end(), std::back_inserter(names),
                   [](const Policy& policy) { return policy.name; });
    return Parameter::choice(name, names, default_value, description);
}

Parameter JobOrder::weights() {
    return Parameter::numbers("weights", 6, "",
                              "of order mixed: of processors, walltime, wait, walltime/processors, "
                              "(wait+walltime)/walltime, walltime*processors");
}

JobOrder::JobOrder(const Parameters& parameters, const std::string& name)
    : policy_(*std::find_if(policies.begin(), policies.end(),
                            [&](const Policy& policy) { return policy.name == parameters.choice(name); })) {
    if (policy_.feature != Feature::mixed) {
        return;
    }
    const std::vector<double> weights = parameters.numbers("weights");
    double sum = 0;
    for (const double weight : weights) {
        sum += std::abs(weight);
    }
    if (sum <= 0 || std::isinf(sum)) {
        throw UsageError("parameter " + name + "=mixed: expected weights, of which at least one is not 0");
    }
    std::transform(weights.begin(), weights.end(), weights_.begin(), [=](double weight) { return weight / sum; });
}

void JobOrder::refuse_unused_weights(const Parameters& parameters, const std::vector<std::string>& names) {
    const bool used = std::any_of(names.begin(), names.end(),
                                  [&](const std::string& name) { return parameters.choice(name) == "mixed"; });
    if (!used && !parameters.numbers("weights").empty()) {
        throw UsageError("parameter weights is used only with " + names.front() + "=mixed");
    }
}

bool JobOrder::depends_on_clock() const {
    return policy_.feature == Feature::expansion || policy_.feature == Feature::mixed;
}

double JobOrder::score(const Job& job, Time now) const {
    const double processors = job.processors();
    const double walltime = microseconds(job.walltime) / 1e6;
    const double wait = microseconds(now - job.submit()) / 1e6;
    switch (policy_.feature) {
        case Feature::wait:  // who has waited longer does not change
            return policy_.sign * -microseconds(job.submit().since_zero());
        case Feature::walltime:
            return policy_.sign * microseconds(job.walltime);
        case Feature::processors:
            return policy_.sign * processors;
        case Feature::area:
            return policy_.sign * rounded(walltime * processors);
        case Feature::expansion:
            return policy_.sign * rounded((wait + walltime) / walltime);
        case Feature::ratio:
            return policy_.sign * rounded(walltime / processors);
        case Feature::mixed:
            break;
    }
    const std::array<double, 6> features{
        processors, walltime, wait, walltime / processors, (wait + walltime) / walltime, walltime * processors};
    double sum = 0;
    for (std::size_t i = 0; i < features.size(); ++i) {
        sum += weights_[i] * features[i];
    }
    return rounded(sum);
}

void OrderedJobs::insert(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    const Entry entry{order_.score(job, state.now), job.submit(), index};
    entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), entry), entry);
}

const std::vector<JobIndex>& OrderedJobs::now(const SchedulerState& state) {
    std::erase_if(entries_, [&](const Entry& entry) { return state.job(entry.job).state != Job::State::waiting; });
    if (order_.depends_on_clock()) {
        for (Entry& entry : entries_) {
            entry.score = order_.score(state.job(entry.job), state.now);
        }
        std::sort(entries_.begin(), entries_.end());
    }
    jobs_.clear();
    std::transform(entries_.begin(), entries_.end(), std::back_inserter(jobs_),
                   [](const Entry& entry) { return entry.job; });
    return jobs_;
}

}  // namespace batfill
