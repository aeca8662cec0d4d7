#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/simulator/embedded_scheduler.hpp>

#include "../workloads_of.hpp"
#include "drawn_algorithms.hpp"
#include "protocol/codec.hpp"
#include "quiet_log.hpp"
#include "random_farm.hpp"
#include "simulator_fixture.hpp"
#include "src/remote/messages.hpp"
#include "src/session/session.hpp"
#include "src/simulator/results.hpp"

// Tests what must hold for every registered algorithm and every value of its parameters, on many small random
// workloads. No algorithm is named here: a new one is covered from the day that it registers itself.

using namespace batfill;
using namespace batfill::tests;

namespace {

// What makes a workload hard, beside bursts and estimates that are wrong.
enum class Trouble {
    none,
    odd_jobs,  // that no sane user submits
    no_time,   // jobs that last 0 s, or less than the 10 microseconds that these are shown to last; and failures
    failures,  // processors that go and come back, and whatever becomes of the jobs that they had or have no room for
};

// Of a job that lasts 0 s or a few microseconds. The processors compute 1e9 flops in a second.
std::string random_profile_of_no_time(std::mt19937& random) {
    const std::string microseconds = std::to_string(draw(random, 1, 12));
    switch (draw(random, 0, 4)) {
        case 0:
            return R"({"type":"delay","delay":1e-7})";
        case 1:
            return R"({"type":"delay","delay":)" + microseconds + "e-6}";
        case 2:
            return R"({"type":"parallel_homogeneous","com":0,"cpu":)" + microseconds + "e3}";
        case 3:
            return R"({"type":"parallel_homogeneous","com":0,"cpu":)" + microseconds + "}";
        default:
            return R"({"type":"parallel_homogeneous","com":0,"cpu":0})";
    }
}

// The text of a job. Half of the workloads are coarse: many events share an instant.
std::string random_job(std::mt19937& random, int number, Duration submit, int processors, bool coarse, Trouble trouble,
                       bool farm, std::string& profiles) {
    const auto time = [&](int most) {
        return coarse ? Duration::seconds(10 * draw(random, 1, (most + 9) / 10))
                      : Duration::microseconds(draw(random, 1, most * 1000) * 1000LL);
    };
    const std::string id = std::to_string(number);
    Duration walltime = time(draw(random, 0, 3) == 0 ? 400 : 60);
    const Duration delays[] = {walltime, walltime + time(30), time(60), time(60)};
    Duration delay = delays[draw(random, 0, 3)];
    int size = draw(random, 0, 3) == 0 ? draw(random, 1, processors + 1) : draw(random, 1, (processors + 3) / 4);
    std::string more;
    if (draw(random, 0, 2) == 0) {
        more += R"(,"deadline":)" + (submit + walltime + time(200)).to_string();
    }
    if (trouble == Trouble::odd_jobs) {
        switch (draw(random, 0, 7)) {
            case 0:
                size = 0;
                break;
            case 1:
                size = 2147483646;
                break;
            case 2:
                walltime = Duration::days(36'500);
                break;
            case 3:
                walltime = Duration::microseconds(1);
                break;
            case 4:
                delay = Duration::microseconds(1);
                break;
            case 5:
                more = R"(,"deadline":-5)";
                break;
            case 6:
                more += R"(,"queue":"none such","licenses":["unheard of"],"user":"","nodes":[1,{"x":null}])";
                break;
            default:
                break;
        }
    }
    if (farm) {
        std::string licenses;
        for (const std::string& license : random_licenses(random)) {
            licenses += (licenses.empty() ? "\"" : ",\"") + license + "\"";
        }
        more += R"(,"licenses":[)" + licenses + "]";
        more += draw(random, 0, 1) == 0 ? "" : R"(,"queue":"urgent")";
    }
    if (draw(random, 0, 15) != 0) {
        more += R"(,"walltime":)" + walltime.to_string();
    }
    const std::string profile = trouble == Trouble::no_time && draw(random, 0, 1) == 0
                                    ? random_profile_of_no_time(random)
                                    : R"({"type":"delay","delay":)" + delay.to_string() + "}";
    profiles += (profiles.empty() ? "\"" : ",\"") + id + "\":" + profile;
    return R"({"id":")" + id + R"(","subtime":)" + submit.to_string() + R"(,"res":)" + std::to_string(size) +
           R"(,"profile":")" + id + "\"" + more + "}";
}

Workload random_workload(std::mt19937& random, int processors, Trouble trouble, bool farm = false) {
    const bool coarse = draw(random, 0, 1) == 1;
    std::string jobs;
    std::string profiles;
    Duration submit;
    for (int i = draw(random, 1, 40); i > 0; --i) {
        if (draw(random, 0, 2) == 0) {
            submit = submit + (coarse ? Duration::seconds(10 * draw(random, 1, 12))
                                      : Duration::microseconds(draw(random, 1, 120'000) * 1000LL));
        }
        jobs += (jobs.empty() ? "" : ",") +
                random_job(random, 100 + i, submit, processors, coarse, trouble, farm, profiles);
    }
    return parse_workload(R"({"nb_res":1,"jobs":[)" + jobs + R"(],"profiles":{)" + profiles + "}}", "/random.json",
                          "w0", true);
}

// Processors fail and are repaired, each by itself or with its neighbours, so that many are gone at a time; in the end
// all are there. Half of the lists are coarse: losses and returns share instants with each other and with jobs.
std::string random_failures(std::mt19937& random, int processors) {
    const bool coarse = draw(random, 0, 1) == 1;
    const auto time = [&](int most) { return coarse ? 10 * draw(random, 1, most) : draw(random, 1, 10 * most); };
    std::string events;
    for (int first = 0; first < processors;) {
        const int last = draw(random, first, std::min(first + 3, processors - 1));
        int now = 0;
        for (int i = draw(random, 0, 5); i > 0; --i) {
            for (const char* type : {"machine_unavailable", "machine_available"}) {
                now += time(15);
                events += R"({"type":")" + std::string(type) + R"(","timestamp":)" + std::to_string(now) +
                          R"(,"resources":")" + std::to_string(first) + "-" + std::to_string(last) + "\"}\n";
            }
        }
        first = last + 1;
    }
    return events;
}

// The daemon without its socket: every message is written in a frame, answered by a session, and the answer read.
class Daemon : public SimulatedScheduler {
 public:
    explicit Daemon(const DrawnAlgorithm& drawn)
        : session_({drawn.name, drawn.parameters}, protocol::make_codec(protocol::default_protocol)) {}

    void begin(const Simulator& simulator, SchedulerReply& reply) override {
        simulator_ = &simulator;
        write_beginning(simulator.scenario(), frame_);
        exchange(reply);
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        write_message(*simulator_, now, events, frame_);
        exchange(reply);
    }
    void end(Time) override {}

 private:
    void exchange(SchedulerReply& reply) {
        const auto refusal = take_reply(*simulator_, reader_.read(session_.answer(frame_)), reader_.ids(), reply);
        REQUIRE_FALSE(refusal.has_value());
    }

    Session session_;
    protocol::ReplyReader reader_;
    const Simulator* simulator_ = nullptr;
    std::string frame_;
};

// All that can be seen of a simulation.
struct Outcome {
    std::string jobs;        // jobs.csv
    std::string guarantees;  // "job start" for each, and what broke, of an embedded scheduler
    std::size_t messages = 0;
    std::size_t broken_guarantees = 0;
    std::size_t resubmitted = 0;
    std::size_t switches = 0;  // processors that were put to sleep or woken
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Schedule schedule_of(const Simulator& simulator) {
    Schedule schedule;
    schedule.path = "simulated";
    for (const JobNumber number : simulator.ended()) {
        schedule.jobs.push_back(scheduled_job(simulator, number));
    }
    return schedule;
}

// The schedule as an audit of its file has it.
Schedule printed_schedule_of(const Simulator& simulator) {
    std::string text = schedule_csv_header();
    for (const ScheduledJob& job : schedule_of(simulator).jobs) {
        append_csv(job, text);
    }
    return parse_schedule(text, "simulated_jobs.csv");
}

Outcome outcome_of(const Simulator& simulator) {
    REQUIRE(simulator.ended().size() == simulator.jobs().size());
    Outcome outcome;
    for (const ScheduledJob& job : schedule_of(simulator).jobs) {
        append_csv(job, outcome.jobs);
    }
    outcome.messages = simulator.messages();
    outcome.switches = simulator.processor_switches();
    return outcome;
}

// What each job of a schedule was guaranteed.
std::vector<Guarantee> guarantees_of(const Simulator& simulator, const EmbeddedScheduler& scheduler) {
    std::vector<Guarantee> guarantees;
    for (const JobNumber number : simulator.ended()) {
        const SimulatedJob& job = simulator.jobs()[number];
        const bool rejected = job.state == JobState::rejected;
        guarantees.push_back({job.job->description.id, scheduler.guaranteed_start(number),
                              rejected ? std::nullopt : std::optional(job.start)});
    }
    return guarantees;
}

// How many jobs an algorithm has killed of its own accord, which it counts as `kills`.
std::size_t own_kills(const Engine& engine) {
    const std::vector<Statistic> statistics = engine.statistics();
    const auto kills = std::find_if(statistics.begin(), statistics.end(),
                                    [](const Statistic& statistic) { return statistic.name == "kills"; });
    return kills == statistics.end() ? 0 : kills->value;
}

// Every job of the workload has ended: by itself, or rejected, or killed; and if it was killed for lost processors and
// these jobs are submitted again, its last run has. Those that the algorithm kills by itself are not submitted again.
void require_no_job_lost(const Simulator& simulator, const Engine& engine, bool submits_again) {
    std::size_t killed_for_good = 0;
    std::map<std::string, JobState> last_states;
    for (const SimulatedJob& job : simulator.jobs()) {
        const std::string& id = job.job->description.id;
        last_states[id.substr(0, id.find('#'))] = job.state;  // runs stand in their order
        REQUIRE((job.state == JobState::rejected || has_completed(job.state)));
    }
    for (const WorkloadJob& job : simulator.scenario().workloads[0].jobs) {
        const auto last = last_states.find(job.description.id);
        REQUIRE(last != last_states.end());
        killed_for_good += job.description.walltime && last->second == JobState::completed_killed ? 1U : 0U;
    }
    REQUIRE((!submits_again || killed_for_good <= own_kills(engine)));
}

// Only losses of processors break guarantees, and the audit misses each that is not listed where it matters.
void require_broken_guarantees_are_needed(const Simulator& simulator, const std::vector<Guarantee>& guarantees,
                                          const std::vector<BrokenGuarantee>& broken) {
    const Scenario& scenario = simulator.scenario();
    std::set<Time> losses;
    for (const std::vector<ExternalEvent>& events : scenario.event_lists) {
        for (const ExternalEvent& event : events) {
            if (event.kind == ExternalEvent::Kind::machine_unavailable) {
                losses.insert(event.time);
            }
        }
    }
    const Schedule schedule = schedule_of(simulator);
    for (std::size_t i = 0; i < broken.size(); ++i) {
        REQUIRE(losses.contains(broken[i].lost_at));
        const SimulatedJob& job = simulator.jobs()[simulator.find_job(broken[i].job_id).value()];
        if (job.state == JobState::rejected || job.start > broken[i].guaranteed_start) {
            std::vector<BrokenGuarantee> without = broken;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
            REQUIRE_FALSE(check_schedule(schedule, scenario.workloads, scenario.platform, {}, &guarantees, &without)
                              .violations.empty());
        }
    }
}

// What becomes of jobs when their processors are lost. Of several values of a parameter the last counts.
std::string on_failure_of(const DrawnAlgorithm& drawn) {
    const auto last = std::find_if(drawn.parameters.rbegin(), drawn.parameters.rend(),
                                   [](const auto& given) { return given.first == "on-failure"; });
    return last == drawn.parameters.rend() ? "continue" : last->second;
}

// Simulates with the embedded scheduler and audits the schedule.
Outcome embedded(const Scenario& scenario, const DrawnAlgorithm& drawn) {
    Engine engine(drawn.name, drawn.parameters);
    EmbeddedScheduler scheduler(engine);
    Simulator simulator(scenario);
    simulator.run(scheduler);
    const std::vector<Guarantee> guarantees = guarantees_of(simulator, scheduler);
    const std::vector<BrokenGuarantee> broken = broken_guarantees(simulator, scheduler);
    const CheckReport report =
        check_schedule(printed_schedule_of(simulator), workloads_of(simulator), scenario.platform,
                       {.placement = engine.state().placement,
                        .jobs_survive_losses = on_failure_of(drawn) == "continue",
                        .rejections_allowed = drawn.name == "rejecter"},
                       &guarantees, &broken, scenario.event_lists);
    INFO((report.violations.empty() ? "" : report.violations[0].text));
    REQUIRE(report.violations.empty());
    require_no_job_lost(simulator, engine, on_failure_of(drawn) == "requeue");
    require_broken_guarantees_are_needed(simulator, guarantees, broken);
    Outcome outcome = outcome_of(simulator);
    for (const Guarantee& guarantee : guarantees) {
        outcome.guarantees += guarantee.job_id + " " +
                              (guarantee.guaranteed_start ? guarantee.guaranteed_start->to_string() : "none") + "\n";
    }
    for (const BrokenGuarantee& one : broken) {
        append_csv(one, outcome.guarantees);
    }
    outcome.broken_guarantees = broken.size();
    outcome.resubmitted = report.resubmitted;
    for (const Statistic& statistic : engine.statistics()) {
        outcome.guarantees += text_of({statistic}) + "\n";
    }
    return outcome;
}

Outcome by_daemon(const Scenario& scenario, const DrawnAlgorithm& drawn) {
    Daemon daemon(drawn);
    Simulator simulator(scenario);
    simulator.run(daemon);
    return outcome_of(simulator);
}

bool needs_run_times(const DrawnAlgorithm& drawn) {
    return Engine(drawn.name, drawn.parameters).needs_run_times();
}

// Of the embedded scheduler. Requires that it is the same twice, and that of the daemon, which refuses what it cannot
// know.
Outcome simulated_in_all_ways(Scenario scenario, const DrawnAlgorithm& drawn) {
    scenario.enable_dynamic_jobs = Engine(drawn.name, drawn.parameters).registers_jobs();
    scenario.enable_profile_reuse = scenario.enable_dynamic_jobs;
    const Outcome outcome = embedded(scenario, drawn);
    REQUIRE(embedded(scenario, drawn) == outcome);
    if (needs_run_times(drawn)) {
        REQUIRE_THROWS_AS(by_daemon(scenario, drawn), UsageError);
        return outcome;
    }
    const Outcome of_daemon = by_daemon(scenario, drawn);
    REQUIRE(of_daemon.jobs == outcome.jobs);
    REQUIRE(of_daemon.messages == outcome.messages);
    REQUIRE(of_daemon.switches == outcome.switches);
    if (scenario.enable_dynamic_jobs) {
        // Jobs that are submitted again wait at once in any case, the algorithm's own only when they are acknowledged.
        scenario.acknowledge_dynamic_jobs = true;
        const Outcome acknowledged = embedded(scenario, drawn);
        REQUIRE(by_daemon(scenario, drawn).jobs == acknowledged.jobs);
        REQUIRE(
            (acknowledged.jobs == outcome.jobs || Engine(drawn.name, drawn.parameters).algorithm().registers_jobs()));
    }
    return outcome;
}

// Looks at each start of an embedded scheduler, with the processors that are idle just before.
class WatchedStarts : public SimulatedScheduler {
 public:
    using Look = std::function<void(const ResourceSet& idle, const ResourceSet& allocation)>;

    WatchedStarts(Engine& engine, int processors, Look look)
        : scheduler_(engine), idle_(ResourceSet::range(0, processors - 1)), look_(std::move(look)) {}

    void begin(const Simulator& simulator, SchedulerReply& reply) override {
        scheduler_.begin(simulator, reply);
        look_at_starts(reply);
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        for (const Event& event : events) {
            if (const auto* completed = std::get_if<JobCompleted>(&event.data)) {
                idle_.insert(allocations_.at(completed->job));
            }
        }
        scheduler_.message(now, events, reply);
        look_at_starts(reply);
    }
    void end(Time) override {}

 private:
    void look_at_starts(const SchedulerReply& reply) {
        for (const SchedulerReply::TimedDecision& decision : reply.decisions) {
            if (const auto* start = std::get_if<StartJob>(&decision.decision)) {
                look_(idle_, start->allocation);
                idle_.remove(start->allocation);
                allocations_[start->job] = start->allocation;
            }
        }
    }

    EmbeddedScheduler scheduler_;
    ResourceSet idle_;
    Look look_;
    std::map<JobNumber, ResourceSet> allocations_;
};

// The starts of all jobs, with this placement.
std::vector<Time> starts_with_placement(Scenario scenario, DrawnAlgorithm drawn, const std::string& placement,
                                        const WatchedStarts::Look& look) {
    drawn.parameters.emplace_back("placement", placement);
    Engine engine(drawn.name, drawn.parameters);
    scenario.enable_dynamic_jobs = engine.registers_jobs();
    scenario.enable_profile_reuse = engine.reuses_profiles();
    WatchedStarts scheduler(engine, static_cast<int>(scenario.platform.hosts.size()), look);
    Simulator simulator(scenario);
    simulator.run(scheduler);
    std::vector<Time> starts;
    for (const SimulatedJob& job : simulator.jobs()) {
        starts.push_back(job.state == JobState::rejected ? Time::infinity() : job.start);
    }
    return starts;
}

// Each pair of values of the two parameters that say what becomes of jobs when processors fail, in turn.
DrawnAlgorithm with_failure_parameters(const DrawnAlgorithm& drawn, int round) {
    DrawnAlgorithm with = drawn;
    const char* const on_failure[] = {"continue", "requeue", "kill"};
    const char* const when_too_small[] = {"wait", "reject"};
    with.parameters.emplace_back("on-failure", on_failure[round % 3]);
    with.parameters.emplace_back("when-too-small", when_too_small[round / 3 % 2]);
    return with;
}

// Most processors can sleep, in every other round; how long it takes them depends on the round.
Platform machine_of_round(int processors, int round) {
    Platform platform = machine(processors);
    for (std::size_t i = 0; round % 2 == 1 && i < platform.hosts.size(); ++i) {
        if (i % 4 != 3) {
            Host& host = platform.hosts[i];
            host = host_that_sleeps(std::move(host));
            host.pstate_speeds[2] = 1.0 / (1 + round % 7);
            host.pstate_speeds[3] = 1.0 / (1 + 10 * (round % 5));
        }
    }
    return platform;
}

void try_every_algorithm(Trouble trouble, int rounds) {
    const QuietLog quiet;
    bool switches = false;
    std::size_t switched = 0;
    bool guarantees = false;
    std::size_t broken_guarantees = 0;
    std::size_t resubmitted = 0;
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        guarantees |= Engine(drawn.name, drawn.parameters).gives_guarantees();
        switches |= Engine(drawn.name, drawn.parameters).algorithm().switches_processors();
        std::mt19937 random(2024);
        for (int round = 0; round < rounds; ++round) {
            INFO(drawn.text() << ", workload " << round);
            const int processors = draw(random, 1, 12);
            Workload workload = random_workload(random, processors, trouble);
            const bool fails = trouble == Trouble::failures || (trouble == Trouble::no_time && draw(random, 0, 1) == 0);
            const std::string events = fails ? random_failures(random, processors) : "";
            const Scenario scenario = scenario_of(machine_of_round(processors, round), {std::move(workload)}, events);
            const DrawnAlgorithm tried = fails ? with_failure_parameters(drawn, round) : drawn;
            const Outcome outcome = simulated_in_all_ways(scenario, tried);
            broken_guarantees += outcome.broken_guarantees;
            resubmitted += outcome.resubmitted;
            switched += outcome.switches;
        }
    }
    // The failures are such that there is something to be seen.
    const bool failures = trouble == Trouble::failures || trouble == Trouble::no_time;
    CHECK((broken_guarantees > 0) == (failures && guarantees));
    CHECK((resubmitted > 0) == failures);
    CHECK((switched > 0) == switches);
}

}  // namespace

TEST_CASE("Every algorithm: each parameter is drawn, with every choice", "[every-algorithm]") {
    const std::vector<DrawnAlgorithm> drawn = drawn_algorithms();
    for (const AlgorithmDescription* algorithm : algorithms_under_test()) {
        for (const Parameter& parameter : algorithm->parameters) {
            for (const std::string& choice : parameter.choices) {
                INFO(algorithm->name << " " << parameter.name << "=" << choice);
                CHECK(std::any_of(drawn.begin(), drawn.end(), [&](const DrawnAlgorithm& candidate) {
                    return candidate.name == algorithm->name && candidate.parameters.size() > 0 &&
                           candidate.parameters[0] == std::pair(parameter.name, choice);
                }));
            }
        }
    }
}

TEST_CASE("Every algorithm: the audit finds nothing, guarantees are kept, daemon and simulator agree, twice the same",
          "[every-algorithm][property]") {
    try_every_algorithm(Trouble::none, 12);
}

TEST_CASE("Every algorithm: the same with jobs that no sane user submits", "[every-algorithm][property]") {
    try_every_algorithm(Trouble::odd_jobs, 8);
}

TEST_CASE("Every algorithm: the same when processors come and go", "[every-algorithm][property][failures]") {
    try_every_algorithm(Trouble::failures, 12);
}

TEST_CASE("Every algorithm: the same with jobs that take no time, also when processors come and go",
          "[every-algorithm][property][failures]") {
    try_every_algorithm(Trouble::no_time, 12);
}

TEST_CASE("Every algorithm: the same on farms of machines with licences, also when processors come and go",
          "[every-algorithm][property]") {
    const QuietLog quiet;
    for (const DrawnAlgorithm& drawn : drawn_with_placement("machine", 4)) {
        std::mt19937 random(2025);
        for (int round = 0; round < 30; ++round) {
            INFO(drawn.text() << ", workload " << round);
            const int processors = draw(random, 1, 16);
            const bool fails = draw(random, 0, 2) == 0;
            Workload workload = random_workload(random, processors, Trouble::none, true);
            const Scenario scenario = scenario_of({random_farm(random, processors)}, {std::move(workload)},
                                                  fails ? random_failures(random, processors) : "");
            simulated_in_all_ways(scenario, fails ? with_failure_parameters(drawn, round) : drawn);
        }
    }
}

TEST_CASE("Every algorithm: contiguous jobs get one block, and best effort takes one that is there, at the same times",
          "[every-algorithm][property]") {
    for (const DrawnAlgorithm& drawn : drawn_with_placement("contiguous", 4)) {
        std::mt19937 random(2026);
        for (int round = 0; round < 20; ++round) {
            INFO(drawn.text() << ", workload " << round);
            const int processors = draw(random, 1, 12);
            const Scenario scenario =
                scenario_of(machine(processors), {random_workload(random, processors, Trouble::none)});
            starts_with_placement(scenario, drawn, "contiguous", [](const ResourceSet&, const ResourceSet& allocation) {
                REQUIRE(allocation.intervals().size() == 1);
            });
            const std::vector<Time> best_effort = starts_with_placement(
                scenario, drawn, "best-effort-contiguous", [](const ResourceSet& idle, const ResourceSet& allocation) {
                    REQUIRE(allocation == idle.lowest_block(allocation.size())
                                              .value_or(ResourceSet(idle).take_lowest(allocation.size())));
                });
            REQUIRE(best_effort == starts_with_placement(scenario, drawn, "lowest",
                                                         [](const ResourceSet& idle, const ResourceSet& allocation) {
                                                             REQUIRE(allocation ==
                                                                     ResourceSet(idle).take_lowest(allocation.size()));
                                                         }));
        }
    }
}

TEST_CASE("Every algorithm: messages that no Batsim sends end in an error that names the event", "[every-algorithm]") {
    const std::string begins = R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{"config":)"
                               R"({"dynamic-jobs-enabled":true,"profile-reuse-enabled":true},"compute_resources":)"
                               R"([{"id":0,"name":"a"},{"id":1,"name":"b"}],"workloads":{},"profiles":{}}}]})";
    const auto frame = [](int now, const std::string& type, const std::string& data) {
        return R"({"now":)" + std::to_string(now) + R"(,"events":[{"timestamp":)" + std::to_string(now) +
               R"(,"type":")" + type + R"(","data":)" + data + "}]}";
    };
    const std::string job = R"({"job_id":"w0!1","job":{"id":"w0!1","subtime":1,"res":1,"walltime":5,"profile":"p"}})";
    const std::string ended = R"({"job_id":"w0!1","job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":"0"})";
    const auto ended_as = [](const std::string& state) {
        return R"({"job_id":"w0!1","job_state":")" + state + R"(","return_code":0,"alloc":"0"})";
    };
    const std::vector<std::pair<std::string, std::string>> rogue{
        {frame(2, "JOB_SUBMITTED", job), "submitted twice"},
        {frame(0, "JOB_SUBMITTED", job), "time goes back"},
        {frame(2, "JOB_COMPLETED", R"({"job_id":"w0!2","job_state":"COMPLETED_KILLED","return_code":0,"alloc":"0"})"),
         "unknown job"},
        {frame(2, "JOB_COMPLETED", ended_as("RUNNING")), "JOB_COMPLETED"},
        {frame(2, "NOTIFY", R"({"type":"event_machine_unavailable","resources":"7"})"), "resource 7"},
        {begins, "SIMULATION_BEGINS"},
    };
    const QuietLog quiet;
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        if (needs_run_times(drawn)) {
            continue;  // the daemon refuses it
        }
        for (const auto& [message, problem] : rogue) {
            INFO(drawn.text() << ", " << message);
            Session session({drawn.name, drawn.parameters}, protocol::make_codec(protocol::default_protocol));
            session.answer(begins);
            session.answer(frame(1, "JOB_SUBMITTED", job));
            try {
                session.answer(message);
                FAIL("no error");
            } catch (const InputError& error) {
                CHECK_THAT(error.what(), Catch::Matchers::Contains(problem) || Catch::Matchers::Contains("goes back"));
            }
        }
        Session session({drawn.name, drawn.parameters}, protocol::make_codec(protocol::default_protocol));
        session.answer(begins);
        session.answer(frame(1, "JOB_SUBMITTED", job));
        const bool started = session.rejected() == 0;
        if (started) {
            session.answer(frame(2, "JOB_COMPLETED", ended));
        }
        CHECK_THROWS_AS(session.answer(frame(3, "JOB_COMPLETED", ended)), InputError);
    }
}
