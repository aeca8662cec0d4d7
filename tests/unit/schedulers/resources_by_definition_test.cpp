#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "tests/support/plain_timeline.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::resources_by_definition_test {

// Whole schedules on machines with pools, shared hosts and partitions, beside those of programs that ask at each second
// what is free.

namespace {

struct PlainJob {
    int submit;
    int walltime;
    int runs;
    Request request;
    std::optional<int> start = {};
    ResourceSet hosts = {};

    int end() const { return *start + runs; }
    int estimated_end() const { return *start + walltime; }
};

struct Case {
    std::vector<Host> hosts;
    Machine machine;
    std::vector<PlainJob> jobs;  // by submission
    std::string text;            // the jobs of the workload
};

constexpr int horizon = 500;

std::string text_of(const StatedNeeds::Amounts& amounts) {
    std::string text;
    for (const auto& [name, amount] : amounts) {
        text += (text.empty() ? "\"" : ",\"") + name + "\":" + std::to_string(amount);
    }
    return "{" + text + "}";
}

std::string text_of(const StatedNeeds& needs) {
    return (needs.pools.empty() ? "" : R"(,"pools":)" + text_of(needs.pools)) +
           (needs.per_host ? R"(,"per_host":)" + text_of(*needs.per_host) : "") +
           (needs.partition ? R"(,"partition":")" + *needs.partition + '"' : "");
}

// Bursts of short jobs; no job is rejected.
Case draw_case(Random& random, bool is_named, Placement placement) {
    Case drawn;
    drawn.hosts = draw_hosts(random, is_named);
    drawn.machine = Machine(drawn.hosts);
    int submit = 0;
    while (drawn.jobs.size() < 25) {
        submit += random.one_in(3) ? random.between(1, 6) : 0;
        const StatedNeeds needs = draw_needs(random);
        const auto resolved =
            drawn.machine.resources().resolve({random.between(1, drawn.machine.processors()), placement}, &needs);
        if (!std::holds_alternative<Request>(resolved)) {
            continue;
        }
        const auto& request = std::get<Request>(resolved);
        const int walltime = random.between(1, 12);
        const int runs = random.between(1, walltime);
        std::string one = job(std::to_string(100 + drawn.jobs.size()), std::to_string(submit), request.processors,
                              std::to_string(walltime), std::to_string(runs));
        one.insert(one.size() - 1, text_of(needs));
        drawn.text += (drawn.text.empty() ? "" : ",") + one;
        drawn.jobs.push_back({submit, walltime, runs, request});
    }
    return drawn;
}

// A scheduler by definition: decides at each second at which jobs end or are submitted, or that it asked for.
class PlainScheduler {
 public:
    PlainScheduler(Case& drawn, bool plans_pools)
        : jobs(drawn.jobs),
          machine(drawn.machine),
          planned(machine.resources().pools().size(), plans_pools),
          timeline(machine, planned, horizon) {}
    virtual ~PlainScheduler() = default;

    void run() {
        for (int now = 0; now < horizon; ++now) {
            timeline.now = now;
            const bool is_end = std::ranges::any_of(
                jobs, [now](const PlainJob& one) { return one.start && *one.start < now && one.end() == now; });
            const bool is_submission =
                std::ranges::any_of(jobs, [now](const PlainJob& one) { return one.submit == now; });
            if (is_end || is_submission || calls(now)) {
                decide(now);
            }
        }
    }

 protected:
    virtual void decide(int now) = 0;
    virtual bool calls(int /*now*/) { return false; }

    bool waits(const PlainJob& one, int now) const { return one.submit <= now && !one.start; }
    // What runs, until its estimated end.
    std::vector<Holding> running(int now) const {
        std::vector<Holding> held;
        for (const PlainJob& one : jobs) {
            if (one.start && one.end() > now) {
                held.push_back({one.request, one.hosts, *one.start, one.estimated_end()});
            }
        }
        return held;
    }
    // Each pool has what the job takes, planned or not.
    bool pools_have_now(const PlainJob& asking, int now) const {
        for (std::size_t pool = 0; pool < planned.size(); ++pool) {
            const auto taken = [pool](const Request& request) { return request.of_pool(pool); };
            Amount left = machine.resources().pools()[pool].total - taken(asking.request);
            for (const Holding& one : running(now)) {
                left -= taken(one.request);
            }
            if (left < 0 && taken(asking.request) > 0) {
                return false;
            }
        }
        return true;
    }
    // Starts the job if it fits in the timeline.
    bool start(PlainJob& one, int now) {
        if (!timeline.fits(one.request, one.walltime, now) || !pools_have_now(one, now)) {
            return false;
        }
        one.start = now;
        one.hosts = timeline.choose(one.request, one.walltime, now);
        timeline.held.push_back({one.request, one.hosts, now, one.estimated_end()});
        return true;
    }

    // NOLINTBEGIN(cppcoreguidelines-non-private-member-variables-in-classes): of a test
    std::vector<PlainJob>& jobs;
    const Machine& machine;
    std::vector<bool> planned;
    PlainTimeline timeline;
    // NOLINTEND(cppcoreguidelines-non-private-member-variables-in-classes)
};

class PlainFcfs : public PlainScheduler {
 public:
    using PlainScheduler::PlainScheduler;

 private:
    void decide(int now) override {
        timeline.held = running(now);
        for (PlainJob& one : jobs) {
            if (waits(one, now) && !start(one, now)) {
                return;
            }
        }
    }
};

class PlainEasy : public PlainScheduler {
 public:
    using PlainScheduler::PlainScheduler;

 private:
    void decide(int now) override {
        timeline.held = running(now);
        bool is_reserved = false;
        for (PlainJob& one : jobs) {
            if (!waits(one, now) || start(one, now) || is_reserved) {
                continue;
            }
            if (timeline.fits(one.request, one.walltime, now)) {
                continue;  // only a pool that is not planned keeps it
            }
            const int at = *timeline.earliest(one.request, one.walltime, now);
            timeline.held.push_back(
                {one.request, timeline.choose(one.request, one.walltime, at), at, at + one.walltime});
            is_reserved = true;
        }
    }
};

// Jobs keep their places but for compressions by planned start.
class PlainConservative : public PlainScheduler {
 public:
    using PlainScheduler::PlainScheduler;

 private:
    struct Place {
        int start;
        ResourceSet hosts;
    };

    bool calls(int now) override {
        return std::ranges::any_of(places_, [now](const auto& place) { return place.second.start == now; });
    }
    void hold(int now, std::optional<std::size_t> but = {}) {
        timeline.held = running(now);
        for (const auto& [job, place] : places_) {
            if (job != but) {
                timeline.held.push_back(
                    {jobs[job].request, place.hosts, place.start, place.start + jobs[job].walltime});
            }
        }
    }
    void place(std::size_t job, int now) {
        const PlainJob& one = jobs[job];
        const int at = *timeline.earliest(one.request, one.walltime, now);
        if (!places_.contains(job) || at < places_[job].start) {
            places_[job] = {at, timeline.choose(one.request, one.walltime, at)};
        }
    }
    void decide(int now) override {
        const bool is_early = std::ranges::any_of(
            jobs, [now](const PlainJob& one) { return one.start && one.end() == now && one.estimated_end() > now; });
        if (is_early) {
            std::vector<std::pair<int, std::size_t>> order;
            for (const auto& [job, place] : places_) {
                order.emplace_back(place.start, job);
            }
            std::ranges::sort(order);
            for (const auto& [start, job] : order) {
                hold(now, job);
                place(job, now);
            }
        }
        for (std::size_t job = 0; job < jobs.size(); ++job) {
            if (jobs[job].submit == now) {
                hold(now);
                place(job, now);
            }
        }
        for (std::size_t job = 0; job < jobs.size(); ++job) {
            if (places_.contains(job) && places_[job].start == now) {
                jobs[job].start = now;
                jobs[job].hosts = places_[job].hosts;
                places_.erase(job);
            }
        }
    }

    std::map<std::size_t, Place> places_;  // by job, which is by submission
};

template <class Scheduler>
void compare(unsigned seed, const std::string& algorithm, bool plans_pools) {
    Random random(seed);
    const bool is_named = random.between(0, 3) > 0;
    const auto placement = std::array{Placement::snug, Placement::lowest, Placement::fullest}[seed % 3];
    Case drawn = draw_case(random, is_named, placement);
    INFO(algorithm << ", seed " << seed << ": " << drawn.text);
    Scheduler(drawn, plans_pools).run();
    Platform platform;
    platform.hosts = drawn.hosts;
    Parameters::Given parameters{{"plan-pools", plans_pools ? "all" : "none"}};
    if (drawn.machine.resources().has_named_hosts()) {
        parameters.emplace_back("placement", std::string(to_string(placement)));
    }
    if (algorithm == "fcfs") {
        parameters.erase(parameters.begin());
    }
    const Outcome outcome = run(scenario_of(std::move(platform), {workload_of(drawn.text)}), {algorithm, parameters});
    const auto found = outcome.simulation().jobs();
    REQUIRE(found.size() == drawn.jobs.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO("job " << found[i].job->description.id);
        REQUIRE(drawn.jobs[i].start.has_value());
        REQUIRE(found[i].start == Time::seconds(*drawn.jobs[i].start));
        if (drawn.machine.resources().has_named_hosts()) {
            REQUIRE(found[i].allocation == drawn.jobs[i].hosts);
        }
    }
}

}  // namespace

TEST_CASE("fcfs, easy and conservative give the schedules of their definitions on machines with resources") {
    for (unsigned seed = 1; seed <= 150; ++seed) {
        compare<PlainFcfs>(seed, "fcfs", true);
        compare<PlainEasy>(seed, "easy", true);
        compare<PlainEasy>(seed, "easy", false);
        compare<PlainConservative>(seed, "conservative", true);
    }
}

}  // namespace batfill::tests::resources_by_definition_test
