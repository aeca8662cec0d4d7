#pragma once

#include <string_view>

namespace batfill {

// The two parts of a job's id, "w0" and "17" of "w0!17". Files have them in separate columns.
struct JobIdParts {
    std::string_view workload;
    std::string_view name;

    explicit JobIdParts(std::string_view id)
        : workload(id.substr(0, id.rfind('!'))), name(id.substr(id.rfind('!') + 1)) {}
};

}  // namespace batfill
