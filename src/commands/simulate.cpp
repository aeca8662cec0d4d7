#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/simulator/embedded_scheduler.hpp>
#include <batfill/simulator/simulator.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "platform_option.hpp"
#include "progress.hpp"
#include "scheduler_argument.hpp"
#include "src/remote/socket_scheduler.hpp"
#include "src/simulator/results.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/transport/connections.hpp"

namespace batfill::commands {

namespace {

using Seconds = std::chrono::duration<double>;

// Adds up the real time that the scheduler takes.
class TimedScheduler : public SimulatedScheduler {
 public:
    explicit TimedScheduler(SimulatedScheduler& scheduler) : scheduler_(scheduler) {}
    void begin(const Simulator& simulator, SchedulerReply& reply) override {
        const auto before = std::chrono::steady_clock::now();
        scheduler_.begin(simulator, reply);
        spent_ += std::chrono::steady_clock::now() - before;
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        const auto before = std::chrono::steady_clock::now();
        scheduler_.message(now, events, reply);
        spent_ += std::chrono::steady_clock::now() - before;
    }
    void end(Time now) override { scheduler_.end(now); }
    double seconds() const { return Seconds(spent_).count(); }

 private:
    SimulatedScheduler& scheduler_;
    std::chrono::steady_clock::duration spent_{};
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

// `registers_jobs`: that the embedded scheduler does so; one behind a socket may if the options allow it.
Scenario read_scenario(const Options& options, bool for_socket, bool registers_jobs) {
    Scenario scenario;
    scenario.enable_dynamic_jobs = registers_jobs || options.given("enable-dynamic-jobs");
    scenario.acknowledge_dynamic_jobs = options.given("acknowledge-dynamic-jobs");
    scenario.enable_profile_reuse = registers_jobs || options.given("enable-profile-reuse");
    scenario.forward_unknown_events = options.given("forward-unknown-events");
    scenario.scheduler_configuration = scheduler_configuration(options);
    scenario.rules = simulator_rules(options.get<std::string>("like"));
    scenario.platform = platform_option(options);
    number_hosts(scenario.platform, scenario.rules);
    scenario.workloads = read_workloads(options.get<std::vector<std::string>>("workload"), for_socket);
    for (const std::string& path : options.get<std::vector<std::string>>("events")) {
        scenario.event_lists.push_back(read_external_events(path, scenario.forward_unknown_events));
    }
    return scenario;
}

// Whether jobs ask for licences that the platform counts and that the scheduler does not look at.
bool ignores_licenses(const Engine& engine, const Scenario& scenario) {
    const SchedulerState& state = engine.state();
    return state.placement != Placement::machine && !state.machine.licenses().empty() &&
           std::any_of(scenario.workloads.begin(), scenario.workloads.end(), [](const Workload& workload) {
               return std::any_of(workload.jobs.begin(), workload.jobs.end(),
                                  [](const WorkloadJob& job) { return !job.description.licenses.empty(); });
           });
}

// Says of the jobs that were rejected how many, why, and what helps.
void note_rejections(const Simulator& simulator, const EmbeddedScheduler& scheduler) {
    const std::vector<SimulatedJob>& jobs = simulator.jobs();
    for (const auto& [cause, rejections] : scheduler.rejections()) {
        std::cerr << "batfill: note: " << rejections.jobs << " of " << jobs.size() << " jobs rejected: ";
        if (cause == RejectionCause::no_walltime) {
            std::cerr << "without a walltime (-P default-walltime=SECONDS gives one)";
        } else if (cause == RejectionCause::too_wide_for_machine) {
            int widest = 0;
            for (const SimulatedJob& job : jobs) {
                widest = std::max(widest, job.state == JobState::rejected ? job.job->description.processors : 0);
            }
            std::cerr << "wider than the " << simulator.scenario().platform.hosts.size()
                      << " processors of the platform (-p), the widest asks for " << widest;
        } else {
            std::cerr << "the first, " << shown(jobs[rejections.first].job->description.id) << ", "
                      << one_line(rejections.reason);
        }
        std::cerr << '\n';
    }
}

// Throws UsageError if options are given that are not for this kind of scheduler: embedded, as `choice` says, or behind
// a socket.
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

}  // namespace

int simulate(const Arguments& arguments) {
    Options options;
    options.add("platform,p", Value<std::string>(platform_value).required(), platform_help);
    options.add("workload,w", Value<std::vector<std::string>>().required(),
                "Batsim workload (JSON, also gzipped); repeat for w0, w1, ...");
    options.add("algorithm,a", Value<std::string>(),
                "algorithm of the embedded scheduler, also with parameters: easy,order=saf");
    options.add("like", Value<std::string>().otherwise(default_simulator_rules),
                "the Batsim whose peculiarities and files these are, batsim4 or batsim5");
    options.add("parameter,P", Value<std::vector<std::string>>(),
                "key=value, a parameter of the algorithm (see batfill algorithms), or a file of parameters as batfill "
                "tune writes; repeatable");
    options.add("export,e", Value<std::string>().otherwise("out"),
                "prefix of the output files: out writes out_jobs.csv, and out/ writes out/_jobs.csv, as Batsim 4 does");
    options.add("events", Value<std::vector<std::string>>(),
                "file of external events (one JSON object per line); repeatable");
    options.add("forward-unknown-events", "pass external events of unknown type on instead of refusing them");
    options.add("master-host,m", Value<std::string>().otherwise("master_host"), "host that is not a resource");
    options.add("sched-cfg", Value<std::string>(),
                R"(scheduler configuration, {"algorithm": ..., "params": {...}}, or a .json file of it; )"
                "the options above win");
    options.add("sched-cfg-file", Value<std::string>(), "the same from a file");
    options.add("socket-endpoint,s", Value<std::string>(),
                "drive the scheduler that listens there, in Batsim's stead, instead of the embedded one");
    options.add("enable-dynamic-jobs", "let that scheduler register jobs");
    options.add("acknowledge-dynamic-jobs", "tell it of the submission of the jobs that it registers");
    options.add("enable-profile-reuse", "let these have the profiles of jobs that have ended");
    options.add("socket-timeout", Value<unsigned>().otherwise(600),
                "seconds to wait for each answer of that scheduler");
    options.add("curve-server-key", Value<std::string>("FILE"),
                "public CURVE key of that scheduler, as batfill serve --curve-secret-key prints it");
    options.add("real-times",
                "put the real scheduling and simulation time into the schedule's CSV (0 otherwise, so that equal runs "
                "write equal files)");
    options.add("quiet,q", "no progress and no summary");
    add_plugin_option(options);
    if (!options.parse(
            arguments, "batfill simulate -p PLATFORM.xml -w WORKLOAD.json (-a NAME | -s ENDPOINT) [-e PREFIX]",
            "Replays workloads in the embedded simulator and writes PREFIX_jobs.csv and PREFIX_schedule.csv as "
            "Batsim does.")) {
        return 0;
    }
    load_plugins(options);
    const auto endpoint = options.get<std::string>("socket-endpoint");
    const auto prefix = options.get<std::string>("export");
    SchedulerChoice choice =
        read_choice(options.get<std::string>("algorithm"), options.get<std::vector<std::string>>("parameter"));
    check_scheduler_options(options, choice);
    std::unique_ptr<Engine> engine;
    std::unique_ptr<SimulatedScheduler> scheduler;
    const EmbeddedScheduler* embedded = nullptr;
    if (endpoint.empty()) {
        choice = combine(choice, parse_scheduler_configuration(scheduler_configuration(options)), "-a NAME");
        engine = std::make_unique<Engine>(choice.algorithm, choice.parameters);
        auto made = std::make_unique<EmbeddedScheduler>(*engine);
        embedded = made.get();
        scheduler = std::move(made);
    } else {
        scheduler = std::make_unique<SocketScheduler>(
            endpoint, options.get<unsigned>("socket-timeout"),
            options.given("curve-server-key") ? transport::read_curve_key(options.get<std::string>("curve-server-key"))
                                              : "");
    }

    if (const std::string folder = std::filesystem::path(prefix).parent_path().string();
        simulator_rules(options.get<std::string>("like")).files_of_batsim5 && !folder.empty()) {
        create_folders(folder);  // as Batsim 5 does
    }
    require_writable_folder(prefix);
    const bool measure = options.given("real-times");
    const bool quiet = options.given("quiet");
    const auto begin = std::chrono::steady_clock::now();
    const Scenario scenario = read_scenario(options, !endpoint.empty(), engine && engine->registers_jobs());
    note_other_machines(scenario.workloads, scenario.platform.hosts.size());
    Simulator simulator(scenario);
    TimedScheduler timed(*scheduler);
    std::string stopped;
    {
        Progress progress(simulator.jobs().size());
        try {
            simulator.run(measure ? timed : *scheduler, [&](std::size_t ended, Time now) {
                if (quiet) {
                    return;
                }
                progress.show(ended, std::to_string(ended) + " jobs, day " +
                                         std::to_string(static_cast<long long>(now.to_seconds() /
                                                                               Duration::days(1).to_seconds())));
            });
        } catch (const DeadlockError& problem) {
            stopped = problem.what();
        }
    }
    const double total = Seconds(std::chrono::steady_clock::now() - begin).count();
    const std::vector<Statistic> statistics = engine ? engine->statistics() : std::vector<Statistic>();
    const std::vector<std::string> written = write_results(
        {simulator, embedded, statistics, measure ? RealTimes{timed.seconds(), total} : RealTimes{}}, prefix);
    if (!quiet) {
        std::cout << simulator.ended().size() << " jobs, " << simulator.messages() << " messages, "
                  << simulator.now().to_string() << " simulated seconds in " << total << " s; wrote "
                  << enumeration(written) << '\n';
        if (!statistics.empty()) {
            std::cout << "statistics of " << engine->description().name << ": " << text_of(statistics) << '\n';
        }
    }
    if (!stopped.empty()) {
        throw InputError(stopped);
    }
    if (embedded != nullptr) {
        note_rejections(simulator, *embedded);
    }
    if (engine && ignores_licenses(*engine, scenario)) {
        std::cerr << "batfill: note: jobs ask for licences, which only placement=machine looks at\n";
    }
    if (simulator.rounded_run_times() != 0) {
        std::cerr << "batfill: note: computing times rounded to microseconds: " << simulator.rounded_run_times()
                  << "; Batsim does not round them, and may start jobs at other times\n";
    }
    return 0;
}

}  // namespace batfill::commands
