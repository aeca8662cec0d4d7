#pragma once

#include <optional>
#include <string>

#include <batfill/formats/platform.hpp>

namespace batfill::commands {

class Options;

// How the help of a command names what --platform takes.
inline constexpr const char* platform_value = "PLATFORM";
inline constexpr const char* platform_help =
    "the machine: a SimGrid platform file, the name of a platform that comes with batfill, or a number of hosts";

// The host of a platform that does not compute, unless the user names another.
inline constexpr const char* default_master_host = "master_host";

// A machine of so many hosts that are alike, named so that they are numbered in the order of their names. Requires
// hosts > 0. O(hosts).
Platform homogeneous_platform(int hosts);

// The number of hosts that `word` stands for as a platform; none if it names a file. Throws UsageError for a number
// that is not 1 to 1,000,000.
std::optional<int> number_of_hosts(const std::string& word);

// The platform file that `word`, which is no number of hosts, stands for: the file of this path; else that of this name
// among the platforms that come with batfill, which are looked for where they are installed, and in the folder
// `platforms` beside or above the program's own. Throws UsageError that lists these if there is none.
std::string platform_file(const std::string& word);

// The machine that `word` stands for. Throws UsageError, and InputError as read_platform().
Platform named_platform(const std::string& word, const std::string& master_host = default_master_host);

// Declares --master-host, which platform_option() reads beside --platform.
void add_master_host_option(Options& options);

// The machine that the options --platform and --master-host give. Throws UsageError, and InputError as read_platform().
Platform platform_option(const Options& options);

}  // namespace batfill::commands
