#include "src/simulator/workload_dependencies.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/support/json.hpp"

namespace batfill {

namespace {

const std::vector<Dependency>& conditions_of(const WorkloadJob& job) {
    static const std::vector<Dependency> none;
    return job.description.needs ? job.description.needs->after : none;
}

std::string_view id_in_workload(const WorkloadJob& job) {
    const std::string_view id = job.description.id;
    return id.substr(id.find('!') + 1);
}

[[noreturn]] void fail(const Workload& workload, const WorkloadJob& job, const std::string& problem) {
    throw InputError(workload.path + ": job " + shown(job.description.id) + R"(: field "after": )" + problem);
}

// For each job, those that wait for it: as often as they name it.
std::vector<std::vector<std::size_t>> dependents(const Workload& workload) {
    std::unordered_map<std::string_view, std::size_t> places;  // only looked up
    for (std::size_t place = 0; place < workload.jobs.size(); ++place) {
        places.emplace(id_in_workload(workload.jobs[place]), place);
    }
    std::vector<std::vector<std::size_t>> result(workload.jobs.size());
    for (std::size_t place = 0; place < workload.jobs.size(); ++place) {
        for (const Dependency& dependency : conditions_of(workload.jobs[place])) {
            const auto other = places.find(dependency.job);
            if (other == places.end()) {
                fail(workload, workload.jobs[place],
                     "it names job " + shown(dependency.job) + ", expected a job of this workload");
            }
            result[other->second].push_back(place);
        }
    }
    return result;
}

}  // namespace

bool has_dependencies(const Workload& workload) {
    if (std::ranges::all_of(workload.jobs, [](const WorkloadJob& job) { return conditions_of(job).empty(); })) {
        return false;
    }
    const std::vector<std::vector<std::size_t>> waiting_for = dependents(workload);
    std::vector<std::size_t> open;  // conditions on jobs that are not in `order` yet
    std::vector<std::size_t> order;
    for (std::size_t place = 0; place < workload.jobs.size(); ++place) {
        open.push_back(conditions_of(workload.jobs[place]).size());
        if (open.back() == 0) {
            order.push_back(place);
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        for (const std::size_t dependent : waiting_for[order[next]]) {
            if (--open[dependent] == 0) {
                order.push_back(dependent);
            }
        }
    }
    const auto circle = std::ranges::find_if(open, [](std::size_t conditions) { return conditions > 0; });
    if (circle != open.end()) {
        fail(workload, workload.jobs[static_cast<std::size_t>(circle - open.begin())],
             "it waits for itself, through the jobs that it names; expected no circle");
    }
    return true;
}

}  // namespace batfill
