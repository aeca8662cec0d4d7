#include "command.hpp"

#include <iostream>
#include <string>
#include <typeinfo>

#include <batfill/error.hpp>

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

bool takes_unsigned_number(const po::option_description& option) {
    const auto* const semantic = dynamic_cast<const po::typed_value_base*>(option.semantic().get());
    if (semantic == nullptr) {
        return false;
    }
    const std::type_info& type = semantic->value_type();
    return type == typeid(unsigned) || type == typeid(unsigned long) || type == typeid(unsigned long long);
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

bool parse(const Arguments& arguments, const std::string& usage, const std::string& summary,
           const po::options_description& options, const po::positional_options_description& positional,
           po::variables_map& values) {
    po::options_description all = options;
    // The usage line describes positional arguments; the list below it has only what starts with a dash.
    po::options_description visible("Options");
    for (const auto& option : options.options()) {
        const std::string& name = option->long_name();
        bool is_positional = false;
        for (unsigned i = 0; i < positional.max_total_count() && i < 64 && !is_positional; ++i) {
            is_positional = positional.name_for_position(i) == name;
        }
        if (!is_positional) {
            visible.add(option);
        }
    }
    all.add_options()("help,h", "print this help");
    visible.add_options()("help,h", "print this help");
    try {
        const po::parsed_options parsed = po::command_line_parser(arguments).options(all).positional(positional).run();
        refuse_negative_numbers(parsed, all);
        po::store(parsed, values);
        if (values.count("help") != 0) {
            std::cout << "Usage: " << usage << "\n\n" << summary << "\n\n" << visible;
            return false;
        }
        po::notify(values);
    } catch (const po::error& problem) {
        throw UsageError(std::string(problem.what()) + " (usage: " + usage + ")");
    }
    return true;
}

std::string command_line(const Arguments& arguments) {
    constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
    std::string line;
    for (const std::string& argument : arguments) {
        line += line.empty() ? "" : " ";
        if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument) {
            line += c == '\'' ? "'\\''" : std::string(1, c);
        }
        line += '\'';
    }
    return one_line(line);
}

}  // namespace batfill::commands
