#pragma once

#include <optional>
#include <string>
#include <vector>

#include <batfill/core/limit.hpp>
#include <batfill/formats/resource_fields.hpp>

namespace batfill {

// The limits that Slurm's accounting has.
struct SlurmLimits {
    std::vector<Limit> kept;
    // One that has no counterpart, "qos normal: MaxWall=1-00:00:00", and why.
    struct LeftOut {
        std::string what;
        std::string why;
        friend bool operator==(const LeftOut&, const LeftOut&) = default;
    };
    std::vector<LeftOut> left_out;
};

// Reads what `sacctmgr -P show qos` and `sacctmgr -P show assoc` print: tables with a line of names and the separator
// |. In either, columns of other kinds mean nothing. `fields` say what jobs get of a log of this machine, and
// `counts_nodes` that its processors are hosts: limits of what they do not get are left out.
// Throws: InputError, which names file and line.
SlurmLimits read_slurm_limits(const std::optional<std::string>& qos_dump, const std::optional<std::string>& assoc_dump,
                              const ResourceFields& fields, bool counts_nodes);

}  // namespace batfill
