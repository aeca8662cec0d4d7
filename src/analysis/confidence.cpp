#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include <boost/math/distributions/students_t.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/weekly_series.hpp"

namespace batfill {

namespace {

// The values around their mean, which is 0 then, and their moments.
struct Deviations {
    explicit Deviations(const std::vector<double>& values) : each(values) {
        const double mean = *analysis::mean(values);
        double cubes = 0;
        for (double& value : each) {
            value -= mean;
            squares += value * value;
            cubes += value * value * value;
        }
        const auto count = static_cast<double>(each.size());
        skewness = squares > 0 ? cubes / count / std::pow(squares / count, 1.5) : 0;
    }

    std::vector<double> each;  // in the order of the values
    double squares = 0;        // their sum
    double skewness = 0;
};

// The standard error of a mean, and the degrees of freedom of its t.
struct StandardError {
    double error;
    double degrees;
};

StandardError of_independent(const Deviations& values) {
    const auto count = static_cast<double>(values.each.size());
    return {std::sqrt(values.squares / (count - 1) / count), count - 1};
}

// From the long-run variance: the mean square of the first coefficients of the cosine transform.
StandardError of_series(const Deviations& values) {
    const auto count = static_cast<double>(values.each.size());
    const auto coefficients = static_cast<std::size_t>(std::max(std::lround(0.6 * std::pow(count, 2.0 / 3)), 1L));
    double squares = 0;
    for (std::size_t k = 1; k <= coefficients; ++k) {
        const double waves = std::numbers::pi * static_cast<double>(k);
        double sum = 0;
        for (std::size_t i = 0; i < values.each.size(); ++i) {
            sum += values.each[i] * std::cos(waves * (static_cast<double>(i) + 0.5) / count);
        }
        squares += 2 / count * sum * sum;
    }
    const auto degrees = static_cast<double>(coefficients);
    return {std::sqrt(squares / degrees / count), degrees};
}

// How often the t of a normal distribution is beyond its bounds. Fewer values say less of how skew they are. The t of
// weeks has few degrees of freedom and wide bounds anyway.
double miss_rate(std::size_t values, Sample sample) {
    return sample == Sample::weeks ? 0.04 : std::min(0.03, 0.0048 * (static_cast<double>(values) - 4));
}

double quantile_of_t(double degrees, double tail) {
    using NoPromotion = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    return quantile(complement(boost::math::students_t_distribution<double, NoPromotion>(degrees), tail));
}

// The t whose value without skewness is `t`: the inverse of Hall's cubic transformation. `skew` is the skewness of the
// values divided by the square root of their number.
double with_skewness(double t, double skew) {
    return std::abs(skew) < 1e-9 ? t : 3 / skew * (std::cbrt(1 + skew * (t - skew / 6)) - 1);
}

// The t of a bound, on the side of `t`. The skewness of a sample is uncertain, so a bound moves inwards by half of what
// it says. It does not for weeks, whose variance is uncertain too.
double bound(double t, double skew, Sample sample) {
    const double without_skewness = with_skewness(t, skew);
    if (std::abs(without_skewness) > std::abs(t)) {
        return without_skewness;
    }
    return sample == Sample::workloads ? (t + without_skewness) / 2 : t;
}

}  // namespace

Interval analysis::interval_around(double center, const std::vector<double>& values, Sample sample,
                                   std::size_t comparisons) {
    assert(values.size() >= 2 && comparisons > 0 && (sample == Sample::weeks || values.size() >= fewest_workloads));
    const Deviations deviations(values);
    const StandardError of = sample == Sample::workloads ? of_independent(deviations) : of_series(deviations);
    const double rate = miss_rate(values.size(), sample);
    const double t = quantile_of_t(of.degrees, rate / static_cast<double>(comparisons) / 2);
    const double skew = deviations.skewness / std::sqrt(static_cast<double>(values.size()));
    return {center - of.error * bound(t, skew, sample), center - of.error * bound(-t, skew, sample)};
}

std::optional<Interval> interval_of_mean(const std::vector<double>& values, Sample sample, std::size_t comparisons) {
    if (values.size() < fewest_of(sample)) {
        return std::nullopt;
    }
    return analysis::interval_around(*analysis::mean(values), values, sample, comparisons);
}

}  // namespace batfill
