#pragma once

#include <string>
#include <vector>

#include <batfill/workloads/deadlines.hpp>

namespace batfill::commands {

class Options;

// The value of the option --estimates: one of the words that the command knows, or "factor:K".
struct EstimatesOption {
    std::string word;                 // "factor" for the latter
    Decimal factor = Decimal::of(1);  // K, at least 1
};

// Throws: UsageError for another value.
EstimatesOption estimates_option(const Options& options, const std::vector<std::string>& words);

}  // namespace batfill::commands
