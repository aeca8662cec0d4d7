#pragma once

#include <string>

#include <batfill/formats/schedule.hpp>
#include <batfill/replay/outcome.hpp>

namespace batfill::tests {

// All that a comparison of two runs looks at: jobs, broken guarantees and statistics.
inline std::string compared_text(const Outcome& outcome) {
    std::string text;
    for (const ScheduledJob& job : outcome.schedule().jobs) {
        append_csv(job, text);
    }
    for (const BrokenGuarantee& one : outcome.broken_guarantees()) {
        append_csv(one, text, true);
    }
    return text + batfill::text_of(outcome.statistics());
}

}  // namespace batfill::tests
