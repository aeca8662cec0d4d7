#pragma once

#include <string>

#include <batfill/time.hpp>

namespace batfill {

// Appends seconds without needless decimals: "300", "12.5".
inline void append_short_seconds(Duration duration, std::string& out) {
    duration.append_to(out);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') {
        out.pop_back();
    }
}

inline std::string short_seconds(Duration duration) {
    std::string text;
    append_short_seconds(duration, text);
    return text;
}

}  // namespace batfill
