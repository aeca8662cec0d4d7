#pragma once

#include "src/formats/named_platform.hpp"

namespace batfill::commands {

class Options;

// What the help of a command calls the value of --platform.
inline constexpr const char* platform_value = "PLATFORM";
inline constexpr const char* platform_help =
    "the machine: a SimGrid platform file, the name of a platform that comes with batfill, or a number of hosts";

// Declares --master-host, which platform_option() reads beside --platform.
void add_master_host_option(Options& options);

// Returns the machine that the options --platform and --master-host describe.
// Throws: UsageError; InputError as read_platform().
Platform platform_option(const Options& options);

}  // namespace batfill::commands
