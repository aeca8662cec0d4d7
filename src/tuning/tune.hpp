#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <batfill/choice/written_scheduler.hpp>
#include <batfill/replay/replay.hpp>

#include "src/formats/named_platform.hpp"
#include "src/options/options.hpp"
#include "src/tuning/weight_search.hpp"
#include "src/workloads/named_workload.hpp"

namespace batfill {

// A search for weights: the method and its options.
struct SearchRequest {
    bool xnes = true;  // or an even cover of all weights
    MixedFeatures features = MixedFeatures::three;
    std::uint64_t seed = 1;
    std::size_t evaluations = 0;  // except for a cover of three features
    std::size_t points = 100;     // of a cover of three features
    double lambda = 1;            // of xnes

    // Describes all options of the search in a few words.
    std::string text() const;
};

// Weights to search for, and the files that they go to.
struct TuneRequest {
    SearchRequest search;
    bool sum = false;  // search weights for all workloads together, not for each
    Duration tau = default_tau;
    ReplayMetric metric{"mean_bounded_slowdown"};
    unsigned threads = 1;
    WrittenScheduler policy;                 // the scheduler to tune, without weights but with their scales
    std::vector<std::string> plugins;        // paths of those that are loaded
    std::optional<std::string> prefix;       // beginning of the names of all written files; none: writes none
    std::optional<std::string> values_file;  // none: does not write all values
    // Called before each replay, by several threads; may be empty. It may throw Interrupted, which ends the search.
    std::function<void()> before_replay{};
};

// What a search replays: workloads on one machine.
class TuneInputs {
 public:
    // `platform` and `machine` are as named_platform() takes them.
    // Throws: as named_platform().
    TuneInputs(const std::string& platform, const MachineDetails& machine);

    // `hash` tells the workload apart from others.
    // Throws: UsageError if there is a workload of this name.
    void add(const std::string& name, Workload workload, const std::string& hash);
    // Adds the workload of a file, also of a log. `note` hears what that loses.
    // Throws: as above, and InputError for a file that cannot be read.
    void add_file(const std::string& path, const Note& note);

    const Platform& platform() const { return platform_; }
    const std::vector<std::string>& names() const { return names_; }  // of the workloads
    const std::vector<Replay>& replays() const { return replays_; }
    const std::string& digest() const { return digest_; }  // a line that tells all this apart from other inputs

 private:
    Platform platform_;
    std::vector<std::string> names_;
    std::vector<Replay> replays_;
    std::string digest_;
};

// The files that a search writes for workloads of these names.
struct TuneFiles {
    TuneFiles(const std::string& prefix, bool sum, const std::vector<std::string>& names);

    std::string checkpoint;  // only while the search runs
    std::string convergence;
    std::string results;
    std::vector<std::string> policies;  // of each workload, or of all together
};

// The best weights for a workload, or for all together.
struct TunedWeights {
    std::string workload;  // its name; "sum": all together
    double value = 0;      // of the metric
    MixedWeights weights{};
    std::size_t found_at = 0;     // number of the evaluation, from 1
    std::size_t evaluations = 0;  // in all
};

struct TuneOutcome {
    std::vector<TunedWeights> best;
    std::size_t replays = 0;
    std::size_t done_before = 0;  // replays of an earlier run of the same request
    double seconds = 0;           // of real time, for the search
    std::vector<std::string> written;
};

// Searches for the weights under which the metric of replays is smallest, and writes the results, all files or none.
// Continues a search of the same request that was stopped. `progress` hears how many replays are done, and of how many.
// Throws: InputError for a workload that cannot be replayed or has no value, and for a file that cannot be read or
// written.
TuneOutcome tune(const TuneRequest& request, const TuneInputs& inputs,
                 const std::function<void(std::size_t, std::size_t)>& progress);

// Returns weights or scales as the parameters `weights` and `scales` take them, exactly: "0.5,-0.25,0.25,0,0,0".
std::string numbers_text(const std::array<double, 6>& numbers);

// Returns the policy with these weights.
// Requires: the policy has no weights.
SchedulerChoice with_weights(WrittenScheduler policy, const MixedWeights& weights);

// The options of the search, whoever gives their values: a command line, or a call.
struct TuneOptions {
    TuneRequest request;
    // What the options say of the request, until finish() puts it in.
    std::string algorithm = "easy";
    std::vector<std::string> parameters;
    std::map<std::size_t, double> scales;  // by the place of the feature
    std::string metric = "mean_bounded_slowdown";
};

// Declares the options of `batfill tune`, except workloads, machine, plugins, outputs and threads. finish() reads the
// policy: all plugins are to be loaded before.
// Throws: finish() also throws InputError for policy files that cannot be read.
void add_tune_options(options::Options& options, TuneOptions& read);

}  // namespace batfill
