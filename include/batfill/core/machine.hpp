#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <batfill/core/limit.hpp>
#include <batfill/core/request.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/shared.hpp>
#include <batfill/core/window.hpp>

namespace batfill {

struct JobDescription;

// One compute resource, as a platform file or Batsim's first message describes it. Its number is its position in the
// list.
struct Host {
    std::string name;
    // Floating-point operations per second in the initial pstate, which is 0 unless the file says otherwise. 0:
    // unknown.
    double speed = 0;
    std::map<std::string, std::string> properties;       // <prop> of the host or of its cluster
    std::map<std::string, std::string> zone_properties;  // <prop> of the enclosing zones; the innermost wins
    // The speeds in all pstates, if there are several. Empty if there is one, or if they are unknown.
    std::vector<double> pstate_speeds = {};
    int pstate = 0;  // the initial one, if they are known
};

// The pstate in which hosts compute unless somebody changes it, and to which woken hosts return.
constexpr int computing_pstate = 0;

// Batsim's property `sleep_pstates` of a host, "SLEEP:OFF:ON": the pstate for sleeping, and the two virtual pstates for
// falling asleep and waking. A host computes one flop in each virtual pstate, so the reciprocal of its speed there is
// the duration in seconds.
struct SleepPstates {
    int sleep = 0;
    int falling_asleep = 0;
    int waking = 0;
    friend bool operator==(const SleepPstates&, const SleepPstates&) = default;
};

// The sleep pstates of a host; the first of several separated by commas; none if it has no such property.
// Throws: InputError if the property has another form.
std::optional<SleepPstates> sleep_pstates_of(const Host& host);

// Number of a group of a machine: its position in Machine::groups().
using GroupIndex = std::size_t;

// The machine that is scheduled, as described when a simulation begins: groups of equal hosts, and floating licences.
// A licence has a number of copies, which limits how many jobs hold it at a time, on any hosts. SchedulerState knows
// what is in use or unavailable.
//
// The homogeneous machine of most logs is one group without licences. A farm has a group for each of its machines; a
// cluster with partitions has one for each kind of host.
class Machine {
 public:
    // Hosts with the same property `machine`, speed and licences.
    struct Group {
        std::string name;                    // property `machine`; empty if the hosts have none
        double speed = 0;                    // of each host
        ResourceSet processors;              // their numbers, at least one
        std::vector<LicenseIndex> licenses;  // can be installed here, increasing
        int size = 0;                        // number of processors

        // Whether all of these can be used here.
        // Cost: O(licences).
        bool has_all(std::span<const LicenseIndex> required) const;
    };
    struct License {
        std::string name;
        long long copies = 0;
    };
    // Processors that can be put to sleep, and their pstate when asleep.
    struct SleepState {
        int pstate = 0;
        ResourceSet processors;
    };

    // A machine without processors.
    Machine() = default;
    // One group of equal processors 0..processors-1.
    // Requires: processors >= 0.
    explicit Machine(int processors);
    // Reads these properties of hosts: `machine`, `licenses` (names separated by commas), `speed` (flops per second,
    // used where Host::speed is unknown) and `sleep_pstates`; and of zones: `licenses` ("name:copies,name:copies"). A
    // licence that only hosts name has no copies: it counts only if some zone states them.
    // A property that cannot be used is a problem only for those who use it:
    // - If a property `machine`, `licenses` or `speed` has another form, the machine is one group without licences. The
    //   same if two zones disagree on a licence, or hosts of one named machine differ. require_groups() then throws.
    // - A host whose `sleep_pstates` has another form cannot sleep. require_sleep_states() then throws.
    // - A host that sleeps in the pstate in which it computes cannot sleep.
    // - If pools, capacities, partitions, `windows` or `limits` cannot be read, the machine has none.
    //   require_resources() throws.
    // Cost: O(hosts * log(groups)).
    explicit Machine(std::span<const Host> hosts, std::vector<Window> windows = {}, std::vector<Limit> limits = {});

    // Throw InputError, which names a host or zone and its property, if the machine could not read it.
    void require_groups() const;
    void require_sleep_states() const;
    void require_resources() const;

    int processors() const { return processors_; }
    // Pools, capacities and partitions.
    const Resources& resources() const { return resources_; }
    // In the order in which they are given.
    const std::vector<Window>& windows() const { return windows_; }
    // What jobs of a user, an account, ... may use of it at once.
    const Limits& limits() const {
        static const Limits none;
        return limits_ ? *limits_ : none;
    }
    // Whether windows are for bookings.
    bool has_bookings() const { return has_bookings_; }
    // What a job takes with this placement, without windows: its processors, and what it states, in the numbers of this
    // machine. Kinds of things that the machine does not have at all are ignored. Or why it could not run even if the
    // machine were empty, as a predicate ("asks for ..."). reason_to_refuse() looks at the rest.
    // Cost: that of Resources::resolve(), and O(licences of the job * log(licences)).
    // `stated`: what counts in place of what the job states besides its processors; null: nothing.
    std::variant<Request, std::string> resolve(const JobDescription& job, Placement placement,
                                               const StatedNeeds* stated) const;
    std::variant<Request, std::string> resolve(const JobDescription& job, Placement placement) const;
    // The same with the windows of its booking, for this walltime. Or why no window can hold it from `now` on. Jobs
    // without a booking need no windows.
    // Cost: O(windows).
    std::variant<Request, std::string> with_windows(Request request, const StatedNeeds& stated, Duration walltime,
                                                    Time now) const;
    // Whether all that is free is a number of processors, now and later: no resources and no windows. There may be
    // limits, which say who may take what is free.
    bool counts_processors() const { return resources_.empty() && windows_.empty(); }
    // The same without limits.
    bool is_plain() const { return counts_processors() && !limits_; }
    // The property `weight` of each host, as it stands; empty if none has one. Only the algorithm slurm looks at it.
    const std::vector<std::string>& host_weights() const { return host_weights_; }
    // From the fastest to the slowest; groups of equal speed by their lowest processor.
    const std::vector<Group>& groups() const { return groups_; }
    // By name.
    const std::vector<License>& licenses() const { return licenses_; }
    // By pstate; empty if no processor can sleep.
    const std::vector<SleepState>& sleep_states() const { return sleep_states_; }
    // All processors that can be put to sleep.
    const ResourceSet& can_sleep() const { return can_sleep_; }
    // Cost: O(log(licences)).
    std::optional<LicenseIndex> find_license(std::string_view name) const;

    // The group of a processor of this machine.
    // Cost: O(1).
    GroupIndex group_number_of(int processor) const;
    const Group& group_of(int processor) const { return groups_[group_number_of(processor)]; }

    // A bit for each group, in words of 64: set if the licence can be used there.
    std::span<const std::uint64_t> groups_with(LicenseIndex license) const { return groups_with_[license]; }

    // Why the machine could not run such a job even if it were empty, as a predicate ("asks for ..."). Empty if it
    // could.
    // Cost: O(groups * licences of the request).
    std::optional<std::string> reason_to_refuse(const Request& request) const;

 private:
    std::vector<LicenseIndex> licenses_named(std::string_view licenses) const;
    void read_groups(std::span<const Host> hosts);
    void refuse_machines_of_several_kinds() const;
    void index_groups();
    bool can_hold(const Window& window, const Request& request) const;
    void read_sleep_states(std::span<const Host> hosts);

    int processors_ = 0;
    std::vector<Group> groups_;
    std::vector<License> licenses_;
    std::vector<SleepState> sleep_states_;
    ResourceSet can_sleep_;
    std::string problem_of_groups_;  // empty: none
    std::string problem_of_sleep_states_;
    Resources resources_;
    std::vector<Window> windows_;
    bool has_bookings_ = false;
    Shared<Limits> limits_;  // none: there are no limits
    std::string problem_of_resources_;
    std::vector<std::string> host_weights_;
    std::vector<GroupIndex> group_of_;  // by processor; empty if there is only one group
    std::vector<std::vector<std::uint64_t>> groups_with_;
};

}  // namespace batfill
