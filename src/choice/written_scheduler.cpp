#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <span>

#include <batfill/choice/written_scheduler.hpp>
#include <batfill/core/error.hpp>

#include "src/choice/named_scheduler.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

// Errors may show names and values, and an error is one line.
std::string checked(std::string text) {
    constexpr std::size_t max_length = 1000;
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    refuse_if(text.size() > max_length || std::any_of(text.begin(), text.end(), is_control),
              "scheduler configuration: a name or value has control characters or more than ",
              std::to_string(max_length), " characters");
    return text;
}

std::string scalar_text(const JsonValue& value) {
    std::string text;
    if (value.IsString()) {
        text = view(value);
    } else {
        append_exact_json(value, text);
    }
    return text;
}

std::string parameter_text(const std::string& name, const JsonValue& value) {
    const auto is_scalar = [](const JsonValue& v) { return v.IsString() || v.IsNumber() || v.IsBool(); };
    if (is_scalar(value)) {
        return scalar_text(value);
    }
    std::string list;
    if (value.IsArray() && std::all_of(value.Begin(), value.End(), is_scalar)) {
        for (const auto& element : value.GetArray()) {
            list += (list.empty() ? "" : ",") + scalar_text(element);
        }
    }
    refuse_if(list.empty(), "scheduler configuration: parameter ", name,
              " is neither a string, a number, a boolean nor a list of these");
    return list;
}

void require_once(const Parameters::Given& given) {
    for (auto one = given.begin(); one != given.end(); ++one) {
        const auto is_same = [&](const auto& other) { return other.first == one->first; };
        refuse_if(std::any_of(std::next(one), given.end(), is_same), "parameter ", one->first,
                  " is written twice: expected it once");
    }
}

}  // namespace

WrittenScheduler parse_scheduler(const std::string& text) {
    const std::vector<std::string_view> pieces = split(text, ',');
    WrittenScheduler choice;
    choice.algorithm = pieces.front();
    for (const std::string_view piece : std::span(pieces).subspan(1)) {
        if (choice.parameters.empty() || piece.find('=') != std::string_view::npos) {
            choice.parameters.push_back(parse_assignment(std::string(piece)));
        } else {
            choice.parameters.back().second.append(",").append(piece);
        }
    }
    require_once(choice.parameters);
    return choice;
}

void add_parameters(WrittenScheduler& scheduler, const Parameters::Given& more, const std::string& where) {
    for (const auto& [name, value] : more) {
        if (std::ranges::find(scheduler.parameters, name, &Parameters::Given::value_type::first) !=
            scheduler.parameters.end()) {
            std::string problem = "parameter ";
            problem.append(name).append(" is written with the algorithm and in ").append(where);
            throw UsageError(problem.append(": expected it once"));
        }
    }
    require_once(more);
    scheduler.parameters.insert(scheduler.parameters.end(), more.begin(), more.end());
}

WrittenScheduler parse_scheduler_configuration(const std::string& configuration) {
    WrittenScheduler choice;
    if (configuration.empty()) {
        return choice;
    }
    JsonReader reader;
    const JsonValue* json = nullptr;
    try {
        json = &reader.parse(configuration);
    } catch (const InputError& problem) {
        choice.problem = problem.what();
        return choice;
    }
    const JsonValue& document = *json;
    if (!document.IsObject()) {
        choice.problem = "it is not a JSON object";
        return choice;
    }
    if (document.HasMember("algorithm") || document.HasMember("params")) {
        for (const auto& member : document.GetObject()) {
            if (const std::string name(view(member.name)); name != "algorithm" && name != "params") {
                throw UsageError("scheduler configuration: " + unknown_name("member", name, {"algorithm", "params"}));
            }
        }
    }
    if (document.HasMember("algorithm")) {
        const JsonValue& algorithm = document["algorithm"];
        refuse_if(!algorithm.IsString(), "scheduler configuration: \"algorithm\" is not a string");
        choice = parse_scheduler(checked(std::string(view(algorithm))));
    }
    if (document.HasMember("params")) {
        const JsonValue& parameters = document["params"];
        refuse_if(!parameters.IsObject(), "scheduler configuration: \"params\" is not an object");
        Parameters::Given given;
        for (const auto& member : parameters.GetObject()) {
            const std::string name = checked(std::string(view(member.name)));
            given.emplace_back(name, checked(parameter_text(name, member.value)));
        }
        add_parameters(choice, given, "\"params\"");
    }
    return choice;
}

SchedulerChoice choice_of(const WrittenScheduler& written) {
    return written.own ? SchedulerChoice(written.own, written.parameters)
                       : SchedulerChoice(written.algorithm, written.parameters);
}

SchedulerChoice combine(const WrittenScheduler& command_line, const WrittenScheduler& configuration,
                        const std::string& how) {
    WrittenScheduler written = command_line;
    if (written.algorithm.empty()) {
        written.algorithm = configuration.algorithm;
    }
    refuse_if(
        written.algorithm.empty(), "no algorithm named (", how, "), known: ", known_algorithms(),
        (configuration.problem.empty() ? "" : "; the scheduler configuration names none: " + configuration.problem));
    if (configuration.algorithm.empty() || configuration.algorithm == written.algorithm) {
        written.parameters.insert(written.parameters.begin(), configuration.parameters.begin(),
                                  configuration.parameters.end());
    }
    return choice_of(written);
}

namespace {

constexpr std::size_t max_scheduler_size = std::size_t{1} << 20;

WrittenScheduler read_policy_file(const std::string& path) {
    WrittenScheduler choice;
    try {
        choice = parse_scheduler_configuration(InputFile(path).read_all(max_scheduler_size));
    } catch (const UsageError& problem) {
        throw InputError(path + ": " + problem.what());
    }
    refuse_if<InputError>(choice.algorithm.empty(), path,
                          R"(: expected {"algorithm": NAME, "params": {KEY: VALUE, ...}})");
    return choice;
}

bool is_policy_file(const std::string& argument) {
    return argument.ends_with(".json");
}

WrittenScheduler parse(const std::string& argument) {
    if (is_policy_file(argument)) {
        return read_policy_file(argument);
    }
    return parse_scheduler(argument);
}

}  // namespace

WrittenScheduler read_choice(const std::string& algorithm, const std::vector<std::string>& parameters) {
    WrittenScheduler choice = parse(algorithm);
    Parameters::Given more;
    for (const std::string& parameter : parameters) {
        if (!is_policy_file(parameter) || parameter.find('=') != std::string::npos) {
            more.push_back(parse_assignment(parameter));
            continue;
        }
        const WrittenScheduler file = read_policy_file(parameter);
        refuse_if(!choice.algorithm.empty() && choice.algorithm != file.algorithm, "-P ", parameter,
                  ": it is of algorithm ", file.algorithm, ", and ", choice.algorithm, " is chosen");
        choice.algorithm = file.algorithm;
        more.insert(more.end(), file.parameters.begin(), file.parameters.end());
    }
    if (is_policy_file(algorithm)) {
        choice.parameters.insert(choice.parameters.end(), more.begin(), more.end());
    } else {
        add_parameters(choice, more, "-P");
    }
    return choice;
}

NamedScheduler read_scheduler(const std::string& argument) {
    return {is_policy_file(argument) ? std::filesystem::path(argument).stem().string() : argument,
            choice_of(parse(argument))};
}

}  // namespace batfill
