#include "command.hpp"

#include <iostream>

#include <batfill/error.hpp>

namespace batfill::commands {

namespace po = boost::program_options;

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
        po::store(po::command_line_parser(arguments).options(all).positional(positional).run(), values);
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

}  // namespace batfill::commands
