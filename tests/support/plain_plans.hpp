#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/plain_compression.hpp"
#include "tests/support/plain_conservative.hpp"
#include "tests/support/plain_dbf.hpp"
#include "tests/support/random.hpp"

namespace batfill::tests {

// An algorithm of the plan family, its parameters, and its plain form.
struct PlanCompared {
    std::string algorithm;
    Parameters::Given parameters;
    std::unique_ptr<PlainPlanAlgorithm> plain;
};

// The counts of the plain forms, which other tests check.
struct PlanCounts {
    PlainConservative::Counts conservative;
    PlainConservativeInOrder::Counts in_order;
    PlainCompression::Counts compression;
    PlainDbf::Counts dbf;
};

// Each algorithm of the family, with parameters at random. The plain forms add to `counts`, which outlives them.
inline std::vector<PlanCompared> draw_plans(Random& random, int processors, PlanCounts& counts) {
    std::vector<PlanCompared> plans;
    const auto one_of = [&](const std::vector<std::string>& names) {
        return names[static_cast<std::size_t>(random.below(static_cast<int>(names.size())))];
    };
    const auto draw_order = [&] { return one_of({"fcfs", "spf", "lpf", "saf", "lexp"}); };
    const std::string compression = one_of({"planned-start", "planned-start", "submission", "start-now", "none"});
    plans.push_back({"conservative",
                     {{"compression", compression}},
                     std::make_unique<PlainConservative>(processors, compression, counts.conservative)});
    const std::string order_of_pass = draw_order();
    plans.push_back(
        {"conservative",
         {{"compression", "order"}, {"order", order_of_pass}},
         std::make_unique<PlainConservativeInOrder>(processors, named_orders().at(order_of_pass), counts.in_order)});
    for (const PlainCompression::Kind kind : both_kinds) {
        const std::string order = draw_order();
        plans.push_back(
            {name_of(kind),
             {{"order", order}},
             std::make_unique<PlainCompression>(processors, kind, named_orders().at(order), counts.compression)});
    }
    for (const PlainDbf::Repair repair : {PlainDbf::Repair::paper, PlainDbf::Repair::strict}) {
        plans.push_back({"dbf",
                         {{"repair", repair == PlainDbf::Repair::paper ? "paper" : "strict"}},
                         std::make_unique<PlainDbf>(processors, repair, counts.dbf)});
    }
    return plans;
}

}  // namespace batfill::tests
