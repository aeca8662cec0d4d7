#pragma once

#include <string>
#include <string_view>

namespace batfill::report {

// The text as it stands between the tags of HTML and SVG; control characters, which SVG must not have, become spaces.
std::string markup_text(std::string_view text);

}  // namespace batfill::report
