#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/planning/plan_algorithm.hpp>
#include <batfill/replay/outcome.hpp>

#include "src/analysis/limit_waits.hpp"
#include "src/analysis/workload_jobs.hpp"
#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/outcome_text.hpp"
#include "tests/every_algorithm/random_machines.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/every_algorithm/whole_reasons.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/simulator_fixture.hpp"

// Limits of users and accounts.

namespace batfill::tests::limits_test {

namespace {

// A user, an account and a queue for some jobs.
void add_owners(Random& random, Workload& workload) {
    for (WorkloadJob& job : workload.jobs) {
        const auto name = [&](const char* kind) { return kind + std::to_string(random.between(1, 2)); };
        job.description.user = random.one_in(8) ? "" : name("u");
        job.description.queue = random.one_in(8) ? "" : name("q");
        job.description.other_fields = random.one_in(8) ? "" : R"("account":")" + name("x") + '"';
    }
}

std::optional<std::string> value_of(const JobDescription& job, const std::string& field) {
    if (field == "account") {
        const std::string& others = job.other_fields;
        return others.empty() ? std::nullopt : std::optional(others.substr(11, 2));
    }
    const std::string& value = field == "user" ? job.user : job.queue;
    return value.empty() ? std::nullopt : std::optional(value);
}

std::vector<Limit> draw_limits(Random& random, const Machine& machine) {
    std::vector<Limit> limits;
    for (int i = random.between(1, 4); i > 0; --i) {
        Limit limit;
        limit.of = random.one_in(2)   ? std::vector<std::string>{"user"}
                   : random.one_in(2) ? std::vector<std::string>{"account"}
                                      : std::vector<std::string>{"user", "queue"};
        for (const std::string& field : limit.of) {
            limit.values.push_back(random.one_in(3) ? std::optional(field.substr(0, 1) + "1") : std::nullopt);
            if (limit.values.back() == "a1") {
                limit.values.back() = "x1";
            }
        }
        const auto add = [&](const std::string& name, int most) {
            if (limit.most.empty() || random.one_in(3)) {
                limit.most.emplace_back(name, random.between(0, most));
            }
        };
        add(random.one_in(2) ? "jobs" : "processors", 5);
        if (!machine.resources().pools().empty()) {
            add("power", 6);
        }
        if (machine.resources().has_shared_hosts()) {
            add("cores", 20);
        }
        limit.line = static_cast<std::size_t>(limits.size() + 1);
        limits.push_back(std::move(limit));
    }
    return limits;
}

// What the job takes of what a limit counts, by the words of the page.
Amount taken_of(const std::string& name, const JobDescription& job, const Machine& machine) {
    const StatedNeeds needs = job.needs ? *job.needs : StatedNeeds();
    const auto amount_in = [&](const StatedNeeds::Amounts& amounts) {
        const auto found = std::ranges::find(amounts, name, &StatedNeeds::Amounts::value_type::first);
        return found == amounts.end() ? Amount{0} : found->second;
    };
    if (name == "jobs") {
        return 1;
    }
    if (name == "processors") {
        return job.processors;
    }
    if (name == "power") {
        return amount_in(needs.pools);
    }
    if (needs.per_host) {
        return job.processors * amount_in(*needs.per_host);
    }
    Amount largest = 0;
    for (int host = 0; host < machine.processors(); ++host) {
        const Resources& resources = machine.resources();
        const Resources::HostKind& kind = resources.kind_of(host);
        const bool is_in = !needs.partition || std::ranges::any_of(kind.partitions, [&](std::size_t partition) {
            return resources.partitions()[partition] == *needs.partition;
        });
        const auto capacity = std::ranges::find(resources.capacities(), "cores") - resources.capacities().begin();
        largest = std::max(largest, is_in ? kind.capacity[static_cast<std::size_t>(capacity)] : 0);
    }
    return job.processors * largest;
}

// The lines that count for a job and a name, by the words of the page.
std::vector<std::size_t> lines_for(const JobDescription& job, const std::string& name,
                                   const std::vector<Limit>& limits) {
    std::map<std::vector<std::string>, std::pair<std::ptrdiff_t, std::vector<std::size_t>>> best;
    for (std::size_t line = 0; line < limits.size(); ++line) {
        const Limit& limit = limits[line];
        bool speaks = std::ranges::any_of(limit.most, [&](const auto& one) { return one.first == name; });
        for (std::size_t field = 0; field < limit.of.size(); ++field) {
            const auto value = value_of(job, limit.of[field]);
            speaks = speaks && value && (!limit.values[field] || limit.values[field] == value);
        }
        if (!speaks) {
            continue;
        }
        const auto named = std::ranges::count_if(limit.values, [](const auto& value) { return value.has_value(); });
        auto& [most, lines] = best[limit.of];
        if (lines.empty() || named > most) {
            most = named;
            lines.clear();
        }
        if (named == most) {
            lines.push_back(line);
        }
    }
    std::vector<std::size_t> all;
    for (const auto& [of, group] : best) {
        all.insert(all.end(), group.second.begin(), group.second.end());
    }
    return all;
}

// The same machine and jobs with a pool for each line, combination of values and name, instead of limits.
void make_pools(const std::vector<Limit>& limits, Platform& platform, Workload& workload) {
    const Machine machine = platform.machine();
    std::map<std::string, Amount> pools;
    for (WorkloadJob& job : workload.jobs) {
        StatedNeeds needs = job.description.needs ? *job.description.needs : StatedNeeds();
        for (const std::string name : {"jobs", "processors", "power", "cores"}) {
            for (const std::size_t line : lines_for(job.description, name, limits)) {
                std::string pool = "limit" + std::to_string(line) + name;
                for (const std::string& field : limits[line].of) {
                    pool += *value_of(job.description, field);
                }
                const auto& most = limits[line].most;
                pools[pool] = std::ranges::find(most, name, &StatedNeeds::Amounts::value_type::first)->second;
                needs.pools.emplace_back(pool, taken_of(name, job.description, machine));
            }
        }
        job.description.needs = needs;
    }
    for (const auto& [name, total] : pools) {
        for (Host& host : platform.hosts) {
            std::string& text = host.zone_properties["pools"];
            text += (text.empty() ? "" : ",") + name + ":" + std::to_string(total);
        }
    }
}

DrawnAlgorithm drawn_for_limits(Random& random, const AlgorithmDescription& algorithm, bool is_plain) {
    DrawnAlgorithm drawn = drawn_for_resources(random, algorithm);
    const auto add = [&](const std::string& name, const std::vector<std::string>& values) {
        if (random.one_in(2) && std::ranges::count(algorithm.parameters, name, &Parameter::name) > 0) {
            DrawnAlgorithm with_it = drawn;
            with_it.parameters.emplace_back(
                name, values[static_cast<std::size_t>(random.between(0, static_cast<int>(values.size()) - 1))]);
            drawn = is_accepted(with_it) ? with_it : drawn;
        }
    };
    add("order", {"fcfs", "saf", "lpf", "sqf"});
    add("backfill-order", {"fcfs", "spf"});
    add("threshold", {"60"});
    add("queues", {"one", "partitions"});
    if (is_plain) {
        std::erase_if(drawn.parameters, [](const auto& given) { return given.first == "plan-pools"; });
    }
    return drawn;
}

// The parameters with the pools planned that the machine had without those of limits.
Parameters::Given with_planned_pools(Parameters::Given parameters, const AlgorithmDescription& algorithm,
                                     const std::string& all) {
    const auto given = std::ranges::find(parameters, "plan-pools", &Parameters::Given::value_type::first);
    if (given != parameters.end()) {
        given->second = given->second == "all" ? all : given->second;
    } else if (std::ranges::count(algorithm.parameters, "plan-pools", &Parameter::name) > 0) {
        parameters.emplace_back("plan-pools", all);
    }
    return parameters;
}

// How long each finished job waited while less was left of a limit than it takes: looks at all running jobs at each
// instant of its wait at which something changes.
std::map<std::string, Duration> waits_by_brute_force(const Outcome& outcome, const MeasuredSchedule& schedule) {
    struct Ran {
        FinishedJob job;
        std::map<std::string, Amount> taken = {};  // by line, name and values
        std::map<std::string, Amount> most = {};
    };
    const Platform& platform = outcome.scenario().platform;
    const Machine machine = platform.machine();
    const analysis::WorkloadJobs submitted(outcome.scenario().workloads);
    std::vector<Ran> all;
    std::set<Time> instants;
    for (const FinishedJob& finished : schedule.finished()) {
        Ran& ran = all.emplace_back(Ran{finished});
        instants.insert({finished.start, finished.finish, analysis::waits_from(finished)});
        const JobDescription& job = *submitted.find(finished.id)->description;
        for (const std::string name : {"jobs", "processors", "power", "cores"}) {
            for (const std::size_t line : lines_for(job, name, platform.limits)) {
                std::string key = std::to_string(line) + name;
                for (const std::string& field : platform.limits[line].of) {
                    key += *value_of(job, field);
                }
                const auto& most = platform.limits[line].most;
                ran.taken[key] = taken_of(name, job, machine);
                ran.most[key] = std::ranges::find(most, name, &StatedNeeds::Amounts::value_type::first)->second;
            }
        }
    }
    std::map<std::string, Duration> waits;
    for (const Ran& waiting : all) {
        for (auto at = instants.find(analysis::waits_from(waiting.job)); *at != waiting.job.start; ++at) {
            const bool is_held = std::ranges::any_of(waiting.taken, [&](const auto& taken) {
                Amount in_use = 0;
                for (const Ran& other : all) {
                    const bool runs = other.job.start <= *at && *at < other.job.finish;
                    in_use += runs && other.taken.contains(taken.first) ? other.taken.at(taken.first) : 0;
                }
                return taken.second > 0 && in_use + taken.second > waiting.most.at(taken.first);
            });
            if (is_held) {
                Duration& wait = waits[std::string(waiting.job.id)];
                wait = wait + (*std::next(at) - *at);
            }
        }
    }
    return waits;
}

// The same by the reasons that rounds give, of the jobs that were asked for.
std::map<std::string, Duration> waits_by_reasons(const Outcome& explained) {
    std::map<std::string, Duration> waits;
    std::map<std::string, const WaitReason*> last;
    for (const WaitReason& reason : explained.wait_reasons()) {
        const WaitReason*& before = last[reason.job];
        if (before != nullptr && !before->lack.limits.first.empty() && before->time < reason.time) {
            Duration& wait = waits["w0!" + reason.job];
            wait = wait + (reason.time - before->time);
        }
        before = &reason;
    }
    return waits;
}

// Requires that the time for which limits held jobs is the same in three ways.
void require_same_waits(const Outcome& explained) {
    MetricsOptions options;
    options.set_machine(explained.scenario().platform.machine());
    const analysis::WorkloadJobs submitted(explained.scenario().workloads);
    const Schedule schedule = explained.schedule();
    MeasuredSchedule measured(schedule);
    std::vector<EligibleTime> eligible;
    if (explained.has_dependencies()) {
        explained.for_each_dependent([&](const EligibleTime& one) { eligible.push_back(one); });
    }
    measured.count_waits_from(eligible, "eligible");
    const analysis::WaitsForLimits waits = analysis::waits_for_limits(measured, options, submitted);
    REQUIRE(std::map<std::string, Duration>(waits.begin(), waits.end()) == waits_by_brute_force(explained, measured));
    const std::map<std::string, Duration> by_reasons = waits_by_reasons(explained);
    const auto of = [](const auto& all, const std::string& job) {
        const auto found = all.find(job);
        return found == all.end() ? Duration() : found->second;
    };
    for (const ScheduledJob& job : schedule.jobs) {
        if (!job.finished() || job.id.find('#') != std::string::npos) {
            continue;
        }
        INFO(job.id);
        // A schedule shows 10 microseconds of a job that takes no time.
        const Duration difference = of(waits, job.id) - of(by_reasons, job.id);
        REQUIRE(difference >= Duration());
        REQUIRE(difference < Duration::microseconds(1000));
    }
}

// Whether it can be told which pools to plan, or plans nothing.
bool plans_as_told(const AlgorithmDescription& algorithm) {
    const auto made = algorithm.make(Parameters(algorithm.name, algorithm.parameters, {}));
    return made->understands_resources() && !made->follows_conditions() &&
           (std::ranges::count(algorithm.parameters, "plan-pools", &Parameter::name) > 0 ||
            dynamic_cast<const PlanAlgorithm*>(made.get()) == nullptr);
}

}  // namespace

TEST_CASE("Every algorithm: a limit is a pool for each combination of values, which nobody plans",
          "[every-algorithm][property]") {
    const QuietLog quiet;
    std::size_t parked = 0;
    std::set<WaitReason::Kind> kinds;
    for (const AlgorithmDescription* algorithm : algorithms_under_test()) {
        if (!plans_as_told(*algorithm)) {
            continue;
        }
        Random random(2031);
        for (int round = 0; round < 160; ++round) {
            const bool is_plain = random.one_in(2);
            const DrawnAlgorithm drawn = drawn_for_limits(random, *algorithm, is_plain);
            INFO(drawn.text() << ", workload " << round);
            const int processors = random.between(1, 9);
            const auto hosts = static_cast<Hosts>(round % 3);
            Workload workload = random_workload(random, processors, Trouble::none);
            add_owners(random, workload);
            Platform platform = machine(processors);
            if (!is_plain) {
                add_needs(random, workload);
                platform = machine_with_resources(random, processors, hosts);
                if (random.one_in(2)) {
                    add_windows(random, platform, hosts);
                    add_reservations(random, workload);
                }
            }
            // What is lost while a window has it is not compared with anything.
            const std::string events =
                platform.windows.empty() && random.one_in(3) ? random_failures(random, processors) : "";
            const std::vector<Limit> limits = draw_limits(random, platform.machine());
            Platform with_pools = platform;
            Workload of_pools = workload;
            make_pools(limits, with_pools, of_pools);
            platform.limits = limits;
            const Scenario scenario = scenario_of(platform, {workload}, events);
            const Outcome outcome = run(scenario, {drawn.name, drawn.parameters});
            const Outcome same =
                run(scenario_of(with_pools, {of_pools}, events),
                    {drawn.name, with_planned_pools(drawn.parameters, *algorithm, is_plain ? "none" : "power,water")});
            REQUIRE(compared_text(outcome) == compared_text(same));
            const CheckReport report = audit(outcome, {});
            INFO((report.violations.empty() ? "" : report.violations[0].text));
            REQUIRE(report.violations.empty());
            for (const BrokenGuarantee& one : outcome.broken_guarantees()) {
                parked += one.cause == GuaranteeBreakCause::parked ? 1U : 0U;
            }
            RunOptions options;
            for (const WorkloadJob& job : workload.jobs) {
                options.explain.push_back(job.description.id);
            }
            const Outcome explained = run(scenario, {drawn.name, drawn.parameters}, options);
            REQUIRE(compared_text(explained) == compared_text(outcome));
            require_whole_reasons(explained);
            require_same_waits(explained);
            for (const WaitReason& reason : explained.wait_reasons()) {
                kinds.insert(reason.kind);
                REQUIRE((reason.kind != WaitReason::Kind::limit || !reason.lack.limits.first.empty()));
            }
        }
    }
    // Plugins under test need not look at limits, nor plan: only an algorithm that plans parks a job with a guarantee.
    if (std::ranges::count(algorithms_under_test(), "conservative", &AlgorithmDescription::name) > 0) {
        CHECK(kinds.contains(WaitReason::Kind::limit));
        CHECK(parked > 0);
    }
}

}  // namespace batfill::tests::limits_test
