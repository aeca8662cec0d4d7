#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <batfill/engine/engine.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "src/choice/named_scheduler.hpp"
#include "src/server/server.hpp"
#include "src/session/session.hpp"
#include "src/support/names.hpp"
#include "src/transport/connections.hpp"

namespace batfill::commands {

namespace {

spdlog::level::level_enum log_level(const std::string& name) {
    const spdlog::level::level_enum known = spdlog::level::from_str(name);
    refuse_if(known == spdlog::level::off && name != "off",
              unknown_name("log level", name, {"trace", "debug", "info", "warning", "error", "off"}));
    return known;
}

// Lets as many peers and strangers connect as the system allows.
void raise_limit_of_open_files() {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

// What the options say beside the fields of the server.
struct ServeOptions {
    std::string algorithm;
    std::vector<std::string> parameters;
    std::string platform;
    std::string master_host;
    std::string key_file;
    spdlog::level::level_enum log_level = spdlog::level::info;
};

void add_serve_options(Options& options, ServeOptions& read, ServerOptions& server) {
    options.group("Scheduler");
    options.add(
        "algorithm,a", text(read.algorithm),
        "algorithm (see batfill algorithms), also with parameters: easy,order=saf; by default the one in Batsim's --sched-cfg");
    options.add("parameter,P", text(read.parameters),
                "key=value, a parameter of the algorithm, or a file of parameters from batfill tune; repeatable");
    add_plugin_option(options);
    options.add(
        "platform,p", text(read.platform),
        "Batsim's platform file; placement=machine reads the speeds of the hosts from it, which Batsim 4 does not send");
    options.add("master-host,m", text(read.master_host).otherwise(default_master_host), "host that is not a resource");
    options.group("Connection");
    options.add("socket-endpoint,s", text(server.endpoint).otherwise("tcp://127.0.0.1:28000"),
                "ZeroMQ endpoint to listen on");
    options.add("protocol",
                word(server.protocol, "arg", {{"auto", ""}, {"4", "batsim4"}, {"5", "batsim5"}}).otherwise("auto"),
                "4 or 5: only this version of Batsim; auto: the version that connects");
    options.add(
        "curve-secret-key", text(read.key_file, "FILE"),
        "file of the daemon's secret CURVE key, created if missing; only peers that know the public key can connect");
    options.add("keep-alive", server.keep_alive,
                "serve one simulation after another, also after one that must be refused, until a signal comes");
    options.add("idle-timeout", length(server.idle_timeout, "SECONDS", Duration::seconds(1), longest_timeout),
                "end after this long without a message; in the middle of a simulation with status 1");
    options.group("Output");
    options.add("log-level,l", value(read.log_level, "arg", log_level).otherwise("info"),
                "trace, debug, info, warning, error or off");
}

}  // namespace

int serve(const Arguments& arguments) {
    ServeOptions read;
    ServerOptions server;
    Options options;
    add_serve_options(options, read, server);
    if (!options.parse(
            arguments, "batfill serve -a NAME [-P key=value]... [-s ENDPOINT]",
            "Schedules for Batsim. Ends with status 0 after the simulation, or when SIGINT, SIGTERM or SIGHUP comes.",
            {"serve -a easy,order=saf", "serve -a conservative --keep-alive --idle-timeout 1h -s tcp://*:28000"})) {
        return 0;
    }
    server.scheduler = read_choice(read.algorithm, read.parameters);
    require_fit_for_daemon(server.scheduler);
    spdlog::set_level(read.log_level);
    if (options.given("platform")) {
        server.platform = named_platform(read.platform, read.master_host);
    }
    if (options.given("curve-secret-key")) {
        server.curve_secret_key = transport::read_or_make_secret_curve_key(read.key_file);
        spdlog::info("public CURVE key, which peers have to know: {}",
                     transport::curve_public_key(server.curve_secret_key));
    }
    raise_limit_of_open_files();
    run_server(server);
    return 0;
}

}  // namespace batfill::commands
