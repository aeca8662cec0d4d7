#include "python/src/free_resources.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

std::size_t capacity_of(const SchedulerState& state, nb::handle name) {
    return place_among(state.machine.resources().capacities(), word_of(name, "name"),
                       "per_host: expected a capacity of the machine");
}

std::size_t pool_of(const SchedulerState& state, nb::handle name) {
    return place_among(mapped(state.machine.resources().pools(), &Resources::Pool::name), word_of(name, "name"),
                       "pool: expected a pool of the machine");
}

nb::dict FreeResources::pools() const {
    const SchedulerState& now = state();
    nb::dict amounts;
    for (std::size_t pool = 0; pool < now.pools_left.size(); ++pool) {
        amounts[text_object(now.machine.resources().pools()[pool].name)] = now.pools_left[pool];
    }
    return amounts;
}

nb::object FreeResources::per_host(nb::handle name) const {
    const SchedulerState& now = state();
    const std::size_t capacity = capacity_of(now, name);
    std::vector<std::int64_t> amounts(static_cast<std::size_t>(now.processors));
    for (int host = 0; host < now.processors; ++host) {
        amounts[static_cast<std::size_t>(host)] = now.hosts.is_available(host) ? now.hosts.free(host, capacity) : 0;
    }
    return array_of(std::move(amounts));
}

nb::object FreeResources::hosts_for(nb::handle index) const {
    const SchedulerState& now = state();
    const JobIndex job = view().waiting_job(whole_number_of(index, "index"));
    const Request& request = now.job(job).request;
    std::optional<std::size_t> window;
    if (request.is_booked() && !(window = now.window_now(request))) {
        return array_of(ResourceSet());
    }
    if (!now.hosts.are_named()) {  // the idle ones, or what the window has left
        const bool takes_of_window = window && now.machine.windows()[*window].names_processors();
        return array_of(takes_of_window ? now.free_inside(*window) : now.idle.set());
    }
    std::vector<std::int64_t> hosts;
    for (int host = 0; host < now.processors; ++host) {
        if (now.host_fits(request, host, window) && !now.window_ahead(job, {ResourceSet::range(host, host), window})) {
            hosts.push_back(host);
        }
    }
    return array_of(std::move(hosts));
}

bool FreeResources::within_limits(nb::handle index) const {
    const SchedulerState& now = state();
    return now.limits.allow(now.job(view().waiting_job(whole_number_of(index, "index"))).request);
}

void bind_free_resources(nb::module_& module) {
    using nb::arg;
    nb::class_<FreeResources>(module, "Free",
                              "What is free now of processors and pools, and on each host. Valid until decide() "
                              "returns.")
        .def_prop_ro("processors", &FreeResources::processors, "The number of idle processors, as Round.idle.")
        .def_prop_ro("pools", &FreeResources::pools, nb::for_getter(nb::sig("def pools(self) -> dict[str, int]")),
                     "What is left of each pool, by name. Less than 0 while a window waits for its due.")
        .def_prop_ro(
            "capacities",
            [](const FreeResources& free) { return tuple_of(free.state().machine.resources().capacities()); },
            nb::for_getter(nb::sig("def capacities(self) -> tuple[str, ...]")),
            "The names of the capacities of hosts, such as \"gpus\". Empty if hosts are not shared.")
        .def("per_host", &FreeResources::per_host, arg("name"),
             nb::sig("def per_host(self, name: str) -> numpy.typing.NDArray[numpy.int64]"),
             "What is free of a capacity on each host, by its number. 0 on hosts that are not shared, are lost, or are "
             "taken by a window.")
        .def("hosts_for", &FreeResources::hosts_for, arg("index"),
             nb::sig("def hosts_for(self, index: int) -> numpy.typing.NDArray[numpy.int64]"),
             "The numbers of the hosts that have now what a waiting job takes of each of its hosts, are in its "
             "partition, and in no window that it would run into. Where hosts are only counted, the idle ones. Does "
             "not look at pools and limits.")
        .def("within_limits", &FreeResources::within_limits, arg("index"),
             nb::sig("def within_limits(self, index: int) -> bool"),
             "Whether the limits of users, accounts, ... let a waiting job start now. True on a machine without.");
}

}  // namespace batfill::python
