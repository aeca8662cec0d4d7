#pragma once

#include <map>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/hosts_now.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// Remembers of waiting jobs that too few hosts had what they take, and looks again only at hosts that got something
// back since. A job that waits for hosts costs what the others give back, and not the machine.
class HostShortages {
 public:
    // Whether enough hosts have now what the waiting job takes.
    // Requires: hosts.is_on(). Always the same hosts.
    // Cost: O(hosts that got something back since the last call for the job), or O(hosts) if they may be enough.
    bool has_enough(const HostsNow& hosts, JobIndex job, const Request& request) {
        const auto found = shortages_.find(job);
        if (found != shortages_.end() && !may_be_enough(hosts, request, found->second)) {
            return false;
        }
        const int fitting = hosts.count_fitting(request);
        if (fitting < request.processors) {
            shortages_[job] = {hosts.gains(), fitting};
        } else if (found != shortages_.end()) {
            shortages_.erase(found);
        }
        return fitting == request.processors;
    }
    // The job does not wait any more.
    void forget(JobIndex job) { shortages_.erase(job); }

 private:
    struct Shortage {
        std::uint64_t since;  // HostsNow::gains()
        int most;             // hosts that had what the job takes then; more, if it was not counted anew
    };

    static bool may_be_enough(const HostsNow& hosts, const Request& request, Shortage& shortage) {
        const auto gained = hosts.gained_since(shortage.since);
        if (!gained) {
            return true;
        }
        for (const int host : *gained) {
            shortage.most += hosts.fits(request, host) ? 1 : 0;
        }
        shortage.since = hosts.gains();
        return shortage.most >= request.processors;
    }

    std::map<JobIndex, Shortage> shortages_;
};

}  // namespace batfill
