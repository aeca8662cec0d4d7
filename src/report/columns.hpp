#pragma once

#include <cstdint>
#include <string>

namespace batfill::report {

// A column of integers in few bytes. Each integer is a variable number of bytes of seven bits, the lowest first. The
// eighth bit is set if another byte follows. page.js reads it.
class Column {
 public:
    // Appends a number.
    // Requires: it is at least 0 and below 2^53, the integers that JavaScript has.
    void add(std::uint64_t value);
    // Appends a number of either sign: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
    // Requires: its absolute value is below 2^52.
    void add_signed(std::int64_t value);

    // All bytes in Base64 (RFC 4648, with padding).
    std::string base64() const;

 private:
    std::string bytes_;
};

}  // namespace batfill::report
