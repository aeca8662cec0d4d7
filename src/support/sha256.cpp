#include "sha256.hpp"

#include <array>
#include <fstream>
#include <iterator>

#include <sodium.h>

#include <batfill/core/error.hpp>

namespace batfill {

std::string sha256(std::string_view bytes) {
    std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
    crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    std::array<char, 2 * crypto_hash_sha256_BYTES + 1> text{};
    return sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
}

std::string sha256_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
        throw InputError(path + ": cannot be read");
    }
    return sha256(bytes);
}

}  // namespace batfill
