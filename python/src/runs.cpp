#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>
#include <batfill/replay/outcome.hpp>

#include "bindings.hpp"
#include "src/campaign/comparison_page.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/formats/job_id.hpp"
#include "src/formats/named_platform.hpp"
#include "src/report/report.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/interruption.hpp"

namespace batfill::python {

namespace {

// One simulation, over.
class Run {
 public:
    Run(Outcome outcome, std::string label)
        : outcome_(std::move(outcome)), label_(std::move(label)), schedule_(outcome_.schedule()) {}

    const Outcome& outcome() const { return outcome_; }
    const Schedule& schedule() const { return schedule_; }
    const std::string& label() const { return label_; }

    MetricsOptions options(const nb::object& tau, const nb::object& short_deadline) const {
        MetricsOptions options;
        options.tau = duration_of(tau, "tau");
        if (options.tau < Duration::microseconds(1)) {
            throw UsageError("tau: expected at least 0.000001 s, found " + options.tau.to_shortest_string());
        }
        options.short_deadline = duration_of(short_deadline, "short_deadline");
        options.set_machine(Machine(outcome_.scenario().platform.hosts));
        return options;
    }

 private:
    Outcome outcome_;
    std::string label_;
    Schedule schedule_;
};

// Looks for signals from time to time, for as long as the thread with Python's signal handlers simulates.
class SignalsSeen {
 public:
    explicit SignalsSeen(Failure& failure) : failure_(failure) {}
    void operator()() {
        constexpr std::chrono::milliseconds between_looks{20};
        if (const auto now = std::chrono::steady_clock::now(); now - last_ >= between_looks) {
            last_ = now;
            if (signal_raises(failure_)) {
                throw Interrupted();
            }
        }
    }

 private:
    Failure& failure_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Scenario scenario_of(const Jobs& jobs, const std::string& platform, const std::string& master_host,
                     const std::vector<std::string>& events) {
    Scenario scenario;
    scenario.platform = named_platform(platform, master_host);
    number_hosts(scenario.platform, scenario.rules);
    scenario.workloads.push_back(*jobs.workload);
    for (const std::string& path : events) {
        scenario.event_lists.push_back(read_external_events(path, scenario.forward_unknown_events));
    }
    return scenario;
}

Run simulate(const Jobs& jobs, const std::string& platform, const nb::object& scheduler, const std::string& label,
             const Parameters::Given& parameters, const std::vector<std::string>& events,
             const std::string& master_host) {
    const auto failure = std::make_shared<Failure>();
    SchedulerChoice choice;
    if (nb::isinstance<nb::str>(scheduler)) {
        choice = read_choice(nb::cast<std::string>(scheduler), {});
        add_parameters(choice, parameters, "a keyword");
    } else {
        choice = choice_of(scheduler, label, parameters, false, failure, nullptr);
    }
    SignalsSeen signals(*failure);
    RunOptions how;
    how.progress = [&](std::size_t, Time) { signals(); };
    try {
        const nb::gil_scoped_release released;
        require_usable(choice);
        return {batfill::run(scenario_of(jobs, platform, master_host, events), choice, how), label};
    } catch (...) {
        failure->rethrow();
        throw;
    }
}

double stretch_in_file(const ExecutionRecord& execution) {
    std::string text;
    append_rounded(stretch_of(execution), 6, text);
    return std::stod(text);
}

template <class Value>
nb::object numbers(const Run& run, const std::function<Value(const ScheduledJob&)>& of) {
    std::vector<Value> values;
    values.reserve(run.schedule().jobs.size());
    for (const ScheduledJob& job : run.schedule().jobs) {
        values.push_back(of(job));
    }
    return array_of(std::move(values));
}

// A column of times of jobs that ran; NaN for others.
nb::object times(const Run& run, const std::function<double(const ExecutionRecord&)>& of) {
    return numbers<double>(run, [&](const ScheduledJob& job) {
        return job.execution ? of(*job.execution) : std::numeric_limits<double>::quiet_NaN();
    });
}

nb::object texts(const Run& run, const std::function<std::string(const ScheduledJob&)>& of) {
    std::string kept;
    return array_of_texts(run.schedule().jobs.size(), [&](std::size_t i) -> std::string_view {
        kept = of(run.schedule().jobs[i]);
        return kept;
    });
}

nb::object text_column(const Run& run, const std::string& name) {
    if (name == "job_id") {
        return texts(run, [](const ScheduledJob& job) { return std::string(JobIdParts(job.id).name); });
    }
    if (name == "workload_name") {
        return texts(run, [](const ScheduledJob& job) { return std::string(JobIdParts(job.id).workload); });
    }
    if (name == "profile") {
        return texts(run, [](const ScheduledJob& job) { return job.profile.text(); });
    }
    if (name == "final_state") {
        return texts(run, [](const ScheduledJob& job) { return std::string(to_string(job.state)); });
    }
    if (name == "allocated_resources") {
        return texts(run, [](const ScheduledJob& job) { return job.allocation.to_string(); });
    }
    return texts(run, [](const ScheduledJob& job) { return job.metadata.text(); });
}

nb::object column(const Run& run, const std::string& name) {
    using Execution = ExecutionRecord;
    if (name == "submission_time") {
        return numbers<double>(run, [](const ScheduledJob& job) { return seconds_of(job.submit.since_zero()); });
    }
    if (name == "requested_number_of_resources") {
        return numbers<std::int64_t>(run, [](const ScheduledJob& job) { return job.processors; });
    }
    if (name == "requested_time") {
        return numbers<double>(
            run, [](const ScheduledJob& job) { return seconds_of(job.walltime.value_or(Duration::seconds(-1))); });
    }
    if (name == "success") {
        return numbers<std::int64_t>(run, [](const ScheduledJob& job) { return job.success ? 1 : 0; });
    }
    if (name == "starting_time") {
        return times(run, [](const Execution& execution) { return seconds_of(execution.start.since_zero()); });
    }
    if (name == "execution_time") {
        return times(run, [](const Execution& execution) { return seconds_of(execution.length); });
    }
    if (name == "finish_time") {
        return times(run, [](const Execution& execution) { return seconds_of(execution.finish.since_zero()); });
    }
    if (name == "waiting_time") {
        return times(run, [](const Execution& execution) { return seconds_of(execution.wait); });
    }
    if (name == "turnaround_time") {
        return times(run, [](const Execution& execution) { return seconds_of(execution.turnaround); });
    }
    if (name == "stretch") {
        return times(run, stretch_in_file);
    }
    if (name == "consumed_energy") {
        return times(run, [](const Execution&) { return -1.0; });
    }
    return text_column(run, name);
}

// The names in the first line of a jobs.csv.
std::vector<std::string> columns() {
    std::string header = schedule_csv_header();
    header.pop_back();
    std::vector<std::string> names;
    std::istringstream line(header);
    for (std::string name; std::getline(line, name, ',');) {
        names.push_back(name);
    }
    return names;
}

nb::dict metrics(const Run& run, const nb::object& tau, const nb::object& short_deadline) {
    const MetricsOptions options = run.options(tau, short_deadline);
    std::vector<Workload> place;
    std::optional<Metrics> metrics;
    {
        const nb::gil_scoped_release released;
        metrics = compute_metrics(run.schedule(), options, run.outcome().workloads(place));
    }
    nb::dict result;
    const std::vector<std::string> names = metric_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::optional<double>& value = metrics->values()[i];
        result[names[i].c_str()] = value ? nb::cast(*value) : nb::none();
    }
    return result;
}

nb::dict check(const Run& run, bool deadlines_bind, bool rejections_allowed) {
    CheckOptions options;
    options.deadlines_bind = deadlines_bind;
    options.rejections_allowed = rejections_allowed;
    std::optional<CheckReport> report;
    {
        const nb::gil_scoped_release released;
        report = audit(run.outcome(), options);
    }
    nb::list violations;
    for (const Violation& violation : report->violations) {
        violations.append(violation.text);
    }
    nb::dict result;
    result["jobs"] = report->jobs;
    result["rejected"] = report->rejected;
    result["deadlines"] = report->deadlines;
    result["missed_deadlines"] = report->missed_deadlines;
    result["guarantees"] = report->guarantees;
    result["broken_guarantees"] = report->broken_guarantees;
    result["resubmitted"] = report->resubmitted;
    result["violations"] = violations;
    return result;
}

// The columns of a guarantees.csv; none if the scheduler guarantees nothing.
std::optional<nb::dict> guarantees(const Run& run) {
    const Outcome& outcome = run.outcome();
    if (!outcome.gives_guarantees()) {
        return std::nullopt;
    }
    std::vector<std::string> ids;
    std::vector<double> guaranteed;
    std::vector<double> actual;
    const auto seconds = [](const std::optional<Time>& time) {
        return seconds_or_nan(time ? std::optional(time->since_zero()) : std::nullopt);
    };
    for (const JobNumber number : outcome.simulation().ended()) {
        Guarantee one = outcome.guarantee(number);
        guaranteed.push_back(seconds(one.guaranteed_start));
        actual.push_back(seconds(one.actual_start));
        ids.push_back(std::move(one.job_id));
    }
    nb::dict result;
    result["job_id"] = array_of_texts(ids.size(), [&](std::size_t i) -> std::string_view { return ids[i]; });
    result["guaranteed_start"] = array_of(std::move(guaranteed));
    result["starting_time"] = array_of(std::move(actual));
    return result;
}

void write_report(const std::vector<Run*>& runs, const std::string& path, const std::string& title,
                  const nb::object& tau, const nb::object& short_deadline) {
    report::Report page;
    page.options = runs.at(0)->options(tau, short_deadline);
    const nb::gil_scoped_release released;
    const Outcome& first = runs.at(0)->outcome();
    std::vector<Workload> place;
    page.title = title;
    page.command = "batfill.report";
    page.workloads = first.workloads(place);
    for (const Run* run : runs) {
        page.runs.push_back(campaign::run_of(run->outcome(), run->label()));
    }
    write_file(path, report::report_page(page));
}

}  // namespace

void bind_runs(nb::module_& module) {
    using nb::arg;
    nb::class_<Run>(module, "Run")
        .def("__len__", [](const Run& run) { return run.schedule().jobs.size(); })
        .def_prop_ro("label", &Run::label)
        .def("column", &column, arg("name"), nb::sig("def column(self, name: str) -> numpy.typing.NDArray[typing.Any]"))
        .def("metrics", &metrics, arg("tau"), arg("short_deadline"),
             nb::sig("def metrics(self, tau: object, short_deadline: object) -> dict[str, float | None]"))
        .def("check", &check, arg("deadlines"), arg("allow_rejections"),
             nb::sig("def check(self, deadlines: bool, allow_rejections: bool) -> dict[str, typing.Any]"))
        .def("guarantees", &guarantees,
             nb::sig("def guarantees(self) -> dict[str, numpy.typing.NDArray[typing.Any]] | None"))
        .def(
            "rejected",
            [](const Run& run) {
                nb::dict result;
                for (const auto& [cause, rejections] : run.outcome().rejected()) {
                    result[rejections.reason.c_str()] = rejections.jobs;
                }
                return result;
            },
            nb::sig("def rejected(self) -> dict[str, int]"))
        .def(
            "statistics",
            [](const Run& run) {
                nb::dict result;
                for (const Statistic& statistic : run.outcome().statistics()) {
                    result[statistic.name.c_str()] = statistic.value;
                }
                return result;
            },
            nb::sig("def statistics(self) -> dict[str, int]"))
        .def(
            "save", [](const Run& run, const std::string& prefix) { return write_files(run.outcome(), prefix); },
            arg("prefix"));
    module.def("columns", &columns);
    module.def("simulate", &simulate, arg("jobs"), arg("platform"), arg("scheduler"), arg("label"), arg("parameters"),
               arg("events"), arg("master_host"));
    module.def("write_report", &write_report, arg("runs"), arg("path"), arg("title"), arg("tau"),
               arg("short_deadline"));
}

}  // namespace batfill::python
