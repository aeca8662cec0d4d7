#include <map>
#include <string_view>
#include <utility>

#include <batfill/planning/booking_queues.hpp>

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

}  // namespace batfill
