#include "columns.hpp"

#include <cstddef>
#include <string_view>

namespace batfill::report {

void Column::add(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        bytes_ += static_cast<char>(0x80 | (value & 0x7f));
    }
    bytes_ += static_cast<char>(value);
}

void Column::add_signed(std::int64_t value) {
    add(value < 0 ? static_cast<std::uint64_t>(-(value + 1)) * 2 + 1 : static_cast<std::uint64_t>(value) * 2);
}

std::string Column::base64() const {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes_.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes_.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8 | (at + i < bytes_.size() ? static_cast<unsigned char>(bytes_[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            // One or two remaining bytes fill only two or three digits; the others become '='.
            text += at + i > bytes_.size() ? '=' : digits[group >> (18 - 6 * i) & 0x3f];
        }
    }
    return text;
}

}  // namespace batfill::report
