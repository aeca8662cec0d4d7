#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>

#include <batfill/core/error.hpp>
#include <batfill/workloads/deadlines.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"

namespace batfill::commands {

namespace {

constexpr const char* deadlines_summary =
    "Makes some of a workload's jobs, drawn at random, deadline-driven: deadline = submission + max(floor, factor *\n"
    "walltime). Jobs without a walltime are not drawn. Deadlines that are in the workload already are removed.";

Decimal decimal_option(const Options& options, const std::string& name, const std::string& max) {
    const auto text = options.get<std::string>(name);
    const std::optional<Decimal> value = Decimal::parse(text);
    if (!value || value->millionths() > Decimal::parse(max)->millionths()) {
        throw UsageError("--" + name + ": expected a number in 0.." + max + ", found '" + text + "'");
    }
    return *value;
}

// How many jobs to draw: a share of the eligible ones, or a number.
class NumberToDraw {
 public:
    explicit NumberToDraw(const Options& options) {
        if (options.given("share") == options.given("count")) {
            throw UsageError("expected either --share or --count, which say how many jobs to draw");
        }
        if (options.given("share")) {
            share_ = decimal_option(options, "share", "1");
        } else {
            count_ = options.get<std::uint64_t>("count");
        }
    }

    std::size_t of(std::size_t eligible) const {
        if (share_) {
            return count_of_share(*share_, eligible);
        }
        if (count_ > eligible) {
            throw UsageError("--count: expected at most " + std::to_string(eligible) +
                             ", the jobs that have a walltime, found " + std::to_string(count_));
        }
        return count_;
    }

 private:
    std::optional<Decimal> share_;
    std::uint64_t count_ = 0;
};

Time deadline_of(const WorkloadJob& job, const DeadlineRule& rule, const std::string& path) {
    const Time deadline = job.description.submit + rule.allowance(*job.description.walltime);
    if (deadline > Time::seconds(1'000'000'000'000'000'000)) {
        throw InputError(path + ": job " + shown(job.description.id) + ": expected its deadline within 1e18 s, found " +
                         deadline.since_zero().to_shortest_string());
    }
    return deadline;
}

}  // namespace

int deadlines(const Arguments& arguments) {
    Options options;
    options.add_positional("workload", Value<std::string>().required());
    options.add("output,o", Value<std::string>("FILE").required(),
                "the workload with deadlines, gzipped if it ends in .gz");
    options.add("format", Value<std::string>("FORMAT"),
                "of the workload: batsim4 or batsim5; by default that of the workload that is read");
    options.add("share", Value<std::string>("X"),
                "share of the jobs with a walltime to draw, in 0..1; their number is rounded down");
    options.add("count", Value<std::uint64_t>("N"), "number of jobs to draw, instead of a share");
    options.add("seed", Value<std::uint64_t>("S").required(), "seed of the draw");
    options.add("floor", Value<std::string>("SECONDS").otherwise("86400"), "least time from submission to deadline");
    options.add("factor", Value<std::string>("K").otherwise("10"), "time from submission to deadline in walltimes");
    if (!options.parse(arguments, "batfill deadlines WORKLOAD.json -o OUT.json --share X --seed S [OPTION]...",
                       deadlines_summary)) {
        return 0;
    }
    const NumberToDraw number(options);
    const DeadlineRule rule{seconds_option("--floor", options.get<std::string>("floor"), Duration()),
                            decimal_option(options, "factor", "1000000")};

    const auto path = options.get<std::string>("workload");
    const std::string text = read_workload_text(path);
    Workload workload = parse_workload(text, path, "w0", true);
    const WorkloadFormat format = workload_format_option(options, workload.format);
    const std::vector<std::size_t> eligible = jobs_with_walltime(workload);
    const std::vector<std::size_t> drawn =
        draw(eligible, number.of(eligible.size()), options.get<std::uint64_t>("seed"));
    std::vector<std::optional<Time>> deadlines(workload.jobs.size());
    std::size_t at_floor = 0;
    for (const std::size_t place : drawn) {
        const WorkloadJob& job = workload.jobs[place];
        deadlines[place] = deadline_of(job, rule, path);
        at_floor += *deadlines[place] - job.description.submit == rule.floor ? 1U : 0U;
    }
    const auto replaced = std::count_if(workload.jobs.begin(), workload.jobs.end(),
                                        [](const WorkloadJob& job) { return job.description.deadline.has_value(); });
    const auto output = options.get<std::string>("output");
    if (format == WorkloadFormat::batsim4 && workload.format == format) {
        OutputFile file(output);
        file.write(with_deadlines(text, deadlines));
        file.commit();
    } else {
        for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
            workload.jobs[i].description.deadline = deadlines[i];
        }
        workload.format = format;
        write_workload(workload, output);
    }
    std::printf(
        "%s: %zu of %zu jobs drawn, due after %s s: %zu, after %s walltimes: %zu (without walltime, not drawn: %zu; "
        "deadlines removed: %td)\n",
        output.c_str(), drawn.size(), workload.jobs.size(), rule.floor.to_shortest_string().c_str(), at_floor,
        options.get<std::string>("factor").c_str(), drawn.size() - at_floor, workload.jobs.size() - eligible.size(),
        replaced);
    return 0;
}

}  // namespace batfill::commands
