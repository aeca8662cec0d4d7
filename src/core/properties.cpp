#include "src/core/properties.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace batfill {

namespace {

// What has properties of this name, and whether they are amounts or names.
struct PropertyKind {
    std::string_view name;
    bool of_zone;
    bool are_amounts;
};
constexpr std::array<PropertyKind, 8> property_kinds{{{"capacity", false, true},
                                                      {"capacity", true, true},
                                                      {"licenses", false, false},
                                                      {"licenses", true, true},
                                                      {"partitions", false, false},
                                                      {"partitions", true, false},
                                                      {"pools", false, true},
                                                      {"pools", true, true}}};

bool is_amount(std::string_view entry) {
    const std::size_t colon = entry.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        return false;
    }
    double value = 0;
    const char* const end = entry.data() + entry.size();
    const auto [read, error] = std::from_chars(entry.data() + colon + 1, end, value);
    return read == end && error != std::errc::invalid_argument;
}

bool is_name(std::string_view entry) {
    const std::size_t sign = entry.find_first_of(":=");
    const std::string_view behind = entry.substr(std::min(sign, entry.size()));
    return behind.size() < 2 || behind[1] < '0' || behind[1] > '9';
}

bool is_ours(const PropertyKind& kind, std::string_view value) {
    const std::vector<std::string_view> entries = names_in(value);
    return kind.are_amounts ? entries.empty() || std::ranges::any_of(entries, is_amount)
                            : std::ranges::all_of(entries, is_name);
}

}  // namespace

bool is_ours(std::string_view name, std::string_view value, bool of_zone) {
    const auto* const kind = std::ranges::find_if(
        property_kinds, [&](const PropertyKind& known) { return known.name == name && known.of_zone == of_zone; });
    return kind == property_kinds.end() || is_ours(*kind, value);
}

std::vector<std::string> remove_properties_of_others(std::span<Host> hosts) {
    std::vector<std::string> notes;
    std::string_view noted;
    for (const PropertyKind& kind : property_kinds) {
        const std::string name(kind.name);
        std::string ours;  // the last value that was
        for (Host& host : hosts) {
            auto& properties = kind.of_zone ? host.zone_properties : host.properties;
            const auto found = properties.find(name);
            if (found == properties.end() || found->second == ours) {
                continue;
            }
            if (is_ours(kind, found->second)) {
                ours = found->second;
                continue;
            }
            if (noted != kind.name) {
                notes.push_back("platform: property " + name + " of " +
                                (kind.of_zone ? "a zone" : "host " + clear_name(host.name)) + " is '" + found->second +
                                "', expected " + (kind.are_amounts ? "NAME:AMOUNT,..." : "NAME,...") +
                                "; such values are ignored");
                noted = kind.name;
            }
            properties.erase(found);
        }
    }
    return notes;
}

}  // namespace batfill
