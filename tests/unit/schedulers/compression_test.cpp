#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_compression.hpp"
#include "tests/support/plain_conservative.hpp"
#include "tests/support/plain_order.hpp"
#include "tests/support/plain_scheduler.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::compression_test {

// Compression of the plan by conservative backfilling and by Prioritized and Delayed Compression on random streams: the
// same decisions as plain forms, and the guarantees.

using Kind = PlainCompression::Kind;

namespace {

// An order, as parameters of the algorithms and as weights of the plain form.
struct Order {
    Parameters::Given given;
    OrderWeights weights;
};

Order mixed_order(const OrderWeights& weights, bool tenths) {
    return {{{"order", "mixed"}, {"weights", text_of(weights, tenths)}}, weights};
}

Order random_mixed_order(Random& random) {
    const OrderWeights weights = random_weights(random);
    return mixed_order(weights, random.one_in(2));
}

// The default, every named order, and two mixed ones.
std::vector<Order> all_orders() {
    std::vector<Order> orders{{{}, named_orders().at("spf")}};
    for (const auto& [name, weights] : named_orders()) {
        orders.push_back({{{"order", name}}, weights});
    }
    orders.push_back(mixed_order({2, -3, 1, 1, 2, -1}, true));
    orders.push_back(mixed_order({-1, 0, 1, 0, 5, 0}, false));
    return orders;
}

// Plays a random stream to an algorithm and compares all its observable results with the plain form.
void compare_with_plain_form(unsigned seed, const Features& features, Kind kind, const Order& order,
                             PlainCompression::Counts& counts) {
    INFO(name_of(kind) << text_of(order.given) << ", stream " << seed);
    Stream stream(seed, features);
    Engine engine(name_of(kind), order.given);
    PlainCompression plain(stream.processors(), kind, order.weights, counts);
    stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        REQUIRE(started == plain.round(message));
        require_same_plans(plan_of(engine), plain.planned_starts());
    });
}

// Compares on more than a thousand streams. Returns the counts of rare events.
PlainCompression::Counts compare_in_all_orders(Kind kind) {
    PlainCompression::Counts counts;
    unsigned streams = 0;
    const auto compare = [&](int most_jobs, int most_processors, const Order& order) {
        const Features features{.most_jobs = most_jobs, .most_processors = most_processors, .deadlines = false};
        compare_with_plain_form(streams++, features, kind, order, counts);
    };
    for (const Order& order : all_orders()) {
        for (int i = 0; i < 40; ++i) {
            compare(60, 16, order);
        }
        for (int i = 0; i < 20; ++i) {
            compare(40, 5, order);
        }
        compare(150, 32, order);
    }
    Random random(2011);
    for (int i = 0; i < 100; ++i) {
        compare(50, 12, random_mixed_order(random));
    }
    CHECK(streams > 1000);
    return counts;
}

}  // namespace

TEST_CASE("pc decides as its plain form does, in every round and every order", "[compression][property]") {
    const PlainCompression::Counts counts = compare_in_all_orders(Kind::pc);
    CHECK(counts.moves > 10'000);
    CHECK(counts.equal_scores > 10'000);
    CHECK(counts.moves_after_vain_tries > 10'000);
    CHECK(counts.moves_again > 1000);
    CHECK(counts.left_for_later == 0);
}

TEST_CASE("dc decides as its plain form does, in every round and every order", "[compression][property]") {
    const PlainCompression::Counts counts = compare_in_all_orders(Kind::dc);
    CHECK(counts.moves > 10'000);
    CHECK(counts.equal_scores > 10'000);
    CHECK(counts.moves_after_vain_tries > 20);
    CHECK(counts.left_for_later > 10'000);
    CHECK(counts.moves_after_ends_on_time > 1000);
    CHECK(counts.moves_before_submitted > 3000);
    CHECK(counts.delays_of_submitted > 500);
    CHECK(counts.gains_of_submitted > 500);
    CHECK(counts.too_late_to_conflict > 1000);
    CHECK(counts.exactly_at_c > 50);
    CHECK(counts.behind_submitted > 5000);
}

TEST_CASE("conservative decides as its plain form does, in every round and with every compression",
          "[compression][property]") {
    for (const std::string compression : {"planned-start", "submission", "start-now", "none"}) {
        PlainConservative::Counts counts;
        for (unsigned seed = 0; seed < 300; ++seed) {
            INFO("compression=" << compression << ", stream " << seed);
            Stream stream(seed, {.most_jobs = 60, .most_processors = seed % 3 == 0 ? 5 : 16, .deadlines = false});
            Engine engine("conservative", {{"compression", compression}});
            PlainConservative plain(stream.processors(), compression, counts);
            std::map<JobIndex, Time> promised;
            stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
                REQUIRE(plain.round(message) == started);
                require_same_plans(plan_of(engine), plain.planned_starts());
                for (const JobIndex job : started) {
                    REQUIRE(message.now <= promised.emplace(job, message.now).first->second);
                }
                for (const auto& [job, start] : plan_of(engine)) {
                    Time& before = promised.emplace(job, start).first->second;
                    REQUIRE(start <= before);
                    before = start;
                }
            });
        }
        INFO("compression=" << compression);
        CHECK((compression == "none" ? counts.moves == 0 : counts.moves > 1000));
        if (compression == "start-now") {
            CHECK(counts.moves_after_ends_on_time > 100);
            CHECK(counts.left_for_later > 1000);
        }
    }
}

TEST_CASE("conservative decides as its plain form does with compression=order, in every round and every order",
          "[compression][property]") {
    PlainConservativeInOrder::Counts counts;
    unsigned seed = 0;
    for (const auto& [name, weights] : named_orders()) {
        for (int i = 0; i < 60; ++i) {
            ++seed;
            INFO("order=" << name << ", stream " << seed);
            Stream stream(seed, {.most_jobs = 60, .most_processors = seed % 3 == 0 ? 5 : 16, .deadlines = false});
            Engine engine("conservative", {{"compression", "order"}, {"order", name}});
            PlainConservativeInOrder plain(stream.processors(), weights, counts);
            std::map<JobIndex, Time> promised;
            stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
                REQUIRE(plain.round(message) == started);
                require_same_plans(plan_of(engine), plain.planned_starts());
                for (const auto& [job, start] : plan_of(engine)) {
                    REQUIRE(start <= promised.emplace(job, start).first->second);
                    REQUIRE(engine.state().job(job).guaranteed_start == promised[job]);
                }
            });
        }
    }
    CHECK(counts.moves > 1000);
    CHECK(counts.moves_after_ends_on_time > 20);
    CHECK(counts.new_before_others > 1000);
    CHECK(counts.gains_of_new > 100);
}

TEST_CASE("conservative: an order belongs to compression=order", "[compression]") {
    const auto engine = [](const Parameters::Given& given) { Engine("conservative", given); };
    CHECK_NOTHROW(engine({{"compression", "order"}}));
    CHECK_NOTHROW(engine({{"compression", "order"}, {"order", "sqf"}}));
    CHECK_THROWS_WITH(engine({{"order", "sqf"}}), "parameter order=sqf is used only with compression=order");
    CHECK_THROWS_AS(engine({{"compression", "submission"}, {"order", "sqf"}}), UsageError);
}

TEST_CASE("pc and dc: weights belong to order=mixed, and not all of them are zero", "[compression]") {
    for (const Kind kind : both_kinds) {
        const auto engine = [&](const Parameters::Given& given) { Engine(name_of(kind), given); };
        CHECK_NOTHROW(engine({{"order", "mixed"}, {"weights", "0,0,0,0,0,-1"}}));
        CHECK_THROWS_AS(engine({{"order", "mixed"}}), UsageError);
        CHECK_THROWS_AS(engine({{"order", "mixed"}, {"weights", "0,0,0,0,0,0"}}), UsageError);
        CHECK_THROWS_AS(engine({{"order", "mixed"}, {"weights", "1,2,3,4,5"}}), UsageError);
        CHECK_THROWS_AS(engine({{"order", "spf"}, {"weights", "1,2,3,4,5,6"}}), UsageError);
        CHECK_THROWS_AS(engine({{"weights", "1,2,3,4,5,6"}}), UsageError);
        CHECK_THROWS_AS(engine({{"order", "shortest"}}), UsageError);
        CHECK_THROWS_AS(engine({{"threshold", "200000"}}), UsageError);
    }
}

TEST_CASE("pc and dc: no planned start ever moves later", "[compression][property]") {
    for (const Kind kind : both_kinds) {
        unsigned seed = 5000;
        int moved_earlier = 0;
        int started_earlier = 0;
        for (const Order& order : all_orders()) {
            for (int i = 0; i < 25; ++i) {
                INFO(name_of(kind) << text_of(order.given) << ", stream " << seed);
                Stream stream(seed++, {.deadlines = false});
                Engine engine(name_of(kind), order.given);
                std::map<JobIndex, Time> promised;
                stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
                    for (const JobIndex job : started) {
                        if (promised.count(job) != 0) {
                            REQUIRE(message.now <= promised[job]);
                            started_earlier += message.now < promised[job] ? 1 : 0;
                        }
                    }
                    for (const auto& [job, start] : plan_of(engine)) {
                        const Time before = promised.emplace(job, start).first->second;
                        REQUIRE(start <= before);
                        moved_earlier += start < before ? 1 : 0;
                        promised[job] = start;
                    }
                });
            }
        }
        CHECK(moved_earlier > 1000);
        CHECK(started_earlier > 1000);
    }
}

TEST_CASE("pc and dc: no processor is used twice and no job is lost when processors come and go",
          "[compression][property]") {
    for (const Kind kind : both_kinds) {
        unsigned seed = 9000;
        std::size_t changes = 0;
        for (const Order& order : all_orders()) {
            for (int i = 0; i < 12; ++i) {
                INFO(name_of(kind) << text_of(order.given) << ", stream " << seed);
                Stream stream(seed++, {.deadlines = false, .machine_changes = true});
                Engine engine(name_of(kind), order.given);
                stream.play(engine, [&](const Message& message, const std::vector<JobIndex>&) {
                    changes += message.machine_changes.size();
                    REQUIRE(plan_in(engine)->by_start().size() == engine.state().waiting.size());
                });
            }
        }
        CHECK(changes > 500);
    }
}

TEST_CASE("The plain forms of pc and dc give the reference schedules", "[compression][reference][outside]") {
    if (!have_test_data("reference/expected")) {
        return;
    }
    for (const auto& [workload, processors] : reference_workloads()) {
        for (const Kind kind : both_kinds) {
            for (const std::string order : {"fcfs", "lpf", "lqf", "spf", "sqf"}) {
                PlainCompression::Counts counts;
                require_reference_schedule(workload, name_of(kind) + ".order=" + order, [&](int machine_size) {
                    return std::make_unique<PlainCompression>(machine_size, kind, named_orders().at(order), counts);
                });
                CHECK(counts.moves > 0);
            }
        }
    }
}

}  // namespace batfill::tests::compression_test
