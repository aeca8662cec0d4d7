#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>
#include <batfill/planning/trial.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_timeline.hpp"
#include "tests/support/random.hpp"

namespace batfill::tests::trial_test {

// What a round reserves and starts on small random machines: the same as a search second by second finds.

namespace {

constexpr int last_submission = 20;
constexpr int longest = 15;
// From then on nothing changes: windows are over, and all jobs that a round may reserve one after another.
constexpr int horizon = 200;

int seconds(Time time) {
    return static_cast<int>(time.since_zero().count() / 1'000'000);
}

enum class Kind { plain, pools, hosts, windows, windows_of_hosts };

Machine draw_machine(Random& random, Kind kind) {
    if (kind == Kind::plain) {
        return Machine(random.between(1, 6));
    }
    const bool is_named = kind == Kind::hosts || kind == Kind::windows_of_hosts;
    const bool has_windows = kind == Kind::windows || kind == Kind::windows_of_hosts;
    const std::vector<Host> hosts = draw_hosts(random, is_named);
    return Machine(hosts, has_windows ? draw_windows(random, is_named, static_cast<int>(hosts.size()), last_submission)
                                      : std::vector<Window>());
}

// How often what happened.
struct Counts {
    int started = 0;
    int delaying = 0;  // could start but for what is reserved
    int passed_over = 0;
    int inside = 0;  // reserved in a booking
    int never = 0;
};

// Reserves for some jobs of each round, tries to start the others, and compares each answer.
class TryingAlgorithm : public Algorithm {
 public:
    TryingAlgorithm(Random& random, std::vector<bool> planned, Counts& counts)
        : random_(random), planned_(std::move(planned)), counts_(counts) {}
    bool understands_resources() const override { return true; }
    bool looks_ahead(const SchedulerState&) const override { return true; }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        if (!state.running.empty() && state.running.front().end <= state.now) {
            return;  // its end is in the next message of this instant
        }
        // A Reservation is for the first job that cannot start.
        const bool is_reservation = state.later == nullptr && random_.one_in(2);
        if (is_reservation) {
            Trial trial(round);
            try_jobs(round, trial, 1);
        } else if (state.later == nullptr || random_.one_in(2)) {
            Trial trial(round, state.idle.count(), state.running);
            try_jobs(round, trial, random_.between(0, 4));
        } else {
            Trial trial(round);
            try_jobs(round, trial, random_.between(0, 4));
        }
        if (state.later != nullptr) {
            require_only_running(state);
        }
    }

 private:
    // What runs, and nothing else.
    PlainTimeline plain_of(const SchedulerState& state, std::vector<bool> planned) const {
        PlainTimeline plain(state.machine, std::move(planned), horizon);
        plain.now = seconds(state.now);
        for (const RunningJob& running : state.running) {
            const Job& job = state.job(running.job);
            plain.held.push_back({job.request, state.hosts.are_named() ? job.allocation : ResourceSet(),
                                  seconds(job.start), seconds(running.end), state.windows.window_of(running.job)});
        }
        return plain;
    }

    static int length_of(const SchedulerState& state, JobIndex job) {
        return static_cast<int>(state.job(job).walltime.count() / 1'000'000);
    }

    // Whether a job finds all that it takes of pools now, planned or not.
    bool has_of_pools(const SchedulerState& state, const Request& request, std::optional<std::size_t> window) const {
        Request counted = request;
        counted.processors = 0;
        const PlainTimeline plain = plain_of(state, std::vector<bool>(planned_.size(), true));
        return plain.fits_in(counted, window, 1, plain.now);
    }

    void try_jobs(Round& round, Trial& trial, int reservations) {
        const SchedulerState& state = round.state();
        PlainTimeline plain = plain_of(state, planned_);
        std::vector<std::pair<JobIndex, Time>> reserved;
        const std::vector<JobIndex> queue(state.waiting.jobs().begin(), state.waiting.jobs().end());
        for (const JobIndex job : queue) {
            const Request& request = state.job(job).request;
            const int length = length_of(state, job);
            INFO("job " << job << " at " << state.now);
            const bool fits = plain.fits(request, length, plain.now);
            const std::optional<std::size_t> window = plain.window_for(request, length, plain.now);
            const bool has_pools = fits && has_of_pools(state, request, window);
            const bool may_start = trial.may_start(job);
            REQUIRE((state.later != nullptr || trial.is_full() == (state.idle.count() == 0)));
            if (reservations > 0 && !fits && random_.one_in(2)) {
                --reservations;
                const std::optional<int> start = plain.earliest(request, length, plain.now);
                trial.reserve(job);
                reserved.emplace_back(job, start ? Time::seconds(*start) : Time::infinity());
                counts_.never += start ? 0 : 1;
                if (start) {
                    const std::optional<std::size_t> inside = plain.window_for(request, length, *start);
                    counts_.inside += inside ? 1 : 0;
                    plain.held.push_back(
                        {request, plain.choose(request, length, *start), *start, *start + length, inside});
                }
                if (random_.one_in(2)) {
                    REQUIRE(trial.start_of(job) == reserved.back().second);
                }
                continue;
            }
            const ResourceSet hosts = fits ? plain.choose(request, length, plain.now) : ResourceSet();
            const Trial::Answer answer = trial.start(job);
            REQUIRE(answer == (!fits        ? Trial::Answer::no
                               : !has_pools ? Trial::Answer::passed_over
                                            : Trial::Answer::yes));
            REQUIRE((may_start || answer != Trial::Answer::yes));
            counts_.passed_over += answer == Trial::Answer::passed_over ? 1 : 0;
            if (answer == Trial::Answer::yes) {
                ++counts_.started;
                REQUIRE((!state.hosts.are_named() || state.job(job).allocation == hosts));
                REQUIRE(state.windows.window_of(job) == window);
                plain.held.push_back({request, hosts, plain.now, plain.now + length, window});
            } else if (!fits && state.later != nullptr) {
                require_delay(plain, state, job, trial);
            }
        }
        for (const auto& [job, start] : reserved) {
            REQUIRE(trial.start_of(job) == start);
        }
    }

    // Some job is named as delayed if only what is reserved keeps this one from starting.
    void require_delay(const PlainTimeline& plain, const SchedulerState& state, JobIndex job, Trial& trial) {
        const Request& request = state.job(job).request;
        const PlainTimeline running = plain_of(state, planned_);
        const bool is_delaying = running.fits(request, length_of(state, job), plain.now) && state.has_of_pools(request);
        const Delay delay = trial.delay(job);
        REQUIRE((delay.of != nullptr) == is_delaying);
        counts_.delaying += is_delaying ? 1 : 0;
        if (is_delaying) {
            REQUIRE(state.job(delay.of->job).state == JobState::submitted);
            REQUIRE(delay.shortage.needed > delay.shortage.left);
        }
    }

    // The trial is over: the state knows nothing of what it had reserved, and what it has started.
    void require_only_running(const SchedulerState& state) const {
        const PlainTimeline plain = plain_of(state, planned_);
        for (const JobIndex job : state.waiting.jobs()) {
            INFO("after the round at " << state.now << ", job " << job);
            const Request& request = state.job(job).request;
            const int length = length_of(state, job);
            for (int at = plain.now; at < plain.now + 5 * longest; ++at) {
                REQUIRE(state.later->timeline().fits(request, state.estimate(job), Time::seconds(at)) ==
                        plain.fits(request, length, at));
            }
        }
    }

    Random& random_;
    std::vector<bool> planned_;
    Counts& counts_;
};

JobDescription draw_job(Random& random, const Machine& machine, JobIndex number, int now) {
    JobDescription job;
    job.id = "j" + std::to_string(number);
    job.submit = Time::seconds(now);
    job.processors = random.between(1, machine.processors());
    job.walltime = Duration::seconds(random.between(1, longest));
    if (!machine.is_plain()) {
        StatedNeeds needs = draw_needs(random);
        if (machine.has_bookings() && random.one_in(2)) {
            needs.booking = random.one_in(2) ? "course" : "demo";
        }
        job.needs = needs;
    }
    return job;
}

void try_on(unsigned seed, Kind kind, Counts& counts) {
    Random random(seed);
    const Machine machine = draw_machine(random, kind);
    const std::size_t pools = machine.resources().pools().size();
    const bool plans_all = pools == 0 || random.one_in(2);
    const std::string placement =
        machine.resources().has_named_hosts() ? (random.one_in(2) ? "snug" : "fullest") : "lowest";
    Parameters::Given given{{"placement", placement}, {"plan-pools", plans_all ? "all" : "bb"}};
    std::vector<bool> planned;
    for (const Resources::Pool& pool : machine.resources().pools()) {
        planned.push_back(plans_all || pool.name == "bb");
    }
    Engine engine(with_common_parameters(
                      {"trying",
                       "tries",
                       "none",
                       {Availability::plan_pools()},
                       [&](const Parameters&) { return std::make_unique<TryingAlgorithm>(random, planned, counts); }}),
                  given);
    engine.begin(Time(), machine);
    std::vector<std::pair<int, JobIndex>> running;  // when they end
    JobIndex jobs = 0;
    for (int now = 0; now <= last_submission; ++now) {
        INFO("machine " << seed << " of kind " << static_cast<int>(kind) << ", second " << now);
        Message message{Time::seconds(now), {}, {}, {}};
        std::erase_if(running, [&](const auto& one) {
            const bool has_ended = one.first <= now;
            if (has_ended) {
                message.ended.push_back(one.second);
            }
            return has_ended;
        });
        Message submissions{Time::seconds(now), {}, {}, {}};
        const bool come_first = random.one_in(3);
        for (int i = random.between(1, 2); i > 0; --i, ++jobs) {
            (come_first ? submissions : message).submitted.emplace_back(jobs, draw_job(random, machine, jobs, now));
        }
        const auto deliver = [&](const Message& one) {
            for (const JobIndex job : starts_of(send(engine, one))) {
                const int length = static_cast<int>(engine.state().job(job).walltime.count() / 1'000'000);
                running.emplace_back(now + (random.one_in(2) ? length : random.between(1, length)), job);
            }
        };
        if (come_first) {
            deliver(submissions);
        }
        deliver(message);
    }
}

// Looks ahead once more than processors can lack, and notes in which rounds the state does so for it.
class LookingAlgorithm : public Algorithm {
 public:
    explicit LookingAlgorithm(std::vector<bool>& looks) : looks_(looks) {}
    bool understands_resources() const override { return true; }
    bool looks_ahead(const SchedulerState& state) const override { return !state.counts_processors(); }
    void decide(Round& round) override { looks_.push_back(round.state().later != nullptr); }

 private:
    std::vector<bool>& looks_;
};

// Of three jobs, the second takes more of the pool than the share of its processors.
std::vector<bool> looks_of(const std::string& placement, const std::vector<std::string>& explained) {
    Host host;
    host.zone_properties["pools"] = "power:8";
    std::vector<bool> looks;
    Engine engine(
        with_common_parameters({"looking",
                                "looks",
                                "none",
                                {},
                                [&](const Parameters&) { return std::make_unique<LookingAlgorithm>(looks); }}),
        {{"placement", placement}});
    engine.begin(Time(), Machine(std::vector<Host>(4, host)));
    engine.explain(explained);
    for (const JobIndex number : {0U, 1U, 2U}) {
        JobDescription job;
        job.id = "j" + std::to_string(number);
        job.submit = Time::seconds(number);
        job.processors = 2;
        job.walltime = Duration::seconds(10);
        StatedNeeds needs;
        needs.pools = {{"power", number == 1 ? 5 : 4}};
        job.needs = needs;
        Message message{job.submit, {}, {}, {}};
        message.submitted.emplace_back(number, job);
        send(engine, message);
    }
    return looks;
}

}  // namespace

TEST_CASE("A state looks ahead once a job takes more than its share of a pool, or where a count is not all",
          "[trial]") {
    CHECK(looks_of("lowest", {}) == std::vector<bool>{false, true, true});
    CHECK(looks_of("lowest", {"j0"}) == std::vector<bool>{true, true, true});
    CHECK(looks_of("contiguous", {}) == std::vector<bool>{true, true, true});
}

TEST_CASE("A trial reserves, starts and gives back as a search second by second says", "[trial][property]") {
    for (const Kind kind : {Kind::plain, Kind::pools, Kind::hosts, Kind::windows, Kind::windows_of_hosts}) {
        Counts counts;
        for (unsigned seed = 1; seed <= 60; ++seed) {
            try_on(seed, kind, counts);
        }
        INFO("kind " << static_cast<int>(kind));
        CHECK(counts.started > 200);
        CHECK((counts.delaying > 5 || kind == Kind::plain));
        CHECK((counts.passed_over > 0) == (kind != Kind::plain));
        CHECK((counts.inside > 0) == (kind == Kind::windows || kind == Kind::windows_of_hosts));
    }
}

}  // namespace batfill::tests::trial_test
