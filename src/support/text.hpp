#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>

// Parts of texts, numbers in them, and names in messages.
namespace batfill {

inline constexpr std::string_view blanks = " \t\r\n";

inline std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// The letter in lower case, if it is one of ASCII.
constexpr char lower_letter(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
inline std::string in_lower_letters(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), lower_letter);
    return lower;
}

// Whether the texts are equal but for the case of ASCII letters.
inline bool equal_in_any_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_letter, lower_letter);
}

// Whether the text is one of the words, in any case.
inline bool is_word_of(std::string_view text, std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return equal_in_any_case(text, word); });
}

// The beginning of a text, in quotes and on one line, for an error message.
inline std::string excerpt(std::string_view text) {
    constexpr std::size_t shown = 60;
    return "'" + one_line(text.substr(0, shown)) + (text.size() > shown ? "...'" : "'");
}

// The texts before and after the first `separator`. The second is empty if there is none.
inline std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator) {
    const std::size_t at = std::min(text.find(separator), text.size());
    return {text.substr(0, at), text.substr(std::min(at + 1, text.size()))};
}

// The texts between separators: one more than there are separators.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

// Puts the columns of a line, which blanks separate, into `columns`, as far as there is room. Returns how many columns
// the line has.
inline std::size_t split_at_blanks(std::string_view line, std::span<std::string_view> columns) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    std::size_t found = 0;
    for (const auto* at = std::ranges::find_if_not(line, is_blank); at != line.end(); ++found) {
        const auto* const end = std::find_if(at, line.end(), is_blank);
        if (found < columns.size()) {
            columns[found] = std::string_view(at, end);
        }
        at = std::find_if_not(end, line.end(), is_blank);
    }
    return found;
}

// Returns the number that is all of `text`, as std::from_chars() reads it. None if there is no such number.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Returns the whole number that a text with separators between thousands gives, such as 1,024 or 12'345'678. None for
// any other text, also without separators.
inline std::optional<long long> number_with_groups(std::string_view text) {
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

// Returns the number with leading zeros, `width` digits in all. Names with it sort in the order of the numbers.
// Requires: the number fits in `width` digits.
inline std::string padded(std::size_t number, std::size_t width) {
    const std::string text = std::to_string(number);
    return std::string(width - text.size(), '0') + text;
}

// Returns `text` with a replacement for each of some characters.
inline std::string escaped(std::string_view text,
                           std::initializer_list<std::pair<char, std::string_view>> replacements) {
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        const auto* const found = std::ranges::find(replacements, c, &std::pair<char, std::string_view>::first);
        result += found == replacements.end() ? std::string_view(&c, 1) : found->second;
    }
    return result;
}

// Escapes text for HTML and SVG, between tags. Control characters, which SVG forbids, become spaces; what is not UTF-8
// is written as one_line() does.
inline std::string markup_text(std::string_view text) {
    std::string plain(text);
    std::ranges::replace_if(
        plain, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return escaped(one_line(plain), {{'&', "&amp;"}, {'<', "&lt;"}});
}

// Joins names, as for error messages: "a, b, c".
std::string list_of(const std::vector<std::string>& names, std::string_view separator = ", ");
// The part of an error message after an unknown name: "did you mean 'simulate'? Known: ...", or "known: ..." without a
// guess if no name is near.
std::string names_instead(const std::string& name, const std::vector<std::string>& known);
// The known name that a user who typed `name` probably meant: one that is near, or the only one that begins with it.
std::optional<std::string> nearest_name(const std::string& name, const std::vector<std::string>& known);
// An error message for an unknown name: "unknown command 'simulat', did you mean 'simulate'? Known: ...", or without a
// guess if no name is near. `what` is the kind of thing.
std::string unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& known);

// "a, b and c"; for more than six names, "a, b, c, d, e and 40 more".
std::string enumeration(std::vector<std::string> names);

// "1 run", "2 runs".
std::string counted(std::size_t number, const std::string& what);

// Returns the name of a file's workload in tables and file names: "sp2-01" for "weeks/sp2-01.json.gz".
// An ending begins with a letter: "sp2-0.9" stays.
std::string workload_name(const std::string& path);

}  // namespace batfill
