#include "src/formats/named_platform.hpp"

#include <cassert>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/support/names.hpp"
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
    if (!hosts || *hosts < 1 || *hosts > most_hosts) {
        throw UsageError("platform: expected 1 to " + std::to_string(most_hosts) + " hosts, found " + word);
    }
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
                     (nearest ? "did you mean '" + *nearest + "'? Expected" : "expected") +
                     " a SimGrid platform file, a number of hosts, or one of " +
                     (known.empty() ? "none" : list_of(known)));
}

Platform named_platform(const std::string& word, const std::string& master_host) {
    const std::optional<int> hosts = number_of_hosts(word);
    return hosts ? homogeneous_platform(*hosts) : read_platform(platform_file(word), master_host);
}

}  // namespace batfill
