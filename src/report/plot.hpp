#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/core/window.hpp>

#include "src/report/report.hpp"

// The charts that `batfill plot` writes, each by itself, as for a paper.
namespace batfill::report {

enum class PlotKind { gantt, utilisation, queue, usage, waits, slowdowns };

// Their names, in the order of the kinds.
inline constexpr std::array<std::string_view, 6> plot_kind_names{"gantt", "utilisation", "queue",
                                                                 "usage", "waits",       "slowdowns"};

// SVG has this many units to an inch.
inline constexpr double units_per_inch = 96;

struct PlotOptions {
    int processors = 1;          // of the machine; a Gantt chart marks where a log used more
    Duration tau = default_tau;  // bound of the bounded slowdown
    std::string title{};         // none if empty
    // The window, from the clock's zero. None: from the first submission to the last completion. Charts over time show
    // this time; distributions count the jobs submitted in it.
    std::optional<Time> from{};
    std::optional<Time> until{};        // after `from`
    double width = 7.5;                 // inches
    std::optional<double> height{};     // inches; none: follows from the width and the number of panels
    std::optional<double> font_size{};  // points; none: follows from the width
    std::string font = "sans-serif";    // family of all texts
    // Of the runs or, of a Gantt chart, of the classes of wait. The default ones if empty.
    std::vector<std::string> colours{};
    std::vector<Window> windows{};  // of the machine, which a Gantt chart and a chart of the usage show
    Resources resources{};          // of the machine
    // Of all runs. They say what jobs take of pools and of shared hosts; without them a Gantt chart draws whole hosts.
    std::vector<Workload> workloads{};
};

// The number of colours that a chart of so many runs has.
std::size_t colours_of(PlotKind kind, std::size_t runs);

// Returns the chart of the finished jobs of all runs as SVG 1.1. Its texts remain text. A Gantt chart has a panel for
// each run, and a second one if the hosts that jobs share have GPUs; other charts have a line for each run. A chart of
// the usage has a panel for each pool and capacity.
// Requires: no colours, or as many as colours_of() says. For the usage, the machine has a pool or a capacity of more
// than 0, and workloads are given.
// Throws: InputError if no job finished, or none in the window; UsageError if the letters leave no room for the chart.
// Cost: O(n log n); for a Gantt chart also the area that the jobs cover.
std::string plot(PlotKind kind, const std::vector<Run>& runs, const PlotOptions& options);

// Renders an SVG as a PNG on a white background with `dpi` pixels per inch. An SVG has 96 units per inch.
// The program rsvg-convert of librsvg, searched in PATH, does this, with the fonts of the machine. Linking librsvg
// would add a hundred libraries to a program that runs on clusters.
// Requires: 1 <= dpi <= 2400.
// Throws: InputError if rsvg-convert is not installed or fails.
std::string png_of(const std::string& svg, int dpi);

// Converts an SVG into a PDF of the same size, which embeds its fonts, in the same way. The same SVG gives the same
// bytes.
// Throws: as png_of().
std::string pdf_of(const std::string& svg);

}  // namespace batfill::report
