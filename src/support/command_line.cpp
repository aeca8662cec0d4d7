#include "src/support/command_line.hpp"

#include <string>

#include <batfill/core/error.hpp>

#include "src/support/escaped.hpp"

namespace batfill {

std::string command_line(const Arguments& arguments) {
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
