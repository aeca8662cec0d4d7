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

#include "bindings.hpp"
#include "src/formats/named_platform.hpp"
#include "src/replay/comparison.hpp"
#include "src/server/server.hpp"
#include "src/session/session.hpp"
#include "src/support/interruption.hpp"
#include "src/support/names.hpp"

namespace batfill::python {

namespace {

// A scheduler of a comparison: a name, and an object of Python or none for what the name says.
using Compared = std::pair<std::string, nb::object>;

struct CompareOptions {
    std::optional<std::string> metric;
    std::optional<std::string> platform;
    std::string master_host;
    unsigned threads = 1;
    nb::object tau;
    nb::object short_deadline;
};

class Comparer {
 public:
    Comparer(const std::vector<Compared>& schedulers, const CompareOptions& options) {
        request_.tau = duration_of(options.tau, "tau");
        if (request_.tau < Duration::microseconds(1)) {
            throw UsageError("tau: expected at least 0.000001 s, found " + request_.tau.to_shortest_string());
        }
        request_.short_deadline = duration_of(options.short_deadline, "short_deadline");
        request_.platform = options.platform;
        request_.master_host = options.master_host;
        request_.threads = threads_of(options.threads);
        if (options.metric) {
            request_.metric.emplace(*options.metric, request_.tau);
        }
        for (const auto& [name, object] : schedulers) {
            request_.schedulers.push_back(
                object.is_none() ? read_scheduler(name)
                                 : NamedScheduler{name, choice_of(object, name, {}, true, work_.failure, work_.stop)});
        }
        request_.run.progress = [this](std::size_t, Time) { work_.require_not_stopped(); };
    }

    Comparison compare(const std::vector<std::pair<std::string, Jobs>>& workloads, const nb::object& progress) {
        std::optional<Comparison> comparison;
        const auto report = work_.reporting_to(progress);
        work_.run([&] {
            std::vector<Replay> replays;
            std::vector<std::string> names;
            for (const auto& [name, jobs] : workloads) {
                names.push_back(name);
                replays.emplace_back(platform_of(*jobs.workload), *jobs.workload);
            }
            comparison = batfill::compare(replays, std::move(names), request_, report);
        });
        return std::move(*comparison);
    }

 private:
    Platform platform_of(const Workload& workload) const {
        return request_.platform ? named_platform(*request_.platform, request_.master_host)
                                 : homogeneous_platform(workload.processors);
    }

    Background work_;
    ComparisonRequest request_;
};

Comparison compare(const std::vector<std::pair<std::string, Jobs>>& workloads, const std::vector<Compared>& schedulers,
                   const std::optional<std::string>& metric, const std::optional<std::string>& platform,
                   const std::string& master_host, unsigned threads, const nb::object& tau,
                   const nb::object& short_deadline, const nb::object& progress) {
    return Comparer(schedulers, {metric, platform, master_host, threads, tau, short_deadline})
        .compare(workloads, progress);
}

// The values of a metric, workload by workload; NaN where there is none.
nb::object values(const Comparison& comparison, const std::string& metric) {
    const std::vector<std::string> names = metric_names();
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

void serve(const nb::object& scheduler, const std::string& label, const Parameters::Given& parameters,
           const std::string& endpoint, bool keep_alive, const std::optional<double>& idle_timeout,
           const std::optional<std::string>& platform, const std::string& log_level) {
    const auto failure = std::make_shared<Failure>();
    ServerOptions server;
    server.endpoint = endpoint;
    server.keep_alive = keep_alive;
    if (idle_timeout) {
        if (!(*idle_timeout >= 1 && *idle_timeout <= 366 * 86400.0)) {
            throw UsageError("idle_timeout: expected 1 s to 366 days, found " + std::to_string(*idle_timeout));
        }
        server.idle_timeout = std::chrono::seconds(static_cast<long long>(*idle_timeout));
    }
    if (platform) {
        server.platform = named_platform(*platform, default_master_host);
    }
    if (nb::isinstance<nb::str>(scheduler)) {
        server.choice = read_choice(nb::cast<std::string>(scheduler), {});
        add_parameters(server.choice, parameters, "a keyword");
    } else {
        server.choice = choice_of(scheduler, label, parameters, keep_alive, failure, nullptr);
    }
    require_fit_for_daemon(Engine(server.choice));
    const auto level = spdlog::level::from_str(log_level);
    if (level == spdlog::level::off && log_level != "off") {
        throw UsageError(unknown_name("log level", log_level, {"trace", "debug", "info", "warning", "error", "off"}));
    }
    spdlog::set_level(level);
    run_in_background([&] { run_server(server); },
                      [](std::thread& worker) { pthread_kill(worker.native_handle(), SIGINT); }, *failure);
}

}  // namespace

void bind_comparisons(nb::module_& module) {
    using nb::arg;
    nb::class_<Comparison>(module, "Comparison")
        .def_prop_ro("schedulers", [](const Comparison& comparison) { return comparison.schedulers; })
        .def_prop_ro("workloads",
                     [](const Comparison& comparison) {
                         std::vector<std::string> names;
                         for (const Comparison::Row& row : comparison.rows) {
                             names.push_back(row.workload);
                         }
                         return names;
                     })
        .def("values", &values, arg("metric"),
             nb::sig("def values(self, metric: str) -> numpy.typing.NDArray[numpy.float64]"))
        .def("table", &table, arg("format"));
    module.def("compare", &compare, arg("workloads"), arg("schedulers"), arg("metric").none(), arg("platform").none(),
               arg("master_host"), arg("threads"), arg("tau"), arg("short_deadline"), arg("progress").none());
    module.def("metric_names", &metric_names);
    module.def("compared_metrics", &ReplayMetric::known_names);
    module.def("serve", &serve, arg("scheduler"), arg("label"), arg("parameters"), arg("endpoint"), arg("keep_alive"),
               arg("idle_timeout").none(), arg("platform").none(), arg("log_level"));
}

}  // namespace batfill::python
