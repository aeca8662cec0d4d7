#include <array>
#include <cassert>
#include <charconv>
#include <map>
#include <sstream>
#include <string>

#include <pugixml.hpp>

#include <batfill/formats/platform.hpp>

namespace batfill {

namespace {

// The shortest text without an exponent that reads back as the same number.
std::string speed_text(double speed) {
    std::array<char, 400> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), speed, std::chars_format::fixed);
    return {buffer.data(), result.ptr};
}

void append_properties(pugi::xml_node element, const std::map<std::string, std::string>& properties) {
    for (const auto& [id, value] : properties) {
        pugi::xml_node property = element.append_child("prop");
        property.append_attribute("id").set_value(id.c_str());
        property.append_attribute("value").set_value(value.c_str());
    }
}

pugi::xml_node append_host(pugi::xml_node zone, const std::string& name, const std::string& speed) {
    pugi::xml_node element = zone.append_child("host");
    element.append_attribute("id").set_value(name.c_str());
    element.append_attribute("speed").set_value(speed.c_str());
    element.append_attribute("coordinates").set_value("0 0 0");
    return element;
}

}  // namespace

std::string platform_text(const Platform& platform, const std::string& comment) {
    assert(!platform.hosts.empty());
    pugi::xml_document document;
    document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
    document.append_child(pugi::node_comment).set_value(("\n" + comment + "\n").c_str());
    pugi::xml_node root = document.append_child("platform");
    root.append_attribute("version").set_value("4.1");
    pugi::xml_node zone = root.append_child("zone");
    zone.append_attribute("id").set_value("machine");
    zone.append_attribute("routing").set_value("Vivaldi");
    append_properties(zone, platform.hosts.front().zone_properties);
    append_host(zone, "master_host", "1Gf");
    for (const Host& host : platform.hosts) {
        assert(host.speed > 0 && host.zone_properties == platform.hosts.front().zone_properties);
        append_properties(append_host(zone, host.name, speed_text(host.speed) + "f"), host.properties);
    }
    std::ostringstream text;
    document.save(text, "  ");
    return text.str();
}

}  // namespace batfill
