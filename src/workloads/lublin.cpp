#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include <boost/math/special_functions/gamma.hpp>

#include <batfill/workloads/models.hpp>

#include "src/support/interruption.hpp"
#include "src/support/text.hpp"
#include "src/workloads/draws.hpp"
#include "src/workloads/modal_estimates.hpp"

namespace batfill {

namespace {

struct Gamma {
    double shape;
    double scale;
};

// Parameters of one stream of jobs. Names and values are those of the paper (sections 3 to 5) and of the authors'
// program lublin99.c in the Parallel Workloads Archive.
struct Stream {
    const char* queue;
    double serial_probability;
    double power_of_two_probability;
    // log2 of the size of a parallel job: uniform in [low, medium] with probability `uniform_probability`, else uniform
    // in [medium, high]; high = log2(processors) - high_below, medium = high - 2.5.
    double low;
    double high_below;
    double uniform_probability;
    // ln of the run time: `first` with probability slope * size + intercept, else `second`.
    Gamma first;
    Gamma second;
    double slope;
    double intercept;
    // ln of the inter-arrival time in the rush hours, and the ratio that extends its shape to all hours.
    Gamma rush_interval;
    double rush_to_all_ratio;
    // Distribution of a day's arrivals over its half hours, counted from midnight.
    Gamma half_hour;
};

constexpr Stream batch_stream = {
    "batch",          0.2927, 0.6686,          1.2, 0, 0.875, {6.57, 0.823}, {639.1, 0.0156}, -0.003, 0.6986,
    {6.0415, 0.8531}, 1.0519, {6.1271, 5.2740}};
constexpr Stream interactive_stream = {
    "interactive",    0.1541, 0.625,           1, 1.5, 0.705, {3.8351, 0.6605}, {7.073, 0.6856}, -0.0118, 0.9156,
    {6.5510, 0.6621}, 0.9797, {8.9186, 3.6680}};
constexpr Stream undivided_stream = {
    "",     0.244,           0.576, 0.8, 0, 0.86, {4.2, 0.94}, {312, 0.03}, -0.0054, 0.78, {10.2303, 0.4871},
    1.0225, {8.1737, 3.9631}};

// Samples above these are drawn again, as in the authors' program: e^12 s is less than two days, e^13 s is five.
constexpr double max_ln_run_time = 12;
constexpr double max_ln_interval = 13;

constexpr int half_hours = 48;
constexpr double half_hour_seconds = 1800;
constexpr double day_seconds = half_hours * half_hour_seconds;

// The daily cycle of submissions: their rate in each half hour, relative to the mean. Converts between time at the mean
// rate and time on the clock.
class DailyCycle {
 public:
    explicit DailyCycle(Gamma half_hour) {
        // The model's day starts at half hour 11 and ends at half hour 58, which is 10 of the next day.
        constexpr int first = 11;
        double sum = 0;
        for (int i = first; i < first + half_hours; ++i) {
            const auto below = [&](double x) { return boost::math::gamma_p(half_hour.shape, x / half_hour.scale); };
            const double weight = below(i + 0.5) - below(i - 0.5);
            weights_[static_cast<std::size_t>((i - 1) % half_hours)] = weight;
            sum += weight;
        }
        for (double& weight : weights_) {
            weight *= half_hours / sum;
        }
    }

    // The time at the mean rate that corresponds to `clock`, both counted from midnight of day 0.
    double mean_rate_time(double clock) const {
        const double days = std::floor(clock / day_seconds);
        double left = clock - days * day_seconds;
        double passed = days * day_seconds;
        for (const double weight : weights_) {
            const double part = std::min(left, half_hour_seconds);
            passed += part * weight;
            left -= part;
        }
        return passed;
    }

    // The inverse of mean_rate_time().
    double clock(double mean_rate_time) const {
        const double days = std::floor(mean_rate_time / day_seconds);
        double left = mean_rate_time - days * day_seconds;
        double passed = days * day_seconds;
        for (const double weight : weights_) {
            const double all = half_hour_seconds * weight;
            if (left <= all) {
                return passed + left / weight;
            }
            left -= all;
            passed += half_hour_seconds;
        }
        return passed;
    }

 private:
    std::array<double, half_hours> weights_{};
};

struct DrawnJob {
    std::size_t stream = 0;
    double arrival = 0;  // time at the mean rate
    int size = 0;
    long long run_time = 0;
    long long walltime = 0;
};

// One stream of the model: draws its jobs in the order of their arrival.
class JobSource {
 public:
    JobSource(const Stream& stream, std::size_t index, const LublinModel& model)
        : stream_(stream),
          index_(index),
          processors_(model.processors),
          draws_(model.seed, static_cast<std::uint32_t>(index)),
          cycle_(stream.half_hour) {
        next_ = draw();
    }

    const DailyCycle& cycle() const { return cycle_; }
    const char* queue() const { return stream_.queue; }
    double next_clock() const { return cycle_.clock(next_.arrival); }

    DrawnJob take() { return std::exchange(next_, draw()); }

 private:
    DrawnJob draw() {
        DrawnJob job;
        job.stream = index_;
        const Gamma interval = {stream_.rush_interval.shape * stream_.rush_to_all_ratio, stream_.rush_interval.scale};
        job.arrival = next_.arrival + std::exp(draws_.gamma_at_most(interval.shape, interval.scale, max_ln_interval));
        job.size = draw_size();
        job.run_time = draw_run_time(job.size);
        return job;
    }

    int draw_size() {
        const double kind = draws_.uniform();
        if (kind < stream_.serial_probability) {
            return 1;
        }
        const double machine = std::log2(processors_);
        const double high = std::max(machine - stream_.high_below, 0.0);
        const double low = std::min(stream_.low, high);
        const double medium = std::clamp(high - 2.5, low, high);
        const bool is_small = draws_.uniform() < stream_.uniform_probability;
        double exponent = is_small ? draws_.uniform(low, medium) : draws_.uniform(medium, high);
        if (kind < stream_.serial_probability + stream_.power_of_two_probability) {
            exponent = std::min(std::round(exponent), std::floor(machine));
        }
        return std::min(static_cast<int>(std::lround(std::exp2(exponent))), processors_);
    }

    long long draw_run_time(int size) {
        const bool is_first = draws_.uniform() < stream_.slope * size + stream_.intercept;
        const Gamma& gamma = is_first ? stream_.first : stream_.second;
        const double ln = draws_.gamma_at_most(gamma.shape, gamma.scale, max_ln_run_time);
        return std::max(std::llround(std::exp(ln)), 1LL);
    }

    Stream stream_;
    std::size_t index_;
    int processors_;
    Draws draws_;
    DailyCycle cycle_;
    DrawnJob next_;
};

std::vector<JobSource> sources_of(const LublinModel& model) {
    std::vector<JobSource> sources;
    if (model.kind == LublinModel::Jobs::batch || model.kind == LublinModel::Jobs::both) {
        sources.emplace_back(batch_stream, sources.size(), model);
    }
    if (model.kind == LublinModel::Jobs::interactive || model.kind == LublinModel::Jobs::both) {
        sources.emplace_back(interactive_stream, sources.size(), model);
    }
    if (model.kind == LublinModel::Jobs::undivided) {
        sources.emplace_back(undivided_stream, sources.size(), model);
    }
    return sources;
}

// The largest factor on all inter-arrival times for which no source submits after `last`. One source then submits
// exactly at `last`.
double interval_factor(const std::vector<JobSource>& sources, const std::vector<DrawnJob>& jobs, double last) {
    std::vector<double> last_arrival(sources.size(), 0);
    for (const DrawnJob& job : jobs) {
        last_arrival[job.stream] = job.arrival;
    }
    double factor = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (last_arrival[i] > 0) {
            factor = std::min(factor, sources[i].cycle().mean_rate_time(last) / last_arrival[i]);
        }
    }
    return factor;
}

long long draw_walltime(const LublinModel& model, long long run_time, Draws& draws) {
    if (model.estimates == LublinModel::Estimates::exact) {
        return run_time;
    }
    if (model.estimates == LublinModel::Estimates::factor) {
        return std::llround(std::ceil(static_cast<double>(run_time) * model.estimate_factor));
    }
    // Run time over estimate is about uniform in real logs (A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001).
    const double wanted = static_cast<double>(run_time) / (1 - draws.uniform());
    // The last modal estimate exceeds the model's longest run time.
    const auto* const at_least = std::find_if(modal_minutes.begin(), modal_minutes.end() - 1,
                                              [&](int minutes) { return minutes * 60 >= wanted; });
    return std::max(*at_least * 60LL, run_time);
}

}  // namespace

Workload generate_lublin(const LublinModel& model) {
    assert(model.jobs > 0 && model.jobs <= 10'000'000 && model.processors > 0);
    assert(!model.load || (*model.load >= 0.001 && *model.load <= 1000));
    assert(model.estimate_factor >= 1 && model.estimate_factor <= 1e6);
    std::vector<JobSource> sources = sources_of(model);
    std::vector<DrawnJob> drawn;
    const auto job_count = static_cast<std::size_t>(model.jobs);
    drawn.reserve(job_count);
    Draws estimate_draws(model.seed, 2);
    double work = 0;
    while (drawn.size() < job_count) {
        look_for_interruption();
        JobSource& source = *std::ranges::min_element(sources, {}, &JobSource::next_clock);
        drawn.push_back(source.take());
        drawn.back().walltime = draw_walltime(model, drawn.back().run_time, estimate_draws);
        work += static_cast<double>(drawn.back().size) * static_cast<double>(drawn.back().run_time);
    }

    const double factor = model.load ? interval_factor(sources, drawn, work / (model.processors * *model.load)) : 1.0;
    std::vector<std::pair<long long, const DrawnJob*>> by_submission;
    by_submission.reserve(job_count);
    for (const DrawnJob& job : drawn) {
        look_for_interruption();
        by_submission.emplace_back(std::llround(sources[job.stream].cycle().clock(job.arrival * factor)), &job);
    }
    std::ranges::stable_sort(by_submission, {}, &std::pair<long long, const DrawnJob*>::first);

    Workload workload;
    workload.name = "w0";
    workload.processors = model.processors;
    workload.jobs.reserve(job_count);
    const std::size_t width = std::to_string(job_count).size();
    const bool has_queues = model.kind == LublinModel::Jobs::both;
    TextPool texts;
    for (const auto& [submit, job] : by_submission) {
        look_for_interruption();
        JobDescription description;
        description.id = workload.name + "!" + padded(workload.jobs.size() + 1, width);
        description.submit = Time::seconds(submit);
        description.processors = job->size;
        description.walltime = Duration::seconds(job->walltime);
        description.queue = texts.shared(has_queues ? sources[job->stream].queue() : "");
        description.profile = texts.shared("d" + std::to_string(job->run_time));
        workload.profiles.try_emplace(description.profile,
                                      JobProfile{JobProfile::Type::delay, "delay", Duration::seconds(job->run_time)});
        workload.jobs.push_back({std::move(description), {}});
    }
    return workload;
}

}  // namespace batfill
