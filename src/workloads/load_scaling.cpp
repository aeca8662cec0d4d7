#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>

#include "job_maker.hpp"

namespace batfill {

namespace {

// The span of time in which the machine could have done the work: from the first submission to the last, or with a
// split all periods from the first to the last with a kept job.
Duration span_of(const SwfSelection& selection, const SwfConversion& conversion) {
    if (selection.kept.empty()) {
        return {};
    }
    const Duration first = selection.kept.front().job->submit;
    const Duration last = selection.kept.back().job->submit;
    if (!conversion.split) {
        return last - first;
    }
    const SwfSplit& split = *conversion.split;
    return split.begin_of(split.period_of(last) + 1) - split.begin_of(split.period_of(first));
}

// Sums and products of smaller times fit into Microseconds.
constexpr Duration longest_span = Duration::seconds(1'000'000'000'000);
constexpr double most_work = 1e30;

// Processors times microseconds.
class WorkSum {
 public:
    // `limit`: where the job is stopped, if it is.
    void add(long long size, Duration run_time, std::optional<Duration> limit, int processors) {
        if (size <= processors && static_cast<double>(sum_) <= most_work) {
            sum_ += std::min(run_time, limit.value_or(run_time)).count() * size;
        }
    }
    // None if it is beyond `most_work`.
    std::optional<Microseconds> sum() const {
        return static_cast<double>(sum_) > most_work ? std::nullopt : std::optional(sum_);
    }

 private:
    Microseconds sum_ = 0;
};

std::optional<Microseconds> work_of(const SwfSelection& selection, const SwfConversion& conversion, int processors) {
    WorkSum work;
    const bool are_stopped = conversion.short_estimates != SwfConversion::ShortEstimates::believe;
    for (const KeptJob& kept : selection.kept) {
        work.add(size_of(*kept.job, conversion), run_time_of(*kept.job),
                 are_stopped ? walltime_of(*kept.job, conversion) : std::nullopt, processors);
    }
    return work.sum();
}

}  // namespace

Duration LoadScaling::submit(Duration instant) const {
    return first + scaled(instant - first);
}

Duration LoadScaling::scaled(Duration gap) const {
    const Microseconds product = gap.count() * span_after.count();
    return Duration::microseconds((product + span_before.count() / 2) / span_before.count());
}

namespace {

LoadScaling scaling_of(Duration first, Duration span, std::optional<Microseconds> most, Decimal wanted, int processors,
                       const std::string& path) {
    const Microseconds work = most.value_or(0);
    const Microseconds load = wanted.millionths();
    const auto span_after = Duration::microseconds(std::max<Microseconds>(work * 1'000'000 / (load * processors), 1));
    if (span <= Duration() || work == 0 || std::max(span, span_after) > longest_span) {
        throw InputError(path +
                         ": --load needs jobs that fit on the machine and are submitted at different instants, within "
                         "1e12 s");
    }
    LoadScaling scaling;
    scaling.first = first;
    scaling.span_before = span;
    scaling.span_after = span_after;
    const auto load_over = [&](Duration length) {
        return static_cast<double>(work) / (static_cast<double>(length.count()) * processors);
    };
    scaling.before = load_over(span);
    scaling.after = load_over(scaling.span_after);
    return scaling;
}

}  // namespace

LoadScaling scale_load(const SwfSelection& selection, const SwfConversion& conversion, int processors) {
    const Duration first = selection.kept.empty() ? Duration() : selection.kept.front().job->submit;
    return scaling_of(first, span_of(selection, conversion), work_of(selection, conversion, processors),
                      *conversion.load, processors, selection.log->path);
}

LoadScaling scale_load(Workload& workload, Decimal load) {
    std::vector<WorkloadJob>& jobs = workload.jobs;
    WorkSum work;
    for (const WorkloadJob& job : jobs) {
        const JobProfile& profile = workload.profiles.at(job.description.profile);
        const std::optional<Duration> walltime = job.description.walltime;
        work.add(job.description.processors, profile.delay, workload.believes_walltimes ? std::nullopt : walltime,
                 workload.processors);
    }
    const Duration first = jobs.empty() ? Duration() : jobs.front().description.submit.since_zero();
    const Duration span = jobs.empty() ? Duration() : jobs.back().description.submit.since_zero() - first;
    const LoadScaling scaling = scaling_of(first, span, work.sum(), load, workload.processors, workload.path);
    for (WorkloadJob& job : jobs) {
        job.description.submit = Time::at(scaling.submit(job.description.submit.since_zero()));
    }
    return scaling;
}

}  // namespace batfill
