#pragma once

#include <string>

#include "src/formats/named_platform.hpp"
#include "src/options/options.hpp"

// The options that name a machine.
namespace batfill {

// What the help of a command calls the value of --platform.
inline constexpr const char* platform_value = "PLATFORM";
inline constexpr const char* platform_help =
    "the machine: a SimGrid platform file, the name of a platform that comes with batfill, or a number of hosts";

// Declares --master-host. `help` says what becomes of that host.
inline void add_master_host_option(options::Options& options, std::string& master_host,
                                   const std::string& help = "host of the platform that does not compute") {
    master_host = default_master_host;
    options.add("master-host,m", options::text(master_host, "NAME").otherwise_as_declared(), help);
}

// Declares --master-host, --pool, --capacity, --windows and --limits.
inline void add_machine_details(options::Options& options, MachineDetails& details,
                                const std::string& help = "host of the platform that does not compute") {
    add_master_host_option(options, details.master_host, help);
    options.add("pool", options::value(details.pools, "NAME=TOTAL", parse_pool),
                "pool of the machine that jobs take of, instead of one in the platform; repeatable");
    options.add("capacity", options::value(details.capacity, "NAME:AMOUNT,...", checked_capacity),
                "what each host has for the jobs that share it, such as cores:32,gpus:4");
    options.add("windows", options::text(details.windows, "FILE"),
                "file of announced maintenance and reservations, one JSON object per line");
    options.add("limits", options::text(details.limits, "FILE"),
                "file of what jobs of a user, an account, ... may use at once, one JSON object per line");
    options.add_rule([&options, &details] {
        refuse_if(options.given("windows") && details.windows.empty(),
                  "--windows: expected the name of a file, found an empty one");
        refuse_if(options.given("limits") && details.limits.empty(),
                  "--limits: expected the name of a file, found an empty one");
    });
}

}  // namespace batfill
