#pragma once

#include <string>

namespace batfill {

// The file that holds this library in the running process: the program itself where it is linked statically. Throws
// InputError if that cannot be found out.
std::string library_file();

}  // namespace batfill
