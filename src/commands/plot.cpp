#include "src/report/plot.hpp"

#include <algorithm>
#include <iostream>

#include <batfill/error.hpp>
#include <batfill/parameters.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "platform_option.hpp"
#include "src/core/files.hpp"
#include "src/report/figures.hpp"
#include "src/report/png.hpp"

namespace batfill::commands {

namespace {

namespace po = boost::program_options;

constexpr const char* summary =
    "Draws one chart of one or more runs as SVG or PNG, for a paper. KIND is gantt (what ran where, a panel for each "
    "run),\n"
    "utilisation, queue (jobs waiting over time), waits or slowdowns (how many jobs had at most so long a wait or so\n"
    "large a bounded slowdown). PREFIX is that of batfill report, which has all charts on one page.";

report::PlotKind kind_of(const std::string& name) {
    const auto* const found = std::find(report::plot_kind_names.begin(), report::plot_kind_names.end(), name);
    if (found == report::plot_kind_names.end()) {
        throw UsageError(
            "unknown kind of plot '" + name + "', known: " +
            list_of(std::vector<std::string>(report::plot_kind_names.begin(), report::plot_kind_names.end())));
    }
    return static_cast<report::PlotKind>(found - report::plot_kind_names.begin());
}

}  // namespace

int plot(const Arguments& arguments) {
    std::string kind_name;
    std::vector<std::string> prefixes;
    std::string output;
    std::string tau;
    int dpi = 0;
    report::PlotOptions plotted;
    po::options_description options;
    auto add = options.add_options();
    add("kind", po::value(&kind_name)->required());
    add("prefixes", po::value(&prefixes)->required());
    add("output,o", po::value(&output)->required()->value_name("FILE"),
        "the chart: FILE.svg, or FILE.png, for which rsvg-convert must be installed");
    add("dpi", po::value(&dpi)->default_value(192)->value_name("N"),
        "pixels to the inch of a PNG; a chart is 7.5 inches wide");
    add("platform,p", po::value<std::string>()->value_name(platform_value), platform_help);
    add("master-host,m", po::value<std::string>()->default_value("master_host")->value_name("NAME"),
        "host of the platform that does not compute");
    add("processors", po::value<int>()->value_name("N"), "number of processors, instead of a platform");
    add("tau", po::value(&tau)->default_value("10")->value_name("SECONDS"), "bound of the bounded slowdown");
    add("title", po::value(&plotted.title)->value_name("TEXT"), "above the chart");
    po::positional_options_description positional;
    positional.add("kind", 1).add("prefixes", -1);
    po::variables_map values;
    if (!parse(arguments, "batfill plot KIND PREFIX... -o FILE.svg|FILE.png [OPTION]...", summary, options, positional,
               values)) {
        return 0;
    }
    const report::PlotKind kind = kind_of(kind_name);
    plotted.tau = seconds_option("--tau", tau, Duration::microseconds(1));
    const bool as_png = output.ends_with(".png");
    if (dpi < 1 || dpi > 2400 || (!as_png && !values["dpi"].defaulted())) {
        throw UsageError("--dpi: expected a number from 1 to 2400, for a FILE.png");
    }
    require_writable_folder(output);
    MetricsOptions machine;
    machine_options(values, machine);
    if (kind == report::PlotKind::utilisation && !machine.processors) {
        throw UsageError("a plot of the utilisation needs the machine: expected --platform or --processors");
    }
    const std::vector<std::string> names = run_labels(prefixes);
    std::vector<report::PlottedRun> runs;
    bool any = false;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        runs.push_back({names[i], read_any_schedule(jobs_file(prefixes[i]))});
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
    OutputFile file(output);
    file.write(as_png ? report::png_of(chart, dpi) : chart);
    file.commit();
    return 0;
}

}  // namespace batfill::commands
