#include "python/src/machines.hpp"

#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "src/support/mapped.hpp"

namespace batfill::python {

void bind_machines(nb::module_& module) {
    using nb::arg;
    const auto make = [](const std::optional<FileName>& platform, std::string master_host,
                         const std::vector<std::string>& pools, const std::optional<std::string>& capacity) {
        NamedMachine machine;
        if (platform) {
            machine.word = platform->text;
        }
        machine.details.master_host = std::move(master_host);
        machine.details.pools = mapped(pools, parse_pool);
        machine.details.capacity = capacity ? std::optional(checked_capacity(*capacity)) : std::nullopt;
        return machine;
    };
    nb::class_<NamedMachine>(module, "Machine")
        .def(nb::new_(make), arg("platform").none(), arg("master_host"), arg("pools"), arg("capacity").none());
}

}  // namespace batfill::python
