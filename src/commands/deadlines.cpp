#include "deadlines.hpp"

#include <cstdint>
#include <iostream>
#include <optional>

#include <batfill/core/error.hpp>

#include "inputs.hpp"
#include "src/support/durations.hpp"

namespace batfill::commands {

namespace {

constexpr const char* deadlines_summary =
    "Gives randomly sampled jobs of a workload a deadline: submission + max(floor, factor * walltime). Samples only jobs\n"
    "with a walltime. Removes earlier deadlines.";

Decimal decimal_option(const Options& options, const std::string& name, const std::string& max) {
    const auto text = options.get<std::string>(name);
    const std::optional<Decimal> value = Decimal::parse(text);
    if (!value || value->millionths() > Decimal::parse(max)->millionths()) {
        throw UsageError("--" + name + ": expected a number in 0.." + max + ", found '" + text + "'");
    }
    return *value;
}

}  // namespace

std::optional<DeadlineOptions> parse_deadline_options(const Arguments& arguments, OptionsFrom origin) {
    Options options;
    options.add_positional("workload", Value<std::string>().required());
    options.group("Jobs");
    options.add("share", Value<std::string>("X"),
                "share of the jobs with a walltime to sample, in 0..1; their number is rounded down");
    options.add("count", Value<std::uint64_t>("N"), "number of jobs to sample, instead of a share");
    options.add("seed", Value<std::uint64_t>("S").required(), "seed of the sample");
    options.group("Deadlines");
    options.add("floor", Value<std::string>("SECONDS").otherwise("86400"), "least time from submission to deadline");
    options.add("factor", Value<std::string>("K").otherwise("10"), "time from submission to deadline in walltimes");
    options.group("Output");
    options.add("output,o", Value<std::string>("FILE").required(),
                "the workload with deadlines, gzipped if it ends in .gz");
    options.add("format", Value<std::string>("FORMAT"),
                "format of the workload: batsim4 or batsim5; by default that of the input");
    if (!options.parse(arguments, "batfill deadlines WORKLOAD.json -o OUT.json --share X --seed S [OPTION]...",
                       deadlines_summary,
                       {"deadlines sp2.json -o deadlines.json --share 0.2 --seed 1",
                        "deadlines sp2.json -o deadlines.json --count 100 --floor 1d --seed 1"},
                       origin)) {
        return std::nullopt;
    }
    if (options.given("share") == options.given("count")) {
        throw UsageError("expected either --share or --count, which say how many jobs to draw");
    }
    DeadlineOptions read;
    DeadlineDraw& draw = read.draw;
    if (options.given("share")) {
        draw.share = decimal_option(options, "share", "1");
    } else {
        draw.count = options.get<std::uint64_t>("count");
    }
    read.factor = options.get<std::string>("factor");
    draw.rule = {seconds_of("--floor", options.get<std::string>("floor"), Duration()),
                 decimal_option(options, "factor", "1000000")};
    if (options.given("format")) {
        draw.format = workload_format_option(options, WorkloadFormat::batsim4);
    }
    draw.workload = options.get<std::string>("workload");
    draw.note = note;
    draw.output = options.get<std::string>("output");
    draw.seed = options.get<std::uint64_t>("seed");
    return read;
}

void print_drawn_deadlines(const DrawnDeadlines& drawn, const DeadlineOptions& options, const std::string& name,
                           std::ostream& out) {
    out << name << ": " << drawn.drawn << " of " << drawn.jobs << " jobs drawn, due after "
        << options.draw.rule.floor.to_shortest_string() << " s: " << drawn.at_floor << ", after " << options.factor
        << " walltimes: " << drawn.drawn - drawn.at_floor
        << " (without walltime, not drawn: " << drawn.jobs - drawn.with_walltime
        << "; deadlines removed: " << drawn.replaced << ")\n";
}

int deadlines(const Arguments& arguments) {
    if (const std::optional<DeadlineOptions> options = parse_deadline_options(arguments)) {
        print_drawn_deadlines(draw_deadlines(options->draw), *options, options->draw.output, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
