#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/replay/outcome.hpp>

#include "protocol/codec.hpp"
#include "src/session/session.hpp"
#include "src/simulator/embedded_scheduler.hpp"
#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/every_algorithm/whole_reasons.hpp"
#include "tests/support/frame_scheduler.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/simulator_fixture.hpp"

// Tests what must hold for every registered algorithm and all values of its parameters, on many small random workloads.
// They name no algorithm, so they cover a new one as soon as it registers itself.

using namespace batfill;
using namespace batfill::tests;

namespace {

// The daemon without its socket: a session answers each message as a frame, and the reply is read back.
class Daemon : public FrameScheduler {
 public:
    explicit Daemon(const DrawnAlgorithm& drawn)
        : session_({drawn.name, drawn.parameters}, protocol::make_codec(protocol::default_protocol)) {}

    void end(Time) override {}  // a session that refused the beginning has no end

 private:
    std::string_view answer(const std::string& frame) override { return session_.answer(frame); }

    Session session_;
};

// The observable results of a simulation.
struct Seen {
    std::string jobs;        // jobs.csv
    std::string guarantees;  // "job start" for each job, and the broken ones; only of an embedded scheduler
    std::size_t messages = 0;
    std::size_t broken_guarantees = 0;
    std::size_t resubmitted = 0;
    std::size_t switches = 0;  // processors that were put to sleep or woken
    friend bool operator==(const Seen&, const Seen&) = default;
};

std::string text_of(Schedule schedule) {
    std::string text = schedule_csv_header();
    for (ScheduledJob& job : schedule.jobs) {
        job.profile = {};  // which readers of a file pass over, as the metadata
        job.metadata = {};
        append_csv(job, text);
    }
    return text;
}

// Requires that a file of the schedule says the same, so that an audit of the file finds the same.
void require_same_in_file(const Outcome& outcome) {
    const std::string text = text_of(outcome.schedule());
    REQUIRE(text_of(read_schedule("simulated_jobs.csv", text, TakenJobs::possible)) == text);
}

Seen seen_of(const Outcome& outcome) {
    const Simulator& simulator = outcome.simulation();
    REQUIRE(simulator.ended().size() == simulator.jobs().size());
    Seen seen;
    for (const ScheduledJob& job : outcome.schedule().jobs) {
        append_csv(job, seen.jobs);
    }
    seen.messages = simulator.results().messages;
    seen.switches = simulator.results().processor_switches;
    return seen;
}

// The number of kills that the algorithm decided itself; its statistic `kills`.
std::size_t own_kills(const Outcome& outcome) {
    const std::vector<Statistic> statistics = outcome.statistics();
    const auto kills = std::find_if(statistics.begin(), statistics.end(),
                                    [](const Statistic& statistic) { return statistic.name == "kills"; });
    return kills == statistics.end() ? 0 : kills->value;
}

// Requires that every job of the workload ended, was rejected or was killed. If jobs killed by losses are submitted
// again, requires the same of their last run. Jobs that the algorithm itself kills are not submitted again.
void require_no_job_lost(const Outcome& outcome, bool submits_again) {
    const Simulator& simulator = outcome.simulation();
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
    REQUIRE((!submits_again || killed_for_good <= own_kills(outcome)));
}

// Requires that processor losses broke the listed guarantees, and that the audit finds each omission that matters.
void require_broken_guarantees_are_needed(const Outcome& outcome, const std::vector<Guarantee>& guarantees,
                                          const std::vector<BrokenGuarantee>& broken) {
    const Simulator& simulator = outcome.simulation();
    const Scenario& scenario = outcome.scenario();
    std::set<Time> losses;
    for (const std::vector<ExternalEvent>& events : scenario.event_lists) {
        for (const ExternalEvent& event : events) {
            if (event.kind == ExternalEvent::Kind::machine_unavailable) {
                losses.insert(event.time);
            }
        }
    }
    const Schedule schedule = outcome.schedule();
    for (std::size_t i = 0; i < broken.size(); ++i) {
        REQUIRE(losses.contains(broken[i].lost_at));
        const SimulatedJob& job = simulator.job(simulator.find_job(broken[i].job_id).value());
        if (job.state == JobState::rejected || job.start > broken[i].guaranteed_start) {
            std::vector<BrokenGuarantee> without = broken;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
            REQUIRE_FALSE(check_schedule(schedule, scenario.workloads, scenario.platform, {}, &guarantees, &without)
                              .violations.empty());
        }
    }
}

// What happens to jobs on lost processors. The last of several values of a parameter counts.
std::string on_failure_of(const DrawnAlgorithm& drawn) {
    const auto last = std::find_if(drawn.parameters.rbegin(), drawn.parameters.rend(),
                                   [](const auto& given) { return given.first == "on-failure"; });
    return last == drawn.parameters.rend() ? "continue" : last->second;
}

// Simulates with the embedded scheduler and audits the schedule. With `explains`, asks why each job waits.
Seen embedded(const Scenario& scenario, const DrawnAlgorithm& drawn, bool explains = false) {
    RunOptions options;
    for (const WorkloadJob& job : scenario.workloads[0].jobs) {
        if (explains) {
            options.explain.push_back(job.description.id);
        }
    }
    const Outcome outcome = run(scenario, {drawn.name, drawn.parameters}, options);
    if (explains) {
        require_whole_reasons(outcome);
    }
    const CheckReport report = audit(outcome, {.rejections_allowed = drawn.name == "rejecter"});
    INFO((report.violations.empty() ? "" : report.violations[0].text));
    REQUIRE(report.violations.empty());
    require_same_in_file(outcome);
    require_no_job_lost(outcome, on_failure_of(drawn) == "requeue");
    std::vector<Guarantee> guarantees;
    for (const JobNumber number : outcome.simulation().ended()) {
        guarantees.push_back(outcome.guarantee(number));
    }
    const std::vector<BrokenGuarantee> broken = outcome.broken_guarantees();
    require_broken_guarantees_are_needed(outcome, guarantees, broken);
    Seen seen = seen_of(outcome);
    for (const Guarantee& guarantee : guarantees) {
        seen.guarantees += guarantee.job_id + " " +
                           (guarantee.guaranteed_start ? guarantee.guaranteed_start->to_string() : "none") + "\n";
    }
    for (const BrokenGuarantee& one : broken) {
        append_csv(one, seen.guarantees);
    }
    seen.broken_guarantees = broken.size();
    seen.resubmitted = report.resubmitted;
    for (const Statistic& statistic : outcome.statistics()) {
        seen.guarantees += batfill::text_of({statistic}) + "\n";
    }
    return seen;
}

Seen by_daemon(const Scenario& scenario, const DrawnAlgorithm& drawn) {
    Daemon daemon(drawn);
    return seen_of(run(scenario, daemon));
}

// The outcome of the embedded scheduler. Requires that it is reproducible, also if somebody asks why jobs wait, and
// that the daemon has the same, unless the daemon refuses the parameters.
Seen simulated_in_all_ways(Scenario scenario, const DrawnAlgorithm& drawn) {
    scenario.enable_dynamic_jobs = Engine(drawn.name, drawn.parameters).registers_jobs();
    scenario.enable_profile_reuse = scenario.enable_dynamic_jobs;
    const Seen outcome = embedded(scenario, drawn);
    REQUIRE(embedded(scenario, drawn, true) == outcome);
    if (is_for_simulate_only(drawn)) {
        REQUIRE_THROWS_AS(by_daemon(scenario, drawn), UsageError);
        return outcome;
    }
    const Seen of_daemon = by_daemon(scenario, drawn);
    REQUIRE(of_daemon.jobs == outcome.jobs);
    REQUIRE(of_daemon.messages == outcome.messages);
    REQUIRE(of_daemon.switches == outcome.switches);
    if (scenario.enable_dynamic_jobs) {
        // Jobs that are submitted again wait at once. The algorithm's own jobs wait only when acknowledged.
        scenario.acknowledge_dynamic_jobs = true;
        const Seen acknowledged = embedded(scenario, drawn);
        REQUIRE(by_daemon(scenario, drawn).jobs == acknowledged.jobs);
        REQUIRE(
            (acknowledged.jobs == outcome.jobs || Engine(drawn.name, drawn.parameters).algorithm().registers_jobs()));
    }
    return outcome;
}

// All pairs of values of on-failure and when-too-small, in turn.
DrawnAlgorithm with_failure_parameters(const DrawnAlgorithm& drawn, int round) {
    DrawnAlgorithm with = drawn;
    const char* const on_failure[] = {"continue", "requeue", "kill"};
    const char* const when_too_small[] = {"wait", "reject"};
    with.parameters.emplace_back("on-failure", on_failure[round % 3]);
    with.parameters.emplace_back("when-too-small", when_too_small[round / 3 % 2]);
    return with;
}

// In every other round, most processors can sleep. The round determines their switching times.
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
        const bool may_fail = find_algorithm(drawn.name).takes_event_files;
        guarantees |= SchedulerChoice(drawn.name, drawn.parameters).gives_guarantees();
        switches |= Engine(drawn.name, drawn.parameters).algorithm().switches_processors();
        Random random(2024);
        const bool has_many_parameters = find_algorithm(drawn.name).parameters.size() > 30;
        for (int round = 0; round < (has_many_parameters ? rounds / 4 : rounds); ++round) {
            INFO(drawn.text() << ", workload " << round);
            const int processors = random.between(1, 12);
            Workload workload = random_workload(random, processors, trouble);
            const bool fails =
                may_fail && (trouble == Trouble::failures || (trouble == Trouble::no_time && random.one_in(2)));
            const std::string events = fails ? random_failures(random, processors) : "";
            const Scenario scenario = scenario_of(machine_of_round(processors, round), {std::move(workload)}, events);
            const DrawnAlgorithm tried = fails ? with_failure_parameters(drawn, round) : drawn;
            const Seen outcome = simulated_in_all_ways(scenario, tried);
            broken_guarantees += outcome.broken_guarantees;
            resubmitted += outcome.resubmitted;
            switched += outcome.switches;
        }
    }
    // Checks that the failures had effects.
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
        Random random(2025);
        for (int round = 0; round < 30; ++round) {
            INFO(drawn.text() << ", workload " << round);
            const int processors = random.between(1, 16);
            const bool fails = random.one_in(3);
            Workload workload = random_workload(random, processors, Trouble::none, true);
            const Scenario scenario = scenario_of({random_farm(random, processors)}, {std::move(workload)},
                                                  fails ? random_failures(random, processors) : "");
            simulated_in_all_ways(scenario, fails ? with_failure_parameters(drawn, round) : drawn);
        }
    }
}
