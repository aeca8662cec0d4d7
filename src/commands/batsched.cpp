#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>

#include <spdlog/spdlog.h>

#include <batfill/version.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "src/engine/batsched_choice.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/server/server.hpp"
#include "src/support/files.hpp"

namespace batfill::commands {

namespace {

constexpr std::size_t max_options_size = std::size_t{1} << 20;

// Declares an option and its other name, which wins.
void add_with_other_name(Options& options, std::string& field, const std::string& names, const char* otherwise,
                         const char* help, const std::string& other) {
    const std::string name = names.substr(0, names.find(','));
    const auto chosen = std::make_shared<std::optional<std::string>>();
    options.add(names, text(field).otherwise(otherwise), help);
    options.add(other, text(*chosen), "the same as --" + name);
    options.add_rule([&field, chosen] { field = chosen->value_or(field); });
}

void add_batsched_options(Options& options, BatschedOptions& chosen, ServerOptions& server) {
    options.group("Scheduler");
    options.add("variant,v", text(chosen.variant).otherwise("filler"), "algorithm, by batsched's name");
    options.add("variant_options", text(chosen.variant_options).otherwise("{}"),
                "options of the algorithm, a JSON object");
    const auto file = std::make_shared<std::optional<std::string>>();
    options.add("variant_options_filepath", text(*file),
                "file with the options of the algorithm, instead of --variant_options");
    options.add_rule([&chosen, file] {
        if (*file) {
            chosen.variant_options = InputFile(**file).read_all(max_options_size);
        }
    });
    options.add("queue_order,o", text(chosen.queue_order).otherwise("fcfs"),
                "order of the waiting jobs, by batsched's name");
    add_with_other_name(options, chosen.selection_policy, "policy,p", "basic",
                        "which processors a job gets: basic or contiguous", "selection_policy");
    options.add("rjms_delay,d", text(chosen.rjms_delay).otherwise("5"), "seconds added to every walltime");
    const auto no_effect = [](const std::string&) {};
    options.add("call_make_decisions_on_single_nop", Value("arg", no_effect).otherwise("true"),
                "accepted without effect");
    options.group("Connection");
    add_with_other_name(options, server.endpoint, "socket-endpoint,s", "tcp://127.0.0.1:28000",
                        "ZeroMQ endpoint to listen on", "socket_endpoint");
}

}  // namespace

int batsched(const Arguments& arguments) {
    namespace level = spdlog::level;
    BatschedOptions chosen;
    ServerOptions server;
    level::level_enum verbosity = level::info;
    bool asks_version = false;
    Options options;
    add_batsched_options(options, chosen, server);
    options.group("Output");
    options.add("verbosity",
                word(verbosity, "arg",
                     {{"debug", level::debug}, {"info", level::info}, {"quiet", level::warn}, {"silent", level::off}})
                    .otherwise("info"),
                "debug, info, quiet or silent");
    options.add("version", asks_version, "print the version");
    if (!options.parse(
            arguments, "batfill batsched [OPTION]... (or, by a link of that name: batsched [OPTION]...)",
            "Schedules for Batsim as batsched does, with its options and names; docs/serve.md has what differs.",
            {"batsched -v easy_bf -s tcp://127.0.0.1:28000", "batsched -v conservative_bf -o lcfs"})) {
        return 0;
    }
    if (asks_version) {
        std::cout << "batfill " << version << '\n';
        return 0;
    }
    spdlog::set_level(verbosity);
    server.choice = batsched_choice(chosen);
    require_usable(server.choice);
    run_server(server);
    return 0;
}

}  // namespace batfill::commands
