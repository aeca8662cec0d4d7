#include <algorithm>
#include <optional>

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

// Processors times microseconds; none if it is beyond `most_work`.
std::optional<Microseconds> work_of(const SwfSelection& selection, const SwfConversion& conversion, int processors) {
    Microseconds work = 0;
    for (const KeptJob& kept : selection.kept) {
        const long long size = size_of(*kept.job, conversion);
        if (size <= processors) {
            const Duration run_time = run_time_of(*kept.job);
            const bool is_stopped = conversion.short_estimates != SwfConversion::ShortEstimates::believe;
            const std::optional<Duration> limit = is_stopped ? walltime_of(*kept.job, conversion) : std::nullopt;
            work += std::min(run_time, limit.value_or(run_time)).count() * size;
            if (static_cast<double>(work) > most_work) {
                return std::nullopt;
            }
        }
    }
    return work;
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
    const Duration span = span_of(selection, conversion);
    const Microseconds work = work_of(selection, conversion, processors).value_or(0);
    const Microseconds load = conversion.load->millionths();
    const auto span_after = Duration::microseconds(std::max<Microseconds>(work * 1'000'000 / (load * processors), 1));
    if (span <= Duration() || work == 0 || std::max(span, span_after) > longest_span) {
        throw InputError(selection.log->path +
                         ": --load needs jobs that fit on the machine and are submitted at different instants, within "
                         "1e12 s");
    }
    LoadScaling scaling;
    scaling.first = selection.kept.front().job->submit;
    scaling.span_before = span;
    scaling.span_after = span_after;
    const auto load_over = [&](Duration length) {
        return static_cast<double>(work) / (static_cast<double>(length.count()) * processors);
    };
    scaling.before = load_over(span);
    scaling.after = load_over(scaling.span_after);
    return scaling;
}

}  // namespace batfill
