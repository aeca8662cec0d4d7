#pragma once

#include <string>

#include <batfill/core/decimal.hpp>
#include <batfill/formats/workload.hpp>

#include "src/options/values.hpp"

// The kinds of values that options about workloads share.
namespace batfill {

// The offered loads that options take, and how a help says it.
inline constexpr const char* least_load = "0.001";
inline constexpr const char* most_load = "10";
inline const std::string load_range = std::string("a share of the machine in ") + least_load + ".." + most_load;

template <class Field>
options::Value offered_load_value(Field& field) {
    using Load = options::HeldBy<Field>;
    const auto parse = [](const std::string& text) {
        if constexpr (std::same_as<Load, Decimal>) {
            return options::decimal_in(text, least_load, most_load);
        } else {
            const auto load = number_in<Load>(text);
            const bool is_in_range =
                load && *load >= number_in<Load>(least_load) && *load <= number_in<Load>(most_load);
            return is_in_range ? load : std::nullopt;
        }
    };
    return options::value(field, "L", parse, load_range + " (0.9 is 90 %)", {options::Type::Scalar::number});
}

// Walltimes: one of the words; or "factor:K" or a number K from 1 to 1000000, which `set_factor` takes.
// Requires: the last word is "factor:K".
template <class How>
options::Value estimates_value(How& how, const std::function<void(Decimal)>& set_factor,
                               const options::Words<How>& words) {
    std::vector<std::string> names = options::names_of(words);
    names.pop_back();
    const auto read = [&how, set_factor, words](const std::string& text) {
        if (text.starts_with("factor:") || Decimal::parse(text)) {
            const auto factor = options::factor_in(text.substr(text.find(':') + 1), "1", "1000000");
            refuse_if(!factor, "expected factor:K with K in 1..1000000, found '" + text + "'");
            set_factor(*factor);
            how = words.back().second;
        } else {
            how = options::meaning_of(text, words);
        }
    };
    return {"HOW", read, {options::Type::Scalar::number, std::move(names)}};
}

// A Batsim format of a workload.
template <class Field>
options::Value format_value(Field& format) {
    return options::word(format, "FORMAT",
                         {{"batsim4", WorkloadFormat::batsim4}, {"batsim5", WorkloadFormat::batsim5}});
}

}  // namespace batfill
