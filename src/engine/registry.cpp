#include "src/engine/registry.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>

#include "src/engine/machine_failures.hpp"
#include "src/support/names.hpp"

namespace batfill {

namespace {

// Sorted by name, so that lists of algorithms do not depend on the order of registration.
std::map<std::string, AlgorithmDescription>& registry() {
    static std::map<std::string, AlgorithmDescription> algorithms;
    return algorithms;
}

LoadedAlgorithms* loaded = nullptr;  // set while a plugin is loaded

}  // namespace

std::string text_of(const std::vector<Statistic>& statistics) {
    std::string text;
    for (const Statistic& statistic : statistics) {
        text += (text.empty() ? "" : ", ") + statistic.name + ' ' + std::to_string(statistic.value);
    }
    return text;
}

AlgorithmDescription with_common_parameters(AlgorithmDescription description) {
    std::vector<std::string> placements;
    for (const Placement placement : description.placements) {
        placements.emplace_back(to_string(placement));
    }
    description.parameters.push_back(
        Parameter::seconds("default-walltime", "", "walltime of jobs that have none; without it they are rejected"));
    description.parameters.push_back(Parameter::seconds(
        "walltime-margin", "", "added to the walltimes in plans; jobs still stop at their walltimes"));
    description.parameters.push_back(
        Parameter::choice("placement", placements, placements.front(), "which of the idle processors a job gets"));
    for (Parameter& parameter : MachineFailures::parameters()) {
        description.parameters.push_back(std::move(parameter));
    }
    return description;
}

void registration::BATFILL_INTERFACE(AlgorithmDescription description) {
    const std::string name = description.name;
    const bool is_new = registry().emplace(name, with_common_parameters(std::move(description))).second;
    if (loaded != nullptr) {
        (is_new ? loaded->names : loaded->taken).push_back(name);
    } else if (!is_new) {
        throw std::logic_error("two algorithms have the name " + name);
    }
}

void record_registrations(LoadedAlgorithms* in) {
    loaded = in;
}

void unregister_algorithm(const std::string& name) {
    registry().erase(name);
}

std::vector<const AlgorithmDescription*> registered_algorithms() {
    std::vector<const AlgorithmDescription*> all;
    for (const auto& [name, description] : registry()) {
        all.push_back(&description);
    }
    return all;
}

namespace {

std::vector<std::string> names_of_algorithms() {
    std::vector<std::string> names;
    for (const auto& [name, description] : registry()) {
        names.push_back(name);
    }
    return names;
}

}  // namespace

std::string known_algorithms() {
    return list_of(names_of_algorithms());
}

const AlgorithmDescription& find_algorithm(const std::string& name) {
    const auto found = registry().find(name);
    if (found == registry().end()) {
        throw UsageError(unknown_name("algorithm", name, names_of_algorithms()));
    }
    return found->second;
}

}  // namespace batfill
