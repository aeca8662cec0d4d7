#pragma once

#include <string>

namespace batfill::report {

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
