#include "src/report/plot.hpp"

#include <algorithm>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "src/report/conversion.hpp"
#include "src/report/figures.hpp"
#include "src/report/run_files.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"

namespace batfill::commands {

namespace {

report::PlotKind plot_kind(const std::string& name) {
    Words<report::PlotKind> kinds;
    for (const std::string_view kind : report::plot_kind_names) {
        kinds.emplace_back(kind, static_cast<report::PlotKind>(kinds.size()));
    }
    return meaning_of(name, kinds, "kind of plot");
}

void add_picture_options(Options& options, report::PlotOptions& plotted) {
    options.add(
        "from", length(plotted.from, "TIME"),
        "begin the chart here: seconds from the run's zero, or 90s, 15m, 1h, 30d; by default with the first job");
    options.add("until", length(plotted.until, "TIME"), "end it here; by default with the last job");
    options.add("width", number(plotted.width, "INCHES", 1, 100, " inches"),
                "width of the picture, 7.5 by default; a column of a paper has about 3.3");
    options.add("height", number(plotted.height, "INCHES", 1, 100, " inches"),
                "height of the picture; by default it follows from the width");
    options.add("font-size", number(plotted.font_size, "POINTS", 1, 100, " points"),
                "size of all texts; by default 9, and 8 below a width of 5 inches");
    options.add_rule([&plotted] {
        if (plotted.from && plotted.until && *plotted.until <= *plotted.from) {
            throw UsageError("--until: expected a time after --from, found " +
                             plotted.until->since_zero().to_shortest_string() + " s");
        }
    });
}

std::vector<report::PlottedRun> read_runs(const std::vector<std::string>& prefixes, const MetricsOptions& machine) {
    const std::vector<std::string> names = report::run_labels(prefixes);
    std::vector<report::PlottedRun> runs;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        runs.push_back({names[i], report::read_run(prefixes[i], note)});
        report::require_machine_of_run(prefixes[i], runs.back().schedule, machine, note);
    }
    return runs;
}

}  // namespace

int plot(const Arguments& arguments) {
    report::PlotKind kind{};
    std::vector<std::string> prefixes;
    MetricsOptions machine;
    report::PlotOptions plotted;
    std::string output;
    int dpi = 0;
    Options options;
    options.add_positional("kind", value(kind, "arg", plot_kind).required());
    options.add_positional("prefixes", text(prefixes).required());
    options.group("Input");
    add_machine_options(options, machine);
    add_tau_option(options, plotted.tau);
    options.group("Output");
    options.add("output,o", output_file(output, "FILE", {".svg", ".svg.gz", ".pdf", ".png"}).required(),
                "the chart: FILE.svg, FILE.svg.gz, or FILE.pdf or FILE.png, which need rsvg-convert");
    add_picture_options(options, plotted);
    options.add("dpi", number(dpi, "N", 1, 2400).otherwise("192"), "pixels per inch of a PNG");
    options.add("title", text(plotted.title, "TEXT"), "title above the chart");
    if (!options.parse(
            arguments, "batfill plot KIND PREFIX... -o FILE.svg|FILE.pdf|FILE.png [OPTION]...",
            "Plots one chart of one or more runs as SVG, PDF or PNG, for a paper. KIND is gantt (the jobs on the machine, a panel\n"
            "per run), utilisation, queue (jobs waiting over time), or waits or slowdowns (how many jobs had at most this wait or\n"
            "bounded slowdown). PREFIX is as in batfill report, which shows all charts on one page.",
            {"plot gantt easy -o gantt.svg", "plot utilisation easy dc -p sdsc-sp2 -o utilisation.png"})) {
        return 0;
    }
    refuse_if(options.given("dpi") && !output.ends_with(".png"), "--dpi: expected a FILE.png, found '" + output + "'");
    refuse_if(options.given("tau") && kind != report::PlotKind::slowdowns,
              "--tau is for slowdowns, expected none for another kind of plot");
    refuse_if(kind == report::PlotKind::utilisation && !machine.processors,
              "a plot of the utilisation needs the machine: expected --platform or --processors");
    require_no_input("output", output, mapped(prefixes, report::jobs_file));
    const std::vector<report::PlottedRun> runs = read_runs(prefixes, machine);
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
