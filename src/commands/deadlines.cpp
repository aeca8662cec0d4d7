#include <iostream>

#include "src/commands/inputs.hpp"
#include "src/workloads/summaries.hpp"
#include "src/workloads/workload_options.hpp"

namespace batfill::commands {

void deadlines(const Arguments& arguments) {
    DeadlineOptions read;
    DeadlineDraw& draw = read.draw;
    draw.note = note;
    Options options;
    options.add_positional("workload", text(draw.workload).required());
    add_deadline_options(options, read);
    add_output_option(options, draw.output, "the workload with deadlines, gzipped if it ends in .gz");
    parse(
        options, arguments,
        {"batfill deadlines WORKLOAD.json -o OUT.json --share X --seed S [OPTION]...",
         "Gives randomly sampled jobs of a workload a deadline: submission + max(floor, factor * walltime). Samples only jobs\n"
         "with a walltime. Removes earlier deadlines.",
         {"deadlines sp2.json -o deadlines.json --share 0.2 --seed 1",
          "deadlines sp2.json -o deadlines.json --count 100 --floor 1d --seed 1"}});
    print_drawn_deadlines(draw_deadlines(draw), draw.rule.floor, read.factor, draw.output, std::cout);
}

}  // namespace batfill::commands
