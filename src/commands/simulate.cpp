#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include <spdlog/spdlog.h>

#include <batfill/embedded_scheduler.hpp>
#include <batfill/engine.hpp>
#include <batfill/error.hpp>
#include <batfill/scheduler_choice.hpp>
#include <batfill/simulator.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "platform_option.hpp"
#include "progress.hpp"
#include "protocol/connections.hpp"
#include "scheduler_argument.hpp"
#include "src/core/files.hpp"
#include "src/simulator/results.hpp"
#include "src/simulator/socket_scheduler.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

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
std::string scheduler_configuration(const po::variables_map& values) {
    constexpr std::size_t max_file_size = std::size_t{1} << 20;
    const auto& text = values["sched-cfg"].as<std::string>();
    if (values.count("sched-cfg-file") == 0) {
        return text.ends_with(".json") ? InputFile(text).read_all(max_file_size) : text;
    }
    if (!text.empty()) {
        throw UsageError("--sched-cfg and --sched-cfg-file say the same thing: give one of the two");
    }
    return InputFile(values["sched-cfg-file"].as<std::string>()).read_all(max_file_size);
}

// `registers_jobs`: that the embedded scheduler does so; one behind a socket may if the options allow it.
Scenario read_scenario(const po::variables_map& values, bool for_socket, bool registers_jobs) {
    Scenario scenario;
    scenario.enable_dynamic_jobs = registers_jobs || values.count("enable-dynamic-jobs") != 0;
    scenario.acknowledge_dynamic_jobs = values.count("acknowledge-dynamic-jobs") != 0;
    scenario.enable_profile_reuse = registers_jobs || values.count("enable-profile-reuse") != 0;
    scenario.forward_unknown_events = values.count("forward-unknown-events") != 0;
    scenario.scheduler_configuration = scheduler_configuration(values);
    scenario.rules = simulator_rules(values["like"].as<std::string>());
    scenario.platform = platform_option(values);
    number_hosts(scenario.platform, scenario.rules);
    scenario.workloads = read_workloads(values["workload"].as<std::vector<std::string>>(), for_socket);
    for (const std::string& path : values["events"].as<std::vector<std::string>>()) {
        scenario.event_lists.push_back(read_external_events(path, scenario.forward_unknown_events));
    }
    return scenario;
}

// Whether jobs ask for licences that the platform counts and that the scheduler does not look at.
bool ignores_licenses(const Engine& engine, const Scenario& scenario) {
    const SchedulerState& state = engine.state();
    return state.placement != Placement::machine && !state.machine.counters().empty() &&
           std::any_of(scenario.workloads.begin(), scenario.workloads.end(), [](const Workload& workload) {
               return std::any_of(workload.jobs.begin(), workload.jobs.end(),
                                  [](const WorkloadJob& job) { return !job.description.licenses.empty(); });
           });
}

// Throws UsageError if options are given that are not for this kind of scheduler: embedded, as `choice` says, or behind
// a socket.
void check_scheduler_options(const po::variables_map& values, const SchedulerChoice& choice) {
    const bool embedded = values["socket-endpoint"].as<std::string>().empty();
    if (!embedded && values["like"].as<std::string>() != default_simulator_rules) {
        throw UsageError("--like is for the embedded scheduler, expected -a instead of -s: what is said behind -s is " +
                         std::string(default_simulator_rules) + "'s");
    }
    if (!embedded && (!choice.algorithm.empty() || !choice.parameters.empty())) {
        throw UsageError("-a and -P choose the embedded scheduler, -s another one: give one of the two");
    }
    for (const char* name : {"enable-dynamic-jobs", "acknowledge-dynamic-jobs", "enable-profile-reuse"}) {
        if (embedded && values.count(name) != 0) {
            throw UsageError(std::string("--") + name + " is for -s: the embedded scheduler has what it needs");
        }
    }
    if (values.count("enable-dynamic-jobs") == 0 &&
        (values.count("acknowledge-dynamic-jobs") != 0 || values.count("enable-profile-reuse") != 0)) {
        throw UsageError("--acknowledge-dynamic-jobs and --enable-profile-reuse need --enable-dynamic-jobs");
    }
}

}  // namespace

int simulate(const Arguments& arguments) {
    po::options_description options;
    options.add_options()("platform,p", po::value<std::string>()->required()->value_name(platform_value),
                          platform_help)("workload,w", po::value<std::vector<std::string>>()->required(),
                                         "Batsim workload (JSON, also gzipped); repeat for w0, w1, ...")(
        "algorithm,a", po::value<std::string>()->default_value("", ""), "algorithm of the embedded scheduler")(
        "like", po::value<std::string>()->default_value(default_simulator_rules),
        "the Batsim whose peculiarities and files these are, batsim4 or batsim5")(
        "parameter,P", po::value<std::vector<std::string>>()->default_value({}, ""),
        "key=value, a parameter of the algorithm (see batfill algorithms), or a file of parameters as batfill tune "
        "writes; repeatable")("export,e", po::value<std::string>()->default_value("out"), "prefix of the output files")(
        "events", po::value<std::vector<std::string>>()->default_value({}, ""),
        "file of external events (one JSON object per line); repeatable")(
        "forward-unknown-events", "pass external events of unknown type on instead of refusing them")(
        "master-host,m", po::value<std::string>()->default_value("master_host"), "host that is not a resource")(
        "sched-cfg", po::value<std::string>()->default_value("", ""),
        R"(scheduler configuration, {"algorithm": ..., "params": {...}}, or a .json file of it; the options above win)")(
        "sched-cfg-file", po::value<std::string>(), "the same from a file")(
        "socket-endpoint,s", po::value<std::string>()->default_value("", ""),
        "drive the scheduler that listens there, in Batsim's stead, instead of the embedded one")(
        "enable-dynamic-jobs", "let that scheduler register jobs")(
        "acknowledge-dynamic-jobs", "tell it of the submission of the jobs that it registers")(
        "enable-profile-reuse", "let these have the profiles of jobs that have ended")(
        "socket-timeout", po::value<unsigned>()->default_value(600),
        "seconds to wait for each answer of that scheduler")(
        "curve-server-key", po::value<std::string>()->value_name("FILE"),
        "public CURVE key of that scheduler, as batfill serve --curve-secret-key prints it")(
        "real-times",
        "put the real scheduling and simulation time into the schedule's CSV (0 otherwise, so that "
        "equal runs write equal files)")("quiet,q", "no progress and no summary");
    add_plugin_option(options);
    po::variables_map values;
    if (!parse(arguments, "batfill simulate -p PLATFORM.xml -w WORKLOAD.json (-a NAME | -s ENDPOINT) [-e PREFIX]",
               "Replays workloads in the embedded simulator and writes PREFIX_jobs.csv and PREFIX_schedule.csv as "
               "Batsim does.",
               options, {}, values)) {
        return 0;
    }
    load_plugins(values);
    const SimulatorRules rules = simulator_rules(values["like"].as<std::string>());
    const std::string endpoint = values["socket-endpoint"].as<std::string>();
    const std::string prefix = values["export"].as<std::string>();
    SchedulerChoice choice =
        read_choice(values["algorithm"].as<std::string>(), values["parameter"].as<std::vector<std::string>>());
    check_scheduler_options(values, choice);
    std::unique_ptr<Engine> engine;
    std::unique_ptr<SimulatedScheduler> scheduler;
    const EmbeddedScheduler* embedded = nullptr;
    if (endpoint.empty()) {
        choice = combine(choice, parse_scheduler_configuration(scheduler_configuration(values)));
        engine = std::make_unique<Engine>(choice.algorithm, choice.parameters);
        auto made = std::make_unique<EmbeddedScheduler>(*engine);
        embedded = made.get();
        scheduler = std::move(made);
    } else {
        scheduler = std::make_unique<SocketScheduler>(
            endpoint, values["socket-timeout"].as<unsigned>(),
            values.count("curve-server-key") == 0
                ? ""
                : protocol::read_curve_key(values["curve-server-key"].as<std::string>()));
    }

    require_writable_folder(prefix);
    const bool measure = values.count("real-times") != 0;
    const bool quiet = values.count("quiet") != 0;
    const auto begin = std::chrono::steady_clock::now();
    const Scenario scenario = read_scenario(values, !endpoint.empty(), engine && engine->registers_jobs());
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
    write_results({simulator, embedded, statistics, measure ? RealTimes{timed.seconds(), total} : RealTimes{}}, prefix);
    if (!quiet) {
        std::cout << simulator.ended().size() << " jobs, " << simulator.messages() << " messages, "
                  << simulator.now().to_string() << " simulated seconds in " << total << " s; wrote " << prefix
                  << (rules.files_of_batsim5 ? "jobs.csv and " : "_jobs.csv and ") << prefix
                  << (rules.files_of_batsim5 ? "schedule.json\n" : "_schedule.csv\n");
        if (!statistics.empty()) {
            std::cout << "statistics of " << engine->description().name << ": " << text_of(statistics) << '\n';
        }
    }
    if (engine && ignores_licenses(*engine, scenario)) {
        std::cerr << "batfill: note: jobs ask for licences, which only placement=machine looks at\n";
    }
    if (!stopped.empty()) {
        throw InputError(stopped);
    }
    return 0;
}

}  // namespace batfill::commands
