#pragma once

#include <batfill/workloads/swf_conversion.hpp>

#include "src/options/options.hpp"

// The options of conversions, whoever gives their values: a command line, a campaign, or a call.
namespace batfill {

struct ConversionOptions {
    LogConversion conversion;
    bool prints_json = false;  // what the conversion did, instead of a table
};

// Declares the options of `batfill swf`, except the log and the output. finish() then names the workload by the path of
// the log.
void add_swf_options(options::Options& options, ConversionOptions& read);

// Declares the options of `batfill import`, except its arguments and the output. finish() then also refuses data
// without a known format or a file.
// Requires: read.conversion.accounting.
void add_import_options(options::Options& options, ConversionOptions& read);

}  // namespace batfill
