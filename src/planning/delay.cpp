
#include <batfill/planning/delay.hpp>

namespace batfill {

Delay find_delay(const SchedulerState& state, JobIndex job, Duration length, std::span<const LaterJob> jobs,
                 Timeline free) {
    const Request& request = state.job(job).request;
    const auto fits = [&] { return free.fits(request, length, state.now); };
    for (const LaterJob& later : jobs) {
        free.give(state.job(later.job).request, later.place, later.start, later.end);
    }
    Delay delay{.fits = fits()};
    for (auto later = jobs.begin(); later != jobs.end() && delay.fits && delay.of == nullptr; ++later) {
        if (later->job != job) {
            free.take(state.job(later->job).request, later->place, later->start, later->end);
            if (!fits()) {
                delay.of = &*later;
                delay.shortage = free.shortage(request, length, state.now).value_or(Shortage());
            }
        }
    }
    return delay;
}

}  // namespace batfill
