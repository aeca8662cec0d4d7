#include "src/report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/report/conversion.hpp"
#include "src/report/figures.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/durations.hpp"
#include "src/support/files.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

namespace {

constexpr const char* plot_summary =
    "Plots one chart of one or more runs as SVG, PDF or PNG, for a paper. KIND is gantt (the jobs on the machine, a panel\n"
    "per run), utilisation, queue (jobs waiting over time), or waits or slowdowns (how many jobs had at most this wait or\n"
    "bounded slowdown). PREFIX is as in batfill report, which shows all charts on one page.";

report::PlotKind plot_kind(const std::string& name) {
    const auto* const found = std::find(report::plot_kind_names.begin(), report::plot_kind_names.end(), name);
    if (found == report::plot_kind_names.end()) {
        throw UsageError(
            unknown_name("kind of plot", name, {report::plot_kind_names.begin(), report::plot_kind_names.end()}));
    }
    return static_cast<report::PlotKind>(found - report::plot_kind_names.begin());
}

// The instant that an option gives, as seconds or with a unit: 90s, 15m, 1h, 30d.
// Throws: UsageError if its value is anything else.
std::optional<Time> time_option(const Options& options, const std::string& name) {
    if (!options.given(name)) {
        return std::nullopt;
    }
    const auto value = options.get<std::string>(name);
    const std::optional<Duration> since_zero = parse_duration(value);
    if (!since_zero) {
        throw UsageError("--" + name +
                         ": expected seconds, or a number with a unit such as 90s, 15m, 1h or 30d, found '" + value +
                         "'");
    }
    return Time::at(*since_zero);
}

// The number that an option gives.
// Throws: UsageError unless it is from `least` to `most`.
std::optional<double> length_option(const Options& options, const std::string& name, double least, double most,
                                    const char* unit) {
    if (!options.given(name)) {
        return std::nullopt;
    }
    const auto value = options.get<double>(name);
    if (std::isnan(value) || value < least || value > most) {
        throw UsageError("--" + name + ": expected " + rounded(least, 0) + " to " + rounded(most, 0) + " " + unit +
                         ", found " + exact(value));
    }
    return value;
}

void add_picture_options(Options& options) {
    options.add(
        "from", Value<std::string>("TIME"),
        "begin the chart here: seconds from the run's zero, or 90s, 15m, 1h, 30d; by default with the first job");
    options.add("until", Value<std::string>("TIME"), "end it here; by default with the last job");
    options.add("width", Value<double>("INCHES"),
                "width of the picture, 7.5 by default; a column of a paper has about 3.3");
    options.add("height", Value<double>("INCHES"), "height of the picture; by default it follows from the width");
    options.add("font-size", Value<double>("POINTS"),
                "size of all texts; by default 9, and 8 below a width of 5 inches");
}

void picture_options(const Options& options, report::PlotOptions& plotted) {
    plotted.from = time_option(options, "from");
    plotted.until = time_option(options, "until");
    if (plotted.from && plotted.until && *plotted.until <= *plotted.from) {
        throw UsageError("--until: expected a time after --from, found '" + options.get<std::string>("until") + "'");
    }
    plotted.width = length_option(options, "width", 1, 100, "inches").value_or(plotted.width);
    plotted.height = length_option(options, "height", 1, 100, "inches");
    plotted.font_size = length_option(options, "font-size", 1, 100, "points");
}

// The resolution of a PNG.
int dpi_option(const Options& options, bool as_png) {
    const int dpi = options.get<int>("dpi");
    if (dpi < 1 || dpi > 2400 || (!as_png && options.given("dpi"))) {
        throw UsageError("--dpi: expected a number from 1 to 2400, for a FILE.png");
    }
    return dpi;
}

std::vector<report::PlottedRun> read_runs(const std::vector<std::string>& prefixes, const MetricsOptions& machine) {
    const std::vector<std::string> names = run_labels(prefixes);
    std::vector<report::PlottedRun> runs;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        runs.push_back({names[i], read_any_schedule(prefixes[i], note)});
        require_machine_of(runs.back().schedule, machine);
    }
    return runs;
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
    options.add("output,o", Value<std::string>("FILE").required(),
                "the chart: FILE.svg, FILE.svg.gz, or FILE.pdf or FILE.png, which need rsvg-convert");
    add_picture_options(options);
    options.add("dpi", Value<int>("N").otherwise(192), "pixels per inch of a PNG");
    options.add("title", Value<std::string>("TEXT"), "title above the chart");
    if (!options.parse(arguments, "batfill plot KIND PREFIX... -o FILE.svg|FILE.pdf|FILE.png [OPTION]...", plot_summary,
                       {"plot gantt easy -o gantt.svg", "plot utilisation easy dc -p sdsc-sp2 -o utilisation.png"})) {
        return 0;
    }
    const report::PlotKind kind = plot_kind(options.get<std::string>("kind"));
    report::PlotOptions plotted;
    plotted.tau = tau_option(options);
    plotted.title = options.get<std::string>("title");
    const auto output = options.get<std::string>("output");
    require_ending("output", output, {".svg", ".svg.gz", ".pdf", ".png"});
    picture_options(options, plotted);
    const int dpi = dpi_option(options, output.ends_with(".png"));
    require_writable_folder(output);
    MetricsOptions machine;
    machine_options(options, machine);
    if (kind == report::PlotKind::utilisation && !machine.processors) {
        throw UsageError("a plot of the utilisation needs the machine: expected --platform or --processors");
    }
    const std::vector<report::PlottedRun> runs = read_runs(options.get<std::vector<std::string>>("prefixes"), machine);
    for (const report::PlottedRun& run : runs) {
        plotted.processors =
            machine.processors.value_or(std::max(plotted.processors, report::processors_used(run.schedule)));
    }
    const std::string chart = report::plot(kind, runs, plotted);
    write_file(output, output.ends_with(".png")   ? report::png_of(chart, dpi)
                       : output.ends_with(".pdf") ? report::pdf_of(chart)
                                                  : chart);
    return 0;
}

}  // namespace batfill::commands
