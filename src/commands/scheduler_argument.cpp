#include "scheduler_argument.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

#include <batfill/engine.hpp>
#include <batfill/error.hpp>
#include <batfill/parameters.hpp>

#include "src/core/files.hpp"

namespace batfill::commands {

namespace {

constexpr std::size_t largest_file = std::size_t{1} << 20;

SchedulerChoice read_file(const std::string& path) {
    SchedulerChoice choice;
    try {
        choice = parse_scheduler_configuration(InputFile(path).read_all(largest_file));
    } catch (const UsageError& problem) {
        throw InputError(path + ": " + problem.what());
    }
    if (choice.algorithm.empty()) {
        throw InputError(path + R"(: expected {"algorithm": NAME, "params": {KEY: VALUE, ...}})");
    }
    return choice;
}

SchedulerChoice parse(const std::string& argument) {
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

NamedScheduler read_scheduler(const std::string& argument) {
    const bool is_file = argument.ends_with(".json");
    NamedScheduler scheduler{is_file ? std::filesystem::path(argument).stem().string() : argument,
                             is_file ? read_file(argument) : parse(argument)};
    const Engine checks_the_choice(scheduler.choice.algorithm, scheduler.choice.parameters);
    return scheduler;
}

}  // namespace batfill::commands
