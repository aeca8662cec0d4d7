#pragma once

#include <span>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/formats/platform.hpp>

namespace batfill::analysis {

// When each processor of a machine is unavailable.
class Outages {
 public:
    struct Outage {
        Time from;
        Time until;  // infinite if the processor does not come back

        // "from 10.000000 to 20.000000", or "from 10.000000 on".
        std::string to_string() const;
    };

    // `event_lists`, one for each events file, each in the order of time. Throws InputError for a processor that the
    // machine does not have, that goes when it is gone, or that comes back when it is there. O(n log n), where n counts
    // the events and the processors that they name.
    Outages(const std::vector<std::vector<ExternalEvent>>& event_lists, int processors);

    bool empty() const { return outages_.empty(); }
    // Those of a processor that end after `time`, in the order of time. Requires that outages are not empty().
    // O(log n).
    std::span<const Outage> not_over_at(int processor, Time time) const;

 private:
    void change(const ExternalEvent& event, int processors);

    std::vector<std::vector<Outage>> outages_;  // of each processor; empty if there are none at all
};

}  // namespace batfill::analysis
