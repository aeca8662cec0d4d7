#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "src/analysis/audit.hpp"
#include "src/analysis/laid_out.hpp"
#include "src/analysis/layouts.hpp"
#include "src/support/interruption.hpp"
#include "src/support/job_fields.hpp"

// What jobs take of pools, of shared hosts and of limits, and the partitions of their hosts.
namespace batfill::analysis {

namespace {

// What is left of pools and on hosts at an instant.
class Left {
 public:
    explicit Left(const Machine& machine) : resources_(machine.resources()), users_(machine_size(machine)) {
        for (const Resources::Pool& pool : resources_.pools()) {
            pools_.push_back(pool.total);
        }
        for (int host = 0; host < static_cast<int>(users_.size()) && resources_.has_named_hosts(); ++host) {
            hosts_.push_back(resources_.kind_of(host).capacity);
        }
    }

    // Less than 0 if jobs have taken more than there was. Requires: the host is shared.
    Amount of_host(int host, std::size_t capacity) const { return hosts_[static_cast<std::size_t>(host)][capacity]; }

    // Takes what a job holds, with `sign` -1, or gives it back. Calls report(TEXT) once for each pool and each capacity
    // of which there is too little, for a capacity with the first such host.
    void change(const Ran& job, const Request& request, int sign, const auto& report) {
        problems_.clear();
        for (std::size_t pool = 0; pool < request.pools().size(); ++pool) {
            pools_[pool] += sign * request.of_pool(pool);
            if (sign < 0 && request.of_pool(pool) > 0 && pools_[pool] < 0) {
                problems_[{Kind::pool, pool}] =
                    fmt::format("takes {} of pool {}, of which {} are left", request.of_pool(pool),
                                shown(resources_.pools()[pool].name), pools_[pool] + request.of_pool(pool));
            }
        }
        std::size_t place = 0;
        for (const int host : job.allocation.numbers()) {
            if (static_cast<std::size_t>(host) < hosts_.size() && resources_.kind_of(host).is_shared) {
                change_host(host, request, place, sign);
            }
            ++place;
        }
        for (const auto& [kind, problem] : problems_) {
            report(problem);
        }
    }

 private:
    enum class Kind { pool, whole, capacity };  // of a problem, in the order of reports

    static std::size_t machine_size(const Machine& machine) { return static_cast<std::size_t>(machine.processors()); }

    // `place`: of the host among those of the job.
    void change_host(int host, const Request& request, std::size_t place, int sign) {
        const auto at = static_cast<std::size_t>(host);
        const bool is_in_use = request.takes_whole_hosts() && users_[at] > 0;
        if (sign < 0 && is_in_use) {
            problems_.try_emplace({Kind::whole, 0},
                                  fmt::format("takes the whole of host {}, where {} jobs run", host, users_[at]));
        }
        users_[at] -= sign;
        const std::span<const Amount> taken =
            request.takes_whole_hosts() ? std::span(resources_.kind_of(host).capacity) : request.of_host(place);
        for (std::size_t capacity = 0; capacity < taken.size(); ++capacity) {
            Amount& left = hosts_[at][capacity];
            left += sign * taken[capacity];
            if (sign < 0 && !is_in_use && taken[capacity] > 0 && left < 0) {
                problems_.try_emplace(
                    {Kind::capacity, capacity},
                    fmt::format("takes {} {} of host {}, where {} are left", taken[capacity],
                                shown(resources_.capacities()[capacity]), host, left + taken[capacity]));
            }
        }
    }

    const Resources& resources_;
    std::vector<Amount> pools_;
    std::vector<std::vector<Amount>> hosts_;
    std::vector<int> users_;
    std::map<std::pair<Kind, std::size_t>, std::string> problems_;  // of the last change, by kind and number
};

}  // namespace

Request Audit::request_of(const Ran& job) const {
    const auto resolved = resolve_as_run(*job.description, machine_.resources(), cores_of(job));
    const auto* const request = std::get_if<Request>(&resolved);
    return request != nullptr ? *request : Request();
}

Request Audit::least_request_of(const Ran& job) const {
    const auto resolved = resolve_with_a_core_each(*job.description, machine_.resources());
    const auto* const request = std::get_if<Request>(&resolved);
    return request != nullptr ? *request : Request();
}

std::string Audit::refusal_of(const JobDescription& job, const Shared<std::vector<Amount>>& cores) const {
    const auto resolved = resolve_as_run(job, machine_.resources(), cores);
    if (const auto* const reason = std::get_if<std::string>(&resolved)) {
        return *reason;
    }
    JobFields fields(job);
    return machine_.limits()
        .reason_to_refuse(std::get<Request>(resolved), machine_.resources(), std::ref(fields))
        .value_or("");
}

// For a job with tasks whose cores on each host the schedule does not say: how many it takes of all of them besides one
// of each. None: for others, and for those that get whole hosts whatever they ask for.
std::optional<Amount> Audit::cores_to_lay_out(const Ran& job, std::size_t capacity) const {
    const std::optional<Amount> tasks = cores_of(job) ? std::nullopt : tasks_of(*job.description);
    if (!tasks) {
        return std::nullopt;
    }
    Amount most = 0;
    for (const int host : job.allocation.numbers()) {
        if (host >= processors() || machine_.resources().kind_of(host).capacity[capacity] < 1) {
            return std::nullopt;
        }
        most += machine_.resources().kind_of(host).capacity[capacity];
    }
    // A scheduler of whole hosts does not look at tasks. Its jobs fit, as no other job runs on their hosts.
    return std::min(*tasks, most) - job.allocation.size();
}

// Sweeps over starts and ends. As with processors, what a job takes counts from the tolerance after its start on, and
// is given back before others take it.
void Audit::check_resources() {
    if (machine_.resources().empty() && machine_.limits().empty()) {
        return;
    }
    struct Change {
        Time at;
        int sign;  // -1: takes
        const Ran* job;
    };
    std::vector<Change> changes;
    for (const Ran& job : ran_) {
        look_for_interruption();
        if (const std::string reason = refusal_of(*job.description, cores_of(job)); !reason.empty()) {
            violation(job.start, job, "runs, though it {}", reason);
            continue;
        }
        check_hosts(job);
        if (job.start + options_.tolerance < job.held_until()) {
            changes.push_back({job.start + options_.tolerance, -1, &job});
            changes.push_back({job.held_until(), 1, &job});
        }
    }
    std::ranges::stable_sort(changes, {}, [](const Change& change) { return std::tuple(change.at, -change.sign); });
    Left left(machine_);
    const std::vector<std::string>& capacities = machine_.resources().capacities();
    const auto cores = static_cast<std::size_t>(std::ranges::find(capacities, "cores") - capacities.begin());
    const bool reads_tasks = options_.decided_by_seconds && cores < capacities.size();
    Layouts layouts(reads_tasks ? static_cast<std::size_t>(processors()) : 0);
    for (const Change& change : changes) {
        const Ran& job = *change.job;
        const std::optional<Amount> laid_out = reads_tasks ? cores_to_lay_out(job, cores) : std::nullopt;
        bool has_problem = false;
        left.change(job, laid_out ? least_request_of(job) : request_of(job), change.sign,
                    [&](const std::string& problem) {
                        violation(job.start, job, "{}", problem);
                        has_problem = true;
                    });
        if (!reads_tasks) {
            continue;
        }
        layouts.remove(job.row);
        for (const int host : job.allocation.numbers()) {
            if (host < processors() && machine_.resources().kind_of(host).is_shared) {
                layouts.set_left(host, std::max(left.of_host(host, cores), Amount{0}));
            }
        }
        if (change.sign < 0) {
            if (laid_out) {
                layouts.add(job.row, job.allocation, *laid_out);
            }
            const Amount lack = layouts.settle(job.allocation);
            expect(lack == 0 || has_problem, job.start, job,
                   "starts where the tasks of jobs need {} cores more than their hosts have", lack);
        }
    }
}

// Sweeps over each limit for itself, as above. A limit here is one of its amounts for one combination of values.
void Audit::check_limits() {
    const Limits& limits = machine_.limits();
    if (limits.empty()) {
        return;
    }
    struct Change {
        Time at;
        Amount taken;  // less than 0: given back
        const Ran* job;
    };
    struct Swept {
        std::size_t limit = 0;
        std::string counted;
        Amount most = 0;
        std::vector<Change> changes = {};
    };
    std::map<std::string, Swept> all;
    for (const Ran& job : ran_) {
        look_for_interruption();
        if (job.start + options_.tolerance >= job.held_until() ||
            !refusal_of(*job.description, cores_of(job)).empty()) {
            continue;
        }
        JobFields fields(*job.description);
        for (const Limits::Bound& bound : limits.bounds_for(request_of(job), machine_.resources(), std::ref(fields))) {
            Swept& swept = all[bound.key];
            swept.limit = bound.limit;
            swept.counted = limits.all()[bound.limit].most[bound.name].first;
            swept.most = limits.most(bound);
            swept.changes.push_back({job.start + options_.tolerance, bound.taken, &job});
            swept.changes.push_back({job.held_until(), -bound.taken, &job});
        }
    }
    for (auto& [key, swept] : all) {
        std::ranges::stable_sort(swept.changes, {},
                                 [](const Change& change) { return std::tuple(change.at, change.taken > 0); });
        Amount left = swept.most;
        for (const auto& [at, taken, job] : swept.changes) {
            if (taken > left) {
                JobFields fields(*job->description);
                violation(job->start, *job, "takes {} {}, of which {} has {} of {} left", taken, swept.counted,
                          limits.name_of(swept.limit, std::ref(fields)), std::max(left, Amount{0}), swept.most);
            }
            left -= taken;
        }
    }
}

// Reports each job once, for the first of its hosts that has too little or is in another partition.
void Audit::check_hosts(const Ran& job) {
    const Resources& resources = machine_.resources();
    if (!resources.has_named_hosts()) {
        return;
    }
    const Request request = request_of(job);
    for (const int host : job.allocation.numbers()) {
        if (host >= processors()) {
            return;  // reported elsewhere
        }
        const Resources::HostKind& kind = resources.kind_of(host);
        if (!kind.is_in_one_of(request.partitions())) {
            violation(job.start, job, "runs on host {}, which is not in partition {}", host,
                      resources.names_of_partitions(request.partitions()));
            return;
        }
        if (!kind.suits(request)) {
            violation(job.start, job, "runs on host {}, which does not have what it takes of each host", host);
            return;
        }
    }
}

}  // namespace batfill::analysis
