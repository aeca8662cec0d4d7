#include <chrono>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/formats/platform.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/server/server.hpp"
#include "src/session/session.hpp"
#include "src/support/durations.hpp"
#include "src/support/names.hpp"
#include "src/transport/connections.hpp"

namespace batfill::commands {

namespace {

std::chrono::seconds idle_timeout(const std::string& text) {
    constexpr Duration max = Duration::days(366);  // the clock that counts them must not overflow
    const Duration timeout = seconds_of("idle-timeout", text, Duration::seconds(1));
    if (timeout > max) {
        throw UsageError("--idle-timeout: expected at most " + max.to_shortest_string() + " seconds, found '" + text +
                         "'");
    }
    return std::chrono::seconds(static_cast<long long>(timeout.to_seconds()));
}

std::string curve_secret_key(const std::string& path) {
    std::string key = transport::read_or_make_secret_curve_key(path);
    spdlog::info("public CURVE key, which peers have to know: {}", transport::curve_public_key(key));
    return key;
}

}  // namespace

int serve(const Arguments& arguments) {
    Options options;
    options.group("Scheduler");
    options.add(
        "algorithm,a", Value<std::string>(),
        "algorithm (see batfill algorithms), also with parameters: easy,order=saf; by default the one in Batsim's --sched-cfg");
    options.add("parameter,P", Value<std::vector<std::string>>(),
                "key=value, a parameter of the algorithm, or a file of parameters from batfill tune; repeatable");
    add_plugin_option(options);
    options.add(
        "platform,p", Value<std::string>(),
        "Batsim's platform file; placement=machine reads the speeds of the hosts from it, which Batsim 4 does not send");
    options.add("master-host,m", Value<std::string>().otherwise("master_host"), "host that is not a resource");
    options.group("Connection");
    options.add("socket-endpoint,s", Value<std::string>().otherwise("tcp://127.0.0.1:28000"),
                "ZeroMQ endpoint to listen on");
    options.add("protocol", Value<std::string>().otherwise("auto"),
                "4 or 5: only this version of Batsim; auto: the version that connects");
    options.add(
        "curve-secret-key", Value<std::string>("FILE"),
        "file of the daemon's secret CURVE key, created if missing; only peers that know the public key can connect");
    options.add("keep-alive", "serve one simulation after another, until a signal comes");
    options.add("idle-timeout", Value<std::string>("SECONDS"),
                "end after this long without a message; in the middle of a simulation with status 1");
    options.group("Output");
    options.add("log-level,l", Value<std::string>().otherwise("info"), "trace, debug, info, warning, error or off");
    if (!options.parse(
            arguments, "batfill serve -a NAME [-P key=value]... [-s ENDPOINT]",
            "Schedules for Batsim. Ends with status 0 after the simulation, or when SIGINT or SIGTERM comes.",
            {"serve -a easy,order=saf", "serve -a conservative --keep-alive --idle-timeout 1h -s tcp://*:28000"})) {
        return 0;
    }
    load_plugins(options);
    ServerOptions server;
    server.endpoint = options.get<std::string>("socket-endpoint");
    server.keep_alive = options.given("keep-alive");
    server.choice =
        read_choice(options.get<std::string>("algorithm"), options.get<std::vector<std::string>>("parameter"));
    if (!server.choice.algorithm.empty()) {
        // Refuses an impossible choice before any simulation begins.
        require_fit_for_daemon(Engine(server.choice.algorithm, server.choice.parameters));
    }
    const auto level = options.get<std::string>("log-level");
    const auto known = spdlog::level::from_str(level);
    if (known == spdlog::level::off && level != "off") {
        throw UsageError(unknown_name("log level", level, {"trace", "debug", "info", "warning", "error", "off"}));
    }
    spdlog::set_level(known);
    if (options.given("platform")) {
        server.platform = platform_option(options);
    }
    if (const std::string version = word_option(options, "protocol", {"auto", "4", "5"}); version != "auto") {
        server.protocol = "batsim" + version;
    }
    if (options.given("idle-timeout")) {
        server.idle_timeout = idle_timeout(options.get<std::string>("idle-timeout"));
    }
    if (options.given("curve-secret-key")) {
        server.curve_secret_key = curve_secret_key(options.get<std::string>("curve-secret-key"));
    }
    run_server(server);
    return 0;
}

}  // namespace batfill::commands
