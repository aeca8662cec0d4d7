#include "library_file.hpp"

#include <dlfcn.h>

#include <batfill/core/error.hpp>

namespace batfill {

std::string library_file() {
    static const char in_this_library = 0;
    Dl_info found{};
    if (dladdr(&in_this_library, &found) == 0 || found.dli_fname == nullptr) {
        throw InputError("the file of batfill's library cannot be found");
    }
    return found.dli_fname;
}

}  // namespace batfill
