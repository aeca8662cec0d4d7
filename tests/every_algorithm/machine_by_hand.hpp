#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include <batfill/engine/state.hpp>

namespace batfill::tests {

// What is free of a machine over time, computed anew for each question from what runs, is planned and is announced. For
// tests: nothing is kept, and all instants at which something changes are tried.
class MachineByHand {
 public:
    // Who has something: a running job, or one with a planned start.
    struct Use {
        JobIndex job;
        Time from;
        Time until;
        ResourceSet hosts;
        std::optional<std::size_t> window;  // in which it runs
    };

    // With what runs at the end of a round but for these jobs. Jobs that have outlived their estimates end so much
    // after now. `pools`: a flag for each that counts.
    MachineByHand(const SchedulerState& state, std::vector<bool> pools, Duration late = Duration::microseconds(1),
                  const std::set<JobIndex>& without = {}, bool has_windows = true)
        : state_(state), pools_(std::move(pools)), has_windows_(has_windows) {
        pools_.resize(state.machine.resources().pools().size(), true);
        for (const RunningJob& running : state.running) {
            if (!without.contains(running.job)) {
                uses_.push_back({running.job, state.now, std::max(running.end, state.now + late),
                                 state.job(running.job).allocation, state.windows.window_of(running.job)});
            }
        }
    }

    void add(Use use) { uses_.push_back(std::move(use)); }
    const std::vector<Use>& uses() const { return uses_; }

    // What is left of processors at an instant, as a job sees it inside a window or outside; may be less than 0.
    Amount processors_at(Time at, std::optional<std::size_t> inside) const {
        return left_at(
            at, inside, state_.processors - state_.unavailable.size(),
            [&](const Use& use) {
                const Job& job = state_.job(use.job);
                return Amount{job.processors()} - use.hosts.count_common(state_.unavailable);
            },
            [](const Window& window) { return Amount{window.processors}; });
    }
    Amount pool_at(std::size_t pool, Time at, std::optional<std::size_t> inside) const {
        return left_at(
            at, inside, state_.machine.resources().pools()[pool].total,
            [&](const Use& use) {
                const std::vector<Amount>& held = state_.job(use.job).request.pools();
                return held.empty() ? Amount{0} : held[pool];
            },
            [pool](const Window& window) {
                return window.pool_amounts.empty() ? Amount{0} : window.pool_amounts[pool];
            });
    }
    // What is left of a capacity on a host.
    Amount capacity_at(int host, std::size_t capacity, Time at) const {
        Amount left = state_.machine.resources().kind_of(host).capacity[capacity];
        for (const Use& use : uses_) {
            const std::vector<Amount>& held = state_.job(use.job).request.per_host();
            if (is_at(use.from, use.until, at) && use.hosts.contains(host)) {
                left -= held.empty() ? state_.machine.resources().kind_of(host).capacity[capacity] : held[capacity];
            }
        }
        return left;
    }
    bool is_used_at(int host, Time at) const {
        return std::ranges::any_of(
            uses_, [&](const Use& use) { return is_at(use.from, use.until, at) && use.hosts.contains(host); });
    }
    // Whether a window takes this host then, other than the own one.
    bool is_closed_at(int host, Time at, std::optional<std::size_t> inside) const {
        for (std::size_t number = 0; number < windows().size(); ++number) {
            const Window& window = windows()[number];
            if (number != inside && is_known(window) && is_at(window.from, window.until, at) &&
                window.hosts.contains(host)) {
                return true;
            }
        }
        return false;
    }
    bool host_fits_at(const Request& request, int host, Time at, std::optional<std::size_t> inside) const {
        const Request::Details& needs = request.details_or_none();
        const Resources::HostKind& kind = state_.machine.resources().kind_of(host);
        if (!kind.suits(request) || state_.unavailable.contains(host) || is_closed_at(host, at, inside) ||
            (inside && !windows()[*inside].hosts.empty() && !windows()[*inside].hosts.contains(host)) ||
            (needs.per_host.empty() && is_used_at(host, at))) {
            return false;
        }
        for (std::size_t capacity = 0; capacity < needs.per_host.size(); ++capacity) {
            if (needs.per_host[capacity] > 0 && needs.per_host[capacity] > capacity_at(host, capacity, at)) {
                return false;
            }
        }
        return true;
    }
    // Hosts on which the job could run during [at, at + length).
    int hosts_for(const Request& request, Time at, Duration length, std::optional<std::size_t> inside) const {
        int hosts = 0;
        for (int host = 0; host < state_.processors; ++host) {
            hosts += always(at, length, [&](Time t) { return host_fits_at(request, host, t, inside); }) ? 1 : 0;
        }
        return hosts;
    }

    bool fits_in(const Request& request, Duration length, Time at, std::optional<std::size_t> inside) const {
        const std::vector<Amount>& pools = request.pools();
        return always(at, length,
                      [&](Time t) {
                          for (std::size_t pool = 0; pool < pools.size(); ++pool) {
                              if (pools_[pool] && pools[pool] > 0 && pools[pool] > pool_at(pool, t, inside)) {
                                  return false;
                              }
                          }
                          return has_named_hosts() || request.processors <= processors_at(t, inside);
                      }) &&
               (!has_named_hosts() || hosts_for(request, at, length, inside) >= request.processors);
    }
    // The first of its windows in which a job in a reservation could run then.
    std::optional<std::size_t> window_for(const Request& request, Duration length, Time at) const {
        for (const std::size_t number : request.windows()) {
            const Window& window = windows()[number];
            if (is_known(window) && window.from <= at && at + request.length_inside() <= window.until &&
                fits_in(request, length, at, number)) {
                return number;
            }
        }
        return std::nullopt;
    }
    bool fits(const Request& request, Duration length, Time at) const {
        return is_outside(request) ? fits_in(request, length, at, std::nullopt)
                                   : window_for(request, length, at).has_value();
    }
    // The first instant from now on at which the job could start.
    Time earliest(const Request& request, Duration length) const {
        for (const Time at : instants()) {
            if (fits(request, length, at)) {
                return at;
            }
        }
        return Time::infinity();
    }

    static bool is_outside(const Request& request) { return !request.is_booked(); }
    bool has_named_hosts() const { return state_.hosts.are_named(); }
    // Now, and all later instants at which something changes.
    std::set<Time> instants() const {
        std::set<Time> instants{state_.now};
        const auto add = [&](Time time) {
            if (time > state_.now && !time.is_infinite()) {
                instants.insert(time);
            }
        };
        for (const Use& use : uses_) {
            add(use.from);
            add(use.until);
        }
        for (const Window& window : windows()) {
            add(window.from);
            add(window.until);
        }
        return instants;
    }

 private:
    const std::vector<Window>& windows() const { return state_.machine.windows(); }
    bool is_known(const Window& window) const { return has_windows_ && window.announced <= state_.now; }
    static bool is_at(Time from, Time until, Time at) { return from <= at && at < until; }
    bool always(Time at, Duration length, const std::function<bool(Time)>& holds) const {
        if (!holds(at)) {
            return false;
        }
        return std::ranges::all_of(
            instants(), [&](Time instant) { return instant <= at || instant >= at + length || holds(instant); });
    }
    // What windows name is theirs: jobs inside take of it as long as the window lasts.
    Amount left_at(Time at, std::optional<std::size_t> inside, Amount total,
                   const std::function<Amount(const Use&)>& of_use,
                   const std::function<Amount(const Window&)>& of_window) const {
        const auto has = [&](std::size_t number) {
            return is_known(windows()[number]) && is_at(windows()[number].from, windows()[number].until, at) &&
                   of_window(windows()[number]) > 0;
        };
        Amount rest = inside && has(*inside) ? of_window(windows()[*inside]) : 0;
        for (const Use& use : uses_) {
            if (!is_at(use.from, use.until, at)) {
                continue;
            }
            if (use.window && has(*use.window)) {
                rest -= use.window == inside ? of_use(use) : 0;
            } else {
                total -= of_use(use);
            }
        }
        for (std::size_t number = 0; number < windows().size(); ++number) {
            total -= has(number) ? of_window(windows()[number]) : 0;
        }
        return inside && has(*inside) ? std::min(rest, total + rest) : total;
    }

    const SchedulerState& state_;
    std::vector<bool> pools_;
    bool has_windows_;
    std::vector<Use> uses_;
};

}  // namespace batfill::tests
