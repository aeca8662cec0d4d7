#include <chrono>
#include <filesystem>

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <batfill/engine.hpp>
#include <batfill/error.hpp>
#include <batfill/platform.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "platform_option.hpp"
#include "protocol/connections.hpp"
#include "scheduler_argument.hpp"
#include "src/core/files.hpp"
#include "src/server/server.hpp"
#include "src/server/session.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

std::chrono::seconds idle_timeout(const std::string& text) {
    constexpr Duration max = Duration::days(366);  // the clock that counts them must not overflow
    const Duration timeout = seconds_option("idle-timeout", text, Duration::seconds(1));
    if (timeout > max) {
        throw UsageError("--idle-timeout: expected at most " + max.to_shortest_string() + " seconds, found '" + text +
                         "'");
    }
    return std::chrono::seconds(static_cast<long long>(timeout.to_seconds()));
}

// Reads the key, or makes a new one that nobody else can read.
std::string curve_secret_key(const std::string& path) {
    if (!std::filesystem::exists(path)) {
        constexpr mode_t others = 0077;
        const mode_t before = umask(others);
        OutputFile file(path);
        umask(before);
        file.write(protocol::new_curve_keys().secret_key + '\n');
        file.commit();
    }
    std::string key = protocol::read_curve_key(path);
    spdlog::info("public CURVE key, which peers have to know: {}", protocol::curve_public_key(key));
    return key;
}

}  // namespace

int serve(const Arguments& arguments) {
    ServerOptions server;
    std::string level;
    po::options_description options;
    options.add_options()("algorithm,a", po::value(&server.choice.algorithm)->default_value("", ""),
                          "algorithm (see batfill algorithms); else the one in Batsim's --sched-cfg")(
        "parameter,P", po::value<std::vector<std::string>>()->default_value({}, ""),
        "key=value, a parameter of the algorithm, or a file of parameters as batfill tune writes; repeatable")(
        "socket-endpoint,s", po::value(&server.endpoint)->default_value("tcp://127.0.0.1:28000"),
        "ZeroMQ endpoint to listen on")("protocol", po::value<std::string>()->default_value("auto"),
                                        "4 or 5: that of this Batsim alone; auto: that of the Batsim which connects")(
        "platform,p", po::value<std::string>(),
        "the platform file that Batsim is given, for the speeds of the hosts, of which "
        "Batsim 4 says nothing; used by placement=machine")(
        "master-host,m", po::value<std::string>()->default_value("master_host"), "host that is not a resource")(
        "keep-alive", po::bool_switch(&server.keep_alive), "serve one simulation after another, until a signal comes")(
        "idle-timeout", po::value<std::string>()->value_name("SECONDS"),
        "end if no message comes for so long; with status 1 in the middle of a simulation")(
        "curve-secret-key", po::value<std::string>()->value_name("FILE"),
        "hear only peers that know the public CURVE key of the secret one in this file, which is made if it is not "
        "there")("log-level,l", po::value(&level)->default_value("info"), "trace, debug, info, warning, error or off");
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
    const auto known = spdlog::level::from_str(level);
    if (known == spdlog::level::off && level != "off") {
        throw UsageError("unknown log level '" + level + "', known: trace, debug, info, warning, error, off");
    }
    spdlog::set_level(known);
    if (values.count("platform") != 0) {
        server.platform = platform_option(values);
    }
    if (const std::string version = word_option(values, "protocol", {"auto", "4", "5"}); version != "auto") {
        server.protocol = "batsim" + version;
    }
    if (values.count("idle-timeout") != 0) {
        server.idle_timeout = idle_timeout(values["idle-timeout"].as<std::string>());
    }
    if (values.count("curve-secret-key") != 0) {
        server.curve_secret_key = curve_secret_key(values["curve-secret-key"].as<std::string>());
    }
    run_server(server);
    return 0;
}

}  // namespace batfill::commands
