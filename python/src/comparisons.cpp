#include <csignal>
#include <optional>
#include <sstream>
#include <thread>

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "python/src/elsewhere.hpp"
#include "python/src/keywords.hpp"
#include "python/src/machines.hpp"
#include "python/src/packing.hpp"
#include "src/analysis/metric_table.hpp"
#include "src/formats/named_platform.hpp"
#include "src/replay/comparison.hpp"
#include "src/server/server.hpp"
#include "src/session/session.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::python {

namespace {

// A scheduler of a comparison: its name in tables, and an object of Python or a text as the command takes it.
using Compared = std::pair<std::string, nb::object>;

// Returns notes on the comparison, too.
std::pair<Comparison, std::vector<std::string>> compare(
    const std::vector<std::pair<std::string, Jobs>>& workloads, const std::vector<Compared>& schedulers,
    const std::optional<std::string>& metric, const NamedMachine& machine, const std::optional<FileName>& log,
    const std::optional<std::string>& baseline, bool weeks, unsigned threads, const nb::object& tau,
    const nb::object& short_deadline, const nb::object& progress, const nb::object& elsewhere) {
    Background work;
    ComparisonRequest request;
    std::vector<std::string> notes;
    if (log) {
        request.log = log->text;
        request.note = [&notes](const std::string& note) { notes.push_back(note); };
    }
    request.baseline = baseline;
    request.weeks = weeks;
    set_measures(request.metrics, tau, short_deadline);
    request.threads = threads_of(threads);
    if (metric) {
        request.metric.emplace(*metric, request.metrics.tau);
    }
    std::vector<bool> is_own;
    for (const auto& [name, object] : schedulers) {
        is_own.push_back(!nb::isinstance<nb::str>(object));
        request.schedulers.push_back(
            {name, raising(*work.failure, [&, &object = object, &name = name] {
                 return nb::isinstance<nb::str>(object)
                            ? read_scheduler(word_of(object, "scheduler")).choice
                            : SchedulerChoice(algorithm_of(object, name, true, work.failure, work.stop), {});
             })});
    }
    request.run.progress = [&](std::size_t, Time) { work.require_not_stopped(); };
    const auto report = work.reporting_to(progress);
    request.elsewhere = compared_elsewhere(elsewhere, request, is_own, *work.failure);
    Comparison comparison;
    const auto run = [&] {
        std::vector<Replay> replays;
        std::vector<std::string> names;
        for (const auto& [name, jobs] : workloads) {
            names.push_back(name);
            replays.emplace_back(machine.platform_for(*jobs.workload), *jobs.workload);
        }
        comparison = batfill::compare(replays, std::move(names), request, report);
    };
    elsewhere.is_none() ? work.run(run) : work.run_here(run);
    return {std::move(comparison), std::move(notes)};
}

// The values of a metric, workload by workload; NaN where there is none.
nb::object values(const Comparison& comparison, const std::string& metric) {
    const std::vector<std::string> names =
        comparison.rows.empty() ? metric_names() : comparison.rows.front().values.front().names();
    if (std::find(names.begin(), names.end(), metric) == names.end()) {
        throw UsageError(unknown_name("metric", metric, names));
    }
    std::vector<double> result;
    for (const Comparison::Row& row : comparison.rows) {
        for (const Metrics& metrics : row.values) {
            result.push_back(metrics[metric].value_or(std::numeric_limits<double>::quiet_NaN()));
        }
    }
    return array_of(std::move(result));
}

std::string table(const Comparison& comparison, const std::string& format) {
    std::ostringstream out;
    write_comparison(out, comparison, metrics_format(format));
    return out.str();
}

// The level of the log, until the end of the scope.
class LogLevel {
 public:
    explicit LogLevel(spdlog::level::level_enum level) : before_(spdlog::get_level()) { spdlog::set_level(level); }
    ~LogLevel() { spdlog::set_level(before_); }
    LogLevel(const LogLevel&) = delete;
    LogLevel& operator=(const LogLevel&) = delete;

 private:
    spdlog::level::level_enum before_;
};

void serve(const nb::object& scheduler, const std::string& label, const Parameters::Given& parameters,
           const NamedMachine& machine, const Keywords& keywords) {
    const auto failure = std::make_shared<Failure>();
    ServerOptions server;
    spdlog::level::level_enum level = spdlog::level::off;
    options::Options options(options::Writing::keywords);
    add_connection_options(options, server);
    add_log_level_option(options, level);
    set_keywords(options, keywords);
    if (machine.word) {
        server.platform = named_platform(*machine.word, machine.details);
    }
    server.machine = machine.details;
    server.scheduler = written_scheduler(scheduler, label, parameters, server.keep_alive, failure);
    raising(*failure, [&] { require_fit_for_daemon(server.scheduler); });
    const LogLevel as_asked(level);
    run_in_background([&] { run_server(server); },
                      [](std::thread& worker) { pthread_kill(worker.native_handle(), SIGINT); }, *failure);
}

}  // namespace

void pack(Packer& all, const Comparison::Row& row) {
    all(row.workload, mapped(row.values, &Metrics::values), mapped(row.values, &Metrics::resources), row.group);
}
void pack(Unpacker& all, Comparison::Row& row) {
    std::vector<std::vector<std::optional<double>>> values;  // by scheduler
    std::vector<std::vector<std::string>> resources;
    all(row.workload, values, resources, row.group);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (resources.size() != values.size() || values[i].size() != metric_names().size() + resources[i].size()) {
            throw InputError("pickle: expected a comparison with the metrics of this batfill, found one of another");
        }
        row.values.emplace_back(std::move(values[i]), std::move(resources[i]));
    }
}
void pack(auto& all, Is<Comparison> auto& comparison) {
    all(comparison.schedulers, comparison.rows, comparison.baseline, comparison.sample, comparison.left_out,
        comparison.first_rejected);
}

void bind_comparisons(nb::module_& module) {
    using nb::arg;
    nb::class_<Comparison> bound(module, "Comparison");
    bind_packing<Comparison>(bound);
    bound.def_prop_ro("schedulers", [](const Comparison& comparison) { return comparison.schedulers; })
        .def_prop_ro("workloads",
                     [](const Comparison& comparison) { return mapped(comparison.rows, &Comparison::Row::workload); })
        .def_prop_ro("note", [](const Comparison& comparison) { return reason_for_no_intervals(comparison); })
        .def("values", &values, arg("metric"),
             nb::sig("def values(self, metric: str) -> numpy.typing.NDArray[numpy.float64]"))
        .def(
            "title",
            [](const Comparison& comparison, const std::string& metric) {
                return analysis::shown_metrics({metric}, comparison.rows.front().values.front()).front().title;
            },
            arg("metric"))
        .def("table", &table, arg("format"));
    module.def("compare", &compare, arg("workloads"), arg("schedulers"), arg("metric").none(), arg("machine"),
               arg("log").none(), arg("baseline").none(), arg("weeks"), arg("threads"), arg("tau"),
               arg("short_deadline"), arg("progress").none(), arg("elsewhere").none());
    module.def(
        "name_of_scheduler", [](const std::string& text) { return read_scheduler(text).name; }, arg("text"));
    module.def("metric_names", &metric_names);
    module.def("compared_metrics", &ReplayMetric::known_names);
    module.def("serve", &serve, arg("scheduler"), arg("label"), arg("parameters"), arg("machine"), arg("keywords"));
}

}  // namespace batfill::python
