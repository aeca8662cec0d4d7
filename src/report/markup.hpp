#pragma once

#include <string>
#include <string_view>

namespace batfill::report {

// Escapes text for HTML and SVG, between tags. Control characters, which SVG forbids, become spaces.
std::string markup_text(std::string_view text);

}  // namespace batfill::report
