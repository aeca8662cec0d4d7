#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>
#include <batfill/replay/outcome.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "python/src/machines.hpp"
#include "python/src/run.hpp"
#include "src/analysis/workload_jobs.hpp"
#include "src/choice/named_scheduler.hpp"
#include "src/formats/job_id.hpp"
#include "src/formats/named_platform.hpp"
#include "src/replay/explanation.hpp"
#include "src/report/report.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::python {

namespace {

Scenario scenario_of(const Jobs& jobs, const NamedMachine& machine, const std::vector<FileName>& events) {
    Scenario scenario;
    scenario.platform = machine.platform_for(*jobs.workload);
    number_hosts(scenario.platform, scenario.rules);
    scenario.workloads.push_back(*jobs.workload);
    for (const FileName& path : events) {
        scenario.event_lists.push_back(read_external_events(path, scenario.forward_unknown_events));
    }
    return scenario;
}

// What a simulation needs.
struct Simulation {
    const Jobs& jobs;
    const NamedMachine& machine;
    const nb::object& scheduler;
    const std::string& label;
    const Parameters::Given& parameters;
    const std::vector<FileName>& events;
};

// What `use` makes of the outcome, without the GIL.
auto simulated(const Simulation& simulation, RunOptions how, auto use) {
    const auto failure = std::make_shared<Failure>();
    const WrittenScheduler written =
        written_scheduler(simulation.scheduler, simulation.label, simulation.parameters, false, failure);
    SignalsSeen signals(*failure);
    how.progress = [&](std::size_t, Time) { signals(); };
    return raising(*failure, [&] {
        const WithoutGil released;
        const SchedulerChoice choice = choice_of(written);
        return use(batfill::run(scenario_of(simulation.jobs, simulation.machine, simulation.events), choice, how));
    });
}

Run simulate(const Jobs& jobs, const NamedMachine& machine, const nb::object& scheduler, const std::string& label,
             const Parameters::Given& parameters, const std::vector<FileName>& events) {
    return simulated({jobs, machine, scheduler, label, parameters, events}, {},
                     [&](const Outcome& outcome) { return run_of(outcome, label); });
}

// Why jobs wait: for a person, and the columns of an explain.csv.
struct Explained {
    std::string text;
    std::vector<ExplainedReason> reasons;
};

nb::dict table_of(const std::vector<ExplainedReason>& reasons) {
    const auto texts = [&](auto of) { return texts_of(reasons, of); };
    const auto numbers = [&](auto of) {
        return array_of(
            mapped(reasons, [&](const ExplainedReason& one) { return static_cast<std::int64_t>(of(one)); }));
    };
    // Whole numbers from 1, which are 0 where the file is empty.
    const auto numbers_or_nan = [&](auto of) {
        const auto is_known = [&](const ExplainedReason& one) { return of(one) > 0; };
        if (std::ranges::all_of(reasons, is_known)) {
            return numbers(of);
        }
        return array_of(mapped(reasons, [&](const ExplainedReason& one) {
            return is_known(one) ? static_cast<double>(of(one)) : std::numeric_limits<double>::quiet_NaN();
        }));
    };
    nb::dict columns;
    columns["job_id"] = texts([](const ExplainedReason& one) { return one.job; });
    columns["time"] =
        array_of(mapped(reasons, [](const ExplainedReason& one) { return seconds_of(one.time.since_zero()); }));
    columns["reason"] = texts([](const ExplainedReason& one) { return std::string(to_string(one.kind)); });
    columns["rounds"] = numbers([](const ExplainedReason& one) { return one.rounds; });
    columns["needed"] = numbers([](const ExplainedReason& one) { return one.needed; });
    columns["idle"] = numbers([](const ExplainedReason& one) { return one.idle; });
    columns["licence"] = texts([](const ExplainedReason& one) { return one.license; });
    columns["holders"] = texts(holders_of);
    columns["possible_start"] = array_of(mapped(reasons, [](const ExplainedReason& one) {
        return seconds_or_nan(one.possible.is_infinite() || one.place == 0 ? std::nullopt
                                                                           : std::optional(one.possible.since_zero()));
    }));
    columns["place"] = numbers_or_nan([](const ExplainedReason& one) { return one.place; });
    columns["waiting"] = numbers_or_nan([](const ExplainedReason& one) { return one.waiting; });
    columns["because"] = texts([](const ExplainedReason& one) { return one.because; });
    const ReasonColumns more = columns_of(std::span<const ExplainedReason>(reasons));
    if (more.lack) {
        columns["lack"] = texts([](const ExplainedReason& one) { return one.lack; });
    }
    if (more.windows) {
        columns["windows"] = texts([](const ExplainedReason& one) { return one.windows; });
    }
    return columns;
}

nb::tuple explain(const Jobs& jobs, const NamedMachine& machine, const nb::object& scheduler, const std::string& label,
                  const Parameters::Given& parameters, const std::vector<FileName>& events,
                  const std::vector<std::string>& explained) {
    RunOptions how;
    how.keeps_deadlocks = true;
    how.explain = explained;
    const Explained found =
        simulated({jobs, machine, scheduler, label, parameters, events}, how, [&](const Outcome& outcome) {
            return Explained{explanation(outcome), batfill::explained(outcome.wait_reasons(), words_for(outcome))};
        });
    return nb::make_tuple(found.text, table_of(found.reasons));
}

double stretch_in_file(const ExecutionRecord& execution) {
    std::string text;
    append_rounded(stretch_of(execution), 6, text);
    return std::stod(text);
}

// Makes a column of a run.
using Column = std::function<nb::object(const Run&)>;

Column numbers(auto of) {
    return [of](const Run& run) { return array_of(mapped(run.schedule.jobs, of)); };
}

// A column of times of jobs that ran; NaN for others.
Column times(auto of) {
    return numbers([of](const ScheduledJob& job) -> double {
        return job.execution ? of(*job.execution) : std::numeric_limits<double>::quiet_NaN();
    });
}

Column texts(auto of) {
    return [of](const Run& run) { return texts_of(run.schedule.jobs, of); };
}

// A column of the workloads; later runs of a job have what it has.
Column workload_texts(SharedText JobDescription::*text) {
    return [text](const Run& run) {
        const analysis::WorkloadJobs jobs(run.workloads);
        return texts_of(run.schedule.jobs, [&](const ScheduledJob& job) {
            const std::optional<analysis::IndexedJob> found = jobs.find(job.id);
            return found ? std::string_view(found->description->*text) : std::string_view();
        });
    };
}

// Those of the columns user and queue that the workloads have.
std::vector<std::string> workload_columns(const Run& run) {
    const auto some_have = [&](SharedText JobDescription::*text) {
        return std::ranges::any_of(run.workloads, [&](const Workload& workload) {
            return std::ranges::any_of(workload.jobs,
                                       [&](const WorkloadJob& job) { return !(job.description.*text).empty(); });
        });
    };
    std::vector<std::string> names;
    if (some_have(&JobDescription::user)) {
        names.emplace_back("user");
    }
    if (some_have(&JobDescription::queue)) {
        names.emplace_back("queue");
    }
    return names;
}

// The column of this name in a jobs.csv, or of the workload.
nb::object column(const Run& run, const std::string& name) {
    using Job = ScheduledJob;
    using Execution = ExecutionRecord;
    static const std::map<std::string, Column> columns{
        {"job_id", texts([](const Job& job) { return std::string(JobIdParts(job.id).name); })},
        {"workload_name", texts([](const Job& job) { return std::string(JobIdParts(job.id).workload); })},
        {"profile", texts([](const Job& job) { return job.profile.text(); })},
        {"submission_time", numbers([](const Job& job) { return seconds_of(job.submit.since_zero()); })},
        {"requested_number_of_resources", numbers([](const Job& job) { return std::int64_t{job.processors}; })},
        {"requested_time",
         numbers([](const Job& job) { return seconds_of(job.walltime.value_or(Duration::seconds(-1))); })},
        {"success", numbers([](const Job& job) { return std::int64_t{job.success ? 1 : 0}; })},
        {"final_state", texts([](const Job& job) { return std::string(to_string(job.state)); })},
        {"starting_time", times([](const Execution& one) { return seconds_of(one.start.since_zero()); })},
        {"execution_time", times([](const Execution& one) { return seconds_of(one.length); })},
        {"finish_time", times([](const Execution& one) { return seconds_of(one.finish.since_zero()); })},
        {"waiting_time", times([](const Execution& one) { return seconds_of(one.wait); })},
        {"turnaround_time", times([](const Execution& one) { return seconds_of(one.turnaround); })},
        {"stretch", times(stretch_in_file)},
        {"allocated_resources", texts([](const Job& job) { return job.allocation.to_string(); })},
        {"consumed_energy", times([](const Execution&) { return -1.0; })},
        {"metadata", texts([](const Job& job) { return job.metadata.text(); })},
        {"user", workload_texts(&JobDescription::user)},
        {"queue", workload_texts(&JobDescription::queue)},
    };
    return columns.at(name)(run);
}

// The names in the first line of a jobs.csv.
std::vector<std::string> columns() {
    std::string header = schedule_csv_header();
    header.pop_back();
    const std::vector<std::string_view> names = split(header, ',');
    return {names.begin(), names.end()};
}

nb::dict metrics(const Run& run, const nb::object& tau, const nb::object& short_deadline,
                 const std::string& wait_from) {
    const MetricsOptions options = run.options(tau, short_deadline);
    const bool from_eligible = place_of(wait_from, "wait_from", {"submission", "eligible"}) == 1;
    const Metrics metrics = interruptible([&] {
        MeasuredSchedule schedule(run.schedule, options.resources);
        if (from_eligible && run.eligible) {
            schedule.count_waits_from(*run.eligible, run.label);
        }
        return compute_metrics(schedule, options, run.workloads);
    });
    nb::dict result;
    const std::vector<std::string> names = metrics.names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::optional<double>& value = metrics.values()[i];
        result[names[i].c_str()] = value ? nb::cast(*value) : nb::none();
    }
    return result;
}

nb::dict check(const Run& run, bool deadlines_bind, bool rejections_allowed) {
    const CheckReport report = interruptible([&] { return audit(run, deadlines_bind, rejections_allowed); });
    nb::list violations;
    for (const Violation& violation : report.violations) {
        violations.append(violation.text);
    }
    nb::dict result;
    result["jobs"] = report.jobs;
    result["rejected"] = report.rejected;
    result["deadlines"] = report.deadlines;
    result["missed_deadlines"] = report.missed_deadlines;
    result["guarantees"] = report.guarantees;
    result["broken_guarantees"] = report.broken_guarantees;
    result["resubmitted"] = report.resubmitted;
    result["violations"] = violations;
    return result;
}

// A column of times of such rows; NaN where there is none.
template <class Row>
nb::object times_of(const std::vector<Row>& rows, std::optional<Time> Row::*time) {
    return array_of(mapped(rows, [&](const Row& row) {
        return seconds_or_nan(row.*time ? std::optional((row.*time)->since_zero()) : std::nullopt);
    }));
}

// A part of the ids of such rows.
template <class Row>
nb::object ids_of(const std::vector<Row>& rows, std::string_view JobIdParts::*part) {
    return texts_of(rows, [&](const Row& row) { return JobIdParts(row.job_id).*part; });
}

// The columns of a guarantees.csv; none if the scheduler guarantees nothing.
std::optional<nb::dict> guarantees(const Run& run) {
    if (!run.guarantees) {
        return std::nullopt;
    }
    nb::dict result;
    result["job_id"] = ids_of(*run.guarantees, &JobIdParts::name);
    result["guaranteed_start"] = times_of(*run.guarantees, &Guarantee::guaranteed_start);
    result["actual_start"] = times_of(*run.guarantees, &Guarantee::actual_start);
    result["workload_name"] = ids_of(*run.guarantees, &JobIdParts::workload);
    return result;
}

// As above, of an eligible.csv; none if no job waits for others.
std::optional<nb::dict> eligible(const Run& run) {
    if (!run.eligible) {
        return std::nullopt;
    }
    nb::dict result;
    result["job_id"] = ids_of(*run.eligible, &JobIdParts::name);
    result["eligible_time"] = times_of(*run.eligible, &EligibleTime::eligible);
    result["workload_name"] = ids_of(*run.eligible, &JobIdParts::workload);
    return result;
}

bool same_hosts(const std::vector<Host>& one, const std::vector<Host>& other) {
    return std::ranges::equal(one, other, [](const Host& a, const Host& b) {
        return a.speed == b.speed && a.properties == b.properties && a.zone_properties == b.zone_properties;
    });
}

// "run 2 (easy)", by the place in the list.
std::string name_of(const std::vector<Run*>& runs, std::size_t place) {
    return "run " + std::to_string(place + 1) + " (" + runs[place]->label + ')';
}

// The page measures all runs by the machine of the first.
// Throws: UsageError if another run is on another machine.
void require_same_machine(const std::vector<Run*>& runs) {
    const auto hosts = [&](std::size_t place) -> const std::vector<Host>& { return runs[place]->platform.hosts; };
    for (std::size_t place = 1; place < runs.size(); ++place) {
        const auto machine = [&](std::size_t of) {
            return name_of(runs, of) + " is on a machine of " + counted(hosts(of).size(), "processor");
        };
        if (!same_hosts(hosts(0), hosts(place))) {
            const bool kinds = hosts(0).size() == hosts(place).size();
            throw UsageError("runs: " + machine(0) + ", " + machine(place) +
                             (kinds ? " with other speeds or properties" : "") + ", expected runs on one machine");
        }
    }
}

// The id of a job that is in both and of which the page would show what holds in one alone.
std::optional<std::string> different_job(const std::vector<Workload>& one, const std::vector<Workload>& other) {
    std::unordered_map<std::string_view, const JobDescription*> jobs;
    for (const Workload& workload : one) {
        for (const WorkloadJob& entry : workload.jobs) {
            jobs.emplace(entry.description.id, &entry.description);
        }
    }
    const auto shown_of = [](const JobDescription& job) {
        return std::tie(job.user, job.queue, job.deadline, job.licenses);
    };
    for (const Workload& workload : other) {
        for (const WorkloadJob& entry : workload.jobs) {
            const auto found = jobs.find(entry.description.id);
            if (found != jobs.end() && shown_of(*found->second) != shown_of(entry.description)) {
                return entry.description.id;
            }
        }
    }
    return std::nullopt;
}

// The page takes users, queues and deadlines of all jobs from the workloads of the first run.
// Throws: UsageError if the jobs of another run have others.
void require_same_fields(const std::vector<Run*>& runs) {
    for (std::size_t place = 1; place < runs.size(); ++place) {
        const std::optional<std::string> job = different_job(runs[0]->workloads, runs[place]->workloads);
        if (job) {
            throw UsageError("runs: job " + shown(*job) + " has another user, queue, deadline or licence in " +
                             name_of(runs, 0) + " than in " + name_of(runs, place) + ", expected runs of one workload");
        }
    }
}

void write_report(const std::vector<Run*>& runs, const FileName& path, const std::string& title, const nb::object& tau,
                  const nb::object& short_deadline) {
    report::Report page;
    page.options = runs.at(0)->options(tau, short_deadline);
    interruptible([&] {
        page.title = title;
        page.command = "batfill.report";
        page.workloads = runs.at(0)->workloads;
        require_same_machine(runs);
        for (const Run* run : runs) {
            page.runs.push_back(page_run(*run));
        }
        const std::string text = report::report_page(page);
        require_same_fields(runs);
        write_file(path, text);
    });
}

}  // namespace

void bind_runs(nb::module_& module) {
    using nb::arg;
    nb::class_<Run> bound(module, "Run");
    bind_packing<Run>(bound);
    bound.def("__len__", [](const Run& run) { return run.schedule.jobs.size(); })
        .def_ro("label", &Run::label)
        .def("column", &column, arg("name"), nb::sig("def column(self, name: str) -> numpy.typing.NDArray[typing.Any]"))
        .def("workload_columns", &workload_columns)
        .def("metrics", &metrics, arg("tau"), arg("short_deadline"), arg("wait_from"),
             nb::sig(
                 "def metrics(self, tau: object, short_deadline: object, wait_from: str) -> dict[str, float | None]"))
        .def("check", &check, arg("deadlines"), arg("allow_rejections"),
             nb::sig("def check(self, deadlines: bool, allow_rejections: bool) -> dict[str, typing.Any]"))
        .def("guarantees", &guarantees,
             nb::sig("def guarantees(self) -> dict[str, numpy.typing.NDArray[typing.Any]] | None"))
        .def("eligible", &eligible, nb::sig("def eligible(self) -> dict[str, numpy.typing.NDArray[typing.Any]] | None"))
        .def(
            "rejected", [](const Run& run) { return dict_of(run.rejected); },
            nb::sig("def rejected(self) -> dict[str, int]"))
        .def(
            "statistics", [](const Run& run) { return dict_of(run.statistics); },
            nb::sig("def statistics(self) -> dict[str, int]"))
        .def(
            "save",
            [](const Run& run, const FileName& prefix) {
                const auto written = interruptible([&] { return write_files(run.files(), prefix); });
                return mapped(written, [](const std::string& path) { return FileName{path}; });
            },
            arg("prefix"));
    module.def("columns", &columns);
    module.def("simulate", &simulate, arg("jobs"), arg("machine"), arg("scheduler"), arg("label"), arg("parameters"),
               arg("events"));
    module.def("explain", &explain, arg("jobs"), arg("machine"), arg("scheduler"), arg("label"), arg("parameters"),
               arg("events"), arg("explained"),
               nb::sig("def explain(jobs: Jobs, machine: Machine, scheduler: object, label: str, parameters: "
                       "collections.abc.Sequence[tuple[str, str]], events: collections.abc.Sequence[str], "
                       "explained: collections.abc.Sequence[str]) -> "
                       "tuple[str, dict[str, numpy.typing.NDArray[typing.Any]]]"));
    module.def("write_report", &write_report, arg("runs"), arg("path"), arg("title"), arg("tau"),
               arg("short_deadline"));
}

}  // namespace batfill::python
