#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <batfill/core/error.hpp>

namespace batfill {

namespace {

struct Character {
    std::uint32_t code;
    std::size_t size;  // in bytes
};

// The first character of `text`. None if it is not complete, valid UTF-8.
std::optional<Character> first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};  // the smallest code of each size
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return Character{lead, 1};
    }
    const std::size_t size = lead >= 0xF0 ? 4 : (lead >= 0xE0 ? 3 : 2);
    if (lead < 0xC0 || lead > 0xF4 || size > text.size()) {
        return std::nullopt;
    }
    std::uint32_t code = lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return std::nullopt;
        }
        code = code << 6 | (byte(i) & 0x3FU);
    }
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < least[size] || code > 0x10FFFF || is_surrogate ? std::nullopt : std::optional(Character{code, size});
}

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
        const std::optional<Character> character = first_character(text);
        const std::size_t size = character ? character->size : 1;
        if (!character) {
            append_escape("\\x", static_cast<unsigned char>(text[0]), 2, line);
        } else if (is_plain(character->code)) {
            line += text.substr(0, size);
        } else if (character->code == '\n') {
            line += "\\n";
        } else {
            append_escape("\\u", character->code, 4, line);
        }
        text.remove_prefix(size);
    }
    return line;
}

}  // namespace batfill
