#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "engine_rounds.hpp"

namespace batfill::tests::kept_head_test {

// Parameters of easy that other simulators need: a head that keeps its place, no extra processors, processors that are
// free only once a completion is handled, orders by a field and ties by the first order. All worked by hand.

namespace {

const Parameters::Given kept{{"order", "spf"}, {"head", "kept"}, {"extra", "none"}};

// Four processors; "runs" holds three of them until 100. The head is a job of four processors and 50 s.
void make_busy(Table& table) {
    table.at(0);
    table.submit("runs", 3, 100);
    CHECK(table.starts() == "start runs");
    table.at(1);
    table.submit("head", 4, 50);
    CHECK(table.starts() == "start");
}

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
    for (const bool keeps : {false, true}) {
        Table table(4, "easy", keeps ? kept : Parameters::Given{{"order", "spf"}, {"extra", "none"}});
        make_busy(table);
        table.at(60);
        table.submit("better", 4, 45);
        CHECK(table.starts() == "start");
        table.at(100);
        table.ends("runs");
        CHECK(table.starts() == (keeps ? "start head" : "start better"));
    }
}

TEST_CASE("With head=kept the first job keeps the start that it had by the estimates", "[easy]") {
    Table table(4, "easy", kept);
    make_busy(table);
    SECTION("others must end before it, not at it") {
        table.at(60);
        table.submit("ends at it", 1, 40);
        CHECK(table.starts() == "start");
        table.at(61);
        table.submit("ends before it", 1, 38);
        CHECK(table.starts() == "start ends before it");
    }
    SECTION("also if it has become possible earlier, or later") {
        table.at(10);
        table.submit("beside", 1, 80);
        CHECK(table.starts() == "start beside");
        table.at(20);
        table.ends("runs");  // the head waits for "beside", until 90
        table.submit("until 95", 3, 75);
        CHECK(table.starts() == "start until 95");
        table.at(90);
        table.ends("beside");
        CHECK(table.starts() == "start");
        table.at(95);
        table.ends("until 95");
        CHECK(table.starts() == "start head");
    }
}

TEST_CASE("With extra=none a job that ends after the reserved start does not start beside it", "[easy]") {
    for (const bool none : {false, true}) {
        Table table(4, "easy", {{"extra", none ? "none" : "all"}});
        table.at(0);
        table.submit("runs", 3, 100);
        table.submit("head", 3, 50);
        table.submit("long", 1, 500);
        table.submit("in time", 1, 100);
        CHECK(table.starts() == (none ? "start runs in time" : "start runs long"));
    }
}

TEST_CASE("With rounds=strict-event processors are free only once the completion is handled", "[easy]") {
    for (const std::string rounds : {"every-event", "strict-event"}) {
        Table table(2, "easy", {{"rounds", rounds}, {"order", "spf"}});
        table.at(0);
        table.submit("runs", 2, 10);
        table.submit("waits", 2, 50);
        CHECK(table.starts() == "start runs");
        table.at(10);
        table.ends("runs");  // as expected
        table.submit("shorter", 2, 40);
        table.submit("shortest", 2, 30);
        CHECK(table.starts() == (rounds == "strict-event" ? "start shortest" : "start shorter"));
    }
}

TEST_CASE("A field of the jobs can order them", "[easy]") {
    using Jobs = std::vector<JobIndex>;
    const std::vector<std::string> fields{R"("priority":3)", R"("priority":-1e9,"score":5)", "", R"("priority":2.5)"};
    CHECK(started_by_field(fields, {{"order", "field"}}) == Jobs{1, 3, 0, 2});
    CHECK(started_by_field(fields, {{"order", "field"}, {"order-field", "score"}}) == Jobs{1, 0, 2, 3});
}

TEST_CASE("With ties=order jobs of one submission time are backfilled in the first order", "[easy]") {
    for (const std::string ties : {"first", "order"}) {
        Table table(4, "easy", {{"order", "lpf"}, {"ties", ties}});
        table.at(0);
        table.submit("runs", 3, 300);
        table.submit("head", 4, 200);
        CHECK(table.starts() == "start runs");
        table.at(1);
        table.submit("shorter", 1, 10);
        table.submit("longer", 1, 20);
        CHECK(table.starts() == (ties == "first" ? "start shorter" : "start longer"));
    }
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
