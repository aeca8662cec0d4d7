#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "src/options/options.hpp"
#include "src/tuning/tune.hpp"

// The options of the search for weights, whoever gives their values: a command line, or a call.
namespace batfill {

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
