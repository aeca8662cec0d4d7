#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

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
