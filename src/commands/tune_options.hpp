#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/replay/replay.hpp>

#include "src/tuning/weight_search.hpp"

namespace batfill::commands {

class Options;

// How weights are searched for: by which method, with its options.
class SearchOptions {
 public:
    explicit SearchOptions(const Options& options);

    std::unique_ptr<WeightSearch> make() const;

    // All options of the search in a few words.
    std::string text() const;

 private:
    bool xnes_;
    MixedFeatures features_;
    std::uint64_t seed_;
    std::size_t evaluations_;
    std::size_t points_;
    double lambda_;
};

// What the command line of `batfill tune` says. The constructor throws UsageError for what it must not say.
struct TuneOptions {
    explicit TuneOptions(const Options& options);

    // All options that the values and their order depend on, in one line.
    std::string description() const;

    SearchOptions search;
    bool sum;  // weights are sought for all workloads together, not for each
    Duration tau;
    ReplayMetric metric;
    unsigned threads;
    SchedulerChoice policy;  // the scheduler whose weights are tuned, without them but with their scales
    std::vector<std::string> workloads;
    std::string platform;
    std::string master_host;
    std::string prefix;                      // the beginning of the names of all files that are written
    std::optional<std::string> values_file;  // none: not all values are written
};

// Declares the options of `batfill tune`.
void add_tune_options(Options& options);

// Weights or scales as the parameters `weights` and `scales` take them, exactly: "0.5,-0.25,0.25,0,0,0".
std::string numbers_text(const std::array<double, 6>& numbers);

// Adds the weights to a policy that has none.
SchedulerChoice with_weights(SchedulerChoice policy, const MixedWeights& weights);

}  // namespace batfill::commands
