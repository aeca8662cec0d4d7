#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <batfill/machine.hpp>

namespace batfill {

// What a SimGrid platform file says of the machine, as Batsim sees it: hosts in the lexicographic order of their names
// (which numbers them), without the master host and the storage hosts.
struct Platform {
    std::vector<Host> hosts;
};

// Reads a SimGrid platform file of version 4 or 4.1, which may be gzipped: hosts, peers, clusters and cabinets, in
// zones (or ASes) within zones, with their properties. Everything else in the file is about the network and is skipped
// unchecked.
// Takes hosts as Batsim 4 does: exactly one must be the master, named `master` or with property role=master; hosts with
// role=storage compute nothing and are left out too. At least one host remains, and all that do are faster than 0.
// Throws InputError naming file, line and element for what is not so, for elements that SimGrid does not know or no
// longer takes, for speeds and states that change during the simulation, and for files larger than 64 MiB or whose
// hosts and properties would fill more than 256 MiB. O(n log n) for n hosts.
Platform read_platform(const std::string& path, const std::string& master = "master_host");

// The same for the text of a platform file; errors name it `source`.
Platform parse_platform(std::string_view text, const std::string& source, const std::string& master = "master_host");

}  // namespace batfill
