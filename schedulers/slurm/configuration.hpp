#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <batfill/core/request.hpp>
#include <batfill/core/run_limits.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/parameters.hpp>

#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// What the parameters of the algorithm say: the settings of slurm.conf, what it says of partitions, and the clock.
struct Configuration {
    // Throws: UsageError for values that are not allowed, or do not go together.
    explicit Configuration(const Parameters& parameters);
    static std::vector<Parameter> parameters();

    Settings settings;
    std::optional<Select> select;  // none: as the machine is
    Duration epilog;               // from the end of a job to the release of its nodes
    Time daemon_start;             // the periods count from here
    Duration epoch;                // the Unix time of 0
    RunLimits run_limits;
    std::map<std::string, std::int64_t> partition_tiers;
    std::map<std::string, std::int64_t> partition_priorities;
    std::set<std::string> exclusive_partitions;
    std::string default_partition;  // empty: none
    bool kill_invalid_depend = false;
    // Of jobs that state no memory, on each node or for each core there. At most one of them; both 0: all of the
    // node's.
    Amount def_mem_per_node = 0;
    Amount def_mem_per_core = 0;
};

}  // namespace batfill::slurm
