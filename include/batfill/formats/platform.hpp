#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/machine.hpp>

namespace batfill {

// What a SimGrid platform file says of the machine, as Batsim sees it: hosts in the lexicographic order of their names
// (which numbers them), without the master host and the storage hosts.
struct Platform {
    std::vector<Host> hosts;
};

// Reads a SimGrid platform file of version 4 or 4.1, which may be gzipped: hosts, peers, clusters and cabinets, in
// zones (or ASes) within zones, with their properties. Everything else in the file is about the network and is skipped
// unchecked.
// Understands hosts as Batsim 4 does. Exactly one must be the master: it is named `master` or has the property
// role=master. Hosts with role=storage compute nothing and are left out as well. At least one host must remain, and all
// that remain must have a speed above 0. Throws InputError naming file, line and element where this does not hold, for
// elements that SimGrid does not know or no longer accepts, for speeds and states that change during the simulation,
// and for files that are larger than 64 MiB or whose hosts and properties would fill more than 256 MiB. O(n log n) for
// n hosts.
Platform read_platform(const std::string& path, const std::string& master = "master_host");

// Returns the text of a platform file, unpacked. Throws InputError if it cannot be read, is another kind of file or is
// larger than 64 MiB.
std::string read_platform_text(const std::string& path);

// The same for the text of a platform file; errors name it `source`.
Platform parse_platform(std::string_view text, const std::string& source, const std::string& master = "master_host");

// Returns the text of a SimGrid platform file that says what `platform` does, with `comment` at its head: all hosts and
// a master_host in one zone, at one place, so that messages take no time. parse_platform() gives the same platform
// back. Requires hosts, in the order of their names, none of them named master_host; finite speeds above 0; and that
// all have the same zone properties.
std::string platform_text(const Platform& platform, const std::string& comment);

}  // namespace batfill
