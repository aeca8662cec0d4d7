#pragma once

#include <cstdint>
#include <string>

namespace batfill::report {

// A column of integers in few bytes: each as a variable number of bytes of seven bits, the lowest first, the eighth
// bit set where another byte follows. page.js reads it.
class Column {
 public:
    // Appends a number that is at least 0 and below 2^53, the integers that JavaScript has.
    void add(std::uint64_t value);
    // Appends a number of either sign, below 2^52 in size: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
    void add_signed(std::int64_t value);

    // All bytes in Base64 (RFC 4648, with padding).
    std::string base64() const;

 private:
    std::string bytes_;
};

}  // namespace batfill::report
