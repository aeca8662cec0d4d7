#include <iostream>

#include "src/commands/inputs.hpp"
#include "src/workloads/summaries.hpp"
#include "src/workloads/workload_options.hpp"

namespace batfill::commands {

void swf(const Arguments& arguments) {
    ConversionOptions read;
    Options options;
    options.add_positional("log", text(read.conversion.log).required());
    options.group("Output");
    options.add(
        "output,o", text(read.conversion.output, "PATH"),
        "the workload (Batsim JSON, gzipped if it ends in .gz), or with --split a folder; without -o, swf only prints the table");
    add_swf_options(options, read);
    parse(
        options, arguments,
        {"batfill swf LOG.swf[.gz] [-o WORKLOAD.json[.gz]] [OPTION]...",
         "Converts a log of the Parallel Workloads Archive to a Batsim workload, and prints what was dropped and why.\nJobs without a known run time are always dropped.",
         {"swf SP2.swf.gz -o sp2.json", "swf SP2.swf.gz -o weeks --split 7"}});
    const ConvertedLog converted = convert_and_print(read.conversion, read.prints_json, std::cout);
    note(warning_of_conditions(converted.summary));
}

}  // namespace batfill::commands
