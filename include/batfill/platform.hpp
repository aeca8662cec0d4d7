#pragma once

#include <map>
#include <string>
#include <vector>

namespace batfill {

// One compute resource of the machine; its number is its place in Platform::hosts.
struct Host {
    std::string name;
    double speed = 0;                                   // floating-point operations per second, first pstate
    std::map<std::string, std::string> properties;      // <prop> of the host (a cluster's, for its hosts)
    std::map<std::string, std::string> zone_properties; // <prop> of the zone it is in
};

// What a SimGrid platform file says of the machine, as Batsim sees it: hosts in the lexicographic order of their names
// (which numbers them), without the master host.
struct Platform {
    std::vector<Host> hosts;
};

// Reads a SimGrid platform file (zones or ASes, hosts, clusters, properties; links, routes and routers are skipped).
// Numbers hosts as Batsim 4 does: the host named `master` and hosts with property role=master are left out.
// Throws InputError naming file and element for anything that SimGrid would refuse or that has no master host.
Platform read_platform(const std::string& path, const std::string& master = "master_host");

}  // namespace batfill
