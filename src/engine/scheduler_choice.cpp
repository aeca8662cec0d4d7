#include <batfill/scheduler_choice.hpp>

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <batfill/algorithm.hpp>
#include <batfill/error.hpp>

namespace batfill {

namespace {

std::string scalar_text(const rapidjson::Value& value) {
    if (value.IsString()) {
        return value.GetString();
    }
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
    return buffer.GetString();
}

std::string parameter_text(const std::string& name, const rapidjson::Value& value) {
    const auto is_scalar = [](const rapidjson::Value& v) { return v.IsString() || v.IsNumber() || v.IsBool(); };
    if (is_scalar(value)) {
        return scalar_text(value);
    }
    std::string list;
    if (value.IsArray()) {
        for (const auto& element : value.GetArray()) {
            if (!is_scalar(element)) {
                list.clear();
                break;
            }
            list += (list.empty() ? "" : ",") + scalar_text(element);
        }
    }
    if (list.empty()) {
        throw UsageError("scheduler configuration: parameter " + name +
                         " is neither a string, a number, a boolean nor a list of these");
    }
    return list;
}

}  // namespace

SchedulerChoice parse_scheduler_configuration(const std::string& configuration) {
    SchedulerChoice choice;
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(configuration);
    if (document.HasParseError() || !document.IsObject()) {
        return choice;
    }
    const auto algorithm = document.FindMember("algorithm");
    if (algorithm != document.MemberEnd()) {
        if (!algorithm->value.IsString()) {
            throw UsageError("scheduler configuration: \"algorithm\" is not a string");
        }
        choice.algorithm = algorithm->value.GetString();
    }
    const auto parameters = document.FindMember("params");
    if (parameters != document.MemberEnd()) {
        if (!parameters->value.IsObject()) {
            throw UsageError("scheduler configuration: \"params\" is not an object");
        }
        for (const auto& member : parameters->value.GetObject()) {
            const std::string name = member.name.GetString();
            choice.parameters.emplace_back(name, parameter_text(name, member.value));
        }
    }
    return choice;
}

SchedulerChoice combine(const SchedulerChoice& command_line, const SchedulerChoice& configuration) {
    SchedulerChoice choice = command_line;
    if (choice.algorithm.empty()) {
        choice.algorithm = configuration.algorithm;
    }
    if (choice.algorithm.empty()) {
        std::string known;
        for (const AlgorithmDescription* description : registered_algorithms()) {
            known += (known.empty() ? "" : ", ") + description->name;
        }
        throw UsageError("no algorithm named (-a NAME), known: " + known);
    }
    if (configuration.algorithm.empty() || configuration.algorithm == choice.algorithm) {
        choice.parameters = configuration.parameters;
        choice.parameters.insert(choice.parameters.end(), command_line.parameters.begin(),
                                 command_line.parameters.end());
    }
    return choice;
}

}  // namespace batfill
