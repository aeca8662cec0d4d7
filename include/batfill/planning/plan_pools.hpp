#pragma once

#include <string>
#include <vector>

#include <batfill/core/resources.hpp>
#include <batfill/engine/parameters.hpp>

namespace batfill {

// The parameter `plan-pools`: the pools that plans and reservations look at. Of the others, a job needs only what it
// takes when it starts.
class PlanPools {
 public:
    static Parameter parameter() {
        return Parameter::text("plan-pools", "all",
                               "pools that are planned: all, none, or names with commas; a start waits for the others");
    }
    explicit PlanPools(const Parameters& parameters) : text_(parameters.text("plan-pools")) {}

    // A flag for each pool.
    // Throws: UsageError for a pool that the machine does not have.
    std::vector<bool> of(const Resources& resources) const;

 private:
    std::string text_;
};

}  // namespace batfill
