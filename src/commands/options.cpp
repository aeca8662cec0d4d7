#include "options.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iostream>
#include <limits>
#include <optional>
#include <type_traits>
#include <typeinfo>

#include <boost/program_options.hpp>

#include <batfill/core/error.hpp>

#include "src/support/names.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;

bool takes_unsigned_number(const po::option_description& option) {
    const auto* const semantic = dynamic_cast<const po::typed_value_base*>(option.semantic().get());
    if (semantic == nullptr) {
        return false;
    }
    const std::type_info& type = semantic->value_type();
    return type == typeid(unsigned) || type == typeid(std::uint64_t);
}

// Describes the numbers of the option's type, for a message; empty if it takes no number.
std::string expected_number(const po::option_description& option) {
    const auto* const semantic = dynamic_cast<const po::typed_value_base*>(option.semantic().get());
    const auto whole = [](auto least, auto most) {
        return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    };
    const std::type_info& type = semantic == nullptr ? typeid(void) : semantic->value_type();
    if (type == typeid(int)) {
        return whole(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    }
    if (type == typeid(unsigned)) {
        return whole(0, std::numeric_limits<unsigned>::max());
    }
    if (type == typeid(std::uint64_t)) {
        return whole(0, std::numeric_limits<std::uint64_t>::max());
    }
    if (type == typeid(std::vector<long long>)) {
        return whole(std::numeric_limits<long long>::min(), std::numeric_limits<long long>::max());
    }
    return type == typeid(double) ? "a number" : "";
}

// Explains what is wrong with a command line; uses Boost's text where that suffices.
std::string explanation_of(const po::error& problem, const po::options_description& options) {
    if (const auto* const unknown = dynamic_cast<const po::unknown_option*>(&problem)) {
        std::vector<std::string> names;
        for (const auto& option : options.options()) {
            names.push_back("--" + option->long_name());
        }
        std::string name = unknown->get_option_name();
        name.resize(std::min(name.find('='), name.size()));
        auto nearest = nearest_name(name, names);
        const auto begins_so = [&](const std::string& known) { return known.starts_with(name); };
        if (std::count_if(names.begin(), names.end(), begins_so) == 1) {
            nearest = *std::find_if(names.begin(), names.end(), begins_so);
        }
        return problem.what() + (nearest ? ", did you mean '" + *nearest + "'?" : "");
    }
    if (const auto* const invalid = dynamic_cast<const po::validation_error*>(&problem)) {
        const std::string name = invalid->get_option_name();
        const po::option_description* const option =
            options.find_nothrow(name.substr(std::min(name.find_first_not_of('-'), name.size())), false);
        const std::string expected = option == nullptr ? "" : expected_number(*option);
        return problem.what() + (expected.empty() ? "" : ", expected " + expected);
    }
    return problem.what();
}

// Boost would take -1 for the largest number of the type.
void refuse_negative_numbers(const po::parsed_options& parsed, const po::options_description& options) {
    for (const po::option& given : parsed.options) {
        const po::option_description* const option = options.find_nothrow(given.string_key, true);
        if (option == nullptr || !takes_unsigned_number(*option)) {
            continue;
        }
        for (const std::string& value : given.value) {
            if (value.find('-') != std::string::npos) {
                throw UsageError("--" + option->long_name() + ": expected a whole number from 0, found '" + value +
                                 "'");
            }
        }
    }
}

}  // namespace

struct Options::State {
    po::options_description all;
    std::vector<po::options_description> groups{po::options_description("Options")};  // in the help
    po::positional_options_description positional;
    po::variables_map values;

    // Adds to the help the option that was declared last.
    void show_last() { groups.back().add(all.options().back()); }

    // What the help shows: all options but the positional ones.
    po::options_description visible() const {
        po::options_description visible;
        for (const po::options_description& group : groups) {
            if (!group.options().empty()) {
                visible.add(group);
            }
        }
        return visible;
    }

    // Boost's description of a value, which option_description takes over.
    template <class T>
    static po::typed_value<T>* description_of(const Value<T>& value) {
        auto* const description = po::value<T>()->value_name(value.name_);
        if (value.required_) {
            description->required();
        }
        if constexpr (is_vector<T>) {
            assert(!value.otherwise_);
            if (value.multitoken_) {
                description->multitoken();
            }
        } else {
            assert(!value.multitoken_);
            if (value.otherwise_) {
                description->default_value(*value.otherwise_);
            }
        }
        return description;
    }

    // The value of a declared option; empty if it has none.
    const po::variable_value& value(const std::string& name) const {
        assert(all.find_nothrow(name, false) != nullptr);
        return values[name];
    }
};

Options::Options() : state_(std::make_unique<State>()) {}

Options::~Options() = default;

void Options::group(const std::string& title) {
    state_->groups.emplace_back(title);
}

void Options::add(const std::string& names, const std::string& help) {
    state_->all.add_options()(names.c_str(), help.c_str());
    state_->show_last();
}

template <class T>
void Options::add(const std::string& names, const Value<T>& value, const std::string& help) {
    state_->all.add_options()(names.c_str(), State::description_of(value), help.c_str());
    state_->show_last();
}

template <class T>
void Options::add_positional(const std::string& name, const Value<T>& value) {
    state_->all.add_options()(name.c_str(), State::description_of(value));
    state_->positional.add(name.c_str(), is_vector<T> ? -1 : 1);
}

bool Options::parse(const std::vector<std::string>& arguments, const std::string& usage, const std::string& summary,
                    const std::array<const char*, 2>& examples, OptionsFrom origin) {
    group("Help");
    add("help,h", "print this help");
    try {
        using namespace po::command_line_style;
        const int style = origin == OptionsFrom::file ? unix_style & ~allow_guessing : unix_style;
        const po::parsed_options parsed =
            po::command_line_parser(arguments).options(state_->all).positional(state_->positional).style(style).run();
        refuse_negative_numbers(parsed, state_->all);
        po::store(parsed, state_->values);
        if (given("help")) {
            if (origin == OptionsFrom::file) {
                throw UsageError("--help prints the options of a command and makes nothing, expected no help here");
            }
            std::cout << "Usage: " << usage << "\n\n" << summary << '\n';
            std::cout << state_->visible() << "\nExamples:\n";
            for (const char* example : examples) {
                std::cout << "  batfill " << example << '\n';
            }
            return false;
        }
        po::notify(state_->values);
    } catch (const po::error& problem) {
        throw UsageError(explanation_of(problem, state_->visible()) + " (usage: " + usage + ")");
    }
    return true;
}

bool Options::given(const std::string& name) const {
    const po::variable_value& value = state_->value(name);
    return !value.empty() && !value.defaulted();
}

template <class T>
T Options::get(const std::string& name) const {
    const po::variable_value& value = state_->value(name);
    if constexpr (!std::is_arithmetic_v<T>) {
        if (value.empty()) {
            return T();
        }
    }
    return value.as<T>();
}

// For the types that Value lists.
template void Options::add(const std::string&, const Value<std::string>&, const std::string&);
template void Options::add(const std::string&, const Value<int>&, const std::string&);
template void Options::add(const std::string&, const Value<unsigned>&, const std::string&);
template void Options::add(const std::string&, const Value<std::uint64_t>&, const std::string&);
template void Options::add(const std::string&, const Value<double>&, const std::string&);
template void Options::add(const std::string&, const Value<std::vector<std::string>>&, const std::string&);
template void Options::add(const std::string&, const Value<std::vector<long long>>&, const std::string&);
template void Options::add_positional(const std::string&, const Value<std::string>&);
template void Options::add_positional(const std::string&, const Value<std::vector<std::string>>&);
template std::string Options::get(const std::string&) const;
template int Options::get(const std::string&) const;
template unsigned Options::get(const std::string&) const;
template std::uint64_t Options::get(const std::string&) const;
template double Options::get(const std::string&) const;
template std::vector<std::string> Options::get(const std::string&) const;
template std::vector<long long> Options::get(const std::string&) const;

}  // namespace batfill::commands
