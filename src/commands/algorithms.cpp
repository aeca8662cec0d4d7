#include <iostream>
#include <map>

#include <batfill/engine/algorithm.hpp>

#include "src/commands/inputs.hpp"
#include "src/support/json_writer.hpp"

namespace batfill::commands {

namespace {

using Descriptions = std::vector<const AlgorithmDescription*>;

std::string text_of(const Parameter& parameter) {
    const std::string values = parameter.choices.empty() ? parameter.type_name() : list_of(parameter.choices, "|");
    return "    -P " + parameter.name + '=' + values + "  " + parameter.description +
           (parameter.default_value.empty() ? " (off by default)" : " (default " + parameter.default_value + ")") +
           '\n';
}

// Prints the parameters that all algorithms share once, at the end, unless there is a single algorithm.
void print_text(const Descriptions& algorithms, std::ostream& out) {
    std::map<std::string, std::size_t> number;
    for (const AlgorithmDescription* algorithm : algorithms) {
        for (const Parameter& parameter : algorithm->parameters) {
            ++number[text_of(parameter)];
        }
    }
    const auto is_common = [&](const std::string& text) {
        return algorithms.size() > 1 && number[text] == algorithms.size();
    };
    std::string common;
    for (const AlgorithmDescription* algorithm : algorithms) {
        out << algorithm->name << "\n    " << algorithm->summary << "\n    paper: " << algorithm->paper << '\n';
        for (const Parameter& parameter : algorithm->parameters) {
            const std::string text = text_of(parameter);
            if (!is_common(text)) {
                out << text;
            } else if (algorithm == algorithms.front()) {
                common += text;
            }
        }
    }
    if (!common.empty()) {
        out << "  Every algorithm above also takes:\n" << common;
    }
}

void print_json(const Descriptions& algorithms, std::ostream& out) {
    JsonWriter json(4);
    json.objects(algorithms, [&](const AlgorithmDescription* algorithm) {
        json.key("name").text(algorithm->name);
        json.key("summary").text(algorithm->summary);
        json.key("paper").text(algorithm->paper);
        json.key("parameters").objects(algorithm->parameters, [&](const Parameter& parameter) {
            json.key("name").text(parameter.name);
            json.key("type").text(parameter.type_name());
            json.key("default");
            parameter.default_value.empty() ? json.raw("null") : json.text(parameter.default_value);
            json.key("description").text(parameter.description);
            json.member_if_any("choices", parameter.choices);
        });
    });
    out << json.written() << '\n';
}

}  // namespace

void algorithms(const Arguments& arguments) {
    std::vector<std::string> names;
    bool as_json = false;
    Options options;
    options.add_positional("names", text(names));
    options.group("Input");
    add_plugin_option(options);
    options.group("Output");
    options.add("json", as_json, "as JSON");
    parse(options, arguments,
          {"batfill algorithms [NAME]... [--json] [--plugin FILE]...",
           "Lists every algorithm with its parameters, or those that are named.",
           {"algorithms easy", "algorithms --json"}});
    Descriptions wanted;
    for (const std::string& name : names) {
        wanted.push_back(&find_algorithm(name));
    }
    if (wanted.empty()) {
        wanted = registered_algorithms();
    }
    as_json ? print_json(wanted, std::cout) : print_text(wanted, std::cout);
}

}  // namespace batfill::commands
