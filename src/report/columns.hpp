#pragma once

#include <cstdint>
#include <string>

namespace batfill::report {

// A compact column of integers. Each integer takes a variable number of bytes with seven bits each, the lowest first.
// The eighth bit says that another byte follows. page.js reads this.
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
