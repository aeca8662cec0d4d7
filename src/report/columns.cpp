#include "columns.hpp"

#include <cstddef>
#include <new>

#include <zlib.h>

namespace batfill::report {

namespace {

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            // One or two remaining bytes fill only two or three digits; the others become '='.
            text += at + i > bytes.size() ? '=' : digits[group >> (18 - 6 * i) & 0x3f];
        }
    }
    return text;
}

}  // namespace

std::string packed(std::string_view bytes) {
    uLongf size = compressBound(bytes.size());
    std::string compressed(size, '\0');
    // zlib wants a pointer to its own type of bytes.
    const auto* const from = reinterpret_cast<const Bytef*>(bytes.data());  // NOLINT(*-reinterpret-cast)
    auto* const into = reinterpret_cast<Bytef*>(compressed.data());         // NOLINT(*-reinterpret-cast)
    if (compress2(into, &size, from, bytes.size(), Z_DEFAULT_COMPRESSION) != Z_OK) {
        throw std::bad_alloc();  // the only error where there is room for the result
    }
    compressed.resize(size);
    return base64(compressed);
}

void Column::add(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        bytes_ += static_cast<char>(0x80 | (value & 0x7f));
    }
    bytes_ += static_cast<char>(value);
}

void Column::add_signed(std::int64_t value) {
    add(value < 0 ? static_cast<std::uint64_t>(-(value + 1)) * 2 + 1 : static_cast<std::uint64_t>(value) * 2);
}

}  // namespace batfill::report
