#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include <batfill/error.hpp>
#include <batfill/version.hpp>

#include "command.hpp"

namespace {

using batfill::commands::Command;

constexpr Command commands[] = {
    {"serve", "schedule for Batsim: a ZeroMQ server that speaks its protocol", batfill::commands::serve},
    {"simulate", "replay a workload on a platform in the embedded simulator", batfill::commands::simulate},
    {"swf", "convert a log of the Parallel Workloads Archive to a Batsim workload", batfill::commands::swf},
    {"generate", "write a synthetic workload", batfill::commands::generate},
    {"deadlines", "make a share of a workload's jobs deadline-driven", batfill::commands::deadlines},
    {"metrics", "print the papers' metrics of one or more runs", batfill::commands::metrics},
    {"check", "audit a schedule against its workload and platform", batfill::commands::check},
    {"compare", "replay workloads under several schedulers and compare a metric", batfill::commands::compare},
    {"tune", "search for the weights of a mixed policy that make a metric of replays small", batfill::commands::tune},
    {"algorithms", "list the algorithms and their parameters", batfill::commands::algorithms},
};

void print_help(std::ostream& out) {
    out << "batfill " << batfill::version << ": backfilling schedulers for Batsim, and an embedded simulator\n\n"
        << "Usage: batfill COMMAND [OPTION]...\n       batfill COMMAND --help\n       batfill --version\n\nCommands:\n";
    for (const Command& command : commands) {
        out << "  " << command.name << std::string(12 - std::strlen(command.name), ' ') << command.summary << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) {
    const batfill::commands::Arguments arguments(argv + 1, argv + argc);
    if (arguments.empty()) {
        print_help(std::cerr);
        return 2;
    }
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h") {
        print_help(std::cout);
        return 0;
    }
    if (name == "--version") {
        std::cout << "batfill " << batfill::version << '\n';
        return 0;
    }
    try {
        for (const Command& command : commands) {
            if (name == command.name) {
                return command.run({arguments.begin() + 1, arguments.end()});
            }
        }
        std::string known;
        for (const Command& command : commands) {
            known += std::string(known.empty() ? "" : ", ") + command.name;
        }
        throw batfill::UsageError("unknown command '" + name + "', known: " + known);
    } catch (const batfill::UsageError& problem) {
        std::cerr << "batfill: " << problem.what() << '\n';
        return 2;
    } catch (const std::exception& problem) {
        std::cerr << "batfill: " << problem.what() << '\n';
        return 1;
    }
}
