#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <batfill/engine/state.hpp>

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
    // "it takes 30 of the pool power; 10 of 100 are free, as job a holds 90 until 200". Names a few jobs and one host.
    // If hosts are named and enough, says so. Empty on a machine without resources, or if only processors lack.
    std::string text(const std::function<std::string(const Job&)>& name) const;

 private:
    bool is_whole() const { return needs_.per_host.empty(); }
    // What a running job holds of a capacity on one of its hosts.
    Amount held_of(const Job& running, std::size_t capacity, int host) const;
    bool lacks_on(int host, std::size_t capacity) const;
    // "job a holds 4 until 100", by the amounts, the largest first; of many, only a few.
    std::vector<std::string> shares(const std::function<std::string(const Job&)>& name,
                                    const std::function<Amount(const Job&)>& amount) const;
    std::string pool_text(std::size_t pool, const std::function<std::string(const Job&)>& name) const;
    std::string hosts_text(const std::function<std::string(const Job&)>& name) const;
    std::string short_hosts_text(const std::function<std::string(const Job&)>& name) const;
    std::string needed_hosts_text() const;

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
