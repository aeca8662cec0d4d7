#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/core/time.hpp>

#include "src/support/mapped.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"

namespace batfill::commands {

// Throws: UsageError with this text if `is_wrong`.
inline void refuse_if(bool is_wrong, const std::string& text) {
    if (is_wrong) {
        throw UsageError(text);
    }
}

// What a field of a command's struct holds: T for T, std::optional<T> and std::vector<T>.
template <class Field>
struct Held {
    using type = Field;
    static constexpr bool several = false;
};
template <class T>
struct Held<std::optional<T>> : Held<T> {};
template <class T>
struct Held<std::vector<T>> {
    using type = T;
    static constexpr bool several = true;
};
template <class Field>
using HeldBy = typename Held<Field>::type;

// The value of an option: what the help calls it, and what reads it. The functions below make one for a field of the
// command's struct. The field must live until Options::parse() has returned.
class Value {
 public:
    // `read` takes the text of the user.
    // Throws: `read` may throw UsageError, which Options begins with the name of the option.
    Value(std::string name, std::function<void(const std::string&)> read)
        : name_(std::move(name)), read_(std::move(read)) {}

    // The user must give the option.
    Value& required() {
        required_ = true;
        return *this;
    }

    // The option has this value if the user does not give it. The help shows the value.
    Value& otherwise(const std::string& text) {
        read_(text);
        name_ += " (=" + text + ")";
        return *this;
    }

    // The user may repeat the option. Holds for every field that is a vector.
    Value& repeatable() {
        repeatable_ = true;
        return *this;
    }

    // The option takes all arguments up to the next option, and at least one.
    Value& multitoken() {
        multitoken_ = true;
        return *this;
    }

 private:
    friend class Options;

    std::string name_;
    std::function<void(const std::string&)> read_;
    bool required_ = false;
    bool repeatable_ = false;
    bool multitoken_ = false;
};

// The value that `read` makes of the text.
// Throws: `read` may throw UsageError, without the name of the option.
template <class Field, class Read>
Value value(Field& field, const std::string& name, Read read) {
    if constexpr (Held<Field>::several) {
        return Value(name, [&field, read](const std::string& text) { field.push_back(read(text)); }).repeatable();
    } else {
        return {name, [&field, read](const std::string& text) { field = read(text); }};
    }
}

// As above. `parse` returns none for a wrong text. The error then names `expected`, such as "a number above 0".
template <class Field, class Parse>
Value value(Field& field, const std::string& name, Parse parse, const std::string& expected) {
    return value(field, name, [parse, expected](const std::string& text) {
        const auto parsed = parse(text);
        if (!parsed) {
            throw UsageError("expected " + expected + ", found '" + text + "'");
        }
        return *parsed;
    });
}

// The text itself.
template <class Field>
Value text(Field& field, const std::string& name = "arg") {
    return value(field, name, [](const std::string& text) { return text; });
}

// A number from `least` to `most`. `unit` follows them in the error.
template <class Field>
Value number(Field& field, const std::string& name, HeldBy<Field> least = std::numeric_limits<HeldBy<Field>>::lowest(),
             HeldBy<Field> most = std::numeric_limits<HeldBy<Field>>::max(), const std::string& unit = "") {
    std::ostringstream expected;
    expected << (std::integral<HeldBy<Field>> ? "a whole number from " : "a number from ") << least << " to " << most
             << unit;
    const auto parse = [least, most](const std::string& text) {
        const auto parsed = number_in<HeldBy<Field>>(text);
        return parsed && *parsed >= least && *parsed <= most ? parsed : std::nullopt;
    };
    return value(field, name, parse, expected.str());
}

// The length of time that `text` gives: seconds, or a number with a unit, from `least` to `most`.
// Throws: UsageError, without the name of the option.
Duration read_length(const std::string& text, std::optional<Duration> least, std::optional<Duration> most);

// A length of time. A field of type Time gets the instant that is this long after the clock's zero.
template <class Field>
Value length(Field& field, const std::string& name, std::optional<Duration> least = {},
             std::optional<Duration> most = {}) {
    return value(field, name, [least, most](const std::string& text) {
        const Duration length = read_length(text, least, most);
        if constexpr (std::same_as<HeldBy<Field>, Time>) {
            return Time::at(length);
        } else {
            return length;
        }
    });
}

// Words, and what each stands for.
template <class T>
using Words = std::vector<std::pair<std::string, T>>;

template <class T>
std::vector<std::string> names_of(const Words<T>& words) {
    return mapped(words, &Words<T>::value_type::first);
}

// Returns what `word` stands for.
// Throws: UsageError, which lists the words, without the name of the option. `kind` says what they are.
template <class T>
T meaning_of(const std::string& word, const Words<T>& words, const std::string& kind = "value") {
    const auto found = std::find_if(words.begin(), words.end(), [&](const auto& known) { return known.first == word; });
    if (found == words.end()) {
        throw UsageError(unknown_name(kind, word, names_of(words)));
    }
    return found->second;
}

// One of the words.
template <class Field>
Value word(Field& field, const std::string& name, const Words<HeldBy<Field>>& words) {
    return value(field, name, [words](const std::string& word) { return meaning_of(word, words); });
}

// Where options come from. On a command line, users may cut a name short to what only that one begins with (--spli for
// --split), and ask for help. In a file that somebody keeps, names are whole, and --help is an error.
enum class OptionsFrom { command_line, file };

// The options of one command. The command declares each with the field that its value goes to, and parse() fills the
// fields.
class Options {
 public:
    Options();
    ~Options();
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;

    // Begins a group of options, which the help shows under `title`. Without a group, options stand under "Options".
    void group(const std::string& title);

    // Declares an option. `names` is "NAME", "NAME,L" with the letter L as a short name, or "NAME,OTHER,L" with another
    // name that the help omits. The help lists the options in the order of their declarations, and --help after them.
    // Requires: no other option has one of these names. "help,h" is taken.
    void add(const std::string& names, const Value& value, const std::string& help);

    // As above, for an option without a value, which sets `flag` or has no field.
    void add(const std::string& names, bool& flag, const std::string& help);
    void add(const std::string& names, const std::string& help);

    // Declares an option whose value the user may give without its name: one argument, or all that are left if the
    // value is repeatable. Positional options take the arguments in the order of their declarations. The help does not
    // list them: the usage line shows them. Errors do not name them.
    // Requires: no other option has this name.
    void add_positional(const std::string& name, const Value& value);

    // Declares a rule between options. parse() calls `check` once all fields are filled.
    void add_rule(std::function<void()> check);

    // Parses the arguments of the command, among them --help. `usage` is the text after "Usage: ", `summary` the
    // paragraph below it. The help ends with the two examples: the text after "batfill ". Returns false after printing
    // the help on the standard output; the command then returns 0. Requires: all options are declared, and nothing has
    // been parsed yet. Throws: UsageError for an unknown, repeated or missing option, and for a value that its option
    // does not take; what a rule throws.
    bool parse(const std::vector<std::string>& arguments, const std::string& usage, const std::string& summary,
               const std::array<const char*, 2>& examples, OptionsFrom origin = OptionsFrom::command_line);

    // Returns whether the user gave the option; false if it only has the value that Value::otherwise() sets.
    // Requires: parse() has filled the fields, and the option is declared.
    bool given(const std::string& name) const;

 private:
    struct State;

    std::unique_ptr<State> state_;
};

}  // namespace batfill::commands
