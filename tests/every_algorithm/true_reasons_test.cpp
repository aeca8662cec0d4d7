#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/random_machines.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/every_algorithm/reason_checker.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/random_farm.hpp"
#include "tests/support/simulator_fixture.hpp"

// Whether what is said of a waiting job is true.

using namespace batfill;
using namespace batfill::tests;

namespace {

// Those that say their rules, some more than once, and one that does not. The last ones run farms.
constexpr std::array explaining{"fcfs", "easy", "easy", "easy", "relaxed", "easy",   "conservative",
                                "pc",   "dc",   "dbf",  "easy", "filler",  "bf-mod", "bf-unmod"};
enum class World { counted, shared, partitioned, plain, farm };

// Makes a reason false. Returns whether it could.
using Lie = std::function<bool(WaitReason&)>;

const std::vector<std::pair<std::string, Lie>> lies{
    {"the start of the head, or a planned one, is later",
     [](WaitReason& reason) {
         if (reason.because.start.is_infinite()) {
             return false;
         }
         reason.because.start = reason.because.start + Duration::seconds(1);
         return true;
     }},
    {"one more extra processor",
     [](WaitReason& reason) {
         if (!reason.because.extra_processors) {
             return false;
         }
         ++*reason.because.extra_processors;
         return true;
     }},
    {"more would be left beside whom it would delay",
     [](WaitReason& reason) {
         const bool has_one = reason.because.shortage.needed > 0 && reason.because.shortage.of < Shortage::Of::licence;
         ++reason.because.shortage.left;
         return has_one;
     }},
    {"it would delay itself",
     [](WaitReason& reason) {
         const bool has_one = reason.because.shortage.needed > 0;
         reason.because.job = reason.job;
         return has_one;
     }},
    {"the others must end later",
     [](WaitReason& reason) {
         if (reason.because.latest_end.is_infinite()) {
             return false;
         }
         reason.because.latest_end = reason.because.latest_end + Duration::seconds(1);
         return true;
     }},
    {"who is behind the head would delay it",
     [](WaitReason& reason) {
         const bool is_behind = reason.because.rule == Reason::Rule::behind_head;
         reason.because.rule = is_behind ? Reason::Rule::would_delay_head : reason.because.rule;
         return is_behind;
     }},
    {"who could start would run into a window",
     [](WaitReason& reason) {
         return std::exchange(reason.kind, WaitReason::Kind::window) == WaitReason::Kind::passed_over;
     }},
    {"it could start later",
     [](WaitReason& reason) {
         if (reason.possible.is_infinite()) {
             return false;
         }
         reason.possible = reason.possible + Duration::seconds(1);
         return true;
     }},
    {"one holder less",
     [](WaitReason& reason) {
         if (reason.holders.empty()) {
             return false;
         }
         reason.holders.pop_back();
         return true;
     }},
    {"a pool with more left",
     [](WaitReason& reason) {
         if (reason.lack.pools.first.empty()) {
             return false;
         }
         ++reason.lack.pools.first.front().free;
         return true;
     }},
    {"who holds most of a pool holds more",
     [](WaitReason& reason) {
         if (reason.lack.pools.first.empty() || reason.lack.pools.first.front().held.first.empty()) {
             return false;
         }
         ++reason.lack.pools.first.front().held.first.front().amount;
         return true;
     }},
    {"one more host that fits",
     [](WaitReason& reason) {
         if (!reason.lack.hosts) {
             return false;
         }
         ++reason.idle;
         return true;
     }},
    {"a window lasts longer",
     [](WaitReason& reason) {
         if (reason.windows.first.empty()) {
             return false;
         }
         reason.windows.first.front().until = reason.windows.first.front().until + Duration::seconds(1);
         return true;
     }},
    {"more would be left beside a window",
     [](WaitReason& reason) {
         ++reason.lack.then.left;
         return !reason.lack.next_window.empty();
     }},
    {"it has moved once more",
     [](WaitReason& reason) {
         ++reason.because.moves.number;
         return reason.because.rule >= Reason::Rule::planned && reason.because.rule < Reason::Rule::parked;
     }},
};

struct Counts {
    std::size_t rows = 0;
    std::vector<std::string> found;  // what is false
    std::map<Reason::Rule, std::size_t> rules;
    std::map<WaitReason::Kind, std::size_t> kinds;
    std::vector<std::pair<std::size_t, std::size_t>> told;  // by lie: how often, and how often that was found
};

// Checks all reasons of a run; with `lies_too`, also that each lie about one of them is found.
void check_reasons(const Scenario& scenario, const DrawnAlgorithm& drawn, bool lies_too, const std::string& where,
                   Counts& counts) {
    RunOptions options;
    options.keeps_deadlocks = true;
    for (const WorkloadJob& job : scenario.workloads[0].jobs) {
        options.explain.push_back(job.description.id);
    }
    const auto moments = std::make_shared<std::vector<Moment>>();
    const Outcome outcome = run(scenario, watched(drawn.name, drawn.parameters, moments), options);
    std::map<std::string, std::vector<const WaitReason*>> by_job;
    for (const WaitReason& reason : outcome.wait_reasons()) {
        if (reason.kind < WaitReason::Kind::started && reason.kind != WaitReason::Kind::dependency) {
            by_job[reason.job].push_back(&reason);
        }
    }
    // How many rows of a job are over, and how many rounds of the one after them.
    std::map<JobIndex, std::pair<std::size_t, std::uint64_t>> seen;
    for (const Moment& moment : *moments) {
        ReasonChecker::Rows rows;
        std::map<JobIndex, const std::vector<const WaitReason*>*> of_job;
        for (const JobIndex job : moment.state.waiting.jobs()) {
            const std::string& id = moment.state.job(job).description().id;
            of_job[job] = &by_job.at(id.substr(id.find('!') + 1));
            auto& [place, rounds] = seen[job];
            if (rounds == of_job[job]->at(place)->rounds) {
                ++place;
                rounds = 0;
            }
            ++rounds;
            rows[job] = of_job[job]->at(place);
        }
        const ReasonChecker checker(moment, rows, drawn);
        for (const auto& [job, row] : rows) {
            if (seen[job].second != 1) {
                continue;
            }
            const std::size_t place = seen[job].first;
            const WaitReason* const before = place == 0 ? nullptr : of_job[job]->at(place - 1);
            const std::string found = row->time == moment.state.now ? checker.falsehood(job, *row, before) : "time";
            if (!found.empty()) {
                counts.found.push_back(found + " (job " + row->job + " at " + row->time.to_string() + ", rule " +
                                       std::to_string(static_cast<int>(row->because.rule)) + ", " +
                                       to_string(row->kind) + ", " + drawn.text() + ", " + where + ")");
            }
            ++counts.rows;
            ++counts.rules[row->because.rule];
            ++counts.kinds[row->kind];
            counts.told.resize(lies.size());
            for (std::size_t i = 0; lies_too && i < lies.size(); ++i) {
                WaitReason lie = *row;
                if (lies[i].second(lie)) {
                    ++counts.told[i].first;
                    counts.told[i].second += checker.falsehood(job, lie, before).empty() ? 0U : 1U;
                }
            }
        }
    }
}

DrawnAlgorithm drawn_for(Random& random, const AlgorithmDescription& algorithm, World world) {
    const bool is_for_farms = std::ranges::count(algorithm.placements, Placement::snug) == 0;
    DrawnAlgorithm drawn = is_for_farms ? DrawnAlgorithm{algorithm.name, {}} : drawn_for_resources(random, algorithm);
    const auto erase = [&](const std::string& name) {
        std::erase_if(drawn.parameters, [&](const auto& given) { return given.first == name; });
    };
    // A later run of a job is another job, of which nobody asks.
    std::erase(drawn.parameters, std::pair<std::string, std::string>("on-failure", "requeue"));
    if (random.one_in(2)) {
        erase("test-limit");
    }
    if (world == World::plain || world == World::farm) {
        erase("plan-pools");
        erase("placement");
        if (world == World::farm) {
            drawn.parameters.emplace_back("placement", "machine");
        } else if (random.one_in(4)) {
            drawn.parameters.emplace_back("placement", "contiguous");
        }
        if (!is_accepted(drawn)) {
            return drawn_for(random, algorithm, world);
        }
    }
    return drawn;
}

// Checks the reasons of random machines until there are so many.
Counts check_random_reasons(unsigned seed, std::size_t most, bool lies_too) {
    Counts counts;
    Random random(seed);
    for (int round = 0; counts.rows < most; ++round) {
        const std::size_t place = static_cast<std::size_t>(round) % explaining.size();
        const std::string name = explaining[place];
        const World world = place > 11  ? World::farm
                            : place > 9 ? World::plain
                                        : static_cast<World>(random.between(0, 3));
        const int processors = random.between(1, 9);
        const bool is_farm = world == World::farm || (place == 10 && random.one_in(2));
        DrawnAlgorithm drawn = drawn_for(random, find_algorithm(name), is_farm ? World::farm : world);
        Workload workload = random_workload(random, processors, Trouble::none, is_farm);
        Platform platform = machine(processors);
        if (is_farm) {
            platform.hosts = random_farm(random, processors);
        }
        std::string events;
        const bool has_windows = world < World::plain && random.one_in(2);
        if (world < World::plain) {
            add_needs(random, workload);
            platform = machine_with_resources(random, processors, static_cast<Hosts>(world));
        }
        if (has_windows) {
            std::erase_if(drawn.parameters, [](const auto& given) { return given.first == "on-failure"; });
            add_windows(random, platform, static_cast<Hosts>(world));
            for (Window& window : platform.windows) {
                window.running = window.running == Window::Running::requeue ? Window::Running::kill : window.running;
            }
            if (random.one_in(2)) {
                add_reservations(random, workload);
            }
        } else if (random.one_in(3)) {
            events = random_failures(random, processors);
        }
        const std::string where =
            "workload " + std::to_string(round) + ", world " + std::to_string(static_cast<int>(world));
        INFO(drawn.text() << ", " << where);
        check_reasons(scenario_of(std::move(platform), {std::move(workload)}, events), drawn, lies_too, where, counts);
    }
    return counts;
}

}  // namespace

TEST_CASE("What is said of a waiting job is true, by brute force from what the round left", "[reasons][property]") {
    const QuietLog quiet;
    const Counts counts = check_random_reasons(2029, 3000, true);
    CHECK(counts.found == std::vector<std::string>());
    for (std::size_t i = 0; i < lies.size(); ++i) {
        INFO("lie: " << lies[i].first);
        CHECK(counts.told[i].first > 0);
        CHECK(counts.told[i].second == counts.told[i].first);
    }
    for (const auto kind : {WaitReason::Kind::processors, WaitReason::Kind::pool, WaitReason::Kind::hosts,
                            WaitReason::Kind::window, WaitReason::Kind::passed_over}) {
        CHECK(counts.kinds.contains(kind));
    }
}

TEST_CASE("What is said of a waiting job is true, 50,000 times", "[.reasons]") {
    const QuietLog quiet;
    const char* const seed = std::getenv("BATFILL_SEED");
    const char* const rows = std::getenv("BATFILL_ROWS");
    const Counts counts = check_random_reasons(seed == nullptr ? 1 : static_cast<unsigned>(std::stoul(seed)),
                                               rows == nullptr ? 50'000 : std::stoul(rows), false);
    std::cout << counts.rows << " reasons, " << counts.found.size() << " are false\n";
    for (const std::string& found : counts.found) {
        std::cout << "  " << found << '\n';
    }
    for (const auto& [kind, number] : counts.kinds) {
        std::cout << "  " << to_string(kind) << ": " << number << '\n';
    }
    for (const auto& [rule, number] : counts.rules) {
        std::cout << "  rule " << static_cast<int>(rule) << ": " << number << '\n';
    }
    CHECK(counts.found.empty());
}
