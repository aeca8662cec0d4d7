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
    return parse_scheduler(argument);
}

}  // namespace

SchedulerChoice read_choice(const std::string& algorithm, const std::vector<std::string>& parameters) {
    SchedulerChoice choice = parse(algorithm);
    Parameters::Given more;
    for (const std::string& parameter : parameters) {
        if (!is_policy_file(parameter) || parameter.find('=') != std::string::npos) {
            more.push_back(parse_assignment(parameter));
            continue;
        }
        const SchedulerChoice file = read_file(parameter);
        if (!choice.algorithm.empty() && choice.algorithm != file.algorithm) {
            throw UsageError("-P " + parameter + ": it is of algorithm " + file.algorithm + ", and " +
                             choice.algorithm + " is chosen");
        }
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

void require_usable(const SchedulerChoice& choice) {
    const Engine checks_it(choice);
}

NamedScheduler read_scheduler(const std::string& argument) {
    NamedScheduler scheduler{is_policy_file(argument) ? std::filesystem::path(argument).stem().string() : argument,
                             parse(argument)};
    require_usable(scheduler.choice);
    return scheduler;
}

}  // namespace batfill
