#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/replay/outcome.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/remote/socket_scheduler.hpp"
#include "src/support/durations.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/names.hpp"
#include "src/support/progress.hpp"
#include "src/transport/connections.hpp"
#include "src/workloads/any_workload.hpp"

namespace batfill::commands {

namespace {

using Clock = std::chrono::steady_clock;

// What the options of `batfill simulate` say.
struct SimulateOptions {
    SchedulerChoice choice;              // of the embedded scheduler
    std::string endpoint;                // of the scheduler behind a socket; empty: it is embedded
    unsigned timeout = 0;                // seconds to wait for each of its answers
    std::string curve_key;               // its public key; empty: none
    std::string prefix;                  // of the output files
    std::string platform;                // as --platform takes it
    std::string master_host;             // host that is not a resource
    std::vector<std::string> workloads;  // paths
    std::vector<std::string> events;     // paths
    Scenario scenario;                   // without what is in these files
    bool has_plugins = false;            // algorithms of others may look at any field of a job
    bool measures_time = false;
    bool quiet = false;
};

// The text of --sched-cfg, or of the file that it or --sched-cfg-file names.
std::string scheduler_configuration(const Options& options) {
    constexpr std::size_t max_file_size = std::size_t{1} << 20;
    const auto text = options.get<std::string>("sched-cfg");
    if (!options.given("sched-cfg-file")) {
        return text.ends_with(".json") ? InputFile(text).read_all(max_file_size) : text;
    }
    if (!text.empty()) {
        throw UsageError("--sched-cfg and --sched-cfg-file say the same thing: give one of the two");
    }
    return InputFile(options.get<std::string>("sched-cfg-file")).read_all(max_file_size);
}

// Reads the files that the options name.
Scenario read_scenario(const SimulateOptions& options) {
    Scenario scenario = options.scenario;
    scenario.platform = named_platform(options.platform, options.master_host);
    number_hosts(scenario.platform, scenario.rules);
    scenario.workloads = read_any_workloads(options.workloads, note, !options.endpoint.empty());
    for (const std::string& path : options.events) {
        scenario.event_lists.push_back(read_external_events(path, scenario.forward_unknown_events));
    }
    return scenario;
}

// Whether jobs ask for licences that the platform counts and that the scheduler does not look at.
bool ignores_licenses(const Outcome& outcome) {
    if (outcome.engine() == nullptr) {
        return false;
    }
    const SchedulerState& state = outcome.engine()->state();
    const std::vector<Workload>& workloads = outcome.scenario().workloads;
    return state.placement != Placement::machine && !state.machine.licenses().empty() &&
           std::any_of(workloads.begin(), workloads.end(), [](const Workload& workload) {
               return std::any_of(workload.jobs.begin(), workload.jobs.end(),
                                  [](const WorkloadJob& job) { return !job.description.licenses.empty(); });
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

// Throws: UsageError for an option of the other kind of scheduler (embedded, as `choice` says, or behind a socket).
void check_scheduler_options(const Options& options, const SchedulerChoice& choice) {
    const bool embedded = options.get<std::string>("socket-endpoint").empty();
    if (!embedded && options.get<std::string>("like") != default_simulator_rules) {
        throw UsageError("--like is for the embedded scheduler, expected -a instead of -s: what is said behind -s is " +
                         std::string(default_simulator_rules) + "'s");
    }
    if (!embedded && (!choice.algorithm.empty() || !choice.parameters.empty())) {
        throw UsageError("-a and -P choose the embedded scheduler, -s another one: give one of the two");
    }
    for (const char* name : {"enable-dynamic-jobs", "acknowledge-dynamic-jobs", "enable-profile-reuse"}) {
        if (embedded && options.given(name)) {
            throw UsageError(std::string("--") + name + " is for -s: the embedded scheduler has what it needs");
        }
    }
    if (!options.given("enable-dynamic-jobs") &&
        (options.given("acknowledge-dynamic-jobs") || options.given("enable-profile-reuse"))) {
        throw UsageError("--acknowledge-dynamic-jobs and --enable-profile-reuse need --enable-dynamic-jobs");
    }
}

void add_simulate_options(Options& options) {
    options.group("Input");
    options.add("platform,p", Value<std::string>(platform_value).required(), platform_help);
    options.add("master-host,m", Value<std::string>().otherwise("master_host"), "host that is not a resource");
    options.add("workload,w", Value<std::vector<std::string>>().required(),
                "workload (Batsim's JSON, or a log .swf; also gzipped); repeat for w0, w1, ...");
    options.add("events", Value<std::vector<std::string>>(),
                "file of external events (one JSON object per line); repeatable");
    options.add("forward-unknown-events",
                "forward external events of unknown type to the scheduler instead of refusing them");
    options.group("Scheduler in this process");
    options.add("algorithm,a", Value<std::string>(),
                "algorithm of the embedded scheduler, also with parameters: easy,order=saf");
    options.add(
        "parameter,P", Value<std::vector<std::string>>(),
        "key=value, a parameter of the algorithm (see batfill algorithms), or a file of parameters from batfill tune; repeatable");
    options.add("sched-cfg", Value<std::string>(),
                R"(scheduler configuration, {"algorithm": ..., "params": {...}}, or a .json file of it; )"
                "the options above win");
    options.add("sched-cfg-file", Value<std::string>(), "the same from a file");
    options.add("like", Value<std::string>().otherwise(default_simulator_rules),
                "the Batsim to imitate, with its files: batsim4 or batsim5");
    add_plugin_option(options);
    options.group("Scheduler behind a socket");
    options.add("socket-endpoint,s", Value<std::string>(),
                "use the scheduler that listens there instead of the embedded one");
    options.add("socket-timeout", Value<std::string>("SECONDS").otherwise("600"),
                "how long to wait for each answer of that scheduler");
    options.add("curve-server-key", Value<std::string>("FILE"),
                "public CURVE key of that scheduler, as batfill serve --curve-secret-key prints it");
    options.add("enable-dynamic-jobs", "let that scheduler register jobs");
    options.add("acknowledge-dynamic-jobs", "report the submission of the jobs that it registers");
    options.add("enable-profile-reuse", "let these jobs use profiles of ended jobs");
    options.group("Output");
    options.add(
        "output,o", Value<std::string>("PREFIX"),
        "prefix of the output files, out by default: out writes out_jobs.csv, and out/ writes out/_jobs.csv, as Batsim 4 does");
    options.add("export,e", Value<std::string>("PREFIX"), "the same, by Batsim's name");
    options.add(
        "real-times",
        "write the real scheduling and simulation time into the schedule's CSV; without it they are 0, and equal runs write equal files");
    options.add("quiet,q", "no progress and no summary");
}

// In whole seconds.
unsigned socket_timeout(const std::string& text) {
    constexpr Duration max = Duration::days(366);  // the clock that counts them must not overflow
    const Duration timeout = seconds_of("--socket-timeout", text, Duration());
    if (timeout > max) {
        throw UsageError("--socket-timeout: expected at most " + max.to_shortest_string() + " seconds, found '" + text +
                         "'");
    }
    return static_cast<unsigned>(timeout.to_seconds());
}

// The prefix of the output files, by its name in every command or by Batsim's.
std::string output_prefix(const Options& options) {
    if (options.given("output") && options.given("export")) {
        throw UsageError("-o and -e both name the prefix of the output files: give one of the two");
    }
    return optional_text(options, options.given("output") ? "output" : "export").value_or("out");
}

// Returns none after printing the help.
std::optional<SimulateOptions> parse_simulate_options(const Arguments& arguments) {
    Options options;
    add_simulate_options(options);
    if (!options.parse(
            arguments, "batfill simulate -p PLATFORM.xml -w WORKLOAD.json (-a NAME | -s ENDPOINT) [-o PREFIX]",
            "Replays workloads in the embedded simulator and writes PREFIX_jobs.csv and PREFIX_schedule.csv as Batsim does.",
            {"simulate -p sdsc-sp2 -w sp2.json -a easy,order=saf -o saf",
             "simulate -p 128 -w sp2.json -a easy -P threshold=2d -o easy"})) {
        return std::nullopt;
    }
    load_plugins(options);
    SimulateOptions read;
    read.endpoint = options.get<std::string>("socket-endpoint");
    read.prefix = output_prefix(options);
    read.choice =
        read_choice(options.get<std::string>("algorithm"), options.get<std::vector<std::string>>("parameter"));
    check_scheduler_options(options, read.choice);
    if (read.endpoint.empty()) {
        read.choice = combine(read.choice, parse_scheduler_configuration(scheduler_configuration(options)), "-a NAME");
        require_usable(read.choice);
    } else if (options.given("curve-server-key")) {
        read.curve_key = transport::read_curve_key(options.get<std::string>("curve-server-key"));
    }
    read.timeout = socket_timeout(options.get<std::string>("socket-timeout"));
    read.platform = options.get<std::string>("platform");
    read.master_host = options.get<std::string>("master-host");
    read.workloads = options.get<std::vector<std::string>>("workload");
    read.events = options.get<std::vector<std::string>>("events");
    read.scenario.enable_dynamic_jobs = options.given("enable-dynamic-jobs");
    read.scenario.acknowledge_dynamic_jobs = options.given("acknowledge-dynamic-jobs");
    read.scenario.enable_profile_reuse = options.given("enable-profile-reuse");
    read.scenario.forward_unknown_events = options.given("forward-unknown-events");
    read.scenario.scheduler_configuration = scheduler_configuration(options);
    read.scenario.rules = simulator_rules(options.get<std::string>("like"));
    read.measures_time = options.given("real-times");
    read.quiet = options.given("quiet");
    read.has_plugins = options.given("plugin");
    return read;
}

// Makes the folder of the output files, as Batsim 5 does.
// Throws: InputError if it cannot be made.
void prepare_folder(const SimulateOptions& options) {
    const std::string folder = std::filesystem::path(options.prefix).parent_path().string();
    if (options.scenario.rules.files_of_batsim5 && !folder.empty()) {
        create_folders(folder);
    }
    require_writable_folder(options.prefix);
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
    if (!options.quiet) {
        how.progress = [&](std::size_t ended, Time now) {
            const auto day = static_cast<long long>(now.to_seconds() / Duration::days(1).to_seconds());
            progress.show(ended, jobs, std::to_string(ended) + " jobs, day " + std::to_string(day));
        };
    }
    return scheduler != nullptr ? run(std::move(scenario), *scheduler, how)
                                : run(std::move(scenario), options.choice, how);
}

// Says what was simulated and written.
void print_outcome(const Outcome& outcome, double seconds, const std::vector<std::string>& written) {
    const Simulator& simulation = outcome.simulation();
    std::cout << simulation.ended().size() << " jobs, " << simulation.messages() << " messages, "
              << simulation.now().to_string() << " simulated seconds in " << seconds << " s; wrote "
              << enumeration(written) << '\n';
    if (const std::vector<Statistic> statistics = outcome.statistics(); !statistics.empty()) {
        std::cout << "statistics of " << outcome.engine()->description().name << ": " << text_of(statistics) << '\n';
    }
}

// Which of the fields that no algorithm of batfill looks at are requests for something.
std::vector<std::string> ignored_requests(const Outcome& outcome) {
    std::vector<std::string> found;
    for (const char* const name : {"gpus", "memory", "dependency"}) {
        const std::string member = '"' + std::string(name) + "\":";
        const auto asks = [&](const WorkloadJob& job) {
            return job.description.other_fields.text().find(member) != std::string::npos;
        };
        const std::vector<Workload>& workloads = outcome.scenario().workloads;
        if (std::any_of(workloads.begin(), workloads.end(), [&](const Workload& workload) {
                return std::any_of(workload.jobs.begin(), workload.jobs.end(), asks);
            })) {
            found.emplace_back(name);
        }
    }
    return found;
}

// Notes results that may surprise the user.
void note_surprises(const Outcome& outcome, bool has_plugins) {
    note_rejections(outcome);
    if (const auto ignored = ignored_requests(outcome);
        !ignored.empty() && outcome.engine() != nullptr && !has_plugins) {
        note("jobs ask for " + enumeration(ignored) + ", which no algorithm of batfill looks at");
    }
    if (ignores_licenses(outcome)) {
        note("jobs ask for licences, which only placement=machine looks at");
    }
    if (const std::size_t rounded = outcome.simulation().rounded_run_times(); rounded != 0) {
        note("computing times rounded to microseconds: " + std::to_string(rounded) +
             "; Batsim does not round them, and may start jobs at other times");
    }
}

}  // namespace

int simulate(const Arguments& arguments) {
    const std::optional<SimulateOptions> options = parse_simulate_options(arguments);
    if (!options) {
        return 0;
    }
    std::optional<SocketScheduler> scheduler;
    if (!options->endpoint.empty()) {
        scheduler.emplace(options->endpoint, options->timeout, options->curve_key);
    }
    prepare_folder(*options);
    const Clock::time_point begin = Clock::now();
    Scenario scenario = read_scenario(*options);
    note_other_machines(scenario.workloads, scenario.platform.hosts.size());
    const Outcome outcome = simulate(std::move(scenario), *options, scheduler ? &*scheduler : nullptr);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const RealTimes real_times{outcome.scheduler_seconds(), options->measures_time ? seconds : 0};
    const std::vector<std::string> written = write_files(outcome, options->prefix, real_times);
    if (!options->quiet) {
        print_outcome(outcome, seconds, written);
    }
    if (!outcome.deadlock().empty()) {
        throw InputError(outcome.deadlock());
    }
    note_surprises(outcome, options->has_plugins);
    return 0;
}

}  // namespace batfill::commands
