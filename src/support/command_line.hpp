#pragma once

#include <string>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/support/text.hpp"

namespace batfill {

using Arguments = std::vector<std::string>;

// Returns the arguments as one line that a shell splits into the same arguments.
inline std::string command_line(const Arguments& arguments) {
    constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
    std::string line;
    for (const std::string& argument : arguments) {
        line += line.empty() ? "" : " ";
        const bool is_plain = !argument.empty() && argument.find_first_not_of(plain) == std::string::npos;
        line += is_plain ? argument : "'" + escaped(argument, {{'\'', "'\\''"}}) + "'";
    }
    return one_line(line);
}

}  // namespace batfill
