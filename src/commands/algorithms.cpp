#include <iostream>

#include <rapidjson/ostreamwrapper.h>
#include <rapidjson/prettywriter.h>

#include <batfill/algorithm.hpp>

#include "command.hpp"
#include "options.hpp"
#include "scheduler_argument.hpp"

namespace batfill::commands {

namespace {

void print_text(std::ostream& out) {
    for (const AlgorithmDescription* algorithm : registered_algorithms()) {
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

void print_json(std::ostream& out) {
    rapidjson::OStreamWrapper stream(out);
    rapidjson::PrettyWriter<rapidjson::OStreamWrapper> writer(stream);
    const auto text = [&](const char* key, const std::string& value) {
        writer.Key(key);
        writer.String(value);
    };
    writer.StartArray();
    for (const AlgorithmDescription* algorithm : registered_algorithms()) {
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

}  // namespace

int algorithms(const Arguments& arguments) {
    Options options;
    options.add("json", "as JSON");
    add_plugin_option(options);
    if (!options.parse(arguments, "batfill algorithms [--json] [--plugin FILE]...",
                       "Lists every algorithm with its parameters.")) {
        return 0;
    }
    load_plugins(options);
    if (options.given("json")) {
        print_json(std::cout);
    } else {
        print_text(std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
