#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <batfill/engine.hpp>
#include <batfill/error.hpp>
#include <batfill/platform.hpp>

#include "command.hpp"
#include "scheduler_argument.hpp"
#include "src/server/server.hpp"
#include "src/server/session.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

int serve(const Arguments& arguments) {
    ServerOptions server;
    std::string level;
    po::options_description options;
    options.add_options()("algorithm,a", po::value(&server.choice.algorithm)->default_value("", ""),
                          "algorithm (see batfill algorithms); else the one in Batsim's --sched-cfg")(
        "parameter,P", po::value<std::vector<std::string>>()->default_value({}, ""),
        "key=value, a parameter of the algorithm, or a file of parameters as batfill tune writes; repeatable")(
        "socket-endpoint,s", po::value(&server.endpoint)->default_value("tcp://127.0.0.1:28000"),
        "ZeroMQ endpoint to listen on")("platform,p", po::value<std::string>(),
                                        "the platform file that Batsim is given, for the speeds of the hosts, of which "
                                        "Batsim 4 says nothing; used by placement=machine")(
        "master-host,m", po::value<std::string>()->default_value("master_host"), "host that is not a resource")(
        "keep-alive", po::bool_switch(&server.keep_alive), "serve one simulation after another, until a signal comes")(
        "log-level,l", po::value(&level)->default_value("info"), "trace, debug, info, warning, error or off");
    add_plugin_option(options);
    po::variables_map values;
    if (!parse(arguments, "batfill serve -a NAME [-P key=value]... [-s ENDPOINT]",
               "Schedules for Batsim. Ends with status 0 after the simulation, or when SIGINT or SIGTERM comes.",
               options, {}, values)) {
        return 0;
    }
    load_plugins(values);
    server.choice = read_choice(server.choice.algorithm, values["parameter"].as<std::vector<std::string>>());
    if (!server.choice.algorithm.empty()) {
        // Refuses what cannot be chosen before any simulation begins.
        require_fit_for_daemon(Engine(server.choice.algorithm, server.choice.parameters));
    }
    spdlog::set_default_logger(spdlog::stderr_color_mt("batfill"));
    spdlog::set_pattern("batfill: %l: %v");
    const auto known = spdlog::level::from_str(level);
    if (known == spdlog::level::off && level != "off") {
        throw UsageError("unknown log level '" + level + "', known: trace, debug, info, warning, error, off");
    }
    spdlog::set_level(known);
    if (values.count("platform") != 0) {
        server.platform = read_platform(values["platform"].as<std::string>(), values["master-host"].as<std::string>());
    }
    run_server(server);
    return 0;
}

}  // namespace batfill::commands
