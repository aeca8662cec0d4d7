#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include <batfill/choice/written_scheduler.hpp>
#include <batfill/core/error.hpp>
#include <batfill/replay/outcome.hpp>

#include "src/choice/named_scheduler.hpp"
#include "src/commands/inputs.hpp"
#include "src/remote/socket_scheduler.hpp"
#include "src/replay/explanation.hpp"
#include "src/replay/notes.hpp"
#include "src/support/calendar.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/progress.hpp"
#include "src/support/text.hpp"
#include "src/transport/connections.hpp"
#include "src/workloads/named_workload.hpp"

namespace batfill::commands {

namespace {

using Clock = std::chrono::steady_clock;

struct SimulateOptions {
    std::string algorithm;
    std::vector<std::string> parameters;
    WrittenScheduler written;               // by these two
    std::string like;                       // name of the Batsim to imitate
    std::string endpoint;                   // of the scheduler behind a socket; empty: it is embedded
    std::optional<SchedulerChoice> choice;  // of the embedded one
    Duration timeout;                       // how long to wait for each of its answers
    std::string curve_key;                  // its public key; empty: none
    std::string prefix = "out";             // of the output files
    std::string platform;                   // as --platform takes it
    MachineDetails machine;                 // what is said beside it
    std::vector<std::string> workloads;     // paths
    std::vector<std::string> events;        // paths
    Scenario scenario;                      // without what is in these files
    bool has_plugins = false;               // algorithms of others may look at any field of a job
    bool measures_time = false;
    bool quiet = false;
    std::vector<std::string> explained;  // ids of jobs
    bool dates = false;                  // in explanations
    std::optional<Duration> state_at;
};

// Reads the files that the options name.
Scenario read_scenario(const SimulateOptions& options) {
    Scenario scenario = options.scenario;
    scenario.platform = named_platform(options.platform, options.machine);
    number_hosts(scenario.platform, scenario.rules);
    scenario.workloads = read_named_workloads(options.workloads, note, !options.endpoint.empty());
    for (const std::string& path : options.events) {
        scenario.event_lists.push_back(read_external_events(path, scenario.forward_unknown_events));
    }
    return scenario;
}

// Notes which workloads were made for a machine of another size. This is the most likely slip when a user gives a
// workload and a platform.
void note_other_machines(const Scenario& scenario) {
    const std::size_t processors = scenario.platform.hosts.size();
    for (const Workload& workload : scenario.workloads) {
        if (static_cast<std::size_t>(workload.processors) != processors) {
            note(workload.path + " is for " + std::to_string(workload.processors) +
                 " processors (nb_res), the platform has " + std::to_string(processors));
        }
    }
}

// Gives instants as dates, by the origin of the workloads.
InstantText dates_of(const std::vector<Workload>& workloads) {
    const Workload& first = workloads.front();
    for (const Workload& workload : workloads) {
        const bool has_origin = workload.origin.has_value();
        refuse_if<InputError>(!has_origin || workload.origin->since_1970 != first.origin->since_1970, workload.path,
                              ": --dates needs the date of second 0 (field origin), the same in all workloads, found ",
                              has_origin ? "another" : "none",
                              ": batfill swf and import write it without --load, if the log says when it begins");
    }
    return with_place_in_errors(first.path + ": field \"origin\"", [&] {
        return [zero = first.origin->since_1970, zone = TimeZone(first.origin->time_zone)](Time time) {
            return time.is_infinite() ? instant_text(time) : date_text(zero + time.since_zero(), zone);
        };
    });
}

// Notes how many jobs were rejected, why, and the remedy.
void note_rejections(const Outcome& outcome) {
    const std::vector<SimulatedJob>& jobs = outcome.simulation().jobs();
    for (const auto& [cause, rejections] : outcome.rejected()) {
        std::cerr << "batfill: note: " << rejections.jobs << " of " << jobs.size() << " jobs rejected: ";
        if (cause == RejectionCause::no_walltime) {
            std::cerr << "without a walltime (-P default-walltime=SECONDS gives one)";
        } else if (cause == RejectionCause::too_wide_for_machine) {
            int widest = 0;
            for (const SimulatedJob& job : jobs) {
                widest = std::max(widest, job.state == JobState::rejected ? job.job->description.processors : 0);
            }
            std::cerr << "wider than the " << outcome.scenario().platform.hosts.size()
                      << " processors of the platform (-p), the widest asks for " << widest;
        } else {
            std::cerr << "the first, " << shown(outcome.simulation().job(rejections.first).job->description.id) << ", "
                      << one_line(rejections.reason);
        }
        std::cerr << '\n';
    }
}

// Refuses options of the other kind of scheduler: embedded, or behind a socket.
void check_scheduler_options(const Options& options, const SimulateOptions& read) {
    const bool embedded = read.endpoint.empty();
    refuse_if(!embedded && read.like != default_simulator_rules,
              "--like is for the embedded scheduler, expected -a instead of -s: what is said behind -s is " +
                  std::string(default_simulator_rules) + "'s");
    refuse_if(!embedded && (!read.written.algorithm.empty() || !read.written.parameters.empty()),
              "-a and -P choose the embedded scheduler, -s another one: give one of the two");
    refuse_if(!embedded && (!read.explained.empty() || read.state_at),
              "--explain and --state-at are for the embedded scheduler: only that one can say why a job waits");
    refuse_if(!embedded && !read.machine.windows.empty(),
              "--windows is for the embedded scheduler: a scheduler behind -s has its own, as batfill serve --windows");
    for (const char* name : {"enable-dynamic-jobs", "acknowledge-dynamic-jobs", "enable-profile-reuse"}) {
        refuse_if(embedded && options.given(name),
                  std::string("--") + name + " is for -s: the embedded scheduler has what it needs");
    }
    const Scenario& scenario = read.scenario;
    refuse_if(!scenario.enable_dynamic_jobs && (scenario.acknowledge_dynamic_jobs || scenario.enable_profile_reuse),
              "--acknowledge-dynamic-jobs and --enable-profile-reuse need --enable-dynamic-jobs");
}

void add_input_and_scheduler(Options& options, SimulateOptions& read) {
    Scenario& scenario = read.scenario;
    options.group("Input");
    options.add("platform,p", text(read.platform, platform_value).required(), platform_help);
    add_machine_details(options, read.machine, "host that is not a resource");
    options.add("workload,w", text(read.workloads).required(),
                "workload (Batsim's JSON, or a log .swf; also gzipped); repeat for w0, w1, ...");
    options.add("events", text(read.events), "file of external events (one JSON object per line); repeatable");
    options.add("forward-unknown-events", scenario.forward_unknown_events,
                "forward external events of unknown type to the scheduler instead of refusing them");
    options.group("Scheduler in this process");
    options.add("algorithm,a", text(read.algorithm),
                "algorithm of the embedded scheduler, also with parameters: easy,order=saf");
    options.add(
        "parameter,P", text(read.parameters),
        "key=value, a parameter of the algorithm (see batfill algorithms), or a file of parameters from batfill tune; repeatable");
    const auto configuration = [](const std::string& text) {
        return text.ends_with(".json") ? short_text_in(text) : text;
    };
    options.add("sched-cfg", value(scenario.scheduler_configuration, "arg", configuration),
                R"(scheduler configuration, {"algorithm": ..., "params": {...}}, or a .json file of it; )"
                "-a and -P win");
    options.add("sched-cfg-file", value(scenario.scheduler_configuration, "arg", short_text_in),
                "the scheduler configuration from a file");
    options.add("like", text(read.like).otherwise(default_simulator_rules),
                "the Batsim to imitate, with its files: batsim4 or batsim5");
    add_plugin_option(options);
    options.group("Scheduler behind a socket");
    options.add("socket-endpoint,s", text(read.endpoint),
                "use the scheduler that listens there instead of the embedded one");
    options.add("socket-timeout", length(read.timeout, "SECONDS", Duration(), longest_timeout).otherwise("600"),
                "how long to wait for each answer of that scheduler");
    options.add("curve-server-key", value(read.curve_key, "FILE", transport::read_curve_key),
                "public CURVE key of that scheduler, as batfill serve --curve-secret-key prints it");
    options.add("enable-dynamic-jobs", scenario.enable_dynamic_jobs, "let that scheduler register jobs");
    options.add("acknowledge-dynamic-jobs", scenario.acknowledge_dynamic_jobs,
                "report the submission of the jobs that it registers");
    options.add("enable-profile-reuse", scenario.enable_profile_reuse, "let these jobs use profiles of ended jobs");
}

SimulateOptions parse_simulate_options(const Arguments& arguments) {
    SimulateOptions read;
    Options options;
    add_input_and_scheduler(options, read);
    options.group("Output");
    options.add(
        "output,o", text(read.prefix, "PREFIX"),
        "prefix of the output files, out by default: out writes out_jobs.csv, and out/ writes out/_jobs.csv, as Batsim 4 does");
    options.add("export,e", text(read.prefix, "PREFIX"), "the same as --output, by Batsim's name");
    options.add(
        "real-times", read.measures_time,
        "write the real scheduling and simulation time into the schedule's CSV; without it they are 0, and equal runs write equal files");
    options.add(
        "explain", text(read.explained, "JOB"),
        "print why this job waited, and write PREFIX_explain.csv; an id as in jobs.csv, w1!7 with several workloads; repeatable");
    options.add(
        "dates", read.dates,
        "with --explain: instants in words are dates, if the workload knows its origin; columns stay in seconds");
    options.add(
        "state-at", length(read.state_at, "TIME"),
        "print the state before the first round at this instant or after it, as a script for a test: seconds from the run's zero, or 90s, 15m, 1h, 30d");
    options.add("quiet,q", read.quiet, "no progress and no summary");
    parse(
        options, arguments,
        {"batfill simulate -p PLATFORM.xml -w WORKLOAD.json (-a NAME | -s ENDPOINT) [-o PREFIX]",
         "Replays workloads in the embedded simulator and writes PREFIX_jobs.csv and PREFIX_schedule.csv as Batsim does.",
         {"simulate -p sdsc-sp2 -w sp2.json -a easy,order=saf -o saf",
          "simulate -p 128 -w sp2.json -a easy -P threshold=2d -o easy"}});
    refuse_if(options.given("sched-cfg") && options.given("sched-cfg-file"),
              "--sched-cfg and --sched-cfg-file say the same thing: give one of the two");
    refuse_if(options.given("output") && options.given("export"),
              "-o and -e both name the prefix of the output files: give one of the two");
    read.written = read_choice(read.algorithm, read.parameters);
    check_scheduler_options(options, read);
    refuse_if(read.dates && read.explained.empty(), "--dates is for explanations, expected --explain JOB beside it");
    if (read.endpoint.empty()) {
        read.choice =
            combine(read.written, parse_scheduler_configuration(read.scenario.scheduler_configuration), "-a NAME");
        refuse_if(!read.events.empty() && !read.choice->description().takes_event_files, "algorithm ",
                  read.choice->algorithm(), ": it does not know external events, expected no --events");
    }
    read.scenario.rules = simulator_rules(read.like);
    read.has_plugins = options.given("plugin");
    return read;
}

// Throws: UsageError if the run would write over an input, or remove it as the file of an earlier run.
void require_separate_files(const SimulateOptions& options) {
    std::vector<std::string> inputs = options.workloads;
    inputs.insert(inputs.end(), options.events.begin(), options.events.end());
    inputs.push_back(options.platform);
    const std::string begin = options.prefix + (options.scenario.rules == SimulatorRules::batsim5 ? "" : "_");
    for (const char* const name : {"jobs.csv", "schedule.csv", "schedule.json", "real_exec_info.json", "statistics.csv",
                                   "guarantees.csv", "broken_guarantees.csv", "eligible.csv", "explain.csv"}) {
        require_no_input("output", begin + name, inputs);
    }
}

// Runs the scenario under a progress bar.
Outcome simulate(Scenario scenario, const SimulateOptions& options, SocketScheduler* scheduler) {
    std::size_t jobs = 0;
    for (const Workload& workload : scenario.workloads) {
        jobs += workload.jobs.size();
    }
    Progress progress;
    RunOptions how;
    how.keeps_deadlocks = true;
    how.measures_time = options.measures_time;
    how.explain = options.explained;
    if (options.dates) {
        how.instants = dates_of(scenario.workloads);
    }
    if (options.state_at) {
        how.state_at = Time::at(*options.state_at);
    }
    if (!options.quiet) {
        how.watch = [&](const Simulator& simulation) {
            const std::size_t ended = simulation.ended().size();
            const auto day =
                static_cast<long long>(simulation.results().now.to_seconds() / Duration::days(1).to_seconds());
            const std::string note = std::to_string(ended) + " jobs, day " + std::to_string(day);
            const std::string waits_for = simulation.waits_for();
            if (waits_for.empty()) {
                progress.show(ended, jobs, note);
            } else {
                progress.show_waiting(ended, jobs, note + ", " + waits_for);
            }
        };
    }
    return scheduler != nullptr ? run(std::move(scenario), *scheduler, how)
                                : run(std::move(scenario), *options.choice, how);
}

// Says what was simulated and written.
void print_outcome(const Outcome& outcome, double seconds, const std::vector<std::string>& written) {
    const Simulator& simulation = outcome.simulation();
    std::cout << simulation.ended().size() << " jobs, " << simulation.results().messages << " messages, "
              << simulation.results().now.to_string() << " simulated seconds in " << seconds << " s; wrote "
              << one_line(enumeration(written)) << '\n';
    if (const std::vector<Statistic>& statistics = outcome.statistics(); !statistics.empty()) {
        std::cout << "statistics of " << outcome.engine()->choice().algorithm() << ": " << text_of(statistics) << '\n';
    }
}

// Notes results that may surprise the user.
void note_surprises(const Outcome& outcome, bool has_plugins) {
    note_rejections(outcome);
    ReplayNotes notes;
    notes.add_machine(outcome.scenario().platform.notes);
    const Machine machine = outcome.scenario().platform.machine();
    for (const Workload& workload : outcome.scenario().workloads) {
        // A scheduler of others may look at any field, and at licences.
        const Engine* const engine = outcome.engine();
        notes.add_run(workload, machine, engine != nullptr ? engine->choice().common().placement : Placement::machine,
                      engine == nullptr || has_plugins, engine != nullptr ? &engine->choice() : nullptr);
    }
    std::ranges::for_each(notes.texts(outcome.simulation().results().rounded_run_times), note);
}

void print_state(const Outcome& outcome) {
    if (outcome.state_text().empty()) {
        std::cout << "no round came at the instant of --state-at or after it\n";
        return;
    }
    std::cout << "// The state before a round, on " << outcome.scenario().platform.hosts.size() << " processors\n"
              << outcome.state_text();
}

}  // namespace

void simulate(const Arguments& arguments) {
    const SimulateOptions options = parse_simulate_options(arguments);
    std::optional<SocketScheduler> scheduler;
    if (!options.endpoint.empty()) {
        scheduler.emplace(options.endpoint, options.timeout, options.curve_key);
    }
    const std::string folder = std::filesystem::path(options.prefix).parent_path().string();
    if (options.scenario.rules == SimulatorRules::batsim5 && !folder.empty()) {
        create_folders(folder);  // as Batsim 5 does
    }
    require_writable_folder(options.prefix);
    require_separate_files(options);
    const Clock::time_point begin = Clock::now();
    Scenario scenario = read_scenario(options);
    note_other_machines(scenario);
    const Outcome outcome = simulate(std::move(scenario), options, scheduler ? &*scheduler : nullptr);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const RealTimes real_times{outcome.scheduler_seconds(), options.measures_time ? seconds : 0};
    const std::vector<std::string> written = write_files(outcome, options.prefix, real_times);
    if (!options.quiet) {
        print_outcome(outcome, seconds, written);
    }
    if (outcome.explains()) {
        std::cout << explanation(outcome);
    }
    if (options.state_at) {
        print_state(outcome);
    }
    refuse_if<InputError>(!outcome.deadlock().empty(), outcome.deadlock());
    note_surprises(outcome, options.has_plugins);
}

}  // namespace batfill::commands
