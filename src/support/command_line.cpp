#include "command_line.hpp"

#include <string>

#include <batfill/core/error.hpp>

namespace batfill {

std::string command_line(const Arguments& arguments) {
    constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
    std::string line;
    for (const std::string& argument : arguments) {
        line += line.empty() ? "" : " ";
        if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument) {
            line += c == '\'' ? "'\\''" : std::string(1, c);
        }
        line += '\'';
    }
    return one_line(line);
}

}  // namespace batfill
