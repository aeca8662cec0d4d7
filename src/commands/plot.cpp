#include "src/report/plot.hpp"

#include <algorithm>
#include <iostream>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/report/figures.hpp"
#include "src/report/png.hpp"
#include "src/support/files.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

namespace {

constexpr const char* plot_summary =
    "Plots one chart of one or more runs as SVG or PNG, for a paper. KIND is gantt (the jobs on the machine, a panel per\n"
    "run), utilisation, queue (jobs waiting over time), or waits or slowdowns (how many jobs had at most this wait or\n"
    "bounded slowdown). PREFIX is as in batfill report, which shows all charts on one page.";

report::PlotKind plot_kind(const std::string& name) {
    const auto* const found = std::find(report::plot_kind_names.begin(), report::plot_kind_names.end(), name);
    if (found == report::plot_kind_names.end()) {
        throw UsageError(
            unknown_name("kind of plot", name, {report::plot_kind_names.begin(), report::plot_kind_names.end()}));
    }
    return static_cast<report::PlotKind>(found - report::plot_kind_names.begin());
}

}  // namespace

int plot(const Arguments& arguments) {
    Options options;
    options.add_positional("kind", Value<std::string>().required());
    options.add_positional("prefixes", Value<std::vector<std::string>>().required());
    options.group("Input");
    add_machine_options(options);
    add_tau_option(options);
    options.group("Output");
    options.add(
        "output,o", Value<std::string>("FILE").required(),
        "the chart: FILE.svg, FILE.svg.gz, or FILE.png, which needs rsvg-convert (rsvg-convert -f pdf turns an SVG into a PDF)");
    options.add("dpi", Value<int>("N").otherwise(192), "pixels per inch of a PNG; a chart is 7.5 inches wide");
    options.add("title", Value<std::string>("TEXT"), "title above the chart");
    if (!options.parse(arguments, "batfill plot KIND PREFIX... -o FILE.svg|FILE.png [OPTION]...", plot_summary,
                       {"plot gantt easy -o gantt.svg", "plot utilisation easy dc -p sdsc-sp2 -o utilisation.png"})) {
        return 0;
    }
    const report::PlotKind kind = plot_kind(options.get<std::string>("kind"));
    report::PlotOptions plotted;
    plotted.tau = tau_option(options);
    plotted.title = options.get<std::string>("title");
    const auto output = options.get<std::string>("output");
    require_ending("output", output, {".svg", ".svg.gz", ".png"});
    const int dpi = options.get<int>("dpi");
    const bool as_png = output.ends_with(".png");
    if (dpi < 1 || dpi > 2400 || (!as_png && options.given("dpi"))) {
        throw UsageError("--dpi: expected a number from 1 to 2400, for a FILE.png");
    }
    require_writable_folder(output);
    MetricsOptions machine;
    machine_options(options, machine);
    if (kind == report::PlotKind::utilisation && !machine.processors) {
        throw UsageError("a plot of the utilisation needs the machine: expected --platform or --processors");
    }
    const auto prefixes = options.get<std::vector<std::string>>("prefixes");
    const std::vector<std::string> names = run_labels(prefixes);
    std::vector<report::PlottedRun> runs;
    bool any = false;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        runs.push_back({names[i], read_any_schedule(prefixes[i], note)});
        const Schedule& schedule = runs.back().schedule;
        require_machine_of(schedule, machine);
        any = any || std::any_of(schedule.jobs.begin(), schedule.jobs.end(),
                                 [](const ScheduledJob& job) { return job.finished(); });
    }
    if (!any) {
        throw InputError(runs.front().schedule.path + ": no job finished, there is nothing to plot");
    }
    for (const report::PlottedRun& run : runs) {
        plotted.processors =
            machine.processors.value_or(std::max(plotted.processors, report::processors_used(run.schedule)));
    }
    const std::string chart = report::plot(kind, runs, plotted);
    write_file(output, as_png ? report::png_of(chart, dpi) : chart);
    return 0;
}

}  // namespace batfill::commands
