#pragma once

#include <span>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/formats/platform.hpp>

namespace batfill::analysis {

// The times at which each processor of a machine is unavailable.
class Outages {
 public:
    struct Outage {
        Time from;
        Time until;  // infinite if the processor never returns

        // "from 10.000000 to 20.000000", or "from 10.000000 on".
        std::string to_string() const;
    };

    // `event_lists` has one list per events file, each in the order of time.
    // Throws: InputError for a processor that the machine does not have, that leaves while it is away, or that returns
    // while it is present.
    // Cost: O(n log n), where n counts the events and the processors that they name.
    Outages(const std::vector<std::vector<ExternalEvent>>& event_lists, int processors);

    bool empty() const { return outages_.empty(); }
    // Returns the outages of a processor that end after `time`, in the order of time.
    // Requires: not empty().
    // Cost: O(log n).
    std::span<const Outage> not_over_at(int processor, Time time) const;

 private:
    void change(const ExternalEvent& event, int processors);

    std::vector<std::vector<Outage>> outages_;  // of each processor; empty if no processor has an outage
};

}  // namespace batfill::analysis
