#include <cstdint>

#include <boost/locale/utf.hpp>

#include <batfill/core/error.hpp>

namespace batfill {

namespace {

bool is_plain(std::uint32_t code) {
    const bool is_control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
    const bool ends_line = code == 0x2028 || code == 0x2029;
    const bool turns_direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                                 (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return !is_control && !ends_line && !turns_direction;
}

void append_escape(std::string_view prefix, std::uint32_t code, int digits, std::string& out) {
    out += prefix;
    for (int digit = digits - 1; digit >= 0; --digit) {
        out += "0123456789ABCDEF"[code >> (4 * digit) & 15U];
    }
}

}  // namespace

std::string one_line(std::string_view text) {
    std::string line;
    line.reserve(text.size());
    while (!text.empty()) {
        const char* rest = text.data();
        const std::uint32_t code = boost::locale::utf::utf_traits<char>::decode(rest, text.data() + text.size());
        const bool is_valid = code != boost::locale::utf::illegal && code != boost::locale::utf::incomplete;
        const std::size_t size = is_valid ? static_cast<std::size_t>(rest - text.data()) : 1;
        if (!is_valid) {
            append_escape("\\x", static_cast<unsigned char>(text[0]), 2, line);
        } else if (is_plain(code)) {
            line += text.substr(0, size);
        } else if (code == '\n') {
            line += "\\n";
        } else {
            append_escape("\\u", code, 4, line);
        }
        text.remove_prefix(size);
    }
    return line;
}

}  // namespace batfill
