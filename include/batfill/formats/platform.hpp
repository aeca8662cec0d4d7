#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/limit.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// The machine in a SimGrid platform file, as Batsim sees it: hosts in the lexicographic order of their names, which
// numbers them, without the master host and the storage hosts.
struct Platform {
    std::vector<Host> hosts;
    std::vector<Window> windows{};     // of a file beside it (read_windows)
    std::vector<Limit> limits{};       // of a file beside it (read_limits)
    std::vector<std::string> notes{};  // what may surprise in these files; sentences without a full stop

    Machine machine() const { return Machine(hosts, windows, limits); }
};

// Reads a SimGrid platform file of version 4 or 4.1, which may be gzipped: hosts, peers, clusters and cabinets, in
// nested zones (or ASes), with their properties. Everything else in the file describes the network, and is skipped
// unchecked.
//
// Interprets hosts as Batsim 4 does. Exactly one must be the master: it is named `master` or has the property
// role=master. Hosts with role=storage compute nothing and are left out, too. At least one host must remain. All
// remaining hosts must have a speed above 0.
//
// Our own properties (Resources, Machine::licenses()) of hosts that are left out mean nothing. Properties of the same
// names in the form of another program are left out anywhere, and Platform::notes says so.
//
// Throws: InputError, which names file, line and element,
// - if these conditions do not hold
// - for elements that SimGrid does not know or no longer accepts
// - for speeds and states that change during the simulation
// - for files larger than 64 MiB, or whose hosts and properties would fill more than 256 MiB
// Cost: O(n log n) for n hosts.
Platform read_platform(const std::string& path, const std::string& master = "master_host");

// Returns the text of a platform file, unpacked.
// Throws: InputError if it cannot be read, is another kind of file, or is larger than 64 MiB.
std::string read_platform_text(const std::string& path);

// As read_platform(), for the text of a platform file. Error messages name it `source`.
Platform parse_platform(std::string_view text, const std::string& source, const std::string& master = "master_host");

// Returns the text of a SimGrid platform file for `platform`, with `comment` at its head: all hosts and a master_host
// in one zone, at one place, so messages take no time. parse_platform() returns the same platform.
// Requires:
// - hosts are in the order of their names, and none is named master_host
// - speeds are finite and above 0
// - all hosts have the same zone properties
std::string platform_text(const Platform& platform, const std::string& comment);

// Reads a file of windows: one JSON object per line; skips empty lines.
// {"name": "maintenance", "from": 86400, "until": 100800, "hosts": "0-63 70", "announced": 0}; instead of `hosts`:
// "processors": 64 or "pools": {"power": 400}; or "hosts": "all". Also "running": "kill", and "for": ["course"].
// Throws: InputError, which names file, line and field.
std::vector<Window> read_windows(const std::string& path);
// As above, for the text of such a file. `path` is used in error messages only.
std::vector<Window> parse_windows(std::string_view text, const std::string& path);

// Whether a window may have this name: it is not empty, and not a cause of broken guarantees of another kind.
bool can_name_window(std::string_view name);

// Appends the line of a window in such a file, including its newline. parse_windows() makes the same window of it, but
// for its place.
// Requires: what parse_windows() checks.
void append_json(const Window& window, std::string& out);

// Writes such a file. Throws: InputError, which names the file.
void write_windows(const std::vector<Window>& windows, const std::string& path);

// Reads a file of limits: one JSON object per line; skips empty lines.
// {"of": "user", "most": {"processors": 256, "jobs": 20}}, {"of": ["qos", "user"], "value": ["normal", null], "most":
// {"gpus": 8}}
// Throws: InputError, which names file, line and field.
std::vector<Limit> read_limits(const std::string& path);
// As above, for the text of such a file. `path` is used in error messages only.
std::vector<Limit> parse_limits(std::string_view text, const std::string& path);

// Appends the line of a limit in such a file, including its newline. parse_limits() makes the same limit of it, but for
// its place.
void append_json(const Limit& limit, std::string& out);

// One line of an events file (Batsim's --events): processors that are lost or return, or an event of the user's own
// that is only passed on to the scheduler.
struct ExternalEvent {
    enum class Kind { machine_available, machine_unavailable, other };  // events of one instant occur in this order
    Time time;
    Kind kind;
    ResourceSet processors;
    std::string type;          // as written
    std::string other_fields;  // kind `other`: the object without its type, compact JSON
};

// Reads an events file: one JSON object per line; skips empty lines. Returns the events sorted by time, then by kind,
// then by line.
// Throws: InputError, which names file and line; also for an event of unknown type, unless `forward_unknown` is set.
std::vector<ExternalEvent> read_external_events(const std::string& path, bool forward_unknown);

// As above, for the text of an events file. `path` is used in error messages only.
std::vector<ExternalEvent> parse_external_events(std::string_view text, const std::string& path, bool forward_unknown);

}  // namespace batfill
