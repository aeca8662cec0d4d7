#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability_profile.hpp>
#include <batfill/engine/reservation.hpp>
#include <batfill/engine/run_time_predictor.hpp>

#include "bindings.hpp"
#include "round_view.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

namespace {

// Columns of jobs, each made when it is first asked for.
class JobColumns : public OfRound {
 public:
    JobColumns(SharedRound view, std::vector<JobIndex> jobs) : OfRound(std::move(view)), jobs_(std::move(jobs)) {}

    std::size_t size() const { return jobs_.size(); }

    nb::object column(const std::string& name) {
        const auto known = columns_.find(name);
        return known != columns_.end() ? known->second : columns_.emplace(name, make(name)).first->second;
    }
    nb::object text(const std::string& name) const {
        nb::list texts;
        for (const JobIndex job : jobs_) {
            const std::optional<std::string> text = text_field(state().job(job).description(), name);
            texts.append(text ? nb::cast(*text) : nb::none());
        }
        return nb::module_::import_("numpy").attr("array")(texts, nb::arg("dtype") = "object");
    }

 private:
    template <class Of>
    nb::object numbers(Of of) const {
        const SchedulerState& now = state();
        std::vector<decltype(of(now, JobIndex()))> values;
        values.reserve(jobs_.size());
        for (const JobIndex job : jobs_) {
            values.push_back(of(now, job));
        }
        return array_of(std::move(values));
    }
    template <class Of>
    nb::object texts(Of of) const {
        return array_of_texts(
            jobs_.size(), [&](std::size_t i) -> std::string_view { return of(state().job(jobs_[i]).description()); });
    }

    nb::object make(const std::string& name) const {
        using State = SchedulerState;
        using Description = JobDescription;
        static const std::map<std::string, double (*)(const State&, JobIndex)> times{
            {"walltime", [](const State& now, JobIndex job) { return seconds_of(now.job(job).walltime); }},
            {"estimate", [](const State& now, JobIndex job) { return seconds_of(now.estimate(job)); }},
            {"submit", [](const State& now, JobIndex job) { return seconds_of(now.job(job).submit().since_zero()); }},
            {"start", [](const State& now, JobIndex job) { return seconds_of(now.job(job).start.since_zero()); }},
            {"end", [](const State& now, JobIndex job) { return seconds_of(now.estimated_end(job).since_zero()); }},
        };
        static const std::map<std::string, std::string_view (*)(const Description&)> words{
            {"id", [](const Description& job) -> std::string_view { return job.id; }},
            {"user", [](const Description& job) -> std::string_view { return job.user; }},
            {"queue", [](const Description& job) -> std::string_view { return job.queue; }},
        };
        if (const auto time = times.find(name); time != times.end()) {
            return numbers(time->second);
        }
        if (const auto word = words.find(name); word != words.end()) {
            return texts(word->second);
        }
        if (name == "processors") {
            return numbers([](const State& now, JobIndex job) { return std::int64_t{now.job(job).processors()}; });
        }
        RoundView& round = view();
        return numbers([&](const State&, JobIndex job) { return round.number_field_of(name, job); });
    }

    std::vector<JobIndex> jobs_;
    std::unordered_map<std::string, nb::object> columns_;
};

class Waiting : public JobColumns {
    using JobColumns::JobColumns;
};
class Running : public JobColumns {
    using JobColumns::JobColumns;
};

class ReservationView : public OfRound {
 public:
    ReservationView(SharedRound view, JobIndex job) : OfRound(std::move(view)), reservation_(state(), job) {}

    double shadow_time() const { return seconds_of(reservation_.shadow_time().since_zero()); }
    bool admits(std::ptrdiff_t index) const {
        const JobIndex job = view().waiting_job(index);
        return reservation_.may_admit(state().job(job).processors(), state().estimate(job));
    }
    bool try_start(std::ptrdiff_t index) {
        const JobIndex job = view().waiting_job(index);
        return reservation_.start_if_admitted(view().round(), job);
    }

 private:
    Reservation reservation_;
};

// The availability profile of the running jobs.
class ProfileView : public OfRound {
 public:
    explicit ProfileView(SharedRound view) : OfRound(std::move(view)), profile_(state().now, state().idle.count()) {
        const Time now = state().now;
        for (const RunningJob& job : state().running) {
            // Overdue jobs end at the next instant.
            profile_.add(std::max(job.end, now + Duration::microseconds(1)), Time::infinity(), job.processors);
        }
    }

    double earliest(nb::handle processors, nb::handle duration, std::optional<double> after) const {
        const int wanted = count_of(processors, "processors");
        const Duration length = length_of(duration);
        const Time from = after ? time_from_now(*after, "after") : state().now;
        return seconds_of(profile_.earliest(from, length, wanted).since_zero());
    }
    void take(nb::handle processors, double start, nb::handle duration) {
        const int taken = count_of(processors, "processors");
        const Duration length = length_of(duration);
        const Time from = time_from_now(start, "start");
        const Time to = from + length;
        if (from >= to) {
            return;
        }
        if (profile_.earliest(from, length, taken) != from) {
            throw UsageError("expected at most " + std::to_string(least_free(from, length)) +
                             " processors, as many as are free during [" + from.to_string() + ", " + to.to_string() +
                             "), found " + std::to_string(taken));
        }
        profile_.add(from, to, -taken);
    }
    int free_at(double time) const { return profile_.free_at(time_from_now(time, "time")); }

 private:
    static int count_of(nb::handle value, const char* name) {
        std::int64_t count = 0;
        if (!nb::try_cast(value, count) || count < 0 || count > std::numeric_limits<int>::max()) {
            throw UsageError(std::string(name) + ": expected a whole number from 0 to 2147483647, found " +
                             shown_value(value));
        }
        return static_cast<int>(count);
    }
    static Duration length_of(nb::handle value) {
        const Duration length = duration_of(value, "duration");
        if (length < Duration()) {
            throw UsageError("duration: expected at least 0 s, found " + length.to_shortest_string());
        }
        return length;
    }
    Time time_from_now(double seconds, const char* name) const {
        const Time time = time_of(seconds);
        if (time < state().now) {
            throw UsageError(std::string(name) + ": expected a time from now, " + state().now.to_string() +
                             ", on, found " + time.to_string());
        }
        return time;
    }
    // The least number of processors that are free at some time during [from, from + length).
    int least_free(Time from, Duration length) const {
        int least = 0;
        int more = profile_.free_at(from);  // at most so many
        while (least < more) {
            const int middle = least + (more - least + 1) / 2;
            if (profile_.earliest(from, length, middle) == from) {
                least = middle;
            } else {
                more = middle - 1;
            }
        }
        return least;
    }

    AvailabilityProfile profile_;
};

// Deletes a round without the GIL's owner knowing: its cache holds an object.
SharedRound make_round() {
    return {new RoundView, [](RoundView* view) {
                const Gil gil;
                delete view;
            }};
}

// The algorithm that asks an object of Python.
class PythonAlgorithm : public Algorithm {
 public:
    PythonAlgorithm(SharedObject scheduler, std::string name, std::shared_ptr<Failure> failure,
                    std::shared_ptr<std::atomic<bool>> stop)
        : scheduler_(std::move(scheduler)),
          name_(std::move(name)),
          failure_(std::move(failure)),
          stop_(std::move(stop)),
          view_(make_round()) {
        call_scheduler(name_, *failure_, [&] {
            decide_ = share(attribute(*scheduler_, "decide"));
            round_ = share(nb::cast(view_));
        });
    }

    void begin(Round& round) override {
        in_round(round, [&] { call_python(attribute(*scheduler_, "begin"), *round_); });
    }
    void decide(Round& round) override {
        in_round(round, [&] { call_python(*decide_, *round_); });
    }
    Time next_wake(Time after) const override { return view_->next_wake(after); }
    std::vector<Statistic> statistics() const override {
        return call_scheduler(name_, *failure_, [&] {
            const nb::object counts = call_python(attribute(*scheduler_, "statistics"));
            std::map<std::string, std::uint64_t> read;
            if (!surviving_end([&] { return nb::try_cast(counts, read); })) {
                throw UsageError("statistics() of " + name_ + ": expected a dict of names and whole numbers from 0, " +
                                 "found " + shown_value(counts));
            }
            return mapped(read, [](const auto& count) { return Statistic{count.first, count.second}; });
        });
    }

 private:
    // The round is open to Python until the end of the scope.
    class OpenRound {
     public:
        OpenRound(RoundView& view, Round& round) : view_(view) {
            view_.open(round);
            view_.forget_wakes();
        }
        ~OpenRound() { view_.close(); }
        OpenRound(const OpenRound&) = delete;
        OpenRound& operator=(const OpenRound&) = delete;

     private:
        RoundView& view_;
    };

    template <class Call>
    void in_round(Round& round, Call call) {
        if (stop_ && *stop_) {
            throw Interrupted();
        }
        call_scheduler(name_, *failure_, [&] {
            const OpenRound open(*view_, round);
            call();
        });
    }

    SharedObject scheduler_;
    std::string name_;
    std::shared_ptr<Failure> failure_;
    std::shared_ptr<std::atomic<bool>> stop_;
    SharedRound view_;
    SharedObject decide_;
    SharedObject round_;
};

nb::object waiting(RoundView& view) {
    if (!view.waiting_object_) {
        view.waiting_object_ = nb::cast(Waiting(view.shared_from_this(), view.waiting()));
    }
    return view.waiting_object_;
}

Running running(RoundView& view) {
    std::vector<JobIndex> jobs;
    jobs.reserve(view.state().running.size());
    for (const RunningJob& job : view.state().running) {
        jobs.push_back(job.job);
    }
    return {view.shared_from_this(), std::move(jobs)};
}

ReservationView reserve(RoundView& view, std::ptrdiff_t index) {
    const JobIndex job = view.waiting_job(index);
    if (view.state().can_start(view.state().job(job).request)) {
        throw DecisionError("job " + view.state().job(job).description().id +
                            " is to get a reservation although it can start now, expected one that cannot");
    }
    return {view.shared_from_this(), job};
}

template <class Columns>
nb::class_<Columns> bind_columns(nb::module_& module, const char* name, const char* doc) {
    using nb::arg;
    nb::class_<Columns> columns(module, name, doc);
    columns.def("__len__", &Columns::size)
        .def("__getitem__", &Columns::column, arg("name"),
             nb::sig("def __getitem__(self, name: str) -> numpy.typing.NDArray[typing.Any]"),
             "A column by its name. Any other name is that of a number in the workload, such as \"gpus\"; NaN where a "
             "job has none.")
        .def("text", &Columns::text, arg("name"),
             nb::sig("def text(self, name: str) -> numpy.typing.NDArray[typing.Any]"),
             "A text of the workload that batfill does not know, such as \"account\"; None where a job has none.");
    const auto add = [&](const char* column, const char* what, const char* signature) {
        columns.def_prop_ro(
            column, [name = std::string(column)](Columns& self) { return self.column(name); },
            nb::for_getter(nb::sig(signature)), what);
    };
    add("id", "Ids with the name of their workload, \"w0!17\".", "def id(self) -> numpy.typing.NDArray[typing.Any]");
    add("submit", "Submission times in seconds.", "def submit(self) -> numpy.typing.NDArray[numpy.float64]");
    add("processors", "Requested processors.", "def processors(self) -> numpy.typing.NDArray[numpy.int64]");
    add("walltime", "Walltimes in seconds.", "def walltime(self) -> numpy.typing.NDArray[numpy.float64]");
    add("estimate", "Predicted run times in seconds, which are the walltimes unless `prediction` is set.",
        "def estimate(self) -> numpy.typing.NDArray[numpy.float64]");
    add("user", "Users; empty where unknown.", "def user(self) -> numpy.typing.NDArray[typing.Any]");
    add("queue", "Queues; empty where none is named.", "def queue(self) -> numpy.typing.NDArray[typing.Any]");
    return columns;
}

void bind_tools(nb::module_& module) {
    using nb::arg;
    nb::class_<ReservationView>(module, "Reservation",
                                "The reservation of one job: when it will start by the estimates, and which jobs may "
                                "start before it without delaying it. Valid until decide() returns.")
        .def_prop_ro("shadow_time", &ReservationView::shadow_time,
                     "When the job can start by the estimates, in seconds; inf if it cannot.")
        .def("admits", &ReservationView::admits, arg("index"),
             "Whether the waiting job may start now without delaying the reserved one. Exact with the placement "
             "\"lowest\" if enough processors are idle.")
        .def("try_start", &ReservationView::try_start, arg("index"),
             "Starts the waiting job if it can start without delaying the reserved one. Returns whether it started.");
    nb::class_<ProfileView>(module, "Profile",
                            "Free processors as a step function of time: idle now, and those of running jobs from "
                            "their estimated ends on. Valid until decide() returns.")
        .def("earliest", &ProfileView::earliest, arg("processors"), arg("duration"), arg("after").none() = nb::none(),
             nb::sig("def earliest(self, processors: int, duration: object, after: float | None = None) -> float"),
             "The first time, in seconds, from `after` (now) on, at which so many processors are free for `duration` "
             "seconds; inf if there is none. Raises UsageError for a time in the past.")
        .def("take", &ProfileView::take, arg("processors"), arg("start"), arg("duration"),
             nb::sig("def take(self, processors: int, start: float, duration: object) -> None"),
             "Takes processors during [start, start + duration), for a planned job. Raises UsageError, and changes "
             "nothing, if fewer are free at some time then, or if it begins in the past.")
        .def("free_at", &ProfileView::free_at, arg("time"),
             "The number of free processors at a time, from now on. Raises UsageError for a time in the past.");
}

}  // namespace

SchedulerChoice choice_of(const nb::object& scheduler, const std::string& name, const Parameters::Given& parameters,
                          bool copies, const std::shared_ptr<Failure>& failure,
                          const std::shared_ptr<std::atomic<bool>>& stop) {
    AlgorithmDescription description;
    description.name = name;
    description.summary = "a scheduler in Python";
    description.parameters = RunTimePredictor::parameters();
    description.placements.push_back(Placement::machine);
    description.make = [shared = share(scheduler), name, failure, stop, copies](const Parameters&) {
        SharedObject own = shared;
        if (copies) {
            own = call_scheduler(name, *failure, [&] {
                return share(call_python(attribute(nb::module_::import_("copy"), "deepcopy"), *shared));
            });
        }
        return std::make_unique<PythonAlgorithm>(std::move(own), name, failure, stop);
    };
    SchedulerChoice choice;
    choice.algorithm = name;
    choice.parameters = parameters;
    choice.description = std::make_shared<const AlgorithmDescription>(with_common_parameters(std::move(description)));
    return choice;
}

SchedulerChoice named_choice_of(const nb::object& scheduler, const std::string& name,
                                const Parameters::Given& parameters, bool copies,
                                const std::shared_ptr<Failure>& failure) {
    if (!nb::isinstance<nb::str>(scheduler)) {
        return choice_of(scheduler, name, parameters, copies, failure, nullptr);
    }
    SchedulerChoice choice = read_choice(utf8_of(scheduler), {});
    add_parameters(choice, parameters, "a keyword");
    return choice;
}

void bind_schedulers(nb::module_& module) {
    using nb::arg;
    bind_columns<Waiting>(module, "Waiting",
                          "The waiting jobs of a round by submission, as NumPy columns. A job keeps its index for the "
                          "whole round, also when it or others start.");
    bind_columns<Running>(module, "Running", "The running jobs by estimated end, as NumPy columns.")
        .def_prop_ro(
            "start", [](Running& self) { return self.column("start"); },
            nb::for_getter(nb::sig("def start(self) -> numpy.typing.NDArray[numpy.float64]")), "Starts in seconds.")
        .def_prop_ro(
            "end", [](Running& self) { return self.column("end"); },
            nb::for_getter(nb::sig("def end(self) -> numpy.typing.NDArray[numpy.float64]")),
            "Estimated ends in seconds, increasing.");
    bind_tools(module);
    nb::class_<RoundView>(module, "Round",
                          "What Scheduler.decide() sees and may do. The engine checks each decision. Valid until "
                          "decide() returns.")
        .def_prop_ro(
            "now", [](const RoundView& view) { return seconds_of(view.state().now.since_zero()); },
            "The simulated time in seconds.")
        .def_prop_ro(
            "processors", [](const RoundView& view) { return view.state().processors; },
            "The number of processors of the machine.")
        .def_prop_ro(
            "idle", [](const RoundView& view) { return view.state().idle.count(); },
            "The number of idle processors, now: each start lowers it.")
        .def_prop_ro("waiting", &waiting, nb::for_getter(nb::sig("def waiting(self) -> Waiting")),
                     "The jobs that waited when the round began.")
        .def_prop_ro("running", &running, "The jobs that run now, with those that this round has started.")
        .def(
            "start", [](RoundView& view, std::ptrdiff_t index) { view.round().start(view.waiting_job(index)); },
            arg("index"), "Starts a waiting job. Raises DecisionError, and changes nothing, if it cannot start now.")
        .def(
            "try_start",
            [](RoundView& view, std::ptrdiff_t index) {
                return view.round().start_if_possible(view.waiting_job(index));
            },
            arg("index"), "Starts a waiting job if it can start now. Returns whether it started.")
        .def("reserve", &reserve, arg("index"), "The reservation of a waiting job that cannot start now.")
        .def(
            "profile", [](RoundView& view) { return ProfileView(view.shared_from_this()); },
            "The availability profile of the running jobs.")
        .def("wake_at", &RoundView::wake_at, arg("time"),
             "Asks for a round at this time, in seconds, even if nothing happens then.");
}

}  // namespace batfill::python
