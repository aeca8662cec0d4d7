#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/time.hpp>

namespace batfill {

// One parameter of an algorithm, as declared where the algorithm registers.
struct Parameter {
    enum class Type {
        boolean,       // yes or no; true and false mean the same
        choice,        // one of the words in `choices`
        number,        // at least `least`; "inf" only if it may be infinite
        seconds,       // a length of time, not negative
        numbers,       // `count` numbers with commas between them
        whole_number,  // from 0 to 2^63 - 1; "all" only if it may be all
    };
    std::string name;
    Type type;
    std::string default_value;         // empty: off unless given
    std::string description;           // one line
    std::vector<std::string> choices;  // of a choice, and "no" and "yes" of a boolean; else empty
    std::size_t count = 0;             // of numbers
    // Of a number:
    double least = -std::numeric_limits<double>::infinity();
    bool may_be_infinite = false;
    bool may_be_all = false;  // of a whole number

    // One that is "no" by default.
    static Parameter boolean(std::string name, std::string description);
    static Parameter choice(std::string name, std::vector<std::string> choices, std::string default_value,
                            std::string description);
    static Parameter seconds(std::string name, std::string default_value, std::string description);
    static Parameter number(std::string name, std::string default_value, std::string description,
                            double least = -std::numeric_limits<double>::infinity(), bool may_be_infinite = false);
    static Parameter numbers(std::string name, std::size_t count, std::string default_value, std::string description);
    static Parameter whole_number(std::string name, std::string default_value, std::string description,
                                  bool may_be_all = false);

    std::string type_name() const;  // "boolean", "choice", "number", "6 numbers", "whole number or all", ...
    // Throws UsageError that says what is allowed if `value` is not.
    void validate(const std::string& value) const;
};

// The values of all parameters of one algorithm: given, or by default. Asking for one that was not declared, or as
// another type, is a bug (std::logic_error).
class Parameters {
 public:
    using Given = std::vector<std::pair<std::string, std::string>>;

    // Of several values for one name the last counts. Throws UsageError for unknown names, which lists the known ones,
    // and for values that are not allowed.
    Parameters(const std::string& algorithm, const std::vector<Parameter>& declared, const Given& given);

    bool boolean(const std::string& name) const;
    const std::string& choice(const std::string& name) const;
    double number(const std::string& name) const;                    // requires that it has a default
    std::optional<Duration> seconds(const std::string& name) const;  // none: off
    std::vector<double> numbers(const std::string& name) const;      // empty: off
    // None: off. The largest of all numbers for "all".
    std::optional<std::uint64_t> whole_number(const std::string& name) const;

    // Those that are not off, as text, by name.
    Given values() const;

 private:
    const std::string& value(const std::string& name, Parameter::Type type) const;

    std::map<std::string, std::pair<Parameter::Type, std::string>> values_;
};

// Joins names as error messages list them: "a, b, c".
std::string list_of(const std::vector<std::string>& names);
// What an error message says behind a name that is none of those known: "did you mean 'simulate'? Known: ...", or
// "known: ..." without a guess if none is near.
std::string names_instead(const std::string& name, const std::vector<std::string>& known);
// The one of those known that somebody who typed `name` meant; none if no name is near.
std::optional<std::string> nearest_name(const std::string& name, const std::vector<std::string>& known);
// What an error message says of a name that is none of those known: "unknown command 'simulat', did you mean
// 'simulate'? Known: ...", or without a guess if none is near. `what` says what is named.
std::string unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& known);

// Splits "key=value". Throws UsageError if there is no '=' or no key.
std::pair<std::string, std::string> parse_assignment(const std::string& text);

}  // namespace batfill
