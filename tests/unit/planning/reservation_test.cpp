#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>
#include <batfill/engine/state.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_backfilling.hpp"
#include "tests/support/plain_machine.hpp"
#include "tests/support/plain_order.hpp"
#include "tests/support/random.hpp"
#include "tests/support/random_farm.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::reservation_test {

// The reservations of queue algorithms under every placement, and their assumptions: a plain search finds the same
// places, and the first job starts no later than reserved.

namespace {

// A random part of a set: "1-2 5" of "0-5".
ResourceSet random_part(Random& random, const ResourceSet& of) {
    ResourceSet part;
    const int density = random.between(1, 8);
    for (const ResourceSet::Interval& interval : of.intervals()) {
        for (int i = interval.first; i <= interval.last; ++i) {
            if (random.below(8) < density) {
                part.insert(ResourceSet::range(i, i));
            }
        }
    }
    return part;
}

int count_in(const Machine& machine, GroupIndex group, const ResourceSet& idle) {
    int count = 0;
    for (int i = 0; i < machine.processors(); ++i) {
        count += idle.contains(i) && &machine.group_of(i) == &machine.groups()[group] ? 1 : 0;
    }
    return count;
}

void require_counts(const IdleByGroup& counted, const Machine& machine, const ResourceSet& idle, Random& random) {
    int largest = 0;
    std::vector<int> counts;
    for (GroupIndex group = 0; group < machine.groups().size(); ++group) {
        counts.push_back(count_in(machine, group, idle));
        largest = std::max(largest, counts.back());
    }
    REQUIRE(counted.counts() == counts);
    REQUIRE(counted.largest() == largest);
    for (int processors = 1; processors <= largest + 2; ++processors) {
        std::vector<LicenseIndex> needed;
        for (LicenseIndex license = 0; license < machine.licenses().size(); ++license) {
            if (random.one_in(3)) {
                needed.push_back(license);
            }
        }
        const GroupIndex from =
            random.one_in(2) ? 0 : static_cast<GroupIndex>(random.below(static_cast<int>(machine.groups().size())));
        std::optional<GroupIndex> first;
        for (GroupIndex group = machine.groups().size(); group > from; --group) {
            const std::vector<LicenseIndex>& has = machine.groups()[group - 1].licenses;
            const bool has_all = std::all_of(needed.begin(), needed.end(), [&](LicenseIndex license) {
                return std::find(has.begin(), has.end(), license) != has.end();
            });
            if (has_all && counts[group - 1] >= processors) {
                first = group - 1;
            }
        }
        REQUIRE(counted.first_with(machine, processors, needed, from) == first);
    }
}

}  // namespace

TEST_CASE("Idle processors of each machine of a farm are counted as by hand", "[machine][property]") {
    std::size_t most_groups = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        INFO("farm " << seed);
        Random random(seed);
        const bool is_large = seed % 3 == 0;
        const int processors = random.between(1, is_large ? 400 : 20);
        const Machine machine(random_farm(random, processors, is_large ? 300 : 6));
        most_groups = std::max(most_groups, machine.groups().size());
        ResourceSet idle = ResourceSet::range(0, processors - 1);
        IdleByGroup counted;
        counted.reset(machine, idle);
        for (int step = 0; step < 20; ++step) {
            ResourceSet busy = ResourceSet::range(0, processors - 1);
            busy.remove(idle);
            if (random.one_in(5)) {
                idle = random_part(random, ResourceSet::range(0, processors - 1));
                counted.reset(machine, idle);
            } else if (random.one_in(2)) {
                const ResourceSet taken = random_part(random, idle);
                idle.remove(taken);
                counted.add(machine, taken, -1);
            } else {
                const ResourceSet given = random_part(random, busy);
                idle.insert(given);
                counted.add(machine, given, 1);
            }
            require_counts(counted, machine, idle, random);
        }
    }
    CHECK(most_groups > 128);
}

TEST_CASE("easy starts jobs where a plain form that tries every place does, wherever they may be", "[easy][property]") {
    for (const Placement placement : {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous}) {
        BackfillingCounts counts;
        Random random(2013);
        for (unsigned seed = 0; seed < 400; ++seed) {
            PlainRules rules{.placement = placement};
            Parameters::Given given{{"placement", to_string(placement)}};
            draw_orders(random, {"fcfs", "fcfs", "spf", "laf", "lexp"}, given, rules);
            INFO("stream " << seed << text_of(given));
            const bool machine_changes = random.one_in(3);
            Stream stream(seed, {.most_jobs = 50,
                                 .most_processors = random.one_in(3) ? 6 : 20,
                                 .deadlines = false,
                                 .machine_changes = machine_changes,
                                 .overruns = random.one_in(3)});
            Engine engine("easy", given);
            PlainBackfilling plain(PlainMachine(stream.processors()), rules, counts);
            stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
                require_same_round(engine, plain, message, started);
                for (const JobIndex job : started) {
                    REQUIRE((placement != Placement::contiguous ||
                             engine.state().job(job).allocation.intervals().size() == 1));
                }
            });
        }
        INFO(to_string(placement));
        CHECK(counts.in_time > 1000);
        CHECK(counts.beside > 500);
        CHECK(counts.delaying > 1000);
        CHECK(counts.never > 50);
        CHECK(counts.overdue > 50);
        CHECK(counts.head_not_first > 500);
        if (placement == Placement::contiguous) {
            CHECK(counts.elsewhere > 100);
            CHECK(counts.scattered > 500);
        }
    }
}

TEST_CASE("The first job of easy starts no later than it could when it became the first, wherever it may be",
          "[easy][property]") {
    for (const Placement placement : {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous}) {
        HeadPromise total;
        BackfillingCounts counts;
        for (unsigned seed = 0; seed < 200; ++seed) {
            INFO("stream " << seed << " " << to_string(placement));
            Stream stream(seed, {.deadlines = false});
            Engine engine("easy", {{"placement", to_string(placement)}});
            PlainBackfilling plain(PlainMachine(stream.processors()), {.placement = placement}, counts);
            total += watch_heads(stream, engine, plain);
        }
        INFO(to_string(placement));
        CHECK(total.kept > 1000);
        CHECK(total.broken == 0);
    }
}

TEST_CASE("A contiguous job waits for a block, and others run around the block that it will have", "[easy]") {
    // 6 processors: a has 0-1 until 10, b has 2 until 5, c has 3-4 until 20. From 10, 0-2 are free.
    const auto starts_at_5 = [](const std::string& placement) {
        return SmallMachine(6, "easy", {{"placement", placement}}, Shown::decisions).play(R"(
            0: a 2x10, b 1x5, c 2x20  | start a 0-1; start b 2; start c 3-4
            5: ends b, head 3x10, long 1x100, short 1x5
        )");
    };
    CHECK(starts_at_5("contiguous") == "start long 5; start short 2");
    // At 10, 4 processors are free, and the head needs 3. So only one of the jobs may run beyond 10.
    CHECK(starts_at_5("lowest") == "start long 2; start short 5");
    CHECK(starts_at_5("best-effort-contiguous") == "start long 2; start short 5");
}

}  // namespace batfill::tests::reservation_test
