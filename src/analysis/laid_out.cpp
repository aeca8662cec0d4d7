#include "src/analysis/laid_out.hpp"

#include <algorithm>
#include <numeric>

#include "src/support/json.hpp"

namespace batfill::analysis {

namespace {

// What a job states, with so many cores on each host.
StatedNeeds with_cores(const JobDescription& job, Amount cores) {
    StatedNeeds stated = job.needs ? *job.needs : StatedNeeds();
    StatedNeeds::Amounts amounts = stated.per_host.value_or(StatedNeeds::Amounts());
    std::erase_if(amounts, [](const auto& amount) { return amount.first == "cores"; });
    amounts.emplace_back("cores", cores);
    stated.per_host = std::move(amounts);
    return stated;
}

}  // namespace

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
    StatedNeeds stated = with_cores(job, *std::ranges::min_element(*cores));
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

std::optional<Amount> tasks_of(const JobDescription& job) {
    if (job.other_fields.empty()) {
        return std::nullopt;
    }
    JsonReader reader;
    const JsonValue& fields = reader.parse("{" + job.other_fields.text() + "}");
    const JsonValue* const tasks = member_of(&fields, "tasks");
    const JsonValue* const whole = member_of(&fields, "whole");
    const bool may_be_uneven = tasks != nullptr && tasks->IsInt() && tasks->GetInt() >= job.processors &&
                               (whole == nullptr || !whole->IsTrue());
    return may_be_uneven ? std::optional<Amount>(tasks->GetInt()) : std::nullopt;
}

std::variant<Request, std::string> resolve_with_a_core_each(const JobDescription& job, const Resources& machine) {
    const StatedNeeds stated = with_cores(job, 1);
    return machine.resolve({job.processors}, &stated);
}

}  // namespace batfill::analysis
