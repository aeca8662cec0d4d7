#pragma once

#include <random>
#include <string>
#include <vector>

#include <batfill/core/machine.hpp>

// Random farms: machines with processors and installable licences, and jobs that need licences.

namespace batfill::tests {

inline bool chance(std::mt19937& random, unsigned one_in) {
    return random() % one_in == 0;
}

// Up to `most_machines` machines of few speeds, with processors in a row or interleaved. Each host has its speed as
// Host::speed and as the property `speed`, because Batsim sends only the latter.
inline std::vector<Host> random_farm(std::mt19937& random, int processors, unsigned most_machines = 6) {
    std::string copies;
    if (!chance(random, 10)) {
        for (const char* license : {"l0", "l1", "l2"}) {
            copies += (copies.empty() ? "" : ", ") + std::string(license) + ":" +
                      (chance(random, 10) ? "0" : std::to_string(1 + random() % 3));
        }
    }
    struct Kind {
        std::string machine;
        int speed;
        std::string licenses;
    };
    std::vector<Kind> kinds;
    const unsigned machines = 1 + static_cast<unsigned>(random() % most_machines);
    for (unsigned i = 0; i < machines; ++i) {
        Kind kind{chance(random, 8) ? "" : "m" + std::to_string(i), 1 + static_cast<int>(random() % 3), ""};
        for (const char* license : {"l0", "l1", "l1", "l2", "only-hosts-have-it"}) {
            if (!chance(random, 3)) {
                kind.licenses += (kind.licenses.empty() ? "" : ",") + std::string(license);
            }
        }
        kinds.push_back(kind);
    }
    const bool interleaved = chance(random, 2);
    std::vector<Host> hosts;
    for (int i = 0; i < processors; ++i) {
        const auto in_a_row = static_cast<unsigned>(i) * machines / static_cast<unsigned>(processors);
        const Kind& kind = kinds[interleaved ? random() % machines : in_a_row];
        Host host{"node" + std::to_string(1000 + i), kind.speed * 1e9, {}, {}};
        host.properties["speed"] = std::to_string(kind.speed) + "000000000";
        if (!kind.machine.empty()) {
            host.properties["machine"] = kind.machine;
        }
        if (!kind.licenses.empty()) {
            host.properties["licenses"] = kind.licenses;
        }
        if (!copies.empty()) {
            host.zone_properties["licenses"] = copies;
        }
        hosts.push_back(host);
    }
    return hosts;
}

// Licences of a job: often none, sometimes one twice, rarely one without copies in any farm.
inline std::vector<std::string> random_licenses(std::mt19937& random) {
    std::vector<std::string> licenses;
    for (const char* license : {"l2", "l0", "l1", "l1"}) {
        if (chance(random, 6)) {
            licenses.emplace_back(license);
        }
    }
    if (chance(random, 40)) {
        licenses.emplace_back("only-hosts-have-it");
    }
    return licenses;
}

}  // namespace batfill::tests
