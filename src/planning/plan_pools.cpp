#include <algorithm>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/planning/plan_pools.hpp>

#include "src/support/names.hpp"
#include "src/support/text.hpp"

namespace batfill {

std::vector<bool> PlanPools::of(const Resources& resources) const {
    const std::vector<Resources::Pool>& pools = resources.pools();
    std::vector<bool> planned(pools.size(), text_ == "all");
    if (text_ == "all" || text_ == "none") {
        return planned;
    }
    for (const std::string_view name : split(text_, ',')) {
        const auto pool = std::ranges::find(pools, name, &Resources::Pool::name);
        refuse_if(pool == pools.end(), "parameter plan-pools: the machine has no pool ", std::string(name),
                  ", expected all, none or names of its pools");
        planned[static_cast<std::size_t>(pool - pools.begin())] = true;
    }
    return planned;
}

}  // namespace batfill
