#include "src/support/text.hpp"

#include <cctype>
#include <filesystem>

namespace batfill {

namespace {

// The number of edits that turn one word into the other: insert, delete or replace a character, or swap neighbours.
std::size_t slips_between(const std::string& from, const std::string& to) {
    std::vector<std::vector<std::size_t>> slips(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
    for (std::size_t i = 0; i <= from.size(); ++i) {
        for (std::size_t j = 0; j <= to.size(); ++j) {
            if (i == 0 || j == 0) {
                slips[i][j] = i + j;
                continue;
            }
            const std::size_t same = from[i - 1] == to[j - 1] ? 0 : 1;
            slips[i][j] = std::min({slips[i - 1][j] + 1, slips[i][j - 1] + 1, slips[i - 1][j - 1] + same});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                slips[i][j] = std::min(slips[i][j], slips[i - 2][j - 2] + 1);
            }
        }
    }
    return slips.back().back();
}

// Whether names differ only in their digits, such as batsim4 and batsim5. Then neither is a typing error for the other.
bool differ_in_digits(const std::string& name, const std::string& other) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                      [&](char a, char b) { return a == b || (is_digit(a) && is_digit(b)); });
}

}  // namespace

std::string list_of(const std::vector<std::string>& names, std::string_view separator) {
    std::string list;
    for (const std::string& name : names) {
        list += list.empty() ? "" : separator;
        list += name;
    }
    return list;
}

std::optional<std::string> nearest_name(const std::string& name, const std::vector<std::string>& known) {
    constexpr std::size_t longest_slip = 40;  // nobody mistypes so many characters
    if (name.size() > longest_slip) {
        return std::nullopt;
    }
    // Allows one error in a short name, two in a longer one.
    const std::size_t most_slips = name.size() < 5 ? 1 : 2;
    const auto slips = [&](const std::string& other) { return slips_between(name, other); };
    const auto nearest = std::ranges::min_element(known, {}, slips);
    if (nearest != known.end() && slips(*nearest) <= most_slips && !differ_in_digits(name, *nearest)) {
        return *nearest;
    }
    // A user may know only the beginning of a name.
    constexpr std::size_t shortest_beginning = 3;
    const auto begins = [&](const std::string& candidate) { return candidate.starts_with(name); };
    const bool is_one = name.size() >= shortest_beginning && std::ranges::count_if(known, begins) == 1;
    return is_one ? std::optional(*std::ranges::find_if(known, begins)) : std::nullopt;
}

std::string names_instead(const std::string& name, const std::vector<std::string>& known) {
    const std::optional<std::string> nearest = nearest_name(name, known);
    return (nearest ? "did you mean '" + *nearest + "'? Known: " : "known: ") + list_of(known);
}

std::string unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
    return "unknown " + what + " '" + name + "', " + names_instead(name, known);
}

std::string counted(std::size_t number, const std::string& what) {
    return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

std::string workload_name(const std::string& path) {
    std::filesystem::path name = std::filesystem::path(path).filename();
    if (name.extension() == ".gz") {
        name = name.stem();
    }
    // In sp2-0.9 there is a number behind the point.
    const std::string ending = name.extension().string();
    return (ending.size() > 1 && std::isalpha(static_cast<unsigned char>(ending[1])) != 0 ? name.stem() : name)
        .string();
}

std::string enumeration(std::vector<std::string> names) {
    constexpr std::size_t most = 6;
    if (names.size() > most) {
        const std::string more = std::to_string(names.size() - most + 1) + " more";
        names.resize(most - 1);
        names.push_back(more);
    }
    std::string text = list_of(names);
    if (const std::size_t comma = text.rfind(", "); names.size() > 1) {
        text.replace(comma, 2, " and ");
    }
    return text;
}

}  // namespace batfill
