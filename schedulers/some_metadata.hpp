#pragma once

#include <string>

#include <batfill/engine/state.hpp>

namespace batfill {

// The text that algorithms of batsched write into the column `metadata` of a job. Double quotes in the job's id are
// removed.
inline std::string some_metadata(const Job& job) {
    std::string text = "just some metadata for job " + job.description().id;
    std::erase(text, '"');
    return text;
}

}  // namespace batfill
