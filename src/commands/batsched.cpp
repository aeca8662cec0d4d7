#include <array>
#include <cstddef>
#include <iostream>
#include <map>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>
#include <batfill/version.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/engine/batsched_choice.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/server/server.hpp"
#include "src/support/files.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

namespace {

constexpr std::size_t max_options_size = std::size_t{1} << 20;

spdlog::level::level_enum level_of(const std::string& verbosity) {
    const std::map<std::string, spdlog::level::level_enum> levels{{"debug", spdlog::level::debug},
                                                                  {"info", spdlog::level::info},
                                                                  {"quiet", spdlog::level::warn},
                                                                  {"silent", spdlog::level::off}};
    const auto level = levels.find(verbosity);
    if (level == levels.end()) {
        throw UsageError(unknown_name("verbosity level", verbosity, {"debug", "info", "quiet", "silent"}));
    }
    return level->second;
}

void add_batsched_options(Options& options) {
    const BatschedOptions defaults;
    const auto text = [](const std::string& otherwise) { return Value<std::string>().otherwise(otherwise); };
    options.group("Scheduler");
    options.add("variant,v", text(defaults.variant), "algorithm, by batsched's name");
    options.add("variant_options", text(defaults.variant_options), "options of the algorithm, a JSON object");
    options.add("variant_options_filepath", Value<std::string>(),
                "file with the options of the algorithm, instead of --variant_options");
    options.add("queue_order,o", text(defaults.queue_order), "order of the waiting jobs, by batsched's name");
    options.add("policy,p", text(defaults.selection_policy), "which processors a job gets: basic or contiguous");
    options.add("selection_policy", Value<std::string>(), "the same as --policy");
    options.add("rjms_delay,d", text(defaults.rjms_delay), "seconds added to every walltime");
    options.add("call_make_decisions_on_single_nop", text("true"), "accepted without effect");
    options.group("Connection");
    options.add("socket-endpoint,s", text("tcp://127.0.0.1:28000"), "ZeroMQ endpoint to listen on");
    options.add("socket_endpoint", Value<std::string>(), "the same as --socket-endpoint");
    options.group("Output");
    options.add("verbosity", text("info"), "debug, info, quiet or silent");
    options.add("version", "print the version");
}

// The value of an option that has two names.
std::string value_of(const Options& options, const std::string& name, const std::string& other) {
    return options.get<std::string>(options.given(other) ? other : name);
}

}  // namespace

int batsched(const Arguments& arguments) {
    Options options;
    add_batsched_options(options);
    if (!options.parse(
            arguments, "batfill batsched [OPTION]... (or, by a link of that name: batsched [OPTION]...)",
            "Schedules for Batsim as batsched does, with its options and names; docs/serve.md has what differs.",
            {"batsched -v easy_bf -s tcp://127.0.0.1:28000", "batsched -v conservative_bf -o lcfs"})) {
        return 0;
    }
    if (options.given("version")) {
        std::cout << "batfill " << version << '\n';
        return 0;
    }
    spdlog::set_level(level_of(options.get<std::string>("verbosity")));
    BatschedOptions chosen;
    chosen.variant = options.get<std::string>("variant");
    chosen.queue_order = options.get<std::string>("queue_order");
    chosen.selection_policy = value_of(options, "policy", "selection_policy");
    chosen.rjms_delay = options.get<std::string>("rjms_delay");
    chosen.variant_options = options.get<std::string>("variant_options");
    if (const auto path = options.get<std::string>("variant_options_filepath"); !path.empty()) {
        chosen.variant_options = InputFile(path).read_all(max_options_size);
    }
    ServerOptions server;
    server.endpoint = value_of(options, "socket-endpoint", "socket_endpoint");
    server.choice = batsched_choice(chosen);
    require_usable(server.choice);
    run_server(server);
    return 0;
}

}  // namespace batfill::commands
