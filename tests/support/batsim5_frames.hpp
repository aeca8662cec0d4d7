#pragma once

#include <string>
#include <vector>

// Messages as Batsim 5 writes them.
namespace batfill::tests::batsim5 {

inline std::string event(const std::string& time, const std::string& type, const std::string& data) {
    return R"({"timestamp":)" + time + R"(,"event_type":")" + type + R"(","event":)" + data + "}";
}

inline std::string frame(const std::string& now, const std::vector<std::string>& events) {
    std::string list;
    for (const std::string& one : events) {
        list += (list.empty() ? "" : ",") + one;
    }
    return R"({"now":)" + now + R"(,"events":[)" + list + "]}";
}

// The first message: the size of the user's text, shorter than 256 bytes, and that text.
inline std::string init(const std::string& text) {
    return static_cast<char>(text.size()) + std::string(3, '\0') + text;
}

}  // namespace batfill::tests::batsim5
