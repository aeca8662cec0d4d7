#include "src/report/plot.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/report/drawing.hpp"
#include "src/report/drawn_windows.hpp"
#include "src/report/figures.hpp"
#include "src/report/stripes.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::report {

namespace {

// The fewest cells and periods over the width of a panel: as many as a panel of the default width has units.
constexpr std::size_t min_columns = 630;
constexpr std::size_t plotted_points = 1000;
// A Gantt chart with more rectangles than this is drawn in cells.
constexpr std::size_t max_rectangles = 20000;
constexpr std::size_t min_rows = 220;

// Classes of wait: none, up to a minute, and so on. Colours go from dark to light, as on the page.
struct WaitClass {
    const char* name;
    const char* colour;
    long long max_seconds;
};
constexpr std::array<WaitClass, 6> wait_classes{{{"did not wait", "#3b496c", 0},
                                                 {"up to 1 min", "#575c6d", 60},
                                                 {"10 min", "#777777", 600},
                                                 {"1 h", "#a59c74", 3600},
                                                 {"1 d", "#d3c164", 86400},
                                                 {"longer", "#fee838", 0}}};

std::size_t wait_class(Duration wait) {
    for (std::size_t i = 0; i + 1 < wait_classes.size(); ++i) {
        if (wait <= Duration::seconds(wait_classes.at(i).max_seconds)) {
            return i;
        }
    }
    return wait_classes.size() - 1;
}

std::string seconds(Time time) {
    return time.since_zero().to_shortest_string() + " s";
}

std::string_view colour_of(std::size_t wait, const Style& style) {
    return style.colours.empty() ? wait_classes.at(wait).colour : std::string_view(style.colours[wait]);
}

// The unit in which an axis shows time.
struct TimeUnit {
    const char* name;
    double seconds;
};

TimeUnit unit_of(const TimeSpan& span) {
    const Duration length = span.last - span.first;
    if (length >= Duration::days(3)) {
        return {"time (days)", 86400};
    }
    return length >= Duration::seconds(3LL * 3600) ? TimeUnit{"time (hours)", 3600} : TimeUnit{"time (s)", 1};
}

std::size_t columns_of(const Layout& layout) {
    return std::max(min_columns, static_cast<std::size_t>(std::lround(layout.right() - layout.left())));
}

struct TimeAxis : Axis {
    double unit = 1;  // seconds

    double place_of(Time time) const { return place(time.to_seconds() / unit); }
};

TimeAxis time_axis(const TimeSpan& span, const Layout& layout) {
    const TimeUnit unit = unit_of(span);
    const double first = span.first.to_seconds() / unit.seconds;
    const double last = span.last.to_seconds() / unit.seconds;
    // A double cannot tell close instants apart that are far from 0.
    const double least = std::max(first + 1e-6, std::nextafter(first, std::numeric_limits<double>::infinity()));
    return {{unit.name, first, std::max(last, least), layout.left(), layout.right()}, unit.seconds};
}

}  // namespace

// The finished jobs of a run and their processors.
struct DrawnRun {
    std::string label;
    FinishedJobs jobs;
    std::vector<const Rows*> allocations{};  // the processors of `jobs`, in the same order
    // On a machine whose hosts jobs share, the rows of `jobs` on each of its charts.
    std::vector<std::vector<Rows>> stripes{};
    std::vector<analysis::ResourceUse> use{};  // of pools and capacities
};

namespace {

bool is_of_resources(PlotKind kind) {
    return kind == PlotKind::gantt || kind == PlotKind::usage;
}

// The charts of a machine whose hosts jobs share. None if a schedule does not fit on it, as that of a log may.
std::vector<HostPanel> panels_of(PlotKind kind, const std::vector<Run>& runs, const PlotOptions& options) {
    const bool is_known =
        kind == PlotKind::gantt && !options.workloads.empty() && std::ranges::none_of(runs, [&](const Run& run) {
            return MeasuredSchedule(run.schedule).most_processors() > options.processors;
        });
    return is_known ? host_panels(options.resources, options.processors) : std::vector<HostPanel>();
}

// Adds what the finished jobs of a run take, and where they lie on the charts of shared hosts.
void add_resources(PlotKind kind, const Run& run, const std::vector<HostPanel>& panels, const PlotOptions& options,
                   DrawnRun& drawn) {
    const MeasuredSchedule schedule(run.schedule, options.resources);
    const analysis::WorkloadJobs submitted(options.workloads);
    std::vector<Request> requests = analysis::requests_of_jobs(schedule, options.resources, submitted);
    for (const HostPanel& panel : panels) {
        drawn.stripes.push_back(stripes_of(schedule, panel, options.resources, requests));
    }
    if (kind == PlotKind::usage) {
        drawn.use = analysis::use_over_time(schedule, options.resources, options.windows, std::move(requests));
    }
}

// The finished jobs of the window. A chart over time takes jobs that ran or waited in it, a distribution jobs that
// were submitted in it.
std::vector<DrawnRun> drawn_runs(PlotKind kind, const std::vector<Run>& runs, const std::vector<HostPanel>& panels,
                                 const PlotOptions& options) {
    const bool over_time = kind != PlotKind::waits && kind != PlotKind::slowdowns;
    const auto in_window = [&](const FinishedJob& job) {
        const Time end = over_time ? job.start + job.run : job.submit;
        return (!options.from || end >= *options.from) && (!options.until || job.submit < *options.until);
    };
    std::vector<DrawnRun> drawn;
    for (const Run& run : runs) {
        DrawnRun& added = drawn.emplace_back(DrawnRun{run.label, {}});
        if (is_of_resources(kind) && !options.workloads.empty()) {
            add_resources(kind, run, panels, options, added);
        }
        const std::vector<std::vector<Rows>> all_stripes =
            std::exchange(added.stripes, std::vector<std::vector<Rows>>(panels.size()));
        std::size_t number = 0;  // of the finished job
        for (const ScheduledJob& job : run.schedule.jobs) {
            if (!job.finished()) {
                continue;
            }
            if (in_window(analysis::finished_job(job))) {
                added.jobs.push_back(analysis::finished_job(job));
                added.allocations.push_back(&job.allocation.intervals());
                for (std::size_t panel = 0; panel < panels.size(); ++panel) {
                    added.stripes[panel].push_back(all_stripes[panel][number]);
                }
            }
            ++number;
        }
    }
    return drawn;
}

FinishedJobs all_jobs(const std::vector<DrawnRun>& runs) {
    FinishedJobs all;
    for (const DrawnRun& run : runs) {
        all.insert(all.end(), run.jobs.begin(), run.jobs.end());
    }
    return all;
}

// Lays out a legend from left to right, in as many lines as it needs.
class Legend {
 public:
    Legend(double top, const Layout& layout) : layout_(layout), x_(layout.left()), top_(top) {}

    // Returns the position of the next entry. The one after it follows at the distance `needed`. An entry whose
    // width `visible` does not fit begins a new line.
    std::pair<double, double> add(double needed, double visible) {
        if (x_ > layout_.left() && x_ + visible > layout_.right()) {
            x_ = layout_.left();
            top_ += layout_.line_height();
        }
        return {std::exchange(x_, x_ + needed), top_};
    }
    double bottom() const { return top_ + layout_.line_height(); }

 private:
    const Layout& layout_;
    double x_;
    double top_;
};

// Draws the labels of runs, each with its line. Returns the position below them.
double draw_legend(const std::vector<DrawnRun>& runs, double top, Drawing& drawing) {
    if (runs.size() < 2) {
        return top;
    }
    const Layout& layout = drawing.layout();
    Legend legend(top, layout);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double needed = layout.scaled(50 + 7.5 * static_cast<double>(runs[i].label.size()));
        const auto [x, y] = legend.add(needed, needed);
        drawing.curve("M" + Drawing::point(x, y + layout.scaled(10)) + "h" + coordinate(layout.scaled(30)), i);
        drawing.text(x + layout.scaled(36), y + layout.scaled(14), runs[i].label, "start");
    }
    return legend.bottom();
}

// Draws the classes of wait, and the sign for windows if there are some. Returns the position below them.
double draw_wait_legend(double top, bool has_windows, Drawing& drawing) {
    const Layout& layout = drawing.layout();
    drawing.text(layout.left() - layout.scaled(6), top + layout.scaled(14), "wait:", "end");
    Legend legend(top, layout);
    for (std::size_t i = 0; i < wait_classes.size() + (has_windows ? 1 : 0); ++i) {
        const bool is_window = i == wait_classes.size();
        const std::string_view name = is_window ? "window" : wait_classes.at(i).name;
        const double text = layout.letter_width() * static_cast<double>(name.size());
        const auto [x, y] = legend.add(layout.scaled(40) + text, layout.scaled(17) + text);
        const std::string square = Drawing::rectangle(x, y + layout.scaled(4), layout.scaled(12), layout.scaled(12));
        if (is_window) {
            drawing.hatched_area(square);
            drawing.border(square, name);
        } else {
            drawing.area(square, colour_of(i, drawing.style()));
        }
        drawing.text(x + layout.scaled(17), y + layout.scaled(14), name, "start");
    }
    return legend.bottom();
}

using Classes = std::array<std::string, wait_classes.size()>;  // the rectangles of each class of wait

// A side of a rectangle, shortened where there is room: a gap tells neighbours of one colour apart.
double with_gap(double length) {
    return length > 3 ? length - 0.5 : length;
}

// The rows of each job of a run on a chart, that of its processors or one of shared hosts.
using RowsOfJobs = std::vector<const Rows*>;

std::size_t count_rectangles(const RowsOfJobs& rows) {
    std::size_t count = 0;
    for (const Rows* const of_job : rows) {
        count += of_job->size();
    }
    return count;
}

// A chart of a run's jobs: its axes, and the rows of jobs and windows.
struct GanttPanel {
    TimeAxis x;
    Axis y;                            // of the rows
    const HostPanel* hosts = nullptr;  // null: a row is a processor

    Rows rows_of(const DrawnWindow& window) const {
        return hosts == nullptr ? window.processors.intervals() : hosts->bands_of(window.processors);
    }
};

// Adds a rectangle per job and interval of rows.
void add_rectangles(const DrawnRun& run, const RowsOfJobs& rows, const GanttPanel& panel, Classes& classes) {
    for (std::size_t i = 0; i < run.jobs.size(); ++i) {
        const FinishedJob& job = run.jobs[i];
        const double from = panel.x.place_of(job.start);
        const double length = panel.x.place_of(job.start + job.run) - from;
        for (const auto& [first, last] : *rows[i]) {
            const double top = panel.y.place(first);
            classes.at(wait_class(analysis::wait(job))) +=
                Drawing::rectangle(from, top, with_gap(length), with_gap(panel.y.place(last + 1) - top));
        }
    }
}

// How much of a cell all jobs cover together, and the job that covers most of it.
struct Cell {
    double covered = 0;
    double most = 0;
    std::size_t wait = 0;  // class of that job's wait
};

constexpr double least_cover = 0.5;  // of a cell that is drawn

// The cells, row by row, of the run's jobs. `column_of` gives the column of an instant, within the picture; a row
// of the chart is `row` rows of cells, and the first rows are left out.
std::vector<Cell> cells_of(const DrawnRun& run, const RowsOfJobs& rows_of_jobs, const auto& column_of, double left_out,
                           double row, std::size_t columns, std::size_t rows) {
    std::vector<Cell> cells(columns * rows);
    const auto cover = [&](std::size_t at, double share, std::size_t wait) {
        Cell& cell = cells[at];
        cell.covered += share;
        if (share > cell.most) {
            cell.most = share;
            cell.wait = wait;
        }
    };
    // Calls `visit` with each whole cell that overlaps `from` to `until`, and the length of the overlap.
    const auto each_share = [](double from, double until, std::size_t count, const auto& visit) {
        for (auto at = static_cast<std::size_t>(std::max(from, 0.0)); at < count && static_cast<double>(at) < until;
             ++at) {
            visit(at, std::min(until, static_cast<double>(at + 1)) - std::max(from, static_cast<double>(at)));
        }
    };
    for (std::size_t i = 0; i < run.jobs.size(); ++i) {
        const FinishedJob& job = run.jobs[i];
        const std::size_t wait = wait_class(analysis::wait(job));
        const double from = column_of(job.start);
        const double until = column_of(job.start + job.run);
        for (const auto& [first, last] : *rows_of_jobs[i]) {
            each_share((first - left_out) * row, (last + 1 - left_out) * row, rows, [&](std::size_t r, double height) {
                each_share(from, until, columns,
                           [&](std::size_t c, double length) { cover(r * columns + c, length * height, wait); });
            });
        }
    }
    return cells;
}

// Adds cells that are at least half covered, in the colour of the job that covers most.
void add_cells(const DrawnRun& run, const RowsOfJobs& rows_of_jobs, const GanttPanel& panel, std::size_t columns,
               Classes& classes) {
    const auto& [x, y, hosts] = panel;
    const double processors = y.last;
    const std::size_t rows =
        std::min<std::size_t>(static_cast<std::size_t>(processors),
                              std::max(min_rows, static_cast<std::size_t>(std::lround(y.until - y.from))));
    const double row = static_cast<double>(rows) / processors;
    const double column = (x.until - x.from) / static_cast<double>(columns);
    const std::vector<Cell> cells = cells_of(
        run, rows_of_jobs, [&, &x = x](Time time) { return (x.place_of(time) - x.from) / column; }, 0, row, columns,
        rows);
    const double height = (y.until - y.from) / static_cast<double>(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns;) {
            const Cell& cell = cells[r * columns + c];
            const std::size_t begin = c++;
            if (cell.covered < least_cover) {
                continue;
            }
            while (c < columns && cells[r * columns + c].covered >= least_cover &&
                   cells[r * columns + c].wait == cell.wait) {
                ++c;
            }
            classes.at(cell.wait) += Drawing::rectangle(x.from + static_cast<double>(begin) * column,
                                                        y.from + static_cast<double>(r) * height,
                                                        static_cast<double>(c - begin) * column, height);
        }
    }
}

// Draws what is below the jobs, or the borders and names above them.
void draw_windows(const std::vector<DrawnWindow>& windows, bool are_borders, const GanttPanel& panel,
                  Drawing& drawing) {
    const auto& [x, y, hosts] = panel;
    for (const DrawnWindow& drawn : windows) {
        const Rows rows = panel.rows_of(drawn);
        if (rows.empty()) {
            continue;
        }
        const double from = x.place_of(drawn.window->from);
        const double width = x.place_of(drawn.window->until) - from;
        std::string rectangles;
        for (const auto& [first, last] : rows) {
            rectangles += Drawing::rectangle(from, y.place(first), width, y.place(last + 1) - y.place(first));
        }
        if (!are_borders) {
            drawing.hatched_area(rectangles);
            continue;
        }
        drawing.border(rectangles, drawn.window->name + ": " + what_it_takes(*drawn.window) + " from " +
                                       seconds(drawn.window->from) + " to " + seconds(drawn.window->until));
        for (const auto& [first, last] : rows) {
            drawing.label(from, y.place(first), width, y.place(last + 1) - y.place(first), drawn.window->name);
        }
    }
}

void draw_jobs(const DrawnRun& run, const RowsOfJobs& rows, const std::vector<DrawnWindow>& windows,
               const GanttPanel& panel, Drawing& drawing) {
    draw_windows(windows, false, panel, drawing);
    Classes classes;
    if (count_rectangles(rows) <= max_rectangles) {
        add_rectangles(run, rows, panel, classes);
    } else {
        add_cells(run, rows, panel, columns_of(drawing.layout()), classes);
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
        drawing.area(classes.at(i), colour_of(i, drawing.style()));
    }
    draw_windows(windows, true, panel, drawing);
}

// Lines between the bands of hosts, where there is room.
void draw_bands(const HostPanel& hosts, const GanttPanel& panel, Drawing& drawing) {
    constexpr double least = 5;
    if ((panel.y.until - panel.y.from) / static_cast<double>(hosts.first_rows.size()) < least) {
        return;
    }
    for (const int row : hosts.first_rows) {
        drawing.line(panel.x.from, panel.y.place(row), panel.x.until, panel.y.place(row), "#ccc");
    }
}

// The panels of GPUs are lower than those of hosts.
constexpr double height_of_second_panel = 0.5;

// The name of the axis of shared hosts.
std::string axis_of_hosts(const HostPanel& hosts) {
    return hosts.is_by_host ? "hosts, by " + hosts.capacity : hosts.capacity;
}

// Draws a run on a machine whose hosts jobs share. Returns the position below.
double draw_shared_hosts(const DrawnRun& run, const std::vector<HostPanel>& panels, int processors,
                         const std::vector<DrawnWindow>& windows, const TimeSpan& span, double top, Drawing& drawing) {
    const Layout& layout = drawing.layout();
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const HostPanel& hosts = panels[i];
        const double bottom = top + layout.panel_height * (i == 0 ? 1 : height_of_second_panel);
        const GanttPanel panel{
            time_axis(span, layout), {"", 0, static_cast<double>(hosts.rows()), top, bottom}, &hosts};
        Axis shown = panel.y;
        shown.name = axis_of_hosts(hosts);
        shown.last = hosts.is_by_host ? processors : hosts.rows();
        shown.has_lines = hosts.is_by_host;  // those between hosts are others
        draw_axes(panel.x, shown, drawing);
        draw_bands(hosts, panel, drawing);
        draw_jobs(run, mapped(run.stripes[i], [](const Rows& rows) { return &rows; }), windows, panel, drawing);
        top = bottom + layout.axis_height();
    }
    return top;
}

// The windows that take hosts.
std::vector<DrawnWindow> windows_of_hosts(const PlotOptions& options, const TimeSpan& span) {
    std::vector<DrawnWindow> windows = drawn_windows(options.windows, options.processors, span);
    std::erase_if(windows, [](const DrawnWindow& window) { return window.processors.empty(); });
    return windows;
}

// The rows of a chart of processors: a log may have used more than the machine has.
int rows_of(const std::vector<DrawnRun>& runs, int processors) {
    int shown = processors;
    for (const DrawnRun& run : runs) {
        for (const Rows* const allocation : run.allocations) {
            shown = std::max(shown, allocation->empty() ? 0 : allocation->back().last + 1);
        }
    }
    return shown;
}

double draw_gantt(const std::vector<DrawnRun>& runs, const std::vector<HostPanel>& panels, const PlotOptions& options,
                  const TimeSpan& span, double top, Drawing& drawing) {
    const Layout& layout = drawing.layout();
    const int processors = options.processors;
    const std::vector<DrawnWindow> windows = windows_of_hosts(options, span);
    top = draw_wait_legend(top, !windows.empty(), drawing);
    const int shown = rows_of(runs, processors);
    for (const DrawnRun& run : runs) {
        if (runs.size() > 1) {
            drawing.text(layout.left(), top + layout.scaled(14), run.label, "start");
            top += layout.line_height();
        }
        if (!panels.empty()) {
            top = draw_shared_hosts(run, panels, processors, windows, span, top, drawing);
            continue;
        }
        const TimeAxis x = time_axis(span, layout);
        const Axis y{"processors", 0, static_cast<double>(shown), top, top + layout.panel_height};
        draw_axes(x, y, drawing);
        draw_jobs(run, run.allocations, windows, {x, y}, drawing);
        if (shown > processors) {
            drawing.line(x.from, y.place(processors), x.until, y.place(processors), "#c00");
        }
        top += layout.panel_height + layout.axis_height();
    }
    return top;
}

// Draws the labels, the axes and a line for each run. `y` needs no place; `points_of` gives the data of a run's
// path.
double draw_lines(const std::vector<DrawnRun>& runs, const Axis& x, Axis y, double top, Drawing& drawing,
                  auto points_of) {
    const Layout& layout = drawing.layout();
    y.until = draw_legend(runs, top, drawing);
    y.from = y.until + layout.panel_height;
    draw_axes(x, y, drawing);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        drawing.curve(points_of(i, y), i);
    }
    return y.from + layout.axis_height();
}

// The line of these values, each in the middle of its column.
std::string line_through(const std::vector<double>& values, const Axis& x, const Axis& y) {
    const double column = (x.until - x.from) / static_cast<double>(std::max<std::size_t>(values.size(), 1));
    std::string points;
    for (std::size_t c = 0; c < values.size(); ++c) {
        points +=
            (c == 0 ? "M" : "L") + Drawing::point(x.from + (static_cast<double>(c) + 0.5) * column, y.place(values[c]));
    }
    return points;
}

// The mean of a level over each column.
std::vector<double> levels_of(PlotKind kind, const DrawnRun& run, int processors, const TimeSpan& span,
                              std::size_t columns) {
    return mapped(periods_of(steps_of(run.jobs), span.first, span.last, columns), [&](const Period& period) {
        return kind == PlotKind::utilisation ? period.mean_busy * 100 / processors : period.mean_waiting;
    });
}

// The axis of such levels: its name, and how far it reaches at least.
std::pair<const char*, double> axis_of_levels(PlotKind kind) {
    return kind == PlotKind::utilisation ? std::pair("processors in use (%)", 100.0) : std::pair("jobs waiting", 1.0);
}

double highest_of(const std::vector<double>& values, double least) {
    return values.empty() ? least : std::max(least, std::ranges::max(values));
}

// Draws the mean of a level over each column.
double draw_levels(PlotKind kind, const std::vector<DrawnRun>& runs, int processors, const TimeSpan& span, double top,
                   Drawing& drawing) {
    std::vector<std::vector<double>> levels;
    auto [name, highest] = axis_of_levels(kind);
    for (const DrawnRun& run : runs) {
        levels.push_back(levels_of(kind, run, processors, span, columns_of(drawing.layout())));
        highest = highest_of(levels.back(), highest);
    }
    const Axis x = time_axis(span, drawing.layout());
    const Axis y{name, 0, highest};
    return draw_lines(runs, x, y, top, drawing,
                      [&](std::size_t run, const Axis& placed) { return line_through(levels[run], x, placed); });
}

// What windows take, from the total downwards.
std::string held_area(const analysis::ResourceUse& use, Time end, const TimeAxis& x, const Axis& y) {
    std::string rectangles;
    const auto total = static_cast<double>(use.total);
    for (std::size_t i = 0; i < use.held.size(); ++i) {
        const double left = x.place_of(use.held[i].at);
        const double width = x.place_of(i + 1 < use.held.size() ? use.held[i + 1].at : end) - left;
        if (use.held[i].taken > 0 && width > 0) {
            rectangles += Drawing::rectangle(left, y.place(total), width,
                                             y.place(total - std::min(total, use.held[i].taken)) - y.place(total));
        }
    }
    return rectangles;
}

// The name of the axis of a pool or a capacity.
std::string axis_of_use(const analysis::ResourceUse& use) {
    return use.name + " (of " + std::to_string(use.total) + ")";
}

// Draws a panel for each pool and capacity, with the mean use over each column.
double draw_usage(const std::vector<DrawnRun>& runs, const TimeSpan& span, double top, Drawing& drawing) {
    const Layout& layout = drawing.layout();
    top = draw_legend(runs, top, drawing);
    const TimeAxis x = time_axis(span, layout);
    for (std::size_t resource = 0; resource < runs.front().use.size(); ++resource) {
        const analysis::ResourceUse& first = runs.front().use[resource];
        const auto total = static_cast<double>(first.total);
        std::vector<std::vector<double>> levels;
        double highest = total;
        for (const DrawnRun& run : runs) {
            levels.push_back(means_of(run.use[resource].steps, span.first, span.last, columns_of(layout)));
            highest = highest_of(levels.back(), highest);
        }
        const Axis y{axis_of_use(first), 0, highest, top + layout.panel_height, top};
        draw_axes(x, y, drawing);
        if (const std::string held = held_area(first, span.last, x, y); !held.empty()) {
            drawing.hatched_area(held);
        }
        drawing.line(x.from, y.place(total), x.until, y.place(total), highest > total ? "#c00" : "#ddd");
        for (std::size_t run = 0; run < runs.size(); ++run) {
            drawing.curve(line_through(levels[run], x, y), run);
        }
        top += layout.panel_height + layout.axis_height();
    }
    return top;
}

std::vector<DistributionPoint> plotted_distribution(PlotKind kind, const DrawnRun& run, Duration tau) {
    const auto measure = kind == PlotKind::waits ? analysis::JobMeasure::wait : analysis::JobMeasure::bounded_slowdown;
    return distribution_of(values_of(run.jobs, measure, tau), plotted_points);
}

// The names of the axes of a distribution.
constexpr const char* axis_of_jobs = "jobs (%)";
std::string axis_of_values(PlotKind kind) {
    return kind == PlotKind::waits ? "wait (s), at most" : "bounded slowdown, at most";
}

double draw_distribution(PlotKind kind, const std::vector<DrawnRun>& runs, Duration tau, double top, Drawing& drawing) {
    const Layout& layout = drawing.layout();
    std::vector<std::vector<DistributionPoint>> distributions;
    double largest = 10;
    for (const DrawnRun& run : runs) {
        distributions.push_back(plotted_distribution(kind, run, tau));
        if (!distributions.back().empty()) {
            largest = std::max(largest, distributions.back().back().value);
        }
    }
    const Axis x{axis_of_values(kind), 1, largest, layout.left(), layout.right(), true};
    const Axis y{axis_of_jobs, 0, 100};
    return draw_lines(runs, x, y, top, drawing, [&](std::size_t run, const Axis& placed) {
        const std::vector<DistributionPoint>& steps = distributions[run];
        if (steps.empty()) {
            return std::string();
        }
        // A step at each value; the share is 0 below the first one.
        std::string points = "M" + Drawing::point(x.place(steps.front().value), placed.place(0));
        for (const auto& [value, share] : steps) {
            points += "H" + coordinate(x.place(value)) + "V" + coordinate(placed.place(share * 100));
        }
        return points + "H" + coordinate(x.until);
    });
}

// Why no job is left.
std::string nothing_to_plot(const std::vector<Run>& runs, const PlotOptions& options) {
    const FinishedJobs all = all_jobs(drawn_runs(PlotKind::gantt, runs, {}, {}));
    if (all.empty()) {
        return "no job finished, there is nothing to plot";
    }
    const TimeSpan span = span_of(all);
    return "expected jobs" + (options.from ? " from " + seconds(*options.from) : "") +
           (options.until ? " to " + seconds(*options.until) : "") + ", found none: the jobs of all runs are from " +
           seconds(span.first) + " to " + seconds(span.last);
}

// The time that a chart of these runs shows.
// Throws: InputError if there are no jobs.
TimeSpan shown_span(const std::vector<DrawnRun>& drawn, const std::vector<Run>& runs, const PlotOptions& options) {
    const FinishedJobs jobs = all_jobs(drawn);
    refuse_if<InputError>(jobs.empty(),
                          [&] { return runs.front().schedule.path + ": " + nothing_to_plot(runs, options); });
    const TimeSpan span = span_of(jobs);
    return {options.from.value_or(span.first), options.until.value_or(span.last)};
}

PlottedTime plotted_time(const TimeSpan& span) {
    const TimeUnit unit = unit_of(span);
    return {unit.name, unit.seconds, span.first.to_seconds(), span.last.to_seconds()};
}

// A panel of means over the columns, each in the middle of its column.
PlottedPanel panel_of_means(const PlottedTime& time, std::string y, double highest, std::vector<double> means) {
    PlottedPanel panel{time, "", std::move(y), highest_of(means, highest), {}, std::move(means)};
    const double column = (time.last - time.first) / static_cast<double>(panel.ys.size());
    for (std::size_t c = 0; c < panel.ys.size(); ++c) {
        panel.xs.push_back(time.first + (static_cast<double>(c) + 0.5) * column);
    }
    return panel;
}

// Draws everything. Returns the height of the picture.
double draw(PlotKind kind, const std::vector<DrawnRun>& runs, const std::vector<HostPanel>& panels,
            const TimeSpan& span, const PlotOptions& options, Drawing& drawing) {
    const Layout& layout = drawing.layout();
    double top = 10;
    if (!options.title.empty()) {
        drawing.text((layout.left() + layout.right()) / 2, top + layout.scaled(14), options.title, "middle");
        top += layout.line_height();
    }
    switch (kind) {
        case PlotKind::gantt:
            return draw_gantt(runs, panels, options, span, top, drawing);
        case PlotKind::utilisation:
        case PlotKind::queue:
            return draw_levels(kind, runs, options.processors, span, top, drawing);
        case PlotKind::usage:
            return draw_usage(runs, span, top, drawing);
        case PlotKind::waits:
        case PlotKind::slowdowns:
            break;
    }
    return draw_distribution(kind, runs, options.tau, top, drawing);
}

// The height of all panels together, in that of one.
double panel_heights(PlotKind kind, const std::vector<DrawnRun>& runs, const std::vector<HostPanel>& hosts) {
    if (kind == PlotKind::usage) {
        return static_cast<double>(runs.front().use.size());
    }
    const double of_run = hosts.size() > 1 ? 1 + height_of_second_panel : 1;
    return kind == PlotKind::gantt ? static_cast<double>(runs.size()) * of_run : 1;
}

// The lengths of a picture of these runs.
// Throws: UsageError if the letters leave no room for the panels.
Layout layout_of(PlotKind kind, std::vector<DrawnRun> runs, const std::vector<HostPanel>& hosts, const TimeSpan& span,
                 const PlotOptions& options) {
    constexpr double points_per_inch = 72;
    constexpr double narrow = 5;  // inches: a column of a paper, whose captions have 8 points
    const double font_size = options.font_size.value_or(options.width < narrow ? 8 : 9);
    Layout layout{options.width * units_per_inch, font_size / points_per_inch * units_per_inch, 0};
    const double least = layout.scaled(60);
    const double inner = layout.right() - layout.left();
    const auto inches = [](double length) { return coordinate(std::ceil(length / units_per_inch * 100) / 100); };
    refuse_if(inner < least, [&] {
        return "--width: expected at least " + inches(layout.width - inner + least) + " inches for letters of " +
               coordinate(font_size) + " points, found " + coordinate(options.width);
    });
    if (!options.height) {
        // A chart of the usage has several panels.
        const double share = kind == PlotKind::usage ? 0.5 : 1;
        layout.panel_height = std::min(Layout().panel_height, inner * 0.6) * share;
        return layout;
    }
    // Without jobs and with panels of no height, everything else takes the same height.
    for (DrawnRun& run : runs) {
        run = {run.label, {}, {}, std::vector<std::vector<Rows>>(run.stripes.size()), std::move(run.use)};
    }
    Drawing empty(layout);
    const double others = draw(kind, runs, hosts, span, options, empty);
    const double panels = panel_heights(kind, runs, hosts);
    layout.panel_height = (*options.height * units_per_inch - others) / panels;
    if (layout.panel_height < least) {
        throw UsageError("--height: expected at least " + inches(others + panels * least) +
                         " inches for this chart, found " + coordinate(*options.height));
    }
    return layout;
}

}  // namespace

std::size_t colours_of(PlotKind kind, std::size_t runs) {
    return kind == PlotKind::gantt ? wait_classes.size() : runs;
}

std::string plot(PlotKind kind, const std::vector<Run>& runs, const PlotOptions& options) {
    const std::vector<HostPanel> panels = panels_of(kind, runs, options);
    const std::vector<DrawnRun> drawn = drawn_runs(kind, runs, panels, options);
    const TimeSpan span = shown_span(drawn, runs, options);
    assert(options.colours.empty() || options.colours.size() == colours_of(kind, runs.size()));
    Drawing drawing(layout_of(kind, drawn, panels, span, options), {options.font, options.colours});
    const double height = draw(kind, drawn, panels, span, options, drawing);
    return drawing.svg(height, std::string(plot_kind_names.at(static_cast<std::size_t>(kind))) + ": " +
                                   list_of(mapped(drawn, &DrawnRun::label)));
}

std::vector<PlottedPanel> plotted(PlotKind kind, const Run& run, const PlotOptions& options) {
    const std::vector<Run> runs{run};
    const DrawnRun drawn = drawn_runs(kind, runs, {}, options).front();
    const PlottedTime time = plotted_time(shown_span({drawn}, runs, options));
    const TimeSpan span = shown_span({drawn}, runs, options);
    const std::size_t columns = columns_of(Layout());
    if (kind == PlotKind::usage) {
        return mapped(drawn.use, [&](const analysis::ResourceUse& use) {
            return panel_of_means(time, axis_of_use(use), static_cast<double>(use.total),
                                  means_of(use.steps, span.first, span.last, columns));
        });
    }
    if (kind == PlotKind::utilisation || kind == PlotKind::queue) {
        const auto [name, highest] = axis_of_levels(kind);
        return {panel_of_means(time, name, highest, levels_of(kind, drawn, options.processors, span, columns))};
    }
    PlottedPanel panel{time, axis_of_values(kind), axis_of_jobs, 100, {}, {}};
    for (const auto& [value, share] : plotted_distribution(kind, drawn, options.tau)) {
        panel.xs.push_back(value);
        panel.ys.push_back(share * 100);
    }
    return {panel};
}

struct PlottedGantt::Parts {
    Parts(Run of, PlotOptions with)
        : runs{std::move(of)},
          options(std::move(with)),
          hosts(panels_of(PlotKind::gantt, runs, options)),
          drawn(drawn_runs(PlotKind::gantt, runs, hosts, options)),
          span(shown_span(drawn, runs, options)),
          time(plotted_time(span)) {
        const std::vector<DrawnWindow> windows = windows_of_hosts(options, span);
        const auto add = [&](std::string y, int rows, double highest, const auto& rows_of_window) {
            Panel& panel = panels.emplace_back(Panel{std::move(y), rows, highest, {}});
            for (const DrawnWindow& drawn_window : windows) {
                Band& band =
                    panel.windows.emplace_back(Band{drawn_window.window->name,
                                                    drawn_window.window->from.to_seconds(),
                                                    std::min(drawn_window.window->until, span.last).to_seconds(),
                                                    {}});
                for (const auto& [first, last] : rows_of_window(drawn_window)) {
                    band.rows.emplace_back(first, last);
                }
            }
        };
        for (const HostPanel& panel : hosts) {
            add(axis_of_hosts(panel), panel.rows(), panel.is_by_host ? options.processors : panel.rows(),
                [&](const DrawnWindow& one) { return panel.bands_of(one.processors); });
        }
        if (hosts.empty()) {
            const int rows = rows_of(drawn, options.processors);
            add("processors", rows, rows, [](const DrawnWindow& one) { return one.processors.intervals(); });
        }
    }

    std::vector<Run> runs;  // the only one
    PlotOptions options;
    std::vector<HostPanel> hosts;
    std::vector<DrawnRun> drawn;
    TimeSpan span;
    PlottedTime time;
    std::vector<Panel> panels;
};

PlottedGantt::PlottedGantt(Run run, PlotOptions options)
    : parts_(std::make_unique<Parts>(std::move(run), std::move(options))) {}
PlottedGantt::~PlottedGantt() = default;
PlottedGantt::PlottedGantt(PlottedGantt&&) noexcept = default;

const PlottedTime& PlottedGantt::time() const {
    return parts_->time;
}

const std::vector<PlottedGantt::Panel>& PlottedGantt::panels() const {
    return parts_->panels;
}

std::vector<std::uint8_t> PlottedGantt::picture(std::size_t panel, double from, double until, double first, double last,
                                                std::size_t columns, std::size_t rows) const {
    const DrawnRun& run = parts_->drawn.front();
    const RowsOfJobs rows_of_jobs = parts_->hosts.empty()
                                        ? run.allocations
                                        : mapped(run.stripes.at(panel), [](const Rows& of_job) { return &of_job; });
    const auto most = static_cast<double>(columns);
    const auto column_of = [&](Time time) {
        return std::clamp((time.to_seconds() - from) / (until - from) * most, 0.0, most);
    };
    return mapped(
        cells_of(run, rows_of_jobs, column_of, first, static_cast<double>(rows) / (last - first), columns, rows),
        [](const Cell& cell) {
            return static_cast<std::uint8_t>(cell.covered < least_cover ? wait_classes.size() : cell.wait);
        });
}

std::vector<std::pair<std::string, std::string>> wait_colours() {
    return mapped(wait_classes,
                  [](const WaitClass& one) { return std::pair<std::string, std::string>(one.name, one.colour); });
}

}  // namespace batfill::report
