#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <batfill/engine/state.hpp>
#include <batfill/engine/wait_reason.hpp>

namespace batfill {

// What a waiting job lacks now of the pools and the named hosts of a machine (Resources), and who holds it.
// Requires: state and request outlive this object and do not change.
class Lack {
 public:
    // Cost: O(pools + hosts).
    Lack(const SchedulerState& state, const Request& request);

    bool has_pools() const { return !pools_.empty(); }
    bool has_hosts() const { return hosts_on_ && fitting_ < request_.processors; }
    // Named hosts that have now what the job takes of each.
    int fitting() const { return fitting_; }

    // Whether a running job holds some of it.
    bool is_held_by(const Job& running) const;
    // As a reason says it. Names a few jobs and one host. If hosts are named and enough, says so. Empty on a machine
    // without resources, or if only processors lack.
    WaitReason::Lack data(const std::function<std::string(const Job&)>& name) const;

 private:
    bool is_whole() const { return needs_.per_host.empty(); }
    // What a running job holds of a capacity on one of its hosts.
    Amount held_of(const Job& running, std::size_t capacity, int host) const;
    bool lacks_on(int host, std::size_t capacity) const;
    Shares shares(const std::function<std::string(const Job&)>& name,
                  const std::function<Amount(const Job&)>& amount) const;
    WaitReason::Hosts hosts_lack(const std::function<std::string(const Job&)>& name) const;
    void add_short_capacity(const std::function<std::string(const Job&)>& name, WaitReason::Hosts& hosts) const;

    const SchedulerState& state_;
    const Request& request_;
    const Needs& needs_;
    const Resources& resources_;
    bool hosts_on_;
    std::vector<std::size_t> pools_;  // those with too little left
    std::size_t suitable_ = 0;        // hosts that would do if they were empty
    int fitting_ = 0;
    std::vector<int> short_;  // the suitable hosts that do not fit now, increasing
};

}  // namespace batfill
