#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulator_fixture.hpp"

// Machines with pools, capacities, partitions and windows, and what jobs take of them.
namespace batfill::tests {

enum class Hosts { counted, shared, partitioned };

inline const StatedNeeds::Amounts drawn_pools = {{"power", 8}, {"water", 3}};

inline Platform machine_with_resources(Random& random, int processors, Hosts kind) {
    Platform platform = machine(processors);
    for (std::size_t i = 0; i < platform.hosts.size(); ++i) {
        Host& host = platform.hosts[i];
        for (const auto& [pool, total] : drawn_pools) {
            std::string& listed = host.zone_properties["pools"];
            listed += (listed.empty() ? "" : ",") + pool + ":" + std::to_string(total);
        }
        if (kind == Hosts::shared && (i == 0 || !random.one_in(4))) {
            host.properties["capacity"] = random.one_in(2) ? "cores:4,gpus:2" : "cores:8";
        }
        if (kind != Hosts::counted && (i == 0 || random.one_in(2))) {
            host.properties["partitions"] = random.one_in(2) ? "debug" : "debug,long";
        }
    }
    return platform;
}

// Windows of each kind, at instants that coincide with others in half of the workloads.
inline void add_windows(Random& random, Platform& platform, Hosts kind) {
    const int processors = static_cast<int>(platform.hosts.size());
    for (int i = random.between(0, 6); i > 0; --i) {
        Window window;
        window.name = "window " + std::to_string(i);
        const int from = 10 * random.between(0, 60);
        window.from = Time::seconds(from);
        window.until = Time::seconds(from + 10 * random.between(1, 20));
        window.announced = Time::seconds(10 * random.between(0, from / 10));
        window.running = static_cast<Window::Running>(random.between(0, 2));
        if (random.one_in(3)) {
            window.pools = {{"power", random.between(1, 8)}};
        } else if (random.one_in(3)) {
            window.all_hosts = true;
        } else if (kind == Hosts::counted) {
            window.processors = random.between(1, processors);
        } else {
            const int first = random.between(0, processors - 1);
            window.hosts = ResourceSet::range(first, random.between(first, processors - 1));
        }
        if (random.one_in(3)) {
            window.booked_for = {random.one_in(2) ? "course" : "demo"};
        }
        platform.windows.push_back(std::move(window));
    }
}

// Some jobs are in reservations, and some that wait for earlier ones.
inline void add_reservations(Random& random, Workload& workload) {
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        StatedNeeds needs = *workload.jobs[i].description.needs;
        if (random.one_in(4)) {
            needs.booking = random.one_in(2) ? "course" : "demo";
        }
        if (i > 0 && random.one_in(4)) {
            const auto other = static_cast<std::size_t>(random.between(0, static_cast<int>(i) - 1));
            const std::string& id = workload.jobs[other].description.id;
            needs.after = {{static_cast<Dependency::Kind>(random.between(0, 2)), id.substr(id.find('!') + 1),
                            Duration::seconds(random.one_in(2) ? 0 : 10)}};
        }
        workload.jobs[i].description.needs = std::move(needs);
    }
}

inline void add_needs(Random& random, Workload& workload) {
    for (WorkloadJob& job : workload.jobs) {
        StatedNeeds needs;
        if (random.one_in(2)) {
            needs.pools = {{"power", random.between(0, 5)}, {"water", random.between(0, 1)}};
        }
        if (random.one_in(2)) {
            needs.per_host = {{"cores", random.between(1, 4)}, {"gpus", random.one_in(3) ? 1 : 0}};
        }
        if (random.one_in(3)) {
            needs.partition = "debug";
        }
        job.description.needs = needs;
    }
}

// The first `jobs` jobs take no more of pools than the share of their processors on a machine of so many.
inline void take_no_more_than_shares(Workload& workload, int jobs, int processors) {
    for (WorkloadJob& job : std::span(workload.jobs).first(static_cast<std::size_t>(jobs))) {
        StatedNeeds needs = *job.description.needs;
        for (std::size_t i = 0; i < needs.pools.size(); ++i) {
            Amount& amount = needs.pools[i].second;
            amount = std::min(amount, drawn_pools[i].second / processors * job.description.processors);
        }
        job.description.needs = needs;
    }
}

// Some values of those of these parameters that the algorithm has.
inline DrawnAlgorithm drawn_for_resources(Random& random, const AlgorithmDescription& algorithm) {
    DrawnAlgorithm drawn{algorithm.name, {}};
    const auto add = [&](const std::string& name, const std::vector<std::string>& values) {
        if (std::ranges::count(algorithm.parameters, name, &Parameter::name) > 0) {
            drawn.parameters.emplace_back(
                name, values[static_cast<std::size_t>(random.between(0, static_cast<int>(values.size()) - 1))]);
        }
    };
    add("plan-pools", {"all", "none", "power"});
    add("placement", {"snug", "lowest", "fullest"});
    add("reservations", {"0", "1", "1", "3"});
    add("test-limit", {"0", "2", "100"});
    add("omega", {"0", "1", "3"});
    add("repair", {"paper", "strict"});
    add("on-failure", {"continue", "requeue", "kill"});
    add("when-too-small", {"wait", "reject"});
    return is_accepted(drawn) ? drawn : drawn_for_resources(random, algorithm);
}

}  // namespace batfill::tests
