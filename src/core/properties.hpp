#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/machine.hpp>

// The properties of hosts and zones.
namespace batfill {

// The names in a comma-separated list, without surrounding blanks and without empty names.
inline std::vector<std::string_view> names_in(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view part = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        const std::size_t first = part.find_first_not_of(' ');
        if (first != std::string_view::npos) {
            parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
        }
    }
    return parts;
}

// A name in a sentence: in quotes if it is empty or has blanks.
inline std::string clear_name(std::string_view name) {
    const bool is_clear = !name.empty() && name.find_first_of(" \t") == std::string_view::npos;
    return is_clear ? std::string(name) : "'" + std::string(name) + "'";
}

// Empty if the property does not exist.
inline std::string_view property(const std::map<std::string, std::string>& properties, const std::string& name) {
    const auto found = properties.find(name);
    return found == properties.end() ? std::string_view() : std::string_view(found->second);
}

// Other programs have properties of the names of ours, such as `capacity` "500GB" of a disk. Whether a value of
// `pools`, `capacity`, `partitions` or `licenses` is meant for us: amounts, with "NAME:NUMBER" as at least one entry,
// or names, without an entry such as "sda1:100GB". It may still be wrong: "cores:1.5", "cores:4,cores:5". True for
// other properties.
bool is_ours(std::string_view name, std::string_view value, bool of_zone = false);

// Removes those that are not meant for us, of hosts and of their zones: Resources and Machine read all that they find.
// Returns a sentence on each name of them.
// Cost: O(hosts + length of different values).
std::vector<std::string> remove_properties_of_others(std::span<Host> hosts);

}  // namespace batfill
