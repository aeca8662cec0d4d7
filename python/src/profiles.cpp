#include "python/src/profiles.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>

#include <batfill/engine/availability_profile.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"

namespace batfill::python {

namespace {

constexpr int most_processors = std::numeric_limits<int>::max();

int count_of(const FreeOverTime::Amounts& processors) {
    return static_cast<int>(processors.front());
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

class FreeProcessors : public FreeOverTime {
 public:
    FreeProcessors(int processors, AvailabilityProfile profile)
        : processors_(processors), profile_(std::move(profile)) {}

    Time origin() const override { return profile_.origin(); }
    int processors() const override { return processors_; }
    nb::dict amounts() const override {
        nb::dict all;
        all["processors"] = processors_;
        return all;
    }
    Amounts read(nb::handle wanted) const override {
        return {whole_number_of(wanted, "processors", 0, most_processors)};
    }
    Time earliest(const Amounts& wanted, Duration length, Time from) const override {
        return profile_.earliest(from, length, count_of(wanted));
    }
    void take(const Amounts& wanted, Time from, Time to) override {
        const int count = count_of(wanted);
        if (profile_.earliest(from, to - from, count) != from) {
            throw UsageError("expected at most " + std::to_string(least_free(from, to)) +
                             " processors, as many as are free during " + interval_text(from, to) + ", found " +
                             std::to_string(count));
        }
        profile_.add(from, to, -count);
    }
    void give(const Amounts& wanted, Time from, Time to) override {
        const int count = count_of(wanted);
        if (const int taken = processors_ - most_free(from, to); taken < count) {
            throw UsageError("expected at most " + std::to_string(taken) + " processors, as many as are taken during " +
                             interval_text(from, to) + ", found " + std::to_string(count));
        }
        profile_.add(from, to, count);
    }
    void advance(Time now) override { profile_.advance(now); }
    nb::object free_at(Time time) const override { return nb::cast(profile_.free_at(time)); }
    nb::object steps() const override {
        std::vector<double> times;
        std::vector<std::int64_t> free;
        for (const auto& [time, processors] : profile_.steps()) {
            times.push_back(seconds_of(time.since_zero()));
            free.push_back(processors);
        }
        return nb::make_tuple(array_of(std::move(times)), array_of(std::move(free)));
    }
    nb::tuple state() const override {
        nb::list steps;
        for (const auto& [time, processors] : profile_.steps()) {
            steps.append(nb::make_tuple(text_object(time.since_zero().to_shortest_string()), processors));
        }
        return nb::make_tuple(processors_, nb::tuple(steps));
    }

 private:
    // The least number of processors that are free at some time of the interval.
    int least_free(Time from, Time to) const {
        int least = 0;
        int more = profile_.free_at(from);  // at most so many
        while (least < more) {
            const int middle = least + (more - least + 1) / 2;
            if (profile_.earliest(from, to - from, middle) == from) {
                least = middle;
            } else {
                more = middle - 1;
            }
        }
        return least;
    }
    // The greatest.
    int most_free(Time from, Time to) const {
        int most = profile_.free_at(from);
        for (const auto& [time, processors] : profile_.steps()) {
            if (time > from && time < to) {
                most = std::max(most, processors);
            }
        }
        return most;
    }

    int processors_;
    AvailabilityProfile profile_;
};

}  // namespace

std::string interval_text(Time from, Time to) {
    return "[" + from.to_string() + ", " + to.to_string() + ")";
}

void require_profile(bool holds) {
    if (!holds) {
        throw InputError("pickle: expected a profile of batfill, found something else");
    }
}

void for_each_step(nb::handle steps, const std::function<void(Time, nb::handle)>& take) {
    require_profile(nb::isinstance<nb::tuple>(steps));
    for (const nb::handle step : steps) {
        require_profile(nb::isinstance<nb::tuple>(step) && nb::len(step) == 2);
        const nb::object free = step[1];
        take(Time::at(duration_of(nb::object(step[0]), "profile")), free);
    }
}

std::unique_ptr<FreeOverTime> free_processors(int processors, Time start) {
    return std::make_unique<FreeProcessors>(processors, AvailabilityProfile(start, processors));
}

std::unique_ptr<FreeOverTime> free_processors(const SchedulerState& state) {
    AvailabilityProfile profile(state.now, state.idle.count());
    for (const RunningJob& job : state.running) {
        // Overdue jobs end at the next instant.
        profile.add(std::max(job.end, state.now + Duration::microseconds(1)), Time::infinity(), job.processors);
    }
    return std::make_unique<FreeProcessors>(state.processors, std::move(profile));
}

// (processors, ((time, free processors), ...)), by time.
std::unique_ptr<FreeOverTime> free_processors_of_state(const nb::tuple& state) {
    const auto processors_at = [](nb::handle value) {
        return static_cast<int>(whole_number_of(value, "profile", -most_processors, most_processors));
    };
    const int all = processors_at(nb::object(state[0]));
    require_profile(all > 0);
    std::optional<AvailabilityProfile> profile;
    Time time;
    int before = 0;
    for_each_step(nb::object(state[1]), [&](Time next, nb::handle processors) {
        const int free = processors_at(processors);
        require_profile(0 <= free && free <= all && (!profile || time < next));
        if (profile) {
            profile->add(next, Time::infinity(), free - before);
        } else {
            profile.emplace(next, free);
        }
        time = next;
        before = free;
    });
    require_profile(profile.has_value());
    return std::make_unique<FreeProcessors>(all, *std::move(profile));
}

const FreeOverTime& ProfileView::free() const {
    if (round_) {
        round_->view();
    }
    return *free_;
}

double ProfileView::now() const {
    return seconds_of(free().origin().since_zero());
}

double ProfileView::earliest(nb::handle wanted, nb::handle duration, nb::handle after) const {
    const FreeOverTime::Amounts amounts = free().read(wanted);
    const Duration length = length_of(duration);
    const Time from = after.is_none() ? free().origin() : time_from_now(after, "after");
    return seconds_of(free().earliest(amounts, length, from).since_zero());
}

void ProfileView::take(nb::handle wanted, nb::handle start, nb::handle duration) {
    const FreeOverTime::Amounts amounts = free().read(wanted);
    if (const auto interval = interval_of(start, duration)) {
        free_->take(amounts, interval->first, interval->second);
    }
}

void ProfileView::give(nb::handle wanted, nb::handle start, nb::handle duration) {
    const FreeOverTime::Amounts amounts = free().read(wanted);
    if (const auto interval = interval_of(start, duration)) {
        free_->give(amounts, interval->first, interval->second);
    }
}

void ProfileView::advance(nb::handle time) {
    free_->advance(time_from_now(time, "time"));
}

nb::object ProfileView::free_at(nb::handle time) const {
    return free().free_at(time_from_now(time, "time"));
}

nb::tuple ProfileView::state() const {
    if (round_) {
        throw nb::type_error("cannot pickle or copy the profile of a round: it is valid until decide() returns");
    }
    return free_->state();
}

// The first member is a number of processors, or a tuple of names and totals.
ProfileView ProfileView::of_state(const nb::tuple& state) {
    require_profile(nb::len(state) == 2 && nb::isinstance<nb::tuple>(nb::object(state[1])));
    const bool are_amounts = nb::isinstance<nb::tuple>(nb::object(state[0]));
    return ProfileView(are_amounts ? free_amounts_of_state(state) : free_processors_of_state(state));
}

std::optional<std::pair<Time, Time>> ProfileView::interval_of(nb::handle start, nb::handle duration) const {
    const Duration length = length_of(duration);
    const Time from = time_from_now(start, "start");
    const Time to = from + length;
    return from >= to || from.is_infinite() ? std::nullopt : std::optional(std::pair(from, to));
}

Time ProfileView::time_from_now(nb::handle seconds, const char* name) const {
    const Time time = instant_of(seconds, name);
    if (time < free().origin()) {
        throw UsageError(std::string(name) + ": expected a time from " + (round_ ? "now, " : "") +
                         free().origin().to_string() + (round_ ? ", on" : " on") + ", found " + time.to_string());
    }
    return time;
}

void bind_profiles(nb::module_& module) {
    using nb::arg;
    const auto init = [](ProfileView& place, nb::handle processors, nb::handle start) {
        const bool is_dict = nb::isinstance<nb::dict>(processors);
        const int count = is_dict ? 0 : static_cast<int>(whole_number_of(processors, "processors", 0, most_processors));
        const Time from = instant_of(start, "start");
        if (from.is_infinite()) {
            throw UsageError("start: expected a finite time, found inf");
        }
        new (&place) ProfileView(is_dict ? free_amounts(processors, from) : free_processors(count, from));
    };
    const auto copy = [](const ProfileView& self) { return ProfileView::of_state(self.state()); };
    nb::class_<ProfileView>(module, "Profile",
                            "Free processors as a step function of time. That of a round has those that are idle now, "
                            "and those of running jobs from their estimated ends on; it is valid until decide() "
                            "returns. A scheduler may make others, such as for a part of the machine, or of several "
                            "amounts by name: there, all amounts are dicts, in which a name that is missing is 0.")
        .def(
            "__init__", init, arg("processors"), arg("start") = 0.0,
            nb::sig("def __init__(self, processors: int | dict[str, int], start: float = 0.0) -> None"),
            R"(All processors, or amounts such as {"processors": 100, "power": 400}, are free from `start` on, in seconds.)")
        .def_prop_ro("processors", &ProfileView::processors,
                     "The number of processors, free or not. Of amounts, the one of this name; 0 without it.")
        .def_prop_ro("amounts", &ProfileView::amounts, nb::for_getter(nb::sig("def amounts(self) -> dict[str, int]")),
                     "All amounts by name, free or not: of processors alone, {\"processors\": ...}.")
        .def_prop_ro("now", &ProfileView::now, "The time from which on it is known, in seconds.")
        .def(
            "earliest", &ProfileView::earliest, arg("processors"), arg("duration"), arg("after").none() = nb::none(),
            nb::sig(
                "def earliest(self, processors: int | dict[str, int], duration: object, after: float | None = None) -> float"),
            "The first time, in seconds, from `after` (now) on, at which so much is free for `duration` "
            "seconds; inf if there is none. Raises UsageError for a time in the past.")
        .def(
            "take", &ProfileView::take, arg("processors"), arg("start"), arg("duration"),
            nb::sig("def take(self, processors: int | dict[str, int], start: float, duration: object) -> None"),
            "Takes processors or amounts during [start, start + duration), for a planned job. Raises UsageError, and changes "
            "nothing, if less is free at some time then, or if it begins in the past.")
        .def(
            "give", &ProfileView::give, arg("processors"), arg("start"), arg("duration"),
            nb::sig("def give(self, processors: int | dict[str, int], start: float, duration: object) -> None"),
            "Gives processors or amounts back that were taken, as for a job that ended early. Raises UsageError, and changes "
            "nothing, if less is taken at some time then, or if it begins in the past.")
        .def("advance", &ProfileView::advance, arg("time"), nb::sig("def advance(self, time: float) -> None"),
             "Makes `time` the present and forgets what was before. Raises UsageError for a time in the past.")
        .def(
            "free_at", &ProfileView::free_at, arg("time"), nb::sig("def free_at(self, time: float) -> typing.Any"),
            "The number of free processors at a time, from now on; or a dict of what is free. Raises UsageError for a time in the past.")
        .def("steps", &ProfileView::steps,
             nb::sig("def steps(self) -> tuple[numpy.typing.NDArray[numpy.float64], typing.Any]"),
             "The times at which something changes, from now on, and an array of the free processors from each on; or "
             "a dict of such arrays.")
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
