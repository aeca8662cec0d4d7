#include "src/report/plot.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <batfill/core/error.hpp>

#include "src/commands/inputs.hpp"
#include "src/report/figures.hpp"
#include "src/runs/run_files.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"
#include "src/workloads/named_workload.hpp"

namespace batfill::commands {

namespace {

report::PlotKind plot_kind(const std::string& name) {
    Words<report::PlotKind> kinds;
    for (const std::string_view kind : report::plot_kind_names) {
        kinds.emplace_back(kind, static_cast<report::PlotKind>(kinds.size()));
    }
    return meaning_of(name, kinds, "kind of plot");
}

// A colour as SVG has it: #rgb, #rrggbb, or one of its plain names.
std::string colour_in(const std::string& text) {
    const std::vector<std::string> names{"aqua",  "black",  "blue", "brown",   "cyan",   "fuchsia", "gold",  "gray",
                                         "green", "grey",   "lime", "magenta", "maroon", "navy",    "olive", "orange",
                                         "pink",  "purple", "red",  "silver",  "teal",   "white",   "yellow"};
    const bool is_hexadecimal = (text.size() == 4 || text.size() == 7) && text.front() == '#' &&
                                text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
    refuse_if(!is_hexadecimal && std::ranges::find(names, text) == names.end(),
              "expected colours such as #0072b2 or one of " + list_of(names) + ", found '" + text + "'");
    return text;
}

// The family of a font as an attribute of SVG has it. Names of several words are in quotes.
std::string font_in(const std::string& text) {
    const auto is_one_of = [](char c, std::string_view known) { return known.find(c) != std::string_view::npos; };
    constexpr std::string_view not_first = "0123456789 -_";
    // Letters of other alphabets are bytes from 128 on.
    const auto is_allowed = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_one_of(c, not_first) ||
               static_cast<unsigned char>(c) >= 128;
    };
    const bool is_name = !text.empty() && one_line(text) == text && std::ranges::all_of(text, is_allowed);
    refuse_if(!is_name || is_one_of(text.front(), not_first) || text.back() == ' ',
              "expected the name of a font family such as serif or 'Times New Roman', found '" + text + "'");
    return text.find(' ') == std::string::npos ? text : '"' + text + '"';
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
    options.add("font", value(plotted.font, "FAMILY", font_in),
                "family of all texts, such as serif or 'Times New Roman'; sans-serif by default");
    options.add("colors",
                Value("COLOR,...",
                      [&plotted](const std::string& list) {
                          for (const std::string_view colour : split(list, ',')) {
                              plotted.colours.push_back(colour_in(std::string(colour)));
                          }
                      }),
                "colours of the runs, in their order, such as #0072b2,red; of gantt the six classes of wait");
    options.add_rule([&plotted] {
        refuse_if(plotted.from && plotted.until && *plotted.until <= *plotted.from, [&] {
            return "--until: expected a time after --from, found " + plotted.until->since_zero().to_shortest_string() +
                   " s";
        });
    });
}

// The labels that the user gives to runs, RUN=TEXT.
Value labels_of_runs(std::vector<std::string>& given) {
    return value(given, "RUN=TEXT", [](const std::string& text) {
        const std::size_t at = text.rfind('=');
        refuse_if(at == std::string::npos || at == 0, "expected RUN=TEXT, such as easy=EASY, found '" + text + "'");
        return text;
    });
}

// Replaces the labels of runs.
// Throws: UsageError for a run that does not exist, one that has two labels, and a label of two runs.
void rename_runs(std::vector<report::Run>& runs, const std::vector<std::string>& given) {
    const std::vector<std::string> names = mapped(runs, &report::Run::label);
    std::vector<bool> renamed(runs.size());
    for (const std::string& text : given) {
        // Names of runs may have a = in them, and labels, too: the longest name wins.
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (text.starts_with(names[i] + '=') && (!found || names[i].size() > names[*found].size())) {
                found = i;
            }
        }
        refuse_if(!found, "--label: " + unknown_name("run", text.substr(0, text.find('=')), names));
        const std::string label = text.substr(names[*found].size() + 1);
        refuse_if(renamed[*found], "--label: expected one label for " + names[*found] + ", found two");
        refuse_if(trimmed(label).empty(), "--label: expected a text behind " + names[*found] + "=, found none");
        renamed[*found] = true;
        runs[*found].label = label;
    }
    for (std::size_t i = 1; i < runs.size(); ++i) {
        for (std::size_t other = 0; other < i; ++other) {
            refuse_if(!given.empty() && runs[i].label == runs[other].label,
                      "--label: expected a different label for each run, found '" + runs[i].label + "' twice");
        }
    }
}

std::vector<report::Run> read_runs(const std::vector<std::string>& prefixes, const MetricsOptions& machine) {
    const std::vector<std::string> names = runs::run_labels(prefixes);
    std::vector<report::Run> runs;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        runs.push_back({names[i], runs::read_run(prefixes[i], note)});
        runs::require_machine_of_run(prefixes[i], runs.back().schedule, machine, note);
    }
    return runs;
}

// The rules of what jobs take of pools and of shared hosts.
void require_resources(report::PlotKind kind, const MetricsOptions& machine, bool has_workload) {
    if (kind != report::PlotKind::usage) {
        return;
    }
    const Resources& resources = machine.resources;
    const auto is_there = [](Amount total) { return total > 0; };
    refuse_if(!std::ranges::any_of(mapped(resources.pools(), &Resources::Pool::total), is_there) &&
                  !std::ranges::any_of(resources.totals(), is_there),
              "a plot of the usage is of pools and capacities of hosts: expected a machine that has some, such as -p N "
              "--pool NAME=TOTAL --capacity NAME:AMOUNT");
    refuse_if(!has_workload, "a plot of the usage needs what jobs take: expected --workload");
}

}  // namespace

void plot(const Arguments& arguments) {
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
    std::vector<std::string> workloads;
    options.add(
        "workload,w", text(workloads, "FILE"),
        "workload of all the runs, for what jobs take of pools and shared hosts, which gantt and usage draw; several become w0, w1, ...");
    add_machine_options(options, machine);
    add_tau_option(options, plotted.tau);
    options.group("Output");
    options.add("output,o", output_file(output, "FILE", {".svg", ".svg.gz", ".pdf", ".png"}).required(),
                "the chart: FILE.svg, FILE.svg.gz, or FILE.pdf or FILE.png, which need rsvg-convert");
    add_picture_options(options, plotted);
    options.add("dpi", number(dpi, "N", 1, 2400).otherwise("192"), "pixels per inch of a PNG");
    options.add("title", text(plotted.title, "TEXT"), "title above the chart");
    std::vector<std::string> labels;
    options.add("label", labels_of_runs(labels), "name of a run in the chart, such as easy=EASY; repeatable");
    parse(
        options, arguments,
        {"batfill plot KIND PREFIX... -o FILE.svg|FILE.pdf|FILE.png [OPTION]...",
         "Plots one chart of one or more runs as SVG, PDF or PNG, for a paper. KIND is gantt (the jobs on the machine, a panel\n"
         "per run), utilisation, queue (jobs waiting over time), usage (of each pool and capacity over time), or waits or\n"
         "slowdowns (how many jobs had at most this wait or bounded slowdown). PREFIX is as in batfill report, which shows\n"
         "all charts on one page. Where jobs share hosts, gantt needs the workload to draw each job's part of a host.",
         {"plot gantt easy -o gantt.svg", "plot utilisation easy dc -p sdsc-sp2 -o utilisation.png"}});
    refuse_if(options.given("dpi") && !output.ends_with(".png"), "--dpi: expected a FILE.png, found '" + output + "'");
    refuse_if(options.given("tau") && kind != report::PlotKind::slowdowns,
              "--tau is for slowdowns, expected none for another kind of plot");
    refuse_if(kind == report::PlotKind::utilisation && !machine.processors,
              "a plot of the utilisation needs the machine: expected --platform or --processors");
    require_resources(kind, machine, !workloads.empty());
    const std::size_t colours = report::colours_of(kind, prefixes.size());
    refuse_if(!plotted.colours.empty() && plotted.colours.size() != colours,
              "--colors: expected " + std::to_string(colours) +
                  (kind == report::PlotKind::gantt ? ", one for each class of wait" : ", one for each run") +
                  ", found " + std::to_string(plotted.colours.size()));
    require_no_input("output", output, mapped(prefixes, runs::jobs_file));
    require_no_input("output", output, workloads);
    std::vector<report::Run> runs = read_runs(prefixes, machine);
    rename_runs(runs, labels);
    for (const report::Run& run : runs) {
        plotted.processors =
            machine.processors.value_or(std::max(plotted.processors, MeasuredSchedule(run.schedule).most_processors()));
    }
    plotted.windows = machine.windows;
    plotted.resources = machine.resources;
    plotted.workloads = read_named_workloads(workloads, note);
    if (kind == report::PlotKind::gantt && machine.resources.has_shared_hosts() && workloads.empty()) {
        note("jobs share hosts: without --workload each job is drawn over the whole of its hosts");
    }
    if (kind == report::PlotKind::utilisation && machine.resources.has_shared_hosts()) {
        note("jobs share hosts: the plot counts a host once for each job on it, which may give more than 100 %");
    }
    const std::string chart = report::plot(kind, runs, plotted);
    write_file(output, output.ends_with(".png")   ? report::png_of(chart, dpi)
                       : output.ends_with(".pdf") ? report::pdf_of(chart)
                                                  : chart);
}

}  // namespace batfill::commands
