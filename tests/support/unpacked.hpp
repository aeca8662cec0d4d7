#pragma once

#include <string>

#include <catch2/catch.hpp>
#include <zlib.h>

namespace batfill::tests {

// Undoes report::packed(). At most 64 KiB.
inline std::string unpacked(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string compressed;
    unsigned bits = 0;
    unsigned held = 0;
    for (const char c : text.substr(0, text.find('='))) {
        held = (held << 6 | static_cast<unsigned>(digits.find(c))) & 0xffffU;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            compressed += static_cast<char>(held >> bits & 0xffU);
        }
    }
    std::string bytes(1 << 16, '\0');
    uLongf size = bytes.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(compressed.data()),
                       compressed.size()) == Z_OK);
    return bytes.substr(0, size);
}

}  // namespace batfill::tests
