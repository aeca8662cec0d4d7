#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace batfill::report {

// The bytes compressed (zlib, RFC 1950), in Base64 (RFC 4648, with padding). The page unpacks them.
std::string packed(std::string_view bytes);

// A compact column of integers. Each integer takes a variable number of bytes with seven bits each, the lowest first.
// The eighth bit says that another byte follows. page_data.js reads this.
class Column {
 public:
    // Appends a number.
    // Requires: it is at least 0 and below 2^53, the integers that JavaScript has.
    void add(std::uint64_t value);
    // Appends a number of either sign: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
    // Requires: its absolute value is below 2^52.
    void add_signed(std::int64_t value);

    // Appends by how much a number is above the one of the call before, at first above 0.
    // Requires: as above, of the difference.
    void add_change(std::int64_t value) { add_signed(value - std::exchange(before_, value)); }

    const std::string& bytes() const { return bytes_; }

 private:
    std::string bytes_;
    std::int64_t before_ = 0;  // of add_change()
};

}  // namespace batfill::report
