#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/machine.hpp>
#include <batfill/core/request.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/core/window.hpp>
#include <batfill/engine/availability_profile.hpp>
#include <batfill/engine/wait_reason.hpp>

namespace batfill {

// What is free over time of all that is only counted: processors, if hosts have no names, and some pools. A column for
// each of them. Jobs ask for it by their requests.
// Cost, with c columns: c times that of AvailabilityProfile, where nothing else is said.
class CountedProfile {
 public:
    // The whole machine, free from `origin` on.
    CountedProfile(const Machine& machine, Time origin, const std::vector<std::size_t>& pools);
    // What this window takes of it, free from `origin` on.
    CountedProfile taken_by(const Window& window, Time origin) const;

    void advance(Time now) {
        origin_ = now;
        if (processors_) {
            processors_->advance(now);
        }
        for (Pool& pool : pools_) {
            pool.free.advance(now);
        }
    }

    // Adds `sign` times what the request takes during [from, to), with this number of processors.
    void add(const Request& request, int processors, Time from, Time to, int sign) {
        if (processors_) {
            processors_->add(from, to, sign * processors);
        }
        if (!pools_.empty() && !request.pools().empty()) {
            add_pools(request, from, to, sign);
        }
    }
    // The same only of what the window names, or only of what it does not name.
    void add_part(const Window& window, bool named, const Request& request, int processors, Time from, Time to,
                  int sign);
    // Takes what the window takes.
    void take(const Window& window);
    // Takes processors, if they are counted, from the origin on.
    void take_for_ever(int processors);

    // As AvailabilityProfile::earliest(), for all that the request takes.
    // Cost: several searches of each column if more than one of them is scarce.
    Time earliest(const Request& request, Duration length, Time from, Time before = Time::infinity(),
                  Time limit = Time::infinity()) const {
        if (pools_.empty() && processors_) {
            return processors_->earliest(from, length, request.processors, limit, before);
        }
        return earliest_of_columns(request, length, from, before, limit);
    }
    bool fits(const Request& request, Duration length, Time at) const {
        return earliest(request, length, at, at + Duration::microseconds(1)) == at;
    }
    // The first thing that is too little during [at, at + length).
    // Cost: O(steps).
    std::optional<Shortage> shortage(const Request& request, Duration length, Time at) const;

    // What the window names is free during it as far as the window has it left, and as far as the machine, which may
    // lack some, has it beside this window's share.
    void open(const Window& window, const CountedProfile& left_inside);

    bool has_pool(std::size_t pool) const { return std::ranges::find(pools_, pool, &Pool::number) != pools_.end(); }
    // Adds a column for another pool, of which so much is free from the origin on.
    void add_pool(std::size_t pool, const std::string& name, Amount free);
    // The column of a pool.
    // Requires: has_pool().
    std::size_t column_of(std::size_t pool) const {
        return static_cast<std::size_t>(std::ranges::find(pools_, pool, &Pool::number) - pools_.begin()) +
               (processors_ ? 1U : 0U);
    }
    // Takes of one column, that of a pool, what the request takes during [from, to).
    void take_of(std::size_t column, const Request& request, Time from, Time to);

    // Whether the request takes of a pool here.
    bool takes_of_pools(const Request& request) const;
    // Requires: processors are counted.
    const AvailabilityProfile& processors() const { return *processors_; }
    // How many columns there are.
    std::size_t columns() const { return (processors_ ? 1U : 0U) + pools_.size(); }
    // Calls `use` with the number of each column, its profile, and a function that says what a request for a number of
    // processors takes of it.
    template <class Use>
    void each_column(Use use) const {
        std::size_t column = 0;
        if (processors_) {
            use(column++, *processors_, [](int processors, const Request*) { return processors; });
        }
        for (const Pool& pool : pools_) {
            use(column++, pool.free, [&pool](int, const Request* request) { return request->of_pool(pool.number); });
        }
    }

 private:
    struct Pool {
        std::size_t number;
        std::string name;
        PoolProfile free;
        void add(const Request& request, Time from, Time to, int sign) {
            free.add(from, to, sign * request.of_pool(number));
        }
    };
    CountedProfile() = default;
    void add_pools(const Request& request, Time from, Time to, int sign);
    Time earliest_of_columns(const Request& request, Duration length, Time from, Time before, Time limit) const;

    Time origin_;
    std::optional<AvailabilityProfile> processors_;  // none: hosts have names
    std::vector<Pool> pools_;                        // by number
};

}  // namespace batfill
