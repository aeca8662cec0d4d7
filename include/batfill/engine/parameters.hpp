#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <batfill/core/time.hpp>

namespace batfill {

// The value of a parameter: nothing if it is off, the position of a choice among the choices, or what the type says.
using ParameterValue =
    std::variant<std::monostate, bool, int, double, Duration, std::vector<double>, std::uint64_t, std::string>;

// One parameter of an algorithm, as the algorithm declares it when it registers.
struct Parameter {
    enum class Type {
        boolean,       // yes or no; true and false mean the same
        choice,        // one of the words in `choices`
        number,        // at least `least`; "inf" only if `may_be_infinite`
        seconds,       // a length of time, not negative
        numbers,       // `count` numbers, separated by commas
        whole_number,  // from 0 to 2^63 - 1; "all" only if `may_be_all`
        text,          // any, but not empty
    };
    std::string name;
    Type type;
    std::string default_value;              // empty: off unless given
    std::string description;                // one line
    std::vector<std::string> choices = {};  // of a choice; "no" and "yes" of a boolean; else empty
    std::size_t count = 0;                  // of numbers
    // Of a number:
    double least = -std::numeric_limits<double>::infinity();
    bool may_be_infinite = false;
    bool may_be_all = false;  // of a whole number
    // A value other than the default goes only with one of each list: "NAME=VALUE", or "NAME" for any value.
    std::vector<std::vector<std::string>> only_with = {};

    // A boolean that is "no" by default.
    static Parameter boolean(std::string name, std::string description) {
        return {std::move(name), Type::boolean, "no", std::move(description), {"no", "yes"}};
    }
    static Parameter choice(std::string name, std::vector<std::string> choices, std::string default_value,
                            std::string description) {
        return {std::move(name), Type::choice, std::move(default_value), std::move(description), std::move(choices)};
    }
    static Parameter seconds(std::string name, std::string default_value, std::string description) {
        return {std::move(name), Type::seconds, std::move(default_value), std::move(description)};
    }
    static Parameter number(std::string name, std::string default_value, std::string description,
                            double least = -std::numeric_limits<double>::infinity(), bool may_be_infinite = false) {
        return {std::move(name), Type::number,   std::move(default_value), std::move(description), {}, 0,
                least,           may_be_infinite};
    }
    static Parameter numbers(std::string name, std::size_t count, std::string default_value, std::string description) {
        return {std::move(name), Type::numbers, std::move(default_value), std::move(description), {}, count};
    }
    static Parameter whole_number(std::string name, std::string default_value, std::string description,
                                  bool may_be_all = false) {
        Parameter made{std::move(name), Type::whole_number, std::move(default_value), std::move(description)};
        made.may_be_all = may_be_all;
        return made;
    }
    static Parameter text(std::string name, std::string default_value, std::string description) {
        return {std::move(name), Type::text, std::move(default_value), std::move(description)};
    }

    // This parameter, with one more list in only_with.
    Parameter used_with(std::vector<std::string> conditions) const;

    friend bool operator==(const Parameter&, const Parameter&) = default;

    std::string type_name() const;  // "boolean", "choice", "number", "6 numbers", "whole number or all", ...
    // Throws: UsageError, which says what is allowed, if `text` is not an allowed value.
    ParameterValue parse(const std::string& text) const;
};

// All parameters of these lists, in their order.
std::vector<Parameter> joined(const std::vector<std::vector<Parameter>>& lists);

// The values of all parameters of one algorithm: given, or by default.
// Throws, because of a bug:
// - std::logic_error for a parameter that was not declared, or that has another type
// - std::bad_optional_access from boolean(), choice<Enum>() and number() for a parameter that is off
class Parameters {
 public:
    using Given = std::vector<std::pair<std::string, std::string>>;

    // The last of several values for one name counts.
    // Throws: UsageError
    // - for an unknown name (lists the known ones)
    // - for a value that is not allowed
    // - for values that do not go together (Parameter::only_with)
    Parameters(const std::string& algorithm, const std::vector<Parameter>& declared, Given given);

    bool boolean(const std::string& name) const { return value<bool>(name, Parameter::Type::boolean).value(); }
    // As an enumeration that has the choices in the order of their declaration, from 0 on; or as the word.
    template <class Enum>
    Enum choice(const std::string& name) const {
        return static_cast<Enum>(value<int>(name, Parameter::Type::choice).value());
    }
    const std::string& choice(const std::string& name) const { return typed(name, Parameter::Type::choice).text; }
    double number(const std::string& name) const { return value<double>(name, Parameter::Type::number).value(); }
    // None: off.
    std::optional<Duration> seconds(const std::string& name) const {
        return value<Duration>(name, Parameter::Type::seconds);
    }
    // Empty: off.
    std::vector<double> numbers(const std::string& name) const {
        return value<std::vector<double>>(name, Parameter::Type::numbers).value_or(std::vector<double>());
    }
    // None: off. "all" gives the largest number.
    std::optional<std::uint64_t> whole_number(const std::string& name) const {
        return value<std::uint64_t>(name, Parameter::Type::whole_number);
    }
    // Empty: off.
    const std::string& text(const std::string& name) const { return typed(name, Parameter::Type::text).text; }

    // Whether a parameter of this name was declared.
    bool knows(const std::string& name) const { return values_.contains(name); }
    // The value of any parameter, as text.
    // Throws: std::logic_error if it was not declared.
    const std::string& as_text(const std::string& name) const;

    // What was given, as text, in that order.
    const Given& given() const { return given_; }
    // The parameters that are not off, as text, by name, without `omitted`.
    Given values_without(const std::vector<Parameter>& omitted) const;

 private:
    struct Typed {
        Parameter::Type type;
        std::string text;
        ParameterValue value;
    };
    void refuse_what_does_not_go_together(const std::vector<Parameter>& declared) const;
    const Typed& typed(const std::string& name, Parameter::Type type) const;
    template <class Value>
    std::optional<Value> value(const std::string& name, Parameter::Type type) const {
        const auto* const value = std::get_if<Value>(&typed(name, type).value);
        return value != nullptr ? std::optional(*value) : std::nullopt;
    }

    Given given_;
    std::map<std::string, Typed> values_;
};

// Splits "key=value".
// Throws: UsageError if there is no '=' or no key.
std::pair<std::string, std::string> parse_assignment(const std::string& text);

}  // namespace batfill
