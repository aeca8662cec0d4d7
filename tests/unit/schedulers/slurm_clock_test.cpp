#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "schedulers/slurm/clock.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::tests::slurm_clock_test {

namespace {

using slurm::Clock;
using slurm::Microseconds;
using slurm::per_second;
using slurm::PriorityType;
using slurm::SchedulerType;
using slurm::Settings;

constexpr Microseconds ms = 1000;
// A multiple of the periods, so that the times of the tests stay small.
constexpr Microseconds zero = Microseconds{1'700'000'100} * per_second;

// A clock whose controller starts at time 0 of the test. Times are milliseconds since then.
struct SmallClock {
    explicit SmallClock(Settings of) : settings(of) {}

    void submit(Microseconds at) {
        clock.request_main(zero + at * ms);
        clock.note_change(zero + at * ms);
    }
    void change(Microseconds at) { clock.note_change(zero + at * ms); }

    // Takes all turns up to `until`, with nothing that follows from them: "TIME what, ...".
    std::string turns(Microseconds until) {
        std::ostringstream text;
        while (clock.next() <= zero + until * ms) {
            const Microseconds now = clock.next();
            const Clock::Turn turn = clock.take(now);
            text << (text.str().empty() ? "" : ", ") << (now - zero) / ms
                 << (turn.is_full ? " full"
                     : turn.main  ? " main"
                                  : "")
                 << (turn.priorities ? " priorities" : "") << (turn.backfill ? " backfill" : "");
        }
        return text.str();
    }

    Settings settings;
    Clock clock{settings, zero};
};

Settings builtin() {
    Settings settings;
    settings.scheduler = SchedulerType::builtin;
    return settings;
}

}  // namespace

TEST_CASE("Slurm's main scheduler runs at half seconds, each minute and a while after a request", "[slurm]") {
    SmallClock small(builtin());
    small.submit(10'000);
    CHECK(small.turns(20'000) == "10500 main");
    // A burst: the first job within a second, the next ones three seconds after the run.
    small.submit(20'600);
    CHECK(small.turns(22'000) == "21500 main");
    small.submit(22'000);
    small.submit(23'000);
    CHECK(small.turns(59'000) == "24500 main");
    // A full run answers requests, and requests wait as long after it.
    small.submit(60'100);
    CHECK(small.turns(60'900) == "60500 full");
    small.submit(61'000);
    CHECK(small.turns(190'000) == "63500 main, 120500 full, 180500 full");
}

TEST_CASE("Slurm's main scheduler runs by its settings", "[slurm]") {
    Settings settings = builtin();
    settings.take_scheduler_parameters("sched_interval=45,batch_sched_delay=10");
    SmallClock small(settings);
    small.submit(500);
    small.submit(1000);
    CHECK(small.turns(12'000) == "500 main");
    small.submit(12'200);
    small.submit(13'000);
    CHECK(small.turns(100'000) == "12500 main, 45500 full, 90500 full");
}

TEST_CASE("Slurm's backfill runs only after changes, and never more often than its interval", "[slurm]") {
    Settings settings;
    settings.sched_interval = 1'000'000;  // only cycles
    SmallClock small(settings);
    // Not before the first interval is over.
    small.change(12'300);
    CHECK(small.turns(100'000) == "30000 backfill");
    // In quiet times at the next change. A change in the second of a cycle counts for the next one.
    small.change(100'700);
    CHECK(small.turns(200'000) == "100700 backfill, 130700 backfill");
    small.change(200'100);
    CHECK(small.turns(200'500) == "200100 backfill");
    small.change(205'000);
    CHECK(small.turns(300'000) == "230100 backfill");
}

TEST_CASE("Slurm computes priorities in periods, which is a change", "[slurm]") {
    Settings settings;
    settings.sched_interval = 1'000'000;
    settings.priority = PriorityType::multifactor;
    SmallClock small(settings);
    CHECK(small.turns(700'000) ==
          "300000 priorities backfill, 330000 backfill, 600000 priorities backfill, 630000 backfill");
    settings.accounting = false;
    CHECK(SmallClock(settings).turns(700'000).empty());
}

TEST_CASE("Turns of Slurm's schedulers that nobody asked for are left out, and count", "[slurm]") {
    Settings settings;
    settings.priority = PriorityType::multifactor;
    SmallClock asked(settings);
    SmallClock late(settings);
    asked.turns(1'000'000);
    for (SmallClock* clock : {&asked, &late}) {
        clock->clock.take(zero + 1'000'100 * ms);
        clock->submit(1'000'100);
        CHECK(clock->turns(1'040'000) == "1000100 backfill, 1000500 main, 1020500 full, 1030100 backfill");
    }
}

}  // namespace batfill::tests::slurm_clock_test
