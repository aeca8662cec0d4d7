#include "src/analysis/resource_use.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/laid_out.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::analysis {

namespace {

// What the finished jobs of a run take, job by job.
class Takers {
 public:
    // `requests` come from requests_of_jobs().
    Takers(const MeasuredSchedule& schedule, const Resources& machine, std::vector<Request> requests)
        : schedule_(schedule), machine_(machine), requests_(std::move(requests)) {}

    // The share of `total` that they take; amount(PLACE) of each.
    std::optional<double> share_of(Amount total, auto amount) const {
        return share_in_use(schedule_.finished(), static_cast<double>(total), amount);
    }

    Amount of_pool(std::size_t job, std::size_t pool) const { return requests_[job].of_pool(pool); }

    Amount of_capacity(std::size_t job, std::size_t capacity) const {
        if (!requests_[job].takes_whole_hosts()) {
            const std::vector<Amount>& in_all = requests_[job].details->in_all;
            return in_all.empty() ? requests_[job].per_host()[capacity] * schedule_.finished()[job].allocated
                                  : in_all[capacity];
        }
        Amount whole = 0;
        for (const int host : schedule_.hosts()[job].numbers()) {
            whole += machine_.kind_of(host).capacity[capacity];
        }
        return whole;
    }

    // The schedule of a log may be on more hosts than this machine has.
    bool hosts_are_known() const {
        if (schedule_.most_processors() > machine_.named_hosts()) {
            return false;
        }
        return !schedule_.hosts().empty() || std::ranges::none_of(requests_, &Request::takes_whole_hosts);
    }

 private:
    const MeasuredSchedule& schedule_;
    const Resources& machine_;
    std::vector<Request> requests_;  // by job
};

using Changes = std::vector<std::pair<Time, double>>;

// The sums of these changes, in the order of time.
std::vector<UseStep> steps_of(Changes changes) {
    std::ranges::sort(changes);
    std::vector<UseStep> steps;
    UseStep now;
    for (std::size_t i = 0; i < changes.size();) {
        const double before = now.taken;
        for (now.at = changes[i].first; i < changes.size() && changes[i].first == now.at; ++i) {
            now.taken += changes[i].second;
        }
        if (now.taken != before) {
            steps.push_back(now);
        }
    }
    return steps;
}

// Of jobs that each take amount(PLACE) of a resource during their run.
Changes changes_of(const FinishedJobs& jobs, auto amount) {
    Changes changes;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        look_for_interruption();
        const auto taken = static_cast<double>(amount(i));
        if (taken > 0 && jobs[i].run > Duration()) {
            changes.emplace_back(jobs[i].start, taken);
            changes.emplace_back(jobs[i].start + jobs[i].run, -taken);
        }
    }
    return changes;
}

Changes changes_of_pool(const std::vector<Window>& windows, std::size_t pool) {
    Changes changes;
    for (const Window& window : windows) {
        if (window.names_pool(pool)) {
            const auto amount = static_cast<double>(window.pool_amounts[pool]);
            changes.emplace_back(window.from, amount);
            changes.emplace_back(window.until, -amount);
        }
    }
    return changes;
}

// What hosts of windows have of a capacity. A host that several windows name counts once.
Changes changes_of_capacity(const std::vector<Window>& windows, const Resources& machine, std::size_t capacity) {
    struct Edge {
        Time at;
        int sign;
        const Window* window;
    };
    std::vector<Edge> edges;
    for (const Window& window : windows) {
        edges.push_back({window.from, 1, &window});
        edges.push_back({window.until, -1, &window});
    }
    std::ranges::stable_sort(edges, {}, &Edge::at);
    Changes changes;
    std::map<int, int> windows_of_host;
    for (const auto& [at, sign, window] : edges) {
        for (const int host : window->hosts.numbers()) {
            int& count = windows_of_host[host];
            const bool was_held = count > 0;
            count += sign;
            if (was_held != (count > 0)) {
                changes.emplace_back(at, static_cast<double>(sign * machine.kind_of(host).capacity[capacity]));
            }
        }
    }
    return changes;
}

}  // namespace

std::vector<Request> requests_of_jobs(const MeasuredSchedule& schedule, const Resources& machine,
                                      const WorkloadJobs& submitted) {
    std::size_t place = 0;
    return mapped(schedule.finished(), [&](const FinishedJob& job) {
        look_for_interruption();
        const JobDescription& description = *submitted.require(job.id, schedule.path()).description;
        const auto resolved = resolve_as_run(
            description, machine, schedule.cores().empty() ? Shared<std::vector<Amount>>() : schedule.cores()[place++]);
        const auto* const request = std::get_if<Request>(&resolved);
        return request != nullptr ? *request : Request();
    });
}

std::optional<std::vector<Amount>> amounts_of_capacity(const MeasuredSchedule& schedule, const Resources& machine,
                                                       std::size_t capacity, std::vector<Request> requests) {
    const Takers takers(schedule, machine, std::move(requests));
    if (!takers.hosts_are_known()) {
        return std::nullopt;
    }
    std::vector<Amount> amounts(schedule.finished().size());
    for (std::size_t job = 0; job < amounts.size(); ++job) {
        look_for_interruption();
        amounts[job] = takers.of_capacity(job, capacity);
    }
    return amounts;
}

std::vector<std::string> resource_names(const Resources& machine) {
    std::vector<std::string> names = mapped(machine.pools(), &Resources::Pool::name);
    names.insert(names.end(), machine.capacities().begin(), machine.capacities().end());
    return names;
}

std::vector<std::optional<double>> utilisation_of_resources(const MeasuredSchedule& schedule, const Resources& machine,
                                                            const WorkloadJobs* submitted) {
    const std::size_t pools = machine.pools().size();
    std::vector<std::optional<double>> result(pools + machine.capacities().size());
    if (submitted == nullptr || result.empty()) {
        return result;
    }
    const Takers takers(schedule, machine, requests_of_jobs(schedule, machine, *submitted));
    for (std::size_t pool = 0; pool < pools; ++pool) {
        result[pool] =
            takers.share_of(machine.pools()[pool].total, [&](std::size_t job) { return takers.of_pool(job, pool); });
    }
    const std::vector<Amount> totals = machine.totals();
    for (std::size_t capacity = 0; capacity < totals.size() && takers.hosts_are_known(); ++capacity) {
        result[pools + capacity] =
            takers.share_of(totals[capacity], [&](std::size_t job) { return takers.of_capacity(job, capacity); });
    }
    return result;
}

std::vector<ResourceUse> use_over_time(const MeasuredSchedule& schedule, const Resources& machine,
                                       const std::vector<Window>& windows, std::vector<Request> requests) {
    std::vector<ResourceUse> result;
    const Takers takers(schedule, machine, std::move(requests));
    const auto add = [&](const std::string& name, Amount total, Changes held, auto amount) {
        if (total > 0) {
            result.push_back(
                {name, total, steps_of(changes_of(schedule.finished(), amount)), steps_of(std::move(held))});
        }
    };
    for (std::size_t pool = 0; pool < machine.pools().size(); ++pool) {
        const auto& [name, total] = machine.pools()[pool];
        add(name, total, changes_of_pool(windows, pool), [&](std::size_t job) { return takers.of_pool(job, pool); });
    }
    const std::vector<Amount> totals = machine.totals();
    for (std::size_t capacity = 0; capacity < totals.size() && takers.hosts_are_known(); ++capacity) {
        add(machine.capacities()[capacity], totals[capacity], changes_of_capacity(windows, machine, capacity),
            [&](std::size_t job) { return takers.of_capacity(job, capacity); });
    }
    return result;
}

}  // namespace batfill::analysis
