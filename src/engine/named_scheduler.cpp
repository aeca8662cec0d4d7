#include "named_scheduler.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/parameters.hpp>

#include "src/support/files.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_scheduler_size = std::size_t{1} << 20;

SchedulerChoice read_file(const std::string& path) {
    SchedulerChoice choice;
    try {
        choice = parse_scheduler_configuration(InputFile(path).read_all(max_scheduler_size));
    } catch (const UsageError& problem) {
        throw InputError(path + ": " + problem.what());
    }
    if (choice.algorithm.empty()) {
        throw InputError(path + R"(: expected {"algorithm": NAME, "params": {KEY: VALUE, ...}})");
    }
    return choice;
}

bool is_policy_file(const std::string& argument) {
    return argument.ends_with(".json");
}

SchedulerChoice parse(const std::string& argument) {
    if (is_policy_file(argument)) {
        return read_file(argument);
    }
    SchedulerChoice choice;
    std::vector<std::string> assignments;
    std::size_t comma = argument.find(',');
    choice.algorithm = argument.substr(0, comma);
    while (comma != std::string::npos) {
        const std::size_t begin = comma + 1;
        comma = argument.find(',', begin);
        const std::string piece = argument.substr(begin, comma == std::string::npos ? comma : comma - begin);
        if (assignments.empty() || piece.find('=') != std::string::npos) {
            assignments.push_back(piece);
        } else {
            assignments.back() += ',' + piece;
        }
    }
    for (const std::string& assignment : assignments) {
        choice.parameters.push_back(parse_assignment(assignment));
    }
    return choice;
}

}  // namespace

SchedulerChoice read_choice(const std::string& algorithm, const std::vector<std::string>& parameters) {
    SchedulerChoice choice = parse(algorithm);
    for (const std::string& parameter : parameters) {
        if (!parameter.ends_with(".json") || parameter.find('=') != std::string::npos) {
            choice.parameters.push_back(parse_assignment(parameter));
            continue;
        }
        const SchedulerChoice file = read_file(parameter);
        if (!choice.algorithm.empty() && choice.algorithm != file.algorithm) {
            throw UsageError("-P " + parameter + ": it is of algorithm " + file.algorithm + ", and " +
                             choice.algorithm + " is chosen");
        }
        choice.algorithm = file.algorithm;
        choice.parameters.insert(choice.parameters.end(), file.parameters.begin(), file.parameters.end());
    }
    return choice;
}

void require_usable(const SchedulerChoice& choice) {
    const Engine checks_it(choice.algorithm, choice.parameters);
}

NamedScheduler read_scheduler(const std::string& argument) {
    NamedScheduler scheduler{is_policy_file(argument) ? std::filesystem::path(argument).stem().string() : argument,
                             parse(argument)};
    require_usable(scheduler.choice);
    return scheduler;
}

}  // namespace batfill
