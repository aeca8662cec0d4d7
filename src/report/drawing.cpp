#include "src/report/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/support/csv_text.hpp"
#include "src/support/text.hpp"

namespace batfill::report {

namespace {

// The colours of the runs, here and on the page. Colour-blind readers can distinguish them.
constexpr std::array<const char*, 6> colours{"#0072b2", "#d55e00", "#00805c", "#a8487f", "#8a6400", "#2f8fc4"};
constexpr std::array<const char*, 6> dashes{"", "7 3", "2 3", "9 3 2 3", "12 4", "4 4"};

constexpr const char* hatch_colour = "#a8487f";

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "='" + std::string(value) + "'";
}

std::string hatches() {
    return "<defs><pattern id='hatch' width='6' height='6' patternUnits='userSpaceOnUse' "
           "patternTransform='rotate(45)'><path d='M0 0h6v6h-6z'" +
           attribute("fill", hatch_colour) + " fill-opacity='0.12'/><path d='M3 0v6'" +
           attribute("stroke", hatch_colour) + "/></pattern></defs>\n";
}

}  // namespace

std::string coordinate(double value) {
    std::string text = rounded(value, 2);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text;
}

void Drawing::line(double x1, double y1, double x2, double y2, const char* colour) {
    path("M" + point(x1, y1) + "L" + point(x2, y2), attribute("stroke", colour));
}

void Drawing::text(double x, double y, std::string_view text, const char* anchor, bool upwards) {
    body_ += "<text" + attribute("x", coordinate(x)) + attribute("y", coordinate(y)) +
             attribute("text-anchor", anchor) +
             (upwards ? attribute("transform", "rotate(-90 " + point(x, y) + ")") : "") + ">" + markup_text(text) +
             "</text>\n";
}

void Drawing::curve(const std::string& points, std::size_t run) {
    if (points.empty()) {
        return;
    }
    const std::string_view dash = dashes.at(run % dashes.size());
    path(points, attribute("class", "curve") + attribute("fill", "none") + attribute("stroke-width", "1.5") +
                     attribute("stroke", style_.colours.empty() ? colours.at(run % colours.size())
                                                                : style_.colours[run % style_.colours.size()]) +
                     (dash.empty() ? "" : attribute("stroke-dasharray", dash)));
}

void Drawing::area(const std::string& rectangles, std::string_view colour) {
    if (!rectangles.empty()) {
        path(rectangles, attribute("class", "jobs") + attribute("fill", colour));
    }
}

void Drawing::hatched_area(const std::string& rectangles) {
    has_hatches_ = true;
    path(rectangles, attribute("class", "window") + attribute("fill", "url(#hatch)"));
}

void Drawing::border(const std::string& rectangles, std::string_view text) {
    body_ += "<path" + attribute("d", rectangles) + attribute("class", "border") + attribute("fill", "none") +
             attribute("stroke", hatch_colour) + attribute("pointer-events", "all") + "><title>" + markup_text(text) +
             "</title></path>\n";
}

void Drawing::label(double x, double y, double w, double h, std::string_view text) {
    const double needed = layout_.letter_width() * static_cast<double>(text.size());
    const double high = layout_.scaled(16);
    if (needed > w || high > h) {
        return;
    }
    path(rectangle(x + (w - needed) / 2, y + (h - high) / 2, needed, high),
         attribute("fill", "#fff") + attribute("fill-opacity", "0.85"));
    this->text(x + w / 2, y + h / 2 + layout_.scaled(4), text, "middle");
}

std::string Drawing::svg(double height, const std::string& description) const {
    const std::string size = attribute("width", coordinate(layout_.width)) + attribute("height", coordinate(height));
    return "<?xml version='1.0' encoding='UTF-8'?>\n<svg xmlns='http://www.w3.org/2000/svg' version='1.1'" + size +
           attribute("viewBox", "0 0 " + point(layout_.width, height)) + attribute("font-family", style_.font) +
           attribute("font-size", coordinate(layout_.font_size)) + ">\n<title>" + markup_text(description) +
           "</title>\n<rect" + size + " fill='#fff'/>\n" + (has_hatches_ ? hatches() : "") + body_ + "</svg>\n";
}

std::string Drawing::rectangle(double x, double y, double w, double h) {
    return "M" + point(x, y) + "h" + coordinate(w) + "v" + coordinate(h) + "h" + coordinate(-w) + "z";
}

void Drawing::path(const std::string& data, const std::string& attributes) {
    body_ += "<path" + attribute("d", data) + attributes + "/>\n";
}

double Axis::share(double value) const {
    return logarithmic ? std::log(value / first) / std::log(last / first) : (value - first) / (last - first);
}

double Axis::place(double value) const {
    return from + std::clamp(share(std::max(value, first)), 0.0, 1.0) * (until - from);
}

std::vector<double> Axis::ticks(double count) const {
    std::vector<double> values;
    if (logarithmic) {
        const int step = std::max(1, static_cast<int>(std::ceil(std::log10(last / first) / count)));
        for (int power = 0; first * std::pow(10, power) <= last; power += step) {
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

std::string Axis::shown(double value) {
    std::string text = coordinate(value);
    return text == "-0" ? "0" : text;
}

void draw_axes(const Axis& x, const Axis& y, Drawing& drawing) {
    const Layout& layout = drawing.layout();
    const double top = std::min(y.from, y.until);
    const double bottom = std::max(y.from, y.until);
    // A small picture has ticks closer to each other than a large one.
    const auto count = [&](double length, double most, double close, double apart) {
        return std::max({1.0, std::min(most, length / layout.scaled(close)), length / layout.scaled(apart)});
    };
    for (const double value : y.ticks(count(bottom - top, 5, 28, 44))) {
        if (y.has_lines) {
            drawing.line(x.from, y.place(value), x.until, y.place(value), "#ddd");
        } else {
            drawing.line(x.from - layout.scaled(4), y.place(value), x.from, y.place(value), "#444");
        }
        drawing.text(x.from - layout.scaled(6), y.place(value) + layout.scaled(4), Axis::shown(value), "end");
    }
    for (const double value : x.ticks(count(x.until - x.from, 7, 64, 90))) {
        drawing.line(x.place(value), bottom, x.place(value), bottom + layout.scaled(4), "#444");
        const std::string label = Axis::shown(value);
        const bool beyond_edge = x.place(value) + layout.digits_width(label.size()) / 2 > layout.width;
        drawing.text(beyond_edge ? layout.width - 1 : x.place(value), bottom + layout.scaled(17), label,
                     beyond_edge ? "end" : "middle");
    }
    drawing.line(x.from, bottom, x.until, bottom, "#444");
    drawing.line(x.from, top, x.from, bottom, "#444");
    drawing.text((x.from + x.until) / 2, bottom + layout.scaled(34), x.name, "middle");
    drawing.text(layout.scaled(16), (top + bottom) / 2, y.name, "middle", true);
}

}  // namespace batfill::report
