#pragma once

#include <string>

#include <batfill/core/time.hpp>
#include <batfill/formats/platform.hpp>

namespace batfill {

// What the simulator does in one way or another, depending on the version of Batsim that it is like. docs/batsim5.md
// tells what is known of each. The defaults are Batsim 4's, as docs/simulator.md has them.
struct SimulatorRules {
    // A number in the name of a host counts as a number when hosts are numbered: n9 comes before n10.
    bool numbers_in_host_names = false;
    // A CALL_ME_LATER comes at a whole number of these, rounded up.
    Duration unit_of_calls = Duration::microseconds(1);
    // A call for a time that is not in the future comes at once, in the same instant. Otherwise it is an error.
    bool past_calls_come_at_once = false;
    // The jobs that are submitted at time 0 are there before what the reply to the first message decides.
    bool submissions_before_first_reply = false;
    // Jobs of one instant are told in several messages where the clock, a sum of doubles, is a little behind their
    // submission time. The scheduler speaks JSON: where twelve decimals are later than the clock, its reply moves it
    // up.
    bool clock_of_doubles = false;
    // In the sums of times by state, a machine computes from the start of its first job on, and whether it is available
    // does not count.
    bool machine_times_of_batsim5 = false;
    // The files are PREFIXjobs.csv and PREFIXschedule.json as Batsim 5 writes them, not PREFIX_jobs.csv and
    // PREFIX_schedule.csv.
    bool files_of_batsim5 = false;
};

inline constexpr const char* default_simulator_rules = "batsim4";

// The rules of this name. Throws UsageError that lists the known names.
SimulatorRules simulator_rules(const std::string& like);

// Puts the hosts of a platform into the order in which the rules number them. O(n log n) for n hosts.
void number_hosts(Platform& platform, const SimulatorRules& rules);

}  // namespace batfill
