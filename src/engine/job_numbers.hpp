#pragma once

#include <variant>

#include <batfill/engine/events.hpp>

namespace batfill {

// Calls change(number) for the number of each job that an event's data or a decision names.
template <class Variant, class Change>
void for_each_job(Variant& data, Change change) {
    std::visit(
        [&](auto& one) {
            if constexpr (requires { one.job; }) {
                change(one.job);
            } else if constexpr (requires { one.jobs; }) {
                for (JobIndex& job : one.jobs) {
                    change(job);
                }
            }
        },
        data);
}

}  // namespace batfill
