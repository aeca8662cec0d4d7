#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/formats/platform.hpp>

namespace batfill {

// What a batch system prints of the nodes of its machine.
struct MachineListing {
    // At least one host, in the order of their names. Each has, as far as the listing says so, the capacities that
    // `import --fields per-host` gives jobs (cores, gpus, gpus_TYPE, generic resources of Slurm, memory in MiB) and its
    // partitions. Nodes count in any state: the jobs of a log may have run there.
    Platform platform;
    std::string kind;  // what printed it, for messages: "scontrol show node"
    // Hosts without a partition take jobs of all queues that no host names, as in PBS.
    bool queues_are_open = false;
    // What was left out, or is less than it may be, and the number of hosts that this concerns.
    std::vector<std::pair<std::string, std::size_t>> notes;
};

// Reads a file, plain or gzipped, with what one of these prints; its beginning tells which:
// - `scontrol show node`, also with -o or --json. Cores are CPUEfctv, else CPUTot. Memory is RealMemory without
//   MemSpecLimit.
// - `sinfo -N -o "%N %P %c %m %G"`, or any other selection of columns with NODELIST (or HOSTNAMES) and CPUS, between
//   blanks or |. Its first line must name them. Lists of nodes, n[01-04], are that many hosts. A node in several rows
//   is one host in several partitions.
// - `pbsnodes -F json`, and `pbsnodes -a` of PBS and TORQUE. The vnodes n1[0] and n1[1] are one host n1, whose amounts
//   add up.
// Also reads a SimGrid platform file, as read_platform() does.
// Throws: InputError, which names the file and where it can the line or the node,
// - for another text; it says what to print
// - for a node that comes twice, or in several rows of sinfo with different amounts
// - for an amount that is none, and for a name that no host or partition can have
// - for a listing in which no node has cores, for more than 1,000,000 hosts and for files above 256 MiB
// Cost: O(n log n) for n nodes.
MachineListing read_machine_listing(const std::string& path);

// As above, for the text of such a file. `path` is used in messages only.
MachineListing parse_machine_listing(std::string_view text, const std::string& path);

}  // namespace batfill
