#pragma once

#include <optional>
#include <string>

#include <batfill/formats/workload.hpp>

#include "python/src/bindings.hpp"
#include "src/formats/named_platform.hpp"

namespace batfill::python {

// A machine as the keywords of a call name it.
struct NamedMachine {
    std::optional<std::string> word;  // as named_platform() takes it; none: as many hosts as the workload says
    MachineDetails details = {};

    Platform platform_for(const Workload& workload) const { return named_platform(word, details, workload.processors); }
};

// Adds the class Machine, which calls take.
void bind_machines(nb::module_& module);

}  // namespace batfill::python
