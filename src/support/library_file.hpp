#pragma once

#include <string>

namespace batfill {

// The file with this library in the running process. It is the program itself if that is linked statically.
// Throws: InputError if it cannot be found.
std::string library_file();

}  // namespace batfill
