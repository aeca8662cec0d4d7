#include <algorithm>
#include <cstdint>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <batfill/core/error.hpp>

#include "python/src/bindings.hpp"
#include "python/src/run.hpp"
#include "src/report/plot.hpp"
#include "src/support/mapped.hpp"

// What charts show, for matplotlib to draw.
namespace batfill::python {

namespace {

using report::PlotKind;
using report::PlottedGantt;

std::vector<std::string> kinds() {
    return {report::plot_kind_names.begin(), report::plot_kind_names.end()};
}

// The kind of this name.
// Throws: UsageError for another, and for the usage of a machine without pools and capacities.
PlotKind kind_of(const std::string& name, const Run& run) {
    const auto kind = static_cast<PlotKind>(place_of(name, "kind", kinds()));
    const Resources resources = run.platform.machine().resources();
    const auto is_there = [](auto total) { return total > 0; };
    if (kind == PlotKind::usage && !std::ranges::any_of(mapped(resources.pools(), &Resources::Pool::total), is_there) &&
        !std::ranges::any_of(resources.totals(), is_there)) {
        throw UsageError("kind: expected a machine with pools or capacities for usage, found one without");
    }
    return kind;
}

report::PlotOptions options_of(const Run& run, nb::handle tau, nb::handle since, nb::handle until) {
    const auto instant = [](nb::handle value, const char* name) {
        return value.is_none() ? std::nullopt : std::optional(Time::at(duration_of(value, name)));
    };
    report::PlotOptions options;
    options.tau = positive_duration_of(tau, "tau");
    options.from = instant(since, "since");
    options.until = instant(until, "until");
    refuse_if(options.from && options.until && *options.from >= *options.until, "until: expected a time after since");
    const Machine machine = run.platform.machine();
    options.processors = machine.processors();
    options.windows = machine.windows();
    options.resources = machine.resources();
    if (options.resources.has_shared_hosts() || !options.resources.pools().empty()) {
        options.workloads = run.workloads;  // elsewhere nobody asks what jobs take besides processors
    }
    return options;
}

// The name of an axis of time, its unit in seconds, and its ends in seconds.
nb::tuple tuple_of(const report::PlottedTime& time) {
    return nb::make_tuple(time.name, time.unit, time.first, time.last);
}

nb::list plotted(const Run& run, const std::string& name, const nb::object& tau, const nb::object& since,
                 const nb::object& until) {
    const PlotKind kind = kind_of(name, run);
    const report::PlotOptions options = options_of(run, tau, since, until);
    nb::list panels;
    for (report::PlottedPanel& panel : interruptible([&] { return report::plotted(kind, page_run(run), options); })) {
        panels.append(nb::make_tuple(tuple_of(panel.time), panel.x, panel.y, panel.highest,
                                     array_of(std::move(panel.xs)), array_of(std::move(panel.ys))));
    }
    return panels;
}

PlottedGantt gantt(const Run& run, const nb::object& since, const nb::object& until) {
    report::PlotOptions options = options_of(run, nb::float_(default_tau.to_seconds()), since, until);
    return interruptible([&] { return PlottedGantt(page_run(run), std::move(options)); });
}

nb::object picture(const PlottedGantt& chart, std::size_t panel, double from, double until, double first, double last,
                   std::size_t columns, std::size_t rows) {
    refuse_if(!(from < until) || !(first < last) || columns == 0 || rows == 0 || panel >= chart.panels().size(),
              "picture: expected a part of the chart, and cells");
    auto* const cells = new std::vector<std::uint8_t>(
        interruptible([&] { return chart.picture(panel, from, until, first, last, columns, rows); }));
    const nb::capsule owner(cells, [](void* kept) noexcept { delete static_cast<std::vector<std::uint8_t>*>(kept); });
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>(cells->data(), {rows, columns}, owner));
}

nb::list panels_of(const PlottedGantt& chart) {
    nb::list panels;
    for (const PlottedGantt::Panel& panel : chart.panels()) {
        nb::list windows;
        for (const PlottedGantt::Band& band : panel.windows) {
            windows.append(nb::make_tuple(band.name, band.from, band.until, band.rows));
        }
        panels.append(nb::make_tuple(panel.y, panel.rows, panel.highest, windows));
    }
    return panels;
}

// The chart of `batfill plot`, so many inches wide and high.
std::string svg(const Run& run, const std::string& name, double width, double height) {
    const PlotKind kind = kind_of(name, run);
    report::PlotOptions options = options_of(run, nb::float_(default_tau.to_seconds()), nb::none(), nb::none());
    options.width = width;
    options.height = height;
    return interruptible([&] { return report::plot(kind, {page_run(run)}, options); });
}

}  // namespace

void bind_charts(nb::module_& module) {
    using nb::arg;
    nb::class_<PlottedGantt>(module, "Gantt")
        .def(nb::new_(&gantt), arg("run"), arg("since").none(), arg("until").none())
        .def_prop_ro(
            "time", [](const PlottedGantt& chart) { return tuple_of(chart.time()); },
            nb::sig("def time(self) -> tuple[str, float, float, float]"))
        .def_prop_ro("panels", &panels_of,
                     nb::sig("def panels(self) -> list[tuple[str, int, float, list[tuple[str, float, float, "
                             "list[tuple[int, int]]]]]]"))
        .def("picture", &picture, arg("panel"), arg("since"), arg("until"), arg("first"), arg("last"), arg("columns"),
             arg("rows"),
             nb::sig("def picture(self, panel: int, since: float, until: float, first: float, last: float, columns: "
                     "int, rows: int) -> numpy.typing.NDArray[numpy.uint8]"));
    module.def("plotted", &plotted, arg("run"), arg("kind"), arg("tau"), arg("since").none(), arg("until").none(),
               nb::sig("def plotted(run: Run, kind: str, tau: object, since: object, until: object) -> "
                       "list[tuple[tuple[str, float, float, float], str, str, float, "
                       "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]]"));
    module.def("svg", &svg, arg("run"), arg("kind"), arg("width"), arg("height"));
    module.def("wait_colours", &report::wait_colours);
    module.def("plot_kinds", &kinds);
}

}  // namespace batfill::python
