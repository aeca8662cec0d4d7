#pragma once

#include <string>

#include <batfill/core/time.hpp>
#include <batfill/formats/platform.hpp>

namespace batfill {

// Behaviour of the simulator that depends on the version of Batsim that it imitates. docs/batsim5.md tells what is
// known of each version. The defaults are Batsim 4's, as in docs/simulator.md.
struct SimulatorRules {
    // A number within the name of a host counts as a number when hosts are numbered: n9 comes before n10.
    bool numbers_in_host_names = false;
    // The time of a CALL_ME_LATER is rounded up to a multiple of this.
    Duration unit_of_calls = Duration::microseconds(1);
    // A call for a time that is not in the future comes at once, at the same instant. If not set, it is an error.
    bool past_calls_come_at_once = false;
    // Jobs with submission time 0 are submitted before the decisions of the reply to the first message.
    bool submissions_before_first_reply = false;
    // The clock is a sum of doubles. If it is slightly behind the submission time of jobs of one instant, several
    // messages report them. The scheduler speaks JSON: if the clock's time with twelve decimals is later than the
    // clock, the reply advances the clock to it.
    bool clock_of_doubles = false;
    // In the sums of times by state, a machine computes from the start of its first job on, and its availability does
    // not matter.
    bool machine_times_of_batsim5 = false;
    // The files are PREFIXjobs.csv and PREFIXschedule.json as Batsim 5 writes them, instead of PREFIX_jobs.csv and
    // PREFIX_schedule.csv.
    bool files_of_batsim5 = false;
};

inline constexpr const char* default_simulator_rules = "batsim4";

// The rules of this name.
// Throws: UsageError, which lists the known names, if there are none.
SimulatorRules simulator_rules(const std::string& like);

// Sorts the hosts of a platform into the order in which the rules number them.
// Cost: O(n log n) for n hosts.
void number_hosts(Platform& platform, const SimulatorRules& rules);

}  // namespace batfill
