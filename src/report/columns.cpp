#include "src/report/columns.hpp"

#include <new>

#include <sodium.h>
#include <zlib.h>

#include "src/support/interruption.hpp"

namespace batfill::report {

namespace {

std::string base64(const std::string& bytes) {
    std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    const auto* const from = reinterpret_cast<const unsigned char*>(bytes.data());  // NOLINT(*-reinterpret-cast)
    sodium_bin2base64(text.data(), text.size(), from, bytes.size(), sodium_base64_VARIANT_ORIGINAL);
    text.pop_back();  // the zero at its end
    return text;
}

}  // namespace

std::string packed(std::string_view bytes) {
    look_for_interruption();
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
