#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "python/src/packing.hpp"
#include "src/campaign/campaign_runs.hpp"
#include "src/replay/comparison.hpp"

// Replays that other processes make: what they need as bytes, and what comes of them as bytes. Python moves these, and
// knows nothing of what is in them.
namespace batfill::python {

// Replays to make, for as long as the call that asks for them lasts.
class Elsewhere {
 public:
    struct Task {
        std::vector<std::size_t> parts;  // that it needs, of `parts`
        std::size_t jobs = 0;
        const NamedScheduler* scheduler = nullptr;
        std::string own{};    // if the scheduler is written in Python, its name among those of the call
        std::string place{};  // of its errors
    };

    std::vector<Task> tasks;
    std::vector<std::function<std::string()>> parts;  // packed when they are asked for
    std::string how;                                  // to measure, packed
    // Takes what came of a task, packed; and why it fails, or false if that ends the call.
    std::function<void(std::size_t task, std::string_view packed)> take;
    std::function<bool(std::size_t task, const std::string& problem)> fail;

    // Hands this to a function of Python, which makes all tasks.
    // Throws: nb::python_error, which `failure` keeps.
    static void run(const std::shared_ptr<Elsewhere>& work, const nb::object& make, Failure& failure);
};

// Make replays by a function of Python, which gets an Elsewhere; empty if it is None. In a comparison, `is_own` says
// which schedulers are written in Python, and the number of its column is the name of one; in a campaign, its algorithm
// is. All that is given must outlive what is returned.
ReplaysElsewhere compared_elsewhere(const nb::object& make, const ComparisonRequest& request,
                                    const std::vector<bool>& is_own, Failure& failure);
campaign::MakeElsewhere made_elsewhere(const nb::object& make, Failure& failure);

// Adds what workers call.
void bind_elsewhere(nb::module_& module);

}  // namespace batfill::python
