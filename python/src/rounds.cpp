#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <batfill/planning/reservation.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "python/src/free_resources.hpp"
#include "python/src/job_columns.hpp"
#include "python/src/profiles.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/json.hpp"

namespace batfill::python {

namespace {

std::ptrdiff_t place_in(nb::handle index) {
    return whole_number_of(index, "index");
}

class ReservationView : public OfRound {
 public:
    ReservationView(SharedRound view, JobIndex job) : OfRound(std::move(view)), reservation_(state(), job) {}

    double shadow_time() const { return seconds_of(reservation_.shadow_time().since_zero()); }
    bool admits(nb::handle index) const {
        const JobIndex job = view().waiting_job(place_in(index));
        return reservation_.may_admit(state().job(job).processors(), state().estimate(job));
    }
    bool try_start(nb::handle index) {
        const JobIndex job = view().waiting_job(place_in(index));
        return reservation_.start_if_admitted(view().round(), job);
    }

 private:
    Reservation reservation_;
};

nb::object waiting(RoundView& view) {
    if (!view.waiting_object_) {
        view.waiting_object_ = nb::cast(Waiting(view.shared_from_this(), view.waiting()));
    }
    return view.waiting_object_;
}

Running running(RoundView& view) {
    return {view.shared_from_this(), view.read_running()};
}

// Where more is free than a number of processors, a tool that counts them would be wrong.
void require_counted(const RoundView& view, const std::string& tool) {
    if (!view.state().machine.counts_processors()) {
        throw DecisionError(tool +
                            " counts processors, expected a machine without pools, capacities, partitions and "
                            "windows; round.free has what is free there");
    }
}

ReservationView reserve(RoundView& view, nb::handle index) {
    require_counted(view, "reserve");
    const JobIndex job = view.waiting_job(place_in(index));
    if (view.state().can_start_now(job)) {
        throw DecisionError("job " + view.state().job(job).description().id +
                            " is to get a reservation although it can start now, expected one that cannot");
    }
    if (view.state().lacks_only_unplanned(job)) {
        throw DecisionError("job " + view.state().job(job).description().id +
                            " is to get a reservation although only a limit keeps it from starting, expected one that "
                            "lacks processors (round.free.within_limits)");
    }
    return {view.shared_from_this(), job};
}

void start(RoundView& view, nb::handle index, nb::handle processors) {
    const std::ptrdiff_t place = place_in(index);
    if (processors.is_none()) {
        view.round().start(view.waiting_job(place));
        return;
    }
    const ResourceSet chosen = processors_of(processors, "processors");
    view.round().start(view.waiting_job(place), chosen);
}

// The running job of an id, or of an index as round.running had it when it was last read.
JobIndex job_to_kill(RoundView& view, nb::handle job) {
    if (!nb::isinstance<nb::str>(job)) {
        return view.running_job(whole_number_of(job, "job"));
    }
    const std::string id = word_of(job, "job");
    for (const RunningJob& running : view.state().running) {
        if (view.state().job(running.job).description().id == id) {
            return running.job;
        }
    }
    throw DecisionError("job " + shown(id) + " cannot be killed, it is not running");
}

void register_profile(RoundView& view, nb::handle workload, nb::handle name, nb::handle profile) {
    const std::string source = nb::isinstance<nb::str>(profile) ? word_of(profile, "profile")
                                                                : '{' + json_members_of(profile, "profile") + '}';
    static_cast<void>(parse_profile(source));
    view.round().register_profile(word_of(workload, "workload"), word_of(name, "name"), source);
}

// The profile of a registered job: the one of this name, or a new one of this job alone, that takes `run_time`.
std::string profile_of(RoundView& view, const std::string& id, nb::handle profile, nb::handle run_time) {
    refuse_if(profile.is_none() == run_time.is_none(), "register_job: expected either a profile or a run_time");
    if (!profile.is_none()) {
        return word_of(profile, "profile");
    }
    const std::size_t mark = id.find('!');
    std::string name = "of_" + id.substr(mark + 1);
    view.round().register_profile(
        id.substr(0, mark), name,
        R"({"type":"delay","delay":)" + positive_duration_of(run_time, "run_time").to_shortest_string() + "}");
    return name;
}

// Fields that batfill does not know, as JobDescription::other_fields.
// Throws: UsageError for the name of another field of jobs; InputError for what nobody could read back.
std::string fields_of(nb::handle fields) {
    std::string members = json_members_of(fields, "fields");
    JsonReader reader;
    for (const auto& member : reader.parse('{' + members + '}').GetObject()) {
        const std::string_view name = view(member.name);
        refuse_if(is_known_field(name), "fields: jobs have a field ", name,
                  " of their own, expected another name, or an argument of register_job");
    }
    return members;
}

// What a scheduler says of a job of its own.
struct JobArguments {
    nb::handle id, processors, profile, run_time, walltime, user, queue, deadline, licenses, fields;
};

std::optional<std::size_t> register_job(RoundView& view, const JobArguments& given) {
    view.waiting();  // those that waited before keep their indices
    JobDescription job;
    job.id = word_of(given.id, "id");
    if (const std::size_t mark = job.id.find('!');
        mark == 0 || mark == std::string::npos || mark + 1 == job.id.size()) {
        throw UsageError("id: expected a workload and a name, such as \"dynamic!1\", found " + shown(job.id));
    }
    job.submit = view.round().now();
    job.processors =
        static_cast<int>(whole_number_of(given.processors, "processors", 1, std::numeric_limits<int>::max() - 1));
    if (!given.walltime.is_none()) {
        job.walltime = positive_duration_of(given.walltime, "walltime");
    }
    if (!given.deadline.is_none()) {
        job.deadline = time_of(number_of(given.deadline, "deadline"));
    }
    job.user = word_of(given.user, "user");
    job.queue = word_of(given.queue, "queue");
    job.licenses = words_of(given.licenses, "licenses");
    job.other_fields = given.fields.is_none() ? "" : fields_of(given.fields);
    read_needs_of_other_fields(job);
    job.profile = profile_of(view, job.id, given.profile, given.run_time);
    return view.add_registered(view.round().register_job(std::move(job)));
}

// The windows of the machine that a scheduler may know of and that are not over.
std::vector<Window> known_windows(const RoundView& view) {
    const SchedulerState& state = view.state();
    std::vector<Window> known;
    std::ranges::copy_if(state.machine.windows(), std::back_inserter(known), [&](const Window& window) {
        return window.announced <= state.now && state.now < window.until;
    });
    return known;
}

// Processors that are asleep, ... as arrays.
template <ResourceSet SchedulerState::*processors>
nb::object state_array(const RoundView& view) {
    return array_of(view.state().*processors);
}

std::string numbers(const char* property) {
    return "def " + std::string(property) + "(self) -> numpy.typing.NDArray[numpy.int64]";
}

void bind_reservation(nb::module_& module) {
    using nb::arg;
    nb::class_<ReservationView>(module, "Reservation",
                                "The reservation of one job: when it will start by the estimates, and which jobs may "
                                "start before it without delaying it. Valid until decide() returns.")
        .def_prop_ro("shadow_time", &ReservationView::shadow_time,
                     "When the job can start by the estimates, in seconds; inf if it cannot.")
        .def("admits", &ReservationView::admits, arg("index"), nb::sig("def admits(self, index: int) -> bool"),
             "Whether the waiting job may start now without delaying the reserved one. Exact with the placement "
             "\"lowest\" if enough processors are idle.")
        .def("try_start", &ReservationView::try_start, arg("index"), nb::sig("def try_start(self, index: int) -> bool"),
             "Starts the waiting job if it can start without delaying the reserved one. Returns whether it started.");
}

void bind_window(nb::module_& module) {
    nb::class_<Window>(module, "Window",
                       "Announced maintenance or a reservation, as a line of a file of windows says it. It takes what "
                       "it names during [from_, until).")
        .def_prop_ro("name", [](const Window& window) { return text_object(window.name); })
        .def_prop_ro(
            "from_", [](const Window& window) { return seconds_of(window.from.since_zero()); },
            "When it begins, in seconds.")
        .def_prop_ro(
            "until", [](const Window& window) { return seconds_of(window.until.since_zero()); },
            "When it ends, in seconds.")
        .def_prop_ro(
            "hosts", [](const Window& window) { return array_of(window.hosts); },
            nb::for_getter(nb::sig(numbers("hosts").c_str())),
            "The numbers of its hosts. Empty if it takes a number of processors, or of pools.")
        .def_prop_ro(
            "processors",
            [](const Window& window) { return window.hosts.empty() ? window.processors : window.hosts.size(); },
            "How many processors or hosts it takes.")
        .def_prop_ro(
            "pools", [](const Window& window) { return dict_of(window.pools); },
            nb::for_getter(nb::sig("def pools(self) -> dict[str, int]")), "What it takes of pools, by name.")
        .def_prop_ro(
            "for_", [](const Window& window) { return tuple_of(window.booked_for); },
            nb::for_getter(nb::sig("def for_(self) -> tuple[str, ...]")),
            "The reservations whose jobs run inside; empty for maintenance.")
        .def_prop_ro(
            "running",
            [](const Window& window) {
                return window.running == Window::Running::finish ? "finish"
                       : window.running == Window::Running::kill ? "kill"
                                                                 : "requeue";
            },
            R"(What becomes of jobs that run when it begins: "finish", "kill" or "requeue".)")
        .def("__repr__", [](const Window& window) {
            return "<Window " + shown(window.name) + " from " + window.from.to_string() + " until " +
                   window.until.to_string() + ">";
        });
}

void bind_looking(nb::class_<RoundView>& round) {
    round
        .def_prop_ro(
            "now", [](const RoundView& view) { return seconds_of(view.state().now.since_zero()); },
            "The simulated time in seconds.")
        .def_prop_ro(
            "processors", [](const RoundView& view) { return view.state().processors; },
            "The number of processors of the machine.")
        .def_prop_ro(
            "idle", [](const RoundView& view) { return view.state().idle.count(); },
            "The number of idle processors, now: each start lowers it.")
        .def_prop_ro(
            "idle_processors", [](const RoundView& view) { return array_of(view.state().idle.set()); },
            nb::for_getter(nb::sig(numbers("idle_processors").c_str())), "The numbers of the idle processors, now.")
        .def_prop_ro(
            "free", [](RoundView& view) { return FreeResources(view.shared_from_this()); },
            nb::for_getter(nb::sig("def free(self) -> Free")),
            "What is free now of pools and on hosts: each start lowers it.")
        .def_prop_ro("waiting", &waiting, nb::for_getter(nb::sig("def waiting(self) -> Waiting")),
                     "The jobs that waited when the round began.")
        .def_prop_ro("running", &running, "The jobs that run now, with those that this round has started.")
        .def_prop_ro(
            "ended", [](RoundView& view) { return Ended(view.shared_from_this(), (view.round(), view.ended())); },
            nb::for_getter(nb::sig("def ended(self) -> Ended")), "The jobs that ended since the last round.")
        .def_prop_ro(
            "windows", &known_windows, nb::for_getter(nb::sig("def windows(self) -> list[Window]")),
            "The windows that are announced and not over, in the order of the file. No job may start that would, by "
            "its walltime, run into one on its processors or hosts. `reserve` and `profile` do not look at them.");
    const auto add = [&](const char* name, auto getter, const char* what) {
        round.def_prop_ro(name, getter, nb::for_getter(nb::sig(numbers(name).c_str())), what);
    };
    add("unavailable", &state_array<&SchedulerState::unavailable>, "The processors that are lost, as numbers.");
    add("asleep", &state_array<&SchedulerState::asleep>, "The processors that are asleep, as numbers.");
    add("falling_asleep", &state_array<&SchedulerState::falling_asleep>, "Those that are falling asleep.");
    add("waking", &state_array<&SchedulerState::waking>, "Those that are waking.");
    add(
        "can_sleep", [](const RoundView& view) { return array_of(view.state().machine.can_sleep()); },
        "Those that can be put to sleep.");
}

void bind_starting(nb::class_<RoundView>& round) {
    using nb::arg;
    round
        .def("start", &start, arg("index"), arg("processors").none() = nb::none(),
             nb::sig("def start(self, index: int, processors: str | collections.abc.Iterable[int] | None = None) -> "
                     "None"),
             "Starts a waiting job, on particular processors or hosts if they are given: numbers, or a text such as "
             "\"0-3,8\". Raises DecisionError, and changes nothing, if it cannot start now, or not there.")
        .def(
            "try_start",
            [](RoundView& view, nb::handle index) {
                return view.round().start_if_possible(view.waiting_job(place_in(index)));
            },
            arg("index"), nb::sig("def try_start(self, index: int) -> bool"),
            "Starts a waiting job if it can start now. Returns whether it started.")
        .def("reserve", &reserve, arg("index"), nb::sig("def reserve(self, index: int) -> Reservation"),
             "The reservation of a waiting job that cannot start now. Raises DecisionError on a machine with pools, "
             "capacities, partitions or windows.")
        .def(
            "profile",
            [](RoundView& view) {
                require_counted(view, "profile");
                return ProfileView(view.shared_from_this());
            },
            "The availability profile of the running jobs. Raises DecisionError on a machine with pools, capacities, "
            "partitions or windows.")
        .def(
            "wake_at", [](RoundView& view, nb::handle time) { view.wake_at(number_of(time, "time")); }, arg("time"),
            nb::sig("def wake_at(self, time: float) -> None"),
            "Asks for a round at this time, in seconds, even if nothing happens then.")
        .def(
            "promise",
            [](RoundView& view, nb::handle index, nb::handle time) {
                const std::ptrdiff_t place = place_in(index);
                const Time promised = time_of(number_of(time, "time"));
                view.round().promise(view.waiting_job(place), promised);
            },
            arg("index"), arg("time"), nb::sig("def promise(self, index: int, time: float) -> None"),
            "Guarantees a waiting job a start by this time, in seconds, for Run.guarantees and the audit. The first "
            "promise to a job counts; a later time may replace it in a round in which the machine changed or windows were announced. Raises "
            "DecisionError unless Scheduler.gives_guarantees().")
        .def_prop_ro(
            "explained",
            [](RoundView& view) {
                nb::list indices;
                for (const JobIndex job : view.round().explained()) {
                    const auto place = std::ranges::find(view.waiting(), job);
                    if (place != view.waiting().end()) {
                        indices.append(place - view.waiting().begin());
                    }
                }
                return indices;
            },
            nb::for_getter(nb::sig("def explained(self) -> list[int]")),
            "The waiting jobs of which Run.explain() asks why they wait, by their indices; else empty.")
        .def(
            "because",
            [](RoundView& view, nb::handle index, nb::handle text) {
                view.round().because(view.job(place_in(index)), word_of(text, "text"));
            },
            arg("index"), arg("text"), nb::sig("def because(self, index: int, text: str) -> None"),
            "Says why a waiting job does not start in this round, for Run.explain(): the rule, and behind a colon its "
            "numbers. The last text of a round counts. Changes no decision.")
        .def(
            "kill", [](RoundView& view, nb::handle job) { view.round().kill(job_to_kill(view, job)); }, arg("job"),
            nb::sig("def kill(self, job: int | str) -> None"),
            "Kills a running job: an index as `running` had it when it was last read, or an id. The job holds its "
            "processors until its end is reported in `ended`.");
}

void bind_registering(nb::class_<RoundView>& round) {
    using nb::arg;
    round
        .def("register_profile", &register_profile, arg("workload"), arg("name"), arg("profile"),
             nb::sig("def register_profile(self, workload: str, name: str, profile: "
                     "str | collections.abc.Mapping[str, typing.Any]) -> None"),
             "Adds a profile to a workload, which need not exist: a dict such as {\"type\": \"delay\", \"delay\": "
             "5}. Raises DecisionError unless Scheduler.registers_jobs().")
        .def(
            "register_job",
            [](RoundView& view, nb::handle id, nb::handle processors, nb::handle profile, nb::handle run_time,
               nb::handle walltime, nb::handle user, nb::handle queue, nb::handle deadline, nb::handle licenses,
               nb::handle fields) {
                return register_job(
                    view, {id, processors, profile, run_time, walltime, user, queue, deadline, licenses, fields});
            },
            arg("id"), arg("processors"), arg("profile").none() = nb::none(), nb::kw_only(),
            arg("run_time").none() = nb::none(), arg("walltime").none() = nb::none(), arg("user") = "",
            arg("queue") = "", arg("deadline").none() = nb::none(), arg("licenses") = nb::tuple(),
            arg("fields").none() = nb::none(),
            nb::sig("def register_job(self, id: str, processors: int, profile: str | None = None, *, "
                    "run_time: float | str | None = None, walltime: float | str | None = None, user: str = '', "
                    "queue: str = '', deadline: float | None = None, licenses: collections.abc.Iterable[str] = (), "
                    "fields: collections.abc.Mapping[str, typing.Any] | None = None) -> int | None"),
            "Submits a job of the scheduler's own now, with a new id such as \"dynamic!1\". It has a profile that "
            "`register_profile` made, or runs for `run_time` seconds. Returns its index among the waiting jobs; None "
            "if it was rejected, or waits in a later round because Batsim must acknowledge it. Raises DecisionError "
            "unless Scheduler.registers_jobs().")
        .def(
            "set_metadata",
            [](RoundView& view, nb::handle index, nb::handle text) {
                view.round().set_metadata(view.job(place_in(index)), word_of(text, "text"));
            },
            arg("index"), arg("text"), nb::sig("def set_metadata(self, index: int, text: str) -> None"),
            "Sets the column metadata of jobs.csv for a job of `waiting`.")
        .def(
            "put_to_sleep",
            [](RoundView& view, nb::handle processors) {
                view.round().put_to_sleep(processors_of(processors, "processors"));
            },
            arg("processors"),
            nb::sig("def put_to_sleep(self, processors: str | collections.abc.Iterable[int]) -> None"),
            "Puts idle processors of `can_sleep` to sleep. Raises DecisionError unless "
            "Scheduler.switches_processors().")
        .def(
            "wake",
            [](RoundView& view, nb::handle processors) { view.round().wake(processors_of(processors, "processors")); },
            arg("processors"), nb::sig("def wake(self, processors: str | collections.abc.Iterable[int]) -> None"),
            "Wakes processors that are asleep. Raises DecisionError unless Scheduler.switches_processors().");
}

}  // namespace

void bind_rounds(nb::module_& module) {
    bind_job_columns(module);
    bind_reservation(module);
    bind_window(module);
    bind_free_resources(module);
    bind_profiles(module);
    nb::class_<RoundView> round(module, "Round",
                                "What Scheduler.decide() sees and may do. The engine checks each decision. Valid "
                                "until decide() returns.");
    bind_looking(round);
    bind_starting(round);
    bind_registering(round);
}

}  // namespace batfill::python
