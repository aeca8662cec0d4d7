#include <algorithm>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/support/interruption.hpp"
#include "src/workloads/swf_selection.hpp"

namespace batfill {

namespace {

// Sums and products of smaller times fit into Microseconds.
constexpr Duration longest_span = Duration::seconds(1'000'000'000'000);
constexpr double most_work = 1e30;

// The work of the jobs that fit on the machine, in processors times microseconds. 0 if it is beyond `most_work`.
Microseconds work_of(const auto& jobs, int processors, const auto& size_of_job, const auto& length_of_job) {
    Microseconds work = 0;
    for (const auto& job : jobs) {
        look_for_interruption();
        const long long size = size_of_job(job);
        work += size <= processors ? length_of_job(job).count() * size : 0;
        if (static_cast<double>(work) > most_work) {
            return 0;
        }
    }
    return work;
}

LoadScaling scaling_of(Duration first, Duration span, Microseconds work, Decimal wanted, int processors,
                       const std::string& path) {
    const Microseconds load = wanted.millionths();
    const auto span_after = Duration::microseconds(std::max<Microseconds>(work * 1'000'000 / (load * processors), 1));
    refuse_if<InputError>(span <= Duration() || work == 0 || std::max(span, span_after) > longest_span, path,
                          ": --load needs jobs that fit on the machine and are submitted at different instants, within "
                          "1e12 s");
    const auto load_over = [&](Duration length) {
        return static_cast<double>(work) / (static_cast<double>(length.count()) * processors);
    };
    return {load_over(span), load_over(span_after), first, span, span_after};
}

}  // namespace

Duration LoadScaling::submit(Duration instant) const {
    return first + scaled(instant - first);
}

Duration LoadScaling::scaled(Duration gap) const {
    const Microseconds product = gap.count() * span_after.count();
    return Duration::microseconds((product + span_before.count() / 2) / span_before.count());
}

LoadScaling scale_load(const SwfSelection& selection, const SwfConversion& conversion, int processors) {
    const bool are_stopped = conversion.short_estimates != SwfConversion::ShortEstimates::believe;
    const Microseconds work = work_of(
        selection.kept, processors, [&](const KeptJob& kept) { return size_of(*kept.job, conversion); },
        [&](const KeptJob& kept) {
            const Duration run_time = run_time_of(*kept.job);
            return are_stopped ? std::min(run_time, walltime_of(*kept.job, conversion).value_or(run_time)) : run_time;
        });
    const Duration first = selection.kept.empty() ? Duration() : selection.kept.front().job->submit;
    // A split changes nothing: the periods together have the load.
    const Duration span = selection.kept.empty() ? Duration() : selection.kept.back().job->submit - first;
    return scaling_of(first, span, work, *conversion.load, processors, selection.log->path);
}

LoadScaling scale_load(Workload& workload, Decimal load) {
    std::vector<WorkloadJob>& jobs = workload.jobs;
    const Microseconds work = work_of(
        jobs, workload.processors, [](const WorkloadJob& job) { return job.description.processors; },
        [&](const WorkloadJob& job) {
            const Duration delay = workload.profiles.at(job.description.profile).delay;
            return workload.believes_walltimes ? delay : std::min(delay, job.description.walltime.value_or(delay));
        });
    const Duration first = jobs.empty() ? Duration() : jobs.front().description.submit.since_zero();
    const Duration span = jobs.empty() ? Duration() : jobs.back().description.submit.since_zero() - first;
    const LoadScaling scaling = scaling_of(first, span, work, load, workload.processors, workload.path);
    for (WorkloadJob& job : jobs) {
        look_for_interruption();
        submit_at(job.description, Time::at(scaling.submit(job.description.submit.since_zero())));
    }
    workload.origin.reset();  // jobs are not submitted at their dates any more
    return scaling;
}

}  // namespace batfill
