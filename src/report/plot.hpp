#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>

// The charts that `batfill plot` writes, each alone, as for a paper.
namespace batfill::report {

enum class PlotKind { gantt, utilisation, queue, waits, slowdowns };

// Their names, in the order of the kinds.
inline constexpr std::array<std::string_view, 5> plot_kind_names{"gantt", "utilisation", "queue", "waits", "slowdowns"};

// A schedule and the name under which it stands in the chart.
struct PlottedRun {
    std::string label;
    Schedule schedule;
};

struct PlotOptions {
    int processors = 1;                    // of the machine; no job has one of a higher number
    Duration tau = Duration::seconds(10);  // bound of the bounded slowdown
    std::string title{};                   // none if empty
};

// The chart of the finished jobs of all runs as SVG 1.1, of this width whatever it shows, with texts as texts. A Gantt
// chart has a panel for each run, the others a line. Requires runs of which at least one has a finished job.
// O(n log n), and for a Gantt chart what the jobs cover of it.
std::string plot(PlotKind kind, const std::vector<PlottedRun>& runs, const PlotOptions& options);

}  // namespace batfill::report
