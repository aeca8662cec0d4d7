#pragma once

#include <optional>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/planning/delay.hpp>
#include <batfill/planning/reservation.hpp>

namespace batfill {

// What a round of the queue family tries on any machine: it reserves later starts, by the estimates, and starts jobs
// now that delay none of them. At its end, what is reserved is free again, and what it has started runs.
//
// Where only processors can lack, a trial of one reservation is a Reservation. Others put what they reserve into the
// state's Availability, or into one of their own where the state has none.
class Trial {
 public:
    // Requires: the state has an Availability, or only processors can lack (SchedulerState::counts_processors).
    explicit Trial(Round& round) : round_(round), later_(round.state().later.get()) {}
    // For other numbers of reservations than one, on any machine. Where the state has no Availability, `free`
    // processors can be used now, and those of `running` from their estimated ends on. Requires: jobs need no block of
    // processors, and no machine of a farm.
    Trial(Round& round, int free, std::span<const RunningJob> running);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    // Whether no other job can start now, whatever it takes.
    bool is_full() const { return own_ ? free_ == 0 : round_.state().is_full(); }
    // Whether a waiting job could start beside what is reserved. With a Reservation, false is certain and true is not.
    bool may_start(JobIndex job);
    enum class Answer {
        yes,
        no,
        passed_over,  // only a pool that is not planned, or a limit, keeps the job from starting
    };
    // Starts a waiting job if it can start beside what is reserved.
    Answer start(JobIndex job);

    // Reserves the earliest start of a waiting job that cannot start now. A job without one reserves nothing.
    void reserve(JobIndex job);
    // When it is to start; infinite if it reserves nothing.
    Time start_of(JobIndex reserved);

    // ---- For explanations

    // The jobs that reserve something, in that order.
    std::span<const LaterJob> reserved();
    // Whom of them a start of this job would delay.
    // Requires: not a Reservation.
    Delay delay(JobIndex job);
    // Why a job has no start.
    Reason::Never never(JobIndex job) const;

 private:
    // Nobody looks at reservations before a job could start but for them, and in most rounds no job could.
    void make_reservations();
    Answer start_beside_later(JobIndex job);

    Round& round_;
    std::optional<Availability> own_;
    int free_ = 0;                            // with it: processors that can be used now
    Availability* later_;                     // null: the trial is a Reservation
    std::optional<Reservation> reservation_;  // once there is one
    std::vector<JobIndex> to_reserve_;        // in this order
    std::vector<LaterJob> reserved_;
};

}  // namespace batfill
