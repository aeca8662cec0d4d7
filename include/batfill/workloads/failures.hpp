#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// When the hosts of a machine fail and when they are repaired: each node, a number of neighbouring hosts, is up and
// down in turn, for times that are drawn independently of each other and of other nodes.
struct FailureModel {
    // How a length of time is drawn around its mean. With a Weibull distribution of a shape below 1, as in records of
    // large machines, a node that has just come back is more likely to fail than one that has been up for long
    // (B. Schroeder and G. A. Gibson, "A large-scale study of failures in high-performance computing systems", DSN
    // 2006); shape 1 is the exponential distribution, where it does not matter.
    struct Lengths {
        Duration mean;
        double weibull_shape = 1;
    };

    int processors = 0;
    int processors_per_node = 1;  // the last node may be smaller
    Lengths time_to_failure;
    Lengths time_to_repair;
    Time until;  // nodes fail before this, and may come back after it
    std::uint64_t seed = 0;
};

// Processors that go or come back at one instant.
struct MachineEvent {
    Time time;
    bool available;
    ResourceSet processors;
    friend bool operator==(const MachineEvent&, const MachineEvent&) = default;
};

// Draws what happens: nodes are up at time 0, and each that fails comes back. Times are whole seconds, each length at
// least one. Events are in the order of time; of one instant there is at most one of each kind, those that come back
// first. The same model and seed give the same events, and a node's are the same whatever other nodes there are.
// Requires processors and processors_per_node > 0, means of at least a second, and shapes in [0.1, 100].
// O(n log n) for n events.
std::vector<MachineEvent> generate_failures(const FailureModel& model);

// Appends the line of such an event in an events file of Batsim's, its newline included.
void append_json(const MachineEvent& event, std::string& out);

// Writes such a file. Throws InputError naming it.
void write_events(const std::vector<MachineEvent>& events, const std::string& path);

}  // namespace batfill
