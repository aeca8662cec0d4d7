#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// When the hosts of a machine fail and when they are repaired. A node is a number of neighbouring hosts. It is up and
// down in turn, for times that are sampled independently of each other and of other nodes.
struct FailureModel {
    // How lengths of time are distributed around their mean. With a Weibull shape below 1, as in records of large
    // machines, a node that has just come back is more likely to fail than one that has been up for long (B. Schroeder
    // and G. A. Gibson, "A large-scale study of failures in high-performance computing systems", DSN 2006). Shape 1 is
    // the exponential distribution, where age does not matter.
    struct Lengths {
        Duration mean;
        double weibull_shape = 1;
    };

    int processors = 0;
    int processors_per_node = 1;  // the last node may be smaller
    Lengths time_to_failure;
    Lengths time_to_repair;
    Time until;  // nodes fail only before this, but may come back after it
    std::uint64_t seed = 0;
};

// Processors that are lost or return at one instant.
struct MachineEvent {
    Time time;
    bool available;
    ResourceSet processors;
    friend bool operator==(const MachineEvent&, const MachineEvent&) = default;
};

// Samples the events. Nodes are up at time 0, and each node that fails comes back. Times are whole seconds; each length
// is at least one. Events are sorted by time. At one instant there is at most one of each kind, the return first. The
// same model and seed give the same events. Those of a node do not depend on other nodes.
// Requires:
// - processors and processors_per_node > 0
// - means of at least a second
// - shapes in [0.1, 100]
// Cost: O(n log n) for n events.
std::vector<MachineEvent> generate_failures(const FailureModel& model);

// Appends the line of such an event in a Batsim events file, including its newline.
void append_json(const MachineEvent& event, std::string& out);

// Writes such a file. Throws InputError naming it.
void write_events(const std::vector<MachineEvent>& events, const std::string& path);

}  // namespace batfill
