#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/support/files.hpp"
#include "src/support/json.hpp"

namespace batfill::tests {

// One frame of a run of the real Batsim with a real scheduler.
struct RecordedFrame {
    bool from_batsim;
    std::string text;
};

// All frames of a recorded run, in their order. Each line is a JSON object.
inline std::vector<RecordedFrame> read_recording(const std::string& path) {
    const std::string text = InputFile(path).read_all(std::size_t{1} << 30);
    std::vector<RecordedFrame> frames;
    JsonReader reader;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        Fields fields(reader.parse(std::string_view(text).substr(begin, end - begin)), "");
        frames.push_back({fields.text("from") == "batsim", std::string(fields.text("msg"))});
        begin = end + 1;
    }
    return frames;
}

}  // namespace batfill::tests
