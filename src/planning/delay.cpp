#include <algorithm>
#include <optional>

#include <batfill/planning/delay.hpp>

namespace batfill {

namespace {

// `change` gives back what a later job takes, or takes it again; `shortage` is that of the job.
Delay find_delay(JobIndex job, std::span<const LaterJob> jobs, const auto& change, const auto& shortage) {
    for (const LaterJob& later : jobs) {
        change(later, 1);
    }
    Delay delay{.fits = !shortage()};
    for (auto later = jobs.begin(); later != jobs.end() && delay.fits && delay.of == nullptr; ++later) {
        if (later->job != job) {
            change(*later, -1);
            const std::optional<Shortage> found = shortage();
            delay.of = found ? &*later : nullptr;
            delay.shortage = found.value_or(Shortage());
        }
    }
    return delay;
}

}  // namespace

Delay find_delay(const SchedulerState& state, JobIndex job, Duration length, std::span<const LaterJob> jobs,
                 AvailabilityProfile free) {
    const auto change = [&](const LaterJob& later, int sign) {
        free.add(later.start, later.end, sign * state.job(later.job).processors());
    };
    return find_delay(job, jobs, change, [&]() -> std::optional<Shortage> {
        const int needed = state.job(job).processors();
        for (const auto& [instant, left] : free.steps()) {
            if (instant < state.now + length && left < needed) {
                return Shortage{.needed = needed, .left = std::max(left, 0), .at = instant};
            }
        }
        return std::nullopt;
    });
}

Delay find_delay(const SchedulerState& state, JobIndex job, Duration length, std::span<const LaterJob> jobs,
                 Timeline free) {
    const auto change = [&](const LaterJob& later, int sign) {
        const Request& request = state.job(later.job).request;
        sign > 0 ? free.give(request, later.place, later.start, later.end)
                 : free.take(request, later.place, later.start, later.end);
    };
    const Request& request = state.job(job).request;
    return find_delay(job, jobs, change, [&] {
        return free.fits(request, length, state.now)
                   ? std::nullopt
                   : std::optional(free.shortage(request, length, state.now).value_or(Shortage()));
    });
}

}  // namespace batfill
