#include "python/src/machines.hpp"

#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/arguments.hpp"
#include "python/src/file_names.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

namespace {

// Windows as a file has them: a line for each.
std::string lines_of(const nb::object& windows) {
    std::string lines;
    for (const nb::handle window : windows) {
        lines.append("{").append(json_members_of(window, "windows")).append("}\n");
    }
    return lines;
}

}  // namespace

void bind_machines(nb::module_& module) {
    using nb::arg;
    const auto make = [](const std::optional<FileName>& platform, std::string master_host,
                         const std::vector<std::string>& pools, const std::optional<std::string>& capacity,
                         const std::optional<FileName>& windows, const nb::object& given_windows) {
        NamedMachine machine;
        if (platform) {
            machine.word = platform->text;
        }
        machine.details.master_host = std::move(master_host);
        machine.details.pools = mapped(pools, parse_pool);
        machine.details.capacity = capacity ? std::optional(checked_capacity(*capacity)) : std::nullopt;
        if (windows) {
            machine.details.windows = windows->text;
        } else if (!given_windows.is_none() && nb::len(given_windows) > 0) {
            machine.details.windows = "windows";
            machine.details.windows_text = lines_of(given_windows);
            windows_of(machine.details);  // throws for what nobody can read
        }
        return machine;
    };
    nb::class_<NamedMachine>(module, "Machine")
        .def(nb::new_(make), arg("platform").none(), arg("master_host"), arg("pools"), arg("capacity").none(),
             arg("windows").none(), arg("given_windows").none());
}

}  // namespace batfill::python
