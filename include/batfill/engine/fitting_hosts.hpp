#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/engine/host_index.hpp>
#include <batfill/engine/hosts_now.hpp>

namespace batfill {

// The hosts that have now what a job takes of each of its hosts.
struct FittingHosts {
    HostIndex::Bits hosts;
    int count = 0;
};

// Remembers them for waiting jobs, and looks again only at hosts that have changed since. A job that waits for hosts
// costs what others take and give back, and not the machine.
class FittingHostsOfJobs {
 public:
    // Requires: hosts.are_named(). Always the same hosts. The job waits.
    // Cost: O(hosts that have changed since the last call for the job); O(hosts) for the first one.
    const FittingHosts& of(const HostsNow& hosts, JobIndex job, const Request& request) {
        if (known_.size() <= job) {
            known_.resize(std::size_t{job} + 1);
        }
        Known& known = known_[job];
        const auto changed = hosts.changed_since(known.until);
        if (!changed) {
            known.fitting.hosts = hosts.all_fitting(request);
            known.fitting.count = HostIndex::count(known.fitting.hosts);
        } else {
            const Request::Details& taken = request.details_or_none();
            for (const int host : *changed) {
                const bool was_in = HostIndex::has(known.fitting.hosts, host);
                const bool fits = hosts.fits(taken, host);
                if (fits != was_in) {
                    fits ? HostIndex::insert(known.fitting.hosts, host) : HostIndex::erase(known.fitting.hosts, host);
                    known.fitting.count += fits ? 1 : -1;
                }
            }
        }
        known.until = hosts.changes();
        return known.fitting;
    }
    // The job does not wait any more.
    void forget(JobIndex job) {
        if (job < known_.size()) {
            known_[job] = {};
        }
    }

 private:
    struct Known {
        std::uint64_t until = 0;  // HostsNow::changes()
        FittingHosts fitting;
    };

    std::vector<Known> known_;  // by JobIndex
};

}  // namespace batfill
