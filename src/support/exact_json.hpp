#pragma once

#include <string>

#include "json.hpp"

namespace batfill {

// Appends `value` to `out` as JSON without white space. Numbers have the fewest digits that read back as the same
// number, unlike those of append_json(), which are Batsim's.
// Cost: O(size of the value).
void append_exact_json(const JsonValue& value, std::string& out);
// Requires: the number is finite.
void append_exact_json(double number, std::string& out);

}  // namespace batfill
