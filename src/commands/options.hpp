#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace batfill::commands {

// Describes the value that an option takes. Every function returns the description, to be chained.
// T is one of std::string, int, unsigned, std::uint64_t, double, std::vector<std::string> and std::vector<long long>.
// Users may repeat an option whose T is a vector, and no other.
template <class T>
class Value {
 public:
    // `name` stands for the value in the help.
    explicit Value(std::string name = "arg") : name_(std::move(name)) {}

    // The user must give the option.
    Value& required() {
        required_ = true;
        return *this;
    }

    // The option has this value if the user does not give it. The help shows the value, unless it is empty.
    // Requires: T is not a vector.
    Value& otherwise(T value) {
        otherwise_ = std::move(value);
        return *this;
    }

    // The option takes all arguments up to the next option, and at least one.
    // Requires: T is a vector.
    Value& multitoken() {
        multitoken_ = true;
        return *this;
    }

 private:
    friend class Options;

    std::string name_;
    std::optional<T> otherwise_;
    bool required_ = false;
    bool multitoken_ = false;
};

// Where options come from. On a command line, users may cut a name short to what only that one begins with (--spli for
// --split), and ask for help. In a file that somebody keeps, names are whole, and --help is an error.
enum class OptionsFrom { command_line, file };

// The options of one command, which declares them, parses the command line, and then reads them.
class Options {
 public:
    Options();
    ~Options();
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;

    // Begins a group of options, which the help shows under `title`. Without a group, options stand under "Options".
    void group(const std::string& title);

    // Declares an option without a value. `names` is its name, or "NAME,L" with its short name, the letter L. The help
    // lists the options in the order of their declarations, and --help after them.
    // Requires: no other option has one of these names. "help,h" is taken.
    void add(const std::string& names, const std::string& help);

    // As above, for an option with a value.
    template <class T>
    void add(const std::string& names, const Value<T>& value, const std::string& help);

    // Declares an option whose value the user may give without its name: one argument if T is std::string, all that are
    // left if T is std::vector<std::string>. Positional options take the arguments in the order of their declarations.
    // The help does not list them: the usage line shows them.
    // Requires: no other option has this name.
    template <class T>
    void add_positional(const std::string& name, const Value<T>& value);

    // Parses the arguments of the command, among them --help. `usage` is the text after "Usage: ", `summary` the
    // paragraph below it. The help ends with the two examples: the text after "batfill ". Returns false after printing
    // the help on the standard output; the command then returns 0. Requires: all options are declared, and nothing has
    // been parsed yet. Throws: UsageError for an unknown, repeated, missing or mistyped option. A negative number is
    // mistyped if the option's type is unsigned.
    bool parse(const std::vector<std::string>& arguments, const std::string& usage, const std::string& summary,
               const std::array<const char*, 2>& examples, OptionsFrom origin = OptionsFrom::command_line);

    // Returns whether the user gave the option; false if it only has the value that Value::otherwise() sets.
    // Requires: parse() has returned true, and the option is declared.
    bool given(const std::string& name) const;

    // Returns the value that the user gave; else the one that Value::otherwise() sets; else an empty string or vector.
    // Requires: parse() has returned true, and the option is declared with Value<T>. If T is a number, the option is
    // given, or has a value by Value::required() or Value::otherwise().
    template <class T>
    T get(const std::string& name) const;

 private:
    struct State;

    std::unique_ptr<State> state_;
};

}  // namespace batfill::commands
