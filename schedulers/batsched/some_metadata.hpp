#pragma once

#include <string>

#include <batfill/engine/state.hpp>

namespace batfill {

// The text that batsched's algorithms write into the column `metadata` of a job. Omits double quotes of the job's id.
inline std::string some_metadata(const Job& job) {
    std::string text = "just some metadata for job " + job.description().id;
    std::erase(text, '"');
    return text;
}

}  // namespace batfill
