#include <iostream>

#include "src/commands/inputs.hpp"
#include "src/workloads/summaries.hpp"
#include "src/workloads/workload_options.hpp"

namespace batfill::commands {

int farm(const Arguments& arguments) {
    FarmFiles files;
    Options options;
    add_farm_options(options, files);
    add_output_option(options, files.output, "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("platform", text(files.platform, "FILE").required(),
                "the farm, SimGrid XML with a host for each processor");
    if (!parse(
            options, arguments,
            {"batfill generate farm --seed S -o WORKLOAD.json --platform FARM.xml [OPTION]...",
             "Samples a farm of machines with floating licences, and jobs for it, as in section 7 of \"Backfilling Strategies for\n"
             "Scheduling Streams of Jobs on Computational Farms\" (CoreGRID 2007). The defaults are the paper's, except --speed. A\n"
             "RANGE is LOW:HIGH, where every integer is equally likely, or one integer.",
             {"generate farm --seed 1 -o farm.json --platform farm.xml",
              "generate farm --seed 2 --jobs 5000 --machines 50 -o farm.json --platform farm.xml"}})) {
        return 0;
    }
    require_other_file("platform", files.platform, "output", files.output);
    print_farm(write_farm(files), files.model, files.output, files.platform, std::cout);
    return 0;
}

}  // namespace batfill::commands
