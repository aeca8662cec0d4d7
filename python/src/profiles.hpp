#pragma once

#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

#include <batfill/planning/availability_profile.hpp>

#include "python/src/round_view.hpp"

namespace batfill::python {

// The availability profile of a round, or one of a scheduler's own.
class ProfileView {
 public:
    // That of the running jobs. Valid until the end of the round.
    explicit ProfileView(const SharedRound& view);
    // All processors are free from `start` on.
    ProfileView(int processors, Time start) : processors_(processors), profile_(start, processors) {}

    int processors() const { return processors_; }
    double now() const;
    double earliest(nb::handle processors, nb::handle duration, nb::handle after) const;
    void take(nb::handle processors, nb::handle start, nb::handle duration);
    void give(nb::handle processors, nb::handle start, nb::handle duration);
    void advance(nb::handle time);
    int free_at(nb::handle time) const;
    // Arrays of times and of free processors.
    nb::object steps() const;

    // For pickle and copies.
    nb::tuple state() const;
    static ProfileView of_state(const nb::tuple& state);

 private:
    // Processors, and an interval that is not in the past.
    struct Piece {
        int processors;
        Time from;
        Time to;
    };
    Piece piece_of(nb::handle processors, nb::handle start, nb::handle duration) const;
    Time time_from_now(nb::handle seconds, const char* name) const;
    int least_free(const Piece& piece) const;
    int most_free(const Piece& piece) const;
    // Throws: UsageError if it is of a round that is over.
    const AvailabilityProfile& profile() const;

    std::optional<OfRound> round_;  // none: a scheduler's own
    int processors_;
    AvailabilityProfile profile_;
};

// Adds the class to the module.
void bind_profiles(nb::module_& module);

}  // namespace batfill::python
