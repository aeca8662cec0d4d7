#include "python/src/profiles.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"

namespace batfill::python {

namespace {

constexpr int most_processors = std::numeric_limits<int>::max();

int count_of(nb::handle value) {
    return static_cast<int>(whole_number_of(value, "processors", 0, most_processors));
}

Duration length_of(nb::handle value) {
    const Duration length = duration_of(value, "duration");
    if (length < Duration()) {
        throw UsageError("duration: expected at least 0 s, found " + length.to_shortest_string());
    }
    return length;
}

Time instant_of(nb::handle value, const char* name) {
    return time_of(number_of(value, name));
}

std::string interval_text(Time from, Time to) {
    return "[" + from.to_string() + ", " + to.to_string() + ")";
}

}  // namespace

ProfileView::ProfileView(const SharedRound& view)
    : round_(view),
      processors_(round_->state().processors),
      profile_(round_->state().now, round_->state().idle.count()) {
    const SchedulerState& state = round_->state();
    for (const RunningJob& job : state.running) {
        // Overdue jobs end at the next instant.
        profile_.add(std::max(job.end, state.now + Duration::microseconds(1)), Time::infinity(), job.processors);
    }
}

const AvailabilityProfile& ProfileView::profile() const {
    if (round_) {
        round_->view();
    }
    return profile_;
}

double ProfileView::now() const {
    return seconds_of(profile().origin().since_zero());
}

double ProfileView::earliest(nb::handle processors, nb::handle duration, nb::handle after) const {
    const int wanted = count_of(processors);
    const Duration length = length_of(duration);
    const Time from = after.is_none() ? profile().origin() : time_from_now(after, "after");
    return seconds_of(profile().earliest(from, length, wanted).since_zero());
}

void ProfileView::take(nb::handle processors, nb::handle start, nb::handle duration) {
    const Piece taken = piece_of(processors, start, duration);
    if (taken.from >= taken.to || taken.from.is_infinite()) {
        return;
    }
    if (profile_.earliest(taken.from, taken.to - taken.from, taken.processors) != taken.from) {
        throw UsageError("expected at most " + std::to_string(least_free(taken)) +
                         " processors, as many as are free during " + interval_text(taken.from, taken.to) + ", found " +
                         std::to_string(taken.processors));
    }
    profile_.add(taken.from, taken.to, -taken.processors);
}

void ProfileView::give(nb::handle processors, nb::handle start, nb::handle duration) {
    const Piece given = piece_of(processors, start, duration);
    if (given.from >= given.to || given.from.is_infinite()) {
        return;
    }
    if (const int taken = processors_ - most_free(given); taken < given.processors) {
        throw UsageError("expected at most " + std::to_string(taken) + " processors, as many as are taken during " +
                         interval_text(given.from, given.to) + ", found " + std::to_string(given.processors));
    }
    profile_.add(given.from, given.to, given.processors);
}

void ProfileView::advance(nb::handle time) {
    profile_.advance(time_from_now(time, "time"));
}

int ProfileView::free_at(nb::handle time) const {
    return profile().free_at(time_from_now(time, "time"));
}

nb::object ProfileView::steps() const {
    std::vector<double> times;
    std::vector<std::int64_t> free;
    for (const auto& [time, processors] : profile().steps()) {
        times.push_back(seconds_of(time.since_zero()));
        free.push_back(processors);
    }
    return nb::make_tuple(array_of(std::move(times)), array_of(std::move(free)));
}

// Times are texts, which are exact.
nb::tuple ProfileView::state() const {
    if (round_) {
        throw nb::type_error("cannot pickle or copy the profile of a round: it is valid until decide() returns");
    }
    nb::list steps;
    for (const auto& [time, processors] : profile_.steps()) {
        steps.append(nb::make_tuple(text_object(time.since_zero().to_shortest_string()), processors));
    }
    return nb::make_tuple(processors_, nb::tuple(steps));
}

// The state of a pickle: (processors, ((time, free processors), ...)), by time.
ProfileView ProfileView::of_state(const nb::tuple& state) {
    const auto require = [](bool holds) {
        if (!holds) {
            throw InputError("pickle: expected a profile of batfill, found something else");
        }
    };
    const auto is_tuple = [](nb::handle object) { return nb::isinstance<nb::tuple>(object); };
    require(nb::len(state) == 2 && is_tuple(nb::object(state[1])));
    const auto processors_at = [](nb::handle value) {
        return static_cast<int>(whole_number_of(value, "profile", -most_processors, most_processors));
    };
    const auto time_at = [](nb::handle step) { return Time::at(duration_of(step[0], "profile")); };
    const nb::object steps = state[1];
    require(nb::len(steps) > 0);
    const int all = processors_at(state[0]);
    require(all > 0);
    for (std::size_t i = 0; i < nb::len(steps); ++i) {
        const nb::object step = steps[i];
        require(is_tuple(step) && nb::len(step) == 2);
        const int free = processors_at(step[1]);
        require(0 <= free && free <= all && (i == 0 || time_at(nb::object(steps[i - 1])) < time_at(step)));
    }
    const nb::object first = steps[0];
    ProfileView result(processors_at(first[1]), time_at(first));
    result.processors_ = processors_at(state[0]);
    int before = processors_at(first[1]);
    for (std::size_t i = 1; i < nb::len(steps); ++i) {
        const nb::object step = steps[i];
        const int free = processors_at(step[1]);
        result.profile_.add(time_at(step), Time::infinity(), free - before);
        before = free;
    }
    return result;
}

ProfileView::Piece ProfileView::piece_of(nb::handle processors, nb::handle start, nb::handle duration) const {
    const int count = count_of(processors);
    const Duration length = length_of(duration);
    const Time from = time_from_now(start, "start");
    return {count, from, from + length};
}

Time ProfileView::time_from_now(nb::handle seconds, const char* name) const {
    const Time time = instant_of(seconds, name);
    if (time < profile().origin()) {
        throw UsageError(std::string(name) + ": expected a time from " + (round_ ? "now, " : "") +
                         profile().origin().to_string() + (round_ ? ", on" : " on") + ", found " + time.to_string());
    }
    return time;
}

// The least number of processors that are free at some time of the interval.
int ProfileView::least_free(const Piece& piece) const {
    int least = 0;
    int more = profile_.free_at(piece.from);  // at most so many
    while (least < more) {
        const int middle = least + (more - least + 1) / 2;
        if (profile_.earliest(piece.from, piece.to - piece.from, middle) == piece.from) {
            least = middle;
        } else {
            more = middle - 1;
        }
    }
    return least;
}

// The greatest.
int ProfileView::most_free(const Piece& piece) const {
    int most = profile_.free_at(piece.from);
    for (const auto& [time, processors] : profile_.steps()) {
        if (time > piece.from && time < piece.to) {
            most = std::max(most, processors);
        }
    }
    return most;
}

void bind_profiles(nb::module_& module) {
    using nb::arg;
    const auto init = [](ProfileView& place, nb::handle processors, nb::handle start) {
        const auto count = static_cast<int>(whole_number_of(processors, "processors", 0, most_processors));
        const Time from = instant_of(start, "start");
        if (from.is_infinite()) {
            throw UsageError("start: expected a finite time, found inf");
        }
        new (&place) ProfileView(count, from);
    };
    const auto copy = [](const ProfileView& self) { return ProfileView::of_state(self.state()); };
    nb::class_<ProfileView>(module, "Profile",
                            "Free processors as a step function of time. That of a round has those that are idle now, "
                            "and those of running jobs from their estimated ends on; it is valid until decide() "
                            "returns. A scheduler may make others, such as for a part of the machine.")
        .def("__init__", init, arg("processors"), arg("start") = 0.0,
             nb::sig("def __init__(self, processors: int, start: float = 0.0) -> None"),
             "All processors are free from `start` on, in seconds.")
        .def_prop_ro("processors", &ProfileView::processors, "The number of processors, free or not.")
        .def_prop_ro("now", &ProfileView::now, "The time from which on it is known, in seconds.")
        .def("earliest", &ProfileView::earliest, arg("processors"), arg("duration"), arg("after").none() = nb::none(),
             nb::sig("def earliest(self, processors: int, duration: object, after: float | None = None) -> float"),
             "The first time, in seconds, from `after` (now) on, at which so many processors are free for `duration` "
             "seconds; inf if there is none. Raises UsageError for a time in the past.")
        .def("take", &ProfileView::take, arg("processors"), arg("start"), arg("duration"),
             nb::sig("def take(self, processors: int, start: float, duration: object) -> None"),
             "Takes processors during [start, start + duration), for a planned job. Raises UsageError, and changes "
             "nothing, if fewer are free at some time then, or if it begins in the past.")
        .def("give", &ProfileView::give, arg("processors"), arg("start"), arg("duration"),
             nb::sig("def give(self, processors: int, start: float, duration: object) -> None"),
             "Gives processors back that were taken, as for a job that ended early. Raises UsageError, and changes "
             "nothing, if fewer are taken at some time then, or if it begins in the past.")
        .def("advance", &ProfileView::advance, arg("time"), nb::sig("def advance(self, time: float) -> None"),
             "Makes `time` the present and forgets what was before. Raises UsageError for a time in the past.")
        .def("free_at", &ProfileView::free_at, arg("time"), nb::sig("def free_at(self, time: float) -> int"),
             "The number of free processors at a time, from now on. Raises UsageError for a time in the past.")
        .def("steps", &ProfileView::steps,
             nb::sig("def steps(self) -> tuple[numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.int64]]"),
             "The times at which the number of free processors changes, from now on, and the numbers.")
        .def("__copy__", copy, nb::sig("def __copy__(self) -> Profile"))
        .def(
            "__deepcopy__", [copy](const ProfileView& self, nb::handle) { return copy(self); }, arg("memo"),
            nb::sig("def __deepcopy__(self, memo: object) -> Profile"))
        .def("__getstate__", &ProfileView::state, nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](ProfileView& place, const nb::tuple& state) { new (&place) ProfileView(ProfileView::of_state(state)); },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"));
}

}  // namespace batfill::python
