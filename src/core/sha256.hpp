#pragma once

#include <string>
#include <string_view>

namespace batfill {

// The SHA-256 of `bytes` (FIPS 180-4) as 64 hexadecimal digits, as the command sha256sum prints it. O(bytes).
std::string sha256(std::string_view bytes);

}  // namespace batfill
