#include "src/program/program.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <batfill/core/error.hpp>
#include <batfill/version.hpp>

#include "src/commands/command.hpp"
#include "src/options/values.hpp"
#include "src/support/files.hpp"
#include "src/support/interruption.hpp"
#include "src/support/log_lines.hpp"

namespace batfill {

using commands::Command;

namespace {

const options::Words<Command> all_commands = {
    {"serve", {"schedule for Batsim: a ZeroMQ server that speaks its protocol", commands::serve, true}},
    {"batsched", {"the same with the options and names of batsched", commands::batsched, true}},
    {"simulate", {"replay a workload on a platform in the embedded simulator", commands::simulate}},
    {"swf", {"convert a log of the Parallel Workloads Archive to a Batsim workload", commands::swf}},
    {"import",
     {"convert accounting data of Slurm, PBS or a published data set to a Batsim workload", commands::import}},
    {"generate", {"write a synthetic workload", commands::generate}},
    {"platform", {"write a platform of equal hosts", commands::platform}},
    {"deadlines", {"give some jobs of a workload a deadline", commands::deadlines}},
    {"metrics", {"print the papers' metrics of one or more runs", commands::metrics}},
    {"report", {"make an HTML page of one or more runs, with Gantt charts, waits and metrics", commands::report}},
    {"plot", {"plot one chart of runs as SVG, PDF or PNG, for a paper", commands::plot}},
    {"check", {"audit a schedule against its workload and platform", commands::check}},
    {"compare", {"replay workloads under several schedulers and compare a metric", commands::compare}},
    {"intervals",
     {"print means of a table of values, and their differences, with confidence intervals", commands::intervals}},
    {"campaign", {"replay many workloads under many schedulers, from one file into one table", commands::campaign}},
    {"tune", {"search for the weights of a mixed policy that minimise a metric", commands::tune}},
    {"algorithms", {"list the algorithms and their parameters", commands::algorithms}},
};

void print_help(std::ostream& out) {
    out << "batfill " << version << ": backfilling schedulers for Batsim, and an embedded simulator\n\n"
        << "Usage: batfill COMMAND [OPTION]...\n  or:  batfill help [COMMAND]\n  or:  batfill --version\n\nCommands:\n";
    for (const auto& [name, command] : all_commands) {
        out << "  " << name << std::string(12 - name.size(), ' ') << command.summary << '\n';
    }
}

// The standard output may be a file of results, so a failed write is an error.
void require_output_written() {
    errno = 0;
    std::cout.flush();
    refuse_if<InputError>(!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0, [&] {
        return std::string("the standard output cannot be written") +
               (errno != 0 ? std::string(": ") + std::strerror(errno) : "");
    });
}

int run_command(const std::string& name, const Arguments& arguments) {
    const Command command = options::meaning_of(name, all_commands, "command");
    std::optional<CleanStop> clean_stop;
    if (!command.ends_itself) {
        clean_stop.emplace();
    }
    try {
        command.run(arguments);
        return 0;
    } catch (const commands::Ended& end) {
        return end.status;
    }
}

// "help", "help COMMAND [--json]" and "help generate MODEL [--json]".
int help_on(Arguments words) {
    if (words.empty() || words.front() == "--json") {
        print_help(std::cout);
        return 0;
    }
    const std::string name = words.front();
    words.erase(words.begin());
    if (!words.empty() && words.back() == "--json") {
        words.back() = "--help=json";
    } else {
        words.emplace_back("--help");
    }
    return run_command(name, words);
}

bool is_done = false;  // or has said why not

// Runs when something calls exit() in the middle of the work, such as a plugin. Without it the exit status would be
// success, without results.
void refuse_early_exit() {
    if (!is_done) {
        (void)std::fputs(
            "batfill: something has ended the program before its work was done, most likely a plugin (exit)\n", stderr);
        discard_unfinished_outputs();
        _exit(1);
    }
}

// Prints why the program ends with this status.
int fail_with(const std::string& problem, int status = 1) {
    std::cerr << "batfill: " << problem << '\n';
    return status;
}

int run_main(Arguments arguments) {
    if (arguments.empty()) {
        print_help(std::cerr);
        return 2;
    }
    const std::string& name = arguments.front();
    // The standard output is for results.
    spdlog::set_default_logger(spdlog::stderr_color_mt("batfill"));
    spdlog::set_formatter(log_lines());
    try {
        int status = 0;
        if (name == "--help" || name == "-h") {
            print_help(std::cout);
        } else if (name == "--version") {
            std::cout << "batfill " << version << '\n';
        } else if (name == "help") {
            status = help_on({arguments.begin() + 1, arguments.end()});
        } else {
            status = run_command(name, {arguments.begin() + 1, arguments.end()});
        }
        require_output_written();
        return status;
    } catch (const UsageError& problem) {
        return fail_with(problem.what(), 2);
    } catch (const std::bad_alloc&) {
        return fail_with("not enough memory");
    } catch (const std::filesystem::filesystem_error& problem) {
        return fail_with(one_line(problem.path1().string() + ": " + problem.code().message()));
    } catch (const std::system_error& problem) {
        // The system's text does not say what was missing. Without memory it is the text for a failed thread.
        return fail_with("not enough memory or other means: " + one_line(problem.what()));
    } catch (const std::exception& problem) {
        return fail_with(one_line(problem.what()));
    } catch (...) {
        return fail_with("an error that says nothing about itself, most likely of a plugin");
    }
}

}  // namespace

int run_program(Arguments arguments) {
    (void)std::atexit(refuse_early_exit);
    const int status = run_main(std::move(arguments));
    is_done = true;
    return status;
}

}  // namespace batfill
