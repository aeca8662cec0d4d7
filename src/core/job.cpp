#include <algorithm>
#include <cstddef>

#include <batfill/core/job.hpp>

namespace batfill {

namespace {

// In the order of the enumeration.
constexpr std::array<const char*, 8> words{
    "NOT_SUBMITTED",          "SUBMITTED",        "RUNNING",
    "COMPLETED_SUCCESSFULLY", "COMPLETED_FAILED", "COMPLETED_WALLTIME_REACHED",
    "COMPLETED_KILLED",       "REJECTED",
};

}  // namespace

const char* to_string(JobState state) {
    return words[static_cast<std::size_t>(state)];
}

std::optional<JobState> parse_job_state(std::string_view word) {
    const auto* const found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<JobState>(found - words.begin()));
}

std::string known_job_states() {
    std::string text;
    for (const char* word : words) {
        text += (text.empty() ? "" : ", ") + std::string(word);
    }
    return text;
}

}  // namespace batfill
