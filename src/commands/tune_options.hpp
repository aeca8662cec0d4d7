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

// The search for weights: the method and its options.
class SearchOptions {
 public:
    explicit SearchOptions(const Options& options);

    std::unique_ptr<WeightSearch> make() const;

    // Describes all options of the search in a few words.
    std::string text() const;

 private:
    bool xnes_;
    MixedFeatures features_;
    std::uint64_t seed_;
    std::size_t evaluations_;
    std::size_t points_;
    double lambda_;
};

// The command line of `batfill tune`.
// Throws: the constructor throws UsageError for options that are not allowed.
struct TuneOptions {
    explicit TuneOptions(const Options& options);

    // Describes, in one line, all options that the values and their order depend on.
    std::string description() const;

    SearchOptions search;
    bool sum;  // search weights for all workloads together, not for each
    Duration tau;
    ReplayMetric metric;
    unsigned threads;
    SchedulerChoice policy;  // the scheduler to tune, without weights but with their scales
    std::vector<std::string> workloads;
    std::string platform;
    std::string master_host;
    std::string prefix;                      // beginning of the names of all written files
    std::optional<std::string> values_file;  // none: does not write all values
};

// Declares the options of `batfill tune`.
void add_tune_options(Options& options);

// Returns weights or scales as the parameters `weights` and `scales` take them, exactly: "0.5,-0.25,0.25,0,0,0".
std::string numbers_text(const std::array<double, 6>& numbers);

// Returns the policy with these weights.
// Requires: the policy has no weights.
SchedulerChoice with_weights(SchedulerChoice policy, const MixedWeights& weights);

}  // namespace batfill::commands
