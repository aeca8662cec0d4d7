// simgrid_platforms [--machine | --no-latency] PLATFORM.xml
// Compares SimGrid's reading of a platform with ours: hosts, their order, speeds, properties. --no-latency also checks
// what all our platforms promise. --machine also checks that a log's machine has its size.

#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u.hpp>

#include <batfill/formats/platform.hpp>

namespace {

using Properties = std::map<std::string, std::string>;
using Hosts = std::vector<simgrid::s4u::Host*>;

const std::map<std::string, std::size_t> machine_sizes = {
    {"sdsc-sp2", 128},  {"ctc-sp2", 338}, {"kth-sp2", 100},  {"blue-horizon", 1152},
    {"datastar", 1368}, {"hpc2n", 240},   {"intrepid", 640},
};

void require(bool holds, const std::string& what) {
    if (!holds) {
        throw std::runtime_error(what);
    }
}

Properties sorted(const std::unordered_map<std::string, std::string>& properties) {
    return {properties.begin(), properties.end()};
}

// The properties of the host's zone and all enclosing zones. Inner zones override outer ones.
Properties zone_properties(const simgrid::s4u::Host& host) {
    const auto* root = simgrid::s4u::Engine::get_instance()->get_netzone_root();
    const auto* zone = host.get_englobing_zone();
    Properties all = sorted(*zone->get_properties());
    while (zone != root) {
        zone = zone->get_parent();
        Properties outer = sorted(*zone->get_properties());
        all.merge(outer);
    }
    return all;
}

// The hosts that Batsim computes on, in its order.
Hosts compute_hosts() {
    Hosts hosts;
    for (auto* host : simgrid::s4u::Engine::get_instance()->get_all_hosts()) {
        const char* role = host->get_property("role");
        if (host->get_name() != "master_host" && (role == nullptr || std::string(role) == "compute_node")) {
            hosts.push_back(host);
        }
    }
    return hosts;
}

void check_same(const batfill::Platform& ours, const Hosts& theirs) {
    require(ours.hosts.size() == theirs.size(),
            "SimGrid has " + std::to_string(theirs.size()) + " hosts, we have " + std::to_string(ours.hosts.size()));
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const batfill::Host& host = ours.hosts[i];
        const std::string place = "host " + std::to_string(i) + " (" + theirs[i]->get_name() + "): ";
        require(host.name == theirs[i]->get_name(), place + "we have " + host.name);
        require(host.speed == theirs[i]->get_speed(), place + "SimGrid's speed is " +
                                                          std::to_string(theirs[i]->get_speed()) + ", ours is " +
                                                          std::to_string(host.speed));
        require(host.properties == sorted(*theirs[i]->get_properties()), place + "other properties");
        require(host.zone_properties == zone_properties(*theirs[i]), place + "other zone properties");
    }
}

void check_size(const std::filesystem::path& file, const Hosts& hosts) {
    require(hosts.size() == machine_sizes.at(file.stem()), std::to_string(hosts.size()) + " hosts");
}

void check_no_latency(const Hosts& hosts) {
    // Hosts without links in the file get routes when the zone is sealed. A simulation does that first.
    simgrid::s4u::Engine::get_instance()->get_netzone_root()->seal();
    const Hosts ends = {simgrid::s4u::Host::by_name("master_host"), hosts.front(), hosts.back()};
    for (const auto* from : ends) {
        for (const auto* to : ends) {
            std::vector<simgrid::s4u::Link*> links;
            double latency = 0;
            from->route_to(to, links, &latency);
            require(latency == 0 && links.empty(), from->get_name() + " to " + to->get_name() + ": latency " +
                                                       std::to_string(latency) + ", " + std::to_string(links.size()) +
                                                       " links");
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string option = argc > 2 ? argv[1] : "";
    const std::string file = argv[argc - 1];
    // The engine removes its own options from argv. There are none here.
    simgrid::s4u::Engine engine(&argc, argv);
    try {
        engine.load_platform(file);
        const Hosts hosts = compute_hosts();
        check_same(batfill::read_platform(file), hosts);
        if (option == "--machine") {
            check_size(file, hosts);
        }
        if (!option.empty()) {
            check_no_latency(hosts);
        }
        std::cout << file << ": " << hosts.size() << " hosts, read alike\n";
        return 0;
    } catch (const std::exception& problem) {
        std::cerr << file << ": " << problem.what() << '\n';
        return 1;
    }
}
