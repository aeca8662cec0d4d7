#include "farm.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <batfill/error.hpp>

namespace batfill::analysis {

namespace {

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        const std::size_t first = part.find_first_not_of(' ');
        if (first != std::string_view::npos) {
            parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
        }
    }
    return parts;
}

// Empty if there is no such property.
std::string_view property(const std::map<std::string, std::string>& properties, const std::string& name) {
    const auto found = properties.find(name);
    return found == properties.end() ? std::string_view() : std::string_view(found->second);
}

void add_copies(std::map<std::string, long long>& copies, const std::string& text) {
    for (const std::string_view part : split(text)) {
        const std::size_t colon = part.rfind(':');
        long long number = -1;
        if (colon != std::string_view::npos && colon > 0) {
            const char* const end = part.data() + part.size();
            if (std::from_chars(part.data() + colon + 1, end, number).ptr != end) {
                number = -1;
            }
        }
        if (number < 0) {
            throw InputError("platform: zone property licenses has '" + std::string(part) + "', expected name:copies");
        }
        const std::string name(part.substr(0, colon));
        const auto [known, added] = copies.emplace(name, number);
        if (!added && known->second != number) {
            throw InputError("platform: zone property licenses gives both " + std::to_string(known->second) + " and " +
                             std::to_string(number) + " copies of " + name);
        }
    }
}

}  // namespace

Farm read_farm(const Platform& platform) {
    Farm farm;
    const std::string* previous = nullptr;
    for (const Host& host : platform.hosts) {
        const auto zone = host.zone_properties.find("licenses");
        // Hosts of one zone have the same text, which is read only once.
        if (zone != host.zone_properties.end() && (previous == nullptr || *previous != zone->second)) {
            add_copies(farm.copies, zone->second);
            previous = &zone->second;
        }
        Farm::Host& farm_host = farm.hosts.emplace_back();
        farm_host.machine = property(host.properties, "machine");
        for (const std::string_view name : split(property(host.properties, "licenses"))) {
            farm_host.licenses.emplace(name);
        }
    }
    return farm;
}

}  // namespace batfill::analysis
