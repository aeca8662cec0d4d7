#pragma once

#include <span>

#include <batfill/algorithm.hpp>

namespace batfill {

// What the plan family has in common: every waiting job has a planned start, a job is placed when it is submitted, and
// jobs start when their planned start has come. A subclass says what an early completion is good for.
class PlanAlgorithm : public Algorithm {
 public:
    // The parameter `count-events`, for algorithms whose compressions are compared by the events that they examine.
    static Parameter count_events();

    void begin(Round& round) final;
    void machine_changed(Round& round, std::span<const Completion> completions) override;
    void completed(Round& round, std::span<const Completion> completions) override;
    void submitted(Round& round, JobIndex job) override;
    // Starts the jobs that are due, in the order of the plan, and asks for a call at the next planned start unless a
    // running job ends at that very instant. A job that is due but finds its processors still taken, because a job has
    // outlived its estimate, waits for that job; the plan is made anew once it starts late.
    void decide(Round& round) override;
    bool gives_guarantees() const final { return true; }

 protected:
    explicit PlanAlgorithm(bool counts_events = false) : counts_events_(counts_events) {}

    // Once a round, after all early completions gave their processors back to the plan.
    virtual void compress(Round& round) = 0;

    // Gives the processors of early completions back to the plan. Returns whether there was one.
    static bool give_back(Round& round, std::span<const Completion> completions);
    // Places a job at its earliest start from `from` on, on the present plan.
    static Time place(Round& round, JobIndex index, Time from);
    // Compression by planned start: each planned job in turn is placed again, and none moves later. O(1) for each that
    // provably cannot move. Returns how many moved.
    static std::size_t move_all_earlier(Round& round);
    // Starts a planned job now if its processors are idle, and returns whether they were. They are not if another job
    // has outlived its estimate.
    static bool start_if_idle(Round& round, JobIndex job);

 private:
    enum class NotBefore { now, planned_start };
    // Builds the plan anew from the running jobs and the waiting ones in the order of their planned starts, each at the
    // earliest start not before `not_before`. For the rare events that break promises: processors that go or come back,
    // a job that starts late. O(waiting jobs) searches.
    static void replan(Round& round, NotBefore not_before);

    bool counts_events_;
};

}  // namespace batfill
