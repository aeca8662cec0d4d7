#include "src/server/server.hpp"
#include "src/support/calendar.hpp"

namespace batfill {

using namespace options;  // NOLINT(google-build-using-namespace): this file declares options

void add_connection_options(Options& options, ServerOptions& server) {
    options.group("Connection");
    options.add("socket-endpoint,s", text(server.endpoint).otherwise_as_declared(), "ZeroMQ endpoint to listen on")
        .called("endpoint");
    options.add("protocol",
                word(server.protocol, "arg", {{"auto", ""}, {"4", "batsim4"}, {"5", "batsim5"}, {"wrench", "wrench"}})
                    .otherwise_as_declared(),
                "4 or 5: only this version of Batsim; wrench: only WRENCH; auto: the version of Batsim that connects");
    options.add("keep-alive", server.keep_alive,
                "serve one simulation after another, also after one that must be refused, until a signal comes");
    options.add("idle-timeout", length(server.idle_timeout, "SECONDS", Duration::seconds(1), longest_timeout),
                "end after this long without a message; in the middle of a simulation with status 1");
}

void add_log_level_option(Options& options, spdlog::level::level_enum& level) {
    const std::vector<std::string> words{"trace", "debug", "info", "warning", "error", "off"};
    const auto read = [words](const std::string& name) {
        const spdlog::level::level_enum known = spdlog::level::from_str(name);
        refuse_if(known == spdlog::level::off && name != "off", unknown_name("log level", name, words));
        return known;
    };
    Value made = value(level, "arg", read, {Type::Scalar::none, words});
    made.shown_by([&level] {
        const auto name = spdlog::level::to_string_view(level);
        return std::string(name.data(), name.size());
    });
    options.add("log-level,l", made.otherwise_as_declared(), "trace, debug, info, warning, error or off");
}

}  // namespace batfill
