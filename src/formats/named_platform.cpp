#include "src/formats/named_platform.hpp"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include <batfill/core/error.hpp>

#include "src/core/properties.hpp"
#include "src/formats/host_amounts.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

namespace fs = std::filesystem;

constexpr int most_hosts = 1'000'000;
constexpr double nominal_speed = 1e9;  // jobs made of logs are delays, which take their time at any speed

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

std::vector<fs::path>& added_folders() {
    static std::vector<fs::path> folders;
    return folders;
}

// Where platforms may lie that come with the program, the most likely first.
std::vector<fs::path> platform_folders() {
    if (!added_folders().empty()) {
        return added_folders();
    }
    std::error_code problem;
    const fs::path folder = fs::read_symlink("/proc/self/exe", problem).parent_path();
    if (problem) {
        return {};
    }
    const fs::path above = folder.parent_path();
    return {above / "share/batfill/platforms", folder / "platforms", above / "platforms",
            above.parent_path() / "platforms"};
}

}  // namespace

void add_platform_folder(const std::string& folder) {
    added_folders().emplace_back(folder);
}

Platform homogeneous_platform(int hosts) {
    assert(hosts > 0);
    const std::size_t digits = std::to_string(hosts - 1).size();
    Platform platform;
    platform.hosts.reserve(static_cast<std::size_t>(hosts));
    for (int host = 0; host < hosts; ++host) {
        platform.hosts.push_back({"host" + padded(static_cast<std::size_t>(host), digits), nominal_speed, {}, {}});
    }
    return platform;
}

std::optional<int> number_of_hosts(const std::string& word) {
    if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos || is_file(word)) {
        return std::nullopt;
    }
    const auto hosts = number_in<int>(word);
    refuse_if(!hosts || *hosts < 1 || *hosts > most_hosts, "platform: expected 1 to ", most_hosts, " hosts, found ",
              word);
    return hosts;
}

std::string platform_file(const std::string& word) {
    // What looks like a path is one, also if there is no such file: who reads it says what is wrong with it.
    if (is_file(word) || word.find_first_of("./") != std::string::npos) {
        return word;
    }
    std::set<std::string> names;
    for (const fs::path& folder : platform_folders()) {
        if (fs::path file = folder / (word + ".xml"); is_file(file)) {
            return file.string();
        }
        std::error_code ignored;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
            if (entry.path().extension() == ".xml") {
                names.insert(entry.path().stem().string());
            }
        }
    }
    const std::vector<std::string> known(names.begin(), names.end());
    const std::optional<std::string> nearest = nearest_name(word, known);
    throw UsageError("platform: there is no file '" + word + "' and no platform of that name, " +
                     (nearest ? "did you mean '" + *nearest + "'? Expected" : "expected") + " a SimGrid platform file" +
                     (known.empty() ? " or a number of hosts" : ", a number of hosts, or one of " + list_of(known)));
}

std::pair<std::string, Amount> parse_pool(const std::string& text) {
    const std::size_t sign = std::min(text.rfind('='), text.size());
    const std::string name = text.substr(0, sign);
    const Amount total = number_in<Amount>(std::string_view(text).substr(std::min(sign + 1, text.size()))).value_or(-1);
    refuse_if(total < 0 || total > max_total_amount || name.empty() || name.find_first_of(",:") != std::string::npos,
              "expected NAME=TOTAL with a whole number from 0 to 10^18, found '", text, "'");
    return {name, total};
}

std::string checked_capacity(const std::string& text) {
    try {
        parse_amounts(text, "the capacity");
    } catch (const InputError& problem) {
        throw UsageError(problem.what());
    }
    return text;
}

void add_resources(std::vector<Host>& hosts, const MachineDetails& details) {
    if (details.capacity) {
        for (Host& host : hosts) {
            host.properties["capacity"] = *details.capacity;
        }
    }
    if (details.pools.empty()) {
        return;
    }
    std::map<std::string, Amount> pools;
    const Resources of_platform(hosts);
    for (const Resources::Pool& pool : of_platform.pools()) {
        pools.emplace(pool.name, pool.total);
    }
    std::set<std::string> given;
    for (const auto& [name, total] : details.pools) {
        refuse_if(!given.insert(name).second, "--pool: pool ", clear_name(name),
                  " is given twice, expected each pool once");
        pools[name] = total;
    }
    const std::string text = capacity_text({pools.begin(), pools.end()});
    for (Host& host : hosts) {
        host.zone_properties["pools"] = text;
    }
    const Resources checked(hosts);  // throws for what the options and the file cannot be together
}

std::vector<std::string> arguments_of(const MachineDetails& details) {
    std::vector<std::string> arguments;
    for (const auto& [name, total] : details.pools) {
        arguments.insert(arguments.end(), {"--pool", name + '=' + std::to_string(total)});
    }
    if (details.capacity) {
        arguments.insert(arguments.end(), {"--capacity", *details.capacity});
    }
    if (!details.windows.empty()) {
        arguments.insert(arguments.end(), {"--windows", details.windows});
    }
    if (!details.limits.empty()) {
        arguments.insert(arguments.end(), {"--limits", details.limits});
    }
    return arguments;
}

std::vector<Window> windows_of(const MachineDetails& details) {
    if (details.windows_text) {
        return parse_windows(*details.windows_text, details.windows);
    }
    return details.windows.empty() ? std::vector<Window>() : read_windows(details.windows);
}

std::vector<Limit> limits_of(const MachineDetails& details) {
    if (details.limits_text) {
        return parse_limits(*details.limits_text, details.limits);
    }
    return details.limits.empty() ? std::vector<Limit>() : read_limits(details.limits);
}

std::string note_on_no_limits(const std::string& path) {
    return path + ": there is no limit in it, expected one on each line";
}

std::string note_on_no_windows(const std::string& path) {
    return path + ": there is no window in it, expected one on each line";
}

void add_details(Platform& platform, const MachineDetails& details) {
    add_resources(platform.hosts, details);
    platform.windows = windows_of(details);
    if (platform.windows.empty() && !details.windows.empty()) {
        platform.notes.push_back(note_on_no_windows(details.windows));
    }
    platform.limits = limits_of(details);
    if (platform.limits.empty() && !details.limits.empty()) {
        platform.notes.push_back(note_on_no_limits(details.limits));
    }
    if (!platform.limits.empty()) {
        platform.machine().require_resources();  // throws for what cannot be
    }
    if (!platform.windows.empty()) {
        const Resources resources(platform.hosts, name_hosts(platform.windows));
        resolved(platform.windows, resources, static_cast<int>(platform.hosts.size()));  // throws for what cannot be
    }
}

Platform named_platform(const std::optional<std::string>& word, const MachineDetails& details, int hosts) {
    if (word) {
        return named_platform(*word, details);
    }
    Platform platform = homogeneous_platform(hosts);
    add_details(platform, details);
    return platform;
}

Platform named_platform(const std::string& word, const MachineDetails& details) {
    const std::optional<int> number = number_of_hosts(word);
    Platform platform =
        number ? homogeneous_platform(*number) : read_platform(platform_file(word), details.master_host);
    add_details(platform, details);
    return platform;
}

}  // namespace batfill
