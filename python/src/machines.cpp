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

// Windows or limits: a file, or the objects of its lines.
void take(const std::optional<FileName>& file, const nb::object& objects, const char* what, std::string& name,
          std::optional<std::string>& text) {
    if (file) {
        name = file->text;
    } else if (nb::len(objects) > 0) {
        name = what;
        text.emplace();
        for (const nb::handle one : objects) {
            text->append("{").append(json_members_of(one, what)).append("}\n");
        }
    }
}

}  // namespace

void bind_machines(nb::module_& module) {
    using nb::arg;
    const auto make = [](const std::optional<FileName>& platform, std::string master_host,
                         const std::vector<std::string>& pools, const std::optional<std::string>& capacity,
                         const std::optional<FileName>& windows, const nb::object& given_windows,
                         const std::optional<FileName>& limits, const nb::object& given_limits) {
        NamedMachine machine;
        if (platform) {
            machine.word = platform->text;
        }
        MachineDetails& details = machine.details;
        details.master_host = std::move(master_host);
        details.pools = mapped(pools, parse_pool);
        details.capacity = capacity ? std::optional(checked_capacity(*capacity)) : std::nullopt;
        take(windows, given_windows, "windows", details.windows, details.windows_text);
        take(limits, given_limits, "limits", details.limits, details.limits_text);
        if (details.windows_text) {
            windows_of(details);  // throws for what nobody can read
        }
        if (details.limits_text) {
            limits_of(details);
        }
        return machine;
    };
    nb::class_<NamedMachine>(module, "Machine")
        .def(nb::new_(make), arg("platform").none(), arg("master_host"), arg("pools"), arg("capacity").none(),
             arg("windows").none(), arg("given_windows"), arg("limits").none(), arg("given_limits"));
}

}  // namespace batfill::python
