#include "plot.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "figures.hpp"
#include "markup.hpp"
#include "src/support/csv_text.hpp"

namespace batfill::report {

namespace {

constexpr double width = 720;
constexpr double left = 70;  // of the panels
constexpr double right = 700;
constexpr double panel_height = 220;
constexpr double axis_height = 44;    // below a panel: its ticks and its name
constexpr double line_height = 22;    // of titles and legends
constexpr std::size_t columns = 630;  // the number of periods over which levels are averaged, one per unit of width
constexpr std::size_t plotted_points = 1000;
// A Gantt chart with more rectangles than this is drawn in cells.
constexpr std::size_t max_rectangles = 20000;
constexpr std::size_t max_rows = 220;

// The colours of the runs, here and on the page. Colour-blind readers can distinguish them.
constexpr std::array<const char*, 6> colours{"#0072b2", "#d55e00", "#00805c", "#a8487f", "#8a6400", "#2f8fc4"};
constexpr std::array<const char*, 6> dashes{"", "7 3", "2 3", "9 3 2 3", "12 4", "4 4"};

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

// Two decimals at most, without trailing zeros.
std::string coordinate(double value) {
    std::string text = rounded(value, 2);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text;
}

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "='" + std::string(value) + "'";
}

class Drawing {
 public:
    void line(double x1, double y1, double x2, double y2, const char* colour) {
        path("M" + point(x1, y1) + "L" + point(x2, y2), attribute("stroke", colour));
    }
    void text(double x, double y, std::string_view text, const char* anchor, bool upwards = false) {
        body_ += "<text" + attribute("x", coordinate(x)) + attribute("y", coordinate(y)) +
                 attribute("text-anchor", anchor) +
                 (upwards ? attribute("transform", "rotate(-90 " + point(x, y) + ")") : "") + ">" + markup_text(text) +
                 "</text>\n";
    }
    // `points` is the data of a path. `run` selects colour and dashes.
    void curve(const std::string& points, std::size_t run) {
        const std::string_view dash = dashes.at(run % dashes.size());
        path(points, attribute("class", "curve") + attribute("fill", "none") + attribute("stroke-width", "1.5") +
                         attribute("stroke", colours.at(run % colours.size())) +
                         (dash.empty() ? "" : attribute("stroke-dasharray", dash)));
    }
    // `rectangles` is the data of a path.
    void area(const std::string& rectangles, const char* colour) {
        if (!rectangles.empty()) {
            path(rectangles, attribute("class", "jobs") + attribute("fill", colour));
        }
    }
    std::string svg(double height, const std::string& description) const {
        const std::string size = attribute("width", coordinate(width)) + attribute("height", coordinate(height));
        return "<?xml version='1.0' encoding='UTF-8'?>\n<svg xmlns='http://www.w3.org/2000/svg' version='1.1'" + size +
               attribute("viewBox", "0 0 " + point(width, height)) +
               " font-family='sans-serif' font-size='12'>\n<title>" + markup_text(description) + "</title>\n<rect" +
               size + " fill='#fff'/>\n" + body_ + "</svg>\n";
    }

    static std::string point(double x, double y) { return coordinate(x) + " " + coordinate(y); }
    static std::string rectangle(double x, double y, double w, double h) {
        return "M" + point(x, y) + "h" + coordinate(w) + "v" + coordinate(h) + "h" + coordinate(-w) + "z";
    }

 private:
    void path(const std::string& data, const std::string& attributes) {
        body_ += "<path" + attribute("d", data) + attributes + "/>\n";
    }

    std::string body_;
};

// One axis of a panel: maps values to positions.
struct Axis {
    std::string name;
    double first = 0;  // above 0 on a logarithmic axis
    double last = 1;   // above `first`
    double from = 0;   // the position of `first`
    double until = 1;  // the position of `last`
    bool logarithmic = false;

    double share(double value) const {
        return logarithmic ? std::log(value / first) / std::log(last / first) : (value - first) / (last - first);
    }
    // Values beyond an end get the position of that end.
    double place(double value) const {
        return from + std::clamp(share(std::max(value, first)), 0.0, 1.0) * (until - from);
    }
    // Round values: powers of ten on a logarithmic axis, else about `count` multiples of 1, 2 or 5 times a power of
    // ten.
    std::vector<double> ticks(double count) const {
        std::vector<double> values;
        if (logarithmic) {
            for (int power = 0; first * std::pow(10, power) <= last; ++power) {
                values.push_back(first * std::pow(10, power));
            }
            return values;
        }
        const double power = std::pow(10, std::floor(std::log10((last - first) / count)));
        double step = power * 10;
        for (const double factor : {5.0, 2.0, 1.0}) {
            step = power * factor >= (last - first) / count ? power * factor : step;
        }
        for (auto i = static_cast<long long>(std::ceil(first / step)); static_cast<double>(i) * step <= last; ++i) {
            values.push_back(static_cast<double>(i) * step);
        }
        return values;
    }
    // The label of a tick, never "-0".
    static std::string shown(double value) {
        std::string text = coordinate(value);
        return text == "-0" ? "0" : text;
    }
};

// Draws the frame, the ticks and the names of the axes.
void draw_axes(const Axis& x, const Axis& y, Drawing& drawing) {
    const double top = std::min(y.from, y.until);
    const double bottom = std::max(y.from, y.until);
    for (const double value : y.ticks(5)) {
        drawing.line(x.from, y.place(value), x.until, y.place(value), "#ddd");
        drawing.text(x.from - 6, y.place(value) + 4, Axis::shown(value), "end");
    }
    for (const double value : x.ticks(7)) {
        drawing.line(x.place(value), bottom, x.place(value), bottom + 4, "#444");
        drawing.text(x.place(value), bottom + 17, Axis::shown(value), "middle");
    }
    drawing.line(x.from, bottom, x.until, bottom, "#444");
    drawing.line(x.from, top, x.from, bottom, "#444");
    drawing.text((x.from + x.until) / 2, bottom + 34, x.name, "middle");
    drawing.text(16, (top + bottom) / 2, y.name, "middle", true);
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

Axis time_axis(const TimeSpan& span) {
    const TimeUnit unit = unit_of(span);
    const double first = span.first.to_seconds() / unit.seconds;
    const double last = span.last.to_seconds() / unit.seconds;
    return {unit.name, first, std::max(last, first + 1e-6), left, right};
}

// The finished jobs of a run and their processors.
struct DrawnRun {
    std::string label;
    FinishedJobs jobs;
    std::vector<const ResourceSet*> allocations;  // of `jobs`, in the same order
};

std::vector<DrawnRun> drawn_runs(const std::vector<PlottedRun>& runs) {
    std::vector<DrawnRun> drawn;
    for (const PlottedRun& run : runs) {
        drawn.push_back({run.label, {}, {}});
        for (const ScheduledJob& job : run.schedule.jobs) {
            if (job.finished()) {
                drawn.back().jobs.push_back(analysis::finished_job(job));
                drawn.back().allocations.push_back(&job.allocation);
            }
        }
    }
    return drawn;
}

// Draws the labels of runs from left to right, each with its line. Returns the position below them.
double draw_legend(const std::vector<DrawnRun>& runs, double top, Drawing& drawing) {
    if (runs.size() < 2) {
        return top;
    }
    double x = left;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double needed = 50 + 7.5 * static_cast<double>(runs[i].label.size());
        if (x > left && x + needed > right) {
            x = left;
            top += line_height;
        }
        drawing.curve("M" + Drawing::point(x, top + 10) + "h30", i);
        drawing.text(x + 36, top + 14, runs[i].label, "start");
        x += needed;
    }
    return top + line_height;
}

using Classes = std::array<std::string, wait_classes.size()>;  // the rectangles of each class of wait

// Adds a rectangle per job and interval of processors. `unit` is that of the time axis, in seconds.
void add_rectangles(const DrawnRun& run, const Axis& x, const Axis& y, double unit, Classes& classes) {
    for (std::size_t i = 0; i < run.jobs.size(); ++i) {
        const FinishedJob& job = run.jobs[i];
        const double from = x.place(job.start.to_seconds() / unit);
        const double until = x.place((job.start + job.run).to_seconds() / unit);
        for (const auto& [first, last] : run.allocations[i]->intervals()) {
            const double top = y.place(first);
            classes.at(wait_class(analysis::wait(job))) +=
                Drawing::rectangle(from, top, until - from, y.place(last + 1) - top);
        }
    }
}

// How much of a cell all jobs cover together, and the job that covers most of it.
struct Cell {
    double covered = 0;
    double most = 0;
    std::size_t wait = 0;  // class of that job's wait
};

// Adds cells that are at least half covered, in the colour of the job that covers most.
void add_cells(const DrawnRun& run, int processors, const Axis& x, const Axis& y, double unit, Classes& classes) {
    const std::size_t rows = std::min<std::size_t>(static_cast<std::size_t>(processors), max_rows);
    const double row = static_cast<double>(rows) / processors;
    const double column = (x.until - x.from) / static_cast<double>(columns);
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
        const double from = (x.place(job.start.to_seconds() / unit) - x.from) / column;
        const double until = (x.place((job.start + job.run).to_seconds() / unit) - x.from) / column;
        for (const auto& [first, last] : run.allocations[i]->intervals()) {
            each_share(first * row, (last + 1) * row, rows, [&](std::size_t r, double height) {
                each_share(from, until, columns,
                           [&](std::size_t c, double length) { cover(r * columns + c, length * height, wait); });
            });
        }
    }
    const double height = (y.until - y.from) / static_cast<double>(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns;) {
            const Cell& cell = cells[r * columns + c];
            const std::size_t begin = c++;
            if (cell.covered < 0.5) {
                continue;
            }
            while (c < columns && cells[r * columns + c].covered >= 0.5 && cells[r * columns + c].wait == cell.wait) {
                ++c;
            }
            classes.at(cell.wait) += Drawing::rectangle(x.from + static_cast<double>(begin) * column,
                                                        y.from + static_cast<double>(r) * height,
                                                        static_cast<double>(c - begin) * column, height);
        }
    }
}

double draw_gantt(const std::vector<DrawnRun>& runs, int processors, const TimeSpan& span, double top,
                  Drawing& drawing) {
    double place = left;
    drawing.text(place - 6, top + 14, "wait:", "end");
    for (const WaitClass& each : wait_classes) {
        drawing.area(Drawing::rectangle(place, top + 4, 12, 12), each.colour);
        drawing.text(place + 17, top + 14, each.name, "start");
        place += 40 + 7 * static_cast<double>(std::string_view(each.name).size());
    }
    top += line_height;
    for (const DrawnRun& run : runs) {
        if (runs.size() > 1) {
            drawing.text(left, top + 14, run.label, "start");
            top += line_height;
        }
        const Axis x = time_axis(span);
        const Axis y{"processors", 0, static_cast<double>(processors), top, top + panel_height};
        draw_axes(x, y, drawing);
        std::size_t rectangles = 0;
        for (const ResourceSet* const allocation : run.allocations) {
            rectangles += allocation->intervals().size();
        }
        Classes classes;
        if (rectangles <= max_rectangles) {
            add_rectangles(run, x, y, unit_of(span).seconds, classes);
        } else {
            add_cells(run, processors, x, y, unit_of(span).seconds, classes);
        }
        for (std::size_t i = 0; i < classes.size(); ++i) {
            drawing.area(classes.at(i), wait_classes.at(i).colour);
        }
        top += panel_height + axis_height;
    }
    return top;
}

// Draws the mean of a level over each column.
double draw_levels(PlotKind kind, const std::vector<DrawnRun>& runs, int processors, const TimeSpan& span, double top,
                   Drawing& drawing) {
    top = draw_legend(runs, top, drawing);
    const bool busy = kind == PlotKind::utilisation;
    std::vector<std::vector<double>> levels;
    double highest = busy ? 100 : 1;
    for (const DrawnRun& run : runs) {
        levels.emplace_back();
        for (const Period& period : periods_of(steps_of(run.jobs), span.first, span.last, columns)) {
            levels.back().push_back(busy ? period.mean_busy * 100 / processors : period.mean_waiting);
            highest = std::max(highest, levels.back().back());
        }
    }
    const Axis x = time_axis(span);
    const Axis y{busy ? "processors in use (%)" : "jobs waiting", 0, highest, top + panel_height, top};
    draw_axes(x, y, drawing);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double column = (x.until - x.from) / static_cast<double>(std::max<std::size_t>(levels[i].size(), 1));
        std::string points;
        for (std::size_t c = 0; c < levels[i].size(); ++c) {
            points += (c == 0 ? "M" : "L") +
                      Drawing::point(x.from + (static_cast<double>(c) + 0.5) * column, y.place(levels[i][c]));
        }
        if (!points.empty()) {
            drawing.curve(points, i);
        }
    }
    return top + panel_height + axis_height;
}

double draw_distribution(PlotKind kind, const std::vector<DrawnRun>& runs, Duration tau, double top, Drawing& drawing) {
    top = draw_legend(runs, top, drawing);
    const bool waits = kind == PlotKind::waits;
    std::vector<std::vector<DistributionPoint>> distributions;
    double largest = 10;
    for (const DrawnRun& run : runs) {
        std::vector<double> values;
        for (const FinishedJob& job : run.jobs) {
            values.push_back(waits ? analysis::wait(job).to_seconds() : analysis::bounded_slowdown(job, tau));
        }
        distributions.push_back(distribution_of(std::move(values), plotted_points));
        if (!distributions.back().empty()) {
            largest = std::max(largest, distributions.back().back().value);
        }
    }
    const Axis x{waits ? "wait (s), at most" : "bounded slowdown, at most", 1, largest, left, right, true};
    const Axis y{"jobs (%)", 0, 100, top + panel_height, top};
    draw_axes(x, y, drawing);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (distributions[i].empty()) {
            continue;
        }
        // A step at each value; the share is 0 below the first one.
        std::string points = "M" + Drawing::point(x.place(distributions[i].front().value), y.place(0));
        for (const auto& [value, share] : distributions[i]) {
            points += "H" + coordinate(x.place(value)) + "V" + coordinate(y.place(share * 100));
        }
        drawing.curve(points + "H" + coordinate(x.until), i);
    }
    return top + panel_height + axis_height;
}

}  // namespace

std::string plot(PlotKind kind, const std::vector<PlottedRun>& runs, const PlotOptions& options) {
    const std::vector<DrawnRun> drawn = drawn_runs(runs);
    std::vector<FinishedJobs> jobs;
    std::string labels;
    for (const DrawnRun& run : drawn) {
        jobs.push_back(run.jobs);
        labels += (labels.empty() ? "" : ", ") + run.label;
    }
    const TimeSpan span = span_of(jobs);
    Drawing drawing;
    double top = 10;
    if (!options.title.empty()) {
        drawing.text((left + right) / 2, top + 14, options.title, "middle");
        top += line_height;
    }
    switch (kind) {
        case PlotKind::gantt:
            top = draw_gantt(drawn, options.processors, span, top, drawing);
            break;
        case PlotKind::utilisation:
        case PlotKind::queue:
            top = draw_levels(kind, drawn, options.processors, span, top, drawing);
            break;
        case PlotKind::waits:
        case PlotKind::slowdowns:
            top = draw_distribution(kind, drawn, options.tau, top, drawing);
            break;
    }
    return drawing.svg(top, std::string(plot_kind_names.at(static_cast<std::size_t>(kind))) + ": " + labels);
}

}  // namespace batfill::report
