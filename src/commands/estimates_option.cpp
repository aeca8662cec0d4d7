#include "estimates_option.hpp"

#include <algorithm>
#include <optional>

#include <batfill/core/error.hpp>

#include "options.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

EstimatesOption estimates_option(const Options& options, const std::vector<std::string>& words) {
    const auto text = options.get<std::string>("estimates");
    if (std::find(words.begin(), words.end(), text) != words.end()) {
        return {text};
    }
    const std::string factor = "factor:";
    if (!text.starts_with(factor)) {
        throw UsageError("--estimates: unknown value '" + text + "', known: " + list_of(words) + ", factor:K");
    }
    const std::optional<Decimal> value = Decimal::parse(text.substr(factor.size()));
    if (!value || value->millionths() < Decimal::of(1).millionths()) {
        throw UsageError("--estimates: expected factor:K with K in 1..1000000, found '" + text + "'");
    }
    return {"factor", *value};
}

}  // namespace batfill::commands
