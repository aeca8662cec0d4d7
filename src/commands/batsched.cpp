#include <iostream>
#include <memory>
#include <string>

#include <spdlog/spdlog.h>

#include <batfill/version.hpp>

#include "src/choice/batsched_choice.hpp"
#include "src/choice/named_scheduler.hpp"
#include "src/commands/inputs.hpp"
#include "src/server/server.hpp"
#include "src/session/session.hpp"
#include "src/support/log_lines.hpp"

namespace batfill::commands {

namespace {

void add_batsched_options(Options& options, BatschedOptions& chosen, ServerOptions& server) {
    const auto no_effect = [](const std::string&) {};
    options.group("Scheduler");
    options.add("variant,v", text(chosen.variant).otherwise("filler"), "algorithm, by batsched's name");
    options.add("variant_options", text(chosen.variant_options).otherwise("{}"),
                "options of the algorithm, a JSON object");
    options.add("variant_options_filepath", value(chosen.variant_options, "arg", short_text_in),
                "file with the options of the algorithm, instead of --variant_options");
    options.add("queue_order,o", text(chosen.queue_order).otherwise("fcfs"),
                "order of the waiting jobs, by batsched's name");
    options.add("policy,selection_policy,p", text(chosen.selection_policy).otherwise("basic"),
                "which processors a job gets: basic or contiguous; also --selection_policy");
    options.add("rjms_delay,d", text(chosen.rjms_delay).otherwise("5"), "seconds added to every walltime");
    options.add("call_make_decisions_on_single_nop", Value("arg", no_effect).otherwise("true"),
                "accepted without effect");
    options.group("Connection");
    options.add("socket-endpoint,socket_endpoint,s", text(server.endpoint).otherwise_as_declared(),
                "ZeroMQ endpoint to listen on; also --socket_endpoint");
}

}  // namespace

void batsched(const Arguments& arguments) {
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
                    .otherwise_as_declared(),
                "debug, info, quiet or silent");
    options.add("version", asks_version, "print the version");
    parse(options, arguments,
          {"batfill batsched [OPTION]... (or, by a link of that name: batsched [OPTION]...)",
           "Schedules for Batsim as batsched does, with its options and names; docs/serve.md has what differs.",
           {"batsched -v easy_bf -s tcp://127.0.0.1:28000", "batsched -v conservative_bf -o lcfs"}});
    if (asks_version) {
        std::cout << "batfill " << version << '\n';
        return;
    }
    refuse_if(options.given("variant_options") && options.given("variant_options_filepath"),
              "--variant_options and --variant_options_filepath say the same thing: give one of the two");
    spdlog::set_level(verbosity);
    server.serves_wrench = true;
    server.scheduler = batsched_choice(chosen);
    server.as_batsched = batsched_rules(chosen);
    require_fit_for_daemon(server.scheduler);
    const auto lines = std::make_shared<JoinedLogLines>(spdlog::default_logger()->sinks().front());
    if (verbosity != level::debug) {
        spdlog::default_logger()->sinks() = {lines};
        server.log_lines = lines.get();
    }
    run_server(server);
}

}  // namespace batfill::commands
