#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/options/values.hpp"

namespace batfill::options {

// An option and its value, as a file has it. Without a value, the option is given alone.
struct Setting {
    std::string name;
    std::optional<std::string> value;
};
using Settings = std::vector<Setting>;

// The settings as arguments of a command: --NAME=VALUE, or --NAME.
std::vector<std::string> arguments_of(const Settings& settings);

// Where the values come from. Errors name options as their users write them: --time-zone, time-zone as a key of a file,
// or time_zone as a keyword of a call.
enum class Writing { arguments, keys, keywords };

// One option. All that help, pages, completions and other languages say of it comes from here.
struct Option {
    std::string names;    // "NAME", "NAME,L" with the letter L as a short name, "NAME,OTHER,L" with another name
    std::string keyword;  // the name as a keyword of calls; several with commas, the first in errors; none: not there
    std::string group;    // title above it in the help
    std::string help;
    std::optional<Value> value;  // none: the option has no value
    bool* flag = nullptr;        // of an option without a value: what it sets, if anything
    bool is_positional = false;  // users may leave out the name
    bool is_given = false;

    std::string name() const { return names.substr(0, names.find(',')); }

    // Calls name the option by this keyword instead: it is a word of the language, or says more there.
    void called(std::string name) { keyword = std::move(name); }
    // It is about files that a command writes: calls do not have it.
    void not_in_calls() { keyword.clear(); }
};

// Options with the fields that their values go to.
class Options {
 public:
    explicit Options(Writing writing = Writing::arguments) : writing_(writing) {}
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;

    // Begins a group of options, which the help shows under `title`. Without a group, options stand under "Options".
    void group(const std::string& title) { group_ = title; }

    // Declares an option. `names` is as in Option. The help lists the options in the order of their declarations.
    // Requires: no other option has one of these names. "help,h" is taken.
    Option& add(const std::string& names, const Value& value, const std::string& help);

    // As above, for an option without a value, which sets `flag` or has no field.
    Option& add(const std::string& names, bool& flag, const std::string& help);
    Option& add(const std::string& names, const std::string& help);

    // Declares an option whose value the user of a command line gives without its name: one argument, or all that are
    // left if the value is repeatable. Positional options take the arguments in the order of their declarations. The
    // help does not list them: the usage line shows them. Errors do not name them.
    // Requires: no other option has this name.
    void add_positional(const std::string& name, const Value& value);

    // Declares a rule between options. finish() calls `check` once all fields are filled.
    void add_rule(std::function<void()> check) { rules_.push_back(std::move(check)); }

    // Gives an option its value. `name` is whole: the long name, or a keyword in calls.
    // Throws: UsageError for an unknown or repeated option, and for a value that it does not take.
    void set(const std::string& name, const Given& given);
    void set(const Settings& settings);
    // As above, for an option whose value has entries: adds one.
    void set_entry(const std::string& name, const Given& key, const Given& value);

    // What is missing of the required options, for an error. Empty: nothing.
    std::string missing() const;

    // Whether the user may give several values. Throws: UsageError for an unknown option.
    bool takes_several(const std::string& name) {
        const Option& option = option_called(name);
        return option.value && option.value->is_repeatable();
    }

    // Checks that all required options are given, and the rules between options. To be called once, after all values.
    // Throws: UsageError; what a rule throws.
    void finish() const;

    // Returns whether the user gave the option; false if it only has the value that Value::otherwise() sets.
    // Requires: the option is declared.
    bool given(const std::string& name) const;

    // The option as the user writes it: --NAME, or the keyword.
    // Requires: the option is declared.
    std::string written(const std::string& name) const;

    // In the order of their declarations.
    const std::deque<Option>& all() const { return options_; }

 private:
    Option& declare(Option option);
    const Option& find(const std::string& name) const;
    Option& option_called(const std::string& name);
    std::string written(const Option& option) const;
    void take(const Option& option, const Given& given) const;

    // Does the work. Begins its UsageError with the name of the option or argument.
    template <class Work>
    void at(const Option& option, Work work) const {
        try {
            work();
        } catch (const UsageError& problem) {
            throw UsageError((option.is_positional ? option.name() : written(option)) + ": " + problem.what());
        }
    }

    Writing writing_;
    std::string group_ = "Options";
    std::deque<Option> options_;  // references to them stay
    std::vector<std::function<void()>> rules_;
};

}  // namespace batfill::options
