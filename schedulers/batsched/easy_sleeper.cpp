#include <algorithm>
#include <map>
#include <memory>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/reservation.hpp>

namespace batfill {

namespace {

// EASY backfilling in the order of submission. While no job waits, it puts processors to sleep that have been idle for
// a while. The first job that cannot start has a reservation, which counts processors that are not awake as idle. Other
// jobs may not delay it. The algorithm wakes as many processors as all waiting jobs request.
//
// Cost of a round: a pass over the queue, and one over the sets of processors that became idle at different times.
class EasySleeper : public Algorithm {
 public:
    explicit EasySleeper(const Parameters& parameters) : idle_time_(*parameters.seconds("idle-time")) {}

    bool switches_processors() const override { return true; }

    void begin(Round& round) override { follow_idle_processors(round.state()); }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        start_jobs(round);
        follow_idle_processors(state);
        nothing_waits_ = state.waiting.empty();
        if (nothing_waits_) {
            put_to_sleep(round);
        } else {
            wake(round);
        }
    }

    Time next_wake(Time /*after*/) const override {
        return nothing_waits_ && !idle_since_.empty() ? idle_since_.begin()->first + idle_time_ : Time::infinity();
    }

    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<EasySleeper>(*this); }

    std::vector<Statistic> statistics() const override { return {{"put-to-sleep", put_to_sleep_}, {"woken", woken_}}; }

 private:
    static ResourceSet available(const SchedulerState& state, ResourceSet processors) {
        processors.remove(state.unavailable);
        return processors;
    }

    static void start_jobs(Round& round) {
        const SchedulerState& state = round.state();
        while (!state.waiting.empty() && round.start_if_possible(state.waiting.job(0))) {
        }
        if (state.waiting.empty()) {
            return;
        }
        ResourceSet not_awake = state.asleep;
        not_awake.insert(state.falling_asleep);
        not_awake.insert(state.waking);
        const JobIndex head = state.waiting.job(0);
        // Processors that are not awake count as held by a job that ends now.
        std::vector<RunningJob> running{{Time(), head, available(state, std::move(not_awake)).size()}};
        running.insert(running.end(), state.running.begin(), state.running.end());
        Reservation reservation(state, head, running);
        for (std::size_t position = state.waiting.next_fitting(1, state.idle.count());
             position < state.waiting.size();) {
            const bool started = reservation.start_if_admitted(round, state.waiting.job(position));
            position = state.waiting.next_fitting(started ? position : position + 1, state.idle.count());
        }
    }

    // Updates idle_since_: the idle processors that can sleep, by the time when they became idle.
    void follow_idle_processors(const SchedulerState& state) {
        ResourceSet fresh = state.idle.set().intersection(state.machine.can_sleep());
        for (auto known = idle_since_.begin(); known != idle_since_.end();) {
            known->second = known->second.intersection(state.idle.set());
            fresh.remove(known->second);
            known = known->second.empty() ? idle_since_.erase(known) : std::next(known);
        }
        if (!fresh.empty()) {
            idle_since_[state.now].insert(fresh);
        }
    }

    void put_to_sleep(Round& round) {
        ResourceSet tired;
        while (!idle_since_.empty() && idle_since_.begin()->first + idle_time_ <= round.now()) {
            tired.insert(idle_since_.begin()->second);
            idle_since_.erase(idle_since_.begin());
        }
        put_to_sleep_ += static_cast<std::uint64_t>(tired.size());
        round.put_to_sleep(tired);
    }

    // Wakes, lowest first, as many processors as waiting jobs request beyond those that are idle or already waking.
    void wake(Round& round) {
        const SchedulerState& state = round.state();
        ResourceSet asleep = available(state, state.asleep);
        int missing = -state.idle.count() - available(state, state.waking).size();
        for (std::size_t position = 0; position < state.waiting.size() && missing < asleep.size(); ++position) {
            missing += state.waiting.processors(position);
        }
        const ResourceSet needed = asleep.take_lowest(std::clamp(missing, 0, asleep.size()));
        woken_ += static_cast<std::uint64_t>(needed.size());
        round.wake(needed);
    }

    Duration idle_time_;
    std::map<Time, ResourceSet> idle_since_;
    bool nothing_waits_ = true;
    std::uint64_t put_to_sleep_ = 0;
    std::uint64_t woken_ = 0;
};

const Registration registration({
    "easy-sleeper",
    "EASY backfilling that puts processors to sleep after they were idle for a while",
    "Lifka, The ANL/IBM SP scheduling system, JSSPP 1995, for EASY",
    {Parameter::seconds("idle-time", "60", "processors sleep after they were idle for this long and no job waits")},
    [](const Parameters& parameters) { return std::make_unique<EasySleeper>(parameters); },
    {Placement::lowest, Placement::best_effort_contiguous},
});

}  // namespace

}  // namespace batfill
