#include "platform_option.hpp"

#include "options.hpp"

namespace batfill::commands {

void add_master_host_option(Options& options) {
    options.add("master-host,m", Value<std::string>("NAME").otherwise(default_master_host),
                "host of the platform that does not compute");
}

Platform platform_option(const Options& options) {
    return named_platform(options.get<std::string>("platform"), options.get<std::string>("master-host"));
}

}  // namespace batfill::commands
