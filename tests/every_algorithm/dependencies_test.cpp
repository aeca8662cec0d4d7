#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/replay/outcome.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/every_algorithm/whole_reasons.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/simulator_fixture.hpp"

// Jobs that wait for others.

using namespace batfill;
using namespace batfill::tests;

namespace {

// Jobs wait for earlier ones in the list, so never in a circle. With `starts` also for their starts.
void add_dependencies(Random& random, Workload& workload, bool starts) {
    for (std::size_t i = 1; i < workload.jobs.size(); ++i) {
        StatedNeeds needs;
        for (int conditions = random.one_in(2) ? random.between(1, 3) : 0; conditions > 0; --conditions) {
            const auto other = static_cast<std::size_t>(random.between(0, static_cast<int>(i) - 1));
            const std::string& id = workload.jobs[other].description.id;
            needs.after.push_back({static_cast<Dependency::Kind>(random.between(0, starts ? 2 : 1)),
                                   id.substr(id.find('!') + 1),
                                   Duration::seconds(random.one_in(2) ? 0 : 10 * random.between(1, 9))});
        }
        if (!needs.after.empty()) {
            workload.jobs[i].description.needs = std::move(needs);
        }
    }
}

// When jobs are eligible by definition, from the schedule that came out: each condition for itself.
class ByDefinition {
 public:
    // These jobs are refused at their submission, whatever they wait for.
    ByDefinition(const Outcome& outcome, const std::set<std::string>& refused)
        : simulator_(outcome.simulation()), refused_(refused) {}

    // None: a condition can never hold, from the second instant on.
    struct Answer {
        std::optional<Time> eligible;
        Time hopeless = Time::infinity();
    };
    Answer of(const SimulatedJob& job) const {
        const JobDescription& description = job.job->description;
        Answer answer{description.submit};
        if (!description.needs) {
            return answer;
        }
        for (const Dependency& dependency : description.needs->after) {
            const SimulatedJob& other = simulator_.job(simulator_.find_job("w0!" + dependency.job).value());
            const Answer instant = of(dependency.kind, other);
            if (instant.eligible && answer.eligible) {
                answer.eligible = std::max(*answer.eligible, *instant.eligible + dependency.delay);
            } else {
                answer.eligible.reset();
                answer.hopeless = std::min(answer.hopeless, std::max(description.submit, instant.hopeless));
            }
        }
        return answer;
    }

 private:
    Answer of(Dependency::Kind kind, const SimulatedJob& other) const {
        if (other.state == JobState::rejected) {
            const Answer own = of(other);
            const JobDescription& description = other.job->description;
            const Time rejected = refused_.contains(description.id) ? description.submit : own.hopeless;
            return kind == Dependency::Kind::any ? Answer{rejected} : Answer{std::nullopt, rejected};
        }
        if (kind == Dependency::Kind::start) {
            return {other.start};
        }
        const bool holds = kind == Dependency::Kind::any || other.state == JobState::completed_successfully;
        return holds ? Answer{other.end} : Answer{std::nullopt, other.end};
    }

    const Simulator& simulator_;
    const std::set<std::string>& refused_;
};

std::string schedule_text(const Outcome& outcome) {
    std::string text;
    for (const ScheduledJob& job : outcome.schedule().jobs) {
        append_csv(job, text);
    }
    return text;
}

// Compares eligible instants and rejections with the definition. Returns how many jobs waited for others.
int compare_with_definition(const Outcome& outcome, const std::set<std::string>& refused) {
    int held = 0;
    const ByDefinition definition(outcome, refused);
    for (std::size_t number = 0; number < outcome.simulation().jobs().size(); ++number) {
        const SimulatedJob& job = outcome.simulation().jobs()[number];
        const JobDescription& description = job.job->description;
        INFO("job " << description.id);
        if (refused.contains(description.id)) {
            REQUIRE(job.state == JobState::rejected);
            continue;
        }
        const std::optional<Time> eligible = definition.of(job).eligible;
        REQUIRE((job.state == JobState::rejected) == !eligible);
        INFO("starts at " << job.start << ", eligible at " << eligible.value_or(Time::infinity()));
        REQUIRE((!eligible || job.start >= *eligible));
        if (description.needs) {
            REQUIRE(outcome.engine()->eligible_since(static_cast<JobNumber>(number)) == eligible);
            ++held;
        }
    }
    return held;
}

// The same jobs without dependencies, submitted when they were eligible; and a job that is refused wherever one was
// submitted too early, since each message has a round. Names are in the order of arrival.
std::pair<Workload, std::map<std::string, std::string>> submitted_when_eligible(const Outcome& outcome,
                                                                                const std::set<std::string>& refused,
                                                                                const Workload& workload) {
    std::vector<std::tuple<Time, bool, Time, std::string, WorkloadJob>> jobs;
    Workload result = workload;
    result.jobs.clear();
    const ByDefinition definition(outcome, refused);
    for (const WorkloadJob& job : workload.jobs) {
        const SimulatedJob& ran = outcome.simulation().job(outcome.simulation().find_job(job.description.id).value());
        const std::optional<Time> eligible = definition.of(ran).eligible;
        const Time submit = job.description.submit;
        if (eligible && ran.state != JobState::rejected) {
            jobs.emplace_back(*eligible, *eligible > submit, submit, job.description.id, job);
        }
        if (eligible != submit || ran.state == JobState::rejected) {
            jobs.emplace_back(submit, true, submit, "~", job);
            std::get<WorkloadJob>(jobs.back()).description.processors = 2'000'000;
        }
    }
    std::ranges::sort(jobs, {}, [](const auto& job) {
        return std::tuple(std::get<0>(job), std::get<1>(job), std::get<2>(job), std::get<3>(job));
    });
    std::map<std::string, std::string> names;  // by the new name
    for (auto& [submit, late, before, id, job] : jobs) {
        result.jobs.push_back(job);
        JobDescription& description = result.jobs.back().description;
        const std::string number = std::to_string(10'000 + result.jobs.size());
        description.submit = submit;
        description.needs = {};
        description.id = "w0!" + number;
        names["w0!" + number] = id;
    }
    return {std::move(result), std::move(names)};
}

bool has_violation(const Outcome& outcome, const Schedule& schedule, const std::string& part) {
    const Scenario& scenario = outcome.scenario();
    const CheckReport report = check_schedule(schedule, scenario.workloads, scenario.platform, {});
    return std::ranges::any_of(
        report.violations, [&](const Violation& violation) { return violation.text.find(part) != std::string::npos; });
}

// The audit finds nothing; and it finds a job that starts before it is eligible, or that is rejected though it could
// wait. Returns how many faults it found.
int require_audited(const Outcome& outcome, bool may_reject) {
    const CheckReport report = audit(outcome, {.rejections_allowed = may_reject});
    INFO((report.violations.empty() ? "" : report.violations[0].text));
    REQUIRE(report.violations.empty());
    int faults = 0;
    Schedule schedule = outcome.schedule();
    for (ScheduledJob& job : schedule.jobs) {
        const JobNumber number = outcome.simulation().find_job(job.id).value();
        const std::optional<Time> eligible = outcome.engine()->eligible_since(number);
        if (!job.execution || !eligible || faults == 4) {
            continue;
        }
        INFO("job " << job.id);
        const JobDescription& description = outcome.simulation().job(number).job->description;
        const bool anybody_could_run_it = description.licenses.empty() && description.walltime;
        // The schedule does not say when a job was rejected.
        const bool waits_for_rejected = std::ranges::any_of(description.needs->after, [&](const Dependency& condition) {
            const JobNumber other = outcome.simulation().find_job(condition.full_id(job.id)).value();
            return outcome.simulation().job(other).state == JobState::rejected;
        });
        const ScheduledJob sound = job;
        if (*eligible > job.submit && !waits_for_rejected) {
            job.execution->start = *eligible - (shown_for_no_time + Duration::microseconds(2));
            REQUIRE(has_violation(outcome, schedule, "job " + job.id + ": starts at"));
            ++faults;
        }
        job.state = JobState::rejected;
        job.success = false;
        job.execution.reset();
        job.allocation = {};
        REQUIRE(has_violation(outcome, schedule, "job " + job.id + ": rejected, though the machine could run it and") ==
                anybody_could_run_it);
        ++faults;
        job = sound;
    }
    return faults;
}

// Asks why each job waits. Nothing else changes; and while a job is held, the reasons say so.
void require_explained(const Scenario& scenario, const SchedulerChoice& choice, const Outcome& plain) {
    RunOptions options;
    for (const WorkloadJob& job : scenario.workloads[0].jobs) {
        options.explain.push_back(job.description.id);
    }
    const Outcome explained = run(scenario, choice, options);
    require_whole_reasons(explained);
    REQUIRE(schedule_text(explained) == schedule_text(plain));
    for (const WaitReason& reason : explained.wait_reasons()) {
        const JobNumber number = explained.simulation().find_job("w0!" + reason.job).value();
        INFO("job " << reason.job << " at " << reason.time << ": " << to_string(reason.kind) << " "
                    << conditions_text(reason.lack.conditions));
        const Time eligible = explained.engine()->eligible_since(number).value_or(Time::infinity());
        const JobDescription& job = explained.simulation().job(number).job->description;
        const bool is_held = reason.kind == WaitReason::Kind::dependency;
        // An instant may have several rounds.
        REQUIRE((!is_held || (job.needs && reason.time <= eligible)));
        const bool must_be_held = job.needs && reason.time < eligible && reason.kind != WaitReason::Kind::rejected;
        REQUIRE((is_held || !must_be_held));
        REQUIRE((!is_held || conditions_text(reason.lack.conditions).find(':') != std::string::npos));
    }
}

bool takes_dependencies(const DrawnAlgorithm& drawn) {
    const SchedulerChoice choice(drawn.name, drawn.parameters);
    try {
        choice.make_algorithm()->require_dependencies();
    } catch (const UsageError&) {
        return false;
    }
    return !choice.submits_jobs() && !choice.make_algorithm()->follows_conditions();
}

}  // namespace

TEST_CASE("Every algorithm: a job that waits for others is as if submitted when it is eligible",
          "[every-algorithm][property]") {
    const QuietLog quiet;
    int held = 0;
    int compared = 0;
    int faults = 0;
    unsigned workload_number = 0;
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        if (!takes_dependencies(drawn)) {
            continue;
        }
        for (int round = 0; round < 4; ++round) {
            Random random(++workload_number);
            INFO(drawn.text() << ", workload " << workload_number);
            const int processors = random.between(1, 9);
            const bool farm =
                std::ranges::count(drawn.parameters, Parameters::Given::value_type("placement", "machine")) > 0 ||
                find_algorithm(drawn.name).placements.front() == Placement::machine;
            const Workload plain = random_workload(random, processors, Trouble::none, farm);
            Workload workload = plain;
            const bool starts = random.one_in(2);
            add_dependencies(random, workload, starts);
            Platform platform = machine(processors);
            if (farm) {
                platform.hosts = random_farm(random, processors);
            }
            const SchedulerChoice choice(drawn.name, drawn.parameters);
            const Scenario scenario = scenario_of(platform, {workload});
            const Outcome outcome = run(scenario, choice);
            require_explained(scenario, choice, outcome);
            std::set<std::string> refused;
            const Outcome without = run(scenario_of(platform, {plain}), choice);
            for (const SimulatedJob& job : without.simulation().jobs()) {
                if (job.state == JobState::rejected) {
                    refused.insert(job.job->description.id);
                }
            }
            held += compare_with_definition(outcome, refused);
            faults += require_audited(outcome, drawn.name == "rejecter");
            // A kill has a message of its own, so its instant has two rounds, and another order of arrival.
            const bool kills =
                std::ranges::count(outcome.simulation().jobs(), JobState::completed_killed, &SimulatedJob::state) > 0;
            if (starts || kills) {
                continue;
            }
            ++compared;
            const auto [eligible, names] = submitted_when_eligible(outcome, refused, workload);
            const Outcome same = run(scenario_of(platform, {eligible}), choice);
            for (const SimulatedJob& job : same.simulation().jobs()) {
                const std::string& id = names.at(job.job->description.id);
                INFO("job " << id);
                if (id == "~") {
                    continue;
                }
                const SimulatedJob& before = outcome.simulation().job(outcome.simulation().find_job(id).value());
                REQUIRE(job.start == before.start);
                REQUIRE(job.allocation == before.allocation);
            }
        }
    }
    CHECK(held > 0);
    CHECK(compared > 0);
    CHECK(faults > 0);
}
