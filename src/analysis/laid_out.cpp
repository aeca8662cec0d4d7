#include "src/analysis/laid_out.hpp"

#include <algorithm>
#include <numeric>

namespace batfill::analysis {

std::variant<Request, std::string> resolve_as_run(const JobDescription& job, const Resources& machine,
                                                  const Shared<std::vector<Amount>>& cores) {
    const std::vector<std::string>& capacities = machine.capacities();
    const auto at = static_cast<std::size_t>(std::ranges::find(capacities, "cores") - capacities.begin());
    if (!cores || at == capacities.size()) {
        return machine.resolve({job.processors}, job.needs ? &*job.needs : nullptr);
    }
    if (cores->size() != static_cast<std::size_t>(job.processors)) {
        return "has cores of " + std::to_string(cores->size()) + " hosts in its tasks.csv";
    }
    StatedNeeds stated = job.needs ? *job.needs : StatedNeeds();
    StatedNeeds::Amounts least = stated.per_host.value_or(StatedNeeds::Amounts());
    std::erase_if(least, [](const auto& amount) { return amount.first == "cores"; });
    least.emplace_back("cores", *std::ranges::min_element(*cores));
    stated.per_host = std::move(least);
    stated.in_all.emplace_back("cores", std::accumulate(cores->begin(), cores->end(), Amount{0}));
    auto resolved = machine.resolve({job.processors}, &stated);
    if (const auto* const request = std::get_if<Request>(&resolved)) {
        std::vector<Amount> by_host;
        for (const Amount of_host : *cores) {
            by_host.insert(by_host.end(), request->per_host().begin(), request->per_host().end());
            by_host[by_host.size() - capacities.size() + at] = of_host;
        }
        return request->with_amounts(std::move(by_host));
    }
    return resolved;
}

}  // namespace batfill::analysis
