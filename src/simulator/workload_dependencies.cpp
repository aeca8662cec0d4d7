#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/simulator/simulation.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

std::span<const Dependency> conditions_of(const WorkloadJob& job) {
    const Shared<StatedNeeds>& needs = job.description.needs;
    return needs ? std::span(needs->after) : std::span<const Dependency>();
}

std::string_view id_in_workload(const WorkloadJob& job) {
    const std::string_view id = job.description.id;
    return id.substr(id.find('!') + 1);
}

[[noreturn]] void fail(const Workload& workload, const WorkloadJob& job, const std::string& problem) {
    throw InputError(workload.path + ": job " + shown(job.description.id) + R"(: field "after": )" + problem);
}

// A condition of one job of a workload on another, as their places in its list.
struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;  // waits
};

// All conditions, by the jobs that wait.
std::vector<Edge> edges(const Workload& workload) {
    std::unordered_map<std::string_view, std::uint32_t> places;  // only looked up
    places.reserve(workload.jobs.size());
    for (std::uint32_t place = 0; place < workload.jobs.size(); ++place) {
        places.emplace(id_in_workload(workload.jobs[place]), place);
    }
    std::vector<Edge> result;
    for (std::uint32_t place = 0; place < workload.jobs.size(); ++place) {
        for (const Dependency& dependency : conditions_of(workload.jobs[place])) {
            const auto other = places.find(dependency.job);
            if (other == places.end()) {
                fail(workload, workload.jobs[place],
                     "it names job " + in_quotes(dependency.job) + ", expected the id of a job of this workload");
            }
            result.push_back({other->second, place});
        }
    }
    return result;
}

// Requires: `open` has a circle, and each of its jobs with open conditions waits for another such job.
[[noreturn]] void fail_for_circle(const Workload& workload, const std::vector<std::size_t>& open) {
    std::unordered_map<std::string_view, std::size_t> places;  // of open jobs; only looked up
    for (std::size_t place = 0; place < open.size(); ++place) {
        if (open[place] > 0) {
            places.emplace(id_in_workload(workload.jobs[place]), place);
        }
    }
    const auto next = [&](std::size_t place) {
        const std::span<const Dependency> conditions = conditions_of(workload.jobs[place]);
        const auto is_open = [&](const Dependency& condition) { return places.contains(condition.job); };
        return places.at(std::ranges::find_if(conditions, is_open)->job);
    };
    const auto first = std::ranges::find_if(open, [](std::size_t conditions) { return conditions > 0; });
    auto place = static_cast<std::size_t>(first - open.begin());
    for (std::size_t step = 0; step < open.size(); ++step) {
        place = next(place);  // into the circle
    }
    std::vector<std::string> others;
    for (std::size_t other = next(place); other != place; other = next(other)) {
        others.push_back(shown(id_in_workload(workload.jobs[other])));
    }
    fail(workload, workload.jobs[place],
         "it waits for itself" +
             (others.empty() ? "" : (others.size() == 1 ? " through job " : " through jobs ") + enumeration(others)) +
             ", expected no circle");
}

}  // namespace

bool has_dependencies(const Workload& workload) {
    const auto has_conditions = [](const WorkloadJob& job) {
        return job.description.needs && job.description.needs->has_conditions();
    };
    if (std::ranges::none_of(workload.jobs, has_conditions)) {
        return false;
    }
    std::vector<Edge> conditions = edges(workload);
    if (std::ranges::all_of(conditions, [](const Edge& condition) { return condition.from < condition.to; })) {
        return true;  // a circle has a condition on a job that is listed later, or on the job itself
    }
    std::ranges::stable_sort(conditions, {}, &Edge::from);
    std::vector<std::size_t> open;  // conditions on jobs that are not in `order` yet
    std::vector<std::uint32_t> order;
    for (std::uint32_t place = 0; place < workload.jobs.size(); ++place) {
        open.push_back(conditions_of(workload.jobs[place]).size());
        if (open.back() == 0) {
            order.push_back(place);
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        auto condition = std::ranges::lower_bound(conditions, order[next], {}, &Edge::from);
        for (; condition != conditions.end() && condition->from == order[next]; ++condition) {
            if (--open[condition->to] == 0) {
                order.push_back(condition->to);
            }
        }
    }
    if (order.size() < workload.jobs.size()) {
        fail_for_circle(workload, open);
    }
    return true;
}

}  // namespace batfill
