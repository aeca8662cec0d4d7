#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/amount_profile.hpp>

#include "python/src/round_view.hpp"

namespace batfill::python {

// The availability profile of a round, or one of a scheduler's own: of processors, which are a number for Python, or of
// several amounts by name, which are a dict. Times are not before the origin.
class ProfileView {
 public:
    // That of the running jobs. Valid until the end of the round.
    explicit ProfileView(const SharedRound& view);
    // All that Python names is free from `start` on.
    // Throws: UsageError for what are no amounts.
    ProfileView(nb::handle all, Time start);

    // What there is in all: of processors, and by name.
    int processors() const;
    nb::dict amounts() const;
    double now() const;
    double earliest(nb::handle wanted, nb::handle duration, nb::handle after) const;
    void take(nb::handle wanted, nb::handle start, nb::handle duration) { change(wanted, start, duration, -1); }
    void give(nb::handle wanted, nb::handle start, nb::handle duration) { change(wanted, start, duration, 1); }
    void advance(nb::handle time);
    nb::object free_at(nb::handle time) const;
    nb::object steps() const;

    // What it is made of, for pickle and copies.
    struct Parts {
        bool counts_processors = true;
        StatedNeeds::Amounts all = {};
        std::vector<std::pair<Time, std::vector<Amount>>> steps = {};  // what is free from each instant on
    };
    explicit ProfileView(Parts parts);
    // Throws: TypeError (Python) if it is that of a round.
    Parts parts() const;

 private:
    // Throws: UsageError if it is of a round that is over.
    const AmountProfile& free() const;
    // What Python asks for. Code of the value may run, and may change this object: read values before times.
    // Throws: UsageError for what cannot be asked for.
    std::vector<Amount> read(nb::handle wanted) const;
    Time time_from_now(nb::handle seconds, const char* name) const;
    // Takes, or gives back with a sign of 1.
    // Throws: UsageError, and changes nothing, if so much is not free, or not taken.
    void change(nb::handle wanted, nb::handle start, nb::handle duration, int sign);
    // What Python gets, of what `of` makes of the number of an amount.
    nb::object by_name(auto of) const;

    std::optional<OfRound> round_;  // none: a scheduler's own
    bool counts_processors_;        // and nothing else
    StatedNeeds::Amounts all_;
    AmountProfile free_;  // in the order of `all_`
};

// Adds the class to the module.
void bind_profiles(nb::module_& module);

}  // namespace batfill::python
