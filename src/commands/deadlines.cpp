#include <iostream>
#include <optional>

#include "inputs.hpp"
#include "parsers.hpp"

namespace batfill::commands {

namespace {

Value factor(DeadlineOptions& read) {
    return {"K", [&read](const std::string& text) {
                read.factor = text;
                const std::optional<Decimal> factor = factor_in(text, "0", "1000000");
                refuse_if(!factor, "expected a number in 0..1000000, found '" + text + "'");
                read.draw.rule.factor = *factor;
            }};
}

}  // namespace

std::optional<DeadlineOptions> parse_deadline_options(const Arguments& arguments, OptionsFrom origin) {
    DeadlineOptions read;
    DeadlineDraw& draw = read.draw;
    const auto share = [](const std::string& text) { return decimal_in(text, "0", "1"); };
    Options options;
    options.add_positional("workload", text(draw.workload).required());
    options.group("Jobs");
    options.add("share", value(draw.share, "X", share, "a number in 0..1"),
                "share of the jobs with a walltime to sample, in 0..1; their number is rounded down");
    options.add("count", number(draw.count, "N"), "number of jobs to sample, instead of a share");
    options.add("seed", number(draw.seed, "S").required(), "seed of the sample");
    options.group("Deadlines");
    options.add("floor", length(draw.rule.floor, "SECONDS", Duration()).otherwise("86400"),
                "least time from submission to deadline");
    options.add("factor", factor(read).otherwise("10"), "time from submission to deadline in walltimes");
    options.group("Output");
    add_output_option(options, draw.output, "the workload with deadlines, gzipped if it ends in .gz");
    options.add("format", workload_format(draw.format),
                "format of the workload: batsim4 or batsim5; by default that of the input");
    if (!options.parse(
            arguments, "batfill deadlines WORKLOAD.json -o OUT.json --share X --seed S [OPTION]...",
            "Gives randomly sampled jobs of a workload a deadline: submission + max(floor, factor * walltime). Samples only jobs\n"
            "with a walltime. Removes earlier deadlines.",
            {"deadlines sp2.json -o deadlines.json --share 0.2 --seed 1",
             "deadlines sp2.json -o deadlines.json --count 100 --floor 1d --seed 1"},
            origin)) {
        return std::nullopt;
    }
    refuse_if(options.given("share") == options.given("count"),
              "expected either --share or --count, which say how many jobs to draw");
    draw.note = note;
    return read;
}

void print_drawn_deadlines(const DrawnDeadlines& drawn, const DeadlineOptions& options, const std::string& name,
                           std::ostream& out) {
    out << one_line(name) << ": " << drawn.drawn << " of " << drawn.jobs << " jobs drawn, due after "
        << options.draw.rule.floor.to_shortest_string() << " s: " << drawn.at_floor << ", after " << options.factor
        << " walltimes: " << drawn.drawn - drawn.at_floor
        << " (without walltime, not drawn: " << drawn.jobs - drawn.with_walltime
        << "; deadlines removed: " << drawn.replaced << ")\n";
}

int deadlines(const Arguments& arguments) {
    if (const std::optional<DeadlineOptions> options = parse_deadline_options(arguments, OptionsFrom::command_line)) {
        print_drawn_deadlines(draw_deadlines(options->draw), *options, options->draw.output, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
