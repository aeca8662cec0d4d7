#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>

#include "python/src/round_view.hpp"

namespace batfill::python {

// What is free over time, of processors or of several amounts. Times are not before the origin, and intervals are not
// empty.
class FreeOverTime {
 public:
    using Amounts = std::vector<Amount>;

    FreeOverTime() = default;
    virtual ~FreeOverTime() = default;
    FreeOverTime(const FreeOverTime&) = delete;
    FreeOverTime& operator=(const FreeOverTime&) = delete;

    virtual Time origin() const = 0;
    virtual int processors() const = 0;
    // What there is in all, by name.
    virtual nb::dict amounts() const = 0;
    // What Python asks for. Code of the value may run, and may change this object: read values before times.
    // Throws: UsageError for what cannot be asked for.
    virtual Amounts read(nb::handle wanted) const = 0;
    // `wanted` is what read() gave.
    virtual Time earliest(const Amounts& wanted, Duration length, Time from) const = 0;
    // Throws: UsageError, and changes nothing, if so much is not free, or not taken.
    virtual void take(const Amounts& wanted, Time from, Time to) = 0;
    virtual void give(const Amounts& wanted, Time from, Time to) = 0;
    virtual void advance(Time now) = 0;
    virtual nb::object free_at(Time time) const = 0;
    virtual nb::object steps() const = 0;
    // For pickle and copies. Times are texts, which are exact.
    virtual nb::tuple state() const = 0;
};

// Of processors alone.
std::unique_ptr<FreeOverTime> free_processors(int processors, Time start);
// That of the running jobs.
std::unique_ptr<FreeOverTime> free_processors(const SchedulerState& state);
// Of several amounts by name: a dict.
// Throws: UsageError for another object.
std::unique_ptr<FreeOverTime> free_amounts(nb::handle amounts, Time start);
// What state() gave.
// Throws: InputError for another state.
std::unique_ptr<FreeOverTime> free_processors_of_state(const nb::tuple& state);
std::unique_ptr<FreeOverTime> free_amounts_of_state(const nb::tuple& state);

// Throws: InputError unless a pickle has what a profile has.
void require_profile(bool holds);
// Calls `take` with the time of each step of a pickle, and what is free from it on.
// Throws: InputError for what is no tuple of pairs.
void for_each_step(nb::handle steps, const std::function<void(Time, nb::handle)>& take);
std::string interval_text(Time from, Time to);

// The availability profile of a round, or one of a scheduler's own.
class ProfileView {
 public:
    // That of the running jobs. Valid until the end of the round.
    explicit ProfileView(const SharedRound& view) : round_(view), free_(free_processors(round_->state())) {}
    explicit ProfileView(std::unique_ptr<FreeOverTime> free) : free_(std::move(free)) {}

    int processors() const { return free_->processors(); }
    nb::dict amounts() const { return free_->amounts(); }
    double now() const;
    double earliest(nb::handle wanted, nb::handle duration, nb::handle after) const;
    void take(nb::handle wanted, nb::handle start, nb::handle duration);
    void give(nb::handle wanted, nb::handle start, nb::handle duration);
    void advance(nb::handle time);
    nb::object free_at(nb::handle time) const;
    nb::object steps() const { return free().steps(); }

    // For pickle and copies.
    nb::tuple state() const;
    static ProfileView of_state(const nb::tuple& state);

 private:
    // An interval that is not in the past; none if it is empty.
    std::optional<std::pair<Time, Time>> interval_of(nb::handle start, nb::handle duration) const;
    Time time_from_now(nb::handle seconds, const char* name) const;
    // Throws: UsageError if it is of a round that is over.
    const FreeOverTime& free() const;

    std::optional<OfRound> round_;  // none: a scheduler's own
    std::unique_ptr<FreeOverTime> free_;
};

// Adds the class to the module.
void bind_profiles(nb::module_& module);

}  // namespace batfill::python
