#include "src/commands/parse.hpp"

#include <algorithm>
#include <iostream>
#include <list>

#include <boost/program_options.hpp>

#include "src/commands/command.hpp"
#include "src/support/json_writer.hpp"

namespace batfill::commands {

namespace {

namespace po = boost::program_options;

constexpr const char* help_for_programs = "--help=json";

// Boost's description of an option.
void describe(const Option& option, const std::string& help, po::options_description& description) {
    if (!option.value) {
        description.add_options()(option.names.c_str(), help.c_str());
        return;
    }
    const std::string& shown = option.value->default_text();
    auto* const value = po::value<std::vector<std::string>>();
    value->value_name(option.value->placeholder() + (shown.empty() ? "" : " (=" + shown + ")"));
    if (option.value->is_multitoken()) {
        value->multitoken();
    }
    description.add_options()(option.names.c_str(), value, help.c_str());
}

// Explains what is wrong with a command line: Boost's text, and the nearest name for an unknown one.
std::string explanation_of(const po::error& problem, const Options& options) {
    const auto* const unknown = dynamic_cast<const po::unknown_option*>(&problem);
    if (unknown == nullptr) {
        return problem.what();
    }
    std::vector<std::string> names{"--help"};
    for (const Option& option : options.all()) {
        if (!option.is_positional) {
            names.push_back("--" + option.name());
        }
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

void print_help(const Options& options, const Help& help) {
    std::cout << "Usage: " << help.usage << "\n\n" << help.summary << '\n';
    using Group = std::pair<std::string, po::options_description>;
    std::list<Group> groups;  // descriptions cannot be moved
    for (const Option& option : options.all()) {
        if (option.is_positional) {
            continue;
        }
        auto group = std::ranges::find(groups, option.group, &Group::first);
        if (group == groups.end()) {
            group = groups.emplace(groups.end(), option.group, po::options_description(option.group));
        }
        describe(option, option.help, group->second);
    }
    po::options_description all;
    for (const auto& [title, group] : groups) {
        all.add(group);
    }
    po::options_description of_help("Help");
    of_help.add_options()("help,h", "print this help");
    std::cout << all.add(of_help) << "\nExamples:\n";
    for (const char* example : help.examples) {
        std::cout << "  batfill " << example << '\n';
    }
}

const char* name_of(Type::Scalar scalar) {
    constexpr std::array<const char*, 5> names{"none", "text", "whole number", "number", "length of time"};
    return names.at(static_cast<std::size_t>(scalar));
}

void print_for_programs(const Options& options, const Help& help) {
    JsonWriter json(2);
    json.open_object();
    json.key("usage").text(help.usage);
    json.key("options").objects(options.all(), [&](const Option& option) {
        json.key("name").text(option.name());
        if (const std::size_t letter = option.names.rfind(','); letter + 2 == option.names.size()) {
            json.key("letter").text(option.names.substr(letter + 1));
        }
        json.key("keyword").text(option.keyword.substr(0, option.keyword.find(',')));
        json.key("positional").boolean(option.is_positional);
        json.key("group").text(option.group);
        json.key("help").text(option.help);
        if (option.value) {
            const Type& type = option.value->type();
            json.key("value").text(option.value->placeholder());
            json.key("type").text(name_of(type.scalar));
            json.key("words").texts(type.words);
            if (type.key) {
                json.key("entries by").text(name_of(*type.key));
            }
            json.key("default").text(option.value->default_text());
            json.key("required").boolean(option.value->is_required());
            json.key("repeatable").boolean(option.value->is_repeatable());
        }
    });
    json.close_object();
    std::cout << json.written() << '\n';
}

}  // namespace

void parse(Options& options, const Arguments& arguments, const Help& help) {
    if (arguments == Arguments{help_for_programs}) {
        print_for_programs(options, help);
        throw Ended{0};
    }
    po::options_description known;
    po::positional_options_description positional;
    for (const Option& option : options.all()) {
        describe(option, "", known);
        if (option.is_positional) {
            positional.add(option.names.c_str(), option.value->is_repeatable() ? -1 : 1);
        }
    }
    known.add_options()("help,h", "");
    try {
        const auto parsed = po::command_line_parser(arguments).options(known).positional(positional).run();
        const auto asks_help = [](const auto& option) { return option.string_key == "help"; };
        if (std::ranges::any_of(parsed.options, asks_help)) {
            print_help(options, help);
            throw Ended{0};
        }
        for (const auto& option : parsed.options) {
            if (option.value.empty()) {
                options.set(option.string_key, true);
            }
            for (const std::string& word : option.value) {
                options.set(option.string_key, word);
            }
        }
    } catch (const po::error& problem) {
        throw UsageError(explanation_of(problem, options) + " (usage: " + help.usage + ")");
    }
    const std::string missing = options.missing();
    refuse_if(!missing.empty(), missing + " (usage: " + help.usage + ")");
    options.finish();
}

}  // namespace batfill::commands
