#pragma once

#include <string>

// The lines of a file of events: lost("4", "0-2") + back("9.5", "0-2").
namespace batfill::tests {

inline std::string machine_event(const std::string& type, const std::string& seconds, const std::string& processors) {
    return R"({"type":")" + type + R"(","timestamp":)" + seconds + R"(,"resources":")" + processors + "\"}\n";
}
inline std::string lost(const std::string& seconds, const std::string& processors) {
    return machine_event("machine_unavailable", seconds, processors);
}
inline std::string back(const std::string& seconds, const std::string& processors) {
    return machine_event("machine_available", seconds, processors);
}

}  // namespace batfill::tests
