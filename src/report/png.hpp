#pragma once

#include <string>

namespace batfill::report {

// Draws an SVG as a PNG on a white ground, as many pixels to the inch as `dpi` says; an SVG has 96 units to the inch.
// That is done by the program rsvg-convert of librsvg, which is looked for in PATH: it draws text, too, with the fonts
// of the machine, and the library alone would bring a hundred others to a program that runs on clusters. Throws
// InputError if it is not installed or fails. Requires 1 <= dpi <= 2400.
std::string png_of(const std::string& svg, int dpi);

}  // namespace batfill::report
