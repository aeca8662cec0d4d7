#include <iostream>

#include <rapidjson/ostreamwrapper.h>
#include <rapidjson/prettywriter.h>

#include <batfill/engine/algorithm.hpp>

#include "command.hpp"
#include "options.hpp"
#include "plugin_option.hpp"
#include "src/engine/named_scheduler.hpp"

namespace batfill::commands {

namespace {

using Descriptions = std::vector<const AlgorithmDescription*>;

void print_text(const Descriptions& algorithms, std::ostream& out) {
    for (const AlgorithmDescription* algorithm : algorithms) {
        out << algorithm->name << "\n    " << algorithm->summary << "\n    paper: " << algorithm->paper << '\n';
        for (const Parameter& parameter : algorithm->parameters) {
            out << "    -P " << parameter.name << '=';
            if (parameter.choices.empty()) {
                out << parameter.type_name();
            }
            for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
                out << (i == 0 ? "" : "|") << parameter.choices[i];
            }
            out << "  " << parameter.description
                << (parameter.default_value.empty() ? " (off by default)"
                                                    : " (default " + parameter.default_value + ")")
                << '\n';
        }
    }
}

void print_json(const Descriptions& algorithms, std::ostream& out) {
    rapidjson::OStreamWrapper stream(out);
    rapidjson::PrettyWriter<rapidjson::OStreamWrapper> writer(stream);
    const auto text = [&](const char* key, const std::string& value) {
        writer.Key(key);
        writer.String(value);
    };
    writer.StartArray();
    for (const AlgorithmDescription* algorithm : algorithms) {
        writer.StartObject();
        text("name", algorithm->name);
        text("summary", algorithm->summary);
        text("paper", algorithm->paper);
        writer.Key("parameters");
        writer.StartArray();
        for (const Parameter& parameter : algorithm->parameters) {
            writer.StartObject();
            text("name", parameter.name);
            text("type", parameter.type_name());
            writer.Key("default");
            if (parameter.default_value.empty()) {
                writer.Null();
            } else {
                writer.String(parameter.default_value);
            }
            text("description", parameter.description);
            if (!parameter.choices.empty()) {
                writer.Key("choices");
                writer.StartArray();
                for (const std::string& choice : parameter.choices) {
                    writer.String(choice);
                }
                writer.EndArray();
            }
            writer.EndObject();
        }
        writer.EndArray();
        writer.EndObject();
    }
    writer.EndArray();
    out << '\n';
}

// Those that the user names, in the order given; all if none is named.
Descriptions wanted_algorithms(const Options& options) {
    Descriptions wanted;
    for (const std::string& name : options.get<std::vector<std::string>>("names")) {
        wanted.push_back(&find_algorithm(name));
    }
    return wanted.empty() ? registered_algorithms() : wanted;
}

}  // namespace

int algorithms(const Arguments& arguments) {
    Options options;
    options.add_positional("names", Value<std::vector<std::string>>());
    options.add("json", "as JSON");
    add_plugin_option(options);
    if (!options.parse(arguments, "batfill algorithms [NAME]... [--json] [--plugin FILE]...",
                       "Lists every algorithm with its parameters, or those that are named.")) {
        return 0;
    }
    load_plugins(options);
    if (options.given("json")) {
        print_json(wanted_algorithms(options), std::cout);
    } else {
        print_text(wanted_algorithms(options), std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
