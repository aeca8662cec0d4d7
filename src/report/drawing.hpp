#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// An SVG of charts, and the axes of a chart. Positions and lengths are in SVG's units, 96 to an inch.
namespace batfill::report {

// Two decimals at most, without trailing zeros.
std::string coordinate(double value);

// The lengths of a picture. All but its width and the height of its panels follow from the size of its letters.
struct Layout {
    double width = 720;
    double font_size = 12;
    double panel_height = 220;

    double scaled(double length) const { return length * font_size / 12; }
    double left() const { return scaled(70); }  // of the panels
    double right() const { return width - scaled(20); }
    double axis_height() const { return scaled(44); }  // below a panel: its ticks and its name
    double line_height() const { return scaled(22); }  // of titles and legends
    double letter_width() const { return scaled(7); }  // on average, and a little more
    double digits_width(std::size_t count) const { return scaled(7.7) * static_cast<double>(count); }
};

// What a user may choose of a picture.
struct Style {
    std::string font = "sans-serif";
    std::vector<std::string> colours{};  // in place of the default ones; these if empty
};

class Drawing {
 public:
    explicit Drawing(const Layout& layout, Style style = {}) : layout_(layout), style_(std::move(style)) {}

    const Layout& layout() const { return layout_; }
    const Style& style() const { return style_; }

    void line(double x1, double y1, double x2, double y2, const char* colour);
    void text(double x, double y, std::string_view text, const char* anchor, bool upwards = false);
    // `points` is the data of a path, none if it is empty. `run` selects colour and dashes.
    void curve(const std::string& points, std::size_t run);
    // `rectangles` is the data of a path.
    void area(const std::string& rectangles, std::string_view colour);
    // As above, with slanted lines; and only the borders, with a text that a pointer shows.
    void hatched_area(const std::string& rectangles);
    void border(const std::string& rectangles, std::string_view text);
    // A text in the middle of a rectangle, on a light ground. None if it does not fit.
    void label(double x, double y, double w, double h, std::string_view text);
    std::string svg(double height, const std::string& description) const;

    static std::string point(double x, double y) { return coordinate(x) + " " + coordinate(y); }
    static std::string rectangle(double x, double y, double w, double h);

 private:
    void path(const std::string& data, const std::string& attributes);

    Layout layout_;
    Style style_;
    std::string body_;
    bool has_hatches_ = false;
};

// One axis of a panel: maps values to positions.
struct Axis {
    std::string name;
    double first = 0;  // above 0 on a logarithmic axis
    double last = 1;   // above `first`
    double from = 0;   // the position of `first`
    double until = 1;  // the position of `last`
    bool logarithmic = false;
    bool has_lines = true;  // a vertical one: a line across the panel at each tick, else a short one

    // Values beyond an end get the position of that end.
    double place(double value) const;
    // About `count` round values: powers of ten on a logarithmic axis, else multiples of 1, 2 or 5 times a power of
    // ten.
    std::vector<double> ticks(double count) const;
    // The label of a tick, never "-0".
    static std::string shown(double value);

 private:
    double share(double value) const;
};

// Draws the frame, the ticks and the names of the axes.
void draw_axes(const Axis& x, const Axis& y, Drawing& drawing);

}  // namespace batfill::report
