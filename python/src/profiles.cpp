#include "python/src/profiles.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include <batfill/core/error.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "python/src/packing.hpp"
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
    refuse_if(all.empty(), "amounts: expected at least one, found {}");
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

ProfileView::ProfileView(Parts parts)
    : counts_processors_(parts.counts_processors),
      all_(std::move(parts.all)),
      free_(parts.steps.at(0).first, parts.steps.at(0).second) {
    for (const auto& [time, amounts] : parts.steps) {
        free_.set_from(time, amounts);
    }
}

ProfileView::Parts ProfileView::parts() const {
    if (round_) {
        throw nb::type_error("cannot pickle or copy the profile of a round: it is valid until decide() returns");
    }
    return {counts_processors_, all_, mapped(free_.instants(), [&](Time time) {
                const std::span<const Amount> amounts = free_.at(time);
                return std::pair(time, std::vector<Amount>(amounts.begin(), amounts.end()));
            })};
}

void pack(auto& all, Is<ProfileView::Parts> auto& parts) {
    all(parts.counts_processors, parts.all, parts.steps);
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

nb::object ProfileView::by_name(auto of) const {
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
        refuse_if(from.is_infinite(), "start: expected a finite time, found inf");
        new (&place) ProfileView(processors, from);
    };
    const auto copy = [](const ProfileView& self) { return ProfileView(self.parts()); };
    nb::class_<ProfileView> profile(
        module, "Profile",
        "Free processors as a step function of time. That of a round has those that are idle now, "
        "and those of running jobs from their estimated ends on; it is valid until decide() "
        "returns. A scheduler may make others, such as for a part of the machine, or of several "
        "amounts by name: there, all amounts are dicts, in which a name that is missing is 0.");
    profile
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
            nb::sig("def __deepcopy__(self, memo: object) -> Profile"));
    bind_pickling<ProfileView>(profile, [](const ProfileView& self) { return self.parts(); });
}

}  // namespace batfill::python
