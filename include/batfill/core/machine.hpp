#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/resource_set.hpp>

namespace batfill {

// One compute resource, as a platform file or Batsim's first message describes it. Its number is its place in the list.
struct Host {
    std::string name;
    // Floating-point operations per second in the state (pstate) in which the host starts, which is state 0 unless the
    // file says otherwise. 0: unknown.
    double speed = 0;
    std::map<std::string, std::string> properties;       // <prop> of the host, or of the cluster that it is in
    std::map<std::string, std::string> zone_properties;  // <prop> of the zones around it; the innermost wins
    // The speeds in all of its pstates, if it has several; empty if it has one, or they are unknown.
    std::vector<double> pstate_speeds = {};
    int pstate = 0;  // in which it starts, if they are known
};

// The pstate in which all hosts compute as long as nobody says otherwise, and to which those that slept come back.
constexpr int computing_pstate = 0;

// What Batsim's property `sleep_pstates` says of a host, "SLEEP:OFF:ON": the pstate in which it sleeps, and the two
// virtual ones in which it is while it falls asleep and while it wakes. In these it computes one flop, so that the
// reciprocals of their speeds are the seconds that this takes.
struct SleepPstates {
    int sleep = 0;
    int falling_asleep = 0;
    int waking = 0;
    friend bool operator==(const SleepPstates&, const SleepPstates&) = default;
};

// Of several, with commas between them, the first; none if the host has no such property. Throws InputError if it is
// not like that, or names the pstate in which hosts compute.
std::optional<SleepPstates> sleep_pstates_of(const Host& host);

// Numbers the counters of a machine: its place in Machine::counters().
using CounterIndex = std::size_t;

// Numbers the groups of a machine: its place in Machine::groups().
using GroupIndex = std::size_t;

// Which of the idle processors a job gets.
enum class Placement {
    lowest,                  // those with the lowest numbers
    contiguous,              // consecutive ones, the lowest such; a job waits until there are some
    best_effort_contiguous,  // consecutive ones if there are some, else the lowest
    machine,                 // of one group, the first that has enough; a job also holds its licences
};

// "lowest", "contiguous", "best-effort-contiguous", "machine".
const char* to_string(Placement placement);
// The placement of that name; none if there is no such.
std::optional<Placement> placement_named(std::string_view name);

// What a job holds from its start to its end: processors, and one copy of each of some counters.
struct Request {
    int processors = 0;
    Placement placement = Placement::lowest;
    // Increasing, each once. Only with Placement::machine, and usable in the group that has the processors.
    std::vector<CounterIndex> counters;
    friend bool operator==(const Request&, const Request&) = default;
};

// The machine that is scheduled, as it is described when a simulation begins: groups of hosts that are alike, and
// counters, of which a number of copies may be in use at one time, on whatever hosts (floating licences). Which of it
// is in use or unavailable is kept by SchedulerState.
//
// The homogeneous machine of most logs is one group without counters. A farm is a group for each of its machines; a
// cluster with partitions is a group for each kind of host.
class Machine {
 public:
    // Hosts that have the same property `machine`, speed and licences.
    struct Group {
        std::string name;                    // property `machine`; empty if the hosts have none
        double speed = 0;                    // of each host
        ResourceSet processors;              // their numbers, at least one
        std::vector<CounterIndex> counters;  // that can be used here (installable licences), increasing
        int size = 0;                        // number of processors

        // Whether all of these can be used here. O(counters).
        bool has_all(std::span<const CounterIndex> required) const;
    };
    struct Counter {
        std::string name;
        long long copies = 0;
    };
    // Processors that can be put to sleep, and the pstate in which they are then.
    struct SleepState {
        int pstate = 0;
        ResourceSet processors;
    };

    // No processors at all.
    Machine() = default;
    // One group of equal processors 0..processors-1. Requires processors >= 0.
    explicit Machine(int processors);
    // Reads what the properties of the hosts say: `machine`, `licenses` (names with commas between them), `speed`
    // (flops per second, where Host::speed is unknown) and `sleep_pstates` of a host, `licenses` of a zone
    // ("name:copies,name:copies").
    // Licences count only where some zone states copies; one that only hosts name has none. Throws InputError if a
    // property is not like that, if two zones disagree on a licence, or if the hosts of one named machine differ.
    // O(hosts * log(groups)).
    explicit Machine(std::span<const Host> hosts);

    int processors() const { return processors_; }
    // From the fastest to the slowest, groups of equal speed by their lowest processor.
    const std::vector<Group>& groups() const { return groups_; }
    // By name.
    const std::vector<Counter>& counters() const { return counters_; }
    // By pstate; empty if no processor can sleep.
    const std::vector<SleepState>& sleep_states() const { return sleep_states_; }
    // All processors that can be put to sleep.
    const ResourceSet& can_sleep() const { return can_sleep_; }
    // O(log(counters)).
    std::optional<CounterIndex> find_counter(std::string_view name) const;

    // The group of a processor of this machine. O(1).
    GroupIndex group_number_of(int processor) const;
    const Group& group_of(int processor) const { return groups_[group_number_of(processor)]; }

    // One bit for each group, in words of 64: those where the counter can be used.
    std::span<const std::uint64_t> groups_with(CounterIndex counter) const { return groups_with_[counter]; }

    // Why the machine could not run such a job even if it were empty, as a predicate ("asks for ..."); nothing if it
    // could. O(groups * counters of the request).
    std::optional<std::string> reason_to_refuse(const Request& request) const;

 private:
    std::vector<CounterIndex> counters_named(std::string_view licenses) const;
    void refuse_machines_of_several_kinds() const;
    void read_sleep_states(std::span<const Host> hosts);

    int processors_ = 0;
    std::vector<Group> groups_;
    std::vector<Counter> counters_;
    std::vector<SleepState> sleep_states_;
    ResourceSet can_sleep_;
    std::vector<GroupIndex> group_of_;  // by processor; empty if there is only one group
    std::vector<std::vector<std::uint64_t>> groups_with_;
};

}  // namespace batfill
