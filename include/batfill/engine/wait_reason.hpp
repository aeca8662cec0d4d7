#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// Why a job still waits at the end of a round, or what has ended its wait. Jobs are named by their ids.
struct WaitReason {
    enum class Kind {
        processors,   // fewer are idle than it needs
        place,        // enough are idle, but not as its placement requires
        license,      // all copies of one of its licences are in use
        pool,         // too little is left of a pool of the machine
        hosts,        // hosts have names, and too few have what it takes of each
        dependency,   // it is not eligible yet: what it waits for has not happened (StatedNeeds::after)
        window,       // it would run into a window, or is in a booking that has no room for it
        passed_over,  // it could start, and the algorithm does not start it
        started,      // from here on: its wait has ended
        rejected,
    };
    // A running job that holds what the waiting job lacks.
    struct Holder {
        std::string job;
        int processors = 0;  // that it gives back when it ends
        Time until;          // by the estimates
        friend bool operator==(const Holder&, const Holder&) = default;
    };

    std::string job;
    Time time;                 // of the first round with this reason
    std::uint64_t rounds = 1;  // with this reason, one after another
    Kind kind = Kind::passed_over;
    int needed = 0;  // processors
    int idle = 0;    // processors; of a job that waits for named hosts, those that have what it takes
    std::string license;
    // What it takes of pools and of named hosts, what of it is free, and who holds the rest, as a clause: "it takes
    // ...". Empty if it takes only processors, and hosts have no names. Of a job that is not eligible yet, the
    // conditions that do not hold: "it waits for ok:12 (it runs), any:13+600 (at 4200)".
    std::string lack;
    // The announced windows in its way, up to its end if it started now or, if that is later and known, at `possible`:
    // "window service takes hosts 0-3 from 100 until 200". Of a booked job, those that are for it, too.
    std::string windows;
    // The running jobs that will give it what it lacks if nothing else starts and there were no windows, by estimated
    // end; and the last of their ends, infinite if even the end of all jobs is not enough, or it waits for a window.
    std::vector<Holder> holders;
    Time possible;
    // Its place among the waiting jobs by submission, from 1 on, and their number. Both are 0 for a job that is not
    // eligible yet.
    std::size_t place = 0;
    std::size_t waiting = 0;
    // What the algorithm says, or why the job is rejected. Begins with the name of the rule, up to a colon if there is
    // one.
    std::string because;
};

// The instant in seconds; "never" if it is infinite.
std::string instant_text(Time time);

// Where a job is to run: " on hosts 0-3 7", or " on 40 hosts" if they are scattered. Empty without hosts.
std::string place_text(const ResourceSet& hosts);

// "processors", "place", "licence", "pool", "hosts", "dependency", "window", "passed over", "started" or "rejected".
const char* to_string(WaitReason::Kind kind);

}  // namespace batfill
