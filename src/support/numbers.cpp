#include "src/support/numbers.hpp"

#include <algorithm>

namespace batfill {

std::optional<long long> number_with_groups(std::string_view text) {
    constexpr std::size_t group = 3;
    const std::size_t first = std::min(text.find_first_not_of("0123456789"), text.size());
    if (first == 0 || first > group || first == text.size() ||
        std::string_view(",'_ ").find(text[first]) == std::string_view::npos) {
        return std::nullopt;
    }
    std::string digits(text.substr(0, first));
    for (std::size_t at = first; at < text.size(); at += group + 1) {
        const std::string_view part = text.substr(at + 1, group);
        if (text[at] != text[first] || part.size() != group ||
            part.find_first_not_of("0123456789") != std::string_view::npos) {
            return std::nullopt;
        }
        digits += part;
    }
    return number_in<long long>(digits);
}

}  // namespace batfill
