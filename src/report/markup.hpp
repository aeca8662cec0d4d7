#pragma once

#include <string>
#include <string_view>

namespace batfill::report {

// Returns the text as HTML and SVG have it between tags. Control characters, which SVG must not have, become spaces.
std::string markup_text(std::string_view text);

}  // namespace batfill::report
