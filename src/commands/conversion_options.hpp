#pragma once

#include <iosfwd>
#include <string>

#include <batfill/workloads/swf_conversion.hpp>

#include "options.hpp"

// What `swf` and `import` have in common.
namespace batfill::commands {

struct ConversionOptions {
    LogConversion conversion;
    bool prints_json = false;
};

// Declares the options of both commands, which conversion_options() reads.
void add_conversion_options(Options& options);

// `log` is the path of the log, or of the first of several files.
// Throws: UsageError.
ConversionOptions conversion_options(const Options& options, const std::string& log);

// Prints what the conversion dropped and kept, for people or as JSON.
void print_converted_log(const ConvertedLog& result, const ConversionOptions& options, std::ostream& out);

}  // namespace batfill::commands
