#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/remote/messages.hpp"
#include "src/support/json.hpp"
#include "tests/support/comma_locale.hpp"
#include "tests/support/simulator_fixture.hpp"
#include "tests/support/skip.hpp"

namespace batfill::tests::simulator_locale_test {

namespace {

// Starts the first job, and kills it when Batsim calls. Keeps the messages that a scheduler behind a socket would get.
class Killer : public SimulatedScheduler {
 public:
    void begin(const Simulator& simulator, SchedulerReply&) override { simulator_ = &simulator; }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        write_message(*simulator_, now, events, frames.emplace_back());
        if (frames.size() == 1) {
            reply.decisions = {start(0, "0"), call("4")};
        } else if (now == Time::seconds(4) && !asked_) {
            asked_ = true;
            reply.decisions = {kill({0})};
        }
    }
    void end(Time) override {}

    std::vector<std::string> frames;

 private:
    const Simulator* simulator_ = nullptr;
    bool asked_ = false;
};

}  // namespace

TEST_CASE("Numbers in JSON have a point, also in a program whose locale has a comma", "[outside]") {
    const CommaLocale locale;
    if (!locale.is_set()) {
        skip("no locale with a decimal comma can be made (localedef)");
        return;
    }
    const Scenario scenario = scenario_of(machine(1), {workload_of(job("a", "0", 1, "20", "8"))});
    Simulator simulator(scenario);
    Killer scheduler;
    simulator.run(scheduler);
    CHECK_THAT(scheduler.frames.back(), Catch::Contains(R"("progress":0.500000})"));
    JsonReader reader;
    CHECK(reader.parse("1.5e-400").GetDouble() == 0);
    CHECK_THROWS_WITH(reader.parse("1.5e400"), Catch::Contains("too big"));
}

}  // namespace batfill::tests::simulator_locale_test
