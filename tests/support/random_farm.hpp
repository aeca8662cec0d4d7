#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <batfill/core/machine.hpp>

#include "tests/support/random.hpp"

// Random farms: machines with processors and installable licences, and jobs that need licences.

namespace batfill::tests {

// Up to `most_machines` machines of few speeds, with processors in a row or interleaved. Each host has its speed as
// Host::speed and as the property `speed`, because Batsim sends only the latter.
inline std::vector<Host> random_farm(Random& random, int processors, int most_machines = 6) {
    std::string copies;
    if (!random.one_in(10)) {
        for (const char* license : {"l0", "l1", "l2"}) {
            copies += (copies.empty() ? "" : ", ") + std::string(license) + ":" +
                      (random.one_in(10) ? "0" : std::to_string(random.between(1, 3)));
        }
    }
    struct Kind {
        std::string machine;
        int speed;
        std::string licenses;
    };
    std::vector<Kind> kinds;
    const int machines = random.between(1, most_machines);
    for (int i = 0; i < machines; ++i) {
        Kind kind{random.one_in(8) ? "" : "m" + std::to_string(i), random.between(1, 3), ""};
        for (const char* license : {"l0", "l1", "l1", "l2", "only-hosts-have-it"}) {
            if (!random.one_in(3)) {
                kind.licenses += (kind.licenses.empty() ? "" : ",") + std::string(license);
            }
        }
        kinds.push_back(kind);
    }
    const bool interleaved = random.one_in(2);
    std::vector<Host> hosts;
    for (int i = 0; i < processors; ++i) {
        const int number = interleaved ? random.below(machines) : i * machines / processors;
        const Kind& kind = kinds[static_cast<std::size_t>(number)];
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
inline std::vector<std::string> random_licenses(Random& random) {
    std::vector<std::string> licenses;
    for (const char* license : {"l2", "l0", "l1", "l1"}) {
        if (random.one_in(6)) {
            licenses.emplace_back(license);
        }
    }
    if (random.one_in(40)) {
        licenses.emplace_back("only-hosts-have-it");
    }
    return licenses;
}

}  // namespace batfill::tests
