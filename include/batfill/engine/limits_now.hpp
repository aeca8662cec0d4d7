#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>

namespace batfill {

// What is left of the limits of a machine at this instant. A limit of an amount for one combination of values, such as
// the processors of user alice, is like a pool that is never planned.
// Memory: only of limits of jobs that wait or run.
class LimitsNow {
 public:
    // No limits: is_on() is false, and no job takes of any.
    LimitsNow() = default;
    // Requires: `machine` outlives this object.
    explicit LimitsNow(const Machine& machine);

    bool is_on() const { return machine_ != nullptr; }

    // Why a job could not even run alone, as a predicate. None: it could.
    std::optional<std::string> reason_to_refuse(const JobDescription& job, const Request& request) const;
    // A job begins to wait. Returns its request with what it takes of limits.
    // Cost: that of Limits::bounds_for().
    Request enter(const JobDescription& job, Request request);
    // A job that has entered does not wait or run any more.
    void leave(const Request& request);

    // Whether what the job takes is left.
    // Cost: O(what it takes of).
    bool allow(const Request& request) const {
        return std::ranges::all_of(
            request.limits(), [this](const LimitShare& share) { return share.amount <= in_use_[share.limit].left; });
    }
    void take(const Request& request) { change(request, -1); }
    void give(const Request& request) { change(request, 1); }

    // ---- For explanations

    Amount left(const LimitShare& share) const { return in_use_[share.limit].left; }
    Amount most(const LimitShare& share) const { return in_use_[share.limit].most; }
    // What it counts, such as "processors".
    const std::string& counted(const LimitShare& share) const;
    // "limit 1, user alice", for a job that takes of it.
    std::string name(const LimitShare& share, const JobDescription& job) const;

 private:
    struct InUse {
        std::string key;  // in numbers_
        std::size_t limit = 0;
        std::size_t name = 0;
        Amount most = 0;
        Amount left = 0;
        std::uint32_t jobs = 0;  // that wait or run
    };
    void change(const Request& request, int sign) {
        for (const LimitShare& share : request.limits()) {
            in_use_[share.limit].left += sign * share.amount;
        }
    }
    std::uint32_t number_of(const Limits::Bound& bound);

    const Machine* machine_ = nullptr;  // null: no limits
    std::vector<InUse> in_use_;
    std::vector<std::uint32_t> free_;                         // numbers that nobody uses
    std::unordered_map<std::string, std::uint32_t> numbers_;  // by Limits::Bound::key; only looked up
};

}  // namespace batfill
