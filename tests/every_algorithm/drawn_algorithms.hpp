#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/engine.hpp>

#include "tests/support/random.hpp"

// Every registered algorithm, or those of plugins, with parameters drawn from its registration. Tests that hold for all
// algorithms use these, so they cover a new algorithm without naming it.

namespace batfill::tests {

// An algorithm and its parameters.
struct DrawnAlgorithm {
    std::string name;
    Parameters::Given parameters;

    // "easy order=saf threshold=20"
    std::string text() const {
        std::string text = name;
        for (const auto& [key, value] : parameters) {
            text += " " + key + "=" + value;
        }
        return text;
    }
};

inline std::string draw_value(Random& random, const Parameter& parameter) {
    switch (parameter.type) {
        case Parameter::Type::choice:
            return parameter
                .choices[static_cast<std::size_t>(random.between(0, static_cast<int>(parameter.choices.size()) - 1))];
        case Parameter::Type::boolean:
            return random.one_in(2) ? "no" : "yes";
        case Parameter::Type::seconds:
            return std::to_string(random.between(1, 300)) + (random.one_in(2) ? "" : ".25");
        case Parameter::Type::whole_number:
            return std::to_string(random.between(0, 5));
        case Parameter::Type::number:
            if (parameter.may_be_infinite && random.one_in(4)) {
                return "inf";
            }
            return std::to_string(random.between(
                       std::isfinite(parameter.least) ? static_cast<int>(parameter.least * 10) : -30, 60)) +
                   "e-1";
        case Parameter::Type::text:
            return std::vector<std::string>{"gpus", "a text",
                                            "high:10"}[static_cast<std::size_t>(random.between(0, 2))];
        case Parameter::Type::numbers:
            break;
    }
    std::string numbers;
    for (std::size_t i = 0; i < parameter.count; ++i) {
        numbers += (i == 0 ? "" : ",") + std::to_string(random.between(-10, 10)) + "e-1";
    }
    return numbers;
}

inline bool is_accepted(const DrawnAlgorithm& drawn) {
    try {
        const SchedulerChoice choice(drawn.name, drawn.parameters);
        return true;
    } catch (const UsageError&) {
        return false;
    }
}

// Whether the daemon refuses it: it learns run times too late, and does not stop jobs.
inline bool is_for_simulate_only(const DrawnAlgorithm& drawn) {
    const SchedulerChoice choice(drawn.name, drawn.parameters);
    return choice.needs_run_times() || !choice.run_limits().are_none();
}

// Gives a small value to every whole number that was not drawn, if the algorithm accepts it. Such numbers say how much
// to do, and the default may be far too much for a test.
inline DrawnAlgorithm with_small_numbers(const DrawnAlgorithm& drawn, const AlgorithmDescription& algorithm) {
    DrawnAlgorithm small = drawn;
    for (const Parameter& parameter : algorithm.parameters) {
        const bool is_given = std::any_of(drawn.parameters.begin(), drawn.parameters.end(),
                                          [&](const auto& given) { return given.first == parameter.name; });
        if (parameter.type == Parameter::Type::whole_number && !is_given) {
            DrawnAlgorithm with_it = small;
            with_it.parameters.emplace_back(parameter.name, "3");
            if (is_accepted(with_it)) {
                small = with_it;
            }
        }
    }
    return small;
}

// A value other than 0. 0 often stands for none, and is then refused.
inline std::string draw_other_than_none(Random& random, const Parameter& parameter) {
    std::string value = draw_value(random, parameter);
    return value == "0" ? draw_other_than_none(random, parameter) : value;
}

// The algorithm with `value` for the parameter `fixed` (empty: drawn), and perhaps with other parameters. Draws again
// what the algorithm refuses, because a registration does not say which values go together. Fails if nothing is
// accepted.
inline DrawnAlgorithm draw_with(Random& random, const AlgorithmDescription& algorithm, const Parameter& fixed,
                                const std::string& value) {
    constexpr int max_tries = 100'000;
    for (int i = 0; i < max_tries; ++i) {
        DrawnAlgorithm drawn{algorithm.name,
                             {{fixed.name, value.empty() ? draw_other_than_none(random, fixed) : value}}};
        for (const Parameter& parameter : algorithm.parameters) {
            if (parameter.name != fixed.name && random.one_in(3)) {
                drawn.parameters.emplace_back(parameter.name, draw_value(random, parameter));
            }
        }
        if (is_accepted(drawn)) {
            return with_small_numbers(drawn, algorithm);
        }
    }
    FAIL("no other parameters go with " << fixed.name << "=" << value << " of " << algorithm.name);
    return {};
}

// All registered algorithms. If BATFILL_TEST_PLUGINS names plugins, separated by colons, only theirs.
inline std::vector<const AlgorithmDescription*> algorithms_under_test() {
    static const std::vector<const AlgorithmDescription*> algorithms = [] {
        const char* const plugins = std::getenv("BATFILL_TEST_PLUGINS");
        if (plugins == nullptr) {
            return registered_algorithms();
        }
        std::vector<const AlgorithmDescription*> of_plugins;
        std::istringstream paths(plugins);
        for (std::string path; std::getline(paths, path, ':');) {
            for (const std::string& name : load_plugin(path)) {
                of_plugins.push_back(&find_algorithm(name));
            }
        }
        return of_plugins;
    }();
    return algorithms;
}

// Each algorithm without parameters, then with each value of each parameter; numbers get two values, or one if the
// algorithm has very many parameters.
inline std::vector<DrawnAlgorithm> drawn_algorithms() {
    Random random(2026);
    std::vector<DrawnAlgorithm> all;
    for (const AlgorithmDescription* algorithm : algorithms_under_test()) {
        all.push_back({algorithm->name, {}});
        for (const Parameter& parameter : algorithm->parameters) {
            std::vector<std::string> values = parameter.choices;
            if (parameter.type == Parameter::Type::boolean) {
                values = {"yes", "no"};
            }
            const std::size_t least = algorithm->parameters.size() > 30 ? 1 : 2;
            values.resize(std::max(values.size(), least));  // empty: drawn
            for (const std::string& value : values) {
                all.push_back(draw_with(random, *algorithm, parameter, value));
            }
        }
    }
    return all;
}

inline const Parameter& placement_of(const AlgorithmDescription& algorithm) {
    return *std::find_if(algorithm.parameters.begin(), algorithm.parameters.end(),
                         [](const Parameter& parameter) { return parameter.name == "placement"; });
}

// Each algorithm that supports this placement, `of_each` times with drawn parameters.
inline std::vector<DrawnAlgorithm> drawn_with_placement(const std::string& placement, int of_each) {
    Random random(2027);
    std::vector<DrawnAlgorithm> all;
    for (const AlgorithmDescription* algorithm : algorithms_under_test()) {
        const Parameter& parameter = placement_of(*algorithm);
        if (std::count(parameter.choices.begin(), parameter.choices.end(), placement) != 0) {
            all.push_back({algorithm->name, {{parameter.name, placement}}});
            for (int i = 1; i < of_each; ++i) {
                all.push_back(draw_with(random, *algorithm, parameter, placement));
            }
        }
    }
    return all;
}

}  // namespace batfill::tests
