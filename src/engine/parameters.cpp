#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/engine/parameters.hpp>

#include "src/support/calendar.hpp"
#include "src/support/text.hpp"

namespace batfill {

Parameter Parameter::used_with(std::vector<std::string> conditions) const {
    Parameter parameter = *this;
    parameter.only_with.push_back(std::move(conditions));
    return parameter;
}

std::string Parameter::type_name() const {
    constexpr const char* names[] = {"boolean", "choice", "number", "seconds", " numbers", "whole number", "text"};
    const std::string text = names[static_cast<std::size_t>(type)];
    return type == Type::numbers ? std::to_string(count) + text : text + (may_be_all ? " or all" : "");
}

namespace {

// Reads finite numbers separated by commas. None for any other text.
std::optional<std::vector<double>> parse_numbers(std::string_view text) {
    std::vector<double> numbers;
    for (const std::string_view part : split(text, ',')) {
        const auto number = number_in<double>(part);
        if (!number || !std::isfinite(*number)) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

std::optional<double> parse_number(const std::string& text, bool may_be_infinite) {
    if (may_be_infinite && text == "inf") {
        return std::numeric_limits<double>::infinity();
    }
    const auto number = number_in<double>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::uint64_t> parse_whole_number(const std::string& text, bool may_be_all) {
    if (may_be_all && text == "all") {
        return std::numeric_limits<std::uint64_t>::max();
    }
    const auto number = number_in<std::uint64_t>(text);
    return number <= std::numeric_limits<std::int64_t>::max() ? number : std::nullopt;
}

// Describes a number that is not allowed, as a predicate for the error.
std::string no_number(const Parameter& parameter) {
    std::ostringstream text;
    text << "is not a number";
    if (std::isfinite(parameter.least)) {
        text << " (" << parameter.least << " or more" << (parameter.may_be_infinite ? ", or inf)" : ")");
    }
    return text.str();
}

}  // namespace

ParameterValue Parameter::parse(const std::string& text) const {
    std::string problem;
    switch (type) {
        case Type::boolean:
            if (text == "yes" || text == "true" || text == "no" || text == "false") {
                return text == "yes" || text == "true";
            }
            problem = "is neither yes nor no";
            break;
        case Type::choice: {
            const auto chosen = std::find(choices.begin(), choices.end(), text);
            if (chosen == choices.end()) {
                throw UsageError("parameter " + name + ": " + unknown_name("value", text, choices));
            }
            return static_cast<int>(chosen - choices.begin());
        }
        case Type::number:
            if (const auto number = parse_number(text, may_be_infinite); number && *number >= least) {
                return *number;
            }
            problem = no_number(*this);
            break;
        case Type::seconds:
            if (const auto duration = parse_duration(text); duration && *duration >= Duration()) {
                return *duration;
            }
            problem = "is not a number of seconds (0 or more, also with a unit: 90s, 15m, 1h, 30d)";
            break;
        case Type::numbers:
            if (auto numbers = parse_numbers(text); numbers && numbers->size() == count) {
                return std::move(*numbers);
            }
            problem = "is not a list of " + std::to_string(count) + " numbers with commas between them";
            break;
        case Type::whole_number:
            if (const auto number = parse_whole_number(text, may_be_all)) {
                return *number;
            }
            problem = std::string("is not a whole number (0 or more") + (may_be_all ? ", or all)" : ")");
            break;
        case Type::text:
            if (!text.empty()) {
                return text;
            }
            problem = "is empty";
            break;
    }
    throw UsageError("parameter " + name + ": '" + text + "' " + problem);
}

std::vector<Parameter> joined(const std::vector<std::vector<Parameter>>& lists) {
    std::vector<Parameter> all;
    for (const std::vector<Parameter>& list : lists) {
        all.insert(all.end(), list.begin(), list.end());
    }
    return all;
}

Parameters::Parameters(const std::string& algorithm, const std::vector<Parameter>& declared, Given given)
    : given_(std::move(given)) {
    for (const Parameter& parameter : declared) {
        const std::string& text = parameter.default_value;
        values_[parameter.name] = {parameter.type, text, text.empty() ? ParameterValue() : parameter.parse(text)};
    }
    for (const auto& [name, text] : given_) {
        const auto parameter = std::ranges::find(declared, name, &Parameter::name);
        if (parameter == declared.end()) {
            std::vector<std::string> names;
            std::ranges::transform(declared, std::back_inserter(names), &Parameter::name);
            std::string problem = "algorithm ";
            problem.append(algorithm).append(" has no parameter '").append(name).append("', ");
            throw UsageError(problem.append(names_instead(name, names)));
        }
        values_[name] = {parameter->type, text, parameter->parse(text)};
    }
    refuse_what_does_not_go_together(declared);
}

void Parameters::refuse_what_does_not_go_together(const std::vector<Parameter>& declared) const {
    const auto is_met = [&](const std::string& condition) {
        return std::ranges::any_of(values_, [&](const auto& one) {
            const auto& [name, typed] = one;
            return !typed.text.empty() && (condition == name || condition == name + '=' + typed.text);
        });
    };
    for (const Parameter& parameter : declared) {
        const std::string& text = values_.at(parameter.name).text;
        for (const std::vector<std::string>& conditions : parameter.only_with) {
            if (text != parameter.default_value && std::ranges::none_of(conditions, is_met)) {
                std::string problem = "parameter ";
                problem.append(parameter.name).append("=").append(text).append(" is used only with ");
                for (const std::string& condition : conditions) {
                    problem.append(&condition == &conditions.front() ? "" : " or ").append(condition);
                }
                throw UsageError(problem);
            }
        }
    }
}

const std::string& Parameters::as_text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) {
        throw std::logic_error("parameter " + name + " was not declared");
    }
    return found->second.text;
}

const Parameters::Typed& Parameters::typed(const std::string& name, Parameter::Type type) const {
    const auto found = values_.find(name);
    refuse_if<std::logic_error>(found == values_.end() || found->second.type != type, "parameter ", name,
                                " was not declared with this type");
    return found->second;
}

Parameters::Given Parameters::values_without(const std::vector<Parameter>& omitted) const {
    Given values;
    for (const auto& [name, typed] : values_) {
        if (!typed.text.empty() && std::ranges::find(omitted, name, &Parameter::name) == omitted.end()) {
            values.emplace_back(name, typed.text);
        }
    }
    return values;
}

std::pair<std::string, std::string> parse_assignment(const std::string& text) {
    const auto equals = text.find('=');
    refuse_if(equals == std::string::npos || equals == 0, "'", text, "' is not a parameter: expected key=value");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace batfill
