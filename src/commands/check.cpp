#include <algorithm>
#include <iostream>
#include <optional>

#include <batfill/check.hpp>
#include <batfill/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "platform_option.hpp"

namespace batfill::commands {

namespace {

namespace po = boost::program_options;

constexpr const char* summary =
    "Audits a schedule, whoever made it: every job of the workloads once, nothing before its submission, allocations "
    "of\n"
    "the requested size, no processor used twice at one instant, execution times and final states as profile and\n"
    "walltime demand, columns that agree, no job rejected without need, licences, no start on a processor that is "
    "unavailable, guarantees kept.\n"
    "A SCHEDULE is a PREFIX_jobs.csv, or a log (.swf or .swf.gz), whose own schedule it is.\n"
    "Exit status 0 if all is well, 1 with the first violations if not.";

void print_report(const CheckReport& report, std::size_t first, bool with_broken) {
    const std::size_t shown = std::min(first, report.violations.size());
    for (std::size_t i = 0; i < shown; ++i) {
        std::cout << report.violations[i].text << '\n';
    }
    std::cout << report.jobs << " jobs, ";
    if (report.violations.empty()) {
        std::cout << "no violations";
    } else {
        std::cout << report.violations.size() << (report.violations.size() == 1 ? " violation" : " violations");
        if (shown < report.violations.size()) {
            std::cout << ", the first " << shown << " shown";
        }
    }
    std::cout << " (" << report.rejected << " rejected";
    if (report.deadlines > 0) {
        std::cout << "; " << report.missed_deadlines << " of " << report.deadlines << " deadlines missed";
    }
    if (report.resubmitted > 0) {
        std::cout << "; " << report.resubmitted << " submitted again";
    }
    if (report.guarantees > 0) {
        std::cout << "; " << report.broken_guarantees << " of " << report.guarantees << " guarantees broken";
        if (with_broken) {
            std::cout << ", " << report.listed_broken_guarantees << " of these listed";
        }
    }
    std::cout << ")\n";
}

}  // namespace

int check(const Arguments& arguments) {
    std::string schedule_path;
    std::string tolerance;
    std::vector<std::string> workload_paths;
    unsigned first = 0;
    po::options_description options;
    auto add = options.add_options();
    add("schedule", po::value(&schedule_path)->required());
    add("workload,w", po::value(&workload_paths)->required()->value_name("FILE"),
        "workload that was run; several become w0, w1, ...");
    add("platform,p", po::value<std::string>()->required()->value_name(platform_value), platform_help);
    add("master-host,m", po::value<std::string>()->default_value("master_host")->value_name("NAME"),
        "host of the platform that does not compute");
    add("tolerance", po::value(&tolerance)->default_value("0.000001")->value_name("SECONDS"),
        "how much times that should agree may differ");
    add("first", po::value(&first)->default_value(10)->value_name("N"), "violations to print");
    add("deadlines", po::bool_switch(), "a missed deadline is a violation, not only counted");
    add("allow-rejections", po::bool_switch(),
        "a job may be rejected though it has a walltime and the machine is large enough for it");
    add("placement", po::value<std::string>()->default_value("lowest")->value_name("NAME"),
        "what every job's processors must be: contiguous, of one machine (machine), or any (lowest, "
        "best-effort-contiguous)");
    add("guarantees", po::value<std::string>()->value_name("FILE"),
        "PREFIX_guarantees.csv of the run: no job may start later than it was guaranteed");
    add("broken-guarantees", po::value<std::string>()->value_name("FILE"),
        "PREFIX_broken_guarantees.csv of the run: guarantees that losses of processors have moved later");
    add("events", po::value<std::vector<std::string>>()->default_value({}, "")->value_name("FILE"),
        "events file of the run: no job may start on a processor that is unavailable; repeatable");
    add("forward-unknown-events", "the events files may have events of unknown type");
    add("on-failure", po::value<std::string>()->value_name("NAME"),
        "what became of jobs whose processors were lost, as the algorithm's parameter says: continue, or kill or "
        "requeue, by which none may run on");
    po::positional_options_description positional;
    positional.add("schedule", 1);
    po::variables_map values;
    if (!parse(arguments, "batfill check SCHEDULE -w WORKLOAD.json -p PLATFORM.xml [OPTION]...", summary, options,
               positional, values)) {
        return 0;
    }
    CheckOptions check_options;
    check_options.tolerance = seconds_option("--tolerance", tolerance, Duration());
    check_options.deadlines_bind = values["deadlines"].as<bool>();
    check_options.rejections_allowed = values["allow-rejections"].as<bool>();
    const auto placement = placement_named(values["placement"].as<std::string>());
    if (!placement) {
        throw UsageError("--placement: unknown value '" + values["placement"].as<std::string>() +
                         "', known: lowest, contiguous, best-effort-contiguous, machine");
    }
    check_options.placement = *placement;
    std::optional<std::vector<Guarantee>> guarantees;
    if (values.count("guarantees") != 0) {
        guarantees = read_guarantees(values["guarantees"].as<std::string>());
    }
    std::optional<std::vector<BrokenGuarantee>> broken;
    if (values.count("broken-guarantees") != 0) {
        if (!guarantees) {
            throw UsageError("--broken-guarantees says what became of --guarantees: give both");
        }
        broken = read_broken_guarantees(values["broken-guarantees"].as<std::string>());
    }
    std::vector<std::vector<ExternalEvent>> event_lists;
    for (const std::string& path : values["events"].as<std::vector<std::string>>()) {
        event_lists.push_back(read_external_events(path, values.count("forward-unknown-events") != 0));
    }
    if (values.count("on-failure") != 0 && event_lists.empty()) {
        throw UsageError("--on-failure says what became of jobs in --events: give both");
    }
    check_options.jobs_survive_losses =
        word_option(values, "on-failure", {"continue", "kill", "requeue"}) == "continue";
    const auto schedule = [&](const auto& use) { for_each_job(schedule_path, use); };
    const CheckReport report =
        check_schedule(schedule, read_workloads(workload_paths), platform_option(values), check_options,
                       guarantees ? &*guarantees : nullptr, broken ? &*broken : nullptr, event_lists);
    print_report(report, first, broken.has_value());
    return report.violations.empty() ? 0 : 1;
}

}  // namespace batfill::commands
