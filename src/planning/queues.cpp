#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <spdlog/spdlog.h>

#include <batfill/planning/queues.hpp>

namespace batfill {

std::vector<std::vector<JobIndex>> booking_queues(const SchedulerState& state) {
    std::vector<std::vector<JobIndex>> queues(1);
    std::map<std::string_view, std::vector<JobIndex>> by_name;
    for (const JobIndex index : state.waiting.jobs()) {
        const Job& job = state.job(index);
        const bool is_outside = !job.request.is_booked();
        (is_outside ? queues.front() : by_name[*job.description().needs->booking]).push_back(index);
    }
    for (auto& [name, jobs] : by_name) {
        queues.push_back(std::move(jobs));
    }
    return queues;
}

void LongWaits::note(const SchedulerState& state, JobIndex first) {
    if (!state.later || state.machine.windows().empty() || !noted_.insert(first).second) {
        return;
    }
    const Time start = state.later->earliest(state, first);
    const auto passed = std::ranges::count_if(state.machine.windows(), [&](const Window& window) {
        return window.announced <= state.now && window.until > state.now && window.until <= start;
    });
    if (passed >= 2 && !start.is_infinite()) {
        spdlog::warn(
            "job {} waits past {} windows until {}, and all others behind it: its walltime may be longer "
            "than every gap between them",
            state.job(first).description().id, passed, instant_text(start));
    }
}

}  // namespace batfill
