#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/test_data.hpp"

// Conversations of the real Batsim 5 with schedulers of its own. The files are not part of the project.
namespace batfill::tests {

struct RecordedMessage {
    bool from_batsim;
    std::string text;  // JSON
};

inline bool have_batsim5_recordings() {
    return have_test_data("batsim5/recordings");
}

inline std::vector<std::filesystem::path> batsim5_recordings() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(test_data("batsim5/recordings"))) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

// Reads the messages, but neither the user's text at the beginning nor empty calls. Each message is the last member of
// the object in its line, and is copied unchanged, down to the digits.
inline std::vector<RecordedMessage> read_batsim5_recording(const std::filesystem::path& path) {
    std::vector<RecordedMessage> messages;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::string_view key = R"("message":)";
        const std::size_t at = line.find(key);
        if (at != std::string::npos) {
            const std::size_t begin = at + key.size();
            const bool from_batsim = line.find("\"batsim\"") < at;
            messages.push_back({from_batsim, line.substr(begin, line.rfind('}') - begin)});
        }
    }
    return messages;
}

}  // namespace batfill::tests
