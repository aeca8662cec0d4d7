#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/support/files.hpp"
#include "src/tuning/tune.hpp"
#include "src/tuning/tuning_run.hpp"

namespace batfill {

// The files that `batfill tune` writes: all of them or none.
// Throws: all members throw InputError if a file cannot be written.
class TuneResults {
 public:
    // `workloads` are the names of the workloads in the files.
    // Requires: `request` outlives the results.
    TuneResults(const TuneRequest& request, std::vector<std::string> workloads);

    // Adds a line to the file of all values, if the user wants one.
    void add_value(std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value);

    // Writes the results of the searches.
    // Requires: the searches are over.
    std::vector<std::string> write(const std::vector<TuningTask>& tasks);

 private:
    std::string subject(const TuningTask& task) const;
    void write_convergence(const std::vector<TuningTask>& tasks);
    void write_best(const std::vector<TuningTask>& tasks);
    void write_policies(const std::vector<TuningTask>& tasks);

    const TuneRequest& request_;
    std::vector<std::string> workloads_;
    OutputFiles files_;
    OutputFile* values_ = nullptr;  // file of all values; null if the user wants none
};

}  // namespace batfill
