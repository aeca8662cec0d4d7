#include <iostream>

#include "src/commands/inputs.hpp"
#include "src/workloads/summaries.hpp"
#include "src/workloads/workload_options.hpp"

namespace batfill::commands {

int lublin(const Arguments& arguments) {
    LublinFile file;
    Options options;
    add_lublin_options(options, file);
    add_output_option(options, file.output, "the workload, Batsim JSON, gzipped if it ends in .gz");
    if (!parse(options, arguments,
               {"batfill generate lublin --jobs N --processors P --seed S -o FILE [OPTION]...",
                "Samples a workload from the model of Lublin and Feitelson (JPDC 2003).",
                {"generate lublin --jobs 5000 --processors 128 --seed 1 -o lublin.json",
                 "generate lublin --jobs 5000 --processors 128 --load 0.9 --seed 1 -o lublin.json"}})) {
        return 0;
    }
    print_lublin_workload(write_lublin(file), file.output, std::cout);
    return 0;
}

}  // namespace batfill::commands
