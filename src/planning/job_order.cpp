#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

#include <batfill/core/error.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/planning/job_order.hpp>

#include "src/planning/exact_weights.hpp"

namespace batfill {

namespace {

constexpr double smallest_scale = 1e-100;
constexpr double largest_scale = 1e100;

// More than the sum of the terms whose weights are too small for doubles, and much less than any other term.
constexpr double lost_by_underflow = 1e-130;

double microseconds(Duration duration) {
    return static_cast<double>(duration.count());
}

// The conditions that one of these orders is `policy`.
std::vector<std::string> one_is(const std::string& policy, const std::vector<std::string>& orders) {
    std::vector<std::string> conditions = orders;
    for (std::string& condition : conditions) {
        condition.append("=").append(policy);
    }
    return conditions;
}

double sum_of_magnitudes(const MixedWeights& weights) {
    double sum = 0;
    for (const double weight : weights) {
        sum += std::abs(weight);
    }
    return sum;
}

}  // namespace

const std::array<JobOrder::Policy, 22> JobOrder::policies{{
    {"fcfs", Feature::wait, 1},       {"lcfs", Feature::wait, -1},
    {"spf", Feature::walltime, -1},   {"lpf", Feature::walltime, 1},
    {"sqf", Feature::processors, -1}, {"lqf", Feature::processors, 1},
    {"saf", Feature::area, -1},       {"laf", Feature::area, 1},
    {"lexp", Feature::expansion, 1},  {"sexp", Feature::expansion, -1},
    {"lrf", Feature::ratio, 1},       {"srf", Feature::ratio, -1},
    {"mixed", Feature::mixed, 1},     {"wfp3", Feature::wfp3, 1},
    {"unicef", Feature::unicef, 1},   {"f1", Feature::f1, -1},
    {"f2", Feature::f2, -1},          {"f3", Feature::f3, -1},
    {"f4", Feature::f4, -1},          {"predicted", Feature::predicted, -1},
    {"field", Feature::field, -1},    {"multifactor", Feature::multifactor, 1},
}};

Parameter JobOrder::order(const std::string& name, const std::string& default_value, const std::string& description,
                          const std::vector<std::string>& also) {
    std::vector<std::string> names;
    for (const Policy& policy : policies) {
        if (policy.feature < Feature::predicted || std::count(also.begin(), also.end(), policy.name) != 0) {
            names.emplace_back(policy.name);
        }
    }
    return Parameter::choice(name, names, default_value, description);
}

Parameter JobOrder::weights(const std::vector<std::string>& orders) {
    return Parameter::numbers(
               "weights", 6, "",
               "of order mixed: of processors, walltime, wait, walltime/processors, (wait+walltime)/walltime, walltime*processors")
        .used_with(one_is("mixed", orders));
}

Parameter JobOrder::scales(const std::vector<std::string>& orders) {
    return Parameter::numbers(
               "scales", 6, "",
               "of order mixed: divisors of the same features; a negative one turns the sign; all 1 if not given")
        .used_with(one_is("mixed", orders));
}

Parameter JobOrder::field(const std::vector<std::string>& orders) {
    return Parameter::text("order-field", "priority",
                           "of order field: name of the job's number; the smallest goes first")
        .used_with(one_is("field", orders));
}

JobOrder::JobOrder(const std::string& policy) : policy_(*std::ranges::find(policies, policy, &Policy::name)) {
    if (policy_.feature < Feature::mixed) {
        MixedWeights weights{};
        weights[static_cast<std::size_t>(policy_.feature)] = policy_.sign;
        weigh(weights);
    }
}

void JobOrder::weigh(const MixedWeights& weights) {
    const double sum = sum_of_magnitudes(weights);
    std::transform(weights.begin(), weights.end(), scales_.begin(), weights_.begin(),
                   [=](double weight, double scale) { return weight / sum / scale; });
    exact_ = std::make_shared<const ExactWeights>(weights, scales_);
}

JobOrder JobOrder::with_weights(const MixedWeights& weights) const {
    assert(is_mixed());
    JobOrder order = *this;
    order.weigh(weights);
    return order;
}

JobOrder::JobOrder(const Parameters& parameters, const std::string& name) : JobOrder(parameters.choice(name)) {
    refuse_if(policy_.feature == Feature::predicted && !RunTimePredictor::is_asked_for(parameters), "parameter ", name,
              "=predicted is used only with a prediction, such as prediction=last-two");
    if (policy_.feature == Feature::field) {
        field_ = parameters.text("order-field");
    }
    if (!is_mixed()) {
        return;
    }
    const std::vector<double> given = parameters.numbers("weights");
    MixedWeights weights{};
    std::copy(given.begin(), given.end(), weights.begin());
    const double sum = sum_of_magnitudes(weights);
    refuse_if(sum <= 0 || std::isinf(sum), "parameter ", name,
              "=mixed: expected weights, of which at least one is not 0");
    const std::vector<double> scales = parameters.numbers("scales");
    if (!std::all_of(scales.begin(), scales.end(), [](double scale) {
            return std::abs(scale) >= smallest_scale && std::abs(scale) <= largest_scale;
        })) {
        throw UsageError(
            "parameter scales: expected numbers that are not 0, with absolute values from 1e-100 to 1e100");
    }
    std::copy(scales.begin(), scales.end(), scales_.begin());
    weigh(weights);
}

bool JobOrder::depends_on_clock() const {
    constexpr std::array changing{Feature::expansion, Feature::mixed, Feature::wfp3, Feature::unicef,
                                  Feature::multifactor};
    return std::ranges::find(changing, policy_.feature) != changing.end();
}

JobScore JobOrder::score(const SchedulerState& state, JobIndex index) const {
    if (policy_.feature == Feature::predicted) {
        return JobScore::exactly(policy_.sign * microseconds(state.estimate(index)));
    }
    return score(state.job(index));
}

JobScore JobOrder::score(const Job& job) const {
    const double processors = job.processors();
    const double walltime = microseconds(job.walltime) / 1e6;
    JobScore score;
    // The functions f1 to f4 were learned: a measure of the job's size, and a factor of its submission time.
    const auto learned = [&](double size, double factor) {
        const double submit = std::log10(std::max(microseconds(job.submit().since_zero()) / 1e6, 1.0));
        score.base_.add(policy_.sign * size);
        score.base_.add(policy_.sign * (factor * submit));
    };
    score.submit_ = job.submit();
    score.walltime_ = job.walltime;
    score.processors_ = job.processors();
    score.exact_ = exact_.get();
    switch (policy_.feature) {
        case Feature::wait:  // the order of two jobs by wait never changes
            return JobScore::exactly(policy_.sign * -microseconds(job.submit().since_zero()));
        case Feature::walltime:
            return JobScore::exactly(policy_.sign * microseconds(job.walltime));
        case Feature::field: {
            const std::optional<double> number = number_field(job.description(), field_);
            return JobScore::exactly(policy_.sign * number.value_or(std::numeric_limits<double>::infinity()));
        }
        case Feature::predicted:
        case Feature::multifactor:
            return {};
        case Feature::processors:
            return JobScore::exactly(policy_.sign * processors);
        case Feature::ratio:
        case Feature::expansion:
        case Feature::area:
        case Feature::mixed:
            add_features(score);
            break;
        case Feature::wfp3:
            // The cube root of the score gives the same order and grows linearly with the wait.
            score.slope_.add(std::cbrt(processors) / walltime);
            break;
        case Feature::unicef:
            if (job.processors() == 1) {
                return JobScore::exactly(std::numeric_limits<double>::infinity());
            }
            score.slope_.add(1 / (std::log2(processors) * walltime));
            break;
        case Feature::f1:
            learned(std::log10(walltime) * processors, 870);
            break;
        case Feature::f2:
            learned(std::sqrt(walltime) * processors, 25600);
            break;
        case Feature::f3:
            learned(walltime * processors, 6.86e6);
            break;
        case Feature::f4:
            learned(walltime * std::sqrt(processors), 5.3e5);
            break;
    }
    return score;
}

void JobOrder::add_features(JobScore& score) const {
    const double processors = score.processors_;
    const double walltime = microseconds(score.walltime_) / 1e6;
    const auto [of_processors, of_walltime, of_wait, of_ratio, of_expansion, of_area] = weights_;
    score.base_.magnitude = lost_by_underflow;
    score.base_.add(of_processors * processors);
    score.base_.add(of_walltime * walltime);
    score.base_.add(of_ratio * (walltime / processors));
    score.base_.add(of_expansion);
    score.base_.add(of_area * (walltime * processors));
    score.slope_.add(of_wait);
    score.slope_.add(of_expansion / walltime);
}

JobScore JobScore::exactly(double value) {
    JobScore score;
    score.base_.value = value;
    return score;
}

void JobScore::Sum::add(double term) {
    value += term;
    magnitude += std::abs(term);
}

JobScore::Sum JobScore::sum_at(Time now) const {
    const double wait = microseconds(now - submit_) / 1e6;
    return {base_.value + slope_.value * wait, base_.magnitude + slope_.magnitude * wait};
}

// Rounding changes a score by less than 0.69 * 2^-40 of its magnitude (see rounded_score). A sum of doubles has the
// errors of a dozen operations.
double JobScore::error() const {
    return exact_ == nullptr ? 0x1p-40 : 0x1p-48;
}

JobScore::Approximation JobScore::at(Time now) const {
    const Sum sum = sum_at(now);
    if (exact_ == nullptr) {
        return {rounded_score(sum.value, sum.magnitude), 0};
    }
    return {sum.value, sum.magnitude * error()};
}

int JobScore::compare(const JobScore& a, const JobScore& b, Time now) {
    const Approximation of_a = a.at(now);
    const Approximation of_b = b.at(now);
    const int compared = Approximation::compare(of_a, of_b);
    return compared != 0 || of_a.error + of_b.error == 0 ? compared : compare_exactly(a, b, now);
}

bool JobScore::are_alike(const JobScore& a, const JobScore& b) {
    return a.processors_ == b.processors_ && a.walltime_ == b.walltime_ && a.submit_ == b.submit_;
}

int JobScore::compare_exactly(const JobScore& a, const JobScore& b, Time now) {
    if (a.exact_ == nullptr || are_alike(a, b)) {
        return 0;
    }
    assert(a.exact_ == b.exact_);
    return a.exact_->compare({a.processors_, a.walltime_, now - a.submit_},
                             {b.processors_, b.walltime_, now - b.submit_});
}

Time JobScore::same_order_until(const JobScore& a, const JobScore& b, Time now) {
    if (are_alike(a, b) || (a.slope_ == Sum() && b.slope_ == Sum())) {
        return Time::infinity();
    }
    const Sum score_of_a = a.sum_at(now);
    const Sum score_of_b = b.sum_at(now);
    const double difference = score_of_a.value - score_of_b.value;
    const double moved = a.error();
    const double distance = std::abs(difference) - moved * (score_of_a.magnitude + score_of_b.magnitude);
    if (!(distance > 0)) {
        // Scores are linear in time: if two are equal at two instants, they are always equal.
        const Time later = now + Duration::days(1);
        const bool stays_equal =
            a.exact_ != nullptr && compare_exactly(a, b, now) == 0 && compare_exactly(a, b, later) == 0;
        return stays_equal ? Time::infinity() : now + Duration::microseconds(1);
    }
    const double slope = difference > 0 ? a.slope_.value - b.slope_.value : b.slope_.value - a.slope_.value;
    const double approach = moved * (a.slope_.magnitude + b.slope_.magnitude) - slope;  // per second
    constexpr double longest = 1e18;                                                    // seconds; as in Duration
    const double seconds = approach > 0 ? distance / approach * (1 - 1e-9) : longest;
    if (!(seconds < longest)) {
        return Time::infinity();
    }
    return now + Duration::microseconds(std::max<Microseconds>(static_cast<Microseconds>(seconds * 1e6), 1));
}

void OrderedJobs::insert(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    const JobScore score = order_.score(job);
    const Entry entry{score.at(state.now), job.submit(), index, score};
    if (order_.depends_on_clock() && sorted_at_ != state.now) {
        // The scores in the entries are of another instant. The job's position is unknown until they are sorted again.
        sorted_at_.reset();
        entries_.push_back(entry);
        jobs_.push_back(index);
        return;
    }
    const auto position = std::upper_bound(entries_.begin(), entries_.end(), entry,
                                           [&](const Entry& a, const Entry& b) { return goes_before(a, b, state); });
    jobs_.insert(jobs_.begin() + (position - entries_.begin()), index);
    entries_.insert(position, entry);
}

bool OrderedJobs::goes_before(const Entry& a, const Entry& b, const SchedulerState& state) {
    int compared = JobScore::Approximation::compare(a.score, b.score);
    if (compared == 0) {
        compared = JobScore::compare(a.score_of_job, b.score_of_job, state.now);
    }
    if (compared != 0) {
        return compared > 0;
    }
    if (const JobTable* const by_id = state.jobs.ordered_by_id()) {
        return by_id->has_first_id(a.job, b.job);
    }
    return a.submit != b.submit ? a.submit < b.submit : a.job < b.job;
}

void OrderedJobs::remove(JobIndex index) {
    const auto position = std::find(jobs_.begin(), jobs_.end(), index);
    assert(position != jobs_.end());
    entries_.erase(entries_.begin() + (position - jobs_.begin()));
    jobs_.erase(position);
}

const std::vector<JobIndex>& OrderedJobs::now(const SchedulerState& state) {
    if (order_.depends_on_clock() && sorted_at_ != state.now) {
        for (Entry& entry : entries_) {
            entry.score = entry.score_of_job.at(state.now);
        }
        std::ranges::sort(entries_, [&](const Entry& a, const Entry& b) { return goes_before(a, b, state); });
        std::ranges::transform(entries_, jobs_.begin(), &Entry::job);
        sorted_at_ = state.now;
    }
    return jobs_;
}

}  // namespace batfill
