#include "python/src/profiles.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include <batfill/core/error.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

namespace {

using NamedAmounts = StatedNeeds::Amounts;

Amount processors_in(nb::handle value) {
    return whole_number_of(value, "processors", 0, std::numeric_limits<int>::max());
}

// The entries of a dict, in its order.
// Throws: UsageError for another object.
NamedAmounts amounts_in(nb::handle value) {
    if (!nb::isinstance<nb::dict>(value)) {
        throw UsageError("amounts: expected a dict of whole numbers by name, found " + shown_value(value));
    }
    NamedAmounts amounts;
    for (const auto& [key, amount] : entries_of(nb::borrow<nb::dict>(value))) {
        const std::string name = word_of(key, "amounts");
        amounts.emplace_back(name, whole_number_of(amount, name.c_str(), 0, max_total_amount));
    }
    return amounts;
}

NamedAmounts all_of(nb::handle value) {
    if (!nb::isinstance<nb::dict>(value)) {
        return {{"processors", processors_in(value)}};
    }
    NamedAmounts all = amounts_in(value);
    if (all.empty()) {
        throw UsageError("amounts: expected at least one, found {}");
    }
    for (const auto& [name, amount] : all) {
        if (name == "processors") {
            processors_in(nb::cast(amount));
        }
    }
    return all;
}

std::vector<Amount> without_names(const NamedAmounts& amounts) {
    return mapped(amounts, &NamedAmounts::value_type::second);
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

// Throws: InputError unless a pickle has what a profile has.
void require_profile(bool holds) {
    if (!holds) {
        throw InputError("pickle: expected a profile of batfill, found something else");
    }
}

void require_tuple(nb::handle value, std::size_t size) {
    require_profile(nb::isinstance<nb::tuple>(value) && nb::len(value) == size);
}

}  // namespace

ProfileView::ProfileView(const SharedRound& view)
    : round_(view),
      counts_processors_(true),
      all_{{"processors", view->state().processors}},
      free_(view->state().now, std::vector<Amount>{view->state().idle.count()}) {
    const SchedulerState& state = view->state();
    for (const RunningJob& job : state.running) {
        const Amount processors = job.processors;
        // Overdue jobs end at the next instant.
        const Time end = std::max(job.end, state.now + Duration::microseconds(1));
        free_.add(end, Time::infinity(), {&processors, 1}, 1);
    }
}

ProfileView::ProfileView(nb::handle all, Time start)
    : counts_processors_(!nb::isinstance<nb::dict>(all)), all_(all_of(all)), free_(start, without_names(all_)) {}

int ProfileView::processors() const {
    const auto found = std::ranges::find(all_, "processors", &NamedAmounts::value_type::first);
    return found == all_.end() ? 0 : static_cast<int>(found->second);
}

nb::dict ProfileView::amounts() const {
    return dict_of(all_);
}

double ProfileView::now() const {
    return seconds_of(free().instants().front().since_zero());
}

double ProfileView::earliest(nb::handle wanted, nb::handle duration, nb::handle after) const {
    const std::vector<Amount> amounts = read(wanted);
    const Duration length = length_of(duration);
    const Time from = after.is_none() ? free().instants().front() : time_from_now(after, "after");
    return seconds_of(free().earliest(amounts, length, from).since_zero());
}

void ProfileView::advance(nb::handle time) {
    free_.advance(time_from_now(time, "time"));
}

nb::object ProfileView::free_at(nb::handle time) const {
    const std::span<const Amount> amounts = free_.at(time_from_now(time, "time"));
    return by_name([&](std::size_t column) { return nb::cast(amounts[column]); });
}

nb::object ProfileView::steps() const {
    const std::vector<Time>& times = free().instants();
    const auto column_of = [&](std::size_t column) {
        return array_of(mapped(times, [&](Time time) { return std::int64_t{free_.at(time)[column]}; }));
    };
    return nb::make_tuple(array_of(mapped(times, [](Time time) { return seconds_of(time.since_zero()); })),
                          by_name(column_of));
}

// (processors, ((time, free), ...)), or of amounts (((name, total), ...), ((time, (free, ...)), ...)). Times are texts,
// which are exact.
nb::tuple ProfileView::state() const {
    if (round_) {
        throw nb::type_error("cannot pickle or copy the profile of a round: it is valid until decide() returns");
    }
    nb::list all;
    for (const auto& [name, amount] : all_) {
        all.append(nb::make_tuple(text_object(name), amount));
    }
    nb::list steps;
    for (const Time time : free_.instants()) {
        nb::list amounts;
        for (const Amount amount : free_.at(time)) {
            amounts.append(amount);
        }
        const nb::object free = counts_processors_ ? nb::object(amounts[0]) : nb::tuple(amounts);
        steps.append(nb::make_tuple(text_object(time.since_zero().to_shortest_string()), free));
    }
    return nb::make_tuple(counts_processors_ ? nb::cast(processors()) : nb::tuple(all), nb::tuple(steps));
}

ProfileView ProfileView::of_state(const nb::tuple& state) {
    require_tuple(state, 2);
    nb::object all = state[0];
    if (nb::isinstance<nb::tuple>(all)) {
        nb::dict amounts;
        for (const nb::handle entry : all) {
            require_tuple(entry, 2);
            amounts[text_object(word_of(nb::object(entry[0]), "profile"))] = nb::object(entry[1]);
        }
        require_profile(nb::len(amounts) == nb::len(all));
        all = amounts;
    }
    const nb::object steps = state[1];
    require_profile(nb::isinstance<nb::tuple>(steps));
    std::optional<ProfileView> result;
    for (const nb::handle step : steps) {
        require_tuple(step, 2);
        const nb::object free = step[1];
        const Time time = Time::at(duration_of(nb::object(step[0]), "profile"));
        require_profile(!result || result->free_.instants().back() < time);
        if (!result) {
            result.emplace(all, time);
        }
        const nb::object row = result->counts_processors_ ? nb::make_tuple(free) : free;
        require_tuple(row, result->all_.size());
        std::vector<Amount> amounts;
        for (const nb::handle amount : row) {
            amounts.push_back(whole_number_of(amount, "profile", 0));
            require_profile(amounts.back() <= result->all_[amounts.size() - 1].second);
        }
        result->free_.set_from(time, amounts);
    }
    require_profile(result.has_value());
    return *std::move(result);
}

const AmountProfile& ProfileView::free() const {
    if (round_) {
        round_->view();
    }
    return free_;
}

std::vector<Amount> ProfileView::read(nb::handle wanted) const {
    static_cast<void>(free());  // a round that is over reads nothing
    if (counts_processors_) {
        return {processors_in(wanted)};
    }
    std::vector<Amount> amounts(all_.size());
    const std::vector<std::string> names = mapped(all_, &NamedAmounts::value_type::first);
    for (const auto& [name, amount] : amounts_in(wanted)) {
        amounts[place_among(names, name, "amounts: expected names of the profile")] = amount;
    }
    return amounts;
}

Time ProfileView::time_from_now(nb::handle seconds, const char* name) const {
    const Time time = instant_of(seconds, name);
    const Time now = free().instants().front();
    if (time < now) {
        throw UsageError(std::string(name) + ": expected a time from " + (round_ ? "now, " : "") + now.to_string() +
                         (round_ ? ", on" : " on") + ", found " + time.to_string());
    }
    return time;
}

void ProfileView::change(nb::handle wanted, nb::handle start, nb::handle duration, int sign) {
    const std::vector<Amount> amounts = read(wanted);
    const Duration length = length_of(duration);
    const Time from = time_from_now(start, "start");
    const Time to = from + length;
    if (from >= to || from.is_infinite()) {
        return;
    }
    for (std::size_t column = 0; column < all_.size(); ++column) {
        const auto& [name, total] = all_[column];
        const AmountProfile::Bounds bounds = free_.bounds(column, from, to);
        const Amount most = sign < 0 ? bounds.least : total - bounds.most;
        if (amounts[column] > most) {
            const std::string what =
                counts_processors_ ? " processors, as many as are " : " of " + shown(name) + ", as much as is ";
            throw UsageError("expected at most " + std::to_string(most) + what + (sign < 0 ? "free" : "taken") +
                             " during [" + from.to_string() + ", " + to.to_string() + "), found " +
                             std::to_string(amounts[column]));
        }
    }
    free_.add(from, to, amounts, sign);
}

template <class Of>
nb::object ProfileView::by_name(Of of) const {
    if (counts_processors_) {
        return of(0);
    }
    nb::dict result;
    for (std::size_t column = 0; column < all_.size(); ++column) {
        result[text_object(all_[column].first)] = of(column);
    }
    return result;
}

void bind_profiles(nb::module_& module) {
    using nb::arg;
    const auto init = [](ProfileView& place, nb::handle processors, nb::handle start) {
        const Time from = instant_of(start, "start");
        if (from.is_infinite()) {
            throw UsageError("start: expected a finite time, found inf");
        }
        new (&place) ProfileView(processors, from);
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
