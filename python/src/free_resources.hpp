#pragma once

#include <cstddef>

#include <nanobind/nanobind.h>

#include <batfill/engine/state.hpp>

#include "python/src/round_view.hpp"

namespace batfill::python {

// The number of a capacity or a pool of the machine.
// Throws: UsageError, which lists the names, if there is none of this name.
std::size_t capacity_of(const SchedulerState& state, nb::handle name);
std::size_t pool_of(const SchedulerState& state, nb::handle name);

// What is free now, in the round that asks.
class FreeResources : public OfRound {
 public:
    using OfRound::OfRound;

    int processors() const { return state().idle.count(); }
    // The amounts of the pools, by name.
    nb::dict pools() const;
    // What is free of a capacity on each host. Nothing where jobs cannot start: on a host that is not shared, is
    // unavailable, or is taken by a window.
    nb::object per_host(nb::handle name) const;
    // The hosts on which a waiting job could start now.
    // Cost: O(hosts).
    nb::object hosts_for(nb::handle index) const;
    // Whether limits let a waiting job start now.
    bool within_limits(nb::handle index) const;
};

// Adds the class to the module.
void bind_free_resources(nb::module_& module);

}  // namespace batfill::python
