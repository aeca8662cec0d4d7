#pragma once

#include <string>
#include <string_view>

namespace batfill {

// The SHA-256 of `bytes` (FIPS 180-4) as 64 hexadecimal digits, as the command sha256sum prints it.
// Cost: O(bytes).
std::string sha256(std::string_view bytes);

// As above, for the content of a file.
// Throws: InputError if it cannot be read.
// Cost: O(size of the file).
std::string sha256_of_file(const std::string& path);

}  // namespace batfill
