#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// What such a chart shows, for programs that draw it by themselves. Times are in seconds from the clock's zero.

// An axis of time is named after its unit.
struct PlottedTime {
    std::string name;  // "time (days)"
    double unit = 1;   // seconds
    double first = 0;
    double last = 1;
};

// A panel with a line for a run.
struct PlottedPanel {
    PlottedTime time;  // if x is one
    std::string x;     // the name of another, logarithmic x; else empty. The line is then one of steps.
    std::string y;
    double highest = 1;  // of y, from 0
    std::vector<double> xs;
    std::vector<double> ys;
};

// The panels of any chart but a Gantt chart, of one run.
// Requires and throws: as plot().
std::vector<PlottedPanel> plotted(PlotKind kind, const Run& run, const PlotOptions& options);

// A Gantt chart of one run, which can be drawn again for any part of it.
class PlottedGantt {
 public:
    struct Band {
        std::string name;
        double from = 0;
        double until = 0;
        std::vector<std::pair<int, int>> rows;  // the first and the last of each
    };
    // A panel: processors, or what divides hosts that jobs share.
    struct Panel {
        std::string y;       // the name of the axis
        int rows = 0;        // of the picture
        double highest = 1;  // on the axis, at the last row
        std::vector<Band> windows;
    };

    // Throws: InputError as plot().
    PlottedGantt(Run run, PlotOptions options);
    ~PlottedGantt();
    PlottedGantt(PlottedGantt&&) noexcept;

    const PlottedTime& time() const;
    const std::vector<Panel>& panels() const;
    // A picture of the time from `from` to `until`, in seconds, and of the rows from `first` to `last`, in so many
    // cells: the lowest row first. A cell that jobs cover at least by half has the class of wait of the job that covers
    // most of it, another one the number of classes.
    // Requires: from < until, first < last; at least one cell.
    // Cost: O(jobs + cells that they cover).
    std::vector<std::uint8_t> picture(std::size_t panel, double from, double until, double first, double last,
                                      std::size_t columns, std::size_t rows) const;

 private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// The names and the colours of the classes of wait.
std::vector<std::pair<std::string, std::string>> wait_colours();

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
