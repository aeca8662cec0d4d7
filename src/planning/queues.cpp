#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <spdlog/spdlog.h>

#include <batfill/planning/queues.hpp>

namespace batfill {

Parameter Queues::parameter() {
    return Parameter::choice("queues", {"one", "partitions"}, "one",
                             "partitions: the jobs of each partition, or list of partitions, are a queue of their own");
}

std::vector<std::vector<JobIndex>> Queues::of(const SchedulerState& state) const {
    // Both texts are empty if the job names nothing.
    std::map<std::pair<std::string_view, std::string_view>, std::vector<JobIndex>> by_names;
    const bool by_partition = by_partition_ && !state.machine.resources().partitions().empty();
    for (const JobIndex index : state.waiting.jobs()) {
        const Job& job = state.job(index);
        const Shared<StatedNeeds>& needs = job.description().needs;
        const std::string_view booking = job.request.is_booked() ? *needs->booking : std::string_view();
        const std::string_view partition =
            by_partition && needs && needs->partition ? *needs->partition : std::string_view();
        by_names[{booking, partition}].push_back(index);
    }
    std::vector<std::vector<JobIndex>> queues;
    queues.reserve(by_names.size());
    for (auto& [names, jobs] : by_names) {
        queues.push_back(std::move(jobs));
    }
    return queues;
}

void LongWaits::note(const SchedulerState& state, JobIndex first) {
    if (!state.later || state.machine.windows().empty() || !noted_.insert(first).second) {
        return;
    }
    const auto windows_until = [&](Time start) {
        return std::ranges::count_if(state.machine.windows(), [&](const Window& window) {
            return window.announced <= state.now && window.until > state.now && window.until <= start;
        });
    };
    if (windows_until(Time::infinity()) < 2) {
        return;
    }
    const Time start = state.later->earliest(state, first);
    const auto passed = windows_until(start);
    if (passed >= 2 && !start.is_infinite()) {
        spdlog::warn(
            "job {} waits past {} windows until {}, and all others behind it: its walltime may be longer "
            "than every gap between them",
            state.job(first).description().id, passed, instant_text(start));
    }
}

}  // namespace batfill
