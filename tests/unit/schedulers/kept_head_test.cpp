#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::kept_head_test {

// Parameters of easy that other simulators need, all worked by hand: a head that keeps its place, no extra processors,
// processors that become free when the completion is handled, orders by a field, and ties by the first order.

namespace {

const Parameters::Given kept{{"order", "spf"}, {"head", "kept"}, {"extra", "none"}};

// For four processors.
const std::string busy = R"(
    0: runs 3x100  | start runs
    1: head 4x50   |
)";

// Starts jobs in this order, whatever their sizes, by a field of the job.
std::vector<JobIndex> started_by_field(const std::vector<std::string>& fields, const Parameters::Given& parameters) {
    Engine engine("easy", parameters);
    engine.begin(Time(), Machine(1));
    std::vector<Submission> submitted;
    for (JobIndex index = 0; index < fields.size(); ++index) {
        JobDescription job;
        job.id = "w0!" + std::to_string(index);
        job.processors = 1;
        job.walltime = Duration::seconds(10);
        job.other_fields = fields[index];
        submitted.emplace_back(index, job);
    }
    std::vector<JobIndex> order = starts_of(send(engine, {Time(), {}, submitted, {}}));
    while (order.size() < fields.size()) {
        const Time now = Time::seconds(10 * static_cast<int>(order.size()));
        const std::vector<JobIndex> next = starts_of(send(engine, {now, {order.back()}, {}, {}}));
        REQUIRE(next.size() == 1);
        order.push_back(next.front());
    }
    return order;
}

}  // namespace

TEST_CASE("With head=kept the first job stays first when a better one arrives", "[easy]") {
    const auto first = [](const Parameters::Given& given) {
        return SmallMachine(4, "easy", given).play(busy + R"(
             60: better 4x45  |
            100: ends runs
        )");
    };
    CHECK(first({{"order", "spf"}, {"extra", "none"}}) == "start better");
    CHECK(first(kept) == "start head");
}

TEST_CASE("With head=kept the first job keeps the start that it had by the estimates", "[easy]") {
    SmallMachine machine(4, "easy", kept);
    machine.play(busy);
    SECTION("others must end before it, not at it") {
        machine.play(R"(
            60: ends-at-it 1x40      |
            61: ends-before-it 1x38  | start ends-before-it
        )");
    }
    SECTION("also if it has become possible earlier, or later") {
        machine.play(R"(
            10: beside 1x80                | start beside
            20: ends runs, until-95 3x75   | start until-95  // the head waits for "beside", until 90
            90: ends beside                |
            95: ends until-95              | start head
        )");
    }
}

TEST_CASE("With extra=none a job that ends after the reserved start does not start beside it", "[easy]") {
    const auto starts = [](const std::string& extra) {
        return SmallMachine(4, "easy", {{"extra", extra}}).play("0: runs 3x100, head 3x50, long 1x500, in-time 1x100");
    };
    CHECK(starts("all") == "start runs long");
    CHECK(starts("none") == "start runs in-time");
}

TEST_CASE("With rounds=strict-event processors are free only once the completion is handled", "[easy]") {
    // "runs" ends as expected.
    const auto starts = [](const std::string& rounds) {
        return SmallMachine(2, "easy", {{"rounds", rounds}, {"order", "spf"}}).play(R"(
             0: runs 2x10, waits 2x50  | start runs
            10: ends runs, shorter 2x40, shortest 2x30
        )");
    };
    CHECK(starts("every-event") == "start shorter");
    CHECK(starts("strict-event") == "start shortest");
}

TEST_CASE("A field of the jobs can order them", "[easy]") {
    using Jobs = std::vector<JobIndex>;
    const std::vector<std::string> fields{R"("priority":3)", R"("priority":-1e9,"score":5)", "", R"("priority":2.5)"};
    CHECK(started_by_field(fields, {{"order", "field"}}) == Jobs{1, 3, 0, 2});
    CHECK(started_by_field(fields, {{"order", "field"}, {"order-field", "score"}}) == Jobs{1, 0, 2, 3});
}

TEST_CASE("With ties=order jobs of one submission time are backfilled in the first order", "[easy]") {
    const auto starts = [](const std::string& ties) {
        return SmallMachine(4, "easy", {{"order", "lpf"}, {"ties", ties}}).play(R"(
            0: runs 3x300, head 4x200  | start runs
            1: shorter 1x10, longer 1x20
        )");
    };
    CHECK(starts("first") == "start shorter");
    CHECK(starts("order") == "start longer");
}

TEST_CASE("Parameters of a kept head and of fields are refused where they make no sense", "[easy]") {
    CHECK_THROWS_WITH(Engine("easy", {{"head", "kept"}}), "parameter head=kept is used only with extra=none");
    CHECK_THROWS_WITH(Engine("easy", {{"extra", "none"}, {"reservations", "2"}}),
                      "parameter extra=none is used only with reservations=1");
    CHECK_THROWS_WITH(Engine("easy", {{"order-field", "score"}}),
                      "parameter order-field=score is used only with order=field or backfill-order=field");
    CHECK_THROWS_AS(Engine("pc", {{"order", "field"}}), UsageError);
}

}  // namespace batfill::tests::kept_head_test
