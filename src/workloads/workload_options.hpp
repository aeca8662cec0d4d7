#pragma once

#include <batfill/workloads/deadlines.hpp>
#include <batfill/workloads/models.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/options/options.hpp"

// The options of what makes workloads, whoever gives their values: a command line, a campaign, or a call.
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

// Declares the options of `batfill generate lublin`, except the output.
void add_lublin_options(options::Options& options, LublinFile& file);

// Declares the options of `batfill generate farm`, except the outputs.
void add_farm_options(options::Options& options, FarmFiles& files);

// Declares the options of `batfill generate shared`, except the outputs.
void add_shared_hosts_options(options::Options& options, SharedHostsFiles& files);

// Declares the options of `batfill generate failures` that give the machine. finish() then reads the platform that
// `platform` has got, if any.
// Throws: finish() also throws as named_platform().
void add_failing_machine(options::Options& options, FailureModel& model, std::string& platform);
// Declares its other options, except the output. Options or the caller give the model its processors before finish().
void add_failure_options(options::Options& options, FailureModel& model);

// Declares the options of `batfill generate windows`, except the output.
void add_window_options(options::Options& options, WindowCalendar& calendar);

struct DeadlineOptions {
    DeadlineDraw draw;
    std::string factor;  // as the user wrote it
};

// Declares the options of `batfill deadlines`, except the workload and the output.
void add_deadline_options(options::Options& options, DeadlineOptions& read);

}  // namespace batfill
