#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <batfill/core/decimal.hpp>
#include <batfill/core/error.hpp>
#include <batfill/core/time.hpp>

#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

// The values of options: what each kind takes, and what its errors and pages say of it.
namespace batfill::options {

// What a user gives an option: a word of a command line or of a file, or a value of a program. `true` without a word is
// an option without a value.
using Given = std::variant<std::string, bool, std::int64_t, double>;

// The value as a word: numbers in full, without an exponent, so that they read as the same numbers.
std::string text_of(const Given& given);

// What a field of a struct holds: T for T, std::optional<T> and std::vector<T>.
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

// Which values an option takes, for pages and programs.
struct Type {
    enum class Scalar { none, text, whole_number, number, length };
    Scalar scalar = Scalar::text;
    std::vector<std::string> words = {};       // these, too; with `none`, only these
    std::optional<Scalar> key = std::nullopt;  // values are KEY=VALUE,...; this is the kind of the keys
};

// The value of an option: what the help calls it, and what reads it. The functions below make one for a field of a
// struct, which must live as long as the options.
class Value {
 public:
    // `read` takes the word of the user.
    // Throws: `read` may throw UsageError, which Options begins with the name of the option.
    Value(std::string placeholder, std::function<void(const std::string&)> read, Type type = {})
        : placeholder_(std::move(placeholder)), read_(std::move(read)), type_(std::move(type)) {}

    // The user must give the option.
    Value& required() {
        required_ = true;
        return *this;
    }

    // The option has this value if the user does not give it. The help shows it.
    Value& otherwise(const std::string& text) {
        read_(text);
        default_ = text;
        return *this;
    }

    // The same with the value that the field has now: that of its declaration.
    Value& otherwise_as_declared() {
        assert(shown_field_);
        default_ = shown_field_();
        return *this;
    }

    // The user may repeat the option. Holds for every field that is a vector.
    Value& repeatable() {
        repeatable_ = true;
        return *this;
    }

    // On a command line, the option takes all arguments up to the next option, and at least one.
    Value& multitoken() {
        multitoken_ = true;
        return *this;
    }

    // `show` writes the value of the field as users do.
    Value& shown_by(std::function<std::string()> show) {
        shown_field_ = std::move(show);
        return *this;
    }

    // `add` takes the key and the value of an entry, where words are entries KEY=VALUE.
    Value& adding_entries_by(std::function<void(const std::string&, const std::string&)> add) {
        add_entry_ = std::move(add);
        return *this;
    }

    void read(const std::string& text) const { read_(text); }
    // Throws: UsageError if values are not entries; what read() throws.
    void add_entry(const std::string& key, const std::string& value) const {
        refuse_if(!add_entry_, "expected a value, found a dict");
        add_entry_(key, value);
    }

    const std::string& placeholder() const { return placeholder_; }
    const std::string& default_text() const { return default_; }  // empty: none
    const Type& type() const { return type_; }
    bool is_required() const { return required_; }
    bool is_repeatable() const { return repeatable_; }
    bool is_multitoken() const { return multitoken_; }

 private:
    std::string placeholder_;
    std::function<void(const std::string&)> read_;
    std::function<void(const std::string&, const std::string&)> add_entry_;
    std::function<std::string()> shown_field_;
    Type type_;
    std::string default_;
    bool required_ = false;
    bool repeatable_ = false;
    bool multitoken_ = false;
};

// The value that `read` makes of the word.
// Throws: `read` may throw UsageError, without the name of the option.
template <class Field, class Read>
Value value(Field& field, const std::string& placeholder, Read read, Type type = {}) {
    if constexpr (Held<Field>::several) {
        const auto add = [&field, read](const std::string& text) { field.push_back(read(text)); };
        return Value(placeholder, add, std::move(type)).repeatable();
    } else {
        return {placeholder, [&field, read](const std::string& text) { field = read(text); }, std::move(type)};
    }
}

// As above. `parse` returns none for a wrong word. The error then names `expected`, such as "a number above 0".
template <class Field, class Parse>
Value value(Field& field, const std::string& placeholder, Parse parse, const std::string& expected, Type type = {}) {
    const auto read = [parse, expected](const std::string& text) {
        const auto parsed = parse(text);
        refuse_if(!parsed, "expected " + expected + ", found '" + text + "'");
        return *parsed;
    };
    return value(field, placeholder, read, std::move(type));
}

// The word itself.
template <class Field>
Value text(Field& field, const std::string& placeholder = "arg") {
    Value made = value(field, placeholder, [](const std::string& text) { return text; });
    if constexpr (std::same_as<Field, std::string>) {
        made.shown_by([&field] { return field; });
    }
    return made;
}

// A number from `least` to `most`. `unit` follows them in the error.
template <class Field>
Value number(Field& field, const std::string& placeholder,
             HeldBy<Field> least = std::numeric_limits<HeldBy<Field>>::lowest(),
             HeldBy<Field> most = std::numeric_limits<HeldBy<Field>>::max(), const std::string& unit = "") {
    using Number = HeldBy<Field>;
    constexpr bool is_whole = std::integral<Number>;
    const auto shown = [](Number number) {
        if constexpr (is_whole) {
            return std::to_string(number);
        } else {
            return text_of(number);
        }
    };
    const std::string expected =
        (is_whole ? "a whole number from " : "a number from ") + shown(least) + " to " + shown(most) + unit;
    const auto parse = [least, most](const std::string& text) {
        const auto parsed = number_in<Number>(text);
        return parsed && *parsed >= least && *parsed <= most ? parsed : std::nullopt;
    };
    Value made =
        value(field, placeholder, parse, expected, {is_whole ? Type::Scalar::whole_number : Type::Scalar::number});
    if constexpr (std::same_as<Field, Number>) {
        made.shown_by([&field, shown] { return shown(field); });
    }
    return made;
}

// The number from `least` to `most` that `text` is exactly. None for another text.
std::optional<Decimal> decimal_in(const std::string& text, const char* least, const char* most);

// As above, for a factor.
// Throws: UsageError for a number of more than six decimals, which a Decimal would round.
std::optional<Decimal> factor_in(const std::string& text, const char* least, const char* most);

// The length of time that `text` gives: seconds, or a number with a unit, from `least` to `most`.
// Throws: UsageError, without the name of the option.
Duration read_length(const std::string& text, std::optional<Duration> least = {}, std::optional<Duration> most = {});

// A length of time. A field of type Time gets the instant that is this long after the clock's zero.
template <class Field>
Value length(Field& field, const std::string& placeholder, std::optional<Duration> least = {},
             std::optional<Duration> most = {}) {
    const auto read = [least, most](const std::string& text) {
        const Duration length = read_length(text, least, most);
        if constexpr (std::same_as<HeldBy<Field>, Time>) {
            return Time::at(length);
        } else {
            return length;
        }
    };
    Value made = value(field, placeholder, read, {Type::Scalar::length});
    if constexpr (std::same_as<Field, Duration>) {
        made.shown_by([&field] { return field.to_shortest_string(); });
    }
    return made;
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
    refuse_if(found == words.end(), unknown_name(kind, word, names_of(words)));
    return found->second;
}

// One of the words.
template <class Field>
Value word(Field& field, const std::string& placeholder, const Words<HeldBy<Field>>& words,
           const std::string& kind = "value") {
    const auto read = [words, kind](const std::string& word) { return meaning_of(word, words, kind); };
    Value made = value(field, placeholder, read, {Type::Scalar::none, names_of(words)});
    if constexpr (std::same_as<Field, HeldBy<Field>>) {
        made.shown_by([&field, words] {
            return std::ranges::find(words, field, &Words<HeldBy<Field>>::value_type::second)->first;
        });
    }
    return made;
}

// Which = of an entry divides it: keys or values may have more of them.
enum class Divider { first, last };

// Entries KEY=VALUE with commas between them. The user may repeat the option. `add` takes the key and the value of one.
// The error for what is no entry names `expected`.
// Throws: `add` may throw UsageError, without the name of the option.
Value entries(const std::string& placeholder, const std::string& expected,
              const std::function<void(const std::string&, const std::string&)>& add, Type type,
              Divider divider = Divider::first);

}  // namespace batfill::options
