#include <algorithm>
#include <cstdio>

#include <batfill/deadlines.hpp>
#include <batfill/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "src/core/files.hpp"
#include "src/core/json.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

constexpr const char* summary =
    "Makes some of a workload's jobs, drawn at random, deadline-driven: deadline = submission + max(floor, factor *\n"
    "walltime). Jobs without a walltime are not drawn. Deadlines that are in the workload already are removed.";

Decimal decimal_option(const po::variables_map& values, const std::string& name, const std::string& max) {
    const std::string text = values[name].as<std::string>();
    const std::optional<Decimal> value = Decimal::parse(text);
    if (!value || value->millionths() > Decimal::parse(max)->millionths()) {
        throw UsageError("--" + name + ": expected a number in 0.." + max + ", found '" + text + "'");
    }
    return *value;
}

// How many jobs to draw: a share of the eligible ones, or a number.
class NumberToDraw {
 public:
    explicit NumberToDraw(const po::variables_map& values) {
        if (values.count("share") + values.count("count") != 1) {
            throw UsageError("expected either --share or --count, which say how many jobs to draw");
        }
        if (values.count("share") != 0) {
            share_ = decimal_option(values, "share", "1");
        } else {
            count_ = values["count"].as<std::uint64_t>();
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
    po::options_description options;
    auto add = options.add_options();
    add("workload", po::value<std::string>()->required());
    add("output,o", po::value<std::string>()->required()->value_name("FILE"),
        "the workload with deadlines, gzipped if it ends in .gz");
    add("format", po::value<std::string>()->value_name("FORMAT"),
        "of the workload: batsim4 or batsim5; by default that of the workload that is read");
    add("share", po::value<std::string>()->value_name("X"),
        "share of the jobs with a walltime to draw, in 0..1; their number is rounded down");
    add("count", po::value<std::uint64_t>()->value_name("N"), "number of jobs to draw, instead of a share");
    add("seed", po::value<std::uint64_t>()->required()->value_name("S"), "seed of the draw");
    add("floor", po::value<std::string>()->default_value("86400")->value_name("SECONDS"),
        "least time from submission to deadline");
    add("factor", po::value<std::string>()->default_value("10")->value_name("K"),
        "time from submission to deadline in walltimes");
    po::positional_options_description positional;
    positional.add("workload", 1);
    po::variables_map values;
    if (!parse(arguments, "batfill deadlines WORKLOAD.json -o OUT.json --share X --seed S [OPTION]...", summary,
               options, positional, values)) {
        return 0;
    }
    const NumberToDraw number(values);
    const DeadlineRule rule{seconds_option("--floor", values["floor"].as<std::string>(), Duration()),
                            decimal_option(values, "factor", "1000000")};

    const std::string path = values["workload"].as<std::string>();
    const std::string text = read_workload_text(path);
    Workload workload = parse_workload(text, path, "w0", true);
    const WorkloadFormat format = workload_format_option(values, workload.format);
    const std::vector<std::size_t> eligible = jobs_with_walltime(workload);
    const std::vector<std::size_t> drawn =
        draw(eligible, number.of(eligible.size()), values["seed"].as<std::uint64_t>());
    std::vector<std::optional<Time>> deadlines(workload.jobs.size());
    std::size_t at_floor = 0;
    for (const std::size_t place : drawn) {
        const WorkloadJob& job = workload.jobs[place];
        deadlines[place] = deadline_of(job, rule, path);
        at_floor += *deadlines[place] - job.description.submit == rule.floor ? 1U : 0U;
    }
    const auto replaced = std::count_if(workload.jobs.begin(), workload.jobs.end(),
                                        [](const WorkloadJob& job) { return job.description.deadline.has_value(); });
    const std::string output = values["output"].as<std::string>();
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
        values["factor"].as<std::string>().c_str(), drawn.size() - at_floor, workload.jobs.size() - eligible.size(),
        replaced);
    return 0;
}

}  // namespace batfill::commands
