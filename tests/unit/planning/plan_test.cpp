#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/planning/plan.hpp>

#include "src/planning/profile_event_counter.hpp"

namespace batfill::tests::plan_test {

using batfill::AvailabilityProfile;
using batfill::Duration;
using batfill::JobIndex;
using batfill::Plan;
using batfill::ProfileEventCounter;
using batfill::Time;

namespace {

Time at(long long s) {
    return Time::seconds(s);
}

// Kinds of pools: there is none, it is scarce, it is ample, or it is ample until a job takes more than its share.
struct RandomPool {
    int units = 0;
    bool is_scarce = false;
    bool becomes_scarce = false;
    RandomPool(unsigned kind, int processors)
        : units(kind == 0   ? 0
                : kind == 1 ? 10
                            : 10 * processors),
          is_scarce(kind == 1),
          becomes_scarce(kind == 3) {}
    int amount_for(int processors, const auto& below) const {
        const bool takes_any = is_scarce || (becomes_scarce && below(40) == 0);
        return units == 0 ? 0 : below(takes_any ? units : 10 * processors + 1);
    }
};

// A machine with a pool of so many units; without one if it has none.
Machine machine_of(int processors, int units_of_pool) {
    Host host;
    host.zone_properties["pools"] = "power:" + std::to_string(units_of_pool);
    return units_of_pool == 0 ? Machine(processors)
                              : Machine(std::vector<Host>(static_cast<std::size_t>(processors), host));
}

// Of an empty machine. Looks at its pools, unless they are not scarce yet.
Timeline timeline_of(const Machine& machine, bool is_scarce = true) {
    Timeline timeline(machine, at(0), std::vector<bool>(machine.resources().pools().size(), true));
    if (!is_scarce) {
        SchedulerState state;
        state.machine = machine;
        timeline.reset(state);
    }
    return timeline;
}

// What a job takes; of the pool only if the machine has one. It lives as long as the program.
const Request& request_of(int processors, int taken_of_pool = 0) {
    static std::map<std::pair<int, int>, Request> requests;
    Request& request = requests[{processors, taken_of_pool}];
    request.processors = processors;
    if (taken_of_pool > 0) {
        request.details = Shared<Request::Details>(Request::Details{.pools = {taken_of_pool}});
    }
    return request;
}

// A plan without memory. To move a job, it removes it, searches the whole profile of each column and places it again.
struct PlainPlan {
    struct Planned {
        Time start;
        Duration walltime;
        const Request* request;
    };
    AvailabilityProfile profile;
    AvailabilityProfile pool;
    std::map<JobIndex, Planned> jobs;

    explicit PlainPlan(int processors, int units = 0) : profile(at(0), processors), pool(at(0), units) {}

    void add(const Request& request, Time from, Time to, int sign) {
        profile.add(from, to, sign * request.processors);
        pool.add(from, to, sign * static_cast<int>(request.of_pool(0)));
    }
    Time earliest(const Request& request, Duration walltime, Time now) const {
        for (Time start = now;;) {
            const Time in_profile = profile.earliest(start, walltime, request.processors);
            start = pool.earliest(in_profile, walltime, static_cast<int>(request.of_pool(0)));
            if (start == in_profile || start.is_infinite()) {
                return start;
            }
        }
    }
    void place(JobIndex job, const Request& request, Duration walltime, Time now) {
        const Time start = earliest(request, walltime, now);
        jobs[job] = {start, walltime, &request};
        add(request, start, start + walltime, -1);
    }
    bool move(JobIndex job, Time now) {
        const Planned old = jobs[job];
        add(*old.request, old.start, old.start + old.walltime, 1);
        place(job, *old.request, old.walltime, now);
        return jobs[job].start != old.start;
    }
    std::vector<JobIndex> order() const {
        std::vector<JobIndex> result;
        for (const auto& [job, planned] : jobs) {
            result.push_back(job);
        }
        std::stable_sort(result.begin(), result.end(),
                         [&](JobIndex a, JobIndex b) { return jobs.at(a).start < jobs.at(b).start; });
        return result;
    }
};

using Running = std::vector<std::pair<Time, const Request*>>;  // ends, and what the jobs take

// From now on, the plan looks at the pool.
void make_scarce(Plan& plan, const Running& running) {
    SchedulerState state;
    state.scarce_pools = {0};
    for (const auto& [end, request] : running) {
        state.running.push_back({end, static_cast<JobIndex>(state.jobs.size()), request->processors});
        state.jobs.emplace_back().request = *request;
    }
    plan.add_scarce_pools(state);
}

// The jobs whose planned start has come run until their walltimes.
void start_due_jobs(Plan& plan, PlainPlan& plain, Time now, Running& running) {
    for (const JobIndex job : plain.order()) {
        if (const PlainPlan::Planned planned = plain.jobs[job]; planned.start <= now) {
            running.emplace_back(planned.start + planned.walltime, planned.request);
            plain.jobs.erase(job);
            plan.start(job);
        }
    }
    std::erase_if(running, [&](const auto& job) { return job.first <= now; });
}

}  // namespace

TEST_CASE("what a plan remembers never keeps a job from moving, whatever is given back and in whatever order") {
    int moved = 0;
    for (unsigned seed = 0; seed < 80; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        const int processors = 4 + below(12);
        const bool compress_always =
            seed % 3 != 0;  // otherwise so many returns pile up that the plan merges some of them
        const RandomPool pool(seed % 4, processors);
        const Machine machine = machine_of(processors, pool.units);
        Plan plan;
        plan.reset(timeline_of(machine, pool.is_scarce));
        PlainPlan plain(processors, pool.units);
        Running running;
        Time now = at(0);
        JobIndex next = 0;
        for (int step = 0; step < 400; ++step) {
            now = now + Duration::seconds(below(6));
            plan.advance(now);
            std::erase_if(running, [&](const auto& job) { return job.first <= now; });
            for (const JobIndex job : plain.order()) {
                if (plain.jobs[job].start < now) {
                    running.emplace_back(plain.jobs[job].start + plain.jobs[job].walltime, plain.jobs[job].request);
                    plain.jobs.erase(job);
                    plan.start(job);
                }
            }
            std::erase_if(running, [&](const auto& job) { return job.first <= now; });
            if (!running.empty() && below(2) == 0) {
                const auto ended = running.begin() + below(static_cast<int>(running.size()));
                plan.give_back(*ended->second, ended->second->processors, {}, now, ended->first);
                plain.add(*ended->second, now, ended->first, 1);
                running.erase(ended);
                if (compress_always || below(40) == 0) {
                    std::vector<JobIndex> order = plain.order();
                    if (below(3) == 0) {
                        std::shuffle(order.begin(), order.end(), random);
                    }
                    for (const JobIndex job : order) {
                        const bool expected = plain.move(job, now);
                        moved += expected ? 1 : 0;
                        REQUIRE(plan.move_earlier(job) == expected);
                        REQUIRE(plan.planned_start(job) == plain.jobs[job].start);
                    }
                }
            }
            if (plain.jobs.size() < 40) {
                const int needed = 1 + below(processors);
                const Request& request = request_of(needed, pool.amount_for(needed, below));
                if (request.of_pool(0) > 10 * needed) {
                    make_scarce(plan, running);
                }
                const Duration walltime = Duration::seconds(1 + below(30));
                plan.place({next, walltime, now, &request}, now);
                plain.place(next, request, walltime, now);
                REQUIRE(plan.planned_start(next) == plain.jobs[next].start);
                ++next;
            }
            REQUIRE(plan.by_start() == plain.order());
            REQUIRE(plan.timeline().counted().processors().free_at(now) == plain.profile.free_at(now));
        }
    }
    CHECK(moved > 1000);  // otherwise the test would show nothing
}

TEST_CASE(
    "compressions make the moves that trying each job makes, in an order or by planned start, to now or to any time") {
    int moved = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        const int processors = 4 + below(12);
        const int depth = 10 + below(90);
        const RandomPool pool(seed % 4, processors);
        const Machine machine = machine_of(processors, pool.units);
        Plan plan;
        plan.reset(timeline_of(machine, pool.is_scarce));
        PlainPlan plain(processors, pool.units);
        Running running;
        std::vector<int> ranks;
        Time now = at(0);
        // A move must start before `than`.
        const auto move = [&](JobIndex job, Time than) {
            const PlainPlan::Planned old = plain.jobs[job];
            plain.add(*old.request, old.start, old.start + old.walltime, 1);
            const Time earliest = plain.earliest(*old.request, old.walltime, now);
            const bool moves = earliest < std::min(old.start, than);
            const Time start = moves ? earliest : old.start;
            plain.add(*old.request, start, start + old.walltime, -1);
            plain.jobs[job].start = start;
            return moves;
        };
        for (JobIndex next = 0; next < 300; ++next) {
            now = now + Duration::seconds(below(6));
            plan.advance(now);
            start_due_jobs(plan, plain, now, running);
            if (!running.empty() && below(2) == 0) {
                const auto ended = running.begin() + below(static_cast<int>(running.size()));
                plan.give_back(*ended->second, ended->second->processors, {}, now, ended->first);
                plain.add(*ended->second, now, ended->first, 1);
                running.erase(ended);
                std::size_t moves = 0;
                std::vector<JobIndex> jobs = plain.order();
                if (below(3) == 0) {
                    // A limit leaves earlier starts for another time.
                    const Time than = below(2) == 0 ? now + Duration::seconds(1 + below(40)) : Time::infinity();
                    for (const JobIndex job : jobs) {
                        moves += move(job, than) ? 1U : 0U;
                    }
                    REQUIRE(plan.move_all_earlier(than) == moves);
                } else {
                    const bool to_now = below(3) == 0;
                    if (below(4) == 0) {
                        std::erase_if(jobs, [&](JobIndex) { return below(3) == 0; });
                    }
                    const Time than = to_now ? now + Duration::microseconds(1) : Time::infinity();
                    std::sort(jobs.begin(), jobs.end(), [&](JobIndex a, JobIndex b) { return ranks[a] < ranks[b]; });
                    for (std::size_t i = 0; i < jobs.size();) {
                        const bool moves_now = move(jobs[i], than);
                        moves += moves_now ? 1U : 0U;
                        i = moves_now ? 0 : i + 1;
                    }
                    const auto every_job = [](JobIndex) { return true; };
                    const std::size_t made =
                        to_now ? plan.move_to_now_in_order(jobs, every_job) : plan.move_earlier_in_order(jobs);
                    REQUIRE(made == moves);
                }
                moved += static_cast<int>(moves);
                REQUIRE(plan.by_start() == plain.order());
                for (const auto& [job, planned] : plain.jobs) {
                    REQUIRE(plan.planned_start(job) == planned.start);
                }
            }
            ranks.push_back(below(1'000'000) * 1000 + static_cast<int>(next));
            if (plain.jobs.size() < static_cast<std::size_t>(depth)) {
                // Jobs that need all processors separate others like walls.
                const int needed = below(4) == 0 ? processors : 1 + below(processors);
                const Request& request = request_of(needed, pool.amount_for(needed, below));
                if (request.of_pool(0) > 10 * needed) {
                    make_scarce(plan, running);
                }
                const Duration walltime = Duration::seconds(1 + below(30));
                plan.place({next, walltime, now, &request}, now);
                plain.place(next, request, walltime, now);
            }
        }
    }
    CHECK(moved > 1000);
}

TEST_CASE("a job that has no place, because the machine is too small, does not move, whatever it may move before") {
    const Machine machine(4);
    Plan plan;
    plan.reset(timeline_of(machine));
    plan.place({0, Duration::seconds(10), at(0), &request_of(8)}, at(0));
    plan.place({1, Duration::seconds(10), at(0), &request_of(2)}, at(0));
    // As after another wide job: none of its starts has an end.
    const Time later_than_never = Time::infinity() + Duration::seconds(10);
    for (const Time than : {at(5), Time::infinity(), later_than_never}) {
        for (const JobIndex job : {JobIndex{0}, JobIndex{1}}) {
            plan.look_again_at(job);
            CHECK_FALSE(plan.move_earlier(job, than));
        }
    }
    CHECK(plan.planned_start(0).is_infinite());
    CHECK(plan.planned_start(1) == at(0));
}

TEST_CASE("a plan counts the events that plain searches look at, one by one") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        const bool in_passes = seed % 2 == 0;
        const Machine machine(8);
        Plan plan;
        ProfileEventCounter events;
        plan.reset(timeline_of(machine));
        PlainPlan plain(8);
        Running running;
        std::uint64_t starts_and_ends = 0;
        std::uint64_t placed_anew = 0;
        Time now = at(0);
        for (JobIndex next = 0; next < 200; ++next) {
            now = now + Duration::seconds(below(4));
            plan.advance(now);
            start_due_jobs(plan, plain, now, running);
            if (!running.empty() && below(2) == 0) {
                const auto [end, request] = running.back();
                running.pop_back();
                plan.give_back(*request, request->processors, {}, now, end);
                plain.add(*request, now, end, 1);
                SchedulerState state;
                state.now = now;
                for (const auto& other : running) {
                    state.running.push_back({other.first, 0, other.second->processors});
                }
                std::sort(state.running.begin(), state.running.end());
                const std::vector<JobIndex> order = plan.by_start();
                events.count(plan, state, order, Time::infinity(),
                             in_passes ? PlanAlgorithm::Scan::pass : PlanAlgorithm::Scan::to_the_next);
                plan.move_all_earlier();
                std::vector<JobIndex> passed;
                for (const JobIndex job : plain.order()) {
                    plain.move(job, now);
                    const Time until = plain.jobs[job].start + plain.jobs[job].walltime;
                    const auto looked_at = [&](Time event) { return event > now && event <= until ? 1U : 0U; };
                    const auto events_of = [&](JobIndex other) {
                        const PlainPlan::Planned& planned = plain.jobs[other];
                        return looked_at(planned.start) + looked_at(planned.start + planned.walltime);
                    };
                    std::uint64_t after = 0;
                    for (const auto& other : running) {
                        after += looked_at(other.first);
                    }
                    starts_and_ends += after;
                    placed_anew += after;
                    for (const auto& [other, planned] : plain.jobs) {
                        starts_and_ends += other == job ? 0 : events_of(other);
                    }
                    for (const JobIndex other : passed) {
                        placed_anew += events_of(other);
                    }
                    passed.push_back(job);
                }
            }
            const Request& request = request_of(1 + below(8));
            const Duration walltime = Duration::seconds(1 + below(20));
            plan.place({next, walltime, now, &request}, now);
            plain.place(next, request, walltime, now);
        }
        const ProfileEventCounter::Counts& counts = events.counts();
        CHECK(counts.starts_and_ends == starts_and_ends);
        CHECK(counts.placed_anew == (in_passes ? std::optional(placed_anew) : std::nullopt));
        CHECK(starts_and_ends > 10'000);
        CHECK(counts.instants > 0);
    }
}

}  // namespace batfill::tests::plan_test
