#include "src/analysis/resource_use.hpp"

#include <algorithm>
#include <utility>

#include "src/analysis/job_measures.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::analysis {

namespace {

// What the finished jobs of a run take, job by job.
class Takers {
 public:
    Takers(const MeasuredSchedule& schedule, const Resources& machine, const WorkloadJobs& submitted)
        : schedule_(schedule), machine_(machine) {
        for (const FinishedJob& job : schedule.finished()) {
            look_for_interruption();
            const JobDescription& description = *submitted.find(job.id)->description;
            const auto resolved = machine.resolve(description.needs ? &*description.needs : nullptr, job.processors);
            const auto* const needs = std::get_if<Shared<Needs>>(&resolved);
            needs_.push_back(needs != nullptr ? *needs : Shared<Needs>());
        }
    }

    // The share of `total` that they take; amount(PLACE) of each.
    std::optional<double> share_of(Amount total, auto amount) const {
        const std::optional<Duration> span = span_of(schedule_.finished());
        if (total == 0 || !span) {
            return std::nullopt;
        }
        std::vector<double> taken(needs_.size());
        for (std::size_t i = 0; i < taken.size(); ++i) {
            taken[i] = static_cast<double>(amount(i)) * schedule_.finished()[i].run.to_seconds();
        }
        return sum(std::move(taken)) / (static_cast<double>(total) * span->to_seconds());
    }

    Amount of_pool(std::size_t job, std::size_t pool) const {
        return needs_[job] && !needs_[job]->pools.empty() ? needs_[job]->pools[pool] : 0;
    }

    Amount of_capacity(std::size_t job, std::size_t capacity) const {
        if (needs_[job] && !needs_[job]->per_host.empty()) {
            return needs_[job]->per_host[capacity] * schedule_.finished()[job].allocated;
        }
        Amount whole = 0;
        for (const int host : schedule_.hosts()[job].numbers()) {
            whole += machine_.kind_of(host).capacity[capacity];
        }
        return whole;
    }

    bool hosts_are_known() const {
        return !schedule_.hosts().empty() || std::ranges::all_of(needs_, [](const Shared<Needs>& needs) {
            return needs && !needs->per_host.empty();
        });
    }

 private:
    const MeasuredSchedule& schedule_;
    const Resources& machine_;
    std::vector<Shared<Needs>> needs_;  // by job
};

}  // namespace

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
    const Takers takers(schedule, machine, *submitted);
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

}  // namespace batfill::analysis
