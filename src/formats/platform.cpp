#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <utility>

#include <pugixml.hpp>

#include <batfill/core/error.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/formats/platform.hpp>

#include "src/core/properties.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

using Properties = std::map<std::string, std::string>;

// A few bytes of XML can describe billions of hosts, each with a copy of its zone's properties.
constexpr std::size_t max_expanded_size = std::size_t{256} << 20;
constexpr std::size_t max_platform_size = std::size_t{64} << 20;
constexpr int max_zone_depth = 200;

// Where properties belong.
constexpr const char* in_hosts = "a host or a cluster";
constexpr const char* in_zones = "a zone";

std::optional<int> parse_natural(std::string_view text) {
    const auto value = number_in<int>(text);
    return value >= 0 ? value : std::nullopt;
}

// Reads a speed such as "98.095Mf", "1kiloflops", "1e9f" or "1e9". None if the text is no such number, is negative or
// is not finite. Multiplies by 1000 step by step, as SimGrid does: speeds equal SimGrid's to the last bit.
std::optional<double> parse_speed(std::string_view text) {
    constexpr std::array<std::string_view, 9> short_prefixes = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
    constexpr std::array<std::string_view, 9> long_prefixes = {"",     "kilo", "mega",  "giga", "tera",
                                                               "peta", "exa",  "zetta", "yotta"};
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view prefix = text.substr(static_cast<std::size_t>(end - text.data()));
    const bool is_long = prefix.ends_with("flops");
    if (!prefix.empty() && !is_long && !prefix.ends_with('f')) {
        return std::nullopt;
    }
    prefix.remove_suffix(std::min<std::size_t>(prefix.size(), is_long ? 5 : 1));
    const auto& prefixes = is_long ? long_prefixes : short_prefixes;
    const auto* const known = std::ranges::find(prefixes, prefix);
    double factor = 1;
    for (const auto* smaller = prefixes.begin(); smaller != known; ++smaller) {
        factor *= 1000;
    }
    const bool is_speed =
        error == std::errc() && known != prefixes.end() && value >= 0 && std::isfinite(value * factor);
    return is_speed ? std::optional(value * factor) : std::nullopt;
}

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

std::size_t footprint(const Properties& properties) {
    constexpr std::size_t map_node_bytes = 128;
    std::size_t bytes = 0;
    for (const auto& [key, value] : properties) {
        bytes += map_node_bytes + key.size() + value.size();
    }
    return bytes;
}

class PlatformReader {
 public:
    PlatformReader(std::string_view text, const std::string& source, const std::string& master)
        : text_(text), source_(source), master_(master) {}

    Platform read() {
        pugi::xml_document document;
        const pugi::xml_parse_result result = document.load_buffer(text_.data(), text_.size());
        if (!result) {
            fail_at(result.offset, std::string("not well-formed XML: ") + result.description());
        }
        const pugi::xml_node platform = document.document_element();
        fail_if(std::string_view(platform.name()) != "platform", platform, "expected the root element <platform>");
        const auto version = number_in<double>(required(platform, "version"));
        fail_if(!(version >= 4.0 && version <= 4.1), platform, "expected version 4 or 4.1");
        for (const pugi::xml_node element : platform.children()) {
            if (is_any_of(element.name(), {"zone", "AS", "cluster"})) {
                read_zone_element(element, Zone{});
            } else if (!is_any_of(element.name(), {"config", "random"})) {
                check_unread(element, "<platform>");
            }
        }
        return take_compute_hosts(platform);
    }

 private:
    // What is known of the zone while its content is read.
    struct Zone {
        Properties properties;
        std::string_view routing;
        int depth = 0;
    };

    struct FoundHost {
        Host host;
        pugi::xml_node element;
    };

    [[noreturn]] void fail_at(std::ptrdiff_t offset, const std::string& problem) const {
        const auto length = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)), text_.size());
        const auto before = text_.substr(0, length);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        throw InputError(source_ + ":" + std::to_string(line) + ": " + problem);
    }

    [[noreturn]] void fail(pugi::xml_node element, const std::string& problem) const {
        std::string name = std::string("<") + element.name();
        for (const char* key : {"id", "version"}) {
            if (const pugi::xml_attribute attribute = element.attribute(key)) {
                name += std::string(" ") + key + "=\"" + std::string(attribute.value()).substr(0, 80) + "\"";
            }
        }
        fail_at(element.offset_debug(), name + ">: " + problem);
    }

    void fail_if(bool is_wrong, pugi::xml_node element, const auto&... parts) const {
        if (is_wrong) {
            fail(element, one_text(parts...));
        }
    }

    std::string_view required(pugi::xml_node element, const char* name) const {
        const pugi::xml_attribute attribute = element.attribute(name);
        fail_if(!attribute, element, "attribute '", name, "' is missing");
        return attribute.value();
    }

    void read_zone(pugi::xml_node element, const Zone& outer) {
        refuse_properties(element, {"capacity", "partitions"}, in_hosts, true);
        Zone zone{read_zone_properties(element, outer.properties), required(element, "routing"), outer.depth + 1};
        fail_if(zone.depth > max_zone_depth, element, "zones are nested more than ", max_zone_depth, " deep");
        for (const pugi::xml_node child : element.children()) {
            read_zone_element(child, zone);
        }
    }

    void read_zone_element(pugi::xml_node element, const Zone& zone) {
        const std::string_view name = element.name();
        if (is_any_of(name, {"zone", "AS"})) {
            read_zone(element, zone);
        } else if (name == "host") {
            read_host(element, zone);
        } else if (name == "peer") {
            refuse_profiles(element);
            refuse_properties(element, {"pools", "capacity", "partitions"}, "a host, a cluster or a zone");
            add_host(element, std::string(required(element, "id")), read_speeds(element).front(), {}, zone.properties);
        } else if (name == "cluster") {
            read_cluster(element, zone);
        } else if (name == "cabinet") {
            fail_if(zone.routing != "Cluster", element, "a cabinet must be in a zone with routing=\"Cluster\"");
            refuse_properties(element, {"pools", "capacity", "partitions"}, "a host, a cluster or a zone");
            read_numbered_hosts(element, {}, zone.properties);
        } else if (!is_any_of(name, {"prop", "link", "backbone", "router", "host_link", "route", "bypassRoute",
                                     "zoneRoute", "ASroute", "bypassZoneRoute", "bypassASroute"})) {
            check_unread(element, "a zone");
        }
    }

    // Accepts only traces that change the network.
    void check_unread(pugi::xml_node element, const std::string& place) const {
        const std::string_view name = element.name();
        fail_if(is_any_of(name, {"include", "storage", "storage_type"}), element,
                "SimGrid no longer takes this element");
        if (name == "trace_connect") {
            fail_if(!is_any_of(element.attribute("kind").value(), {"BANDWIDTH", "LATENCY", "LINK_AVAIL"}), element,
                    "hosts whose speed or state changes by a trace are not supported");
        } else if (name != "trace" && element.type() == pugi::node_element) {
            fail(element, "unexpected element in " + place);
        }
    }

    void read_host(pugi::xml_node element, const Zone& zone) {
        refuse_profiles(element);
        refuse_properties(element, {"pools"}, in_zones);
        fail_if(!element.child("mount").empty(), element.child("mount"), "SimGrid no longer takes this element");
        const std::vector<double> speeds = read_speeds(element);
        // Some files write the number of a pstate as "0.0".
        const std::string_view pstate_text = element.attribute("pstate").as_string("0");
        const std::optional<int> pstate = parse_natural(pstate_text.substr(0, pstate_text.find('.')));
        fail_if(!pstate || static_cast<std::size_t>(*pstate) >= speeds.size(), element, "pstate '", pstate_text,
                "' is not the number of one of its ", speeds.size(), " speeds");
        add_host(element, std::string(required(element, "id")), speeds[static_cast<std::size_t>(*pstate)],
                 read_host_properties(element), zone.properties);
        if (speeds.size() > 1) {
            expanded_bytes_ += speeds.size() * sizeof(double);
            hosts_.back().host.pstate_speeds = speeds;
            hosts_.back().host.pstate = *pstate;
        }
    }

    void read_cluster(pugi::xml_node element, const Zone& zone) {
        // In SimGrid, a flat cluster is also a zone with the cluster's properties.
        const bool is_flat =
            std::string_view(element.attribute("topology").as_string("FLAT")) == "FLAT" && !is_left_out(element);
        if (!is_flat) {
            refuse_properties(element, {"pools"}, in_zones);
        }
        read_numbered_hosts(element, read_host_properties(element),
                            is_flat ? read_zone_properties(element, zone.properties) : zone.properties);
    }

    // Adds the hosts of a cluster or cabinet. Their names are prefix, a number of the radical ("0-3,5,7-9"), suffix.
    void read_numbered_hosts(pugi::xml_node element, const Properties& properties, const Properties& zone_properties) {
        const std::string prefix(required(element, "prefix"));
        const std::string suffix(required(element, "suffix"));
        const double speed = read_speeds(element).front();
        for (const std::string_view group : split(required(element, "radical"), ',')) {
            const auto [from, to] = cut(group, '-');
            const std::optional<int> first = parse_natural(trimmed(from));
            const std::optional<int> last = from.size() == group.size() ? first : parse_natural(trimmed(to));
            fail_if(!first || !last || *last < *first || *last == std::numeric_limits<int>::max(), element, [&] {
                return "'" + std::string(trimmed(group)) + "' in its radical is not a number or a range FIRST-LAST";
            });
            for (int number = *first; number <= *last; ++number) {
                std::string name = prefix;
                name.append(std::to_string(number)).append(suffix);
                add_host(element, std::move(name), speed, properties, zone_properties);
            }
        }
    }

    // Reads the speeds of all pstates; at least one exists.
    std::vector<double> read_speeds(pugi::xml_node element) const {
        std::vector<double> speeds;
        for (const std::string_view text : split(required(element, "speed"), ',')) {
            const std::optional<double> speed = parse_speed(trimmed(text));
            fail_if(!speed, element, [&] {
                return "speed '" + std::string(trimmed(text)) + "' is not a number with a unit such as Mf or Gf";
            });
            speeds.push_back(*speed);
        }
        return speeds;
    }

    void refuse_profiles(pugi::xml_node element) const {
        for (const char* name : {"speed_file", "availability_file", "state_file"}) {
            fail_if(*element.attribute(name).value() != '\0', element, "attribute '", name,
                    "' is not supported: hosts keep speed and state");
        }
    }

    // The properties of a zone, as those of the zone around it and its own say. A pool may be in one zone only.
    Properties read_zone_properties(pugi::xml_node zone, const Properties& outer) {
        for (const auto& [name, value] : read_properties(zone, {})) {
            if (name != "pools" || !is_ours(name, value, true)) {
                continue;
            }
            for (const auto& [pool, total] : amounts_of(zone, name, value)) {
                const auto [first, is_new] = pools_.emplace(pool, PoolOfZone{total, zone});
                if (!is_new) {
                    const pugi::xml_node other = first->second.zone;
                    fail(zone, "pool '" + pool + "' is in another zone, too, <" + other.name() + " id=\"" +
                                   std::string(other.attribute("id").value()).substr(0, 80) +
                                   "\">, expected a pool in one zone");
                }
            }
        }
        return read_properties(zone, outer);
    }

    // Returns `properties`, overridden by those of the element.
    Properties read_properties(pugi::xml_node element, Properties properties) const {
        Properties own;
        for (const pugi::xml_node property : element.children("prop")) {
            const std::string_view name = required(property, "id");
            const bool is_new = own.emplace(name, required(property, "value")).second;
            fail_if(!is_new && is_any_of(name, {"pools", "capacity", "partitions"}) && !is_left_out(element), element,
                    "property ", name, " comes twice, expected one");
        }
        own.merge(properties);
        return own;
    }

    // What `text`, the value of a property of the element, says.
    StatedNeeds::Amounts amounts_of(pugi::xml_node element, const std::string& name, const std::string& text) const {
        try {
            return parse_amounts(text, "property " + name);
        } catch (const InputError& problem) {
            fail(element, problem.what());
        }
    }

    // Whether the hosts of a host or cluster are not among those that compute, so that their properties mean nothing.
    bool is_left_out(pugi::xml_node element) const {
        const auto properties = element.children("prop");
        return (std::string_view(element.name()) != "cluster" && element.attribute("id").value() == master_) ||
               std::ranges::any_of(properties.begin(), properties.end(), [](const pugi::xml_node property) {
                   return std::string_view(property.attribute("id").value()) == "role" &&
                          is_any_of(property.attribute("value").value(), {"master", "storage"});
               });
    }

    // Refuses properties that Resources does not look at in such an element. `instead` says where they belong.
    void refuse_properties(pugi::xml_node element, std::initializer_list<std::string_view> names,
                           const std::string& instead, bool is_zone = false) const {
        if (is_left_out(element)) {
            return;
        }
        for (const pugi::xml_node property : element.children("prop")) {
            const std::string_view name = property.attribute("id").value();
            fail_if(is_any_of(name, names) && is_ours(name, property.attribute("value").value(), is_zone), element,
                    "property ", name, " has no effect here, expected it in ", instead);
        }
    }

    Properties read_host_properties(pugi::xml_node element) const {
        Properties properties = read_properties(element, {});
        if (const auto capacity = properties.find("capacity");
            capacity != properties.end() && is_ours(capacity->first, capacity->second) && !is_left_out(element)) {
            amounts_of(element, "capacity", capacity->second);
        }
        return properties;
    }

    void add_host(pugi::xml_node element, std::string name, double speed, const Properties& properties,
                  const Properties& zone_properties) {
        fail_if(name.empty(), element, "a host without a name");
        expanded_bytes_ += sizeof(FoundHost) + name.size() + footprint(properties) + footprint(zone_properties);
        fail_if(expanded_bytes_ > max_expanded_size, element, "too many hosts and properties for ",
                max_expanded_size >> 20, " MiB");
        hosts_.push_back({Host{std::move(name), speed, properties, zone_properties}, element});
    }

    // Says all pools to all hosts: they are the machine's, whichever zone names them.
    void give_pools(std::vector<Host>& hosts, pugi::xml_node platform) const {
        const std::string text = list_of(
            mapped(pools_, [](const auto& one) { return one.first + ':' + std::to_string(one.second.total); }), ",");
        fail_if(expanded_bytes_ + hosts.size() * text.size() > max_expanded_size, platform,
                "too many hosts and pools for ", max_expanded_size >> 20, " MiB");
        for (Host& host : hosts) {
            if (!text.empty()) {
                host.zone_properties["pools"] = text;
            }
        }
    }

    Platform take_compute_hosts(pugi::xml_node platform) {
        const auto name_of = [](const FoundHost& found) -> const std::string& { return found.host.name; };
        std::ranges::sort(hosts_, {}, name_of);
        if (const auto two = std::ranges::adjacent_find(hosts_, {}, name_of); two != hosts_.end()) {
            fail(std::next(two)->element, "there are two hosts named '" + two->host.name + "'");
        }
        Platform result;
        bool has_master = false;
        for (auto& [host, element] : hosts_) {
            const std::string role = role_of(host, element);
            if (role == "master") {
                fail_if(has_master, element, "host '", host.name, "' is a second master host");
                has_master = true;
            } else if (role == "compute_node") {
                fail_if(!(host.speed > 0), element, "the speed of host '", host.name, "' is not above 0");
                result.hosts.push_back(std::move(host));
            }
        }
        fail_if(!has_master, platform, "no master host: none is named '", master_, "' or has property role=master");
        fail_if(result.hosts.empty(), platform, "no hosts to compute on");
        result.notes = remove_properties_of_others(result.hosts);
        give_pools(result.hosts, platform);
        return result;
    }

    std::string role_of(const Host& host, pugi::xml_node element) const {
        const auto property = host.properties.find("role");
        const std::string role = property == host.properties.end() ? "" : property->second;
        fail_if(!is_any_of(role, {"", "compute_node", "master", "storage"}), element, "role '", role,
                "' is not one of compute_node, master, storage");
        if (host.name == master_) {
            fail_if(!role.empty(), element, "host '", host.name,
                    "' is the master by its name and has property role as well");
            return "master";
        }
        return role.empty() ? "compute_node" : role;
    }

    std::string_view text_;
    const std::string& source_;
    const std::string& master_;
    std::vector<FoundHost> hosts_;
    struct PoolOfZone {
        Amount total;
        pugi::xml_node zone;
    };
    std::map<std::string, PoolOfZone> pools_;
    std::size_t expanded_bytes_ = 0;
};

void append_properties(pugi::xml_node element, const Properties& properties) {
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

// Without cores, SimGrid lets all jobs on a host compute on one. A job that shares a host takes a core of it or, if the
// host counts none, a unit of something else.
void append_cores(pugi::xml_node element, const Host& host) {
    const auto property = host.properties.find("capacity");
    if (property == host.properties.end()) {
        return;
    }
    Amount cores = 0;
    for (const auto& [name, amount] : parse_amounts(property->second, "property capacity")) {
        if (name == "cores") {
            cores = amount;
            break;
        }
        cores = std::max(cores, amount);
    }
    if (cores > 0) {
        element.append_attribute("core").set_value(
            static_cast<int>(std::min<Amount>(cores, std::numeric_limits<int>::max())));
    }
}

}  // namespace

Platform parse_platform(std::string_view text, const std::string& source, const std::string& master) {
    return PlatformReader(text, source, master).read();
}

std::string read_platform_text(const std::string& path) {
    return read_file(path, max_platform_size, "a SimGrid platform (XML)", {FileKind::platform, FileKind::xml});
}

Platform read_platform(const std::string& path, const std::string& master) {
    return parse_platform(read_platform_text(path), path, master);
}

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
        const pugi::xml_node element = append_host(zone, host.name, exact(host.speed) + "f");
        append_cores(element, host);
        append_properties(element, host.properties);
    }
    std::ostringstream text;
    document.save(text, "  ");
    return text.str();
}

}  // namespace batfill
