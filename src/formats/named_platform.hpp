#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/formats/platform.hpp>

namespace batfill {

// The host of a platform that does not compute, unless the user names another one.
inline constexpr const char* default_master_host = "master_host";

// Returns a machine of `hosts` identical hosts. Their names sort in the order of their numbers.
// Requires: hosts > 0.
// Cost: O(hosts).
Platform homogeneous_platform(int hosts);

// Returns the number of hosts that `word` stands for as a platform. None if it names a file.
// Throws: UsageError for a number outside 1 to 1,000,000.
std::optional<int> number_of_hosts(const std::string& word);

// Returns the platform file that `word` stands for: the file with this path; else the platform of this name that comes
// with batfill. Searches for the latter where they are installed, and in the folder `platforms` beside or above the
// program's own.
// Requires: `word` is not a number of hosts.
// Throws: UsageError, which lists the platforms that come with batfill, if there is no such file.
std::string platform_file(const std::string& word);

// Adds a folder in which the platforms lie that come with batfill, instead of the ones near the program: for a
// program that is not ours.
// Requires: no other thread names a platform during the call.
void add_platform_folder(const std::string& folder);

// What users say of a machine beside its name.
struct MachineDetails {
    std::string master_host = default_master_host;
    std::vector<std::pair<std::string, Amount>> pools = {};  // names and totals; they win over those of the platform
    std::optional<std::string> capacity = {};                // of every host, as its property; wins over the platform's
    std::string windows = {};                                // a file (read_windows); empty: no windows
    std::optional<std::string> windows_text = {};            // of this file; none: it is to be read
    std::string limits = {};                                 // a file (read_limits); empty: no limits
    std::optional<std::string> limits_text = {};             // of this file; none: it is to be read

    // Whether something is said that only some algorithms take.
    bool has_resources() const { return !pools.empty() || capacity.has_value() || !windows.empty() || !limits.empty(); }
};

// A pool of "NAME=TOTAL".
// Throws: UsageError for another form.
std::pair<std::string, Amount> parse_pool(const std::string& text);
// The text, if it is a capacity "NAME:AMOUNT,...".
// Throws: UsageError for another form.
std::string checked_capacity(const std::string& text);

// The windows. None if nothing is said of them.
// Throws: InputError as read_windows().
std::vector<Window> windows_of(const MachineDetails& details);

// The limits. None if nothing is said of them.
// Throws: InputError as read_limits().
std::vector<Limit> limits_of(const MachineDetails& details);

// What to say of a file of windows, or of limits, that has none.
std::string note_on_no_windows(const std::string& path);
std::string note_on_no_limits(const std::string& path);

// Gives these hosts the pools and the capacity.
// Throws: InputError for pools of the hosts that cannot be read.
void add_resources(std::vector<Host>& hosts, const MachineDetails& details);

// Gives the platform the pools, the capacity, the windows and the limits. Notes a file without windows or limits.
// Throws: InputError as add_resources(), windows_of() and limits_of(), and for windows and limits that the machine
// cannot have.
void add_details(Platform& platform, const MachineDetails& details);

// The options that say these pools, this capacity, these windows and these limits on a command line.
std::vector<std::string> arguments_of(const MachineDetails& details);

// Returns the machine that `word` stands for.
// Throws: UsageError; InputError as read_platform() and add_details().
Platform named_platform(const std::string& word, const MachineDetails& details = {});
// As above; without a word a machine of `hosts` identical hosts.
Platform named_platform(const std::optional<std::string>& word, const MachineDetails& details, int hosts);

}  // namespace batfill
