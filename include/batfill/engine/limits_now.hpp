#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>

namespace batfill {

// What is left of the limits of a machine at this instant. A limit of an amount for one combination of values, such as
// the processors of user alice, is like a pool that is never planned.
// Jobs that take the same amounts of the same limits are a class: a limit holds all of them or none.
// Memory: only of limits and classes of jobs that wait or run.
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
    // Cost: that of Limits::bounds_for(), and O(classes of the limit with the fewest).
    Request enter(const JobDescription& job, Request request);
    // A job that has entered does not wait or run any more.
    void leave(const Request& request);

    // Whether what the job takes is left.
    // Cost: O(1).
    bool allow(const Request& request) const {
        return request.limits().empty() || !holds(request.details->limit_class);
    }
    // Whether a limit holds the jobs of this class.
    bool holds(std::uint32_t limit_class) const { return classes_[limit_class].lacking > 0; }
    // Passes the classes for which holds() may have changed since the last call to `take`, each once.
    template <class Take>
    void for_each_change(Take take) const {
        for (const std::uint32_t number : changed_) {
            classes_[number].is_changed = false;
            take(number);
        }
        changed_.clear();
    }

    // A job starts, or ends.
    // Cost: for each limit that it takes of, O(log(classes of the limit)), and O(1) for each class that the limit
    // begins or ceases to hold.
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
        // The classes that take of it, by what each takes.
        std::vector<std::pair<Amount, std::uint32_t>> classes = {};
    };
    struct Class {
        Shared<Request::Details> details = {};  // of a job that takes nothing besides
        std::uint32_t jobs = 0;                 // that wait or run
        std::uint32_t lacking = 0;              // limits of which less is left than each job takes
        mutable bool is_changed = false;        // whether it is in changed_
    };
    void change(const Request& request, int sign);
    // The limits that hold a class are one more or one fewer.
    void count(std::uint32_t limit_class, int sign);
    std::uint32_t number_of(const Limits::Bound& bound);
    std::uint32_t class_of(const std::vector<LimitShare>& shares);

    const Machine* machine_ = nullptr;  // null: no limits
    std::vector<InUse> in_use_;
    std::vector<std::uint32_t> free_;                         // numbers that nobody uses
    std::unordered_map<std::string, std::uint32_t> numbers_;  // by Limits::Bound::key; only looked up
    std::vector<Class> classes_;
    std::vector<std::uint32_t> free_classes_;     // likewise
    mutable std::vector<std::uint32_t> changed_;  // classes
};

}  // namespace batfill
