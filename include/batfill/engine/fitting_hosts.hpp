#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/engine/hosts_now.hpp>

namespace batfill {

// The hosts that have now what a job takes of each of its hosts.
struct FittingHosts {
    std::vector<bool> is_in;  // by host
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
            look_at_all(hosts, request, known.fitting);
        } else {
            for (const int host : *changed) {
                auto is_in = known.fitting.is_in[static_cast<std::size_t>(host)];
                const bool fits = hosts.fits(request, host);
                known.fitting.count += (fits ? 1 : 0) - (is_in ? 1 : 0);
                is_in = fits;
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

    static void look_at_all(const HostsNow& hosts, const Request& request, FittingHosts& fitting) {
        fitting = {std::vector<bool>(static_cast<std::size_t>(hosts.size())), 0};
        for (int host = hosts.next_fitting(request, 0); host < hosts.size();
             host = hosts.next_fitting(request, host + 1)) {
            fitting.is_in[static_cast<std::size_t>(host)] = true;
            ++fitting.count;
        }
    }

    std::vector<Known> known_;  // by JobIndex
};

}  // namespace batfill
