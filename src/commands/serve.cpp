#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <batfill/engine/engine.hpp>

#include "src/choice/named_scheduler.hpp"
#include "src/commands/inputs.hpp"
#include "src/server/server.hpp"
#include "src/session/session.hpp"
#include "src/support/text.hpp"
#include "src/transport/connections.hpp"

namespace batfill::commands {

namespace {

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
    MachineDetails machine;
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
    add_machine_details(options, read.machine, "host that is not a resource");
    add_connection_options(options, server);
    options.add(
        "curve-secret-key", text(read.key_file, "FILE"),
        "file of the daemon's secret CURVE key, created if missing; only peers that know the public key can connect");
    options.group("Output");
    add_log_level_option(options, read.log_level);
}

}  // namespace

void serve(const Arguments& arguments) {
    ServeOptions read;
    ServerOptions server;
    Options options;
    add_serve_options(options, read, server);
    parse(options, arguments,
          {"batfill serve -a NAME [-P key=value]... [-s ENDPOINT]",
           "Schedules for Batsim. Ends with status 0 after the simulation, or when SIGINT, SIGTERM or SIGHUP comes.",
           {"serve -a easy,order=saf", "serve -a conservative --keep-alive --idle-timeout 1h -s tcp://*:28000"}});
    server.scheduler = read_choice(read.algorithm, read.parameters);
    require_fit_for_daemon(server.scheduler);
    spdlog::set_level(read.log_level);
    if (options.given("platform")) {
        server.platform = named_platform(read.platform, read.machine);
    }
    server.machine = read.machine;
    if (!server.machine.windows.empty()) {
        // A mistake there is better known before Batsim comes.
        if (read_windows(server.machine.windows).empty()) {
            spdlog::warn("{}", one_line(note_on_no_windows(server.machine.windows)));
        }
    }
    if (!server.machine.limits.empty() && read_limits(server.machine.limits).empty()) {
        spdlog::warn("{}", one_line(note_on_no_limits(server.machine.limits)));
    }
    if (options.given("curve-secret-key")) {
        server.curve_secret_key = transport::read_or_make_secret_curve_key(read.key_file);
        spdlog::info("public CURVE key, which peers have to know: {}",
                     transport::curve_public_key(server.curve_secret_key));
    }
    raise_limit_of_open_files();
    run_server(server);
}

}  // namespace batfill::commands
